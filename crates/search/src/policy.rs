//! The settings of best-first search, as data.
//!
//! Published implementations of "the same" algorithm report different counts because they differ in
//! exactly these fields. Each field and value has a name, so a course or a paper is a value of this
//! type.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use crate::named_enum;
use crate::named_enum::{NameError, list};
use crate::space::Cost;

/// How [`best_first`](crate::Problem::best_first) orders, tests and drops nodes.
///
/// ```
/// use taquin_search::{Order, Policy};
///
/// let mut policy = Policy { order: Order::Fifo, ..Policy::astar() };
/// policy.set("tie", "low-g")?;
/// assert_eq!(
///     policy.differences(&Policy::astar()),
///     [("tie", "low-g".to_owned()), ("order", "fifo".to_owned())]
/// );
/// # Ok::<(), taquin_search::FieldError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    /// The value by which nodes are ordered; the lowest is expanded first.
    pub rank: Rank,
    /// The order among nodes with equal rank.
    pub tie: Tie,
    /// The order among nodes with equal rank and tie value.
    pub order: Order,
    /// When a node is tested for being a goal.
    pub goal: GoalTest,
    /// The treatment of a node whose state is known.
    pub duplicates: Duplicates,
    /// Whether an expanded node that is reached by a cheaper path is expanded again.
    pub reopen: Reopen,
    /// Whether the move back to the parent is generated.
    pub undo: Undo,
    /// The weight of `h` in `f`.
    pub weight: Weight,
    /// How the weight enters `f`.
    pub phi: Phi,
    /// The greatest depth of a node that is stored.
    pub depth: Option<u64>,
    /// The most nodes kept of each layer. A search with a width is a beam search.
    pub width: Option<NonZeroUsize>,
    /// The seed of the random order.
    pub seed: u64,
}

named_enum! {
    /// The value by which nodes are ordered; the lowest is expanded first.
    pub enum Rank: "rank" {
        /// All nodes have the same rank.
        None = "none",
        /// The number of actions on the path.
        Depth = "depth",
        /// The cost of the path.
        G = "g",
        /// The estimated cost to a goal.
        H = "h",
        /// `g` plus the weighted `h`.
        F = "f",
    }
}

named_enum! {
    /// The order among nodes with equal rank.
    pub enum Tie: "tie" {
        /// No preference.
        None = "none",
        /// Lowest `g` first.
        LowG = "low-g",
        /// Highest `g` first; at equal `f` this is the smallest `h`.
        HighG = "high-g",
    }
}

named_enum! {
    /// The order among nodes with equal rank and tie value.
    pub enum Order: "order" {
        /// Oldest first.
        Fifo = "fifo",
        /// Newest first.
        Lifo = "lifo",
        /// The order in which a binary heap returns them.
        Heap = "heap",
        /// The order in which a binary heap returns them that moves the entry of a node when a
        /// cheaper path to it is found, as HOG2 does.
        Indexed = "indexed",
        /// Uniformly random, determined by the seed.
        Random = "random",
        /// By the state itself, the lowest first, as in a heap of pairs (rank, state).
        State = "state",
    }
}

named_enum! {
    /// When a node is tested for being a goal.
    pub enum GoalTest: "goal test" {
        /// As soon as it is generated.
        Generation = "generation",
        /// When it is taken from the open list.
        Expansion = "expansion",
    }
}

named_enum! {
    /// The treatment of a node whose state is known.
    pub enum Duplicates: "treatment of duplicates" {
        /// It is stored again: a tree search.
        Keep = "keep",
        /// It is dropped if the state was ever generated.
        Generated = "generated",
        /// It is stored, and dropped when it is taken from the open list if its state has been
        /// expanded by then.
        Expanded = "expanded",
        /// It is dropped unless its path is cheaper.
        Cheaper = "cheaper",
    }
}

