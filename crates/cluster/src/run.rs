//! One process of several, from its start to its end.

use std::cell::Cell;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use taquin::Enumeration;
use taquin_search::Monitor;
use taquin_tables::whole::{ExploreError, Explorer, Extent, Member, Metric, SharePlan};
use taquin_tiles::Board;
use timely::WorkerConfig;
use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::execute::execute_from;

use crate::checkpoint::{self, SavedShare};
use crate::connect::{Connections, connect, listen, settle};
use crate::data_stream::DataStream;
use crate::error::ClusterError;
use crate::frame;
use crate::handshake::{Channel, Secret, Terms};
use crate::hosts::Hosts;
use crate::layers::{LayerTotals, Plan, compute};
use crate::local::Children;
use crate::parcel::{buffers, parcel_bytes};

/// The space to enumerate, and how this process takes part.
pub struct Job {
    /// The goal of the space.
    pub goal: Board,
    /// The definition of one move. Checkpoints are for single steps.
    pub metric: Metric,
    /// The folder for checkpoints, and the time between two of them.
    pub checkpoint: Option<(PathBuf, Duration)>,
    /// Whether it continues the newest checkpoint of the folder.
    pub is_resumed: bool,
    /// The bytes of memory that this process may use.
    pub memory: u64,
    /// The number of threads in this process.
    pub threads: usize,
    /// The parts that must be the same in all processes.
    pub secret: Option<Secret>,
    /// How long to wait for other processes at the start.
    pub timeout: Duration,
}

/// The processes, and the means of this one.
pub struct Group {
    pub(crate) hosts: Hosts,
    /// Where this process listens, if it does already.
    pub(crate) listener: Option<TcpListener>,
    /// The processes that this one has started.
    pub(crate) children: Children,
}

impl Group {
    /// Returns the number of processes.
    pub fn processes(&self) -> usize {
        self.hosts.processes()
    }

    /// Returns which of them this process is.
    pub const fn process(&self) -> usize {
        self.hosts.process
    }
}

impl From<Hosts> for Group {
    fn from(hosts: Hosts) -> Self {
        Self { hosts, listener: None, children: Children::default() }
    }
}

/// The facts that are known when all processes are connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClusterStart {
    /// The number of boards.
    pub states: u64,
    /// The bytes of memory for this process.
    pub bytes: u64,
    /// The bytes of memory for all processes.
    pub all_bytes: u64,
    /// The depth at which a checkpoint is continued.
    pub resumed: Option<usize>,
}

/// A space that several processes have enumerated.
#[derive(Debug)]
pub struct ClusterEnumeration {
    /// The space. Only the first process has its farthest boards.
    pub enumeration: Enumeration,
    /// The bytes that processes have sent one another, known in the first process.
    pub sent: u64,
    /// The saved shares. In all processes but the first, they are removed already.
    pub shares: Shares,
}

/// The saved shares of all processes after the last layer. They stay if this is dropped, and the
/// other processes report that this one was lost.
#[derive(Debug)]
#[must_use = "shares that are not removed stay"]
pub struct Shares {
    folder: Option<PathBuf>,
    control: Vec<Option<TcpStream>>,
    children: Children,
}

impl Shares {
    /// Removes the shares of all processes, once the first one has printed or stored the result.
    pub fn remove(mut self) {
        if let Some(folder) = &self.folder {
            checkpoint::remove_all(folder);
        }
        tell(&mut self.control, PRINTED);
        self.children.wait();
    }
}

/// How long the end of a process that went well may take.
const TEARDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// How long to wait for the reason after a connection has ended.
const REASON_TIMEOUT: Duration = Duration::from_millis(500);

