//! The program `taquin`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(taquin_cli::run(std::env::args_os().collect(), None))
}
