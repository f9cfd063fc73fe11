//! Tables that methods look up: getting them before a search, and why there are none.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use taquin::{
    BuildError, ExploreError, Session, Size, SpaceError, TableError, TableEvent, TableStoreError,
    Task, write_bytes,
};

use crate::failure::Failure;
use crate::output::{count, say, thousands};
use crate::watch::interruptible;

/// Databases of as many entries are announced.
const ANNOUNCED: u64 = 20_000_000;

/// How often to say how far it is, where there is no terminal.
const EVERY: Duration = Duration::from_secs(5);

/// Gets the tables that a task needs, and says how it goes if that takes time.
pub(crate) fn prepare(session: &Session, task: &Task) -> Result<(), Failure> {
    let monitor = interruptible();
    let mut bar: Option<ProgressBar> = None;
    let mut said = Instant::now();
    let result = session.prepare(task, &monitor, &mut |event| match event {
        // Small ones are built before anybody could read about it.
        TableEvent::Planned(_, plan) if plan.entries < ANNOUNCED => {}
        TableEvent::Planned(pattern, plan) => {
            say(&format!(
                "building the database of tiles {}: {} entries, {}, with {} of memory",
                pattern.tiles().iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
                thousands(plan.entries),
                write_bytes(plan.table_bytes),
                write_bytes(plan.build_bytes),
            ));
            bar = stderr().is_terminal().then(|| ProgressBar::new(1_000));
            let style = ProgressStyle::with_template("{wide_bar} {percent} %, {eta} left");
            if let (Some(bar), Ok(style)) = (&bar, style) {
                bar.set_style(style);
            }
        }
        TableEvent::Progress(fraction) => match &bar {
            Some(bar) if fraction < 1.0 => bar.set_position((fraction * 1_000.0) as u64),
            Some(bar) => bar.finish_and_clear(),
            None if said.elapsed() > EVERY => {
                said = Instant::now();
                say(&format!("{:.0} %", fraction * 100.0));
            }
            None => {}
        },
        TableEvent::NotSaved(error) => say(&format!("the database could not be kept: {error}")),
        _ => {}
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    result.map_err(|error| refused(&error))
}

/// Why there are no tables, with a remedy.
fn refused(error: &TableError) -> Failure {
    let failure = Failure::input(error.to_string());
    match error {
        TableError::Store(TableStoreError::File(_)) => failure
            .hint("'taquin pdb build --rebuild' makes it anew, 'taquin pdb remove' removes it"),
        TableError::Store(TableStoreError::Build(build)) => match build {
            BuildError::Cancelled => Failure::interrupted(),
            BuildError::Memory { .. } => Failure::memory(error.to_string())
                .hint("give more --memory, or take smaller patterns"),
            _ => failure,
        },
        TableError::Walking(_) | TableError::Partition(_) => {
            failure.hint("'taquin methods' lists the heuristics")
        }
        _ => failure,
    }
}

/// Why there is no space or table.
pub(crate) fn no_space(error: &SpaceError, size: Size) -> Failure {
    match error {
        SpaceError::Explore(ExploreError::Memory { states, needed, allowed }) => {
            let boards = match *states {
                u64::MAX => "more boards than can be counted".to_owned(),
                states => count(states, "board", "boards"),
            };
            let takes = match *needed {
                u64::MAX => "more than any machine has".to_owned(),
                needed => format!("{} of memory", write_bytes(needed)),
            };
            let allowed = write_bytes(*allowed);
            Failure::memory(format!("{size} has {boards}: {takes}, and {allowed} are allowed"))
                .hint("choose a smaller board, more blanks, or give more --memory")
        }
        SpaceError::Explore(ExploreError::Cancelled) => Failure::interrupted(),
        _ => Failure::input(error.to_string()),
    }
}
