//! Exploring a space whose layers are in files, where memory is short.
//!
//! There is a file for each slab that has boards. The next layer of a slab is computed piece by
//! piece, from front to back: the piece of the layer before and the blocks that it comes from are
//! read, in long runs, and the new piece is written to another file, which then replaces the first.
//! After each slab the state is saved, so that at most the work for one slab is lost, whenever the
//! program ends.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use taquin_search::{Monitor, Progress};
use taquin_tiles::Board;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::bits::bits;
use crate::file::{FileError, FileFault, TableFile};

use super::explorer::{FARTHEST, Part, Source, Step, TILE};
use super::index::{SpaceIndex, SpaceShape};
use super::links::Links;
use super::maps::{Map, Scratch};
use super::saved::{ResumeError, SavedDescription, numbers};
use super::{ExploreError, Extent, Metric};

/// The name of the file with the state.
const STATE: &str = "state";

/// The words of a small slab.
const SMALL: usize = 1 << 19;

/// A space whose layers are in the files of a folder. A move is one step.
pub struct DiskExplorer {
    folder: PathBuf,
    index: SpaceIndex,
    links: Links,
    /// The number of blocks that are computed at once.
    piece: usize,
    /// Whether a block has a board.
    full: Vec<bool>,
    slabs: Vec<SlabState>,
    depths: Vec<u64>,
}

/// What is known of the file of a slab.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct SlabState {
    /// The checksum of its content, or 0 if it has no boards and there is no file.
    checksum: u64,
    /// The number of boards, once it has been replaced by the next layer.
    replaced: Option<u64>,
}

impl DiskExplorer {
    /// Creates a space of which only the goal is known, in a folder that is created if it does not
    /// exist.
    ///
    /// # Errors
    /// Fails if exploring it would take more than `memory` bytes of memory, if the folder has the
    /// state of a space, or if a file cannot be written.
    pub fn new(goal: &Board, folder: &Path, memory: u64) -> Result<Self, ResumeError> {
        let mut this = Self::empty(goal, folder, memory)?;
        let state = this.path(STATE);
        if fs::exists(&state).map_err(|error| fault(&state, error))? {
            let error = io::Error::new(io::ErrorKind::AlreadyExists, "it has the state of a space");
            return Err(fault(folder, error).into());
        }
        fs::create_dir_all(folder).map_err(|error| fault(folder, error))?;
        let shape = this.index.shape();
        let slot = this.index.slot(goal).expect("the goal can be reached from itself");
        let (slab, word) = (slot / 64 / shape.slab_words(), slot / 64 % shape.slab_words());
        let block = word / shape.block_words();
        let mut words = vec![0; this.unit() * shape.block_words()];
        let first = block / this.unit() * this.unit();
        words[word - first * shape.block_words()] = 1 << (slot % 64);
        this.full[slab * shape.blocks() + block] = true;
        let path = this.slab_path(slab);
        let mut file = SlabFile::create(&path, shape).map_err(|error| fault(&path, error))?;
        file.write(first, &words).map_err(|error| fault(&path, error))?;
        this.slabs[slab].checksum = this.checksum(slab, first, &words);
        this.save()?;
        Ok(this)
    }

    /// Resumes the space of a folder, after reading all of it.
    ///
    /// # Errors
    /// Fails if exploring it would take more than `memory` bytes, or unless every byte is as it was
    /// written.
    pub fn resume(folder: &Path, memory: u64) -> Result<Self, ResumeError> {
        let state = folder.join(STATE);
        let damaged = |fault: FileFault| ResumeError::File(fault.at(&state));
        let file = TableFile::<SavedDescription>::open(&state).map_err(damaged)?;
        let goal = file.description.goal().filter(|_| file.description.is_folder());
        let goal = goal.ok_or_else(|| damaged(FileFault::Header))?;
        let mut this = Self::empty(&goal, folder, memory)?;
        this.depths = file.description.depths();
        let content = file.content().map_err(damaged)?;
        let numbers = numbers(&content);
        for (slab, numbers) in this.slabs.iter_mut().zip(numbers.as_chunks::<2>().0) {
            *slab = SlabState { checksum: numbers[0], replaced: numbers[1].checked_sub(1) };
        }
        for slab in 0..this.slabs.len() {
            this.settle(slab).map_err(|error| fault(&this.slab_path(slab), error))?;
            this.verify(slab)?;
        }
        Ok(this)
    }

