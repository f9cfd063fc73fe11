//! Preparing the tables that methods look up, and explaining why one is not available.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use taquin::{
    BuildError, ExploreError, FileError, FileFault, Preparation, Session, Size, SpaceError,
    TableError, TableEvent, Task, write_bytes,
};
use taquin_gpu::Cuda;

use crate::config::CONFIG;
use crate::failure::Failure;
use crate::output::{count, say, thousands, warning};
use crate::watch::interruptible;

/// Databases with at least this many entries are announced.
const ANNOUNCED: u64 = 20_000_000;

/// The time between two progress lines if standard error is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// A session with the table files of the account. Problems with them are warnings.
pub(crate) fn session() -> Session {
    quiet_session().with_warnings(|problem| warning(&problem.to_string()))
}

/// A session with the table files of the account.
pub(crate) fn quiet_session() -> Session {
    let session = match CONFIG.store() {
        Ok(store) => Session::with_folder(store.folder()),
        Err(_) => Session::without_folder(),
    };
    session.with_accelerator(Cuda::default())
}

/// Loads or builds a task's tables, and shows progress if that takes a long time.
pub(crate) fn prepare(session: &Session, task: &Task) -> Result<(), Failure> {
    let monitor = interruptible();
    Ok(shown(|report| session.prepare(task, &monitor, report))?)
}

/// Runs `work`, which makes tables, and shows its progress.
pub(crate) fn shown<T>(work: impl FnOnce(&mut (dyn FnMut(TableEvent<'_>) + Send)) -> T) -> T {
    let mut bar: Option<ProgressBar> = None;
    let mut said = Instant::now();
    let result = work(&mut |event| match event {
        // Small ones take no time.
        TableEvent::Planned(_, plan) if plan.entries < ANNOUNCED => {}
        TableEvent::PlannedAutomaton(_, plan) if !plan.is_long() => {}
        TableEvent::PlannedPerimeter(_, plan) if !plan.is_long() => {}
        TableEvent::Planned(..)
        | TableEvent::PlannedAutomaton(..)
        | TableEvent::PlannedPerimeter(..) => {
            say(&announced(event));
            bar = stderr().is_terminal().then(|| ProgressBar::new(1_000));
            let style = ProgressStyle::with_template("{wide_bar} {percent} %, {eta} left");
            if let (Some(bar), Ok(style)) = (&bar, style) {
                bar.set_style(style);
            }
        }
        TableEvent::Progress(fraction) => match &bar {
            Some(bar) if fraction < 1.0 => bar.set_position((fraction * 1_000.0) as u64),
            Some(bar) => bar.finish_and_clear(),
            None if said.elapsed() > LINE_INTERVAL => {
                said = Instant::now();
                say(&format!("{:.0} %", fraction * 100.0));
            }
            None => {}
        },
        // The session warns of the others.
        _ => {}
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    result
}

/// Announces a table that takes a long time.
fn announced(event: TableEvent<'_>) -> String {
    match event {
        TableEvent::Planned(pattern, plan) => format!(
            "building the pattern database for tiles {}: {} entries, {} (needs {} of memory)",
            pattern.tiles().iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            thousands(plan.entries),
            write_bytes(plan.table_bytes),
            write_bytes(plan.build_bytes),
        ),
        TableEvent::PlannedAutomaton(shape, plan) => format!(
            "building the automaton for {shape}: about {} sequences of moves (needs {} of memory, \
             takes about {:.0} s)",
            thousands(plan.sequences),
            write_bytes(plan.build_bytes),
            plan.seconds().ceil(),
        ),
        TableEvent::PlannedPerimeter(shape, plan) => format!(
            "finding the {} boards within {} moves of a goal: {} sequences of moves, {} (takes \
             about {:.0} s)",
            shape.size(),
            plan.moves,
            thousands(plan.sequences),
            write_bytes(plan.bytes),
            plan.seconds().ceil(),
        ),
        _ => String::new(),
    }
}

/// Gets the tables that several tasks need, before their clocks start.
pub(crate) fn prepare_all<'a>(
    session: &Session,
    tasks: impl Iterator<Item = &'a Task>,
) -> Result<(), Failure> {
    let (preparation, monitor) = (Preparation::new(session), interruptible());
    for task in tasks.filter(|task| task.method.estimate.is_some()) {
        shown(|report| preparation.prepare(task, &monitor, report))?;
    }
    Ok(())
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        let failure = Failure::input(error.to_string());
        match &error {
            TableError::Build(build) => match build {
                BuildError::Cancelled => Failure::interrupted(),
                BuildError::Memory { needed, allowed } => Failure::memory(format!(
                    "building takes {} of memory, and {} are allowed",
                    write_bytes(*needed),
                    write_bytes(*allowed)
                ))
                .hint("increase --memory, or use smaller patterns"),
                BuildError::Automaton { longest, needed, allowed } => Failure::memory(format!(
                    "prune={longest} takes {} of memory, and {} are allowed",
                    write_bytes(*needed),
                    write_bytes(*allowed)
                ))
                .hint("increase --memory, or use a smaller prune"),
                BuildError::Perimeter { moves, needed, allowed } => Failure::memory(format!(
                    "the boards within {moves} moves take {} of memory, and {} are allowed",
                    write_bytes(*needed),
                    write_bytes(*allowed)
                ))
                .hint("increase --memory"),
                _ => failure,
            },
            TableError::Partition(_) => failure.hint("'small' names databases for every size"),
            TableError::Walking(_) => failure.hint("'taquin list methods' lists the heuristics"),
            _ => failure,
        }
    }
}

/// Converts the error of a table that was built and cannot be stored.
pub(crate) fn unsaved(error: &FileError) -> Failure {
    match &error.fault {
        FileFault::Io(cause) => Failure::unwritable(&error.path, cause),
        _ => Failure::input(error.to_string()),
    }
}

/// Converts the error of a whole space, with a hint.
pub(crate) fn no_space(error: &SpaceError, size: Size) -> Failure {
    match error {
        SpaceError::Explore(error @ ExploreError::Memory { .. }) => {
            no_memory(error, &size.to_string())
        }
        SpaceError::Explore(ExploreError::Cancelled) => Failure::interrupted(),
        SpaceError::File(error) => unsaved(error),
        SpaceError::Gpu(error) => error.clone().into(),
        _ => Failure::input(error.to_string()),
    }
}

/// Converts the error for a space, or for `what`, that does not fit into memory.
pub(crate) fn no_memory(error: &ExploreError, what: &str) -> Failure {
    let ExploreError::Memory { states, needed, allowed } = error else {
        return Failure::interrupted();
    };
    let boards = match *states {
        u64::MAX => "more boards than fit in 64 bits".to_owned(),
        states => count(states, "board", "boards"),
    };
    let takes = match *needed {
        u64::MAX => "far more memory than any machine has".to_owned(),
        needed => format!("{} of memory", write_bytes(needed)),
    };
    let allowed = write_bytes(*allowed);
    Failure::memory(format!("{what} has {boards}, which need {takes}; the limit is {allowed}"))
        .hint("choose a smaller board, or increase --memory")
}
