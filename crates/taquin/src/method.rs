//! Methods of search, each with one spelling that every front end accepts.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use taquin_fast::SolverOptions;
use taquin_search::{MethodError, MethodSyntax, Policy, Weight};
use taquin_tables::whole::Metric;
use taquin_tiles::MoveOrder;

use crate::estimate::Estimate;

/// A way to search: an algorithm, its heuristic, and everything in which it may differ.
///
/// ```
/// use taquin::Method;
///
/// let method: Method = "astar:manhattan,order=fifo,moves=LRUD".parse()?;
/// assert_eq!(method.to_string(), "astar:manhattan,order=fifo,moves=LRUD");
/// let error = "astar:manhatan".parse::<Method>().unwrap_err();
/// assert_eq!(error.hint(), Some("did you mean 'manhattan'?"));
/// # Ok::<(), taquin::MethodError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Method {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The heuristic, where the algorithm takes one.
    pub estimate: Option<Estimate>,
    /// How the engine chooses, tests and drops nodes.
    pub policy: Policy,
    /// The order in which a blank's moves are tried.
    pub moves: MoveOrder,
    /// What a table counts as one move.
    pub metric: Metric,
    /// Of sequences of up to so many moves that lead to the same board IDA* tries one only, where a
    /// specialised engine does the search. Two is what is usual: the last move is not taken back.
    pub prune: usize,
}

/// An algorithm by its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "each is described by `about`")]
pub enum Algorithm {
    Auto,
    Bfs,
    Dfs,
    Ucs,
    Greedy,
    Astar,
    Wastar,
    Beam,
    Random,
    Bidirectional,
    Ids,
    Ida,
    Layers,
    Anytime,
    Table,
}

/// What every search leaves out: the move that takes back the last one.
pub(crate) const USUAL_PRUNE: usize = 2;

