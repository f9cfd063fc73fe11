//! Folders of searches that are split into parts, for the commands that use them.

use std::path::Path;

use serde_json::json;
use taquin::{MergeOutcome, TaskFolder};

use crate::config::CONFIG;
use crate::failure::{CommandResult, Failure};
use crate::output::{count, print, print_json, thousands};
use crate::report::{SolutionArgs, describe, exit_code};

/// The exit code of a search that has no answer yet.
const NOT_YET: u8 = 12;

pub(crate) fn open(dir: &Path) -> Result<TaskFolder, Failure> {
    Ok(TaskFolder::open(dir)?)
}

/// Prints the result of the parts, and returns the exit code.
pub(crate) fn show_merged(merged: &MergeOutcome, json: bool) -> CommandResult {
    match merged {
        MergeOutcome::Answer(report) => {
            match json {
                true => print_json(report)?,
                false => {
                    let notation = CONFIG.notation();
                    let style = SolutionArgs { path: None, boards: None, notation };
                    print(&describe(report, &style))?;
                }
            }
            return Ok(exit_code(report.outcome, report.reason));
        }
        MergeOutcome::Next { threshold, parts, before } => match json {
            true => print_json(&json!({
                "threshold": threshold, "parts": parts, "before": before,
                "missing": (0..*parts).collect::<Vec<_>>(),
            }))?,
            false => {
                let parts = count(*parts as u64, "part", "parts");
                let nodes = thousands(before.generated);
                print(&format!(
                    "threshold {threshold}: {parts}; the thresholds below are complete, {nodes} nodes\n"
                ))?;
            }
        },
        MergeOutcome::Missing { threshold, parts, missing } => match json {
            true => print_json(&json!({
                "threshold": threshold, "parts": parts, "missing": missing,
            }))?,
            false => {
                let all = count(*parts as u64, "part", "parts");
                let missing = thousands(missing.len() as u64);
                print(&format!("threshold {threshold}: {missing} of {all} have no result\n"))?;
            }
        },
    }
    Ok(NOT_YET)
}
