//! Grades what students hand in against a rubric.
//!
//! A [`Rubric`] has boards and points. A [`Key`] has their answers, which are computed once. A
//! [`Grader`] compares them with a student program's output: moves by replay, lengths with the
//! optimum, counts with the course's counts. If a count differs, [`matching`](fn@crate::matching)
//! finds the policy that the student implemented, and the report describes it.
//!
//! Marks are whole hundredths of a point, so that sums are exact on every machine.

mod answer;
mod key;
mod policy;
mod rubric;

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use taquin::{Monitor, Session};

use crate::amounts::{count, thousands};
use crate::solution::{NotatedSolution, SolutionError, read_solution};

pub use answer::{Answer, answers};
pub use key::{BoardKey, Key, KeyError};
pub(crate) use rubric::toml_string;
pub use rubric::{Program, Rubric, RubricBoard, RubricError, rubric_toml};

use answer::{figure, says_unsolvable};
use policy::Explained;

taquin_search::named_enum! {
    /// A criterion that a rubric gives points for.
    pub enum Criterion: "criterion" {
        /// Legal moves that reach the goal.
        Solution = "solution",
        /// No solution is cheaper.
        Optimal = "optimal",
        /// The program recognises a board that cannot be solved.
        Unsolvable = "unsolvable",
        /// The printed length of the solution.
        Length = "length",
        /// The printed number of expanded nodes.
        Expanded = "expanded",
        /// The printed number of generated nodes.
        Generated = "generated",
        /// The printed size of the largest queue.
        Queue = "queue",
    }
}

impl Criterion {
    /// The printed figures.
    pub const FIGURES: [Self; 4] = [Self::Length, Self::Expanded, Self::Generated, Self::Queue];

    /// The figure in words.
    const fn words(self) -> &'static str {
        match self {
            Self::Solution => "solution",
            Self::Optimal => "shortest solution",
            Self::Unsolvable => "unsolvable board",
            Self::Length => "length of the solution",
            Self::Expanded => "number of expanded nodes",
            Self::Generated => "number of generated nodes",
            Self::Queue => "size of the largest queue",
        }
    }
}

/// Marks: hundredths of a point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Marks(pub u64);

impl Marks {
    /// Whole points.
    pub const fn points(points: u32) -> Self {
        Self(points as u64 * 100)
    }

    /// This share of some points, in percent.
    const fn share(points: u32, percent: u32) -> Self {
        Self(points as u64 * percent as u64)
    }
}

impl std::iter::Sum for Marks {
    fn sum<I: Iterator<Item = Self>>(marks: I) -> Self {
        Self(marks.map(|marks| marks.0).sum())
    }
}

impl fmt::Display for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:02}", self.0 / 100, self.0 % 100);
        f.pad(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl Serialize for Marks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 % 100 {
            0 => serializer.serialize_u64(self.0 / 100),
            _ => serializer.serialize_f64(self.0 as f64 / 100.0),
        }
    }
}

/// The marks of one student.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StudentMarks {
    /// The name of the submission.
    pub name: String,
    /// The marks of all boards together.
    pub marks: Marks,
    /// The most that there are.
    pub points: Marks,
    /// The marks for each board.
    pub boards: Vec<BoardMarks>,
    /// The reasons for counts that differ from the key, in sentences for the student.
    pub remarks: Vec<String>,
}

/// A student's marks for one board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BoardMarks {
    /// The number of the board in the rubric, from 1.
    pub number: usize,
    /// The board, row by row.
    pub board: String,
    /// The method that the rubric names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The fault of the program, if it had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The marks for each criterion that has points.
    pub checks: Vec<CheckMarks>,
}

/// A student's marks for one criterion.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CheckMarks {
    /// The criterion.
    pub criterion: Criterion,
    /// The marks.
    pub marks: Marks,
    /// The most that there are.
    pub points: Marks,
    /// Why, in a sentence for the student.
    pub comment: String,
}

impl BoardMarks {
    /// The marks for the board.
    pub fn marks(&self) -> Marks {
        self.checks.iter().map(|check| check.marks).sum()
    }

    /// The most that there are.
    pub fn points(&self) -> Marks {
        self.checks.iter().map(|check| check.points).sum()
    }

    /// The title of the board: its number, and the method if there is one.
    pub fn title(&self) -> String {
        match &self.method {
            Some(method) => format!("Board {} ({}), {method}", self.number, self.board),
            None => format!("Board {} ({})", self.number, self.board),
        }
    }
}

/// A rubric, its key, and the session that explains counts.
#[derive(Debug)]
pub struct Grader<'a> {
    /// The rubric.
    pub rubric: &'a Rubric,
    /// The key.
    pub key: &'a Key,
    /// Runs the searches that explain counts.
    pub session: &'a Session,
    /// Cancels them.
    pub monitor: &'a Arc<Monitor>,
    /// The nodes to expand per student to find a policy that explains the counts.
    pub budget: u64,
    /// The most bytes for a search.
    pub memory: Option<u64>,
}

