//! Progress and Ctrl-C while a search runs.

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use taquin::{BestKnown, Improvement, Monitor, Progress};
use taquin_experiment::CrewEvent;

use crate::output::{count, error_width, say, thousands, visible};

/// The effect of Ctrl-C and SIGTERM.
static INTERRUPTS: Mutex<Interrupts> =
    Mutex::new(Interrupts { running: None, first: None, is_waiting: false });

#[derive(Debug)]
struct Interrupts {
    /// The search that Ctrl-C cancels.
    running: Option<Arc<Monitor>>,
    /// The time of the first signal.
    first: Option<Instant>,
    /// Whether the program waits for input and nothing is running.
    is_waiting: bool,
}

/// Signals that come sooner after the first one count as the same: GNU `timeout` sends two.
const ONE_SIGNAL: Duration = Duration::from_secs(1);

impl Interrupts {
    /// Takes a signal, and returns whether it ends the program at once.
    fn signal(&mut self, now: Instant) -> bool {
        if let Some(running) = &self.running {
            running.cancel();
        }
        let first = *self.first.get_or_insert(now);
        self.is_waiting || now.saturating_duration_since(first) >= ONE_SIGNAL
    }
}

/// Locks the state of Ctrl-C, which is handled from now on.
fn interrupts() -> MutexGuard<'static, Interrupts> {
    static HANDLER: Once = Once::new();
    let lock = || INTERRUPTS.lock().unwrap_or_else(PoisonError::into_inner);
    HANDLER.call_once(|| {
        // If this fails, Ctrl-C ends the program, as it does without a handler.
        let _ = ctrlc::set_handler(move || {
            let mut interrupts = lock();
            if interrupts.signal(Instant::now()) {
                if interrupts.is_waiting {
                    say("");
                }
                std::process::exit(130);
            }
        });
    });
    lock()
}

/// Returns a monitor that Ctrl-C cancels. A second Ctrl-C ends the program immediately. After an
/// interruption, every later search is cancelled too.
pub(crate) fn interruptible() -> Arc<Monitor> {
    let monitor = Arc::new(Monitor::default());
    let mut interrupts = interrupts();
    if interrupts.first.is_some() {
        monitor.cancel();
    }
    interrupts.running = Some(Arc::clone(&monitor));
    monitor
}

/// Reads an answer. Ctrl-C ends the program while it waits; one that ended a search before is
/// forgotten.
pub(crate) fn waiting<T>(read: impl FnOnce() -> T) -> T {
    let wait = |is_waiting| {
        let mut interrupts = interrupts();
        (interrupts.first, interrupts.is_waiting) = (None, is_waiting);
    };
    wait(true);
    let answer = read();
    wait(false);
    answer
}

/// Runs `work` with a monitor and shows its progress.
pub(crate) fn watched<T>(show: bool, work: impl FnOnce(&Arc<Monitor>) -> T) -> T {
    watched_within(show, None, work)
}

/// Resumes a search after `before` generated nodes, with a monitor, and shows its progress.
pub(crate) fn watched_after<T>(
    show: bool,
    before: u64,
    work: impl FnOnce(&Arc<Monitor>) -> T,
) -> T {
    let mut line = ProgressLine { before, ..ProgressLine::default() };
    watched_by(show, move |seen| line.of(seen, Instant::now()), work)
}

/// Runs `work` with a monitor and shows its progress, and how much of `limit` seconds remains.
pub(crate) fn watched_within<T>(
    show: bool,
    limit: Option<f64>,
    work: impl FnOnce(&Arc<Monitor>) -> T,
) -> T {
    let mut line = ProgressLine { limit, ..ProgressLine::default() };
    watched_by(show, move |seen| line.of(seen, Instant::now()), work)
}

