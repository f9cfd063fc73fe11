//! Shares in files, which any number of processes can resume.

use std::io;
use std::path::{Path, PathBuf};

use taquin_tiles::Board;

use crate::file::{FileError, FileFault, TableFile};

use super::super::Metric;
use super::super::index::SpaceIndex;
use super::super::saved::SavedDescription;
use super::plan::{SharePlan, held};
use super::{Member, SpaceShare};

impl SpaceShare {
    /// Saves the share of the last complete layer and the layer before, if a move is one step.
    ///
    /// # Errors
    /// Fails if segments slide as one, or if the file cannot be written or is not read back as it was written.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let at = |error: io::Error| FileFault::Io(error).at(path);
        if self.plan.metric != Metric::Single {
            return Err(at(io::Error::other("moves of segments are not saved")));
        }
        let description = SavedDescription::new(self.goal(), &self.depths, false).map_err(at)?;
        let description = description.of_member(self.plan.member);
        TableFile::save(path, &description, bytemuck::cast_slice(&self.words))
    }

    /// Returns a share of a space that was [saved](Self::save) by `processes` processes, perhaps
    /// another number than now, when it had these depths. `path` returns the file of a process.
    ///
    /// # Errors
    /// Fails unless the files have the same space up to the same depth, and every byte is as it was
    /// written.
    pub fn resume(
        plan: SharePlan,
        depths: Vec<u64>,
        processes: usize,
        path: impl Fn(usize) -> PathBuf,
    ) -> Result<Self, FileError> {
        let mut this = Self { depths, ..Self::empty(plan) };
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
            let share = file.description.share().ok_or_else(|| fault(FileFault::Header))?;
            let (goal, depths) = (this.goal().clone(), this.depths.clone());
            if share != (SavedShare { goal, depths, member: saved }) {
                return Err(fault(FileFault::Goal));
            }
            let content = file.content().map_err(fault)?;
            let bytes = length * size_of::<u64>();
            for (from, to, blocks) in overlaps {
                let words = &mut this.words[to * length..][..blocks * length];
                let content = &content[from * bytes..][..blocks * bytes];
                bytemuck::cast_slice_mut(words).copy_from_slice(content);
            }
        }
        let is_full = |block: &[u64]| block.iter().any(|&word| word != 0);
        this.full = this.words.chunks(length).map(is_full).collect();
        Ok(this)
    }
}

/// What a file has a share of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedShare {
    /// The goal.
    pub goal: Board,
    /// The number of boards of the whole space at each depth.
    pub depths: Vec<u64>,
    /// Whose share it is.
    pub member: Member,
}

impl SavedShare {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// Fails unless it is one that [`SpaceShare::save`] has written.
    pub fn of(path: &Path) -> Result<Self, FileError> {
        let file = TableFile::<SavedDescription>::open(path).map_err(|fault| fault.at(path))?;
        file.description.share().ok_or_else(|| FileFault::Header.at(path))
    }
}

/// Returns the number of words of the share of a process, or `None` if there is no such process.
pub(in super::super) fn share_words(goal: &Board, member: Member) -> Option<usize> {
    let index = SpaceIndex::new(goal, Metric::Single, u64::MAX).ok()?;
    let is_one = member.process < member.processes && member.processes <= MOST;
    let halves = is_one.then(|| [0, 1].map(|colour| held(&index, colour, member)))?;
    let blocks: usize = halves.iter().flatten().map(ExactSizeIterator::len).sum();
    Some(blocks * index.shape().block_words())
}

/// The most processes.
const MOST: usize = 1 << 16;
