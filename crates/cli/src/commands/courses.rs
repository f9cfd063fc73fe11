//! `taquin courses`.

use std::fmt::Write;
use std::sync::Arc;

use clap::Parser;
use taquin_lab::{Course, Wording};

use crate::columns::Columns;
use crate::failure::CommandResult;
use crate::output::{BOLD, DIM, PLAIN, print, print_json, wrapped};

/// List the courses and papers that --as can follow, or describe one
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin courses
  taquin courses ucr-list
  taquin solve 712485630 --as ucr-list -m misplaced
  taquin reproduce ucr-list                     compare its figures with ours
  taquin courses ucr-list --toml > mine.toml    start a course of your own,
  taquin courses ./mine.toml                    check it,
  taquin solve 712485630 --as ./mine.toml       and use it

A name that contains a slash or ends in .toml is a file. docs/courses.md
describes its keys.")]
pub(crate) struct CoursesArgs {
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

pub(crate) fn run(args: &CoursesArgs) -> CommandResult {
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
    let time = seconds.map_or_else(|| "none".to_owned(), |seconds| format!("{seconds} s"));
    let blanks =
        if *jumps { "may move onto each other (--jumps)" } else { "may not move onto each other" };
    text += &Columns::new("ll")
        .rows([
            ["goal", goal.name()],
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
