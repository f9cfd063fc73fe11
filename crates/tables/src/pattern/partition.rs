//! Partitions of a puzzle's tiles into patterns.
//!
//! A named partition consists of sets of goal cells, given for the goal `first`, whose blank is in
//! the top left corner. For a goal with a blank in another corner the sets are rotated by 180
//! degrees (bottom right) or reflected (the other two). If no corner of the goal is blank, the sets
//! do not move, and the tile in the top left corner joins the first pattern that lost a tile to a
//! blank.

use std::fmt;
use std::str::FromStr;

use taquin_tiles::{Board, Size, Tile, excerpt};

use super::{Pattern, PatternError};

/// A partition of a puzzle's tiles: a name, or lists such as `1.2.5/3.4.7.8`.
///
/// ```
/// use taquin_tables::Partition;
/// use taquin_tiles::NamedGoal;
///
/// let goal = NamedGoal::Last.board("4x4".parse()?, 1);
/// let partition: Partition = "6-6-3".parse()?;
/// assert_eq!(partition.patterns(&goal)?[2].tiles().len(), 3);
/// assert_eq!("small".parse::<Partition>()?.for_goal(&goal), partition);
/// assert!(Partition::named().any(|(named, size)| named == partition && size == goal.size()));
/// assert_eq!(Partition::spread(&goal, 8).to_string(), "1.5.2.6.3.7.4.8/12.11.15.10.14.9.13");
/// assert_eq!(Partition::from_lists(vec![vec![1, 2], vec![3]])?.to_string(), "1.2/3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Partition(Division);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Division {
    Named(usize),
    /// The partition chosen for the board size.
    Small,
    Lists(Vec<Vec<Tile>>),
}

/// A partition that has a name.
struct Named {
    name: &'static str,
    side: usize,
    patterns: &'static [&'static [u8]],
}

const NAMED: [Named; 4] = [
    Named {
        name: "5-5-5",
        side: 4,
        patterns: &[&[1, 2, 3, 6, 7], &[4, 5, 8, 9, 12], &[10, 11, 13, 14, 15]],
    },
    Named {
        name: "6-6-3",
        side: 4,
        patterns: &[&[1, 4, 5, 8, 9, 12], &[6, 10, 11, 13, 14, 15], &[2, 3, 7]],
    },
    Named {
        name: "7-8",
        side: 4,
        patterns: &[&[1, 4, 5, 8, 9, 12, 13], &[2, 3, 6, 7, 10, 11, 14, 15]],
    },
    Named {
        name: "6-6-6-6",
        side: 5,
        patterns: &[
            &[1, 5, 6, 10, 11, 12],
            &[2, 3, 4, 7, 8, 9],
            &[13, 14, 18, 19, 23, 24],
            &[15, 16, 17, 20, 21, 22],
        ],
    },
];

/// The partition chosen for the board size.
const SMALL: &str = "small";

/// `small` names the fastest partition that `taquin tables tune` finds in 300 MB.
const CHOSEN: [&str; 2] = ["6-6-3", "6-6-6-6"];

/// The most tiles per pattern on boards of other sizes.
const SMALL_TILES: usize = 6;

