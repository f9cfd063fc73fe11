//! The costs of moves.

use std::fmt;
use std::str::FromStr;

use taquin_search::Cost;

use crate::size::{Size, Tile};
use crate::text::excerpt;

/// The cost of a move, which depends on the tile that moves.
///
/// Costs are whole numbers. [`Inverse`](Self::Inverse), [`Hog2`](Self::Hog2) and
/// [`Sqrt`](Self::Sqrt) count them in fractions of 1, and [`unit`](Self::unit) is the number of
/// fractions.
///
/// ```
/// use taquin_tiles::Costs;
///
/// let costs: Costs = "7,5".parse()?; // of tiles 1 and 2
/// assert_eq!(costs.of_tiles(4), [5, 7, 5, 1]); // of the blank and tiles 1 to 3
/// assert_eq!(Costs::Tile.of_tiles(4), [1, 1, 2, 3]);
/// assert_eq!((Costs::Inverse.unit(4), Costs::Inverse.of_tiles(4)), (Some(6), vec![2, 6, 3, 2]));
/// # Ok::<(), taquin_tiles::CostsError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Costs {
    /// Every move costs one.
    #[default]
    Unit,
    /// A move costs the tile's number.
    Tile,
    /// The square of the tile's number.
    Square,
    /// The square root of the tile's number, rounded to five digits behind the point.
    Sqrt,
    /// 1 divided by the tile's number.
    Inverse,
    /// The number of cells minus the tile's number.
    Reverse,
    /// (t + 2) / (t + 1) for tile t, as in the weighted puzzle of HOG2.
    Hog2,
    /// The cost of moving tile 1, tile 2, ..; moving a tile beyond the list costs one.
    List(Vec<Cost>),
}

/// The names of the costs that have one.
const NAMED: [(&str, Costs); 7] = [
    ("unit", Costs::Unit),
    ("tile", Costs::Tile),
    ("square", Costs::Square),
    ("sqrt", Costs::Sqrt),
    ("inverse", Costs::Inverse),
    ("reverse", Costs::Reverse),
    ("hog2", Costs::Hog2),
];

/// A text that is not a cost.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CostsError {
    /// It is no list, and no cost has this name.
    #[error(
        "'{0}' is not a cost: write unit, tile, square, sqrt, inverse, reverse, hog2, or a list for tile 1, 2, .. such as 1,1,5 (each from 1 to {MAX_COST})"
    )]
    Name(String),
    /// A part of a list is not a number in the range.
    #[error(
        "the cost of tile {tile} is '{text}', not a whole number from 1 to {MAX_COST}: multiply fractions by a common denominator"
    )]
    Part {
        /// The tile, which is the position in the list.
        tile: usize,
        /// The part.
        text: String,
    },
}

/// The greatest cost of a list.
const MAX_COST: Cost = 1 << 31;

impl Costs {
    /// The parts of 1 that roots are counted in.
    const ROOT_UNIT: Cost = 100_000;

    /// Returns the fractions of 1 in which costs are counted on a board with `cells` cells: 1 if
    /// they are whole numbers, or `None` if it is too large for a number.
    ///
    /// ```
    /// use taquin_tiles::Costs;
    ///
    /// assert_eq!(Costs::Hog2.unit(16), Some(720_720));
    /// assert_eq!(Costs::Hog2.unit(25), None);
    /// ```
    pub fn unit(&self, cells: usize) -> Option<Cost> {
        let divisors = match self {
            Self::Inverse => 1..=cells.saturating_sub(1),
            Self::Hog2 => 1..=cells,
            Self::Sqrt => return Some(Self::ROOT_UNIT),
            _ => return Some(1),
        };
        divisors.into_iter().try_fold(1, |unit: Cost, divisor| {
            let divisor = Cost::try_from(divisor).ok()?;
            unit.checked_mul(divisor / greatest_common_divisor(unit, divisor))
        })
    }

    /// Returns whether the costs fit into numbers on a board of this size, along with the sum of
    /// each tile's greatest distance from home.
    ///
    /// ```
    /// use taquin_tiles::Costs;
    ///
    /// assert!(Costs::Inverse.fits("4x4".parse()?));
    /// assert!(!Costs::Inverse.fits("5x5".parse()?));
    /// # Ok::<(), taquin_tiles::SizeError>(())
    /// ```
    pub fn fits(&self, size: Size) -> bool {
        let costs = self.of_tiles(size.cells());
        let farthest = (size.rows() + size.cols()).saturating_sub(2) as u64;
        let sum: u64 = costs[1..].iter().map(|&cost| u64::from(cost)).sum();
        // Smaller costs have always been allowed; a path that costs too much ends the search.
        let are_small = costs.iter().all(|&cost| cost < 1 << 16);
        self.unit(size.cells()).is_some()
            && (are_small || sum.saturating_mul(farthest) <= Cost::MAX.into())
    }