/// Runs `work` with a monitor and shows its progress, and ends it when it has a solution and does
/// not improve any more.
pub(crate) fn watched_while_it_improves<T>(work: impl FnOnce(&Arc<Monitor>) -> T) -> T {
    let monitor = interruptible();
    let (seen, mut pause, mut line) =
        (Arc::clone(&monitor), Pause::default(), ProgressLine::default());
    let words = move |status: SearchStatus| {
        if pause.is_long(status) {
            seen.cancel();
        }
        line.of(status, Instant::now())
    };
    shown_by(&monitor, words, || work(&monitor))
}

/// The time since a search last improved.
#[derive(Default)]
struct Pause {
    known: BestKnown,
    since: Duration,
}

impl Pause {
    /// Returns whether a search with a solution has not improved for three seconds, in which it may
    /// build tables, nor for as long as it had taken until then.
    fn is_long(&mut self, status: SearchStatus) -> bool {
        if status.known != self.known {
            (self.known, self.since) = (status.known, status.elapsed);
        }
        let pause = status.elapsed.saturating_sub(self.since);
        self.known.best.is_some() && pause > self.since.max(Duration::from_secs(3))
    }
}

/// The known state of a running search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SearchStatus {
    pub(crate) progress: Progress,
    /// The time since the start.
    pub(crate) elapsed: Duration,
    /// The best answer and the bound of all stages so far.
    known: BestKnown,
    /// The time since this stage began.
    stage: Option<Duration>,
}

/// Runs `work` with a monitor and shows its progress as `words` describes it.
pub(crate) fn watched_by<T>(
    show: bool,
    words: impl FnMut(SearchStatus) -> String + Send + 'static,
    work: impl FnOnce(&Arc<Monitor>) -> T,
) -> T {
    let monitor = interruptible();
    match show {
        true => shown_by(&monitor, words, || work(&monitor)),
        false => work(&monitor),
    }
}

/// Runs `work`, which has no monitor, and shows that it is running.
pub(crate) fn shown<T>(
    words: impl FnMut(SearchStatus) -> String + Send + 'static,
    work: impl FnOnce() -> T,
) -> T {
    shown_by(&Arc::default(), words, work)
}

fn shown_by<T>(
    monitor: &Arc<Monitor>,
    mut words: impl FnMut(SearchStatus) -> String + Send + 'static,
    work: impl FnOnce() -> T,
) -> T {
    let (done, waiting) = mpsc::channel::<()>();
    let seen = Arc::clone(monitor);
    // Without a thread for it, nothing is shown.
    let shower = Builder::new().spawn(move || show_progress(&seen, &waiting, &mut words)).ok();
    let result = work();
    drop(done);
    // The thread ends when the sender is dropped.
    let _ = shower.map(JoinHandle::join);
    result
}

