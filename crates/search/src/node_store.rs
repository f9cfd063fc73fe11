//! A store for nodes, with an index by state.

use crate::graph::Graph;
use crate::limits::Meter;
use crate::node_index::{NodeIndex, VacantSlot, hash};
use crate::outcome::Stop;
use crate::prefetch::prefetch;
use crate::space::Cost;

/// A stored node.
pub(crate) struct Stored<S: Graph> {
    pub(crate) key: S::Key,
    /// The number of the parent, and two bits: whether the node is closed, and whether the engine
    /// has marked it.
    link: u32,
    pub(crate) g: Cost,
}

const CLOSED: u32 = 1 << 31;
const MARKED: u32 = 1 << 30;
/// The root's parent. Node numbers are smaller.
const NO_PARENT: u32 = MARKED - 1;

impl<S: Graph> Stored<S> {
    pub(crate) const fn parent(&self) -> Option<u32> {
        match self.link & NO_PARENT {
            NO_PARENT => None,
            parent => Some(parent),
        }
    }

    #[inline]
    pub(crate) const fn is_closed(&self) -> bool {
        self.link & CLOSED != 0
    }

    #[inline]
    pub(crate) const fn is_marked(&self) -> bool {
        self.link & MARKED != 0
    }

    #[inline]
    pub(crate) const fn close(&mut self) {
        self.link |= CLOSED;
    }

    #[inline]
    pub(crate) const fn open(&mut self) {
        self.link &= !CLOSED;
    }

    #[inline]
    pub(crate) const fn mark(&mut self) {
        self.link |= MARKED;
    }

    pub(crate) const fn unmark(&mut self) {
        self.link &= !MARKED;
    }
}

/// A search's nodes, and an index by state.
pub(crate) struct NodeStore<S: Graph> {
    pub(crate) nodes: Vec<Stored<S>>,
    /// The action that led to each node except the root.
    actions: Vec<S::Action>,
    /// The depth of each node, unless it is its g.
    depths: Option<Vec<u32>>,
    pub(crate) index: NodeIndex,
    key_bytes: usize,
}

impl<S: Graph> NodeStore<S> {
    pub(crate) fn new(has_unit_costs: bool) -> Self {
        Self {
            nodes: Vec::new(),
            actions: Vec::new(),
            depths: (!has_unit_costs).then(Vec::new),
            index: NodeIndex::default(),
            key_bytes: 0,
        }
    }

    /// Returns a key's node, or the index slot where to insert it.
    #[inline]
    pub(crate) fn find(&self, hash: u64, key: &S::Key) -> Result<u32, VacantSlot> {
        self.index.find(hash, |id| self.nodes[id as usize].key == *key)
    }

    /// Returns the node of a key, if there is one.
    pub(crate) fn node(&self, key: &S::Key) -> Option<u32> {
        self.find(hash(key), key).ok()
    }

    #[inline]
    pub(crate) fn action(&self, id: u32) -> Option<S::Action> {
        self.actions.get((id as usize).wrapping_sub(1)).copied()
    }

    #[inline]
    pub(crate) fn depth(&self, id: u32) -> u32 {
        match &self.depths {
            Some(depths) => depths[id as usize],
            None => self.nodes[id as usize].g,
        }
    }

    /// Returns the numbers of the nodes from a node back to the root.
    pub(crate) fn chain(&self, id: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(id), |&id| self.nodes[id as usize].parent())
    }

    #[inline]
    pub(crate) fn has_room(&self, more: usize) -> bool {
        let len = self.nodes.len() + more;
        len <= self.nodes.capacity() && self.index.has_room(more, len)
    }

    /// Makes room for `more` nodes. `others` is the size of all other tables in bytes. Returns the
    /// peak size of all tables.
    #[cold]
    pub(crate) fn grow(
        &mut self,
        more: usize,
        others: usize,
        meter: &Meter<'_>,
    ) -> Result<usize, Stop> {
        let len = self.nodes.len() + more;
        if len > NO_PARENT as usize || self.nodes.try_reserve(more).is_err() {
            return Err(Stop::Memory);
        }
        let mut peak = 0;
        while !self.index.has_room(more, len) {
            let bytes = others + self.bytes() + self.index.bytes_after_growth();
            if meter.exceeds_memory(|| bytes) {
                return Err(Stop::Memory);
            }
            peak = peak.max(bytes);
            let hash_of = |id: u32| hash(&self.nodes[id as usize].key);
            let prefetch = |id: u32| prefetch(&self.nodes[id as usize]);
            self.index.grow(prefetch, hash_of).ok_or(Stop::Memory)?;
        }
        Ok(peak)
    }

    /// Adds a node, for which there is room, and returns its number. Without a parent it is the
    /// root.
    #[inline]
    pub(crate) fn store(
        &mut self,
        (key, key_bytes): (S::Key, usize),
        g: Cost,
        parent: Option<(u32, S::Action)>,
        slot: VacantSlot,
    ) -> u32 {
        let id = self.nodes.len() as u32;
        self.key_bytes += key_bytes;
        if let Some(depths) = &mut self.depths {
            let depth = parent.map_or(0, |(parent, _)| depths[parent as usize] + 1);
            depths.push(depth);
        }
        self.actions.extend(parent.map(|(_, action)| action));
        let link = parent.map_or(NO_PARENT, |(parent, _)| parent);
        self.nodes.push(Stored { key, link, g });
        self.index.insert(slot, id);
        id
    }

    /// Replaces the path to a node, which is open afterwards.
    pub(crate) fn improve(&mut self, id: u32, g: Cost, (parent, action): (u32, S::Action)) {
        let node = &mut self.nodes[id as usize];
        (node.link, node.g) = (node.link & MARKED | parent, g);
        // No path to the root is cheaper than the empty one, so this is not the root.
        self.actions[id as usize - 1] = action;
        if let Some(depths) = &mut self.depths {
            depths[id as usize] = depths[parent as usize] + 1;
        }
    }

    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Stored<S>>()
            + self.actions.len() * size_of::<S::Action>()
            + self.depths.as_ref().map_or(0, |depths| depths.len() * size_of::<u32>())
            + self.key_bytes
            + self.index.bytes()
    }
}
