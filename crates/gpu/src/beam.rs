//! Beam searches with millions of boards per level.
//!
//! The score is the same as in beam searches on the CPU, and so is the choice of boards to keep in
//! a level: the best boards, with at most an equal share for each cell of the blank.
//! `kernels/beam.cu` describes how. Known boards are found by their hash alone, which is enough for
//! a search that drops most boards anyway. Thread order decides which of two equal boards is kept.
#![allow(unsafe_code, reason = "launching a kernel is unsafe: see SAFETY below")]

use cudarc::driver::{
    CudaFunction, CudaSlice, DevicePtr as _, DeviceRepr, LaunchConfig, PushKernelArg as _,
};
use taquin_solvers::beam_rules::{BELOW, PARTS, RANKS, REMEMBERED, SHARE, SLACK};
use taquin_solvers::{ScoreTables, WideBeam, WidePath, WideSearch};
use taquin_tiles::{Move, Size};

use crate::device::{Device, DeviceInfo, grid};
use crate::error::GpuError;
use crate::kernels::Kernel;

const THREADS: u32 = 256;
const COUNT_UP_THREADS: u32 = 1024;

/// The bytes of `Child`.
const CHILD: usize = 24;

/// The words of `Control`.
const CONTROL: usize = 8;

/// The widest beam: wider ones take too long.
const MAX_WIDTH: usize = 1 << 25;

/// The share of the free memory that is used.
const MEMORY_SHARE: f64 = 0.9;

/// A beam search for boards of one size with one blank.
#[derive(Debug)]
pub struct GpuBeam {
    device: Device,
    size: Size,
    tables: Tables,
    generate: CudaFunction,
    count_up: CudaFunction,
    find_bar: CudaFunction,
    take: CudaFunction,
    ranks: CudaSlice<u32>,
    control: CudaSlice<u32>,
    buffers: Option<Buffers>,
    /// The links of each level to the one before.
    links: Vec<CudaSlice<u32>>,
    memory: u64,
    error: Option<GpuError>,
}

/// The tables of the score.
#[derive(Debug)]
struct Tables {
    neighbours: CudaSlice<u16>,
    values: CudaSlice<u32>,
    kinds: CudaSlice<u8>,
    pairs: CudaSlice<i8>,
    farther: CudaSlice<i8>,
    numbers: CudaSlice<u16>,
    keys: CudaSlice<u64>,
    crossing: i32,
}

/// The memory of two levels.
#[derive(Debug)]
struct Buffers {
    width: usize,
    room: u32,
    levels: [Level; 2],
    children: CudaSlice<u8>,
    known: CudaSlice<u64>,
}

#[derive(Debug)]
struct Level {
    boards: CudaSlice<u8>,
    hashes: CudaSlice<u64>,
    scores: CudaSlice<u32>,
    states: CudaSlice<u32>,
}

/// `Score` of the kernels.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct ScoreArgs {
    tables: [u64; 7],
    cells: u32,
    rows: u32,
    cols: u32,
    stride: u32,
    crossing: i32,
}

// SAFETY: it has the layout of `Score` in beam.cu: seven addresses, four unsigned integers, an
// integer.
unsafe impl DeviceRepr for ScoreArgs {}

/// `Level` of the kernels: four addresses.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct LevelArgs([u64; 4]);

// SAFETY: it has the layout of `Level` in beam.cu.
unsafe impl DeviceRepr for LevelArgs {}

/// The results that the kernels wrote about a level.
#[derive(Clone, Copy, Debug)]
struct LevelOutput {
    children: u32,
    passed: u32,
    taken: u32,
    /// A link to the goal.
    found: Option<u32>,
    bar: u32,
    /// The least score and the number of its board.
    best: (i32, u32),
}

/// A board of a level, for tests.
#[doc(hidden)]
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GpuNode {
    pub contents: Vec<u8>,
    pub score: u32,
    pub manhattan: u32,
    pub hash: u64,
    pub moves: Vec<Move>,
}

