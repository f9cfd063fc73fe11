//! The depth-first search of a threshold, in rounds.
//!
//! ```text
//! pool of boards --> warps take chunks --> pool empty --> each warp leaves its stack
//!                        ^                                        |
//!                        +------------- the next pool ------------+
//! ```
#![allow(unsafe_code, reason = "launching a kernel is unsafe: see SAFETY below")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use cudarc::driver::sys::CUfunction_attribute_enum as FunctionAttribute;
use cudarc::driver::{
    CudaFunction, CudaModule, CudaSlice, DeviceRepr, LaunchConfig, PushKernelArg,
};
use taquin_search::{Cost, Stop};

use crate::device::Device;
use crate::error::GpuError;

use super::control::{Control, KernelOutput};
use super::patterns::PatternTables;
use super::{Resources, Task};

/// The words of a chunk: 32 nodes of ten words.
pub(super) const CHUNK_WORDS: usize = 320;

const MAX_WARPS: u32 = 16;
/// The bytes of shared memory of a warp, and of the tables for tiles and cells.
const RING_BYTES: u32 = 128 * 10 * 4;
const LOOKUP_BYTES: u32 = 96 * 4;

/// The chunks of a warp's stacks.
const STACK_CHUNKS: usize = 512;

/// The steps that a warp does after the pool is empty.
const MAX_STEPS_ALONE: u32 = 200;

/// The least slack of boards that are remembered, and a slack that no board has.
const MIN_SLACK: u32 = 1;
const NO_SLACK: u32 = 32;

/// The sizes of the table of boards, as powers of two; it has a quarter more for boards with more
/// slack. An entry has 16 bytes.
const MIN_SIZE: u32 = 20;
const MAX_SIZE: u32 = 32;

/// How long a round is waited for without sleeping.
const SPIN: Duration = Duration::from_millis(3);

/// The time between two looks at a longer one.
const PAUSE: Duration = Duration::from_millis(1);

/// `Round` of search24.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct RoundArgs {
    tickets: u32,
    per_ticket: u32,
    listed: u32,
    patience: u32,
    stop_at_goal: u32,
    least_slack: u32,
    mask: u32,
}

// SAFETY: it has the layout of `Round` in search24.cu: seven unsigned integers.
unsafe impl DeviceRepr for RoundArgs {}

/// The four pattern words of the goal: `uint4` of the kernels.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug)]
struct Goal([u32; 4]);

// SAFETY: it has the layout of `uint4`: four unsigned integers, aligned to 16 bytes.
unsafe impl DeviceRepr for Goal {}

/// The stacks of all warps, and the boards that were searched.
#[derive(Debug)]
pub(super) struct Rounds {
    search: CudaFunction,
    warps: u32,
    blocks: u32,
    stacks: [CudaSlice<u32>; 2],
    lists: [CudaSlice<u32>; 2],
    boards: CudaSlice<u64>,
    /// The greatest size of the table of boards, if there is one, and the size in use.
    most_size: Option<u32>,
    size: Option<u32>,
}

/// How the search of a threshold ended.
pub(super) enum End {
    Complete,
    /// The goal was found from this item.
    Found(u32),
    Stopped(Stop),
}

impl Rounds {
    /// Allocates stacks, and most of the free memory for a table of boards if the device can have
    /// one.
    pub(super) fn new(
        device: &Device,
        module: &Arc<CudaModule>,
        resources: &mut Resources,
    ) -> Result<Self, GpuError> {
        let stream = device.stream();
        let search = module.load_function("search")?;
        let warps =
            (resources.shared.saturating_sub(LOOKUP_BYTES) / RING_BYTES).clamp(1, MAX_WARPS);
        let bytes = (warps * RING_BYTES + LOOKUP_BYTES) as i32;
        search.set_attribute(
            FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            bytes,
        )?;
        let blocks = device.info().multiprocessors;
        let chunks = (warps * blocks) as usize * STACK_CHUNKS;
        resources.take((chunks * (CHUNK_WORDS + 1) * 8) as u64)?;
        let stacks =
            [stream.alloc_zeros(chunks * CHUNK_WORDS)?, stream.alloc_zeros(chunks * CHUNK_WORDS)?];
        let lists = [stream.alloc_zeros(chunks)?, stream.alloc_zeros(chunks)?];
        // Some is left for the driver.
        let free = resources.memory / 10 * 9;
        let fits = |size: &u32| resources.exchanges && table_bytes(*size) <= free;
        let most_size = (MIN_SIZE..=MAX_SIZE).rev().find(fits);
        resources.take(most_size.map_or(0, table_bytes))?;
        let boards =
            stream.alloc_zeros(most_size.map_or(1, |size| table_bytes(size) as usize / 8))?;
        Ok(Self { search, warps, blocks, stacks, lists, boards, most_size, size: None })
    }

    /// The number of boards that can be remembered.
    pub(super) const fn transpositions(&self) -> u64 {
        match self.most_size {
            Some(size) => table_bytes(size) / 16,
            None => 0,
        }
    }

