//! `taquin solve --as` and `--trace`: searching as a course does, and telling how.

use std::io::{self, BufWriter, Write};

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::json;
use taquin::{Ending, Event, Puzzle, Report, Session, Task, Watch, is_reachable};
use taquin_lab::{Course, Figures, Narrator, Wording, second_look};

use super::SolveArgs;
use crate::courses;
use crate::failure::{CommandResult, Failure};
use crate::output::{print, print_json, say};
use crate::report::{PathStyle, describe, ending, exit_code, print_moves, refusal, way};
use crate::watch::watched;
use crate::{pictures, tables};

/// Which course to follow, and what to tell of the search.
#[derive(Args, Debug)]
pub(super) struct FollowArgs {
    /// Follow a course or a paper: its goal, its methods, its counts, its words ('taquin courses')
    #[arg(long = "as", value_name = "NAME", conflicts_with_all = ["batch", "all"])]
    course: Option<String>,
    /// Print every expansion: text in the course's words, or jsonl, one event a line [default: text]
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text",
        conflicts_with_all = ["json", "quiet", "batch", "all"]
    )]
    trace: Option<Trace>,
    /// With --trace: print this many expansions; the search goes on
    #[arg(long, value_name = "COUNT", value_parser = taquin::read_count, requires = "trace")]
    trace_limit: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Trace {
    /// Sentences and boards
    Text,
    /// One JSON object a line
    Jsonl,
}

/// A report, and what the course prints.
#[derive(Serialize)]
struct CourseReport<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'static str>,
    #[serde(flatten)]
    report: &'a Report,
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    course: Option<Figures>,
}

impl FollowArgs {
    pub(super) const fn is_asked(&self) -> bool {
        self.course.is_some() || self.trace.is_some()
    }
}

pub(super) fn run(args: &SolveArgs) -> CommandResult {
    let course = args.follow.course.as_deref().map(courses::resolve).transpose()?;
    let course = course.as_deref();
    let Plan { mut task, mut notes, method } = match course {
        Some(course) => course_task(args, course)?,
        None => plain_task(args)?,
    };
    task.limits.traced = args.follow.trace_limit;
    let session = Session::new();
    if is_reachable(&task.puzzle) {
        tables::prepare(&session, &task)?;
    }
    let mut teller = Teller::new(args.follow.trace, course, &task);
    // A course that looks for a solution has decided before that there is one.
    let searches = task.search_anyway || is_reachable(&task.puzzle);
    if let (Some(course), true) = (course, searches && !args.json && !args.quiet) {
        teller.open(&course.wording.opening(&task.puzzle, &method), &task.puzzle, &method);
    }
    let mut report = watched(args.follow.trace.is_none() && !args.quiet, |monitor| {
        let mut tell = |event| {
            if !teller.tell(event) {
                monitor.cancel();
            }
        };
        let listener = args.follow.trace.map(|_| &mut tell as &mut dyn FnMut(Event));
        let report = session.run(&task, Watch { events: listener, ..Watch::by(monitor) });
        notes.extend(second_look(&session, &task, &report, monitor));
        report
    });
    report.notes.append(&mut notes);
    teller.finish(&report, args.follow.trace_limit)?;
    show(args, course, &report)?;
    pictures::animate(args.animate.as_deref(), &report)?;
    Ok(exit_code(report.outcome, report.reason))
}

/// What is to be done.
struct Plan {
    task: Task,
    /// What a reader should know about it.
    notes: Vec<String>,
    /// What the method is called.
    method: String,
}

/// What the arguments ask for under a course, and what they ask for otherwise.
fn course_task(args: &SolveArgs, course: &Course) -> Result<Plan, Failure> {
    let name = &course.name;
    let choice =
        course.method(args.search.method.as_deref()).map_err(|error| Failure::course(&error))?;
    let mut notes: Vec<String> =
        choice.overrides.iter().map(|change| format!("{change}, as {name} has it")).collect();
    let (puzzle, note) = course_puzzle(args, course)?;
    notes.extend(note);
    let mut task = course.task(puzzle, choice.method);
    if let Some(cost) = args.search.cost.as_ref().filter(|cost| **cost != course.cost) {
        notes.push(format!("--cost {cost} instead of {}, as {name} has it", course.cost));
        task.cost = cost.clone();
    }
    if args.search.jumps && !course.jumps {
        notes.push(format!("--jumps: in {name} a blank does not step onto another"));
        task.jumps = true;
    }
    let seconds = task.limits.seconds;
    task.limits = args.search.limits.limits();
    match (seconds, task.limits.seconds) {
        (Some(own), Some(asked)) if asked.to_bits() != own.to_bits() => {
            notes.push(format!("{asked} seconds instead of {own}, as {name} has it"));
        }
        (own, None) => task.limits.seconds = own,
        _ => {}
    }
    // Some counts depend on how the work is shared out, so one thread unless asked for more.
    task.threads = args.search.threads.map_or(1, Into::into);
    task.search_anyway = args.search.search_anyway;
    Ok(Plan { task, notes, method: choice.name })
}

