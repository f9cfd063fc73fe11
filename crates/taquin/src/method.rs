//! Methods of search, each with one spelling that every front end accepts.

use std::fmt::{self, Write};
use std::str::FromStr;

use taquin_search::{Cutoff, Order, Phi, Policy, Rank, Sides, Weight, named_enum};
use taquin_solvers::SolverOptions;
use taquin_tables::whole::Metric;
use taquin_tiles::{Costs, MoveOrder};

use crate::algorithm::{Algorithm, Optimal};
use crate::heuristic::Estimate;
use crate::method_syntax::{MethodError, MethodSyntax};
use crate::on::Device;
use crate::units::{read_bytes, spell_bytes};

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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Method {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The heuristic, if the algorithm takes one.
    pub estimate: Option<Estimate>,
    /// How the engine chooses, tests and drops nodes.
    pub policy: Policy,
    /// The order in which a blank's moves are tried.
    pub moves: MoveOrder,
    /// The definition of one move.
    pub metric: Metric,
    /// Prunes move sequences of up to this length that reach the same board as an earlier sequence
    /// (specialised IDA* engines only). Usually two: the last move is not taken back.
    pub prune: usize,
    /// Where it runs; `None` for the CPU or, with `auto`, for a device if that pays off.
    pub on: Option<Device>,
    /// The most bytes for `aida`'s transposition table; the remaining memory if none.
    pub tt: Option<u64>,
    /// The search whose node `bae` expands next.
    pub side: Sides,
    /// Estimates the number of moves to the goal; the heuristic itself if none.
    pub distance: Option<Box<Estimate>>,
    /// Whether `ids` expands the nodes at its limit.
    pub cutoff: Cutoff,
    /// The treatment of a blank by `misplaced` and `order=state`.
    pub blank: Blank,
    /// The most nodes that `sma` stores.
    pub nodes: u32,
    /// The most states that `lrta` expands before it moves.
    pub look: u64,
}

/// The usual number of nodes that `sma` stores.
const USUAL_NODES: u32 = 100_000;

/// The usual number of states that `lrta` expands before it moves.
const DEFAULT_LOOKAHEAD: u64 = 100;

named_enum! {
    /// How the heuristic `misplaced` and the order of states treat a blank.
    pub enum Blank: "blank" {
        /// It is no tile: it is not counted, and ordered as the number 0.
        Ignored = "ignored",
        /// It is a tile like the others, the last one. An estimate that counts it can be too high.
        Counted = "counted",
    }
}

/// The redundant sequences that every search leaves out: the move that takes back the last one.
pub(crate) const USUAL_PRUNE: usize = 2;

/// Why [`Method::is_unsound`].
pub(crate) const INCONSISTENT: &str = "bae needs a consistent heuristic, and pdb= is not";

impl Method {
    /// Returns whether the bounds of the algorithm do not hold with this heuristic.
    pub(crate) fn is_unsound(&self) -> bool {
        let is_consistent = self.estimate.as_ref().is_none_or(Estimate::is_consistent);
        self.algorithm == Algorithm::Bae && !is_consistent
    }

    /// Returns whether the method may be searched in parts, as far as that is known without its
    /// tables.
    pub fn may_split(&self) -> bool {
        self.metric == Metric::Single
            && self.on != Some(Device::Gpu)
            && matches!(self.algorithm, Algorithm::Ida | Algorithm::Aida)
    }

    /// An algorithm with its defaults.
    pub fn new(algorithm: Algorithm, estimate: Option<Estimate>) -> Self {
        Self {
            algorithm,
            estimate,
            policy: (algorithm.row().policy)(),
            moves: MoveOrder::default(),
            metric: Metric::default(),
            prune: USUAL_PRUNE,
            on: None,
            tt: None,
            side: Sides::Alternate,
            distance: None,
            cutoff: Cutoff::After,
            blank: Blank::Ignored,
            nodes: USUAL_NODES,
            look: DEFAULT_LOOKAHEAD,
        }
    }

