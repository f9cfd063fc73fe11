//! Instance sets: puzzles by name, from a file, or drawn from a seed.
//!
//! The text of a set is the same for every command: `korf100`, `random 4x4 n=200 seed=1`, or
//! `file boards.txt`.

mod boards;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use taquin::{
    Board, Cost, DepthError, NamedGoal, Puzzle, Random, Session, Size, excerpt, free_memory,
    read_board, scramble,
};

pub use boards::{BoardsError, read_boards};

/// The 8-puzzles that courses use, by the length of their shortest solutions.
pub const EIGHT: [(&str, &str); 8] = [
    ("depth 0", "123456780"),
    ("depth 2", "123456078"),
    ("depth 4", "123506478"),
    ("depth 8", "136502478"),
    ("depth 12", "136507482"),
    ("depth 16", "167503482"),
    ("depth 20", "712485630"),
    ("depth 24", "072461358"),
];

/// A puzzle with its name.
#[derive(Clone, PartialEq, Debug)]
pub struct Instance {
    /// What it is called.
    pub label: String,
    /// The set that it belongs to, as the plan names it.
    pub source: String,
    /// The start and the goal.
    pub puzzle: Puzzle,
    /// What the cheapest solution costs at one a move, where that is known beforehand.
    pub known: Option<Cost>,
}

/// Why a text names no instance set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct InstanceError {
    /// The number of characters of the text before the error.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
}

/// What instances are made for.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    /// The goal, if one is given.
    goal: Option<&'a str>,
    /// The folder that paths of files are relative to.
    folder: &'a Path,
}

const KINDS: &str = "courses, korf100, 'random 4x4 n=200 seed=1', 'depth 3x3 0..31 n=20 seed=1', 'file boards.txt', or 'board 1 2 3/4 5 6/7 8 0'";

const KORF: &str = include_str!("../data/korf100.txt");

/// The most instances of a set: more would not fit into the days of an experiment.
const MOST: u64 = 1_000_000;

/// The most cells that the boards of a set have together, so that they fit into memory.
const CELLS: u64 = 50_000_000;

/// The largest file of boards that is read.
const LARGEST: u64 = 64 << 20;

/// Returns the instances of the set that `text` describes, for `goal` if one is given. Paths of files
/// are relative to `folder`.
///
/// # Errors
/// Fails if there is no such set, if its options are wrong, or if its boards do not fit the goal.
pub fn read(text: &str, goal: Option<&str>, folder: &Path) -> Result<Vec<Instance>, InstanceError> {
    let wanted = Wanted { goal, folder };
    let mut words = Words::new(text);
    let kind = words.next();
    match kind.text {
        "courses" => courses(&mut words, wanted),
        "korf100" => korf(&mut words, wanted),
        "random" => random(&mut words, wanted),
        "depth" => depth(&mut words, wanted),
        "file" => file(&words, wanted),
        "board" => {
            let start = read_board(words.rest(), None).map_err(|error| {
                let hint = error.hint().map(|hint| hint.to_string());
                words.here(error.to_string(), hint)
            })?;
            let known = Known { label: start.to_string(), set: text, cost: None };
            Ok(vec![known.instance(start, wanted, &words)?])
        }
        _ => Err(kind
            .wrong(format!("no set is called '{}'", excerpt(kind.text)), format!("write {KINDS}"))),
    }
}

/// What is known of an instance before its goal is.
struct Known<'a> {
    label: String,
    set: &'a str,
    cost: Option<Cost>,
}

impl Known<'_> {
    fn instance(
        self,
        start: Board,
        wanted: Wanted<'_>,
        words: &Words<'_>,
    ) -> Result<Instance, InstanceError> {
        let goal = goal_of(wanted, start.size(), start.blanks().count(), words)?;
        let puzzle = Puzzle::new(start, goal).map_err(|error| {
            words.here(format!("{} does not fit its goal: {error}", self.label), None)
        })?;
        Ok(Instance { label: self.label, source: self.set.to_owned(), puzzle, known: self.cost })
    }
}

/// The goal that is asked for, for boards of a size.
fn goal_of(
    wanted: Wanted<'_>,
    size: Size,
    blanks: usize,
    words: &Words<'_>,
) -> Result<Board, InstanceError> {
    let text = wanted.goal.unwrap_or("last");
    if let Ok(named) = text.parse::<NamedGoal>() {
        return Ok(named.board(size, blanks));
    }
    read_board(text, Some(size)).map_err(|error| {
        words.here(
            format!("the goal '{}' is none for boards of {size}: {error}", excerpt(text)),
            error.hint().map(|hint| hint.to_string()),
        )
    })
}

