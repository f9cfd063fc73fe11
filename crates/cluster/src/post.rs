//! The way to the other processes, as a timely dataflow: data sent in a phase belongs to this phase
//! when it arrives. All processes go through the same phases.
//!
//! A phase is a timestamp. Timely could report when nothing more can arrive with it, but its
//! processes exchange two rounds of messages for that, and a layer may take less than a
//! millisecond. Here one is enough: data between two processes arrives in order, and the last
//! parcel in a phase says that it is the last one. The first timestamp is held until the end of
//! all, so that timely has nothing to report before.
//!
//! Each message wakes a thread that sends it, one that receives it, and the worker. So a process
//! sends a single one to each other in a phase, unless there is more to send than one may have.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use taquin_tables::whole::Member;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::operators::ActivateCapability;
use timely::dataflow::operators::core::{UnorderedHandle, UnorderedInput};
use timely::dataflow::operators::generic::Operator;
use timely::worker::Worker;

use crate::error::ClusterError;
use crate::parcel::{ByAddress, Kind, Parcel};

/// The longest time between two checks for arrivals.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The bits of a time that number the piece.
const PIECE_BITS: u32 = 32;

/// The first phase: after the timestamp that is held.
const FIRST_PHASE: u64 = 1;

/// The message that follows a parcel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// More of the same piece.
    More,
    /// The next piece of the phase.
    Piece,
    /// The next phase.
    Phase,
}

/// Sends and receives parcels.
pub(crate) struct Post {
    member: Member,
    /// The time of sent data: its phase, and its piece of the phase.
    now: u64,
    input: UnorderedHandle<u64, CapacityContainerBuilder<Parcel>>,
    /// The first timestamp.
    held: ActivateCapability<u64>,
    inbox: Rc<RefCell<Inbox>>,
    /// The bytes that were sent to other processes.
    pub(crate) sent: u64,
}

/// The parcels that have arrived.
#[derive(Default)]
struct Inbox {
    /// For each process, the time of its next arrival. This process's own entry is unused.
    times: Vec<u64>,
    /// The parcels of each phase.
    parcels: BTreeMap<u64, Vec<Parcel>>,
    /// Whether something else has arrived.
    is_damaged: bool,
}

impl Inbox {
    /// Adds a parcel of a phase. Returns `None` if it is damaged.
    fn add(&mut self, phase: u64, parcel: Parcel) -> Option<()> {
        parcel.kind?;
        *self.times.get_mut(parcel.from)? = parcel.time;
        self.parcels.entry(phase).or_default().push(parcel);
        Some(())
    }
}

impl Post {
    pub(crate) fn new(worker: &mut Worker, member: Member) -> Self {
        let times = vec![0; member.processes];
        let inbox = Rc::new(RefCell::new(Inbox { times, ..Inbox::default() }));
        let received = Rc::clone(&inbox);
        let (input, held) = worker.dataflow::<u64, _, _>(|scope| {
            let (input, stream) = scope.new_unordered_input();
            let pact = DistributorPact(|_| ByAddress);
            stream.sink(pact, "receive", move |(input, _)| {
                input.for_each(|time, parcel| {
                    let mut inbox = received.borrow_mut();
                    inbox.is_damaged |= inbox.add(*time.time(), std::mem::take(parcel)).is_none();
                });
            });
            input
        });
        Self { member, now: FIRST_PHASE << PIECE_BITS, input, held, inbox, sent: 0 }
    }

    /// Returns the other processes.
    pub(crate) fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let Member { process, processes } = self.member;
        (0..processes).filter(move |&other| other != process)
    }

    /// Returns the time for the next data to send.
    const fn time(&self, next: Next) -> u64 {
        match next {
            Next::More => self.now,
            Next::Piece => self.now + 1,
            Next::Phase => ((self.now >> PIECE_BITS) + 1) << PIECE_BITS,
        }
    }

    /// Sends two numbers and some words to a process. The words are removed, and the vector can be
    /// used again.
    pub(crate) fn send(
        &mut self,
        to: usize,
        kind: Kind,
        (next, numbers): (Next, [u64; 2]),
        words: &mut Vec<u64>,
    ) {
        self.sent += size_of_val(&words[..]) as u64;
        let (from, content) = (self.member.process, std::mem::take(words));
        let mut parcel = Parcel::new((from, to), kind, (self.time(next), numbers), content);
        let time = self.held.delayed(&(self.now >> PIECE_BITS));
        self.input.activate().session(&time).give_container(&mut parcel);
        *words = parcel.into_words();
        words.clear();
    }

    /// Begins the next piece or phase, after all parcels of this one were sent: calls `each` for
    /// the phase's arriving parcels, until all processes have reached the same point, or until a
    /// parcel without a kind has arrived.
    pub(crate) fn receive(
        &mut self,
        worker: &mut Worker,
        next: Next,
        mut each: impl FnMut(&Parcel),
    ) {
        let time = self.time(next);
        let phase = self.now >> PIECE_BITS;
        self.now = time;
        loop {
            let is_complete = self.others().all(|other| self.inbox.borrow().times[other] >= time);
            let parcels = self.inbox.borrow_mut().parcels.remove(&phase);
            parcels.into_iter().flatten().for_each(|parcel| each(&parcel));
            if self.inbox.borrow().is_damaged {
                return each(&Parcel::default());
            }
            if is_complete {
                return;
            }
            // Messages may arrive while the receiving threads get a turn. Yielding takes less time
            // than waiting for each parcel and being woken.
            std::thread::yield_now();
            worker.step_or_park(Some(POLL_INTERVAL));
        }
    }

    /// Waits until all processes have reached the end of the layer at `depth`.
    pub(crate) fn wait_for_all(
        &mut self,
        worker: &mut Worker,
        depth: usize,
    ) -> Result<(), ClusterError> {
        for to in self.others() {
            self.send(to, Kind::Blocks, (Next::Phase, [0; 2]), &mut Vec::new());
        }
        let mut is_valid = true;
        self.receive(worker, Next::Phase, |parcel| is_valid &= parcel.is_empty());
        match is_valid {
            true => Ok(()),
            false => Err(ClusterError::Inconsistent { depth }),
        }
    }
}
