//! The tables of whole spaces as files: a header of one page, then the words as they are in memory.
//!
//! The way home is read off the table, and its length is claimed to be the least: every load reads
//! every byte and compares the checksums, at some gigabytes a second.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};
use taquin_tiles::{Board, Size};
use xxhash_rust::xxh3::xxh3_64;

use crate::file::{FileError, FileFault, keep};
use crate::header::{self, Beginning};
use crate::map::Map;
use crate::store::TableStore;

use super::Metric;
use super::index::{Index, Shape, words};
use super::table::Table;

const MAGIC: [u8; 8] = *b"taquinWS";

/// The most depths that a file has room for; no space that fits into a memory has as many.
const DEPTHS: usize = 480;

/// The first page of a file, in the byte order of the machine that wrote it.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    beginning: Beginning,
    rows: u16,
    cols: u16,
    metric: u32,
    /// The goal cells of the blanks, a bit for each.
    blanks: u64,
    /// The number of words.
    words: u64,
    depths: [u64; DEPTHS],
    unused: [u64; 25],
    checksum: u64,
    /// The checksum of the header up to here.
    own_checksum: u64,
}

const _: () = assert!(size_of::<Header>() == 4096, "the words begin on a page of their own");

/// The ending of the files' names.
pub(crate) const EXTENSION: &str = "space";

/// Where a store has the table of a goal. The names of the tiles do not matter, only the blanks'
/// cells.
pub fn path(store: &TableStore, goal: &Board, metric: Metric) -> PathBuf {
    let name = match goal.size().cells() {
        ..=64 => {
            let shape = Shape::of(goal);
            format!("{}-blank-{}-{metric}.{EXTENSION}", shape.size, shape.blank_cells())
        }
        // There is none, and never will be.
        _ => format!("{}-{metric}.{EXTENSION}", goal.size()),
    };
    store.folder().join(name)
}

/// Loads the table of a goal, mapped into memory.
///
/// # Errors
/// Fails unless the file is the table of this goal and every byte is as it was written.
pub fn load(path: &Path, goal: &Board, metric: Metric) -> Result<Table, FileError> {
    read(path, goal, metric).map_err(|fault| fault.at(path))
}

fn read(path: &Path, goal: &Board, metric: Metric) -> Result<Table, FileFault> {
    let file = File::open(path)?;
    let header: Header = header::read(&file, MAGIC)?;
    // What the file must be is known from the goal; nothing is believed of what it says.
    let index = Index::new(goal, u64::MAX).map_err(|_| FileFault::Goal)?;
    if header_of(&index, metric) != about(&header) {
        return Err(FileFault::Goal);
    }
    let bytes = index.words() * size_of::<u64>();
    has_length(&file, index.words())?;
    let map = Map::new(&file, size_of::<Header>(), bytes)?;
    if xxh3_64(&map) != header.checksum {
        return Err(FileFault::Entries);
    }
    Ok(Table::mapped(index, metric, depths(&header), map))
}

fn has_length(file: &File, words: usize) -> Result<(), FileFault> {
    let expected = (size_of::<Header>() + words * size_of::<u64>()) as u64;
    match file.metadata()?.len() {
        found if found == expected => Ok(()),
        found => Err(FileFault::Length { expected, found }),
    }
}

fn depths(header: &Header) -> Vec<u64> {
    header.depths.iter().copied().take_while(|&states| states > 0).collect()
}

/// What a file's header tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpaceInfo {
    /// Where the file is.
    pub path: PathBuf,
    /// A goal with its blanks there; how its tiles are called does not matter.
    pub goal: Board,
    /// What counts as one move.
    pub metric: Metric,
    /// How many boards are 0, 1, .. moves away.
    pub depths: Vec<u64>,
    /// The length of the file.
    pub bytes: u64,
}

