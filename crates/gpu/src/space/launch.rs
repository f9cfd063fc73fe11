//! Launches the kernels in `space.cu`.
#![allow(unsafe_code, reason = "launching a kernel is unsafe: see SAFETY below")]

use cudarc::driver::{CudaFunction, CudaSlice, DeviceRepr, PushKernelArg};
use taquin_tables::whole::SpaceShape;

use crate::device::{Device, grid};
use crate::error::GpuError;
use crate::kernels::Kernel;

use super::links::Tables;
use super::{BLOCK_WORDS, colour_of};

const PLAN_THREADS: u32 = 256;
const STEP_THREADS: u32 = BLOCK_WORDS as u32 / 2;

/// The blocks that a thread block computes.
const PER_THREAD_BLOCK: u32 = 8;

/// The number of counters that the thread blocks add to.
const COUNTERS: usize = 256;

/// `Board` of the kernels.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct BoardArgs {
    cells: u32,
    cols: u32,
    blocks: u32,
    goal_row: u32,
    colour: u32,
    slabs: u32,
    tile: u32,
}

// SAFETY: it has the layout of `Board` in space.cu: seven unsigned integers.
unsafe impl DeviceRepr for BoardArgs {}

impl BoardArgs {
    /// The arguments for computing the slabs of a colour.
    pub(super) fn new(shape: SpaceShape, goal_cell: usize, colour: usize) -> Self {
        let (cells, cols, blocks) = (shape.cells(), shape.cols, shape.blocks());
        let slabs = (0..cells).filter(|&cell| colour_of(shape, cell) == colour).count();
        // As many blocks as possible whose sources are near each other: a product of digits.
        let tile = [90, 9, 1].into_iter().find(|tile| blocks % tile == 0).unwrap_or(1);
        Self {
            cells: cells as u32,
            cols: cols as u32,
            blocks: blocks as u32,
            goal_row: (goal_cell / cols) as u32,
            colour: colour as u32,
            slabs: slabs as u32,
            tile: tile as u32,
        }
    }
}

/// A module's functions, and the memory for their results.
#[derive(Debug)]
pub(super) struct Kernels {
    plan: CudaFunction,
    step: CudaFunction,
    length: CudaSlice<u32>,
    counters: CudaSlice<u64>,
}

impl Kernels {
    pub(super) fn load(device: &Device, cols: usize) -> Result<Self, GpuError> {
        let module = device.load(match cols {
            2 => Kernel::SPACE_2,
            3 => Kernel::SPACE_3,
            _ => Kernel::SPACE_4,
        })?;
        Ok(Self {
            plan: module.load_function("plan")?,
            step: module.load_function("step")?,
            length: device.stream().alloc_zeros(1)?,
            counters: device.stream().alloc_zeros(COUNTERS)?,
        })
    }

    /// Lists the blocks that have content or may get some, and returns their number.
    pub(super) fn plan(
        &mut self,
        device: &Device,
        args: &BoardArgs,
        flags: &CudaSlice<u8>,
        tables: &Tables,
        list: &mut CudaSlice<u32>,
    ) -> Result<u32, GpuError> {
        let stream = device.stream();
        stream.memset_zeros(&mut self.length)?;
        let threads = args.slabs * args.blocks;
        let mut launch = stream.launch_builder(&self.plan);
        launch.arg(flags);
        launch.arg(&tables.links).arg(&tables.sources).arg(&tables.maps).arg(&tables.chunks);
        launch.arg(args).arg(list).arg(&mut self.length);
        // SAFETY: the arguments match the parameters of `plan`. It reads flags of existing blocks
        // and the tables that were made for this size, and writes at most one entry for each thread
        // that stands for a block, for which the list has room.
        unsafe { launch.launch(grid(threads.div_ceil(PLAN_THREADS), PLAN_THREADS)) }?;
        Ok(stream.clone_dtoh(&self.length)?[0])
    }

    /// Computes the blocks in a list, and returns the number of boards in them.
    pub(super) fn step(
        &mut self,
        device: &Device,
        args: &BoardArgs,
        (slabs, flags): (&mut CudaSlice<u64>, &mut CudaSlice<u8>),
        tables: &Tables,
        (list, length): (&CudaSlice<u32>, u32),
    ) -> Result<u64, GpuError> {
        let stream = device.stream();
        if length == 0 {
            return Ok(0);
        }
        stream.memset_zeros(&mut self.counters)?;
        let mut launch = stream.launch_builder(&self.step);
        launch.arg(slabs).arg(flags);
        launch.arg(&tables.links).arg(&tables.sources).arg(&tables.maps).arg(&tables.chunks);
        launch.arg(args).arg(list).arg(&length).arg(&PER_THREAD_BLOCK).arg(&mut self.counters);
        // SAFETY: the arguments match the parameters of `step`. The list has `length` entries, each
        // a block of a slab of the colour that is written; only slabs of the other colour are read,
        // and the words that a thread writes itself.
        unsafe { launch.launch(grid(length.div_ceil(PER_THREAD_BLOCK), STEP_THREADS)) }?;
        Ok(stream.clone_dtoh(&self.counters)?.into_iter().sum())
    }
}
