//! The way to the other processes, as a dataflow of timely: what is sent in a phase belongs to this
//! phase when it arrives. All processes go through the same phases.
//!
//! A phase is a timestamp. Timely could report when nothing more can arrive with it, but its processes
//! exchange two rounds of messages for that, and a layer may take less than a millisecond. Here one
//! is enough: what a process sends to another one arrives in order, and at the end of a phase it
//! sends a mark. The first timestamp is held until the end of all, so that timely has nothing to
//! report before.

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

/// The longest time between two looks at what has arrived.
const PARK: Duration = Duration::from_millis(100);

/// The bits of a time that number the piece.
const PIECES: u32 = 32;

/// The first phase: after the timestamp that is held.
const FIRST: u64 = 1;

/// Sends and receives parcels.
pub(crate) struct Post {
    member: Member,
    /// The time of what is sent: its phase, and its piece of the phase.
    now: u64,
    input: UnorderedHandle<u64, CapacityContainerBuilder<Parcel>>,
    /// The first timestamp.
    held: ActivateCapability<u64>,
    inbox: Rc<RefCell<Inbox>>,
    /// The bytes that were sent to other processes.
    pub(crate) sent: u64,
}

/// What has arrived.
#[derive(Default)]
struct Inbox {
    /// For each process, the time of what arrives from it next. That of this process is unused.
    times: Vec<u64>,
    /// The parcels of each phase.
    parcels: BTreeMap<u64, Vec<Parcel>>,
    /// Whether something else has arrived.
    is_damaged: bool,
}

impl Inbox {
    /// Adds a parcel of a phase. Returns `None` if it is damaged.
    fn add(&mut self, phase: u64, parcel: Parcel) -> Option<()> {
        let time = self.times.get_mut(parcel.from)?;
        if parcel.kind? == Kind::Mark {
            *time = parcel.numbers().next()?;
        }
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
        Self { member, now: FIRST << PIECES, input, held, inbox, sent: 0 }
    }

    /// Sends some words to a process. Does nothing without words. They are removed, and the vector can
    /// be used again.
    pub(crate) fn send(&mut self, to: usize, kind: Kind, words: &mut Vec<u64>) {
        if words.is_empty() {
            return;
        }
        self.sent += size_of_val(&words[..]) as u64;
        let mut parcel = Parcel::new((self.member.process, to), kind, std::mem::take(words));
        let time = self.held.delayed(&(self.now >> PIECES));
        self.input.activate().session(&time).give_container(&mut parcel);
        *words = parcel.into_words();
        words.clear();
    }

    /// Begins the next piece of the phase, once all processes have come as far. Calls `each` for what
    /// arrives.
    pub(crate) fn next_piece(&mut self, worker: &mut Worker, each: impl FnMut(&Parcel)) {
        self.receive(worker, self.now + 1, &[], each);
    }

    /// Ends the phase, with some words for all others: calls `each` for what arrives, until no more
    /// can arrive.
    pub(crate) fn end(&mut self, worker: &mut Worker, words: &[u64], each: impl FnMut(&Parcel)) {
        self.receive(worker, ((self.now >> PIECES) + 1) << PIECES, words, each);
    }

    /// Marks the end of what is sent before `time`, with some words. Calls `each` for the parcels of
    /// the phase that arrive, until nothing that is sent before `time` can arrive, or until one
    /// without a kind has.
    fn receive(
        &mut self,
        worker: &mut Worker,
        time: u64,
        words: &[u64],
        mut each: impl FnMut(&Parcel),
    ) {
        let Member { process, processes } = self.member;
        let others = || (0..processes).filter(move |&other| other != process);
        for to in others() {
            self.send(to, Kind::Mark, &mut [&[time], words].concat());
        }
        let phase = self.now >> PIECES;
        self.now = time;
        loop {
            let is_complete = others().all(|other| self.inbox.borrow().times[other] >= time);
            let parcels = self.inbox.borrow_mut().parcels.remove(&phase);
            parcels.into_iter().flatten().for_each(|parcel| each(&parcel));
            if self.inbox.borrow().is_damaged {
                return each(&Parcel::default());
            }
            if is_complete {
                return;
            }
            worker.step_or_park(Some(PARK));
        }
    }

    /// Waits until all processes have come as far, after the layer at `depth`.
    pub(crate) fn wait_for_all(
        &mut self,
        worker: &mut Worker,
        depth: usize,
    ) -> Result<(), ClusterError> {
        let mut is_valid = true;
        self.end(worker, &[], |parcel| is_valid &= parcel.kind == Some(Kind::Mark));
        match is_valid {
            true => Ok(()),
            false => Err(ClusterError::Inconsistent { depth }),
        }
    }
}
