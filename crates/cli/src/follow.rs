//! Runs a search and prints it, as a course does if one is named: for `solve` and the dialogue.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::json;
use taquin::{
    AUTO_TIME, Algorithm, Ending, Event, Puzzle, Report, Session, Task, Watch, is_reachable,
};
use taquin_lab::{Course, CourseReport, Narrator, ResolvedRequest, Wording};

use crate::config::CONFIG;
use crate::failure::{CommandResult, Failure};
use crate::output::{print, print_json, say};
use crate::posthoc::Posthoc;
use crate::report::{
    PathStyle, SolutionArgs, boards, describe, exit_code, outcome, print_moves, refusal,
};
use crate::watch::watched_within;
use crate::{pictures, suggest, tables};

/// The course, and which facts about a search to print.
#[derive(Args, Debug)]
pub(crate) struct PrintArgs {
    /// Use the goal, methods, counts and wording of a course or paper (see 'taquin list courses')
    #[arg(long = "as", value_name = "NAME", value_parser = suggest::courses(), hide_possible_values = true, help_heading = COURSES)]
    pub(crate) course: Option<String>,
    /// Print every expansion: text, in the course's wording, jsonl, one event per line, or posthoc,
    /// for the visualiser of that name [default: text]
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text",
        conflicts_with_all = ["json", "quiet", "batch", "all"],
        help_heading = COURSES
    )]
    pub(crate) trace: Option<Trace>,
    /// With --trace: print only this many expansions
    #[arg(long, value_name = "COUNT", value_parser = taquin::read_count, requires = "trace", help_heading = COURSES)]
    pub(crate) trace_limit: Option<u64>,
    #[command(flatten, next_help_heading = "Output")]
    pub(crate) solution: SolutionArgs,
    /// Print one JSON object
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Print only the moves
    #[arg(long, short, conflicts_with = "json", help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Write the solution as an animation: .svg, .gif or .png (animated PNG)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["batch", "all"], help_heading = "Output")]
    pub(crate) animate: Option<PathBuf>,
    /// Print one JSON object per line, in the order of the input
    #[arg(long, conflicts_with_all = ["json", "quiet", "trace"], help_heading = "Output")]
    pub(crate) jsonl: bool,
}

const COURSES: &str = "Courses and traces";

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Trace {
    /// Sentences and boards
    Text,
    /// One JSON object per line
    Jsonl,
    /// A search trace 1.4.0 for the visualiser Posthoc
    Posthoc,
}

/// The report as the last event of a trace.
#[derive(Serialize)]
struct LastEvent<'a> {
    event: &'static str,
    #[serde(flatten)]
    report: &'a CourseReport,
}

impl Default for PrintArgs {
    fn default() -> Self {
        let solution = SolutionArgs { path: None, boards: None, notation: CONFIG.notation() };
        let (course, trace, trace_limit, animate) = (None, None, None, None);
        let (json, jsonl, quiet) = (false, false, false);
        Self { course, trace, trace_limit, solution, json, quiet, animate, jsonl }
    }
}

impl PrintArgs {
    /// Chooses a method that has steps, if they are printed, and prepares its tables.
    pub(crate) fn prepare(
        &self,
        mut asked: ResolvedRequest,
        session: &Session,
    ) -> Result<ResolvedRequest, Failure> {
        if self.trace.is_some() && !asked.task.method.algorithm.is_traced() {
            asked = asked.with_steps()?;
        }
        asked.task.limits.traced = self.trace_limit;
        tables::prepare(session, &asked.task)?;
        Ok(asked)
    }

    /// Returns the course with boards in the named form.
    pub(crate) fn worded<'a>(&self, course: Option<&'a Course>) -> Option<Cow<'a, Course>> {
        course.map(|course| match self.solution.boards {
            Some(format) => {
                let mut course = course.clone();
                course.wording = course.wording.with_format(format);
                Cow::Owned(course)
            }
            None => Cow::Borrowed(course),
        })
    }

    /// Prints JSON over several lines, or with `--jsonl` in one.
    pub(crate) fn print_json(&self, value: &impl Serialize) -> Result<(), Failure> {
        match self.jsonl {
            true => Ok(print(&(serde_json::to_string(value)? + "\n"))?),
            false => Ok(print_json(value)?),
        }
    }
}

