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
use crate::stepwise::{Engine, Problem, Stepwise};

impl<'a, S: StateSpace, H: Incremental<S>, O: Observer<S>> Problem<'a, S, H, O> {
    /// Searches for the cheapest path, layer by layer. Every action must have a positive cost.
    ///
    /// ```
    /// use taquin_search::Problem;
    /// # mod line { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/line.rs")); }
    /// # use line::Line;
    /// let search = Problem::new(&Line, &3).breadth_first_ida().run();
    /// assert_eq!(search.solution().unwrap().actions, [1, 1, 1, 1]);
    /// assert!(search.is_optimal());
    /// ```
    ///
    /// # Panics
    /// Panics if an action may cost nothing.
    pub fn breadth_first_ida(self) -> Stepwise<BreadthFirstIda<'a, S, H, O>> {
        let Problem { space, start, heuristic, limits, observer } = self;
        assert!(*space.costs().start() > 0, "an action that costs nothing has no layer");
        Stepwise::new(BreadthFirstIda {
            space,
            start,
            heuristic,
            observer,
            meter: Meter::new(limits),
            threshold: heuristic.estimate(start),
            cost: None,
            legs: Vec::new(),
            pass: None,
            state: start.clone(),
            path: Vec::new(),
            counts: Counts::default(),
            before_last_bound: Counts::default(),
            ids: 0,
            actions: Vec::new(),
        })
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

/// A part of the path that is looked for, from where the path so far ends.
struct Leg<K> {
    /// The cost of the path so far.
    g: Cost,
    target: Target<K>,
    /// The layer whose nodes are remembered.
    middle: u64,
}

/// A search layer by layer.
struct Pass<S: StateSpace> {
    /// The previous layer, the one whose nodes are expanded, and the next one.
    layers: [Layer<S>; 3],
    depth: u64,
    /// The place of the next node.
    place: usize,
    /// The nodes of the middle layer.
    anchors: Vec<(S::Key, Cost)>,
    /// The least f above the threshold.
    above: Option<Cost>,
}

impl<S: StateSpace> Pass<S> {
    /// Turns to the next layer.
    fn next_layer(&mut self, middle: u64) {
        self.layers.rotate_left(1);
        self.layers[2] = Layer::new();
        self.depth += 1;
        self.place = 0;
        if self.depth == middle {
            for (place, node) in (0..).zip(&mut self.layers[1].nodes) {
                node.anchor = place;
                self.anchors.push((node.key.clone(), node.g));
            }
        }
    }
}

/// A breadth-first IDA* under way, made by [`Problem::breadth_first_ida`].
pub struct BreadthFirstIda<'a, S: StateSpace, H, O> {
    space: &'a S,
    start: &'a S::State,
    heuristic: &'a H,
    observer: &'a mut O,
    meter: Meter<'a>,
    threshold: Cost,
    /// The cost of a path to a goal, once the threshold has one.
    cost: Option<Cost>,
    /// The parts that the path still lacks, the next one last.
    legs: Vec<Leg<S::Key>>,
    /// The search for the next part.
    pass: Option<Pass<S>>,
    /// The path so far, and where it ends.
    path: Vec<S::Action>,
    state: S::State,
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

impl<S, H, O> Engine for BreadthFirstIda<'_, S, H, O>
where
    S: StateSpace,
    H: Incremental<S>,
    O: Observer<S>,
{
    type Step = S::Action;

    fn advance<const ONE: bool>(&mut self) -> Option<Search<S::Action>> {
        let outcome = self.proceed::<ONE>()?;
        if O::ACTIVE
            && let Outcome::Solved(solution) = &outcome
        {
            let (g, depth) = (solution.cost, solution.actions.len() as u64);
            let action = solution.actions.last().copied();
            let (id, state) = (self.ids, &self.state);
            let node = Node { id, parent: None, action, state, g, h: 0, depth, value: None };
            self.observer.goal(&node);
        }
        Some(Search {
            outcome,
            lower_bound: self.threshold,
            counts: self.counts,
            before_last_bound: Some(self.before_last_bound),
        })
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}

impl<S: StateSpace, H: Incremental<S>, O: Observer<S>> BreadthFirstIda<'_, S, H, O> {
    /// Searches with one threshold after the other, and then for the parts of the path, or expands
    /// only `ONE` node.
    fn proceed<const ONE: bool>(&mut self) -> Option<Outcome<S::Action>> {
        loop {
            let leg = self.legs.pop().unwrap_or_else(|| self.begin());
            let Some(found) = self.layers::<ONE>(&leg) else {
                self.legs.push(leg);
                return None;
            };
            let found = match (found, self.cost) {
                (Ok(Ok(found)), _) => found,
                (Ok(Err(Some(above))), None) => {
                    self.threshold = above;
                    continue;
                }
                (Ok(Err(None)), None) => return Some(Outcome::Exhausted),
                (Ok(Err(_)), Some(_)) => {
                    self.legs.clear();
                    continue;
                }
                (Err(stop), _) => return Some(Outcome::Stopped(stop)),
            };
            let cost = *self.cost.get_or_insert(found.g);
            let has_expanded = found.depth > 0;
            if !self.split(leg, found) {
                self.legs.clear();
            } else if self.legs.is_empty() {
                let actions = std::mem::take(&mut self.path);
                return Some(Outcome::Solved(Solution { actions, cost }));
            }
            if ONE && has_expanded {
                return None;
            }
        }
    }

    /// Begins with a threshold. It may be the same one again if the estimates have changed, so that
    /// a part of the path was not found.
    fn begin(&mut self) -> Leg<S::Key> {
        self.before_last_bound = self.counts;
        if O::ACTIVE {
            self.observer.bound(self.threshold.into());
        }
        self.cost = None;
        self.path.clear();
        self.state.clone_from(self.start);
        let target = Target { key: None, most: self.threshold };
        // With unit costs, this is the middle of a solution within the threshold.
        let middle = half(u64::from(self.threshold / *self.space.costs().start()));
        Leg { g: 0, target, middle }
    }

    /// Continues the path by a part of which the end was found, or divides the part. Returns whether
    /// there still is such a path.
    fn split(&mut self, leg: Leg<S::Key>, found: Found<S>) -> bool {
        let Leg { g, target, middle } = leg;
        match found {
            Found { depth: 0, .. } => return true,
            Found { depth: 1, .. } => return self.last_action(g, &target),
            Found { depth, anchor: None, .. } => {
                self.legs.push(Leg { g, target, middle: half(depth) });
            }
            Found { depth, anchor: Some((key, most)), .. } => {
                self.legs.push(Leg { g: most, target, middle: half(depth - middle) });
                let target = Target { key: Some(key), most };
                self.legs.push(Leg { g, target, middle: half(middle) });
            }
        }
        true
    }

    /// Appends the action that leads to the target, and applies it.
    fn last_action(&mut self, g: Cost, target: &Target<S::Key>) -> bool {
        self.actions.clear();
        self.space.actions(&self.state, &mut self.actions);
        for &action in &self.actions {
            let cost = self.space.apply(&mut self.state, action);
            if g.checked_add(cost).is_some_and(|g| self.is_at(&self.state, g, target)) {
                self.path.push(action);
                return true;
            }
            self.space.undo(&mut self.state, action);
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

    /// Searches layer by layer, within the threshold. Returns `None` if it should expand only `ONE`
    /// node and has done so.
    fn layers<const ONE: bool>(&mut self, leg: &Leg<S::Key>) -> Option<Layered<S>> {
        let mut pass = match self.pass.take() {
            Some(pass) => pass,
            None if self.is_at(&self.state, leg.g, &leg.target) => {
                return Some(Ok(Ok(Found { depth: 0, g: leg.g, anchor: None })));
            }
            None => match self.first_layer(leg.g) {
                Ok(pass) => pass,
                Err(stop) => return Some(Err(stop)),
            },
        };
        loop {
            if pass.place == pass.layers[1].nodes.len() {
                pass.next_layer(leg.middle);
                if pass.layers[1].nodes.is_empty() {
                    return Some(Ok(Err(pass.above)));
                }
                self.counts.depth_peak = self.counts.depth_peak.max(pass.depth);
            }
            match self.expand(leg, &mut pass) {
                Ok(None) => {}
                Ok(Some(found)) => return Some(Ok(Ok(found))),
                Err(stop) => return Some(Err(stop)),
            }
            if ONE {
                self.pass = Some(pass);
                return None;
            }
        }
    }

    /// Returns a search from where the path so far ends.
    fn first_layer(&mut self, g: Cost) -> Result<Pass<S>, Stop> {
        let mut layers = [(); 3].map(|()| Layer::new());
        let id = self.ids;
        self.ids += 1;
        let key = self.space.key(&self.state);
        layers[1].reserve(1)?;
        layers[1].insert(self.space, LayerNode { key, g, id, parent: id, action: None, anchor: 0 });
        Ok(Pass { layers, depth: 0, place: 0, anchors: Vec::new(), above: None })
    }

    /// Expands the next node. Returns the end of the path if one of its successors is the target.
    fn expand(&mut self, leg: &Leg<S::Key>, pass: &mut Pass<S>) -> Result<Option<Found<S>>, Stop> {
        let (space, heuristic) = (self.space, self.heuristic);
        let Pass { layers: [previous, current, next], depth, place, anchors, above } = pass;
        let depth = *depth;
        // 1. Check the limits.
        let open = (current.nodes.len() - *place + next.nodes.len()) as u64;
        if let Some(stop) = self.meter.stop(&self.counts, || (open, self.threshold)) {
            return Err(stop);
        }

        // 2. List the actions.
        let &LayerNode { ref key, g, id, parent, action, anchor } = &current.nodes[*place];
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
        self.make_room(&[&*previous, &*current, &*next], anchors, actions.len())?;
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
                    let known = [&*previous, &*current, &*next].into_iter().any(is_known);
                    if known { Verdict::Duplicate } else { Verdict::Kept }
                }
                f => {
                    let least = above.unwrap_or(Cost::MAX).min(f.unwrap_or(Cost::MAX));
                    *above = f.map(|_| least).or(*above);
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
                if self.is_at(&state, g, &leg.target) {
                    let anchor = anchors.get(anchor as usize).cloned();
                    let depth = depth + 1;
                    self.actions = actions;
                    return Ok(Some(Found { depth, g, anchor }));
                }
                next.insert(space, LayerNode { key, g, id, parent, action, anchor });
            }
            self.counts.duplicates += u64::from(verdict == Verdict::Duplicate);
            if let Some(action) = action {
                space.undo(&mut state, action);
            }
        }
        self.actions = actions;
        *place += 1;
        let open = (current.nodes.len() - *place + next.nodes.len()) as u64;
        self.counts.frontier_peak = self.counts.frontier_peak.max(open);
        Ok(None)
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
