//! The pattern databases, built on the device.
//!
//! Two or three patterns are searched, and the others are turned or reflected copies of them.
#![allow(unsafe_code, reason = "launching a kernel is unsafe: see SAFETY below")]

use std::mem;

use cudarc::driver::{CudaFunction, CudaSlice, DeviceRepr, PushKernelArg};

use crate::device::{Device, grid};
use crate::error::GpuError;
use crate::kernels::Kernel;

use super::Resources;
use super::lookup::{Item, Patterns, STEPS, goal_words, lookup, moves, patterns};

const THREADS: u32 = 256;

/// The words of a table: 2^30 entries of two bits.
const TABLE_WORDS: usize = 1 << 26;

/// The numbers with six digits of radix 25.
const STATES: usize = 25_usize.pow(6);

/// The arrangements of six tiles.
const ARRANGEMENTS: u32 = 25 * 24 * 23 * 22 * 21 * 20;

/// No state is this far from the goal.
const MAX_DEPTH: u32 = 200;

/// The bytes of the eight tables of a goal.
const TABLE_BYTES: u64 = 8 * TABLE_WORDS as u64 * 4;

/// The bytes that building them takes: for each state, its distance and three sets of blank cells.
const BUILD_BYTES: u64 = 13 * STATES as u64;

/// `Turn` of patterns24.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Turn {
    cell: [u8; 32],
    slot: [u8; 8],
    goal: [u8; 8],
}

// SAFETY: it has the layout of `Turn` in patterns24.cu: 48 bytes.
unsafe impl DeviceRepr for Turn {}

/// The tables for goals with the blank in different cells, built when they are first needed.
#[derive(Debug)]
pub(super) struct TableCache {
    /// The most recently used ones first.
    tables: Vec<PatternTables>,
    /// The number of goals whose tables fit into the memory.
    most: usize,
}

/// The tables that searches look up.
#[derive(Debug)]
pub(super) struct PatternTables {
    /// The cell of the blank in the goal.
    blank: usize,
    pub(super) patterns: Patterns,
    /// Eight tables, one behind the other.
    pub(super) entries: CudaSlice<u32>,
    /// `Lookup` of board24.cuh.
    pub(super) lookup: CudaSlice<u32>,
    pub(super) goal: [u32; 4],
}

impl TableCache {
    /// Builds the tables for goals with the blank in one cell.
    pub(super) fn new(
        device: &Device,
        blank: usize,
        resources: &mut Resources,
    ) -> Result<Self, GpuError> {
        resources.take(TABLE_BYTES)?;
        let mut scratch = *resources;
        scratch.take(BUILD_BYTES)?;
        Ok(Self { tables: vec![PatternTables::new(device, blank)?], most: 1 })
    }

    /// Allows as many tables as fit into the memory that is left.
    pub(super) const fn extend(&mut self, resources: &Resources) {
        // Some is left for the driver.
        let free = (resources.memory / 10 * 9).saturating_sub(BUILD_BYTES);
        self.most = 1 + (free / TABLE_BYTES) as usize;
    }

    /// Whether there are tables for this cell, or memory to build them without giving up others.
    pub(super) fn has_room_for(&self, blank: usize) -> bool {
        self.most > 1 || self.tables.iter().any(|tables| tables.blank == blank)
    }

    /// Returns the tables for goals with the blank in this cell. The least recently used ones make
    /// room for them.
    pub(super) fn get(
        &mut self,
        device: &Device,
        blank: usize,
    ) -> Result<&PatternTables, GpuError> {
        match self.tables.iter().position(|tables| tables.blank == blank) {
            Some(place) => self.tables[..=place].rotate_right(1),
            None => {
                self.tables.truncate(self.most - 1);
                self.tables.insert(0, PatternTables::new(device, blank)?);
            }
        }
        Ok(&self.tables[0])
    }
}

