//! `taquin reproduce`.

use std::fmt::Write;
use std::sync::Arc;

use clap::Parser;
use serde::Serialize;
use taquin_lab::{Agreement, Course, Finding, ReproduceError, Suite, reproduce};

use crate::columns::Columns;
use crate::failure::{CommandResult, Failure};
use crate::output::{count, print, print_json, say};
use crate::tables;
use crate::watch::watched;

/// Compare published figures with ours
///
/// Exits with 0 if every figure that can be reproduced is equal, and with 1 if one differs.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin reproduce ucr-list
  taquin reproduce korf85 --all       all 100 instances, which takes minutes
  taquin reproduce all --json
  taquin reproduce ./mine.toml        the figures in a course of your own

'taquin courses' lists the names. A 'misprint' is a published figure that is
itself wrong. 'open' means that what was published is not enough to reproduce
the figure. A note gives the reason.")]
pub(crate) struct ReproduceArgs {
    /// Course or paper, a file with one, or all
    #[arg(value_name = "NAME|FILE|all")]
    name: String,
    /// Run every instance, however long it takes
    #[arg(long)]
    all: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Reproduction {
    findings: Vec<Finding>,
    equal: usize,
    differ: usize,
    left_out: u64,
    complete: bool,
}

pub(crate) fn run(args: &ReproduceArgs) -> CommandResult {
    let courses: Vec<Arc<Course>> = match args.name.as_str() {
        "all" => {
            let has_figures = |course: &&Arc<Course>| course.suite != Suite::None;
            Course::built_in().iter().filter(has_figures).cloned().collect()
        }
        name => vec![Course::resolve(name)?],
    };
    let session = tables::session();
    let (mut findings, mut left_out, mut complete) = (Vec::new(), 0, true);
    for course in courses {
        let mut found = Vec::new();
        let skipped = watched(true, |monitor| {
            let skipped =
                reproduce(&course, args.all, &session, monitor, &mut |finding| found.push(finding));
            complete &= !monitor.is_cancelled();
            skipped.map_err(|error| match error {
                ReproduceError::Course(error) => error.into(),
                _ => Failure::input(error.to_string()),
            })
        })?;
        left_out += skipped;
        if !args.json {
            print(&table(&course.name, &found, skipped))?;
        }
        findings.append(&mut found);
        if !complete {
            break;
        }
    }
    let of = |verdict| findings.iter().filter(|finding| finding.verdict == verdict).count();
    let (equal, differ) = (of(Agreement::Equal), of(Agreement::Differs));
    let others = findings.len() - equal - differ;
    if args.json {
        print_json(&Reproduction { findings, equal, differ, left_out, complete })?;
    } else {
        say(&format!(
            "{} equal, {differ} differ, {others} explained in the notes",
            count(equal as u64, "figure is", "figures are")
        ));
    }
    Ok(match (complete, differ) {
        (false, _) => 130,
        (true, 0) => 0,
        (true, _) => 1,
    })
}

/// Returns the figures of a course in a table, each with its note.
fn table(name: &str, findings: &[Finding], left_out: u64) -> String {
    let row = |finding: &Finding| {
        let ours = finding.ours.as_deref().unwrap_or("-");
        let verdict = finding.verdict.name().to_owned();
        [short(&finding.what, 60), short(&finding.published, 28), short(ours, 28), verdict]
    };
    let rows = findings.iter().map(row);
    let lines = Columns::new("lrrl").headings([name, "published", "ours"]).rows(rows).lines();
    let notes = findings.iter().map(|finding| finding.note.as_ref());
    let mut text = String::new();
    // The headings have no note.
    for (line, note) in lines.iter().zip([None].into_iter().chain(notes)) {
        text += line;
        if let Some(note) = note {
            let _ = writeln!(text, "    {note}");
        }
    }
    if left_out > 0 {
        let _ = writeln!(
            text,
            "{} left out (use --all)",
            count(left_out, "instance is", "instances are")
        );
    }
    text + "\n"
}

/// Shortens `text` to `widest` characters.
fn short(text: &str, widest: usize) -> String {
    match text.chars().count() <= widest {
        true => text.to_owned(),
        false => text.chars().take(widest - 2).chain("..".chars()).collect(),
    }
}
