//! Errors, with hints in terms of the command line.

use std::ffi::OsStr;
use std::panic::PanicHookInfo;
use std::path::Path;
use std::{fmt, fs, io};

use clap::ValueEnum;
use taquin::{
    DeviceError, Ending, FolderError, ManyError, MethodError, MovesError, Place, ReadError,
    ReadHint, Reason, excerpt, is_moves, write_bytes,
};
use taquin_experiment::{ExperimentStoreError, ExportError};
use taquin_lab::instances::{is_set, read_boards};
use taquin_lab::{CourseError, RequestError, RequestFault, RequestField, SolutionError};

use crate::follow::Trace;
use crate::input::Source;
use crate::report::exit_code;

/// The exit code for bad usage or bad input.
const BAD_INPUT: u8 = 2;

/// The exit code for an error of this program.
const INTERNAL: u8 = 70;

/// The exit code if the system has too little for the work.
const NO_MEMORY: u8 = 22;

/// The exit code if another process of the same work was lost.
#[cfg(feature = "cluster")]
pub(crate) const LOST: u8 = 3;

/// An error that ends the program.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    /// The messages, each with a hint.
    messages: Vec<(String, Option<String>)>,
}

/// The exit code of a command, or the error that ended it.
pub(crate) type CommandResult = Result<u8, Failure>;

