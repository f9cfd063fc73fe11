//! The layers of a space, computed by all processes at once: the dataflow.
//!
//! A layer is a timestamp. Each process sends those blocks of its share that others need, and the
//! number of boards that it has found. Once timely reports that nothing more can arrive with this
//! timestamp, all blocks are there, all processes know the same total, and the next layer is
//! computed. A fast process may send blocks of the next layer while a slow one still waits; what
//! arrives belongs to the layer of its timestamp, and is set aside until then.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rayon::ThreadPool;
use taquin_search::Monitor;
use taquin_tables::whole::{Member, SpaceShare};
use taquin_tiles::Board;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::operators::core::input;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::{Input, Probe, probe};
use timely::worker::Worker;

use crate::checkpoint;
use crate::error::ClusterError;
use crate::parcel::{ByAddress, Kind, Parcel};

/// The settings of a process.
pub(crate) struct Plan {
    pub(crate) member: Member,
    /// Where checkpoints are saved, and how often.
    pub(crate) checkpoint: Option<(PathBuf, Duration)>,
    pub(crate) threads: ThreadPool,
    pub(crate) monitor: Arc<Monitor>,
}

/// What all processes have found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) depths: Vec<u64>,
    /// Only in the first process.
    pub(crate) farthest: Vec<Board>,
    /// The bytes that all processes have sent, in the first process.
    pub(crate) sent: u64,
}

/// What a process wants after a layer. The greatest wish of all is done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Wish {
    Continue,
    /// Save a checkpoint.
    Save,
    /// Save a checkpoint, and stop.
    Stop,
    /// Stop at once: the layer is incomplete.
    Abandon,
}

const WISHES: [Wish; 4] = [Wish::Continue, Wish::Save, Wish::Stop, Wish::Abandon];

/// The words of a parcel with blocks, at least.
const PARCEL: usize = 1 << 15;

/// Saving often does no harm if it takes less time than this.
const SHORT: Duration = Duration::from_secs(1);

/// Computes all layers, together with the other processes.
pub(crate) fn compute(
    worker: &mut Worker,
    share: SpaceShare,
    plan: &Plan,
    is_finished: &AtomicBool,
) -> Result<Found, ClusterError> {
    let mut post = Post::new(worker, plan.member);
    // All processes know of this end, and none has to be missed from now on.
    let cancelled = |share: &SpaceShare| {
        is_finished.store(true, Relaxed);
        ClusterError::Cancelled { depths: share.depths().to_vec() }
    };
    let mut share = share;
    let mut depth = share.depths().len() - 1;
    let mut own = share.boards();
    let (mut saved, mut took) = (Instant::now(), Duration::ZERO);
    let folder = plan.checkpoint.as_ref();
    let is_whole = folder.is_some();
    let mut wish = Wish::Continue;
    loop {
        // 1. Send what others need of this layer, and wait for what they send.
        let (boards, wish_of_all) = exchange(worker, &mut post, &mut share, depth, (own, wish))?;
        if wish_of_all == Wish::Abandon {
            return Err(cancelled(&share));
        }
        // 2. The layer is complete. The first one was known.
        match share.depths().get(depth) {
            Some(&known) if known == boards => {}
            Some(_) => return Err(ClusterError::Inconsistent { depth }),
            None if boards == 0 => break,
            None => share.complete(boards),
        }
        // 3. Save it, if one of the processes asked for it.
        if let (Some((folder, _)), Wish::Save | Wish::Stop) = (folder, wish_of_all) {
            let started = Instant::now();
            let this = (depth, plan.member);
            share.save(&checkpoint::path(folder, this))?;
            post.wait_for_all(worker, 2 * depth as u64 + 1)?;
            checkpoint::remove_others(folder, depth);
            (saved, took) = (Instant::now(), started.elapsed());
        }
        if wish_of_all == Wish::Stop {
            return Err(cancelled(&share));
        }
        // 4. Compute the own part of the next one.
        own = plan.threads.install(|| share.advance(is_whole, &plan.monitor));
        depth += 1;
        // Saving takes a tenth of the time at most, unless it is short.
        let is_due = folder.is_some_and(|(_, every)| {
            let most = if took < SHORT { *every } else { (*every).max(10 * took) };
            plan.member.process == 0 && saved.elapsed() >= most
        });
        wish = match plan.monitor.is_cancelled() {
            true if is_whole => Wish::Stop,
            true => Wish::Abandon,
            false if is_due => Wish::Save,
            false => Wish::Continue,
        };
    }
    let round = 2 * depth as u64 + 1;
    let mut words = vec![post.sent];
    words.extend(share.farthest());
    post.send(round, Parcel { to: 0, kind: Some(Kind::Farthest), words });
    let (mut slots, mut sent) = (Vec::new(), 0);
    post.receive(worker, round, |parcel| {
        if let [bytes, found @ ..] = &parcel.words[..] {
            sent += bytes;
            slots.extend(found);
        }
    });
    is_finished.store(true, Relaxed);
    drop(post);
    if let Some((folder, _)) = folder {
        checkpoint::remove_all(folder);
    }
    let farthest = share.farthest_of_all(&slots).ok_or(ClusterError::Inconsistent { depth })?;
    Ok(Found { depths: share.depths().to_vec(), farthest, sent })
}

