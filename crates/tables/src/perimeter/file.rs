//! Perimeters as files: the words of all levels.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};
use taquin_search::Cost;
use taquin_tiles::Size;

use super::{Perimeter, PerimeterShape, Words, hash};
use crate::file::{DESCRIPTION, Description, FileError, FileFault, TableFile};

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct PerimeterDescription {
    rows: u16,
    cols: u16,
    /// The cell of the goal's blank.
    blank: u16,
    /// The greatest number of moves.
    moves: u16,
    unused: [u64; 507],
}

const _: () = assert!(size_of::<PerimeterDescription>() == DESCRIPTION);

impl PerimeterDescription {
    fn shape(&self) -> Option<PerimeterShape> {
        let size = Size::new(self.rows.into(), self.cols.into()).ok()?;
        let shape = PerimeterShape::new(size, self.blank)?;
        // One that can be turned further has no file.
        let is_turned = shape.size() == size && u16::from(shape.blank()) == self.blank;
        (is_turned && shape.has(self.moves.into())).then_some(shape)
    }
}

impl Description for PerimeterDescription {
    const MAGIC: [u8; 8] = *b"taquinNB";
    const VERSION: u32 = 1;

    fn content_length(&self) -> Option<usize> {
        self.shape()?.plan(self.moves.into()).bytes.try_into().ok()
    }
}

/// The header of a perimeter's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PerimeterInfo {
    /// The file.
    pub path: PathBuf,
    /// The shape of the goals.
    pub shape: PerimeterShape,
    /// The greatest number of moves.
    pub moves: Cost,
    /// The length of the file.
    pub bytes: u64,
}

impl PerimeterInfo {
    pub(crate) fn new(
        path: &Path,
        file: &TableFile<PerimeterDescription>,
    ) -> Result<Self, FileFault> {
        let shape = file.description.shape().ok_or(FileFault::Header)?;
        let moves = file.description.moves.into();
        Ok(Self { path: path.to_owned(), shape, moves, bytes: file.bytes })
    }
}

impl Perimeter {
    /// Loads the perimeter of a shape. A large one is mapped into memory. Returns `None` if it has
    /// another number of moves than wanted.
    ///
    /// # Errors
    /// Fails unless the file is a perimeter of this shape and, if it is loaded, every byte is as it
    /// was written.
    pub fn load(
        path: &Path,
        shape: PerimeterShape,
        wanted: RangeInclusive<Cost>,
    ) -> Result<Option<Self>, FileError> {
        let load = || {
            let file = TableFile::open(path)?;
            let found = PerimeterInfo::new(path, &file)?;
            if found.shape != shape {
                return Err(FileFault::Goal);
            }
            if !wanted.contains(&found.moves) {
                return Ok(None);
            }
            let (levels, _) = shape.levels(found.moves);
            let perimeter = Self { shape, levels, words: Words::Stored(file.content()?) };
            let goal = hash(shape.goal());
            let has_goal = perimeter.levels.iter().all(|level| perimeter.has(level, goal));
            if has_goal { Ok(Some(perimeter)) } else { Err(FileFault::Entries) }
        };
        load().map_err(|fault: FileFault| fault.at(path))
    }

    /// Writes the perimeter to a file. Creates the folder if it does not exist.
    ///
    /// # Errors
    /// Fails if the file cannot be written or is not read back as it was written. An existing file
    /// is unchanged then.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let (size, blank) = (self.shape.size(), self.shape.blank());
        let description = PerimeterDescription {
            rows: size.rows() as u16,
            cols: size.cols() as u16,
            blank: blank.into(),
            moves: self.moves() as u16,
            ..Zeroable::zeroed()
        };
        TableFile::save(path, &description, self.as_bytes())
    }
}
