//! The messages between processes, as a container for timely: a parcel's words are copied
//! unchanged, and a parcel goes to one process.

use std::io::Write;
use std::ops::DerefMut;
use std::sync::{Arc, Mutex, PoisonError};

use taquin_tables::whole::{Metric, extent};
use taquin_tiles::Board;
use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::communication::allocator::zero_copy::bytes_slab::BytesRefill;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};

/// Returns the size in bytes at which a parcel with blocks is sent, for a goal's space. Each parcel
/// wakes threads on both sides, and each process has buffers. All processes use the same size, so
/// that each one's parcels fit into the others' buffers.
pub(crate) fn parcel_bytes(goal: &Board) -> usize {
    (extent(goal, Metric::Single).bytes / 256).clamp(1 << 16, 1 << 19) as usize
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
    /// The time of everything that the process sends from now on.
    pub(crate) time: u64,
    pub(crate) numbers: [u64; 2],
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

/// The kind of words in a parcel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Blocks, as a share writes them.
    Blocks,
    /// Slots of the farthest boards.
    Farthest,
}

const KINDS: [Kind; 2] = [Kind::Blocks, Kind::Farthest];

/// The bits of the first word that have the kind. The others have the process that sends it.
const KIND_BITS: u32 = 8;

/// The words before the content: the kind, the time and the numbers.
type Head = [u64; 4];

impl Parcel {
    pub(crate) const fn new(
        (from, to): (usize, usize),
        kind: Kind,
        (time, numbers): (u64, [u64; 2]),
        words: Vec<u64>,
    ) -> Self {
        Self { from, to, kind: Some(kind), time, numbers, content: Content::Words(words) }
    }

    /// Returns a sent parcel's vector, for another parcel.
    pub(crate) fn into_words(self) -> Vec<u64> {
        match self.content {
            Content::Words(words) => words,
            Content::Bytes(_) => Vec::new(),
        }
    }

    /// Returns whether it has no words.
    pub(crate) fn is_empty(&self) -> bool {
        self.kind.is_some() && self.content().is_empty()
    }

    /// Returns the words as they are in memory.
    pub(crate) fn content(&self) -> &[u8] {
        match &self.content {
            Content::Words(words) => bytemuck::cast_slice(words),
            Content::Bytes(bytes) => bytes,
        }
    }

    /// Returns the words.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> + '_ {
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
        let Some((head, _)) = bytes.split_first_chunk::<{ size_of::<Head>() }>() else {
            return Self::default();
        };
        let [first, time, numbers @ ..]: Head = bytemuck::pod_read_unaligned(head);
        bytes.extract_to(size_of::<Head>());
        let kind = KINDS.get((first & ((1 << KIND_BITS) - 1)) as usize).copied();
        let from = (first >> KIND_BITS) as usize;
        Self { from, to: 0, kind, time, numbers, content: Content::Bytes(bytes) }
    }

    fn length_in_bytes(&self) -> usize {
        size_of::<Head>() + self.content().len()
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let kind = self.kind.and_then(|kind| KINDS.iter().position(|known| *known == kind));
        let first = kind.map_or(u64::MAX, |kind| kind as u64 | (self.from as u64) << KIND_BITS);
        let head: Head = [first, self.time, self.numbers[0], self.numbers[1]];
        // The writer is a buffer with room for all of it.
        for bytes in [bytemuck::bytes_of(&head), self.content()] {
            writer.write_all(bytes).expect("there is room for a parcel");
        }
    }
}

/// Returns where timely gets the buffers for sending and receiving, if a parcel has at most
/// `parcel` bytes and one block more.
///
/// Timely asks for 1 MiB, twice per process in each direction, and every page is used sooner or
/// later. Room for the longest message is enough, so timely gets a smaller buffer, and a larger one
/// only for a message that does not fit into 1 MiB.
pub(crate) fn buffers(parcel: usize, block_bytes: usize) -> BytesRefill {
    // A message has a header and the parcel's head; a block has two numbers.
    let small = parcel + block_bytes + 1024;
    let unused: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
    let logic = move |size: usize| -> Box<dyn DerefMut<Target = [u8]> + Send> {
        if small >= DEFAULT_BYTES || size > DEFAULT_BYTES {
            return Box::new(vec![0; size]);
        }
        let buffer = unused.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let bytes = buffer.unwrap_or_else(|| vec![0; small]);
        Box::new(Buffer { bytes, unused: Arc::clone(&unused) })
    };
    BytesRefill { logic: Arc::new(logic), limit: Some(0) }
}

/// The bytes that timely asks for.
const DEFAULT_BYTES: usize = 1 << 20;

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
