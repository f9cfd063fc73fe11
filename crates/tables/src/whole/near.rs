//! The boards near a goal, layer by layer, on boards of any size.
//!
//! A board is stored as a shortest path to it: two bits for each move, and four bits for the moves that
//! lead back to the layer before, so that only the last layer is kept. A layer is sorted, so that a path
//! shares most of its moves with the one before it, and is replayed in a few.
//!
//! The next layer is made in passes, each for the boards whose hashes are in one range, so that the
//! memory suffices. Boards with the same hash are compared, so that the numbers are exact. If a
//! reflection leaves the goal unchanged, one of two mirror images is stored.

use rayon::prelude::*;
use taquin_search::{Monitor, Progress};
use taquin_tiles::{Board, Cell, Move, Size};

use super::ExploreError;

/// The bits of an entry for the moves that lead back.
const BACK_BITS: u32 = 4;

/// The bits of a record that say how a board is related to its mirror image.
const SIDE_BITS: u32 = 2;

/// The buckets of a pass, which are sorted on their own.
const BUCKETS: usize = 256;

/// The entries that a thread expands before it looks at the monitor.
const CHUNK: usize = 1 << 14;

/// A board has three successors at most, apart from the one before it.
const SUCCESSORS: u64 = 3;

const NONE: Cell = Cell::MAX;

/// A successor: its hash, and the path to it above [`SIDE_BITS`].
type Record = (u64, u64);

/// The boards near a goal with one blank, by their distance. A move is one step.
///
/// ```
/// use taquin_search::Monitor;
/// use taquin_tables::whole::NearBoards;
/// use taquin_tiles::NamedGoal;
///
/// let goal = NamedGoal::First.board("6x6".parse()?, 1);
/// let mut boards = NearBoards::new(&goal, 1 << 20).expect("there is one blank");
/// while boards.depths().len() <= 5 {
///     boards.advance(true, &Monitor::default())?;
/// }
/// assert_eq!(boards.depths(), [1, 2, 4, 10, 26, 66]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NearBoards {
    room: Room,
    /// The paths of the last layer, in order.
    layer: Vec<u64>,
    depths: Vec<u64>,
    memory: u64,
}

/// The cells around the blank, and how they are reflected.
#[derive(Clone, Debug)]
struct Room {
    home: Cell,
    /// The cell that a blank reaches from each cell by each move, or [`NONE`].
    targets: Vec<[Cell; 4]>,
    mirror: Option<Mirror>,
    /// The bits of a hash that are used: all of them, except in tests.
    mask: u64,
}

/// A reflection that leaves the blank's cell of the goal unchanged.
#[derive(Clone, Debug)]
struct Mirror {
    cells: Vec<Cell>,
    moves: [u64; 4],
}

impl NearBoards {
    /// The greatest depth of a layer that is stored.
    pub const MAX_DEPTH: usize = 30;

    /// Begins at a goal, and takes at most `memory` bytes. Returns `None` unless there is one
    /// blank.
    pub fn new(goal: &Board, memory: u64) -> Option<Self> {
        let mut blanks = goal.blanks();
        let (Some(home), None) = (blanks.next(), blanks.next()) else { return None };
        let room = Room::new(goal.size(), home);
        Some(Self { room, layer: vec![0], depths: vec![1], memory })
    }

    /// Returns the number of boards at each depth that is complete.
    pub fn depths(&self) -> &[u64] {
        &self.depths
    }

    /// Counts the boards of the next layer, and keeps them if `keeps`: otherwise there is no other layer
    /// after it. Returns `false` if there is none.
    ///
    /// # Errors
    /// Fails if the monitor is cancelled, or if the layers take too much memory.
    pub fn advance(&mut self, keeps: bool, monitor: &Monitor) -> Result<bool, ExploreError> {
        let depth = self.depths.len() - 1;
        if depth > Self::MAX_DEPTH || self.layer.is_empty() {
            return Ok(false);
        }
        let passes = self.passes(keeps)?;
        let (mut boards, mut next) = (0, Vec::new());
        for pass in 0..passes {
            let buckets = self.expand(pass, passes, monitor)?;
            let mut found: Vec<(u64, Vec<u64>)> = buckets
                .into_par_iter()
                .map(|parts| Walker::new(&self.room).unite(parts, depth + 1, keeps))
                .collect();
            boards += found.iter().map(|(boards, _)| boards).sum::<u64>();
            next.reserve_exact(found.iter().map(|(_, paths)| paths.len()).sum());
            for (_, paths) in &mut found {
                next.append(paths);
            }
        }
        next.par_sort_unstable();
        self.layer = next;
        if boards > 0 {
            self.depths.push(boards);
        }
        Ok(boards > 0)
    }