named_enum! {
    /// Whether an expanded node that is reached by a cheaper path returns to the open list.
    pub enum Reopen: "reopening rule" {
        /// It stays closed.
        Never = "never",
        /// It is reopened.
        Always = "always",
    }
}

named_enum! {
    /// Whether the action that leads back to the parent is generated.
    pub enum Undo: "undo rule" {
        /// It is not.
        Skip = "skip",
        /// It is.
        Keep = "keep",
    }
}

named_enum! {
    /// Whether iterative deepening by depth expands the nodes at its limit.
    pub enum Cutoff: "cutoff" {
        /// They are tested for being a goal and not expanded, as textbooks have it.
        Before = "before",
        /// They are expanded, and their successors are cut off, as IDA\* does without an estimate.
        After = "after",
    }
}

named_enum! {
    /// The priority of weighted A\*, by which `f` is ordered. All are convex: with a consistent
    /// estimate, a solution costs at most the weight times the optimum even if no node is reopened.
    ///
    /// Chen and Sturtevant, "Necessary and sufficient conditions for avoiding reopenings in
    /// best-first suboptimal search with general bounding functions", 2021.
    pub enum Phi: "priority" {
        /// `g` plus the weighted `h`: the bound holds for every part of the path alike.
        Wa = "wa",
        /// A parabola that allows more error near the start.
        Xdp = "xdp",
        /// A parabola that allows more error near the goal.
        Xup = "xup",
        /// The least priority that keeps to the weight, linear between the values of g / h that the
        /// search has met.
        PwXdp = "pwxdp",
        /// The greatest such priority.
        PwXup = "pwxup",
    }
}

impl Phi {
    /// Whether the priority depends on the nodes that the search has generated.
    pub const fn is_piecewise(self) -> bool {
        matches!(self, Self::PwXdp | Self::PwXup)
    }
}

/// A positive rational number in lowest terms.
///
/// ```
/// use taquin_search::Weight;
///
/// let weight: Weight = "1.5".parse()?;
/// assert_eq!(Some(weight), Weight::new(3, 2));
/// assert_eq!(weight.to_string(), "3/2");
/// # Ok::<(), taquin_search::FieldError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Weight {
    numerator: u32,
    denominator: u32,
}

impl Weight {
    /// The weight 1.
    pub const ONE: Self = Self { numerator: 1, denominator: 1 };

    /// Whether it is less than 1.
    ///
    /// ```
    /// # use taquin_search::Weight;
    /// assert!(Weight::new(2, 3).unwrap().is_below_one());
    /// ```
    pub const fn is_below_one(self) -> bool {
        self.numerator < self.denominator
    }

    /// The greatest numerator and denominator.
    const MAX: u32 = 1_000_000;

    /// Returns `numerator / denominator`; `None` if either is 0 or greater than a million.
    ///
    /// ```
    /// # use taquin_search::Weight;
    /// assert_eq!(Weight::new(6, 4), Weight::new(3, 2));
    /// assert_eq!(Weight::new(1, 0), None);
    /// ```
    pub fn new(numerator: u32, denominator: u32) -> Option<Self> {
        let allowed = 1..=Self::MAX;
        let is_allowed = allowed.contains(&numerator) && allowed.contains(&denominator);
        is_allowed.then(|| Self::reduced(numerator, denominator)).flatten()
    }

    /// Returns `numerator / denominator` in lowest terms, or `None` if one of them is too great.
    fn reduced(numerator: u32, denominator: u32) -> Option<Self> {
        let (mut a, mut b) = (numerator, denominator);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        let (numerator, denominator) = (numerator / a, denominator / a);
        (numerator.max(denominator) <= Self::MAX).then_some(Self { numerator, denominator })
    }

    /// Returns whether `cost` is at most the weight times `bound`.
    pub(crate) const fn allows(self, cost: u64, bound: u64) -> bool {
        cost as u128 * self.denominator as u128 <= bound as u128 * self.numerator as u128
    }

