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
use taquin_search::{Blind, Bounded, Choice, Incremental, Observer, Policy, Search, Weight};

use crate::IS_FIRST;
use crate::engine::{Bundle, SpaceSearch};
use crate::method::Method;
use crate::portfolio::Portfolio;
use crate::trace::BoardSpace;

/// An algorithm's properties. JSON has those that a user can choose and see.
#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct AlgorithmRow {
    /// The name that methods use.
    pub name: &'static str,
    /// The name as a heading.
    pub title: &'static str,
    /// Other usual names. They are not accepted, but the error suggests `name`.
    #[serde(skip)]
    pub others: &'static [&'static str],
    /// A one-line description.
    pub about: &'static str,
    /// The authors and the year of the paper that it comes from, if there is one.
    pub paper: &'static str,
    /// Whether the name is followed by a heuristic.
    pub takes_heuristic: bool,
    /// Whether the heuristic must consist of pattern databases.
    pub needs_databases: bool,
    /// Whether it also needs the estimated cost from the start, because it searches from both ends.
    /// Its trace has nodes of both searches: those from the goal have odd numbers.
    pub has_both_ends: bool,
    /// Whether it can be traced and gives a reason for each node: an open list or a path.
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
    /// The fields outside of the policy that a method may set: `moves`, `prune`, `on`, `tt`, `side`,
    /// `d`, `cutoff`, `blank`, `nodes`, `look`. Almost all have `metric`.
    #[serde(skip)]
    pub other_fields: &'static [&'static str],
    /// Whether it needs a weight of at least 1.
    #[serde(skip)]
    pub(crate) keeps_to_weight: bool,
    #[serde(skip)]
    pub(crate) optimal: Optimal,
    /// Runs several searches, or none, instead of one engine.
    #[serde(skip)]
    pub(crate) stages: Option<fn(&mut Portfolio<'_>)>,
}

