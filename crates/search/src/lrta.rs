//! Real-time search: LSS-LRTA\* (Koenig and Sun 2009), which moves before it has found a path.
//!
//! Each episode expands a number of states around the present one in A\* order, raises their
//! estimates as far as their surroundings prove, and moves to the best state on the edge. The
//! solution is the path as it was walked, which may pass a state several times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::heuristic::Heuristic;
use crate::limits::Meter;
use crate::observer::{Node, Observer, Verdict};
use crate::outcome::{Counts, Outcome, Search, Solution, Stop};
use crate::space::{Cost, Reversible};
use crate::stepwise::{Engine, Problem, Stepwise};

impl<'a, S: Reversible, H: Heuristic<S>, O: Observer<S>> Problem<'a, S, H, O> {
    /// Walks to the goal, and expands up to `look` states before each walk.
    ///
    /// ```
    /// use taquin_search::{Problem, Recomputed};
    /// # mod line { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/line.rs")); }
    /// # use line::Line;
    /// let estimate = |&state: &i32| state.abs_diff(7);
    /// let search = Problem::new(&Line, &3).heuristic(&Recomputed(&estimate)).real_time(2).run();
    /// assert_eq!(search.solution().unwrap().actions, [1, 1, 1, 1]);
    /// ```
    pub fn real_time(self, look: u64) -> Stepwise<RealTime<'a, S, H, O>> {
        let Problem { space, start, heuristic, limits, observer } = self;
        Stepwise::new(RealTime {
            space,
            start,
            heuristic,
            observer,
            meter: Meter::new(limits),
            look: look.max(1),
            left: 0,
            state: start.clone(),
            learned: FxHashMap::default(),
            nodes: Vec::new(),
            places: FxHashMap::default(),
            links: Vec::new(),
            open: BinaryHeap::new(),
            actions: Vec::new(),
            solution: Solution { actions: Vec::new(), cost: 0 },
            ids: 0,
            counts: Counts::default(),
        })
    }
}

/// A state around the present one.
struct LocalNode<S: Reversible> {
    key: S::Key,
    g: Cost,
    h: Cost,
    parent: u32,
    action: Option<S::Action>,
    depth: u64,
    id: u64,
    is_expanded: bool,
}

/// The best state has the least f. On a tie the least h decides, and then the newest state.
type Rank = (Reverse<u64>, Reverse<Cost>, u32);

/// An action from a state to another one, and its cost.
type Link = (u32, u32, Cost);

/// A real-time search under way, made by [`Problem::real_time`].
pub struct RealTime<'a, S: Reversible, H, O> {
    space: &'a S,
    start: &'a S::State,
    heuristic: &'a H,
    observer: &'a mut O,
    meter: Meter<'a>,
    look: u64,
    /// How many more states the episode expands.
    left: u64,
    /// The present state.
    state: S::State,
    /// The estimates that were raised.
    learned: FxHashMap<S::Key, Cost>,
    /// The states of the episode, none between two of them.
    nodes: Vec<LocalNode<S>>,
    places: FxHashMap<S::Key, u32>,
    /// The actions between states of the episode.
    links: Vec<Link>,
    open: BinaryHeap<Rank>,
    actions: Vec<S::Action>,
    solution: Solution<S::Action>,
    ids: u64,
    counts: Counts,
}

impl<S: Reversible, H: Heuristic<S>, O: Observer<S>> Engine for RealTime<'_, S, H, O> {
    type Step = S::Action;

    fn advance<const ONE: bool>(&mut self) -> Option<Search<S::Action>> {
        let stopped = loop {
            match self.episode::<ONE>()? {
                Ok(true) => break None,
                Ok(false) => {}
                Err(stop) => break Some(stop),
            }
        };
        let bound = self.estimate(self.start, &self.space.key(self.start));
        let outcome = match stopped {
            None => {
                let Solution { actions, cost } = &mut self.solution;
                Outcome::Solved(Solution { actions: std::mem::take(actions), cost: *cost })
            }
            Some(None) => Outcome::Exhausted,
            Some(Some(stop)) => Outcome::Stopped(stop),
        };
        let lower_bound = match &outcome {
            Outcome::Solved(solution) => bound.min(solution.cost),
            _ => bound,
        };
        Some(Search { outcome, lower_bound, counts: self.counts, before_last_bound: None })
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}

