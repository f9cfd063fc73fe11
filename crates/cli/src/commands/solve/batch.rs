//! `taquin solve --batch`: many boards in parallel, one per line or with empty lines between them.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde::Serialize;
use taquin::{BoardInput, Device, Ending, Report, Size, SolveMany, Task, Watch, decode};
use taquin_lab::instances::{self, BoardText, BoardTexts, Instance};
use taquin_lab::{Course, CourseReport, Request, RequestField, Setting};

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
    report: Option<CourseReport>,
}

/// An input board.
enum Entry {
    Text(BoardText),
    Instance(usize, Instance),
}

/// The part of a board that its output line needs: why it is invalid, if it is.
struct Line {
    number: u64,
    label: Option<String>,
    error: Option<String>,
}

/// The greatest number of different notes that are printed at the end.
const MAX_NOTES: usize = 5;

#[derive(Default)]
struct Tally {
    solved: u64,
    optimal: u64,
    bad: u64,
    unsolvable: u64,
    others: u64,
    /// The sums over the solved boards.
    costs: u64,
    bounds: u64,
    /// The notes on boards for a device, such as where they were solved, with the number of boards
    /// for each note.
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
            Ending::Unsolvable | Ending::Exhausted => self.unsolvable += 1,
            Ending::Stopped => self.others += 1,
        }
        self.optimal += u64::from(report.optimal);
        if report.method.on == Some(Device::Gpu) {
            for note in &report.notes {
                if let Some(boards) = self.notes.get_mut(note) {
                    *boards += 1;
                } else if self.notes.len() < MAX_NOTES {
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
    // A set has a goal of its own, which only a flag overrides.
    let is_given = args.puzzle.goal.is_some() || args.puzzle.goal_file.is_some();
    let goal = goal.as_ref().filter(|_| is_given);
    let input = open(text, goal.map(|goal| goal.text.as_str()), setting.size)?;
    let solver = Solver {
        setting: &setting,
        jsonl: args.print.jsonl,
        solution: &args.print.solution,
        course: args.print.course.as_deref().map(Course::resolve).transpose()?,
        tally: Mutex::default(),
    };
    let monitor = interruptible();
    let solved = tables::shown(|report| {
        let mut out = io::stdout();
        let job = SolveMany {
            input,
            threads,
            parse: &|entry| solver.parse(entry),
            answer: &|line, report| solver.answer(line, report),
            write: &mut |answers: Vec<serde_json::Result<Vec<u8>>>| {
                let mut lines = Vec::new();
                for answer in answers {
                    lines.extend(answer?);
                    lines.push(b'\n');
                }
                out.write_all(&lines).and_then(|()| out.flush())
            },
        };
        session.run(job, Watch::by(&monitor).with_tables(report))
    });
    solved?;
    let tally = solver.tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    if tally.solved + tally.unsolvable + tally.others + tally.bad == 0 && !monitor.is_cancelled() {
        return Err(Failure::input("the input has no boards").hint("write one board per line"));
    }
    if monitor.is_cancelled() && io::stdin().is_terminal() {
        say("");
    }
    say(&format!(
        "{} solved ({} proven optimal), {} unsolvable, {} not solved, {}; {}",
        thousands(tally.solved),
        thousands(tally.optimal),
        thousands(tally.unsolvable),
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
    match monitor.is_cancelled() {
        true => Ok(130),
        false => Ok(u8::from(tally.bad > 0)),
    }
}

/// Opens a file, standard input or an instance set.
fn open(text: &str, goal: Option<&str>, size: Option<Size>) -> Result<BoardInput<Entry>, Failure> {
    let texts = |input: Box<dyn BufRead + Send>| {
        let mut texts = BoardTexts::new(input, size);
        std::iter::from_fn(move || texts.read().map(|text| text.map(Entry::Text)).transpose())
    };
    if text == "-" {
        return Ok(BoardInput::slow(texts(Box::new(BufReader::new(io::stdin())))));
    }
    let path = Path::new(text);
    match instances::read(text, goal, Path::new(""), &tables::session()) {
        _ if path.exists() => {}
        Ok(set) => {
            let entry = |(at, instance)| Ok(Entry::Instance(at, instance));
            return Ok(BoardInput::quick(set.into_iter().enumerate().map(entry)));
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
        true => BoardInput::quick(texts(Box::new(file))),
        false => BoardInput::slow(texts(Box::new(file))),
    })
}

/// The settings that workers need to parse boards and to write reports.
struct Solver<'a> {
    setting: &'a Setting,
    jsonl: bool,
    solution: &'a SolutionArgs,
    course: Option<Arc<Course>>,
    tally: Mutex<Tally>,
}

impl Solver<'_> {
    fn parse(&self, entry: Entry) -> (Line, Option<Task>) {
        let (number, label, asked) = match entry {
            Entry::Instance(at, Instance { label, puzzle, .. }) => {
                let asked = self.setting.with_instance(puzzle).map_err(Failure::from);
                (at as u64 + 1, Some(label), asked)
            }
            Entry::Text(BoardText { line, bytes }) => {
                let fault = |error| Failure::board(&error, RequestField::Board, &Source::default());
                let read = |text: std::borrow::Cow<'_, str>| {
                    self.setting.read(&text).map_err(|error| Failure::request(&error, None))
                };
                (line, None, decode(bytes.trim_ascii()).map_err(fault).and_then(read))
            }
        };
        let (task, error) = match asked {
            Ok(asked) => (Some(asked.task), None),
            Err(failure) => (None, Some(failure.to_string())),
        };
        (Line { number, label, error }, task)
    }

    /// A board's line, with a report if the board is valid.
    fn answer(&self, line: Line, mut report: Option<Report>) -> serde_json::Result<Vec<u8>> {
        if let Some(report) = &mut report {
            report.notation = self.solution.notation;
        }
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.add(report.as_ref());
        drop(tally);
        let Line { number, label, error } = line;
        let (label, course) = (label.as_deref(), self.course.as_deref());
        let report = report.map(|report| CourseReport::new(report, course));
        match self.jsonl {
            true => serde_json::to_vec(&Record { line: number, label, error, report }),
            false => Ok(self.words(number, label, error, report.as_ref()).into_bytes()),
        }
    }

    /// Describes an answer in a line.
    fn words(
        &self,
        line: u64,
        label: Option<&str>,
        error: Option<String>,
        report: Option<&CourseReport>,
    ) -> String {
        let name = label.map_or_else(|| line.to_string(), str::to_owned);
        let summary = |CourseReport { report, course: figures, .. }: &CourseReport| {
            let text = self.course.as_deref()?.summary(report, figures.as_ref()?)?;
            Some(text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let answer = match (error, report) {
            (None, Some(report)) => match summary(report) {
                Some(text) if text.contains('\n') => format!("\n{text}"),
                Some(text) => format!(" {text}"),
                None => format!(" {}", self.solution.in_a_line(&report.report).replace('\n', " ")),
            },
            (error, _) => {
                format!(" error: {}", error.unwrap_or_default().replace('\n', " "))
            }
        };
        format!("{name}:{answer}")
    }
}
