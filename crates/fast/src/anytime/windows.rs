//! Parts of a way, searched again between their two boards.
//!
//! The blank goes through a few rows and columns alone in some dozen moves. The search is kept to these
//! and a little more, so that it costs the same on a board of any size.

use rustc_hash::FxHashMap;
use taquin_tiles::{Board, Cell, Size, Slide};

use super::beam::{Aim, Beam};
use super::clock::Clock;
use super::exact::Exact;
use super::grid::{Content as _, Grid};

/// How many moves a part has, and what looks for fewer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) moves: usize,
    pub(super) by: Means,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Means {
    /// A beam search of a width.
    Beam(usize),
    /// A search for the shortest with a budget of nodes.
    Exact(u64),
}

/// Searches parts of ways, and keeps what that needs.
pub(super) struct Windows {
    beam: Beam<u8>,
    grids: FxHashMap<(usize, usize), Grid>,
    seed: u64,
}

/// The most cells of a part of the board, as many as a byte can tell.
const CELLS: usize = 254;

/// How far beyond the way the search may go.
const MARGIN: usize = 2;

impl Windows {
    pub(super) fn new(seed: u64) -> Self {
        Self { beam: Beam::new(), grids: FxHashMap::default(), seed }
    }

    /// The bytes that it holds, but for what little a shape of the board needs.
    pub(super) fn held(&self) -> u64 {
        self.beam.held()
    }

    /// Goes along a way and makes it shorter where it can; each part overlaps the next by two thirds.
    pub(super) fn polish(
        &mut self,
        start: &Board,
        way: &mut Vec<Slide>,
        span: Span,
        clock: &mut Clock<'_>,
    ) -> bool {
        let before = way.len();
        let size = start.size();
        let mut tiles = start.tiles().to_vec();
        let mut done = 0;
        while done < way.len() && !clock.is_stopped() {
            let end = (done + span.moves).min(way.len());
            if let Some(shorter) = self.shorten(&tiles, size, &way[done..end], span.by, clock) {
                way.splice(done..end, shorter);
            }
            let step = (span.moves / 3).max(1).min(way.len() - done);
            for slide in &way[done..done + step] {
                tiles.swap(slide.blank.into(), slide.target(size).into());
            }
            done += step;
        }
        way.len() < before
    }

    /// A shorter way between the same two boards, if one is found.
    fn shorten(
        &mut self,
        tiles: &[u16],
        size: Size,
        part: &[Slide],
        by: Means,
        clock: &mut Clock<'_>,
    ) -> Option<Vec<Slide>> {
        let most = (part.len() as u32).checked_sub(2)?;
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
        let grid = self.grids.entry(shape).or_insert_with(|| Grid::new(frame.size, self.seed));
        let shorter = match by {
            Means::Beam(width) => {
                let aim = Aim { width, most, patience: most };
                let way = self.beam.search(grid, &board, aim, clock);
                way.is_solved.then_some(way.slides)
            }
            Means::Exact(nodes) => {
                let (way, expanded) = Exact::new(grid, board, clock.room(nodes)).shortest(most);
                clock.is_over(expanded.max(1) as usize);
                clock.generated(expanded as usize);
                way
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
    /// The columns of the whole board.
    cols: usize,
}

impl Frame {
    /// The rows and columns that a way touches and a few more, if that is not too much.
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

    /// The cells of the whole board that are in it, in its own order.
    fn cells(&self) -> impl Iterator<Item = usize> + '_ {
        let row = move |row| {
            (0..self.size.cols()).map(move |col| (self.top + row) * self.cols + self.left + col)
        };
        (0..self.size.rows()).flat_map(row)
    }

    /// A move in it as one on the whole board.
    fn outside(&self, slide: Slide) -> Slide {
        let (row, col) = (self.size.row(slide.blank), self.size.col(slide.blank));
        Slide { blank: ((self.top + row) * self.cols + self.left + col) as Cell, ..slide }
    }
}