    /// Returns the weight times `cost`, rounded down.
    pub(crate) const fn times(self, cost: u64) -> u64 {
        let product = cost as u128 * self.numerator as u128 / self.denominator as u128;
        if product > u64::MAX as u128 { u64::MAX } else { product as u64 }
    }

    /// Returns the weight whose difference from 1 is twice as great, if it is a weight.
    pub(crate) fn with_twice_the_excess(self) -> Option<Self> {
        Self::new((2 * self.numerator).checked_sub(self.denominator)?, self.denominator)
    }

    /// Returns the weight that is less by `1 / parts`, but not below 1.
    pub(crate) fn less(self, parts: u32) -> Self {
        let denominator = u64::from(self.denominator) * u64::from(parts);
        let numerator = u64::from(self.numerator) * u64::from(parts);
        let left = numerator.saturating_sub(self.denominator.into()).max(denominator);
        let parts = u32::try_from(left).ok().zip(u32::try_from(denominator).ok());
        parts.and_then(|(left, denominator)| Self::reduced(left, denominator)).unwrap_or(Self::ONE)
    }

    /// Returns an integer in the order of dynamic potential search: the weight times `bound`, less
    /// `g`, for each unit of `h`. Different fractions are different integers.
    pub(crate) fn potential(self, bound: u64, g: Cost, h: Cost) -> u128 {
        let spent = u128::from(g) * u128::from(self.denominator);
        let left = (u128::from(bound) * u128::from(self.numerator)).saturating_sub(spent);
        match h {
            0 => u128::MAX,
            h => (left << 64) / u128::from(h),
        }
    }

    /// Returns an integer in the order of a priority. Roots are rounded down, so nodes whose
    /// priorities differ by little can have the same rank. For a priority that depends on other
    /// nodes, this is the parabola with the same name.
    ///
    /// ```
    /// # use taquin_search::{Phi, Weight};
    /// let two = Weight::new(2, 1).unwrap();
    /// // A goal at twice the cost has the rank of the start.
    /// assert_eq!(two.rank_by(Phi::Xdp, 0, 10), two.rank_by(Phi::Xdp, 20, 0));
    /// assert!(two.rank_by(Phi::Xdp, 10, 10) > two.rank_by(Phi::Xdp, 0, 10));
    /// ```
    pub fn rank_by(self, phi: Phi, g: Cost, h: Cost) -> u64 {
        // Twice the priority times the weight and its denominator, in parts of this size. The
        // greatest number under the root takes 127 bits.
        const PARTS: u128 = 1 << 10;
        let (p, q) = (u128::from(self.numerator), u128::from(self.denominator));
        let (wide_g, wide_h) = (u128::from(g), u128::from(h));
        let (sum, square) = match phi {
            // With the weight 1, every priority is f.
            _ if self == Self::ONE => return self.rank(g, h),
            Phi::Wa => return self.rank(g, h),
            Phi::Xdp | Phi::PwXdp => (
                q * wide_g + (2 * p).saturating_sub(q) * wide_h,
                (q * wide_g.abs_diff(wide_h)).pow(2) + 4 * p * q * wide_g * wide_h,
            ),
            Phi::Xup | Phi::PwXup => (
                q * (wide_g + wide_h),
                (q * (wide_g + wide_h)).pow(2) + 4 * p * p.saturating_sub(q) * wide_h.pow(2),
            ),
        };
        let root = square.checked_mul(PARTS * PARTS).map_or(square.isqrt() * PARTS, u128::isqrt);
        (sum * PARTS + root).try_into().unwrap_or(u64::MAX)
    }

    /// Returns an integer that is ordered as `g + weight * h`.
    ///
    /// ```
    /// # use taquin_search::Weight;
    /// let weight = Weight::new(3, 2).unwrap();
    /// assert!(weight.rank(1, 4) < weight.rank(0, 5)); // 7 < 7.5
    /// ```
    #[inline]
    pub fn rank(self, g: Cost, h: Cost) -> u64 {
        u64::from(g) * u64::from(self.denominator) + u64::from(h) * u64::from(self.numerator)
    }
}

