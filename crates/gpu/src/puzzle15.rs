//! Shortest solutions for many 15-puzzles in parallel.
//!
//! IDA* with the pattern databases of the processor, for all boards together: the kernels
//! (`kernels/batch15.cu`) describe how.
#![allow(unsafe_code, reason = "launching a kernel is unsafe: see SAFETY below")]

mod twin;

use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaSlice, DeviceRepr, PushKernelArg, ValidAsZeroBits};
use taquin_search::{Counts, Monitor, Outcome, Progress, Search, Solution};
use taquin_tables::{Database, Patterns, Width};
use taquin_tiles::{Board, Cell, Move, Slide, replay};

use crate::device::{Device, DeviceInfo, grid};
use crate::error::GpuError;
use crate::kernels::Kernel;

#[doc(hidden)]
pub use twin::plain_search_15;

const CELLS: usize = 16;
const TILES: usize = CELLS - 1;
const MAX_PATTERNS: usize = 4;
/// The most tiles of a pattern: its index has 32 bits.
const MAX_TILES: usize = 8;

const WARPS: u32 = 8;
/// Thread blocks of a multiprocessor.
const BLOCKS: u32 = 3;
const THREADS: u32 = 256;
const STACK: usize = 6144;

/// The nodes of a pool for each warp.
const POOL: usize = 3072;

/// The steps that a warp does after the pool is empty.
const MAX_STEPS_ALONE: u32 = 200;

/// The most times that two moves are added to the estimates: no 15-puzzle has more than 80 moves.
const MAX_INCREASE: u32 = 40;

/// The blank's moves as the kernels number them. Move 3 - m is the inverse of m.
const MOVES: [Move; 4] = [Move::Up, Move::Left, Move::Right, Move::Down];
const STEPS: [isize; 4] = [-4, -1, 1, 4];

const UNSUPPORTED: GpuError = GpuError::Unsupported(
    "a device solves batches of 4x4 boards with one blank and databases of all tiles, up to eight each",
);

/// `Node` of batch15.cu.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug)]
struct Node([u32; 16]);

/// `Result` of batch15.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Answer {
    length: u32,
    bound: u32,
    path: [u32; 6],
    counts: [u64; 2],
    before: [u64; 2],
}

/// `Control` of batch15.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Control {
    taken: u32,
    left: u32,
    solved: u32,
    full: u32,
    expanded: u64,
    generated: u64,
}

/// `Puzzle` in batch15.cu: the look-up tables for tiles, cells and patterns.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Layout {
    goal: u64,
    first: [u64; MAX_PATTERNS],
    shift: [u32; MAX_PATTERNS],
    bits: [u32; MAX_PATTERNS],
    patterns: u32,
    sides: u32,
    slot: [[u8; CELLS]; 2],
    pattern: [[u8; CELLS]; 2],
    mirrored: [u8; CELLS],
    distance: [[u8; CELLS]; CELLS],
    moves: [u8; CELLS],
    after: [[u8; 4]; CELLS],
}

// SAFETY: they have the layouts of the structures in batch15.cu and consist of integers without
// padding.
unsafe impl DeviceRepr for Node {}
unsafe impl ValidAsZeroBits for Node {}
unsafe impl DeviceRepr for Answer {}
unsafe impl ValidAsZeroBits for Answer {}
unsafe impl DeviceRepr for Control {}
unsafe impl ValidAsZeroBits for Control {}
unsafe impl DeviceRepr for Layout {}

/// IDA* for many 15-puzzles with one goal, with its tables on a device.
#[derive(Debug)]
pub struct Puzzle15 {
    device: Device,
    patterns: Arc<Patterns>,
    start: CudaFunction,
    search: CudaFunction,
    tables: CudaSlice<u32>,
    layout: CudaSlice<Layout>,
    stacks: CudaSlice<Node>,
    pools: [CudaSlice<Node>; 2],
    control: CudaSlice<Control>,
    blocks: u32,
    /// The bytes of the tables, the stacks and the pools.
    bytes: u64,
}

