//! Breadth-first heuristic search with iterative deepening (Zhou and Hansen 2006): a breadth-first
//! search with a threshold on f, which stores three layers instead of all states.
//!
//! A layer holds the states that some number of actions leads to. Duplicates are looked up in the
//! layer itself and in the two before it, which is where a neighbour can be if actions can be
//! undone and cost the same. Elsewhere some states are expanded again, and the result is the same.
//!
//! Each node beyond the middle remembers its ancestor there. To find the path, both halves are
//! searched again in the same way. These expansions are counted like the others.

use rustc_hash::FxHashMap;

use crate::heuristic::Incremental;
use crate::limits::Meter;
use crate::observer::{Node, Observer, Verdict};
use crate::outcome::{Counts, Outcome, Search, Solution, Stop};
use crate::space::{Cost, StateSpace};
use crate::stepwise::Problem;

impl<S: StateSpace, H: Incremental<S>, O: Observer<S>> Problem<'_, S, H, O> {
    /// Searches for the cheapest path, layer by layer. Every action must have a positive cost.
    ///
    /// ```
    /// use taquin_search::Problem;
    /// # mod line { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/line.rs")); }
    /// # use line::Line;
    /// let search = Problem::new(&Line, &3).breadth_first_ida();
    /// assert_eq!(search.solution().unwrap().actions, [1, 1, 1, 1]);
    /// assert!(search.is_optimal());
    /// ```
    ///
    /// # Panics
    /// Panics if an action may cost nothing.
    pub fn breadth_first_ida(self) -> Search<S::Action> {
        let Problem { space, start, heuristic, limits, observer } = self;
        assert!(*space.costs().start() > 0, "an action that costs nothing has no layer");
        let mut search = LayerSearch {
            space,
            heuristic,
            observer,
            meter: Meter::new(limits),
            threshold: heuristic.estimate(start),
            counts: Counts::default(),
            before_last_bound: Counts::default(),
            ids: 0,
            actions: Vec::new(),
        };
        let outcome = search.deepen(start);
        if O::ACTIVE
            && let Outcome::Solved(solution) = &outcome
        {
            let mut state = start.clone();
            for &action in &solution.actions {
                space.apply(&mut state, action);
            }
            let (g, depth) = (solution.cost, solution.actions.len() as u64);
            let action = solution.actions.last().copied();
            let (id, state) = (search.ids, &state);
            let node = Node { id, parent: None, action, state, g, h: 0, depth, value: None };
            search.observer.goal(&node);
        }
        Search {
            outcome,
            lower_bound: search.threshold,
            counts: search.counts,
            before_last_bound: Some(search.before_last_bound),
        }
    }
}

/// A node of a layer.
struct LayerNode<S: StateSpace> {
    key: S::Key,
    g: Cost,
    id: u64,
    parent: u64,
    /// The action that led to it, unless it is the start.
    action: Option<S::Action>,
    /// Its ancestor in the middle layer, once there is one.
    anchor: u32,
}

/// The nodes of a layer, and their places by their keys.
struct Layer<S: StateSpace> {
    nodes: Vec<LayerNode<S>>,
    places: FxHashMap<S::Key, u32>,
    key_bytes: usize,
}

impl<S: StateSpace> Layer<S> {
    fn new() -> Self {
        Self { nodes: Vec::new(), places: FxHashMap::default(), key_bytes: 0 }
    }

    fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<LayerNode<S>>()
            + self.places.capacity() * (size_of::<(S::Key, u32)>() + 1)
            + self.key_bytes
    }

    /// Returns how many bytes `more` nodes take beyond the reserved ones.
    fn growth(&self, more: usize) -> usize {
        let is_full = self.nodes.len() + more > self.nodes.capacity().min(self.places.capacity());
        if is_full { self.bytes() } else { 0 }
    }

    /// Makes room for `more` nodes.
    fn reserve(&mut self, more: usize) -> Result<(), Stop> {
        let len = self.nodes.len() + more;
        let reserved = self.nodes.try_reserve(more).and(Ok(self.places.try_reserve(more)));
        match reserved {
            Ok(Ok(())) if len < u32::MAX as usize => Ok(()),
            _ => Err(Stop::Memory),
        }
    }

    /// Adds a node with reserved space, or a cheaper path to a stored one.
    fn insert(&mut self, space: &S, node: LayerNode<S>) {
        let place = self.nodes.len() as u32;
        match self.places.get(&node.key) {
            Some(&place) => self.nodes[place as usize] = node,
            None => {
                self.key_bytes += 2 * space.heap_bytes(&node.key);
                self.places.insert(node.key.clone(), place);
                self.nodes.push(node);
            }
        }
    }

    /// Returns the g of a state.
    fn g(&self, key: &S::Key) -> Option<Cost> {
        self.places.get(key).map(|&place| self.nodes[place as usize].g)
    }
}

