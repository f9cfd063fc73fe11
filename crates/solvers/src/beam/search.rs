//! Beam search from one board to another: the best `width` boards of each depth are kept.
//!
//! A tile's number is its goal cell, so every goal is the same. A level is generated in two passes.
//! The first computes every successor's score. The second copies the boards that are good enough
//! and not known. Both read parents and write children in order, so the table of known boards is
//! the only access per node that misses the cache.

use taquin_tiles::{Cell, Move, Slide};

use super::budget::Budget;
use super::evaluation::{BlankNeighbours, Content, Evaluation};
use super::rules::{BELOW, PARTS, RANKS, REMEMBERED, SHARE, SLACK};

/// A board of the beam without its cells, or a candidate for the next level.
#[derive(Clone, Copy)]
struct Node {
    hash: u64,
    /// The score, the lower the better, relative to the start: a difference modulo 2^32, because
    /// the scores of one level are close together.
    score: u32,
    /// The Manhattan distance.
    manhattan: u32,
    /// The index of the parent in the previous level, and the move.
    link: u32,
    /// The cell of the blank that moved last.
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

/// The limits of a beam search.
#[derive(Clone, Copy, Debug)]
pub(super) struct BeamLimits {
    /// The number of boards kept per depth.
    pub(super) width: usize,
    /// The greatest length of a path.
    pub(super) longest: u32,
    /// The number of levels without a better board after which the search gives up.
    pub(super) patience: u32,
}

/// A path to the goal, or else to the best board.
pub(super) struct BeamPath {
    pub(super) slides: Vec<Slide>,
    pub(super) is_solved: bool,
}

/// A beam search and its memory, which is reused.
#[derive(Default)]
pub(super) struct Beam<C> {
    boards: Vec<C>,
    nodes: Vec<Node>,
    next_boards: Vec<C>,
    next_nodes: Vec<Node>,
    candidates: Vec<Node>,
    /// The number of candidates per rank; 0 between levels.
    ranks: Vec<u32>,
    /// The candidates from the best to the worst.
    order: Vec<u32>,
    /// Whether each candidate is taken.
    taken: Vec<bool>,
    /// The number of boards that were taken with their blank on each cell.
    shares: Vec<u32>,
    /// The score of rank 0.
    base: u32,
    /// The score of the last board that was taken.
    worst: Option<u32>,
    /// Partial hashes of known boards. Within a slot the newer one is first.
    known: Vec<[u32; 2]>,
    /// The parent and the move of each node in each level.
    links: Vec<u32>,
    /// The cell that the blank left, for each node.
    cells: Vec<Cell>,
    /// The first node of each level.
    levels: Vec<usize>,
}

/// The number of boards between two checks whether to stop.
const POLL_INTERVAL: u32 = 1 << 13;

/// By how many candidates prefetching is ahead of look-ups.
const PREFETCH_DISTANCE: usize = 24;

impl<C: Content> Beam<C> {
    /// Returns the most bytes that a search with this width and number of levels takes.
    pub(super) fn bytes(cells: usize, width: usize, levels: u32) -> u64 {
        let board = 2 * ((cells + 1) * size_of::<C>() + size_of::<Node>());
        let one = board + 4 * size_of::<Node>() + 2 * 4 * REMEMBERED + 6 * levels as usize;
        // A level may be a quarter wider, and vectors may have twice the capacity they need.
        5 * (width as u64 * one as u64) / 2
    }

    /// Returns the bytes that it holds.
    pub(super) fn held(&self) -> u64 {
        fn bytes<T>(vec: &Vec<T>) -> usize {
            vec.capacity() * size_of::<T>()
        }
        let boards = bytes(&self.boards) + bytes(&self.next_boards);
        let nodes = bytes(&self.nodes) + bytes(&self.next_nodes) + bytes(&self.candidates);
        let links = bytes(&self.links) + bytes(&self.cells) + bytes(&self.levels);
        let ranks = bytes(&self.ranks) + bytes(&self.order) + bytes(&self.taken);
        (boards + nodes + links + ranks + bytes(&self.known) + bytes(&self.shares)) as u64
    }

