//! What a contributor runs: `cargo xtask check | test | browser | page | python | gpu | sign | fuzz | learn | bench`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a program that people read while it works"
)]

mod bench;
mod browser;
mod fuzz;
mod gpu;
mod learn;
mod page;
mod python;
mod sign;
mod steps;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::steps::Rules;

/// What a contributor runs.
#[derive(Parser)]
#[command(name = "cargo xtask", arg_required_else_help = true)]
enum Command {
    /// Format, lints and documentation.
    Check,
    /// Everything that `check` does, then all tests. Steps whose programs are missing are skipped;
    /// with CI=true they are installed, and a skipped step is a failure.
    Test {
        /// Run the slow tests as well.
        #[arg(long)]
        slow: bool,
        /// Install missing programs: parts of the toolchain, Node, Chromium and Python (with apt-get).
        #[arg(long)]
        install: bool,
    },
    /// The tests of the page in a browser, with and without a server.
    Browser {
        /// Install Node and Chromium (with apt-get) if they are missing.
        #[arg(long)]
        install: bool,
    },
    /// Builds the module of the page without a server, which the program embeds.
    Page {
        /// Build the program with it, and write the page to this folder.
        #[arg(long)]
        out: Option<PathBuf>,
        /// Write the pictures of README.md (docs/pictures) again instead.
        #[arg(long, conflicts_with = "out")]
        pictures: bool,
        /// Install the target of the module (with rustup) if it is missing.
        #[arg(long)]
        install: bool,
    },
    /// The tests of the Python package, in a virtual environment below target/.
    Python {
        /// Install what Python needs for that (with apt-get) if it is missing.
        #[arg(long)]
        install: bool,
    },
    /// The kernels for CUDA devices: whether they compile, and their tests where there is a device.
    Gpu {
        /// Install the compiler of the kernels (with pip) if it is missing.
        #[arg(long)]
        install: bool,
        /// Compile the kernels after a change, which writes crates/gpu/kernels/ptx.
        #[arg(long)]
        compile: bool,
    },
    /// One number made of the node counts of a fixed set of searches.
    Sign {
        /// Show each search.
        #[arg(long)]
        verbose: bool,
        /// Make this number the one that the tests expect.
        #[arg(long)]
        accept: bool,
    },
    /// Mutated input for everything that reads text or files.
    Fuzz {
        /// How long.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Repeat the inputs of an earlier run; without it, each run has its own.
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Learn the weights of the anytime solver and compare them with those in use (some minutes).
    Learn {
        /// Write the weights to the source file.
        #[arg(long)]
        write: bool,
    },
    /// Measurements beside their targets, in a release build.
    Bench(bench::Options),
    /// The measurements themselves.
    #[command(hide = true)]
    BenchInner(bench::Options),
    /// One piece of work in a process of its own.
    #[command(hide = true)]
    BenchChild { work: String, argument: String },
}

fn main() -> anyhow::Result<ExitCode> {
    let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
    let rules = |install| Rules { install: install || ci, strict: ci };
    let passed = match Command::parse() {
        Command::Check => steps::run(&steps::CHECK, rules(false)),
        Command::Test { slow, install } => {
            let mut all = steps::CHECK.to_vec();
            all.extend([steps::TEST, steps::FULL_DISK, steps::KERNELS]);
            all.extend([steps::BROWSER, steps::PYTHON]);
            all.extend(slow.then_some([steps::SLOW, steps::SLURM]).into_iter().flatten());
            steps::run(&all, rules(install))
        }
        Command::Browser { install } => {
            steps::run(&[steps::BROWSER], Rules { strict: true, ..rules(install) })
        }
        Command::Page { pictures: true, install, .. } => browser::pictures(install || ci),
        Command::Page { out, install, .. } => page::run(out, install || ci),
        Command::Python { install } => {
            steps::run(&[steps::PYTHON], Rules { strict: true, ..rules(install) })
        }
        Command::Gpu { compile: true, .. } => gpu::write_ptx()?,
        Command::Gpu { install, .. } => {
            steps::run(&[steps::KERNELS, steps::DEVICE], rules(install))
        }
        Command::Sign { verbose, accept } => sign::sign(verbose, accept)?,
        Command::Fuzz { seconds, seed } => fuzz::fuzz(Duration::from_secs(seconds), seed)?,
        Command::Learn { write } => learn::learn(write)?,
        Command::Bench(options) => bench::in_release(&options)?,
        Command::BenchInner(options) => bench::bench(&options)?,
        Command::BenchChild { work, argument } => bench::child(&work, &argument)?,
    };
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A path in the repository.
fn path(inside: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(inside)
}

/// The cargo that runs this program.
fn cargo() -> std::process::Command {
    std::process::Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
