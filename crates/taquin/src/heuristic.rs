//! The heuristics: one row each, from which everything else about them comes.
//!
//! To add one, write a type that implements `Heuristic` for every layout and a row here. A type
//! that also implements `Incremental` is stored as it is, any other in [`Recomputed`].
//!
//! The engines are compiled once for [`AnyHeuristic`]; which heuristic it holds costs a branch per
//! node that is always predicted. Heuristics with a shorter step are handed to the engines
//! directly.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use taquin_search::{Blind, Cost, Heuristic, Incremental, Recomputed};
use taquin_tables::whole::Metric;
use taquin_tables::{Partition, PartitionError, PatternKind, Patterns, Walking, ZeroAware};
use taquin_tiles::packed::{Layout, Segment, Segments, Tiles, Wide};
use taquin_tiles::{
    Additive, Board, Cell, Costs, Gaschnig, Inversion, Linear, Measure, Puzzle, Size,
};

use crate::IS_FIRST;
use crate::method_syntax::{MethodError, MethodSyntax};
use crate::tables::{TableError, TableRequest, Tables};
use crate::task::Task;

/// The parts that a heuristic is made from.
pub(crate) struct HeuristicContext<'a, 'b> {
    pub(crate) puzzle: &'a Puzzle,
    pub(crate) costs: &'a Costs,
    pub(crate) metric: Metric,
    pub(crate) tables: &'a Tables,
    pub(crate) request: &'a mut TableRequest<'b>,
}

impl HeuristicContext<'_, '_> {
    fn additive(&self, measure: Measure) -> Additive {
        Additive::new(measure, self.puzzle, self.costs)
    }
}

/// Makes the names of the heuristics, and the heuristics.
macro_rules! heuristics {
    ($(
        $variant:ident $name:literal $(| $other:literal)* $about:literal, $type:ty,
        |$parts:ident| $make:expr;
    )*) => {
        /// A heuristic as a method names it.
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        pub enum Estimate {
            $(#[doc = $about] $variant,)*
            /// Pattern databases, added up.
            Pdb {
                /// The patterns.
                partition: Partition,
                /// The kind of the databases.
                kind: PatternKind,
            },
            /// The greatest of several heuristics.
            Max(Vec<Self>),
        }

        impl Estimate {
            /// The heuristics without parameters.
            pub const NAMED: &[Self] = &[$(Self::$variant),*];

            /// Names that people write, each with the spelling that is accepted.
            pub(crate) const OTHER_NAMES: &[(&str, &str)] = &[
                $($(($other, $name),)*)*
                ("pdb", "pdb=small"),
                ("pattern-database", "pdb=small"),
                ("pattern-databases", "pdb=small"),
                ("zpdb", "zpdb=small"),
                ("max", "max=linear+gaschnig"),
            ];

            /// Whether no move changes the estimate by more than it costs.
            pub(crate) fn is_consistent(&self) -> bool {
                match self {
                    // An entry is the least over all positions of the blank.
                    Self::Pdb { kind, .. } => *kind != PatternKind::Plain,
                    Self::Max(all) => all.iter().all(Self::is_consistent),
                    $(Self::$variant)|* => true,
                }
            }

            /// A one-line description.
            pub const fn about(&self) -> &'static str {
                match self {
                    $(Self::$variant => $about,)*
                    Self::Pdb { kind: PatternKind::Plain, .. } => {
                        "pattern databases: exact moves of groups of tiles, added up"
                    }
                    Self::Pdb { kind: PatternKind::ZeroAware, .. } => {
                        "pattern databases that also know the region of the blank"
                    }
                    Self::Max(_) => "the greatest of several",
                }
            }

            const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Pdb { kind, .. } => kind.extension(),
                    Self::Max(_) => "max",
                }
            }

            /// Makes the heuristic for a puzzle, with the tables that it needs.
            pub(crate) fn make(&self, parts: &mut HeuristicContext<'_, '_>) -> Result<AnyHeuristic, TableError> {
                Ok(match self {
                    $(Self::$variant => {
                        let $parts = &mut *parts;
                        AnyHeuristic::$variant($make)
                    })*
                    Self::Pdb { .. } if IS_FIRST => {
                        unreachable!("requests with databases are for the whole module")
                    }
                    Self::Pdb { partition, kind } => {
                        let HeuristicContext { puzzle, tables, request, .. } = parts;
                        let of = (partition, puzzle.goal());
                        match kind {
                            PatternKind::Plain => AnyHeuristic::Pdb(tables.patterns(of, request)?),
                            PatternKind::ZeroAware => {
                                AnyHeuristic::Zpdb(tables.patterns(of, request)?)
                            }
                        }
                    }
                    Self::Max(list) => AnyHeuristic::Max(
                        list.iter().map(|each| each.make(parts)).collect::<Result<_, _>>()?,
                    ),
                })
            }
        }

        any_heuristic! { $($variant $type,)* Pdb Patterns, Zpdb Patterns<ZeroAware>, }
    };
}