impl Puzzle15 {
    /// Copies the databases to the device and allocates the memory of searches.
    ///
    /// # Errors
    /// Fails if the databases do not fit, if the device has too little memory, or if the driver
    /// fails.
    pub fn new(device: &Device, patterns: &Arc<Patterns>) -> Result<Self, GpuError> {
        let layout = Layout::new(patterns).ok_or(UNSUPPORTED)?;
        let blocks = device.info().multiprocessors * BLOCKS;
        let warps = (blocks * WARPS) as usize;
        let words = layout.entries() / 8;
        let nodes = warps * (STACK + 2 * POOL);
        let bytes = (words * 4 + nodes * size_of::<Node>()) as u64;
        device.reserve(bytes + (1 << 28))?;
        let stream = device.stream();
        let module = device.load(Kernel::BATCH_15)?;
        let unpack = module.load_function("unpack")?;
        let mut tables = stream.alloc_zeros(words)?;
        for (at, database) in patterns.sides()[0].databases().iter().enumerate() {
            copy_database(device, &unpack, database, layout.first[at], &mut tables)?;
        }
        Ok(Self {
            device: device.clone(),
            patterns: Arc::clone(patterns),
            start: module.load_function("start")?,
            search: module.load_function("search")?,
            tables,
            layout: stream.clone_htod(&[layout])?,
            stacks: stream.alloc_zeros(warps * STACK)?,
            pools: [stream.alloc_zeros(warps * POOL)?, stream.alloc_zeros(warps * POOL)?],
            control: stream.alloc_zeros(1)?,
            blocks,
            bytes,
        })
    }

    /// Returns the facts about its device.
    pub const fn device(&self) -> &DeviceInfo {
        self.device.info()
    }

    /// Returns whether the tables belong to a heuristic.
    pub fn is_for(&self, patterns: &Arc<Patterns>) -> bool {
        Arc::ptr_eq(&self.patterns, patterns)
    }

    /// Finds a shortest solution of each board. Returns `None` if the monitor is cancelled.
    ///
    /// # Errors
    /// Fails if a board does not fit or cannot be solved, or if the driver fails.
    pub fn solve(
        &mut self,
        starts: &[Board],
        monitor: &Monitor,
    ) -> Result<Option<Vec<Search<Slide>>>, GpuError> {
        let goal = self.patterns.goal().clone();
        let boards = starts.iter().map(|start| packed(start, &goal));
        let boards: Vec<u64> = boards.collect::<Option<_>>().ok_or(UNSUPPORTED)?;
        let mut answers = Vec::with_capacity(starts.len());
        let mut nodes = (0, 0);
        // Each board has a node in the first pool.
        for part in boards.chunks(self.room()) {
            let Some(more) = self.answers(part, monitor, &mut nodes)? else { return Ok(None) };
            answers.extend(more);
        }
        let search = |(start, answer): (&Board, Answer)| answer.search(start, &goal, self.bytes);
        starts.iter().zip(answers).map(search).collect::<Result<_, _>>().map(Some)
    }

    /// The nodes of a pool.
    const fn room(&self) -> usize {
        (self.blocks * WARPS) as usize * POOL
    }

    fn answers(
        &mut self,
        boards: &[u64],
        monitor: &Monitor,
        (expanded, generated): &mut (u64, u64),
    ) -> Result<Option<Vec<Answer>>, GpuError> {
        let stream = Arc::clone(self.device.stream());
        let starts = stream.clone_htod(boards)?;
        let mut answers = stream.alloc_zeros::<Answer>(boards.len())?;
        let mut solved = 0;
        for more in 0..=MAX_INCREASE {
            let mut nodes = self.start(&starts, boards.len() as u32, more, &mut answers)?;
            for round in 0_usize.. {
                if monitor.is_cancelled() {
                    return Ok(None);
                }
                if nodes == 0 {
                    break;
                }
                let control = self.round(round, nodes, &mut answers)?;
                *expanded += control.expanded;
                *generated += control.generated;
                solved += control.solved as usize;
                let (expanded, generated) = (*expanded, *generated);
                let (frontier, bound) = (u64::from(control.left), 0);
                monitor.report(Progress { expanded, generated, frontier, bound });
                if control.full != 0 {
                    return Err(GpuError::Wrong("there is no room for its nodes"));
                }
                nodes = control.left;
            }
            if solved == boards.len() {
                let answers = stream.clone_dtoh(&answers)?;
                stream.synchronize()?;
                return Ok(Some(answers));
            }
        }
        Err(GpuError::Wrong("a board has no solution"))
    }

    /// Makes the nodes of the boards without a solution, and returns their number.
    fn start(
        &mut self,
        boards: &CudaSlice<u64>,
        count: u32,
        more: u32,
        answers: &mut CudaSlice<Answer>,
    ) -> Result<u32, GpuError> {
        let stream = self.device.stream();
        stream.memset_zeros(&mut self.control)?;
        let mut launch = stream.launch_builder(&self.start);
        launch.arg(boards).arg(&count).arg(&more).arg(&self.layout).arg(&self.tables);
        launch.arg(answers).arg(&mut self.pools[0]).arg(&mut self.control);
        // SAFETY: there are `count` boards and answers, and the pool has room for as many nodes.
        unsafe { launch.launch(grid(count.div_ceil(THREADS), THREADS)) }?;
        Ok(self.written()?.left)
    }

