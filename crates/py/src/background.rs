//! Long work while Python continues: other Python threads run, and Ctrl-C is answered.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use rayon::{ThreadPool, ThreadPoolBuilder};
use taquin::{Monitor, panic_message};

use crate::errors::internal;

/// How often the interpreter is asked whether there was a signal.
pub(crate) const SIGNALS: Duration = Duration::from_millis(20);

/// How long cancelled work may take to report its state so far. Work that takes longer continues by
/// itself until it notices.
const LAST_WORDS: Duration = Duration::from_millis(70);

/// How long other threads of Python may wait, about as long as for Python code.
const TURN: Duration = Duration::from_millis(5);

/// How often `tick` is called.
pub(crate) const TICK: Duration = Duration::from_millis(200);

/// The threads that do the work. A process that was forked has none of its parent's threads and
/// makes its own.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

fn pool() -> PyResult<Arc<ThreadPool>> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match &*pool {
        Some((owner, threads)) if *owner == process => Ok(Arc::clone(threads)),
        _ => {
            let threads = ThreadPoolBuilder::new().build().map_err(|error| internal(&error))?;
            let threads = Arc::new(threads);
            if let Some((_, lost)) = pool.replace((process, Arc::clone(&threads))) {
                // To drop it would wait for threads that do not exist here.
                std::mem::forget(lost);
            }
            Ok(threads)
        }
    }
}

/// How long the interpreter may wait for calls of its daemon threads before it ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// The calls that threads of Python are in.
struct Calls {
    /// The process and the monitor of each.
    running: Vec<(u32, Arc<Monitor>)>,
    /// Whether the interpreter ends.
    is_ending: bool,
}

fn calls() -> MutexGuard<'static, Calls> {
    static CALLS: Mutex<Calls> = Mutex::new(Calls { running: Vec::new(), is_ending: false });
    CALLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call that continues until it is dropped.
///
/// An ending interpreter stops threads when they come back to it. They must not be in Rust code
/// then, which would abort the process, so their calls are cancelled.
pub(crate) struct RunningCall(Arc<Monitor>);

impl RunningCall {
    pub(crate) fn new(monitor: &Arc<Monitor>) -> Self {
        let mut calls = calls();
        if calls.is_ending {
            monitor.cancel();
        }
        calls.running.push((std::process::id(), Arc::clone(monitor)));
        Self(Arc::clone(monitor))
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        calls().running.retain(|(_, monitor)| !Arc::ptr_eq(monitor, &self.0));
    }
}

/// Ends the calls of all threads. It is registered to be called before the interpreter ends.
#[pyfunction]
pub(crate) fn end_calls(py: Python<'_>) {
    calls().is_ending = true;
    let until = Instant::now() + FAREWELL;
    let process = std::process::id();
    let goes_on = || {
        let calls = calls();
        // A process that was forked has none of its parent's threads.
        let here = calls.running.iter().filter(|(owner, _)| *owner == process);
        here.map(|(_, monitor)| monitor.cancel()).count() > 0
    };
    while goes_on() && Instant::now() < until {
        py.detach(|| std::thread::sleep(SIGNALS / 10));
    }
}