/// The stages of an algorithm, which the module that is loaded first never runs.
const fn staged(run: fn(&mut Portfolio<'_>)) -> fn(&mut Portfolio<'_>) {
    if IS_FIRST { |_| () } else { run }
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
    paper: "",
    takes_heuristic: false,
    needs_databases: false,
    has_both_ends: false,
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
    keeps_to_weight: false,
    optimal: Optimal::ByPolicy,
    stages: None,
};

const INFORMED: AlgorithmRow =
    AlgorithmRow { takes_heuristic: true, other_fields: &["blank", "moves"], ..BEST_FIRST };

const DEEPENING: AlgorithmRow = AlgorithmRow {
    policy_fields: &["goal", "undo"],
    stores_only_a_path: true,
    optimal: Optimal::Yes,
    ..BEST_FIRST
};

const BRANCHING: AlgorithmRow = AlgorithmRow {
    takes_heuristic: true,
    policy_fields: &["undo"],
    has_steps: false,
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

const BOTH_ENDS: AlgorithmRow = AlgorithmRow {
    takes_heuristic: true,
    has_both_ends: true,
    has_steps: false,
    policy: Policy::astar,
    policy_fields: &[],
    optimal: Optimal::Yes,
    ..BEST_FIRST
};

const BOUNDED: AlgorithmRow = AlgorithmRow {
    takes_heuristic: true,
    has_steps: false,
    policy: || Policy::wastar(Weight::new(2, 1).expect("a weight")),
    policy_fields: &["w"],
    keeps_to_weight: true,
    ..BEST_FIRST
};

/// Makes the enum, its rows and the choice of the engine, which is best-first search unless a row
/// names another.
macro_rules! algorithms {
    ($(
        $variant:ident = $row:expr
        $(, |$run:ident, $estimates:ident, $observer:ident| $engine:expr)?;
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
            pub(crate) fn search<S, H, O>(
                self,
                run: &SpaceSearch<'_, S>,
                estimates: Bundle<'_, H>,
                observer: &mut O,
            ) -> Search<S::Action>
            where
                S: BoardSpace,
                H: Incremental<S>,
                O: Observer<S>,
            {
                match self {
                    $($(Self::$variant => {
                        let ($run, $estimates, $observer) = (run, estimates, observer);
                        $engine
                    })?)*
                    _ => run.problem(estimates.to_goal, observer).best_first(&run.method.policy).run(),
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
        stages: Some(staged(|portfolio| portfolio.auto())),
        ..STAGED
    };
    Bfs = AlgorithmRow {
        name: "bfs",
        title: "Breadth-first",
        others: &["breadth"],
        about: "breadth-first search: fewest moves, no heuristic",
        paper: "Moore 1959",
        ..BEST_FIRST
    };
    Dfs = AlgorithmRow {
        name: "dfs",
        title: "Depth-first",
        others: &["depth"],
        about: "depth-first search, to any depth or to depth=N",
        paper: "Tarjan 1972",
        policy: Policy::dfs,
        ..BEST_FIRST
    };
    Ucs = AlgorithmRow {
        name: "ucs",
        title: "Uniform cost",
        others: &["dijkstra"],
        about: "uniform-cost search: the cheapest path first",
        paper: "Dijkstra 1959",
        policy: Policy::ucs,
        ..BEST_FIRST
    };
    Greedy = AlgorithmRow {
        name: "greedy",
        title: "Greedy",
        others: &["best-first", "gbfs"],
        about: "greedy best-first search: the smallest estimate first",
        paper: "Doran and Michie 1966",
        policy: Policy::greedy,
        ..INFORMED
    };
    Astar = AlgorithmRow {
        name: "astar",
        title: "A*",
        about: "A*: cost of the path plus estimate; optimal",
        paper: "Hart, Nilsson and Raphael 1968",
        policy: Policy::astar,
        ..INFORMED
    };
    Wastar = AlgorithmRow {
        name: "wastar",
        title: "Weighted A*",
        others: &["wa", "weighted-astar"],
        about: "weighted A*: the estimate counts w times; at most w times the optimum",
        paper: "Pohl 1970",
        policy: || Policy::wastar(Weight::new(2, 1).expect("a weight")),
        policy_fields: &[
            "w", "phi", "rank", "tie", "order", "goal", "duplicates", "reopen", "undo", "depth",
            "seed",
        ],
        ..INFORMED
    };
    Focal = AlgorithmRow {
        name: "focal",
        title: "A*-epsilon",
        others: &["astar-epsilon", "a*eps", "focal-search"],
        about: "A*-epsilon: fewest moves to go near the least f; at most w times the optimum",
        paper: "Pearl and Kim 1982",
        other_fields: &["d", "moves"],
        ..BOUNDED
    }, |run, estimates, observer| run.bounded(Bounded::Focal, estimates, observer);
    Dps = AlgorithmRow {
        name: "dps",
        title: "Dynamic potential",
        others: &["dynamic-potential-search"],
        about: "dynamic potential search: most cost left per h; at most w times the optimum",
        paper: "Gilon, Felner and Stern 2016",
        ..BOUNDED
    }, |run, estimates, observer| run.bounded(Bounded::Dps, estimates, observer);
    Ees = AlgorithmRow {
        name: "ees",
        title: "Explicit estimation",
        others: &["explicit-estimation-search"],
        about: "explicit estimation: corrects its estimates; at most w times the optimum",
        paper: "Thayer and Ruml 2011",
        other_fields: &["d", "moves"],
        ..BOUNDED
    }, |run, estimates, observer| run.bounded(Bounded::Ees, estimates, observer);
    Ios = AlgorithmRow {
        name: "ios",
        title: "Improved optimistic",
        others: &["improved-optimistic-search", "optimistic"],
        about: "improved optimistic: a quick answer, then a proof; at most w times the optimum",
        paper: "Chen, Sturtevant, Doyle and Ruml 2019",
        policy_fields: &["w", "phi"],
        ..BOUNDED
    }, |run, estimates, observer| {
        run.bounded(Bounded::Ios(run.method.policy.phi), estimates, observer)
    };
    Awa = AlgorithmRow {
        name: "awa",
        title: "Anytime weighted A*",
        others: &["anytime-weighted-astar", "awastar"],
        about: "anytime weighted A*: continues with the weight w until the answer is optimal",
        paper: "Hansen and Zhou 2007",
        optimal: Optimal::No,
        ..BOUNDED
    }, |run, estimates, observer| run.bounded(Bounded::Awa, estimates, observer);
    Ara = AlgorithmRow {
        name: "ara",
        title: "ARA*",
        others: &["anytime-repairing-astar", "arastar"],
        about: "ARA*: weighted A* with lower and lower weights, until the answer is optimal",
        paper: "Likhachev, Gordon and Thrun 2003",
        policy: || Policy::wastar(Weight::new(3, 1).expect("a weight")),
        optimal: Optimal::No,
        ..BOUNDED
    }, |run, estimates, observer| run.bounded(Bounded::Ara, estimates, observer);
    Beam = AlgorithmRow {
        name: "beam",
        title: "Beam",
        about: "beam search: the k best nodes of each layer",
        paper: "Lowerre 1976",
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
        paper: "Pohl 1971",
        policy_fields: &[],
        has_steps: false,
        optimal: Optimal::Yes,
        ..BEST_FIRST
    }, |run, estimates, observer| {
        run.problem(estimates.to_goal, observer).heuristic(&Blind).bidirectional().run()
    };
    Bae = AlgorithmRow {
        name: "bae",
        title: "BAE*",
        others: &["dibbs", "bae-star"],
        about: "BAE*: from both ends with estimates, by what their errors prove; optimal",
        paper: "Sadhukhan 2013",
        policy_fields: &["order"],
        other_fields: &["side", "moves"],
        ..BOTH_ENDS
    }, |run, estimates, observer| {
        let choice = Choice::Bae(run.method.side, run.method.policy.order);
        run.front_to_end(choice, estimates, observer)
    };
    Nbs = AlgorithmRow {
        name: "nbs",
        title: "NBS",
        others: &["near-optimal-bidirectional"],
        about: "NBS: pairs of nodes from both ends, at most twice the least possible; optimal",
        paper: "Chen, Holte, Zilles and Sturtevant 2017",
        ..BOTH_ENDS
    }, |run, estimates, observer| run.front_to_end(Choice::Nbs, estimates, observer);
    Mm = AlgorithmRow {
        name: "mm",
        title: "MM",
        others: &["meet-in-the-middle"],
        about: "MM: from both ends with estimates, each at most to the middle; optimal",
        paper: "Holte, Felner, Sharon, Sturtevant and Chen 2017",
        ..BOTH_ENDS
    }, |run, estimates, observer| run.front_to_end(Choice::Mm, estimates, observer);
    Dvcbs = AlgorithmRow {
        name: "dvcbs",
        title: "DVCBS",
        others: &["dynamic-vertex-cover"],
        about: "DVCBS: from both ends, by a least vertex cover of necessary pairs; optimal",
        paper: "Shperberg, Felner, Sturtevant, Shimony and Hayoun 2019",
        ..BOTH_ENDS
    }, |run, estimates, observer| run.front_to_end(Choice::Dvcbs, estimates, observer);
    Ids = AlgorithmRow {
        name: "ids",
        title: "Iterative deepening",
        others: &["iddfs", "dfid"],
        about: "iterative deepening by depth: fewest moves, almost no memory",
        paper: "Slate and Atkin 1977",
        other_fields: &["cutoff", "moves"],
        ..DEEPENING
    }, |run, estimates, observer| run.deepen(true, estimates, observer);
    Ida = AlgorithmRow {
        name: "ida",
        title: "IDA*",
        others: &["ida-star", "iterative-deepening-astar"],
        about: "IDA*: iterative deepening by estimate; optimal, almost no memory",
        paper: "Korf 1985",
        takes_heuristic: true,
        other_fields: &["prune", "on", "moves"],
        ..DEEPENING
    }, |run, estimates, observer| run.deepen(false, estimates, observer);
    Aida = AlgorithmRow {
        name: "aida",
        title: "AIDA*",
        others: &["aida-star"],
        about: "IDA* with pdb= or zpdb=, below a frontier, with a transposition table; optimal",
        paper: "Reinefeld and Schnecke 1994",
        takes_heuristic: true,
        needs_databases: true,
        other_fields: &["tt", "prune", "moves"],
        optimal: Optimal::Yes,
        stages: Some(staged(|portfolio| portfolio.aida())),
        ..STAGED
    };
    Rbfs = AlgorithmRow {
        name: "rbfs",
        title: "Recursive best-first",
        about: "recursive best-first search: the order of A*, almost no memory; optimal",
        paper: "Korf 1993",
        takes_heuristic: true,
        policy_fields: &["undo"],
        ..DEEPENING
    }, |run, estimates, observer| {
        run.problem(estimates.to_goal, observer).rbfs(run.method.policy.undo).run()
    };
    Bts = AlgorithmRow {
        name: "bts",
        title: "Budgeted tree search",
        others: &["ibex", "budgeted"],
        about: "budgeted tree search: IDA* for costs of any kind; optimal, almost no memory",
        paper: "Helmert, Lattimore, Lelis, Orseau and Sturtevant 2019",
        ..BRANCHING
    }, |run, estimates, observer| {
        run.problem(estimates.to_goal, observer).budgeted(run.method.policy.undo, run.unit).run()
    };
    Dfbnb = AlgorithmRow {
        name: "dfbnb",
        title: "Branch and bound",
        others: &["depth-first-branch-and-bound", "bnb"],
        about: "depth-first branch and bound: better and better paths; optimal, almost no memory",
        paper: "Lawler and Wood 1966",
        ..BRANCHING
    }, |run, estimates, observer| {
        run.problem(estimates.to_goal, observer).branch_and_bound(run.method.policy.undo).run()
    };
    Bfida = AlgorithmRow {
        name: "bfida",
        title: "Breadth-first IDA*",
        others: &["bfhs", "breadth-first-heuristic", "breadth-first-ida-star"],
        about: "IDA* by breadth-first searches that store three layers; optimal",
        paper: "Zhou and Hansen 2006",
        policy_fields: &[],
        ..BRANCHING
    }, |run, estimates, observer| run.problem(estimates.to_goal, observer).breadth_first_ida().run();
    Sma = AlgorithmRow {
        name: "sma",
        title: "SMA*",
        others: &["memory-bounded-astar", "simplified-memory-bounded"],
        about: "SMA*: A* in nodes=N nodes; optimal if the path fits",
        paper: "Russell 1992",
        other_fields: &["nodes", "moves"],
        ..BRANCHING
    }, |run, estimates, observer| {
        let Method { policy, nodes, .. } = run.method;
        run.problem(estimates.to_goal, observer).memory_bounded(policy.undo, *nodes).run()
    };
    Lrta = AlgorithmRow {
        name: "lrta",
        title: "LSS-LRTA*",
        others: &["lss-lrta", "real-time", "lrta-star"],
        about: "real-time search: expands look=N boards, moves, and learns; no bound on the cost",
        paper: "Koenig and Sun 2009",
        policy_fields: &[],
        other_fields: &["look", "moves"],
        optimal: Optimal::No,
        ..BRANCHING
    }, |run, estimates, observer| {
        run.problem(estimates.to_goal, observer).real_time(run.method.look).run()
    };
    Layers = AlgorithmRow {
        name: "layers",
        title: "Layer by layer",
        about: "any board of any size at once, row by row and column by column; no search",
        stages: Some(staged(|portfolio| portfolio.layers())),
        ..STAGED
    };
    Anytime = AlgorithmRow {
        name: "anytime",
        title: "Anytime",
        about: "layers, then better and better answers until the limit (10 s if none is given)",
        policy_fields: &["seed"],
        other_fields: &["on"],
        stages: Some(staged(|portfolio| portfolio.anytime())),
        ..STAGED
    };
    Table = AlgorithmRow {
        name: "table",
        title: "Table of all boards",
        others: &["lookup"],
        about: "looks the answer up in a table of all boards, cached or made on the spot; optimal",
        other_fields: &["moves"],
        optimal: Optimal::Yes,
        stages: Some(staged(|portfolio| portfolio.table())),
        ..STAGED
    };
}

impl Algorithm {
    /// The name that methods use.
    ///
    /// ```
    /// use taquin::Algorithm;
    ///
    /// assert_eq!(Algorithm::Ida.name(), "ida");
    /// assert!(Algorithm::Table.other_names().any(|names| names == ("lookup", "table")));
    /// assert!(Algorithm::Ida.is_traced() && !Algorithm::Auto.is_traced());
    /// assert!(Algorithm::Ida.has_moves() && !Algorithm::Auto.has_moves());
    /// assert!(Algorithm::Bae.has_both_ends() && !Algorithm::Astar.has_both_ends());
    /// assert!(Algorithm::Auto.divides_limits() && !Algorithm::Ida.divides_limits());
    /// assert_eq!(Algorithm::Bfs.row().title, "Breadth-first");
    /// ```
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The names that people write instead of [`name`](Self::name), each with that name.
    pub fn other_names(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let AlgorithmRow { name, title, others, .. } = self.row();
        others.iter().chain([title]).map(|other| (*other, *name))
    }

    /// Whether it can count the slide of a whole segment as one move.
    pub const fn has_metric(self) -> bool {
        !self.row().needs_databases
    }

    /// Whether it tries the moves of a blank in an order that can be chosen.
    pub fn has_moves(self) -> bool {
        self.row().other_fields.contains(&"moves")
    }

    /// Whether it expands one node after the other and reports each, so that it can be traced.
    pub const fn is_traced(self) -> bool {
        self.row().stages.is_none()
    }

    /// Whether it runs one search from the start and one from the goal.
    pub const fn has_both_ends(self) -> bool {
        self.row().has_both_ends
    }

    /// Whether its answer depends on how much time, memory or nodes it is given.
    pub fn divides_limits(self) -> bool {
        matches!(self, Self::Auto | Self::Anytime) || self.improves()
    }

    /// Whether it is a search that reports better and better answers.
    pub(crate) const fn improves(self) -> bool {
        matches!(self, Self::Awa | Self::Ara)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