/// Sends the blocks of a layer that others need and the own count, and receives theirs. Returns the
/// total and the greatest wish.
fn exchange(
    worker: &mut Worker,
    post: &mut Post,
    share: &mut SpaceShare,
    depth: usize,
    (boards, wish): (u64, Wish),
) -> Result<(u64, Wish), ClusterError> {
    let round = 2 * depth as u64;
    let Member { process, processes } = post.member;
    for to in (0..processes).filter(|&to| to != process) {
        let words = vec![boards, wish as u64];
        post.send(round, Parcel { to, kind: Some(Kind::Count), words });
    }
    // An incomplete layer is of no use.
    if wish != Wish::Abandon {
        let mut parcel = Parcel::default();
        for (to, number, words) in share.departures(depth) {
            if parcel.to != to || parcel.words.len() > PARCEL {
                post.send(round, std::mem::take(&mut parcel));
            }
            (parcel.to, parcel.kind) = (to, Some(Kind::Blocks));
            parcel.words.push(number);
            parcel.words.extend(words);
        }
        post.send(round, parcel);
    }
    let (mut total, mut greatest) = (boards, wish);
    let length = 1 + share.block_words();
    let mut is_valid = true;
    post.receive(worker, round, |parcel| match (parcel.kind, &parcel.words[..]) {
        (Some(Kind::Blocks), words) => {
            let mut blocks = words.chunks(length);
            is_valid &= blocks.all(|block| share.receive(depth, block[0], &block[1..]));
        }
        (Some(Kind::Count), &[boards, wish]) if (wish as usize) < WISHES.len() => {
            total += boards;
            greatest = greatest.max(WISHES[wish as usize]);
        }
        _ => is_valid = false,
    });
    match is_valid {
        true => Ok((total, greatest)),
        false => Err(ClusterError::Inconsistent { depth }),
    }
}

/// The way to the other processes. What is sent in a round arrives in this round.
struct Post {
    member: Member,
    input: input::Handle<u64, CapacityContainerBuilder<Parcel>>,
    probe: probe::Handle<u64>,
    /// What has arrived, by its round.
    arrived: Rc<RefCell<BTreeMap<u64, Vec<Parcel>>>>,
    /// The bytes that were sent to other processes.
    sent: u64,
}

impl Post {
    fn new(worker: &mut Worker, member: Member) -> Self {
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
                            let round = *time.time();
                            let parcel = std::mem::take(parcel);
                            inbox.borrow_mut().entry(round).or_default().push(parcel);
                        });
                    }
                },
            );
            (input, received.probe().0)
        });
        Self { member, input, probe, arrived, sent: 0 }
    }

    fn send(&mut self, round: u64, mut parcel: Parcel) {
        if parcel.to != self.member.process {
            self.sent += 8 * parcel.words.len() as u64;
        }
        self.input.advance_to(round);
        self.input.send_batch(&mut parcel);
    }

    /// Calls `each` for all parcels of a round, until no more can arrive.
    fn receive(&mut self, worker: &mut Worker, round: u64, mut each: impl FnMut(Parcel)) {
        self.input.advance_to(round + 1);
        loop {
            let parcels = self.arrived.borrow_mut().remove(&round);
            parcels.into_iter().flatten().for_each(&mut each);
            if !self.probe.less_equal(&round) {
                break;
            }
            worker.step_or_park(Some(PARK));
        }
        let parcels = self.arrived.borrow_mut().remove(&round);
        parcels.into_iter().flatten().for_each(each);
    }

    /// Waits until all processes have come to this round.
    fn wait_for_all(&mut self, worker: &mut Worker, round: u64) -> Result<(), ClusterError> {
        let Member { process, processes } = self.member;
        for to in (0..processes).filter(|&to| to != process) {
            self.send(round, Parcel { to, kind: Some(Kind::Done), words: Vec::new() });
        }
        let mut count = 1;
        self.receive(worker, round, |_| count += 1);
        match count == processes {
            true => Ok(()),
            false => Err(ClusterError::Inconsistent { depth: round as usize / 2 }),
        }
    }
}

/// The longest time between two looks at what has arrived.
const PARK: Duration = Duration::from_millis(100);
