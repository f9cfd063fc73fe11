//! The first layers of a threshold's tree, breadth-first and without duplicates.
//!
//! The space is undirected, and every move changes the colour of the blank's cell: a successor of a
//! node in layer d is in layer d - 1 or d + 1. A node therefore keeps all moves that lead back to
//! layer d - 1, and is only compared with nodes in its own layer. Packed boards keep the layers
//! above, for the path.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use taquin_search::Cost;
use taquin_tiles::Slide;

use super::Aida;
use super::transpositions::{Key, hash};
use crate::ida::tree::{Scratch, TOGETHER, TreeEngine, TreeNode as _};
use crate::tally::Tally;
use crate::threads::on_threads;

/// The nodes that are expanded by one thread before it takes others.
const CHUNK: usize = 16 * TOGETHER;

/// The parts into which the nodes of a large layer are divided by their hash.
const PARTS: usize = 64;

/// The lowest bit of a node's moves back in its key's second word.
const BACK_SHIFT: u32 = 60;

/// The bytes that a node of a layer takes at most while the next layer is made: itself, its packed
/// board, and about two successors before and after duplicates are removed.
pub(super) const fn bytes_of_node<E: TreeEngine>() -> u64 {
    6 * size_of::<E::Node>() as u64 + 64
}

/// The last of some layers.
pub(super) struct Frontier<E: TreeEngine> {
    pub(super) depth: Cost,
    /// The nodes, in parts.
    pub(super) nodes: Vec<Vec<E::Node>>,
    /// The nodes of the layers before, with their moves back.
    above: Vec<Vec<Key>>,
}

