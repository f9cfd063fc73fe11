//! The algorithms: one row each, from which everything else about them comes.
//!
//! To add one, write its engine (a function over any state space) and a row here. The row has the
//! spelling, the title and the help text, the fields that a method may set, and the engine.

#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the path of a method holds for one lifetime of its portfolio only"
)]

use std::fmt;

use taquin_search::{
    Incremental, Observer, Policy, Search, Weight, best_first, bidirectional, rbfs,
};
use taquin_tiles::packed::{Layout, Tiles};

use crate::engine::Run;
use crate::portfolio::Portfolio;

/// What is known about an algorithm.
pub(crate) struct Row {
    /// The name that methods use.
    name: &'static str,
    /// The name as a heading.
    title: &'static str,
    /// A description in a line.
    about: &'static str,
    /// Whether the name is followed by a heuristic.
    takes_heuristic: bool,
    /// The policy that the name alone stands for.
    policy: fn() -> Policy,
    /// The fields of the policy that a method may set.
    policy_fields: &'static [&'static str],
    /// The fields outside of the policy that a method may set.
    other_fields: &'static [&'static str],
    /// What there is to see of its steps.
    steps: Steps,
    /// Whether its solutions are optimal.
    optimal: Optimal,
    /// Runs several searches, or none, instead of one engine.
    stages: Option<fn(&mut Portfolio<'_>)>,
}

/// What there is to see of an algorithm that expands one node after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Steps {
    /// It does not, or reports nothing.
    None,
    /// Each node is taken from one of two open lists, and reported.
    TwoLists,
    /// Each node is taken from an open list.
    OpenList,
    /// Nothing but a path is stored.
    Path,
}

/// Whether an algorithm looks for optimal solutions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Optimal {
    Yes,
    No,
    /// The policy decides.
    ByPolicy,
}

const BEST_FIRST: Row = Row {
    name: "",
    title: "",
    about: "",
    takes_heuristic: false,
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
    steps: Steps::OpenList,
    optimal: Optimal::ByPolicy,
    stages: None,
};

const INFORMED: Row = Row { takes_heuristic: true, ..BEST_FIRST };

const DEEPENING: Row = Row {
    policy_fields: &["goal", "undo"],
    steps: Steps::Path,
    optimal: Optimal::Yes,
    ..BEST_FIRST
};

