//! Connections between all processes: two for each pair, which both begin with a handshake.
//!
//! A process connects to those before it, and those after it connect to it. One connection carries
//! the data. The other one is idle after the start, so that the system notices within seconds when
//! the other machine cannot be reached any more, even if the process there is stopped: it sends
//! probes, and the system on the other side answers them.

use std::io;
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use socket2::{SockRef, TcpKeepalive};

use crate::error::ClusterError;
use crate::handshake::{Call, Channel, Disagreement, Terms, answer, introduce};
use crate::hosts::Hosts;

/// The connections to each other process.
pub(crate) struct Connections {
    pub(crate) control: Vec<Option<TcpStream>>,
    pub(crate) data: Vec<Option<TcpStream>>,
}

/// The time limit for one attempt or one answer.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);

/// The time between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// A connection, or why there is none.
type Event = Result<(usize, Channel, TcpStream), Disagreement>;

/// Listens on the address of this process.
pub(crate) fn listen(hosts: &Hosts) -> Result<TcpListener, ClusterError> {
    let address = hosts.addresses[hosts.process].clone();
    TcpListener::bind(&address).map_err(|error| ClusterError::Listen { address, error })
}

/// Connects all processes. `check` is called now and then, and ends it if it fails.
pub(crate) fn connect(
    hosts: &Hosts,
    listener: TcpListener,
    terms: &Arc<Terms>,
    timeout: Duration,
    mut check: impl FnMut() -> Result<(), ClusterError>,
) -> Result<Connections, ClusterError> {
    let (events, arrivals) = mpsc::channel();
    let deadline = Instant::now() + timeout;
    let is_over = Arc::new(AtomicBool::new(false));
    accept(listener, hosts.process, terms, &events, &is_over)?;
    for to in 0..hosts.process {
        for channel in [Channel::Control, Channel::Data] {
            let (address, terms) = (hosts.addresses[to].clone(), Arc::clone(terms));
            let (events, is_over) = (events.clone(), Arc::clone(&is_over));
            let call = Call { from: hosts.process, to, channel };
            thread::spawn(move || call_up(&address, &terms, call, &events, &is_over));
        }
    }
    let empty = || (0..hosts.processes()).map(|_| None).collect::<Vec<Option<TcpStream>>>();
    let mut found = Connections { control: empty(), data: empty() };
    let result = loop {
        let is_missing = |(process, stream): &(usize, &Option<TcpStream>)| {
            *process != hosts.process && stream.is_none()
        };
        let both = found.control.iter().enumerate().chain(found.data.iter().enumerate());
        let mut missing: Vec<usize> = both.filter(is_missing).map(|(process, _)| process).collect();
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() {
            break Ok(());
        }
        if let Err(error) = check() {
            break Err(error);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        match arrivals.recv_timeout(left.min(RETRY_INTERVAL)) {
            Ok(Ok((process, channel, stream))) => {
                let streams = match channel {
                    Channel::Control => &mut found.control,
                    Channel::Data => &mut found.data,
                };
                if streams[process].replace(stream).is_some() {
                    let peer = hosts.name(process);
                    let reason = "another process already uses this number".to_owned();
                    break Err(ClusterError::Refused { peer, reason });
                }
            }
            Ok(Err(Disagreement::Refused { process, reason })) => {
                let peer = match process < hosts.processes() {
                    true => hosts.name(process),
                    false => format!("process {process}"),
                };
                break Err(ClusterError::Refused { peer, reason });
            }
            Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                let peers = missing.into_iter().map(|process| hosts.name(process)).collect();
                break Err(ClusterError::Unreachable { peers, seconds: timeout.as_secs() });
            }
            // The peer is a stranger, or there is still time.
            Ok(Err(Disagreement::NoAnswer)) | Err(_) => {}
        }
    };
    is_over.store(true, Ordering::Relaxed);
    result.map(|()| found)
}

/// Accepts connections in a separate thread, until it is over.
fn accept(
    listener: TcpListener,
    process: usize,
    terms: &Arc<Terms>,
    events: &Sender<Event>,
    is_over: &Arc<AtomicBool>,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let (terms, events, is_over) = (Arc::clone(terms), events.clone(), Arc::clone(is_over));
    thread::spawn(move || {
        while !is_over.load(Ordering::Relaxed) {
            let Ok((mut stream, _)) = listener.accept() else {
                thread::sleep(RETRY_INTERVAL);
                continue;
            };
            let (terms, events) = (Arc::clone(&terms), events.clone());
            thread::spawn(move || {
                let answered = stream.set_nonblocking(false).and_then(|()| prepare(&stream));
                let answered = answered.map_err(Disagreement::from);
                let call = answered.and_then(|()| answer(&mut stream, &terms, process));
                let event = call.map(|Call { from, channel, .. }| (from, channel, stream));
                let _ = events.send(event);
            });
        }
    });
    Ok(())
}

/// Connects to another process, as soon as it listens.
fn call_up(address: &str, terms: &Terms, call: Call, events: &Sender<Event>, is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        let attempt = || -> Result<TcpStream, Disagreement> {
            let mut last = io::Error::from(io::ErrorKind::NotFound);
            for address in address.to_socket_addrs()? {
                match TcpStream::connect_timeout(&address, ATTEMPT_TIMEOUT) {
                    Ok(mut stream) => {
                        prepare(&stream)?;
                        introduce(&mut stream, terms, call)?;
                        return Ok(stream);
                    }
                    Err(error) => last = error,
                }
            }
            Err(last.into())
        };
        match attempt() {
            // It is tried again.
            Err(Disagreement::NoAnswer) => thread::sleep(RETRY_INTERVAL),
            event => {
                let _ = events.send(event.map(|stream| (call.to, call.channel, stream)));
                return;
            }
        }
    }
}

/// Sets the options for the handshake.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(ATTEMPT_TIMEOUT))?;
    stream.set_write_timeout(Some(ATTEMPT_TIMEOUT))
}

/// Sets the options after the start: no time limits, and probes on an idle connection.
pub(crate) fn settle(stream: &TcpStream, channel: Channel) -> io::Result<()> {
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    if channel == Channel::Control {
        let probes = TcpKeepalive::new().with_time(Duration::from_secs(3));
        let probes = probes.with_interval(Duration::from_secs(1));
        #[cfg(not(windows))]
        let probes = probes.with_retries(4);
        SockRef::from(stream).set_tcp_keepalive(&probes)?;
    }
    Ok(())
}
