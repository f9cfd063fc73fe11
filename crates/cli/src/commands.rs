//! One module per command. No command uses another; shared code is next to this folder.

pub(crate) mod ask;
pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod config;
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
pub(crate) mod page;
pub(crate) mod pdb;
pub(crate) mod play;
pub(crate) mod queens;
pub(crate) mod reproduce;
pub(crate) mod route;
pub(crate) mod serve;
pub(crate) mod shell;
pub(crate) mod show;
pub(crate) mod solve;
pub(crate) mod submit;
pub(crate) mod task;
pub(crate) mod verify;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use clap_complete::Shell;

use crate::failure::CommandResult;

/// Makes the enum that clap parses, and the function that runs one of its variants: each is a module
/// with its arguments and `run`.
macro_rules! commands {
    ($($variant:ident: $module:ident::$args:ident,)*) => {
        #[derive(Subcommand, Debug)]
        pub(crate) enum Command {
            $($variant($module::$args),)*
            /// Print a completion script for a shell
            #[command(after_help = "\
Example:
  taquin completions bash > ~/.local/share/bash-completion/completions/taquin")]
            Completions {
                /// Shell
                shell: Shell,
            },
            /// Print the manual page, or write one for every command to a folder
            #[command(
                after_help = "Examples:\n  taquin man | man -l -\n  taquin man --dir ~/.local/share/man/man1"
            )]
            Man {
                /// Write taquin.1, taquin-solve.1 and so on to this folder
                #[arg(long)]
                dir: Option<PathBuf>,
            },
        }

        /// Returns the arguments of the command of this name.
        pub(crate) fn one(name: &'static str) -> Option<clap::Command> {
            $(if name == stringify!($variant).to_ascii_lowercase() {
                return Some($module::$args::augment_args(clap::Command::new(name)));
            })*
            None
        }

        /// Runs a command and returns its exit code.
        pub(crate) fn run(command: Command) -> CommandResult {
            match command {
                $(Command::$variant(args) => $module::run(&args),)*
                Command::Completions { shell } => shell::completions(shell),
                Command::Man { dir } => shell::man(dir.as_deref()),
            }
        }
    };
}

commands! {
    Solve: solve::SolveArgs,
    Hint: hint::HintArgs,
    Check: check::CheckArgs,
    Gen: gen_boards::GenArgs,
    Verify: verify::VerifyArgs,
    Heuristic: heuristic::HeuristicArgs,
    Convert: convert::ConvertArgs,
    Show: show::ShowArgs,
    Compare: compare::CompareArgs,
    Experiment: experiment::ExperimentArgs,
    Task: task::TaskArgs,
    Submit: submit::SubmitArgs,
    Courses: courses::CoursesArgs,
    Reproduce: reproduce::ReproduceArgs,
    Match: match_counts::MatchArgs,
    Explain: explain::ExplainArgs,
    Ask: ask::AskArgs,
    Audit: audit::AuditArgs,
    Enumerate: enumerate::EnumerateArgs,
    Gpu: gpu::GpuArgs,
    Queens: queens::QueensArgs,
    Route: route::RouteArgs,
    Serve: serve::ServeArgs,
    Page: page::PageArgs,
    Play: play::PlayArgs,
    Pdb: pdb::PdbArgs,
    Config: config::ConfigArgs,
    Methods: methods::MethodsArgs,
}
