//! Texts from arguments, files and standard input, and the requests that they make.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use taquin::{Board, Size, decode, read_board};
use taquin_lab::instances::read_boards;
use taquin_lab::{
    Course, Courses, Request, RequestError, RequestFault, RequestField, ResolvedRequest, Setting,
    read_goal, read_goal_of_size, read_start,
};

use crate::args::{BoardArgs, PuzzleArgs};
use crate::config::CONFIG;
use crate::failure::Failure;

/// A text and its origin.
#[derive(Default)]
pub(crate) struct Source {
    pub(crate) text: String,
    /// The name of a file, or standard input; nothing for an argument.
    pub(crate) name: Option<String>,
}

/// The contents of most files that are read.
const ONE_BOARD: &str = "one board";

/// The contents of a file with a goal.
const ONE_GOAL: &str = "one goal";

/// The most bytes to read: the board reader refuses more.
const MAX_INPUT_BYTES: u64 = (4 << 20) + 1;

impl Source {
    /// The text of an argument.
    pub(crate) fn argument(text: &str) -> Self {
        Self { text: text.to_owned(), name: None }
    }

    /// Reads a file, or standard input if `path` is `-`.
    fn file(path: &Path, what: &str) -> Result<Self, Failure> {
        let (bytes, name) = named_bytes(path, what)?;
        let mut source = Self { text: String::new(), name: Some(name) };
        match decode(&bytes) {
            Ok(text) => source.text.push_str(&text),
            Err(error) => return Err(Failure::board(&error, RequestField::Board, &source)),
        }
        Ok(source)
    }

    /// Reads a board.
    pub(crate) fn board(&self, size: Option<Size>) -> Result<Board, Failure> {
        read_board(&self.text, size)
            .map_err(|error| Failure::board(&error, RequestField::Board, self))
    }

    /// Reads the start of a puzzle: a board, or moves from the goal.
    pub(crate) fn start(&self, size: Option<Size>, goal: Option<&str>) -> Result<Board, Failure> {
        let goal = goal.map(goal_source).transpose()?.map(|goal| goal.text);
        read_start(&self.text, size, goal.as_deref(), None)
            .map_err(|error| Failure::request(&error, Some(self)))
    }
}

impl BoardArgs {
    /// The board as it was given. Without quotes a shell splits it into several words.
    pub(crate) fn text(&self) -> Option<String> {
        (!self.board.is_empty()).then(|| self.board.join(" "))
    }

    pub(crate) fn source(&self) -> Result<Option<Source>, Failure> {
        match (&self.file, self.text().as_deref()) {
            (Some(path), _) => Source::file(path, ONE_BOARD).map(Some),
            (None, Some("-")) => Source::file(Path::new("-"), ONE_BOARD).map(Some),
            (None, Some(text)) => Ok(Some(Source::argument(text))),
            (None, None) => Ok(None),
        }
    }

    /// Reads the start of a puzzle: a board, or moves from the goal.
    pub(crate) fn start(&self, goal: Option<&str>) -> Result<Board, Failure> {
        self.some_source()?.start(self.size, goal)
    }

    /// Reads one board or several.
    pub(crate) fn read_several(&self) -> Result<Vec<Board>, Failure> {
        let source = self.some_source()?;
        match source.board(self.size) {
            Ok(board) => Ok(vec![board]),
            Err(failure) => match read_boards(&source.text, self.size) {
                Ok(boards) if boards.len() > 1 => Ok(boards),
                _ => Err(failure),
            },
        }
    }

    fn some_source(&self) -> Result<Source, Failure> {
        let missing = RequestError { field: RequestField::Board, fault: RequestFault::NoBoard };
        self.source()?.ok_or_else(|| missing.into())
    }
}

