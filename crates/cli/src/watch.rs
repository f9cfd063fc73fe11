//! While a search runs: a line that shows how far it is, and an ear for Ctrl-C.

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use taquin::{Monitor, Progress};

use crate::output::{say, thousands};

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
    let (first, every) = match terminal {
        true => (Duration::from_millis(200), Duration::from_millis(100)),
        false => (Duration::from_secs(5), Duration::from_secs(5)),
    };
    if waiting.recv_timeout(first) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = terminal.then(ProgressBar::new_spinner);
    if let (Some(bar), Ok(style)) = (&bar, ProgressStyle::with_template("{spinner} {msg}")) {
        bar.set_style(style);
    }
    loop {
        let line = describe(monitor.progress(), started.elapsed());
        match &bar {
            Some(bar) => {
                bar.set_message(line);
                bar.tick();
            }
            None => say(&line),
        }
        if waiting.recv_timeout(every) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
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
