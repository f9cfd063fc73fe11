//! Files mapped into memory.
#![allow(unsafe_code, reason = "mapping a file is unsafe: see SAFETY below")]

use std::fs::File;
use std::io;
use std::ops::Deref;

/// The mapped bytes of a file from `start` on.
#[derive(Debug)]
pub(crate) struct Map {
    map: memmap2::Mmap,
    start: usize,
}

impl Map {
    /// Maps a file of `start + length` bytes, of which the first `start` are skipped.
    pub(crate) fn new(file: &File, start: usize, length: usize) -> io::Result<Self> {
        // SAFETY: the map is read-only and used as plain bytes, of which every value is valid. A
        // table file is never written in place: it is written under another name and renamed, and
        // renaming or removing a file does not change a map of it. If another program changed the
        // bytes, values would be wrong; if it truncated the file, the process would end with a
        // signal. No index is computed from the bytes.
        let map = unsafe { memmap2::Mmap::map(file)? };
        // Look-ups are random, and with small pages almost every one would also miss the TLB.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        match map.len() == start + length {
            true => Ok(Self { map, start }),
            false => {
                Err(io::Error::new(io::ErrorKind::UnexpectedEof, "changed while it was opened"))
            }
        }
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

impl Deref for Map {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.map[self.start..]
    }
}