    /// Returns a space without boards.
    fn empty(goal: &Board, folder: &Path, memory: u64) -> Result<Self, ResumeError> {
        let piece = piece(goal, memory)?;
        let index = SpaceIndex::new(goal, Metric::Single, u64::MAX)?;
        let links = Links::new(&index);
        let full = vec![false; index.slabs() * index.shape().blocks()];
        let slabs = vec![SlabState::default(); index.slabs()];
        let folder = folder.to_owned();
        Ok(Self { folder, index, links, piece, full, slabs, depths: vec![1] })
    }

    /// Returns the goal.
    pub const fn goal(&self) -> &Board {
        self.index.goal()
    }

    /// Returns the number of boards at each depth that has been reached.
    pub fn depths(&self) -> &[u64] {
        &self.depths
    }

    /// Computes the next layer on all threads of the current pool. Returns `false` if there is none.
    /// Reports the number of known and of expanded boards to the monitor.
    ///
    /// # Errors
    /// Fails if the monitor is cancelled or a file cannot be read or written. The folder can be
    /// [resumed](Self::resume) then.
    pub fn advance(&mut self, monitor: &Monitor) -> Result<bool, ResumeError> {
        let targets = self.index.slabs_of(self.index.colour_at(self.depths.len()));
        for slab in targets.clone() {
            if self.slabs[slab].replaced.is_none() {
                self.slabs[slab] = self.replace(slab, &targets, monitor)?;
                // The new file is there, and this makes it valid.
                self.save()?;
                self.settle(slab).map_err(|error| fault(&self.slab_path(slab), error))?;
            }
        }
        let new: u64 = self.slabs[targets].iter().filter_map(|slab| slab.replaced).sum();
        if new > 0 {
            self.depths.push(new);
            self.slabs.iter_mut().for_each(|slab| slab.replaced = None);
            self.save()?;
        }
        Ok(new > 0)
    }

    /// Computes the next layer of a slab, and writes it to a new file if it has boards.
    fn replace(
        &mut self,
        slab: usize,
        targets: &Range<usize>,
        monitor: &Monitor,
    ) -> Result<SlabState, ResumeError> {
        let shape = self.index.shape();
        let (blocks, block_words) = (shape.blocks(), shape.block_words());
        let old_path = self.slab_path(slab);
        let new_path = new(&old_path);
        let mut file = None;
        let (mut checksum, mut boards) = (0, 0);
        let unit = self.unit();
        let scratch = || (vec![0; block_words], Scratch::default());
        for first in (0..blocks).step_by(self.piece) {
            if monitor.is_cancelled() {
                return Err(ExploreError::Cancelled.into());
            }
            let range = first..blocks.min(first + self.piece);
            let source = self.load(slab, range.clone())?;
            let full = slab * blocks + range.start..slab * blocks + range.end;
            let had_boards = self.full[full.clone()].contains(&true);
            if source.is_empty() && !had_boards {
                continue;
            }
            let mut words = vec![0; range.len() * block_words];
            if had_boards {
                let old = SlabFile::open(&old_path, shape);
                let full = &self.full[full.clone()];
                let read = old.and_then(|mut file| {
                    units(full, unit).try_for_each(|run| {
                        let words = &mut words[run.start * block_words..run.end * block_words];
                        file.read(first + run.start, words)
                    })
                });
                read.map_err(|error| fault(&old_path, error))?;
            }
            let full = &mut self.full[full];
            let step =
                Step { index: &self.index, links: &self.links, source, depth: self.depths.len() };
            let mut parts = Part::split(slab * blocks + first, &mut words, full, TILE);
            let new: u64 = parts.par_iter_mut().map_init(scratch, |s, p| step.compute(p, s)).sum();
            drop(parts);
            boards += new;
            if new > 0 {
                let mut write = || {
                    let file = match &mut file {
                        Some(file) => file,
                        none => none.insert(SlabFile::create(&new_path, shape)?),
                    };
                    units(full, unit).try_for_each(|run| {
                        let words = &words[run.start * block_words..run.end * block_words];
                        file.write(first + run.start, words)
                    })
                };
                write().map_err(|error| fault(&new_path, error))?;
                checksum ^= self.checksum(slab, first, &words);
            }
            self.report(monitor, slab - targets.start, range.end, targets.len());
        }
        // A small space is explored again sooner than the disk has it; a torn file is found.
        if let Some(file) = file.filter(|_| shape.slab_words() > SMALL) {
            file.0.sync_all().map_err(|error| fault(&new_path, error))?;
        }
        Ok(SlabState { checksum, replaced: Some(boards) })
    }

