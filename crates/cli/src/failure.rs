//! What went wrong, where, and what to do about it.

use std::path::Path;
use std::{fmt, io};

use taquin::{Ending, MethodError, MovesError, Place, ReadError, ReadHint, Reason, excerpt};
use taquin_experiment::ExperimentStoreError;
use taquin_lab::CourseError;

/// Bad usage or bad input.
pub(crate) const BAD_INPUT: u8 = 2;

/// Something that ends the program, with the exit code it ends with.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
    hint: Option<String>,
}

pub(crate) type CommandResult = Result<u8, Failure>;

impl Failure {
    /// Bad input, in one sentence.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self { code: BAD_INPUT, message: message.into(), hint: None }
    }

    /// Bad input that has been told already.
    pub(crate) const fn told() -> Self {
        Self { code: BAD_INPUT, message: String::new(), hint: None }
    }

    /// A store of experiments that can't be used.
    pub(crate) fn store(error: &ExperimentStoreError) -> Self {
        let failure = Self::input(error.to_string());
        Self { hint: error.hint().map(str::to_owned), ..failure }
    }

    /// Out of memory.
    pub(crate) fn memory(message: impl Into<String>) -> Self {
        Self { code: 22, ..Self::input(message) }
    }

    /// A search that a limit ended before it had what it was for.
    pub(crate) fn stopped(reason: Reason, message: impl Into<String>) -> Self {
        let code = crate::report::exit_code(Ending::Stopped, Some(reason));
        Self { code, ..Self::input(message) }
    }

    /// A file that can't be written.
    pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Self {
        let failure = Self::input(format!("{}: can't be written: {error}", path.display()));
        match error.kind() {
            io::ErrorKind::NotFound => failure.hint("the folder must exist"),
            io::ErrorKind::StorageFull => failure.hint("make room on the disk, and start again"),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                failure.hint("choose a folder that you may write to")
            }
            _ => failure,
        }
    }

    /// Ended by Ctrl-C.
    pub(crate) fn interrupted() -> Self {
        Self { code: 130, ..Self::input("interrupted") }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// A text that is no board; `source` is a file's name, or nothing for an argument.
    pub(crate) fn board(error: &ReadError, source: Option<&str>, text: &str) -> Self {
        let failure = Self::placed(&error.to_string(), error.place(), source, "board", text);
        let hint = error.hint().map(|hint| match hint {
            ReadHint::GiveSize(size) => {
                format!("give the size, as in --size {size}, or end each row with /")
            }
            _ => hint.to_string(),
        });
        Self { hint, ..failure }
    }

    /// A text that is no list of moves.
    pub(crate) fn moves(error: &MovesError, text: &str) -> Self {
        let failure = Self::placed(&error.to_string(), error.place(), None, "moves", text);
        Self { hint: error.hint(), ..failure }
    }

    /// A text that is no method.
    pub(crate) fn method(error: &MethodError) -> Self {
        let caret = error.caret().to_string();
        // A long one is not shown.
        let shown = match caret.lines().all(|line| line.chars().count() <= SHOWN) {
            true => format!("\n  {}", caret.replace('\n', "\n  ")),
            false => String::new(),
        };
        let failure = Self::input(quoted(&error.to_string()) + &shown);
        Self { hint: error.hint().map(str::to_owned), ..failure }
    }

    /// What a course can't do.
    pub(crate) fn course(error: &CourseError) -> Self {
        let failure = match error {
            CourseError::Field(error) => Self::method(error),
            _ => Self::input(error.to_string()),
        };
        Self { hint: error.hint(), ..failure }
    }

    /// A fault at a place of a file, or of an argument, which is shown.
    pub(crate) fn placed(
        fact: &str,
        place: Option<Place>,
        source: Option<&str>,
        what: &str,
        text: &str,
    ) -> Self {
        let Some(Place { line, column }) = place else {
            return Self::input(format!("{}: {fact}", source.unwrap_or(what)));
        };
        if let Some(source) = source {
            return Self::input(format!("{source}:{line}:{column}: {fact}"));
        }
        // An argument is short enough to show, with the place marked under it.
        let shown: String = text.lines().nth(line as usize - 1).unwrap_or("").replace('\t', " ");
        let before = column as usize - 1;
        let fits = (1..=SHOWN).contains(&shown.chars().count());
        match fits && !shown.chars().any(char::is_control) {
            true => Self::input(format!("{what}: {fact}\n  {shown}\n  {}^", " ".repeat(before))),
            false => Self::input(format!("{what}, {line}:{column}: {fact}")),
        }
    }

    /// Says it on standard error, and gives the exit code.
    pub(crate) fn report(&self) -> u8 {
        if !self.message.is_empty() {
            crate::output::error(&self.message, self.hint.as_deref());
        }
        self.code
    }
}

/// The most columns of an argument that are shown.
const SHOWN: usize = 100;

/// A message in which what stands between quotes is short and prints.
fn quoted(message: &str) -> String {
    let quotes = message.find('\'').zip(message.rfind('\'')).filter(|(first, last)| first < last);
    match quotes {
        Some((first, last)) => {
            let (before, after) = (&message[..=first], &message[last..]);
            format!("{before}{}{after}", excerpt(&message[first + 1..last]))
        }
        None => message.to_owned(),
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // Whoever read our output has seen enough.
            io::ErrorKind::BrokenPipe => Self { code: 0, message: String::new(), hint: None },
            _ => Self::input(format!("can't write the output: {error}")),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        io::Error::from(error).into()
    }
}
