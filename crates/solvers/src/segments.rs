//! IDA* on boards of at most 16 cells with one blank, if a segment of tiles slides as one move.
//!
//! In a shortest solution vertical and horizontal moves alternate, because two along one line are one
//! or none. So a node has three successors on the 4x4 board. It is at least 2v and 2h - 1 moves away if
//! the next move is horizontal, and v vertical and h horizontal ones are needed: these are the walking
//! distances of the rows and of the columns.
//!
//! Almost all nodes that a [`Perimeter`] can judge are the last ones of their path. A lookup is a
//! cache miss, so these nodes wait in a queue while their bits are loaded. If a goal is found
//! behind the queue, its subtree is searched once more without a queue, so the counts are the same
//! as in a depth-first search.

use std::sync::Arc;
use std::time::Duration;

use taquin_search::{Cost, Counts, Incremental, Limits, Search};
use taquin_tables::{
    DIRECTIONS, Neighbours, PackedTiles, Packing, Perimeter, PerimeterShape, WalkTable, Walking,
    slide,
};
use taquin_tiles::packed::{Layout as _, Nibbles, Segments};
use taquin_tiles::{Board, Cell, Slide};

use crate::ida::sweep::{FoundGoal, SweepEngine, SweepStop};
use crate::ida::{Thresholds, deepen_between};
use crate::limits::{SharedLimits, UnitLimits};
use crate::tally::Tally;

/// The nodes that wait for their bits.
const QUEUE: usize = 64;

/// The number of nodes between two polls.
const POLL_INTERVAL: u64 = 1 << 16;

/// IDA* for one goal in moves of segments.
///
/// ```
/// use std::sync::Arc;
///
/// use taquin_search::{Limits, Monitor};
/// use taquin_solvers::SegmentSolver;
/// use taquin_tables::{Packing, Perimeter, Walking};
/// use taquin_tiles::{Board, NamedGoal};
///
/// let goal = NamedGoal::Last.board("3x3".parse()?, 1);
/// let packing = Packing::new(&goal).expect("one blank, and at most 16 cells");
/// let perimeter = Perimeter::build(packing.shape(), 10, &Monitor::default(), &mut |_| ())?;
/// let walking = Walking::of_segments(&goal, 1000);
/// let solver = SegmentSolver::new(&goal, perimeter.into(), walking.into()).expect("they fit");
/// let start: Board = "8 6 7/2 5 4/3 0 1".parse()?;
/// let search = solver.solve(&start, 1, &Limits::default()).expect("a board of the same size");
/// assert_eq!(search.solution().map(|solution| solution.cost), Some(20));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SegmentSolver {
    goal: Board,
    perimeter: Arc<Perimeter>,
    walking: Arc<Walking>,
    packing: Packing,
    neighbours: Neighbours,
    packed_goal: PackedTiles,
    /// The cell of each place, and its row and column.
    cells: [Cell; PerimeterShape::MAX_CELLS],
    lines: [[usize; 2]; PerimeterShape::MAX_CELLS],
    /// The goal row and column of each packed tile.
    homes: [[u16; 2]; PerimeterShape::MAX_CELLS],
}

impl SegmentSolver {
    /// Creates a solver for a goal. Returns `None` if the perimeter has another shape, or the
    /// walking distance has no tables.
    pub fn new(goal: &Board, perimeter: Arc<Perimeter>, walking: Arc<Walking>) -> Option<Self> {
        walking.tables()?;
        let packing = Packing::new(goal).filter(|it| it.shape() == perimeter.shape())?;
        let size = goal.size();
        let mut cells = [0; PerimeterShape::MAX_CELLS];
        let mut lines = [[0; 2]; PerimeterShape::MAX_CELLS];
        let mut homes = [[0; 2]; PerimeterShape::MAX_CELLS];
        for (cell, &tile) in (0..).zip(goal.tiles()) {
            let (place, line) = (packing.place(cell), [size.row(cell), size.col(cell)]);
            cells[usize::from(place)] = cell;
            lines[usize::from(place)] = line;
            homes[usize::from(packing.label(tile.into()))] = line.map(|line| line as u16);
        }
        let (packed_goal, neighbours) = (packing.pack(goal), packing.neighbours());
        let goal = goal.clone();
        Some(Self {
            goal,
            perimeter,
            walking,
            packing,
            neighbours,
            packed_goal,
            cells,
            lines,
            homes,
        })
    }