/// The end of a layered search: a state, or else any goal, by a path that costs no more than this.
struct Target<K> {
    key: Option<K>,
    most: Cost,
}

/// The end of a path that a layered search has found.
struct Found<S: StateSpace> {
    depth: u64,
    /// The cost of the path.
    g: Cost,
    /// The node of the middle layer on the path and its cost, if the path goes beyond it.
    anchor: Option<(S::Key, Cost)>,
}

struct LayerSearch<'a, S: StateSpace, H, O> {
    space: &'a S,
    heuristic: &'a H,
    observer: &'a mut O,
    meter: Meter<'a>,
    threshold: Cost,
    counts: Counts,
    before_last_bound: Counts,
    /// The number of nodes so far.
    ids: u64,
    actions: Vec<S::Action>,
}

/// The path to the target, or the least f above the threshold if there is no such path.
type Layered<S> = Result<Result<Found<S>, Option<Cost>>, Stop>;

/// Half the number of layers.
const fn half(depth: u64) -> u64 {
    if depth < 2 { 1 } else { depth / 2 }
}

impl<S: StateSpace, H: Incremental<S>, O: Observer<S>> LayerSearch<'_, S, H, O> {
    /// Searches with one threshold after the other.
    fn deepen(&mut self, start: &S::State) -> Outcome<S::Action> {
        loop {
            self.before_last_bound = self.counts;
            if O::ACTIVE {
                self.observer.bound(self.threshold.into());
            }
            let goal = Target { key: None, most: self.threshold };
            // With unit costs, this is the middle of a solution within the threshold.
            let middle = half(u64::from(self.threshold / *self.space.costs().start()));
            let found = match self.layers((start, 0), &goal, middle) {
                Ok(Ok(found)) => found,
                Ok(Err(Some(above))) => {
                    self.threshold = above;
                    continue;
                }
                Ok(Err(None)) => return Outcome::Exhausted,
                Err(stop) => return Outcome::Stopped(stop),
            };
            let (cost, mut state, mut actions) = (found.g, start.clone(), Vec::new());
            match self.path((&mut state, 0), &goal, middle, found, &mut actions) {
                Ok(true) => return Outcome::Solved(Solution { actions, cost }),
                // The estimates have changed meanwhile.
                Ok(false) => {}
                Err(stop) => return Outcome::Stopped(stop),
            }
        }
    }

    /// Appends the actions of a path that was found, and applies them to `state`. Returns whether
    /// there still is such a path.
    fn path(
        &mut self,
        (state, g): (&mut S::State, Cost),
        target: &Target<S::Key>,
        mut middle: u64,
        mut found: Found<S>,
        actions: &mut Vec<S::Action>,
    ) -> Result<bool, Stop> {
        loop {
            if found.depth == 0 {
                return Ok(true);
            }
            if found.depth == 1 {
                return Ok(self.last_action((state, g), target, actions));
            }
            if let Some((key, most)) = found.anchor {
                let (near, far) = (Target { key: Some(key), most }, found.depth - middle);
                for (g, target, depth) in [(g, &near, middle), (most, target, far)] {
                    let Ok(part) = self.layers((state, g), target, half(depth))? else {
                        return Ok(false);
                    };
                    if !self.path((state, g), target, half(depth), part, actions)? {
                        return Ok(false);
                    }
                }
                return Ok(true);
            }
            middle = half(found.depth);
            match self.layers((state, g), target, middle)? {
                Ok(next) => found = next,
                Err(_) => return Ok(false),
            }
        }
    }

    /// Appends the action that leads to the target, and applies it.
    fn last_action(
        &mut self,
        (state, g): (&mut S::State, Cost),
        target: &Target<S::Key>,
        path: &mut Vec<S::Action>,
    ) -> bool {
        self.actions.clear();
        self.space.actions(state, &mut self.actions);
        for &action in &self.actions {
            let cost = self.space.apply(state, action);
            if g.checked_add(cost).is_some_and(|g| self.is_at(state, g, target)) {
                path.push(action);
                return true;
            }
            self.space.undo(state, action);
        }
        false
    }

    fn is_at(&self, state: &S::State, g: Cost, target: &Target<S::Key>) -> bool {
        g <= target.most
            && match &target.key {
                Some(key) => self.space.key(state) == *key,
                None => self.space.is_goal(state),
            }
    }

    /// Searches layer by layer, within the threshold, from a state that is reached at this cost.
    fn layers(
        &mut self,
        (start, g): (&S::State, Cost),
        target: &Target<S::Key>,
        middle: u64,
    ) -> Layered<S> {
        if self.is_at(start, g, target) {
            return Ok(Ok(Found { depth: 0, g, anchor: None }));
        }
        let (space, heuristic) = (self.space, self.heuristic);
        let [mut previous, mut current, mut next] = [(); 3].map(|()| Layer::new());
        let id = self.ids;
        self.ids += 1;
        let root = LayerNode { key: space.key(start), g, id, parent: id, action: None, anchor: 0 };
        current.reserve(1)?;
        current.insert(space, root);
        let mut anchors: Vec<(S::Key, Cost)> = Vec::new();
        let (mut above, mut depth) = (None::<Cost>, 0);
        while !current.nodes.is_empty() {
            if depth == middle {
                for (place, node) in (0..).zip(&mut current.nodes) {
                    node.anchor = place;
                    anchors.push((node.key.clone(), node.g));
                }
            }
            for place in 0..current.nodes.len() {
                // 1. Check the limits.
                let open = (current.nodes.len() - place + next.nodes.len()) as u64;
                if let Some(stop) = self.meter.stop(&self.counts, || (open, self.threshold)) {
                    return Err(stop);
                }

                // 2. List the actions.
                let &LayerNode { ref key, g, id, parent, action, anchor } = &current.nodes[place];
                let mut state = space.state(key);
                let memo = heuristic.memo(&state);
                self.counts.expanded += 1;
                if O::ACTIVE {
                    let (parent, h) = (action.map(|_| parent), heuristic.value(memo));
                    let state = &state;
                    let node = Node { id, parent, action, state, g, h, depth, value: None };
                    self.observer.expand(&node);
                }
                let mut actions = std::mem::take(&mut self.actions);
                actions.clear();
                space.actions(&state, &mut actions);
                if S::MAY_CANCEL && self.meter.is_cancelled() {
                    return Err(Stop::Cancelled);
                }
                self.make_room(&[&previous, &current, &next], &anchors, actions.len())?;
                next.reserve(actions.len())?;

                // 3. Add the successors to the next layer, or drop them.
                let back = action.and_then(|action| space.inverse(action));
                for &action in actions.iter().filter(|&&action| Some(action) != back) {
                    let cost = space.apply(&mut state, action);
                    self.counts.generated += 1;
                    let memo = heuristic.step(memo, &state, action);
                    let h = heuristic.value(memo);
                    let child_g = g.checked_add(cost);
                    let f = child_g.and_then(|g| g.checked_add(h));
                    let key = space.key(&state);
                    let g = child_g.unwrap_or(Cost::MAX);
                    let is_known = |layer: &Layer<S>| layer.g(&key).is_some_and(|known| known <= g);
                    let verdict = match f {
                        Some(f) if f <= self.threshold => {
                            let known = [&previous, &current, &next].into_iter().any(is_known);
                            if known { Verdict::Duplicate } else { Verdict::Kept }
                        }
                        f => {
                            let least = above.unwrap_or(Cost::MAX).min(f.unwrap_or(Cost::MAX));
                            above = f.map(|_| least).or(above);
                            Verdict::Pruned
                        }
                    };
                    let (parent, id, action) = (id, self.ids, Some(action));
                    self.ids += 1;
                    if O::ACTIVE {
                        let (parent, depth, state) = (Some(parent), depth + 1, &state);
                        let node = Node { id, parent, action, state, g, h, depth, value: None };
                        self.observer.generate(&node, verdict);
                    }
                    if verdict == Verdict::Kept {
                        if self.is_at(&state, g, target) {
                            let anchor = anchors.get(anchor as usize).cloned();
                            let depth = depth + 1;
                            self.actions = actions;
                            return Ok(Ok(Found { depth, g, anchor }));
                        }
                        next.insert(space, LayerNode { key, g, id, parent, action, anchor });
                    }
                    self.counts.duplicates += u64::from(verdict == Verdict::Duplicate);
                    if let Some(action) = action {
                        space.undo(&mut state, action);
                    }
                }
                self.actions = actions;
                let open = (current.nodes.len() - place - 1 + next.nodes.len()) as u64;
                self.counts.frontier_peak = self.counts.frontier_peak.max(open);
            }
            depth += 1;
            if !next.nodes.is_empty() {
                self.counts.depth_peak = self.counts.depth_peak.max(depth);
            }
            (previous, current, next) = (current, next, Layer::new());
        }
        Ok(Err(above))
    }

    /// Counts the nodes and the bytes before `more` nodes are added to the last layer.
    fn make_room(
        &mut self,
        layers: &[&Layer<S>; 3],
        anchors: &Vec<(S::Key, Cost)>,
        more: usize,
    ) -> Result<(), Stop> {
        let stored = layers.iter().map(|layer| layer.nodes.len() as u64).sum();
        self.counts.stored_peak = self.counts.stored_peak.max(stored);
        let bytes = layers.iter().map(|layer| layer.bytes()).sum::<usize>()
            + anchors.capacity() * size_of::<(S::Key, Cost)>();
        self.counts.memory_peak = self.counts.memory_peak.max(bytes as u64);
        match self.meter.exceeds_memory(|| bytes + layers[2].growth(more)) {
            true => Err(Stop::Memory),
            false => Ok(()),
        }
    }
}
