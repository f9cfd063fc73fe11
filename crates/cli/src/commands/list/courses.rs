//! `taquin list courses`.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand};
use taquin::{Board, decode, free_memory};
use taquin_lab::grade::rubric_toml;
use taquin_lab::{Course, CourseExamples, ExamplesError, Wording};

use crate::columns::Columns;
use crate::failure::{CommandResult, Failure};
use crate::input::file_bytes;
use crate::output::{BOLD, DIM, PLAIN, print, print_json, say, wrapped, write_file};
use crate::tables;
use crate::watch::watched;

/// List the courses and papers for --as, or describe one
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin list courses
  taquin list courses ucr-list
  taquin solve 712485630 --as ucr-list -m misplaced
  taquin reproduce ucr-list                        compare its figures with ours
  taquin list courses ucr-list --toml > mine.toml  start a course of your own,
  taquin list courses ./mine.toml                  check it,
  taquin solve 712485630 --as ./mine.toml          and use it
  taquin list courses new examples.toml ai101      find a course from its counts

A name that contains a slash or ends in .toml is a file. docs/courses.md
describes its keys.")]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct CoursesArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// Course or paper to describe, or a file with one
    #[arg(value_name = "NAME|FILE")]
    name: Option<String>,
    /// Print JSON
    #[arg(long, conflicts_with = "toml")]
    json: bool,
    /// Print the course's file, to start a course of your own
    #[arg(long, requires = "name")]
    toml: bool,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Write a course and a rubric from the counts that your own program prints
    ///
    /// Finds the policy of each method, as 'taquin match' does, so that students can be graded
    /// against it.
    #[command(after_help = "\
Example:
  taquin list courses new examples.toml ai101

writes ai101.toml and ai101-rubric.toml. The file of examples has a table for
each board and method; queue and generated may be omitted, and so may the goal:

  goal = \"last\"
  [[examples]]
  board = \"712485630\"
  method = \"manhattan\"
  expanded = 503
  queue = 306

The more boards you give for a method, the fewer policies fit.")]
    New(NewArgs),
}

#[derive(Args, Debug)]
struct NewArgs {
    /// TOML file with boards and counts
    #[arg(value_name = "FILE")]
    examples: PathBuf,
    /// Name of the course, and of the files to write
    #[arg(value_name = "NAME")]
    name: String,
    /// Nodes to expand per method before giving up
    #[arg(long, value_name = "COUNT", default_value = "30M", value_parser = taquin::read_count)]
    limit: u64,
}

/// Writes a course and a rubric for examples.
fn new(args: &NewArgs) -> CommandResult {
    let is_letter = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    if args.name.is_empty() || !args.name.chars().all(is_letter) {
        return Err(Failure::input("a course's name has letters, digits, '-' and '_' only"));
    }
    let [course, rubric] = ["", "-rubric"].map(|part| format!("{}{part}.toml", args.name));
    for path in [&course, &rubric] {
        if PathBuf::from(path).exists() {
            return Err(Failure::input(format!("{path}: the file exists"))
                .hint("choose another name, or remove the file"));
        }
    }
    let name = args.examples.display();
    let bytes = file_bytes(&args.examples, "examples")?;
    let text = decode(&bytes).map_err(|error| Failure::input(format!("{name}: {error}")))?;
    let examples = CourseExamples::read(&text).map_err(|error| {
        Failure::several(error.faults.iter().map(|fault| {
            let (line, column) = (fault.place.line, fault.place.column);
            (format!("{name}:{line}:{column}: {fault}"), fault.hint.clone())
        }))
        .hint_if_missing("'taquin list courses new --help' has an example")
    })?;
    let memory = free_memory().map(|bytes| bytes / 4 * 3);
    let session = tables::session();
    let found = watched(true, |monitor| {
        let found = examples.find(&args.name, &session, monitor, args.limit, memory);
        if monitor.is_cancelled() { Err(Failure::interrupted()) } else { Ok(found) }
    })?
    .map_err(|error| unexplained(&error))?;
    for (method, others) in found.others.iter().filter(|(_, others)| !others.is_empty()) {
        say(&format!(
            "{method}: other policies give these counts too: {}; more boards would tell them apart",
            others.join(", ")
        ));
    }
    let boards: Vec<(Board, Option<&str>)> = examples
        .examples
        .iter()
        .map(|example| (example.board.clone(), Some(example.method.as_str())))
        .collect();
    write_file(course.as_ref(), found.toml.as_bytes())?;
    write_file(rubric.as_ref(), rubric_toml(&args.name, Some(&course), None, &boards).as_bytes())?;
    Ok(0)
}

