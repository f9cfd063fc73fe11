//! The file of statistics: one game a line, as JSON, only ever appended to.
//!
//! A line is written by one call and has a checksum, so a killed program, a full disk or two
//! simultaneous games can damage the last line at most. An unreadable line is counted and stays in
//! the file.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::statistics::Record;

/// The games of a file, the oldest first.
#[derive(Clone, Debug)]
pub struct History {
    path: Option<PathBuf>,
    games: Vec<Record>,
    damaged: usize,
}

/// The name of the format in which games are exported, which the page reads too.
const FORMAT: &str = "taquin-games";

/// The text before the checksum.
const MARK: &str = ",\"check\":\"";

/// The most bytes read from a file: millions of games.
const MAX_BYTES: u64 = 1 << 30;

impl History {
    /// Returns the file in the data folder of the account: `XDG_DATA_HOME` or `~/.local/share`,
    /// `~/Library/Application Support`, `%APPDATA%`.
    pub fn usual_path() -> Option<PathBuf> {
        use etcetera::BaseStrategy;
        let folders = etcetera::base_strategy::choose_native_strategy().ok()?;
        Some(folders.data_dir().join("taquin").join("play.jsonl"))
    }

    /// A history without a file.
    pub const fn unsaved() -> Self {
        Self { path: None, games: Vec::new(), damaged: 0 }
    }

    /// Reads a file; it need not exist.
    ///
    /// # Errors
    /// Fails if the file exists and cannot be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut bytes = Vec::new();
        match File::open(path) {
            Ok(file) => drop(file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        if bytes.len() as u64 > MAX_BYTES {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the file is too large"));
        }
        let (games, damaged) = read_lines(&bytes);
        Ok(Self { path: Some(path.to_owned()), games: merged(games), damaged })
    }

    /// Returns the file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the games.
    pub fn games(&self) -> &[Record] {
        &self.games
    }

    /// Returns the number of lines that could not be read.
    pub const fn damaged(&self) -> usize {
        self.damaged
    }

    /// Adds a game, or updates it with new facts, and writes it to the disk before it returns.
    ///
    /// # Errors
    /// Fails if the file cannot be written. The game is in the history all the same.
    pub fn add(&mut self, game: Record) -> io::Result<()> {
        let line = write_line(&game);
        self.games.push(game);
        self.games = merged(std::mem::take(&mut self.games));
        self.append(&line)
    }

    /// Adds a file's games that are not here yet: lines as in the statistics file, or what
    /// [`export`](Self::export) and the page write. Returns their number, and the number of entries
    /// that are not games.
    ///
    /// # Errors
    /// Fails if the statistics file cannot be written, or if `bytes` are another kind of document.
    pub fn import(&mut self, bytes: &[u8]) -> io::Result<(usize, usize)> {
        let (read, damaged) = match serde_json::from_slice::<GamesDocument>(bytes) {
            Ok(document) => document.games()?,
            Err(_) => read_lines(bytes),
        };
        let known: HashSet<_> = self.games.iter().map(Record::key).collect();
        let new: Vec<Record> =
            merged(read).into_iter().filter(|game| !known.contains(&game.key())).collect();
        let lines: String = new.iter().map(write_line).collect();
        let added = new.len();
        self.games.extend(new);
        self.games = merged(std::mem::take(&mut self.games));
        self.append(&lines)?;
        Ok((added, damaged))
    }

    /// Returns the games as a document that the page and [`import`](Self::import) read.
    pub fn export(&self) -> String {
        let games: Vec<String> = self.games.iter().map(write_game).collect();
        format!(
            "{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\"games\":[\n{}\n]}}\n",
            games.join(",\n")
        )
    }

    /// Makes sure that games can be saved; a file that does not exist is created.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn check_writable(&self) -> io::Result<()> {
        self.path.as_deref().map_or(Ok(()), |path| open_to_append(path).map(drop))
    }

    fn append(&self, lines: &str) -> io::Result<()> {
        let Some(path) = self.path.as_deref().filter(|_| !lines.is_empty()) else {
            return Ok(());
        };
        let mut file = open_to_append(path)?;
        // A line that was not completed stays a line of its own.
        let between = if ends_within_line(&mut file)? { "\n" } else { "" };
        file.write_all(format!("{between}{lines}").as_bytes())?;
        file.sync_data()
    }
}

