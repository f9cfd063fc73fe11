//! Explores a space with its layers in files, if memory is short.
//!
//! Each slab with boards has a file. The next layer of a slab is computed piece by piece, from
//! front to back: long runs read the previous layer's piece and its source blocks, and the new
//! piece goes to another file, which then replaces the first. The state is saved after each slab,
//! so the program loses at most the work for one slab whenever it ends.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use taquin_search::Monitor;
use taquin_tiles::Board;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::file::{FileError, FileFault, TableFile};

use super::explorer::{Explorer, Part, Source, Step, Storage, TILE, reporter};
use super::index::SpaceShape;
use super::links::Links;
use super::maps::{Map, Scratch};
use super::plan::SharePlan;
use super::saved::{FOLDER, SavedDescription, SavedSpace, numbers};
use super::share::Member;
use super::{ExploreError, Extent, Metric};

/// The name of the file with the state.
pub(super) const STATE: &str = "state";

/// A slab's file name, before its number.
const SLAB: &str = "slab-";

/// The words of a small slab.
const SMALL_SLAB_WORDS: usize = 1 << 19;

/// The last two layers of a space in a folder's files. A move is one step.
pub struct Files {
    folder: PathBuf,
    /// The number of blocks that are computed together.
    piece: usize,
    /// Whether a block has a board.
    full: Vec<bool>,
    slabs: Vec<SlabState>,
}

/// The known state of a slab's file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct SlabState {
    /// The checksum of its content, or 0 if it has no boards and there is no file.
    checksum: u64,
    /// The number of boards, once it has been replaced by the next layer.
    replaced: Option<u64>,
}

impl Explorer<Files> {
    /// Creates a space that contains only the goal, in a folder that is created if it does not
    /// exist.
    ///
    /// # Errors
    /// Fails if exploring it would take more than `memory` bytes of memory, if the folder has a
    /// space's state, or if a file cannot be written.
    pub fn in_files(goal: &Board, folder: &Path, memory: u64) -> Result<Self, ExploreError> {
        let (plan, mut files) = Files::new(goal, folder, memory)?;
        let state = files.path(STATE);
        if fs::exists(&state).map_err(|error| fault(&state, error))? {
            let error = io::Error::new(io::ErrorKind::AlreadyExists, "it has the state of a space");
            return Err(fault(folder, error).into());
        }
        fs::create_dir_all(folder).map_err(|error| fault(folder, error))?;
        let shape = plan.index.shape();
        let slot = plan.index.slot(goal).expect("the goal can be reached from itself");
        let (slab, word) = (slot / 64 / shape.slab_words(), slot / 64 % shape.slab_words());
        let block = word / shape.block_words();
        let mut words = vec![0; unit(shape) * shape.block_words()];
        let first = block / unit(shape) * unit(shape);
        words[word - first * shape.block_words()] = 1 << (slot % 64);
        files.full[slab * shape.blocks() + block] = true;
        let path = files.slab_path(slab);
        let mut file = SlabFile::create(&path, shape).map_err(|error| fault(&path, error))?;
        file.write(first, &words).map_err(|error| fault(&path, error))?;
        files.slabs[slab].checksum = checksum_of(shape, slab, first, &words);
        files.save(goal, &[1])?;
        Ok(Self::with(plan, files, vec![1]))
    }

    /// Resumes a folder's space, after reading all of it.
    ///
    /// # Errors
    /// Fails if exploring it would take more than `memory` bytes, or unless every byte is as it was
    /// written.
    pub fn resume_files(folder: &Path, memory: u64) -> Result<Self, ExploreError> {
        let SavedSpace { goal, depths, .. } = SavedSpace::of(folder)?;
        let state = folder.join(STATE);
        let damaged = |fault: FileFault| ExploreError::File(fault.at(&state));
        let file = TableFile::<SavedDescription>::open(&state).map_err(damaged)?;
        let (plan, mut files) = Files::new(&goal, folder, memory)?;
        let content = file.content().map_err(damaged)?;
        let numbers = numbers(&content);
        for (slab, numbers) in files.slabs.iter_mut().zip(numbers.as_chunks::<2>().0) {
            *slab = SlabState { checksum: numbers[0], replaced: numbers[1].checked_sub(1) };
        }
        for slab in 0..files.slabs.len() {
            files.settle(slab).map_err(|error| fault(&files.slab_path(slab), error))?;
            files.verify(plan.index.shape(), slab)?;
        }
        Ok(Self::with(plan, files, depths))
    }
}

