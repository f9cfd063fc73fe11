//! Whole spaces: the number of boards at each distance from a goal, one bit per board.
//!
//! `kernels/space.cu` describes the scheme. The boards are numbered as on the processor, and a slab
//! has the number of the blank's cell.

mod launch;
mod links;

use cudarc::driver::CudaSlice;
use taquin_tables::whole::{self, Extent, Metric, SpaceIndex, SpaceShape};
use taquin_tiles::Board;

use crate::device::Device;
use crate::error::GpuError;

use launch::{BoardArgs, Kernels};
use links::Tables;

/// The greatest number of farthest boards that are returned.
const FARTHEST: usize = 1_000;

/// A last layer with at most this many boards is searched for its first ones.
const SORTED: u64 = 1 << 20;

/// Returns the size of a goal's space on a device.
///
/// # Errors
/// Fails if there are no kernels for such boards.
pub fn space_extent(goal: &Board) -> Result<Extent, GpuError> {
    let shape = supported(goal)?;
    let Extent { states, .. } = whole::extent(goal, Metric::Single);
    Ok(Extent { states, bytes: bytes(shape) })
}

const UNSUPPORTED: GpuError = GpuError::Unsupported(
    "a device enumerates boards with one blank, with two to four rows or columns and 9 to 16 cells",
);

/// Returns the shape of a goal's space, if there are kernels for it.
fn supported(goal: &Board) -> Result<SpaceShape, GpuError> {
    let shape = SpaceShape::new(goal);
    let fits = (2..=4).contains(&shape.cols) && (9..=16).contains(&shape.cells());
    if fits && shape.blanks() == 1 { Ok(shape) } else { Err(UNSUPPORTED) }
}

fn bytes(shape: SpaceShape) -> u64 {
    let blocks = shape.blocks() as u64;
    let cells = shape.cells() as u64;
    // The words, a flag for each block, and the plan: half of the slabs are computed together.
    cells * blocks * (BLOCK_WORDS as u64 * 8 + 1) + cells.div_ceil(2) * blocks * 4 + (1 << 20)
}

/// A space that is being explored on a device.
#[derive(Debug)]
pub struct Space {
    device: Device,
    index: SpaceIndex,
    /// The cell of the goal's blank.
    goal_cell: usize,
    kernels: Kernels,
    tables: Tables,
    slabs: CudaSlice<u64>,
    /// A byte for each block: whether it has a board of the layer in its slab.
    flags: CudaSlice<u8>,
    plan: CudaSlice<u32>,
    depths: Vec<u64>,
}

impl Space {
    /// Creates a space that contains only the goal.
    ///
    /// # Errors
    /// Fails if there are no kernels for such boards, or if the device has too little memory.
    pub fn new(device: &Device, goal: &Board) -> Result<Self, GpuError> {
        Self::with_shape(device, goal, supported(goal)?)
    }

    fn with_shape(device: &Device, goal: &Board, shape: SpaceShape) -> Result<Self, GpuError> {
        device.reserve(bytes(shape))?;
        let index = SpaceIndex::with_shape(goal, shape);
        let kernels = Kernels::load(device, shape.cols)?;
        let tables = Tables::new(device, shape.cols, shape.cells())?;
        let stream = device.stream();
        let (cells, blocks) = (shape.cells(), shape.blocks());
        let mut slabs = stream.alloc_zeros(cells * blocks * BLOCK_WORDS)?;
        let mut flags = stream.alloc_zeros(cells * blocks)?;
        let plan = stream.alloc_zeros(cells.div_ceil(2) * blocks)?;
        // The goal is the first board of its slab.
        let goal_cell = index.blank(goal);
        let first = goal_cell * blocks;
        stream.memcpy_htod(
            &[1_u64],
            &mut slabs.slice_mut(first * BLOCK_WORDS..=first * BLOCK_WORDS),
        )?;
        stream.memcpy_htod(&[1_u8], &mut flags.slice_mut(first..=first))?;
        stream.synchronize()?;
        let (device, depths) = (device.clone(), vec![1]);
        Ok(Self { device, index, goal_cell, kernels, tables, slabs, flags, plan, depths })
    }

    /// Returns the number of boards at each depth that has been reached.
    pub fn depths(&self) -> &[u64] {
        &self.depths
    }

