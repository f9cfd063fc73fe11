//! Commands for contributors: `cargo xtask check | test | words | book | browser | page | npm |
//! python | gpu | sign | fuzz | learn | release | bench`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a program that people read while it works"
)]

mod bench;
mod book;
mod browser;
mod fuzz;
mod gpu;
mod learn;
mod npm;
mod page;
mod python;
mod release;
mod sign;
mod steps;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::steps::Rules;

/// Commands for contributors.
#[derive(Parser)]
#[command(name = "cargo xtask", arg_required_else_help = true)]
enum Command {
    /// Format, lints, documentation, words and the book.
    Check,
    /// Everything that `check` does, then all tests. Steps whose programs are missing are skipped;
    /// with CI=true they are installed, and a skipped step is a failure.
    Test {
        /// Run the slow tests as well.
        #[arg(long)]
        slow: bool,
        /// Install missing programs: parts of the toolchain, Node, Chromium and Python (with
        /// apt-get).
        #[arg(long)]
        install: bool,
    },
    /// Checks the words of documents, help strings and comments, and prints the documents' rates.
    Words,
    /// Checks the book, and writes it to target/book.
    Book,
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
    /// The package for JavaScript: packs it (target/npm) and tests it in Node and in a browser.
    Npm {
        /// Pack only.
        #[arg(long)]
        pack: bool,
        /// Install Node, Chromium and the target of the module if they are missing.
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
        /// How much processor time.
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
    /// Checks a release as far as possible without a network and an account: RELEASING.md has the
    /// rest.
    Release {
        /// Publish nothing: this program never does.
        #[arg(long, required_unless_present = "sums")]
        dry_run: bool,
        /// Leave out what takes minutes.
        #[arg(long)]
        quick: bool,
        /// Install Node, Chromium, Python and the target of the module if they are missing.
        #[arg(long)]
        install: bool,
        /// Render the manifests of package managers with the checksums in this file instead.
        #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
        sums: Option<PathBuf>,
    },
    /// Measurements, compared with their targets, in a release build.
    Bench(bench::Options),
    /// The measurements themselves.
    #[command(hide = true)]
    BenchInner(bench::Options),
    /// One piece of work in a process of its own.
    #[command(hide = true)]
    BenchChild { work: String, arguments: Vec<String> },
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
        Command::Words => words::check(true)?,
        Command::Book => book::run()?,
        Command::Browser { install } => {
            steps::run(&[steps::BROWSER], Rules { strict: true, ..rules(install) })
        }
        Command::Page { pictures: true, install, .. } => browser::pictures(install || ci),
        Command::Page { out, install, .. } => page::run(out, install || ci),
        Command::Npm { pack, install } => {
            let ending = npm::run(pack, install || ci);
            eprintln!("{ending:?}");
            ending == steps::Ending::Passed
        }
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
        Command::Release { sums: Some(file), .. } => {
            release::manifests(&std::fs::read_to_string(file)?).is_ok()
        }
        Command::Release { quick, install, .. } => release::dry_run(quick, rules(install)),
        Command::Bench(_) => bench::in_release()?,
        Command::BenchInner(options) => bench::bench(&options)?,
        Command::BenchChild { work, arguments } => bench::child(&work, &arguments)?,
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
