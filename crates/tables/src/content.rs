//! The content of table files in memory: a copy of a small file, a map of a large one.
//!
//! A copy of a large file would be safe against whatever happens to the file, but takes several
//! times as long as mapping and verifying it, because memory has to be found, cleared and filled,
//! and processes could not share it. So a large file is mapped. On Unix, pages that a truncated file
//! has lost read as zeros (see [`crate::lost_pages`]); on Windows a mapped file cannot be truncated.
//! Whether a mapped file was changed in place can be seen afterwards by its length and times:
//! [`Content::is_intact`].
#![allow(unsafe_code, reason = "mapping a file is unsafe: see SAFETY below")]

use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::time::SystemTime;

use crate::lost_pages::Protection;

/// The bytes of a file between its header and its checksums.
#[derive(Debug)]
pub(crate) enum Content {
    Copied(Vec<u8>),
    Mapped(Map),
}

/// A mapped file.
#[derive(Debug)]
pub(crate) struct Map {
    /// Is dropped before the map.
    protection: Protection,
    bytes: memmap2::Mmap,
    start: usize,
    length: usize,
    file: File,
    state: FileState,
}

/// Larger files are mapped.
const COPIED: usize = 1 << 20;

impl Content {
    /// Reads or maps `length` bytes of a file from `start` on, which is where it is read next.
    pub(crate) fn new(file: &File, start: usize, length: usize) -> io::Result<Self> {
        if length > COPIED
            && let Some(map) = Map::new(file, start, length)?
        {
            return Ok(Self::Mapped(map));
        }
        let mut bytes = Vec::with_capacity(length);
        file.take(length as u64).read_to_end(&mut bytes)?;
        match bytes.len() == length {
            true => Ok(Self::Copied(bytes)),
            false => Err(changed_meanwhile()),
        }
    }

    /// Returns whether the bytes are still those that were loaded: a mapped file may have been
    /// changed.
    pub(crate) fn is_intact(&self) -> bool {
        match self {
            Self::Copied(_) => true,
            Self::Mapped(Map { protection, file, state, .. }) => {
                !protection.has_lost_pages()
                    && FileState::of(file).is_ok_and(|current| current == *state)
            }
        }
    }
}

impl Deref for Content {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Copied(bytes) => bytes,
            Self::Mapped(Map { bytes, start, length, .. }) => &bytes[*start..][..*length],
        }
    }
}

impl Map {
    /// Maps a file. Returns `None` if too many are mapped already.
    fn new(file: &File, start: usize, length: usize) -> io::Result<Option<Self>> {
        let state = FileState::of(file)?;
        // SAFETY: the map is read-only and used as plain bytes, of which every value is valid. A
        // table file is never written in place: it is written under another name and renamed, and
        // renaming or removing a file does not change a map of it. If another program changed the
        // bytes, values would be wrong, and `is_intact` false; if it truncated the file, lost pages
        // would be zeros. No index is computed from the bytes.
        let bytes = unsafe { memmap2::Mmap::map(file)? };
        if bytes.len() < start + length {
            return Err(changed_meanwhile());
        }
        // Look-ups are random, and with small pages almost every one would also miss the TLB.
        #[cfg(target_os = "linux")]
        let _ = bytes.advise(memmap2::Advice::HugePage);
        let Some(protection) = Protection::new(&bytes) else { return Ok(None) };
        Ok(Some(Self { protection, bytes, start, length, file: file.try_clone()?, state }))
    }
}

fn changed_meanwhile() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "changed while it was opened")
}

/// The length of a file and the times of its last changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FileState {
    length: u64,
    modified: Option<SystemTime>,
}

impl FileState {
    fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self { length: metadata.len(), modified: metadata.modified().ok() })
    }
}

/// Drops a large file that was just written from the page cache, where it is in small pages: the
/// next map reads it in huge pages.
pub(crate) fn forget(file: &File, length: usize) {
    #[cfg(target_os = "linux")]
    if length >= LARGE {
        use rustix::fs::{Advice, fadvise};
        let _ = fadvise(file, 0, None, Advice::DontNeed);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (file, length);
}

/// Smaller files are not worth reading again.
#[cfg(target_os = "linux")]
const LARGE: usize = 16 << 20;
