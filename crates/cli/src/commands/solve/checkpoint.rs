//! `taquin solve --checkpoint` and `--resume`.

use std::path::Path;

use taquin::{Checkpoint, CheckpointError, Ending, Report, Session, Task};

use super::SolveArgs;
use crate::failure::Failure;
use crate::input::open_file;
use crate::output::{say, thousands};
use crate::watch::watched;

/// Solves a task whose progress is written to a file, which goes when there is nothing left to do.
pub(super) fn in_parts(
    args: &SolveArgs,
    session: &Session,
    task: &Task,
    from: Option<&Checkpoint>,
    path: &Path,
) -> Result<Report, Failure> {
    if from.is_none() && path.exists() {
        let message = format!("{} exists", path.display());
        let remedy = format!("go on with --resume {}, or remove it", path.display());
        return Err(Failure::input(message).hint(remedy));
    }
    if let Some((threshold, counts)) = from.map(Checkpoint::progress) {
        let done = thousands(counts.generated);
        say(&format!("going on at threshold {threshold}, after {done} nodes"));
    }
    let solved = watched(!args.quiet, |monitor| {
        session.run_with_checkpoint(task, from, (path, args.checkpoint_every), monitor)
    });
    let report = solved.map_err(|error| unwritten(&error))?;
    match report.outcome {
        Ending::Stopped => say(&format!("go on with: taquin solve --resume {}", path.display())),
        _ => std::fs::remove_file(path).unwrap_or_default(),
    }
    Ok(report)
}

pub(super) fn read(path: &Path) -> Result<Checkpoint, Failure> {
    // What can't be opened is told as of any other file.
    open_file(path, "a search that --checkpoint has written")?;
    Checkpoint::read(path).map_err(|error| {
        Failure::input(error.to_string()).hint("name a file that --checkpoint has written")
    })
}

fn unwritten(error: &CheckpointError) -> Failure {
    let failure = Failure::input(error.to_string());
    match error {
        CheckpointError::Method { .. } => {
            failure.hint("choose such a method, as in --method ida:pdb=6-6-6-6")
        }
        CheckpointError::File { path, error } => Failure::unwritable(path, error),
        _ => failure,
    }
}
