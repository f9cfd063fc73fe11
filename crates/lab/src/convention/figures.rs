//! What a course prints, from what a search counts.

use serde::ser::{Serialize, SerializeMap, Serializer};
use taquin::{Board, Counts, Ending, GoalTest, Move, Notation, Report};

use super::Convention;

/// Something that a course prints.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Figure {
    /// Its name in templates and in JSON.
    pub key: &'static str,
    /// What stands there.
    pub what: What,
}

/// How a figure follows from a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is described by `about`")]
pub enum What {
    Expanded,
    Taken,
    Popped,
    Generated,
    Visited,
    Queue,
    Stored,
    DepthPeak,
    Depth,
    Cost,
    Seconds,
    Megabytes,
    Directions,
    Steps,
    Moves,
    Boards,
}

/// The value of a figure.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    /// There is none: the search did not get there.
    None,
    /// A count.
    Number(u64),
    /// A measurement.
    Real(f64),
    /// Moves in a line.
    Text(String),
    /// `Up`, `Left`, ..
    Directions(Vec<&'static str>),
    /// A sentence for each move.
    Steps(Vec<String>),
    /// The boards on the way, each row by row.
    Boards(#[serde(serialize_with = "as_tiles")] Vec<Board>),
}

/// What a course prints about a run, in its order.
#[derive(Clone, PartialEq, Debug)]
pub struct Figures(pub Vec<(&'static str, Value)>);

impl What {
    /// What it is, in taquin's words.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Expanded => "nodes expanded; the goal is left out",
            Self::Taken => "nodes taken out of the frontier and expanded, the goal included",
            Self::Popped => "expanded + duplicates dropped when taken out + 1 for the goal",
            Self::Generated => "nodes generated, duplicates and the root included",
            Self::Visited => "different states generated, the root included",
            Self::Queue => "largest frontier, read after each expansion; 0 if there is none",
            Self::Stored => "most nodes in memory at once",
            Self::DepthPeak => "greatest depth of a node put on the frontier",
            Self::Depth => "moves of the solution",
            Self::Cost => "cost of the solution",
            Self::Seconds => "seconds taken",
            Self::Megabytes => "memory of the search's tables in MB, not of the whole process",
            Self::Directions => "where the blank goes, move by move",
            Self::Steps => "the tiles as they move",
            Self::Moves => "the moves, named after the blank",
            Self::Boards => "the boards from start to goal",
        }
    }

    fn value(self, report: &Report) -> Value {
        let Counts { expanded, generated, duplicates, .. } = report.counts;
        // A goal that is recognised when it is taken out was taken out.
        let at_expansion = report.method.policy.goal == GoalTest::Expansion;
        let goal = u64::from(report.outcome == Ending::Solved && at_expansion);
        let number = |number: Option<u64>| number.map_or(Value::None, Value::Number);
        match self {
            Self::Expanded => Value::Number(expanded),
            Self::Taken => Value::Number(expanded + goal),
            Self::Popped => Value::Number(expanded + duplicates + goal),
            Self::Generated => Value::Number(generated + 1),
            Self::Visited => Value::Number(generated - duplicates + 1),
            Self::Queue => Value::Number(report.counts.frontier_peak),
            Self::Stored => Value::Number(report.counts.stored_peak),
            Self::DepthPeak => Value::Number(report.counts.depth_peak),
            Self::Depth => number(report.depth),
            Self::Cost => number(report.cost.map(u64::from)),
            Self::Seconds => Value::Real(report.seconds),
            Self::Megabytes => Value::Real(report.counts.memory_peak as f64 / 1e6),
            Self::Directions | Self::Steps | Self::Moves | Self::Boards => self.path(report),
        }
    }

    fn path(self, report: &Report) -> Value {
        let Some(moves) = &report.moves else { return Value::None };
        match self {
            Self::Directions => {
                Value::Directions(moves.iter().map(|slide| direction(slide.step)).collect())
            }
            Self::Moves => Value::Text(report.write_moves(Notation::Blank).unwrap_or_default()),
            _ => {
                let mut board = report.puzzle.start().clone();
                let mut boards = vec![board.clone()];
                let mut steps = Vec::new();
                for &slide in moves {
                    let Ok(tile) = board.slide(slide) else { break };
                    boards.push(board.clone());
                    steps.push(format!("Move {tile} {}", direction(slide.step.opposite())));
                }
                match self {
                    Self::Steps => Value::Steps(steps),
                    _ => Value::Boards(boards),
                }
            }
        }
    }
}

/// A direction as a word.
pub(crate) const fn direction(step: Move) -> &'static str {
    match step {
        Move::Up => "Up",
        Move::Left => "Left",
        Move::Right => "Right",
        Move::Down => "Down",
    }
}

impl Convention {
    /// What the course prints about a run.
    pub fn figures(&self, report: &Report) -> Figures {
        Figures(self.figures.iter().map(|figure| (figure.key, figure.what.value(report))).collect())
    }
}

impl Figures {
    /// The value of a figure.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl Serialize for What {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.about())
    }
}

fn as_tiles<S: Serializer>(boards: &[Board], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(boards.iter().map(Board::tiles))
}
