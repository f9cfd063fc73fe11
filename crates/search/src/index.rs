//! Finding a stored node by the hash of its key.
//!
//! A slot is 32 bits: the node's number, and in the bits that numbers of this table's size leave
//! free a tag from the hash. A probe is then one cache line for most states, known or new, and the
//! nodes themselves, which hold the keys, are looked at only when the tag agrees. Slots are at most
//! two thirds full: between 6 and 12 bytes for each node.
//!
//! Probes fall anywhere in the table, and with pages of the usual size nearly each of them also has
//! to look up its page; the table is therefore mapped for itself and huge pages are asked for.

use std::ops::{Deref, DerefMut};

use bytemuck::{cast_slice, cast_slice_mut};
use memmap2::MmapMut;

/// A hash table from keys to node numbers, which does not hold the keys.
#[derive(Debug, Default)]
pub(crate) struct Index {
    slots: Slots,
    len: usize,
}

/// Numbers in memory of their own: 0, or a node's number plus one with a tag above it.
#[derive(Debug, Default)]
struct Slots(Option<MmapMut>);

impl Slots {
    /// So many zeros; `None` if there is no memory for them.
    fn new(slots: usize) -> Option<Self> {
        let map = MmapMut::map_anon(slots * size_of::<u32>()).ok()?;
        // Where the system has no huge pages to give, small ones serve.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Some(Self(Some(map)))
    }
}

impl Deref for Slots {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        self.0.as_deref().map_or(&[], cast_slice)
    }
}

impl DerefMut for Slots {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u32] {
        self.0.as_deref_mut().map_or(&mut [], cast_slice_mut)
    }
}

/// The smallest table fills a page.
const FEWEST: usize = 1024;

impl Index {
    /// The bytes of the table.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u32>()
    }

    /// The node with this hash for which `is_it` holds.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let numbers = self.slots.len() as u32 - 1;
        let tag = tag(hash, numbers);
        let mut at = hash as u32 & numbers;
        loop {
            let slot = self.slots[at as usize];
            if slot == 0 {
                return None;
            }
            if slot & !numbers == tag {
                let id = (slot & numbers) - 1;
                if is_it(id) {
                    return Some(id);
                }
            }
            at = (at + 1) & numbers;
        }
    }

    /// Begins to fetch the slot that a hash leads to, so that a later `find` need not wait.
    #[inline]
    pub(crate) fn peek(&self, hash: u64) -> u32 {
        match self.slots.len() {
            0 => 0,
            len => self.slots[hash as usize & (len - 1)],
        }
    }

    /// How many slots the table needs before `id` can be added; `None` if it has them.
    #[inline]
    pub(crate) fn needs(&self, id: u32) -> Option<usize> {
        let slots = self.slots.len();
        let fits = (self.len + 1) * 3 <= slots * 2 && (id as usize) + 1 < slots;
        (!fits).then(|| (slots * 2).max(FEWEST).max((id as usize + 2).next_power_of_two()))
    }

    /// Grows to `slots`; `None` if there is no memory for it.
    #[must_use]
    pub(crate) fn grow(&mut self, slots: usize, hash_of: impl Fn(u32) -> u64) -> Option<()> {
        let old = self.slots.len().wrapping_sub(1) as u32;
        let former = std::mem::replace(&mut self.slots, Slots::new(slots)?);
        for &slot in &*former {
            if slot != 0 {
                let id = (slot & old) - 1;
                self.place(hash_of(id), id);
            }
        }
        Some(())
    }

    /// Adds a node that is not there yet, when [`needs`](Self::needs) has been met.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u64, id: u32) {
        debug_assert!(self.needs(id).is_none(), "the table was not grown");
        self.place(hash, id);
        self.len += 1;
    }

    #[inline]
    fn place(&mut self, hash: u64, id: u32) {
        let numbers = self.slots.len() as u32 - 1;
        let mut at = hash as u32 & numbers;
        while self.slots[at as usize] != 0 {
            at = (at + 1) & numbers;
        }
        self.slots[at as usize] = tag(hash, numbers) | (id + 1);
    }
}

/// The hash's upper half, in the bits of a slot that are not for numbers.
#[inline]
fn tag(hash: u64, numbers: u32) -> u32 {
    (hash >> 32) as u32 & !numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn what_was_added_is_found_and_nothing_else() {
        let mut random = Random::new(3);
        let keys: Vec<u64> = (0..5_000).map(|_| random.next()).collect();
        // Few different hashes, so that probes collide and wrap around the end.
        let hash = |key: u64| (key % 97).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut index = Index::default();
        for (id, &key) in (0..).zip(&keys) {
            assert_eq!(index.find(hash(key), |other| keys[other as usize] == key), None);
            if let Some(slots) = index.needs(id) {
                index.grow(slots, |other| hash(keys[other as usize])).unwrap();
            }
            index.insert(hash(key), id);
        }
        for (id, &key) in (0..).zip(&keys) {
            assert_eq!(index.find(hash(key), |other| keys[other as usize] == key), Some(id));
        }
    }

    #[test]
    fn numbers_far_apart_fit() {
        let mut index = Index::default();
        for id in [5, 70_000, 900_000] {
            if let Some(slots) = index.needs(id) {
                index.grow(slots, u64::from).unwrap();
            }
            index.insert(id.into(), id);
        }
        for id in [5, 70_000, 900_000] {
            assert_eq!(index.find(id.into(), |other| other == id), Some(id));
        }
    }
}