const STAGED: Row = Row {
    policy_fields: &[],
    other_fields: &[],
    steps: Steps::None,
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

            const fn row(self) -> &'static Row {
                match self { $(Self::$variant => { const ROW: &Row = &$row; ROW })* }
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
    Auto = Row {
        name: "auto",
        title: "Automatic",
        about: "an optimal answer where that is quick, else the best found in time with its bound",
        stages: Some(|portfolio| portfolio.auto()),
        ..STAGED
    };
    Bfs = Row {
        name: "bfs",
        title: "Breadth-first",
        about: "breadth-first search: fewest moves, no heuristic",
        ..BEST_FIRST
    };
    Dfs = Row {
        name: "dfs",
        title: "Depth-first",
        about: "depth-first search, to any depth or to depth=N",
        policy: Policy::dfs,
        ..BEST_FIRST
    };
    Ucs = Row {
        name: "ucs",
        title: "Uniform cost",
        about: "uniform-cost search: the cheapest path first",
        policy: Policy::ucs,
        ..BEST_FIRST
    };
    Greedy = Row {
        name: "greedy",
        title: "Greedy",
        about: "greedy best-first search: the smallest estimate first",
        policy: Policy::greedy,
        ..INFORMED
    };
    Astar = Row {
        name: "astar",
        title: "A*",
        about: "A*: cost of the path plus estimate; optimal",
        policy: Policy::astar,
        ..INFORMED
    };
    Wastar = Row {
        name: "wastar",
        title: "Weighted A*",
        about: "weighted A*: the estimate counts w times; at most w times the optimum",
        policy: || Policy::wastar(Weight::new(2, 1).expect("a weight")),
        policy_fields: &[
            "w", "rank", "tie", "order", "goal", "duplicates", "reopen", "undo", "depth", "seed",
        ],
        ..INFORMED
    };
    Beam = Row {
        name: "beam",
        title: "Beam",
        about: "beam search: the k best nodes of each layer",
        policy: || Policy::beam(std::num::NonZeroUsize::new(1_000).expect("a width")),
        policy_fields: &[
            "k", "rank", "tie", "order", "goal", "duplicates", "reopen", "undo", "depth", "seed",
        ],
        ..INFORMED
    };
    Random = Row {
        name: "random",
        title: "Random",
        about: "takes a random node of the open list; repeatable with seed=N",
        policy: || Policy::random(0),
        ..BEST_FIRST
    };
    Bidirectional = Row {
        name: "bidirectional",
        title: "Bidirectional",
        about: "breadth-first search from both ends: fewest moves",
        policy_fields: &[],
        steps: Steps::TwoLists,
        optimal: Optimal::Yes,
        ..BEST_FIRST
    }, |run, _heuristic, observer| bidirectional(&run.space, &run.start, run.limits, observer);
    Ids = Row {
        name: "ids",
        title: "Iterative deepening",
        about: "iterative deepening by depth: fewest moves, almost no memory",
        ..DEEPENING
    }, |run, heuristic, observer| run.deepen(true, heuristic, observer);
    Ida = Row {
        name: "ida",
        title: "IDA*",
        about: "IDA*: iterative deepening by estimate; optimal, almost no memory",
        takes_heuristic: true,
        other_fields: &["prune", "on", "moves"],
        ..DEEPENING
    }, |run, heuristic, observer| run.deepen(false, heuristic, observer);
    Rbfs = Row {
        name: "rbfs",
        title: "Recursive best-first",
        about: "recursive best-first search: the order of A*, almost no memory; optimal",
        takes_heuristic: true,
        policy_fields: &["undo"],
        ..DEEPENING
    }, |run, heuristic, observer| {
        rbfs(&run.space, &run.start, heuristic, run.method.policy.undo, run.limits, observer)
    };
    Layers = Row {
        name: "layers",
        title: "Layer by layer",
        about: "any board of any size at once, row by row and column by column; no search",
        stages: Some(|portfolio| portfolio.layers()),
        ..STAGED
    };
    Anytime = Row {
        name: "anytime",
        title: "Anytime",
        about: "layers, then better and better answers until the limit (10 s if none is given)",
        policy_fields: &["seed"],
        stages: Some(|portfolio| portfolio.anytime()),
        ..STAGED
    };
    Table = Row {
        name: "table",
        title: "Table of all boards",
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

    /// The name as a heading.
    pub const fn title(self) -> &'static str {
        self.row().title
    }

    /// A description in a line.
    pub const fn about(self) -> &'static str {
        self.row().about
    }

    /// Whether it is guided by a heuristic.
    pub const fn takes_heuristic(self) -> bool {
        self.row().takes_heuristic
    }

    /// The policy that its name alone stands for.
    pub fn policy(self) -> Policy {
        (self.row().policy)()
    }

    /// The fields of the policy that a method may set.
    pub const fn policy_fields(self) -> &'static [&'static str] {
        self.row().policy_fields
    }

    /// The fields outside of the policy that a method may set: `moves`, `metric`, `prune`, `on`.
    pub const fn other_fields(self) -> &'static [&'static str] {
        self.row().other_fields
    }

    /// Whether it tries the moves of a blank in an order that can be chosen.
    pub fn has_moves(self) -> bool {
        self.other_fields().contains(&"moves")
    }

    /// Whether it expands one node after the other and reports each, so that it can be traced.
    pub const fn is_traced(self) -> bool {
        !matches!(self.row().steps, Steps::None)
    }

    /// Whether it can be traced, and its choice of each node has a reason: that of an open list or
    /// of a path.
    pub const fn has_steps(self) -> bool {
        matches!(self.row().steps, Steps::OpenList | Steps::Path)
    }

    /// Whether it stores only the path to the node that it expands, and no open list.
    pub const fn stores_only_a_path(self) -> bool {
        matches!(self.row().steps, Steps::Path)
    }

    pub(crate) const fn optimal(self) -> Optimal {
        self.row().optimal
    }

    /// Whether its answer depends on how much time, memory or nodes it is given.
    pub fn divides_limits(self) -> bool {
        matches!(self, Self::Auto | Self::Anytime)
    }

    /// What runs instead of one engine.
    pub(crate) fn stages(self) -> Option<fn(&mut Portfolio<'_>)> {
        self.row().stages
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