/// Makes the type that holds any heuristic with its memo.
macro_rules! any_heuristic {
    ($($variant:ident $type:ty,)*) => {
        /// Any heuristic, ready to be used.
        #[derive(Clone, Debug)]
        pub(crate) enum AnyHeuristic {
            $($variant(Arc<$type>),)*
            Max(Vec<Self>),
            Own(OwnHeuristic),
        }

        /// The remembered part of a state.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum Memo {
            $($variant(MemoOf<$type>),)*
            Max(Cost),
        }

        impl<L: Layout> Heuristic<Tiles<L>> for AnyHeuristic {
            fn estimate(&self, state: &L::State) -> Cost {
                match self {
                    $(Self::$variant(of) => Heuristic::<Tiles<L>>::estimate(&**of, state),)*
                    Self::Max(list) => {
                        let each =
                            list.iter().map(|of| Heuristic::<Tiles<L>>::estimate(of, state));
                        each.max().unwrap_or(0)
                    }
                    Self::Own(of) => Heuristic::<Tiles<L>>::estimate(of, state),
                }
            }
        }

        impl<L: Layout> Incremental<Tiles<L>> for AnyHeuristic {
            type Memo = Memo;

            fn memo(&self, state: &L::State) -> Memo {
                match self {
                    $(Self::$variant(of) => {
                        Memo::$variant(Incremental::<Tiles<L>>::memo(&**of, state))
                    })*
                    Self::Max(_) | Self::Own(_) => {
                        Memo::Max(Heuristic::<Tiles<L>>::estimate(self, state))
                    }
                }
            }

            #[inline]
            fn memo_with(&self, state: &L::State, estimate: Cost) -> Memo {
                match self {
                    $(Self::$variant(of) => {
                        Memo::$variant(Incremental::<Tiles<L>>::memo_with(&**of, state, estimate))
                    })*
                    Self::Max(_) | Self::Own(_) => Memo::Max(estimate),
                }
            }

            #[inline]
            fn step(&self, memo: Memo, state: &L::State, action: L::Action) -> Memo {
                match (self, memo) {
                    $((Self::$variant(of), Memo::$variant(memo)) => {
                        Memo::$variant(Incremental::<Tiles<L>>::step(&**of, memo, state, action))
                    })*
                    // A memo comes from the same heuristic, so that no other pair occurs.
                    _ => Memo::Max(Heuristic::<Tiles<L>>::estimate(self, state)),
                }
            }

            #[inline]
            fn value(&self, memo: Memo) -> Cost {
                match (self, memo) {
                    $((Self::$variant(of), Memo::$variant(memo)) => {
                        Incremental::<Tiles<L>>::value(&**of, memo)
                    })*
                    (_, Memo::Max(estimate)) => estimate,
                    _ => 0,
                }
            }
        }
    };
}

heuristics! {
    Zero "zero" | "none" | "blind" | "null" "nothing: every estimate is 0", Blind, |_parts| Arc::new(Blind);
    Misplaced "misplaced" | "hamming" | "misplaced-tiles" "the number of tiles that are not at home", Additive,
        |parts| Arc::new(parts.additive(Measure::Misplaced));
    Euclidean "euclidean" | "euclid" | "euclidean-distance" "straight-line distances of all tiles, added and rounded down", Additive,
        |parts| Arc::new(parts.additive(Measure::Euclidean));
    Manhattan "manhattan" | "taxicab" | "manhattan-distance"
        "rows and columns that each tile is away from home", Additive,
        |parts| Arc::new(parts.additive(Measure::Manhattan));
    Linear "linear" | "linear-conflict" | "linear-conflicts" "Manhattan distance and linear conflicts", Linear,
        |parts| Arc::new(Linear::new(parts.puzzle, parts.costs));
    Inversion "inversion" | "inversions" | "inversion-distance"
        "vertical moves that sort the rows plus horizontal ones that sort the columns",
        Inversion, |parts| Arc::new(Inversion::new(parts.puzzle, parts.costs));
    Gaschnig "gaschnig" "moves when a tile can jump to a blank from anywhere", Recomputed<Box<Gaschnig>>,
        |parts| Arc::new(Recomputed(Box::new(Gaschnig::new(parts.puzzle, parts.costs))));
    Walking "walking" | "walking-distance" "moves between rows and between columns, tiles of a line being alike", Walking,
        |parts| parts.tables.walking(parts.puzzle.goal(), parts.metric, parts.request)?;
}

impl<L: Layout> Heuristic<Segments<L>> for AnyHeuristic {
    fn estimate(&self, state: &L::State) -> Cost {
        Heuristic::<Tiles<L>>::estimate(self, state)
    }
}