/// The figures read from the output for one board.
struct Reading {
    /// The moves; nothing if the output has none.
    solution: Option<Result<NotatedSolution, SolutionError>>,
    says_unsolvable: bool,
    /// The figures, in the order of [`Criterion::FIGURES`].
    figures: [Option<u64>; 4],
}

impl Reading {
    fn figure(&self, criterion: Criterion) -> Option<u64> {
        let at = Criterion::FIGURES.iter().position(|figure| *figure == criterion)?;
        self.figures[at]
    }
}

impl Grader<'_> {
    /// Grades one student: `answers` are in the order of the boards.
    pub fn grade(&self, name: &str, answers: &[Answer]) -> StudentMarks {
        let boards = || self.rubric.boards.iter().zip(&self.key.boards);
        let read = |(at, (board, key)): (usize, (&RubricBoard, &BoardKey))| match answers.get(at) {
            Some(Answer::Output { text, .. }) => Some(self.read(text, board, key)),
            _ => None,
        };
        let readings: Vec<Option<Reading>> = boards().enumerate().map(read).collect();
        let explained = self.explain(&readings);
        let mark = |(at, (board, key)): (usize, (&RubricBoard, &BoardKey))| {
            let problem = match answers.get(at) {
                Some(Answer::Output { problem, .. }) => problem.clone(),
                Some(Answer::None(problem)) => Some(problem.clone()),
                None => Some("There is no answer for this board.".to_owned()),
            };
            BoardMarks {
                number: at + 1,
                board: board.board.to_string(),
                method: board.method_text.clone(),
                problem: problem.map(|problem| clean(&problem)),
                checks: self.checks(board, key, readings[at].as_ref(), &explained),
            }
        };
        let boards: Vec<BoardMarks> = boards().enumerate().map(mark).collect();
        StudentMarks {
            name: clean(name),
            marks: boards.iter().map(BoardMarks::marks).sum(),
            points: boards.iter().map(BoardMarks::points).sum(),
            boards,
            remarks: explained.into_iter().map(|found| found.remark).collect(),
        }
    }

    fn read(&self, text: &str, board: &RubricBoard, key: &BoardKey) -> Reading {
        let wants = |criterion| board.points(criterion, key) > 0;
        let wants_moves = wants(Criterion::Solution) || wants(Criterion::Optimal);
        let solution = wants_moves.then(|| read_solution(tail(text), &key.puzzle, None));
        Reading {
            // A text without moves is not a list of moves, unless none are needed.
            solution: solution.filter(|read| match read {
                Ok(solution) => {
                    let is_solved = key.puzzle.start() == key.puzzle.goal();
                    !solution.slides.is_empty() || (is_solved && !text.trim().is_empty())
                }
                Err(error) => error.is_illegal(),
            }),
            says_unsolvable: says_unsolvable(text, &self.rubric.course().wording.failed),
            figures: Criterion::FIGURES.map(|what| figure(tail(text), self.rubric.patterns(what))),
        }
    }

    /// Checks every criterion that has points.
    fn checks(
        &self,
        board: &RubricBoard,
        key: &BoardKey,
        reading: Option<&Reading>,
        explained: &[Explained],
    ) -> Vec<CheckMarks> {
        let check = |criterion: Criterion| {
            let points = board.points(criterion, key);
            let (percent, comment) = match reading {
                None => (0, "There is no output to check.".to_owned()),
                Some(reading) => match criterion {
                    Criterion::Solution => self.solution(key, reading),
                    Criterion::Optimal => self.optimal(key, reading),
                    Criterion::Unsolvable => unsolvable(reading),
                    _ => self.figure(criterion, board, key, reading, explained),
                },
            };
            (points > 0).then(|| CheckMarks {
                criterion,
                marks: Marks::share(points, percent),
                points: Marks::points(points),
                comment: clean(&comment),
            })
        };
        Criterion::ALL.into_iter().filter_map(check).collect()
    }

    fn solution(&self, key: &BoardKey, reading: &Reading) -> (u32, String) {
        let solution = match &reading.solution {
            Some(Ok(solution)) => solution,
            Some(Err(error)) => {
                return (0, format!("The board does not allow your moves: {error}."));
            }
            None if reading.says_unsolvable => {
                return (
                    0,
                    "Your program says that there is no solution, but there is.".to_owned(),
                );
            }
            None => return (0, "Your output has no moves.".to_owned()),
        };
        let (end, _) = key.replay(&solution.slides);
        let moves = count(solution.slides.len() as u64, "move", "moves");
        match end == *key.puzzle.goal() {
            true => (100, format!("Your {moves} ({}) lead to the goal.", solution.form)),
            false => (
                self.rubric.partial.legal,
                format!("After your {moves} ({}) the board is {end}, not the goal.", solution.form),
            ),
        }
    }

    fn optimal(&self, key: &BoardKey, reading: &Reading) -> (u32, String) {
        let solution = match &reading.solution {
            Some(Ok(solution)) => Some(key.replay(&solution.slides)),
            _ => None,
        };
        let Some((_, cost)) = solution.filter(|(end, _)| end == key.puzzle.goal()) else {
            return (0, "Without a solution there is nothing to compare.".to_owned());
        };
        let optimum = key.optimum.unwrap_or(cost);
        let is_length = *key.cost() == taquin::Costs::Unit;
        match (cost <= optimum, is_length) {
            (true, true) => (100, "No solution is shorter.".to_owned()),
            (true, false) => (100, "No solution is cheaper.".to_owned()),
            (false, true) => (
                self.rubric.partial.longer,
                format!("The shortest solution has {}, yours {cost}.", moves_of(optimum)),
            ),
            (false, false) => (
                self.rubric.partial.longer,
                format!("The cheapest solution costs {optimum}, yours {cost}."),
            ),
        }
    }

    fn figure(
        &self,
        criterion: Criterion,
        board: &RubricBoard,
        key: &BoardKey,
        reading: &Reading,
        explained: &[Explained],
    ) -> (u32, String) {
        let words = criterion.words();
        let Some(right) = key.figure(criterion) else { return (0, String::new()) };
        let Some(found) = reading.figure(criterion) else {
            return (0, format!("Your output does not have the {words}."));
        };
        if found == right {
            return (100, format!("The {words} is right: {}.", thousands(right)));
        }
        let wrong = format!(
            "You report {} as the {words}; it should be {}.",
            thousands(found),
            thousands(right)
        );
        let partial = &self.rubric.partial;
        let is_explained = explained
            .iter()
            .any(|explained| explained.is_found && explained.method == board.method);
        let is_near =
            found.abs_diff(right) as u128 * 100 <= u128::from(right) * partial.within as u128;
        let near = if is_near { partial.near } else { 0 };
        match is_explained && criterion != Criterion::Length && partial.explained >= near {
            true if partial.explained > 0 => {
                (partial.explained, format!("{wrong} A policy explains it: see below."))
            }
            _ if near > 0 => (near, format!("{wrong} That is within {} %.", partial.within)),
            _ => (0, wrong),
        }
    }
}

