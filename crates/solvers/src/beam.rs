//! Improving a solution for as long as there is time.
//!
//! First, beam searches over the whole board, each wider than the one before, so that the last ones
//! end when most of the time is spent. They alternate between searching from the start and from the
//! goal: the better direction differs more from board to board than a beam twice as wide would
//! gain. If a beam does not reach its target, as on large boards, [`layers`](crate::layers)
//! completes the path: few tiles are far from home by then. After each beam search, windows of the
//! best path are searched again between their two boards, which a narrow beam does well. At the end
//! windows get longer and beams wider, and short windows are solved optimally.
//!
//! With a budget of nodes and no time limit, nothing depends on the clock.

mod budget;
mod evaluation;
mod exact;
mod pairs;
pub mod rules;
mod search;
pub mod training;
mod wide;
mod windows;

use std::time::Duration;

use taquin_search::{Cost, Counts, Limits};
use taquin_tiles::{Board, Puzzle, Slide, replay};

use crate::layers::slides;

use budget::Budget;
use evaluation::{Content, Evaluation};
use search::{Beam, BeamLimits};
pub use wide::{BoardView, ScoreTables, WideBeam, WidePath, WideSearch, follow};
use windows::{WindowMethod, WindowSearch, Windows};

/// The solution to improve, and when to stop.
#[derive(Clone, Debug)]
pub struct ImproveFrom {
    /// A solution.
    pub path: Vec<Slide>,
    /// A lower bound on the length of a solution: when it is reached, the improvement ends.
    pub bound: Cost,
    /// The seed of the random choice among boards with equal score.
    pub seed: u64,
    /// The approximate number of nodes in the first beam search.
    pub first: usize,
}

impl ImproveFrom {
    /// The usual number of nodes in the first beam search.
    pub const FIRST: usize = 300_000;
}

/// Shortens a solution until a limit is reached. Calls `each` with each shorter solution.
pub fn improve(
    puzzle: &Puzzle,
    improve: ImproveFrom,
    limits: &Limits,
    each: &mut dyn FnMut(&[Slide]),
) -> Counts {
    improve_with(None, puzzle, improve, limits, each)
}

/// Does the same, with an engine for wide beams. It is for boards with one blank and up to 254
/// cells.
pub fn improve_with(
    wide: Option<&mut dyn WideBeam>,
    puzzle: &Puzzle,
    improve: ImproveFrom,
    limits: &Limits,
    each: &mut dyn FnMut(&[Slide]),
) -> Counts {
    match puzzle.size().cells() {
        ..0xff => {
            let mut improver = Improver::<u8>::new(puzzle, improve, limits, each);
            if let Some(engine) = wide {
                improver.wide = Some(engine);
            }
            improver.run()
        }
        0xff..0xffff => Improver::<u16>::new(puzzle, improve, limits, each).run(),
        _ => Improver::<u32>::new(puzzle, improve, limits, each).run(),
    }
}

struct Improver<'a, C> {
    puzzle: &'a Puzzle,
    path: Vec<Slide>,
    bound: usize,
    first: usize,
    seed: u64,
    evaluation: Evaluation,
    beam: Beam<C>,
    wide: Option<&'a mut dyn WideBeam>,
    windows: Windows,
    budget: Budget<'a>,
    limits: &'a Limits,
    each: &'a mut dyn FnMut(&[Slide]),
}

/// The memory to use if there is no limit.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// The greatest beam width. At this width a level takes almost a second, and limits are checked
/// between levels.
const MAX_WIDTH: u64 = 1 << 20;

/// The width of the narrowest beam.
const MIN_WIDTH: usize = 10;

/// The nodes that are expanded in a second at least, so that the first beam ends in time: a path
/// that ends half-way is far longer in the end.
const NODES_PER_SECOND: f64 = 5e6;

/// The factor by which the next beam is wider.
const WIDTH_FACTOR: f64 = 4.0;

/// The share of the remaining budget for the last two beams, one in each direction.
const LAST_BEAMS_SHARE: f64 = 0.8;

/// The time to complete a path after the time limit: enough on boards of some thousand cells.
const COMPLETION_TIME: Duration = Duration::from_millis(100);

/// The length of the windows that are searched after each beam search.
const WINDOW_LENGTH: usize = 48;

/// The narrowest beam for which an engine for wide beams is used: below, it takes longer.
const MIN_ENGINE_WIDTH: usize = 1 << 10;

/// The first beam of that engine, which takes little longer than a narrow one, and the time for it.
const FIRST_ENGINE_WIDTH: usize = 1 << 16;
const FIRST_ENGINE_TIME: Duration = Duration::from_millis(300);

