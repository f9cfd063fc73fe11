//! Instance sets: puzzles by name, from a file, or drawn from a seed.
//!
//! The text of a set is the same for every front end: `korf100`, `random 4x4 n=200 seed=1`, or
//! `file boards.txt`. [`SETS`] lists them.

mod board_texts;
mod boards;
mod words;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use taquin::{
    Board, Cost, DepthError, NamedGoal, Puzzle, Random, Session, Size, excerpt, free_memory,
    read_board, scramble,
};

pub use board_texts::{BoardText, BoardTexts};
pub use boards::{BoardsError, read_boards};
use words::Words;

use crate::generate::Draw;

/// A puzzle of a set.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Instance {
    /// The name of the puzzle.
    pub label: String,
    /// The text of the set that it belongs to.
    #[serde(rename = "set")]
    pub source: String,
    /// The start and the goal.
    pub puzzle: Puzzle,
    /// The length of the shortest solution, if it is known in advance.
    pub known: Option<Cost>,
}

/// A kind of instance set, for help texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct InstanceSet {
    /// The set's text; for sets with options, an example.
    pub usage: &'static str,
    /// Its contents.
    pub about: &'static str,
}

/// Every kind of instance set.
pub const SETS: [InstanceSet; 15] = {
    const fn set(usage: &'static str, about: &'static str) -> InstanceSet {
        InstanceSet { usage, about }
    }
    [
        set("courses", "the eight 8-puzzles that courses use"),
        set("korf100", "Korf's 100 15-puzzles (1985)"),
        set("korf24", "Korf and Felner's 50 24-puzzles (2002)"),
        set("yama24", "25 24-puzzles, short solutions (Yamamura 2018)"),
        set("random24", "193 random 24-puzzles with lengths (Clausecker)"),
        set("unsolved24", "14 random 24-puzzles, unsolved in 2017"),
        set("hard15", "15-puzzles that need 80 moves, the most possible"),
        set("ufrgs100", "100 8-puzzles of a course's results (UFRGS)"),
        set("deepcubea35", "100 35-puzzles of DeepCubeA's tests (2019)"),
        set("deepcubea48", "100 48-puzzles of DeepCubeA's tests (2019)"),
        set("korf100 1..10", "the first ten of any of these; 3 is the third"),
        set("random 4x4 n=200 seed=1", "drawn uniformly; blanks=2 for several blanks"),
        set("depth 3x3 0..31 n=20 seed=1", "20 boards of each depth"),
        set("file boards.txt", "boards, one per line or between empty lines"),
        set("board 1 2 3/4 0 6/7 5 8", "one board"),
    ]
};

/// Why a text names no instance set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct InstanceError {
    /// The number of characters before the error.
    pub column: usize,
    /// The fault.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
}

/// The 8-puzzles that courses use, by the length of their shortest solutions.
const LADDER: [(&str, &str); 8] = [
    ("depth 0", "123456780"),
    ("depth 2", "123456078"),
    ("depth 4", "123506478"),
    ("depth 8", "136502478"),
    ("depth 12", "136507482"),
    ("depth 16", "167503482"),
    ("depth 20", "712485630"),
    ("depth 24", "072461358"),
];

/// The published tables: the set's name, an instance's name before its number, the goal, and lines
/// of `id distance optimum .. | tiles`. An unknown optimum is `-`, and `| moves` may follow the tiles.
pub(crate) const TABLES: [(&str, &str, NamedGoal, &str); 8] = [
    ("korf100", "Korf", NamedGoal::First, include_str!("../data/korf100.txt")),
    ("korf24", "Korf and Felner", NamedGoal::First, include_str!("../data/korf24_50.txt")),
    ("yama24", "Yamamura", NamedGoal::First, include_str!("../data/yama24_50.txt")),
    ("random24", "Random", NamedGoal::First, include_str!("../data/random24_193.txt")),
    ("unsolved24", "Unsolved", NamedGoal::First, include_str!("../data/unsolved24_14.txt")),
    ("ufrgs100", "UFRGS", NamedGoal::First, include_str!("../data/ufrgs/8puzzle.txt")),
    ("deepcubea35", "DeepCubeA 35", NamedGoal::Last, include_str!("../data/deepcubea_35.txt")),
    ("deepcubea48", "DeepCubeA 48", NamedGoal::Last, include_str!("../data/deepcubea_48.txt")),
];

