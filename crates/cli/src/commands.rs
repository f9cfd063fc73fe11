//! One module per command. No command uses another; shared code is next to this folder.

pub(crate) mod ask;
pub(crate) mod audit;
pub(crate) mod compare;
pub(crate) mod config;
pub(crate) mod convert;
pub(crate) mod draw;
pub(crate) mod enumerate;
pub(crate) mod experiment;
pub(crate) mod explain;
pub(crate) mod generate;
pub(crate) mod gpu;
pub(crate) mod grade;
pub(crate) mod help;
pub(crate) mod heuristic;
pub(crate) mod hint;
pub(crate) mod list;
pub(crate) mod match_counts;
pub(crate) mod page;
pub(crate) mod play;
pub(crate) mod queens;
pub(crate) mod reproduce;
pub(crate) mod route;
pub(crate) mod serve;
pub(crate) mod shell;
pub(crate) mod solvable;
pub(crate) mod solve;
pub(crate) mod spaces;
pub(crate) mod tables;
pub(crate) mod task;
pub(crate) mod verify;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use clap_complete::Shell;

use crate::failure::CommandResult;

/// Makes the enum that clap parses, and the function that runs one of its variants. A line names a
/// command, the older name that still works, and the module with its arguments and `run`.
macro_rules! commands {
    ($(
        $(#[$attribute:meta])*
        $name:literal $(or $old:literal)? => $variant:ident($($module:ident)::+: $args:ident),
    )*) => {
        #[derive(Subcommand, Debug)]
        pub(crate) enum Command {
            $(
                $(#[$attribute])*
                #[command(name = $name $(, alias = $old)?)]
                $variant($($module::)+$args),
            )*
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
                after_help = "Examples:\n  taquin man | man -l -\n  taquin man -o ~/.local/share/man/man1"
            )]
            Man {
                /// Write taquin.1, taquin-solve.1 and so on to this folder
                #[arg(long, short = 'o', alias = "out")]
                dir: Option<PathBuf>,
            },
        }

        /// Returns the arguments of the command with this name.
        pub(crate) fn one(name: &str) -> Option<clap::Command> {
            $(if name == $name $(|| name == $old)? {
                let command = clap::Command::new($name)$(.alias($old))?;
                return Some($($module::)+$args::augment_args(command));
            })*
            None
        }

        /// Runs a command and returns its exit code.
        pub(crate) fn run(command: Command) -> CommandResult {
            match command {
                $(Command::$variant(args) => $($module::)+run(&args),)*
                Command::Completions { shell } => shell::completions(shell),
                Command::Man { dir } => shell::man(dir.as_deref()),
            }
        }
    };
}

commands! {
    "solve" => Solve(solve: SolveArgs),
    "hint" => Hint(hint: HintArgs),
    "solvable" or "check" => Solvable(solvable: SolvableArgs),
    "verify" => Verify(verify: VerifyArgs),
    "generate" or "gen" => Generate(generate: GenerateArgs),
    "draw" or "show" => Draw(draw: DrawArgs),
    "play" => Play(play: PlayArgs),
    "explain" => Explain(explain: ExplainArgs),
    "compare" => Compare(compare: CompareArgs),
    "match" => Match(match_counts: MatchArgs),
    "grade" => Grade(grade: GradeArgs),
    "heuristic" => Heuristic(heuristic: HeuristicArgs),
    "audit" => Audit(audit: AuditArgs),
    "list" => List(list: ListArgs),
    "reproduce" => Reproduce(reproduce: ReproduceArgs),
    "experiment" => Experiment(experiment: ExperimentArgs),
    "enumerate" => Enumerate(enumerate: EnumerateArgs),
    "spaces" => Spaces(spaces: SpacesArgs),
    "task" => Task(task: TaskArgs),
    "tables" or "pdb" => Tables(tables: TablesArgs),
    "serve" => Serve(serve: ServeArgs),
    "page" => Page(page: PageArgs),
    "ask" => Ask(ask: AskArgs),
    "convert" => Convert(convert: ConvertArgs),
    "queens" => Queens(queens: QueensArgs),
    "route" => Route(route: RouteArgs),
    "gpu" => Gpu(gpu: GpuArgs),
    "config" => Config(config: ConfigArgs),
    "help" => Help(help: HelpArgs),
    // Older names of 'list methods', 'list courses' and 'task submit'.
    #[command(hide = true)]
    "methods" => Methods(list::methods: MethodsArgs),
    #[command(hide = true)]
    "courses" => Courses(list::courses: CoursesArgs),
    #[command(hide = true)]
    "submit" => Submit(task::submit: SubmitArgs),
}
