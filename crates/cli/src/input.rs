//! Boards from arguments, files and standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use taquin::{Board, NamedGoal, Puzzle, Size, excerpt, read_board, read_board_bytes};

use crate::args::{BoardArgs, PuzzleArgs};
use crate::failure::Failure;

/// What most files hold.
const ONE_BOARD: &str = "one board";

/// The most bytes to read: no board needs as many, and a board reader refuses more.
const MOST: u64 = (4 << 20) + 1;

impl PuzzleArgs {
    /// The puzzle that was asked for.
    pub(crate) fn puzzle(&self) -> Result<Puzzle, Failure> {
        self.puzzle_from(self.board.read()?)
    }

    /// The puzzle that a board and the goal that was asked for make.
    pub(crate) fn puzzle_from(&self, start: Board) -> Result<Puzzle, Failure> {
        let goal = match &self.goal_file {
            Some(path) => read_file(path, Some(start.size()))?,
            None => read_goal(self.goal(), &start)?,
        };
        pair(start, goal)
    }

    /// The goal as it was written.
    pub(crate) fn goal(&self) -> &str {
        self.goal.as_deref().unwrap_or("last")
    }

    /// Whether a goal was asked for.
    pub(crate) const fn has_goal(&self) -> bool {
        self.goal.is_some() || self.goal_file.is_some()
    }
}

/// A start and a goal, if they fit together.
pub(crate) fn pair(start: Board, goal: Board) -> Result<Puzzle, Failure> {
    Puzzle::new(start, goal).map_err(|error| {
        Failure::input(format!("start and goal have different tiles: {error}"))
            .hint("give both the same size and the same number of blanks")
    })
}

/// A goal by its name, or as a board.
pub(crate) fn read_goal(text: &str, start: &Board) -> Result<Board, Failure> {
    if let Ok(named) = text.parse::<NamedGoal>() {
        return Ok(named.board(start.size(), start.blanks().count()));
    }
    if text.len() > 1 && text.chars().all(char::is_alphabetic) {
        return Err(Failure::input(format!("no goal is called '{}'", excerpt(text)))
            .hint("write last, first, snail, or a board such as \"1 2 3/8 0 4/7 6 5\""));
    }
    read_board(text, Some(start.size())).map_err(|error| {
        let failure = Failure::board(&error, None, text);
        match Path::new(text).is_file() {
            true => failure.hint(format!("to read the file, write --goal-file {text}")),
            false => failure,
        }
    })
}

/// A goal by its name, or as a board, where only the size is known.
pub(crate) fn named_goal(text: &str, size: Size, blanks: usize) -> Result<Board, Failure> {
    let cells = size.cells();
    if !(1..=cells).contains(&blanks) {
        return Err(Failure::input(format!(
            "a {size} board has 1 to {cells} blanks, not {blanks}"
        )));
    }
    read_goal(text, &NamedGoal::Last.board(size, blanks))
}

impl BoardArgs {
    /// The board that was asked for.
    pub(crate) fn read(&self) -> Result<Board, Failure> {
        match (&self.board, &self.file) {
            (_, Some(path)) if path.as_os_str() == "-" => read_stdin(self.size),
            (_, Some(path)) => read_file(path, self.size),
            (Some(text), None) if text == "-" => read_stdin(self.size),
            (Some(text), None) => read_argument(text, self.size),
            (None, None) => {
                Err(Failure::input("there is no board").hint("give one, or --file FILE"))
            }
        }
    }
}

/// A board given as an argument.
pub(crate) fn read_argument(text: &str, size: Option<Size>) -> Result<Board, Failure> {
    read_board(text, size).map_err(|error| {
        let failure = Failure::board(&error, None, text);
        match Path::new(text).is_file() {
            true => failure.hint(format!("to read the file, write --file {text}")),
            false => failure,
        }
    })
}

fn read_stdin(size: Option<Size>) -> Result<Board, Failure> {
    read_board_bytes(&stdin_bytes()?, size)
        .map_err(|error| Failure::board(&error, Some("standard input"), ""))
}

/// A board in a file.
pub(crate) fn read_file(path: &Path, size: Option<Size>) -> Result<Board, Failure> {
    let name = path.display().to_string();
    read_board_bytes(&file_bytes(path, ONE_BOARD)?, size)
        .map_err(|error| Failure::board(&error, Some(&name), ""))
}

/// What standard input holds.
pub(crate) fn stdin_bytes() -> Result<Vec<u8>, Failure> {
    read_bytes(io::stdin().lock(), "standard input")
}

/// What a file holds; `what` that should be.
pub(crate) fn file_bytes(path: &Path, what: &str) -> Result<Vec<u8>, Failure> {
    read_bytes(open_file(path, what)?, &path.display().to_string())
}

/// A file to be read, which should hold `what`.
pub(crate) fn open_file(path: &Path, what: &str) -> Result<File, Failure> {
    let name = path.display();
    if path.is_dir() {
        return Err(Failure::input(format!("{name}: is a directory"))
            .hint(format!("give a file with {what}")));
    }
    File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let remedy = match what {
                ONE_BOARD => "check the path; a board itself is given without --file",
                _ => "check the path",
            };
            Failure::input(format!("{name}: no such file")).hint(remedy)
        }
        io::ErrorKind::PermissionDenied => {
            Failure::input(format!("{name}: no permission to read it"))
        }
        _ => Failure::input(format!("{name}: {error}")),
    })
}

fn read_bytes(source: impl Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    source
        .take(MOST)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::input(format!("{name}: can't be read: {error}")))?;
    Ok(bytes)
}