impl<E: TreeEngine> Frontier<E> {
    /// The layer of the root.
    pub(super) fn new(root: E::Node) -> Self {
        Self { depth: 0, nodes: vec![vec![root]], above: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.iter().map(Vec::len).sum()
    }

    /// Returns the number of nodes in all layers.
    pub(super) fn stored(&self) -> u64 {
        (self.len() + self.above.iter().map(Vec::len).sum::<usize>()) as u64
    }

    pub(super) fn bytes(&self) -> u64 {
        let nodes = self.nodes.iter().map(Vec::capacity).sum::<usize>() * size_of::<E::Node>();
        let keys = self.above.iter().map(Vec::capacity).sum::<usize>() * size_of::<Key>();
        (nodes + keys) as u64
    }

    /// Replaces the layer by the part of the next one within `bound`, and adds to `counts`. Returns
    /// whether to continue.
    pub(super) fn advance(
        &mut self,
        aida: &Aida<'_, E>,
        bound: Cost,
        scratches: &mut [Scratch<E>],
        counts: &mut Tally,
    ) -> bool {
        let parts = if self.len() < CHUNK { 1 } else { PARTS };
        let chunks: Vec<&[E::Node]> =
            self.nodes.iter().flat_map(|nodes| nodes.chunks(CHUNK)).collect();
        let next = AtomicUsize::new(0);
        let done = on_threads(aida.limits, scratches, |scratch| {
            let mut successors = vec![Vec::new(); parts];
            let mut counts = Tally::default();
            while let Some(chunk) = chunks.get(next.fetch_add(1, Relaxed)) {
                if !self.expand(aida, chunk, bound, scratch, &mut successors, &mut counts) {
                    break;
                }
            }
            (successors, counts)
        });
        let mut by_part: Vec<Vec<Vec<E::Node>>> = vec![Vec::new(); parts];
        for (successors, part_counts) in done {
            counts.add(&part_counts);
            by_part.iter_mut().zip(successors).for_each(|(part, nodes)| part.push(nodes));
        }
        if aida.limits.stopped().is_some() {
            return false;
        }
        let made = by_part.iter().flatten().map(Vec::len).sum::<usize>();
        self.above.push(self.nodes.iter().flatten().map(|node| aida.key_and_back(node)).collect());
        let queue = Mutex::new(by_part.into_iter());
        self.nodes = on_threads(aida.limits, scratches, |_| {
            let mut layers = Vec::new();
            loop {
                let taken = queue.lock().ok().and_then(|mut parts| parts.next());
                let Some(part) = taken else { return layers };
                layers.push(without_duplicates(aida, part));
            }
        })
        .into_iter()
        .flatten()
        .collect();
        self.depth += 1;
        counts.duplicates += (made - self.len()) as u64;
        true
    }

    /// Appends the successors of some nodes to the part for their hash. Returns whether to
    /// continue.
    fn expand(
        &self,
        aida: &Aida<'_, E>,
        chunk: &[E::Node],
        bound: Cost,
        scratch: &mut Scratch<E>,
        successors: &mut [Vec<E::Node>],
        counts: &mut Tally,
    ) -> bool {
        let depth = self.depth + 1;
        let mut least_above = counts.least_above.unwrap_or(Cost::MAX);
        let before = *counts;
        let mut children = Vec::new();
        let mut rest = chunk;
        while !rest.is_empty() {
            let allowed = aida.limits.allow(rest.len().min(TOGETHER));
            let (nodes, later) = rest.split_at(allowed);
            if nodes.is_empty() {
                break;
            }
            children.clear();
            let work = &mut scratch.work;
            counts.expanded += nodes.len() as u64;
            let generated = aida.engine.advance(
                (nodes, 0),
                &mut children,
                work,
                (depth, bound),
                &mut least_above,
            );
            counts.generated += generated;
            aida.limits.note_generated(generated, nodes.len());
            for mut node in children.drain(..) {
                node.set_state(aida.forgetful(node.state()));
                let part = (hash(aida.key(&node)) >> 58) as usize % successors.len();
                successors[part].push(node);
            }
            rest = later;
        }
        counts.least_above = (least_above < Cost::MAX).then_some(least_above);
        counts.deepest = self.depth.into();
        let (expanded, generated) =
            (counts.expanded - before.expanded, counts.generated - before.generated);
        aida.limits.poll(expanded, generated, self.depth.into(), bound).is_none() && rest.is_empty()
    }

    /// Returns the path from the root to a node of the last layer.
    pub(super) fn path_to(&self, aida: &Aida<'_, E>, node: &E::Node) -> Vec<Slide> {
        let mut path = Vec::new();
        let (mut board, mut state) = (*node.board(), node.state());
        for layer in self.above.iter().rev() {
            // Every move back leads to the layer above.
            let (slide, above, blank) =
                aida.step_back(board, state).expect("a node of a lower layer has a move back");
            let [a, b] = aida.key_of(&above, blank);
            let is_it = |key: &&Key| key[0] == a && key[1] & ((1 << BACK_SHIFT) - 1) == b;
            let key = layer.iter().find(is_it).expect("a move back leads to the layer above");
            board = above;
            state = aida.exclusions.excluding(blank, (key[1] >> BACK_SHIFT) as u16);
            path.push(slide);
        }
        path.reverse();
        path
    }
}

impl<E: TreeEngine> Aida<'_, E> {
    /// Returns the key of a node together with the moves that lead back to the layer above.
    fn key_and_back(&self, node: &E::Node) -> Key {
        let [a, b] = self.key(node);
        [a, b | u64::from(self.excluded(node.state())) << BACK_SHIFT]
    }

    /// Returns a number that depends on all of a node.
    pub(super) fn fingerprint(&self, node: &E::Node) -> u64 {
        hash(self.key_and_back(node))
    }
}

/// Removes duplicates from one part of a layer: keeps one node per state, with the moves back of
/// all.
fn without_duplicates<E: TreeEngine>(aida: &Aida<'_, E>, part: Vec<Vec<E::Node>>) -> Vec<E::Node> {
    let most = part.iter().map(Vec::len).sum::<usize>();
    let slots = (2 * most).next_power_of_two().max(2);
    let mut index = vec![u32::MAX; slots];
    let mut keys: Vec<Key> = Vec::with_capacity(most);
    let mut nodes: Vec<E::Node> = Vec::with_capacity(most);
    for node in part.into_iter().flatten() {
        let key = aida.key(&node);
        let mut slot = hash(key) as usize & (slots - 1);
        loop {
            match index[slot] {
                u32::MAX => {
                    index[slot] = nodes.len() as u32;
                    keys.push(key);
                    nodes.push(node);
                    break;
                }
                known if keys[known as usize] == key => {
                    let first = &mut nodes[known as usize];
                    let both = aida.excluded(first.state()) | aida.excluded(node.state());
                    first.set_state(aida.excluding_at(first.state(), both));
                    break;
                }
                _ => slot = (slot + 1) & (slots - 1),
            }
        }
    }
    nodes.shrink_to_fit();
    nodes
}