    /// Returns the perimeter.
    pub const fn perimeter(&self) -> &Arc<Perimeter> {
        &self.perimeter
    }

    /// Finds a shortest solution, written in moves of single tiles. Returns `None` if
    /// `start` does not have the size and the tiles of the goal. The solution and the counts do not
    /// depend on the number of threads.
    pub fn solve(&self, start: &Board, threads: usize, limits: &Limits) -> Option<Search<Slide>> {
        self.solve_growing(start, threads, limits, |_, _, _| None)
    }

    /// Solves as [`solve`](Self::solve) does. Before the first threshold of more than twice the
    /// moves of the perimeter, the search takes longer than finding more of the boards near the
    /// goal. `grow` may then return a larger perimeter. It gets the moves of the present one, the
    /// threshold, and the remaining time, if that is limited. After `None` it is not called again.
    pub fn solve_growing(
        &self,
        start: &Board,
        threads: usize,
        limits: &Limits,
        mut grow: impl FnMut(Cost, Cost, Option<Duration>) -> Option<Arc<Perimeter>>,
    ) -> Option<Search<Slide>> {
        let goal = &self.goal;
        let size = goal.size();
        let has_tiles = |board: &Board| {
            let mut tiles = board.tiles().to_vec();
            tiles.sort_unstable();
            (board.size(), tiles)
        };
        if has_tiles(start) != has_tiles(goal) {
            return None;
        }
        let state = Nibbles::state(start.tiles());
        let walks = Incremental::<Segments<Nibbles>>::memo(&*self.walking, &state);
        let blank = self.packing.place(start.blanks().next()?);
        let root = Node { board: self.packing.pack(start), walks, blank, axis: None };
        let (threads, limits) = (threads.max(1), SharedLimits::new(limits));
        let (mut solver, mut may_grow) = (self.clone(), true);
        let (first, last, before) = (0, 0, Counts::default());
        let mut thresholds = Thresholds { first, last, before, expected: 0 };
        let search = loop {
            let engine = SegmentEngine { solver: &solver, tables: self.walking.tables()?, root };
            thresholds.first = thresholds.first.max(engine.estimate(&root));
            let held = solver.perimeter.moves();
            let enough = 2 * held;
            if may_grow && thresholds.first > enough {
                let is_larger = |grown: &Arc<Perimeter>| {
                    grown.shape() == self.packing.shape() && grown.moves() > held
                };
                match grow(held, thresholds.first, limits.time_left()).filter(is_larger) {
                    Some(grown) => solver.perimeter = grown,
                    None => may_grow = false,
                }
                continue;
            }
            thresholds.last = if may_grow { enough } else { Cost::MAX };
            let search = deepen_between(&engine, threads, &limits, thresholds, None, None);
            match thresholds.after(&search, 0) {
                Some(after) => thresholds = after,
                None => break search,
            }
        };
        let home = goal.blanks().next()?;
        Some(search.with_actions(|firsts| {
            // A move ends where the next one begins.
            let ends = firsts.iter().skip(1).map(|slide| slide.blank).chain([home]);
            let segment = |(first, end): (&Slide, Cell)| {
                let next = move |slide: &Slide| {
                    Some(Slide { blank: slide.target(size), ..*slide }).filter(|it| it.blank != end)
                };
                std::iter::successors(Some(*first), next)
            };
            firsts.iter().zip(ends).flat_map(segment).collect()
        }))
    }
}

