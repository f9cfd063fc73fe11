//! The costs of moves.

use std::fmt;
use std::str::FromStr;

use taquin_search::Cost;

use crate::size::Tile;
use crate::text::excerpt;

/// The cost of a move, which depends on the tile that moves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Costs {
    /// Every move costs one.
    #[default]
    Unit,
    /// A move costs the tile's number.
    Tile,
    /// The costs of moving tile 1, tile 2, ..; moving a tile beyond the list costs one.
    List(Vec<u16>),
}

/// A text that is not a cost.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "'{0}' is not a cost: write unit, tile, or a list for tile 1, 2, .. such as 1,1,5 (each from 1 to 65535)"
)]
pub struct CostsError(String);

impl Costs {
    /// Returns the cost of moving `tile`. For a blank it is the least cost of any tile, because a
    /// move onto a blank changes nothing.
    pub fn of(&self, tile: Tile) -> Cost {
        match self {
            Self::Unit => 1,
            Self::Tile => Cost::from(tile).max(1),
            Self::List(list) => match usize::from(tile).checked_sub(1) {
                Some(at) => list.get(at).map_or(1, |&cost| cost.into()),
                None => list.iter().copied().min().unwrap_or(1).into(),
            },
        }
    }

    /// Returns the cost of every tile, blanks first, on a board with `cells` cells.
    pub fn of_tiles(&self, cells: usize) -> Vec<Cost> {
        (0..cells as Tile).map(|tile| self.of(tile)).collect()
    }
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit => f.write_str("unit"),
            Self::Tile => f.write_str("tile"),
            Self::List(list) => {
                let list: Vec<String> = list.iter().map(u16::to_string).collect();
                f.write_str(&list.join(","))
            }
        }
    }
}

impl FromStr for Costs {
    type Err = CostsError;

    fn from_str(text: &str) -> Result<Self, CostsError> {
        match text.trim() {
            "unit" => Ok(Self::Unit),
            "tile" => Ok(Self::Tile),
            list => list
                .split(',')
                .map(|cost| cost.trim().parse().ok().filter(|&cost: &u16| cost > 0))
                .collect::<Option<_>>()
                .map(Self::List)
                .ok_or_else(|| CostsError(excerpt(text))),
        }
    }
}

taquin_search::serde_as_text!(Costs);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_round_trip_and_cover_every_tile() {
        for (text, expected) in
            [("unit", [1, 1, 1, 1]), ("tile", [1, 1, 2, 3]), ("7,5", [5, 7, 5, 1])]
        {
            let costs: Costs = text.parse().unwrap();
            assert_eq!(costs.to_string(), text);
            assert_eq!(costs.of_tiles(4), expected);
        }
        for text in ["", "0", "1,,2", "1,65536", "-1", "tiles"] {
            assert!(text.parse::<Costs>().is_err(), "{text}");
        }
    }
}
