//! Everything in which one best-first search differs from another, as data.
//!
//! Published implementations of "the same" algorithm count differently because they differ in
//! exactly these fields. Each has a name and a spelling, so that a course or a paper is a value.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use crate::space::Cost;

/// How the one best-first engine chooses, tests and drops nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    /// What makes a node better than another.
    pub rank: Rank,
    /// What decides among nodes of equal rank.
    pub tie: Tie,
    /// What decides after that.
    pub order: Order,
    /// When a node is tested for being a goal.
    pub goal: GoalTest,
    /// What becomes of a node whose state is known.
    pub duplicates: Duplicates,
    /// Whether an expanded node that is reached more cheaply goes back.
    pub reopen: Reopen,
    /// Whether the move back to the parent is generated.
    pub undo: Undo,
    /// The weight of the estimate in `f`.
    pub weight: Weight,
    /// The greatest depth of a node that is kept.
    pub depth: Option<u64>,
    /// The most nodes kept of each layer, which makes it a beam search.
    pub width: Option<NonZeroUsize>,
    /// What the random order starts from.
    pub seed: u64,
}

/// Makes an enum whose values have a spelling.
macro_rules! spelled {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $value:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$doc])* $value,)+ }

        impl $name {
            /// Every value.
            pub const ALL: &[Self] = &[$(Self::$value),+];

            /// Its spelling.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$value => $text,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $name {
            type Err = FieldError;

            fn from_str(text: &str) -> Result<Self, FieldError> {
                let named = |value: &&Self| value.name() == text;
                Self::ALL.iter().find(named).copied().ok_or_else(|| {
                    FieldError::Value(Self::ALL.iter().map(|v| v.name()).collect::<Vec<_>>().join(", "))
                })
            }
        }
    };
}

spelled! {
    /// What makes a node better than another: the lowest is taken first.
    Rank {
        /// All nodes are equal.
        None = "none",
        /// The number of actions.
        Depth = "depth",
        /// The cost of the path so far.
        G = "g",
        /// The estimate of the rest.
        H = "h",
        /// The cost so far plus the weighted estimate.
        F = "f",
    }
}

spelled! {
    /// What decides among nodes of equal rank.
    Tie {
        /// Nothing.
        None = "none",
        /// The cheapest path so far.
        LowG = "low-g",
        /// The dearest path so far: the smallest estimate.
        HighG = "high-g",
    }
}

spelled! {
    /// What decides among equals.
    Order {
        /// The oldest first.
        Fifo = "fifo",
        /// The newest first.
        Lifo = "lifo",
        /// As a binary heap happens to have them.
        Heap = "heap",
        /// Each equally likely, from a seed.
        Random = "random",
    }
}

spelled! {
    /// When a node is tested for being a goal.
    GoalTest {
        /// As soon as it is generated.
        Generation = "generation",
        /// When it is taken out of the frontier.
        Expansion = "expansion",
    }
}

spelled! {
    /// What becomes of a node whose state is known.
    Duplicates {
        /// It is kept: a tree search.
        Keep = "keep",
        /// It is dropped if the state was ever generated.
        Generated = "generated",
        /// It is kept, and dropped when taken out if the state was expanded by then.
        Expanded = "expanded",
        /// It is dropped unless its path is cheaper.
        Cheaper = "cheaper",
    }
}

spelled! {
    /// Whether an expanded node that is reached more cheaply goes back to the frontier.
    Reopen {
        /// It stays as it is.
        Never = "never",
        /// It goes back.
        Always = "always",
    }
}

spelled! {
    /// Whether the action that leads back to the parent is generated.
    Undo {
        /// It is not.
        Skip = "skip",
        /// It is.
        Keep = "keep",
    }
}

/// A weight, as a fraction in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Weight {
    above: u32,
    below: u32,
}

impl Weight {
    /// The weight that changes nothing.
    pub const ONE: Self = Self { above: 1, below: 1 };

    /// The greatest number above or below the line.
    const LARGEST: u32 = 1_000_000;

    /// The fraction `above / below`; `None` if either is 0 or above a million.
    pub fn new(above: u32, below: u32) -> Option<Self> {
        let allowed = 1..=Self::LARGEST;
        if !allowed.contains(&above) || !allowed.contains(&below) {
            return None;
        }
        let (mut a, mut b) = (above, below);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        Some(Self { above: above / a, below: below / a })
    }

