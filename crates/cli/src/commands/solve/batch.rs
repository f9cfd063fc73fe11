//! `taquin solve --batch`: many boards, one a line, over all cores.
//!
//! Workers take lines in turn and put their answers into an ordered window, from which one of them
//! writes whatever is next. A worker that is too far ahead of the output waits, so that memory is
//! bounded however long the input is.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Serialize;
use taquin::{Ending, Method, NamedGoal, Report, Session, Size, Task, Watch, read_board_bytes};

use super::{SolveArgs, task_of};
use crate::failure::{CommandResult, Failure};
use crate::input::{open_file, pair, read_goal};
use crate::output::{say, seconds, thousands};
use crate::tables;
use crate::watch::interruptible;

/// The longest line that is read: a board of the largest size in any notation.
const LONGEST: u64 = 4 << 20;

/// How many answers each worker may be ahead of the output.
const AHEAD: u64 = 64;

/// One line of the output.
#[derive(Serialize)]
struct Record<'a> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(flatten)]
    report: Option<&'a Report>,
}

/// What the workers share.
struct Shared {
    input: Box<dyn BufRead + Send>,
    read: u64,
    written: u64,
    waiting: BTreeMap<u64, Option<Vec<u8>>>,
    tally: Tally,
    /// Why the writing ended.
    failed: Option<io::Error>,
    ended: bool,
}

#[derive(Default)]
struct Tally {
    solved: u64,
    optimal: u64,
    bad: u64,
    others: u64,
}

pub(super) fn run(args: &SolveArgs, path: &Path) -> CommandResult {
    let method = args.search.method()?;
    let started = Instant::now();
    let session = Session::new();
    let threads = args.search.threads();
    let shared = Mutex::new(Shared {
        input: open(path)?,
        read: 0,
        written: 0,
        waiting: BTreeMap::new(),
        tally: Tally::default(),
        failed: None,
        ended: false,
    });
    prepare(args, &method, &session)?;
    let room = Condvar::new();
    let monitor = interruptible();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((number, line)) = next_line(&shared, &room, threads as u64) {
                    let answer = answer(args, &method, &session, &monitor, number, &line, &shared);
                    put(&shared, &room, number, answer);
                    if monitor.is_cancelled() {
                        locked(&shared).ended = true;
                    }
                }
            });
        }
    });
    let Shared { tally, failed, .. } = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = failed {
        return Err(error.into());
    }
    say(&format!(
        "{} solved ({} proven optimal), {} not, {} bad lines; {}",
        thousands(tally.solved),
        thousands(tally.optimal),
        thousands(tally.others),
        thousands(tally.bad),
        seconds(started.elapsed().as_secs_f64())
    ));
    match () {
        () if monitor.is_cancelled() => Ok(130),
        () => Ok(u8::from(tally.bad > 0)),
    }
}

fn open(path: &Path) -> Result<Box<dyn BufRead + Send>, Failure> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    Ok(Box::new(BufReader::new(open_file(path, "one board a line")?)))
}

/// Many boards are worth larger databases than one: those of 6, 6 and 3 tiles are built at once.
fn prepare(args: &SolveArgs, method: &Method, session: &Session) -> Result<(), Failure> {
    let needs_tables = method.estimate.is_some();
    if needs_tables || args.puzzle.board.size.is_some_and(|size| size.cells() != 16) {
        return Ok(());
    }
    let Ok(goal) = args.puzzle.goal().parse::<NamedGoal>() else { return Ok(()) };
    let size: Size = Size::new(4, 4).map_err(|error| Failure::input(error.to_string()))?;
    let goal = goal.board(size, 1);
    let larger =
        "7-8".parse().map_err(|error: taquin::PartitionError| Failure::input(error.to_string()))?;
    if session.has_tables(&goal, &larger) {
        return Ok(());
    }
    let method = "ida:pdb=6-6-3".parse().map_err(|error| Failure::method(&error))?;
    let mut task = Task::new(pair(goal.clone(), goal)?, method);
    task.limits = args.search.limits.limits();
    tables::prepare(session, &task)
}

fn locked(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next line that is not empty, when there is room for its answer.
fn next_line(shared: &Mutex<Shared>, room: &Condvar, threads: u64) -> Option<(u64, Vec<u8>)> {
    let mut guard = locked(shared);
    while guard.read - guard.written > AHEAD * threads && !guard.ended {
        guard = room.wait(guard).unwrap_or_else(PoisonError::into_inner);
    }
    if guard.ended {
        return None;
    }
    let mut line = Vec::new();
    let Shared { input, .. } = &mut *guard;
    let end = match input.take(LONGEST).read_until(b'\n', &mut line) {
        Ok(0) => true,
        Ok(_) => false,
        Err(error) => {
            guard.failed = Some(error);
            true
        }
    };
    if end {
        guard.ended = true;
        room.notify_all();
        return None;
    }
    guard.read += 1;
    Some((guard.read, line))
}

/// A line of JSON for a line of input; nothing for an empty one.
fn answer(
    args: &SolveArgs,
    method: &Method,
    session: &Session,
    monitor: &std::sync::Arc<taquin::Monitor>,
    number: u64,
    line: &[u8],
    shared: &Mutex<Shared>,
) -> Option<Vec<u8>> {
    let text = line.trim_ascii();
    if text.is_empty() || text.starts_with(b"#") {
        return None;
    }
    let task = read_board_bytes(text, args.puzzle.board.size)
        .map_err(|error| Failure::board(&error, None, "").to_string())
        .and_then(|start| {
            let goal = read_goal(args.puzzle.goal(), &start).map_err(|error| error.to_string())?;
            pair(start, goal).map_err(|error| error.to_string())
        })
        .map(|puzzle| task_of(puzzle, method.clone(), &args.search));
    let json = match task {
        Err(error) => {
            locked(shared).tally.bad += 1;
            serde_json::to_vec(&Record { line: number, error: Some(error), report: None })
        }
        Ok(mut task) => {
            // The boards run side by side, so that each has one thread.
            task.threads = 1;
            let report = session.run(&task, Watch::by(monitor));
            let tally = &mut locked(shared).tally;
            match report.outcome {
                Ending::Solved => tally.solved += 1,
                _ => tally.others += 1,
            }
            tally.optimal += u64::from(report.optimal);
            serde_json::to_vec(&Record { line: number, error: None, report: Some(&report) })
        }
    };
    json.ok()
}

/// Puts an answer into its place, and writes whatever is next.
fn put(shared: &Mutex<Shared>, room: &Condvar, number: u64, answer: Option<Vec<u8>>) {
    let mut guard = locked(shared);
    guard.waiting.insert(number, answer);
    loop {
        let next = guard.written + 1;
        let Some(answer) = guard.waiting.remove(&next) else { break };
        guard.written = next;
        if let Some(mut line) = answer.filter(|_| guard.failed.is_none()) {
            line.push(b'\n');
            let mut out = io::stdout().lock();
            if let Err(error) = out.write_all(&line).and_then(|()| out.flush()) {
                guard.failed = Some(error);
                guard.ended = true;
            }
        }
    }
    room.notify_all();
}