impl PatternTables {
    fn new(device: &Device, blank: usize) -> Result<Self, GpuError> {
        let stream = device.stream();
        let module = device.load(Kernel::PATTERNS_24)?;
        let (layer, pack) = (module.load_function("layer")?, module.load_function("pack")?);
        let mut entries = stream.alloc_zeros::<u32>(8 * TABLE_WORDS)?;
        let patterns = patterns(blank);
        for SearchedPattern { pattern, copies } in searched(&patterns, blank) {
            let distances = distances_of(device, &layer, pattern, blank)?;
            for (table, turn) in copies {
                let mut target = entries.slice_mut(table * TABLE_WORDS..(table + 1) * TABLE_WORDS);
                let mut launch = stream.launch_builder(&pack);
                launch.arg(&distances).arg(&mut target).arg(&turn);
                // SAFETY: each thread writes one of the words of a table. It reads the distance of
                // states with six different cells, which are among all states.
                unsafe { launch.launch(grid(TABLE_WORDS as u32 / THREADS, THREADS)) }?;
            }
            stream.synchronize()?;
        }
        let lookup = stream.clone_htod(&lookup(&patterns))?;
        Ok(Self { blank, patterns, entries, lookup, goal: goal_words(&patterns) })
    }
}

impl PatternTables {
    /// Returns the estimate of a board.
    pub(super) fn estimate(&self, device: &Device, board: Item) -> Result<u32, GpuError> {
        let places = board.places();
        let mut sums = [0; 2];
        for table in 0..8 {
            let index = places.index(self.patterns[table]);
            let at = table * TABLE_WORDS + index / 16;
            let word = device.stream().clone_dtoh(&self.entries.slice(at..=at))?[0];
            sums[table / 4] += word >> (index % 16 * 2) & 3;
        }
        Ok(places.manhattan() + 2 * sums[0].max(sums[1]))
    }
}

/// Computes the distances of a pattern by breadth-first search; each is stored plus one.
fn distances_of(
    device: &Device,
    layer: &CudaFunction,
    pattern: [u8; 6],
    blank: usize,
) -> Result<CudaSlice<u8>, GpuError> {
    let stream = device.stream();
    let mut distances = stream.alloc_zeros::<u8>(STATES)?;
    let mut current = stream.alloc_zeros::<u32>(STATES)?;
    let mut next = stream.alloc_zeros::<u32>(STATES)?;
    let mut known = stream.alloc_zeros::<u32>(STATES)?;
    let mut found = stream.alloc_zeros::<u32>(1)?;
    let goal = pattern.iter().rev().fold(0, |state, &tile| state * 25 + usize::from(tile));
    stream.memcpy_htod(&[1_u32 << blank], &mut current.slice_mut(goal..=goal))?;
    for depth in 0..MAX_DEPTH {
        let mut launch = stream.launch_builder(layer);
        launch.arg(&current).arg(&mut next).arg(&mut known).arg(&mut distances);
        launch.arg(&depth).arg(&mut found);
        // SAFETY: each thread reads and writes the entries of one state, and sets bits of `next` of
        // states that differ in the cell of one tile, which are among all states.
        unsafe { launch.launch(grid((STATES as u32).div_ceil(THREADS), THREADS)) }?;
        if stream.clone_dtoh(&found)?[0] == ARRANGEMENTS {
            return Ok(distances);
        }
        mem::swap(&mut current, &mut next);
        stream.memset_zeros(&mut next)?;
    }
    Err(GpuError::Wrong("a pattern database is not complete"))
}

/// A pattern that is searched, and the tables that are copies of its distances.
struct SearchedPattern {
    pattern: [u8; 6],
    copies: Vec<(usize, Turn)>,
}

