//! `taquin solve --batch`: many boards in parallel, one per line or with empty lines between them.

mod queue;

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use serde::Serialize;
use taquin::{
    DeviceError, Ending, Monitor, On, Report, Session, Size, Task, Watch, decode, is_reachable,
};
use taquin_lab::instances::{self, BoardText, BoardTexts, Instance};
use taquin_lab::{Asked, Preparation, Request, RequestField, Setting};

use self::queue::{Answer, Grouping, Input, Queue, Work};
use super::SolveArgs;
use crate::failure::{CommandResult, Failure};
use crate::input::{Source, open_file};
use crate::output::{count, say, seconds, thousands};
use crate::report::SolutionArgs;
use crate::tables;
use crate::watch::interruptible;

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

/// A board of the input.
#[derive(Clone)]
enum Entry {
    Text(BoardText),
    Instance(usize, Instance),
}

/// A board that was read, or why it cannot be.
struct Read {
    line: u64,
    label: Option<String>,
    asked: Result<Asked, Failure>,
}

/// The greatest number of different notes that are printed at the end.
const MOST_NOTES: usize = 5;

#[derive(Default)]
struct Tally {
    solved: u64,
    optimal: u64,
    bad: u64,
    others: u64,
    /// The sums over the solved boards.
    costs: u64,
    bounds: u64,
    /// The notes of boards for a device, such as where they were solved, and how many have them.
    notes: BTreeMap<String, u64>,
}

impl Tally {
    /// Adds a board: its report, or nothing if it is invalid.
    fn add(&mut self, report: Option<&Report>) {
        let Some(report) = report else {
            self.bad += 1;
            return;
        };
        match report.outcome {
            Ending::Solved => self.solved += 1,
            _ => self.others += 1,
        }
        self.optimal += u64::from(report.optimal);
        if report.method.on == Some(On::Gpu) {
            for note in &report.notes {
                if let Some(boards) = self.notes.get_mut(note) {
                    *boards += 1;
                } else if self.notes.len() < MOST_NOTES {
                    self.notes.insert(note.clone(), 1);
                }
            }
        }
        if let (Some(cost), Some(bound)) = (report.cost, report.lower_bound) {
            self.costs += u64::from(cost);
            self.bounds += u64::from(bound);
        }
    }
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
        jsonl: args.print.jsonl,
        solution: &args.print.solution,
        tally: Mutex::default(),
        no_device: OnceLock::new(),
    };
    // A set has a goal of its own, which only a flag overrides.
    let is_given = args.puzzle.goal.is_some() || args.puzzle.goal_file.is_some();
    let goal = goal.as_ref().filter(|_| is_given);
    let input = open(text, goal.map(|goal| goal.text.as_str()), setting.size)?;
    let decide = |entry: &Entry| {
        let task = solver.read(entry.clone()).asked.ok()?.task;
        Some(session.group_of(&task).map_or(Grouping::Alone, Grouping::Together))
    };
    let queue = Queue::new(input, threads, &decide);
    let refused = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                queue.work(|work| {
                    if let Err(failure) = solver.work(work, &queue) {
                        locked(&refused).get_or_insert(failure);
                        queue.end();
                    }
                });
            });
        }
        queue.write(io::stdout(), || solver.monitor.is_cancelled());
    });
    if let Some(failure) = refused.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(failure);
    }
    if let Some(error) = queue.into_error() {
        return Err(error.into());
    }
    let tally = locked(&solver.tally);
    if solver.monitor.is_cancelled() && io::stdin().is_terminal() {
        say("");
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
    for (note, boards) in &tally.notes {
        say(&format!("{}: {note}", count(*boards, "board", "boards")));
    }
    match solver.monitor.is_cancelled() {
        true => Ok(130),
        false => Ok(u8::from(tally.bad > 0)),
    }
}

/// Opens a file, standard input or an instance set.
fn open(text: &str, goal: Option<&str>, size: Option<Size>) -> Result<Input<Entry>, Failure> {
    let texts = |input: Box<dyn BufRead + Send>| {
        let mut texts = BoardTexts::new(input, size);
        std::iter::from_fn(move || texts.read().map(|text| text.map(Entry::Text)).transpose())
    };
    if text == "-" {
        return Ok(Input::slow(texts(Box::new(BufReader::new(io::stdin())))));
    }
    let path = Path::new(text);
    match instances::read(text, goal, Path::new("")) {
        _ if path.exists() => {}
        Ok(set) => {
            let entry = |(at, instance)| Ok(Entry::Instance(at, instance));
            return Ok(Input::quick(set.into_iter().enumerate().map(entry)));
        }
        // A set that exists, with bad options.
        Err(error) if error.column > 0 => {
            let failure = Failure::input(format!("{text}: {error}"));
            return Err(error.hint.into_iter().fold(failure, Failure::hint));
        }
        Err(_) => {}
    }
    let file = BufReader::new(open_file(path, "one board per line")?);
    Ok(match path.is_file() {
        true => Input::quick(texts(Box::new(file))),
        false => Input::slow(texts(Box::new(file))),
    })
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a worker needs to solve a board.
struct Solver<'a> {
    setting: &'a Setting,
    session: &'a Session,
    preparation: Preparation<'a>,
    monitor: Arc<Monitor>,
    jsonl: bool,
    solution: &'a SolutionArgs,
    tally: Mutex<Tally>,
    /// Why boards are not solved together on a device, after that was tried.
    no_device: OnceLock<DeviceError>,
}

