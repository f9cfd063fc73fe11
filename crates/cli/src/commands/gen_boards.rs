//! `taquin gen`.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use taquin::{Board, DepthError, Random, Session, free_memory, scramble, write_board};

use crate::args::GenArgs;
use crate::failure::{Failure, Outcome};
use crate::input::named_goal;
use crate::output::{count, say};
use crate::watch::interruptible;

pub(crate) fn run(args: &GenArgs) -> Outcome {
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