    /// Searches below a pool's nodes. The remaining ones are in the other pool.
    fn round(
        &mut self,
        round: usize,
        nodes: u32,
        answers: &mut CudaSlice<Answer>,
    ) -> Result<Control, GpuError> {
        let (room, warps) = (self.room() as u32, self.blocks * WARPS);
        let stream = self.device.stream();
        stream.memset_zeros(&mut self.control)?;
        let mut per_ticket = 32;
        while per_ticket > 1 && nodes < 2 * per_ticket * warps {
            per_ticket /= 2;
        }
        let [even, odd] = &mut self.pools;
        let (pool, left) = if round.is_multiple_of(2) { (even, odd) } else { (odd, even) };
        let mut launch = stream.launch_builder(&self.search);
        launch.arg(&*pool).arg(&nodes).arg(&per_ticket).arg(&MAX_STEPS_ALONE).arg(left).arg(&room);
        launch.arg(&self.layout).arg(&self.tables).arg(&mut self.stacks).arg(answers);
        launch.arg(&mut self.control);
        // SAFETY: the pool has `nodes` nodes, the other one has `room`, and there is a stack for
        // each warp of the grid. The tables have an entry for each index of a pattern.
        unsafe { launch.launch(grid(self.blocks, WARPS * 32)) }?;
        self.written()
    }

    fn written(&self) -> Result<Control, GpuError> {
        let control = self.device.stream().clone_dtoh(&self.control)?;
        self.device.stream().synchronize()?;
        Ok(control[0])
    }
}

/// Writes a database's entries to the device's tables, from entry `first` on.
fn copy_database(
    device: &Device,
    unpack: &CudaFunction,
    database: &Database,
    first: u64,
    tables: &mut CudaSlice<u32>,
) -> Result<(), GpuError> {
    let stream = device.stream();
    let ranking = database.pattern().ranking();
    let masks: Vec<u16> = (0..ranking.sets()).map(|set| ranking.mask(set) as u16).collect();
    let masks = stream.clone_htod(&masks)?;
    let entries = stream.clone_htod(database.entries())?;
    let (tiles, orders) = (ranking.tiles() as u32, ranking.orders() as u32);
    let count = ranking.placements() as u32;
    let mut launch = stream.launch_builder(unpack);
    launch.arg(&entries).arg(&masks).arg(&tiles).arg(&orders).arg(&count).arg(&first).arg(tables);
    // SAFETY: the database has `count` entries, and each has an index with as many fields of four
    // bits as there are tiles; the table from `first` on has an entry for each of them.
    unsafe { launch.launch(grid(count.div_ceil(THREADS), THREADS)) }?;
    Ok(stream.synchronize()?)
}

/// The tiles of a board, if it fits the goal.
fn packed(board: &Board, goal: &Board) -> Option<u64> {
    let fits = board.size() == goal.size() && board.blanks().count() == 1;
    let tiles = board.tiles().iter().rev();
    fits.then(|| tiles.fold(0, |all, &tile| all << 4 | u64::from(tile)))
}

impl Answer {
    /// The search of a board. All boards within the thresholds below `bound` were looked at, so no
    /// solution is shorter.
    fn search(&self, start: &Board, goal: &Board, bytes: u64) -> Result<Search<Slide>, GpuError> {
        let actions = self.slides(start);
        let is_of_bound = actions.len() == self.bound as usize;
        if !is_of_bound || replay(start, &actions).ok().as_ref() != Some(goal) {
            return Err(GpuError::Wrong("its moves do not lead to the goal"));
        }
        let counts = |[expanded, generated]: [u64; 2]| Counts {
            expanded,
            generated,
            memory_peak: bytes,
            ..Counts::default()
        };
        Ok(Search {
            outcome: Outcome::Solved(Solution { actions, cost: self.bound }),
            lower_bound: self.bound,
            counts: counts(self.counts),
            before_last_bound: Some(counts(self.before)),
        })
    }