    /// The method with the fields of `text` set, as in `tie=low-g,order=fifo`.
    ///
    /// ```
    /// use taquin::{Costs, Method};
    ///
    /// let astar: Method = "astar:manhattan".parse()?;
    /// let fifo = astar.with_fields("order=fifo")?;
    /// assert_eq!(fifo.differences(&astar), [("order", "fifo".to_owned(), "lifo".to_owned())]);
    /// assert!(fifo.in_full().contains("tie=high-g"));
    /// assert!(fifo.aims_at_optimal(&Costs::Unit) && fifo.seed().is_none() && !fifo.may_split());
    /// # Ok::<(), taquin::MethodError>(())
    /// ```
    ///
    /// # Errors
    /// Fails on a field that the method does not have, and on a value that a field does not take.
    pub fn with_fields(&self, text: &str) -> Result<Self, MethodError> {
        let whole = format!("{},{text}", self.algorithm);
        let mut method = self.clone();
        method.set(&MethodSyntax::new(&whole)?)?;
        Ok(method)
    }

    /// The fields in which it differs from another method, with the value of each.
    pub fn differences(&self, from: &Self) -> Vec<(&'static str, String, String)> {
        let value = |method: &Self, field| method.policy.get(field).unwrap_or("none".to_owned());
        let policy = Policy::FIELDS.map(|field| (field, value(self, field), value(from, field)));
        let others = [
            ("metric", self.metric.to_string(), from.metric.to_string()),
            ("prune", self.prune.to_string(), from.prune.to_string()),
            ("on", self.on_text(), from.on_text()),
            ("tt", self.tt_text(), from.tt_text()),
            ("side", self.side.to_string(), from.side.to_string()),
            ("d", self.distance_text(), from.distance_text()),
            ("cutoff", self.cutoff.to_string(), from.cutoff.to_string()),
            ("blank", self.blank.to_string(), from.blank.to_string()),
            ("nodes", self.nodes.to_string(), from.nodes.to_string()),
            ("look", self.look.to_string(), from.look.to_string()),
            ("moves", self.moves.to_string(), from.moves.to_string()),
        ];
        policy.into_iter().chain(others).filter(|(_, ours, theirs)| ours != theirs).collect()
    }

    /// The spelling with every field, including defaults, so that it means the same when a default
    /// changes. `metric`, `prune`, `on`, `tt`, `side`, `d`, `phi`, `cutoff`, `blank`, `nodes` and
    /// `look` are left out if they have their defaults.
    pub fn in_full(&self) -> String {
        let mut text = self.head();
        let has_usual_phi = self.policy.phi == Phi::Wa;
        // Stores know runs by this text, and older ones have no phi.
        let is_older = |field: &&&str| !(has_usual_phi && **field == "phi");
        for field in self.algorithm.row().policy_fields.iter().filter(is_older) {
            if let Some(value) = self.policy.get(field) {
                let _ = write!(text, ",{field}={value}");
            }
        }
        self.write_others(&mut text, self.algorithm.has_moves());
        text
    }

    /// The seed of a method that makes random choices.
    pub fn seed(&self) -> Option<u64> {
        let is_random = self.algorithm == Algorithm::Anytime || self.policy.order == Order::Random;
        is_random.then_some(self.policy.seed)
    }

    /// Whether it looks for optimal solutions, where moves cost `costs`.
    pub fn aims_at_optimal(&self, costs: &Costs) -> bool {
        match self.algorithm.row().optimal {
            Optimal::Yes => true,
            Optimal::No => false,
            Optimal::ByPolicy => {
                self.policy.width.is_none()
                    && match self.policy.rank {
                        Rank::F => self.policy.weight == Weight::ONE,
                        Rank::G => true,
                        Rank::Depth => *costs == Costs::Unit,
                        Rank::None | Rank::H => false,
                    }
            }
        }
    }

    /// The algorithm and the heuristic.
    fn head(&self) -> String {
        match &self.estimate {
            Some(estimate) => format!("{}:{estimate}", self.algorithm),
            None => self.algorithm.to_string(),
        }
    }

