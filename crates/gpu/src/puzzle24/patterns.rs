//! The pattern databases, built on the device.
//!
//! Two patterns are searched, and the other six are turned or reflected copies of them.
#![allow(unsafe_code, reason = "launching a kernel is unsafe: see SAFETY below")]

use std::mem;

use cudarc::driver::{CudaFunction, CudaSlice, DeviceRepr, PushKernelArg};

use crate::device::{Device, grid};
use crate::error::GpuError;
use crate::kernels::Kernel;

use super::Resources;
use super::lookup::{Item, PATTERNS, goal_words, lookup};

const THREADS: u32 = 256;

/// The words of a table: 2^30 entries of two bits.
const TABLE_WORDS: usize = 1 << 26;

/// The numbers with six digits of radix 25.
const STATES: usize = 25_usize.pow(6);

/// The arrangements of six tiles.
const ARRANGEMENTS: u32 = 25 * 24 * 23 * 22 * 21 * 20;

/// No state is this far from the goal.
const MOST_DEPTH: u32 = 200;

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

/// The tables that searches look up.
#[derive(Debug)]
pub(super) struct PatternTables {
    /// Eight tables, one behind the other.
    pub(super) entries: CudaSlice<u32>,
    /// `Lookup` of board24.cuh.
    pub(super) lookup: CudaSlice<u32>,
    pub(super) goal: [u32; 4],
}

impl PatternTables {
    pub(super) fn new(device: &Device, resources: &mut Resources) -> Result<Self, GpuError> {
        resources.take(8 * TABLE_WORDS as u64 * 4)?;
        // For each state: its distance and three sets of blank cells.
        let mut scratch = *resources;
        scratch.take(13 * STATES as u64)?;
        let stream = device.stream();
        let module = device.load(Kernel::PATTERNS_24)?;
        let (layer, pack) = (module.load_function("layer")?, module.load_function("pack")?);
        let mut entries = stream.alloc_zeros::<u32>(8 * TABLE_WORDS)?;
        for (base, &searched) in PATTERNS[..2].iter().enumerate() {
            let distances = distances_of(device, &layer, searched)?;
            for table in (0..8).filter(|table| usize::from(table % 4 != 0) == base) {
                let turn = turn(PATTERNS[table], searched);
                let mut target = entries.slice_mut(table * TABLE_WORDS..(table + 1) * TABLE_WORDS);
                let mut launch = stream.launch_builder(&pack);
                launch.arg(&distances).arg(&mut target).arg(&turn);
                // SAFETY: each thread writes one of the words of a table. It reads the distance of
                // states with six different cells, which are among all states.
                unsafe { launch.launch(grid(TABLE_WORDS as u32 / THREADS, THREADS)) }?;
            }
            stream.synchronize()?;
        }
        Ok(Self { entries, lookup: stream.clone_htod(&lookup())?, goal: goal_words() })
    }
}

impl PatternTables {
    /// Returns the estimate of a board.
    pub(super) fn estimate(&self, device: &Device, board: Item) -> Result<u32, GpuError> {
        let places = board.places();
        let mut sums = [0; 2];
        for table in 0..8 {
            let index = places.index(table);
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
) -> Result<CudaSlice<u8>, GpuError> {
    let stream = device.stream();
    let mut distances = stream.alloc_zeros::<u8>(STATES)?;
    let mut current = stream.alloc_zeros::<u32>(STATES)?;
    let mut next = stream.alloc_zeros::<u32>(STATES)?;
    let mut known = stream.alloc_zeros::<u32>(STATES)?;
    let mut found = stream.alloc_zeros::<u32>(1)?;
    let goal = pattern.iter().rev().fold(0, |state, &tile| state * 25 + usize::from(tile));
    // The blank is in the first cell.
    stream.memcpy_htod(&[1_u32], &mut current.slice_mut(goal..=goal))?;
    for depth in 0..MOST_DEPTH {
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

/// How `pattern` lies on `base`.
fn turn(pattern: [u8; 6], base: [u8; 6]) -> Turn {
    let symmetry = (0..8)
        .find(|&symmetry| pattern.iter().all(|&tile| base.contains(&turned(tile, symmetry))))
        .expect("all patterns are images of two");
    let mut turn = Turn { cell: [0; 32], slot: [0; 8], goal: [0; 8] };
    for cell in 0..25 {
        turn.cell[usize::from(cell)] = turned(cell, symmetry);
    }
    for (field, &tile) in pattern.iter().enumerate() {
        let image = turned(tile, symmetry);
        let slot = base.iter().position(|&other| other == image).expect("it was found above");
        (turn.slot[field], turn.goal[field]) = (slot as u8, tile);
    }
    turn
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
    fn turned_patterns_lie_on_their_base() {
        for table in 0..8 {
            let base = PATTERNS[usize::from(table % 4 != 0)];
            let Turn { cell, slot, goal } = turn(PATTERNS[table], base);
            for field in 0..6 {
                let image = cell[usize::from(goal[field])];
                assert_eq!(image, base[usize::from(slot[field])], "table {table}");
            }
        }
    }
}
