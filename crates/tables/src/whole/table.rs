//! A table of the distances in a whole space.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use taquin_tiles::{Board, Cell, MoveOrder, Slide};

use crate::content::Content;

use super::Metric;
use super::index::SpaceIndex;

/// Every board's distance from the goal.
///
/// ```
/// use taquin_search::Monitor;
/// use taquin_tables::whole::{Explorer, Metric, table_extent};
/// use taquin_tiles::{Board, MoveOrder, NamedGoal};
///
/// let goal = NamedGoal::Last.board("2x3".parse()?, 1);
/// let memory = table_extent(&goal, Metric::Single).bytes;
/// let mut explorer = Explorer::for_table(&goal, Metric::Single, memory)?;
/// while explorer.advance(&Monitor::default())? {}
/// let table = explorer.into_table().expect("it was made for a table");
///
/// let board: Board = "4 5 0/1 2 3".parse()?;
/// assert_eq!((table.depth(&board), table.depths().len()), (Some(21), 22));
/// assert_eq!(table.solve(&board, MoveOrder::default()).unwrap().len(), 21);
/// assert_eq!(table.depths().iter().sum::<u64>(), 360);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SpaceTable {
    index: Arc<SpaceIndex>,
    metric: Metric,
    depths: Vec<u64>,
    words: Words,
}

/// The words of a table.
pub(super) enum Words {
    Owned(Vec<u64>),
    /// Words in a file, in the byte order of this machine.
    Stored(Content),
}

/// Returns the two bits for a depth. 0 is an unknown state. A word has the lower bits of 60 boards,
/// and the next one their upper bits.
pub(super) const fn value_of(depth: usize) -> u64 {
    depth as u64 % 3 + 1
}

impl fmt::Debug for SpaceTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, metric, .. } = self;
        f.debug_struct("SpaceTable").field("goal", index.goal()).field("metric", metric).finish()
    }
}

impl SpaceTable {
    pub(super) fn new(
        index: Arc<SpaceIndex>,
        metric: Metric,
        depths: Vec<u64>,
        words: Vec<u64>,
    ) -> Self {
        Self { index, metric, depths, words: Words::Owned(words) }
    }

    pub(super) fn stored(
        index: SpaceIndex,
        metric: Metric,
        depths: Vec<u64>,
        content: Content,
    ) -> Self {
        Self { index: Arc::new(index), metric, depths, words: Words::Stored(content) }
    }

    /// Returns the numbering of the boards.
    pub fn index(&self) -> &SpaceIndex {
        &self.index
    }

    /// Returns what counts as one move.
    pub const fn metric(&self) -> Metric {
        self.metric
    }

    /// Returns the number of states at each depth.
    pub fn depths(&self) -> &[u64] {
        &self.depths
    }

    /// Returns the bytes of the table.
    pub fn memory(&self) -> u64 {
        self.bytes().len() as u64
    }

    /// Returns whether the table is still as it was loaded: a file that is mapped into memory may
    /// have been changed by another program.
    pub fn is_intact(&self) -> bool {
        match &self.words {
            Words::Owned(_) => true,
            Words::Stored(content) => content.is_intact(),
        }
    }

    /// Returns the words as they are in memory.
    pub(super) fn bytes(&self) -> &[u8] {
        match &self.words {
            Words::Owned(words) => bytemuck::cast_slice(words),
            Words::Stored(content) => content,
        }
    }

    /// Returns a board's distance from the goal, or `None` if it cannot reach it or does not belong
    /// to this space.
    pub fn depth(&self, board: &Board) -> Option<u64> {
        self.solve(board, MoveOrder::default()).map(|moves| moves.len() as u64)
    }

    /// Returns a shortest path from a board to the goal: at each board the first move, in this
    /// order, that leads nearer. A move is one slide or, if segments slide as one, several in a
    /// row.
    pub fn solve(&self, board: &Board, order: MoveOrder) -> Option<Vec<Vec<Slide>>> {
        let goal = self.index.goal();
        let mut board = board.clone();
        let mut value = self.value(&board)?;
        let mut path = Vec::new();
        while board != *goal {
            // A neighbour's distance differs by -1, 0 or 1, and modulo 3 these are different.
            let nearer = if value == 1 { 3 } else { value - 1 };
            let step = self.moves(&board, order).find(|(_, next)| self.value(next) == Some(nearer));
            // There is one, unless the table is damaged; and no path is longer than the longest.
            let (slides, next) = step.filter(|_| path.len() < self.depths.len())?;
            path.push(slides);
            board = next;
            value = nearer;
        }
        Some(path)
    }

    /// Calls `visit` once with every board, its distance and its neighbours that are farther, until
    /// it breaks. Each move that changes the distance is visited once, at its nearer end.
    ///
    /// A board's parent is the first of its nearer neighbours. The resulting tree is traversed
    /// depth-first with known distances and little memory.
    pub fn tour(
        &self,
        mut visit: impl FnMut(&Board, u64, &[Board]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut pending = vec![(self.index.goal().clone(), 0)];
        while let Some((board, depth)) = pending.pop() {
            let farther: Vec<Board> = self.neighbours(&board, value_of(depth + 1)).collect();
            visit(&board, depth as u64, &farther)?;
            // Only a damaged table has boards beyond the farthest.
            if depth + 1 < self.depths.len() {
                let is_child = |next: &Board| {
                    self.neighbours(next, value_of(depth))
                        .next()
                        .is_some_and(|first| first == board)
                };
                pending.extend(farther.into_iter().filter(is_child).map(|next| (next, depth + 1)));
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns the boards one move away with this value.
    fn neighbours<'a>(&'a self, board: &'a Board, value: u64) -> impl Iterator<Item = Board> + 'a {
        let all = self.moves(board, MoveOrder::default()).map(|(_, next)| next);
        all.filter(move |next| self.value(next) == Some(value))
    }

    /// Returns the moves of a board, each with the board that it leads to.
    fn moves<'a>(
        &'a self,
        board: &'a Board,
        order: MoveOrder,
    ) -> impl Iterator<Item = (Vec<Slide>, Board)> + 'a {
        let first = board.blanks().flat_map(move |blank| order.moves().map(|step| (blank, step)));
        first.flat_map(move |(blank, step)| {
            let mut slides = Vec::new();
            let mut next = board.clone();
            let mut at: Cell = blank;
            std::iter::from_fn(move || {
                if self.metric == Metric::Single && !slides.is_empty() {
                    return None;
                }
                let slide = Slide { blank: at, step };
                next.slide(slide).ok()?;
                slides.push(slide);
                at = slide.target(next.size());
                Some((slides.clone(), next.clone()))
            })
        })
    }

    /// Returns the value of a board: 1 to 3, or `None`.
    pub(super) fn value(&self, board: &Board) -> Option<u64> {
        let slot = self.index.slot(board)?;
        let bytes = self.bytes().get(slot / 64 * 2 * size_of::<u64>()..)?;
        let (words, _) = bytes.as_chunks::<{ size_of::<u64>() }>();
        let bit = |word: &[u8; 8]| u64::from_ne_bytes(*word) >> (slot % 64) & 1;
        let value = bit(words.first()?) | bit(words.get(1)?) << 1;
        Some(value).filter(|&value| value != 0)
    }
}