    fn slides(&self, start: &Board) -> Vec<Slide> {
        let mut blank = start.blanks().next().map_or(0, usize::from);
        let slide = |at: usize| {
            let step = (self.path[at / 16] >> (at % 16 * 2) & 3) as usize;
            let slide = Slide { blank: blank as Cell, step: MOVES[step] };
            blank = blank.wrapping_add_signed(STEPS[step]);
            slide
        };
        let length = self.length.saturating_sub(1) as usize;
        (0..length.min(16 * self.path.len())).map(slide).collect()
    }
}

impl Layout {
    /// Returns `None` if the kernels do not fit the databases.
    fn new(patterns: &Patterns) -> Option<Self> {
        let goal = patterns.goal();
        let size = goal.size();
        let sides = patterns.sides();
        let databases = sides[0].databases();
        let fits = (size.rows(), size.cols()) == (4, 4) && goal.blanks().count() == 1;
        let is_fit = |database: &Arc<Database>| {
            database.pattern().tiles().len() <= MAX_TILES && database.width() == Width::Nibble
        };
        if !fits || databases.len() > MAX_PATTERNS || !databases.iter().all(is_fit) {
            return None;
        }
        let mut this = Self {
            goal: 0,
            first: [0; MAX_PATTERNS],
            shift: [0; MAX_PATTERNS],
            bits: [0; MAX_PATTERNS],
            patterns: databases.len() as u32,
            sides: sides.len() as u32,
            slot: [[0; CELLS]; 2],
            pattern: [[0; CELLS]; 2],
            mirrored: [0; CELLS],
            distance: [[0; CELLS]; CELLS],
            moves: [0; CELLS],
            after: [[0; 4]; CELLS],
        };
        let (mut shift, mut first) = (0, 0);
        for (at, database) in databases.iter().enumerate() {
            let bits = 4 * database.pattern().tiles().len() as u32;
            (this.shift[at], this.bits[at], this.first[at]) = (shift, bits, first);
            shift += bits;
            first += 1 << bits;
        }
        if shift != 4 * TILES as u32 {
            return None;
        }
        let homes = goal.positions();
        for (tile, &home) in homes.iter().enumerate().skip(1) {
            for side in 0..2 {
                let (pattern, place) = sides[side.min(sides.len() - 1)].slot(tile as u16)?;
                let shift = this.shift[usize::from(pattern)] as u8;
                (this.slot[side][tile], this.pattern[side][tile]) = (shift + 4 * place, pattern);
            }
            this.goal |= u64::from(home) << this.slot[0][tile];
            for cell in 0..CELLS {
                this.distance[tile][cell] = size.distance(home, cell as Cell) as u8;
            }
        }
        for cell in 0..CELLS {
            this.mirrored[cell] = sides[sides.len() - 1].cells()[cell];
            this.moves[cell] = moves(cell);
            for (at, step) in
                STEPS.into_iter().enumerate().filter(|(at, _)| moves(cell) >> at & 1 == 1)
            {
                this.after[cell][at] = moves(cell.wrapping_add_signed(step)) & !(1 << (3 - at));
            }
        }
        Some(this)
    }

    /// The entries of all tables.
    fn entries(&self) -> usize {
        self.bits[..self.patterns as usize].iter().map(|&bits| 1_usize << bits).sum()
    }
}

