//! The content of table files in memory: a copy of a small file, a map of a large one.
//!
//! A private copy of a large file would be safe against later changes, but takes several times as
//! long as mapping and verifying the file, because memory has to be found, cleared and filled, and
//! processes could not share it. A large file is therefore mapped, and [`Content::is_intact`] finds
//! out whether the map still has the verified bytes:
//!
//! - A page that a truncated file has lost is noted when it is read (see [`crate::lost_pages`]). On
//!   Windows a mapped file cannot be truncated.
//! - A write changes the modification time. A program can set that time back, but then the system
//!   updates the status change time, which no program can choose.
//! - If only the status has changed, the file may have been renamed or removed, which is harmless,
//!   or written with its time set back: the checksums of all blocks decide.
//! - Two changes within one tick of the system's clock have the same time, so the checksums also
//!   decide if the file was verified within a tick of its last change.
#![allow(unsafe_code, reason = "mapping a file is unsafe: see SAFETY below")]

use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::file::fits;
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
    /// The checksums of the blocks.
    checksums: Vec<u8>,
    verified: Mutex<Verified>,
}

/// The state of a file when its bytes were last verified, and when that began.
#[derive(Clone, Copy, Debug)]
struct Verified {
    state: FileState,
    at: SystemTime,
}

/// Larger files are mapped.
const COPIED: usize = 1 << 20;

impl Content {
    /// Reads or maps `length` bytes of a file from its current position `start`, and compares them
    /// with their blocks' checksums. Returns `None` on a mismatch.
    pub(crate) fn new(
        file: &File,
        start: usize,
        length: usize,
        checksums: &[u8],
    ) -> io::Result<Option<Self>> {
        if length > COPIED
            && let Some(map) = Map::new(file, start, length, checksums.to_vec())?
        {
            let content = Self::Mapped(map);
            return Ok((fits(&content, checksums) && content.is_intact()).then_some(content));
        }
        let mut bytes = Vec::with_capacity(length);
        file.take(length as u64).read_to_end(&mut bytes)?;
        match bytes.len() == length {
            true => Ok(fits(&bytes, checksums).then_some(Self::Copied(bytes))),
            false => Err(changed_meanwhile()),
        }
    }

    /// Returns whether the bytes are still the verified ones and never changed in between. A mapped
    /// file may have been changed.
    pub(crate) fn is_intact(&self) -> bool {
        let Self::Mapped(map) = self else { return true };
        let lock = || map.verified.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, before) = (SystemTime::now(), *lock());
        let Ok(state) = FileState::of(&map.file) else { return false };
        if map.protection.has_lost_pages() || !state.has_content_of(&before.state) {
            return false;
        }
        if state == before.state && before.is_settled() {
            return true;
        }
        let is_intact = fits(self, &map.checksums)
            && !map.protection.has_lost_pages()
            && FileState::of(&map.file).is_ok_and(|now| now == state);
        if is_intact {
            *lock() = Verified { state, at };
        }
        is_intact
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
    fn new(
        file: &File,
        start: usize,
        length: usize,
        checksums: Vec<u8>,
    ) -> io::Result<Option<Self>> {
        let verified = Mutex::new(Verified { at: SystemTime::now(), state: FileState::of(file)? });
        // SAFETY: the map is read-only and used as plain bytes, of which every value is valid. A
        // table file is never written in place: it is written under another name and renamed, and
        // renaming or removing a file does not change its map. If another program changed the
        // bytes, values would be wrong, and `is_intact` false. If it truncated the file, lost pages
        // would be zeros. No index is computed from the bytes.
        let bytes = unsafe { memmap2::Mmap::map(file)? };
        if bytes.len() < start + length {
            return Err(changed_meanwhile());
        }
        // Look-ups are random, and with small pages almost every one would also miss the TLB.
        #[cfg(target_os = "linux")]
        let _ = bytes.advise(memmap2::Advice::HugePage);
        let Some(protection) = Protection::new(&bytes) else { return Ok(None) };
        let file = file.try_clone()?;
        Ok(Some(Self { protection, bytes, start, length, file, checksums, verified }))
    }
}

fn changed_meanwhile() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "changed while it was opened")
}

/// A file's length and the times of its last changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FileState {
    length: u64,
    modified: Option<SystemTime>,
    /// The time of the last change to the content, the name or the times, if the system has one.
    changed: Option<SystemTime>,
}

impl FileState {
    fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        let modified = metadata.modified().ok();
        #[cfg(unix)]
        let changed = {
            use std::os::unix::fs::MetadataExt;
            let time =
                |seconds| Some(Duration::new(seconds, metadata.ctime_nsec().try_into().ok()?));
            let since = u64::try_from(metadata.ctime()).ok().and_then(time);
            since.and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since))
        };
        #[cfg(not(unix))]
        let changed = modified;
        Ok(Self { length: metadata.len(), modified, changed })
    }

    /// Returns whether the content has not been written between two states, unless the modification
    /// time was set back.
    fn has_content_of(&self, other: &Self) -> bool {
        (self.length, self.modified) == (other.length, other.modified)
    }
}

impl Verified {
    /// Returns whether every later change has another time.
    fn is_settled(&self) -> bool {
        let age = self.state.changed.and_then(|changed| self.at.duration_since(changed).ok());
        let is_coarse = |changed: SystemTime| {
            let since = changed.duration_since(SystemTime::UNIX_EPOCH);
            since.is_ok_and(|since| since.subsec_nanos() == 0)
        };
        let tick = if self.state.changed.is_some_and(is_coarse) { COARSE_TICK } else { TICK };
        age.is_some_and(|age| age > tick)
    }
}

/// Longer than a tick of a file system's clock.
const TICK: Duration = Duration::from_millis(50);

/// The same if its times are whole seconds.
const COARSE_TICK: Duration = Duration::from_secs(3);

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
