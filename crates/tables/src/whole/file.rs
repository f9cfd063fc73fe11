//! The tables of whole spaces as files.
//!
//! The name of a file and its description say which goals it is for.

use std::io;
use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};
use taquin_tiles::{Board, Size};

use crate::bits::list;
use crate::file::{DESCRIPTION, Description, FileError, FileFault, TableFile};

use super::Metric;
use super::index::{SpaceIndex, SpaceShape, mask};
use super::table::{SpaceTable, value_of};

/// The most depths that fit into a file. A space that fits into a memory has fewer.
const DEPTHS: usize = 480;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SpaceDescription {
    rows: u16,
    cols: u16,
    /// 0 for [`Metric::Single`], 1 for [`Metric::Multi`].
    metric: u32,
    /// The goal cells of the blanks, a bit for each.
    blanks: u64,
    /// The number of words.
    words: u64,
    depths: [u64; DEPTHS],
    unused: [u64; 25],
}

const _: () = assert!(size_of::<SpaceDescription>() == DESCRIPTION);

impl SpaceDescription {
    /// Describes a table without the number of boards at each depth.
    fn new(index: &SpaceIndex, metric: Metric) -> Self {
        let goal = index.goal();
        Self {
            rows: goal.size().rows() as u16,
            cols: goal.size().cols() as u16,
            metric: u32::from(metric == Metric::Multi),
            blanks: mask(goal),
            words: 2 * index.words() as u64,
            ..Self::zeroed()
        }
    }

    /// Returns a goal with these blanks and with its tiles in ascending order.
    fn goal(&self) -> Option<Board> {
        let size = Size::new(self.rows.into(), self.cols.into()).ok()?;
        let cells = size.cells();
        if cells > 64 || self.blanks == 0 || (cells < 64 && self.blanks >> cells != 0) {
            return None;
        }
        let mut tiles = 1..;
        let tile = |cell: usize| match self.blanks >> cell & 1 {
            0 => tiles.next().unwrap_or(0),
            _ => 0,
        };
        Board::new(size, (0..cells).map(tile).collect()).ok()
    }

    const fn metric(&self) -> Option<Metric> {
        match self.metric {
            0 => Some(Metric::Single),
            1 => Some(Metric::Multi),
            _ => None,
        }
    }

    fn depths(&self) -> Vec<u64> {
        self.depths.iter().copied().take_while(|&states| states > 0).collect()
    }
}

impl Description for SpaceDescription {
    const MAGIC: [u8; 8] = *b"taquinWS";
    const VERSION: u32 = 3;

    fn content_length(&self) -> Option<usize> {
        self.metric()?;
        let goal = self.goal()?;
        let states = self.depths().into_iter().try_fold(0, u64::checked_add)?;
        if states > super::extent(&goal, Metric::Single).states {
            return None;
        }
        let (slabs, words) = SpaceShape::new(&goal).size()?;
        let words = 2 * slabs * words;
        (words as u64 == self.words).then_some(words * size_of::<u64>())
    }
}

/// The extension of the files' names.
pub(crate) const EXTENSION: &str = "space";

/// Returns the file name for a goal. It depends on the blanks' cells, but not on the tile numbers.
pub(crate) fn name(goal: &Board, metric: Metric) -> String {
    let size = goal.size();
    match size.cells() {
        ..=64 => format!("{size}-blank-{}-{metric}.{EXTENSION}", list(mask(goal))),
        // There is none, and never will be.
        _ => format!("{size}-{metric}.{EXTENSION}"),
    }
}

/// The header of a whole space's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpaceInfo {
    /// The file.
    pub path: PathBuf,
    /// A goal with its blanks on the same cells. The numbers of its tiles do not matter.
    pub goal: Board,
    /// The definition of one move.
    pub metric: Metric,
    /// The number of boards that are 0, 1, .. moves from the goal.
    pub depths: Vec<u64>,
    /// The length of the file.
    pub bytes: u64,
}

