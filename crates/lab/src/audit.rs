//! How good a heuristic is: its estimates compared with the true distances of all boards.
//!
//! The whole space's table has every board's true distance. It counts moves. For other move costs,
//! a uniform-cost search from the goal reaches every board at its distance, since every move can be
//! undone at the same cost. Both also visit every move: a heuristic is consistent if no move
//! changes it by more than the move costs.
//!
//! Estimates are judged as they are. Fractions are not rounded before a comparison, and the
//! comparisons are exact.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use taquin::packed::{Layout, Nibbles, Tiles, Wide};
use taquin::{
    Algorithm, Board, BoardsAtDepth, ChangedTables, Cost, Costs, Counts, ExploreError, Method,
    Metric, Monitor, MoveOrder, Policy, Puzzle, Random, Reason, Session, SpaceError, SpaceTableJob,
    TableError, Task, TaskLimits, Tile, Watch,
};
use taquin_search::{Limits, Meter, Node, Observer, Outcome, Problem, Stop, Verdict};

/// A heuristic compared with the true distances.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Audit {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The goal, row by row.
    pub goal: Vec<Tile>,
    /// The cost of a move.
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
    /// The number of boards for which it is whole and has the true distance's parity.
    pub same_parity: u64,
    /// The board for which it is farthest below the true distance: the one nearest to the goal and,
    /// on a tie, the first row by row.
    pub lowest: Case,
    /// The board for which it exceeds the true distance most, if any, chosen likewise.
    pub highest: Option<Case>,
    /// The move whose change in the estimate exceeds its cost most, if any, chosen in the same way.
    pub jump: Option<Jump>,
    /// The estimates at each distance.
    pub distances: Vec<Distance>,
    /// The performance of A* with it.
    pub branching: Option<Branching>,
}

/// An estimate for one board.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Case {
    /// The board, row by row.
    pub board: Vec<Tile>,
    /// The estimate.
    #[serde(serialize_with = "number")]
    pub estimate: f64,
    /// The true distance.
    pub distance: Cost,
}

/// A move that changes an estimate by more than it costs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Jump {
    /// The two boards.
    pub boards: [Vec<Tile>; 2],
    /// Their estimates.
    #[serde(serialize_with = "numbers")]
    pub estimates: [f64; 2],
    /// The cost of the move between them.
    pub cost: Cost,
}

/// The boards of one distance.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Distance {
    /// The distance.
    pub distance: Cost,
    /// How many boards there are.
    pub boards: u64,
    /// The least estimate.
    #[serde(serialize_with = "number")]
    pub least: f64,
    /// The greatest estimate.
    #[serde(serialize_with = "number")]
    pub most: f64,
    /// The sum of the estimates.
    #[serde(serialize_with = "number")]
    pub total: f64,
    /// How many of them have each estimate, rounded down.
    pub estimates: BTreeMap<Cost, u64>,
}

/// A*'s performance on boards at one distance.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Branching {
    /// The distance: that nearest to the mean.
    pub distance: u64,
    /// How many boards were solved, drawn at random.
    pub boards: usize,
    /// The nodes that A* generated per board, on average.
    pub generated: f64,
    /// The effective branching factor b: a tree in which every node has b children has as many
    /// nodes below its root, b + b^2 + .. + b^distance.
    pub factor: f64,
}