fn unsolvable(reading: &Reading) -> (u32, String) {
    match reading.says_unsolvable {
        true => (100, "Your program is right: there is no solution.".to_owned()),
        false => (0, "This board can't be solved, and your program does not say so.".to_owned()),
    }
}

/// Returns the end of a long output, in which the solution and the figures are: a trace comes
/// before them.
fn tail(text: &str) -> &str {
    const MAX_BYTES: usize = 256 << 10;
    let from = text.len().saturating_sub(MAX_BYTES);
    let line = text.as_bytes()[from..].iter().position(|byte| *byte == b'\n');
    match line {
        Some(line) if from > 0 => &text[from + line + 1..],
        None if from > 0 => "",
        _ => text,
    }
}

fn moves_of(number: u64) -> String {
    count(number, "move", "moves")
}

/// Returns a text that no report can be broken with: without control characters and not too long.
fn clean(text: &str) -> String {
    const MAX_CHARS: usize = 600;
    let mut shown = String::new();
    for letter in text.chars().take(MAX_CHARS) {
        match letter {
            '\n' | '\t' => shown.push(' '),
            // Direction marks would let a text run backwards over the text after it.
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            _ if letter.is_control() => shown.extend(letter.escape_default()),
            _ => shown.push(letter),
        }
    }
    if text.chars().nth(MAX_CHARS).is_some() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_written_without_useless_digits() {
        let marks = [0, 5, 50, 100, 150, 1_234].map(|marks| Marks(marks).to_string());
        assert_eq!(marks, ["0", "0.05", "0.5", "1", "1.5", "12.34"]);
    }

    #[test]
    fn texts_of_students_have_no_control_characters() {
        assert_eq!(clean("a\u{1b}[2J\r\nb\0\u{202e}c"), "a\\u{1b}[2J\\r b\\u{0}c");
        assert_eq!(clean(&"x".repeat(10_000)).len(), 603);
    }

    #[test]
    fn the_solution_is_sought_at_the_end_of_a_long_output() {
        assert_eq!(tail("DR"), "DR");
        assert_eq!(tail(&("é\n".repeat(200_000) + "DR")).len(), (256 << 10) / 3 * 3 - 1);
        assert_eq!(tail(&"x".repeat(300_000)), "");
    }
}
