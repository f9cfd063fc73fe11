//! The tables of whole spaces as files: a header of one page, then the words as they are in memory.
//!
//! The way home is read off the table, and its length is claimed to be the least: every load reads
//! every byte and compares the checksums, at some gigabytes a second.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};
use taquin_tiles::Board;
use xxhash_rust::xxh3::xxh3_64;

use crate::file::{BYTE_ORDER, FileError, FileFault, VERSION, replace};
use crate::map::Map;
use crate::store::Store;

use super::Metric;
use super::index::{Index, Shape};
use super::table::Table;

const MAGIC: [u8; 8] = *b"taquinWS";

/// The most depths that a file has room for; no space that fits into a memory has as many.
const DEPTHS: usize = 480;

/// The first page of a file, in the byte order of the machine that wrote it.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: u32,
    byte_order: u32,
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

impl Header {
    fn checksum(&self) -> u64 {
        let bytes = bytemuck::bytes_of(self);
        xxh3_64(&bytes[..bytes.len() - size_of::<u64>()])
    }
}

/// Where a store has the table of a goal. The names of the tiles do not matter, only the blanks'
/// cells.
pub fn path(store: &Store, goal: &Board, metric: Metric) -> PathBuf {
    let name = match goal.size().cells() {
        ..=64 => {
            let shape = Shape::of(goal);
            format!("{}-blank-{}-{metric}.space", shape.size, shape.blank_cells())
        }
        // There is none, and never will be.
        _ => format!("{}-{metric}.space", goal.size()),
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
    let mut file = File::open(path)?;
    let mut header = Header::zeroed();
    let short = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => FileFault::Foreign,
        _ => error.into(),
    };
    file.read_exact(bytemuck::bytes_of_mut(&mut header)).map_err(short)?;
    match header {
        Header { magic, .. } if magic != MAGIC => return Err(FileFault::Foreign),
        Header { byte_order, .. } if byte_order == BYTE_ORDER.swap_bytes() => {
            return Err(FileFault::ByteOrder);
        }
        Header { version: found, .. } if found != VERSION => {
            return Err(FileFault::Version { found });
        }
        _ if header.own_checksum != header.checksum() => return Err(FileFault::Header),
        _ => {}
    }
    // What the file must be is known from the goal; nothing is believed of what it says.
    let index = Index::new(goal, u64::MAX).map_err(|_| FileFault::Goal)?;
    if header_of(&index, metric) != about(&header) {
        return Err(FileFault::Goal);
    }
    let bytes = index.words() * size_of::<u64>();
    let (expected, found) = ((size_of::<Header>() + bytes) as u64, file.metadata()?.len());
    if found != expected {
        return Err(FileFault::Length { expected, found });
    }
    let map = Map::new(&file, size_of::<Header>(), bytes)?;
    if xxh3_64(&map) != header.checksum {
        return Err(FileFault::Entries);
    }
    let depths = header.depths.iter().copied().take_while(|&states| states > 0).collect();
    Ok(Table::mapped(index, metric, depths, map))
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
    header.own_checksum = header.checksum();
    replace(path, bytemuck::bytes_of(&header), table.bytes(), &|path| {
        read(path, index.goal(), table.metric()).map(|_| ())
    })
}

/// What the header of a table says it is about.
fn header_of(index: &Index, metric: Metric) -> Header {
    let Shape { size, blanks } = Shape::of(index.goal());
    Header {
        magic: MAGIC,
        version: VERSION,
        byte_order: BYTE_ORDER,
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
    let &Header { magic, version, byte_order, rows, cols, metric, blanks, words, .. } = header;
    Header { magic, version, byte_order, rows, cols, metric, blanks, words, ..Header::zeroed() }
}

impl PartialEq for Header {
    fn eq(&self, other: &Self) -> bool {
        bytemuck::bytes_of(self) == bytemuck::bytes_of(other)
    }
}