impl<L: Layout> Incremental<Segments<L>> for AnyHeuristic {
    type Memo = Memo;

    fn memo(&self, state: &L::State) -> Memo {
        Incremental::<Tiles<L>>::memo(self, state)
    }

    fn step(&self, memo: Memo, state: &L::State, action: Segment) -> Memo {
        match (self, memo) {
            (Self::Walking(walking), Memo::Walking(memo)) => {
                Memo::Walking(Incremental::<Segments<L>>::step(&**walking, memo, state, action))
            }
            _ => Incremental::<Tiles<L>>::memo(self, state),
        }
    }

    fn value(&self, memo: Memo) -> Cost {
        Incremental::<Tiles<L>>::value(self, memo)
    }
}

/// A heuristic that a caller wrote: any function of a board.
#[derive(Clone)]
pub struct OwnHeuristic {
    size: Size,
    estimate: Arc<dyn Fn(&Board) -> Cost + Send + Sync>,
}

impl OwnHeuristic {
    /// A heuristic for boards of a size.
    pub fn new(size: Size, estimate: impl Fn(&Board) -> Cost + Send + Sync + 'static) -> Self {
        Self { size, estimate: Arc::new(estimate) }
    }

    /// The heuristic `misplaced` with blanks as tiles, each with the least cost of a move: at most
    /// [`cost_of_blanks`] above the true cost.
    pub(crate) fn misplaced_cells(task: &Task) -> Self {
        let (goal, costs) = (task.puzzle.goal().clone(), costs_of_tiles(task));
        Self::new(goal.size(), move |board: &Board| {
            let pairs = board.tiles().iter().zip(goal.tiles());
            let misplaced = pairs.filter(|(tile, home)| tile != home);
            misplaced.fold(0, |sum: Cost, (&tile, _)| sum.saturating_add(costs[usize::from(tile)]))
        })
    }
}

/// The cost for blanks, which is the least of all, and for each tile.
fn costs_of_tiles(task: &Task) -> Vec<Cost> {
    let mut costs = task.cost.of_tiles(task.puzzle.size().cells());
    let tiles = task.puzzle.goal().tiles().iter().filter(|&&tile| tile != 0);
    costs[0] = tiles.map(|&tile| costs[usize::from(tile)]).min().unwrap_or(1);
    costs
}

/// The most that blanks add to an estimate that counts them.
pub(crate) fn cost_of_blanks(task: &Task) -> Cost {
    let blanks = task.puzzle.goal().blanks().count() as Cost;
    costs_of_tiles(task)[0].saturating_mul(blanks)
}

impl fmt::Debug for OwnHeuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnHeuristic").field("size", &self.size).finish_non_exhaustive()
    }
}

impl<L: Layout> Heuristic<Tiles<L>> for OwnHeuristic {
    fn estimate(&self, state: &L::State) -> Cost {
        let tiles = (0..self.size.cells()).map(|cell| L::tile(state, cell as Cell)).collect();
        let board = Board::new(self.size, tiles).expect("a state is a board");
        (self.estimate)(&board)
    }
}

impl AnyHeuristic {
    /// Whether its tables are as they were when it was made.
    pub(crate) fn is_intact(&self) -> bool {
        match self {
            Self::Pdb(patterns) => patterns.is_intact(),
            Self::Zpdb(patterns) => patterns.is_intact(),
            Self::Max(list) => list.iter().all(Self::is_intact),
            _ => true,
        }
    }
}

/// The part of a state that a heuristic remembers. It is the same for all layouts.
type MemoOf<H> = <H as Incremental<Tiles<Wide>>>::Memo;

impl Estimate {
    /// Reads a heuristic's spelling, which is a part of a method's.
    pub(crate) fn read(text: &str, syntax: &MethodSyntax<'_>) -> Result<Self, MethodError> {
        if let Some(list) = text.strip_prefix("max=") {
            let each = list.split('+').map(|name| Self::read_one(name, syntax));
            return Ok(Self::Max(each.collect::<Result<_, _>>()?));
        }
        Self::read_one(text, syntax)
    }

    fn read_one(text: &str, syntax: &MethodSyntax<'_>) -> Result<Self, MethodError> {
        let database = text.split_once('=').and_then(|(name, partition)| {
            let kind = PatternKind::ALL.into_iter().find(|kind| kind.extension() == name)?;
            Some((kind, partition))
        });
        if let Some((kind, partition)) = database {
            let hint =
                || Some("write pdb=6-6-3, pdb=7-8, or tiles as in pdb=1.2.3/4.5.6".to_owned());
            let wrong = |error: PartitionError| syntax.error(partition, error.to_string(), hint());
            let partition = partition.parse().map_err(wrong)?;
            return Ok(Self::Pdb { partition, kind });
        }
        let named = Self::NAMED.iter().find(|estimate| estimate.name() == text).cloned();
        named.ok_or_else(|| {
            let families = ["pdb=PARTITION", "zpdb=PARTITION", "max=A+B"];
            let known = Self::NAMED.iter().map(Self::name).chain(families);
            syntax.unknown(text, "heuristic", known, Self::OTHER_NAMES.iter().copied())
        })
    }

