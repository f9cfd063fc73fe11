//! `taquin solve --all`.

use std::fmt::Write;
use std::ops::ControlFlow;

use taquin::{AllSolutions, Report, Session, Slide, Watch, write_moves};
use taquin_lab::ResolvedRequest;

use super::SolveArgs;
use crate::failure::CommandResult;
use crate::output::{count, print};
use crate::report::{describe, exit_code};
use crate::watch::watched;

/// A report with every shortest solution.
#[derive(serde::Serialize)]
struct All<'a> {
    #[serde(flatten)]
    report: &'a Report,
    /// The number of solutions found.
    solutions: u64,
    /// Whether all solutions were found.
    complete: bool,
    #[serde(rename = "all_moves")]
    moves: &'a [String],
}

pub(super) fn run(
    args: &SolveArgs,
    asked: &ResolvedRequest,
    session: &Session,
    limit: u64,
) -> CommandResult {
    let task = &asked.task;
    let mut found = 0;
    let (mut listed, mut solutions) = (Vec::new(), Vec::new());
    let (mut report, complete) = watched(!args.print.quiet, |monitor| {
        let each = &mut |slides: &[Slide]| {
            found += 1;
            if !args.count {
                let moves = write_moves(slides, task.puzzle.start(), args.print.solution.notation);
                listed.push(moves.unwrap_or_default());
                solutions.push(slides.to_vec());
            }
            match found < limit {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        };
        session.run(AllSolutions { task, each }, Watch::by(monitor))
    });
    report.notation = args.print.solution.notation;
    if args.print.json || args.print.jsonl {
        let all = All { report: &report, solutions: found, complete, moves: &listed };
        args.print.print_json(&all)?;
        return Ok(exit_code(report.outcome, report.reason));
    }
    let course = args.print.worded(asked.course.as_deref());
    if let Some(course) = course.filter(|_| !args.print.quiet && !solutions.is_empty()) {
        // The course's words for each solution.
        let mut text = String::new();
        for moves in solutions {
            report.moves = Some(moves);
            text += &course.summary(&report, &course.figures(&report)).unwrap_or_default();
        }
        print(&text)?;
        return Ok(exit_code(report.outcome, report.reason));
    }
    let mut text = String::new();
    if !args.print.quiet {
        text += &describe(&report, &args.print.solution);
        let number = count(found, "shortest solution", "shortest solutions");
        let _ = match (report.optimal, complete) {
            (true, true) => writeln!(text, "{number}"),
            (true, false) => {
                writeln!(text, "{number}; there may be more: raise --limit")
            }
            (false, _) => Ok(()),
        };
    }
    if args.print.quiet && args.count {
        let _ = writeln!(text, "{found}");
    }
    for moves in &listed {
        text += moves;
        text.push('\n');
    }
    print(&text)?;
    Ok(exit_code(report.outcome, report.reason))
}
