//! `taquin reproduce`.

use std::fmt::Write;
use std::sync::Arc;

use clap::Parser;
use serde::Serialize;
use taquin::Device;
use taquin_lab::{Agreement, Course, Extent, FigureCheck, ReproduceError, reproduce, tables_of};

use crate::columns::Columns;
use crate::failure::{CommandResult, Failure};
use crate::output::{count, print, print_json, say, seconds, wrapped};
use crate::tables;
use crate::watch::watched;

/// Recompute published figures and flag misprints
///
/// Exits with 0 if every figure that can be reproduced is equal, and with 1 if one differs.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin reproduce ucr-list
  taquin reproduce korf85 --long      all 100 instances, in about a minute
  taquin reproduce kf02               the 24-puzzles that take a minute together
  taquin reproduce kf02 --on gpu      all 50 on a CUDA device
  taquin reproduce random24           193 random 24-puzzles, or the shorter ones
  taquin reproduce all --json
  taquin reproduce --long             everything but what takes days
  taquin reproduce ./mine.toml        the figures in a course of your own

'taquin list courses' lists the names. A 'misprint' is a published figure that
is itself wrong. 'open' means that the publication does not say enough to
reproduce the figure. A note gives the reason. 'all' leaves out kf02 and
random24. With --long it runs their instances that take minutes together. Only
'taquin reproduce kf02 --long' runs all 50, which takes days.")]
pub(crate) struct ReproduceArgs {
    /// Course or paper, a file with one, or all [default with --long: all]
    #[arg(
        value_name = "NAME|FILE|all",
        required_unless_present = "long",
        default_value_if("long", "true", "all")
    )]
    name: Option<String>,
    /// Run every instance, except those that take days if the name is all
    #[arg(long, alias = "all")]
    long: bool,
    /// Where to run: cpu, or gpu (a CUDA device; all instances of kf02 or random24, their lengths and times)
    #[arg(long, default_value_t, value_name = "WHERE")]
    on: Device,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Reproduction {
    findings: Vec<FigureCheck>,
    equal: usize,
    differ: usize,
    left_out: u64,
    complete: bool,
}

pub(crate) fn run(args: &ReproduceArgs) -> CommandResult {
    let name = args.name.as_deref().unwrap_or("all");
    let extent = Extent { all: args.long, one_of_many: name == "all", on: args.on };
    let courses: Vec<Arc<Course>> = match name {
        "all" if args.on == Device::Gpu => {
            return Err(Failure::input("only kf02 and random24 run on a device")
                .hint("name one, or omit --on"));
        }
        "all" => {
            let has_figures = |course: &&Arc<Course>| !course.suite.is_empty();
            Course::built_in().iter().filter(has_figures).cloned().collect()
        }
        name => vec![Course::resolve(name)?],
    };
    let session = tables::session();
    let (mut findings, mut left_out, mut complete) = (Vec::new(), 0, true);
    for course in courses {
        if let Some(task) = tables_of(&course, extent) {
            tables::prepare(&session, &task)?;
        }
        let mut found = Vec::new();
        let skipped = watched(true, |monitor| {
            let skipped =
                reproduce(&course, extent, &session, monitor, &mut |finding| found.push(finding));
            complete &= !monitor.is_cancelled();
            skipped.map_err(|error| match error {
                ReproduceError::Course(error) => error.into(),
                ReproduceError::Gpu(error) => error.into(),
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
        let all = format!(
            "{} equal, {} different, {} explained in the notes",
            count(equal as u64, "figure is", "figures are"),
            count(differ as u64, "is", "are"),
            count(others as u64, "is", "are"),
        );
        match complete {
            true => say(&all),
            // Standard output is incomplete.
            false => print(&format!("Interrupted, so far: {all}\n"))?,
        }
    }
    Ok(match (complete, differ) {
        (false, _) => 130,
        (true, 0) => 0,
        (true, _) => 1,
    })
}

/// Returns the figures of a course in a table, each with its note.
fn table(name: &str, findings: &[FigureCheck], left_out: u64) -> String {
    // Figures of ours that are equal are not repeated. Notes are below the table, each once.
    let mut notes: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    let times: Vec<f64> = findings.iter().filter_map(|finding| finding.seconds).collect();
    for FigureCheck { what, published, ours, verdict, note, seconds: time, .. } in findings {
        let ours = ours.as_ref().filter(|ours| *ours != published);
        let ours = ours.map(|ours| format!("ours: {ours}"));
        let note = [ours, note.clone()].into_iter().flatten().collect::<Vec<_>>().join("; ");
        let mut verdict = verdict.name().to_owned();
        if !note.is_empty() {
            let number = notes.iter().position(|known| *known == note).unwrap_or_else(|| {
                notes.push(note);
                notes.len() - 1
            });
            let _ = write!(verdict, " ({})", number + 1);
        }
        rows.push(vec![what.clone(), short(published), verdict]);
        rows.last_mut().into_iter().for_each(|row| row.extend(time.map(seconds)));
    }
    let mut headings = vec![name, "published", "ours"];
    if !times.is_empty() {
        headings.push("time");
        rows.push(["together", "", "", &seconds(times.iter().sum())].map(str::to_owned).into());
    }
    let mut text = Columns::new("lrlr").headings(headings).rows(rows).text();
    for (number, note) in (1..).zip(notes) {
        text += &wrapped(&format!("({number}) {note}\n"), 4);
    }
    if left_out > 0 {
        let left_out = count(left_out, "instance is", "instances are");
        let how = match name {
            "kf02" | "random24" => {
                format!("'taquin reproduce {name} --long' runs all, which takes days")
            }
            _ => "--long runs all".to_owned(),
        };
        let _ = writeln!(text, "{left_out} left out; {how}");
    }
    text + "\n"
}

/// The longest figure that is shown in full, in characters.
const WIDEST: usize = 26;

/// Shortens a figure.
fn short(text: &str) -> String {
    match text.chars().count() <= WIDEST {
        true => text.to_owned(),
        false => text.chars().take(WIDEST - 2).chain("..".chars()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use crate::commands::reproduce::*;

    #[test]
    fn long_alone_runs_all_courses() {
        for flag in ["--long", "--all"] {
            let args = ReproduceArgs::try_parse_from(["reproduce", flag]).unwrap();
            assert_eq!((args.name.as_deref(), args.long), (Some("all"), true));
        }
    }

    #[test]
    fn hard_instances_have_times_and_their_sum() {
        let finding = |id, ours: &str, verdict, seconds| FigureCheck {
            course: "kf02".to_owned(),
            what: format!("instance {id}: length"),
            published: "95".to_owned(),
            ours: Some(ours.to_owned()),
            verdict,
            note: None,
            seconds: Some(seconds),
        };
        let findings =
            [finding(1, "95", Agreement::Equal, 0.25), finding(2, "97", Agreement::Differs, 60.5)];
        let text = table("kf02", &findings, 48);
        let expected = "\
kf02                published  ours             time
instance 1: length         95  equal        250.0 ms
instance 2: length         95  differs (1)   60.50 s
together                                     60.75 s
(1) ours: 97
48 instances are left out; 'taquin reproduce kf02 --long' runs all, which takes days

";
        assert_eq!(
            text.replace(crate::output::DIM, "").replace(crate::output::PLAIN, ""),
            expected
        );
    }
}