struct SegmentEngine<'a> {
    solver: &'a SegmentSolver,
    /// The walking distances of rows and columns.
    tables: [&'a WalkTable; 2],
    root: Node,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    board: PackedTiles,
    /// The states of the rows and of the columns.
    walks: [u32; 2],
    blank: u8,
    /// The axis of the last move: 0 for vertical, 1 for horizontal.
    axis: Option<u8>,
}

/// The memory of a thread.
#[derive(Default)]
pub(crate) struct Scratch {
    queue: Vec<Node>,
    path: Vec<Slide>,
    found: Option<FoundGoal>,
}

/// The search below one root.
struct Descent<'a, 'b> {
    engine: &'a SegmentEngine<'a>,
    limits: &'a UnitLimits<'a>,
    scratch: &'b mut Scratch,
    /// How many nodes wait.
    queue: usize,
    counts: Tally,
    polled: Tally,
    end: Option<SweepStop>,
}

impl SegmentEngine<'_> {
    /// Returns the least number of moves that the walking distance allows.
    #[inline]
    fn walk(&self, node: &Node) -> Cost {
        let [v, h] = [0, 1].map(|axis| self.tables[axis].distance(node.walks[axis]));
        match node.axis {
            None => (v + h).max((2 * v.max(h)).saturating_sub(1)),
            Some(0) => (2 * v).max((2 * h).saturating_sub(1)),
            Some(_) => (2 * h).max((2 * v).saturating_sub(1)),
        }
    }

    /// Calls `each` with the successors, in the order of the moves, until it returns `false`.
    #[inline]
    fn each_successor(&self, node: &Node, mut each: impl FnMut(Slide, Node) -> bool) {
        let solver = self.solver;
        let axes = match node.axis {
            None => 0..2,
            Some(last) => 1 - usize::from(last)..2 - usize::from(last),
        };
        for axis in axes {
            for direction in [2 * axis, 2 * axis + 1] {
                let mut child = Node { axis: Some(axis as u8), ..*node };
                let blank = solver.cells[usize::from(node.blank)];
                let first = Slide { blank, step: DIRECTIONS[direction] };
                while let Some(from) = solver.neighbours[usize::from(child.blank)][direction] {
                    let tile;
                    (child.board, tile) = slide(child.board, from, child.blank);
                    let line = |place: u8| solver.lines[usize::from(place)][axis];
                    child.walks[axis] = self.tables[axis].next(
                        child.walks[axis],
                        line(from),
                        line(child.blank),
                        solver.homes[tile][axis],
                    );
                    child.blank = from;
                    if !each(first, child) {
                        return;
                    }
                }
            }
        }
    }
}

impl Descent<'_, '_> {
    /// Searches below a node with `left` moves left. Returns whether to continue.
    fn expand(&mut self, node: &Node, left: Cost) -> bool {
        self.counts.expanded += 1;
        self.counts.deepest = self.counts.deepest.max((self.limits.bound - left).into());
        if self.counts.expanded.saturating_sub(self.polled.expanded) >= POLL_INTERVAL && self.poll()
        {
            self.end = Some(SweepStop::Abandoned);
            return false;
        }
        let (engine, perimeter) = (self.engine, &*self.engine.solver.perimeter);
        let left = left - 1;
        engine.each_successor(node, |action, child| {
            self.counts.generated += 1;
            if engine.walk(&child) > left {
                self.counts.least_above = Some(self.limits.bound + 1);
                return true;
            }
            if left == perimeter.moves() && self.queue > 1 {
                perimeter.prefetch(child.board);
                self.scratch.queue.push(child);
                return self.scratch.queue.len() < self.queue || self.flush();
            }
            self.scratch.path.push(action);
            let goes_on = self.enter(&child, left);
            if self.end != Some(SweepStop::Goal) {
                self.scratch.path.pop();
            }
            goes_on
        });
        self.end.is_none()
    }

