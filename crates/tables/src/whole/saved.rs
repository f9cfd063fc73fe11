//! A space that is being explored, saved in a file, so that it can be resumed.

use std::io;
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use taquin_tiles::{Board, Size, Tile};

use crate::file::{DESCRIPTION, Description, FileError, FileFault, TableFile};
use crate::fs::{check_replaceable, remove_abandoned};

use super::explorer::Explorer;
use super::index::SpaceShape;
use super::share::{Member, SavedShare, share_words};
use super::{ExploreError, Metric};

/// The most depths that a file has room for.
const DEPTHS: usize = 480;

/// The most cells of a space.
const CELLS: usize = 64;

/// The description of a space whose boards have been found up to a depth.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SavedDescription {
    rows: u16,
    cols: u16,
    /// 0 if the content has the bits of the last two layers, 1 if they are in files of their own,
    /// [`SHARE`] if it has the share of one of several processes.
    kind: u32,
    goal: [u8; CELLS],
    depths: [u64; DEPTHS],
    /// The process and the number of processes, if it has a share.
    member: [u32; 2],
    unused: [u64; 18],
}

const _: () = assert!(size_of::<SavedDescription>() == DESCRIPTION);

/// A share. Once, 2 was one with the slabs in another order.
const SHARE: u32 = 3;

impl SavedDescription {
    pub(super) fn new(goal: &Board, depths: &[u64], is_folder: bool) -> io::Result<Self> {
        let mut this = Self {
            rows: goal.size().rows() as u16,
            cols: goal.size().cols() as u16,
            kind: u32::from(is_folder),
            ..Self::zeroed()
        };
        for (cell, &tile) in this.goal.iter_mut().zip(goal.tiles()) {
            *cell = tile as u8;
        }
        let room = this.depths.get_mut(..depths.len());
        let room = room.ok_or_else(|| io::Error::other("more depths than a file has room for"))?;
        room.copy_from_slice(depths);
        Ok(this)
    }

    /// Returns the goal, if the description is valid.
    pub(super) fn goal(&self) -> Option<Board> {
        let size = Size::new(self.rows.into(), self.cols.into()).ok()?;
        let tiles = self.goal.get(..size.cells())?;
        Board::new(size, tiles.iter().map(|&tile| Tile::from(tile)).collect()).ok()
    }

    pub(super) fn depths(&self) -> Vec<u64> {
        self.depths.iter().copied().take_while(|&boards| boards > 0).collect()
    }

    pub(super) const fn is_folder(&self) -> bool {
        self.kind == 1
    }

    /// Returns the description of the share of a process.
    pub(super) fn of_member(self, Member { process, processes }: Member) -> Self {
        Self { kind: SHARE, member: [process, processes].map(|number| number as u32), ..self }
    }

    fn member(&self) -> Member {
        let [process, processes] = self.member.map(|number| number as usize);
        Member { process, processes }
    }

    /// Returns what the content is a share of, if it is one.
    pub(super) fn share(&self) -> Option<SavedShare> {
        let goal = self.goal().filter(|_| self.kind == SHARE)?;
        Some(SavedShare { goal, depths: self.depths(), member: self.member() })
    }
}

impl Description for SavedDescription {
    const MAGIC: [u8; 8] = *b"taquinWC";
    const VERSION: u32 = 1;

    fn content_length(&self) -> Option<usize> {
        let goal = self.goal()?;
        let boards = self.depths().into_iter().try_fold(0, u64::checked_add)?;
        if boards == 0 || boards > super::extent(&goal, Metric::Single).states {
            return None;
        }
        let (slabs, words) = SpaceShape::new(&goal).size()?;
        match self.kind {
            0 => Some(slabs * words * size_of::<u64>()),
            // A checksum and a count for each slab.
            1 => Some(slabs * 2 * size_of::<u64>()),
            SHARE => Some(share_words(&goal, self.member())? * size_of::<u64>()),
            _ => None,
        }
    }
}

/// Returns the numbers of a content.
pub(super) fn numbers(content: &[u8]) -> Vec<u64> {
    let (numbers, _) = content.as_chunks::<{ size_of::<u64>() }>();
    numbers.iter().map(|bytes| u64::from_ne_bytes(*bytes)).collect()
}

/// Why a saved space cannot be resumed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum ResumeError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Explore(#[from] ExploreError),
}

/// The bytes of a space that is saved before it is explored.
const AT_ONCE: usize = 1 << 28;

impl Explorer {
    /// Saves the layers that have been reached, if a move is one step.
    ///
    /// # Errors
    /// Fails if segments slide as one, or if the file cannot be written or is not read back as it was
    /// written. An existing file is unchanged then.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let at = |error: io::Error| FileFault::Io(error).at(path);
        if self.metric() != Metric::Single {
            return Err(at(io::Error::other("moves of segments are not saved")));
        }
        let goal = self.layer().index().goal();
        let description = SavedDescription::new(goal, self.depths(), false).map_err(at)?;
        TableFile::save(path, &description, bytemuck::cast_slice(self.words()))
    }

    /// Saves it if that is quick, and otherwise finds out whether it can be saved. Files that killed
    /// processes left behind are removed.
    ///
    /// # Errors
    /// Fails as [`save`](Self::save) does.
    pub fn try_to_save(&self, path: &Path) -> Result<(), FileError> {
        remove_abandoned(path);
        match size_of_val(self.words()) <= AT_ONCE {
            true => self.save(path),
            false => check_replaceable(path).map_err(|error| FileFault::Io(error).at(path)),
        }
    }

    /// Resumes a space that was [saved](Self::save).
    ///
    /// # Errors
    /// Fails unless the file is such a space and every byte is as it was written, or if exploring it
    /// would take more than `memory` bytes.
    pub fn resume(path: &Path, memory: u64) -> Result<Self, ResumeError> {
        let fault = |fault: FileFault| ResumeError::File(fault.at(path));
        let file = TableFile::<SavedDescription>::open(path).map_err(fault)?;
        let goal = file.description.goal().filter(|_| file.description.kind == 0);
        let goal = goal.ok_or_else(|| fault(FileFault::Header))?;
        let depths = file.description.depths();
        let explorer = Self::new(&goal, Metric::Single, memory)?;
        let content = file.content().map_err(fault)?;
        let words = numbers(&content);
        explorer.with_layers(words, depths).ok_or_else(|| fault(FileFault::Entries))
    }
}