    /// Whether it looks up only pattern databases, as engines with databases require. A maximum
    /// must consist of zero-aware ones.
    pub(crate) fn is_databases(&self) -> bool {
        match self {
            Self::Max(list) => list
                .iter()
                .all(|each| matches!(each, Self::Pdb { kind: PatternKind::ZeroAware, .. })),
            _ => self.partition().is_some(),
        }
    }

    /// Whether it never exceeds the number of segments that slide.
    pub(crate) fn counts_segments(&self) -> bool {
        match self {
            Self::Max(list) => list.iter().all(Self::counts_segments),
            _ => matches!(self, Self::Zero | Self::Walking),
        }
    }

    /// Whether it looks up pattern databases, of any kind.
    pub(crate) fn has_databases(&self) -> bool {
        !self.databases().is_empty()
    }

    /// Whether it looks up tables.
    pub(crate) fn has_tables(&self) -> bool {
        match self {
            Self::Walking => true,
            Self::Max(list) => list.iter().any(Self::has_tables),
            _ => self.partition().is_some(),
        }
    }

    /// Resolves a partition that depends on the board size, for a goal.
    ///
    /// ```
    /// # use taquin::{Estimate, NamedGoal};
    /// let goal = NamedGoal::Last.board("4x4".parse()?, 1);
    /// let estimate: Estimate = "pdb=small".parse()?;
    /// assert_ne!(estimate.for_goal(&goal), estimate);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn for_goal(&self, goal: &Board) -> Self {
        match self {
            Self::Pdb { partition, kind } => {
                Self::Pdb { partition: partition.for_goal(goal), kind: *kind }
            }
            Self::Max(list) => Self::Max(list.iter().map(|each| each.for_goal(goal)).collect()),
            _ => self.clone(),
        }
    }

    /// The parts that look up pattern databases of any kind.
    ///
    /// ```
    /// use taquin::{Estimate, Partition};
    ///
    /// let estimate: Estimate = "max=linear+pdb=6-6-3".parse()?;
    /// assert_eq!(estimate.databases(), [&Estimate::pdb("6-6-3".parse()?)]);
    /// let partition: Partition = "6-6-6-6".parse()?;
    /// assert_eq!(Estimate::zpdb(partition.clone()).partition(), Some(&partition));
    /// println!("{}", Estimate::zpdb(partition).about());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn databases(&self) -> Vec<&Self> {
        match self {
            Self::Max(list) => list.iter().flat_map(Self::databases).collect(),
            _ => self.partition().map(|_| self).into_iter().collect(),
        }
    }

    /// Plain pattern databases.
    pub const fn pdb(partition: Partition) -> Self {
        Self::Pdb { partition, kind: PatternKind::Plain }
    }

    /// Zero-aware pattern databases.
    pub const fn zpdb(partition: Partition) -> Self {
        Self::Pdb { partition, kind: PatternKind::ZeroAware }
    }

    /// The partition whose pattern databases it looks up, if it is not the greatest of several.
    pub const fn partition(&self) -> Option<&Partition> {
        match self {
            Self::Pdb { partition, .. } => Some(partition),
            _ => None,
        }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Max(list) => {
                let names: Vec<String> = list.iter().map(Self::to_string).collect();
                write!(f, "max={}", names.join("+"))
            }
            Self::Pdb { partition, .. } => write!(f, "{}={partition}", self.name()),
            _ => f.write_str(self.name()),
        }
    }
}

impl FromStr for Estimate {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Self, MethodError> {
        Self::read(text, &MethodSyntax::new(text)?)
    }
}

/// A heuristic ready to be asked about boards, one by one.
///
/// ```
/// use taquin::{Board, Session, Task};
///
/// let task: Task = "8 6 7/2 5 4/3 0 1".parse::<Board>()?.into();
/// let session = Session::without_folder();
/// let linear = session.evaluator(&"linear".parse()?, &task.puzzle, &task.cost)?;
/// assert_eq!(linear.estimate(task.puzzle.goal()), 0);
/// assert!(linear.estimate(task.puzzle.start()) <= 31);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Evaluator(pub(crate) AnyHeuristic);

impl Evaluator {
    /// The estimate for a board with the goal's tiles.
    pub fn estimate(&self, board: &Board) -> Cost {
        Heuristic::<Tiles<Wide>>::estimate(&self.0, &Wide::state(board.tiles()))
    }
}