    fn report(&self, monitor: &Monitor, slabs: usize, blocks: usize, targets: usize) {
        let (found, bound) = (self.depths.iter().sum::<u64>(), self.depths.len() as u32 - 1);
        let frontier = self.depths[self.depths.len() - 1];
        let of_slab = blocks as f64 / self.index.shape().blocks() as f64;
        let share = (slabs as f64 + of_slab) / targets as f64;
        let expanded = found - frontier + (frontier as f64 * share) as u64;
        monitor.report(Progress { expanded, generated: found, frontier, bound });
    }

    /// Reads the blocks that some blocks of a slab come from, unless they are empty.
    fn load(&self, slab: usize, range: Range<usize>) -> Result<Vec<Loaded>, ResumeError> {
        let shape = self.index.shape();
        let (blocks, block_words) = (shape.blocks(), shape.block_words());
        let mut all = Vec::new();
        for link in self.links.of_plane(slab / shape.parities()) {
            let from = link.source_slab(slab, shape);
            let is_full = |block: &usize| self.full[from * blocks + block];
            let mut needed: Vec<usize> = match self.links.map(link) {
                None => range.clone().filter(is_full).collect(),
                Some(map) => {
                    let sources = range.clone().flat_map(|block| map.sources(block));
                    sources.filter(is_full).collect()
                }
            };
            needed.sort_unstable();
            needed.dedup();
            if needed.is_empty() {
                continue;
            }
            let path = self.slab_path(from);
            let mut words = vec![0; needed.len() * block_words];
            let mut read = || {
                let mut file = SlabFile::open(&path, shape)?;
                let mut rest = &mut words[..];
                for run in needed.chunk_by(|a, b| a + 1 == *b) {
                    let (words, others) = rest.split_at_mut(run.len() * block_words);
                    file.read(run[0], words)?;
                    rest = others;
                }
                Ok(())
            };
            read().map_err(|error| fault(&path, error))?;
            all.push(Loaded { slab: from, blocks: needed, words });
        }
        Ok(all)
    }