/// Why there is no audit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum AuditError {
    /// The heuristic cannot have its tables.
    #[error(transparent)]
    Tables(#[from] TableError),
    /// The space cannot have its table.
    #[error(transparent)]
    Space(SpaceError),
    /// The files of its tables change again and again.
    #[error(transparent)]
    Changed(#[from] ChangedTables),
    #[error("stopped after {boards} boards")]
    Stopped { boards: u64, reason: Reason },
}

/// How many boards are solved for the branching factor.
const SAMPLE: usize = 100;

impl Audit {
    /// Audits the heuristic of a method, over all boards from which the goal can be reached.
    ///
    /// # Errors
    /// Fails if the heuristic cannot have its tables, or if a limit is reached first.
    pub fn of(
        session: &Session,
        method: &Method,
        goal: &Board,
        costs: &Costs,
        task_limits: &TaskLimits,
        monitor: &Arc<Monitor>,
    ) -> Result<Self, AuditError> {
        let mut task = Task::new(to_itself(goal), method.clone());
        task.cost = costs.clone();
        let audit = session.with_intact_tables(goal, |session| {
            let evaluator = session.evaluator_of(&task)?;
            let estimator = |board: &Board| f64::from(evaluator.estimate(board));
            Self::by(&estimator, session, goal, costs, task_limits, monitor)
        });
        let mut audit = audit??;
        if *costs == Costs::Unit {
            let method = Method {
                blank: method.blank,
                ..Method::new(Algorithm::Astar, method.estimate.clone())
            };
            audit.branching = audit.branching(session, &method, goal, task_limits, monitor);
        }
        Ok(audit)
    }

    /// Audits any function of a board, without A*'s performance. Its estimates are finite and not
    /// negative.
    ///
    /// # Errors
    /// Fails if a limit is reached first.
    pub fn by(
        estimate: &dyn Fn(&Board) -> f64,
        session: &Session,
        goal: &Board,
        costs: &Costs,
        task_limits: &TaskLimits,
        monitor: &Arc<Monitor>,
    ) -> Result<Self, AuditError> {
        check_size(goal, costs, task_limits.memory)?;
        let audited = session.with_intact_tables(goal, |session| {
            let limits = task_limits.watched(monitor);
            let lowest = Case { board: goal.tiles().to_vec(), ..Case::default() };
            let mut auditor = Auditor { lowest, ..Auditor::default() };
            let stop = match goal.size().cells() {
                ..=TABLE_CELLS if *costs == Costs::Unit => {
                    auditor.tour(estimate, session, goal, task_limits, monitor)?
                }
                ..=Nibbles::CELLS => auditor.search::<Nibbles>(estimate, goal, costs, &limits),
                _ => auditor.search::<Wide>(estimate, goal, costs, &limits),
            };
            Ok((auditor, stop))
        })?;
        let (auditor, stop) = audited.map_err(AuditError::Space)?;
        match stop {
            None => Ok(auditor.finish(goal, costs)),
            Some(stop) => {
                let boards = auditor.distances.values().map(|distance| distance.boards).sum();
                Err(AuditError::Stopped { boards, reason: stop.into() })
            }
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
        let (random, memory) = (&mut random, task_limits.memory);
        let job = BoardsAtDepth { goal, depth: distance, count: SAMPLE, random, memory };
        let drawn = session.run(job, Watch::by(monitor));
        let boards = drawn.ok().filter(|_| distance > 0)?;
        let mut generated = 0;
        for board in &boards {
            let puzzle = Puzzle::new(board.clone(), goal.clone()).ok()?;
            let mut task = Task::new(puzzle, method.clone());
            task.limits = task_limits.clone();
            let report = session.run(&task, Watch::by(monitor));
            report.depth?;
            generated += report.counts.generated;
        }
        let generated = generated as f64 / boards.len() as f64;
        let factor = effective_branching(generated, distance);
        Some(Branching { distance, boards: boards.len(), generated, factor })
    }
}

impl Case {
    fn rank(&self) -> (u64, Reverse<(Cost, &[Tile])>) {
        rank(self.estimate - f64::from(self.distance), self.distance, &self.board)
    }
}

impl Distance {
    /// The mean estimate.
    pub fn mean(&self) -> f64 {
        self.total / self.boards as f64
    }
}

/// Writes a number that is whole without a decimal point.
struct Number(f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.fract() == 0.0 && self.0 < u64::MAX as f64 {
            true => serializer.serialize_u64(self.0 as u64),
            false => serializer.serialize_f64(self.0),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "this is how serde calls it")]
fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Number(*value).serialize(serializer)
}

fn numbers<S: Serializer>(values: &[f64; 2], serializer: S) -> Result<S::Ok, S::Error> {
    values.map(Number).serialize(serializer)
}

/// The bytes that a search takes at least for each board.
const MIN_BYTES_PER_STATE: u64 = 32;

/// Refuses a space that a search would visit until the memory is full. The session refuses a table.
fn check_size(goal: &Board, costs: &Costs, memory: Option<u64>) -> Result<(), AuditError> {
    let size = goal.size();
    // The boards of a line are few.
    let is_searched =
        size.rows() > 1 && size.cols() > 1 && (*costs != Costs::Unit || size.cells() > TABLE_CELLS);
    let states = taquin::space::extent(goal, Metric::Single).states;
    let needed = states.saturating_mul(MIN_BYTES_PER_STATE);
    let allowed = memory.unwrap_or(u64::MAX - 1);
    match is_searched && needed > allowed {
        true => Err(AuditError::Space(ExploreError::Memory { states, needed, allowed }.into())),
        false => Ok(()),
    }
}

/// No table numbers the boards of more cells.
const TABLE_CELLS: usize = 64;

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

pub(crate) fn to_itself(goal: &Board) -> Puzzle {
    Puzzle::new(goal.clone(), goal.clone()).expect("a board has its own tiles")
}

/// Checks every board and every move, in any order.
#[derive(Default)]
struct Auditor {
    distances: BTreeMap<Cost, Distance>,
    lowest: Case,
    highest: Option<Case>,
    /// How far it exceeds the move's cost, the distance of its first board, and the move.
    jump: Option<(f64, Cost, Jump)>,
    exact: u64,
    same_parity: u64,
}

/// Orders witnesses by the size of the error, then by the distance from the goal, then by the tiles
/// row by row, so that the order of the visits does not matter.
fn rank<T: Ord>(error: f64, distance: Cost, tiles: T) -> (u64, Reverse<(Cost, T)>) {
    // The bits of numbers that are not negative are in their order.
    (error.abs().to_bits(), Reverse((distance, tiles)))
}

impl Auditor {
    /// Visits every board by the table of the space.
    fn tour(
        &mut self,
        estimate: &dyn Fn(&Board) -> f64,
        session: &Session,
        goal: &Board,
        limits: &TaskLimits,
        monitor: &Arc<Monitor>,
    ) -> Result<Option<Stop>, SpaceError> {
        // A visited board counts as a node.
        let making = TaskLimits { expanded: None, ..limits.clone() };
        let limits = limits.watched(monitor);
        let mut meter = Meter::new(&limits);
        let job = SpaceTableJob { goal, metric: Metric::Single, limits: &making };
        let table = match session.run(job, Watch::by(monitor)) {
            Err(SpaceError::Stopped(stop)) => return Ok(Some(stop)),
            table => table?,
        };
        let mut counts = Counts::default();
        let mut stopped = None;
        let _ = table.tour(|board, depth, farther| {
            stopped = meter.stop(&counts, || (0, 0));
            if stopped.is_some() {
                return ControlFlow::Break(());
            }
            counts.expanded += 1;
            counts.generated += farther.len() as u64;
            let (distance, h) = (depth as Cost, estimate(board));
            self.board(board, distance, h);
            for next in farther {
                self.step([board, next], [h, estimate(next)], distance, 1);
            }
            ControlFlow::Continue(())
        });
        Ok(stopped)
    }

    /// Visits every board by a search from the goal.
    fn search<L: Layout>(
        &mut self,
        estimate: &dyn Fn(&Board) -> f64,
        goal: &Board,
        costs: &Costs,
        limits: &Limits,
    ) -> Option<Stop> {
        let space = &Tiles::<L>::new(&to_itself(goal), costs, MoveOrder::default()).without_goal();
        let start = space.place(goal);
        let mut observer = AuditObserver { space, estimate, auditor: self, parent: None };
        let problem = Problem::new(space, &start).limits(limits).observer(&mut observer);
        let search = problem.best_first(&Policy::ucs()).run();
        match search.outcome {
            Outcome::Stopped(stop) => Some(stop),
            _ => None,
        }
    }

    fn board(&mut self, board: &Board, distance: Cost, estimate: f64) {
        let truth = f64::from(distance);
        let known = self.distances.entry(distance).or_insert_with(|| Distance {
            distance,
            least: f64::INFINITY,
            ..Distance::default()
        });
        known.boards += 1;
        known.least = known.least.min(estimate);
        known.most = known.most.max(estimate);
        known.total += estimate;
        *known.estimates.entry(estimate as Cost).or_default() += 1;
        let error = estimate - truth;
        self.exact += u64::from(error == 0.0);
        self.same_parity += u64::from(estimate.fract() == 0.0 && error % 2.0 == 0.0);
        let case = || Case { board: board.tiles().to_vec(), estimate, distance };
        let here = rank(error, distance, board.tiles());
        if error > 0.0 {
            if self.highest.as_ref().is_none_or(|known| here > known.rank()) {
                self.highest = Some(case());
            }
        } else if here > self.lowest.rank() {
            self.lowest = case();
        }
    }

    fn step(&mut self, boards: [&Board; 2], estimates: [f64; 2], distance: Cost, cost: Cost) {
        let beyond = beyond(estimates, cost.into());
        let tiles = boards.map(Board::tiles);
        let known = self.jump.as_ref().map(|(beyond, distance, jump)| {
            rank(*beyond, *distance, jump.boards.each_ref().map(Vec::as_slice))
        });
        if beyond > 0.0 && Some(rank(beyond, distance, tiles)) > known {
            let boards = tiles.map(<[Tile]>::to_vec);
            self.jump = Some((beyond, distance, Jump { boards, estimates, cost }));
        }
    }

    fn finish(self, goal: &Board, costs: &Costs) -> Audit {
        let Self { distances, lowest, highest, jump, exact, same_parity } = self;
        let boards: u64 = distances.values().map(|known| known.boards).sum();
        let mean =
            |of: fn(&Distance) -> f64| distances.values().map(of).sum::<f64>() / boards as f64;
        Audit {
            rows: goal.size().rows(),
            cols: goal.size().cols(),
            goal: goal.tiles().to_vec(),
            cost: costs.clone(),
            boards,
            admissible: highest.is_none(),
            consistent: jump.is_none(),
            mean_estimate: mean(|known| known.total),
            mean_distance: mean(|known| f64::from(known.distance) * known.boards as f64),
            exact,
            same_parity,
            lowest,
            highest,
            jump: jump.map(|(_, _, jump)| jump),
            distances: distances.into_values().collect(),
            branching: None,
        }
    }
}

/// Returns how far the difference of two estimates is beyond `cost`: more than 0 exactly if it is.
fn beyond([a, b]: [f64; 2], cost: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    // The part that the subtraction rounds off, which decides if the rounded difference is the
    // cost.
    let difference = high - low;
    let subtracted = high - difference;
    let lost = (high - (difference + subtracted)) + (subtracted - low);
    (difference - cost) + lost
}

/// Passes the boards and moves of a search on.
struct AuditObserver<'a, L: Layout> {
    space: &'a Tiles<L>,
    estimate: &'a dyn Fn(&Board) -> f64,
    auditor: &'a mut Auditor,
    /// The node whose successors are being generated: its board, distance and estimate.
    parent: Option<(Board, Cost, f64)>,
}

impl<L: Layout> Observer<Tiles<L>> for AuditObserver<'_, L> {
    fn expand(&mut self, node: &Node<'_, Tiles<L>>) {
        let board = self.space.board(node.state);
        let estimate = (self.estimate)(&board);
        self.auditor.board(&board, node.g, estimate);
        self.parent = Some((board, node.g, estimate));
    }

    fn generate(&mut self, node: &Node<'_, Tiles<L>>, _: Verdict) {
        if let Some((parent, distance, estimate)) = &self.parent {
            let board = self.space.board(node.state);
            let estimates = [*estimate, (self.estimate)(&board)];
            self.auditor.step([parent, &board], estimates, *distance, node.g - distance);
        }
    }
}