    /// The number of passes for the next layer. The records of a pass take what both layers leave.
    fn passes(&self, keeps: bool) -> Result<u64, ExploreError> {
        let stored = self.layer.len() as u64;
        let successors = stored * SUCCESSORS * size_of::<Record>() as u64;
        // A layer is copied when it is put together.
        let next = if keeps { 2 * SUCCESSORS * stored * size_of::<u64>() as u64 } else { 0 };
        let kept = stored * size_of::<u64>() as u64 + next;
        let least = kept + successors.min(1 << 20);
        if least > self.memory {
            let states = self.depths.iter().sum();
            return Err(ExploreError::Memory { states, needed: least, allowed: self.memory });
        }
        Ok(successors.div_ceil((self.memory - kept).max(1)).max(1))
    }

    /// Makes the successors of the last layer that belong to a pass, by their buckets.
    fn expand(
        &self,
        pass: u64,
        passes: u64,
        monitor: &Monitor,
    ) -> Result<Vec<Vec<Vec<Record>>>, ExploreError> {
        let depth = self.depths.len() - 1;
        let all = passes as usize * BUCKETS;
        let bucket = |hash: u64| ((u128::from(hash) * all as u128) >> 64) as usize;
        let first = pass as usize * BUCKETS;
        let known = self.depths.iter().sum::<u64>();
        let length = self.layer.len().div_ceil(4 * rayon::current_num_threads()).max(CHUNK);
        let parts: Vec<Vec<Vec<Record>>> = self
            .layer
            .par_chunks(length)
            .map(|entries| {
                let mut walker = Walker::new(&self.room);
                let mut records = vec![Vec::new(); BUCKETS];
                for entries in entries.chunks(CHUNK) {
                    if monitor.is_cancelled() {
                        break;
                    }
                    for &entry in entries {
                        let path = entry >> BACK_BITS;
                        walker.go(path, depth);
                        for step in (0..4).filter(|step| entry >> step & 1 == 0) {
                            let Some((hash, side)) = walker.successor(step) else { continue };
                            let at = bucket(hash).wrapping_sub(first);
                            if let Some(records) = records.get_mut(at) {
                                records.push((hash, (path << 2 | step) << SIDE_BITS | side));
                            }
                        }
                    }
                }
                records
            })
            .collect();
        if monitor.is_cancelled() {
            return Err(ExploreError::Cancelled);
        }
        let frontier = self.depths[depth];
        let expanded = known - frontier
            + (u128::from(frontier) * u128::from(pass + 1) / u128::from(passes)) as u64;
        monitor.report(Progress { expanded, generated: known, frontier, bound: depth as u32 });
        let mut buckets: Vec<Vec<Vec<Record>>> = (0..BUCKETS).map(|_| Vec::new()).collect();
        for part in parts {
            for (bucket, records) in buckets.iter_mut().zip(part) {
                bucket.push(records);
            }
        }
        Ok(buckets)
    }
}

impl Room {
    fn new(size: Size, home: Cell) -> Self {
        let targets = (0..size.cells() as Cell)
            .map(|cell| Move::ALL.map(|step| step.target(size, cell).unwrap_or(NONE)))
            .collect();
        let mirrors = (1..8).filter_map(|way| Mirror::new(size, way));
        let mirror = mirrors.into_iter().find(|mirror| mirror.cells[usize::from(home)] == home);
        Self { home, targets, mirror, mask: u64::MAX }
    }

    fn target(&self, cell: Cell, step: u64) -> Cell {
        self.targets[usize::from(cell)][step as usize]
    }
}

