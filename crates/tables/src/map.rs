//! Files as memory.
#![allow(unsafe_code, reason = "mapping a file is unsafe: see SAFETY below")]

use std::fs::File;
use std::io;
use std::ops::Deref;

/// The bytes of a file from some offset on, mapped and not read.
#[derive(Debug)]
pub(crate) struct Map {
    map: memmap2::Mmap,
    start: usize,
}

impl Map {
    /// Maps a file that has `start` bytes, which are left out, and then `length`.
    pub(crate) fn new(file: &File, start: usize, length: usize) -> io::Result<Self> {
        // SAFETY: the map is read-only, and is used as plain bytes of which every value is valid. A
        // table's file is never written in place: it is written under another name and renamed, and
        // renaming or removing it leaves the mapped one as it is. Another program that changed the
        // bytes could make look-ups wrong; one that cut the file short would end the process by a
        // signal. Neither can make an index go astray: indices come from the specification of the
        // table, never from its bytes.
        let map = unsafe { memmap2::Mmap::map(file)? };
        // Look-ups fall anywhere in a table, and with pages of the usual size nearly each of them also
        // has to look up its page. Where the system has no huge ones to give, small ones serve.
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

/// Has the system forget what it remembers of a large file that was just written, which is in small
/// pages: the next map reads it in huge ones.
pub(crate) fn forget(file: &File, length: usize) {
    #[cfg(target_os = "linux")]
    if length >= LARGE {
        use rustix::fs::{Advice, fadvise};
        // It is only advice.
        let _ = fadvise(file, 0, None, Advice::DontNeed);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (file, length);
}

/// Smaller files are not worth the reading.
#[cfg(target_os = "linux")]
const LARGE: usize = 16 << 20;

impl Deref for Map {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.map[self.start..]
    }
}
