//! Tables against exhaustive searches, published figures and damaged files.

#![allow(clippy::unwrap_used, reason = "in a test an error is a failure")]

mod enumerate;
mod exact;
mod files;
mod near;
mod partition;
mod pattern;
mod perimeters;
mod published;
mod share;
mod zero_aware;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use taquin_search::Monitor;
use taquin_tables::{Builder, Database, Pattern};
use taquin_tiles::{Board, Cell, Move, NamedGoal, Size, Tile};

fn goal(size: &str, named: NamedGoal, blanks: usize) -> Board {
    named.board(size.parse().unwrap(), blanks)
}

fn build(pattern: &Pattern) -> Database {
    let builder = Builder::new(pattern.clone(), u64::MAX).unwrap();
    builder.build(&Monitor::default(), &mut |_| ()).unwrap()
}

/// An arrangement of at most 16 cells, four bits for each.
fn pack(tiles: &[Tile]) -> u64 {
    tiles.iter().rev().fold(0, |packed, &tile| packed << 4 | u64::from(tile))
}

fn unpack(packed: u64, cells: usize) -> Vec<Tile> {
    (0..cells).map(|cell| (packed >> (4 * cell) & 15) as Tile).collect()
}

/// Every arrangement that can be reached from one, with the least number of counted moves: a plain
/// search over arrangements, in which moves of the others are free.
fn distances(size: Size, start: &[Tile], counts: impl Fn(Tile) -> bool) -> FxHashMap<u64, u32> {
    let start = pack(start);
    let mut distances = FxHashMap::from_iter([(start, 0)]);
    let mut queue = VecDeque::from([(start, 0)]);
    let tile_at = |packed: u64, cell: Cell| (packed >> (4 * cell) & 15) as Tile;
    while let Some((state, distance)) = queue.pop_front() {
        if distances[&state] < distance {
            continue;
        }
        for blank in (0..size.cells() as Cell).filter(|&cell| tile_at(state, cell) == 0) {
            for from in Move::ALL.iter().filter_map(|step| step.target(size, blank)) {
                let tile = tile_at(state, from);
                if tile == 0 {
                    continue;
                }
                let next = state ^ u64::from(tile) << (4 * from) ^ u64::from(tile) << (4 * blank);
                let after = distance + u32::from(counts(tile));
                if distances.get(&next).is_none_or(|&known| after < known) {
                    distances.insert(next, after);
                    match after == distance {
                        true => queue.push_front((next, after)),
                        false => queue.push_back((next, after)),
                    }
                }
            }
        }
    }
    distances
}