/// How much narrower beams in windows are after that engine has searched, because the CPU is so
/// much slower.
const ENGINE_WIDTH_RATIO: usize = 1024;

/// The lengths of the windows that are solved optimally in the end.
const EXACT_LENGTHS: [usize; 3] = [20, 28, 36];

/// The most nodes for each window.
const MAX_EXACT_NODES: u64 = 20_000;

impl<'a, C: Content> Improver<'a, C> {
    fn new(
        puzzle: &'a Puzzle,
        improve: ImproveFrom,
        limits: &'a Limits,
        each: &'a mut dyn FnMut(&[Slide]),
    ) -> Self {
        let ImproveFrom { path, bound, seed, first } = improve;
        Self {
            puzzle,
            path,
            bound: bound as usize,
            first,
            seed,
            evaluation: Evaluation::new(puzzle.size(), seed),
            beam: Beam::default(),
            wide: None,
            windows: Windows::new(seed),
            budget: Budget::new(limits),
            limits,
            each,
        }
    }

    fn run(mut self) -> Counts {
        // Paths take four bytes per move, and two beam searches run.
        let paths = 8 * self.path.len() as u64;
        let memory = self.limits.memory.unwrap_or(DEFAULT_MEMORY).saturating_sub(paths) / 2;
        let cells = self.evaluation.cells;
        let narrow = |levels: usize| {
            let one = Beam::<C>::bytes(cells, 1, levels as u32).max(1);
            (memory / one).min(MAX_WIDTH) as usize
        };
        let widest = |wide: &Option<&mut dyn WideBeam>, levels: usize| {
            let wide = wide.as_ref().map_or(0, |engine| engine.widest(levels as u32));
            narrow(levels).max(wide)
        };
        let mut most = narrow(self.path.len());
        let first = self.budget.left().map_or(self.first, |left| {
            self.first.min((left.as_secs_f64() * NODES_PER_SECOND) as usize)
        });
        let mut width = (first / self.path.len().max(1)).clamp(MIN_WIDTH, 2_000).min(most);
        // The widest beam so far forward and backward.
        let mut done = [0; 2];
        for backward in [false, true].into_iter().cycle() {
            if width <= done[usize::from(backward)] || self.is_done() {
                break;
            }
            done[usize::from(backward)] = width;
            let mark = self.budget.mark();
            let parts = if self.search_whole(width, backward) { ENGINE_WIDTH_RATIO } else { 8 };
            self.polish(WindowSearch {
                moves: WINDOW_LENGTH,
                method: WindowMethod::Beam((width / parts).max(16)),
            });
            most = most.max(widest(&self.wide, self.path.len()));
            let times = self.budget.times(mark);
            let wider = if times > WIDTH_FACTOR * WIDTH_FACTOR {
                WIDTH_FACTOR
            } else if times > 2.0 {
                LAST_BEAMS_SHARE * times / 2.0
            } else {
                LAST_BEAMS_SHARE * times
            };
            let least = if self.is_wide_in_time() { FIRST_ENGINE_WIDTH } else { 0 };
            width = ((width as f64 * wider) as usize).max(least).min(most);
        }
        let width = done[0].max(done[1]);
        if width == 0 {
            return self.counts();
        }
        let most = narrow(self.path.len());
        let first = (2 * WINDOW_LENGTH, (width.min(most) / 8).max(500).min(most));
        let (mut moves, mut width) = first;
        let is_limited = self.limits.time.is_some() || self.limits.expanded.is_some();
        let mut directions = [false, true].into_iter().cycle();
        let mut exact = EXACT_LENGTHS.into_iter();
        while !self.is_done() {
            if self.polish(WindowSearch { moves, method: WindowMethod::Beam(width) }) {
                continue;
            }
            for moves in exact.by_ref() {
                self.polish(WindowSearch { moves, method: WindowMethod::Exact(MAX_EXACT_NODES) });
            }
            if moves <= self.path.len() || width < most {
                (moves, width) = (moves * 5 / 4, (2 * width).min(most));
            } else if most as u64 == MAX_WIDTH || !is_limited {
                break;
            } else {
                // There is no memory for wider beams, so the remaining time goes into other choices
                // among equals.
                self.seed = self.seed.wrapping_add(1);
                self.evaluation = Evaluation::new(self.puzzle.size(), self.seed);
                self.windows.reseed(self.seed);
                self.search_whole(most, directions.next().unwrap_or_default());
                ((moves, width), exact) = (first, EXACT_LENGTHS.into_iter());
            }
        }
        self.counts()
    }