/// The hardest positions, each for both goals: lines of `POS rows cols distance exact L|F tiles`.
const HARDEST: &str = include_str!("../data/hard15.txt");

/// The largest number of instances in a set.
const MAX_INSTANCES: u64 = 1_000_000;

/// The most cells that a set's boards have together, so that they fit into memory.
const MAX_CELLS: u64 = 50_000_000;

/// The largest file of boards that is read, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// Returns the instances in the set that `text` describes, for `goal` if one is given: a named goal
/// or a board. File paths are relative to `folder`, and `session` has the tables for finding
/// puzzles at a depth.
///
/// # Errors
/// Fails if there is no such set, if its options are wrong, or if its boards do not fit the goal.
pub fn read(
    text: &str,
    goal: Option<&str>,
    folder: &Path,
    session: &Session,
) -> Result<Vec<Instance>, InstanceError> {
    let mut words = Words::new(text);
    let kind = words.next();
    let reader = Reader { words: &mut words, goal };
    let all = match kind.text {
        "courses" => reader.courses()?,
        "hard15" => reader.hardest()?,
        "random" => return reader.random(),
        "depth" => return reader.depth(session),
        "file" => return reader.file(folder),
        "board" => return reader.board(),
        name => match TABLES.into_iter().find(|table| table.0 == name) {
            Some((_, label, goal, text)) => reader.table(label, goal, text)?,
            None => {
                return Err(kind.error(
                    format!("unknown instance set '{}'", excerpt(name)),
                    format!("write {}", SETS.map(|set| format!("'{}'", set.usage)).join(", ")),
                ));
            }
        },
    };
    chosen(&all, &mut words)
}

/// Returns the instances at the places that the next word names, as in `3` or `1..10`, or all if
/// there are no more words.
fn chosen(all: &[Instance], words: &mut Words<'_>) -> Result<Vec<Instance>, InstanceError> {
    let word = words.next();
    if word.text.is_empty() {
        return Ok(all.to_vec());
    }
    let (low, high) = word.range("places", "1..10, or 3")?;
    words.end()?;
    let place = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let places = place(low).checked_sub(1).and_then(|first| all.get(first..place(high)));
    places.map(<[Instance]>::to_vec).ok_or_else(|| {
        let message = format!("the set has the places 1 to {}", all.len());
        word.error(message, format!("write 1..{}", all.len()))
    })
}

/// Returns whether a text begins like a set's text.
pub fn is_set(text: &str) -> bool {
    let name = |text: &'static str| text.split(' ').next();
    let first = text.split_whitespace().next();
    first.is_some() && SETS.iter().any(|set| name(set.usage) == first)
}

/// Returns the figures and the board in each line of a published table, by its set's name.
pub(crate) fn lines(name: &str) -> Option<impl Iterator<Item = (Vec<&'static str>, Board)>> {
    TABLES.into_iter().find(|table| table.0 == name).map(|table| table_lines(table.3))
}

fn table_lines(text: &str) -> impl Iterator<Item = (Vec<&str>, Board)> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut parts = line.split('|');
        let (figures, tiles) = (parts.next()?, parts.next()?);
        Some((figures.split_whitespace().collect(), read_board(tiles, None).ok()?))
    })
}

/// The sets that need only a name, without a file or random numbers.
pub fn named() -> impl Iterator<Item = InstanceSet> {
    SETS.into_iter().filter(|set| !set.usage.contains(' '))
}

/// Reads the rest of a set's text, after its name.
struct Reader<'a, 'b> {
    words: &'b mut Words<'a>,
    goal: Option<&'a str>,
}