impl GpuBeam {
    /// Prepares beam searches for boards of this size with one blank. The seed drives the random
    /// choice among boards with equal score.
    ///
    /// # Errors
    /// Fails if the boards have more than 254 cells, or if the driver does.
    pub fn new(device: &Device, size: Size, seed: u64) -> Result<Self, GpuError> {
        let tables = ScoreTables::new(size, seed)
            .ok_or(GpuError::Unsupported("a device searches boards of up to 254 cells"))?;
        let (stream, module) = (device.stream(), device.load(Kernel::BEAM)?);
        Ok(Self {
            size,
            tables: Tables {
                neighbours: stream.clone_htod(&tables.neighbours)?,
                values: stream.clone_htod(&tables.values)?,
                kinds: stream.clone_htod(&tables.kinds)?,
                pairs: stream.clone_htod(&tables.pairs)?,
                farther: stream.clone_htod(&tables.farther)?,
                numbers: stream.clone_htod(&tables.numbers)?,
                keys: stream.clone_htod(&tables.keys)?,
                crossing: tables.crossing,
            },
            generate: module.load_function("generate")?,
            count_up: module.load_function("count_up")?,
            find_bar: module.load_function("find_bar")?,
            take: module.load_function("take")?,
            ranks: stream.alloc_zeros(size.cells() * RANKS)?,
            control: stream.alloc_zeros(CONTROL)?,
            buffers: None,
            links: Vec::new(),
            memory: (device.free_memory()? as f64 * MEMORY_SHARE) as u64,
            error: None,
            device: device.clone(),
        })
    }

    /// Returns the size of its boards.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// Returns the facts about its device.
    pub const fn device(&self) -> &DeviceInfo {
        self.device.info()
    }

    /// Returns why the last search failed, if it did.
    pub fn take_error(&mut self) -> Option<GpuError> {
        self.error.take()
    }

    /// Searches, and returns the path and the boards of the last level if they are wanted.
    #[doc(hidden)]
    pub fn try_search(
        &mut self,
        search: WideSearch<'_>,
        goes_on: &mut dyn FnMut(usize) -> bool,
        wants_nodes: bool,
    ) -> Result<(WidePath, Vec<GpuNode>), GpuError> {
        let WideSearch { start, width, longest, patience } = search;
        let manhattan = self.begin(start, width)?;
        let share = (width * SHARE).div_ceil(self.size.cells()) as u32;
        let (mut count, mut base, mut bar) = (1_u32, 0_u32.wrapping_sub(BELOW), i32::MAX / 2);
        // The children that pass for each that is taken: the others are known.
        let mut passing = 1.0;
        let (mut level, mut generated) = (0_u32, 0_u64);
        // The score, the level and the number of the best board.
        let mut best = (0_i32, 0_u32, 0_u32);
        let mut found = (manhattan == 0).then(Vec::new);
        while found.is_none() && count > 0 && level < longest && level - best.1 <= patience {
            if !goes_on(count as usize) {
                break;
            }
            let wanted = (width as f64 * passing) as u32;
            let left = longest - level - 1;
            let written = self.advance(level, count, (left, base, bar), (share, wanted))?;
            generated += u64::from(written.children);
            if let Some(link) = written.found {
                let mut moves = self.trace(level, link >> 2)?;
                moves.push(Move::ALL[(link & 3) as usize]);
                found = Some(moves);
                break;
            }
            level += 1;
            let room = self.buffers.as_ref().map_or(0, |buffers| buffers.room);
            count = written.taken.min(room);
            if count == 0 {
                break;
            }
            passing = (f64::from(written.passed) / f64::from(written.taken.max(1))).clamp(1.0, 2.0);
            let worst = base.wrapping_add(written.bar / PARTS);
            base = (written.best.0 as u32).wrapping_sub(BELOW);
            let is_full = count as usize >= width / 2;
            bar = if is_full { worst.wrapping_sub(base) as i32 + SLACK } else { i32::MAX / 2 };
            if written.best.0 < best.0 {
                best = (written.best.0, level, written.best.1);
            }
        }
        let nodes = if wants_nodes { self.nodes(level, count)? } else { Vec::new() };
        let is_solved = found.is_some();
        let moves = found.map_or_else(|| self.trace(best.1, best.2), Ok)?;
        Ok((WidePath { moves, is_solved, generated }, nodes))
    }

