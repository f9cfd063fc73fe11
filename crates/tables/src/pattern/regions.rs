//! The regions into which a pattern's tiles divide the other cells, with one blank.
//!
//! A region is a class of the [graph](super::graph): the blank can go anywhere in its region
//! without moving a pattern tile.

use taquin_tiles::{Move, Size};

use super::Pattern;
use super::build::BuildError;
use super::ranking::Ranking;
use crate::bits::bits;

/// The regions for every set of occupied cells.
///
/// A set's classes have consecutive numbers. The blank's cell determines its class, in one of a few
/// ways: most sets have only one region, and few cells are cut off from the others.
///
/// ```
/// use taquin_tables::Regions;
///
/// let regions = Regions::new("3x3".parse()?, 2).unwrap();
/// let set = regions.ranking().set(1 << 1 | 1 << 3); // the tiles cut off the corner, cell 0
/// assert_ne!(regions.class(set, 0), regions.class(set, 4));
/// assert_eq!(regions.class(set, 4), regions.class(set, 8));
/// assert_eq!(regions.classes(), 36 + 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Regions {
    size: Size,
    ranking: Ranking,
    /// For each set its first class, and the number of its map.
    sets: Vec<(u32, u16)>,
    /// The number of the blank's class within the set, for each blank cell.
    maps: Vec<RegionMap>,
    classes: usize,
}

/// The number of the region, for each blank cell.
pub type RegionMap = [u8; Regions::MAX_CELLS];

impl Regions {
    /// The greatest number of cells.
    pub const MAX_CELLS: usize = 32;

    /// Creates the regions for the tiles of a pattern.
    ///
    /// # Errors
    /// Fails if the board is too large or has several blanks.
    pub fn of(pattern: &Pattern) -> Result<Self, BuildError> {
        let shape = pattern.shape();
        let is_one = shape.blanks().is_power_of_two();
        let regions = is_one.then(|| Self::new(shape.size(), shape.tiles())).flatten();
        regions.ok_or(BuildError::Regions)
    }

    /// Creates the regions for some tiles on a board, unless it is too large.
    pub fn new(size: Size, tiles: usize) -> Option<Self> {
        let cells = size.cells();
        let ranking = Ranking::new(cells, tiles).filter(|_| cells <= Self::MAX_CELLS)?;
        let neighbours = neighbours(size);
        let mut numbers = std::collections::HashMap::new();
        let mut maps = Vec::new();
        let mut classes = 0;
        let mut sets = Vec::with_capacity(ranking.sets());
        for set in 0..ranking.sets() {
            let mut free = ((1_u64 << cells) - 1) & !ranking.mask(set);
            let mut regions = Vec::new();
            while free != 0 {
                let region = region(&neighbours, free, free & free.wrapping_neg());
                regions.push(region);
                free &= !region;
            }
            // In the order of the graph's classes. Cells without a blank take the largest region's
            // value, so that few maps differ.
            regions.reverse();
            let largest = (0..regions.len()).max_by_key(|&at| regions[at].count_ones())?;
            let mut map = [largest as u8; Self::MAX_CELLS];
            for (number, &region) in (0..).zip(&regions) {
                bits(region).for_each(|cell| map[cell] = number);
            }
            let number = *numbers.entry(map).or_insert_with(|| {
                maps.push(map);
                maps.len() - 1
            });
            sets.push((u32::try_from(classes).ok()?, u16::try_from(number).ok()?));
            classes += regions.len();
        }
        Some(Self { size, ranking, sets, maps, classes })
    }

    /// Returns the size of the board.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// Returns the numbering of the placements.
    pub const fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    /// Returns the number of classes.
    pub const fn classes(&self) -> usize {
        self.classes
    }

    /// Returns a set's first class, and the number of its map.
    pub fn set(&self, set: usize) -> (u32, u16) {
        self.sets[set]
    }

    /// Returns the maps.
    pub fn maps(&self) -> &[RegionMap] {
        &self.maps
    }

    /// Returns a set's class for a blank cell.
    pub fn class(&self, set: usize, blank: u8) -> usize {
        let (first, map) = self.sets[set];
        first as usize + usize::from(self.maps[usize::from(map)][usize::from(blank)])
    }
}

/// Returns the neighbours of each cell as a mask.
pub(crate) fn neighbours(size: Size) -> Vec<u64> {
    let mask = |cell: u16| {
        Move::ALL.iter().filter_map(|step| step.target(size, cell)).fold(0, |all, at| all | 1 << at)
    };
    (0..size.cells() as u16).map(mask).collect()
}

/// Returns the connected region of free cells around `seed`.
pub(crate) fn region(neighbours: &[u64], free: u64, seed: u64) -> u64 {
    let mut region = seed;
    let mut edge = seed;
    while edge != 0 {
        let around = bits(edge).fold(0, |all, cell| all | neighbours[cell]);
        edge = around & free & !region;
        region |= edge;
    }
    region
}
