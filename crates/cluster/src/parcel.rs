//! What processes send one another, as a container of timely: the words of a parcel are copied as
//! they are, and a parcel goes to one process.

use std::io::Write;
use std::ops::DerefMut;
use std::sync::{Arc, Mutex, PoisonError};

use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::communication::allocator::zero_copy::bytes_slab::BytesRefill;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};

/// Returns the bytes of a parcel with blocks, for a share of this size: as soon as it has these, it is
/// sent. Each parcel wakes threads on both sides, and for each process there are buffers.
pub(crate) fn parcel_bytes(share: u64, processes: usize) -> usize {
    (share / (256 * processes as u64)).clamp(1 << 16, 1 << 19) as usize
}

/// Some words for a process.
#[derive(Clone, Default)]
pub(crate) struct Parcel {
    /// The process that sends it.
    pub(crate) from: usize,
    /// The process that gets it.
    to: usize,
    /// `None` if there is nothing in it.
    pub(crate) kind: Option<Kind>,
    content: Content,
}

/// The words of a parcel.
#[derive(Clone)]
enum Content {
    Words(Vec<u64>),
    /// As they came from another process.
    Bytes(Bytes),
}

impl Default for Content {
    fn default() -> Self {
        Self::Words(Vec::new())
    }
}

/// What the words of a parcel are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Blocks, as a share writes them.
    Blocks,
    /// Slots of the farthest boards.
    Farthest,
    /// The time of what this process sends from now on, and other numbers.
    Mark,
}

const KINDS: [Kind; 3] = [Kind::Blocks, Kind::Farthest, Kind::Mark];

/// The bits of the first word that have the kind. The others have the process that sends it.
const KIND_BITS: u32 = 8;

impl Parcel {
    pub(crate) const fn new((from, to): (usize, usize), kind: Kind, words: Vec<u64>) -> Self {
        Self { from, to, kind: Some(kind), content: Content::Words(words) }
    }

    /// Returns the vector of a parcel that was sent, for another one.
    pub(crate) fn into_words(self) -> Vec<u64> {
        match self.content {
            Content::Words(words) => words,
            Content::Bytes(_) => Vec::new(),
        }
    }

    /// Returns the words as they are in memory.
    pub(crate) fn content(&self) -> &[u8] {
        match &self.content {
            Content::Words(words) => bytemuck::cast_slice(words),
            Content::Bytes(bytes) => bytes,
        }
    }

    /// Returns the words.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        let (words, _) = self.content().as_chunks();
        words.iter().map(|bytes| u64::from_ne_bytes(*bytes))
    }
}

impl Accountable for Parcel {
    fn record_count(&self) -> i64 {
        i64::from(self.kind.is_some())
    }
}

impl ContainerBytes for Parcel {
    fn from_bytes(mut bytes: Bytes) -> Self {
        let first = bytes.split_first_chunk().map(|(first, _)| u64::from_ne_bytes(*first));
        let kind = first.and_then(|first| KINDS.get((first & ((1 << KIND_BITS) - 1)) as usize));
        if kind.is_some() {
            bytes.extract_to(size_of::<u64>());
        }
        let from = (first.unwrap_or(u64::MAX) >> KIND_BITS) as usize;
        Self { from, to: 0, kind: kind.copied(), content: Content::Bytes(bytes) }
    }

    fn length_in_bytes(&self) -> usize {
        size_of::<u64>() + self.content().len()
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let kind = self.kind.and_then(|kind| KINDS.iter().position(|known| *known == kind));
        let first = kind.map_or(u64::MAX, |kind| kind as u64 | (self.from as u64) << KIND_BITS);
        // The writer is a buffer with room for all of it.
        for bytes in [bytemuck::bytes_of(&first), self.content()] {
            writer.write_all(bytes).expect("there is room for a parcel");
        }
    }
}

/// Returns where timely gets the buffers for what is sent and received, if a parcel has at most
/// `parcel` bytes and one block more.
///
/// Timely asks for 1 MiB, for each process twice in each direction, and every page of it is used
/// sooner or later. It needs no more than room for the longest message, so it gets a smaller buffer,
/// and a larger one only for a message that does not fit into 1 MiB.
pub(crate) fn buffers(parcel: usize, block_bytes: usize) -> BytesRefill {
    // A message has a header and the kind of the parcel; a block has two numbers.
    let small = parcel + block_bytes + 1024;
    let unused: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
    let logic = move |size: usize| -> Box<dyn DerefMut<Target = [u8]> + Send> {
        if small >= USUAL || size > USUAL {
            return Box::new(vec![0; size]);
        }
        let buffer = unused.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let bytes = buffer.unwrap_or_else(|| vec![0; small]);
        Box::new(Buffer { bytes, unused: Arc::clone(&unused) })
    };
    BytesRefill { logic: Arc::new(logic), limit: Some(0) }
}

/// The bytes that timely asks for.
const USUAL: usize = 1 << 20;

/// A buffer that is used again.
struct Buffer {
    bytes: Vec<u8>,
    unused: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl std::ops::Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        self.unused.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
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