impl Mirror {
    /// Exchanges rows (1), columns (2) and both with each other (4), if that undoes itself.
    fn new(size: Size, way: u8) -> Option<Self> {
        let turns = way & 4 != 0;
        if matches!(way, 5 | 6) || turns && size.rows() != size.cols() {
            return None;
        }
        let cell = |cell: Cell| {
            let (row, col) = (size.row(cell), size.col(cell));
            let row = if way & 1 == 0 { row } else { size.rows() - 1 - row };
            let col = if way & 2 == 0 { col } else { size.cols() - 1 - col };
            let (row, col) = if turns { (col, row) } else { (row, col) };
            (row * size.cols() + col) as Cell
        };
        let moves = Move::ALL.map(|step| {
            let flips = match step {
                Move::Up | Move::Down => way & 1 != 0,
                Move::Left | Move::Right => way & 2 != 0,
            };
            let step = if flips { step.opposite() } else { step };
            let step = match step {
                Move::Up if turns => Move::Left,
                Move::Left if turns => Move::Up,
                Move::Right if turns => Move::Down,
                Move::Down if turns => Move::Right,
                step => step,
            };
            number(step)
        });
        Some(Self { cells: (0..size.cells() as Cell).map(cell).collect(), moves })
    }
}

/// The number of a move in [`Move::ALL`].
const fn number(step: Move) -> u64 {
    match step {
        Move::Up => 0,
        Move::Left => 1,
        Move::Right => 2,
        Move::Down => 3,
    }
}

/// The number of the move that undoes it.
const fn undone(step: u64) -> u64 {
    3 - step
}

/// A board that follows paths from the goal, with its hash and its mirror image's hash. A tile has
/// the number of its cell in the goal.
struct Walker<'a> {
    room: &'a Room,
    tiles: Vec<Cell>,
    blank: Cell,
    path: u64,
    depth: usize,
    hash: u64,
    mirrored: u64,
    /// The number of tiles that are not in their cells of the goal.
    misplaced: usize,
}

/// The share of a hash that a tile in a cell has.
const fn mix(tile: Cell, cell: Cell) -> u64 {
    let mut bits = ((tile as u64) << 32 | cell as u64).wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ bits >> 31
}

/// How the hash changes if a tile moves.
const fn change(tile: Cell, from: Cell, to: Cell) -> u64 {
    mix(tile, to).wrapping_sub(mix(tile, from))
}

impl<'a> Walker<'a> {
    fn new(room: &'a Room) -> Self {
        let tiles = (0..room.targets.len() as Cell).collect();
        let (blank, misplaced) = (room.home, 0);
        Self { room, tiles, blank, path: 0, depth: 0, hash: 0, mirrored: 0, misplaced }
    }

    /// How both hashes change with a move of the blank to a cell.
    fn changes(&self, to: Cell) -> (u64, u64) {
        let (tile, from) = (self.tiles[usize::from(to)], self.blank);
        let hash = change(tile, to, from);
        let mirrored = match &self.room.mirror {
            None => hash,
            Some(Mirror { cells, .. }) => {
                let [tile, to, from] = [tile, to, from].map(|cell| cells[usize::from(cell)]);
                change(tile, to, from)
            }
        };
        (hash, mirrored)
    }

    /// Makes a move, if there is one.
    fn step(&mut self, step: u64) -> bool {
        let (from, to) = (self.blank, self.room.target(self.blank, step));
        if to == NONE {
            return false;
        }
        let (hash, mirrored) = self.changes(to);
        self.hash = self.hash.wrapping_add(hash);
        self.mirrored = self.mirrored.wrapping_add(mirrored);
        let tile = self.tiles[usize::from(to)];
        self.misplaced -= usize::from(tile != to);
        self.misplaced += usize::from(tile != from);
        self.tiles[usize::from(from)] = tile;
        self.tiles[usize::from(to)] = self.room.home;
        self.blank = to;
        true
    }

    /// Goes to the end of a path.
    fn go(&mut self, path: u64, depth: usize) {
        let differ = if depth == self.depth { self.path ^ path } else { u64::MAX };
        let moves = (u64::BITS - differ.leading_zeros()).div_ceil(2) as usize;
        let (back, on) = (moves.min(self.depth), moves.min(depth));
        for _ in 0..back {
            self.step(undone(self.path & 3));
            self.path >>= 2;
        }
        for at in (0..on).rev() {
            self.step(path >> (2 * at) & 3);
        }
        (self.path, self.depth) = (path, depth);
    }

