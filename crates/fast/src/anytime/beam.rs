//! Beam search from one board to another: of each depth the best so many boards are kept.
//!
//! A tile's number is the cell where it belongs, so that every goal is the same. A level is made in two
//! passes. The first goes through the beam and notes what every successor would be worth; the second
//! copies those boards that are good enough and not known. Parents are visited in their order and
//! children written in theirs, so that the one access for each node that misses the cache is to the
//! table of known boards.

use taquin_tiles::{Cell, Move, Slide};

use super::clock::Clock;
use super::grid::{Around, Content, Grid};

/// A board of the beam beside its cells, or a successor that may be taken into the next level.
#[derive(Clone, Copy)]
struct Node {
    hash: u64,
    /// What it is worth, the less the better, compared with the start: a difference modulo 2^32, since
    /// the boards of one level are close together.
    worth: u32,
    /// The sum of the distances.
    manhattan: u32,
    /// Its parent's place in the level before, and the move from there.
    link: u32,
    /// Where the blank went that was moved last.
    blank: Cell,
    rank: u16,
}

impl Node {
    const fn parent(self) -> usize {
        (self.link >> 2) as usize
    }

    const fn step(self) -> usize {
        (self.link & 3) as usize
    }
}

/// How a search is to go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    /// How many boards are kept of each depth.
    pub(super) width: usize,
    /// The longest way of interest.
    pub(super) most: u32,
    /// How many levels may bring no board nearer to the goal before the search gives up.
    pub(super) patience: u32,
}

/// A way to the goal, or to the board that came nearest to it.
pub(super) struct Way {
    pub(super) slides: Vec<Slide>,
    pub(super) is_solved: bool,
}

/// A beam search and its memory, to be used again.
pub(super) struct Beam<C> {
    boards: Vec<C>,
    nodes: Vec<Node>,
    next_boards: Vec<C>,
    next_nodes: Vec<Node>,
    candidates: Vec<Node>,
    /// How many candidates there are of each rank; between levels none.
    ranks: Vec<u32>,
    /// The candidates from the best to the worst, and whether each is taken.
    order: Vec<u32>,
    taken: Vec<bool>,
    /// How many boards were taken with their blank on each cell.
    shares: Vec<u32>,
    /// The worth from which ranks are counted, and that of the last board that was taken.
    base: u32,
    worst: Option<u32>,
    /// Parts of the hashes of known boards, those of a pair of places from new to old.
    known: Vec<[u32; 2]>,
    /// For each node of each level its parent and its move, and where the levels begin.
    links: Vec<u32>,
    cells: Vec<Cell>,
    levels: Vec<usize>,
}

/// Ranks count the worth from a little below the best of the level before, and the boards of one worth
/// in so many random parts, so that those that are left out are no particular ones.
const RANKS: usize = 1 << 14;
const PARTS: u32 = 16;
const BELOW: u32 = 128;

/// By how much a board may be worse than the worst of the level before and still be a candidate.
const SLACK: i32 = 4;

/// How many boards are remembered for each one of the beam.
const MEMORY: usize = 16;

/// How many times their even share the boards may have whose blank is on one cell: where a region is in
/// order, there are ever more ways to stay there, and the beam would never get to another.
const SHARE: usize = 4;

/// How many candidates are between those whose place is asked for and those that are looked up.
const AHEAD: usize = 24;

impl<C: Content> Beam<C> {
    pub(super) fn new() -> Self {
        Self {
            boards: Vec::new(),
            nodes: Vec::new(),
            next_boards: Vec::new(),
            next_nodes: Vec::new(),
            candidates: Vec::new(),
            ranks: vec![0; RANKS],
            order: Vec::new(),
            taken: Vec::new(),
            shares: Vec::new(),
            base: 0,
            worst: None,
            known: Vec::new(),
            links: Vec::new(),
            cells: Vec::new(),
            levels: Vec::new(),
        }
    }

    /// The bytes that a search of this width and depth may take.
    pub(super) fn bytes(cells: usize, width: usize, levels: u32) -> u64 {
        let board = 2 * ((cells + 1) * size_of::<C>() + size_of::<Node>());
        let one = board + 4 * size_of::<Node>() + 2 * 4 * MEMORY + 6 * levels as usize;
        // A level may be a quarter wider, and vectors grow to twice what they need.
        5 * (width as u64 * one as u64) / 2
    }

    /// The bytes that it holds.
    pub(super) fn held(&self) -> u64 {
        let cells = (self.boards.capacity() + self.next_boards.capacity()) * size_of::<C>();
        let nodes = (self.nodes.capacity() + self.next_nodes.capacity()) * size_of::<Node>();
        let candidates = self.candidates.capacity() * size_of::<Node>()
            + self.order.capacity() * size_of::<u32>()
            + self.taken.capacity();
        let links = self.links.capacity() * size_of::<u32>()
            + self.cells.capacity() * size_of::<Cell>()
            + self.levels.capacity() * size_of::<usize>();
        let tables = self.known.capacity() * size_of::<[u32; 2]>()
            + (self.ranks.capacity() + self.shares.capacity()) * size_of::<u32>();
        (cells + nodes + candidates + links + tables) as u64
    }