/// The time between two looks at the processes that were started.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Enumerates a space with a group's other processes. `begin` is called when all are connected and
/// have the required memory.
///
/// # Errors
/// Fails if the processes do not find each other or do not match, if one does not have enough
/// memory, is lost or fails, or if the monitor is cancelled.
pub fn enumerate(
    group: Group,
    job: Job,
    monitor: &Arc<Monitor>,
    begin: impl FnOnce(ClusterStart),
) -> Result<ClusterEnumeration, ClusterError> {
    let Group { hosts, listener, mut children } = group;
    let listener = listener.map_or_else(|| listen(&hosts), Ok)?;
    let member = Member { process: hosts.process, processes: hosts.processes() };
    let plan = SharePlan::new(&job.goal, job.metric, member, job.memory);
    // A space that no machine can hold is refused without the others.
    if let Err(error @ ExploreError::Memory { needed: u64::MAX, .. }) = plan {
        return Err(error.into());
    }
    let own = Announcement::new(&plan, &job, member);
    let terms = Arc::new(Terms {
        version: format!("taquin {} (parcels {PARCELS}, {ENDIAN})", env!("CARGO_PKG_VERSION")),
        task: format!(
            "enumerate {} for the goal {}{}",
            job.goal.size(),
            job.goal,
            if job.metric == Metric::Multi { ", with moves of segments" } else { "" }
        ),
        processes: member.processes,
        secret: job.secret.clone(),
    });
    let Connections { mut control, data } =
        connect(&hosts, listener, &terms, job.timeout, || children.check(&hosts))?;
    let all = negotiate(&hosts, &mut control, &own, job.timeout)?;
    let plan = plan?;
    let saved = match job.is_resumed {
        true => Some(newest(&all, &job)?),
        false => None,
    };
    let Extent { states, bytes } = plan.extent();
    begin(ClusterStart {
        states,
        bytes,
        all_bytes: all.iter().map(|offer| offer.needed).sum(),
        resumed: saved.map(|(depth, _)| depth),
    });

    let (events, happened) = mpsc::channel();
    let is_finished = Arc::new(AtomicBool::new(false));
    for (process, stream) in control.iter().enumerate() {
        if let Some(stream) = stream {
            settle(stream, Channel::Control)?;
            let (stream, events) = (stream.try_clone()?, events.clone());
            thread::spawn(move || listen_to(process, stream, &events));
        }
    }
    let (metric, folder) = (job.metric, job.checkpoint.as_ref().map(|(folder, _)| folder.clone()));
    let started = start(job, plan, saved, data, monitor, events, &is_finished);
    let is_awaited = folder.is_some() && hosts.process > 0;
    let ended =
        started.and_then(|()| wait(&hosts, &happened, &is_finished, is_awaited, &mut children));
    match &ended {
        Ok(_) | Err(ClusterError::Cancelled { .. }) => {}
        Err(ClusterError::Lost { peer }) => tell(&mut control, &format!("{LOST}{peer}")),
        Err(ClusterError::Failed { peer, reason }) => {
            tell(&mut control, &format!("{LOST}{peer}: {reason}"));
        }
        Err(error) => tell(&mut control, &format!("{FAILED}{error}")),
    }
    let (goal, found) = ended?;
    let enumeration = Enumeration::new(&goal, metric, &found.depths, &found.farthest);
    if is_awaited && let Some(folder) = &folder {
        checkpoint::remove_all(folder);
    }
    Ok(ClusterEnumeration {
        enumeration,
        sent: found.sent,
        shares: Shares { folder, control, children },
    })
}

/// Sends the last words of this process to all others.
fn tell(control: &mut [Option<TcpStream>], words: &str) {
    for stream in control.iter_mut().flatten() {
        let _ = stream.set_write_timeout(Some(POLL_INTERVAL));
        let _ = frame::send(stream, words);
        let _ = stream.shutdown(Shutdown::Write);
    }
}

/// Numbers are sent as they are in memory.
const ENDIAN: &str = if cfg!(target_endian = "big") { "big-endian" } else { "little-endian" };

/// The version of the messages between processes: a program with another version is refused.
const PARCELS: u32 = 5;

/// The message of a process before the start.
#[derive(Clone, Debug)]
struct Announcement {
    needed: u64,
    allowed: u64,
    /// Why it cannot take part.
    trouble: String,
    /// The shares that it finds in the folder of the checkpoint.
    found: Vec<SavedShare>,
}

impl Announcement {
    fn new(plan: &Result<SharePlan, ExploreError>, job: &Job, member: Member) -> Self {
        let needed = match plan {
            Ok(plan) => plan.extent().bytes,
            Err(ExploreError::Memory { needed, .. }) => *needed,
            Err(_) => 0,
        };
        let folder = job.checkpoint.as_ref().map(|(folder, _)| folder);
        let trouble = folder.and_then(|folder| checkpoint::trouble(folder, member));
        let found = folder.filter(|_| job.is_resumed).map(|folder| checkpoint::found(folder));
        Self {
            needed,
            allowed: job.memory,
            trouble: trouble.unwrap_or_default(),
            found: found.unwrap_or_default(),
        }
    }

    fn text(&self) -> String {
        let share = |(depth, Member { process, processes }): &SavedShare| {
            format!("{depth} {process} {processes}")
        };
        let found: Vec<String> = self.found.iter().map(share).collect();
        let trouble = self.trouble.replace('\n', " ");
        format!("{}\n{}\n{trouble}\n{}", self.needed, self.allowed, found.join(","))
    }

