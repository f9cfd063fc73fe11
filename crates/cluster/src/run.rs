//! One process of several, from its start to its end.

use std::net::{Shutdown, TcpListener, TcpStream};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use taquin::Enumeration;
use taquin_search::Monitor;
use taquin_tables::whole::{ExploreError, Extent, Member, Metric, SharePlan, SpaceShare};
use taquin_tiles::Board;
use timely::WorkerConfig;
use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::execute::execute_from;

use crate::checkpoint::{self, Saved};
use crate::connect::{Connections, connect, listen, settle};
use crate::error::ClusterError;
use crate::frame;
use crate::handshake::{Channel, Secret, Terms};
use crate::hosts::Hosts;
use crate::layers::{Found, Plan, compute};
use crate::local::Children;
use crate::parcel::{buffers, parcel_bytes};

/// What is to be enumerated, and how this process takes part.
pub struct Job {
    /// The goal of the space.
    pub goal: Board,
    /// What counts as one move. Checkpoints are for single steps.
    pub metric: Metric,
    /// The folder for checkpoints, and the time between two of them.
    pub checkpoint: Option<(PathBuf, Duration)>,
    /// Whether it continues the newest checkpoint of the folder.
    pub is_resumed: bool,
    /// The bytes of memory that this process may use.
    pub memory: u64,
    /// The number of threads of this process.
    pub threads: usize,
    /// What has to be the same in all processes.
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

/// What is known when all processes are connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beginning {
    /// The number of boards.
    pub states: u64,
    /// The bytes of memory of this process.
    pub bytes: u64,
    /// The bytes of memory of all processes.
    pub all_bytes: u64,
    /// The depth at which a checkpoint is continued.
    pub resumed: Option<usize>,
}

/// A space that several processes have enumerated.
#[derive(Clone, Debug)]
pub struct Enumerated {
    /// The space. Only the first process has its farthest boards.
    pub enumeration: Enumeration,
    /// The bytes that processes have sent one another, known in the first process.
    pub sent: u64,
}

/// How long the end of a process that went well may take.
const TEARDOWN: Duration = Duration::from_secs(5);

/// How long to wait for the reason after a connection has ended.
const GRACE: Duration = Duration::from_millis(500);

/// The time between two looks at the processes that were started.
const LOOK: Duration = Duration::from_millis(100);

/// Enumerates a space with the other processes of a group. `begin` is called when all of them are
/// connected and have the memory that they need.
///
/// # Errors
/// Fails if the processes do not find each other or do not fit, if one of them has not enough
/// memory, is lost or fails, or if the monitor is cancelled.
pub fn enumerate(
    group: Group,
    job: Job,
    monitor: &Arc<Monitor>,
    begin: impl FnOnce(Beginning),
) -> Result<Enumerated, ClusterError> {
    let Group { hosts, listener, mut children } = group;
    let listener = listener.map_or_else(|| listen(&hosts), Ok)?;
    let member = Member { process: hosts.process, processes: hosts.processes() };
    let plan = SharePlan::new(&job.goal, job.metric, member, job.memory);
    // A space that no machine can hold is refused without the others.
    if let Err(error @ ExploreError::Memory { needed: u64::MAX, .. }) = plan {
        return Err(error.into());
    }
    let own = Offer::new(&plan, &job, member);
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
    begin(Beginning {
        states,
        bytes,
        all_bytes: all.iter().map(|offer| offer.needed).sum(),
        resumed: saved.map(|(depth, _)| depth),
    });

    let (events, happened) = mpsc::channel();
    let is_finished = Arc::new(AtomicBool::new(false));
    report_panics(&events, &is_finished);
    for (process, stream) in control.iter().enumerate() {
        if let Some(stream) = stream {
            settle(stream, Channel::Control)?;
            let (stream, events) = (stream.try_clone()?, events.clone());
            thread::spawn(move || listen_to(process, stream, &events));
        }
    }
    let metric = job.metric;
    let started = start(job, plan, saved, data, monitor, events, &is_finished);
    let ended = started.and_then(|()| wait(&hosts, &happened, &is_finished, &mut children));
    if let Err(error) = &ended {
        if !matches!(error, ClusterError::Cancelled { .. }) {
            let words = match error {
                ClusterError::Lost { peer } => format!("{LOST}{peer}"),
                ClusterError::Failed { peer, reason } => format!("{LOST}{peer}: {reason}"),
                error => format!("{FAILED}{error}"),
            };
            for stream in control.iter_mut().flatten() {
                let _ = stream.set_write_timeout(Some(LOOK));
                let _ = frame::send(stream, &words);
                let _ = stream.shutdown(Shutdown::Write);
            }
        }
    } else {
        children.wait();
    }
    let (goal, found) = ended?;
    let enumeration = Enumeration::new(&goal, metric, &found.depths, &found.farthest);
    Ok(Enumerated { enumeration, sent: found.sent })
}

/// Numbers are sent as they are in memory.
const ENDIAN: &str = if cfg!(target_endian = "big") { "big-endian" } else { "little-endian" };

/// The version of what processes send each other: a program that sends something else is refused.
const PARCELS: u32 = 5;

/// What a process tells the others before the start.
#[derive(Clone, Debug)]
struct Offer {
    needed: u64,
    allowed: u64,
    /// Why it cannot take part.
    trouble: String,
    /// The shares that it finds in the folder of the checkpoint.
    found: Vec<Saved>,
}