    /// `g + weight * h`, as an integer that compares as that does.
    #[inline]
    pub fn rank(self, g: Cost, h: Cost) -> u64 {
        u64::from(g) * u64::from(self.below) + u64::from(h) * u64::from(self.above)
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.below {
            1 => write!(f, "{}", self.above),
            below => write!(f, "{}/{below}", self.above),
        }
    }
}

impl FromStr for Weight {
    type Err = FieldError;

    /// Reads `2`, `3/2` and `1.5`.
    fn from_str(text: &str) -> Result<Self, FieldError> {
        let error =
            || FieldError::Value("a number or a fraction above 0, such as 2, 3/2 or 1.5".into());
        let digits = |part: &str| match part.bytes().all(|b| b.is_ascii_digit()) {
            true => part.parse::<u32>().map_err(|_| error()),
            false => Err(error()),
        };
        let (above, below) = if let Some((above, below)) = text.split_once('/') {
            (digits(above)?, digits(below)?)
        } else if let Some((whole, part)) = text.split_once('.') {
            let below = 10u32.checked_pow(part.len() as u32).ok_or_else(error)?;
            let above = digits(whole)?.checked_mul(below).ok_or_else(error)?;
            (above.checked_add(digits(part)?).ok_or_else(error)?, below)
        } else {
            (digits(text)?, 1)
        };
        Self::new(above, below).ok_or_else(error)
    }
}

/// Why a field of a policy could not be set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// No field has this name.
    #[error("there is no such field")]
    Unknown,
    /// The field does not take this value.
    #[error("expected {0}")]
    Value(String),
}

impl Policy {
    /// The names of the fields, in the order in which they are printed.
    pub const FIELDS: [&str; 11] =
        ["w", "k", "depth", "seed", "rank", "tie", "order", "goal", "duplicates", "reopen", "undo"];

    /// The rank of a node: the frontier gives the lowest first.
    #[inline]
    pub fn rank_of(&self, g: Cost, h: Cost, depth: u64) -> u64 {
        match self.rank {
            Rank::None => 0,
            Rank::Depth => depth,
            Rank::G => g.into(),
            Rank::H => h.into(),
            Rank::F => self.weight.rank(g, h),
        }
    }

    /// Breadth-first search.
    pub const fn bfs() -> Self {
        Self {
            rank: Rank::Depth,
            tie: Tie::None,
            order: Order::Fifo,
            goal: GoalTest::Generation,
            duplicates: Duplicates::Generated,
            reopen: Reopen::Never,
            undo: Undo::Skip,
            weight: Weight::ONE,
            depth: None,
            width: None,
            seed: 0,
        }
    }

    /// Depth-first search.
    pub const fn dfs() -> Self {
        Self { rank: Rank::None, order: Order::Lifo, ..Self::bfs() }
    }

    /// Uniform-cost search.
    pub const fn ucs() -> Self {
        Self {
            rank: Rank::G,
            goal: GoalTest::Expansion,
            duplicates: Duplicates::Cheaper,
            reopen: Reopen::Always,
            ..Self::bfs()
        }
    }

    /// Greedy best-first search.
    pub const fn greedy() -> Self {
        Self { rank: Rank::H, ..Self::bfs() }
    }

    /// A*.
    pub const fn astar() -> Self {
        Self { rank: Rank::F, tie: Tie::HighG, order: Order::Lifo, ..Self::ucs() }
    }

    /// Weighted A*.
    pub const fn wastar(weight: Weight) -> Self {
        Self { weight, ..Self::astar() }
    }

    /// Beam search: of each layer the `width` nodes that rank best.
    pub const fn beam(width: NonZeroUsize) -> Self {
        Self { rank: Rank::F, width: Some(width), ..Self::bfs() }
    }

    /// A search that takes any node of the frontier.
    pub const fn random(seed: u64) -> Self {
        Self { rank: Rank::None, order: Order::Random, seed, ..Self::bfs() }
    }

