//! Pattern databases as files: a header of one page, then the entries as they are in memory.
//!
//! The header says what the table is about, so that a file never serves for another table, and ends
//! with checksums of the entries and of itself. Every load checks the header, what it is about and
//! the length; [`verify`] reads every byte. A file is written under a temporary name beside its
//! place, read back, and renamed: at its place there is never half a table, and of two processes that
//! write the same table the later one replaces the earlier one's with the same bytes.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};
use taquin_tiles::Size;
use xxhash_rust::xxh3::xxh3_64;

use crate::database::{Database, Entries, Width};
use crate::header::{self, Beginning, VERSION};
use crate::map::Map;
use crate::pattern::{Pattern, Shape};
use crate::ranking::Ranking;
use crate::replace::replace;

const MAGIC: [u8; 8] = *b"taquinPD";

/// The first page of a file, in the byte order of the machine that wrote it.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    beginning: Beginning,
    rows: u16,
    cols: u16,
    /// The bits of an entry: 4 or 8.
    width: u32,
    /// The goal cells of the blanks, a bit for each.
    blanks: u64,
    /// The goal cells of the tiles, a bit for each.
    cells: u64,
    entries: u64,
    histogram: [u64; 255],
    unused: [u64; 249],
    checksum: u64,
    /// The checksum of the header up to here.
    own_checksum: u64,
}

const _: () = assert!(size_of::<Header>() == 4096, "the entries begin on a page of their own");

/// What a file's header tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableInfo {
    /// Where the file is.
    pub path: PathBuf,
    /// What the table is about.
    pub shape: Shape,
    /// How many bits an entry takes.
    pub width: Width,
    /// The number of entries.
    pub entries: u64,
    /// The length of the file.
    pub bytes: u64,
    /// How many placements have the value 0, 1, ..
    pub histogram: Vec<u64>,
    checksum: u64,
}

/// Why a file does not serve as a table.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub fault: FileFault,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileFault {
    /// The system says no.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("not a table of this program")]
    Foreign,
    /// It was written by another version of the program.
    #[error("a table of format {found}; this program reads format {VERSION}")]
    Version {
        /// The version of its format.
        found: u32,
    },
    /// It was written on a machine with another byte order.
    #[error("a table written on a machine with the other byte order")]
    ByteOrder,
    /// Its header has been altered.
    #[error("the header is damaged")]
    Header,
    /// It is about something else.
    #[error("a table for {found}, not for {wanted}")]
    Shape {
        /// What it is about.
        found: Shape,
        /// What was looked for.
        wanted: Shape,
    },
    /// It is a whole space's, and about something else.
    #[error("a table for another goal or metric")]
    Goal,
    /// It has been cut, or something has been added.
    #[error("{found} bytes long instead of {expected}")]
    Length {
        /// The length that its header asks for.
        expected: u64,
        /// Its length.
        found: u64,
    },
    /// Its entries have been altered.
    #[error("the entries are damaged")]
    Entries,
}

impl FileFault {
    /// The fault of a file.
    pub(crate) fn at(self, path: &Path) -> FileError {
        FileError { path: path.to_owned(), fault: self }
    }

    /// Whether there is no such file.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// Loads the table of a pattern, without reading its entries.
///
/// # Errors
/// Fails unless the file is a sound table for this pattern, as far as its header and length tell.
pub fn load(path: &Path, pattern: Pattern) -> Result<Database, FileError> {
    let load = || {
        let file = File::open(path)?;
        let info = read_info(path, &file)?;
        if info.shape != pattern.shape() {
            return Err(FileFault::Shape { found: info.shape, wanted: pattern.shape() });
        }
        let entries = Entries::mapped(info.width, map_entries(&file, &info)?);
        Ok(Database::new(pattern, entries, info.histogram))
    };
    load().map_err(|fault| fault.at(path))
}

/// Reads what a file's header tells.
///
/// # Errors
/// Fails unless the file is a sound table, as far as its header and length tell.
pub fn info(path: &Path) -> Result<TableInfo, FileError> {
    let info = || read_info(path, &File::open(path)?);
    info().map_err(|fault| fault.at(path))
}

/// Reads a whole file and compares it with its checksums.
///
/// # Errors
/// Fails unless every byte is as it was written.
pub fn verify(path: &Path) -> Result<TableInfo, FileError> {
    let verify = || {
        let file = File::open(path)?;
        let info = read_info(path, &file)?;
        match xxh3_64(&map_entries(&file, &info)?) == info.checksum {
            true => Ok(info),
            false => Err(FileFault::Entries),
        }
    };
    verify().map_err(|fault| fault.at(path))
}

/// Writes a table; the folder is made if it is not there.
///
/// # Errors
/// Fails if the system does, or if what is read back is not what was written; then nothing is left.
pub fn save(path: &Path, database: &Database) -> Result<(), FileError> {
    let header = header_of(database);
    keep(path, &[bytemuck::bytes_of(&header), database.entries()], |path| {
        verify(path).map_err(|error| error.fault).map(|_| ())
    })
}

/// Puts a table at its place, if it is read back as it was written; makes the folder if need be.
pub(crate) fn keep(
    path: &Path,
    parts: &[&[u8]],
    check: impl FnOnce(&Path) -> Result<(), FileFault>,
) -> Result<(), FileError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(folder).map_err(FileFault::from);
    written.and_then(|()| replace(path, parts, check)).map_err(|fault| fault.at(path))
}

fn map_entries(file: &File, info: &TableInfo) -> io::Result<Map> {
    Map::new(file, size_of::<Header>(), info.width.bytes(info.entries as usize))
}

fn header_of(database: &Database) -> Header {
    let shape = database.pattern().shape();
    let mut header = Header {
        beginning: Beginning::new(MAGIC),
        rows: shape.size().rows() as u16,
        cols: shape.size().cols() as u16,
        width: match database.width() {
            Width::Nibble => 4,
            Width::Byte => 8,
        },
        blanks: shape.blanks(),
        cells: shape.cells(),
        entries: database.pattern().ranking().placements() as u64,
        checksum: xxh3_64(database.entries()),
        ..Header::zeroed()
    };
    for (count, known) in header.histogram.iter_mut().zip(database.histogram()) {
        *count = *known;
    }
    header::seal(&mut header);
    header
}

fn read_info(path: &Path, file: &File) -> Result<TableInfo, FileFault> {
    let header: Header = header::read(file, MAGIC)?;
    let length = file.metadata()?.len();
    let size = Size::new(header.rows.into(), header.cols.into()).ok();
    let shape = size.and_then(|size| Shape::new(size, header.blanks, header.cells));
    let width = match header.width {
        4 => Some(Width::Nibble),
        8 => Some(Width::Byte),
        _ => None,
    };
    // A header with the right checksum that makes no sense was not written by this program.
    let (Some(shape), Some(width)) = (shape, width) else { return Err(FileFault::Header) };
    let entries = Ranking::count(shape.size().cells(), shape.tiles());
    if entries.map(|entries| entries as u64) != Some(header.entries) {
        return Err(FileFault::Header);
    }
    let expected = (size_of::<Header>() + width.bytes(header.entries as usize)) as u64;
    if length != expected {
        return Err(FileFault::Length { expected, found: length });
    }
    let last = header.histogram.iter().rposition(|&count| count > 0).unwrap_or(0);
    Ok(TableInfo {
        path: path.to_owned(),
        shape,
        width,
        entries: header.entries,
        bytes: length,
        histogram: header.histogram[..=last].to_vec(),
        checksum: header.checksum,
    })
}