/// Runs the prepared search, and prints the result.
pub(crate) fn run(args: &PrintArgs, asked: &ResolvedRequest, session: &Session) -> CommandResult {
    let ResolvedRequest { task, method_name, .. } = asked;
    let course = args.worded(asked.course.as_deref());
    let course = course.as_deref();
    let wording = match (course, args.solution.boards) {
        (Some(course), _) => Cow::Borrowed(&course.wording),
        (None, Some(format)) => Cow::Owned(Wording::plain().clone().with_format(format)),
        (None, None) => Cow::Borrowed(Wording::plain()),
    };
    let mut tracer = Tracer::new(args.trace, &wording, task);
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
    let is_shown = args.trace.is_none() && !args.quiet;
    let report = watched_within(is_shown, time_of(task), |monitor| {
        let mut print = |event| {
            if !tracer.print(event) {
                monitor.cancel();
            }
        };
        let events = args.trace.map(|_| &mut print as &mut dyn FnMut(Event));
        asked.run(session, Watch { events, ..Watch::by(monitor) })
    });
    tracer.finish(&report.report, args.trace_limit)?;
    finish(args, course, report)
}

/// Prints a report and returns the exit code.
pub(crate) fn finish(
    args: &PrintArgs,
    course: Option<&Course>,
    mut report: CourseReport,
) -> CommandResult {
    report.report.notation = args.solution.notation;
    show(args, course, &report)?;
    pictures::animate(args.animate.as_deref(), &report.report)?;
    Ok(exit_code(report.report.outcome, report.report.reason))
}

/// Returns the time that a search may take, in seconds.
fn time_of(task: &Task) -> Option<f64> {
    let is_usual = match task.method.algorithm {
        Algorithm::Auto => true,
        Algorithm::Anytime => task.limits.expanded.is_none(),
        _ => false,
    };
    task.limits.seconds.or(is_usual.then_some(AUTO_TIME.as_secs_f64()))
}

/// Prints a trace during the search.
struct Tracer<'a> {
    out: BufWriter<io::StdoutLock<'static>>,
    narrator: Option<Narrator<'a>>,
    jsonl: bool,
    posthoc: Option<Posthoc>,
    /// The text for the goal, which is printed only if nothing was omitted.
    goal: String,
    failed: Option<io::Error>,
}

impl<'a> Tracer<'a> {
    fn new(trace: Option<Trace>, wording: &'a Wording, task: &Task) -> Self {
        let narrates = trace == Some(Trace::Text);
        let mut tracer = Self {
            out: BufWriter::new(io::stdout().lock()),
            narrator: narrates.then(|| Narrator::new(wording, task.puzzle.size())),
            jsonl: trace == Some(Trace::Jsonl),
            posthoc: (trace == Some(Trace::Posthoc)).then(Posthoc::new),
            goal: String::new(),
            failed: None,
        };
        if tracer.posthoc.is_some() {
            tracer.write(Posthoc::head(task.puzzle.size()).as_bytes());
        }
        tracer
    }

    /// Returns the words before a trace in words.
    fn heading(&self, puzzle: &Puzzle, method: &str) -> String {
        self.narrator.as_ref().map_or_else(String::new, |narrator| narrator.begin(puzzle, method))
    }

    /// Prints the words before the search.
    fn open(&mut self, words: &str) {
        if !self.jsonl && self.posthoc.is_none() {
            self.write(words.as_bytes());
        }
    }

    /// Prints an event. Returns whether the output is still open.
    fn print(&mut self, event: Event) -> bool {
        if let Some(posthoc) = &mut self.posthoc {
            let text = posthoc.event(event);
            self.write(text.as_bytes());
            return self.failed.is_none();
        }
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
        if let Some(mut posthoc) = self.posthoc.take() {
            self.write(posthoc.tail().as_bytes());
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

fn show(args: &PrintArgs, course: Option<&Course>, all: &CourseReport) -> Result<(), Failure> {
    let report = &all.report;
    if args.trace == Some(Trace::Jsonl) {
        let last = LastEvent { event: "report", report: all };
        return Ok(print(&(serde_json::to_string(&last)? + "\n"))?);
    }
    if args.trace == Some(Trace::Posthoc) {
        say(outcome(report).trim_end());
        return Ok(());
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
