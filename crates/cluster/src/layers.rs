//! The layers of a space, computed by all processes together: the dataflow.
//!
//! Each process sends the blocks in its share that others need, and then the number of boards that
//! it has found. Once it has these numbers from all others, all blocks have arrived, all processes
//! know the same total, and the next layer is computed. A fast process may send blocks for the next
//! layer while a slow one still waits. Early blocks are set aside until then.
//!
//! The blocks of a layer are sent in pieces. A process sends a piece only when all others have sent
//! the one before, which they do after they have received the one before that. So little is on its
//! way at a time.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use taquin_search::Monitor;
use taquin_tables::whole::{ExploreError, Explorer, Member, SaveTimer};
use taquin_tiles::Board;
use timely::worker::Worker;

use crate::checkpoint;
use crate::error::ClusterError;
use crate::parcel::{Kind, Parcel};
use crate::post::{Next, Post};

/// The settings of a process.
pub(crate) struct Plan {
    pub(crate) member: Member,
    /// Where checkpoints are saved, and how often.
    pub(crate) checkpoint: Option<(PathBuf, Duration)>,
    /// The number of threads.
    pub(crate) threads: usize,
    /// The bytes of a parcel with blocks.
    pub(crate) parcel: usize,
    pub(crate) monitor: Arc<Monitor>,
}

/// The findings of all processes.
#[derive(Clone, Debug)]
pub(crate) struct LayerTotals {
    pub(crate) depths: Vec<u64>,
    /// Only in the first process.
    pub(crate) farthest: Vec<Board>,
    /// The bytes that all processes have sent, in the first process.
    pub(crate) sent: u64,
}

/// The action that a process proposes after a layer; the maximum over all processes is taken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum LayerDecision {
    Continue,
    /// Save a checkpoint.
    Save,
    /// Save a checkpoint, and stop.
    Stop,
    /// Stop immediately: the layer is incomplete.
    Abandon,
}

const DECISIONS: [LayerDecision; 4] =
    [LayerDecision::Continue, LayerDecision::Save, LayerDecision::Stop, LayerDecision::Abandon];

