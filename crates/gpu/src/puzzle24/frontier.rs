//! The first layers of a threshold, breadth-first.
#![allow(unsafe_code, reason = "launching a kernel is unsafe: see SAFETY below")]

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaModule, CudaSlice, PushKernelArg};
use taquin_search::Cost;

use crate::device::{Device, grid};
use crate::error::GpuError;

use super::control::{Control, KernelOutput};
use super::lookup::Item;
use super::patterns::PatternTables;
use super::rounds::CHUNK_WORDS;
use super::{Resources, Task};

const THREADS: u32 = 128;

/// The most boards that a layer needs: more do not make the search faster.
pub(super) const MAX_ITEMS: u64 = 10_000_000;

/// The least number of hash slots of a layer.
const MIN_SLOTS: u64 = 1 << 16;

/// The layers of a threshold, one behind the other.
#[derive(Debug)]
pub(super) struct Frontier {
    expand: CudaFunction,
    fill_pool: CudaFunction,
    pad_pool: CudaFunction,
    find: CudaFunction,
    /// The most boards of the last layer.
    wanted: u64,
    /// The most items of one layer.
    most: u32,
    items: CudaSlice<u32>,
    hashes: CudaSlice<u64>,
    pool: CudaSlice<u32>,
    layers: Vec<Range<u32>>,
}

/// The result of growing.
pub(super) struct GrownFrontier {
    /// The depth of the last layer.
    pub(super) depth: u32,
    /// The boards of the last layer.
    pub(super) live: u64,
    /// The number of the goal, if it is in the last layer.
    pub(super) goal: Option<u32>,
}

impl Frontier {
    /// Allocates memory for layers of ten million boards, or less if the device has little memory.
    pub(super) fn new(
        device: &Device,
        module: &Arc<CudaModule>,
        resources: &mut Resources,
    ) -> Result<Self, GpuError> {
        let mut wanted = MAX_ITEMS;
        while wanted > MAX_ITEMS / 16 && bytes(wanted) > resources.memory / 4 {
            wanted /= 2;
        }
        resources.take(bytes(wanted))?;
        let stream = device.stream();
        let most = most(wanted);
        Ok(Self {
            expand: module.load_function("expand")?,
            fill_pool: module.load_function("fill_pool")?,
            pad_pool: module.load_function("pad_pool")?,
            find: module.load_function("find")?,
            wanted,
            most: most as u32,
            items: stream.alloc_zeros(2 * most as usize * Item::WORDS)?,
            hashes: stream.alloc_zeros(slots(most) as usize)?,
            pool: stream.alloc_zeros((most as usize / 32 + 1) * CHUNK_WORDS)?,
            layers: Vec::new(),
        })
    }

    pub(super) const fn pool(&self) -> &CudaSlice<u32> {
        &self.pool
    }

