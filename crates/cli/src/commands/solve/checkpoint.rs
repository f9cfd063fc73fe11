//! `taquin solve --checkpoint` and `--resume`.

use std::path::Path;

use taquin::{Checkpoint, CheckpointError, Ending, SavedSearch, Session, Task, Watch};
use taquin_lab::CourseReport;

use super::SolveArgs;
use crate::failure::{CommandResult, Failure};
use crate::follow;
use crate::input::open_file;
use crate::output::{say, thousands};
use crate::watch::watched_after;

/// Solves a task, saves checkpoints to `path`, and prints the answer. Then the file is removed, if
/// the search has ended.
pub(super) fn run(
    args: &SolveArgs,
    session: &Session,
    task: &Task,
    from: Option<&Checkpoint>,
    path: &Path,
) -> CommandResult {
    if from.is_none() && path.exists() {
        let message = format!("{}: the file exists", path.display());
        let remedy =
            format!("use --resume {} to continue that search, or remove the file", path.display());
        return Err(Failure::input(message).hint(remedy));
    }
    let mut before = 0;
    if let Some((threshold, counts)) = from.map(Checkpoint::progress) {
        before = counts.generated;
        let done = thousands(before);
        say(&format!("resuming at threshold {threshold}, after {done} nodes"));
    }
    let solved = watched_after(!args.print.quiet, before, |monitor| {
        let every = args.checkpoint_every.unwrap_or(SavedSearch::SAVE_INTERVAL);
        session.run(SavedSearch { task, from, path, every }, Watch::by(monitor))
    });
    let report = solved.map_err(|error| unwritten(&error))?;
    let finish = |report| follow::finish(&args.print, None, CourseReport::new(report, None));
    if report.outcome == Ending::Stopped {
        say(&format!("to continue: taquin solve --resume {}", path.display()));
        return finish(report);
    }
    let code = finish(report)?;
    // Until now a process that was killed had lost nothing.
    std::fs::remove_file(path).unwrap_or_default();
    Ok(code)
}

pub(super) fn read(path: &Path) -> Result<Checkpoint, Failure> {
    // For the same messages as with any other file.
    open_file(path, "a checkpoint")?;
    Checkpoint::read(path).map_err(|error| {
        let failure = Failure::input(error.to_string());
        match error {
            CheckpointError::Damaged { .. } => failure
                .hint("start the search again with --checkpoint, or restore a copy of the file"),
            CheckpointError::Version { .. } => {
                failure.hint("use the taquin that wrote it, or start the search again")
            }
            _ => failure.hint("give a file that --checkpoint wrote"),
        }
    })
}

fn unwritten(error: &CheckpointError) -> Failure {
    let failure = Failure::input(error.to_string());
    match error {
        CheckpointError::Method { .. } => {
            failure.hint("choose another method, such as --method ida:pdb=small")
        }
        CheckpointError::Cut { .. } => {
            failure.hint("use the taquin that wrote it, or start the search again")
        }
        CheckpointError::File { path, error } => Failure::unwritable(path, error),
        _ => failure,
    }
}