/// Why a text is not a partition, or not one of a puzzle.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum PartitionError {
    #[error("'{0}' is not a partition: write {names}, or lists of tiles such as 1.2.5/3.4.7.8", names = names())]
    Malformed(String),
    #[error("tile {0} is in a partition twice")]
    Twice(Tile),
    #[error(
        "{name} is for {side}x{side} boards, and this one is {size}: list the tiles, as in 1.2.5/3.4.7.8"
    )]
    Size { name: &'static str, side: usize, size: Size },
    /// Some tiles are not a pattern of this puzzle.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

fn names() -> String {
    NAMED.map(|named| named.name).join(", ") + ", " + SMALL
}

impl Partition {
    /// Creates a partition from lists of tiles.
    ///
    /// # Errors
    /// Fails if a tile is in two lists.
    pub fn from_lists(lists: Vec<Vec<Tile>>) -> Result<Self, PartitionError> {
        let mut seen = std::collections::HashSet::new();
        match lists.iter().flatten().find(|&tile| !seen.insert(tile)) {
            Some(&tile) => Err(PartitionError::Twice(tile)),
            None => Ok(Self(Division::Lists(lists))),
        }
    }

    /// Returns all named partitions, with the size of their boards.
    pub fn named() -> impl Iterator<Item = (Self, Size)> {
        let size = |side| Size::new(side, side).expect("a small square");
        NAMED
            .iter()
            .enumerate()
            .map(move |(at, named)| (Self(Division::Named(at)), size(named.side)))
    }

    /// A goal's tiles in patterns with at most `most` tiles, along a path through neighbouring
    /// cells, so that a pattern's tiles are close together.
    pub fn spread(goal: &Board, most: usize) -> Self {
        let size = goal.size();
        // Two rows at a time, column by column.
        let cells = (0..size.rows()).step_by(2).enumerate().flat_map(|(strip, top)| {
            let rows = top..(top + 2).min(size.rows());
            (0..size.cols()).flat_map(move |col| {
                let col = if strip % 2 == 0 { col } else { size.cols() - 1 - col };
                rows.clone().map(move |row| row * size.cols() + col)
            })
        });
        let tiles: Vec<Tile> =
            cells.map(|cell| goal.tiles()[cell]).filter(|&tile| tile != 0).collect();
        let patterns = tiles.len().div_ceil(most).max(1);
        let lists = tiles.chunks(tiles.len().div_ceil(patterns).max(1)).map(<[Tile]>::to_vec);
        Self(Division::Lists(lists.collect()))
    }

    /// Resolves `small` for a goal. Returns any other partition unchanged.
    #[must_use]
    pub fn for_goal(&self, goal: &Board) -> Self {
        if self.0 != Division::Small {
            return self.clone();
        }
        let is_chosen = |named: &&Named| {
            CHOSEN.contains(&named.name)
                && (goal.size().rows(), goal.size().cols()) == (named.side, named.side)
        };
        match NAMED.iter().position(|named| is_chosen(&named)) {
            Some(at) => Self(Division::Named(at)),
            None => Self::spread(goal, SMALL_TILES),
        }
    }

    /// Returns the patterns of a goal's tiles.
    ///
    /// # Errors
    /// Fails if the partition is for boards of another size, or if the goal has no such tiles.
    pub fn patterns(&self, goal: &Board) -> Result<Vec<Pattern>, PartitionError> {
        let lists = match &self.0 {
            Division::Lists(lists) => lists.clone(),
            Division::Named(at) => NAMED[*at].tiles(goal)?,
            Division::Small => return self.for_goal(goal).patterns(goal),
        };
        lists.iter().map(|tiles| Ok(Pattern::new(goal, tiles)?)).collect()
    }
}

impl Named {
    /// Returns each pattern's tiles. Empty patterns are omitted.
    fn tiles(&self, goal: &Board) -> Result<Vec<Vec<Tile>>, PartitionError> {
        let &Self { name, side, patterns } = self;
        let size = goal.size();
        if (size.rows(), size.cols()) != (side, side) {
            return Err(PartitionError::Size { name, side, size });
        }
        let last = side - 1;
        let is_blank = |row: usize, col: usize| goal.tiles()[row * side + col] == 0;
        let (down, right) = [(false, false), (true, true), (false, true), (true, false)]
            .into_iter()
            .find(|&(down, right)| is_blank(usize::from(down) * last, usize::from(right) * last))
            .unwrap_or_default();
        let tile_at = |cell: u8| {
            let (row, col) = (usize::from(cell) / side, usize::from(cell) % side);
            let row = if down { last - row } else { row };
            let col = if right { last - col } else { col };
            goal.tiles()[row * side + col]
        };
        let mut spare = Some(tile_at(0)).filter(|&tile| tile > 0);
        let tiles = |pattern: &&[u8]| {
            let mut tiles: Vec<Tile> =
                pattern.iter().map(|&cell| tile_at(cell)).filter(|&tile| tile > 0).collect();
            if tiles.len() < pattern.len() {
                tiles.extend(spare.take());
            }
            tiles
        };
        Ok(patterns.iter().map(tiles).filter(|tiles| !tiles.is_empty()).collect())
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Division::Named(at) => f.write_str(NAMED[*at].name),
            Division::Small => f.write_str(SMALL),
            Division::Lists(lists) => {
                let list = |tiles: &Vec<Tile>| {
                    tiles.iter().map(Tile::to_string).collect::<Vec<_>>().join(".")
                };
                f.write_str(&lists.iter().map(list).collect::<Vec<_>>().join("/"))
            }
        }
    }
}

impl FromStr for Partition {
    type Err = PartitionError;

    fn from_str(text: &str) -> Result<Self, PartitionError> {
        if let Some(at) = NAMED.iter().position(|named| named.name == text) {
            return Ok(Self(Division::Named(at)));
        }
        if text == SMALL {
            return Ok(Self(Division::Small));
        }
        // Digits alone: `parse` would also take a sign.
        let tile = |text: &str| match text.bytes().all(|byte| byte.is_ascii_digit()) {
            true => text.parse().ok().filter(|&tile: &Tile| tile > 0),
            false => None,
        };
        let list = |text: &str| text.split('.').map(tile).collect::<Option<Vec<Tile>>>();
        let malformed = || PartitionError::Malformed(excerpt(text));
        Self::from_lists(text.split('/').map(list).collect::<Option<_>>().ok_or_else(malformed)?)
    }
}

taquin_search::serde_as_text!(Partition);
