//! Making an answer better for as long as there is time.
//!
//! A beam search over the whole board comes first, again and again and wider each time, such that the
//! last ones end when most of the time is spent. They go from the start to the goal and from the goal to
//! the start in turns: which way is the better one differs more from board to board than a beam twice
//! as wide would gain. Where one does not reach its end, as on large boards, [`layers`](crate::layers)
//! fills what is left: few tiles are far from home by then. After each, parts of the best way are
//! searched again between their two boards, which a narrow beam does well; in the end with longer parts
//! and wider beams, and where these find nothing, short parts are solved optimally.
//!
//! With a budget of nodes and no time limit, nothing depends on the clock.

mod beam;
mod clock;
mod exact;
mod grid;
mod pairs;
mod windows;

use std::time::Duration;

use taquin_search::{Cost, Counts, Limits};
use taquin_tiles::{Board, Puzzle, Slide, replay};

use crate::layers::slides;

use beam::{Aim, Beam};
use clock::Clock;
use grid::{Content, Grid};
use windows::{Means, Span, Windows};

/// What an improvement starts from, and where it may end.
#[derive(Clone, Debug)]
pub struct Improve {
    /// A way from the start to the goal.
    pub way: Vec<Slide>,
    /// No way is shorter: when this length is reached, there is nothing left to do.
    pub bound: Cost,
    /// Among boards that are worth the same, it is left to chance which are kept.
    pub seed: u64,
}

/// Makes a way shorter until a limit is met, and tells of each that is.
pub fn improve(
    puzzle: &Puzzle,
    improve: Improve,
    limits: &Limits,
    each: &mut dyn FnMut(&[Slide]),
) -> Counts {
    match puzzle.size().cells() {
        ..0xff => Improver::<u8>::new(puzzle, improve, limits, each).run(),
        0xff..0xffff => Improver::<u16>::new(puzzle, improve, limits, each).run(),
        _ => Improver::<u32>::new(puzzle, improve, limits, each).run(),
    }
}

struct Improver<'a, C> {
    puzzle: &'a Puzzle,
    way: Vec<Slide>,
    bound: usize,
    grid: Grid,
    beam: Beam<C>,
    windows: Windows,
    clock: Clock<'a>,
    limits: &'a Limits,
    each: &'a mut dyn FnMut(&[Slide]),
}

/// The memory to use where no limit is given.
const MEMORY: u64 = 1 << 30;

/// The widest beam: a level of it takes a good part of a second, and limits wait for its end.
const WIDEST: u64 = 1 << 20;

/// The nodes of the first beam search, about.
const FIRST: usize = 300_000;

/// How much wider the next beam is; the last two, one each way, take this part of what is left.
const WIDER: f64 = 4.0;
const LAST: f64 = 0.8;

/// How long what a beam did not reach may take to be filled when the time is up: enough on boards of some
/// thousand cells.
const MOMENT: Duration = Duration::from_millis(100);

/// The parts of the way that are searched again after each beam search.
const SHORT: usize = 48;

/// The parts that are solved optimally in the end, and the nodes that each may take.
const EXACT: [usize; 3] = [20, 28, 36];
const NODES: u64 = 20_000;

impl<'a, C: Content> Improver<'a, C> {
    fn new(
        puzzle: &'a Puzzle,
        improve: Improve,
        limits: &'a Limits,
        each: &'a mut dyn FnMut(&[Slide]),
    ) -> Self {
        let Improve { way, bound, seed } = improve;
        Self {
            puzzle,
            way,
            bound: bound as usize,
            grid: Grid::new(puzzle.size(), seed),
            beam: Beam::new(),
            windows: Windows::new(seed),
            clock: Clock::new(limits),
            limits,
            each,
        }
    }

