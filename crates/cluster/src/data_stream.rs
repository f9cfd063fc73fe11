//! A connection for data whose early end is an event.
//!
//! The threads of timely panic if a connection ends before they expect it. Such a process has
//! nothing to save, and the panics would spread to the worker and be printed. So a thread that
//! reads from such a connection or writes to it waits until the process ends.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use timely::communication::allocator::zero_copy::stream::Stream;

/// A connection for data.
pub(crate) struct DataStream {
    stream: TcpStream,
    /// Whether everything has arrived that this process needs.
    is_finished: Arc<AtomicBool>,
    report: Arc<dyn Fn() + Send + Sync>,
}

/// The time between two looks at whether everything has arrived.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

impl DataStream {
    /// Creates a connection. `report` is called when it fails.
    pub(crate) fn new(
        stream: TcpStream,
        is_finished: &Arc<AtomicBool>,
        report: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Self { stream, is_finished: Arc::clone(is_finished), report: Arc::new(report) }
    }

    fn fail(&self) -> ! {
        (self.report)();
        loop {
            thread::park();
        }
    }
}

impl Read for DataStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer).unwrap_or_else(|_| self.fail());
        // The other process has nothing more to send, or was lost: then this one never finishes,
        // and the connection for control has reported it.
        while read == 0 && !self.is_finished.load(Ordering::Relaxed) {
            thread::sleep(POLL_INTERVAL);
        }
        Ok(read)
    }
}

impl Write for DataStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes).or_else(|_| self.fail())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for DataStream {
    fn try_clone(&self) -> io::Result<Self> {
        let (is_finished, report) = (Arc::clone(&self.is_finished), Arc::clone(&self.report));
        Ok(Self { stream: self.stream.try_clone()?, is_finished, report })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // If the other process has ended, there is nothing to shut down.
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}
