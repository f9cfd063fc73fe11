//! Zero-aware pattern databases as a heuristic.

use taquin_search::{Cost, Heuristic, Incremental};
use taquin_tiles::Slide;
use taquin_tiles::packed::{Layout, Tiles};

use super::heuristic::{MOST_PATTERNS, PatternSide, Patterns, Positions};
use super::zero_aware::ZeroAware;

/// The terms of the estimate of a state.
#[derive(Clone, Copy, Debug)]
pub struct ZeroAwareMemo {
    /// For each side the sum of the values, and of the Manhattan distances of the tiles in no pattern.
    sums: [u16; 2],
    values: [[u8; MOST_PATTERNS]; 2],
}

impl PatternSide<ZeroAware> {
    /// Returns the cells of a pattern's tiles, and the cell of the blank.
    fn cells_of(&self, pattern: usize, positions: &Positions) -> ([u8; 64], usize, u8) {
        let tiles = self.tiles_of(pattern);
        let mut cells = [0; 64];
        for (cell, &tile) in cells.iter_mut().zip(tiles) {
            *cell = self.cells()[usize::from(positions[usize::from(tile)])];
        }
        (cells, tiles.len(), self.cells()[usize::from(positions[0])])
    }
}

impl<L: Layout> Heuristic<Tiles<L>> for Patterns<ZeroAware> {
    fn estimate(&self, state: &L::State) -> Cost {
        let memo = <Self as Incremental<Tiles<L>>>::memo(self, state);
        <Self as Incremental<Tiles<L>>>::value(self, memo)
    }
}

impl<L: Layout> Incremental<Tiles<L>> for Patterns<ZeroAware> {
    type Memo = ZeroAwareMemo;

    fn memo(&self, state: &L::State) -> ZeroAwareMemo {
        let positions = self.positions(|cell| L::tile(state, cell));
        let mut memo = ZeroAwareMemo { sums: [0; 2], values: [[0; MOST_PATTERNS]; 2] };
        for (at, side) in self.sides().iter().enumerate() {
            let tiles =
                (0..self.goal().tiles().len() as u16).map(|cell| (L::tile(state, cell), cell));
            let outside = tiles.filter(|&(tile, _)| side.slot(tile).is_none());
            memo.sums[at] = outside.map(|(tile, cell)| self.distance(tile, cell) as u16).sum();
            for (pattern, database) in side.databases().iter().enumerate() {
                let (cells, tiles, blank) = side.cells_of(pattern, &positions);
                let value = database.value(&cells[..tiles], blank) as u8;
                memo.values[at][pattern] = value;
                memo.sums[at] += u16::from(value);
            }
        }
        memo
    }

    #[inline]
    fn step(&self, mut memo: ZeroAwareMemo, state: &L::State, action: L::Action) -> ZeroAwareMemo {
        let slide: Slide = action.into();
        let tile = L::tile(state, slide.blank);
        let positions = self.positions(|cell| L::tile(state, cell));
        for (at, side) in self.sides().iter().enumerate() {
            match side.slot(tile) {
                Some((pattern, _)) => {
                    let pattern = usize::from(pattern);
                    let (cells, tiles, blank) = side.cells_of(pattern, &positions);
                    let before = memo.values[at][pattern];
                    let value = side.databases()[pattern].step(before, &cells[..tiles], blank);
                    memo.values[at][pattern] = value;
                    memo.sums[at] = memo.sums[at] + u16::from(value) - u16::from(before);
                }
                None => {
                    memo.sums[at] += self.distance(tile, slide.blank) as u16;
                    memo.sums[at] -= self.distance(tile, slide.target(self.goal().size())) as u16;
                }
            }
        }
        memo
    }

    #[inline]
    fn value(&self, memo: ZeroAwareMemo) -> Cost {
        memo.sums[0].max(memo.sums[1]).into()
    }
}