    /// Computes the next layer. Returns `false` if there is none.
    ///
    /// # Errors
    /// Fails if the driver does. The space is unusable then.
    pub fn advance(&mut self) -> Result<bool, GpuError> {
        let colour = self.colour(self.depths.len());
        let args = BoardArgs::new(self.index.shape(), self.goal_cell, colour);
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

    /// Returns the colour of the cells that the blank can be in after `depth` moves.
    fn colour(&self, depth: usize) -> usize {
        (colour_of(self.index.shape(), self.goal_cell) + depth) % 2
    }

    /// Returns the farthest boards, once there are no further layers: all, or a thousand of them,
    /// in the order of [`SpaceIndex::first`].
    ///
    /// # Errors
    /// Fails if the driver does.
    pub fn farthest(&self) -> Result<Vec<Board>, GpuError> {
        let count = self.depths.last().copied().unwrap_or(0);
        let most = if count <= SORTED { count as usize } else { FARTHEST };
        Ok(self.index.first(self.boards(most)?.into_iter(), FARTHEST))
    }

    /// Returns up to `most` boards of the last layer.
    fn boards(&self, most: usize) -> Result<Vec<Board>, GpuError> {
        let stream = self.device.stream();
        let shape = self.index.shape();
        let blocks = shape.blocks();
        let flags = stream.clone_dtoh(&self.flags)?;
        let colour = self.colour(self.depths.len() - 1);
        let mut boards = Vec::new();
        for (at, _) in flags.iter().enumerate().filter(|(_, flag)| **flag != 0) {
            let (cell, block) = (at / blocks, at % blocks);
            if colour_of(shape, cell) != colour {
                continue;
            }
            let words =
                stream.clone_dtoh(&self.slabs.slice(at * BLOCK_WORDS..(at + 1) * BLOCK_WORDS))?;
            for (place, &word) in words.iter().enumerate() {
                let bits = (0..64).filter(|bit| word >> bit & 1 == 1);
                let word = block * BLOCK_WORDS + place;
                boards.extend(bits.map(|bit| self.index.board_in(cell, word, bit)));
            }
            if boards.len() >= most {
                break;
            }
        }
        boards.truncate(most);
        Ok(boards)
    }
}

/// The words in a block: the values of the digits with radices 8, 7 and 6.
const BLOCK_WORDS: usize = 8 * 7 * 6;

fn colour_of(shape: SpaceShape, cell: usize) -> usize {
    (cell / shape.cols + cell % shape.cols) % 2
}

#[cfg(test)]
mod tests {
    use taquin_search::Monitor;
    use taquin_tables::whole::Explorer;
    use taquin_tiles::{NamedGoal, Size};

    use super::*;

    #[test]
    fn boards_without_a_kernel_are_refused() {
        let board = |size: &str, blanks| NamedGoal::Last.board(size.parse().unwrap(), blanks);
        for size in ["2x2", "2x4", "3x2", "1x9", "3x6", "2x9", "5x5"] {
            assert!(supported(&board(size, 1)).is_err(), "{size}");
        }
        assert!(supported(&board("3x3", 2)).is_err());
        for size in ["3x3", "2x5", "3x5", "7x2", "4x4", "2x8"] {
            assert_eq!(supported(&board(size, 1)).unwrap().block_words(), BLOCK_WORDS, "{size}");
        }
        // Spaces that no device holds are numbered all the same.
        let Extent { states, bytes } = space_extent(&board("4x4", 1)).unwrap();
        assert_eq!((states, bytes / 1_000_000_000), (10_461_394_944_000, 1396));
    }

    /// The kernel for four columns is meant for 4x4, which is too large for a test.
    #[test]
    #[ignore = "needs a CUDA device: cargo xtask gpu"]
    fn three_rows_of_four_columns_are_those_of_the_processor() {
        let device = Device::open(0).unwrap();
        let size: Size = "3x4".parse().unwrap();
        for cell in 0..size.cells() {
            let mut tiles: Vec<u16> = (1..12).rev().collect();
            tiles.insert(cell, 0);
            let goal = Board::new(size, tiles).unwrap();
            let mut explorer = Explorer::new(&goal, Metric::Single, 1 << 30).unwrap();
            while explorer.advance(&Monitor::default()).unwrap() {}
            let shape = SpaceShape::new(&goal).turned();
            assert_eq!((shape.rows, shape.cols), (3, 4));
            let mut space = Space::with_shape(&device, &goal, shape).unwrap();
            while space.advance().unwrap() {}
            assert_eq!(space.depths(), explorer.depths(), "blank in cell {cell}");
            assert_eq!(
                space.farthest().unwrap(),
                explorer.farthest().unwrap(),
                "blank in cell {cell}"
            );
        }
    }
}
