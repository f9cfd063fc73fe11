//! The list of methods: algorithms, heuristics and the fields that a method may set.

use serde::{Serialize, Serializer};
use taquin::{
    Algorithm, AlgorithmRow, Blank, Costs, Cutoff, Duplicates, Estimate, GoalTest, Order, Phi,
    Puzzle, Rank, Reopen, Session, Sides, Tie, Undo,
};

/// All parts of methods.
#[derive(Serialize)]
pub struct Listing {
    /// The algorithms.
    pub algorithms: Vec<&'static AlgorithmRow>,
    /// The heuristics without parameters.
    pub heuristics: Vec<HeuristicEntry>,
    /// The fields. In JSON, an object with the values of fields that have a list of values.
    #[serde(serialize_with = "values_by_name")]
    pub fields: Vec<FieldEntry>,
}

/// A heuristic.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HeuristicEntry {
    /// The name that methods use.
    pub name: String,
    /// A one-line description.
    pub about: &'static str,
}

/// A field that a method may set, as in `tie=low-g`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldEntry {
    /// The name of the field.
    pub name: &'static str,
    /// The values, if there is a fixed list.
    pub values: &'static [&'static str],
    /// The values to write if there is no fixed list.
    pub usage: &'static str,
    /// A one-line description.
    pub about: &'static str,
}

impl Listing {
    /// Lists all algorithms, heuristics and fields.
    pub fn new() -> Self {
        let heuristic = |estimate: &Estimate| HeuristicEntry {
            name: estimate.to_string(),
            about: estimate.about(),
        };
        let listed = |name, values, about| FieldEntry { name, values, usage: "", about };
        let free = |name, usage, about| FieldEntry { name, values: &[], usage, about };
        Self {
            algorithms: Algorithm::ALL.iter().map(|algorithm| algorithm.row()).collect(),
            heuristics: Estimate::NAMED.iter().map(heuristic).collect(),
            fields: vec![
                listed("rank", &Rank::NAMES, "the node with the lowest rank is expanded first"),
                listed("tie", &Tie::NAMES, "among nodes of equal rank"),
                listed("order", &Order::NAMES, "among nodes that are still equal"),
                listed("goal", &GoalTest::NAMES, "when a node is tested for the goal"),
                listed("duplicates", &Duplicates::NAMES, "which repeated states are dropped"),
                listed("reopen", &Reopen::NAMES, "expanded nodes that are reached more cheaply"),
                listed("undo", &Undo::NAMES, "the move back to the parent"),
                free("moves", "a permutation of UDLR", "the order of the successors"),
                free("metric", "single, multi", "whether segments are moves (not for aida)"),
                listed("side", &Sides::NAMES, "which of both searches of bae goes next"),
                listed("cutoff", &Cutoff::NAMES, "ids expands no nodes at its limit, or all"),
                listed("blank", &Blank::NAMES, "of misplaced and order=state: counted as a tile"),
                free("tt", "0, 512M, 8G", "the most memory of aida's transposition table"),
                free("prune", "2 to 22", "ida drops duplicate move sequences up to this length"),
                free("on", "cpu, gpu", "where auto, anytime, ida:pdb= run: gpu is a CUDA device"),
                free("w", "2, 3/2, 1.5", "the weight; where awa and ara begin"),
                free("d", "a heuristic", "what focal and ees estimate the number of moves by"),
                listed(
                    "phi",
                    &Phi::NAMES,
                    "how the weight enters the rank: by parabolas, or (pw) piece by piece",
                ),
                free("k", "a number", "the width of beam"),
                free("nodes", "a number", "the most nodes that sma stores"),
                free("look", "a number", "the most boards that lrta expands before it moves"),
                free("depth", "a number", "the depth limit"),
                free("seed", "a number", "for random, order=random and anytime"),
            ],
        }
    }
}

impl Default for Listing {
    fn default() -> Self {
        Self::new()
    }
}

fn values_by_name<S: Serializer>(fields: &[FieldEntry], serializer: S) -> Result<S::Ok, S::Error> {
    let listed = fields.iter().filter(|field| !field.values.is_empty());
    serializer.collect_map(listed.map(|field| (field.name, field.values)))
}

/// The estimate that a heuristic gives for a board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NamedEstimate {
    /// The heuristic, as methods name it.
    pub heuristic: String,
    /// Its estimate of the distance from the start to the goal.
    pub estimate: u32,
    /// A description of the heuristic.
    pub about: &'static str,
}

/// Returns the estimate of each of these heuristics for the start of `puzzle`. Omits a heuristic
/// whose tables would be too large for the board.
pub fn estimates<'a>(
    heuristics: impl IntoIterator<Item = &'a Estimate>,
    puzzle: &Puzzle,
    costs: &Costs,
    session: &Session,
) -> Vec<NamedEstimate> {
    let named = |which: &Estimate| {
        let evaluator = session.evaluator(which, puzzle, costs).ok()?;
        let (heuristic, about) = (which.to_string(), which.about());
        Some(NamedEstimate { heuristic, estimate: evaluator.estimate(puzzle.start()), about })
    };
    heuristics.into_iter().filter_map(named).collect()
}
