//! What processes send one another, as a container of timely: the words of a parcel are copied as
//! they are, and a parcel goes to one process.

use std::io::Write;

use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};

/// Some words for a process.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Parcel {
    /// The process that gets it.
    pub(crate) to: usize,
    /// `None` if there is nothing in it.
    pub(crate) kind: Option<Kind>,
    pub(crate) words: Vec<u64>,
}

/// What the words of a parcel are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Blocks, each with its number before it.
    Blocks,
    /// The number of boards that a process has found, and the number of a [`Wish`](crate::run::Wish).
    Count,
    /// Slots of the farthest boards.
    Farthest,
    /// Nothing: a process has come so far.
    Done,
}

const KINDS: [Kind; 4] = [Kind::Blocks, Kind::Count, Kind::Farthest, Kind::Done];

impl Accountable for Parcel {
    fn record_count(&self) -> i64 {
        i64::from(self.kind.is_some())
    }
}

impl ContainerBytes for Parcel {
    fn from_bytes(bytes: Bytes) -> Self {
        let (words, _) = bytes.as_chunks::<{ size_of::<u64>() }>();
        let mut words = words.iter().map(|bytes| u64::from_ne_bytes(*bytes));
        let kind = words.next().and_then(|kind| KINDS.get(kind as usize).copied());
        Self { to: 0, kind, words: words.collect() }
    }

    fn length_in_bytes(&self) -> usize {
        size_of::<u64>() * (1 + self.words.len())
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let kind = self.kind.and_then(|kind| KINDS.iter().position(|known| *known == kind));
        let kind = kind.map_or(u64::MAX, |kind| kind as u64);
        // The writer is a buffer with room for all of it.
        for bytes in [bytemuck::bytes_of(&kind), bytemuck::cast_slice(&self.words)] {
            writer.write_all(bytes).expect("there is room for a parcel");
        }
    }
}

/// Gives each parcel to its process.
pub(crate) struct ByAddress;

impl Distributor<Parcel> for ByAddress {
    fn partition<T: Clone, P: Push<Message<T, Parcel>>>(
        &mut self,
        parcel: &mut Parcel,
        time: &T,
        pushers: &mut [P],
    ) {
        let to = parcel.to;
        Message::push_at(parcel, time.clone(), &mut pushers[to]);
    }

    fn flush<T: Clone, P: Push<Message<T, Parcel>>>(&mut self, _: &T, _: &mut [P]) {}
}