    /// Returns the hash of a successor and its mirror image, and which of them is less: the board (0), the
    /// image (1), or neither (2).
    fn successor(&self, step: u64) -> Option<(u64, u64)> {
        let to = self.room.target(self.blank, step);
        if to == NONE {
            return None;
        }
        let (hash, mirrored) = self.changes(to);
        let (hash, mirrored) = (self.hash.wrapping_add(hash), self.mirrored.wrapping_add(mirrored));
        let side = match &self.room.mirror {
            None => 0,
            Some(_) => match hash.cmp(&mirrored) {
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Greater => 1,
                std::cmp::Ordering::Equal => 2,
            },
        };
        Some((hash.min(mirrored) & self.room.mask, side))
    }

    fn mirrored(&self, step: u64) -> u64 {
        self.room.mirror.as_ref().map_or(step, |mirror| mirror.moves[step as usize])
    }

    /// Whether two paths of one length lead to the same board, the second one reflected if `mirrors`.
    fn is_same(&mut self, first: u64, second: u64, depth: usize, mirrors: bool) -> bool {
        self.go(first, depth);
        let mut made = 0;
        let is_legal = (0..depth).all(|at| {
            let step = second >> (2 * at) & 3;
            let step = if mirrors { self.mirrored(step) } else { step };
            let is_legal = self.step(undone(step));
            made += usize::from(is_legal);
            is_legal
        });
        let is_same = is_legal && self.misplaced == 0;
        for at in (0..made).rev() {
            let step = second >> (2 * at) & 3;
            self.step(if mirrors { self.mirrored(step) } else { step });
        }
        is_same
    }

    /// Unites the records of the same boards. Returns their number, mirror images included, and the entries
    /// of those that are stored if `keeps`.
    fn unite(&mut self, parts: Vec<Vec<Record>>, depth: usize, keeps: bool) -> (u64, Vec<u64>) {
        let mut records = parts.concat();
        drop(parts);
        records.sort_unstable();
        let (mut boards, mut entries) = (0, Vec::new());
        for equal in records.chunk_by_mut(|a, b| a.0 == b.0) {
            let mut left = equal.len();
            // The first record of a board has its least path. Others with its hash are usually the same.
            while left > 0 {
                let (path, side) = (equal[0].1 >> SIDE_BITS, equal[0].1 & 3);
                let is_even = side == 2 && self.is_same(path, path, depth, true);
                let (mut back, mut others) = (0_u64, 0);
                for at in 0..left {
                    let other = equal[at].1;
                    let (step, likely) = (undone(other >> SIDE_BITS & 3), other & 3 != side);
                    let Some(mirrors) = [likely, !likely].into_iter().find(|&mirrors| {
                        at == 0 || self.is_same(path, other >> SIDE_BITS, depth, mirrors)
                    }) else {
                        equal[others] = equal[at];
                        others += 1;
                        continue;
                    };
                    let own = if mirrors { self.mirrored(step) } else { step };
                    back |= 1 << own;
                    if is_even {
                        back |= 1 << self.mirrored(own);
                    }
                }
                left = others;
                boards += if self.room.mirror.is_none() || is_even { 1 } else { 2 };
                if keeps {
                    entries.push(path << BACK_BITS | back);
                }
            }
        }
        (boards, entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depths(size: &str, blank: usize, mask: u64, depth: usize) -> Vec<u64> {
        let size: Size = size.parse().unwrap();
        let mut tiles: Vec<Cell> = (1..size.cells() as Cell).collect();
        tiles.insert(blank, 0);
        let goal = Board::new(size, tiles).unwrap();
        let mut boards = NearBoards::new(&goal, 1 << 30).unwrap();
        boards.room.mask = mask;
        while boards.depths().len() <= depth && boards.advance(true, &Monitor::default()).unwrap() {
        }
        boards.depths
    }

    #[test]
    fn boards_with_the_same_hash_are_told_apart() {
        for (size, blank) in [("2x3", 0), ("2x4", 1), ("3x3", 0), ("3x3", 4), ("3x4", 5)] {
            let (all, few) = (u64::MAX, 0xF << 60);
            assert_eq!(
                depths(size, blank, few, 10),
                depths(size, blank, all, 10),
                "{size} {blank}"
            );
        }
    }
}