/// The fields that every best-first method has.
const BEST_FIRST: &[&str] =
    &["rank", "tie", "order", "goal", "duplicates", "reopen", "undo", "depth", "seed"];

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Auto,
        Self::Bfs,
        Self::Dfs,
        Self::Ucs,
        Self::Greedy,
        Self::Astar,
        Self::Wastar,
        Self::Beam,
        Self::Random,
        Self::Bidirectional,
        Self::Ids,
        Self::Ida,
        Self::Layers,
        Self::Anytime,
        Self::Table,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Bfs => "bfs",
            Self::Dfs => "dfs",
            Self::Ucs => "ucs",
            Self::Greedy => "greedy",
            Self::Astar => "astar",
            Self::Wastar => "wastar",
            Self::Beam => "beam",
            Self::Random => "random",
            Self::Bidirectional => "bidirectional",
            Self::Ids => "ids",
            Self::Ida => "ida",
            Self::Layers => "layers",
            Self::Anytime => "anytime",
            Self::Table => "table",
        }
    }

    /// What it is, in a line.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Auto => {
                "an optimal answer where that is quick, else the best found in time with its bound"
            }
            Self::Bfs => "breadth-first search: fewest moves, no estimate",
            Self::Dfs => "depth-first search, to any depth or to depth=N",
            Self::Ucs => "uniform-cost search: the cheapest path so far first",
            Self::Greedy => "greedy best-first search: the smallest estimate first",
            Self::Astar => "A*: path so far plus estimate; optimal",
            Self::Wastar => "weighted A*: the estimate counts w times; at most w times the optimum",
            Self::Beam => "beam search: the k best of each layer",
            Self::Random => "takes any node of the fringe, from a seed",
            Self::Bidirectional => "breadth-first search from both ends; fewest moves",
            Self::Ids => "iterative deepening by depth: fewest moves, almost no memory",
            Self::Ida => "IDA*: iterative deepening by estimate; optimal, almost no memory",
            Self::Layers => {
                "any board of any size at once, row by row and column by column; no search"
            }
            Self::Anytime => {
                "layers, then ever better until the limit, which is 10 s if none is given"
            }
            Self::Table => {
                "looked up in a table of all boards, as 'taquin enumerate --save' keeps it; optimal"
            }
        }
    }

    /// Whether it is guided by a heuristic.
    pub const fn takes_estimate(self) -> bool {
        matches!(self, Self::Greedy | Self::Astar | Self::Wastar | Self::Beam | Self::Ida)
    }

    /// The fields that are not of the policy.
    pub const fn other_fields(self) -> &'static [&'static str] {
        match self {
            Self::Auto | Self::Layers | Self::Anytime => &[],
            Self::Table => &["metric", "moves"],
            Self::Ida => &["prune", "moves"],
            _ => &["moves"],
        }
    }

    /// Whether it tries the moves of a blank in an order that can be chosen.
    pub fn has_moves(self) -> bool {
        self.other_fields().contains(&"moves")
    }

    /// The policy that its name alone stands for.
    pub fn policy(self) -> Policy {
        match self {
            Self::Dfs => Policy::dfs(),
            Self::Ucs => Policy::ucs(),
            Self::Greedy => Policy::greedy(),
            Self::Astar => Policy::astar(),
            Self::Wastar => Policy::wastar(Weight::new(2, 1).expect("a weight")),
            Self::Beam => Policy::beam(NonZeroUsize::new(1_000).expect("a width")),
            Self::Random => Policy::random(0),
            Self::Auto
            | Self::Bfs
            | Self::Bidirectional
            | Self::Ids
            | Self::Ida
            | Self::Layers
            | Self::Anytime
            | Self::Table => Policy::bfs(),
        }
    }

    /// The fields of the policy that it has, the order of moves apart.
    pub fn fields(self) -> Vec<&'static str> {
        match self {
            Self::Auto | Self::Bidirectional | Self::Layers | Self::Table => Vec::new(),
            Self::Anytime => vec!["seed"],
            Self::Ids | Self::Ida => vec!["goal", "undo"],
            Self::Wastar => [&["w"], BEST_FIRST].concat(),
            Self::Beam => [&["k"], BEST_FIRST].concat(),
            _ => BEST_FIRST.to_vec(),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Method {
    /// An algorithm with its defaults.
    pub fn new(algorithm: Algorithm, estimate: Option<Estimate>) -> Self {
        Self {
            algorithm,
            estimate,
            policy: algorithm.policy(),
            moves: MoveOrder::default(),
            metric: Metric::default(),
            prune: USUAL_PRUNE,
        }
    }
}

impl Default for Method {
    fn default() -> Self {
        Self::new(Algorithm::Auto, None)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.algorithm)?;
        if let Some(estimate) = &self.estimate {
            write!(f, ":{estimate}")?;
        }
        for (field, value) in self.policy.differences(&self.algorithm.policy()) {
            write!(f, ",{field}={value}")?;
        }
        if self.metric != Metric::default() {
            write!(f, ",metric={}", self.metric)?;
        }
        if self.prune != USUAL_PRUNE {
            write!(f, ",prune={}", self.prune)?;
        }
        match self.moves == MoveOrder::default() {
            true => Ok(()),
            false => write!(f, ",moves={}", self.moves),
        }
    }
}

impl FromStr for Method {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Self, MethodError> {
        let syntax = MethodSyntax::new(text)?;
        let Some(algorithm) = Algorithm::ALL.into_iter().find(|a| a.name() == syntax.name) else {
            return Err(syntax.unknown(
                syntax.name,
                "method",
                Algorithm::ALL.iter().map(|a| a.name()),
            ));
        };
        let estimate = match (syntax.argument, algorithm.takes_estimate()) {
            (Some(argument), true) => Some(Estimate::read(argument, &syntax)?),
            (Some(argument), false) => {
                let message = format!("{algorithm} takes no heuristic");
                return Err(syntax.error(argument, message, Some(format!("write {algorithm}"))));
            }
            (None, true) => Some(Estimate::Manhattan),
            (None, false) => None,
        };
        let mut method = Self::new(algorithm, estimate);
        let Self { policy, moves, metric, prune, .. } = &mut method;
        let others = algorithm.other_fields();
        let set_other = |field: &str, value: &str| match field {
            _ if !others.contains(&field) => None,
            "moves" => {
                Some(value.parse().map(|read| *moves = read).map_err(|error| error.to_string()))
            }
            "metric" => {
                Some(value.parse().map(|read| *metric = read).map_err(|error| error.to_string()))
            }
            _ => Some(match value.parse() {
                Ok(length) if (USUAL_PRUNE..=SolverOptions::MOST_PRUNED).contains(&length) => {
                    *prune = length;
                    Ok(())
                }
                _ => Err(format!(
                    "prune is a number of moves from {USUAL_PRUNE} to {}",
                    SolverOptions::MOST_PRUNED
                )),
            }),
        };
        syntax.set(policy, &algorithm.fields(), set_other, others)?;
        Ok(method)
    }
}