impl From<Weight> for f64 {
    fn from(weight: Weight) -> Self {
        Self::from(weight.numerator) / Self::from(weight.denominator)
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
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
        let (numerator, denominator) = if let Some((above, below)) = text.split_once('/') {
            (digits(above)?, digits(below)?)
        } else if let Some((whole, fraction)) = text.split_once('.') {
            let denominator = 10u32.checked_pow(fraction.len() as u32).ok_or_else(error)?;
            let whole = digits(whole)?.checked_mul(denominator).ok_or_else(error)?;
            (whole.checked_add(digits(fraction)?).ok_or_else(error)?, denominator)
        } else {
            (digits(text)?, 1)
        };
        Self::new(numerator, denominator).ok_or_else(error)
    }
}

/// Why a field of a [`Policy`] could not be set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// No field has this name.
    #[error("there is no such field")]
    Unknown,
    /// The value is not valid for the field.
    #[error("expected {0}")]
    Value(String),
}

impl From<NameError> for FieldError {
    fn from(error: NameError) -> Self {
        Self::Value(list(error.known()))
    }
}

impl Policy {
    /// The names of the fields, in the order in which they are printed.
    pub const FIELDS: [&str; 12] = [
        "w",
        "phi",
        "k",
        "depth",
        "seed",
        "rank",
        "tie",
        "order",
        "goal",
        "duplicates",
        "reopen",
        "undo",
    ];

    /// Returns a node's rank. The open list returns the lowest first. For a priority that depends
    /// on other nodes, this is the parabola with the same name.
    ///
    /// ```
    /// # use taquin_search::Policy;
    /// assert_eq!(Policy::greedy().rank_of(3, 4, 3), 4);
    /// assert_eq!(Policy::astar().rank_of(3, 4, 3), 7);
    /// ```
    #[inline]
    pub fn rank_of(&self, g: Cost, h: Cost, depth: u64) -> u64 {
        match self.rank {
            Rank::None => 0,
            Rank::Depth => depth,
            Rank::G => g.into(),
            Rank::H => h.into(),
            Rank::F => match self.phi {
                Phi::Wa => self.weight.rank(g, h),
                phi => self.weight.rank_by(phi, g, h),
            },
        }
    }

    /// Returns the number that a rank stands for: f if nodes are ranked by it.
    ///
    /// ```
    /// # use taquin_search::{Policy, Weight};
    /// let policy = Policy::wastar(Weight::new(3, 2).unwrap());
    /// assert_eq!(policy.value_of(policy.rank_of(3, 1, 3)), 4.5);
    /// ```
    pub fn value_of(&self, rank: u64) -> f64 {
        match self.rank {
            Rank::F if self.has_pieces() => f32::from_bits(rank as u32).into(),
            Rank::F => rank as f64 / self.rank_of(1, 0, 1) as f64,
            _ => rank as f64,
        }
    }

    /// Whether the rank of a node depends on the nodes that the search has generated.
    pub(crate) fn has_pieces(&self) -> bool {
        self.rank == Rank::F && self.phi.is_piecewise() && self.weight != Weight::ONE
    }

