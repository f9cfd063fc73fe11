//! `taquin gen`.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Parser;
use taquin::{
    Board, BoardFormat, DepthError, Random, Session, Size, free_memory, scramble, write_board,
};

use crate::failure::{CommandResult, Failure};
use crate::input::named_goal;
use crate::output::{count, say};
use crate::watch::interruptible;

/// Generate random boards
///
/// A seed gives the same boards on every machine.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin gen --size 4x4 --count 5 --seed 7      uniformly random, all solvable
  taquin gen --size 3 --depth 20 --count 10     exactly 20 moves from the goal
  taquin gen --size 6 --walk 50                 50 random moves from the goal
  taquin gen --size 3x5 --blanks 2 --format rows")]
pub(crate) struct GenArgs {
    /// The size of the boards
    #[arg(long, default_value = "3x3", value_name = "RxC")]
    size: Size,
    /// The number of blanks
    #[arg(long, default_value_t = 1, value_name = "N")]
    blanks: usize,
    /// The goal that the boards can reach: last, first, snail, or a board
    #[arg(long, short, default_value = "last", value_name = "GOAL")]
    goal: String,
    /// How many boards
    #[arg(long, short = 'n', default_value_t = 1, value_name = "N")]
    count: usize,
    /// What the boards are drawn from [default: the time, and it is said]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Walk this many random moves from the goal
    #[arg(long, value_name = "MOVES", conflicts_with = "depth")]
    walk: Option<usize>,
    /// Only boards whose shortest solution has exactly this many moves
    #[arg(long, value_name = "MOVES")]
    depth: Option<u64>,
    /// How to write them: slashes, rows, nested, flat, digits or sized
    #[arg(long, default_value_t, value_name = "FORMAT")]
    format: BoardFormat,
    /// Use at most this much memory for --depth: 200M, 2G
    #[arg(long, value_name = "BYTES", value_parser = taquin::read_bytes)]
    memory: Option<u64>,
}

pub(crate) fn run(args: &GenArgs) -> CommandResult {
    let goal = named_goal(&args.goal, args.size, args.blanks)?;
    let seed = args.seed.unwrap_or_else(|| {
        let seed =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros() as u64);
        say(&format!("seed {seed}"));
        seed
    });
    let mut random = Random::new(seed);
    let mut out = std::io::stdout().lock();
    let mut write = |board: &Board| -> Result<(), Failure> {
        let text = write_board(board, args.format, '0').map_err(|error| {
            Failure::input(error.to_string()).hint("choose another --format, such as slashes")
        })?;
        Ok(writeln!(out, "{text}")?)
    };
    match (args.depth, args.walk) {
        (Some(depth), _) => {
            let boards = exact(args, &goal, depth, &mut random)?;
            if boards.len() < args.count {
                let there = count(boards.len() as u64, "board is", "boards are");
                say(&format!("only {there} exactly {depth} moves from the goal: here are all"));
            }
            boards.iter().try_for_each(&mut write)?;
        }
        (None, Some(moves)) => {
            (0..args.count).try_for_each(|_| write(&scramble::walk(&goal, moves, &mut random)))?;
        }
        (None, None) => {
            (0..args.count).try_for_each(|_| write(&scramble::uniform(&goal, &mut random)))?;
        }
    }
    Ok(0)
}

fn exact(
    args: &GenArgs,
    goal: &Board,
    depth: u64,
    random: &mut Random,
) -> Result<Vec<Board>, Failure> {
    let memory = args.memory.or_else(|| free_memory().map(|bytes| bytes / 4 * 3));
    let session = Session::new();
    session.at_depth(goal, depth, args.count, random, memory, &interruptible()).map_err(|error| {
        match error {
            DepthError::None { deepest } => Failure::input(format!(
                "no board is {depth} moves from the goal: the farthest are {deepest} away"
            )),
            DepthError::Memory { reached } => Failure::memory(format!(
                "there are too many boards up to depth {depth}: memory was full at depth {reached}"
            ))
            .hint("choose a smaller depth or board, or give more --memory"),
            _ => Failure::interrupted(),
        }
    })
}