impl Failure {
    /// Bad input.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self { code: BAD_INPUT, messages: vec![(message.into(), None)] }
    }

    /// The panic of a library to which the system gives no thread.
    pub(crate) fn without_threads(panic: &PanicHookInfo<'_>) -> Option<Self> {
        let words = panic.payload().downcast_ref::<String>()?;
        if !["failed to spawn thread", "ThreadPoolBuildError"].iter().any(|why| words.contains(why))
        {
            return None;
        }
        let failure = Self { code: NO_MEMORY, ..Self::input("the system starts no more threads") };
        Some(failure.hint(
            "raise the limit on processes ('ulimit -u' shows it), or try --threads 1 where there is one",
        ))
    }

    /// Several errors in the input, each with a hint.
    pub(crate) fn several(messages: impl Iterator<Item = (String, Option<String>)>) -> Self {
        Self { code: BAD_INPUT, messages: messages.collect() }
    }

    /// Out of memory.
    pub(crate) fn memory(message: impl Into<String>) -> Self {
        Self { code: 22, ..Self::input(message) }
    }

    /// A search that a limit ended without a result.
    pub(crate) fn stopped(reason: Reason, message: impl Into<String>) -> Self {
        Self { code: exit_code(Ending::Stopped, Some(reason)), ..Self::input(message) }
    }

    /// A file that can't be written.
    pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Self {
        let failure = Self::input(format!("{}: can't be written: {error}", path.display()));
        match error.kind() {
            io::ErrorKind::NotFound => failure.hint("the folder must exist"),
            io::ErrorKind::StorageFull => failure.hint("free some disk space and try again"),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                failure.hint("choose a folder that you can write to")
            }
            _ => failure,
        }
    }

    /// Sets the hint, if the last fault is a key that a file must have.
    pub(crate) fn hint_if_missing(self, hint: impl Into<String>) -> Self {
        let is_missing = |(message, _): &(String, _)| message.ends_with("' is missing");
        if self.messages.last().is_some_and(is_missing) { self.hint(hint) } else { self }
    }

    /// Sets the hint, if there is none.
    pub(crate) fn hint_if_none(self, hint: impl Into<String>) -> Self {
        let has_hint = self.messages.last().is_some_and(|(_, hint)| hint.is_some());
        if has_hint { self } else { self.hint(hint) }
    }

    /// Ended by Ctrl-C.
    pub(crate) fn interrupted() -> Self {
        Self { code: 130, ..Self::input("interrupted") }
    }

    /// Another process of the same work was lost.
    #[cfg(feature = "cluster")]
    pub(crate) fn lost(message: impl Into<String>) -> Self {
        Self { code: LOST, ..Self::input(message) }
    }

    /// An end that another process explains.
    #[cfg(feature = "cluster")]
    pub(crate) fn silent(code: u8) -> Self {
        Self { code, messages: Vec::new() }
    }

    /// Sets the hint.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        self.maybe(Some(hint))
    }

    fn maybe(mut self, hint: Option<impl Into<String>>) -> Self {
        if let (Some((_, last)), Some(hint)) = (self.messages.last_mut(), hint) {
            *last = Some(hint.into());
        }
        self
    }

    /// A request that is not valid. `source` is the text of the board or the goal.
    pub(crate) fn request(error: &RequestError, source: Option<&Source>) -> Self {
        match &error.fault {
            RequestFault::Board(fault) => {
                Self::board(fault, error.field, source.unwrap_or(&Source::default()))
            }
            RequestFault::Method(error) => Self::method(error),
            RequestFault::Course(error) => Self::course(error),
            RequestFault::NoBoard => Self::input("no board given")
                .hint("give a board, such as 867254301, or --file FILE"),
            _ => Self::input(error.to_string()).maybe(error.hint()),
        }
    }

    /// A text that is not a board.
    pub(crate) fn board(error: &ReadError, field: RequestField, source: &Source) -> Self {
        if let Ok(boards) = read_boards(&source.text, None)
            && boards.len() > 1
        {
            let name = source.name.as_deref().map_or_else(|| field.to_string(), str::to_owned);
            return Self::input(format!("{name}: these are {} boards", boards.len()))
                .hint("give one board, or solve them all with 'taquin solve --batch'");
        }
        let flag = if field == RequestField::Goal { "--goal-file" } else { "--file" };
        if source.name.is_none()
            && is_file_name(&source.text)
            && !fs::exists(&source.text).is_ok_and(|is| is)
        {
            let name = excerpt(&source.text);
            return Self::input(format!("{name}: no such file"))
                .hint(format!("give a {field}, or a file that exists with {flag}"));
        }
        let failure = Self::placed(&error.to_string(), error.place(), &field.to_string(), source);
        if is_moves(&source.text) {
            return failure
                .hint("moves from the goal make a board if you add --size, as in --size 4x4");
        }
        if source.text.starts_with("type octile") {
            return failure.hint("this is a map, not a board: see 'taquin route --help'");
        }
        let last = source.text.split_whitespace().last();
        if let Some(word) = last.filter(|word| Trace::from_str(word, true).is_ok()) {
            return failure.hint(format!("to choose the kind of trace, write --trace={word}"));
        }
        if source.name.is_none() && Path::new(&source.text).is_file() {
            return failure.hint(format!("to read the file, write {flag} {}", source.text));
        }
        if source.name.is_none() && field == RequestField::Board && is_set(&source.text) {
            let text = excerpt(source.text.trim());
            let text = if text.contains(' ') { format!("\"{text}\"") } else { text };
            return failure.hint(format!(
                "{text} is an instance set: give one board, solve the set with \
                 'taquin solve --batch {text}', or compare methods on it with \
                 'taquin compare --instances {text}'"
            ));
        }
        failure.maybe(error.hint().map(|hint| match hint {
            ReadHint::GiveEither(one, other) => {
                format!("give the size: --size {one} or --size {other}")
            }
            ReadHint::GiveSize(size) => {
                format!("give the size, as in --size {size}, or end each row with /")
            }
            _ => hint.to_string(),
        }))
    }

    /// A text that is not a list of moves.
    pub(crate) fn moves(error: &MovesError, text: &str) -> Self {
        let source = Source::argument(text);
        Self::placed(&error.to_string(), error.place(), "moves", &source).maybe(error.hint())
    }

    /// A text that is not a solution, or one that the board does not allow.
    pub(crate) fn solution(error: &SolutionError, source: &Source) -> Self {
        match error {
            SolutionError::Moves(error) => {
                Self::placed(&error.to_string(), error.place(), "moves", source).maybe(error.hint())
            }
            _ => Self::placed(&error.to_string(), None, "moves", source),
        }
    }

    /// A text that is not a method.
    pub(crate) fn method(error: &MethodError) -> Self {
        let caret = error.caret().to_string();
        // Long methods are not shown.
        let shown = match caret.lines().all(|line| line.chars().count() <= SHOWN) {
            true => format!("\n  {}", caret.replace('\n', "\n  ")),
            false => String::new(),
        };
        Self::input(quoted(&error.to_string()) + &shown).maybe(error.hint())
    }

    /// A course that can't be used, or does not support a request.
    pub(crate) fn course(error: &CourseError) -> Self {
        match error {
            CourseError::Field(field) => Self::method(field).maybe(error.hint()),
            CourseError::File { path, error } => Self::several(error.faults.iter().map(|fault| {
                let Place { line, column } = fault.place;
                (format!("{}:{line}:{column}: {fault}", path.display()), fault.hint.clone())
            }))
            .hint_if_missing("'taquin list courses ucr-list --toml' prints a course to start from"),
            _ => Self::input(error.to_string()).maybe(error.hint()),
        }
    }

    /// An error at a place in a file or an argument. An argument is shown.
    pub(crate) fn placed(fact: &str, place: Option<Place>, what: &str, source: &Source) -> Self {
        let name = source.name.as_deref();
        let Some(Place { line, column }) = place else {
            return Self::input(format!("{}: {fact}", name.unwrap_or(what)));
        };
        if let Some(name) = name {
            return Self::input(format!("{name}:{line}:{column}: {fact}"));
        }
        // Short arguments are shown, with the place marked below.
        let shown = source.text.lines().nth(line as usize - 1).unwrap_or("").replace('\t', " ");
        let before = column as usize - 1;
        let fits = (1..=SHOWN).contains(&shown.chars().count());
        match fits && !shown.chars().any(char::is_control) {
            true => Self::input(format!("{what}: {fact}\n  {shown}\n  {}^", " ".repeat(before))),
            false => Self::input(format!("{what}, {line}:{column}: {fact}")),
        }
    }

    /// Prints the errors to standard error and returns the exit code.
    pub(crate) fn report(&self) -> u8 {
        for (message, hint) in &self.messages {
            crate::output::error(message, hint.as_deref());
        }
        self.code
    }
}