    /// Computes layers until one has `wanted` boards, or as many as fit.
    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of the engine are borrowed one by one"
    )]
    pub(super) fn grow(
        &mut self,
        device: &Device,
        tables: &PatternTables,
        control: &mut Control,
        root: &Item,
        threshold: Cost,
        wanted: u64,
        task: &mut Task<'_>,
    ) -> Result<GrownFrontier, GpuError> {
        let stream = device.stream();
        stream.memcpy_htod(&root.0, &mut self.items.slice_mut(0..Item::WORDS))?;
        self.layers.clear();
        self.layers.push(0..1);
        let mut live = 1;
        // A root that is the goal has no move to be found by.
        let mut goal = (threshold == 0).then_some(0);
        while live > 0 && live < wanted.min(self.wanted) && goal.is_none() {
            let room = (2 * self.most - self.end()).min(self.most);
            let written =
                self.expand(device, tables, control, threshold, room, (live, task.options.merge))?;
            if written.count > room {
                // The layer is not complete.
                break;
            }
            task.counts.expanded += written.expanded;
            task.counts.generated += written.generated;
            task.counts.duplicates += u64::from(written.dead);
            self.layers.push(self.end()..self.end() + written.count);
            live = u64::from(written.count - written.dead);
            goal = written.found;
        }
        Ok(GrownFrontier { depth: self.depth(), live, goal })
    }

    /// Expands the last layer.
    fn expand(
        &mut self,
        device: &Device,
        tables: &PatternTables,
        control: &mut Control,
        threshold: Cost,
        room: u32,
        (live, merge): (u64, bool),
    ) -> Result<KernelOutput, GpuError> {
        let stream = device.stream();
        let layer = self.last();
        let count = layer.end - layer.start;
        let used = if merge { slots(live * 3).min(self.hashes.len() as u64) } else { 1 };
        stream.memset_zeros(&mut self.hashes.slice_mut(0..used as usize))?;
        control.clear(device)?;
        let (mask, depth, threshold) = (used as u32 - 1, self.depth() + 1, threshold as i32);
        let depth = depth as i32;
        let mut launch = stream.launch_builder(&self.expand);
        launch.arg(&mut self.items).arg(&layer.start).arg(&count).arg(&room);
        launch.arg(&mut self.hashes).arg(&mask).arg(&tables.lookup).arg(&tables.entries);
        launch.arg(&depth).arg(&threshold).arg(&mut control.words);
        // SAFETY: the items of the layer exist, and so do `room` items behind them. There are more
        // slots than items that can be hashed: an item has at most three children.
        unsafe { launch.launch(grid(count.div_ceil(THREADS), THREADS)) }?;
        control.read(device)
    }

    /// Writes the boards of the last layer with these slacks into the pool, those with much slack
    /// first: one of some hash classes. Returns their number.
    pub(super) fn fill_pool(
        &mut self,
        device: &Device,
        tables: &PatternTables,
        control: &mut Control,
        threshold: Cost,
        (slacks, class, classes): (RangeInclusive<u32>, u32, u32),
    ) -> Result<u32, GpuError> {
        let stream = device.stream();
        let layer = self.last();
        let count = layer.end - layer.start;
        let (depth, threshold) = (self.depth() as i32, threshold as i32);
        control.clear(device)?;
        for slack in slacks.rev() {
            let slack = slack as i32;
            let mut launch = stream.launch_builder(&self.fill_pool);
            launch.arg(&self.items).arg(&layer.start).arg(&count).arg(&mut self.pool);
            launch.arg(&tables.lookup).arg(&tables.entries);
            launch.arg(&depth).arg(&threshold).arg(&slack).arg(&class).arg(&classes);
            launch.arg(&mut control.words);
            // SAFETY: the items exist, and each becomes at most one node of the pool, which has
            // room for a layer.
            unsafe { launch.launch(grid(count.div_ceil(THREADS), THREADS)) }?;
        }
        let nodes = control.read(device)?.count;
        let mut launch = stream.launch_builder(&self.pad_pool);
        launch.arg(&mut self.pool).arg(&nodes);
        // SAFETY: it writes to the last chunk, for which the pool has room.
        unsafe { launch.launch(grid(1, 32)) }?;
        Ok(nodes)
    }

    /// Returns an item and the moves to it.
    pub(super) fn trace(
        &mut self,
        device: &Device,
        control: &mut Control,
        number: u32,
    ) -> Result<(Item, Vec<u8>), GpuError> {
        let last = self.item(device, number)?;
        let mut moves = Vec::new();
        let mut item = last;
        for layer in self.layers.iter().rev().skip(1) {
            let step = item.last_move().ok_or(GpuError::Wrong("a board has no parent"))?;
            moves.push(step);
            let parent = item.before(step);
            let count = layer.end - layer.start;
            control.clear(device)?;
            let mut launch = device.stream().launch_builder(&self.find);
            launch.arg(&self.items).arg(&layer.start).arg(&count).arg(&parent.0);
            launch.arg(&mut control.words);
            // SAFETY: the items of the layer exist.
            unsafe { launch.launch(grid(count.div_ceil(THREADS), THREADS)) }?;
            let found = control.read(device)?.found;
            item = self.item(device, found.ok_or(GpuError::Wrong("a parent is missing"))?)?;
        }
        moves.reverse();
        Ok((last, moves))
    }

    fn item(&self, device: &Device, number: u32) -> Result<Item, GpuError> {
        let first = number as usize * Item::WORDS;
        let mut words = [0; Item::WORDS];
        device.stream().memcpy_dtoh(&self.items.slice(first..first + Item::WORDS), &mut words)?;
        device.stream().synchronize()?;
        Ok(Item(words))
    }

    fn last(&self) -> Range<u32> {
        self.layers.last().cloned().unwrap_or(0..0)
    }

    fn end(&self) -> u32 {
        self.last().end
    }

    fn depth(&self) -> u32 {
        self.layers.len() as u32 - 1
    }
}

/// The items of a layer, with duplicates, that has grown past `wanted` boards.
const fn most(wanted: u64) -> u64 {
    wanted * 13 / 5 + (1 << 20)
}

/// The hash slots for a number of items.
fn slots(items: u64) -> u64 {
    (items + items / 2).next_power_of_two().max(MIN_SLOTS)
}

fn bytes(wanted: u64) -> u64 {
    let most = most(wanted);
    2 * most * 4 * Item::WORDS as u64 + slots(most) * 8 + (most / 32 + 1) * CHUNK_WORDS as u64 * 4
}
