//! An experiment's runs, and their charts.

use std::collections::BTreeMap;

use taquin::Reason;
use taquin_draw::{Axis, Chart, Marks, Point, Series};

/// A run, as tables and charts need it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sample {
    /// The number of the puzzle.
    pub instance: usize,
    /// The number of the method.
    pub method: usize,
    /// The cost of the puzzle's cheapest solution, if it is known.
    pub optimum: Option<u32>,
    /// Whether a solution was found.
    pub solved: bool,
    /// Why there is no solution.
    pub reason: Option<Reason>,
    /// The cost of the solution.
    pub cost: Option<u32>,
    /// Whether the run itself has proven its solution optimal.
    pub optimal: bool,
    /// Nodes expanded.
    pub expanded: u64,
    /// Nodes generated.
    pub generated: u64,
    /// The largest frontier.
    pub frontier: u64,
    /// The time in seconds.
    pub seconds: f64,
}

/// Runs with the names of their methods.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Samples {
    /// The names of the methods.
    pub methods: Vec<String>,
    /// The runs.
    pub runs: Vec<Sample>,
    /// Whether moves have different costs, so that a cost is not a number of moves.
    pub weighted: bool,
    /// Why the times of some methods cannot be compared; empty if all can.
    pub time_note: String,
}

/// A quantity of a run.
pub(crate) type Measure = fn(&Sample) -> f64;

impl Samples {
    /// Returns the three figures of the courses: nodes, the largest frontier and time against
    /// depth.
    pub fn against_depth(&self) -> Vec<Chart> {
        let count = |label, column| Axis::new(label, column, true, true);
        let nodes = count("nodes expanded", "expanded");
        let frontier = count("largest frontier (nodes)", "frontier_peak");
        let time = Axis::new("time (seconds)", "seconds", true, false);
        vec![
            self.depth_chart("nodes", "Nodes expanded", nodes, |run| run.expanded as f64),
            self.depth_chart("frontier", "Largest frontier", frontier, |run| run.frontier as f64),
            self.with_time_note(self.depth_chart("time", "Time", time, |run| run.seconds)),
        ]
    }

    fn depth_chart(&self, name: &'static str, title: &str, y: Axis, measure: Measure) -> Chart {
        let several = self.by_depth(0).values().any(|runs| runs.len() > 1);
        let note = if several { "Geometric means over the puzzles of a depth." } else { "" };
        Chart {
            name,
            title: format!("{title} against depth"),
            x: self.depth_axis(),
            y,
            marks: Marks::Lines,
            series: self.series(|method| self.means(method, measure)),
            diagonal: false,
            note: note.to_owned(),
        }
    }

    /// Returns a chart that compares each method's nodes with those for `baseline`, puzzle by
    /// puzzle.
    pub fn scatter(&self, baseline: usize) -> Option<Chart> {
        let name = self.methods.get(baseline)?;
        let solved = |method: usize| -> BTreeMap<usize, f64> {
            let runs = self.runs.iter().filter(|run| run.method == method && run.solved);
            runs.map(|run| (run.instance, run.expanded as f64)).collect()
        };
        let base = solved(baseline);
        let mut series = self.series(|method| {
            let pairs = solved(method).into_iter();
            let pairs = pairs.filter_map(|(instance, y)| Some((*base.get(&instance)?, y)));
            pairs.map(|(x, y)| Point::new(x, y)).collect()
        });
        series.retain(|series| series.style != baseline && !series.points.is_empty());
        (!series.is_empty()).then(|| Chart {
            name: "scatter",
            title: format!("Nodes expanded, puzzle by puzzle, compared with {name}"),
            x: Axis::new(&format!("nodes expanded by {name}"), "baseline_expanded", true, true),
            y: Axis::new("nodes expanded by the others", "expanded", true, true),
            marks: Marks::Points,
            series,
            diagonal: true,
            note: "Puzzles that both methods solved; below the dashed line is less work."
                .to_owned(),
        })
    }

