//! While a search runs: a line that shows how far it is, and an ear for Ctrl-C.

use std::cell::Cell;
use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use taquin::{Improvement, Monitor, Progress};

use crate::output::{count, say, thousands};

/// The search that Ctrl-C ends.
static RUNNING: OnceLock<Mutex<Arc<Monitor>>> = OnceLock::new();

/// A monitor that Ctrl-C cancels; pressed again, it ends the program at once.
pub(crate) fn interruptible() -> Arc<Monitor> {
    let monitor = Arc::new(Monitor::default());
    let running = RUNNING.get_or_init(|| {
        let handler = || {
            let Some(running) = RUNNING.get() else { std::process::exit(130) };
            let monitor = running.lock().unwrap_or_else(PoisonError::into_inner);
            if monitor.is_cancelled() {
                std::process::exit(130);
            }
            monitor.cancel();
        };
        // Without a handler Ctrl-C ends the program, as it would have.
        let _ = ctrlc::set_handler(handler);
        Mutex::default()
    });
    *running.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&monitor);
    monitor
}

/// Runs `work` under a monitor, and meanwhile shows how far it is.
pub(crate) fn watched<T>(show: bool, work: impl FnOnce(&Arc<Monitor>) -> T) -> T {
    let monitor = interruptible();
    if !show {
        return work(&monitor);
    }
    let (done, waiting) = mpsc::channel::<()>();
    let seen = Arc::clone(&monitor);
    let shower = std::thread::spawn(move || show_progress(&seen, &waiting));
    let result = work(&monitor);
    drop(done);
    // It ends as soon as the other end of the channel is gone.
    let _ = shower.join();
    result
}

fn show_progress(monitor: &Monitor, waiting: &mpsc::Receiver<()>) {
    let started = Instant::now();
    let terminal = stderr().is_terminal();
    // A search that takes no time shows nothing.
    if waiting.recv_timeout(FIRST) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = terminal.then(ProgressBar::new_spinner);
    if let (Some(bar), Ok(style)) = (&bar, ProgressStyle::with_template("{spinner} {msg}")) {
        bar.set_style(style);
    }
    let (mut told, mut said) = (0, started);
    loop {
        for better in monitor.improvements(told) {
            told += 1;
            let line = improved(&better);
            bar.as_ref().map_or_else(|| say(&line), |bar| bar.suspend(|| say(&line)));
        }
        let line = describe(monitor.progress(), started.elapsed());
        match &bar {
            Some(bar) => {
                bar.set_message(line);
                bar.tick();
            }
            None if said.elapsed() >= RARELY => {
                said = Instant::now();
                say(&line);
            }
            None => {}
        }
        if waiting.recv_timeout(OFTEN) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    monitor.improvements(told).iter().for_each(|better| say(&improved(better)));
}

/// When something is shown for the first time, how often there is a look at what is new, and how often
/// a line says how far it is where nothing can be overwritten.
const FIRST: Duration = Duration::from_millis(200);
const OFTEN: Duration = Duration::from_millis(100);
const RARELY: Duration = Duration::from_secs(5);

/// A better answer, in a line.
fn improved(better: &Improvement) -> String {
    let Improvement { seconds, cost, depth, lower_bound } = *better;
    let moves = count(depth, "move", "moves");
    let price = match u64::from(cost) == depth {
        true => String::new(),
        false => format!(", at a cost of {}", thousands(cost.into())),
    };
    format!("{seconds:.2} s: {moves}{price}; at least {}", thousands(lower_bound.into()))
}

fn describe(progress: Progress, elapsed: Duration) -> String {
    let Progress { expanded, generated, frontier, bound } = progress;
    let rate = generated as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
    format!(
        "{:.0} s: expanded {}, generated {} ({rate:.1} M/s), frontier {}, at least {bound}",
        elapsed.as_secs_f64(),
        thousands(expanded),
        thousands(generated),
        thousands(frontier),
    )
}

/// Several searches one after the other, under one monitor, with a bar on a terminal.
pub(crate) struct Steps {
    monitor: Arc<Monitor>,
    bar: ProgressBar,
    total: usize,
    begun: Cell<usize>,
    said: Cell<Instant>,
}

impl Steps {
    pub(crate) fn new(total: usize) -> Self {
        // Nothing is drawn where nobody sees it.
        let bar = ProgressBar::new(total as u64);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {bar:30} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        let said = Cell::new(Instant::now());
        Self { monitor: interruptible(), bar, total, begun: Cell::new(0), said }
    }

    pub(crate) const fn monitor(&self) -> &Arc<Monitor> {
        &self.monitor
    }

    /// The next search begins.
    pub(crate) fn begin(&self, name: &str) {
        let begun = self.begun.replace(self.begun.get() + 1);
        self.bar.set_position(begun as u64);
        self.bar.set_message(name.to_owned());
        self.bar.enable_steady_tick(Duration::from_millis(100));
        if self.bar.is_hidden() && self.said.get().elapsed() > Duration::from_secs(5) {
            self.said.set(Instant::now());
            say(&format!("{} of {}: {name}", begun + 1, self.total));
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
