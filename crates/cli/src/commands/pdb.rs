//! `taquin pdb`.

use std::fmt::Write;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use taquin::{
    Board, Costs, Estimate, Info, Method, NamedGoal, Partition, Puzzle, Session, Size, Store,
    TableError, TableEvent, Task, TaskLimits, free_memory, read_board, table_file, write_bytes,
};

use crate::failure::{Failure, Outcome};
use crate::output::{BOLD, PLAIN, print, say, thousands};
use crate::watch::interruptible;

/// Build, list, check and remove pattern databases
///
/// They are kept in the platform's cache folder, or where `TAQUIN_CACHE` says.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  taquin pdb build 6-6-3                       for the 15-puzzle with goal last
  taquin pdb build 7-8 --goal first
  taquin pdb build 1.2.3.4/5.6.7.8 --size 3x3
  taquin pdb list
  taquin pdb info 6-6-3
  taquin pdb verify
  taquin pdb remove 7-8")]
pub(crate) struct PdbArgs {
    #[command(subcommand)]
    command: PdbCommand,
}

#[derive(Subcommand, Debug)]
enum PdbCommand {
    /// Build the databases of a partition, unless they are there
    Build {
        #[command(flatten)]
        which: Which,
        /// Build them again if a file does not serve
        #[arg(long)]
        rebuild: bool,
        /// Use at most this much memory: 1G, 4G [default: three quarters of what is free]
        #[arg(long, value_name = "BYTES", value_parser = taquin::read_bytes)]
        memory: Option<u64>,
    },
    /// List the databases that are kept
    List,
    /// Show what the databases of a partition hold
    Info {
        #[command(flatten)]
        which: Which,
    },
    /// Check every byte of the databases that are kept, or of one partition's
    Verify {
        /// The partition; all that are kept without one
        partition: Option<Partition>,
        #[command(flatten)]
        goal: GoalOf,
    },
    /// Remove the databases of a partition
    Remove {
        #[command(flatten)]
        which: Which,
    },
}

/// Which databases.
#[derive(Args, Debug)]
struct Which {
    /// The partition: 5-5-5, 6-6-3, 7-8, 6-6-6-6, or tiles as in 1.2.3/4.5.6
    partition: Partition,
    #[command(flatten)]
    goal: GoalOf,
}

#[derive(Args, Debug)]
struct GoalOf {
    /// The goal: last, first, snail, or a board
    #[arg(long, short, default_value = "last", value_name = "GOAL")]
    goal: String,
    /// The board's size, for a partition given as tiles
    #[arg(long, value_name = "RxC")]
    size: Option<Size>,
    /// The number of blanks
    #[arg(long, default_value_t = 1, value_name = "N")]
    blanks: usize,
}

impl GoalOf {
    fn board(&self, partition: &Partition) -> Result<Board, Failure> {
        let named = Partition::named().find(|(named, _)| named == partition).map(|(_, size)| size);
        let Some(size) = self.size.or(named) else {
            return Err(Failure::input(format!(
                "the size of the board that {partition} is for is open"
            ))
            .hint("give it, as in --size 4x4"));
        };
        if !(1..=size.cells()).contains(&self.blanks) {
            return Err(Failure::input(format!("a {size} board has 1 to {} blanks", size.cells())));
        }
        match self.goal.parse::<NamedGoal>() {
            Ok(goal) => Ok(goal.board(size, self.blanks)),
            Err(_) => read_board(&self.goal, Some(size))
                .map_err(|error| Failure::board(&error, None, &self.goal)),
        }
    }
}

pub(crate) fn run(args: &PdbArgs) -> Outcome {
    match &args.command {
        PdbCommand::Build { which, rebuild, memory } => build(which, *rebuild, *memory),
        PdbCommand::List => list(),
        PdbCommand::Info { which } => {
            let text: Result<String, Failure> =
                infos(which)?.iter().map(|info| Ok(describe(info, true))).collect();
            print(&text?)?;
            Ok(0)
        }
        PdbCommand::Verify { partition, goal } => verify(partition.as_ref(), goal),
        PdbCommand::Remove { which } => remove(which),
    }
}

fn store() -> Result<Store, Failure> {
    Store::of_account().map_err(|error| Failure::input(error.to_string()))
}