impl<S: Reversible, H: Heuristic<S>, O: Observer<S>> RealTime<'_, S, H, O> {
    fn estimate(&self, state: &S::State, key: &S::Key) -> Cost {
        self.learned.get(key).copied().unwrap_or_else(|| self.heuristic.estimate(state))
    }

    /// Looks around, learns and moves. Returns whether the goal is reached, or `None` if it should
    /// expand only `ONE` state and has done so. Fails without a reason if no state is left to be
    /// expanded.
    fn episode<const ONE: bool>(&mut self) -> Option<Result<bool, Option<Stop>>> {
        if self.nodes.is_empty() {
            self.look_around();
        }
        loop {
            let Some(best) = self.open.pop() else { return Some(Err(None)) };
            let at = best.2;
            let node = &self.nodes[at as usize];
            if node.is_expanded || best != rank(node, at) {
                continue;
            }
            let mut state = self.space.state(&node.key);
            if self.left == 0 || self.space.is_goal(&state) {
                return Some(self.learn().and_then(|()| self.walk_to(at)));
            }
            if let Err(stop) = self.expand(at, &mut state) {
                return Some(Err(stop));
            }
            if ONE {
                return None;
            }
        }
    }

    /// Begins an episode at the present state.
    fn look_around(&mut self) {
        self.left = self.look;
        let key = self.space.key(&self.state);
        let h = self.estimate(&self.state, &key);
        self.places.insert(key.clone(), 0);
        let (g, depth, id) = (0, self.solution.actions.len() as u64, self.ids);
        self.ids += 1;
        let root = LocalNode { key, g, h, parent: 0, action: None, depth, id, is_expanded: false };
        self.open.push(rank(&root, 0));
        self.nodes.push(root);
    }

    fn expand(&mut self, at: u32, state: &mut S::State) -> Result<(), Option<Stop>> {
        self.left -= 1;
        let open = self.open.len() as u64;
        if let Some(stop) = self.meter.stop(&self.counts, || (open, 0)) {
            return Err(Some(stop));
        }
        let mut actions = std::mem::take(&mut self.actions);
        actions.clear();
        self.space.actions(state, &mut actions);
        if S::MAY_CANCEL && self.meter.is_cancelled() {
            return Err(Some(Stop::Cancelled));
        }
        self.make_room(actions.len(), 0)?;
        self.counts.expanded += 1;
        self.nodes[at as usize].is_expanded = true;
        if O::ACTIVE {
            let node = self.view(at, state);
            self.observer.expand(&node);
        }
        for &action in &actions {
            let cost = self.space.apply(state, action);
            self.counts.generated += 1;
            let improved = self.generate(at, state, action, cost)?;
            self.open.extend(improved.map(|place| rank(&self.nodes[place as usize], place)));
            self.space.undo(state, action);
        }
        self.actions = actions;
        self.counts.frontier_peak = self.counts.frontier_peak.max(self.open.len() as u64);
        Ok(())
    }

    /// Adds a successor. Returns its place if it is new or reached at less cost.
    fn generate(
        &mut self,
        parent: u32,
        state: &S::State,
        action: S::Action,
        cost: Cost,
    ) -> Result<Option<u32>, Option<Stop>> {
        let key = self.space.key(state);
        let LocalNode { g, depth, .. } = self.nodes[parent as usize];
        let g = g.checked_add(cost).ok_or(Some(Stop::Cost))?;
        let (place, verdict) = match self.places.get(&key) {
            Some(&place) => {
                let node = &mut self.nodes[place as usize];
                let verdict = match (g < node.g, node.is_expanded) {
                    (false, _) => Verdict::Duplicate,
                    (true, false) => Verdict::Cheaper,
                    (true, true) => Verdict::Reopened,
                };
                if g < node.g {
                    (node.g, node.parent, node.action) = (g, parent, Some(action));
                    (node.depth, node.is_expanded) = (depth + 1, false);
                }
                (place, verdict)
            }
            None => {
                let place = self.nodes.len() as u32;
                let (h, id) = (self.estimate(state, &key), self.ids);
                self.ids += 1;
                self.places.insert(key.clone(), place);
                let (action, depth) = (Some(action), depth + 1);
                let node = LocalNode { key, g, h, parent, action, depth, id, is_expanded: false };
                self.nodes.push(node);
                (place, Verdict::Kept)
            }
        };
        self.links.push((parent, place, cost));
        self.counts.duplicates += u64::from(verdict == Verdict::Duplicate);
        self.counts.reopened += u64::from(verdict == Verdict::Reopened);
        if O::ACTIVE {
            let node = self.view(place, state);
            self.observer.generate(&node, verdict);
        }
        Ok((verdict != Verdict::Duplicate).then_some(place))
    }

    /// Raises the expanded states' estimates to the least cost of leaving them plus the estimate at
    /// the edge.
    fn learn(&mut self) -> Result<(), Option<Stop>> {
        self.links.sort_unstable_by_key(|link| link.1);
        let mut proven = vec![Cost::MAX; self.nodes.len()];
        let mut queue = BinaryHeap::new();
        for (place, node) in (0..).zip(&self.nodes).filter(|(_, node)| !node.is_expanded) {
            proven[place as usize] = node.h;
            queue.push(Reverse((node.h, place)));
        }
        while let Some(Reverse((h, place))) = queue.pop() {
            if h > proven[place as usize] {
                continue;
            }
            let first = self.links.partition_point(|link| link.1 < place);
            for &(from, _, cost) in self.links[first..].iter().take_while(|link| link.1 == place) {
                let through = h.saturating_add(cost);
                if self.nodes[from as usize].is_expanded && through < proven[from as usize] {
                    proven[from as usize] = through;
                    queue.push(Reverse((through, from)));
                }
            }
        }
        let is_raised = |(node, h): &(&LocalNode<S>, Cost)| node.is_expanded && *h > node.h;
        self.make_room(0, self.nodes.iter().zip(proven.iter().copied()).filter(is_raised).count())?;
        let raised = self.nodes.iter().zip(proven).filter(is_raised);
        self.learned.extend(raised.map(|(node, h)| (node.key.clone(), h)));
        self.counts.stored_peak =
            self.counts.stored_peak.max((self.learned.len() + self.nodes.len()) as u64);
        Ok(())
    }

    /// Walks to a state of the episode, which ends. Returns whether it is the goal.
    fn walk_to(&mut self, target: u32) -> Result<bool, Option<Stop>> {
        let path = std::iter::successors(Some(target), |&at| Some(self.nodes[at as usize].parent));
        let mut path: Vec<S::Action> =
            path.map_while(|at| self.nodes[at as usize].action).collect();
        path.reverse();
        let cost = self.solution.cost.checked_add(self.nodes[target as usize].g);
        self.solution.cost = cost.ok_or(Some(Stop::Cost))?;
        for &action in &path {
            self.space.apply(&mut self.state, action);
        }
        self.solution.actions.extend(path);
        let depth = self.solution.actions.len() as u64;
        self.counts.depth_peak = self.counts.depth_peak.max(depth);
        let is_goal = self.space.is_goal(&self.state);
        if is_goal && O::ACTIVE {
            let node = Node { g: self.solution.cost, ..self.view(target, &self.state) };
            self.observer.goal(&node);
        }
        self.nodes.clear();
        self.places.clear();
        self.links.clear();
        self.open.clear();
        Ok(is_goal)
    }

    /// Counts the bytes in all tables after `states` states and `learned` estimates are added.
    fn make_room(&mut self, states: usize, learned: usize) -> Result<(), Option<Stop>> {
        let Self { nodes, places, links, open, .. } = self;
        let heap = nodes.first().map_or(0, |node| self.space.heap_bytes(&node.key));
        let entry = size_of::<(S::Key, Cost)>() + 1 + heap;
        // Learning takes a cost and a place in a queue for each state.
        let state = size_of::<LocalNode<S>>() + heap + 3 * size_of::<Cost>();
        let walked = &self.solution.actions;
        let bytes = grown(nodes.len() + states, nodes.capacity()) * state
            + grown(links.len() + states, links.capacity()) * size_of::<Link>()
            + grown(open.len() + states, open.capacity()) * size_of::<Rank>()
            + grown(walked.len() + 1, walked.capacity()) * size_of::<S::Action>()
            + moved(places.len() + states, places.capacity()) * entry
            + moved(self.learned.len() + learned, self.learned.capacity()) * entry;
        if self.meter.exceeds_memory(|| bytes) {
            return Err(Some(Stop::Memory));
        }
        self.counts.memory_peak = self.counts.memory_peak.max(bytes as u64);
        Ok(())
    }

    fn view<'b>(&self, at: u32, state: &'b S::State) -> Node<'b, S> {
        let &LocalNode { g, h, parent, action, depth, id, .. } = &self.nodes[at as usize];
        let parent = action.map(|_| self.nodes[parent as usize].id);
        let g = self.solution.cost.saturating_add(g);
        Node { id, parent, action, state, g, h, depth, value: None }
    }
}

/// Returns the order of a state.
fn rank<S: Reversible>(node: &LocalNode<S>, place: u32) -> Rank {
    (Reverse(u64::from(node.g) + u64::from(node.h)), Reverse(node.h), place)
}

/// Returns the room for entries of a list when it holds `len`: a full list doubles.
fn grown(len: usize, capacity: usize) -> usize {
    if len <= capacity { capacity } else { len.max(2 * capacity) }
}

/// Returns the room for entries of a hash table when it holds `len`. A full one exists twice until
/// its entries have moved.
fn moved(len: usize, capacity: usize) -> usize {
    if len <= capacity { capacity } else { capacity + 2 * len }
}
