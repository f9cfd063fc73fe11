//! The moves from plane to plane.

use std::collections::HashMap;
use std::ops::Range;

use taquin_tiles::{Board, Cell, Move, Size};

use crate::bits::bits;

use super::Metric;
use super::index::SpaceIndex;
use super::numbering::{Numbering, Shift, ShiftTable};

/// The moves out of every plane, and their effect on the order of the tiles.
pub(super) struct PlaneMoves {
    /// The first move out of each plane, and the number of moves.
    first: Vec<u32>,
    steps: Vec<PlaneStep>,
    tables: Vec<ShiftTable>,
}

/// A step of a blank: a move, or the beginning of a longer one.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaneStep {
    /// The plane that it leads to.
    pub(super) target: u32,
    /// The table of its effect on the order of the tiles, or [`NONE`].
    table: u32,
    /// The next step of the same blank in the same direction, if both are one move.
    then: u32,
    blank: u8,
    direction: Move,
}

/// No table, or no further step.
const NONE: u32 = u32::MAX;

impl PlaneMoves {
    pub(super) fn new(index: &SpaceIndex, metric: Metric) -> Self {
        let size = index.goal().size();
        let mut moves = Self { first: vec![0], steps: Vec::new(), tables: Vec::new() };
        let mut known = HashMap::new();
        for (plane, &blanks) in index.planes().iter().enumerate() {
            for (blank, direction, to) in steps(size, blanks) {
                let target = index
                    .plane(blanks ^ 1 << blank ^ 1 << to)
                    .expect("a step keeps the number of blanks");
                let shift = shift(blanks, (blank, to), index.is_odd(plane));
                // On a line no tile passes another: every shift has one place.
                let table = match shift.places {
                    1 => NONE,
                    _ => *known.entry(shift).or_insert_with(|| {
                        moves.tables.push(ShiftTable::new(index.numbering(), shift));
                        moves.tables.len() as u32 - 1
                    }),
                };
                let blank = blank as u8;
                let target = target as u32;
                moves.steps.push(PlaneStep { target, table, then: NONE, blank, direction });
            }
            moves.first.push(moves.steps.len() as u32);
        }
        if metric == Metric::Multi {
            for at in 0..moves.steps.len() {
                moves.steps[at].then = moves.further(size, at);
            }
        }
        moves
    }

    /// Returns the next step of the same move.
    fn further(&self, size: Size, at: usize) -> u32 {
        let PlaneStep { target, blank, direction, .. } = self.steps[at];
        let reached = direction.target(size, Cell::from(blank));
        let on = |step: &PlaneStep| {
            Some(Cell::from(step.blank)) == reached && step.direction == direction
        };
        let range = self.range(target as usize);
        self.steps[range.clone()]
            .iter()
            .position(on)
            .map_or(NONE, |next| (range.start + next) as u32)
    }

    fn range(&self, plane: usize) -> Range<usize> {
        self.first[plane] as usize..self.first[plane + 1] as usize
    }

    /// Returns the first steps of the moves out of a plane.
    pub(super) fn out_of(&self, plane: usize) -> &[PlaneStep] {
        &self.steps[self.range(plane)]
    }

    /// Returns the effect of a step on the order of the tiles.
    pub(super) fn shift_table(&self, step: &PlaneStep) -> Option<&ShiftTable> {
        self.tables.get(step.table as usize)
    }

    /// Returns the next step of the same move.
    pub(super) fn then(&self, step: &PlaneStep) -> Option<&PlaneStep> {
        self.steps.get(step.then as usize)
    }

    /// Returns the peak number of bytes for the moves out of a plane.
    pub(super) fn plane_bytes(blanks: usize, tiles: usize) -> u128 {
        // A step has a blank on one side and a tile on the other. A vector that grows has up to
        // twice the capacity it needs, and briefly holds the old half as well.
        (4 * blanks.min(tiles) * size_of::<PlaneStep>() * 3 + size_of::<u32>() * 3) as u128
    }

    /// Returns the greatest number of bytes of the tables.
    pub(super) fn bytes(goal: &Board, numbering: &Numbering) -> u64 {
        let size = goal.size();
        let tiles = size.cells() - goal.blanks().count();
        if size.is_line() {
            return 0;
        }
        // With several blanks there are shorter shifts too, which have smaller tables.
        let shifts = (0..tiles).flat_map(|first| {
            let places = size.cols().min(tiles - first);
            let lengths = if goal.blanks().count() == 1 { places..=places } else { 2..=places };
            lengths.filter(|&places| places > 1).map(move |places| Shift {
                first,
                places,
                to_front: false,
                is_odd: false,
            })
        });
        shifts.map(|shift| 2 * ShiftTable::bytes(numbering, shift)).sum()
    }
}

/// Returns the steps of a plane's blanks onto tiles: the blank's cell, the direction and the tile's
/// cell.
fn steps(size: Size, blanks: u64) -> impl Iterator<Item = (usize, Move, usize)> {
    bits(blanks).flat_map(move |blank| {
        Move::ALL.into_iter().filter_map(move |step| {
            let to = usize::from(step.target(size, blank as Cell)?);
            (blanks >> to & 1 == 0).then_some((blank, step, to))
        })
    })
}

/// Returns how the order of the tiles changes when a blank and a tile swap.
fn shift(blanks: u64, (blank, tile): (usize, usize), is_odd: bool) -> Shift {
    let (low, high) = (blank.min(tile), blank.max(tile));
    let tiles_below = |cell: usize| (!blanks & ((1 << cell) - 1)).count_ones() as usize;
    let between = tiles_below(high) - tiles_below(low + 1);
    Shift { first: tiles_below(low), places: between + 1, to_front: tile == high, is_odd }
}
