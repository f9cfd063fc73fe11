//! The way to the other processes, as a dataflow of timely: what is sent in a phase arrives in this
//! phase.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use taquin_tables::whole::Member;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::operators::core::input;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::{Input, Probe, probe};
use timely::worker::Worker;

use crate::error::ClusterError;
use crate::parcel::{ByAddress, Kind, Parcel};

/// The longest time between two looks at what has arrived.
const PARK: Duration = Duration::from_millis(100);

/// What all processes do at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// They exchange the layer at a depth.
    Layer(usize),
    /// They wait for each other after it.
    After(usize),
}

impl Phase {
    /// The first timestamp. Those up to the next phase are for its pieces.
    const fn time(self) -> u64 {
        let (Self::Layer(depth) | Self::After(depth)) = self;
        (2 * depth as u64 + matches!(self, Self::After(_)) as u64) << PIECES
    }
}

/// The bits of a timestamp that number the pieces of a phase.
const PIECES: u32 = 32;

/// Sends and receives parcels.
pub(crate) struct Post {
    member: Member,
    input: input::Handle<u64, CapacityContainerBuilder<Parcel>>,
    probe: probe::Handle<u64>,
    /// What has arrived, by its phase.
    arrived: Rc<RefCell<BTreeMap<u64, Vec<Parcel>>>>,
    /// The bytes that were sent to other processes.
    pub(crate) sent: u64,
}

impl Post {
    pub(crate) fn new(worker: &mut Worker, member: Member) -> Self {
        let arrived = Rc::new(RefCell::new(BTreeMap::<u64, Vec<Parcel>>::new()));
        let inbox = Rc::clone(&arrived);
        let (input, probe) = worker.dataflow::<u64, _, _>(|scope| {
            let (input, stream) = scope.new_input::<Parcel>();
            let pact = DistributorPact(|_| ByAddress);
            let received = stream.unary_frontier::<CapacityContainerBuilder<Vec<()>>, _, _, _>(
                pact,
                "receive",
                |_, _| {
                    move |(input, _), _| {
                        input.for_each(|time, parcel| {
                            let phase = *time.time() >> PIECES;
                            let parcel = std::mem::take(parcel);
                            inbox.borrow_mut().entry(phase).or_default().push(parcel);
                        });
                    }
                },
            );
            (input, received.probe().0)
        });
        Self { member, input, probe, arrived, sent: 0 }
    }

    /// Begins a phase.
    pub(crate) fn begin(&mut self, phase: Phase) {
        self.input.advance_to(phase.time());
    }

    /// Sends some words to a process. Does nothing without words.
    pub(crate) fn send(&mut self, to: usize, kind: Kind, words: Vec<u64>) {
        if words.is_empty() {
            return;
        }
        if to != self.member.process {
            self.sent += size_of_val(&words[..]) as u64;
        }
        self.input.send_batch(&mut Parcel::new(to, kind, words));
    }

    pub(crate) fn send_to_others(&mut self, kind: Kind, words: &[u64]) {
        let Member { process, processes } = self.member;
        for to in (0..processes).filter(|&to| to != process) {
            self.send(to, kind, words.to_vec());
        }
    }

    /// Begins the next piece of the phase, once all processes have received the last one. Calls `each`
    /// for what arrives.
    pub(crate) fn next_piece(&mut self, worker: &mut Worker, each: impl FnMut(&Parcel)) {
        let next = *self.input.time() + 1;
        self.input.advance_to(next);
        self.receive(worker, next >> PIECES, next, each);
    }

    /// Ends the phase: calls `each` for what arrives, until no more can arrive.
    pub(crate) fn end(&mut self, worker: &mut Worker, each: impl FnMut(&Parcel)) {
        let phase = *self.input.time() >> PIECES;
        let next = (phase + 1) << PIECES;
        self.input.advance_to(next);
        self.receive(worker, phase, next, each);
    }

    /// Calls `each` for the parcels of a phase that arrive, until nothing with a timestamp before
    /// `time` can arrive.
    fn receive(
        &mut self,
        worker: &mut Worker,
        phase: u64,
        time: u64,
        mut each: impl FnMut(&Parcel),
    ) {
        loop {
            let is_complete = !self.probe.less_than(&time);
            let parcels = self.arrived.borrow_mut().remove(&phase);
            parcels.into_iter().flatten().for_each(|parcel| each(&parcel));
            if is_complete {
                return;
            }
            worker.step_or_park(Some(PARK));
        }
    }

    /// Waits until all processes have come to the end of a layer.
    pub(crate) fn wait_for_all(
        &mut self,
        worker: &mut Worker,
        depth: usize,
    ) -> Result<(), ClusterError> {
        self.begin(Phase::After(depth));
        self.send_to_others(Kind::Done, &[0]);
        let mut count = 1;
        self.end(worker, |_| count += 1);
        match count == self.member.processes {
            true => Ok(()),
            false => Err(ClusterError::Inconsistent { depth }),
        }
    }
}