    fn read(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.split('\n').collect();
        let [needed, allowed, trouble, found] = fields[..] else { return None };
        let share = |text: &str| {
            let numbers: Result<Vec<usize>, _> = text.split(' ').map(str::parse).collect();
            let [depth, process, processes] = numbers.ok()?[..] else { return None };
            Some((depth, Member { process, processes }))
        };
        let found = found.split(',').filter(|text| !text.is_empty()).map(share);
        Some(Self {
            needed: needed.parse().ok()?,
            allowed: allowed.parse().ok()?,
            trouble: trouble.to_owned(),
            found: found.collect::<Option<_>>()?,
        })
    }
}

/// Exchanges the offers of all processes. Fails in all of them if one cannot take part.
fn negotiate(
    hosts: &Hosts,
    control: &mut [Option<TcpStream>],
    own: &Announcement,
    timeout: Duration,
) -> Result<Vec<Announcement>, ClusterError> {
    let lost = |process| ClusterError::Lost { peer: hosts.name(process) };
    let text = own.text();
    for (process, stream) in control.iter_mut().enumerate() {
        if let Some(stream) = stream {
            stream.set_read_timeout(Some(timeout))?;
            frame::send(stream, &text).map_err(|_| lost(process))?;
        }
    }
    let mut all = Vec::new();
    for (process, stream) in control.iter_mut().enumerate() {
        let offer = match stream {
            None => Some(own.clone()),
            Some(stream) => Announcement::read(&frame::receive(stream).map_err(|_| lost(process))?),
        };
        all.push(offer.ok_or_else(|| lost(process))?);
    }
    for (process, Announcement { needed, allowed, trouble, .. }) in all.iter().enumerate() {
        let peer = hosts.name(process);
        if needed > allowed {
            return Err(ClusterError::Memory { peer, needed: *needed, allowed: *allowed });
        }
        if !trouble.is_empty() {
            return Err(ClusterError::Failed { peer, reason: trouble.clone() });
        }
    }
    Ok(all)
}

/// Returns the newest checkpoint that all processes together have.
fn newest(all: &[Announcement], job: &Job) -> Result<SavedShare, ClusterError> {
    let newest = checkpoint::newest(all.iter().flat_map(|offer| offer.found.iter().copied()));
    let folder = job.checkpoint.as_ref().map(|(folder, _)| folder.display().to_string());
    let (depth, processes) =
        newest.ok_or_else(|| ClusterError::NoCheckpoint { folder: folder.unwrap_or_default() })?;
    Ok((depth, Member { process: 0, processes }))
}

/// Something that ends the work of a process.
enum Event {
    Done(Result<(Board, LayerTotals), ClusterError>),
    /// The connection for data to another process has ended too early.
    Gone(usize),
    /// The last words of another process, or nothing if it has ended without.
    Ended(usize, Option<String>),
    /// An error of this program, which was printed.
    Panicked,
    /// The connections are closed.
    Closed,
}

const LOST: &str = "lost ";
const FAILED: &str = "failed ";
/// The first process has printed the result.
const PRINTED: &str = "printed";

/// Waits for the end of another process.
fn listen_to(process: usize, mut stream: TcpStream, events: &Sender<Event>) {
    let _ = events.send(Event::Ended(process, frame::receive(&mut stream).ok()));
}

/// Starts the dataflow. Its end is an event.
fn start(
    job: Job,
    plan: SharePlan,
    saved: Option<SavedShare>,
    data: Vec<Option<TcpStream>>,
    monitor: &Arc<Monitor>,
    events: Sender<Event>,
    is_finished: &Arc<AtomicBool>,
) -> Result<(), ClusterError> {
    for stream in data.iter().flatten() {
        settle(stream, Channel::Data)?;
    }
    let parcel = parcel_bytes(plan.goal());
    let share = match (saved, &job.checkpoint) {
        (Some((depth, Member { processes, .. })), Some((folder, _))) => {
            let path = |process| checkpoint::path(folder, (depth, Member { process, processes }));
            let depths = checkpoint::depths(folder, (depth, processes))?;
            Explorer::resume_share(plan, depths, processes, path)?
        }
        _ => Explorer::of_share(plan),
    };
    let share = if job.checkpoint.is_some() { share.with_whole_layers() } else { share };
    let process = share.member().process;
    let refill = buffers(parcel, size_of::<u64>() * share.block_words());
    let hooks = Hooks { refill, ..Hooks::default() };
    let inner = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
    let data = data.into_iter().enumerate().map(|(process, stream)| {
        let gone = events.clone();
        Some(DataStream::new(stream?, is_finished, move || _ = gone.send(Event::Gone(process))))
    });
    let data = data.collect();
    let (builders, guard) = initialize_networking_from_sockets(inner, data, process, 1, hooks)?;
    let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
    let plan = Plan {
        member: share.member(),
        checkpoint: job.checkpoint,
        threads: job.threads.max(1),
        parcel,
        monitor: Arc::clone(monitor),
    };
    let share = Mutex::new(Some(share));
    let finished = Arc::clone(is_finished);
    let done = events.clone();
    let work = move |worker: &mut timely::worker::Worker| {
        let share = share.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(share) = share else { return };
        let goal = share.goal().clone();
        let found = catch_unwind(AssertUnwindSafe(|| compute(worker, share, &plan, &finished)));
        let _ = done.send(match found {
            Ok(found) => Event::Done(found.map(|found| (goal, found))),
            Err(_) => Event::Panicked,
        });
    };
    let guards = execute_from(builders, Box::new(guard), WorkerConfig::default(), work);
    let guards = guards.map_err(std::io::Error::other)?;
    // It ends when the dataflow and the connections have. If another process is lost, it never
    // does.
    thread::Builder::new().spawn(move || {
        guards.join();
        let _ = events.send(Event::Closed);
    })?;
    Ok(())
}

