//! Every arrangement of the 3x3 board, by breadth-first search.

use anyhow::{Result, ensure};
use taquin::{Ending, NamedGoal, Puzzle, Session, Size, Task, Watch};

use super::process::{instructions, measure_beside};
use super::rival::Rival;
use super::{Found, Options, Row, Work};

pub(super) const WORKS: &[(&str, Work)] = &[(OURS, ours), (THEIRS, theirs)];

const OURS: &str = "whole-space-taquin";
const THEIRS: &str = "whole-space-pathfinding";

/// Half of the 9! arrangements.
const STATES: u64 = 181_440;

pub(super) fn rows(options: &Options) -> Result<Vec<Row>> {
    if options.instructions {
        let [ours, theirs] = [instructions(OURS, "3x3")?, instructions(THEIRS, "3x3")?];
        return Ok(vec![Row {
            name: "3x3, instructions, pathfinding = 1".to_owned(),
            value: ours / theirs,
            unit: "",
            must: 1.0,
            aim: 0.5,
            note: format!("taquin: {:.0} million, {:.0} a state", ours / 1e6, ours / STATES as f64),
        }]);
    }
    let [ours, theirs] = measure_beside([OURS, THEIRS], "3x3", 10)?;
    Ok(vec![Row {
        name: "3x3, best of ten".to_owned(),
        value: ours.seconds * 1e3,
        unit: "ms",
        must: 20.0,
        aim: 10.0,
        note: format!("{}\n    {}", ours.describe("taquin"), theirs.describe("pathfinding")),
    }])
}

/// A search for a goal that can't be reached sees everything that can.
fn ours(size: &str) -> Result<Found> {
    let mut task = Task::new(unreachable(size)?, "bfs".parse()?);
    task.search_anyway = true;
    let report = Session::without_folder().run(&task, Watch::default());
    ensure!(report.outcome == Ending::Exhausted, "the search ended early");
    let (generated, stored) = (report.counts.generated, report.counts.stored_peak);
    ensure!(stored == STATES, "{stored} states");
    Ok(Found { value: stored, generated, stored })
}

fn theirs(size: &str) -> Result<Found> {
    let found = Rival::new(&unreachable(size)?).reach();
    ensure!(found.value == STATES, "{} states", found.value);
    Ok(found)
}

fn unreachable(size: &str) -> Result<Puzzle> {
    let goal = NamedGoal::Last.board(size.parse::<Size>()?, 1);
    Ok(Puzzle::new(goal.swapped(0, 1), goal)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_see_every_state() {
        assert_eq!(ours("3x3").unwrap().value, theirs("3x3").unwrap().value);
    }
}
