//! Breadth-first search from both ends at once.
//!
//! The side with the smaller frontier advances by a whole layer. Before it does, every path as long
//! as both depths together would have been seen to meet; the first meeting inside the layer is
//! therefore one longer than that, and shortest.

use crate::fetch::fetch;
use crate::index::{Index, Vacancy};
use crate::limits::{Limits, Meter};
use crate::observer::{Node, Observer, Verdict};
use crate::outcome::{Counts, Outcome, Search, Solution, Stop};
use crate::space::{Cost, Key, Reversible};

/// Searches breadth-first from `start` and from the goal until they meet.
///
/// The solution has the fewest actions; it is the cheapest where all actions cost the same.
pub fn bidirectional<S: Reversible, O: Observer<S>>(
    space: &S,
    start: &S::State,
    limits: &Limits,
    observer: &mut O,
) -> Search<S::Action> {
    let mut engine = Engine {
        space,
        observer,
        meter: Meter::new(limits),
        sides: [Side::default(), Side::default()],
        counts: Counts::default(),
        before_last_bound: None,
    };
    let outcome = match engine.search(start) {
        Ok(Some(meeting)) => Outcome::Solved(engine.solution(start, meeting)),
        Ok(None) => Outcome::Exhausted,
        Err(stop) => Outcome::Stopped(stop),
    };
    let steps = match &outcome {
        Outcome::Solved(solution) => solution.actions.len() as Cost,
        // Without room for both ends it is not even known that they differ.
        _ if engine.sides[1].nodes.is_empty() => 0,
        _ => engine.depth() + 1,
    };
    Search {
        outcome,
        lower_bound: steps.saturating_mul(*space.costs().start()),
        counts: engine.counts(),
        before_last_bound: engine.before_last_bound,
    }
}

/// A state as it was first reached from one end.
struct Stored<S: Reversible> {
    key: S::Key,
    parent: u32,
    action: Option<S::Action>,
}

/// Where the two searches met: a node of each side.
type Meeting = [u32; 2];

struct Side<S: Reversible> {
    nodes: Vec<Stored<S>>,
    index: Index,
    key_bytes: usize,
    /// The nodes from here on wait to be expanded.
    next: usize,
    depth: Cost,
}

impl<S: Reversible> Default for Side<S> {
    fn default() -> Self {
        Self { nodes: Vec::new(), index: Index::default(), key_bytes: 0, next: 0, depth: 0 }
    }
}

impl<S: Reversible> Side<S> {
    /// The node of a key, or the place for it; there is room for one.
    fn find(&self, hash: u64, key: &S::Key) -> Result<u32, Vacancy> {
        self.index.find(hash, |id| self.nodes[id as usize].key == *key)
    }

    /// Makes room for one more node if `allowed` says that so many bytes more are.
    fn make_room(&mut self, allowed: impl Fn(usize) -> bool) -> Result<(), Stop> {
        let id = self.nodes.len();
        while !self.index.has_room(1, id) {
            if id >= 1 << 30 || !allowed(self.index.larger()) {
                return Err(Stop::Memory);
            }
            let hash_of = |id: u32| self.nodes[id as usize].key.number();
            let fetch = |id: u32| fetch(&self.nodes[id as usize]);
            self.index.grow(fetch, hash_of).ok_or(Stop::Memory)?;
        }
        self.nodes.try_reserve(1).map_err(|_| Stop::Memory)
    }

    fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Stored<S>>() + self.key_bytes + self.index.bytes()
    }

    fn waiting(&self) -> usize {
        self.nodes.len() - self.next
    }

    /// Adds a node at its place.
    fn store(&mut self, node: Stored<S>, place: Vacancy) -> u32 {
        let id = self.nodes.len() as u32;
        self.key_bytes += node.key.heap_bytes();
        self.nodes.push(node);
        self.index.fill(place, id);
        id
    }
}

struct Engine<'a, S: Reversible, O> {
    space: &'a S,
    observer: &'a mut O,
    meter: Meter<'a>,
    /// From the start, and from the goal.
    sides: [Side<S>; 2],
    counts: Counts,
    before_last_bound: Option<Counts>,
}