    /// Sets a field by name.
    ///
    /// # Errors
    /// Fails if there is no such field, or it does not take this value.
    pub fn set(&mut self, field: &str, value: &str) -> Result<(), FieldError> {
        match field {
            "w" => self.weight = value.parse()?,
            "k" => self.width = Some(number(value, "a whole number above 0")?),
            "depth" => self.depth = Some(number(value, "a whole number")?),
            "seed" => self.seed = number(value, "a whole number")?,
            "rank" => self.rank = value.parse()?,
            "tie" => self.tie = value.parse()?,
            "order" => self.order = value.parse()?,
            "goal" => self.goal = value.parse()?,
            "duplicates" => self.duplicates = value.parse()?,
            "reopen" => self.reopen = value.parse()?,
            "undo" => self.undo = value.parse()?,
            _ => return Err(FieldError::Unknown),
        }
        Ok(())
    }

    /// The value of a field as it is spelled; `None` if it has none or there is no such field.
    pub fn get(&self, field: &str) -> Option<String> {
        Some(match field {
            "w" => self.weight.to_string(),
            "k" => self.width?.to_string(),
            "depth" => self.depth?.to_string(),
            "seed" => self.seed.to_string(),
            "rank" => self.rank.to_string(),
            "tie" => self.tie.to_string(),
            "order" => self.order.to_string(),
            "goal" => self.goal.to_string(),
            "duplicates" => self.duplicates.to_string(),
            "reopen" => self.reopen.to_string(),
            "undo" => self.undo.to_string(),
            _ => return None,
        })
    }

    /// The fields in which this policy differs from another, as they are spelled.
    pub fn differences(&self, from: &Self) -> Vec<(&'static str, String)> {
        let differing =
            |field| self.get(field).filter(|value| Some(value) != from.get(field).as_ref());
        Self::FIELDS.into_iter().filter_map(|field| Some((field, differing(field)?))).collect()
    }
}

fn number<T: FromStr>(text: &str, expected: &str) -> Result<T, FieldError> {
    let error = || FieldError::Value(expected.to_owned());
    match text.bytes().all(|b| b.is_ascii_digit()) {
        true => text.parse().map_err(|_| error()),
        false => Err(error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_can_be_set_to_every_value_it_prints() {
        let mut policy = Policy::bfs();
        let values: [(&str, Vec<&str>); 7] = [
            ("rank", Rank::ALL.iter().map(|v| v.name()).collect()),
            ("tie", Tie::ALL.iter().map(|v| v.name()).collect()),
            ("order", Order::ALL.iter().map(|v| v.name()).collect()),
            ("goal", GoalTest::ALL.iter().map(|v| v.name()).collect()),
            ("duplicates", Duplicates::ALL.iter().map(|v| v.name()).collect()),
            ("reopen", Reopen::ALL.iter().map(|v| v.name()).collect()),
            ("undo", Undo::ALL.iter().map(|v| v.name()).collect()),
        ];
        for (field, values) in values {
            for value in values {
                policy.set(field, value).unwrap();
                assert_eq!(policy.get(field).unwrap(), value);
            }
            assert!(matches!(policy.set(field, "no"), Err(FieldError::Value(_))));
        }
        for (field, value) in
            [("w", "3/2"), ("k", "7"), ("depth", "0"), ("seed", "18446744073709551615")]
        {
            policy.set(field, value).unwrap();
            assert_eq!(policy.get(field).unwrap(), value);
        }
        assert_eq!(policy.set("nonsense", "1"), Err(FieldError::Unknown));
        assert!(Policy::FIELDS.iter().all(|field| policy.get(field).is_some()));
    }

    #[test]
    fn weights_are_fractions_in_lowest_terms() {
        for (text, printed) in [("2", "2"), ("6/4", "3/2"), ("1.50", "3/2"), ("0.5", "1/2")] {
            assert_eq!(text.parse::<Weight>().unwrap().to_string(), printed);
        }
        for text in ["", "0", "1/0", "-1", "1e3", "1.", ".5", "1.0000000000", "5/0", "9999999"] {
            assert!(text.parse::<Weight>().is_err(), "{text}");
        }
    }

    #[test]
    fn differences_are_what_was_set() {
        let mut policy = Policy::astar();
        assert_eq!(policy.differences(&Policy::astar()), []);
        policy.set("order", "fifo").unwrap();
        policy.set("w", "2").unwrap();
        let expected = [("w", "2".to_owned()), ("order", "fifo".to_owned())];
        assert_eq!(policy.differences(&Policy::astar()), expected);
    }
}