/// Removes the files of a space that was explored in a folder. The folder stays.
pub fn remove_files(folder: &Path) {
    // Without the state, leftover files are harmless.
    let _ = fs::remove_file(folder.join(STATE));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let slab = name.strip_prefix(SLAB).map(|name| name.strip_suffix(".new").unwrap_or(name));
        // A file that a killed run was writing.
        let is_torn = name.starts_with(STATE) && name.ends_with(".tmp");
        if is_torn || slab.is_some_and(|number| number.parse::<usize>().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

impl Storage for Files {
    fn compute(
        &mut self,
        plan: &SharePlan,
        depths: &[u64],
        monitor: &Monitor,
    ) -> Result<u64, ExploreError> {
        let targets = plan.index.slabs_of(plan.index.colour_at(depths.len()));
        for slab in targets.clone() {
            if self.slabs[slab].replaced.is_none() {
                self.slabs[slab] = self.replace(slab, plan, depths, monitor)?;
                // The new file exists, and this makes it valid.
                self.save(plan.goal(), depths)?;
                self.settle(slab).map_err(|error| fault(&self.slab_path(slab), error))?;
            }
        }
        Ok(self.slabs[targets].iter().filter_map(|slab| slab.replaced).sum())
    }

    fn complete(&mut self, plan: &SharePlan, depths: &[u64]) -> Result<(), ExploreError> {
        self.slabs.iter_mut().for_each(|slab| slab.replaced = None);
        Ok(self.save(plan.goal(), depths)?)
    }

    fn blocks<'a>(
        &'a self,
        plan: &'a SharePlan,
        depth: usize,
    ) -> impl Iterator<Item = Result<(usize, Cow<'a, [u64]>), FileError>> {
        let shape = plan.index.shape();
        let slabs = plan.index.slabs_of(plan.index.colour_at(depth));
        let numbers = slabs.start * shape.blocks()..slabs.end * shape.blocks();
        numbers.filter(|&number| self.full[number]).map(move |number| {
            let path = self.slab_path(number / shape.blocks());
            let mut words = vec![0; shape.block_words()];
            let file = SlabFile::open(&path, shape);
            let read = file.and_then(|mut file| file.read(number % shape.blocks(), &mut words));
            read.map_err(|error| fault(&path, error))?;
            Ok((number, Cow::Owned(words)))
        })
    }
}

impl Files {
    /// Returns the plan of a space, and files without boards.
    fn new(goal: &Board, folder: &Path, memory: u64) -> Result<(SharePlan, Self), ExploreError> {
        let piece = piece(goal, memory)?;
        let plan = SharePlan::new(goal, Metric::Single, Member::ONLY, u64::MAX)?;
        let full = vec![false; plan.held()];
        let slabs = vec![SlabState::default(); plan.index.slabs()];
        Ok((plan, Self { folder: folder.to_owned(), piece, full, slabs }))
    }

    /// Computes the next layer of a slab, and writes it to a new file if it has boards.
    fn replace(
        &mut self,
        slab: usize,
        plan: &SharePlan,
        depths: &[u64],
        monitor: &Monitor,
    ) -> Result<SlabState, ExploreError> {
        let SharePlan { index, links, .. } = plan;
        let shape = index.shape();
        let (blocks, block_words) = (shape.blocks(), shape.block_words());
        let old_path = self.slab_path(slab);
        let new_path = new(&old_path);
        let mut file = None;
        let (mut checksum, mut boards) = (0, 0);
        let unit = unit(shape);
        let targets = index.slabs_of(index.colour_at(depths.len()));
        let report = reporter(depths, monitor);
        let scratch = || (vec![0; block_words], Scratch::default());
        for first in (0..blocks).step_by(self.piece) {
            if monitor.is_cancelled() {
                return Err(ExploreError::Cancelled);
            }
            let range = first..blocks.min(first + self.piece);
            let source = self.load(plan, slab, range.clone())?;
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
            let step = Step { index, links, source, depth: depths.len() };
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
                checksum ^= checksum_of(shape, slab, first, &words);
            }
            let done = (slab - targets.start) * blocks + range.end;
            report(done as u64, (targets.len() * blocks) as u64);
        }
        // A small space is explored again sooner than the disk has it; a torn file is found.
        if let Some(file) = file.filter(|_| shape.slab_words() > SMALL_SLAB_WORDS) {
            file.0.sync_all().map_err(|error| fault(&new_path, error))?;
        }
        Ok(SlabState { checksum, replaced: Some(boards) })
    }

    /// Reads the blocks that some blocks of a slab come from, unless they are empty.
    fn load(
        &self,
        SharePlan { index, links, .. }: &SharePlan,
        slab: usize,
        range: Range<usize>,
    ) -> Result<Vec<SlabBlocks>, FileError> {
        let shape = index.shape();
        let (blocks, block_words) = (shape.blocks(), shape.block_words());
        let mut all = Vec::new();
        for link in links.of_plane(slab / shape.parities()) {
            let from = link.source_slab(slab, shape);
            let is_full = |block: &usize| self.full[from * blocks + block];
            let mut needed: Vec<usize> = match links.map(link) {
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
            all.push(SlabBlocks { slab: from, blocks: needed, words });
        }
        Ok(all)
    }

    /// Makes a slab's files match its state: a new file replaces the old one if it is valid, and is
    /// removed otherwise.
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
    fn verify(&mut self, shape: SpaceShape, slab: usize) -> Result<(), FileError> {
        let expected = self.slabs[slab].checksum;
        if expected == 0 {
            return Ok(());
        }
        let path = self.slab_path(slab);
        let at = |error| fault(&path, error);
        let mut file = SlabFile::open(&path, shape).map_err(at)?;
        let unit = unit(shape);
        let mut words = vec![0; unit * shape.block_words()];
        let mut checksum = 0;
        for first in (0..shape.blocks()).step_by(unit) {
            file.read(first, &mut words).map_err(at)?;
            for (block, words) in words.chunks_exact(shape.block_words()).enumerate() {
                let is_full = words.iter().any(|&word| word != 0);
                self.full[slab * shape.blocks() + first + block] = is_full;
            }
            checksum ^= checksum_of(shape, slab, first, &words);
        }
        match checksum == expected {
            true => Ok(()),
            false => Err(FileFault::Entries.at(&path)),
        }
    }

    fn save(&self, goal: &Board, depths: &[u64]) -> Result<(), FileError> {
        let path = self.path(STATE);
        let description = SavedDescription::new(FOLDER, goal, depths, Member::ONLY);
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
        self.path(&format!("{SLAB}{slab}"))
    }
}

/// Returns the units of blocks that have boards. Reading smaller parts of a file takes longer than
/// it saves.
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

/// Returns the checksum of some units in a slab. Checksums of parts combine by `xor`, and units
/// without boards do not count.
fn checksum_of(shape: SpaceShape, slab: usize, first: usize, words: &[u64]) -> u64 {
    let number = slab * shape.blocks() + first;
    let units = words.chunks(unit(shape) * shape.block_words()).enumerate();
    let units = units.filter(|(_, words)| words.iter().any(|&word| word != 0));
    units
        .map(|(at, words)| {
            let seed = number + at * unit(shape) + 1;
            xxh3_64_with_seed(bytemuck::cast_slice(words), seed as u64)
        })
        .fold(0, |all, checksum| all ^ checksum)
}

/// Returns the size of a goal's space with layers in files and the least memory, and the files'
/// bytes.
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

/// Returns the number of blocks in a piece that fits into some memory: a product of digits, so that
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

/// Returns the bytes for everything that does not depend on the pieces.
fn fixed_bytes(shape: SpaceShape, slabs: usize) -> u64 {
    let planes = Links::plane_bytes(shape) * (slabs / shape.parities());
    let of_slab = shape.blocks() + size_of::<SlabState>() + SharePlan::SLAB_BYTES;
    (slabs * of_slab + planes + Map::all_bytes(shape)) as u64
}

/// Returns the bytes for computing a piece: the layer before, the sources and their numbers.
fn piece_bytes(shape: SpaceShape, blocks: usize) -> u64 {
    let sources = 4 * shape.blanks().min(shape.cells() - shape.blanks());
    let of_block = shape.block_words() * size_of::<u64>() + 4 * size_of::<usize>();
    (blocks * of_block * (1 + sources)) as u64
}

/// The blocks of a slab that were read.
struct SlabBlocks {
    slab: usize,
    blocks: Vec<usize>,
    words: Vec<u64>,
}

impl Source for Vec<SlabBlocks> {
    #[inline]
    fn block(&self, slab: usize, block: usize) -> Option<&[u64]> {
        let SlabBlocks { blocks, words, .. } = self.iter().find(|loaded| loaded.slab == slab)?;
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
