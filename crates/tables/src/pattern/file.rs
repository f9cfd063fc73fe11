//! Pattern databases as files.

use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};
use taquin_tiles::Size;

use super::database::{Database, Entries, Width};
use super::ranking::Ranking;
use super::zero_aware::ZeroAware;
use super::{Pattern, Shape};
use crate::file::{DESCRIPTION, Description, FileError, FileFault, TableFile};

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct PatternDescription {
    rows: u16,
    cols: u16,
    /// The bits of an entry: 1, 4 or 8.
    width: u32,
    /// The goal cells of the blanks, a bit for each.
    blanks: u64,
    /// The goal cells of the tiles, a bit for each.
    cells: u64,
    entries: u64,
    histogram: [u64; 255],
    unused: [u64; 249],
}

const _: () = assert!(size_of::<PatternDescription>() == DESCRIPTION);

impl PatternDescription {
    pub(crate) fn new(shape: Shape, width: Width, entries: u64, histogram: &[u64]) -> Self {
        let mut description = Self {
            rows: shape.size().rows() as u16,
            cols: shape.size().cols() as u16,
            width: match width {
                Width::Bit => 1,
                Width::Nibble => 4,
                Width::Byte => 8,
            },
            blanks: shape.blanks(),
            cells: shape.cells(),
            entries,
            ..Self::zeroed()
        };
        for (count, known) in description.histogram.iter_mut().zip(histogram) {
            *count = *known;
        }
        description
    }

    fn shape(&self) -> Option<Shape> {
        let size = Size::new(self.rows.into(), self.cols.into()).ok()?;
        Shape::new(size, self.blanks, self.cells)
    }

    const fn width(&self) -> Option<Width> {
        match self.width {
            1 => Some(Width::Bit),
            4 => Some(Width::Nibble),
            8 => Some(Width::Byte),
            _ => None,
        }
    }

    fn histogram(&self) -> Vec<u64> {
        let last = self.histogram.iter().rposition(|&count| count > 0).unwrap_or(0);
        self.histogram[..=last].to_vec()
    }
}

impl Description for PatternDescription {
    const MAGIC: [u8; 8] = *b"taquinPD";
    const VERSION: u32 = 2;

    fn content_length(&self) -> Option<usize> {
        let shape = self.shape()?;
        let entries = Ranking::count(shape.size().cells(), shape.tiles())?;
        let counted = self.histogram.iter().copied().try_fold(0, u64::checked_add)?;
        if self.width()? == Width::Bit {
            // How many classes there are is seen when the table is used.
            let orders = (1..=shape.tiles() as u64).product::<u64>();
            let classes = usize::try_from(self.entries / orders).ok()?;
            let bits = classes.checked_mul(ZeroAware::block_bits(shape.tiles()))?;
            return (self.entries.is_multiple_of(orders) && counted <= self.entries)
                .then_some(bits / 8);
        }
        (entries as u64 == self.entries && counted <= self.entries)
            .then_some(self.width()?.bytes(entries))
    }
}

/// The header of a pattern database's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableInfo {
    /// The file.
    pub path: PathBuf,
    /// The shape of the pattern.
    pub shape: Shape,
    /// The size of an entry.
    pub width: Width,
    /// The number of entries.
    pub entries: u64,
    /// The length of the file.
    pub bytes: u64,
    /// The number of placements with the value 0, 1, ..
    pub histogram: Vec<u64>,
}

impl TableInfo {
    pub(crate) fn new(
        path: &Path,
        file: &TableFile<PatternDescription>,
    ) -> Result<Self, FileFault> {
        let description = &file.description;
        let shape = description.shape().ok_or(FileFault::Header)?;
        let width = description.width().ok_or(FileFault::Header)?;
        let (entries, histogram) = (description.entries, description.histogram());
        Ok(Self { path: path.to_owned(), shape, width, entries, bytes: file.bytes, histogram })
    }
}

impl Database {
    /// Loads the table of a pattern. The entries of a large one are mapped into memory.
    ///
    /// # Errors
    /// Fails unless the file is a table of this pattern and every byte is as it was written.
    pub fn load(path: &Path, pattern: Pattern) -> Result<Self, FileError> {
        let load = || Self::read(path, TableFile::open(path)?, pattern);
        load().map_err(|fault: FileFault| fault.at(path))
    }

    /// Takes the table of a pattern from the bytes of a file that has `name`.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_bytes(name: &str, bytes: Vec<u8>, pattern: Pattern) -> Result<Self, FileError> {
        let path = Path::new(name);
        let read = || Self::read(path, TableFile::from_bytes(bytes)?, pattern);
        read().map_err(|fault: FileFault| fault.at(path))
    }

    fn read(
        path: &Path,
        file: TableFile<PatternDescription>,
        pattern: Pattern,
    ) -> Result<Self, FileFault> {
        let TableInfo { shape, width, histogram, .. } = TableInfo::new(path, &file)?;
        if width == Width::Bit {
            return Err(FileFault::Header);
        }
        if shape != pattern.shape() {
            return Err(FileFault::Shape { found: shape, wanted: pattern.shape() });
        }
        let entries = Entries::stored(width, file.content()?);
        let database = Self::new(pattern, entries, histogram);
        let goal = database.pattern().goal_cells();
        match database.value(goal) {
            0 => Ok(database),
            _ => Err(FileFault::Entries),
        }
    }

    /// Writes the table to a file. Creates the folder if it does not exist.
    ///
    /// # Errors
    /// Fails if the file cannot be written or is not read back as it was written. An existing file
    /// is unchanged then.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        TableFile::save(path, &self.description(), self.entries())
    }

    /// Returns the bytes of the file that [`save`](Self::save) writes.
    pub fn to_bytes(&self) -> Vec<u8> {
        TableFile::bytes(&self.description(), self.entries())
    }

    fn description(&self) -> PatternDescription {
        let entries = self.pattern().ranking().placements() as u64;
        let shape = self.pattern().shape();
        PatternDescription::new(shape, self.width(), entries, self.histogram())
    }
}
