//! The moves into every plane.

use std::collections::HashMap;

use taquin_tiles::{Cell, Move, Size};

use crate::bits::bits;

use super::index::{SpaceIndex, SpaceShape};
use super::maps::Map;
use super::rotation::Rotation;

/// The steps into every plane, and their effect on the numbers of boards.
pub(super) struct Links {
    /// The end of each plane's links.
    ends: Vec<u32>,
    all: Vec<Link>,
    maps: Vec<Map>,
}

/// A step of a blank into a plane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Link {
    /// The plane that it comes from.
    source: u32,
    /// The map of the numbers, or [`NONE`].
    map: u16,
    /// The cells of the blank.
    from: u8,
    to: u8,
    /// Whether the parity of the order changes.
    is_odd: bool,
}

/// The numbers stay the same.
const NONE: u16 = u16::MAX;

impl Link {
    /// Returns the slab that it comes from, if it leads to this one.
    #[inline]
    pub(super) fn source_slab(self, target: usize, shape: SpaceShape) -> usize {
        let plane = self.source as usize;
        match shape.parities() {
            2 => 2 * plane + ((target % 2) ^ usize::from(self.is_odd)),
            _ => plane,
        }
    }
}

impl Links {
    pub(super) fn new(index: &SpaceIndex) -> Self {
        let shape = index.shape();
        let mut this = Self { ends: Vec::new(), all: Vec::new(), maps: Vec::new() };
        let mut known: HashMap<Rotation, u16> = HashMap::new();
        for &blanks in index.planes() {
            for (from, to) in steps(shape, blanks) {
                let source = index
                    .plane(blanks ^ 1 << from ^ 1 << to)
                    .expect("a step keeps the number of blanks");
                let rotation = rotation(shape, blanks, (from, to));
                let map = match rotation.length {
                    1 => NONE,
                    _ => *known.entry(rotation).or_insert_with(|| {
                        let Some(map) = Map::new(shape, rotation) else { return NONE };
                        this.maps.push(map);
                        this.maps.len() as u16 - 1
                    }),
                };
                let is_odd = rotation.length.is_multiple_of(2);
                let [from, to] = [from, to].map(|cell| cell as u8);
                this.all.push(Link { source: source as u32, map, from, to, is_odd });
            }
            this.ends.push(this.all.len() as u32);
        }
        this
    }

    /// Returns the steps that lead into a plane.
    pub(super) fn of_plane(&self, plane: usize) -> &[Link] {
        let first = if plane == 0 { 0 } else { self.ends[plane - 1] };
        &self.all[first as usize..self.ends[plane] as usize]
    }

    /// Returns the effect of a step on the numbers, unless they stay the same.
    #[inline]
    pub(super) fn map(&self, link: &Link) -> Option<&Map> {
        self.maps.get(usize::from(link.map))
    }

    /// Writes the blocks that parts of some blocks come from with a step to `sources`, in ascending
    /// order.
    pub(super) fn sources(&self, link: &Link, blocks: &[usize], sources: &mut Vec<usize>) {
        sources.clear();
        match self.map(link) {
            None => sources.extend(blocks),
            Some(map) => {
                sources.extend(blocks.iter().flat_map(|&block| map.sources(block)));
                sources.sort_unstable();
                sources.dedup();
            }
        }
    }

    /// Returns a step and the steps of the same blank in the same direction before it, the last one
    /// first.
    pub(super) fn chain(&self, last: Link) -> impl Iterator<Item = Link> + '_ {
        std::iter::successors(Some(last), |link| {
            let distance = |link: &Link| i16::from(link.from) - i16::from(link.to);
            let is_before =
                |before: &&Link| before.to == link.from && distance(before) == distance(link);
            self.of_plane(link.source as usize).iter().find(is_before).copied()
        })
    }

    /// Returns the peak bytes for a plane and its links.
    pub(super) fn plane_bytes(shape: SpaceShape) -> usize {
        // A step has a blank on one side and a tile on the other. A vector that grows has up to
        // twice the capacity it needs, and briefly holds the old half as well.
        let steps = 4 * shape.blanks().min(shape.cells() - shape.blanks());
        (steps * size_of::<Link>() + size_of::<u32>()) * 3 + size_of::<u64>() * 2
    }
}

/// Returns the steps of blanks into a plane: the cell that a blank comes from, and its own.
fn steps(shape: SpaceShape, blanks: u64) -> impl Iterator<Item = (usize, usize)> {
    let size = Size::new(shape.rows, shape.cols).expect("it is the size of a board");
    bits(blanks).flat_map(move |to| {
        Move::ALL.into_iter().filter_map(move |step| {
            let from = usize::from(step.target(size, to as Cell)?);
            (blanks >> from & 1 == 0).then_some((from, to))
        })
    })
}

/// Returns the rotation of the tiles that turns the order after a step into the order before it.
fn rotation(shape: SpaceShape, blanks: u64, (from, to): (usize, usize)) -> Rotation {
    let (low, high) = (from.min(to), from.max(to));
    let tiles_below = |cell: usize| (!blanks & ((1 << cell) - 1)).count_ones() as usize;
    let length = tiles_below(high) - tiles_below(low + 1) + 1;
    // On a line, no tiles are counted.
    Rotation { radix: shape.tiles().saturating_sub(tiles_below(low)), length, to_front: from > to }
}