/// Waits until the space is enumerated and, if `is_awaited`, the first process has printed it; or
/// until something prevents it.
fn wait(
    hosts: &Hosts,
    happened: &Receiver<Event>,
    is_finished: &AtomicBool,
    is_awaited: bool,
    children: &mut Children,
) -> Result<(Board, LayerTotals), ClusterError> {
    let lost = |process| ClusterError::Lost { peer: hosts.name(process) };
    // Whether the first process has printed the result, once it has ended.
    let has_printed = Cell::new(None);
    let next = || {
        let event = happened.recv_timeout(POLL_INTERVAL);
        if let Ok(Event::Ended(0, words)) = &event {
            has_printed.set(Some(words.as_deref() == Some(PRINTED)));
        }
        event
    };
    // The process that has gone, and when that was noticed.
    let mut gone: Option<(usize, Instant)> = None;
    let result = loop {
        match next() {
            Ok(Event::Done(result)) => break result,
            Ok(Event::Closed) => {}
            _ if is_finished.load(Ordering::Relaxed) || has_printed.get() == Some(true) => {}
            Ok(Event::Ended(process, Some(words))) => {
                return Err(match (words.strip_prefix(LOST), words.strip_prefix(FAILED)) {
                    (Some(peer), _) => ClusterError::Lost { peer: peer.to_owned() },
                    (None, Some(reason)) => {
                        let peer = hosts.name(process);
                        ClusterError::Failed { peer, reason: reason.to_owned() }
                    }
                    (None, None) => lost(process),
                });
            }
            Ok(Event::Gone(process) | Event::Ended(process, None)) => {
                gone.get_or_insert((process, Instant::now()));
            }
            Ok(Event::Panicked) | Err(RecvTimeoutError::Disconnected) => {
                return Err(std::io::Error::other("an error of this program").into());
            }
            Err(RecvTimeoutError::Timeout) => {
                if gone.is_none() {
                    children.check(hosts)?;
                }
            }
        }
        // Its reason may still be on the way.
        if let Some((process, noticed)) = gone
            && noticed.elapsed() > REASON_TIMEOUT
        {
            return Err(lost(process));
        }
    };
    if is_finished.load(Ordering::Relaxed) {
        // The others need the last messages of this process.
        let deadline = Instant::now() + TEARDOWN_TIMEOUT;
        while Instant::now() < deadline && !matches!(next(), Ok(Event::Closed)) {}
    }
    while is_awaited && result.is_ok() && has_printed.get().is_none() {
        if let Err(RecvTimeoutError::Disconnected) = next() {
            return Err(lost(0));
        }
    }
    match has_printed.get() {
        Some(false) if is_awaited && result.is_ok() => Err(lost(0)),
        _ => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The panic hook belongs to the whole process.
    #[test]
    fn the_panic_hook_is_left_alone() {
        let (panics, panicked) = mpsc::channel();
        std::panic::set_hook(Box::new(move |info| _ = panics.send(info.to_string())));
        let job = Job {
            goal: "1 2/3 0".parse().unwrap(),
            metric: Metric::Single,
            checkpoint: None,
            is_resumed: false,
            memory: 1 << 20,
            threads: 1,
            secret: None,
            timeout: Duration::from_secs(60),
        };
        let hosts = Hosts::new(vec!["127.0.0.1:0".to_owned()], 0).unwrap();
        let found = enumerate(Group::from(hosts), job, &Arc::default(), |_| ()).unwrap();
        assert_eq!(found.enumeration.states, 12);
        let thread = thread::Builder::new().name("timely:recv-1".to_owned());
        assert!(thread.spawn(|| panic!("for the hook")).unwrap().join().is_err());
        drop(std::panic::take_hook());
        assert!(panicked.iter().any(|words| words.contains("for the hook")));
    }
}
