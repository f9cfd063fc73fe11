//! A* with Manhattan distance on instances of Korf's, beside `pathfinding`.

use std::fs;

use anyhow::{Context as _, Result, ensure};
use taquin::{Board, NamedGoal, Puzzle, Session, Size, Task, Watch};

use super::process::{instructions, measure_beside};
use super::rival::Rival;
use super::{Found, Options, Row, Work};

pub(super) const WORKS: &[(&str, Work)] = &[(OURS, ours), (THEIRS, theirs)];

const OURS: &str = "astar-taquin";
const THEIRS: &str = "astar-pathfinding";

pub(super) fn rows(options: &Options) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    // Number 5 has the fewest nodes.
    let instances: &[&str] =
        if options.quick || options.instructions { &["5"] } else { &["2", "4", "5"] };
    for instance in instances {
        if options.instructions {
            rows.push(by_instructions(instance)?);
        } else {
            rows.extend(by_time_and_memory(instance, options.times())?);
        }
    }
    Ok(rows)
}

fn by_time_and_memory(instance: &str, times: usize) -> Result<[Row; 2]> {
    let [ours, theirs] = measure_beside([OURS, THEIRS], instance, times)?;
    let (found, expected) = (ours.found.value, theirs.found.value);
    ensure!(found == expected, "on Korf {instance} the optimum is {found} or {expected}");
    let row = |what, value, must, aim, note| Row {
        name: format!("Korf {instance}, {what}, pathfinding = 1"),
        value,
        unit: "",
        must,
        aim,
        note,
    };
    let (seconds, bytes) = (ours.seconds / theirs.seconds, ours.peak_bytes / theirs.peak_bytes);
    Ok([
        row("time", seconds, 1.0 / 3.0, 1.0 / 5.0, ours.describe("taquin")),
        row("peak memory", bytes, 1.0 / 2.0, 1.0 / 3.0, theirs.describe("pathfinding")),
    ])
}

fn by_instructions(instance: &str) -> Result<Row> {
    let (ours, theirs) = (instructions(OURS, instance)?, instructions(THEIRS, instance)?);
    Ok(Row {
        name: format!("Korf {instance}, instructions, pathfinding = 1"),
        value: ours / theirs,
        unit: "",
        must: 1.0 / 3.0,
        aim: 1.0 / 5.0,
        note: format!(
            "taquin: {:.0} million, pathfinding: {:.0} million",
            ours / 1e6,
            theirs / 1e6
        ),
    })
}

fn ours(instance: &str) -> Result<Found> {
    let task = Task::new(korf(instance)?, "astar:manhattan".parse()?);
    let report = Session::without_folder().run(&task, Watch::default());
    ensure!(report.optimal, "not proven optimal");
    let cost = report.cost.context("not solved")?;
    let counts = report.counts;
    Ok(Found { value: cost.into(), generated: counts.generated, stored: counts.stored_peak })
}

fn theirs(instance: &str) -> Result<Found> {
    Rival::new(&korf(instance)?).astar().context("not solved")
}

/// One of the hundred instances by its number.
pub(super) fn korf(number: &str) -> Result<Puzzle> {
    let path = crate::path("crates/lab/data/korf100.txt");
    let text =
        fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let line = text.lines().find(|line| line.split_whitespace().next() == Some(number));
    let (_, tiles) = line
        .and_then(|line| line.split_once('|'))
        .with_context(|| format!("{} has no instance {number}", path.display()))?;
    let size = Size::new(4, 4)?;
    let tiles = tiles.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    Ok(Puzzle::new(Board::new(size, tiles)?, NamedGoal::First.board(size, 1))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_find_the_optimum_and_the_rival_searches_well() {
        // Some moves away from the goal of the instances, whose own search would take too long here.
        let goal = NamedGoal::First.board(Size::new(4, 4).unwrap(), 1);
        let mut random = taquin::Random::new(1);
        for _ in 0..5 {
            let start = taquin::scramble::walk(&goal, 40, &mut random);
            let puzzle = Puzzle::new(start, goal.clone()).unwrap();
            let theirs = Rival::new(&puzzle).astar().unwrap();
            let task = Task::new(puzzle, "astar:manhattan,undo=keep".parse().unwrap());
            let ours = Session::without_folder().run(&task, Watch::default());
            assert_eq!(Some(theirs.value as u32), ours.cost);
            // The same search but for the order among equals in the last layer.
            let least = ours.before_last_bound.unwrap_or_default().generated;
            assert!(theirs.generated >= least, "{} < {least}", theirs.generated);
        }
        assert!(korf("1").is_ok() && korf("100").is_ok() && korf("101").is_err());
    }
}
