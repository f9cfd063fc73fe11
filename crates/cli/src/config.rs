//! The user's settings: a file, environment variables, which override it, and flags, which override
//! both.

use std::path::PathBuf;
use std::sync::LazyLock;

use etcetera::BaseStrategy;
use taquin::{NamedGoal, Notation, TableStore};
use taquin_lab::{TomlFault, TomlReader, TomlTable};

use crate::failure::Failure;

/// The settings in force, each with its origin.
pub(crate) static CONFIG: LazyLock<Config> = LazyLock::new(Config::load);

/// The settings' names, and the variables'.
const KEYS: [(&str, &str); 4] = [
    ("notation", "TAQUIN_NOTATION"),
    ("goal", "TAQUIN_GOAL"),
    ("threads", "TAQUIN_THREADS"),
    ("cache", "TAQUIN_CACHE"),
];

/// The variable that names another file. If it is empty, there is none.
const FILE_VARIABLE: &str = "TAQUIN_CONFIG";

/// The largest number of threads.
const MAX_THREADS: u64 = 1024;

#[derive(Debug, Default)]
pub(crate) struct Config {
    /// The file, whether it exists or not.
    pub(crate) path: Option<PathBuf>,
    notation: Option<(Notation, Source)>,
    goal: Option<(NamedGoal, Source)>,
    threads: Option<(usize, Source)>,
    cache: Option<(PathBuf, Source)>,
    /// Faults in the file or the variables.
    errors: Vec<(String, Option<String>)>,
}

/// A setting's origin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    File,
    Variable(&'static str),
}

impl Config {
    fn load() -> Self {
        let mut config = Self { path: file(), ..Self::default() };
        config.read_file();
        config.read_variables();
        config
    }

    fn read_file(&mut self) {
        let Some(path) = self.path.clone() else { return };
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                let is_named = std::env::var_os(FILE_VARIABLE).is_some();
                if is_named || error.kind() != std::io::ErrorKind::NotFound {
                    let hint = is_named.then(|| format!("{FILE_VARIABLE} names this file"));
                    let error = match error.kind() {
                        std::io::ErrorKind::NotFound => "no such file".to_owned(),
                        _ => error.to_string(),
                    };
                    self.errors.push((format!("{}: {error}", path.display()), hint));
                }
                return;
            }
        };
        let (mut reader, table) = TomlReader::new(&text);
        let table = TomlTable::whole(table.get_ref());
        reader.check_keys(table, &KEYS.map(|(key, _)| key));
        let file = |value| (value, Source::File);
        self.notation = reader.optional(table, "notation", TomlReader::parsed).map(file);
        self.goal =
            reader.optional(table, "goal", TomlReader::parsed).map(|goal| (goal, Source::File));
        self.threads = reader
            .optional(table, "threads", |reader, value| reader.number(value, 1, MAX_THREADS))
            .map(|threads| (threads as usize, Source::File));
        self.cache = reader
            .optional(table, "cache", TomlReader::text)
            .map(|folder| (PathBuf::from(folder.text), Source::File));
        let faults = reader.into_faults().into_iter();
        self.errors.extend(faults.map(|TomlFault { place, field, message, hint }| {
            let field = if field.is_empty() { String::new() } else { format!("{field}: ") };
            let (line, column) = (place.line, place.column);
            (format!("{}:{line}:{column}: {field}{message}", path.display()), hint)
        }));
    }

    fn read_variables(&mut self) {
        for (key, variable) in KEYS {
            let Some(value) = std::env::var_os(variable).filter(|value| !value.is_empty()) else {
                continue;
            };
            let (text, from) = (value.to_string_lossy(), Source::Variable(variable));
            let mut wrong = |expected: &str| {
                let error = format!("{variable}: '{}' is not {expected}", taquin::excerpt(&text));
                self.errors.push((error, None));
            };
            match key {
                "notation" => match text.parse() {
                    Ok(notation) => self.notation = Some((notation, from)),
                    Err(_) => wrong("a notation: write blank or tile"),
                },
                "goal" => match text.parse() {
                    Ok(goal) => self.goal = Some((goal, from)),
                    Err(_) => wrong("a goal: write last, first or spiral"),
                },
                "threads" => match text.parse() {
                    Ok(threads) if (1..=MAX_THREADS).contains(&threads) => {
                        self.threads = Some((threads as usize, from));
                    }
                    _ => wrong("a number of threads: write 1 to 1024"),
                },
                _ => self.cache = Some((PathBuf::from(&value), from)),
            }
        }
    }

    /// Fails if the file or a variable is not valid.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self.errors.is_empty() {
            true => Ok(()),
            false => Err(Failure::several(self.errors.iter().cloned())),
        }
    }

    pub(crate) fn notation(&self) -> Notation {
        self.notation.map_or_else(Notation::default, |(notation, _)| notation)
    }

    pub(crate) fn goal(&self) -> Option<NamedGoal> {
        self.goal.map(|(goal, _)| goal)
    }

    /// The goal of a command that names none.
    pub(crate) fn usual_goal(&self) -> NamedGoal {
        self.goal().unwrap_or_default()
    }

    pub(crate) fn threads(&self) -> Option<usize> {
        self.threads.map(|(threads, _)| threads)
    }

    /// Returns where tables are stored.
    pub(crate) fn store(&self) -> Result<TableStore, Failure> {
        match &self.cache {
            Some((folder, _)) => Ok(TableStore::new(folder)),
            None => TableStore::of_account()
                .map_err(|error| Failure::input(error.to_string()).hint("set TAQUIN_CACHE")),
        }
    }

    /// Returns every setting: its name, its value, and where it is from.
    pub(crate) fn rows(&self) -> Vec<[String; 3]> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let cache = self.store().map(|store| store.folder().display().to_string());
        let from = |source: Option<Source>| match source {
            Some(Source::File) => "the file".to_owned(),
            Some(Source::Variable(name)) => name.to_owned(),
            None => "default".to_owned(),
        };
        let row = |name: &str, value: String, source: Option<Source>| {
            [name.to_owned(), value, from(source)]
        };
        vec![
            row("notation", self.notation().to_string(), self.notation.map(|value| value.1)),
            row(
                "goal",
                self.goal().unwrap_or_default().to_string(),
                self.goal.map(|value| value.1),
            ),
            row(
                "threads",
                self.threads().unwrap_or(cores).to_string(),
                self.threads.map(|value| value.1),
            ),
            row(
                "cache",
                cache.unwrap_or_else(|error| error.to_string()),
                self.cache.as_ref().map(|value| value.1),
            ),
        ]
    }
}

/// Returns the path of the file.
fn file() -> Option<PathBuf> {
    match std::env::var_os(FILE_VARIABLE) {
        Some(path) if path.is_empty() => None,
        Some(path) => Some(path.into()),
        None => {
            let folders = etcetera::choose_base_strategy().ok()?;
            Some(folders.config_dir().join("taquin").join("config.toml"))
        }
    }
}