impl Reader<'_, '_> {
    fn courses(self) -> Result<Vec<Instance>, InstanceError> {
        self.check_goal(&[NamedGoal::Last])?;
        let instance = |(label, board): (&str, &str)| {
            let start: Board = board.parse().expect("the boards of the courses are valid");
            let known = label.trim_start_matches("depth ").parse().ok();
            self.instance(label.to_owned(), start, NamedGoal::Last, known)
        };
        LADDER.into_iter().map(instance).collect()
    }

    fn table(
        self,
        label: &str,
        goal: NamedGoal,
        text: &str,
    ) -> Result<Vec<Instance>, InstanceError> {
        self.check_goal(&[goal])?;
        let instance = |(facts, start): (Vec<&str>, Board)| {
            let label = format!("{label} {}", facts.first()?);
            let known = facts.get(2)?.parse().ok();
            Some(self.instance(label, start, goal, known))
        };
        table_lines(text).filter_map(instance).collect()
    }

    fn hardest(self) -> Result<Vec<Instance>, InstanceError> {
        self.check_goal(&[NamedGoal::Last, NamedGoal::First])?;
        let (goal, mark) = match self.goal {
            Some("first") => (NamedGoal::First, "exact F "),
            _ => (NamedGoal::Last, "exact L "),
        };
        let boards = HARDEST.lines().filter_map(|line| {
            let (depth, tiles) = line.strip_prefix("POS 4 4 ")?.split_once(mark)?;
            Some((depth.trim().parse().ok()?, read_board(tiles, None).ok()?))
        });
        (1..)
            .zip(boards)
            .map(|(number, (depth, start))| {
                self.instance(format!("hard15 {number}"), start, goal, Some(depth))
            })
            .collect()
    }

    fn random(self) -> Result<Vec<Instance>, InstanceError> {
        let size = self.words.size()?;
        let cells = size.cells() as u64;
        let [n, seed, blanks] = self.words.options([
            ("n", 1, MAX_INSTANCES.min(MAX_CELLS / cells)),
            ("seed", 1, u64::MAX),
            ("blanks", 1, cells),
        ])?;
        let goal = self.goal_board(size, blanks as usize)?;
        let mut random = Random::new(seed);
        let instance = |number: u64| {
            let label = format!("random {size} seed {seed}, {number}");
            self.paired(label, scramble::uniform(&goal, &mut random), goal.clone(), None)
        };
        (1..=n).map(instance).collect()
    }

    fn depth(self, session: &Session) -> Result<Vec<Instance>, InstanceError> {
        let size = self.words.size()?;
        let word = self.words.next();
        let (low, high) = word.range("depths", "0..31, or 20")?;
        let [n, seed] = self.words.options([("n", 1, MAX_INSTANCES), ("seed", 1, u64::MAX)])?;
        let goal = self.goal_board(size, 1)?;
        let memory = free_memory().map(|bytes| bytes / 2);
        let mut found = Vec::new();
        for depth in low..=high {
            // Each depth has its own stream, so that its boards do not depend on the range.
            let random = Random::new(seed.wrapping_add(depth << 32));
            let boards = Draw::Depth(depth)
                .boards(&goal, n as usize, random, session, memory, &Arc::default())
                .map_err(|error| match error {
                    DepthError::None { deepest } => word.error(
                        format!("no {size} board is {depth} moves from the goal"),
                        format!("the deepest boards are {deepest} moves away"),
                    ),
                    error => word.error(
                        format!("depth {depth} of {size}: {error}"),
                        "choose smaller depths".to_owned(),
                    ),
                })?;
            for (number, start) in (1..).zip(boards) {
                let label = format!("depth {depth}, {number} ({size}, seed {seed})");
                found.push(self.paired(label, start, goal.clone(), Some(depth as Cost))?);
            }
        }
        Ok(found)
    }