/// The set of the blank's moves from a cell.
const fn moves(cell: usize) -> u8 {
    let (row, col) = (cell / 4, cell % 4);
    (row > 0) as u8 | ((col > 0) as u8) << 1 | ((col < 3) as u8) << 2 | ((row < 3) as u8) << 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use taquin_search::{Heuristic, Limits, Random};
    use taquin_solvers::{Solver, SolverHeuristic, SolverOptions};
    use taquin_tables::{Builder, Partition, Reflection};
    use taquin_tiles::packed::{Layout as _, Tiles, Wide};
    use taquin_tiles::{NamedGoal, scramble};
    use twin::{places, sum};

    fn patterns(goal: &Board) -> Patterns {
        let mut named = Partition::named().map(|(partition, _)| partition);
        let partition = named.find(|partition| partition.to_string() == "5-5-5").unwrap();
        let build = |pattern| {
            let builder = Builder::new(pattern, u64::MAX).unwrap();
            Arc::new(builder.build(&Monitor::default(), &mut |_| ()).unwrap())
        };
        let databases = partition.patterns(goal).unwrap().into_iter().map(build).collect();
        Patterns::new(goal, databases, Reflection::of(goal).as_ref()).unwrap()
    }

    #[test]
    fn indices_and_distances_are_those_of_the_heuristic() {
        let mut random = Random::new(4);
        for goal in [NamedGoal::First, NamedGoal::Last] {
            let goal = goal.board("4x4".parse().unwrap(), 1);
            let patterns = patterns(&goal);
            let layout = Layout::new(&patterns).unwrap();
            assert_eq!((layout.sides, layout.entries()), (2, 3 << 20));
            assert_eq!(layout.goal, places(&layout, &goal, 0));
            for _ in 0..200 {
                let board = scramble::uniform(&goal, &mut random);
                let sums =
                    [0, 1].map(|side| sum(&layout, &patterns, places(&layout, &board, side)));
                let tiles = board.tiles().iter().enumerate();
                let distances = tiles.map(|(cell, &tile)| match tile {
                    0 => 0,
                    _ => u32::from(layout.distance[usize::from(tile)][cell]),
                });
                let estimate = distances.sum::<u32>() + 2 * sums[0].max(sums[1]);
                let state = Wide::state(board.tiles());
                assert_eq!(estimate, Heuristic::<Tiles<Wide>>::estimate(&patterns, &state));
            }
        }
    }

    /// The device is compared with the twin, and the twin with the engine of the processor.
    #[test]
    fn counts_of_the_twin_are_those_of_the_processor() {
        let mut random = Random::new(6);
        // A spiral is not its own mirror image.
        for goal in [NamedGoal::First, NamedGoal::Snail] {
            let goal = goal.board("4x4".parse().unwrap(), 1);
            let patterns = Arc::new(patterns(&goal));
            let heuristic = SolverHeuristic::Patterns(Arc::clone(&patterns));
            let solver = Solver::new(&goal, &heuristic, SolverOptions::default()).unwrap();
            for walk in [0, 1, 2, 10, 40, 60, 80, 100] {
                let start = scramble::walk(&goal, walk, &mut random);
                let (length, counts) = plain_search_15(&patterns, &start).unwrap();
                let search = solver.solve(&start, 1, &Limits::default()).unwrap();
                assert_eq!(search.solution().unwrap().cost, length, "{start}");
                let before = search.before_last_bound.unwrap_or_default();
                let nodes = (before.expanded, before.generated);
                assert_eq!((counts.expanded, counts.generated), nodes, "{start}");
            }
        }
    }

    /// From this board, blank in a corner, both moves exceed the first threshold by four moves. The
    /// processor skips the threshold in between; the device searches the same tree once more.
    #[test]
    fn a_threshold_that_no_node_has_is_not_skipped() {
        let goal = NamedGoal::First.board("4x4".parse().unwrap(), 1);
        let start: Board = "0 1 2 10/5 11 7 3/4 8 9 14/12 13 15 6".parse().unwrap();
        let patterns = Arc::new(patterns(&goal));
        let (length, counts) = plain_search_15(&patterns, &start).unwrap();
        let heuristic = SolverHeuristic::Patterns(Arc::clone(&patterns));
        let solver = Solver::new(&goal, &heuristic, SolverOptions::default()).unwrap();
        let search = solver.solve(&start, 1, &Limits::default()).unwrap();
        assert_eq!(search.solution().unwrap().cost, length);
        let before = search.before_last_bound.unwrap();
        let nodes = (before.expanded + 1, before.generated + 2);
        assert_eq!((counts.expanded, counts.generated), nodes);
    }

    #[test]
    fn a_path_is_read_move_by_move() {
        let start: Board = "1 2 3 4/5 6 7 8/9 10 11 12/13 14 15 0".parse().unwrap();
        let (counts, before) = ([70, 130], [9, 17]);
        let mut answer = Answer { length: 19, bound: 18, path: [0; 6], counts, before };
        // Up, left, down, right, and so on.
        for (at, step) in [0, 1, 3, 2].into_iter().cycle().take(18).enumerate() {
            answer.path[at / 16] |= step << (at % 16 * 2);
        }
        let slides = answer.slides(&start);
        assert_eq!(slides.len(), 18);
        let board = replay(&start, &slides).unwrap();
        assert_eq!(board.tiles()[10], 0, "{board}");
        let search = answer.search(&start, &board, 0).unwrap();
        assert_eq!((search.lower_bound, search.counts.generated), (18, 130));
        assert_eq!(search.before_last_bound.unwrap().expanded, 9);
        // Another end, and a length that is not the threshold, which would not be proven optimal.
        assert!(answer.search(&start, &start, 0).is_err());
        answer.bound = 16;
        assert!(answer.search(&start, &board, 0).is_err());
        assert_eq!(packed(&start, &board), Some(0x0FED_CBA9_8765_4321));
    }
}