    /// Returns the farthest boards that have been reached: all, or the first thousand.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn farthest(&self) -> Result<Vec<Board>, FileError> {
        let shape = self.index.shape();
        let (blocks, block_words) = (shape.blocks(), shape.block_words());
        let mut boards = Vec::new();
        for slab in self.index.slabs_of(self.index.colour_at(self.depths.len() - 1)) {
            let path = self.slab_path(slab);
            for block in (0..blocks).filter(|block| self.full[slab * blocks + block]) {
                let mut words = vec![0; block_words];
                let read = SlabFile::open(&path, shape).and_then(|mut f| f.read(block, &mut words));
                read.map_err(|error| fault(&path, error))?;
                let first = (slab * blocks + block) * block_words;
                for (at, &word) in words.iter().enumerate() {
                    let slots = bits(word).map(|bit| (first + at) * 64 + bit);
                    boards.extend(slots.map(|slot| self.index.board(slot)));
                }
                if boards.len() > 16 * FARTHEST {
                    boards = self.index.first(boards.into_iter(), FARTHEST);
                }
            }
        }
        Ok(self.index.first(boards.into_iter(), FARTHEST))
    }

    /// Removes the files. The folder stays.
    pub fn remove(self) {
        let slabs = (0..self.slabs.len()).map(|slab| self.slab_path(slab));
        // Without the state, what is left behind does no harm.
        for path in [self.path(STATE)].into_iter().chain(slabs) {
            let _ = fs::remove_file(new(&path));
            let _ = fs::remove_file(path);
        }
        // What was being written when a run was killed.
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(STATE) && name.ends_with(".tmp") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Makes the files of a slab what its state says: a new file replaces the old one if it is valid,
    /// and is removed otherwise.
    fn settle(&self, slab: usize) -> io::Result<()> {
        let path = self.slab_path(slab);
        let new_path = new(&path);
        let SlabState { checksum, replaced } = self.slabs[slab];
        let done = match (checksum, replaced) {
            (0, _) => fs::remove_file(&path),
            (_, Some(_)) => fs::rename(&new_path, &path),
            (_, None) => fs::remove_file(&new_path),
        };
        match done {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// Reads a slab, finds its blocks with boards and compares its checksum.
    fn verify(&mut self, slab: usize) -> Result<(), FileError> {
        let expected = self.slabs[slab].checksum;
        if expected == 0 {
            return Ok(());
        }
        let shape = self.index.shape();
        let path = self.slab_path(slab);
        let at = |error| fault(&path, error);
        let mut file = SlabFile::open(&path, shape).map_err(at)?;
        let unit = self.unit();
        let mut words = vec![0; unit * shape.block_words()];
        let mut checksum = 0;
        for first in (0..shape.blocks()).step_by(unit) {
            file.read(first, &mut words).map_err(at)?;
            for (block, words) in words.chunks_exact(shape.block_words()).enumerate() {
                let is_full = words.iter().any(|&word| word != 0);
                self.full[slab * shape.blocks() + first + block] = is_full;
            }
            checksum ^= self.checksum(slab, first, &words);
        }
        match checksum == expected {
            true => Ok(()),
            false => Err(FileFault::Entries.at(&path)),
        }
    }

    /// Returns the number of blocks that have a checksum.
    fn unit(&self) -> usize {
        unit(self.index.shape())
    }

    /// Returns the checksum of some units of a slab. That of several parts is found by `xor`, and
    /// units without boards do not count.
    fn checksum(&self, slab: usize, first: usize, words: &[u64]) -> u64 {
        let unit = self.unit() * self.index.shape().block_words();
        let number = slab * self.index.shape().blocks() + first;
        let units = words.chunks(unit).enumerate().filter(|(_, unit)| unit.iter().any(|&w| w != 0));
        units
            .map(|(at, words)| {
                let seed = number + at * self.unit() + 1;
                xxh3_64_with_seed(bytemuck::cast_slice(words), seed as u64)
            })
            .fold(0, |all, checksum| all ^ checksum)
    }

    fn save(&self) -> Result<(), FileError> {
        let path = self.path(STATE);
        let description = SavedDescription::new(self.goal(), &self.depths, true);
        let description = description.map_err(|error| fault(&path, error))?;
        let numbers: Vec<[u64; 2]> = self
            .slabs
            .iter()
            .map(|slab| [slab.checksum, slab.replaced.map_or(0, |boards| boards + 1)])
            .collect();
        TableFile::save(&path, &description, bytemuck::cast_slice(&numbers))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn slab_path(&self, slab: usize) -> PathBuf {
        self.path(&format!("slab-{slab}"))
    }
}

/// Returns the units of blocks that have boards: shorter parts of a file take longer than they save.
fn units(full: &[bool], unit: usize) -> impl Iterator<Item = Range<usize>> {
    let units = full.chunks(unit).enumerate().filter(|(_, unit)| unit.contains(&true));
    units.map(move |(at, blocks)| at * unit..at * unit + blocks.len())
}

/// Returns the name of the file that is to replace another.
fn new(path: &Path) -> PathBuf {
    path.with_extension("new")
}

fn fault(path: &Path, error: io::Error) -> FileError {
    FileFault::Io(error).at(path)
}

/// Returns the number of blocks that have a checksum.
fn unit(shape: SpaceShape) -> usize {
    let tile = TILE.min(shape.blocks());
    if shape.blocks().is_multiple_of(tile) { tile } else { 1 }
}

/// Returns the size of the space of a goal whose layers are in files, with the least memory; and the
/// bytes of the files.
pub fn disk_extent(goal: &Board) -> (Extent, u64) {
    let shape = SpaceShape::new(goal);
    let Extent { states, .. } = super::extent(goal, Metric::Single);
    let extent = shape.size().filter(|_| shape.cells() <= 64).map(|(slabs, words)| {
        let files = (slabs + 1) * words * size_of::<u64>();
        (fixed_bytes(shape, slabs) + piece_bytes(shape, unit(shape)), files as u64)
    });
    let (bytes, files) = extent.unwrap_or((u64::MAX, u64::MAX));
    (Extent { states, bytes }, files)
}

/// Returns the number of blocks of a piece that fits into some memory: a product of digits, so that
/// its sources are long runs.
fn piece(goal: &Board, memory: u64) -> Result<usize, ExploreError> {
    let (Extent { states, bytes }, _) = disk_extent(goal);
    if bytes > memory || bytes == u64::MAX {
        return Err(ExploreError::Memory { states, needed: bytes, allowed: memory });
    }
    let shape = SpaceShape::new(goal);
    let slabs = shape.size().map_or(0, |(slabs, _)| slabs);
    let room = memory - fixed_bytes(shape, slabs);
    let mut piece = unit(shape);
    let mut radix = shape.block_radix() + 3;
    while piece < shape.blocks() && piece_bytes(shape, piece * radix) <= room {
        piece *= radix;
        radix += 1;
    }
    Ok(piece)
}

/// Returns the bytes for what does not depend on the pieces.
fn fixed_bytes(shape: SpaceShape, slabs: usize) -> u64 {
    let planes = Links::plane_bytes(shape) * (slabs / shape.parities());
    (slabs * (shape.blocks() + size_of::<SlabState>()) + planes + Map::all_bytes(shape)) as u64
}

/// Returns the bytes for computing a piece: the layer before, the sources and their numbers.
fn piece_bytes(shape: SpaceShape, blocks: usize) -> u64 {
    let sources = 4 * shape.blanks().min(shape.cells() - shape.blanks());
    let of_block = shape.block_words() * size_of::<u64>() + 4 * size_of::<usize>();
    (blocks * of_block * (1 + sources)) as u64
}

/// The blocks of a slab that were read.
struct Loaded {
    slab: usize,
    blocks: Vec<usize>,
    words: Vec<u64>,
}

impl Source for Vec<Loaded> {
    #[inline]
    fn block(&self, slab: usize, block: usize) -> Option<&[u64]> {
        let Loaded { blocks, words, .. } = self.iter().find(|loaded| loaded.slab == slab)?;
        let length = words.len() / blocks.len();
        let at = blocks.binary_search(&block).ok()?;
        Some(&words[at * length..][..length])
    }
}

/// The file of a slab.
struct SlabFile(File, SpaceShape);

impl SlabFile {
    /// Creates a file of zeros.
    fn create(path: &Path, shape: SpaceShape) -> io::Result<Self> {
        let file = File::create(path)?;
        file.set_len((shape.slab_words() * size_of::<u64>()) as u64)?;
        Ok(Self(file, shape))
    }

    fn open(path: &Path, shape: SpaceShape) -> io::Result<Self> {
        Ok(Self(File::open(path)?, shape))
    }

    fn seek(&mut self, block: usize) -> io::Result<u64> {
        let offset = block * self.1.block_words() * size_of::<u64>();
        self.0.seek(SeekFrom::Start(offset as u64))
    }

    fn read(&mut self, block: usize, words: &mut [u64]) -> io::Result<()> {
        self.seek(block)?;
        self.0.read_exact(bytemuck::cast_slice_mut(words))
    }

    fn write(&mut self, block: usize, words: &[u64]) -> io::Result<()> {
        self.seek(block)?;
        self.0.write_all(bytemuck::cast_slice(words))
    }
}