    fn file(self, folder: &Path) -> Result<Vec<Instance>, InstanceError> {
        let words = &*self.words;
        let (name, size) = match words.rest().rsplit_once(" size=") {
            Some((name, size)) => {
                let wrong = |error| words.error(format!("size={size}: {error}"), None);
                (name.trim(), Some(size.trim().parse().map_err(wrong)?))
            }
            None => (words.rest(), None),
        };
        let path = folder.join(name);
        let unreadable = |error: String| {
            let hint = format!("the path is {}", path.display());
            words.error(format!("{name}: {error}"), Some(hint))
        };
        let about = fs::metadata(&path).map_err(|error| unreadable(error.to_string()))?;
        if about.len() > MAX_FILE {
            let error = format!("the file has {} bytes, at most {MAX_FILE} are read", about.len());
            return Err(unreadable(error));
        }
        let bytes = fs::read(&path).map_err(|error| unreadable(error.to_string()))?;
        let boards = read_boards(&String::from_utf8_lossy(&bytes), size).map_err(|error| {
            let place = error.place();
            let place = place.map_or_else(String::new, |at| format!("{}:{}:", at.line, at.column));
            words.error(format!("{name}:{place} {error}"), error.hint())
        })?;
        if boards.is_empty() {
            let hint = "write one board a line".to_owned();
            return Err(words.error(format!("{name}: the file has no boards"), Some(hint)));
        }
        (1..)
            .zip(boards)
            .map(|(number, start)| self.any(format!("{name}, {number}"), start))
            .collect()
    }

    fn board(self) -> Result<Vec<Instance>, InstanceError> {
        let start = read_board(self.words.rest(), None).map_err(|error| {
            let hint = error.hint().map(|hint| hint.to_string());
            self.words.error(error.to_string(), hint)
        })?;
        Ok(vec![self.any(start.to_string(), start)?])
    }

    /// Returns the user's own board, with the requested goal.
    fn any(&self, label: String, start: Board) -> Result<Instance, InstanceError> {
        let goal = self.goal_board(start.size(), start.blanks().count())?;
        self.paired(label, start, goal, None)
    }

    fn instance(
        &self,
        label: String,
        start: Board,
        goal: NamedGoal,
        known: Option<Cost>,
    ) -> Result<Instance, InstanceError> {
        let goal = goal.board(start.size(), start.blanks().count());
        self.paired(label, start, goal, known)
    }

    fn paired(
        &self,
        label: String,
        start: Board,
        goal: Board,
        known: Option<Cost>,
    ) -> Result<Instance, InstanceError> {
        let puzzle = Puzzle::new(start, goal).map_err(|error| {
            self.words.error(format!("{label} does not fit the goal: {error}"), None)
        })?;
        Ok(Instance { label, source: self.words.text().trim().to_owned(), puzzle, known })
    }

    /// Returns the goal for boards of `size`.
    fn goal_board(&self, size: Size, blanks: usize) -> Result<Board, InstanceError> {
        let text = self.goal.unwrap_or("last");
        if let Ok(named) = text.parse::<NamedGoal>() {
            return Ok(named.board(size, blanks));
        }
        read_board(text, Some(size)).map_err(|error| {
            let message = format!("the goal '{}' does not fit {size}: {error}", excerpt(text));
            self.words.error(message, error.hint().map(|hint| hint.to_string()))
        })
    }

    /// Fails if a set with goals of its own is to be used with another goal.
    fn check_goal(&self, own: &[NamedGoal]) -> Result<(), InstanceError> {
        match self.goal {
            Some(goal) if own.iter().all(|own| own.name() != goal) => {
                let own = own.iter().map(|own| format!("'{own}'")).collect::<Vec<_>>().join(" or ");
                let set = self.words.text();
                let goal = excerpt(goal);
                let message = format!("the boards of '{set}' are for the goal {own}, not '{goal}'");
                let hint = "omit the goal, or choose another set".to_owned();
                Err(InstanceError { column: 0, message, hint: Some(hint) })
            }
            _ => Ok(()),
        }
    }
}
