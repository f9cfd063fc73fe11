//! The algorithms: one row each, from which everything else about them comes.
//!
//! To add one, write its engine (a function over any state space) and a row here. The row has the
//! spelling, the title and the help text, the fields that a method may set, and the engine.

#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the path of a method holds for one lifetime of its portfolio only"
)]

use std::fmt;

use serde::Serialize;
use taquin_search::{
    Incremental, Observer, Policy, Search, Weight, best_first, bidirectional, rbfs,
};
use taquin_tiles::packed::{Layout, Tiles};

use crate::engine::Run;
use crate::portfolio::Portfolio;

/// What is known about an algorithm. JSON has what a user can choose and see.
#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct AlgorithmRow {
    /// The name that methods use.
    pub name: &'static str,
    /// The name as a heading.
    pub title: &'static str,
    /// Other usual names besides the title. They are not accepted, but the error suggests `name`.
    #[serde(skip)]
    pub others: &'static [&'static str],
    /// A description in a line.
    pub about: &'static str,
    /// Whether the name is followed by a heuristic.
    pub takes_heuristic: bool,
    /// Whether the heuristic has to be pattern databases.
    pub needs_databases: bool,
    /// Whether it can be traced, and its choice of each node has a reason: that of an open list or of
    /// a path.
    pub has_steps: bool,
    /// Whether it stores only the path to the node that it expands, and no open list.
    #[serde(skip)]
    pub stores_only_a_path: bool,
    /// The policy that the name alone stands for.
    #[serde(skip)]
    pub policy: fn() -> Policy,
    /// The fields of the policy that a method may set.
    #[serde(rename = "fields")]
    pub policy_fields: &'static [&'static str],
    /// The fields outside of the policy that a method may set: `moves`, `metric`, `prune`, `on`,
    /// `tt`.
    #[serde(skip)]
    pub other_fields: &'static [&'static str],
    #[serde(skip)]
    pub(crate) optimal: Optimal,
    /// Runs several searches, or none, instead of one engine.
    #[serde(skip)]
    pub(crate) stages: Option<fn(&mut Portfolio<'_>)>,
}

/// Whether an algorithm looks for optimal solutions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Optimal {
    Yes,
    No,
    /// The policy decides.
    ByPolicy,
}

const BEST_FIRST: AlgorithmRow = AlgorithmRow {
    name: "",
    title: "",
    others: &[],
    about: "",
    takes_heuristic: false,
    needs_databases: false,
    has_steps: true,
    stores_only_a_path: false,
    policy: Policy::bfs,
    policy_fields: &[
        "rank",
        "tie",
        "order",
        "goal",
        "duplicates",
        "reopen",
        "undo",
        "depth",
        "seed",
    ],
    other_fields: &["moves"],
    optimal: Optimal::ByPolicy,
    stages: None,
};

const INFORMED: AlgorithmRow = AlgorithmRow { takes_heuristic: true, ..BEST_FIRST };

const DEEPENING: AlgorithmRow = AlgorithmRow {
    policy_fields: &["goal", "undo"],
    stores_only_a_path: true,
    optimal: Optimal::Yes,
    ..BEST_FIRST
};

const STAGED: AlgorithmRow = AlgorithmRow {
    policy_fields: &[],
    other_fields: &[],
    has_steps: false,
    optimal: Optimal::No,
    ..BEST_FIRST
};

/// Makes the enum, its rows and the choice of the engine, which is best-first search unless a row
/// names another.
macro_rules! algorithms {
    ($(
        $variant:ident = $row:expr
        $(, |$run:ident, $heuristic:ident, $observer:ident| $engine:expr)?;
    )*) => {
        /// An algorithm by its name.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs, reason = "each is described by `about`")]
        pub enum Algorithm { $($variant),* }

        impl Algorithm {
            /// All algorithms.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Everything else about it.
            pub const fn row(self) -> &'static AlgorithmRow {
                match self { $(Self::$variant => { const ROW: &AlgorithmRow = &$row; ROW })* }
            }

            /// Runs the engine of the algorithm.
            pub(crate) fn search<L, H, O>(
                self,
                run: &Run<'_, L>,
                heuristic: &H,
                observer: &mut O,
            ) -> Search<L::Action>
            where
                L: Layout,
                H: Incremental<Tiles<L>>,
                O: Observer<Tiles<L>>,
            {
                match self {
                    $($(Self::$variant => {
                        let ($run, $heuristic, $observer) = (run, heuristic, observer);
                        $engine
                    })?)*
                    _ => best_first(
                        &run.space,
                        &run.start,
                        heuristic,
                        &run.method.policy,
                        run.limits,
                        observer,
                    ),
                }
            }
        }
    };
}