    fn write_others(&self, text: &mut String, moves: bool) {
        if self.metric != Metric::default() {
            let _ = write!(text, ",metric={}", self.metric);
        }
        if self.prune != USUAL_PRUNE {
            let _ = write!(text, ",prune={}", self.prune);
        }
        if let Some(on) = self.on {
            let _ = write!(text, ",on={on}");
        }
        if self.tt.is_some() {
            let _ = write!(text, ",tt={}", self.tt_text());
        }
        if self.side != Sides::Alternate {
            let _ = write!(text, ",side={}", self.side);
        }
        if self.distance.is_some() {
            let _ = write!(text, ",d={}", self.distance_text());
        }
        if self.cutoff != Cutoff::After {
            let _ = write!(text, ",cutoff={}", self.cutoff);
        }
        if self.blank != Blank::Ignored {
            let _ = write!(text, ",blank={}", self.blank);
        }
        if self.nodes != USUAL_NODES {
            let _ = write!(text, ",nodes={}", self.nodes);
        }
        if self.look != DEFAULT_LOOKAHEAD {
            let _ = write!(text, ",look={}", self.look);
        }
        if moves {
            let _ = write!(text, ",moves={}", self.moves);
        }
    }

    fn on_text(&self) -> String {
        match (self.on, self.algorithm) {
            (Some(on), _) => on.to_string(),
            (None, Algorithm::Auto) => "none".to_owned(),
            (None, _) => Device::Cpu.to_string(),
        }
    }

    fn distance_text(&self) -> String {
        self.distance.as_deref().map_or("none".to_owned(), Estimate::to_string)
    }

    fn tt_text(&self) -> String {
        self.tt.map_or("none".to_owned(), spell_bytes)
    }

    /// Sets the fields of a spelling.
    fn set(&mut self, syntax: &MethodSyntax<'_>) -> Result<(), MethodError> {
        #[rustfmt::skip]
        let Self { algorithm, policy, moves, metric, prune, on, tt, side, distance, cutoff, blank, nodes, look, .. } = self;
        if algorithm.row().other_fields.contains(&"d") {
            let read = |value| Estimate::read(value, syntax).map(Box::new);
            let text = syntax.fields.iter().find(|field| field.0 == "d").map(|field| field.1);
            *distance = text.map(read).transpose()?.or(distance.take());
        }
        let others = algorithm.row().other_fields;
        let set_other = |field: &str, value: &str| match field {
            "metric" => {
                Some(value.parse().map(|read| *metric = read).map_err(|error| error.to_string()))
            }
            _ if !others.contains(&field) => None,
            "d" => Some(Ok(())),
            "moves" => {
                Some(value.parse().map(|read| *moves = read).map_err(|error| error.to_string()))
            }
            "side" => {
                Some(value.parse().map(|read| *side = read).map_err(|error| error.to_string()))
            }
            "cutoff" => {
                Some(value.parse().map(|read| *cutoff = read).map_err(|error| error.to_string()))
            }
            "blank" => {
                Some(value.parse().map(|read| *blank = read).map_err(|error| error.to_string()))
            }
            "nodes" => Some(match value.parse() {
                Ok(most @ 2..) => {
                    *nodes = most;
                    Ok(())
                }
                _ => Err(format!("nodes is a number from 2 to {}", u32::MAX)),
            }),
            "look" => Some(match value.parse() {
                Ok(most @ 1..) => {
                    *look = most;
                    Ok(())
                }
                _ => Err("look is a number of states, at least 1".to_owned()),
            }),
            "on" => Some(match value.parse() {
                // Others than `auto` run on the processor anyway.
                Ok(Device::Cpu) if *algorithm != Algorithm::Auto => {
                    *on = None;
                    Ok(())
                }
                Ok(read) => {
                    *on = Some(read);
                    Ok(())
                }
                Err(error) => Err(error.to_string()),
            }),
            "tt" => Some(
                read_bytes(value).map(|read| *tt = Some(read)).map_err(|error| error.to_string()),
            ),
            _ => Some(match value.parse() {
                Ok(length) if (USUAL_PRUNE..=SolverOptions::MAX_PRUNED).contains(&length) => {
                    *prune = length;
                    Ok(())
                }
                _ => Err(format!(
                    "prune is a number of moves from {USUAL_PRUNE} to {}",
                    SolverOptions::MAX_PRUNED
                )),
            }),
        };
        syntax.set(policy, algorithm.row().policy_fields, set_other, others)?;
        if *metric == Metric::Multi {
            self.check_segments(syntax)?;
        }
        let Self { algorithm, policy, blank, .. } = self;
        let keeps_to_weight = algorithm.row().keeps_to_weight;
        if keeps_to_weight && policy.phi.is_piecewise() {
            let hint = Some("write phi=xdp or phi=xup, or use wastar".to_owned());
            let message = format!("{algorithm} can't use phi={}", policy.phi);
            let part = syntax.fields.iter().find(|field| field.0 == "phi");
            return Err(syntax.error(part.map_or(syntax.name, |field| field.1), message, hint));
        }
        if policy.weight.is_below_one() && (keeps_to_weight || policy.phi != Phi::Wa) {
            let (what, instead) = match keeps_to_weight {
                true => (algorithm.to_string(), "use wastar"),
                false => (format!("phi={}", policy.phi), "phi=wa"),
            };
            let part = syntax.fields.iter().find(|field| field.0 == "w");
            let part = part.map_or(syntax.name, |field| field.1);
            let hint = Some(format!("write w=1 or more, or {instead}"));
            let message = format!("{what} needs a weight of at least 1");
            return Err(syntax.error(part, message, hint));
        }
        if *blank == Blank::Counted && self.estimate != Some(Estimate::Misplaced) {
            let hint = Some(format!("write {algorithm}:misplaced,blank=counted"));
            return Err(syntax.error(syntax.name, "blank=counted needs misplaced", hint));
        }
        if policy.width.is_some() && policy.order == Order::State {
            let hint = Some("order is fifo, lifo, heap or random".to_owned());
            return Err(syntax.error(syntax.name, "order can't be 'state' with a width", hint));
        }
        if self.is_unsound() {
            let hint = Some("use zpdb= or another heuristic, or search with nbs".to_owned());
            return Err(syntax.error(syntax.name, INCONSISTENT.to_owned(), hint));
        }
        let order = self.policy.order;
        if self.algorithm.row().has_both_ends && matches!(order, Order::Random | Order::State) {
            let part = syntax.fields.iter().find(|field| field.0 == "order");
            let part = part.map_or(syntax.name, |field| field.1);
            let hint = Some("order is lifo, fifo, heap or indexed".to_owned());
            return Err(syntax.error(part, format!("order can't be '{part}'"), hint));
        }
        Ok(())
    }
}

