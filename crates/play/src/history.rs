//! The file of statistics: one solved game a line, as JSON, only ever appended to.
//!
//! A line is written by one call and has a checksum, so that a program that is killed, a full disk
//! or two games at once can damage the last line at most. A line that cannot be read is counted and
//! stays in the file.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::statistics::Solve;

/// The games of a file, in its order.
#[derive(Clone, Debug)]
pub struct History {
    path: Option<PathBuf>,
    solves: Vec<Solve>,
    damaged: usize,
}

/// What precedes the checksum.
const MARK: &str = ",\"check\":\"";

/// The most bytes of a file that are read: millions of games.
const MOST_BYTES: u64 = 1 << 30;

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
        Self { path: None, solves: Vec::new(), damaged: 0 }
    }

    /// Reads a file; it need not exist.
    ///
    /// # Errors
    /// Fails if the file exists and cannot be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut bytes = Vec::new();
        match File::open(path) {
            Ok(file) => drop(file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        if bytes.len() as u64 > MOST_BYTES {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the file is too large"));
        }
        let (solves, damaged) = read(&bytes);
        Ok(Self { path: Some(path.to_owned()), solves, damaged })
    }

    /// Returns the file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the games.
    pub fn solves(&self) -> &[Solve] {
        &self.solves
    }

    /// Returns the number of lines that could not be read.
    pub const fn damaged(&self) -> usize {
        self.damaged
    }

    /// Adds a game, and writes it to the disk before it returns.
    ///
    /// # Errors
    /// Fails if the file cannot be written. The game is in the history all the same.
    pub fn add(&mut self, solve: Solve) -> io::Result<()> {
        let line = write_line(&solve);
        self.solves.push(solve);
        self.append(&line)
    }

    /// Adds the games of `bytes` that are not here yet; returns their number, and the number of lines
    /// that could not be read.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn import(&mut self, bytes: &[u8]) -> io::Result<(usize, usize)> {
        let (read, damaged) = read(bytes);
        let mut known: HashSet<String> = self.solves.iter().map(write_line).collect();
        let mut lines = String::new();
        let mut added = 0;
        for solve in read {
            let line = write_line(&solve);
            if known.insert(line.clone()) {
                lines += &line;
                self.solves.push(solve);
                added += 1;
            }
        }
        self.append(&lines)?;
        Ok((added, damaged))
    }

    /// Returns the games as the lines of a file.
    pub fn export(&self) -> String {
        self.solves.iter().map(write_line).collect()
    }

    fn append(&self, lines: &str) -> io::Result<()> {
        let Some(path) = self.path.as_deref().filter(|_| !lines.is_empty()) else {
            return Ok(());
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        // A line that was not completed stays a line of its own.
        let between = if ends_within_line(&mut file)? { "\n" } else { "" };
        file.write_all(format!("{between}{lines}").as_bytes())?;
        file.sync_data()
    }
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

/// Returns the games of a file, and the number of lines that are none.
fn read(bytes: &[u8]) -> (Vec<Solve>, usize) {
    let mut damaged = 0;
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let solves = lines
        .filter(|line| !line.is_empty())
        .filter_map(|line| {
            let solve = str::from_utf8(line).ok().and_then(read_line);
            damaged += usize::from(solve.is_none());
            solve
        })
        .collect();
    (solves, damaged)
}

/// Reads a line; the checksum may be missing, as in lines that another program wrote.
fn read_line(line: &str) -> Option<Solve> {
    let solve: Solve = match line.rsplit_once(MARK) {
        Some((before, check)) => {
            let text = format!("{before}}}");
            if check.strip_suffix("\"}")? != checksum(&text) {
                return None;
            }
            serde_json::from_str(&text).ok()?
        }
        None => serde_json::from_str(line).ok()?,
    };
    solve.check().map(|_| solve)
}

fn write_line(solve: &Solve) -> String {
    let text = serde_json::to_string(solve).expect("numbers and texts are JSON");
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

    fn solve(at: u64, milliseconds: u64) -> Solve {
        Solve {
            at,
            rows: 2,
            cols: 2,
            start: vec![1, 2, 0, 3],
            goal: vec![1, 2, 3, 0],
            drawn: "uniform".to_owned(),
            moves: "L".to_owned(),
            milliseconds,
            assisted: false,
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
        assert!(history.solves().is_empty());
        history.add(solve(1, 100)).unwrap();
        history.add(Solve { assisted: true, ..solve(2, 62_340) }).unwrap();
        let again = History::open(&path).unwrap();
        assert_eq!((again.solves(), again.damaged()), (history.solves(), 0));
        assert_eq!(fs::read_to_string(&path).unwrap(), again.export());
    }

    #[test]
    fn a_file_that_is_cut_anywhere_loses_the_last_game_at_most() {
        let whole = write_line(&solve(1, 500)) + &write_line(&solve(2, 750));
        let first = write_line(&solve(1, 500)).len();
        let path = file("cut");
        for end in 0..=whole.len() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &whole[..end]).unwrap();
            let mut history = History::open(&path).unwrap();
            let complete = usize::from(end + 1 >= first) + usize::from(end + 1 >= whole.len());
            assert_eq!(history.solves().len(), complete, "cut at {end}");
            history.add(solve(3, 1_000)).unwrap();
            let again = History::open(&path).unwrap();
            assert_eq!((again.solves(), again.damaged()), (history.solves(), history.damaged()));
            assert!(fs::read_to_string(&path).unwrap().starts_with(&whole[..end]), "it is kept");
        }
    }

    #[test]
    fn every_changed_character_is_found() {
        let line = write_line(&solve(7, 12_340));
        for at in 0..line.len() - 1 {
            let mut bytes = line.clone().into_bytes();
            bytes[at] ^= 1;
            let (solves, damaged) = read(&bytes);
            assert!(solves.is_empty() && damaged > 0, "{}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn only_solutions_are_games() {
        let lines = [
            serde_json::to_string(&solve(1, 2_000)).unwrap(),
            serde_json::to_string(&Solve { moves: "U".to_owned(), ..solve(1, 2_000) }).unwrap(),
            serde_json::to_string(&Solve { rows: 3, ..solve(1, 2_000) }).unwrap(),
            "{}".to_owned(),
            "[1, 2]".to_owned(),
        ];
        let (solves, damaged) = read(lines.join("\n").as_bytes());
        assert_eq!((solves.len(), damaged), (1, 4));
        assert_eq!(read(b"\xff\xfe\n\0\n"), (Vec::new(), 2));
    }

    #[test]
    fn games_are_imported_once() {
        let path = file("import");
        let mut history = History::open(&path).unwrap();
        history.add(solve(1, 500)).unwrap();
        let other = write_line(&solve(1, 500)) + &write_line(&solve(2, 750)) + "x\n";
        assert_eq!(history.import(other.as_bytes()).unwrap(), (1, 1));
        assert_eq!(history.import(other.as_bytes()).unwrap(), (0, 1));
        assert_eq!(History::open(&path).unwrap().solves().len(), 2);
    }
}