/// Computes all layers, together with the other processes.
pub(crate) fn compute(
    worker: &mut Worker,
    share: Explorer,
    plan: &Plan,
    is_finished: &AtomicBool,
) -> Result<LayerTotals, ClusterError> {
    // This thread is one of them.
    let threads = rayon::ThreadPoolBuilder::new().num_threads(plan.threads).use_current_thread();
    let threads = threads.build().map_err(std::io::Error::other)?;
    let mut post = Post::new(worker, plan.member);
    // All processes know this end, and a missing process no longer matters.
    let cancelled = |share: &Explorer| {
        is_finished.store(true, Relaxed);
        ClusterError::Cancelled { depths: share.depths().to_vec() }
    };
    let mut share = share;
    let mut depth = share.depths().len() - 1;
    let mut own = share.boards(depth);
    let folder = plan.checkpoint.as_ref();
    let mut timer = folder.map(|(_, every)| SaveTimer::new(*every));
    let mut wish = LayerDecision::Continue;
    // The data to send, in memory that all layers reuse.
    let mut words = Vec::new();
    loop {
        // 1. Send the blocks of this layer that others need, and wait for theirs.
        let (boards, wish_of_all) =
            exchange(worker, &mut post, &mut share, &mut words, (depth, plan.parcel), (own, wish))?;
        if wish_of_all == LayerDecision::Abandon {
            return Err(cancelled(&share));
        }
        // 2. The layer is complete. The first one was known.
        match share.depths().get(depth) {
            Some(&known) if known == boards => {}
            Some(_) => return Err(ClusterError::Inconsistent { depth }),
            None if boards == 0 => break,
            None => share.complete(boards)?,
        }
        // 3. Save it, if a process requested it.
        if let (Some((folder, _)), Some(timer), LayerDecision::Save | LayerDecision::Stop) =
            (folder, &mut timer, wish_of_all)
        {
            timer.save(|| -> Result<(), ClusterError> {
                share.save(&checkpoint::path(folder, (depth, plan.member)))?;
                post.wait_for_all(worker, depth)?;
                checkpoint::remove_others(folder, depth);
                Ok(())
            })?;
        }
        if wish_of_all == LayerDecision::Stop {
            return Err(cancelled(&share));
        }
        // 4. Compute the own part of the next one.
        let computed = threads.install(|| share.compute(&plan.monitor));
        depth += 1;
        let is_due = timer.is_some_and(|timer| plan.member.process == 0 && timer.is_due());
        (own, wish) = match computed {
            Err(ExploreError::Cancelled) => (0, LayerDecision::Abandon),
            Err(error) => return Err(error.into()),
            Ok(own) if plan.monitor.is_cancelled() => (own, LayerDecision::Stop),
            Ok(own) if is_due => (own, LayerDecision::Save),
            Ok(own) => (own, LayerDecision::Continue),
        };
    }
    let (mut slots, mut sent) = (share.farthest_slots(), post.sent);
    for to in post.others() {
        let mut words = if to == 0 { slots.clone() } else { Vec::new() };
        post.send(to, Kind::Farthest, (Next::Phase, [sent, 0]), &mut words);
    }
    let mut is_valid = true;
    post.receive(worker, Next::Phase, |parcel| {
        is_valid &= parcel.kind == Some(Kind::Farthest);
        sent = sent.saturating_add(parcel.numbers[0]);
        slots.extend(parcel.words());
    });
    if !is_valid {
        return Err(ClusterError::Inconsistent { depth });
    }
    let farthest = share.farthest_of_all(&slots).ok_or(ClusterError::Inconsistent { depth })?;
    is_finished.store(true, Relaxed);
    drop(post);
    Ok(LayerTotals { depths: share.depths().to_vec(), farthest, sent })
}

/// Sends the blocks of a layer that others need and this process's count, and receives theirs.
/// `words` buffers outgoing data. Returns the total and the greatest proposal.
fn exchange(
    worker: &mut Worker,
    post: &mut Post,
    share: &mut Explorer,
    words: &mut Vec<u64>,
    (depth, parcel_bytes): (usize, usize),
    (boards, wish): (u64, LayerDecision),
) -> Result<(u64, LayerDecision), ClusterError> {
    let (mut total, mut greatest) = (boards, wish);
    let mut is_valid = true;
    let mut receive = |share: &mut Explorer, parcel: &Parcel| {
        let [boards, wish] = parcel.numbers;
        let wish = DECISIONS.get(wish as usize);
        is_valid &= parcel.kind == Some(Kind::Blocks)
            && wish.is_some()
            && share.receive(depth, parcel.content());
        total = total.saturating_add(boards);
        greatest = greatest.max(*wish.unwrap_or(&greatest));
    };
    let is_abandoned = wish == LayerDecision::Abandon;
    let pieces = if is_abandoned { 1 } else { share.pieces(depth) };
    let none = [0, LayerDecision::Continue as u64];
    for piece in 0..pieces {
        let end = match piece + 1 == pieces {
            true => (Next::Phase, [boards, wish as u64]),
            false => (Next::Piece, none),
        };
        for to in post.others() {
            let mut departures = share.departures(depth, (piece, pieces), to);
            // An incomplete layer is discarded.
            while !is_abandoned && departures.write(words, parcel_bytes / size_of::<u64>()) {
                post.send(to, Kind::Blocks, (Next::More, none), words);
            }
            post.send(to, Kind::Blocks, end, words);
        }
        post.receive(worker, end.0, |parcel| receive(share, parcel));
    }
    match is_valid {
        true => Ok((total, greatest)),
        false => Err(ClusterError::Inconsistent { depth }),
    }
}