    /// Breadth-first search.
    ///
    /// ```
    /// # use taquin_search::{Policy, Rank};
    /// assert_eq!(Policy::bfs().rank, Rank::Depth);
    /// ```
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
            phi: Phi::Wa,
            depth: None,
            width: None,
            seed: 0,
        }
    }

    /// Depth-first search.
    ///
    /// ```
    /// # use taquin_search::{Order, Policy};
    /// assert_eq!(Policy::dfs().order, Order::Lifo);
    /// ```
    pub const fn dfs() -> Self {
        Self { rank: Rank::None, order: Order::Lifo, ..Self::bfs() }
    }

    /// Uniform-cost search (Dijkstra's algorithm).
    ///
    /// ```
    /// # use taquin_search::{Policy, Rank};
    /// assert_eq!(Policy::ucs().rank, Rank::G);
    /// ```
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
    ///
    /// ```
    /// # use taquin_search::{Policy, Rank};
    /// assert_eq!(Policy::greedy().rank, Rank::H);
    /// ```
    pub const fn greedy() -> Self {
        Self { rank: Rank::H, ..Self::bfs() }
    }

    /// A*.
    ///
    /// ```
    /// # use taquin_search::{Policy, Rank, Tie};
    /// let policy = Policy::astar();
    /// assert_eq!((policy.rank, policy.tie), (Rank::F, Tie::HighG));
    /// ```
    pub const fn astar() -> Self {
        Self { rank: Rank::F, tie: Tie::HighG, order: Order::Lifo, ..Self::ucs() }
    }

    /// Weighted A*.
    ///
    /// ```
    /// # use taquin_search::{Policy, Weight};
    /// assert_eq!(Policy::wastar(Weight::ONE), Policy::astar());
    /// ```
    pub const fn wastar(weight: Weight) -> Self {
        Self { weight, ..Self::astar() }
    }

    /// Beam search: only the best `width` nodes of each layer are expanded.
    ///
    /// ```
    /// # use std::num::NonZeroUsize;
    /// # use taquin_search::Policy;
    /// assert_eq!(Policy::beam(NonZeroUsize::MIN).get("k").as_deref(), Some("1"));
    /// ```
    pub const fn beam(width: NonZeroUsize) -> Self {
        Self { rank: Rank::F, width: Some(width), ..Self::bfs() }
    }

    /// A search that expands the nodes of the open list in random order.
    ///
    /// ```
    /// # use taquin_search::Policy;
    /// assert_eq!(Policy::random(7).seed, 7);
    /// ```
    pub const fn random(seed: u64) -> Self {
        Self { rank: Rank::None, order: Order::Random, seed, ..Self::bfs() }
    }

    /// Sets a field by name.
    ///
    /// # Errors
    /// Fails if there is no such field, or the value is not valid for it.
    ///
    /// ```
    /// # use taquin_search::{FieldError, Policy};
    /// let mut policy = Policy::bfs();
    /// policy.set("depth", "30")?;
    /// assert_eq!(policy.depth, Some(30));
    /// assert_eq!(policy.set("width", "3"), Err(FieldError::Unknown));
    /// # Ok::<(), FieldError>(())
    /// ```
    pub fn set(&mut self, field: &str, value: &str) -> Result<(), FieldError> {
        match field {
            "w" => self.weight = value.parse()?,
            "phi" => self.phi = value.parse()?,
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

    /// Returns a field's value as users write it, or `None` if it is not set or the field does not
    /// exist.
    ///
    /// ```
    /// # use taquin_search::Policy;
    /// assert_eq!(Policy::astar().get("tie").as_deref(), Some("high-g"));
    /// assert_eq!(Policy::astar().get("depth"), None);
    /// ```
    pub fn get(&self, field: &str) -> Option<String> {
        Some(match field {
            "w" => self.weight.to_string(),
            "phi" => self.phi.to_string(),
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

    /// Returns the fields in which this policy differs from `from`, with this policy's values.
    ///
    /// ```
    /// # use taquin_search::Policy;
    /// let differences = Policy::bfs().differences(&Policy::dfs());
    /// assert_eq!(differences, [("rank", "depth".into()), ("order", "fifo".into())]);
    /// ```
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
            ("rank", Rank::NAMES.to_vec()),
            ("tie", Tie::NAMES.to_vec()),
            ("order", Order::NAMES.to_vec()),
            ("goal", GoalTest::NAMES.to_vec()),
            ("duplicates", Duplicates::NAMES.to_vec()),
            ("reopen", Reopen::NAMES.to_vec()),
            ("undo", Undo::NAMES.to_vec()),
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
}
