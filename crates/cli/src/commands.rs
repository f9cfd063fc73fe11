//! One module per command. No command uses another; shared code is next to this folder.

pub(crate) mod ask;
pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod courses;
pub(crate) mod enumerate;
pub(crate) mod experiment;
pub(crate) mod explain;
pub(crate) mod gen_boards;
pub(crate) mod gpu;
pub(crate) mod heuristic;
pub(crate) mod hint;
pub(crate) mod match_counts;
pub(crate) mod methods;
pub(crate) mod pdb;
pub(crate) mod queens;
pub(crate) mod reproduce;
pub(crate) mod route;
pub(crate) mod serve;
pub(crate) mod shell;
pub(crate) mod show;
pub(crate) mod solve;
pub(crate) mod verify;

use crate::args::Command;
use crate::failure::CommandResult;

/// Runs a command and returns its exit code.
pub(crate) fn run(command: Command) -> CommandResult {
    match command {
        Command::Solve(args) => solve::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Gen(args) => gen_boards::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Hint(args) => hint::run(&args),
        Command::Heuristic(args) => heuristic::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Pdb(args) => pdb::run(&args),
        Command::Methods => methods::run(),
        Command::Show(args) => show::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Experiment(args) => experiment::run(&args),
        Command::Courses(args) => courses::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Match(args) => match_counts::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Ask(args) => ask::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Enumerate(args) => enumerate::run(&args),
        Command::Gpu(args) => gpu::run(&args),
        Command::Queens(args) => queens::run(&args),
        Command::Route(args) => route::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Completions { shell } => shell::completions(shell),
        Command::Man { dir } => shell::man(dir.as_deref()),
    }
}