/// Runs `work` without holding the interpreter, and shows its result.
///
/// On the main thread of Python, signals are answered: one that raises an exception cancels the
/// monitor, waits a little for the state so far, and attaches it to the exception as `attribute`.
/// `tick` is called a few times per second with the elapsed time, and may raise an exception too.
pub(crate) fn run<T, V>(
    py: Python<'_>,
    monitor: &Arc<Monitor>,
    tick: Option<&dyn Fn(f64) -> PyResult<()>>,
    attribute: &str,
    show: impl FnOnce(T) -> PyResult<V>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<V>
where
    T: Send + 'static,
    V: for<'py> IntoPyObject<'py>,
{
    let _running = RunningCall::new(monitor);
    // A panic must not end the process.
    let work = move || catch_unwind(AssertUnwindSafe(work)).map_err(|panic| panic_message(&*panic));
    if tick.is_none() && !is_main_thread(py)? {
        let result = py.detach(move || pool().map(|pool| pool.install(work)))?;
        return show(result.map_err(|message| internal(&message))?);
    }
    let (sender, receiver) = sync_channel(1);
    pool()?.spawn(move || {
        // The receiver waits until there is a result.
        let _ = sender.send(work());
    });
    // It is lent to the thread that waits without the interpreter.
    let receiver = Mutex::new(receiver);
    let wait = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNALS);
    let started = Instant::now();
    let mut ticked = started;
    let mut raised: Option<(PyErr, Instant)> = None;
    let result = loop {
        match py.detach(wait) {
            Ok(result) => break result.map_err(|message| internal(&message))?,
            Err(RecvTimeoutError::Disconnected) => return Err(internal(&"no result")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some((error, _)) = raised.take_if(|(_, since)| since.elapsed() >= LAST_WORDS) {
            return Err(error);
        }
        let mut called = py.check_signals();
        if let Some(tick) = tick
            && raised.is_none()
            && called.is_ok()
            && ticked.elapsed() >= TICK
        {
            ticked = Instant::now();
            called = tick(started.elapsed().as_secs_f64());
        }
        if let Err(error) = called {
            monitor.cancel();
            raised.get_or_insert((error, Instant::now()));
        }
    };
    let shown = show(result);
    let Some((error, _)) = raised else { return shown };
    if let Ok(known) = shown {
        // An exception may refuse attributes.
        let _ = error.value(py).setattr(attribute, known);
    }
    Err(error)
}

/// The messages of work on a thread of its own. The work is cancelled when they are dropped.
pub(crate) struct Feed<T> {
    receiver: Mutex<Receiver<T>>,
    monitor: Arc<Monitor>,
}

impl<T: Send + 'static> Feed<T> {
    /// Starts work that has at most `waiting` messages unread.
    pub(crate) fn new(
        monitor: &Arc<Monitor>,
        waiting: usize,
        work: impl FnOnce(SyncSender<T>) + Send + 'static,
    ) -> PyResult<Self> {
        let (sender, receiver) = sync_channel(waiting);
        let work = move || work(sender);
        std::thread::Builder::new().spawn(work).map_err(|error| internal(&error))?;
        Ok(Self { receiver: Mutex::new(receiver), monitor: Arc::clone(monitor) })
    }

    /// Waits for the next message; there is none after the last.
    pub(crate) fn next(&self, py: Python<'_>) -> PyResult<Option<T>> {
        let wait =
            || self.receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNALS);
        loop {
            let waited = {
                let _running = RunningCall::new(&self.monitor);
                py.detach(wait)
            };
            match waited {
                Ok(message) => return Ok(Some(message)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            }
        }
    }
}

impl<T> Drop for Feed<T> {
    fn drop(&mut self) {
        self.monitor.cancel();
    }
}

/// Lets other threads of Python run and answers signals, if that was not done for a while: functions
/// that are not written in Python do neither.
#[inline]
pub(crate) fn give_way(py: Python<'_>) -> PyResult<()> {
    match CALLS_LEFT.get() {
        0 => look_at_clock(py),
        left => {
            CALLS_LEFT.set(left - 1);
            Ok(())
        }
    }
}

/// How many calls may follow without a look at the clock, if they are short.
const MAX_CALLS: u32 = 32;

thread_local! {
    static CALLS_LEFT: Cell<u32> = const { Cell::new(0) };
}

#[cold]
fn look_at_clock(py: Python<'_>) -> PyResult<()> {
    thread_local! {
        /// The last look, and the last turn of other threads.
        static LAST: Cell<[Instant; 2]> = Cell::new([Instant::now(); 2]);
    }
    let (now, [looked, turned]) = (Instant::now(), LAST.get());
    let is_turn = now - turned >= TURN;
    LAST.set([now, if is_turn { now } else { turned }]);
    CALLS_LEFT.set(if now - looked < TURN / 4 { MAX_CALLS } else { 0 });
    if is_turn {
        py.detach(|| ());
        py.check_signals()?;
    }
    Ok(())
}

/// Whether Python handles signals on this thread.
fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    static IDENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static MAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let import = |name: &str| py.import("threading")?.getattr(name).map(Bound::unbind);
    let ident = IDENT.get_or_try_init(py, || import("get_ident"))?;
    let main = MAIN.get_or_try_init(py, || import("main_thread"))?;
    let here: u64 = ident.call0(py)?.extract(py)?;
    // After a fork, another thread may be the main one.
    let there: u64 = main.call0(py)?.getattr(py, "ident")?.extract(py)?;
    Ok(here == there)
}
