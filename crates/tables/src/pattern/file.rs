//! Pattern databases as files.

use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};
use taquin_tiles::Size;

use super::database::{Database, Entries};
use super::encoding::{Encoding, PatternKind, Width};
use super::{Pattern, Shape};
use crate::file::{DESCRIPTION, Description, FileError, FileFault, TableFile};
use crate::with_encoding;

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
    fn new(shape: Shape, width: Width, entries: u64, histogram: &[u64]) -> Self {
        let mut description = Self {
            rows: shape.size().rows() as u16,
            cols: shape.size().cols() as u16,
            width: width.bits(),
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

    fn width(&self) -> Option<Width> {
        Width::ALL.into_iter().find(|width| width.bits() == self.width)
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
        let counted = self.histogram.iter().copied().try_fold(0, u64::checked_add)?;
        let width = self.width().filter(|_| counted <= self.entries)?;
        with_encoding!(PatternKind::of(width), E => E::table_bytes(shape, width, self.entries))
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

impl<E: Encoding> Database<E> {
    /// Loads a pattern's table. Maps the entries into memory if there are many.
    ///
    /// # Errors
    /// Fails unless the file is a table of this pattern and kind, and every byte is as it was
    /// written.
    pub fn load(path: &Path, pattern: Pattern, encoding: E) -> Result<Self, FileError> {
        let load = || Self::read(path, TableFile::open(path)?, pattern, encoding);
        load().map_err(|fault: FileFault| fault.at(path))
    }

    /// Takes a pattern's table from the bytes of the file `name`.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_bytes(
        name: &str,
        bytes: Vec<u8>,
        pattern: Pattern,
        encoding: E,
    ) -> Result<Self, FileError> {
        let path = Path::new(name);
        let read = || Self::read(path, TableFile::from_bytes(bytes)?, pattern, encoding);
        read().map_err(|fault: FileFault| fault.at(path))
    }

    fn read(
        path: &Path,
        file: TableFile<PatternDescription>,
        pattern: Pattern,
        encoding: E,
    ) -> Result<Self, FileFault> {
        let TableInfo { shape, width, entries, histogram, .. } = TableInfo::new(path, &file)?;
        if shape != pattern.shape() {
            return Err(FileFault::Shape { found: shape, wanted: pattern.shape() });
        }
        if PatternKind::of(width) != E::KIND || entries != encoding.entries(&pattern) {
            return Err(FileFault::Header);
        }
        let entries = Entries::stored(width, file.content()?);
        let database = Self::new(pattern, encoding, entries, histogram);
        let goal = database.pattern().goal_cells();
        let blank = shape.blanks().trailing_zeros() as u8;
        match E::term(&database, goal, blank) {
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
        let entries = self.encoding().entries(self.pattern());
        PatternDescription::new(self.pattern().shape(), self.width(), entries, self.histogram())
    }
}