impl Method {
    /// Whether a specialised engine searches by it in segments, if the board is small enough.
    pub(crate) fn counts_segments_by_perimeter(&self) -> bool {
        self.metric == Metric::Multi
            && self.algorithm == Algorithm::Ida
            && self.estimate == Some(Estimate::Walking)
            && self.policy == (self.algorithm.row().policy)()
            && self.moves == MoveOrder::default()
    }

    /// Checks that the method can count segments, whose usual heuristic is `walking`.
    fn check_segments(&mut self, syntax: &MethodSyntax<'_>) -> Result<(), MethodError> {
        let algorithm = self.algorithm;
        let part = syntax.fields.iter().find(|field| field.0 == "metric");
        let part = part.map_or(syntax.name, |field| field.1);
        if !algorithm.has_metric() {
            let hint = Some("write ida:walking,metric=multi".to_owned());
            let message = format!("{algorithm} counts tiles: its databases are of single moves");
            return Err(syntax.error(part, message, hint));
        }
        if self.on.is_some() || self.prune != USUAL_PRUNE {
            let message = "devices and prune= are for moves of single tiles";
            return Err(syntax.error(part, message, Some("leave out on= and prune=".to_owned())));
        }
        let estimates = self.estimate.iter().chain(self.distance.as_deref());
        match estimates.into_iter().find(|estimate| !estimate.counts_segments()) {
            Some(estimate) => {
                let message = format!("{estimate} counts tiles, and a segment of them is one move");
                let hint = Some(format!("write {algorithm}:walking,metric=multi"));
                Err(syntax.error(syntax.argument.unwrap_or(part), message, hint))
            }
            None => Ok(()),
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
        let mut text = self.head();
        for (field, value) in self.policy.differences(&(self.algorithm.row().policy)()) {
            let _ = write!(text, ",{field}={value}");
        }
        self.write_others(&mut text, self.moves != MoveOrder::default());
        f.write_str(&text)
    }
}

impl FromStr for Method {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Self, MethodError> {
        let syntax = MethodSyntax::new(text)?;
        let named = Algorithm::ALL.iter().find(|algorithm| algorithm.name() == syntax.name);
        let Some(&algorithm) = named else {
            let names = Algorithm::ALL.iter().map(|algorithm| algorithm.name());
            let others = Algorithm::ALL.iter().flat_map(|algorithm| algorithm.other_names());
            return Err(syntax.unknown(syntax.name, "method", names, others));
        };
        let estimate = match (syntax.argument, algorithm.row().takes_heuristic) {
            (Some(argument), true) => Some(Estimate::read(argument, &syntax)?),
            (Some(argument), false) => {
                let message = format!("{algorithm} takes no heuristic");
                return Err(syntax.error(argument, message, Some(format!("write {algorithm}"))));
            }
            (None, true) if syntax.fields.contains(&("metric", "multi")) => Some(Estimate::Walking),
            (None, true) => Some(Estimate::Manhattan),
            (None, false) => None,
        };
        let has_databases = || estimate.as_ref().is_some_and(Estimate::is_databases);
        if algorithm.row().needs_databases && !has_databases() {
            let part = syntax.argument.unwrap_or(syntax.name);
            let message = format!(
                "{algorithm} needs pattern databases: pdb=, zpdb=, or max= of several zpdb="
            );
            return Err(syntax.error(part, message, Some(format!("write {algorithm}:zpdb=small"))));
        }
        let mut method = Self::new(algorithm, estimate);
        method.set(&syntax)?;
        Ok(method)
    }
}

taquin_search::serde_as_text!(Method);

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
            "wastar:manhattan,w=3/2,phi=xdp,reopen=never",
            "wastar:manhattan,phi=pwxup",
            "random,seed=7",
            "beam:linear,k=10",
            "bidirectional",
            "focal:manhattan,w=3/2,d=linear",
            "dps:linear,w=3",
            "ees:manhattan,d=max=linear+gaschnig,moves=LRUD",
            "ios:manhattan,w=5/4,phi=xup",
            "awa:linear,w=3",
            "ara:manhattan",
            "bae:manhattan",
            "bae:linear,order=heap,side=pohl,moves=RLDU",
            "nbs:walking",
            "mm:zero",
            "dvcbs:max=linear+gaschnig,moves=LRUD",
            "ids",
            "ids,cutoff=before,moves=LRUD",
            "astar:misplaced,tie=none,order=state,blank=counted",
            "bts:linear,undo=keep",
            "dfbnb:manhattan",
            "bfida:walking",
            "sma:manhattan,nodes=5000",
            "lrta:manhattan,look=10",
            "ida:linear",
            "layers",
            "anytime",
            "anytime,seed=7",
            "ida:max=linear+gaschnig",
            "ida:pdb=7-8,prune=8",
            "ida:pdb=6-6-6-6,on=gpu",
            "auto,on=cpu",
            "auto,on=gpu",
            "aida:pdb=6-6-6-6",
            "aida:pdb=6-6-6-6,prune=8,tt=2G,moves=LRUD",
            "aida:pdb=6-6-6-6,tt=0",
            "aida:zpdb=6-6-6-6",
            "astar:max=zpdb=1.2.3/4.5.6+linear",
            "aida:max=zpdb=6-6-6-6+zpdb=1.2.3/4.5.6,prune=8",
            "aida:pdb=6-6-6-6,tt=536870912",
            "table",
            "table,metric=multi,moves=LRUD",
            "ida:manhattan,goal=expansion,undo=keep,moves=LRUD",
            "astar:manhattan,order=fifo,duplicates=generated,reopen=never,undo=keep,moves=LRUD",
        ] {
            assert_eq!(text.parse::<Method>().unwrap().to_string(), text);
        }
        // Default values are not printed.
        for (text, printed) in [
            ("astar", "astar:manhattan"),
            ("wastar:linear,w=2", "wastar:linear"),
            ("astar:manhattan,tie=high-g,order=fifo,goal=expansion", "astar:manhattan,order=fifo"),
            ("bfs,moves=ULRD", "bfs"),
            ("ida:linear,on=cpu", "ida:linear"),
            ("aida:pdb=6-6-6-6,tt=1500MB", "aida:pdb=6-6-6-6,tt=1500M"),
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
            (
                "auto,moves=ULRD",
                "unknown field of auto 'moves'",
                "the only field of auto is 'on'",
                "     ^^^^^",
            ),
            ("wastar,w=0", "w can't be '0'", "w is a number or a fraction", "         ^"),
            (
                "dps,w=0.5",
                "dps needs a weight of at least 1",
                "write w=1 or more, or use wastar",
                "      ^^^",
            ),
            (
                "ios,phi=pwxdp",
                "ios can't use phi=pwxdp",
                "write phi=xdp or phi=xup, or use wastar",
                "        ^^^^^",
            ),
            (
                "wastar,w=0.5,phi=xdp",
                "phi=xdp needs a weight of at least 1",
                "write w=1 or more, or phi=wa",
                "         ^^^",
            ),
            ("ees,d=liner", "unknown heuristic 'liner'", "did you mean 'linear'?", "      ^^^^^"),
            ("dps,d=linear", "unknown field of dps 'd'", "did you mean 'w'?", "    ^"),
            ("ida:max=linear+", "unknown heuristic ''", "there are ", "               ^"),
            (
                "aida",
                "aida needs pattern databases: pdb=, zpdb=, or max= of several zpdb=",
                "write aida:zpdb=small",
                "^^^^",
            ),
            (
                "aida:max=pdb=small+linear",
                "aida needs pattern databases: pdb=, zpdb=, or max= of several zpdb=",
                "write aida:zpdb=small",
                "     ^^^^^^^^^^^^^^^^^^^^",
            ),
        ] {
            let error = text.parse::<Method>().unwrap_err();
            assert_eq!(error.to_string(), message, "{text}");
            assert!(error.hint().unwrap().starts_with(hint), "{text}: {:?}", error.hint());
            assert_eq!(error.caret().to_string().lines().nth(1), Some(place), "{text}");
        }
        for text in ["ida,prune=1", "ida,prune=23", "ida,prune=x"] {
            let error = text.parse::<Method>().unwrap_err();
            assert_eq!(error.to_string(), "prune is a number of moves from 2 to 22", "{text}");
        }
        assert!("astar,prune=4".parse::<Method>().is_err());
        assert!("ida:pdb=7-8,tt=1G".parse::<Method>().is_err());
        let error = "aida:pdb=7-8,tt=much".parse::<Method>().unwrap_err();
        let message = "'much' is not an amount of memory: write 200M, 2G or 512MiB";
        assert_eq!(error.to_string(), message);
    }

    /// Other names are not accepted, and the hint is a spelling that is.
    #[test]
    fn usual_names_get_a_hint_at_the_spelling() {
        for (text, meant) in [
            ("A*", "astar"),
            ("a-star:linear", "astar"),
            ("A* search", "astar"),
            ("BFS", "bfs"),
            ("breadth-first-search", "bfs"),
            ("DFS,depth=30", "dfs"),
            ("IDA*", "ida"),
            ("idastar", "ida"),
            ("ida_star", "ida"),
            ("AIDA*", "aida"),
            ("WA*", "wastar"),
            ("dijkstra", "ucs"),
            ("Uniform-Cost", "ucs"),
            ("IDDFS", "ids"),
            ("best-first", "greedy"),
            ("ASATR", "astar"),
            ("astar:hamming", "misplaced"),
            ("astar:Manhattan", "manhattan"),
            ("astar:linear-conflict", "linear"),
            ("astar:linear_conflicts", "linear"),
            ("astar:walking-distance", "walking"),
            ("astar:pdb", "pdb=small"),
            ("astar:zpdb", "zpdb=small"),
            ("ida:max=linear+hamming", "misplaced"),
            ("ida:max", "max=linear+gaschnig"),
        ] {
            let error = text.parse::<Method>().unwrap_err();
            assert_eq!(error.hint(), Some(&*format!("did you mean '{meant}'?")), "{text}");
        }
        let error = "astar:nothing".parse::<Method>().unwrap_err();
        let list = "there are zero, misplaced, euclidean, manhattan, linear, inversion, gaschnig, \
                    walking, pdb=PARTITION, zpdb=PARTITION, max=A+B";
        assert_eq!(error.hint(), Some(list));
        for (other, name) in Algorithm::ALL.iter().flat_map(|algorithm| algorithm.other_names()) {
            assert!(other.parse::<Method>().is_err(), "{other}");
            let databases = if name == "aida" { ":pdb=small" } else { "" };
            assert!(format!("{name}{databases}").parse::<Method>().is_ok(), "{name}");
        }
        for (other, name) in Estimate::OTHER_NAMES {
            assert!(other.parse::<Estimate>().is_err(), "{other}");
            assert!(name.parse::<Estimate>().is_ok(), "{name}");
        }
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