    /// Returns the cost of moving `tile` on a board with `cells` cells. A blank has the least cost
    /// of any tile, because a move onto a blank changes nothing. Costs that [do not
    /// fit](Self::fits) are the greatest number.
    pub fn of(&self, tile: Tile, cells: usize) -> Cost {
        if tile == 0 {
            return match self {
                // Tiles beyond the list are not counted.
                Self::List(list) => list.iter().copied().min().unwrap_or(1),
                _ => (1..cells as Tile).map(|tile| self.of(tile, cells)).min().unwrap_or(1),
            };
        }
        let number = Cost::from(tile);
        let fraction = |of: &dyn Fn(Cost) -> Cost| self.unit(cells).map_or(Cost::MAX, of);
        match self {
            Self::Unit => 1,
            Self::Tile => number,
            Self::Square => number.saturating_mul(number),
            Self::Sqrt => {
                // Twice the root, so that it can be rounded.
                let unit = u64::from(Self::ROOT_UNIT);
                (4 * u64::from(number) * unit * unit).isqrt().div_ceil(2) as Cost
            }
            Self::Inverse => fraction(&|unit| unit / number),
            Self::Reverse => (cells as Cost).saturating_sub(number).max(1),
            Self::Hog2 => fraction(&|unit| unit.saturating_add(unit / (number + 1))),
            Self::List(list) => list.get(usize::from(tile) - 1).copied().unwrap_or(1),
        }
    }

    /// Returns the cost of every tile, blanks first, on a board with `cells` cells.
    pub fn of_tiles(&self, cells: usize) -> Vec<Cost> {
        (0..cells as Tile).map(|tile| self.of(tile, cells)).collect()
    }
}

const fn greatest_common_divisor(mut a: Cost, mut b: Cost) -> Cost {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, NAMED.iter().find(|named| named.1 == *self)) {
            (Self::List(list), _) => {
                let list: Vec<String> = list.iter().map(Cost::to_string).collect();
                f.write_str(&list.join(","))
            }
            (_, named) => f.write_str(named.map_or("", |named| named.0)),
        }
    }
}

impl FromStr for Costs {
    type Err = CostsError;

    fn from_str(text: &str) -> Result<Self, CostsError> {
        let text = text.trim();
        if let Some((_, named)) = NAMED.into_iter().find(|named| named.0 == text) {
            return Ok(named);
        }
        if !text.contains([',', '.']) && text.parse::<i64>().is_err() {
            return Err(CostsError::Name(excerpt(text)));
        }
        let cost = |(at, part): (usize, &str)| {
            let cost = part.trim().parse().ok().filter(|cost| (1..=MAX_COST).contains(cost));
            cost.ok_or_else(|| CostsError::Part { tile: at + 1, text: excerpt(part.trim()) })
        };
        text.split(',').enumerate().map(cost).collect::<Result<_, _>>().map(Self::List)
    }
}

taquin_search::serde_as_text!(Costs);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_round_trip_and_cover_every_tile() {
        for (text, expected) in [
            ("unit", [1, 1, 1, 1]),
            ("tile", [1, 1, 2, 3]),
            ("square", [1, 1, 4, 9]),
            ("sqrt", [100_000, 100_000, 141_421, 173_205]),
            ("inverse", [2, 6, 3, 2]),
            ("reverse", [1, 3, 2, 1]),
            ("hog2", [15, 18, 16, 15]),
            ("7,5", [5, 7, 5, 1]),
            ("7,2147483648", [7, 7, MAX_COST, 1]),
        ] {
            let costs: Costs = text.parse().unwrap();
            assert_eq!(costs.to_string(), text);
            assert_eq!(costs.of_tiles(4), expected);
        }
        for text in ["", "tiles", "1 2"] {
            assert_eq!(text.parse::<Costs>(), Err(CostsError::Name(text.to_owned())));
        }
        for (list, tile, text) in [
            ("0", 1, "0"),
            ("1,,2", 2, ""),
            ("1,2147483649", 2, "2147483649"),
            ("-1", 1, "-1"),
            ("1, 2, 1.5", 3, "1.5"),
            ("2.5", 1, "2.5"),
            ("1,tile", 2, "tile"),
        ] {
            let text = text.to_owned();
            assert_eq!(list.parse::<Costs>(), Err(CostsError::Part { tile, text }), "{list}");
        }
    }

    #[test]
    fn fractions_are_exact() {
        for cells in 2..=16 {
            for (costs, fraction) in [
                (Costs::Inverse, (|t| (1, t)) as fn(u64) -> (u64, u64)),
                (Costs::Hog2, |t| (t + 2, t + 1)),
            ] {
                let unit = u64::from(costs.unit(cells).unwrap());
                for (tile, cost) in (0..).zip(costs.of_tiles(cells)).skip(1) {
                    let (above, below) = fraction(tile);
                    assert_eq!(u64::from(cost) * below, unit * above, "{costs} {tile} of {cells}");
                }
            }
        }
        assert_eq!(Costs::Inverse.unit(16), Some(360_360));
    }

    #[test]
    fn costs_that_do_not_fit_are_told() {
        let size = |rows, cols| Size::new(rows, cols).unwrap();
        for costs in NAMED.map(|named| named.1) {
            assert!(costs.fits(size(4, 4)), "{costs}");
            let is_fraction = matches!(costs, Costs::Inverse | Costs::Hog2);
            assert_eq!(costs.fits(size(5, 5)), !is_fraction, "{costs}");
        }
        let list = |cost| Costs::List(vec![1, 1, cost]);
        assert!(list(1 << 30).fits(size(2, 2)));
        assert!(!list(MAX_COST).fits(size(2, 2)));
        // Lists that were always allowed still are.
        assert!(Costs::Tile.fits(size(200, 200)));
    }
}
