//! What a heuristic is worth: its estimate beside the true distance, over every board there is.
//!
//! A breadth-first search from the goal (uniform-cost where moves have prices) meets every board at
//! its true distance, since every move can be taken back at the same price. It meets every move as
//! well, from one of its ends: a heuristic is consistent if no move changes it by more than it costs.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use taquin::{
    Algorithm, Board, Cost, Costs, DepthError, Estimate, Layout, Method, Monitor, MoveOrder,
    Nibbles, Policy, Puzzle, Quints, Random, Reason, Session, TableError, Task, TaskLimits, Tile,
    Tiles, Wide, at_depth,
};
use taquin_search::{Anew, Goalless, Heuristic, Node, Observer, Outcome, Verdict, best_first};

use crate::space::limits;

/// A heuristic beside the truth.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Audit {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The goal, row by row.
    pub goal: Vec<Tile>,
    /// What a move costs.
    pub cost: Costs,
    /// The number of boards that reach the goal.
    pub boards: u64,
    /// Whether it never exceeds the true distance.
    pub admissible: bool,
    /// Whether no move changes it by more than the move costs.
    pub consistent: bool,
    /// Its mean.
    pub mean_estimate: f64,
    /// The mean of the true distances.
    pub mean_distance: f64,
    /// The number of boards for which it is exact.
    pub exact: u64,
    /// The number of boards for which it is odd or even as the true distance is.
    pub same_parity: u64,
    /// The board for which it is farthest below the true distance.
    pub lowest: Case,
    /// The board for which it exceeds the true distance most, if it does.
    pub highest: Option<Case>,
    /// The move by which it changes most beyond the move's cost, if it does.
    pub jump: Option<Jump>,
    /// What it estimates, distance by distance.
    pub distances: Vec<Distance>,
    /// How A* fares with it.
    pub branching: Option<Branching>,
}

/// An estimate for one board.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Case {
    /// The board, row by row.
    pub board: Vec<Tile>,
    /// The estimate.
    pub estimate: Cost,
    /// The true distance.
    pub distance: Cost,
}

/// A move that changes an estimate by more than it costs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Jump {
    /// The two boards.
    pub boards: [Vec<Tile>; 2],
    /// Their estimates.
    pub estimates: [Cost; 2],
    /// What the move between them costs.
    pub cost: Cost,
}

/// The boards of one distance.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Distance {
    /// The distance.
    pub distance: Cost,
    /// How many boards there are.
    pub boards: u64,
    /// How many of them have each estimate.
    pub estimates: BTreeMap<Cost, u64>,
}

/// How A* fares on boards of one distance.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Branching {
    /// The distance: that nearest to the mean.
    pub distance: u64,
    /// How many boards were solved, drawn at random.
    pub boards: usize,
    /// The nodes that A* generated for one of them, on average.
    pub generated: f64,
    /// The effective branching factor b: a tree in which every node has b children has as many nodes
    /// below its root, b + b^2 + .. + b^distance.
    pub factor: f64,
}

/// Why there is no audit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The heuristic can't have its tables.
    #[error(transparent)]
    Tables(#[from] TableError),
    /// A limit was reached before every board was met.
    #[error("stopped after {boards} boards")]
    Stopped {
        /// The boards met by then.
        boards: u64,
        /// The limit.
        reason: Reason,
    },
}

/// How many boards are solved for the branching factor.
const SAMPLE: usize = 100;

impl Audit {
    /// Audits a heuristic, over all boards from which the goal can be reached.
    ///
    /// # Errors
    /// Fails if the heuristic can't have its tables, or if a limit comes first.
    pub fn of(
        session: &Session,
        estimate: &Estimate,
        goal: &Board,
        costs: &Costs,
        task_limits: &TaskLimits,
        monitor: &Arc<Monitor>,
    ) -> Result<Self, AuditError> {
        let puzzle = to_itself(goal);
        let evaluator = session.evaluator(estimate, &puzzle, costs)?;
        let mut audit =
            Self::by(&|board| evaluator.estimate(board), goal, costs, task_limits, monitor)?;
        if *costs == Costs::Unit {
            let method = Method::new(Algorithm::Astar, Some(estimate.clone()));
            audit.branching = audit.branching(session, &method, goal, task_limits, monitor);
        }
        Ok(audit)
    }

