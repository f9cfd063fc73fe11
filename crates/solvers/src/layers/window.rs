//! Solving a few cells by breadth-first search.

use rustc_hash::FxHashMap;
use taquin_search::Stop;
use taquin_tiles::Cell;

use super::{LayerSolver, MOVER};

/// The greatest number of cells: six have 720 arrangements.
pub(super) const CELLS: usize = 6;

/// The contents of a window's cells, 4 bits each: a wanted label by the index of its goal cell in
/// the window, any other tile, or the mover.
type WindowState = u32;

const OTHER: u32 = 14;
const BLANK: u32 = 15;

const fn get(state: WindowState, place: usize) -> u32 {
    state >> (4 * place) & 15
}

impl LayerSolver<'_> {
    /// Moves the labels of the `wanted` cells there, in as few steps as possible, without leaving
    /// the window. The window must contain the mover and these labels.
    pub(super) fn search(&mut self, window: &[Cell], wanted: &[Cell]) -> Result<(), Stop> {
        let place = |cell: Cell| window.iter().position(|&other| other == cell);
        let code = |label: u16| match self.home[usize::from(label)] {
            _ if label == MOVER => BLANK,
            home if wanted.contains(&home) => place(home).map_or(OTHER, |place| place as u32),
            _ => OTHER,
        };
        let pack = |codes: &mut dyn Iterator<Item = u32>| -> WindowState {
            codes.zip(0..).fold(0, |state, (code, place)| state | code << (4 * place))
        };
        let start = pack(&mut window.iter().map(|&cell| code(self.labels[usize::from(cell)])));
        let mask = pack(&mut window.iter().map(|cell| 15 * u32::from(wanted.contains(cell))));
        let goal = mask & pack(&mut window.iter().map(|&cell| code(self.goal[usize::from(cell)])));

        let is_adjacent = |a: usize, b: usize| self.distance(window[a], window[b]) == 1;
        let mut before = FxHashMap::from_iter([(start, start)]);
        let mut queue = vec![start];
        let mut next = 0;
        while let Some(&state) = queue.get(next)
            && state & mask != goal
        {
            next += 1;
            let mover = (0..window.len()).find(|&place| get(state, place) == BLANK).unwrap_or(0);
            for target in (0..window.len()).filter(|&target| is_adjacent(mover, target)) {
                let difference = get(state, target) ^ BLANK;
                let child = state ^ difference << (4 * mover) ^ difference << (4 * target);
                before.entry(child).or_insert_with(|| {
                    queue.push(child);
                    state
                });
            }
        }
        let mut state = *queue.get(next).expect("every arrangement of this parity is reached");
        let mut path = Vec::new();
        while state != start {
            let mover = (0..window.len()).find(|&place| get(state, place) == BLANK).unwrap_or(0);
            path.push(window[mover]);
            state = before[&state];
        }
        path.into_iter().rev().try_for_each(|cell| self.step(cell))
    }
}