/// Chooses the patterns to search, as few as possible.
fn searched(patterns: &Patterns, blank: usize) -> Vec<SearchedPattern> {
    let mut all: Vec<SearchedPattern> = Vec::new();
    for (table, &pattern) in patterns.iter().enumerate() {
        let copy = |base: &mut SearchedPattern| {
            let turn = turn(pattern, base.pattern, blank)?;
            base.copies.push((table, turn));
            Some(())
        };
        if all.iter_mut().find_map(copy).is_none() {
            let same = turn(pattern, pattern, blank).expect("a pattern lies on itself");
            all.push(SearchedPattern { pattern, copies: vec![(table, same)] });
        }
    }
    all
}

/// How `pattern` lies on `base`, if a symmetry of the square takes it there. The distances are then the
/// same if the blank of the goal is in the same region between the tiles.
fn turn(pattern: [u8; 6], base: [u8; 6], blank: usize) -> Option<Turn> {
    let (region, base_region) = (region(pattern, blank), region(base, blank));
    let fits = |&symmetry: &u8| {
        let image = |cells: u32| {
            let cells = (0..25).filter(|cell| cells >> cell & 1 == 1);
            cells.fold(0_u32, |image, cell| image | 1 << turned(cell, symmetry))
        };
        image(set_of(pattern)) == set_of(base) && image(region) == base_region
    };
    let symmetry = (0..8).find(fits)?;
    let mut turn = Turn { cell: [0; 32], slot: [0; 8], goal: [0; 8] };
    for cell in 0..25 {
        turn.cell[usize::from(cell)] = turned(cell, symmetry);
    }
    for (field, &tile) in pattern.iter().enumerate() {
        let image = turned(tile, symmetry);
        let slot = base.iter().position(|&other| other == image)?;
        (turn.slot[field], turn.goal[field]) = (slot as u8, tile);
    }
    Some(turn)
}

fn set_of(pattern: [u8; 6]) -> u32 {
    pattern.into_iter().fold(0, |set, cell| set | 1 << cell)
}

/// The cells that the blank of the goal gets to without moving a tile of the pattern.
fn region(pattern: [u8; 6], blank: usize) -> u32 {
    let free = !set_of(pattern);
    let mut region = 1_u32 << blank;
    loop {
        let inside = (0..25).filter(|cell| region >> cell & 1 == 1);
        let reached = inside.fold(region, |reached, cell: usize| {
            let steps = (0..4).filter(|step| moves(cell) >> step & 1 == 1);
            steps
                .fold(reached, |reached, step| reached | 1 << cell.wrapping_add_signed(STEPS[step]))
        });
        if reached & free == region {
            return region;
        }
        region = reached & free;
    }
}

/// A cell after one of the eight symmetries of the square.
const fn turned(cell: u8, symmetry: u8) -> u8 {
    let (mut row, mut col) = (cell / 5, cell % 5);
    let mut quarter = 0;
    while quarter < symmetry % 4 {
        (row, col) = (col, 4 - row);
        quarter += 1;
    }
    if symmetry >= 4 { col * 5 + row } else { row * 5 + col }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turned_patterns_lie_on_those_that_are_searched() {
        for blank in 0..25 {
            let patterns = patterns(blank);
            let all = searched(&patterns, blank);
            assert!(all.len() <= 3, "{blank}: {}", all.len());
            let mut tables = Vec::new();
            for SearchedPattern { pattern: base, copies } in all {
                for (table, Turn { cell, slot, goal }) in copies {
                    tables.push(table);
                    assert_eq!(goal[..6], patterns[table]);
                    for field in 0..6 {
                        let image = cell[usize::from(goal[field])];
                        assert_eq!(image, base[usize::from(slot[field])], "{blank} {table}");
                    }
                    // The blank of the goal can be where the searched one is.
                    let image = cell[blank];
                    assert!(region(base, blank) >> image & 1 == 1, "{blank} {table}");
                }
            }
            tables.sort_unstable();
            assert_eq!(tables, (0..8).collect::<Vec<_>>());
        }
        assert_eq!(searched(&patterns(0), 0).len(), 2);
        // The first cell is shut off by the tiles next to it.
        assert_eq!(region(patterns(0)[0], 0), 1);
    }
}