/// Explains why there is no course.
fn unexplained(error: &ExamplesError) -> Failure {
    let failure = Failure::input(error.to_string());
    match error {
        ExamplesError::None { complete: false, .. } => {
            failure.hint("to try more policies, raise --limit, or give easier boards")
        }
        ExamplesError::None { .. } => failure
            .hint("check the boards, the counts and the goal: a course can be written by hand"),
        _ => failure,
    }
}

pub(crate) fn run(args: &CoursesArgs) -> CommandResult {
    if let Some(Action::New(args)) = &args.action {
        return new(args);
    }
    match (args.name.as_deref().map(Course::resolve).transpose()?, args.json) {
        (Some(course), _) if args.toml => print(course.toml())?,
        (Some(course), true) => print_json(&course)?,
        (None, true) => print_json(&Course::built_in())?,
        (Some(course), false) => print(&describe(&course))?,
        (None, false) => {
            let row = |course: &Arc<Course>| [course.name.clone(), course.about.clone()];
            let rows = Course::built_in().iter().map(row);
            print(&Columns::new("ll").bold_names().rows(rows).text())?;
        }
    }
    Ok(0)
}

fn describe(course: &Course) -> String {
    let Course { name, about, goal, cost, jumps, seconds, board, .. } = course;
    let mut text = wrapped(&format!("{BOLD}{name}{PLAIN}: {about}\n\n"), 0);
    if let Some(source) = &course.source {
        text += &wrapped(&format!("Source: {source}\n\n"), 0);
    }
    let time = seconds.map_or_else(|| "none".to_owned(), |seconds| format!("{seconds} s"));
    let blanks =
        if *jumps { "may move onto each other (--jumps)" } else { "may not move onto each other" };
    text += &Columns::new("ll")
        .rows([
            ["goal", &goal.to_string()],
            ["cost", &cost.to_string()],
            ["blanks", blanks],
            ["time limit", &time],
            ["own puzzle", &board.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string)],
            ["method", &format!("{} unless -m names another", course.default)],
        ])
        .text();
    let _ = writeln!(
        text,
        "\n{BOLD}Methods{PLAIN}, each with the options that do the same without --as"
    );
    let jumps = if *jumps { " --jumps" } else { "" };
    for method in &course.methods {
        let _ = writeln!(text, "  {}", method.names.join(", "));
        let options =
            format!("      {DIM}--goal {goal} --cost {cost}{jumps} -m {}{PLAIN}\n", method.method);
        text += &wrapped(&options, 2);
    }
    let _ = writeln!(text, "\n{BOLD}Figures{PLAIN}");
    let figures = course.figures.iter().map(|figure| [&figure.key, figure.what.about()]);
    text += &Columns::new("ll").indent(2).rows(figures).text();
    text += &words(&course.wording);
    if !course.remarks.is_empty() {
        let _ = writeln!(text, "\n{BOLD}Remarks{PLAIN}");
    }
    for remark in &course.remarks {
        text += &wrapped(&format!("  - {remark}\n"), 2);
    }
    text
}

/// Lists the sentences of the course, as templates.
fn words(wording: &Wording) -> String {
    let Wording { format, blank, .. } = wording;
    let mut text = format!("\n{BOLD}Wording{PLAIN} (format {format}, blank {blank})\n");
    for (moment, words) in [
        ("before everything", wording.puzzle.as_str()),
        ("before the search", &wording.opening),
        ("before a trace", &wording.heading),
        ("a node of a list", &wording.node),
        ("before an expansion", &wording.expansion),
        ("after an expansion", &wording.successors),
        ("at the goal", &wording.goal),
        ("solved", &wording.solved),
        ("no solution", &wording.failed),
        ("out of time", wording.late.as_deref().unwrap_or("")),
    ] {
        if !words.is_empty() {
            let _ = writeln!(text, "  {moment}:");
            for line in words.trim_end().lines() {
                match line {
                    "" => text.push('\n'),
                    _ => text += &wrapped(&format!("      {DIM}{line}{PLAIN}\n"), 2),
                }
            }
        }
    }
    text
}
