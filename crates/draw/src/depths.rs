//! The chart of a whole space.

use taquin::{Board, Enumeration, Metric};
use taquin_lab::amounts::thousands;

use crate::chart::{Axis, Chart, Marks, Point, Series};

/// Returns the chart that shows how many boards are at each distance from a goal.
pub fn depths_chart(enumeration: &Enumeration, goal: &Board) -> Chart {
    let depths = enumeration.depths.iter().enumerate();
    let points = depths.map(|(depth, &boards)| Point::new(depth as f64, boards as f64));
    let series = Series { name: "boards".to_owned(), style: 0, points: points.collect() };
    Chart {
        name: "depths",
        title: format!("{} boards by their distance", thousands(enumeration.states)),
        x: Axis::new("distance from the goal in moves", "depth", false, true),
        y: Axis::new("boards", "boards", false, true),
        marks: Marks::Bars,
        series: vec![series],
        diagonal: false,
        note: format!(
            "Goal {goal}, {}; mean {:.3}, farthest {}.",
            metric_words(enumeration.metric),
            enumeration.mean_depth,
            enumeration.max_depth
        ),
    }
}

/// Describes one move.
pub const fn metric_words(metric: Metric) -> &'static str {
    match metric {
        Metric::Single => "one tile per move",
        Metric::Multi => "several tiles in a line per move",
    }
}