impl TryFrom<String> for Method {
    type Error = MethodError;

    fn try_from(text: String) -> Result<Self, MethodError> {
        text.parse()
    }
}

impl From<Method> for String {
    fn from(method: Method) -> Self {
        method.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spellings_round_trip() {
        for text in [
            "auto",
            "bfs",
            "dfs",
            "dfs,depth=30",
            "ucs",
            "greedy:manhattan",
            "astar:misplaced",
            "astar:manhattan",
            "wastar:manhattan,w=3/2",
            "random,seed=7",
            "beam:linear,k=10",
            "bidirectional",
            "ids",
            "ida:linear",
            "layers",
            "anytime",
            "anytime,seed=7",
            "ida:max=linear+gaschnig",
            "ida:pdb=7-8,prune=8",
            "table",
            "table,metric=multi,moves=LRUD",
            "ida:manhattan,goal=expansion,undo=keep,moves=LRUD",
            "astar:manhattan,order=fifo,duplicates=generated,reopen=never,undo=keep,moves=LRUD",
        ] {
            assert_eq!(text.parse::<Method>().unwrap().to_string(), text);
        }
        // What is the default is not printed.
        for (text, printed) in [
            ("astar", "astar:manhattan"),
            ("wastar:linear,w=2", "wastar:linear"),
            ("astar:manhattan,tie=high-g,order=fifo,goal=expansion", "astar:manhattan,order=fifo"),
            ("bfs,moves=ULRD", "bfs"),
        ] {
            assert_eq!(text.parse::<Method>().unwrap().to_string(), printed);
        }
    }

    #[test]
    fn errors_say_where_and_what_instead() {
        for (text, message, hint, place) in [
            ("", "unknown method ''", "there are auto, bfs, ", "^"),
            ("asatr", "unknown method 'asatr'", "did you mean 'astar'?", "^^^^^"),
            (
                "astar:manhatan",
                "unknown heuristic 'manhatan'",
                "did you mean 'manhattan'?",
                "      ^^^^^^^^",
            ),
            ("bfs:linear", "bfs takes no heuristic", "write bfs", "    ^^^^^^"),
            ("bfs,w=2", "unknown field of bfs 'w'", "there are rank", "    ^"),
            ("layers:linear", "layers takes no heuristic", "write layers", "       ^^^^^^"),
            ("anytime,k=3", "unknown field of anytime 'k'", "there are seed", "        ^"),
            ("auto,moves=ULRD", "unknown field of auto 'moves'", "there are ", "     ^^^^^"),
            ("wastar,w=0", "w can't be '0'", "w is a number or a fraction", "         ^"),
            ("ida:max=linear+", "unknown heuristic ''", "there are ", "               ^"),
        ] {
            let error = text.parse::<Method>().unwrap_err();
            assert_eq!(error.to_string(), message, "{text}");
            assert!(error.hint().unwrap().starts_with(hint), "{text}: {:?}", error.hint());
            assert_eq!(error.caret().to_string().lines().nth(1), Some(place), "{text}");
        }
        for text in ["ida,prune=1", "ida,prune=13", "ida,prune=x"] {
            let error = text.parse::<Method>().unwrap_err();
            assert_eq!(error.to_string(), "prune is a number of moves from 2 to 12", "{text}");
        }
        assert!("astar,prune=4".parse::<Method>().is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            if let Ok(method) = text.parse::<Method>() {
                prop_assert_eq!(method.to_string().parse::<Method>().unwrap(), method);
            }
        }

        #[test]
        fn what_looks_like_a_method_too(
            name in "[a-z]{2,6}|astar|ida|beam|dfs",
            heuristic in "(:(linear|max=linear\\+zero|[a-z]{1,3}))?",
            fields in "(,(order|goal|w|k|depth|moves|tie)=(fifo|3/2|7|ULRD|none|[a-z]{0,4})){0,3}",
        ) {
            let text = format!("{name}{heuristic}{fields}");
            if let Ok(method) = text.parse::<Method>() {
                prop_assert_eq!(method.to_string().parse::<Method>().unwrap(), method);
            }
        }
    }
}