    /// Audits any function of a board; how A* fares with it is left out.
    ///
    /// # Errors
    /// Fails if a limit comes first.
    pub fn by(
        estimate: &dyn Fn(&Board) -> Cost,
        goal: &Board,
        costs: &Costs,
        task_limits: &TaskLimits,
        monitor: &Arc<Monitor>,
    ) -> Result<Self, AuditError> {
        match goal.size().cells() {
            ..=Nibbles::CELLS => {
                Auditor::<Nibbles>::run(estimate, goal, costs, task_limits, monitor)
            }
            17..=Quints::CELLS => {
                Auditor::<Quints>::run(estimate, goal, costs, task_limits, monitor)
            }
            _ => Auditor::<Wide>::run(estimate, goal, costs, task_limits, monitor),
        }
    }

    fn branching(
        &self,
        session: &Session,
        method: &Method,
        goal: &Board,
        task_limits: &TaskLimits,
        monitor: &Arc<Monitor>,
    ) -> Option<Branching> {
        let nearest = |known: &&Distance| {
            // Floating-point numbers have no total order, and these need no more digits.
            ((f64::from(known.distance) - self.mean_distance).abs() * 1e6) as u64
        };
        let distance = u64::from(self.distances.iter().min_by_key(nearest)?.distance);
        let mut random = Random::new(0);
        let boards: Result<Vec<Board>, DepthError> =
            at_depth(goal, distance, SAMPLE, &mut random, task_limits.memory, monitor);
        let boards = boards.ok().filter(|_| distance > 0)?;
        let mut generated = 0;
        for board in &boards {
            let puzzle = Puzzle::new(board.clone(), goal.clone()).ok()?;
            let mut task = Task::new(puzzle, method.clone());
            task.limits = task_limits.clone();
            let report = session.work(&task, monitor, None);
            report.depth?;
            generated += report.counts.generated;
        }
        let generated = generated as f64 / boards.len() as f64;
        let factor = effective_branching(generated, distance);
        Some(Branching { distance, boards: boards.len(), generated, factor })
    }
}

impl Distance {
    /// The mean estimate.
    pub fn mean(&self) -> f64 {
        let sum: u64 = self.estimates.iter().map(|(&h, &boards)| u64::from(h) * boards).sum();
        sum as f64 / self.boards as f64
    }
}

