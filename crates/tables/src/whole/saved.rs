//! A space that is being explored, saved in a file, so that it can be resumed.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytemuck::{Pod, Zeroable};
use taquin_search::Instant;
use taquin_tiles::{Board, Size, Tile};

use crate::file::{DESCRIPTION, Description, FileError, FileFault, TableFile};
use crate::fs::{check_replaceable, remove_abandoned};

use super::disk::STATE;
use super::explorer::Explorer;
use super::index::{SpaceIndex, SpaceShape};
use super::memory::Memory;
use super::plan::{SharePlan, held};
use super::share::Member;
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
    /// [`FOLDER`] if the last two layers are in separate files, [`SHARE`] if the content is one
    /// process's share.
    kind: u32,
    goal: [u8; CELLS],
    depths: [u64; DEPTHS],
    /// The process and the number of processes, if it has a share.
    member: [u32; 2],
    unused: [u64; 18],
}

const _: () = assert!(size_of::<SavedDescription>() == DESCRIPTION);

/// The layers are in files of their own.
pub(super) const FOLDER: u32 = 1;

/// A share. Earlier versions used 2 for slabs in another order, and 0 for a single process.
pub(super) const SHARE: u32 = 3;

impl SavedDescription {
    pub(super) fn new(kind: u32, goal: &Board, depths: &[u64], member: Member) -> io::Result<Self> {
        let mut this = Self {
            rows: goal.size().rows() as u16,
            cols: goal.size().cols() as u16,
            kind,
            member: [member.process, member.processes].map(|number| number as u32),
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
        self.kind == FOLDER
    }

    fn member(&self) -> Member {
        let [process, processes] = self.member.map(|number| number as usize);
        Member { process, processes }
    }

    /// Returns the saved data, if the description is valid.
    fn saved(&self) -> Option<SavedSpace> {
        let goal = self.goal().filter(|_| [FOLDER, SHARE].contains(&self.kind))?;
        Some(SavedSpace { goal, depths: self.depths(), member: self.member() })
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
        let (slabs, _) = SpaceShape::new(&goal).size()?;
        match self.kind {
            // A checksum and a count for each slab.
            FOLDER => Some(slabs * 2 * size_of::<u64>()),
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

/// The bytes of a space that is saved before it is explored.
const AT_ONCE: usize = 1 << 28;

impl Explorer {
    /// Saves the share of the last complete layer and the layer before, if a move is one step.
    ///
    /// # Errors
    /// Fails if segments slide as one, or if the file cannot be written or is not read back as it
    /// was written. An existing file is unchanged then.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let at = |error: io::Error| FileFault::Io(error).at(path);
        if self.metric() != Metric::Single {
            return Err(at(io::Error::other("moves of segments are not saved")));
        }
        let description =
            SavedDescription::new(SHARE, self.goal(), self.depths(), self.member()).map_err(at)?;
        TableFile::save(path, &description, bytemuck::cast_slice(&self.storage.words))
    }

    /// Saves it if that is quick, and otherwise finds out whether it can be saved. Files that
    /// killed processes left behind are removed.
    ///
    /// # Errors
    /// Fails as [`save`](Self::save) does.
    pub fn try_to_save(&self, path: &Path) -> Result<(), FileError> {
        remove_abandoned(path);
        match size_of_val(&self.storage.words[..]) <= AT_ONCE {
            true => self.save(path),
            false => check_replaceable(path).map_err(|error| FileFault::Io(error).at(path)),
        }
    }

    /// Resumes a space that the only process [saved](Self::save).
    ///
    /// # Errors
    /// Fails unless the file is such a space and every byte is as it was written, or if exploring
    /// it would take more than `memory` bytes.
    pub fn resume(path: &Path, memory: u64) -> Result<Self, ExploreError> {
        let SavedSpace { goal, depths, member } = SavedSpace::of(path)?;
        if member != Member::ONLY {
            return Err(FileFault::Header.at(path).into());
        }
        let plan = Self::new(&goal, Metric::Single, memory)?.plan;
        Ok(Self::resume_share(plan, depths, 1, |_| path.to_owned())?)
    }

    /// Returns a share of a space that `processes` processes [saved](Self::save) at these depths.
    /// The number of processes may have changed since. `path` returns a process's file.
    ///
    /// # Errors
    /// Fails unless the files have the same space up to the same depth, and every byte is as it was
    /// written.
    pub fn resume_share(
        plan: SharePlan,
        depths: Vec<u64>,
        processes: usize,
        path: impl Fn(usize) -> PathBuf,
    ) -> Result<Self, FileError> {
        let storage = Memory::new(&plan);
        let mut this = Self::with(plan, storage, depths);
        let length = this.block_words();
        for process in 0..processes {
            let saved = Member { process, processes };
            let index = &this.plan.index;
            let halves = [0, 1].map(|colour| held(index, colour, saved));
            // Where each overlap begins in the file and here, and its length, in blocks.
            let mut overlaps = Vec::new();
            let mut place = 0;
            for (half, held) in this.plan.halves.iter().zip(halves) {
                for ((own, &own_place), held) in half.held.iter().zip(&half.places).zip(held) {
                    let both = own.start.max(held.start)..own.end.min(held.end);
                    if !both.is_empty() {
                        let from = place + both.start - held.start;
                        overlaps.push((from, own_place + both.start - own.start, both.len()));
                    }
                    place += held.len();
                }
            }
            if overlaps.is_empty() {
                continue;
            }
            let path = path(process);
            let fault = |fault: FileFault| fault.at(&path);
            let file = TableFile::<SavedDescription>::open(&path).map_err(fault)?;
            let share = file.description.saved().ok_or_else(|| fault(FileFault::Header))?;
            let (goal, depths) = (this.goal().clone(), this.depths.clone());
            if share != (SavedSpace { goal, depths, member: saved }) {
                return Err(fault(FileFault::Goal));
            }
            let content = file.content().map_err(fault)?;
            let bytes = length * size_of::<u64>();
            for (from, to, blocks) in overlaps {
                let words = &mut this.storage.words[to * length..][..blocks * length];
                let content = &content[from * bytes..][..blocks * bytes];
                bytemuck::cast_slice_mut(words).copy_from_slice(content);
            }
        }
        let is_full = |block: &[u64]| block.iter().any(|&word| word != 0);
        this.storage.full = this.storage.words.chunks(length).map(is_full).collect();
        let last = this.depths.len() - 1;
        let is_complete = |depth: usize| this.boards(depth) == this.depths[depth];
        match this.member() != Member::ONLY || (last.saturating_sub(1)..=last).all(is_complete) {
            true => Ok(this),
            false => Err(FileFault::Entries.at(&path(0))),
        }
    }
}

/// The saved state of a space in a file or a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedSpace {
    /// The goal.
    pub goal: Board,
    /// The whole space's boards at each depth.
    pub depths: Vec<u64>,
    /// The process that holds the share.
    pub member: Member,
}

impl SavedSpace {
    /// Reads the header from a file or from a folder's state.
    ///
    /// # Errors
    /// Fails unless [`Explorer::save`] or an explorer [in files](Explorer::in_files) has written
    /// it.
    pub fn of(path: &Path) -> Result<Self, FileError> {
        let folder = path.is_dir();
        let path = if folder { &path.join(STATE) } else { path };
        let file = TableFile::<SavedDescription>::open(path).map_err(|fault| fault.at(path))?;
        let saved = file.description.saved().filter(|_| file.description.is_folder() == folder);
        saved.ok_or_else(|| FileFault::Header.at(path))
    }
}

/// When progress is saved: at intervals, and in a tenth of the time at most.
#[derive(Clone, Copy, Debug)]
pub struct SaveTimer {
    every: Duration,
    saved: Instant,
    took: Duration,
}

/// Frequent saving is harmless if it takes less time than this.
const SHORT_SAVE_TIME: Duration = Duration::from_secs(1);

impl SaveTimer {
    /// Starts a timer.
    pub fn new(every: Duration) -> Self {
        Self { every, saved: Instant::now(), took: Duration::ZERO }
    }

    /// Returns whether it is time to save.
    pub fn is_due(&self) -> bool {
        let least =
            if self.took < SHORT_SAVE_TIME { self.every } else { self.every.max(10 * self.took) };
        self.saved.elapsed() >= least
    }

    /// Saves, and measures how long that takes.
    pub fn save<T>(&mut self, save: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let saved = save();
        (self.saved, self.took) = (Instant::now(), started.elapsed());
        saved
    }
}

/// Returns the words in a process's share, or `None` if that process does not exist.
fn share_words(goal: &Board, member: Member) -> Option<usize> {
    let index = SpaceIndex::new(goal, Metric::Single, u64::MAX).ok()?;
    let is_one = member.process < member.processes && member.processes <= MAX_PROCESSES;
    let halves = is_one.then(|| [0, 1].map(|colour| held(&index, colour, member)))?;
    let blocks: usize = halves.iter().flatten().map(ExactSizeIterator::len).sum();
    Some(blocks * index.shape().block_words())
}

/// The most processes.
const MAX_PROCESSES: usize = 1 << 16;