    /// Searches from `start`, whose tiles are numbered by their goal cells.
    pub(super) fn search(
        &mut self,
        evaluation: &Evaluation,
        start: &[C],
        beam_limits: BeamLimits,
        budget: &mut Budget<'_>,
    ) -> BeamPath {
        let is_single = start.iter().filter(|tile| tile.index() == evaluation.cells).count() == 1;
        self.begin(evaluation, start, beam_limits.width);
        // The best board so far: its score, its level and its index there.
        let mut best = (0, 0, 0);
        let mut is_solved = self.nodes[0].manhattan == 0;
        let mut level = 0;
        while !is_solved && !self.nodes.is_empty() && level < beam_limits.longest {
            if level - best.1 > beam_limits.patience || budget.is_over(self.nodes.len()) {
                break;
            }
            level += 1;
            self.generate(evaluation, beam_limits.longest - level, is_single, budget);
            budget.generated(self.candidates.len());
            if budget.is_stopped() {
                self.ranks.fill(0);
                break;
            }
            self.select(evaluation, beam_limits.width);
            std::mem::swap(&mut self.boards, &mut self.next_boards);
            std::mem::swap(&mut self.nodes, &mut self.next_nodes);
            let scores = self.nodes.iter().map(|node| node.score as i32);
            if let Some((score, index)) = scores.zip(0..).min()
                && score < best.0
            {
                best = (score, level, index);
            }
            if let Some(index) = self.nodes.iter().position(|node| node.manhattan == 0) {
                is_solved = true;
                best = (0, level, index);
            }
        }
        BeamPath { slides: self.path(best.1 as usize, best.2), is_solved }
    }

    fn begin(&mut self, evaluation: &Evaluation, start: &[C], width: usize) {
        let hash = evaluation.hash(start);
        let blank = start.iter().position(|tile| tile.index() == evaluation.cells).unwrap_or(0);
        self.boards.clear();
        self.boards.extend_from_slice(start);
        self.nodes.clear();
        let (manhattan, blank) = (evaluation.manhattan(start), blank as Cell);
        self.nodes.push(Node { hash, score: 0, manhattan, link: 0, blank, rank: 0 });
        self.base = 0_u32.wrapping_sub(BELOW);
        self.worst = None;
        self.ranks.resize(RANKS, 0);
        self.known.clear();
        self.known.resize((REMEMBERED / 2 * width).next_power_of_two().max(512), [0; 2]);
        self.is_known(hash);
        self.links.clear();
        self.cells.clear();
        self.levels.clear();
        self.candidates.clear();
    }

    /// Generates every successor that can reach the goal in `left` moves, with its score, unless it
    /// is cancelled: a wide level takes a long time.
    fn generate(
        &mut self,
        evaluation: &Evaluation,
        left: u32,
        is_single: bool,
        budget: &mut Budget<'_>,
    ) {
        let is_start = self.levels.is_empty();
        let base = self.base;
        let bar = self.worst.map_or(i32::MAX / 2, |worst| worst.wrapping_sub(base) as i32 + SLACK);
        let Self { candidates, ranks, .. } = self;
        candidates.clear();
        let mut filter = CandidateFilter { evaluation, candidates, ranks, base, bar, left };
        let boards = self.boards.chunks_exact(evaluation.stride());
        for (parent, (board, node)) in (0_u32..).zip(boards.zip(&self.nodes)) {
            if parent % POLL_INTERVAL == POLL_INTERVAL - 1 && budget.is_interrupted() {
                return;
            }
            if is_single {
                let back = if is_start { 4 } else { 3 - node.step() };
                filter.pass(board, (parent, *node), node.blank.into(), back);
            } else {
                let blanks =
                    (0..evaluation.cells).filter(|&cell| board[cell].index() == evaluation.cells);
                blanks.for_each(|blank| filter.pass(board, (parent, *node), blank, 4));
            }
        }
    }

