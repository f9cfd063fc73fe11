//! Windows of a path, searched again between their two boards.
//!
//! In a few dozen moves the blank visits only a few rows and columns. The search is confined to
//! these and a margin, so that it costs the same on a board of any size.

use rustc_hash::FxHashMap;
use taquin_tiles::{Board, Cell, Size, Slide};

use super::budget::Budget;
use super::evaluation::{Content as _, Evaluation};
use super::exact::ExactSearch;
use super::search::{Beam, BeamLimits};

/// The length of the windows, and how they are searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowSearch {
    pub(super) moves: usize,
    pub(super) method: WindowMethod,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum WindowMethod {
    /// A beam search with this width.
    Beam(usize),
    /// A search for the shortest path with at most this many nodes.
    Exact(u64),
}

/// Searches windows of paths, with memory that is reused.
pub(super) struct Windows {
    beam: Beam<u8>,
    evaluations: FxHashMap<(usize, usize), Evaluation>,
    seed: u64,
}

/// The most cells in a part of the board: as many as fit in a byte.
const CELLS: usize = 254;

/// The number of rows and columns around the window that the search may use.
const MARGIN: usize = 2;

impl Windows {
    pub(super) fn new(seed: u64) -> Self {
        Self { beam: Beam::default(), evaluations: FxHashMap::default(), seed }
    }

    /// Makes other random choices from now on.
    pub(super) fn reseed(&mut self, seed: u64) {
        self.evaluations.clear();
        self.seed = seed;
    }

    /// Returns the bytes that it holds, without the small tables for each shape of a window.
    pub(super) fn held(&self) -> u64 {
        self.beam.held()
    }

    /// Shortens the windows of a path, each of which overlaps the next by two thirds. Returns
    /// whether the path became shorter.
    pub(super) fn polish(
        &mut self,
        start: &Board,
        path: &mut Vec<Slide>,
        search: WindowSearch,
        budget: &mut Budget<'_>,
    ) -> bool {
        let before = path.len();
        let size = start.size();
        let mut tiles = start.tiles().to_vec();
        let mut done = 0;
        while done < path.len() && !budget.is_stopped() {
            let end = (done + search.moves).min(path.len());
            if let Some(shorter) =
                self.shorten(&tiles, size, &path[done..end], search.method, budget)
            {
                path.splice(done..end, shorter);
            }
            let step = (search.moves / 3).max(1).min(path.len() - done);
            for slide in &path[done..done + step] {
                tiles.swap(slide.blank.into(), slide.target(size).into());
            }
            done += step;
        }
        path.len() < before
    }

    /// Searches for a shorter path between the same two boards.
    fn shorten(
        &mut self,
        tiles: &[u16],
        size: Size,
        part: &[Slide],
        method: WindowMethod,
        budget: &mut Budget<'_>,
    ) -> Option<Vec<Slide>> {
        let longest = (part.len() as u32).checked_sub(2)?;
        let frame = Frame::around(part, size)?;
        let mut after = tiles.to_vec();
        for slide in part {
            after.swap(slide.blank.into(), slide.target(size).into());
        }
        let homes: FxHashMap<u16, usize> =
            frame.cells().map(|cell| after[cell]).zip(0..).filter(|home| home.0 != 0).collect();
        let blank = frame.size.cells();
        let board: Vec<u8> = frame
            .cells()
            .map(|cell| u8::new(homes.get(&tiles[cell]).copied().unwrap_or(blank)))
            .chain([u8::new(blank + 1)])
            .collect();
        let shape = (frame.size.rows(), frame.size.cols());
        let evaluation =
            self.evaluations.entry(shape).or_insert_with(|| Evaluation::new(frame.size, self.seed));
        let shorter = match method {
            WindowMethod::Beam(width) => {
                let beam_limits = BeamLimits { width, longest, patience: longest };
                let path = self.beam.search(evaluation, &board, beam_limits, budget);
                path.is_solved.then_some(path.slides)
            }
            WindowMethod::Exact(nodes) => {
                let (path, expanded) =
                    ExactSearch::new(evaluation, board, budget.room(nodes)).shortest(longest);
                budget.is_over(expanded.max(1) as usize);
                budget.generated(expanded as usize);
                path
            }
        }?;
        Some(shorter.into_iter().map(|slide| frame.outside(slide)).collect())
    }
}

/// A part of the board.
struct Frame {
    size: Size,
    top: usize,
    left: usize,
    /// The whole board's columns.
    cols: usize,
}

impl Frame {
    /// Returns the rows and columns that a path visits and a margin, if they are not too many.
    fn around(part: &[Slide], size: Size) -> Option<Self> {
        let cells = || part.iter().flat_map(|slide| [slide.blank, slide.target(size)]);
        let span = |coordinate: &dyn Fn(Cell) -> usize, all: usize| {
            let least = cells().map(coordinate).min().unwrap_or(0).saturating_sub(MARGIN);
            let most = cells().map(coordinate).max().unwrap_or(0) + MARGIN;
            (least, most.min(all - 1) + 1 - least)
        };
        let (top, rows) = span(&|cell| size.row(cell), size.rows());
        let (left, cols) = span(&|cell| size.col(cell), size.cols());
        let inner = Size::new(rows, cols).ok().filter(|inner| inner.cells() <= CELLS)?;
        Some(Self { size: inner, top, left, cols: size.cols() })
    }

    /// Returns its cells on the whole board, in its own order.
    fn cells(&self) -> impl Iterator<Item = usize> + '_ {
        let row = move |row| {
            (0..self.size.cols()).map(move |col| (self.top + row) * self.cols + self.left + col)
        };
        (0..self.size.rows()).flat_map(row)
    }

    /// Converts a move to one on the whole board.
    fn outside(&self, slide: Slide) -> Slide {
        let (row, col) = (self.size.row(slide.blank), self.size.col(slide.blank));
        Slide { blank: ((self.top + row) * self.cols + self.left + col) as Cell, ..slide }
    }
}
