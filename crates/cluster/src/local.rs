//! Several processes on this machine, started by the first of them.
//!
//! The first process listens for all others, on ports that the system chooses. Each process gets
//! its listener as standard input, so no other program can take the port in between.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::error::ClusterError;
use crate::hosts::Hosts;
use crate::run::Group;

/// The processes that this one has started. Dropping the list ends them.
#[derive(Default, Debug)]
pub(crate) struct Children(Vec<(usize, Child)>);

/// How long processes may take to exit after the work is done.
const EXIT_TIMEOUT: Duration = Duration::from_secs(10);

impl Children {
    /// Fails if a process has ended with an error.
    pub(crate) fn check(&mut self, hosts: &Hosts) -> Result<(), ClusterError> {
        for (process, child) in &mut self.0 {
            if child.try_wait()?.is_some_and(|status| !ExitStatus::success(&status)) {
                return Err(ClusterError::Lost { peer: hosts.name(*process) });
            }
        }
        Ok(())
    }

    /// Waits until all have ended, or until `EXIT_TIMEOUT` is over.
    pub(crate) fn wait(&mut self) {
        let deadline = Instant::now() + EXIT_TIMEOUT;
        for (_, child) in &mut self.0 {
            while Instant::now() < deadline && matches!(child.try_wait(), Ok(None)) {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        for (_, child) in &mut self.0 {
            if matches!(child.try_wait(), Ok(None)) {
                let _ = child.kill();
            }
            let _ = child.wait();
        }
    }
}

impl Group {
    /// Starts all processes but the first, which is this one. `command` returns a process's
    /// command, which has to [join](Self::join) the processes at the given addresses.
    ///
    /// # Errors
    /// Fails if a process cannot be started.
    pub fn start(
        processes: usize,
        command: impl Fn(usize, &str) -> Command,
    ) -> Result<Self, ClusterError> {
        let listeners: io::Result<Vec<TcpListener>> =
            (0..processes).map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).collect();
        let listeners = listeners.map_err(ClusterError::Start)?;
        let addresses = listeners.iter().map(|listener| Ok(listener.local_addr()?.to_string()));
        let addresses: Vec<String> =
            addresses.collect::<io::Result<_>>().map_err(ClusterError::Start)?;
        let joined = addresses.join(",");
        let hosts = Hosts { addresses, process: 0 };
        let mut group = Self { hosts, listener: None, children: Children::default() };
        for (process, listener) in listeners.into_iter().enumerate() {
            if process == 0 {
                group.listener = Some(listener);
                continue;
            }
            let mut command = command(process, &joined);
            command.stdin(as_input(listener)).stdout(Stdio::null());
            let child = command.spawn().map_err(ClusterError::Start)?;
            group.children.0.push((process, child));
        }
        Ok(group)
    }

    /// Returns the group of a process that was [started](Self::start).
    ///
    /// # Errors
    /// Fails if the standard input is no listener.
    pub fn join(addresses: &str, process: usize) -> Result<Self, ClusterError> {
        let addresses: Vec<String> = addresses.split(',').map(str::to_owned).collect();
        let hosts = Hosts::new(addresses, process).map_err(io::Error::other)?;
        let listener = from_input(&hosts)?;
        Ok(Self { hosts, listener, children: Children::default() })
    }
}

#[cfg(unix)]
fn as_input(listener: TcpListener) -> Stdio {
    Stdio::from(std::os::fd::OwnedFd::from(listener))
}

#[cfg(unix)]
fn from_input(_: &Hosts) -> Result<Option<TcpListener>, ClusterError> {
    use std::os::fd::AsFd;
    let listener = TcpListener::from(io::stdin().as_fd().try_clone_to_owned()?);
    listener.local_addr()?;
    Ok(Some(listener))
}

/// Other systems cannot pass a listener on, so the port is free for a moment.
#[cfg(not(unix))]
fn as_input(_: TcpListener) -> Stdio {
    Stdio::null()
}

#[cfg(not(unix))]
fn from_input(_: &Hosts) -> Result<Option<TcpListener>, ClusterError> {
    Ok(None)
}