    /// Takes the best candidates into the next level.
    fn select(&mut self, evaluation: &Evaluation, width: usize) {
        self.sort();
        let share = (width * SHARE).div_ceil(evaluation.cells);
        self.shares.clear();
        self.shares.resize(evaluation.cells, 0);
        self.taken.clear();
        self.taken.resize(self.candidates.len(), false);
        let (mut count, mut touched) = (0, 0);
        for at in 0..self.order.len() {
            // Later slots are touched now, so that the cache misses overlap.
            if let Some(&soon) = self.order.get(at + PREFETCH_DISTANCE) {
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
                self.worst = Some(node.score);
                break;
            }
        }
        std::hint::black_box(touched);
        if count < width {
            self.worst = None;
        }
        if let Some(&best) = self.order.first() {
            self.base = self.candidates[best as usize].score.wrapping_sub(BELOW);
        }
        self.copy(evaluation);
    }

    /// Sorts the candidates by rank.
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
    fn copy(&mut self, evaluation: &Evaluation) {
        self.next_boards.clear();
        self.next_nodes.clear();
        self.levels.push(self.links.len());
        let stride = evaluation.stride();
        for (&node, _) in self.candidates.iter().zip(&self.taken).filter(|(_, taken)| **taken) {
            let first = node.parent() * stride;
            let at = self.next_boards.len();
            self.next_boards.extend_from_slice(&self.boards[first..first + stride]);
            let from = evaluation.neighbours[usize::from(node.blank)][3 - node.step()];
            self.next_boards.swap(at + usize::from(from), at + usize::from(node.blank));
            self.next_nodes.push(node);
            self.links.push(node.link);
            self.cells.push(from);
        }
    }

    /// Returns whether a board is remembered, and remembers it.
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

    /// Returns the number of boards in a level.
    pub(super) fn width_at(&self, level: usize) -> usize {
        self.levels.get(level).unwrap_or(&self.links.len()) - self.levels[level - 1]
    }

    /// Returns the moves to a node of a level.
    pub(super) fn path(&self, level: usize, mut index: usize) -> Vec<Slide> {
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

/// The index of a board in its level, and its node.
type Parent = (u32, Node);

/// Collects the successors of a level that are good enough.
struct CandidateFilter<'a> {
    evaluation: &'a Evaluation,
    candidates: &'a mut Vec<Node>,
    ranks: &'a mut [u32],
    base: u32,
    /// The greatest score of a candidate above the base.
    bar: i32,
    /// The greatest Manhattan distance of a candidate.
    left: u32,
}

impl CandidateFilter<'_> {
    /// Tries the moves of one blank, except the one that goes back.
    #[inline]
    fn pass<C: Content>(&mut self, board: &[C], parent: Parent, blank: usize, back: usize) {
        let around = self.evaluation.around(board, blank);
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
        around: &BlankNeighbours,
        back: usize,
    ) {
        if STEP == back || !around.is_tile(STEP) {
            return;
        }
        let (evaluation, blank) = (self.evaluation, around.blank);
        let to = usize::from(evaluation.neighbours[blank][STEP]);
        let tile = board[to].index();
        let manhattan = node.manhattan.wrapping_add_signed(evaluation.farther(around, STEP));
        let score = node.score.wrapping_add_signed(evaluation.change::<C, STEP>(board, around, to));
        let above = score.wrapping_sub(self.base) as i32;
        if manhattan > self.left || above > self.bar {
            return;
        }
        let hash = node
            .hash
            .wrapping_add(evaluation.key(tile, blank))
            .wrapping_sub(evaluation.key(tile, to));
        let part = (hash >> 32) as u32 % PARTS;
        let rank = (above.max(0) as u32).min(RANKS as u32 / PARTS - 1) * PARTS + part;
        self.ranks[rank as usize] += 1;
        let link = parent << 2 | STEP as u32;
        let (blank, rank) = (to as Cell, rank as u16);
        self.candidates.push(Node { hash, score, manhattan, link, blank, rank });
    }
}