    /// Searches from a board, whose tiles have the numbers of the cells where they belong.
    pub(super) fn search(
        &mut self,
        grid: &Grid,
        start: &[C],
        aim: Aim,
        clock: &mut Clock<'_>,
    ) -> Way {
        let alone = start.iter().filter(|tile| tile.index() == grid.cells).count() == 1;
        self.begin(grid, start, aim.width);
        // The best board so far: its worth, its level and its place there.
        let mut best = (0, 0, 0);
        let mut is_solved = self.nodes[0].manhattan == 0;
        let mut level = 0;
        while !is_solved && !self.nodes.is_empty() && level < aim.most {
            if level - best.1 > aim.patience || clock.is_over(self.nodes.len()) {
                break;
            }
            level += 1;
            self.generate(grid, aim.most - level, alone);
            clock.generated(self.candidates.len());
            self.select(grid, aim.width);
            std::mem::swap(&mut self.boards, &mut self.next_boards);
            std::mem::swap(&mut self.nodes, &mut self.next_nodes);
            let worths = self.nodes.iter().map(|node| node.worth as i32);
            if let Some((worth, index)) = worths.zip(0..).min()
                && worth < best.0
            {
                best = (worth, level, index);
            }
            if let Some(index) = self.nodes.iter().position(|node| node.manhattan == 0) {
                is_solved = true;
                best = (0, level, index);
            }
        }
        Way { slides: self.way(best.1 as usize, best.2), is_solved }
    }

    fn begin(&mut self, grid: &Grid, start: &[C], width: usize) {
        let hash = grid.hash(start);
        let blank = start.iter().position(|tile| tile.index() == grid.cells).unwrap_or(0);
        self.boards.clear();
        self.boards.extend_from_slice(start);
        self.nodes.clear();
        let (manhattan, blank) = (grid.manhattan(start), blank as Cell);
        self.nodes.push(Node { hash, worth: 0, manhattan, link: 0, blank, rank: 0 });
        self.base = 0_u32.wrapping_sub(BELOW);
        self.worst = None;
        self.known.clear();
        self.known.resize((MEMORY / 2 * width).next_power_of_two().max(512), [0; 2]);
        self.is_known(hash);
        self.links.clear();
        self.cells.clear();
        self.levels.clear();
        self.candidates.clear();
    }

    /// Notes every successor that may still reach the goal in time, and what it is worth.
    fn generate(&mut self, grid: &Grid, most: u32, alone: bool) {
        let is_start = self.levels.is_empty();
        let base = self.base;
        let bar = self.worst.map_or(i32::MAX / 2, |worst| worst.wrapping_sub(base) as i32 + SLACK);
        let Self { candidates, ranks, .. } = self;
        candidates.clear();
        let mut sieve = Sieve { grid, candidates, ranks, base, bar, most };
        let boards = self.boards.chunks_exact(grid.stride());
        for (parent, (board, node)) in (0..).zip(boards.zip(&self.nodes)) {
            if alone {
                let back = if is_start { 4 } else { 3 - node.step() };
                sieve.pass(board, (parent, *node), node.blank.into(), back);
            } else {
                let blanks = (0..grid.cells).filter(|&cell| board[cell].index() == grid.cells);
                blanks.for_each(|blank| sieve.pass(board, (parent, *node), blank, 4));
            }
        }
    }

    /// Takes the best candidates into the next level.
    fn select(&mut self, grid: &Grid, width: usize) {
        self.sort();
        let share = (width * SHARE).div_ceil(grid.cells);
        self.shares.clear();
        self.shares.resize(grid.cells, 0);
        self.taken.clear();
        self.taken.resize(self.candidates.len(), false);
        let (mut count, mut touched) = (0, 0);
        for at in 0..self.order.len() {
            // What is looked up soon is asked for now, so that the misses overlap.
            if let Some(&soon) = self.order.get(at + AHEAD) {
                touched ^= self.known[self.slot(self.candidates[soon as usize].hash)][0];
            }
            let index = self.order[at] as usize;
            let node = self.candidates[index];
            let used = self.shares[usize::from(node.blank)];
            if used == share as u32 || self.is_known(node.hash) {
                continue;
            }
            self.shares[usize::from(node.blank)] = used + 1;
            self.taken[index] = true;
            count += 1;
            if count == width {
                self.worst = Some(node.worth);
                break;
            }
        }
        std::hint::black_box(touched);
        if count < width {
            self.worst = None;
        }
        if let Some(&best) = self.order.first() {
            self.base = self.candidates[best as usize].worth.wrapping_sub(BELOW);
        }
        self.copy(grid);
    }