    /// Returns a chart that shows how many puzzles were solved within a time.
    pub fn cactus(&self) -> Chart {
        self.with_time_note(Chart {
            name: "cactus",
            title: "Puzzles solved within a time".to_owned(),
            x: Axis::new("time for a puzzle (seconds)", "seconds", true, false),
            y: Axis::new("puzzles solved", "solved", false, true),
            marks: Marks::Steps,
            series: self.series(|method| {
                let runs = self.runs.iter().filter(|run| run.method == method && run.solved);
                let mut times: Vec<f64> = runs.map(|run| run.seconds.max(1e-7)).collect();
                times.sort_by(f64::total_cmp);
                let points = (1..).zip(times);
                points.map(|(count, x)| Point::new(x, f64::from(count))).collect()
            }),
            diagonal: false,
            note: String::new(),
        })
    }

    fn with_time_note(&self, mut chart: Chart) -> Chart {
        let note = format!("{} {}", chart.note, self.time_note);
        note.trim().clone_into(&mut chart.note);
        chart
    }

    fn depth_axis(&self) -> Axis {
        let (label, column) = match self.weighted {
            true => ("cost of the cheapest solution", "cost"),
            false => ("length of the shortest solution (moves)", "depth"),
        };
        Axis::new(label, column, false, true)
    }

    fn series(&self, points: impl Fn(usize) -> Vec<Point>) -> Vec<Series> {
        let names = self.methods.iter().enumerate();
        names
            .map(|(style, name)| Series { name: name.clone(), style, points: points(style) })
            .collect()
    }

    /// Returns a method's runs by the depth of their puzzles.
    pub(crate) fn by_depth(&self, method: usize) -> BTreeMap<u32, Vec<&Sample>> {
        let mut depths: BTreeMap<u32, Vec<&Sample>> = BTreeMap::new();
        for run in self.runs.iter().filter(|run| run.method == method) {
            if let Some(depth) = run.optimum {
                depths.entry(depth).or_default().push(run);
            }
        }
        depths
    }

    fn means(&self, method: usize, measure: Measure) -> Vec<Point> {
        let depths = self.by_depth(method).into_iter();
        depths
            .filter_map(|(depth, runs)| {
                let solved = runs.iter().filter(|run| run.solved);
                let values: Vec<f64> = solved.map(|run| measure(run)).collect();
                let y = geometric_mean(&values)?;
                let partial = values.len() < runs.len();
                Some(Point { x: depth.into(), y, partial, quartiles: quartiles(&values) })
            })
            .collect()
    }
}

/// Returns the lower and the upper quartile of at least two values, interpolated between
/// neighbours.
pub(crate) fn quartiles(values: &[f64]) -> Option<(f64, f64)> {
    let last = values.len().checked_sub(1).filter(|last| *last > 0)?;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = share * last as f64;
        let below = place.floor() as usize;
        sorted[below] + (sorted[(below + 1).min(last)] - sorted[below]) * place.fract()
    };
    Some((at(0.25), at(0.75)))
}

/// Returns the geometric mean. It is 0 if all values are; otherwise values below 1 node or 100 ns,
/// the least that can be counted or measured, count as that.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let least = if values.iter().all(|value| value.fract() == 0.0) { 1.0 } else { 1e-7 };
    match values {
        [] => None,
        // Exact, unlike the logarithms below.
        [only] => Some(*only),
        _ if values.iter().all(|value| *value == 0.0) => Some(0.0),
        _ => {
            let logs: f64 = values.iter().map(|value| value.max(least).ln()).sum();
            Some((logs / values.len() as f64).exp())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_interpolated() {
        assert_eq!(quartiles(&[]), None);
        assert_eq!(quartiles(&[3.0]), None);
        assert_eq!(quartiles(&[1.0, 3.0]), Some((1.5, 2.5)));
        assert_eq!(quartiles(&[9.0, 1.0, 5.0, 3.0, 7.0]), Some((3.0, 7.0)));
    }
}