/// The b for which b + b^2 + .. + b^depth is the number of nodes.
pub fn effective_branching(nodes: f64, depth: u64) -> f64 {
    let tree = |b: f64| (1..=depth).rev().fold(0.0, |below, _| (below + 1.0) * b);
    let (mut low, mut high) = (0.0, nodes.max(1.0));
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if tree(middle) < nodes { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

fn to_itself(goal: &Board) -> Puzzle {
    Puzzle::new(goal.clone(), goal.clone()).expect("a board has its own tiles")
}

/// Compares each board and each move as the search comes by.
struct Auditor<'a, L: Layout> {
    space: &'a Tiles<L>,
    distances: BTreeMap<Cost, Distance>,
    lowest: Case,
    highest: Option<Case>,
    jump: Option<Jump>,
    /// The node whose successors are being generated: its state, distance and estimate.
    parent: Option<(L::State, Cost, Cost)>,
}

impl<'a, L: Layout> Auditor<'a, L> {
    fn run(
        estimate: &dyn Fn(&Board) -> Cost,
        goal: &Board,
        costs: &Costs,
        task_limits: &TaskLimits,
        monitor: &Arc<Monitor>,
    ) -> Result<Audit, AuditError> {
        let space = Tiles::<L>::new(&to_itself(goal), costs, MoveOrder::default());
        let policy = if *costs == Costs::Unit { Policy::bfs() } else { Policy::ucs() };
        let mut auditor = Auditor::new(&space, goal);
        let search = best_first(
            &Goalless(&space),
            &space.place(goal),
            &Anew(&Asked { space: &space, estimate }),
            &policy,
            &limits(task_limits, monitor),
            &mut auditor,
        );
        match search.outcome {
            Outcome::Stopped(stop) => {
                let boards = auditor.distances.values().map(|distance| distance.boards).sum();
                Err(AuditError::Stopped { boards, reason: stop.into() })
            }
            _ => Ok(auditor.finish(goal, costs)),
        }
    }

    fn new(space: &'a Tiles<L>, goal: &Board) -> Self {
        Self {
            space,
            distances: BTreeMap::new(),
            lowest: Case { board: goal.tiles().to_vec(), ..Case::default() },
            highest: None,
            jump: None,
            parent: None,
        }
    }

    fn tiles(&self, state: &L::State) -> Vec<Tile> {
        self.space.board(state).tiles().to_vec()
    }

    fn finish(self, goal: &Board, costs: &Costs) -> Audit {
        let Self { distances, lowest, highest, jump, .. } = self;
        let cells = || {
            distances.values().flat_map(|Distance { distance, estimates, .. }| {
                estimates.iter().map(move |(&h, &boards)| (*distance, h, boards))
            })
        };
        let sum = |of: &dyn Fn(Cost, Cost) -> u64| -> u64 {
            cells().map(|(distance, h, boards)| of(distance, h) * boards).sum()
        };
        let boards = sum(&|_, _| 1);
        Audit {
            rows: goal.size().rows(),
            cols: goal.size().cols(),
            goal: goal.tiles().to_vec(),
            cost: costs.clone(),
            boards,
            admissible: highest.is_none(),
            consistent: jump.is_none(),
            mean_estimate: sum(&|_, h| h.into()) as f64 / boards as f64,
            mean_distance: sum(&|distance, _| distance.into()) as f64 / boards as f64,
            exact: sum(&|distance, h| u64::from(distance == h)),
            same_parity: sum(&|distance, h| u64::from((distance ^ h).is_multiple_of(2))),
            lowest,
            highest,
            jump,
            distances: distances.into_values().collect(),
            branching: None,
        }
    }
}

impl<L: Layout> Observer<Goalless<'_, Tiles<L>>> for Auditor<'_, L> {
    fn expand(&mut self, node: &Node<'_, Goalless<'_, Tiles<L>>>) {
        let &Node { g: distance, h: estimate, state, .. } = node;
        let known = self.distances.entry(distance).or_default();
        known.distance = distance;
        known.boards += 1;
        *known.estimates.entry(estimate).or_default() += 1;
        let case = || Case { board: self.tiles(state), estimate, distance };
        let below = |case: &Case| i64::from(case.distance) - i64::from(case.estimate);
        let error = i64::from(distance) - i64::from(estimate);
        if error > below(&self.lowest) {
            self.lowest = case();
        } else if error < self.highest.as_ref().map_or(0, below) {
            self.highest = Some(case());
        }
        self.parent = Some((state.clone(), distance, estimate));
    }

    fn generate(&mut self, node: &Node<'_, Goalless<'_, Tiles<L>>>, _: Verdict) {
        let Some((parent, distance, estimate)) = &self.parent else { return };
        let cost = node.g - distance;
        let beyond =
            |estimates: [Cost; 2], cost| estimates[0].abs_diff(estimates[1]).saturating_sub(cost);
        let estimates = [*estimate, node.h];
        if beyond(estimates, cost)
            > self.jump.as_ref().map_or(0, |jump| beyond(jump.estimates, jump.cost))
        {
            let boards = [self.tiles(parent), self.tiles(node.state)];
            self.jump = Some(Jump { boards, estimates, cost });
        }
    }
}

/// A function of a board as a heuristic.
struct Asked<'a, L: Layout> {
    space: &'a Tiles<L>,
    estimate: &'a dyn Fn(&Board) -> Cost,
}

impl<L: Layout> Heuristic<Goalless<'_, Tiles<L>>> for Asked<'_, L> {
    fn estimate(&self, state: &L::State) -> Cost {
        (self.estimate)(&self.space.board(state))
    }
}
