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
use crate::stepwise::Problem;

impl<S: Reversible, H: Heuristic<S>, O: Observer<S>> Problem<'_, S, H, O> {
    /// Walks to the goal, and expands up to `look` states before each walk.
    ///
    /// ```
    /// use taquin_search::{Problem, Recomputed};
    /// # mod line { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/line.rs")); }
    /// # use line::Line;
    /// let estimate = |&state: &i32| state.abs_diff(7);
    /// let search = Problem::new(&Line, &3).heuristic(&Recomputed(&estimate)).real_time(2);
    /// assert_eq!(search.solution().unwrap().actions, [1, 1, 1, 1]);
    /// ```
    pub fn real_time(self, look: u64) -> Search<S::Action> {
        let Problem { space, start, heuristic, limits, observer } = self;
        let mut walk = Walk {
            space,
            heuristic,
            observer,
            meter: Meter::new(limits),
            look: look.max(1),
            start: space.key(start),
            learned: FxHashMap::default(),
            nodes: Vec::new(),
            places: FxHashMap::default(),
            links: Vec::new(),
            solution: Solution { actions: Vec::new(), cost: 0 },
            ids: 0,
            counts: Counts::default(),
        };
        let mut state = start.clone();
        let stopped = loop {
            match walk.episode(&mut state) {
                Ok(true) => break None,
                Ok(false) => {}
                Err(stop) => break Some(stop),
            }
        };
        let bound = walk.estimate(start, &walk.start);
        let outcome = match stopped {
            None => Outcome::Solved(walk.solution),
            Some(None) => Outcome::Exhausted,
            Some(Some(stop)) => Outcome::Stopped(stop),
        };
        let lower_bound = match &outcome {
            Outcome::Solved(solution) => bound.min(solution.cost),
            _ => bound,
        };
        Search { outcome, lower_bound, counts: walk.counts, before_last_bound: None }
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

struct Walk<'a, S: Reversible, H, O> {
    space: &'a S,
    heuristic: &'a H,
    observer: &'a mut O,
    meter: Meter<'a>,
    look: u64,
    start: S::Key,
    /// The estimates that were raised.
    learned: FxHashMap<S::Key, Cost>,
    nodes: Vec<LocalNode<S>>,
    places: FxHashMap<S::Key, u32>,
    /// The actions between states of the episode: from, to and the cost.
    links: Vec<(u32, u32, Cost)>,
    solution: Solution<S::Action>,
    ids: u64,
    counts: Counts,
}

impl<S: Reversible, H: Heuristic<S>, O: Observer<S>> Walk<'_, S, H, O> {
    fn estimate(&self, state: &S::State, key: &S::Key) -> Cost {
        self.learned.get(key).copied().unwrap_or_else(|| self.heuristic.estimate(state))
    }

    /// Looks around, learns and moves. Returns whether the goal is reached; fails without a reason
    /// if no state is left to be expanded.
    fn episode(&mut self, state: &mut S::State) -> Result<bool, Option<Stop>> {
        self.nodes.clear();
        self.places.clear();
        self.links.clear();
        let mut open = BinaryHeap::new();
        let key = self.space.key(state);
        let h = self.estimate(state, &key);
        self.places.insert(key.clone(), 0);
        let (g, depth, id) = (0, self.solution.actions.len() as u64, self.ids);
        self.ids += 1;
        let root = LocalNode { key, g, h, parent: 0, action: None, depth, id, is_expanded: false };
        self.nodes.push(root);
        open.push(rank(&self.nodes[0], 0));
        let mut actions = Vec::new();
        let mut left = self.look;
        let target = loop {
            let Some(best) = open.pop() else { return Err(None) };
            let at = best.2;
            let node = &self.nodes[at as usize];
            if node.is_expanded || best != rank(node, at) {
                continue;
            }
            let mut state = self.space.state(&node.key);
            if left == 0 || self.space.is_goal(&state) {
                break at;
            }
            left -= 1;
            let bytes = self.bytes();
            self.counts.memory_peak = self.counts.memory_peak.max(bytes as u64);
            let open_nodes = open.len() as u64;
            if let Some(stop) = self.meter.stop(&self.counts, || (open_nodes, 0)) {
                return Err(Some(stop));
            }
            if self.meter.exceeds_memory(|| bytes) {
                return Err(Some(Stop::Memory));
            }
            self.counts.expanded += 1;
            self.nodes[at as usize].is_expanded = true;
            if O::ACTIVE {
                let node = self.view(at, &state);
                self.observer.expand(&node);
            }
            actions.clear();
            self.space.actions(&state, &mut actions);
            if S::MAY_CANCEL && self.meter.is_cancelled() {
                return Err(Some(Stop::Cancelled));
            }
            for &action in &actions {
                let cost = self.space.apply(&mut state, action);
                self.counts.generated += 1;
                let improved = self.generate(at, &state, action, cost)?;
                open.extend(improved.map(|place| rank(&self.nodes[place as usize], place)));
                self.space.undo(&mut state, action);
            }
            self.counts.frontier_peak = self.counts.frontier_peak.max(open.len() as u64);
        };
        self.learn();
        self.walk_to(target, state)
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
    fn learn(&mut self) {
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
        for (node, h) in self.nodes.iter().zip(proven).filter(|(node, _)| node.is_expanded) {
            if h > node.h {
                self.learned.insert(node.key.clone(), h);
            }
        }
        self.counts.stored_peak =
            self.counts.stored_peak.max((self.learned.len() + self.nodes.len()) as u64);
    }

    /// Walks to a state of the episode. Returns whether it is the goal.
    fn walk_to(&mut self, target: u32, state: &mut S::State) -> Result<bool, Option<Stop>> {
        let path = std::iter::successors(Some(target), |&at| Some(self.nodes[at as usize].parent));
        let mut path: Vec<S::Action> =
            path.map_while(|at| self.nodes[at as usize].action).collect();
        path.reverse();
        let cost = self.solution.cost.checked_add(self.nodes[target as usize].g);
        self.solution.cost = cost.ok_or(Some(Stop::Cost))?;
        for action in path {
            self.space.apply(state, action);
            self.solution.actions.push(action);
        }
        let depth = self.solution.actions.len() as u64;
        self.counts.depth_peak = self.counts.depth_peak.max(depth);
        let is_goal = self.space.is_goal(state);
        if is_goal && O::ACTIVE {
            let node = Node { g: self.solution.cost, ..self.view(target, state) };
            self.observer.goal(&node);
        }
        Ok(is_goal)
    }

    fn bytes(&self) -> usize {
        let key = size_of::<S::Key>() + self.space.heap_bytes(&self.start);
        self.learned.capacity() * (key + size_of::<Cost>() + 1)
            + self.nodes.capacity() * (size_of::<LocalNode<S>>() + 2 * key)
            + self.links.capacity() * size_of::<(u32, u32, Cost)>()
            + self.solution.actions.capacity() * size_of::<S::Action>()
    }

    fn view<'b>(&self, at: u32, state: &'b S::State) -> Node<'b, S> {
        let &LocalNode { g, h, parent, action, depth, id, .. } = &self.nodes[at as usize];
        let parent = action.map(|_| self.nodes[parent as usize].id);
        let g = self.solution.cost.saturating_add(g);
        Node { id, parent, action, state, g, h, depth, value: None }
    }
}

/// The best state has the least f. On a tie the least h decides, and then the newest state.
fn rank<S: Reversible>(node: &LocalNode<S>, place: u32) -> (Reverse<u64>, Reverse<Cost>, u32) {
    (Reverse(u64::from(node.g) + u64::from(node.h)), Reverse(node.h), place)
}