algorithms! {
    Auto = AlgorithmRow {
        name: "auto",
        title: "Automatic",
        about: "an optimal answer where that is quick, else the best found in time with its bound",
        other_fields: &["on"],
        stages: Some(|portfolio| portfolio.auto()),
        ..STAGED
    };
    Bfs = AlgorithmRow {
        name: "bfs",
        title: "Breadth-first",
        others: &["breadth"],
        about: "breadth-first search: fewest moves, no heuristic",
        ..BEST_FIRST
    };
    Dfs = AlgorithmRow {
        name: "dfs",
        title: "Depth-first",
        others: &["depth"],
        about: "depth-first search, to any depth or to depth=N",
        policy: Policy::dfs,
        ..BEST_FIRST
    };
    Ucs = AlgorithmRow {
        name: "ucs",
        title: "Uniform cost",
        others: &["dijkstra"],
        about: "uniform-cost search: the cheapest path first",
        policy: Policy::ucs,
        ..BEST_FIRST
    };
    Greedy = AlgorithmRow {
        name: "greedy",
        title: "Greedy",
        others: &["best-first", "gbfs"],
        about: "greedy best-first search: the smallest estimate first",
        policy: Policy::greedy,
        ..INFORMED
    };
    Astar = AlgorithmRow {
        name: "astar",
        title: "A*",
        about: "A*: cost of the path plus estimate; optimal",
        policy: Policy::astar,
        ..INFORMED
    };
    Wastar = AlgorithmRow {
        name: "wastar",
        title: "Weighted A*",
        others: &["wa", "weighted-astar"],
        about: "weighted A*: the estimate counts w times; at most w times the optimum",
        policy: || Policy::wastar(Weight::new(2, 1).expect("a weight")),
        policy_fields: &[
            "w", "rank", "tie", "order", "goal", "duplicates", "reopen", "undo", "depth", "seed",
        ],
        ..INFORMED
    };
    Beam = AlgorithmRow {
        name: "beam",
        title: "Beam",
        about: "beam search: the k best nodes of each layer",
        policy: || Policy::beam(std::num::NonZeroUsize::new(1_000).expect("a width")),
        policy_fields: &[
            "k", "rank", "tie", "order", "goal", "duplicates", "reopen", "undo", "depth", "seed",
        ],
        ..INFORMED
    };
    Random = AlgorithmRow {
        name: "random",
        title: "Random",
        about: "takes a random node of the open list; repeatable with seed=N",
        policy: || Policy::random(0),
        ..BEST_FIRST
    };
    Bidirectional = AlgorithmRow {
        name: "bidirectional",
        title: "Bidirectional",
        others: &["bds", "bibfs"],
        about: "breadth-first search from both ends: fewest moves",
        policy_fields: &[],
        has_steps: false,
        optimal: Optimal::Yes,
        ..BEST_FIRST
    }, |run, _heuristic, observer| bidirectional(&run.space, &run.start, run.limits, observer);
    Ids = AlgorithmRow {
        name: "ids",
        title: "Iterative deepening",
        others: &["iddfs", "dfid"],
        about: "iterative deepening by depth: fewest moves, almost no memory",
        ..DEEPENING
    }, |run, heuristic, observer| run.deepen(true, heuristic, observer);
    Ida = AlgorithmRow {
        name: "ida",
        title: "IDA*",
        others: &["ida-star", "iterative-deepening-astar"],
        about: "IDA*: iterative deepening by estimate; optimal, almost no memory",
        takes_heuristic: true,
        other_fields: &["prune", "on", "moves"],
        ..DEEPENING
    }, |run, heuristic, observer| run.deepen(false, heuristic, observer);
    Aida = AlgorithmRow {
        name: "aida",
        title: "AIDA*",
        others: &["aida-star"],
        about: "IDA* with pdb= or zpdb=, below a frontier, with a transposition table; optimal",
        takes_heuristic: true,
        needs_databases: true,
        other_fields: &["tt", "prune", "moves"],
        optimal: Optimal::Yes,
        stages: Some(|portfolio| portfolio.aida()),
        ..STAGED
    };
    Rbfs = AlgorithmRow {
        name: "rbfs",
        title: "Recursive best-first",
        about: "recursive best-first search: the order of A*, almost no memory; optimal",
        takes_heuristic: true,
        policy_fields: &["undo"],
        ..DEEPENING
    }, |run, heuristic, observer| {
        rbfs(&run.space, &run.start, heuristic, run.method.policy.undo, run.limits, observer)
    };
    Layers = AlgorithmRow {
        name: "layers",
        title: "Layer by layer",
        about: "any board of any size at once, row by row and column by column; no search",
        stages: Some(|portfolio| portfolio.layers()),
        ..STAGED
    };
    Anytime = AlgorithmRow {
        name: "anytime",
        title: "Anytime",
        about: "layers, then better and better answers until the limit (10 s if none is given)",
        policy_fields: &["seed"],
        other_fields: &["on"],
        stages: Some(|portfolio| portfolio.anytime()),
        ..STAGED
    };
    Table = AlgorithmRow {
        name: "table",
        title: "Table of all boards",
        others: &["lookup"],
        about: "looks the answer up in a table of all boards, cached or made on the spot; optimal",
        other_fields: &["metric", "moves"],
        optimal: Optimal::Yes,
        stages: Some(|portfolio| portfolio.table()),
        ..STAGED
    };
}

impl Algorithm {
    /// The name that methods use.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The names that people write instead of [`name`](Self::name), each with that name.
    pub fn other_names(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let AlgorithmRow { name, title, others, .. } = self.row();
        others.iter().chain([title]).map(|other| (*other, *name))
    }

    /// Whether it tries the moves of a blank in an order that can be chosen.
    pub fn has_moves(self) -> bool {
        self.row().other_fields.contains(&"moves")
    }

    /// Whether it expands one node after the other and reports each, so that it can be traced.
    pub const fn is_traced(self) -> bool {
        self.row().stages.is_none()
    }

    /// Whether its answer depends on how much time, memory or nodes it is given.
    pub fn divides_limits(self) -> bool {
        matches!(self, Self::Auto | Self::Anytime)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
