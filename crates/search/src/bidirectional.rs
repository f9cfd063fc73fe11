//! Breadth-first search from both ends in turn.
//!
//! The side with fewer open nodes expands a whole layer. All paths up to the sum of both depths
//! have been excluded before, so the first meeting inside the layer is one longer and shortest.

use crate::heuristic::Blind;
use crate::limits::Meter;
use crate::node_index::{NodeIndex, VacantSlot, hash};
use crate::observer::{Node, Observer, Verdict};
use crate::outcome::{Counts, Outcome, Search, Solution, Stop};
use crate::prefetch::prefetch;
use crate::space::{Cost, Reversible};
use crate::stepwise::{Engine, Problem, Stepwise};

impl<'a, S: Reversible, O: Observer<S>> Problem<'a, S, Blind, O> {
    /// Searches breadth-first from `start` and from the goal until the two searches meet.
    ///
    /// The solution has the fewest actions. It is the cheapest if all actions cost the same.
    ///
    /// ```
    /// # use taquin_search::{Cost, Problem, Reversible, StateSpace};
    /// /// Numbers modulo 100; adding and subtracting 7 leads from one to another.
    /// struct Ring;
    /// # impl StateSpace for Ring {
    /// #     type State = i32;
    /// #     type Key = i32;
    /// #     type Action = i32;
    /// #     fn actions(&self, _: &i32, actions: &mut Vec<i32>) {
    /// #         actions.extend([-7, 7]);
    /// #     }
    /// #     fn apply(&self, state: &mut i32, action: i32) -> Cost {
    /// #         *state = (*state + action).rem_euclid(100);
    /// #         1
    /// #     }
    /// #     fn undo(&self, state: &mut i32, action: i32) {
    /// #         self.apply(state, -action);
    /// #     }
    /// #     fn inverse(&self, action: i32) -> Option<i32> {
    /// #         Some(-action)
    /// #     }
    /// #     fn key(&self, &state: &i32) -> i32 {
    /// #         state
    /// #     }
    /// #     fn state(&self, &key: &i32) -> i32 {
    /// #         key
    /// #     }
    /// #     fn is_goal(&self, &state: &i32) -> bool {
    /// #         state == 50
    /// #     }
    /// #     fn costs(&self) -> std::ops::RangeInclusive<Cost> {
    /// #         1..=1
    /// #     }
    /// # }
    ///
    /// impl Reversible for Ring {
    ///     fn goal(&self) -> i32 {
    ///         50
    ///     }
    /// }
    ///
    /// let search = Problem::new(&Ring, &1).bidirectional().run();
    /// assert_eq!(search.solution().unwrap().actions, [7; 7]);
    /// assert!(search.is_optimal());
    /// ```
    pub fn bidirectional(self) -> Stepwise<Bidirectional<'a, S, O>> {
        let Problem { space, start, limits, observer, .. } = self;
        Stepwise::new(Bidirectional {
            space,
            start,
            observer,
            meter: Meter::new(limits),
            sides: [Side::default(), Side::default()],
            layer: None,
            counts: Counts::default(),
            before_last_bound: None,
        })
    }
}

/// A state as it was first reached from one end.
struct Stored<S: Reversible> {
    key: S::Key,
    parent: u32,
    action: Option<S::Action>,
}

/// The searches' meeting: a node on each side.
type Meeting = [u32; 2];

struct Side<S: Reversible> {
    nodes: Vec<Stored<S>>,
    index: NodeIndex,
    key_bytes: usize,
    /// The nodes from here on are open.
    next: usize,
    depth: Cost,
}

impl<S: Reversible> Default for Side<S> {
    fn default() -> Self {
        Self { nodes: Vec::new(), index: NodeIndex::default(), key_bytes: 0, next: 0, depth: 0 }
    }
}

impl<S: Reversible> Side<S> {
    /// Returns a key's node, or the index slot where to insert it.
    fn find(&self, hash: u64, key: &S::Key) -> Result<u32, VacantSlot> {
        self.index.find(hash, |id| self.nodes[id as usize].key == *key)
    }

    /// Makes room for one more node, if `allowed` accepts the number of additional bytes.
    fn make_room(&mut self, allowed: impl Fn(usize) -> bool) -> Result<(), Stop> {
        let id = self.nodes.len();
        while !self.index.has_room(1, id) {
            if id >= 1 << 30 || !allowed(self.index.bytes_after_growth()) {
                return Err(Stop::Memory);
            }
            let hash_of = |id: u32| hash(&self.nodes[id as usize].key);
            let prefetch = |id: u32| prefetch(&self.nodes[id as usize]);
            self.index.grow(prefetch, hash_of).ok_or(Stop::Memory)?;
        }
        self.nodes.try_reserve(1).map_err(|_| Stop::Memory)
    }

    fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Stored<S>>() + self.key_bytes + self.index.bytes()
    }

    fn open_nodes(&self) -> usize {
        self.nodes.len() - self.next
    }

    /// Adds a node whose key owns `key_bytes` bytes.
    fn store(&mut self, node: Stored<S>, key_bytes: usize, slot: VacantSlot) -> u32 {
        let id = self.nodes.len() as u32;
        self.key_bytes += key_bytes;
        self.nodes.push(node);
        self.index.insert(slot, id);
        id
    }
}

/// A search from both ends under way, made by [`Problem::bidirectional`].
pub struct Bidirectional<'a, S: Reversible, O> {
    space: &'a S,
    start: &'a S::State,
    observer: &'a mut O,
    meter: Meter<'a>,
    /// The search from the start, and the one from the goal.
    sides: [Side<S>; 2],
    /// The side whose newest layer is being expanded, and where that layer ends.
    layer: Option<(usize, usize)>,
    counts: Counts,
    before_last_bound: Option<Counts>,
}

/// The end of a search from both ends: where they met, or `None` if they never do.
type MeetingResult = Option<Meeting>;

impl<S: Reversible, O: Observer<S>> Engine for Bidirectional<'_, S, O> {
    type Step = S::Action;

    fn advance<const ONE: bool>(&mut self) -> Option<Search<S::Action>> {
        let outcome = match self.proceed::<ONE>() {
            Ok(None) => return None,
            Ok(Some(Some(meeting))) => Outcome::Solved(self.solution(meeting)),
            Ok(Some(None)) => Outcome::Exhausted,
            Err(stop) => Outcome::Stopped(stop),
        };
        let steps = match &outcome {
            Outcome::Solved(solution) => solution.actions.len() as Cost,
            // There was no memory for both ends, so they may be the same state.
            _ if self.sides[1].nodes.is_empty() => 0,
            _ => self.depth() + 1,
        };
        Some(Search {
            outcome,
            lower_bound: steps.saturating_mul(*self.space.costs().start()),
            counts: self.counts(),
            before_last_bound: self.before_last_bound,
        })
    }

    fn counts(&self) -> Counts {
        let stored_peak = self.sides.iter().map(|side| side.nodes.len() as u64).sum();
        Counts { stored_peak, memory_peak: self.bytes() as u64, ..self.counts }
    }
}

