//! Table files: a header page, the content as it is in memory, and checksums for its blocks.
//!
//! The header describes the table, so that a file is never used as another table. It also contains
//! a checksum over the blocks' checksums and one over itself. Opening a file checks the header, its
//! description and the file's length. [`TableFile::content`] reads every byte, block by block on
//! all threads. A file is written under a temporary name, read back and renamed, so that no reader
//! ever sees half a table. If two processes write the same table, the later one replaces the file
//! with the same bytes.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::automaton::AutomatonShape;
use crate::content::Content;
use crate::fs::{replace_file, replace_quickly};
use crate::pattern::Shape;

/// An open table file whose content is described by `D`.
pub(crate) struct TableFile<D> {
    pub(crate) description: D,
    /// The length of the file.
    pub(crate) bytes: u64,
    source: Source,
    /// The length of the content.
    length: usize,
    /// The checksum over the blocks' checksums.
    checksum: [u8; CHECKSUM],
}

/// The location of a table file's bytes.
enum Source {
    File(File),
    Bytes(Vec<u8>),
}

/// The part of a header that describes one kind of table.
pub(crate) trait Description: Pod {
    /// The first bytes of a file of this kind.
    const MAGIC: [u8; 8];
    /// The version of the format.
    const VERSION: u32;

    /// Returns the length of the content in bytes, or `None` if there is no such table.
    fn content_length(&self) -> Option<usize>;
}

/// The header's length. The content begins on a page of its own.
const PAGE: usize = 4096;

/// The length of a [`Description`].
pub(crate) const DESCRIPTION: usize = PAGE - size_of::<Preamble>() - 2 * CHECKSUM;

const CHECKSUM: usize = size_of::<u64>();

/// The bytes of a block: one that was read is still in the processor's cache when it is used.
const BLOCK: usize = 1 << 18;

/// The bytes of a small content.
const SMALL_BYTES: usize = 4 << 20;

/// The blocks of a table that is verified by one thread, since starting others takes longer.
const FEW_BLOCKS: usize = 8;

/// Reads as another number on a machine with the other byte order.
const BYTE_ORDER: u32 = 0x0102_0304;

/// The start of a header, in the byte order of the machine that wrote it.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Preamble {
    magic: [u8; 8],
    version: u32,
    byte_order: u32,
}

impl<D: Description> TableFile<D> {
    /// Opens a file without reading its content.
    pub(crate) fn open(path: &Path) -> Result<Self, FileFault> {
        let mut file = File::open(path)?;
        let mut page = [0; PAGE];
        match file.read_exact(&mut page) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(FileFault::Foreign);
            }
            read => read?,
        }
        let bytes = file.metadata()?.len();
        Self::new(&page, bytes, Source::File(file))
    }

    /// Takes the bytes of a file that is not in a folder, without reading the content.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<Self, FileFault> {
        let page = *bytes.first_chunk().ok_or(FileFault::Foreign)?;
        Self::new(&page, bytes.len() as u64, Source::Bytes(bytes))
    }

    fn new(page: &[u8; PAGE], bytes: u64, source: Source) -> Result<Self, FileFault> {
        let (rest, own_checksum) = page.split_at(PAGE - CHECKSUM);
        let (preamble, rest) = rest.split_at(size_of::<Preamble>());
        let (description, checksum) = rest.split_at(DESCRIPTION);
        match bytemuck::pod_read_unaligned(preamble) {
            Preamble { magic, .. } if magic != D::MAGIC => return Err(FileFault::Foreign),
            Preamble { byte_order, .. } if byte_order == BYTE_ORDER.swap_bytes() => {
                return Err(FileFault::ByteOrder);
            }
            Preamble { version: found, .. } if found != D::VERSION => {
                return Err(FileFault::Version { found, read: D::VERSION });
            }
            _ if own_checksum != checksum_of(&page[..PAGE - CHECKSUM]) => {
                return Err(FileFault::Header);
            }
            _ => {}
        }
        // A header with the right checksum that makes no sense was not written by this program.
        let description: D = bytemuck::pod_read_unaligned(description);
        let length = description.content_length().ok_or(FileFault::Header)?;
        let expected = (PAGE + length + blocks(length) * CHECKSUM) as u64;
        if bytes != expected {
            return Err(FileFault::Length { expected, found: bytes });
        }
        let checksum = bytemuck::pod_read_unaligned(checksum);
        Ok(Self { description, bytes, source, length, checksum })
    }

    /// Returns the content, after comparing every byte with the checksums.
    pub(crate) fn content(self) -> Result<Content, FileFault> {
        let Self { source, length, checksum, .. } = self;
        let content = match source {
            Source::File(mut file) => {
                let checksums = checksums_in(&mut file, length, checksum)?;
                Content::new(&file, PAGE, length, &checksums)?
            }
            Source::Bytes(mut bytes) => {
                let checksums = bytes.split_off(PAGE + length);
                if checksum_of(&checksums) != checksum {
                    return Err(FileFault::Entries);
                }
                bytes.drain(..PAGE);
                fits(&bytes, &checksums).then_some(Content::Copied(bytes))
            }
        };
        content.ok_or(FileFault::Entries)
    }

    /// Compares every byte with the checksums. Holds one block at a time, so that a table and its
    /// file do not take the memory twice.
    pub(crate) fn verify(self) -> Result<(), FileFault> {
        let Self { length, checksum, .. } = self;
        let mut file = match self.source {
            Source::File(file) => file,
            source @ Source::Bytes(_) => return Self { source, ..self }.content().map(drop),
        };
        let checksums = checksums_in(&mut file, length, checksum)?;
        let mut block = vec![0; BLOCK.min(length)];
        for (number, expected) in checksums.chunks_exact(CHECKSUM).enumerate() {
            let block = &mut block[..BLOCK.min(length - number * BLOCK)];
            file.read_exact(block)?;
            if checksum_of(block) != expected {
                return Err(FileFault::Entries);
            }
        }
        Ok(())
    }

    /// Writes a file, and verifies it if it is large: a small one is verified when it is read, and
    /// is built sooner than the disk has it. Creates the folder if it does not exist.
    pub(crate) fn save(path: &Path, description: &D, content: &[u8]) -> Result<(), FileError> {
        let (header, checksums) = Self::frame(description, content);
        let folder = path.parent().unwrap_or(Path::new("."));
        let written = fs::create_dir_all(folder).map_err(FileFault::from);
        let check = |new: &Path| Self::open(new)?.verify();
        let parts: [&[u8]; 3] = [&header, content, &checksums];
        written
            .and_then(|()| match content.len() <= SMALL_BYTES {
                true => Ok(replace_quickly(path, &parts)?),
                false => replace_file(path, &parts, check),
            })
            .map_err(|fault| fault.at(path))
    }

    /// Returns the bytes of a file.
    pub(crate) fn bytes(description: &D, content: &[u8]) -> Vec<u8> {
        let (header, checksums) = Self::frame(description, content);
        [&header, content, &checksums].concat()
    }

    /// Returns the header of a file and the checksums at its end.
    fn frame(description: &D, content: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let preamble = Preamble { magic: D::MAGIC, version: D::VERSION, byte_order: BYTE_ORDER };
        let parts = [bytemuck::bytes_of(&preamble), bytemuck::bytes_of(description)];
        let checksums = checksums_of(content);
        let mut header = [parts[0], parts[1], &checksum_of(&checksums)].concat();
        header.extend(checksum_of(&header));
        (header, checksums)
    }
}