    /// Makes room, and writes the start. Returns its Manhattan distance.
    fn begin(&mut self, start: &[u8], width: usize) -> Result<u32, GpuError> {
        let cells = self.size.cells();
        if start.len() != cells + 1 {
            return Err(GpuError::Unsupported("the start is of another size"));
        }
        if self.buffers.as_ref().is_none_or(|buffers| buffers.width != width) {
            (self.buffers, self.links) = (None, Vec::new());
            self.device.stream().synchronize()?;
            self.buffers = Some(Buffers::new(&self.device, width, stride(self.size))?);
        }
        let away = |(cell, &content): (u16, &u8)| match usize::from(content) < cells {
            true => self.size.distance(cell, content.into()),
            false => 0,
        };
        let manhattan = (0..).zip(start).map(away).sum::<usize>() as u32;
        let blank = start.iter().position(|&content| usize::from(content) == cells).unwrap_or(0);
        let Some(buffers) = &mut self.buffers else { return Ok(manhattan) };
        let stream = self.device.stream();
        let first = &mut buffers.levels[0];
        stream.memcpy_htod(start, &mut first.boards.slice_mut(0..start.len()))?;
        // The hash is a sum of which only differences matter.
        stream.memcpy_htod(&[1_u64], &mut first.hashes.slice_mut(0..1))?;
        stream.memcpy_htod(&[0_u32], &mut first.scores.slice_mut(0..1))?;
        let state = blank as u32 | manhattan << 16;
        stream.memcpy_htod(&[state], &mut first.states.slice_mut(0..1))?;
        stream.memset_zeros(&mut buffers.known)?;
        Ok(manhattan)
    }

    /// Computes the level after `level`.
    fn advance(
        &mut self,
        level: u32,
        count: u32,
        (left, base, bar): (u32, u32, i32),
        (share, wanted): (u32, u32),
    ) -> Result<LevelOutput, GpuError> {
        let score = self.score_args();
        let stream = self.device.stream();
        let Some(buffers) = &mut self.buffers else {
            return Err(GpuError::Wrong("there is no memory"));
        };
        while self.links.len() <= level as usize {
            self.links.push(stream.alloc_zeros(buffers.room as usize)?);
        }
        let links = &mut self.links[level as usize];
        let at = level as usize % 2;
        let (here, next) =
            (buffers.levels[at].args(&self.device), buffers.levels[1 - at].args(&self.device));
        let (is_start, cells) = (u32::from(level == 0), self.size.cells() as u32);
        let mask = buffers.known.len() as u64 - 1;
        stream.memset_zeros(&mut self.ranks)?;
        stream.memcpy_htod(&[0, 0, 0, 0, 0, 0, u32::MAX, u32::MAX], &mut self.control)?;
        let mut launch = stream.launch_builder(&self.generate);
        launch.arg(&score).arg(&here).arg(&count).arg(&is_start).arg(&left).arg(&base).arg(&bar);
        launch.arg(&mut buffers.children).arg(&mut self.ranks).arg(&mut self.control);
        // SAFETY: the arguments match the parameters of `generate`. The level has `count` boards,
        // which have at most three children each, and the start four; there is room for them.
        unsafe { launch.launch(grid(count.div_ceil(THREADS), THREADS)) }?;
        let mut launch = stream.launch_builder(&self.count_up);
        launch.arg(&mut self.ranks).arg(&share);
        // SAFETY: there are ranks for each cell, and a thread block for each of them.
        unsafe { launch.launch(grid(cells, COUNT_UP_THREADS)) }?;
        let mut launch = stream.launch_builder(&self.find_bar);
        launch.arg(&self.ranks).arg(&cells).arg(&wanted).arg(&mut self.control);
        // SAFETY: one thread block has a thread for each of at most 254 cells.
        unsafe { launch.launch(grid(1, THREADS)) }?;
        let mut launch = stream.launch_builder(&self.take);
        launch.arg(&score).arg(&here).arg(&next).arg(&buffers.children).arg(&self.ranks);
        launch.arg(&share).arg(&mut buffers.known).arg(&mask).arg(links).arg(&buffers.room);
        launch.arg(&mut self.control);
        let children: LaunchConfig = grid((3 * count + 1).div_ceil(THREADS), THREADS);
        // SAFETY: the arguments match the parameters of `take`. It reads the children that were
        // written, and writes at most `room` boards and links.
        unsafe { launch.launch(children) }?;
        let words = stream.clone_dtoh(&self.control)?;
        stream.synchronize()?;
        Ok(LevelOutput {
            children: words[0],
            passed: words[1],
            taken: words[2],
            found: (words[3] != 0).then_some(words[4]),
            bar: words[5],
            best: ((words[7] ^ 0x8000_0000) as i32, words[6]),
        })
    }