/// Whether boards that have a goal of their own may be used.
fn own_goal(own: NamedGoal, wanted: Wanted<'_>, words: &Words<'_>) -> Result<(), InstanceError> {
    match wanted.goal {
        Some(goal) if goal != own.name() => Err(words.here(
            format!(
                "the boards of '{}' are for the goal '{}', not '{goal}'",
                words.text,
                own.name()
            ),
            Some("leave the goal away, or name other boards".to_owned()),
        )),
        _ => Ok(()),
    }
}

fn courses(words: &mut Words<'_>, wanted: Wanted<'_>) -> Result<Vec<Instance>, InstanceError> {
    words.end()?;
    own_goal(NamedGoal::Last, wanted, words)?;
    let instance = |(label, board): (&str, &str)| {
        let start: Board = board.parse().expect("the courses' boards are tested");
        let cost = label.trim_start_matches("depth ").parse().ok();
        Known { label: label.to_owned(), set: "courses", cost }.instance(start, wanted, words)
    };
    EIGHT.into_iter().map(instance).collect()
}

fn korf(words: &mut Words<'_>, wanted: Wanted<'_>) -> Result<Vec<Instance>, InstanceError> {
    words.end()?;
    own_goal(NamedGoal::First, wanted, words)?;
    let wanted = Wanted { goal: Some(NamedGoal::First.name()), ..wanted };
    let lines = KORF.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let instance = |line: &str| {
        let (facts, tiles) = line.split_once('|').expect("the table of Korf's boards is tested");
        let facts: Vec<&str> = facts.split_whitespace().collect();
        let start = read_board(tiles, None).expect("the table of Korf's boards is tested");
        let known = Known {
            label: format!("Korf {}", facts[0]),
            set: "korf100",
            cost: facts.get(2).and_then(|cost| cost.parse().ok()),
        };
        known.instance(start, wanted, words)
    };
    lines.map(instance).collect()
}

fn random(words: &mut Words<'_>, wanted: Wanted<'_>) -> Result<Vec<Instance>, InstanceError> {
    let size = words.size()?;
    let most = CELLS / size.cells() as u64;
    let [n, seed, blanks] = words.options([
        ("n", 1, most.min(MOST)),
        ("seed", 1, u64::MAX),
        ("blanks", 1, size.cells() as u64),
    ])?;
    let goal = goal_of(wanted, size, blanks as usize, words)?;
    let mut random = Random::new(seed);
    let instance = |number: u64| {
        let known = Known {
            label: format!("random {size} seed {seed}, {number}"),
            set: words.text,
            cost: None,
        };
        known.instance(scramble::uniform(&goal, &mut random), wanted, words)
    };
    (1..=n).map(instance).collect()
}

fn depth(words: &mut Words<'_>, wanted: Wanted<'_>) -> Result<Vec<Instance>, InstanceError> {
    let size = words.size()?;
    let word = words.next();
    let range = word.text.split_once("..").unwrap_or((word.text, word.text));
    let (Ok(low), Ok(high)) = (range.0.parse::<u64>(), range.1.parse::<u64>()) else {
        return Err(word.wrong(
            format!("'{}' is no range of depths", excerpt(word.text)),
            "write 0..31, or 20".to_owned(),
        ));
    };
    if low > high {
        return Err(
            word.wrong(format!("the range {low}..{high} is empty"), format!("write {high}..{low}"))
        );
    }
    let [n, seed] = words.options([("n", 1, MOST), ("seed", 1, u64::MAX)])?;
    let goal = goal_of(wanted, size, 1, words)?;
    let memory = free_memory().map(|bytes| bytes / 2);
    let session = Session::new();
    let mut found = Vec::new();
    for depth in low..=high {
        // Each depth has its own stream, so that its boards do not depend on the range.
        let mut random = Random::new(seed.wrapping_add(depth << 32));
        let boards = session
            .at_depth(&goal, depth, n as usize, &mut random, memory, &Arc::default())
            .map_err(|error| match error {
                DepthError::None { deepest } => word.wrong(
                    format!("no board of {size} is {depth} moves from the goal"),
                    format!("the farthest are {deepest} moves away"),
                ),
                error => word.wrong(
                    format!("depth {depth} of {size}: {error}"),
                    "choose smaller depths".to_owned(),
                ),
            })?;
        for (number, start) in (1..).zip(boards) {
            let known = Known {
                label: format!("depth {depth}, {number} ({size}, seed {seed})"),
                set: words.text,
                cost: Some(depth as Cost),
            };
            found.push(known.instance(start, wanted, words)?);
        }
    }
    Ok(found)
}