    fn run(mut self) -> Counts {
        // Ways take four bytes a move, and there are two beam searches.
        let ways = 8 * self.way.len() as u64;
        let memory = self.limits.memory.unwrap_or(MEMORY).saturating_sub(ways) / 2;
        let cells = self.grid.cells;
        let widest = |levels: usize| {
            let one = Beam::<C>::bytes(cells, 1, levels as u32).max(1);
            (memory / one).min(WIDEST) as usize
        };
        let mut most = widest(self.way.len());
        let mut width = (FIRST / self.way.len().max(1)).clamp(100, 2_000).min(most);
        // The widest beam so far forward and backward.
        let mut done = [0; 2];
        for backward in [false, true].into_iter().cycle() {
            if width <= done[usize::from(backward)] || self.is_done() {
                break;
            }
            done[usize::from(backward)] = width;
            let mark = self.clock.mark();
            self.whole(width, backward);
            self.polish(Span { moves: SHORT, by: Means::Beam((width / 8).max(16)) });
            most = most.max(widest(self.way.len()));
            let times = self.clock.times(mark);
            let wider = if times > WIDER * WIDER {
                WIDER
            } else if times > 2.0 {
                LAST * times / 2.0
            } else {
                LAST * times
            };
            width = ((width as f64 * wider) as usize).min(most);
        }
        let width = done[0].max(done[1]);
        if width == 0 {
            return self.counts();
        }
        let (mut moves, mut width) = (2 * SHORT, (width / 8).max(500).min(most));
        let mut exact = EXACT.into_iter();
        while !self.is_done() {
            if self.polish(Span { moves, by: Means::Beam(width) }) {
                continue;
            }
            for moves in exact.by_ref() {
                self.polish(Span { moves, by: Means::Exact(NODES) });
            }
            if moves > self.way.len() && width >= most {
                break;
            }
            (moves, width) = (moves * 5 / 4, (2 * width).min(most));
        }
        self.counts()
    }

    fn counts(&self) -> Counts {
        // Vectors do not shrink: what is held in the end is the most.
        let memory_peak = self.beam.held() + self.windows.held();
        Counts { depth_peak: self.way.len() as u64, memory_peak, ..self.clock.counts }
    }

    fn is_done(&self) -> bool {
        self.clock.is_stopped() || self.way.len() <= self.bound
    }

    /// A beam search from the start to the goal, or from the goal to the start.
    fn whole(&mut self, width: usize, backward: bool) {
        let most = (self.way.len() as u32).saturating_sub(2);
        let size = self.puzzle.size();
        let patience = (4 * (size.rows() + size.cols())) as u32;
        let aim = Aim { width, most, patience };
        let (mut from, mut to) = (self.puzzle.start(), self.puzzle.goal());
        if backward {
            std::mem::swap(&mut from, &mut to);
        }
        let found = self.beam.search(&self.grid, &numbered(from, to), aim, &mut self.clock);
        let mut way = found.slides;
        let nearest = replay(from, &way).expect("a beam search slides tiles to blanks");
        if backward {
            let back =
                |slide: &Slide| Slide { blank: slide.target(size), step: slide.step.opposite() };
            way = way.iter().rev().map(back).collect();
        }
        if !found.is_solved {
            let (from, to) = if backward { (to, &nearest) } else { (&nearest, to) };
            let Some(rest) = self.rest(from, to) else { return };
            way.splice(if backward { 0..0 } else { way.len()..way.len() }, rest);
        }
        self.take(way);
    }

    /// A way by construction.
    fn rest(&self, from: &Board, to: &Board) -> Option<Vec<Slide>> {
        let puzzle = Puzzle::new(from.clone(), to.clone()).ok()?;
        // A better answer is worth a moment even when the time is up.
        let limits = Limits {
            time: self.clock.left().map(|left| left.max(MOMENT)),
            memory: self.limits.memory,
            monitor: self.limits.monitor.clone(),
            ..Limits::default()
        };
        slides(&puzzle, &limits).ok()
    }

    /// Searches parts of the best way again.
    fn polish(&mut self, span: Span) -> bool {
        let mut way = self.way.clone();
        let shorter = self.windows.polish(self.puzzle.start(), &mut way, span, &mut self.clock);
        self.take(way);
        shorter
    }

    /// Takes a way if it is shorter than the best.
    fn take(&mut self, way: Vec<Slide>) {
        if way.len() < self.way.len() {
            self.way = way;
            (self.each)(&self.way);
        }
    }
}

/// A board with the numbers that tiles have in a beam search to another.
fn numbered<C: Content>(from: &Board, to: &Board) -> Vec<C> {
    let (homes, cells) = (to.positions(), from.size().cells());
    let number = |&tile: &u16| match tile {
        0 => cells,
        _ => homes[usize::from(tile)].into(),
    };
    from.tiles().iter().map(number).chain([cells + 1]).map(C::new).collect()
}

#[cfg(test)]
mod learn;
#[cfg(test)]
mod tests;