fn build(which: &Which, rebuild: bool, memory: Option<u64>) -> Outcome {
    let goal = which.goal.board(&which.partition)?;
    if rebuild {
        let store = store()?;
        for pattern in patterns(which)? {
            if store.load(&pattern).is_err() {
                let _ = store.remove(pattern.shape());
            }
        }
    }
    let puzzle =
        Puzzle::new(goal.clone(), goal).map_err(|error| Failure::input(error.to_string()))?;
    let method = Method::new(taquin::Algorithm::Ida, Some(Estimate::Pdb(which.partition.clone())));
    let mut task = Task::new(puzzle, method);
    task.cost = Costs::Unit;
    task.limits = TaskLimits {
        memory: memory.or_else(|| free_memory().map(|bytes| bytes / 4 * 3)),
        ..TaskLimits::default()
    };
    prepare(&Session::new(), &task)?;
    let text: String = infos(which)?.iter().map(|info| describe(info, false)).collect();
    print(&text)?;
    Ok(0)
}

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
        TableError::Store(taquin::StoreError::File(_)) => failure
            .hint("'taquin pdb build --rebuild' makes it anew, 'taquin pdb remove' removes it"),
        TableError::Store(taquin::StoreError::Build(build)) => match build {
            taquin::BuildError::Cancelled => Failure::interrupted(),
            taquin::BuildError::Memory { .. } => Failure::memory(error.to_string())
                .hint("give more --memory, or take smaller patterns"),
            _ => failure,
        },
        TableError::Walking(_) | TableError::Partition(_) => {
            failure.hint("'taquin methods' lists the heuristics")
        }
        _ => failure,
    }
}

fn patterns(which: &Which) -> Result<Vec<taquin::Pattern>, Failure> {
    let goal = which.goal.board(&which.partition)?;
    which.partition.patterns(&goal).map_err(|error| Failure::input(error.to_string()))
}

fn infos(which: &Which) -> Result<Vec<Info>, Failure> {
    let store = store()?;
    let each = patterns(which)?.into_iter().map(|pattern| {
        table_file::info(&store.path(pattern.shape())).map_err(|error| {
            Failure::input(error.to_string())
                .hint(format!("'taquin pdb build {}' makes it", which.partition))
        })
    });
    each.collect()
}

fn describe(info: &Info, histogram: bool) -> String {
    let mut text = format!(
        "{BOLD}{}{PLAIN}: {} entries, {}, {}\n",
        info.shape,
        thousands(info.entries),
        write_bytes(info.bytes),
        info.path.display()
    );
    if histogram {
        let most = info.histogram.iter().copied().max().unwrap_or(1).max(1);
        for (value, &entries) in
            info.histogram.iter().enumerate().filter(|(_, entries)| **entries > 0)
        {
            let bar = "#".repeat((entries * 50).div_ceil(most) as usize);
            let _ = writeln!(text, "  {value:>3} {:>14}  {bar}", thousands(entries));
        }
    }
    text
}

fn list() -> Outcome {
    let store = store()?;
    let files = store
        .list()
        .map_err(|error| Failure::input(format!("{}: {error}", store.folder().display())))?;
    if files.is_empty() {
        say(&format!("there are no databases in {}", store.folder().display()));
    }
    let mut text = String::new();
    for file in files {
        match file {
            Ok(info) => text += &describe(&info, false),
            Err(error) => {
                let _ = writeln!(text, "{error}");
            }
        }
    }
    print(&text)?;
    Ok(0)
}

fn verify(partition: Option<&Partition>, goal: &GoalOf) -> Outcome {
    let store = store()?;
    let paths: Vec<_> = match partition {
        Some(partition) => {
            let goal = goal.board(partition)?;
            let patterns =
                partition.patterns(&goal).map_err(|error| Failure::input(error.to_string()))?;
            patterns.iter().map(|pattern| store.path(pattern.shape())).collect()
        }
        None => {
            let files = store.list().map_err(|error| {
                Failure::input(format!("{}: {error}", store.folder().display()))
            })?;
            files
                .into_iter()
                .map(|file| file.map_or_else(|error| error.path, |info| info.path))
                .collect()
        }
    };
    let mut bad = false;
    for path in paths {
        match table_file::verify(&path) {
            Ok(info) => {
                print(&format!("{}: every byte is as it was built\n", info.path.display()))?;
            }
            Err(error) => {
                bad = true;
                print(&format!("{error}\n"))?;
            }
        }
    }
    Ok(u8::from(bad))
}

fn remove(which: &Which) -> Outcome {
    let store = store()?;
    for pattern in patterns(which)? {
        let removed =
            store.remove(pattern.shape()).map_err(|error| Failure::input(error.to_string()))?;
        let path = store.path(pattern.shape());
        match removed {
            true => say(&format!("removed {}", path.display())),
            false => say(&format!("there is no {}", path.display())),
        }
    }
    Ok(0)
}