/// Reads what a file's header tells.
///
/// # Errors
/// Fails unless the file is a sound table, as far as its header and length tell.
pub fn info(path: &Path) -> Result<SpaceInfo, FileError> {
    let info = || {
        let file = File::open(path)?;
        let header: Header = header::read(&file, MAGIC)?;
        let goal = goal_of(&header).ok_or(FileFault::Header)?;
        let words = words(&goal).filter(|&words| words as u64 == header.words);
        has_length(&file, words.ok_or(FileFault::Header)?)?;
        let metric = if header.metric == 0 { Metric::Single } else { Metric::Multi };
        let (path, bytes) = (path.to_owned(), file.metadata()?.len());
        Ok(SpaceInfo { path, goal, metric, depths: depths(&header), bytes })
    };
    info().map_err(|fault: FileFault| fault.at(path))
}

/// Reads a whole file and compares it with its checksums.
///
/// # Errors
/// Fails unless every byte is as it was written.
pub fn verify(path: &Path) -> Result<SpaceInfo, FileError> {
    let info = info(path)?;
    load(path, &info.goal, info.metric).map(|_| info)
}

/// A goal with the blanks that a header tells of, and with its tiles in their order.
fn goal_of(header: &Header) -> Option<Board> {
    let size = Size::new(header.rows.into(), header.cols.into()).ok()?;
    let cells = size.cells();
    if cells > 64 || header.blanks == 0 || (cells < 64 && header.blanks >> cells != 0) {
        return None;
    }
    let mut tiles = 1..;
    let tile = |cell: usize| match header.blanks >> cell & 1 {
        0 => tiles.next().unwrap_or(0),
        _ => 0,
    };
    Board::new(size, (0..cells).map(tile).collect()).ok()
}

/// Writes a table; the folder is made if it is not there.
///
/// # Errors
/// Fails if the system does, or if what is read back is not what was written; then nothing is left.
pub fn save(path: &Path, table: &Table) -> Result<(), FileError> {
    let index = table.index();
    let mut header = header_of(index, table.metric());
    let Some(depths) = header.depths.get_mut(..table.depths().len()) else {
        let fault = io::Error::other("a file has no room for so many depths");
        return Err(FileFault::Io(fault).at(path));
    };
    depths.copy_from_slice(table.depths());
    header.checksum = xxh3_64(table.bytes());
    header::seal(&mut header);
    keep(path, &[bytemuck::bytes_of(&header), table.bytes()], |path| {
        read(path, index.goal(), table.metric()).map(|_| ())
    })
}

/// What the header of a table says it is about.
fn header_of(index: &Index, metric: Metric) -> Header {
    let Shape { size, blanks } = Shape::of(index.goal());
    Header {
        beginning: Beginning::new(MAGIC),
        rows: size.rows() as u16,
        cols: size.cols() as u16,
        metric: u32::from(metric == Metric::Multi),
        blanks,
        words: index.words() as u64,
        ..Header::zeroed()
    }
}

/// A header without what it says of the distances.
fn about(header: &Header) -> Header {
    let &Header { beginning, rows, cols, metric, blanks, words, .. } = header;
    Header { beginning, rows, cols, metric, blanks, words, ..Header::zeroed() }
}

impl PartialEq for Header {
    fn eq(&self, other: &Self) -> bool {
        bytemuck::bytes_of(self) == bytemuck::bytes_of(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_makes_no_sense_is_refused_at_once() {
        let path = std::env::temp_dir().join(format!("taquin-odd-{}.space", std::process::id()));
        let header = Header { beginning: Beginning::new(MAGIC), ..Header::zeroed() };
        let half = u64::from(u32::MAX);
        for (rows, cols, blanks, words) in [
            (0, 3, 1, 0),
            (3, 3, 0, 0),
            (3, 3, 1 << 9, 6),
            (3, 3, 1, 1),
            (9, 9, 1, 6),
            (8, 8, half, 6),
            (8, 8, u64::MAX, u64::MAX),
            (u16::MAX, u16::MAX, 1, 6),
        ] {
            let mut header = Header { rows, cols, blanks, words, ..header };
            header::seal(&mut header);
            std::fs::write(&path, bytemuck::bytes_of(&header)).unwrap();
            let fault = info(&path).unwrap_err().fault;
            assert!(matches!(fault, FileFault::Header), "{rows}x{cols}: {fault}");
            assert!(verify(&path).is_err());
        }
        std::fs::remove_file(&path).unwrap();
    }
}