impl SpaceInfo {
    pub(crate) fn new(path: &Path, file: &TableFile<SpaceDescription>) -> Result<Self, FileFault> {
        let description = &file.description;
        let goal = description.goal().ok_or(FileFault::Header)?;
        let metric = description.metric().ok_or(FileFault::Header)?;
        let depths = description.depths();
        Ok(Self { path: path.to_owned(), goal, metric, depths, bytes: file.bytes })
    }
}

impl SpaceTable {
    /// Loads the table of a goal. A large one is mapped into memory.
    ///
    /// # Errors
    /// Fails unless the file is the table of this goal and every byte is as it was written.
    pub fn load(path: &Path, goal: &Board, metric: Metric) -> Result<Self, FileError> {
        let load = || {
            let file = TableFile::open(path)?;
            let about = |description: &SpaceDescription| {
                let &SpaceDescription { rows, cols, metric, blanks, words, .. } = description;
                (rows, cols, metric, blanks, words)
            };
            let index = SpaceIndex::new(goal, metric, u64::MAX).map_err(|_| FileFault::Goal)?;
            if about(&SpaceDescription::new(&index, metric)) != about(&file.description) {
                return Err(FileFault::Goal);
            }
            let depths = file.description.depths();
            let table = Self::stored(index, metric, depths, file.content()?);
            match table.value(goal) == Some(value_of(0)) {
                true => Ok(table),
                false => Err(FileFault::Entries),
            }
        };
        load().map_err(|fault: FileFault| fault.at(path))
    }

    /// Writes the table to a file. Creates the folder if it does not exist.
    ///
    /// # Errors
    /// Fails if the file cannot be written or is not read back as it was written. An existing file
    /// is unchanged then.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let mut description = SpaceDescription::new(self.index(), self.metric());
        let Some(depths) = description.depths.get_mut(..self.depths().len()) else {
            let error = io::Error::other("more depths than a file has room for");
            return Err(FileFault::Io(error).at(path));
        };
        depths.copy_from_slice(self.depths());
        TableFile::save(path, &description, self.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_makes_no_sense_is_refused_at_once() {
        let path = std::env::temp_dir().join(format!("taquin-odd-{}.space", std::process::id()));
        let half = u64::from(u32::MAX);
        let fault = |description: &SpaceDescription, content: &[u8]| {
            TableFile::save(&path, description, content).expect("a file is written");
            TableFile::<SpaceDescription>::open(&path).err()
        };
        for (rows, cols, metric, blanks, words) in [
            (0, 3, 0, 1, 0),
            (3, 3, 0, 0, 0),
            (3, 3, 0, 1 << 9, 6),
            (3, 3, 0, 1, 1),
            (3, 3, 2, 1, 6),
            (9, 9, 0, 1, 6),
            (8, 8, 0, half, 6),
            (8, 8, 0, u64::MAX, u64::MAX),
            (u16::MAX, u16::MAX, 0, 1, 6),
        ] {
            let description =
                SpaceDescription { rows, cols, metric, blanks, words, ..Zeroable::zeroed() };
            let fault = fault(&description, &[]);
            assert!(matches!(fault, Some(FileFault::Header)), "{rows}x{cols}: {fault:?}");
        }
        // Exactly as many boards as the space has.
        let goal: Board = "1 2 3/4 5 0".parse().expect("a board");
        let index = SpaceIndex::new(&goal, Metric::Single, u64::MAX).expect("it is small");
        for depths in [&[361][..], &[1, u64::MAX], &[1, 2, u64::MAX - 2]] {
            let mut description = SpaceDescription::new(&index, Metric::Single);
            description.depths[..depths.len()].copy_from_slice(depths);
            let fault = fault(&description, &[0; 96]);
            assert!(matches!(fault, Some(FileFault::Header)), "{depths:?}: {fault:?}");
        }
        std::fs::remove_file(&path).expect("it was written");
    }
}
