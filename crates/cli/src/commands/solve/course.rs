//! `taquin solve --as` and `--trace`: searching and printing as a course does.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::json;
use taquin::{Ending, Event, Puzzle, Report, Session, Task, Watch, is_reachable};
use taquin_lab::{Asked, Course, CourseReport, Narrator, Wording};

use super::SolveArgs;
use crate::failure::{CommandResult, Failure};
use crate::output::{print, say};
use crate::pictures;
use crate::report::{PathStyle, boards, describe, exit_code, outcome, print_moves, refusal};
use crate::suggest;
use crate::watch::watched_within;

/// The course, and what to print during the search.
#[derive(Args, Debug)]
pub(super) struct FollowArgs {
    /// Use the goal, methods, counts and wording of a course or paper (see 'taquin courses')
    #[arg(long = "as", value_name = "NAME", value_parser = suggest::courses(), hide_possible_values = true, conflicts_with_all = ["batch", "all"])]
    pub(super) course: Option<String>,
    /// Print every expansion: text, in the course's wording, or jsonl, one event per line [default: text]
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text",
        conflicts_with_all = ["json", "quiet", "batch", "all"]
    )]
    pub(super) trace: Option<Trace>,
    /// With --trace: print only this many expansions
    #[arg(long, value_name = "COUNT", value_parser = taquin::read_count, requires = "trace")]
    pub(super) trace_limit: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Trace {
    /// Sentences and boards
    Text,
    /// One JSON object per line
    Jsonl,
}

/// The report as the last event of a trace.
#[derive(Serialize)]
struct LastEvent<'a> {
    event: &'static str,
    #[serde(flatten)]
    report: &'a CourseReport,
}

impl FollowArgs {
    pub(super) const fn is_given(&self) -> bool {
        self.course.is_some() || self.trace.is_some()
    }
}

pub(super) fn run(args: &SolveArgs, asked: &Asked, session: &Session) -> CommandResult {
    let Asked { task, course, method_name, .. } = asked;
    let course = course.as_deref().map(|course| match args.solution.boards {
        Some(format) => {
            let mut course = course.clone();
            course.wording = course.wording.with_format(format);
            Cow::Owned(course)
        }
        None => Cow::Borrowed(course),
    });
    let course = course.as_deref();
    let wording = match (course, args.solution.boards) {
        (Some(course), _) => Cow::Borrowed(&course.wording),
        (None, Some(format)) => Cow::Owned(Wording::plain().clone().with_format(format)),
        (None, None) => Cow::Borrowed(Wording::plain()),
    };
    let mut tracer = Tracer::new(args.follow.trace, &wording, task);
    let silent = args.json || args.jsonl || args.quiet;
    if course.is_some() && !silent {
        let mut words = wording.puzzle(&task.puzzle, method_name);
        // The courses' programs search only if there is a solution.
        if task.search_anyway || is_reachable(&task.puzzle) {
            words += &wording.opening(&task.puzzle, method_name);
            words += &tracer.heading(&task.puzzle, method_name);
        }
        tracer.open(&words);
    }
    let mut report = watched_within(
        args.follow.trace.is_none() && !args.quiet,
        task.limits.seconds,
        |monitor| {
            let mut print = |event| {
                if !tracer.print(event) {
                    monitor.cancel();
                }
            };
            let events = args.follow.trace.map(|_| &mut print as &mut dyn FnMut(Event));
            asked.run(session, Watch { events, ..Watch::by(monitor) })
        },
    );
    tracer.finish(&report.report, args.follow.trace_limit)?;
    report.report.notation = args.solution.notation;
    show(args, course, &report)?;
    pictures::animate(args.animate.as_deref(), &report.report)?;
    Ok(exit_code(report.report.outcome, report.report.reason))
}

/// Prints a trace during the search.
struct Tracer<'a> {
    out: BufWriter<io::StdoutLock<'static>>,
    narrator: Option<Narrator<'a>>,
    jsonl: bool,
    /// The text for the goal, which is printed only if nothing was omitted.
    goal: String,
    failed: Option<io::Error>,
}

impl<'a> Tracer<'a> {
    fn new(trace: Option<Trace>, wording: &'a Wording, task: &Task) -> Self {
        let narrates = trace == Some(Trace::Text);
        Self {
            out: BufWriter::new(io::stdout().lock()),
            narrator: narrates.then(|| Narrator::new(wording, task.puzzle.size())),
            jsonl: trace == Some(Trace::Jsonl),
            goal: String::new(),
            failed: None,
        }
    }

    /// Returns the words before a trace in words.
    fn heading(&self, puzzle: &Puzzle, method: &str) -> String {
        self.narrator.as_ref().map_or_else(String::new, |narrator| narrator.begin(puzzle, method))
    }

    /// Prints the words before the search.
    fn open(&mut self, words: &str) {
        if !self.jsonl {
            self.write(words.as_bytes());
        }
    }

    /// Prints an event. Returns whether the output is still open.
    fn print(&mut self, event: Event) -> bool {
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

    /// Ends the trace with the number of omitted expansions.
    fn finish(mut self, report: &Report, limit: Option<u64>) -> Result<(), Failure> {
        let left_out = limit.map_or(0, |limit| report.counts.expanded.saturating_sub(limit));
        if let Some(mut narrator) = self.narrator.take() {
            let text = narrator.close(std::mem::take(&mut self.goal), left_out);
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

fn show(args: &SolveArgs, course: Option<&Course>, all: &CourseReport) -> Result<(), Failure> {
    let report = &all.report;
    if args.follow.trace == Some(Trace::Jsonl) {
        let last = LastEvent { event: "report", report: all };
        return Ok(print(&(serde_json::to_string(&last)? + "\n"))?);
    }
    if args.json || args.jsonl {
        return args.print_json(all);
    }
    if args.quiet {
        return print_moves(report, args.solution.notation);
    }
    let Some((course, figures)) = course.zip(all.course.as_ref()) else {
        return Ok(print(&describe(report, &args.solution))?);
    };
    print(&course.summary(report, figures).unwrap_or_else(|| outcome(report)))?;
    match args.solution.path {
        Some(PathStyle::Boards) => print(&boards(report, &args.solution))?,
        Some(PathStyle::Moves) => print_moves(report, args.solution.notation)?,
        Some(PathStyle::None) | None => {}
    }
    if report.outcome == Ending::Unsolvable {
        say(refusal(&report.puzzle).trim_end());
    }
    for note in &report.notes {
        say(&format!("note: {note}"));
    }
    Ok(())
}