    /// Puts the candidates in the order of their ranks.
    fn sort(&mut self) {
        let last = self.candidates.iter().map(|node| node.rank).max().unwrap_or(0);
        let ranks = &mut self.ranks[..=last.into()];
        let mut sum = 0;
        for count in &mut *ranks {
            sum += std::mem::replace(count, sum);
        }
        self.order.clear();
        self.order.resize(self.candidates.len(), 0);
        for (candidate, index) in self.candidates.iter().zip(0..) {
            let place = &mut ranks[usize::from(candidate.rank)];
            self.order[*place as usize] = index;
            *place += 1;
        }
        ranks.fill(0);
    }

    /// Copies the boards of the candidates that are taken.
    fn copy(&mut self, grid: &Grid) {
        self.next_boards.clear();
        self.next_nodes.clear();
        self.levels.push(self.links.len());
        let stride = grid.stride();
        for (&node, _) in self.candidates.iter().zip(&self.taken).filter(|(_, taken)| **taken) {
            let first = node.parent() * stride;
            let at = self.next_boards.len();
            self.next_boards.extend_from_slice(&self.boards[first..first + stride]);
            let from = grid.beside[usize::from(node.blank)][3 - node.step()];
            self.next_boards.swap(at + usize::from(from), at + usize::from(node.blank));
            self.next_nodes.push(node);
            self.links.push(node.link);
            self.cells.push(from);
        }
    }

    /// Whether a board was seen before, as far as is remembered; from now on it is.
    #[inline]
    fn is_known(&mut self, hash: u64) -> bool {
        let part = hash as u32;
        let at = self.slot(hash);
        let [first, second] = self.known[at];
        if first == part || second == part {
            return true;
        }
        self.known[at] = [part, first];
        false
    }

    #[inline]
    fn slot(&self, hash: u64) -> usize {
        let slot = (hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
        slot as usize & (self.known.len() - 1)
    }

    /// How many boards there are at a level.
    #[cfg(test)]
    pub(super) fn width_at(&self, level: usize) -> usize {
        self.levels.get(level).unwrap_or(&self.links.len()) - self.levels[level - 1]
    }

    /// The moves to a node of a level.
    pub(super) fn way(&self, level: usize, mut index: usize) -> Vec<Slide> {
        let mut slides = Vec::with_capacity(level);
        for first in self.levels[..level].iter().rev() {
            let link = self.links[first + index];
            let step = Move::ALL[(link & 3) as usize];
            slides.push(Slide { blank: self.cells[first + index], step });
            index = (link >> 2) as usize;
        }
        slides.reverse();
        slides
    }
}

/// A board's place in its level, and what is known of it.
type Parent = (u32, Node);

/// What of a level's successors is good enough.
struct Sieve<'a> {
    grid: &'a Grid,
    candidates: &'a mut Vec<Node>,
    ranks: &'a mut [u32],
    base: u32,
    /// The most that a candidate may be worth above the base.
    bar: i32,
    /// How far from the goal it may be.
    most: u32,
}

impl Sieve<'_> {
    /// The moves of one blank but for the one that goes back.
    #[inline]
    fn pass<C: Content>(&mut self, board: &[C], parent: Parent, blank: usize, back: usize) {
        let around = self.grid.around(board, blank);
        self.go::<C, 0>(board, parent, &around, back);
        self.go::<C, 1>(board, parent, &around, back);
        self.go::<C, 2>(board, parent, &around, back);
        self.go::<C, 3>(board, parent, &around, back);
    }

    #[inline]
    fn go<C: Content, const STEP: usize>(
        &mut self,
        board: &[C],
        (parent, node): Parent,
        around: &Around,
        back: usize,
    ) {
        if STEP == back || !around.is_tile(STEP) {
            return;
        }
        let (grid, blank) = (self.grid, around.blank);
        let to = usize::from(grid.beside[blank][STEP]);
        let tile = board[to].index();
        let manhattan = node.manhattan.wrapping_add_signed(grid.farther(around, STEP));
        let worth = node.worth.wrapping_add_signed(grid.change::<C, STEP>(board, around, to));
        let above = worth.wrapping_sub(self.base) as i32;
        if manhattan > self.most || above > self.bar {
            return;
        }
        let hash = node.hash.wrapping_add(grid.key(tile, blank)).wrapping_sub(grid.key(tile, to));
        let part = (hash >> 32) as u32 % PARTS;
        let rank = (above.max(0) as u32).min(RANKS as u32 / PARTS - 1) * PARTS + part;
        self.ranks[rank as usize] += 1;
        let link = parent << 2 | STEP as u32;
        let (blank, rank) = (to as Cell, rank as u16);
        self.candidates.push(Node { hash, worth, manhattan, link, blank, rank });
    }
}
