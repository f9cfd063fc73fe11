//! Work on the threads of a search.

use std::panic::resume_unwind;
use std::thread;

use taquin_search::Monitor;

use crate::limits::SharedLimits;

/// Runs `work` on a thread for each scratch, and returns the results.
pub(crate) fn on_threads<S: Send, T: Send>(
    limits: &SharedLimits<'_>,
    scratches: &mut [S],
    work: impl Fn(&mut S) -> T + Sync,
) -> Vec<T> {
    if let [scratch] = scratches {
        return vec![work(scratch)];
    }
    // All of them have something to do, each until its work is done.
    let _none = idle(limits, 1 - scratches.len() as isize);
    let done: Vec<(T, IdleThreads<'_>)> = thread::scope(|scope| {
        let work = |scratch| {
            let _end = PanicGuard(limits);
            (work(scratch), idle(limits, 1))
        };
        let threads: Vec<_> =
            scratches.iter_mut().map(|scratch| scope.spawn(move || work(scratch))).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    });
    done.into_iter().map(|(result, _)| result).collect()
}

/// Ends the search of the other threads if this one panics: they may wait for it.
struct PanicGuard<'a>(&'a SharedLimits<'a>);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.cancel();
        }
    }
}

/// Reports that threads of a search have nothing to do, until the result is dropped.
#[must_use]
pub(crate) fn idle<'a>(limits: &SharedLimits<'a>, threads: isize) -> IdleThreads<'a> {
    let monitor = limits.limits.monitor.as_deref();
    if let Some(monitor) = monitor {
        monitor.idle(threads);
    }
    IdleThreads { monitor, threads }
}

/// Threads that have nothing to do.
pub(crate) struct IdleThreads<'a> {
    monitor: Option<&'a Monitor>,
    threads: isize,
}

impl Drop for IdleThreads<'_> {
    fn drop(&mut self) {
        if let Some(monitor) = self.monitor {
            monitor.idle(-self.threads);
        }
    }
}
