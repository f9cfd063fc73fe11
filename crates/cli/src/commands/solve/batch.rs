//! `taquin solve --batch`: many boards in parallel, one per line or with empty lines between them.
//!
//! Workers take boards in turn and put their answers into an ordered window, from which the main thread
//! writes. A worker that is too far ahead of the output waits, so that memory is bounded for inputs of
//! any length.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use taquin::{Ending, Monitor, Report, Session, Size, Watch, decode, is_reachable};
use taquin_lab::instances::{self, BoardText, BoardTexts, Instance};
use taquin_lab::{Preparation, Request, RequestField, Setting};

use super::SolveArgs;
use crate::failure::{CommandResult, Failure};
use crate::input::{Source, open_file};
use crate::output::{count, say, seconds, thousands};
use crate::report::SolutionArgs;
use crate::tables;
use crate::watch::interruptible;

/// The number of answers that each worker may be ahead of the output.
const AHEAD: u64 = 64;

/// How long an answer may wait to be written together with others.
const PAUSE: Duration = Duration::from_millis(5);

/// A line of the output.
#[derive(Serialize)]
struct Record<'a> {
    line: u64,
    /// The name of an instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(flatten)]
    report: Option<&'a Report>,
}

/// The state that the workers share.
struct Shared {
    input: Input,
    read: u64,
    written: u64,
    /// How many workers have not ended.
    working: usize,
    /// How many workers wait for room.
    idle: usize,
    waiting: BTreeMap<u64, Option<Vec<u8>>>,
    tally: Tally,
    /// The error that ended the writing.
    failed: Option<io::Error>,
    ended: bool,
}

/// Where the boards come from.
enum Input {
    Texts(BoardTexts<Box<dyn BufRead + Send>>),
    Set(std::iter::Enumerate<std::vec::IntoIter<Instance>>),
}

/// A board of the input.
enum Entry {
    Text(BoardText),
    Instance(usize, Instance),
}

#[derive(Default)]
struct Tally {
    solved: u64,
    optimal: u64,
    bad: u64,
    others: u64,
    /// The sums over the solved boards.
    costs: u64,
    bounds: u64,
}

pub(super) fn run(args: &SolveArgs, request: Request, text: &str) -> CommandResult {
    // Boards are solved in parallel, one thread each.
    let threads = request.threads;
    let (setting, goal) = args.puzzle.setting(Request { threads: Some(1), ..request })?;
    let started = Instant::now();
    let cores = || std::thread::available_parallelism().map_or(1, Into::into);
    let threads = threads.unwrap_or_else(cores);
    let session = tables::session();
    let solver = Solver {
        setting: &setting,
        session: &session,
        preparation: Preparation::new(&session),
        monitor: interruptible(),
        jsonl: args.jsonl,
        solution: &args.solution,
    };
    // A set has a goal of its own, which only a flag overrides.
    let is_given = args.puzzle.goal.is_some() || args.puzzle.goal_file.is_some();
    let goal = goal.as_ref().filter(|_| is_given);
    let shared = Mutex::new(Shared {
        input: open(text, goal.map(|goal| goal.text.as_str()), setting.size)?,
        read: 0,
        written: 0,
        working: threads,
        idle: 0,
        waiting: BTreeMap::new(),
        tally: Tally::default(),
        failed: None,
        ended: false,
    });
    let room = Condvar::new();
    let refused = Mutex::new(None);
    let ready = Condvar::new();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let next = || next(&shared, &room, &ready, threads as u64);
                while let Some((number, entry)) = next() {
                    let answer = solver.answer(entry, &shared).unwrap_or_else(|failure| {
                        locked(&refused).get_or_insert(failure);
                        locked(&shared).ended = true;
                        None
                    });
                    let mut shared = locked(&shared);
                    shared.waiting.insert(number, answer);
                    shared.ended |= solver.monitor.is_cancelled();
                }
                locked(&shared).working -= 1;
                ready.notify_one();
            });
        }
        write(&shared, &room, &ready);
    });
    let Shared { tally, failed, .. } = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(failure) = refused.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(failure);
    }
    if let Some(error) = failed {
        return Err(error.into());
    }
    say(&format!(
        "{} solved ({} proven optimal), {} not solved, {}; {}",
        thousands(tally.solved),
        thousands(tally.optimal),
        thousands(tally.others),
        count(tally.bad, "invalid board", "invalid boards"),
        seconds(started.elapsed().as_secs_f64())
    ));
    if tally.solved > 0 {
        let mean = |sum: u64| sum as f64 / tally.solved as f64;
        say(&format!("mean cost {:.2}, lower bound {:.2}", mean(tally.costs), mean(tally.bounds)));
    }
    match solver.monitor.is_cancelled() {
        true => Ok(130),
        false => Ok(u8::from(tally.bad > 0)),
    }
}