    fn score_args(&self) -> ScoreArgs {
        let stream = self.device.stream();
        let Tables { neighbours, values, kinds, pairs, farther, numbers, keys, crossing } =
            &self.tables;
        ScoreArgs {
            tables: [
                neighbours.device_ptr(stream).0,
                values.device_ptr(stream).0,
                kinds.device_ptr(stream).0,
                pairs.device_ptr(stream).0,
                farther.device_ptr(stream).0,
                numbers.device_ptr(stream).0,
                keys.device_ptr(stream).0,
            ],
            cells: self.size.cells() as u32,
            rows: self.size.rows() as u32,
            cols: self.size.cols() as u32,
            stride: stride(self.size) as u32,
            crossing: *crossing,
        }
    }

    /// The moves to a board of a level.
    fn trace(&self, level: u32, mut number: u32) -> Result<Vec<Move>, GpuError> {
        let stream = self.device.stream();
        let mut moves = Vec::with_capacity(level as usize);
        for links in self.links[..level as usize].iter().rev() {
            let at = number as usize;
            let mut link = [0];
            stream.memcpy_dtoh(&links.slice(at..=at), &mut link)?;
            stream.synchronize()?;
            moves.push(Move::ALL[(link[0] & 3) as usize]);
            number = link[0] >> 2;
        }
        moves.reverse();
        Ok(moves)
    }

    /// The boards of a level.
    fn nodes(&self, level: u32, count: u32) -> Result<Vec<GpuNode>, GpuError> {
        let (stream, stride) = (self.device.stream(), stride(self.size));
        let Some(buffers) = &self.buffers else { return Ok(Vec::new()) };
        let Level { boards, hashes, scores, states } = &buffers.levels[level as usize % 2];
        let all = count as usize;
        let boards = stream.clone_dtoh(&boards.slice(0..all * stride))?;
        let hashes = stream.clone_dtoh(&hashes.slice(0..all))?;
        let scores = stream.clone_dtoh(&scores.slice(0..all))?;
        let states = stream.clone_dtoh(&states.slice(0..all))?;
        stream.synchronize()?;
        let node = |at: usize| {
            Ok(GpuNode {
                contents: boards[at * stride..][..=self.size.cells()].to_vec(),
                score: scores[at],
                manhattan: states[at] >> 16,
                hash: hashes[at],
                moves: self.trace(level, at as u32)?,
            })
        };
        (0..all).map(node).collect()
    }
}

impl WideBeam for GpuBeam {
    fn widest(&self, levels: u32) -> usize {
        let fixed = (self.size.cells() * RANKS * 4) as u64;
        let one = bytes_of_one(stride(self.size)) + 5 * u64::from(levels);
        // The size of the known boards' table is rounded to a power of two.
        ((self.memory.saturating_sub(fixed) / one) as usize).min(MAX_WIDTH)
    }

    fn search(
        &mut self,
        search: WideSearch<'_>,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Option<WidePath> {
        match self.try_search(search, goes_on, false) {
            Ok((path, _)) => Some(path),
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }
}

impl Buffers {
    fn new(device: &Device, width: usize, stride: usize) -> Result<Self, GpuError> {
        let room = room(width);
        let stream = device.stream();
        let level = || -> Result<Level, GpuError> {
            Ok(Level {
                boards: stream.alloc_zeros(room * stride)?,
                hashes: stream.alloc_zeros(room)?,
                scores: stream.alloc_zeros(room)?,
                states: stream.alloc_zeros(room)?,
            })
        };
        Ok(Self {
            width,
            room: room as u32,
            levels: [level()?, level()?],
            children: stream.alloc_zeros((3 * room + 4) * CHILD)?,
            known: stream.alloc_zeros(slots(width))?,
        })
    }
}

impl Level {
    fn args(&self, device: &Device) -> LevelArgs {
        let stream = device.stream();
        LevelArgs([
            self.boards.device_ptr(stream).0,
            self.hashes.device_ptr(stream).0,
            self.scores.device_ptr(stream).0,
            self.states.device_ptr(stream).0,
        ])
    }
}

/// The bytes of a board: its cells and the outside, in whole words.
const fn stride(size: Size) -> usize {
    (size.cells() + 1).next_multiple_of(4)
}

/// The boards of a level for which there is room: some more than are wanted.
const fn room(width: usize) -> usize {
    width + width / 8 + 64
}

fn slots(width: usize) -> usize {
    (REMEMBERED * width).next_power_of_two().max(1 << 16)
}

/// The bytes for each board of a level, at most and without its links.
const fn bytes_of_one(stride: usize) -> u64 {
    (9 * (2 * (stride + 16) + 3 * CHILD) / 8 + 2 * 8 * REMEMBERED) as u64
}