    fn counts(&self) -> Counts {
        // Vectors do not shrink, so the memory held in the end is the peak.
        let memory_peak = self.beam.held() + self.windows.held();
        Counts { depth_peak: self.path.len() as u64, memory_peak, ..self.budget.counts }
    }

    /// Whether there is an engine for wide beams, and time for it.
    fn is_wide_in_time(&self) -> bool {
        self.wide.is_some() && self.budget.left().is_none_or(|left| left > FIRST_ENGINE_TIME)
    }

    fn is_done(&self) -> bool {
        self.budget.is_stopped() || self.path.len() <= self.bound
    }

    /// Runs a beam search from the start to the goal, or from the goal to the start. Returns
    /// whether the engine for wide beams did it.
    fn search_whole(&mut self, width: usize, backward: bool) -> bool {
        let longest = (self.path.len() as u32).saturating_sub(2);
        let size = self.puzzle.size();
        let patience = (4 * (size.rows() + size.cols())) as u32;
        let beam_limits = BeamLimits { width, longest, patience };
        let (mut from, mut to) = (self.puzzle.start(), self.puzzle.goal());
        if backward {
            std::mem::swap(&mut from, &mut to);
        }
        let found = self.search_wide(from, to, beam_limits);
        let is_wide = found.is_some();
        let (mut path, is_solved) = match found {
            Some(found) => found,
            None => {
                let start = numbered(from, to);
                let found =
                    self.beam.search(&self.evaluation, &start, beam_limits, &mut self.budget);
                (found.slides, found.is_solved)
            }
        };
        let nearest = replay(from, &path).expect("a beam search slides tiles to blanks");
        if backward {
            let back =
                |slide: &Slide| Slide { blank: slide.target(size), step: slide.step.opposite() };
            path = path.iter().rev().map(back).collect();
        }
        if !is_solved {
            let (from, to) = if backward { (to, &nearest) } else { (&nearest, to) };
            let Some(rest) = self.complete(from, to) else { return is_wide };
            path.splice(if backward { 0..0 } else { path.len()..path.len() }, rest);
        }
        self.take(path);
        is_wide
    }

    /// Lets another engine run a beam search, if there is one and the beam is wide.
    fn search_wide(
        &mut self,
        from: &Board,
        to: &Board,
        BeamLimits { width, longest, patience }: BeamLimits,
    ) -> Option<(Vec<Slide>, bool)> {
        let wide = self.wide.as_mut().filter(|_| width >= MIN_ENGINE_WIDTH)?;
        let start: Vec<u8> = numbered(from, to);
        let budget = &mut self.budget;
        let search = WideSearch { start: &start, width, longest, patience };
        let Some(found) = wide.search(search, &mut |boards| !budget.is_over(boards)) else {
            self.wide = None;
            return None;
        };
        budget.generated(found.generated as usize);
        let size = from.size();
        let mut blank = from.blanks().next()?;
        let slides = found.moves.iter().map(|&step| {
            let slide = Slide { blank, step };
            blank = slide.target(size);
            slide
        });
        Some((slides.collect(), found.is_solved))
    }

    /// Constructs a path.
    fn complete(&self, from: &Board, to: &Board) -> Option<Vec<Slide>> {
        let puzzle = Puzzle::new(from.clone(), to.clone()).ok()?;
        // A better solution is worth a moment even when the time is up.
        let limits = Limits {
            time: self.budget.left().map(|left| left.max(COMPLETION_TIME)),
            memory: self.limits.memory,
            monitor: self.limits.monitor.clone(),
            ..Limits::default()
        };
        slides(&puzzle, &limits).ok()
    }

    /// Searches windows of the best path again. Returns whether it became shorter.
    fn polish(&mut self, search: WindowSearch) -> bool {
        let mut path = self.path.clone();
        let shorter = self.windows.polish(self.puzzle.start(), &mut path, search, &mut self.budget);
        self.take(path);
        shorter
    }

    /// Makes `path` the best path if it is shorter.
    fn take(&mut self, path: Vec<Slide>) {
        if path.len() < self.path.len() {
            self.path = path;
            (self.each)(&self.path);
        }
    }
}

/// Returns the board `from` with the numbers of its tiles in a beam search to `to`.
fn numbered<C: Content>(from: &Board, to: &Board) -> Vec<C> {
    let (homes, cells) = (to.positions(), from.size().cells());
    let number = |&tile: &u16| match tile {
        0 => cells,
        _ => homes[usize::from(tile)].into(),
    };
    from.tiles().iter().map(number).chain([cells + 1]).map(C::new).collect()
}

#[cfg(test)]
mod tests;