    /// Forgets all boards, because another puzzle's boards mean nothing here.
    pub(super) const fn forget(&mut self) {
        self.size = None;
    }

    /// Gets the table of boards ready for a threshold of `nodes` nodes. A larger table starts empty.
    pub(super) fn remember(&mut self, device: &Device, nodes: u64) -> Result<(), GpuError> {
        let Some(most) = self.most_size else { return Ok(()) };
        // About one node of twelve has slack.
        let wanted = (nodes / 12).max(1).ilog2().clamp(MIN_SIZE, most);
        if self.size < Some(wanted) {
            let words = table_bytes(wanted) as usize / 8;
            device.stream().memset_zeros(&mut self.boards.slice_mut(0..words))?;
            self.size = Some(wanted);
        }
        Ok(())
    }

    /// Searches below all nodes of a pool.
    pub(super) fn search(
        &mut self,
        device: &Device,
        tables: &PatternTables,
        control: &mut Control,
        (pool, nodes): (&CudaSlice<u32>, u32),
        task: &mut Task<'_>,
        threshold: Cost,
    ) -> Result<End, GpuError> {
        let mut chunks = nodes.div_ceil(32);
        let warps = self.warps * self.blocks;
        let size = self.size.filter(|_| task.options.transpositions);
        for round in 0_usize.. {
            if chunks == 0 {
                break;
            }
            if let Some(stop) = task.stop() {
                return Ok(End::Stopped(stop));
            }
            let mut per_ticket = 32;
            while per_ticket > 1 && chunks * (32 / per_ticket) < 2 * warps {
                per_ticket /= 2;
            }
            let args = RoundArgs {
                tickets: chunks * (32 / per_ticket),
                per_ticket,
                listed: u32::from(round > 0),
                patience: MAX_STEPS_ALONE,
                stop_at_goal: 1,
                least_slack: if size.is_some() { MIN_SLACK } else { NO_SLACK },
                mask: size.map_or(0, |size| u32::MAX >> (32 - size)),
            };
            let (written, stop) =
                self.round(device, tables, control, (pool, round), args, (task, threshold))?;
            task.counts.expanded += written.expanded;
            task.counts.generated += written.generated;
            task.report(u64::from(chunks) * 32, threshold);
            if written.is_full {
                return Err(GpuError::Wrong("a stack overflowed"));
            }
            if let Some(item) = written.found {
                return Ok(End::Found(item));
            }
            if let Some(stop) = stop {
                return Ok(End::Stopped(stop));
            }
            chunks = written.left;
        }
        Ok(End::Complete)
    }

    /// Runs one round; the pool of later ones is what the one before has left.
    fn round(
        &mut self,
        device: &Device,
        tables: &PatternTables,
        control: &mut Control,
        (pool, round): (&CudaSlice<u32>, usize),
        args: RoundArgs,
        (task, threshold): (&mut Task<'_>, Cost),
    ) -> Result<(KernelOutput, Option<Stop>), GpuError> {
        let stream = device.stream();
        control.clear(device)?;
        let [even, odd] = &mut self.stacks;
        let (stacks, before) = if round % 2 == 0 { (even, odd) } else { (odd, even) };
        let [even, odd] = &mut self.lists;
        let (left, list) = if round % 2 == 0 { (even, odd) } else { (odd, even) };
        let goal = Goal(tables.goal);
        let mut launch = stream.launch_builder(&self.search);
        launch.arg(&tables.entries).arg(&tables.lookup);
        launch.arg(if round == 0 { pool } else { &*before }).arg(&*list);
        launch.arg(stacks).arg(left).arg(&mut self.boards).arg(&args).arg(&goal);
        launch.arg(&mut control.words);
        let config = LaunchConfig {
            grid_dim: (self.blocks, 1, 1),
            block_dim: (self.warps * 32, 1, 1),
            shared_mem_bytes: self.warps * RING_BYTES + LOOKUP_BYTES,
        };
        // SAFETY: there are stacks for all warps of the grid and shared memory for all of a block.
        // The tickets are chunks of the pool, or of the list that the round before has written. The
        // table of boards has a quarter more entries than the mask numbers.
        unsafe { launch.launch(config) }?;
        let done = stream.record_event(None)?;
        let started = Instant::now();
        let mut stop = None;
        while !done.is_complete() {
            if started.elapsed() < SPIN {
                continue;
            }
            std::thread::sleep(PAUSE);
            let KernelOutput { expanded, generated, .. } = control.peek(device)?;
            task.running = (expanded, generated);
            task.report(u64::from(args.tickets) * u64::from(args.per_ticket), threshold);
            if stop.is_none()
                && let Some(reason) = task.stop()
            {
                stop = Some(reason);
                control.stop(device)?;
            }
        }
        task.running = (0, 0);
        Ok((control.read(device)?, stop))
    }
}

/// The bytes of the table of boards.
const fn table_bytes(size: u32) -> u64 {
    (16 << size) + (4 << size)
}