impl<S: Reversible, O: Observer<S>> Engine<'_, S, O> {
    fn search(&mut self, start: &S::State) -> Result<Option<Meeting>, Stop> {
        for (side, state) in [start.clone(), self.space.goal()].into_iter().enumerate() {
            let key = self.space.key(&state);
            let hash = key.number();
            self.make_room(side)?;
            if let Ok(other) = self.sides[0].find(hash, &key) {
                if O::ACTIVE {
                    self.observer.goal(&self.seen(0, other, &state));
                }
                return Ok(Some([other, 0]));
            }
            if let Err(place) = self.sides[side].find(hash, &key) {
                let root = Stored { key, parent: u32::MAX, action: None };
                self.sides[side].store(root, place);
            }
        }
        loop {
            let smaller = usize::from(self.sides[1].waiting() < self.sides[0].waiting());
            self.before_last_bound = Some(self.counts());
            if O::ACTIVE {
                self.observer.bound(u64::from(self.depth()) + 1);
            }
            if let Some(meeting) = self.advance(smaller)? {
                return Ok(Some(meeting));
            }
            if self.sides[smaller].waiting() == 0 {
                return Ok(None);
            }
        }
    }

    /// Expands the newest layer of one side.
    fn advance(&mut self, side: usize) -> Result<Option<Meeting>, Stop> {
        let space = self.space;
        let layer = self.sides[side].next..self.sides[side].nodes.len();
        let mut actions = Vec::new();
        for parent in layer {
            let [near, far] = &self.sides;
            let waiting = || (near.waiting() + far.waiting()) as u64;
            let progress = || (waiting(), near.depth + far.depth + 1);
            if let Some(stop) = self.meter.stop(&self.counts, progress) {
                return Err(stop);
            }
            if self.meter.is_too_much(|| self.bytes()) {
                return Err(Stop::Memory);
            }
            self.sides[side].next = parent + 1;
            let node = &self.sides[side].nodes[parent];
            let back = node.action.and_then(|action| space.inverse(action));
            let mut state = space.state(&node.key);
            let parent = parent as u32;
            self.counts.expanded += 1;
            if O::ACTIVE {
                self.observer.expand(&self.seen(side, parent, &state));
            }
            actions.clear();
            space.actions(&state, &mut actions);
            for &action in actions.iter().filter(|&&action| Some(action) != back) {
                space.apply(&mut state, action);
                self.counts.generated += 1;
                let key = space.key(&state);
                let hash = key.number();
                self.make_room(side)?;
                match self.sides[side].find(hash, &key) {
                    Ok(known) => {
                        self.counts.duplicates += 1;
                        if O::ACTIVE {
                            let node = Node {
                                parent: Some(id(side, parent)),
                                ..self.seen(side, known, &state)
                            };
                            self.observer.generate(&node, Verdict::Duplicate);
                        }
                    }
                    Err(place) => {
                        let meets = self.sides[1 - side].find(hash, &key);
                        let depth = u64::from(self.sides[side].depth) + 1;
                        self.counts.depth_peak = self.counts.depth_peak.max(depth);
                        let node = Stored { key, parent, action: Some(action) };
                        let child = self.sides[side].store(node, place);
                        if O::ACTIVE {
                            self.observer.generate(&self.seen(side, child, &state), Verdict::Kept);
                        }
                        if let Ok(other) = meets {
                            if O::ACTIVE {
                                self.observer.goal(&self.seen(side, child, &state));
                            }
                            self.counts.frontier_peak = self.counts.frontier_peak.max(self.live());
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
            self.counts.frontier_peak = self.counts.frontier_peak.max(self.live());
        }
        self.sides[side].depth += 1;
        Ok(None)
    }

    fn make_room(&mut self, side: usize) -> Result<(), Stop> {
        let bytes = self.bytes();
        let meter = &self.meter;
        self.sides[side].make_room(|more| !meter.is_too_much(|| bytes + more))
    }

    /// The number of nodes that wait, on both sides.
    fn live(&self) -> u64 {
        self.sides.iter().map(|side| side.waiting() as u64).sum()
    }

    /// No path of this many actions or fewer leads to the goal.
    fn depth(&self) -> Cost {
        self.sides.iter().map(|side| side.depth).sum()
    }

    fn bytes(&self) -> usize {
        self.sides.iter().map(Side::bytes).sum()
    }

    fn counts(&self) -> Counts {
        let stored_peak = self.sides.iter().map(|side| side.nodes.len() as u64).sum();
        Counts { stored_peak, memory_peak: self.bytes() as u64, ..self.counts }
    }

    fn solution(&self, start: &S::State, [forth, back]: Meeting) -> Solution<S::Action> {
        let mut actions: Vec<S::Action> = self.path(0, forth).collect();
        actions.reverse();
        let inverse = |action| self.space.inverse(action).expect("a reversible space has inverses");
        actions.extend(self.path(1, back).map(inverse));
        let mut state = start.clone();
        let cost = actions.iter().map(|&action| self.space.apply(&mut state, action)).sum();
        debug_assert!(self.space.is_goal(&state), "the path does not lead to the goal");
        Solution { actions, cost }
    }

    /// The actions that led to a node, last to first.
    fn path(&self, side: usize, id: u32) -> impl Iterator<Item = S::Action> {
        let nodes = &self.sides[side].nodes;
        std::iter::successors(nodes.get(id as usize), |node| nodes.get(node.parent as usize))
            .filter_map(|node| node.action)
    }

    fn seen<'b>(&self, side: usize, node: u32, state: &'b S::State) -> Node<'b, S> {
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
        }
    }
}

/// Numbers for the nodes of both sides: even from the start, odd from the goal.
fn id(side: usize, node: u32) -> u64 {
    u64::from(node) * 2 + side as u64
}