/// Whether a word looks like the name of a file: a dot in a board is a blank, and before no
/// letters.
pub(crate) fn is_file_name(text: &str) -> bool {
    let extension = Path::new(text).extension().and_then(OsStr::to_str).unwrap_or_default();
    let is_extension =
        extension.len() > 1 && extension.starts_with(|c: char| c.is_ascii_alphabetic());
    is_extension
        && extension.chars().all(char::is_alphanumeric)
        && !text.contains(char::is_whitespace)
}

/// Longer arguments, in characters, are not shown.
const SHOWN: usize = 100;

/// Shortens the quoted part of a message, and escapes control characters.
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
        self.messages.iter().try_for_each(|(message, _)| f.write_str(message))
    }
}

impl From<CourseError> for Failure {
    fn from(error: CourseError) -> Self {
        Self::course(&error)
    }
}

impl From<MethodError> for Failure {
    fn from(error: MethodError) -> Self {
        Self::method(&error)
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        Self::request(&error, None)
    }
}

/// A store of experiments that cannot be used.
impl From<ExperimentStoreError> for Failure {
    fn from(error: ExperimentStoreError) -> Self {
        let failure = Self::input(error.to_string());
        let hint = match &error {
            ExperimentStoreError::Missing(_) => "'taquin experiment run PLAN' makes one",
            ExperimentStoreError::Directory(_) => {
                "name the file, as in results.sqlite, or its plan"
            }
            ExperimentStoreError::Foreign(_) => "name another file with --store",
            ExperimentStoreError::Newer { .. } => "use the taquin that wrote it, or a later one",
            ExperimentStoreError::Full(_) => {
                "make room and start again: finished runs are kept, and the rest is run"
            }
            ExperimentStoreError::ReadOnly { .. } => "name a file that you may write with --store",
            ExperimentStoreError::Damaged { path, .. } => {
                let path = path.display();
                return failure.hint(format!(
                    "restore a copy, or save what can be read: \
                     sqlite3 {path} .recover | sqlite3 recovered.sqlite"
                ));
            }
            _ => return failure,
        };
        failure.hint(hint)
    }
}

/// An export whose output is standard output.
impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Store(error) => error.into(),
            ExportError::Output(error) => error.into(),
            _ => Self::input(error.to_string()),
        }
    }
}

/// Many boards that are not solved.
impl From<ManyError> for Failure {
    fn from(error: ManyError) -> Self {
        match error {
            ManyError::Tables(error) => error.into(),
            ManyError::File(error) => error.into(),
            error => Self { code: INTERNAL, ..Self::input(error.to_string()) },
        }
    }
}

/// A device that cannot be used.
impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        let failure = match &error {
            DeviceError::Memory { needed, free } => Self::memory(format!(
                "{} of device memory are needed, and {} are free",
                write_bytes(*needed),
                write_bytes(*free)
            )),
            _ => Self::input(error.to_string()),
        };
        failure.hint(match error {
            DeviceError::Missing(_) => "without an NVIDIA device and its driver, omit --on gpu",
            DeviceError::Choice(_) => "'taquin gpu' prints the numbers of the devices",
            DeviceError::OldDriver(_) => "update the driver, or omit --on gpu",
            _ => "omit --on gpu",
        })
    }
}

/// The folder of a search that cannot be used.
impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
        let failure = Self::input(error.to_string());
        let hint = match &error {
            FolderError::Interrupted => return Self::interrupted(),
            FolderError::Changed => {
                let code = exit_code(Ending::Stopped, Some(Reason::Contradiction));
                return Self { code, ..failure }
                    .hint("run 'taquin tables verify', then the same command again");
            }
            FolderError::File { path, error } => match error.kind() {
                NotFound | NotADirectory => {
                    return Self::input(format!("{}: no such file", path.display()))
                        .hint("'taquin task split' makes the folder of a search");
                }
                PermissionDenied => "choose a folder that you can write to",
                _ => return failure,
            },
            FolderError::Occupied { .. } => "name a new folder, or remove this one",
            FolderError::Foreign { .. } => "name a folder that 'taquin task split' made",
            FolderError::Version { .. } => {
                "use the taquin that made the folder, or split the search again"
            }
            FolderError::Damaged { name: "round", .. }
            | FolderError::Other { name: "round", .. } => {
                "remove the file: 'taquin task merge' makes it again from the results"
            }
            FolderError::Damaged { .. }
            | FolderError::Other { .. }
            | FolderError::NoRound { .. } => "split the search again into a new folder",
            FolderError::Method { .. } => "choose another method, such as --method ida:pdb=small",
            _ => return failure,
        };
        failure.hint(hint)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // The reader of our output has closed it.
            io::ErrorKind::BrokenPipe => Self { code: 0, messages: Vec::new() },
            _ => Self::input(format!("can't write the output: {error}")),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        io::Error::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_a_worker_is_no_bad_input() {
        let failure = Failure::from(ManyError::Panicked("a test".to_owned()));
        assert_eq!((failure.code, failure.to_string().as_str()), (70, "a search panicked: a test"));
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(Failure::from(ManyError::File(full)).code, BAD_INPUT);
    }
}