fn file(words: &Words<'_>, wanted: Wanted<'_>) -> Result<Vec<Instance>, InstanceError> {
    let rest = words.rest();
    let (name, size) = match rest.rsplit_once(" size=") {
        Some((name, size)) => {
            let size = size
                .trim()
                .parse()
                .map_err(|error| words.here(format!("size={size}: {error}"), None))?;
            (name.trim(), Some(size))
        }
        None => (rest, None),
    };
    let unreadable = |error: String| {
        words.here(format!("{name}: {error}"), Some("paths begin at the plan's folder".to_owned()))
    };
    let path = wanted.folder.join(name);
    let about = fs::metadata(&path).map_err(|error| unreadable(error.to_string()))?;
    if about.len() > LARGEST {
        return Err(unreadable(format!("{} bytes are too many", about.len())));
    }
    let bytes = fs::read(&path).map_err(|error| unreadable(error.to_string()))?;
    let boards = read_boards(&String::from_utf8_lossy(&bytes), size).map_err(|error| {
        let place = error
            .place()
            .map_or_else(String::new, |place| format!("{}:{}:", place.line, place.column));
        words.here(format!("{name}:{place} {error}"), error.hint())
    })?;
    if boards.is_empty() {
        return Err(words.here(
            format!("{name}: there are no boards in it"),
            Some("write one board a line".to_owned()),
        ));
    }
    let instance = |(number, start): (usize, Board)| {
        let known = Known { label: format!("{name}, {number}"), set: words.text, cost: None };
        known.instance(start, wanted, words)
    };
    (1..).zip(boards).map(instance).collect()
}

/// The words of a description, one after the other.
struct Words<'a> {
    text: &'a str,
    /// Where the next word begins, in bytes.
    at: usize,
}

/// A word, and how many characters stand before it.
struct Word<'a> {
    text: &'a str,
    before: usize,
}

impl Word<'_> {
    fn wrong(&self, message: String, hint: String) -> InstanceError {
        InstanceError { column: self.before, message, hint: Some(hint) }
    }
}

impl<'a> Words<'a> {
    const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn next(&mut self) -> Word<'a> {
        let rest = &self.text[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        let length = self.text[start..].find(char::is_whitespace);
        self.at = length.map_or(self.text.len(), |length| start + length);
        Word { text: &self.text[start..self.at], before: self.text[..start].chars().count() }
    }

    fn rest(&self) -> &'a str {
        self.text[self.at..].trim()
    }

    /// Something wrong with the next word, or with all.
    fn here(&self, message: String, hint: Option<String>) -> InstanceError {
        let rest = &self.text[self.at..];
        let start = match rest.trim().is_empty() {
            true => 0,
            false => self.at + (rest.len() - rest.trim_start().len()),
        };
        InstanceError { column: self.text[..start].chars().count(), message, hint }
    }

    fn size(&mut self) -> Result<Size, InstanceError> {
        let word = self.next();
        word.text.parse().map_err(|error| {
            word.wrong(
                format!("'{}' is no size: {error}", excerpt(word.text)),
                "write 4x4".to_owned(),
            )
        })
    }

    /// Options such as `n=20`, each with its name, what it is if it is not given, and the most that
    /// it can be.
    fn options<const N: usize>(
        &mut self,
        known: [(&str, u64, u64); N],
    ) -> Result<[u64; N], InstanceError> {
        let mut values = known.map(|(_, value, _)| value);
        loop {
            let word = self.next();
            if word.text.is_empty() {
                return Ok(values);
            }
            let (name, value) = word.text.split_once('=').unwrap_or((word.text, ""));
            let Some(at) = known.iter().position(|(known, ..)| *known == name) else {
                let names = known.map(|(name, ..)| format!("{name}=.."));
                return Err(word.wrong(
                    format!("unknown option '{}'", excerpt(word.text)),
                    format!("there are {}", names.join(", ")),
                ));
            };
            let least = u64::from(name != "seed");
            let most = known[at].2;
            values[at] =
                value.parse().ok().filter(|value| (least..=most).contains(value)).ok_or_else(
                    || {
                        word.wrong(
                            format!("{name} can't be '{value}'"),
                            format!("write a number from {least} to {most}"),
                        )
                    },
                )?;
        }
    }

    fn end(&mut self) -> Result<(), InstanceError> {
        let word = self.next();
        match word.text {
            "" => Ok(()),
            text => Err(word.wrong(
                format!("'{}' is too much", excerpt(text)),
                "this set has no options".to_owned(),
            )),
        }
    }
}