/// Opens a file, standard input or an instance set.
fn open(text: &str, goal: Option<&str>, size: Option<Size>) -> Result<Input, Failure> {
    let texts = |input: Box<dyn BufRead + Send>| Input::Texts(BoardTexts::new(input, size));
    if text == "-" {
        return Ok(texts(Box::new(BufReader::new(io::stdin()))));
    }
    let path = Path::new(text);
    match instances::read(text, goal, Path::new("")) {
        _ if path.exists() => {}
        Ok(set) => return Ok(Input::Set(set.into_iter().enumerate())),
        // A set that exists, with bad options.
        Err(error) if error.column > 0 => {
            let failure = Failure::input(format!("{text}: {error}"));
            return Err(error.hint.into_iter().fold(failure, Failure::hint));
        }
        Err(_) => {}
    }
    Ok(texts(Box::new(BufReader::new(open_file(path, "one board per line")?))))
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the next board once there is room for its answer.
fn next(
    shared: &Mutex<Shared>,
    room: &Condvar,
    ready: &Condvar,
    threads: u64,
) -> Option<(u64, Entry)> {
    let mut guard = locked(shared);
    while guard.read - guard.written > AHEAD * threads && !guard.ended {
        guard.idle += 1;
        ready.notify_one();
        guard = room.wait(guard).unwrap_or_else(PoisonError::into_inner);
        guard.idle -= 1;
    }
    if guard.ended {
        return None;
    }
    let entry = match &mut guard.input {
        Input::Set(set) => Ok(set.next().map(|(at, instance)| Entry::Instance(at, instance))),
        Input::Texts(texts) => texts.read().map(|text| text.map(Entry::Text)),
    };
    match entry {
        Ok(Some(entry)) => {
            guard.read += 1;
            return Some((guard.read, entry));
        }
        Ok(None) => {}
        Err(error) => guard.failed = Some(error),
    }
    guard.ended = true;
    room.notify_all();
    None
}

/// What a worker needs to solve a board.
struct Solver<'a> {
    setting: &'a Setting,
    session: &'a Session,
    preparation: Preparation<'a>,
    monitor: Arc<Monitor>,
    jsonl: bool,
    solution: &'a SolutionArgs,
}

impl Solver<'_> {
    /// Returns the answer for a board. Fails if the tables of the method can't be built.
    fn answer(&self, entry: Entry, shared: &Mutex<Shared>) -> Result<Option<Vec<u8>>, Failure> {
        let (line, asked, label) = match entry {
            Entry::Instance(at, Instance { label, puzzle, .. }) => {
                let asked = self.setting.with_instance(puzzle).map_err(Failure::from);
                (at as u64 + 1, asked, Some(label))
            }
            Entry::Text(BoardText { line, bytes }) => {
                let fault = |error| Failure::board(&error, RequestField::Board, &Source::default());
                let read = |text: &str| {
                    self.setting.read(text).map_err(|error| Failure::request(&error, None))
                };
                (line, decode(bytes.trim_ascii()).map_err(fault).and_then(read), None)
            }
        };
        let record = |error: Option<String>, report: Option<&Report>| match self.jsonl {
            true => serde_json::to_vec(&Record { line, label: label.as_deref(), error, report }),
            false => Ok(self.words(line, label.as_deref(), error, report).into_bytes()),
        };
        let asked = match asked {
            Ok(asked) => asked,
            Err(failure) => {
                locked(shared).tally.bad += 1;
                return Ok(Some(record(Some(failure.to_string()), None)?));
            }
        };
        if is_reachable(&asked.task.puzzle) {
            tables::shown(|report| self.preparation.prepare(&asked.task, &self.monitor, report))?;
        }
        let mut report = self.session.run(&asked.task, Watch::by(&self.monitor));
        report.notation = self.solution.notation;
        let answer = record(None, Some(&report))?;
        let tally = &mut locked(shared).tally;
        match report.outcome {
            Ending::Solved => tally.solved += 1,
            _ => tally.others += 1,
        }
        tally.optimal += u64::from(report.optimal);
        if let (Some(cost), Some(bound)) = (report.cost, report.lower_bound) {
            tally.costs += u64::from(cost);
            tally.bounds += u64::from(bound);
        }
        Ok(Some(answer))
    }

    /// Describes an answer in a line.
    fn words(
        &self,
        line: u64,
        label: Option<&str>,
        error: Option<String>,
        report: Option<&Report>,
    ) -> String {
        let name = label.map_or_else(|| line.to_string(), str::to_owned);
        let answer = match (error, report) {
            (None, Some(report)) => self.solution.in_a_line(report),
            (error, _) => format!("error: {}", error.unwrap_or_default()),
        };
        format!("{name}: {}", answer.replace('\n', " "))
    }
}

/// Writes the answers in their order, until all workers have ended: many at a time, and each within a
/// few milliseconds.
fn write(shared: &Mutex<Shared>, room: &Condvar, ready: &Condvar) {
    let mut guard = locked(shared);
    loop {
        let is_last = guard.working == 0;
        let mut lines = Vec::new();
        let before = guard.written;
        loop {
            let next = guard.written + 1;
            let Some(answer) = guard.waiting.remove(&next) else { break };
            guard.written = next;
            if let Some(line) = answer {
                lines.extend(line);
                lines.push(b'\n');
            }
        }
        // A notification costs a system call even if no worker waits.
        if guard.idle > 0 && guard.written > before {
            room.notify_all();
        }
        if !lines.is_empty() {
            drop(guard);
            let mut out = io::stdout().lock();
            let written = out.write_all(&lines).and_then(|()| out.flush());
            guard = locked(shared);
            if let Err(error) = written {
                guard.failed = Some(error);
                guard.ended = true;
                room.notify_all();
                return;
            }
        }
        if is_last {
            return;
        }
        let waited = ready.wait_timeout(guard, PAUSE);
        guard = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}