fn open_to_append(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    OpenOptions::new().read(true).append(true).create(true).open(path)
}

fn ends_within_line(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// The version of that format.
const VERSION: u64 = 1;

/// A document of games.
#[derive(Deserialize)]
struct GamesDocument {
    format: String,
    version: u64,
    games: Vec<serde_json::Value>,
}

impl GamesDocument {
    /// Returns the games, and the number of entries that are none.
    fn games(self) -> io::Result<(Vec<Record>, usize)> {
        if self.format != FORMAT || self.version != VERSION {
            let Self { format, version, .. } = self;
            let what = format!("its format is {} {version}", taquin::excerpt(&format));
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        let entries = self.games.len();
        let read = |value| serde_json::from_value(value).ok().filter(is_game);
        let games: Vec<Record> = self.games.into_iter().filter_map(read).collect();
        let damaged = entries - games.len();
        Ok((games, damaged))
    }
}

fn is_game(game: &Record) -> bool {
    game.check().is_some()
}

/// Returns each game once, as it was written last, the oldest first.
fn merged(games: Vec<Record>) -> Vec<Record> {
    let mut latest: HashMap<_, Record> = HashMap::new();
    for game in games {
        latest.insert(game.key(), game);
    }
    let mut games: Vec<Record> = latest.into_values().collect();
    games.sort_by_cached_key(Record::key);
    games
}

/// Returns the games in the lines, and the number of other lines.
fn read_lines(bytes: &[u8]) -> (Vec<Record>, usize) {
    let mut damaged = 0;
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let games = lines
        .filter(|line| !line.is_empty())
        .filter_map(|line| {
            let game = str::from_utf8(line).ok().and_then(read_line);
            damaged += usize::from(game.is_none());
            game
        })
        .collect();
    (games, damaged)
}

/// Reads a line; the checksum may be missing, as in lines that another program wrote.
fn read_line(line: &str) -> Option<Record> {
    let game = match line.rsplit_once(MARK) {
        Some((before, check)) => {
            let text = format!("{before}}}");
            if check.strip_suffix("\"}")? != checksum(&text) {
                return None;
            }
            serde_json::from_str(&text).ok()?
        }
        None => serde_json::from_str(line).ok()?,
    };
    Some(game).filter(is_game)
}

fn write_game(game: &Record) -> String {
    serde_json::to_string(game).expect("numbers and texts are JSON")
}

fn write_line(game: &Record) -> String {
    let text = write_game(game);
    let (before, _) = text.split_at(text.len() - 1);
    format!("{before}{MARK}{}\"}}\n", checksum(&text))
}

/// Returns the 32-bit FNV-1a hash of a text, as eight hexadecimal digits.
fn checksum(text: &str) -> String {
    let step = |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    format!("{:08x}", text.bytes().fold(0x811c_9dc5, step))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn game(at: u64, seconds: f64) -> Record {
        Record {
            at: format!("2026-11-16T12:00:00.{at:03}Z"),
            rows: 2,
            cols: 2,
            start: vec![1, 2, 0, 3],
            goal: vec![1, 2, 3, 0],
            draw: "uniform".to_owned(),
            seconds: Some(seconds),
            made: "R".to_owned(),
            aided: false,
            needed: None,
        }
    }

    fn file(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("taquin-play-{}", std::process::id()));
        let path = folder.join(name).join("play.jsonl");
        drop(fs::remove_file(&path));
        path
    }

    #[test]
    fn the_checksum_is_the_published_one() {
        assert_eq!([checksum(""), checksum("foobar")], ["811c9dc5", "bf9cf968"]);
    }

    #[test]
    fn games_are_read_as_they_were_written() {
        let path = file("round");
        let mut history = History::open(&path).unwrap();
        assert!(history.games().is_empty());
        history.add(game(1, 0.5)).unwrap();
        history.add(Record { aided: true, ..game(2, 62.25) }).unwrap();
        history.add(Record { seconds: None, made: String::new(), ..game(3, 0.0) }).unwrap();
        // Later knowledge replaces earlier lines.
        history.add(Record { needed: Some(1), ..game(1, 0.5) }).unwrap();
        assert_eq!((history.games().len(), history.games()[0].needed), (3, Some(1)));
        let again = History::open(&path).unwrap();
        assert_eq!((again.games(), again.damaged()), (history.games(), 0));
    }

    #[test]
    fn a_file_that_is_cut_anywhere_loses_the_last_game_at_most() {
        let whole = write_line(&game(1, 0.5)) + &write_line(&game(2, 0.75));
        let first = write_line(&game(1, 0.5)).len();
        let path = file("cut");
        for end in 0..=whole.len() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &whole[..end]).unwrap();
            let mut history = History::open(&path).unwrap();
            let complete = usize::from(end + 1 >= first) + usize::from(end + 1 >= whole.len());
            assert_eq!(history.games().len(), complete, "cut at {end}");
            history.add(game(3, 1.0)).unwrap();
            let again = History::open(&path).unwrap();
            assert_eq!((again.games(), again.damaged()), (history.games(), history.damaged()));
            assert!(fs::read_to_string(&path).unwrap().starts_with(&whole[..end]), "it is kept");
        }
    }

    #[test]
    fn every_changed_character_is_found() {
        let line = write_line(&game(7, 12.34));
        for at in 0..line.len() - 1 {
            let mut bytes = line.clone().into_bytes();
            bytes[at] ^= 1;
            let (games, damaged) = read_lines(&bytes);
            assert!(games.is_empty() && damaged > 0, "{}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn only_games_are_read() {
        let text = |game: &Record| write_game(game);
        let lines = [
            text(&game(1, 2.0)),
            text(&Record { made: String::new(), seconds: None, ..game(2, 2.0) }),
            text(&Record { made: "L".to_owned(), ..game(1, 2.0) }),
            text(&Record { made: String::new(), ..game(1, 2.0) }),
            text(&Record { seconds: Some(-1.0), ..game(1, 2.0) }),
            text(&Record { rows: 3, ..game(1, 2.0) }),
            text(&Record { draw: "depth x".to_owned(), ..game(1, 2.0) }),
            text(&Record { at: "a\u{1b}[2J".to_owned(), ..game(1, 2.0) }),
            text(&Record { needed: Some(2), ..game(1, 2.0) }),
            "{}".to_owned(),
            "[1, 2]".to_owned(),
        ];
        let (games, damaged) = read_lines(lines.join("\n").as_bytes());
        assert_eq!((games.len(), damaged), (2, 9));
        assert_eq!(read_lines(b"\xff\xfe\n\0\n"), (Vec::new(), 2));
    }

    #[test]
    fn games_are_imported_once() {
        let path = file("import");
        let mut history = History::open(&path).unwrap();
        history.add(game(2, 0.5)).unwrap();
        let other = write_line(&game(2, 0.5)) + &write_line(&game(1, 0.75)) + "x\n";
        assert_eq!(history.import(other.as_bytes()).unwrap(), (1, 1));
        assert_eq!(history.import(other.as_bytes()).unwrap(), (0, 1));
        let again = History::open(&path).unwrap();
        assert_eq!(again.games(), [game(1, 0.75), game(2, 0.5)]);
        // An exported file can be imported.
        let mut third = History::unsaved();
        assert_eq!(third.import(again.export().as_bytes()).unwrap(), (2, 0));
        assert_eq!(third.games(), again.games());
        assert_eq!(History::unsaved().export().lines().count(), 3);
    }

    /// A file that the page wrote, and one of another kind.
    #[test]
    fn the_games_of_the_page_are_read() {
        let page = r#"{
 "format": "taquin-games",
 "version": 1,
 "games": [
  { "at": "2026-11-16T12:00:00.000Z", "rows": 2, "cols": 2, "start": [0, 1, 3, 2],
    "goal": [1, 2, 3, 0], "draw": "depth 2", "seconds": 1.5, "made": "RD", "aided": false,
    "needed": 2 },
  { "at": "2026-11-16T12:01:00.000Z", "rows": 2, "cols": 2, "start": [0, 1, 3, 2],
    "goal": [1, 2, 3, 0], "draw": "uniform", "seconds": null, "made": "R", "aided": true },
  { "at": 7 }
 ]
}
"#;
        let mut history = History::unsaved();
        assert_eq!(history.import(page.as_bytes()).unwrap(), (2, 1));
        assert_eq!(history.games()[0].needed, Some(2));
        let other = page.replace("\"version\": 1", "\"version\": 2");
        let error = history.import(other.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), "its format is taquin-games 2");
    }
}