impl Solver<'_> {
    /// Solves a board or a group of them. Fails if the tables of the method can't be built.
    fn work(&self, work: Work<Entry, Read>, queue: &Queue<'_, Entry, Read>) -> Result<(), Failure> {
        let (number, read) = match work {
            Work::Board(number, entry) => (number, self.read(entry)),
            Work::Returned(number, read) => (number, read),
            Work::Group(entries) => return self.together(entries, queue),
        };
        let report = match &read.asked {
            Err(_) => None,
            Ok(asked) => Some(self.alone(&asked.task)?),
        };
        queue.put([self.answer(number, read, report)?]);
        Ok(())
    }

    fn alone(&self, task: &Task) -> Result<Report, Failure> {
        self.prepare(task)?;
        let watch = Watch::by(&self.monitor);
        Ok(match self.no_device.get() {
            None => self.session.run(task, watch),
            Some(why) => self.session.run_without_device(task, why, watch),
        })
    }

    fn prepare(&self, task: &Task) -> Result<(), Failure> {
        match is_reachable(&task.puzzle) {
            true => tables::shown(|report| self.preparation.prepare(task, &self.monitor, report)),
            false => Ok(()),
        }
    }

    /// Solves boards together on a device. What it does not solve goes back to the queue.
    fn together(
        &self,
        entries: Vec<(u64, Entry)>,
        queue: &Queue<'_, Entry, Read>,
    ) -> Result<(), Failure> {
        let read = |(number, entry)| (number, self.read(entry));
        let boards: Vec<(u64, Read)> = entries.into_iter().map(read).collect();
        let asked = boards.iter().filter_map(|(_, read)| read.asked.as_ref().ok());
        let tasks: Vec<&Task> = asked.map(|asked| &asked.task).collect();
        if let Some(task) = tasks.iter().find(|task| is_reachable(&task.puzzle)) {
            self.prepare(task)?;
        }
        let solved = self.session.run_together(&tasks, &self.monitor);
        let has_failed = solved.is_err();
        let mut reports = solved.unwrap_or_else(|error| {
            let _ = self.no_device.set(error);
            vec![None; tasks.len()]
        });
        let mut reports = reports.drain(..);
        let (mut answers, mut returned) = (Vec::with_capacity(boards.len()), Vec::new());
        for (number, read) in boards {
            match read.asked.is_ok().then(|| reports.next().flatten()) {
                Some(None) => returned.push((number, read)),
                report => answers.push(self.answer(number, read, report.flatten())?),
            }
        }
        queue.put_group(answers, returned, has_failed);
        Ok(())
    }

    fn read(&self, entry: Entry) -> Read {
        match entry {
            Entry::Instance(at, Instance { label, puzzle, .. }) => {
                let asked = self.setting.with_instance(puzzle).map_err(Failure::from);
                Read { line: at as u64 + 1, label: Some(label), asked }
            }
            Entry::Text(BoardText { line, bytes }) => {
                let fault = |error| Failure::board(&error, RequestField::Board, &Source::default());
                let read = |text: &str| {
                    self.setting.read(text).map_err(|error| Failure::request(&error, None))
                };
                let asked = decode(bytes.trim_ascii()).map_err(fault).and_then(read);
                Read { line, label: None, asked }
            }
        }
    }

    /// The line of a board, which has a report if it is valid.
    fn answer(
        &self,
        number: u64,
        Read { line, label, asked }: Read,
        report: Option<Report>,
    ) -> Result<Answer, Failure> {
        let report = report.map(|report| Report { notation: self.solution.notation, ..report });
        locked(&self.tally).add(report.as_ref());
        let error = asked.err().map(|failure| failure.to_string());
        let (label, report) = (label.as_deref(), report.as_ref());
        let answer = match self.jsonl {
            true => serde_json::to_vec(&Record { line, label, error, report })?,
            false => self.words(line, label, error, report).into_bytes(),
        };
        Ok((number, Some(answer)))
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