impl<S: Reversible, O: Observer<S>> Bidirectional<'_, S, O> {
    /// Stores both ends. Returns where they meet if they are one state.
    fn begin(&mut self) -> Result<Option<Meeting>, Stop> {
        for (side, state) in [self.start.clone(), self.space.goal()].into_iter().enumerate() {
            let key = self.space.key(&state);
            let hash = hash(&key);
            self.make_room(side)?;
            if let Ok(other) = self.sides[0].find(hash, &key) {
                if O::ACTIVE {
                    self.observer.goal(&self.view(0, other, &state));
                }
                return Ok(Some([other, 0]));
            }
            if let Err(slot) = self.sides[side].find(hash, &key) {
                let key_bytes = self.space.heap_bytes(&key);
                let root = Stored { key, parent: u32::MAX, action: None };
                self.sides[side].store(root, key_bytes, slot);
            }
        }
        Ok(None)
    }

    /// Expands layers until the search ends, or only `ONE` node. Returns `None` if it continues.
    fn proceed<const ONE: bool>(&mut self) -> Result<Option<MeetingResult>, Stop> {
        if self.sides[1].nodes.is_empty()
            && let Some(meeting) = self.begin()?
        {
            return Ok(Some(Some(meeting)));
        }
        loop {
            let (side, end) = match self.layer {
                Some(layer) => layer,
                None => self.next_layer(),
            };
            self.layer = Some((side, end));
            if let Some(meeting) = self.expand::<ONE>(side, end)? {
                return Ok(Some(Some(meeting)));
            }
            if self.sides[side].next == end {
                self.layer = None;
                self.sides[side].depth += 1;
                if self.sides[side].open_nodes() == 0 {
                    return Ok(Some(None));
                }
            }
            if ONE {
                return Ok(None);
            }
        }
    }

    /// Begins with the newest layer on the side with fewer open nodes. Returns that side and where
    /// its layer ends.
    fn next_layer(&mut self) -> (usize, usize) {
        let smaller = usize::from(self.sides[1].open_nodes() < self.sides[0].open_nodes());
        self.before_last_bound = Some(self.counts());
        if O::ACTIVE {
            self.observer.bound(u64::from(self.depth()) + 1);
        }
        (smaller, self.sides[smaller].nodes.len())
    }

    /// Expands one side's nodes up to the end of its layer, or only `ONE` of them.
    fn expand<const ONE: bool>(&mut self, side: usize, end: usize) -> Result<MeetingResult, Stop> {
        let space = self.space;
        let mut actions = Vec::new();
        for parent in self.sides[side].next..end {
            let [near, far] = &self.sides;
            let open = || (near.open_nodes() + far.open_nodes()) as u64;
            let progress = || (open(), near.depth + far.depth + 1);
            if let Some(stop) = self.meter.stop(&self.counts, progress) {
                return Err(stop);
            }
            if self.meter.exceeds_memory(|| self.bytes()) {
                return Err(Stop::Memory);
            }
            self.sides[side].next = parent + 1;
            let node = &self.sides[side].nodes[parent];
            let back = node.action.and_then(|action| space.inverse(action));
            let mut state = space.state(&node.key);
            let parent = parent as u32;
            self.counts.expanded += 1;
            if O::ACTIVE {
                self.observer.expand(&self.view(side, parent, &state));
            }
            actions.clear();
            space.actions(&state, &mut actions);
            for &action in actions.iter().filter(|&&action| Some(action) != back) {
                space.apply(&mut state, action);
                self.counts.generated += 1;
                let key = space.key(&state);
                let hash = hash(&key);
                self.make_room(side)?;
                match self.sides[side].find(hash, &key) {
                    Ok(known) => {
                        self.counts.duplicates += 1;
                        if O::ACTIVE {
                            let node = Node {
                                parent: Some(id(side, parent)),
                                ..self.view(side, known, &state)
                            };
                            self.observer.generate(&node, Verdict::Duplicate);
                        }
                    }
                    Err(slot) => {
                        let meets = self.sides[1 - side].find(hash, &key);
                        let depth = u64::from(self.sides[side].depth) + 1;
                        self.counts.depth_peak = self.counts.depth_peak.max(depth);
                        let key_bytes = space.heap_bytes(&key);
                        let node = Stored { key, parent, action: Some(action) };
                        let child = self.sides[side].store(node, key_bytes, slot);
                        if O::ACTIVE {
                            self.observer.generate(&self.view(side, child, &state), Verdict::Kept);
                        }
                        if let Ok(other) = meets {
                            if O::ACTIVE {
                                self.observer.goal(&self.view(side, child, &state));
                            }
                            self.counts.frontier_peak =
                                self.counts.frontier_peak.max(self.open_nodes());
                            let (forth, back) = match side {
                                0 => (child, other),
                                _ => (other, child),
                            };
                            return Ok(Some([forth, back]));
                        }
                    }
                }
                space.undo(&mut state, action);
            }
            self.counts.frontier_peak = self.counts.frontier_peak.max(self.open_nodes());
            if ONE {
                break;
            }
        }
        Ok(None)
    }

    fn make_room(&mut self, side: usize) -> Result<(), Stop> {
        let bytes = self.bytes();
        let meter = &self.meter;
        self.sides[side].make_room(|more| !meter.exceeds_memory(|| bytes + more))
    }

    /// Returns the number of open nodes on both sides.
    fn open_nodes(&self) -> u64 {
        self.sides.iter().map(|side| side.open_nodes() as u64).sum()
    }

    /// Returns the sum of both sides' depths: no path with at most this many actions leads to the
    /// goal.
    fn depth(&self) -> Cost {
        self.sides.iter().map(|side| side.depth).sum()
    }

    fn bytes(&self) -> usize {
        self.sides.iter().map(Side::bytes).sum()
    }

    fn solution(&self, [forth, back]: Meeting) -> Solution<S::Action> {
        let mut actions: Vec<S::Action> = self.path(0, forth).collect();
        actions.reverse();
        let inverse = |action| self.space.inverse(action).expect("a reversible space has inverses");
        actions.extend(self.path(1, back).map(inverse));
        let mut state = self.start.clone();
        let cost = actions.iter().map(|&action| self.space.apply(&mut state, action)).sum();
        debug_assert!(self.space.is_goal(&state), "the path does not lead to the goal");
        Solution { actions, cost }
    }

    /// Returns the actions that led to a node, last to first.
    fn path(&self, side: usize, id: u32) -> impl Iterator<Item = S::Action> {
        let nodes = &self.sides[side].nodes;
        std::iter::successors(nodes.get(id as usize), |node| nodes.get(node.parent as usize))
            .filter_map(|node| node.action)
    }

    fn view<'b>(&self, side: usize, node: u32, state: &'b S::State) -> Node<'b, S> {
        let &Stored { parent, action, .. } = &self.sides[side].nodes[node as usize];
        let depth = self.path(side, node).count();
        Node {
            id: id(side, node),
            parent: action.map(|_| id(side, parent)),
            action,
            state,
            g: depth as Cost,
            h: 0,
            depth: depth as u64,
            value: None,
        }
    }
}

/// Returns the number that observers see: even for nodes from the start, odd from the goal.
fn id(side: usize, node: u32) -> u64 {
    u64::from(node) * 2 + side as u64
}
