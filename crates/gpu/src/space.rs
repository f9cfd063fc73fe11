//! Whole spaces: the number of boards at each distance from a goal, one bit per board.
//!
//! `kernels/space.cu` describes the scheme. A board of two or three columns has few digits that a
//! vertical move changes; a board of two or three rows is transposed.

mod launch;
mod links;
mod numbering;

use cudarc::driver::CudaSlice;
use taquin_tables::whole::{self, Extent, SpaceIndex};
use taquin_tiles::Board;

use crate::device::Device;
use crate::error::GpuError;

use launch::{BoardArgs, Kernels};
use links::Tables;
use numbering::{BLOCK_WORDS, Numbering};

/// The greatest number of farthest boards that are returned.
const FARTHEST: usize = 1_000;

/// A last layer with at most this many boards is searched for the first of them.
const SORTED: u64 = 1 << 20;

/// Returns the size of the space of a goal on a device.
///
/// # Errors
/// Fails if there are no kernels for such boards.
pub fn space_extent(goal: &Board) -> Result<Extent, GpuError> {
    let numbering = Numbering::new(goal).ok_or(UNSUPPORTED)?;
    Ok(Extent { states: whole::extent(goal).states, bytes: bytes(&numbering) })
}

const UNSUPPORTED: GpuError = GpuError::Unsupported(
    "a device enumerates boards with one blank, with two or three rows or columns and 9 to 15 cells",
);

fn bytes(numbering: &Numbering) -> u64 {
    let blocks = numbering.blocks() as u64;
    let cells = numbering.cells() as u64;
    // The words, a flag for each block, and the plan: half of the slabs are computed at once.
    cells * blocks * (BLOCK_WORDS as u64 * 8 + 1) + cells.div_ceil(2) * blocks * 4 + (1 << 20)
}

/// A space that is being explored on a device.
#[derive(Debug)]
pub struct Space {
    device: Device,
    goal: Board,
    numbering: Numbering,
    kernels: Kernels,
    tables: Tables,
    slabs: CudaSlice<u64>,
    /// A byte for each block: whether it has a board of the layer in its slab.
    flags: CudaSlice<u8>,
    plan: CudaSlice<u32>,
    depths: Vec<u64>,
}

impl Space {
    /// Creates a space of which only the goal is known.
    ///
    /// # Errors
    /// Fails if there are no kernels for such boards, or if the device has too little memory.
    pub fn new(device: &Device, goal: &Board) -> Result<Self, GpuError> {
        let numbering = Numbering::new(goal).ok_or(UNSUPPORTED)?;
        device.reserve(bytes(&numbering))?;
        let kernels = Kernels::load(device, numbering.cols())?;
        let tables = Tables::new(device, numbering.cols(), numbering.cells())?;
        let stream = device.stream();
        let (cells, blocks) = (numbering.cells(), numbering.blocks());
        let mut slabs = stream.alloc_zeros(cells * blocks * BLOCK_WORDS)?;
        let mut flags = stream.alloc_zeros(cells * blocks)?;
        let plan = stream.alloc_zeros(cells.div_ceil(2) * blocks)?;
        // The goal is the first board of its slab.
        let first = numbering.goal_cell() * blocks;
        stream.memcpy_htod(
            &[1_u64],
            &mut slabs.slice_mut(first * BLOCK_WORDS..=first * BLOCK_WORDS),
        )?;
        stream.memcpy_htod(&[1_u8], &mut flags.slice_mut(first..=first))?;
        stream.synchronize()?;
        let (device, goal, depths) = (device.clone(), goal.clone(), vec![1]);
        Ok(Self { device, goal, numbering, kernels, tables, slabs, flags, plan, depths })
    }

    /// Returns the number of boards at each depth that has been reached.
    pub fn depths(&self) -> &[u64] {
        &self.depths
    }

    /// Computes the next layer. Returns `false` if there is none.
    ///
    /// # Errors
    /// Fails if the driver does. The space is of no use then.
    pub fn advance(&mut self) -> Result<bool, GpuError> {
        let colour = self.numbering.colour(self.depths.len());
        let args = BoardArgs::new(&self.numbering, colour);
        let planned =
            self.kernels.plan(&self.device, &args, &self.flags, &self.tables, &mut self.plan)?;
        let new = self.kernels.step(
            &self.device,
            &args,
            (&mut self.slabs, &mut self.flags),
            &self.tables,
            (&self.plan, planned),
        )?;
        if new > 0 {
            self.depths.push(new);
        }
        Ok(new > 0)
    }

    /// Returns the farthest boards, once there are no further layers: all, or a thousand of them, in
    /// the order of [`SpaceIndex`].
    ///
    /// # Errors
    /// Fails if the driver does.
    pub fn farthest(&self) -> Result<Vec<Board>, GpuError> {
        let count = self.depths.last().copied().unwrap_or(0);
        let most = if count <= SORTED { count as usize } else { FARTHEST };
        let mut boards = self.boards(most)?;
        if let Ok(index) = SpaceIndex::new(&self.goal, u64::MAX) {
            boards.sort_by_cached_key(|board| index.slot(board));
        }
        boards.truncate(FARTHEST);
        Ok(boards)
    }

    /// Returns up to `most` boards of the last layer.
    fn boards(&self, most: usize) -> Result<Vec<Board>, GpuError> {
        let stream = self.device.stream();
        let blocks = self.numbering.blocks();
        let flags = stream.clone_dtoh(&self.flags)?;
        let colour = self.numbering.colour(self.depths.len() - 1);
        let mut boards = Vec::new();
        for (at, _) in flags.iter().enumerate().filter(|(_, flag)| **flag != 0) {
            let (cell, block) = (at / blocks, at % blocks);
            if self.numbering.colour_of(cell) != colour {
                continue;
            }
            let words =
                stream.clone_dtoh(&self.slabs.slice(at * BLOCK_WORDS..(at + 1) * BLOCK_WORDS))?;
            for (place, &word) in words.iter().enumerate() {
                let bits = (0..64).filter(|bit| word >> bit & 1 == 1);
                let word = block * BLOCK_WORDS + place;
                boards.extend(bits.map(|bit| self.numbering.board(&self.goal, cell, word, bit)));
            }
            if boards.len() >= most {
                break;
            }
        }
        boards.truncate(most);
        Ok(boards)
    }
}
