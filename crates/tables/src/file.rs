//! Table files: a header of one page, then the content as it is in memory.
//!
//! The header describes the table, so that a file is never used as another table, and contains
//! checksums of the content and of itself. Opening a file checks the header, its description and
//! the length of the file; [`TableFile::verify`] reads every byte. A file is written under a
//! temporary name, read back and renamed, so that no reader ever sees half a table. If two
//! processes write the same table, the later one replaces the file with the same bytes.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use crate::fs::replace_file;
use crate::map::Map;
use crate::pattern::Shape;

/// An open table file whose content is described by `D`.
pub(crate) struct TableFile<D> {
    pub(crate) description: D,
    pub(crate) content: Map,
    /// The length of the file.
    pub(crate) bytes: u64,
    checksum: u64,
}

/// The part of a header that describes a table of one kind.
pub(crate) trait Description: Pod {
    /// The first bytes of a file of this kind.
    const MAGIC: [u8; 8];

    /// Returns the length of the content in bytes, or `None` if there is no such table.
    fn content_length(&self) -> Option<usize>;
}

/// The length of a header, so that the content begins on a page of its own.
const PAGE: usize = 4096;

/// The length of a [`Description`].
pub(crate) const DESCRIPTION: usize = PAGE - size_of::<Preamble>() - 2 * CHECKSUM;

const CHECKSUM: usize = size_of::<u64>();

const VERSION: u32 = 1;

/// Reads as another number on a machine with the other byte order.
const BYTE_ORDER: u32 = 0x0102_0304;

/// The beginning of a header, in the byte order of the machine that wrote it.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Preamble {
    magic: [u8; 8],
    version: u32,
    byte_order: u32,
}

impl<D: Description> TableFile<D> {
    /// Opens a file and maps its content into memory without reading it.
    pub(crate) fn open(path: &Path) -> Result<Self, FileFault> {
        let mut file = File::open(path)?;
        let mut page = [0; PAGE];
        match file.read_exact(&mut page) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(FileFault::Foreign);
            }
            read => read?,
        }
        let (rest, own_checksum) = page.split_at(PAGE - CHECKSUM);
        let (preamble, rest) = rest.split_at(size_of::<Preamble>());
        let (description, checksum) = rest.split_at(DESCRIPTION);
        match bytemuck::pod_read_unaligned(preamble) {
            Preamble { magic, .. } if magic != D::MAGIC => return Err(FileFault::Foreign),
            Preamble { byte_order, .. } if byte_order == BYTE_ORDER.swap_bytes() => {
                return Err(FileFault::ByteOrder);
            }
            Preamble { version: found, .. } if found != VERSION => {
                return Err(FileFault::Version(found));
            }
            _ if own_checksum != checksum_of(&page[..PAGE - CHECKSUM]) => {
                return Err(FileFault::Header);
            }
            _ => {}
        }
        // A header with the right checksum that makes no sense was not written by this program.
        let description: D = bytemuck::pod_read_unaligned(description);
        let length = description.content_length().ok_or(FileFault::Header)?;
        let (expected, bytes) = ((PAGE + length) as u64, file.metadata()?.len());
        if bytes != expected {
            return Err(FileFault::Length { expected, found: bytes });
        }
        let content = Map::new(&file, PAGE, length)?;
        let checksum = bytemuck::pod_read_unaligned(checksum);
        Ok(Self { description, content, bytes, checksum })
    }

    /// Compares the content with its checksum.
    pub(crate) fn verify(&self) -> Result<(), FileFault> {
        match xxh3_64(&self.content) == self.checksum {
            true => Ok(()),
            false => Err(FileFault::Entries),
        }
    }

    /// Writes a file and verifies it. Creates the folder if it does not exist.
    pub(crate) fn save(path: &Path, description: &D, content: &[u8]) -> Result<(), FileError> {
        let preamble = Preamble { magic: D::MAGIC, version: VERSION, byte_order: BYTE_ORDER };
        let parts = [bytemuck::bytes_of(&preamble), bytemuck::bytes_of(description)];
        let mut header = [parts[0], parts[1], &checksum_of(content)].concat();
        header.extend(checksum_of(&header));
        let folder = path.parent().unwrap_or(Path::new("."));
        let written = fs::create_dir_all(folder).map_err(FileFault::from);
        written
            .and_then(|()| replace_file(path, &[&header, content], |new| Self::open(new)?.verify()))
            .map_err(|fault| fault.at(path))
    }
}

fn checksum_of(bytes: &[u8]) -> [u8; CHECKSUM] {
    xxh3_64(bytes).to_ne_bytes()
}

/// A file that cannot be used as a table.
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
    /// The operating system reported an error.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is not a table.
    #[error("not a table of this program")]
    Foreign,
    /// It was written by another version of the program.
    #[error("a table of format {0}; this program reads format {VERSION}")]
    Version(u32),
    /// It was written on a machine with another byte order.
    #[error("a table written on a machine with the other byte order")]
    ByteOrder,
    /// The header has been altered.
    #[error("the header is damaged")]
    Header,
    /// It is the table of another pattern.
    #[error("a table for {found}, not for {wanted}")]
    Shape {
        /// The shape of its pattern.
        found: Shape,
        /// The shape that was looked for.
        wanted: Shape,
    },
    /// It is the table of a whole space with another goal or metric.
    #[error("a table for another goal or metric")]
    Goal,
    /// It has been cut, or something has been appended.
    #[error("{found} bytes long instead of {expected}")]
    Length {
        /// The length according to its header.
        expected: u64,
        /// Its length.
        found: u64,
    },
    /// The content has been altered.
    #[error("the entries are damaged")]
    Entries,
}

impl FileFault {
    pub(crate) fn at(self, path: &Path) -> FileError {
        FileError { path: path.to_owned(), fault: self }
    }

    /// Returns whether the file does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }
}