/// Reads the checksums of a file's blocks, and goes to the first block.
fn checksums_in(
    file: &mut File,
    length: usize,
    expected: [u8; CHECKSUM],
) -> Result<Vec<u8>, FileFault> {
    let mut checksums = vec![0; blocks(length) * CHECKSUM];
    file.seek(SeekFrom::Start((PAGE + length) as u64))?;
    file.read_exact(&mut checksums)?;
    if checksum_of(&checksums) != expected {
        return Err(FileFault::Entries);
    }
    file.seek(SeekFrom::Start(PAGE as u64))?;
    Ok(checksums)
}

/// Returns whether a content has these checksums.
pub(crate) fn fits(content: &[u8], checksums: &[u8]) -> bool {
    match blocks(content.len()) <= FEW_BLOCKS {
        true => checksums_of(content) == checksums,
        false => {
            let blocks = content.par_chunks(BLOCK).zip(checksums.par_chunks_exact(CHECKSUM));
            blocks.all(|(block, expected)| checksum_of(block) == expected)
        }
    }
}

/// Returns how many blocks a content has.
const fn blocks(length: usize) -> usize {
    length.div_ceil(BLOCK)
}

/// Returns a checksum for each block.
fn checksums_of(content: &[u8]) -> Vec<u8> {
    content.chunks(BLOCK).flat_map(checksum_of).collect()
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
    /// The fault.
    #[source]
    pub fault: FileFault,
}

/// A fault in a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum FileFault {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("not a table of this program")]
    Foreign,
    #[error("a table of format {found}; this program reads format {read}")]
    Version { found: u32, read: u32 },
    #[error("a table written on a machine with the other byte order")]
    ByteOrder,
    #[error("the header is damaged")]
    Header,
    #[error("a table with the name of another: it should be called {0}")]
    Name(String),
    #[error("a table for {found}, not for {wanted}")]
    Shape { found: Shape, wanted: Shape },
    #[error("an automaton for {found}, not for {wanted}")]
    Automaton { found: AutomatonShape, wanted: AutomatonShape },
    #[error("a table for another goal or metric")]
    Goal,
    #[error("{found} bytes long instead of {expected}")]
    Length { expected: u64, found: u64 },
    #[error("the entries are damaged")]
    Entries,
}

impl FileFault {
    pub(crate) fn at(self, path: &Path) -> FileError {
        FileError { path: path.to_owned(), fault: self }
    }

    /// Returns whether the file does not exist.
    pub fn is_missing(&self) -> bool {
        let missing = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
        matches!(self, Self::Io(error) if missing.contains(&error.kind()))
    }
}
