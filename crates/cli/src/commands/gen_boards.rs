//! `taquin gen`.

use std::io::Write;

use clap::Parser;
use taquin::{BoardFormat, DepthError, Random, Size, free_memory, read_bytes, write_board};
use taquin_lab::{Draw, clock_seed};

use crate::failure::{CommandResult, Failure};
use crate::input::goal_of_size;
use crate::output::{count, say};
use crate::tables;
use crate::watch::interruptible;

/// Generate random boards
///
/// A seed gives the same boards on every machine.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin gen --size 4x4 --count 5 --seed 7    uniformly random, all solvable
  taquin gen --size 3 --depth 20 --count 10   exactly 20 moves from the goal
  taquin gen --size 6 --walk 50               50 random moves from the goal
  taquin gen --size 3x5 --blanks 2 --format rows")]
pub(crate) struct GenArgs {
    /// Size of the boards
    #[arg(long, default_value = "3x3", value_name = "RxC")]
    size: Size,
    /// Number of blanks
    #[arg(long, default_value_t = 1, value_name = "N")]
    blanks: usize,
    /// Goal that the boards can reach: last, first, snail, or a board
    #[arg(long, short, default_value = "last", value_name = "GOAL")]
    goal: String,
    /// Number of boards
    #[arg(long, short = 'n', default_value_t = 1, value_name = "N")]
    count: usize,
    /// Random seed [default: from the clock; printed to stderr]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Make this many random moves from the goal
    #[arg(long, value_name = "MOVES", conflicts_with = "depth")]
    walk: Option<usize>,
    /// Only boards whose shortest solution has exactly this many moves
    #[arg(long, value_name = "MOVES")]
    depth: Option<u64>,
    /// Notation: slashes, rows, nested, flat, digits or sized
    #[arg(long, default_value_t, value_name = "FORMAT")]
    format: BoardFormat,
    /// With --depth: memory limit, such as 200M or 2G [default: three quarters of the free memory]
    #[arg(long, value_name = "BYTES", value_parser = read_bytes, requires = "depth", conflicts_with = "walk")]
    memory: Option<u64>,
}

pub(crate) fn run(args: &GenArgs) -> CommandResult {
    let goal = goal_of_size(&args.goal, args.size, args.blanks)?;
    let seed = args.seed.unwrap_or_else(|| {
        let seed = clock_seed();
        say(&format!("seed {seed}"));
        seed
    });
    let draw = match (args.depth, args.walk) {
        (Some(depth), _) => Draw::Depth(depth),
        (None, Some(moves)) => Draw::Walk(moves),
        (None, None) => Draw::Uniform,
    };
    let memory = args.memory.or_else(|| free_memory().map(|bytes| bytes / 4 * 3));
    let random = Random::new(seed);
    let boards = draw
        .boards(&goal, args.count, random, &tables::session(), memory, &interruptible())
        .map_err(|error| failure(&error, args.depth.unwrap_or(0)))?;
    let mut out = std::io::stdout().lock();
    let mut written = 0;
    for board in boards {
        let text = write_board(&board, args.format, '0').map_err(|error| {
            Failure::input(error.to_string()).hint("choose another --format, such as slashes")
        })?;
        // Boards of several lines have an empty line between them.
        let between = if written > 0 && args.format.takes_lines() { "\n" } else { "" };
        writeln!(out, "{between}{text}")?;
        written += 1;
    }
    if let (Some(depth), true) = (args.depth, written < args.count) {
        let all = count(written as u64, "board is", "boards are");
        say(&format!("only {all} exactly {depth} moves from the goal"));
    }
    Ok(0)
}

fn failure(error: &DepthError, depth: u64) -> Failure {
    match error {
        DepthError::None { deepest } => Failure::input(format!(
            "no board is {depth} moves from the goal; the farthest boards are {deepest} moves away"
        )),
        DepthError::Memory { reached } => Failure::memory(format!(
            "too many boards up to depth {depth}: out of memory at depth {reached}"
        ))
        .hint("choose a smaller depth or board, or increase --memory"),
        _ => Failure::interrupted(),
    }
}