impl PuzzleArgs {
    /// Adds the goal to `request`, and checks everything but the board.
    pub(crate) fn setting(&self, request: Request) -> Result<(Setting, Option<Source>), Failure> {
        let goal = match (&self.goal_file, &self.goal) {
            (Some(path), _) => Some(Source::file(path, ONE_GOAL)?),
            (None, Some(goal)) => Some(goal_source(goal)?),
            // A course has a goal of its own.
            (None, None) => CONFIG
                .goal()
                .filter(|_| request.course.is_none())
                .map(|goal| Source::argument(goal.name())),
        };
        let request = Request { goal: goal.as_ref().map(|source| source.text.clone()), ..request };
        let mut setting = request.setting(Courses::Files)?;
        setting.size = self.board.size;
        Ok((setting, goal))
    }

    /// Adds the board and the goal to `request`, and makes a task from it.
    pub(crate) fn ask(&self, request: Request) -> Result<ResolvedRequest, Failure> {
        // The board comes last: reading it may wait for input.
        let (setting, goal) = self.setting(request)?;
        let board = self.board.source()?;
        let asked = match &board {
            Some(source) => setting.read(&source.text),
            None => setting.without_board(),
        };
        asked.map_err(|error| {
            let source = if error.field == RequestField::Goal { &goal } else { &board };
            Failure::request(&error, source.as_ref())
        })
    }
}

/// Returns the text of the named goal, the course's goal, or the usual goal.
pub(crate) fn usual_goal(goal: Option<&str>, course: Option<&str>) -> Result<String, Failure> {
    Ok(match (goal, course) {
        (Some(goal), _) => goal.to_owned(),
        (None, Some(course)) => Course::resolve(course)?.goal.to_string(),
        (None, None) => CONFIG.usual_goal().to_string(),
    })
}

/// Returns the text of a goal, which `@FILE` reads from a file.
pub(crate) fn goal_source(text: &str) -> Result<Source, Failure> {
    match text.strip_prefix('@') {
        Some(path) => Source::file(Path::new(path), ONE_GOAL),
        None => Ok(Source::argument(text)),
    }
}

/// Reads a goal for boards of a size.
pub(crate) fn goal_of_size(text: &str, size: Size, blanks: usize) -> Result<Board, Failure> {
    let source = goal_source(text)?;
    read_goal_of_size(&source.text, size, blanks)
        .map_err(|error| Failure::request(&error, Some(&source)))
}

/// Reads a goal for `start`.
pub(crate) fn goal_for(text: &str, start: &Board) -> Result<Board, Failure> {
    let source = goal_source(text)?;
    read_goal(&source.text, start).map_err(|error| Failure::request(&error, Some(&source)))
}

/// Reads a file that should contain `what`, or standard input if `path` is `-`, and returns its
/// name.
pub(crate) fn named_bytes(path: &Path, what: &str) -> Result<(Vec<u8>, String), Failure> {
    if path.as_os_str() == "-" {
        let name = "standard input";
        return Ok((read_bytes(io::stdin().lock(), name)?, name.to_owned()));
    }
    Ok((file_bytes(path, what)?, path.display().to_string()))
}

/// Reads a file that should contain `what`.
pub(crate) fn file_bytes(path: &Path, what: &str) -> Result<Vec<u8>, Failure> {
    read_bytes(open_file(path, what)?, &path.display().to_string())
}

/// Opens a file that should contain `what`.
pub(crate) fn open_file(path: &Path, what: &str) -> Result<File, Failure> {
    let name = path.display();
    if path.is_dir() {
        return Err(Failure::input(format!("{name}: is a directory"))
            .hint(format!("give a file with {what}")));
    }
    File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let hint = match what {
                ONE_BOARD => "check the path; to give a board itself, omit --file",
                ONE_GOAL => "check the path; to give a goal itself, use --goal",
                _ => "check the path",
            };
            Failure::input(format!("{name}: no such file")).hint(hint)
        }
        io::ErrorKind::PermissionDenied => Failure::input(format!("{name}: permission denied")),
        _ => Failure::input(format!("{name}: {error}")),
    })
}

fn read_bytes(source: impl Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    source
        .take(MAX_INPUT_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::input(format!("{name}: can't be read: {error}")))?;
    Ok(bytes)
}