/// The board that was given, or the course's own, and the goal.
fn course_puzzle(args: &SolveArgs, course: &Course) -> Result<(Puzzle, Option<String>), Failure> {
    let given = &args.puzzle.board;
    let (start, mut note) = match (&course.board, given.board.is_none() && given.file.is_none()) {
        (Some(own), true) => {
            let note = format!("no board is given: this is the puzzle that {} offers", course.name);
            (own.clone(), Some(note))
        }
        _ => (given.read()?, None),
    };
    if !args.puzzle.has_goal() {
        return Ok((course.puzzle(start), note));
    }
    let puzzle = args.puzzle.puzzle_from(start.clone())?;
    if puzzle != course.puzzle(start) {
        let other = format!("another goal than {}, as {} has it", course.goal, course.name);
        note = Some(note.map_or_else(|| other.clone(), |note| format!("{note}; {other}")));
    }
    Ok((puzzle, note))
}

/// What the arguments ask for without a course.
fn plain_task(args: &SolveArgs) -> Result<Plan, Failure> {
    let mut task = super::task(&args.puzzle, &args.search)?;
    let mut notes = Vec::new();
    // These are several searches or none, and not meant to be followed.
    if !task.method.algorithm.has_moves() {
        task.method = "astar:manhattan".parse().map_err(|error| Failure::method(&error))?;
        notes.push(format!("a trace needs one method: this is {}", task.method));
    }
    let method = task.method.to_string();
    Ok(Plan { task, notes, method })
}

/// Prints a trace while the search goes on.
struct Teller<'a> {
    out: BufWriter<io::StdoutLock<'static>>,
    narrator: Option<Narrator<'a>>,
    jsonl: bool,
    /// The last words, which are true only if nothing was left out.
    goal: String,
    failed: Option<io::Error>,
}

impl<'a> Teller<'a> {
    fn new(trace: Option<Trace>, course: Option<&'a Course>, task: &Task) -> Self {
        let wording = course.map_or(Wording::plain(), |course| &course.wording);
        let narrates = trace == Some(Trace::Text);
        Self {
            out: BufWriter::new(io::stdout().lock()),
            narrator: narrates.then(|| Narrator::new(wording, task.puzzle.size())),
            jsonl: trace == Some(Trace::Jsonl),
            goal: String::new(),
            failed: None,
        }
    }

    fn open(&mut self, words: &str, puzzle: &Puzzle, method: &str) {
        if !self.jsonl {
            let heading = self.narrator.as_ref().map(|narrator| narrator.begin(puzzle, method));
            self.write((words.to_owned() + &heading.unwrap_or_default()).as_bytes());
        }
    }

    /// Tells of an event; false if nobody listens any more.
    fn tell(&mut self, event: Event) -> bool {
        match &mut self.narrator {
            Some(narrator) => {
                let is_goal = matches!(event, Event::Goal(_));
                let text = narrator.tell(event);
                match is_goal {
                    true => self.goal = text,
                    false => self.write(text.as_bytes()),
                }
            }
            None => self.line(&event),
        }
        self.failed.is_none()
    }

    fn line(&mut self, value: &impl Serialize) {
        let result = serde_json::to_vec(value).map_err(io::Error::from);
        match result {
            Ok(mut bytes) => {
                bytes.push(b'\n');
                self.write(&bytes);
            }
            Err(error) => self.failed = Some(error),
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(bytes).err();
        }
    }

    /// The end of the trace: what was left out of it.
    fn finish(mut self, report: &Report, limit: Option<u64>) -> Result<(), Failure> {
        let left_out = limit.map_or(0, |limit| report.counts.expanded.saturating_sub(limit));
        if let Some(mut narrator) = self.narrator.take() {
            let text = match left_out {
                0 if self.goal.is_empty() => narrator.finish(),
                0 => std::mem::take(&mut self.goal),
                1 => format!("{}(1 more expansion is left out)\n\n", narrator.finish()),
                more => format!("{}({more} more expansions are left out)\n\n", narrator.finish()),
            };
            self.write(text.as_bytes());
        }
        if self.jsonl && left_out > 0 {
            self.line(&json!({ "event": "omitted", "expansions": left_out }));
        }
        match self.failed {
            Some(error) => Err(error.into()),
            None => Ok(self.out.flush()?),
        }
    }
}

fn show(args: &SolveArgs, course: Option<&Course>, report: &Report) -> Result<(), Failure> {
    let figures = course.map(|course| course.figures(report));
    let name = course.map(|course| course.name.as_str());
    if args.follow.trace == Some(Trace::Jsonl) {
        let last = CourseReport { event: Some("report"), report, name, course: figures };
        return Ok(print(&(serde_json::to_string(&last)? + "\n"))?);
    }
    if args.json {
        return Ok(print_json(&CourseReport { event: None, report, name, course: figures })?);
    }
    if args.quiet {
        return print_moves(report, args.notation);
    }
    let Some((course, figures)) = course.zip(figures) else {
        print(&describe(report, args.path, args.notation))?;
        return Ok(());
    };
    let summary = course.summary(report, &figures);
    print(&summary.unwrap_or_else(|| ending(report)))?;
    if args.path == PathStyle::Boards {
        print(&way(report, args.notation))?;
    }
    if report.outcome == Ending::Unsolvable {
        say(refusal(&report.puzzle).trim_end());
    }
    for note in &report.notes {
        say(&format!("note: {note}"));
    }
    Ok(())
}