impl Offer {
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
        let share = |(depth, Member { process, processes }): &Saved| {
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
    own: &Offer,
    timeout: Duration,
) -> Result<Vec<Offer>, ClusterError> {
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
            Some(stream) => Offer::read(&frame::receive(stream).map_err(|_| lost(process))?),
        };
        all.push(offer.ok_or_else(|| lost(process))?);
    }
    for (process, Offer { needed, allowed, trouble, .. }) in all.iter().enumerate() {
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
fn newest(all: &[Offer], job: &Job) -> Result<Saved, ClusterError> {
    let newest = checkpoint::newest(all.iter().flat_map(|offer| offer.found.iter().copied()));
    let folder = job.checkpoint.as_ref().map(|(folder, _)| folder.display().to_string());
    let (depth, processes) =
        newest.ok_or_else(|| ClusterError::NoCheckpoint { folder: folder.unwrap_or_default() })?;
    Ok((depth, Member { process: 0, processes }))
}

/// Something that ends the work of a process.
enum Event {
    Done(Result<(Board, Found), ClusterError>),
    /// Another process cannot be reached any more.
    Gone(usize),
    /// Another process has reported its own end, or that of a third one.
    Reported(usize, String),
    /// An error of this program, which was printed.
    Panicked,
    /// The connections are closed.
    Closed,
}

const LOST: &str = "lost ";
const FAILED: &str = "failed ";

/// The name of the thread that waits for the end of the others. It panics if one of them has.
const CLOSING: &str = "closing";

/// Waits for the end of another process.
fn listen_to(process: usize, mut stream: TcpStream, events: &Sender<Event>) {
    let event = match frame::receive(&mut stream) {
        Ok(words) => Event::Reported(process, words),
        Err(_) => Event::Gone(process),
    };
    let _ = events.send(event);
}

/// Makes the end of a connection an event: the threads of timely panic then.
fn report_panics(events: &Sender<Event>, is_finished: &Arc<AtomicBool>) {
    let (events, is_finished) = (events.clone(), Arc::clone(is_finished));
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let thread = thread::current();
        let name = thread.name().unwrap_or_default();
        let peer = ["timely:recv-", "timely:send-"]
            .iter()
            .find_map(|prefix| name.strip_prefix(prefix)?.parse().ok());
        let is_cascade = name == CLOSING || info.to_string().contains("MergeQueue");
        match peer {
            Some(process) => _ = events.send(Event::Gone(process)),
            None if is_cascade || is_finished.load(Ordering::Relaxed) => {}
            None => {
                usual(info);
                let _ = events.send(Event::Panicked);
            }
        }
    }));
}

/// Starts the dataflow. Its end is an event.
fn start(
    job: Job,
    plan: SharePlan,
    saved: Option<Saved>,
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
            SpaceShare::resume(plan, depths, processes, path)?
        }
        _ => SpaceShare::new(plan),
    };
    let process = share.member().process;
    let refill = buffers(parcel, size_of::<u64>() * share.block_words());
    let hooks = Hooks { refill, ..Hooks::default() };
    let inner = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
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
        let found = compute(worker, share, &plan, &finished);
        let _ = done.send(Event::Done(found.map(|found| (goal, found))));
    };
    let guards = execute_from(builders, Box::new(guard), WorkerConfig::default(), work);
    let guards = guards.map_err(std::io::Error::other)?;
    // It ends when the dataflow and the connections have. If another process is lost, it never does.
    thread::Builder::new().name(CLOSING.to_owned()).spawn(move || {
        let _ = panic::catch_unwind(AssertUnwindSafe(|| guards.join()));
        let _ = events.send(Event::Closed);
    })?;
    Ok(())
}

/// Waits until the space is enumerated, or something prevents it.
fn wait(
    hosts: &Hosts,
    happened: &Receiver<Event>,
    is_finished: &AtomicBool,
    children: &mut Children,
) -> Result<(Board, Found), ClusterError> {
    // The process that has gone, and when that was noticed.
    let mut gone: Option<(usize, Instant)> = None;
    loop {
        let event = happened.recv_timeout(LOOK);
        match event {
            Ok(Event::Done(result)) => {
                if is_finished.load(Ordering::Relaxed) {
                    // The others need the last messages of this process.
                    let deadline = Instant::now() + TEARDOWN;
                    while Instant::now() < deadline
                        && !matches!(happened.recv_timeout(LOOK), Ok(Event::Closed))
                    {
                    }
                }
                return result;
            }
            Ok(Event::Closed) => {}
            _ if is_finished.load(Ordering::Relaxed) => {}
            Ok(Event::Reported(process, words)) => {
                return Err(match (words.strip_prefix(LOST), words.strip_prefix(FAILED)) {
                    (Some(peer), _) => ClusterError::Lost { peer: peer.to_owned() },
                    (None, Some(reason)) => {
                        let peer = hosts.name(process);
                        ClusterError::Failed { peer, reason: reason.to_owned() }
                    }
                    (None, None) => ClusterError::Lost { peer: hosts.name(process) },
                });
            }
            Ok(Event::Gone(process)) => _ = gone.get_or_insert((process, Instant::now())),
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
            && noticed.elapsed() > GRACE
        {
            return Err(ClusterError::Lost { peer: hosts.name(process) });
        }
    }
}