fn show_progress(
    monitor: &Monitor,
    waiting: &mpsc::Receiver<()>,
    words: &mut dyn FnMut(SearchStatus) -> String,
) {
    let started = Instant::now();
    let terminal = stderr().is_terminal();
    // A short search shows nothing.
    if waiting.recv_timeout(FIRST) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = terminal.then(ProgressBar::new_spinner);
    if let (Some(bar), Ok(style)) = (&bar, ProgressStyle::with_template("{spinner} {wide_msg}")) {
        bar.set_style(style);
    }
    let (mut told, mut said) = (0, started);
    loop {
        for better in monitor.improvements(told) {
            told += 1;
            let line = improved(&better);
            bar.as_ref().map_or_else(|| say(&line), |bar| bar.suspend(|| say(&line)));
        }
        let elapsed = started.elapsed();
        let line = words(SearchStatus {
            progress: monitor.progress(),
            elapsed,
            known: monitor.known(),
            stage: monitor.stage_time(),
        });
        match &bar {
            Some(bar) => {
                bar.set_message(line);
                bar.tick();
            }
            None if said.elapsed() >= LINE_INTERVAL => {
                said = Instant::now();
                say(&line);
            }
            None => {}
        }
        if waiting.recv_timeout(DRAW_INTERVAL) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    monitor.improvements(told).iter().for_each(|better| say(&improved(better)));
}

/// The time before progress is shown at all.
const FIRST: Duration = Duration::from_millis(200);

/// The time between two updates.
const DRAW_INTERVAL: Duration = Duration::from_millis(100);

/// The time between two progress lines if standard error is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Describes a better answer in a line.
fn improved(better: &Improvement) -> String {
    let Improvement { seconds, cost, depth, lower_bound } = *better;
    let moves = count(depth, "move", "moves");
    let price = match u64::from(cost) == depth {
        true => String::new(),
        false => format!(", cost {}", thousands(cost.into())),
    };
    format!("{seconds:.2} s: {moves}{price}; at least {}", thousands(lower_bound.into()))
}

/// Predicts when the bound rises next, from how it has risen so far.
#[derive(Default)]
struct Forecast {
    /// Each bound, the nodes generated when it was first seen, and the time.
    seen: Vec<(u32, u64, Instant)>,
}

impl Forecast {
    fn next(&mut self, progress: Progress, now: Instant) -> String {
        let Progress { generated, bound, .. } = progress;
        // Another search has begun.
        if self.seen.last().is_some_and(|last| generated < last.1) {
            self.seen.clear();
        }
        if self.seen.last().is_none_or(|last| last.0 < bound) {
            self.seen.push((bound, generated, now));
        }
        // The first bound may have begun before it was seen.
        let [.., before, last, current] = self.seen[..] else { return String::new() };
        let (earlier, later) = (last.1 - before.1, current.1 - last.1);
        if earlier == 0 || later <= earlier || self.seen.len() < 4 {
            return String::new();
        }
        let growth = later as f64 / earlier as f64;
        let (expected, done) = (later as f64 * growth, (generated - current.1) as f64);
        let rate = done / (now - current.2).as_secs_f64().max(1e-9);
        if done < 1e6 || expected < done {
            return format!("each threshold takes {growth:.1}x the nodes");
        }
        let left = Duration::from_secs_f64(((expected - done) / rate).clamp(0.0, 1e9));
        let left = indicatif::HumanDuration(left);
        format!("next threshold in about {left} ({growth:.1}x the nodes)")
    }
}

/// The progress of a search in one line.
#[derive(Default)]
struct ProgressLine {
    /// The time limit in seconds.
    limit: Option<f64>,
    /// The generated nodes of the search that is resumed.
    before: u64,
    forecast: Forecast,
}

impl ProgressLine {
    fn of(
        &mut self,
        SearchStatus { progress, elapsed, known, stage }: SearchStatus,
        now: Instant,
    ) -> String {
        let Progress { generated, .. } = progress;
        let BestKnown { best, bound } = known;
        let new = generated.saturating_sub(self.before);
        let rate = new as f64 / stage.unwrap_or(elapsed).as_secs_f64().max(0.1) / 1e6;
        let least = thousands(bound.into());
        let answer = match best {
            Some(best) => {
                let gap = f64::from(best.cost.saturating_sub(bound)) * 100.0;
                let gap = gap / f64::from(bound.max(1));
                let cost = thousands(best.cost.into());
                match u64::from(best.cost) == best.depth {
                    true => format!("{cost} moves, at least {least} ({gap:.0} %)"),
                    false => format!("cost {cost}, at least {least} ({gap:.0} %)"),
                }
            }
            None if bound > 0 => format!("at least {least}"),
            None => String::new(),
        };
        let nodes = match generated {
            0 => String::new(),
            _ => format!("{} nodes ({rate:.1} M/s)", thousands(generated)),
        };
        let left = self.limit.map(|limit| (limit - elapsed.as_secs_f64()).max(0.0));
        let left = left.map_or_else(String::new, |left| format!("{left:.0} s left"));
        let forecast = self.forecast.next(progress, now);
        // The spinner takes two columns. Parts that do not fit are left out, the last ones first.
        let room = error_width().unwrap_or(80).saturating_sub(3);
        let mut line = format!("{:.0} s", elapsed.as_secs_f64());
        let parts = [answer, nodes, left, forecast];
        for (at, part) in parts.iter().filter(|part| !part.is_empty()).enumerate() {
            let joint = if at == 0 { ": " } else { "; " };
            if visible(&line) + visible(part) + joint.len() <= room {
                line = line + joint + part;
            }
        }
        line
    }
}

/// The runs of an experiment under one monitor, with a bar on a terminal and otherwise a line now
/// and then.
pub(crate) struct Runs {
    bar: ProgressBar,
    last_line: Mutex<Instant>,
    started: Instant,
}

impl Runs {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::new(0);
        // A long message is cut at the edge of the terminal.
        let style = "{spinner} {bar:20} {pos}/{len}, {eta} left; {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        let now = Instant::now();
        Self { bar, last_line: Mutex::new(now), started: now }
    }

    pub(crate) fn show(&self, event: &CrewEvent<'_>) {
        match event {
            CrewEvent::Due(due) => {
                self.bar.set_length(*due);
                self.bar.enable_steady_tick(DRAW_INTERVAL);
            }
            CrewEvent::Started(run) => {
                self.bar.set_message(format!("{}, {}", run.label, run.name));
            }
            CrewEvent::Finished(_) => {
                self.bar.inc(1);
                let mut last = self.last_line.lock().unwrap_or_else(PoisonError::into_inner);
                if self.bar.is_hidden() && last.elapsed() > LINE_INTERVAL {
                    *last = Instant::now();
                    let (done, due) = (self.bar.position(), self.bar.length().unwrap_or(0));
                    say(&format!("{} of {} runs", thousands(done), thousands(due)));
                }
            }
            CrewEvent::Cancelled(..) => {}
        }
    }

    /// Removes the bar, and returns the time since the start.
    pub(crate) fn end(self) -> Duration {
        self.bar.finish_and_clear();
        self.started.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_ends_when_nothing_has_improved_for_long() {
        let status = |seconds, bound, depth: Option<u64>| SearchStatus {
            elapsed: Duration::from_secs(seconds),
            known: BestKnown {
                best: depth.map(|depth| Improvement {
                    seconds: 0.0,
                    cost: 90,
                    depth,
                    lower_bound: bound,
                }),
                bound,
            },
            ..SearchStatus::default()
        };
        let mut pause = Pause::default();
        assert!(!pause.is_long(status(60, 0, None)), "there is no move to show");
        let mut pause = Pause::default();
        assert!(!pause.is_long(status(1, 0, Some(90))));
        assert!(!pause.is_long(status(4, 0, Some(90))));
        assert!(pause.is_long(status(5, 0, Some(90))));
        // A better bound counts, and a later one lasts as long again.
        assert!(!pause.is_long(status(10, 2, Some(90))));
        assert!(!pause.is_long(status(20, 2, Some(90))));
        assert!(pause.is_long(status(21, 2, Some(90))));
    }

    #[test]
    fn two_signals_within_a_second_are_one() {
        let running = Arc::new(Monitor::default());
        let mut interrupts =
            Interrupts { running: Some(Arc::clone(&running)), first: None, is_waiting: false };
        let start = Instant::now();
        let mut signal = |after| interrupts.signal(start + Duration::from_millis(after));
        assert!(!signal(0), "the first one cancels the search");
        assert!(running.is_cancelled());
        assert!(!signal(2), "as GNU timeout sends them");
        assert!(!signal(999));
        assert!(signal(1_000), "someone is impatient");
        let mut asking = Interrupts { running: None, first: None, is_waiting: true };
        assert!(asking.signal(start), "nothing is running");
    }

    #[test]
    fn a_search_ends_when_it_does_not_improve_any_more() {
        let best =
            |cost: u32| Improvement { seconds: 0.1, cost, depth: cost.into(), lower_bound: 40 };
        let is_long = |pause: &mut Pause, milliseconds, bound, cost: Option<u32>| {
            let elapsed = Duration::from_millis(milliseconds);
            let known = BestKnown { best: cost.map(best), bound };
            pause.is_long(SearchStatus { elapsed, known, ..SearchStatus::default() })
        };
        let mut slow = Pause::default();
        assert!(!is_long(&mut slow, 5_000, 0, None), "there is no solution to take a move from");
        assert!(!is_long(&mut slow, 5_100, 40, Some(90)));
        assert!(!is_long(&mut slow, 10_100, 40, Some(90)), "it took longer to get there");
        assert!(is_long(&mut slow, 10_300, 40, Some(90)));
        assert!(!is_long(&mut slow, 10_400, 42, Some(90)), "the bound is better");
        assert!(!is_long(&mut slow, 10_500, 42, Some(88)), "the solution is shorter");
        let mut fast = Pause::default();
        assert!(!is_long(&mut fast, 200, 40, Some(90)) && !is_long(&mut fast, 3_200, 40, Some(90)));
        assert!(is_long(&mut fast, 3_300, 40, Some(90)));
    }

    #[test]
    fn another_search_resets_the_forecast() {
        let mut forecast = Forecast::default();
        let start = Instant::now();
        let mut next = |bound, generated| {
            let now = start + Duration::from_millis(generated);
            forecast.next(Progress { generated, bound, ..Progress::default() }, now)
        };
        for (bound, generated) in [(10, 0), (12, 100), (14, 400), (16, 1_500)] {
            next(bound, generated);
        }
        assert!(next(16, 2_000).contains("3.7x the nodes"));
        assert_eq!(next(12, 50), "");
        assert_eq!(next(14, 60), "");
    }

    #[test]
    fn the_rate_of_a_resumed_search_is_that_of_this_run() {
        let mut line = ProgressLine { before: 400_000_000, ..ProgressLine::default() };
        let (elapsed, now) = (Duration::from_secs(2), Instant::now());
        let progress = Progress { generated: 460_000_000, ..Progress::default() };
        let seen = SearchStatus { progress, elapsed, ..SearchStatus::default() };
        assert_eq!(line.of(seen, now), "2 s: 460,000,000 nodes (30.0 M/s)");
    }

    #[test]
    fn one_line_with_the_best_answer_the_bound_and_the_rate_of_the_stage() {
        let mut line = ProgressLine { limit: Some(10.0), ..ProgressLine::default() };
        let start = Instant::now();
        let best = Improvement { seconds: 0.9, cost: 166, depth: 166, lower_bound: 134 };
        let mut at = |seconds, stage, generated, known| {
            let [elapsed, stage] = [seconds, stage].map(Duration::from_secs);
            let progress = Progress { generated, ..Progress::default() };
            line.of(SearchStatus { progress, elapsed, known, stage: Some(stage) }, start + elapsed)
        };
        assert_eq!(at(1, 1, 0, BestKnown::default()), "1 s: 9 s left");
        assert_eq!(
            at(2, 2, 8_000_000, BestKnown { best: None, bound: 120 }),
            "2 s: at least 120; 8,000,000 nodes (4.0 M/s); 8 s left"
        );
        // Another stage has its own rate.
        let best = BestKnown { best: Some(best), bound: 134 };
        assert_eq!(
            at(5, 2, 3_000_000, best),
            "5 s: 166 moves, at least 134 (24 %); 3,000,000 nodes (1.5 M/s); 5 s left"
        );
        let long =
            Improvement { seconds: 1.0, cost: 17_000_000, depth: 17_000_000, lower_bound: 9 };
        let line = at(6, 1, 3_000_000_000_000, BestKnown { best: Some(long), bound: 1_234_567 });
        assert!(visible(&line) <= 78, "{line}");
    }
}
