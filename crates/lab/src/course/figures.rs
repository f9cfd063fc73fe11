//! The figures that a course prints, from the counts of a search.

use serde::ser::{Serialize, Serializer};
use taquin::{Board, Counts, Ending, GoalTest, Move, Notation, Report};

use super::Course;

/// A figure that a course prints.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Figure {
    /// The course's name for it, in templates and in JSON.
    pub key: String,
    /// The kind of figure.
    pub what: FigureKind,
}

/// A kind of figure, and how it is computed from a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is described by `about`")]
pub enum FigureKind {
    Expanded,
    Taken,
    Popped,
    Generated,
    GeneratedWithoutRoot,
    Visited,
    Queue,
    Stored,
    DepthPeak,
    Depth,
    Cost,
    Seconds,
    Milliseconds,
    Megabytes,
    Directions,
    Steps,
    Moves,
    Boards,
    States,
}

/// The value of a figure.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    /// There is none, because the search found no solution.
    None,
    /// A count.
    Number(u64),
    /// A measurement.
    Real(f64),
    /// A measurement with three decimal places.
    Thousandths(f64),
    /// Moves on one line.
    Text(String),
    /// `Up`, `Left`, ..
    Directions(Vec<&'static str>),
    /// A sentence for each move.
    Steps(Vec<String>),
    /// The boards from start to goal.
    Boards(#[serde(serialize_with = "as_tiles")] Vec<Board>),
}

/// The figures of a run, in the course's order.
#[derive(Clone, PartialEq, Debug)]
pub struct Figures(pub Vec<(String, Value)>);

impl FigureKind {
    /// All of them, each with its name in a course's file and a description, in enum order.
    pub const ALL: [(Self, &str, &str); 19] = [
        (Self::Expanded, "expanded", "nodes expanded, the goal excluded"),
        (Self::Taken, "taken", "nodes removed from the frontier and expanded, the goal included"),
        (Self::Popped, "popped", "expanded + duplicates dropped on removal + 1 for the goal"),
        (Self::Generated, "generated", "nodes generated, including duplicates and the root"),
        (
            Self::GeneratedWithoutRoot,
            "generated-without-root",
            "nodes generated, including duplicates, the root excluded",
        ),
        (Self::Visited, "visited", "distinct states generated, the root included"),
        (Self::Queue, "queue", "largest frontier, read after each expansion; 0 if there is none"),
        (Self::Stored, "stored", "most nodes in memory at once"),
        (Self::DepthPeak, "depth-peak", "greatest depth of a node put on the frontier"),
        (Self::Depth, "depth", "moves of the solution"),
        (Self::Cost, "cost", "cost of the solution"),
        (Self::Seconds, "seconds", "seconds taken"),
        (Self::Milliseconds, "milliseconds", "milliseconds taken, with three decimal places"),
        (Self::Megabytes, "megabytes", "memory of the search's tables in MB, not of the process"),
        (Self::Directions, "directions", "the directions in which the blank moves"),
        (Self::Steps, "steps", "the tiles that move, each with its direction"),
        (Self::Moves, "moves", "the moves of the blank as letters"),
        (Self::Boards, "boards", "the boards from start to goal"),
        (Self::States, "states", "boards from start to goal, both included"),
    ];

    /// Whether its value is a whole number.
    pub(crate) const fn is_count(self) -> bool {
        !matches!(
            self,
            Self::Seconds
                | Self::Milliseconds
                | Self::Megabytes
                | Self::Directions
                | Self::Steps
                | Self::Moves
                | Self::Boards
                | Self::States
        )
    }

    /// The figure that a course's file asks for by this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|figure| figure.1 == name).map(|figure| figure.0)
    }

    /// The name by which a course's file asks for it.
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// A description in one line.
    pub const fn about(self) -> &'static str {
        Self::ALL[self as usize].2
    }

    /// Whether it is a number, and not a path.
    pub const fn is_number(self) -> bool {
        !matches!(self, Self::Directions | Self::Steps | Self::Moves | Self::Boards)
    }

    /// Whether it can be compared: times, memory and boards cannot.
    pub fn is_reproducible(self) -> bool {
        !matches!(self, Self::Seconds | Self::Milliseconds | Self::Megabytes | Self::Boards)
    }

    /// The figure of a report.
    pub fn value(self, report: &Report) -> Value {
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
            Self::GeneratedWithoutRoot => Value::Number(generated),
            Self::Visited => Value::Number(generated - duplicates + 1),
            Self::Queue => Value::Number(report.counts.frontier_peak),
            Self::Stored => Value::Number(report.counts.stored_peak),
            Self::DepthPeak => Value::Number(report.counts.depth_peak),
            Self::Depth => number(report.depth),
            Self::States => number(report.depth.map(|depth| depth + 1)),
            Self::Cost => number(report.cost.map(u64::from)),
            Self::Seconds => Value::Real(report.seconds),
            Self::Milliseconds => Value::Thousandths(report.seconds * 1e3),
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

impl Course {
    /// Returns the figures that the course prints about a run.
    pub fn figures(&self, report: &Report) -> Figures {
        let value = |figure: &Figure| (figure.key.clone(), figure.what.value(report));
        Figures(self.figures.iter().map(value).collect())
    }
}

impl Figures {
    /// The value of a figure.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl Serialize for FigureKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.about())
    }
}

fn as_tiles<S: Serializer>(boards: &[Board], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(boards.iter().map(Board::tiles))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_listed_in_the_order_of_the_enum() {
        assert!(FigureKind::ALL.iter().enumerate().all(|(at, row)| row.0 as usize == at));
    }
}