    /// Searches below a node if the perimeter allows that.
    fn enter(&mut self, node: &Node, left: Cost) -> bool {
        let solver = self.engine.solver;
        if node.board == solver.packed_goal {
            self.end = Some(SweepStop::Goal);
            return false;
        }
        if left == 0 || !solver.perimeter.may_have(left, node.board) {
            self.counts.least_above = Some(self.limits.bound + 1);
            return true;
        }
        self.expand(node, left)
    }

    /// Searches below the nodes of the queue.
    fn flush(&mut self) -> bool {
        let left = self.engine.solver.perimeter.moves();
        let queue = std::mem::take(&mut self.scratch.queue);
        let goes_on = queue.iter().all(|node| self.enter(node, left));
        self.scratch.queue = queue;
        self.scratch.queue.clear();
        goes_on
    }

    fn poll(&mut self) -> bool {
        let Tally { expanded, generated, deepest, .. } = self.counts;
        let before = std::mem::replace(&mut self.polled, self.counts);
        // A subtree that is searched again counts once.
        let expanded = expanded.saturating_sub(before.expanded);
        self.limits.poll(expanded, generated.saturating_sub(before.generated), deepest)
    }
}

impl SweepEngine for SegmentEngine<'_> {
    type Node = Node;
    type Scratch = Scratch;

    const MIN_SWEPT_NODES: u64 = 1 << 12;
    const UNIT: u64 = 1 << 20;
    const SUBTREES: usize = 8;
    const FINDS: bool = true;
    const BY_ONE: bool = true;

    fn root(&self) -> Node {
        self.root
    }

    fn estimate(&self, node: &Node) -> Cost {
        // Only the goal is no move away, whatever shares its bit.
        let least = self.solver.perimeter.least(node.board);
        self.walk(node).max(least).max((!self.is_goal(node)).into())
    }

    fn is_goal(&self, node: &Node) -> bool {
        node.board == self.solver.packed_goal
    }

    fn successors(&self, node: &Node, successors: &mut Vec<(Slide, Node)>) {
        self.each_successor(node, |action, child| {
            successors.push((action, child));
            true
        });
    }

    fn sweep(
        &self,
        roots: &[Node],
        depth: Cost,
        limits: &UnitLimits<'_>,
        scratch: &mut Scratch,
    ) -> Tally {
        scratch.found = None;
        let (counts, polled) = (Tally::default(), Tally::default());
        let mut descent =
            Descent { engine: self, limits, scratch, queue: QUEUE, counts, polled, end: None };
        for (at, root) in roots.iter().enumerate() {
            if self.is_goal(root) {
                descent.end = Some(SweepStop::Goal);
                descent.scratch.found = Some(FoundGoal { root: at, actions: Vec::new() });
                break;
            }
            let before = descent.counts;
            descent.queue = QUEUE;
            let _ = descent.expand(root, limits.bound - depth) && descent.flush();
            if descent.end == Some(SweepStop::Goal) {
                (descent.counts, descent.end, descent.queue) = (before, None, 1);
                descent.scratch.queue.clear();
                descent.scratch.path.clear();
                descent.expand(root, limits.bound - depth);
                let actions = descent.scratch.path.clone();
                let is_found = descent.end == Some(SweepStop::Goal);
                descent.scratch.found = is_found.then_some(FoundGoal { root: at, actions });
            }
            descent.scratch.queue.clear();
            descent.scratch.path.clear();
            if descent.end.is_some() {
                break;
            }
        }
        descent.poll();
        Tally { end: descent.end, ..descent.counts }
    }

    fn found(scratch: &mut Scratch) -> Option<FoundGoal> {
        scratch.found.take()
    }

    fn bytes(scratch: &Scratch) -> usize {
        scratch.queue.capacity() * size_of::<Node>() + scratch.path.capacity() * size_of::<Slide>()
    }
}
