//! `taquin verify`.

use std::time::Duration;

use clap::Parser;
use taquin::{
    Notation, Session, Size, Task, TaskLimits, Watch, free_memory, read_moves, read_moves_detect,
    replay,
};

use crate::failure::{CommandResult, Failure};
use crate::input::{pair, read_argument, read_goal};
use crate::output::{count, print};
use crate::watch::watched;

/// Replay a solution and say whether it is one
///
/// Ends with 0 if the moves reach the goal, with 1 if they do not.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin verify \"1 2 3/4 0 6/7 5 8\" DR
  taquin verify \"1 2 3/4 0 6/7 5 8\" UL                the same, as the tiles move
  taquin verify \"2 1 0/0 3 4\" \"L1 U2\" --goal first     several blanks: each move with its tile")]
pub(crate) struct VerifyArgs {
    /// The board in any notation
    board: String,
    /// The moves, named after the blank (URDL) or the tile (RU2L), found out or told
    moves: String,
    /// The goal: last, first, snail, or a board
    #[arg(long, short, default_value = "last", value_name = "GOAL")]
    goal: String,
    /// The board's size, where the notation leaves it open
    #[arg(long, value_name = "RxC")]
    size: Option<Size>,
    /// Moves are named after where the blank goes, or the tile
    #[arg(long, value_name = "NOTATION")]
    notation: Option<Notation>,
    /// Look this long for a shorter solution
    #[arg(long, default_value = "2s", value_name = "TIME", value_parser = taquin::read_time)]
    time: Duration,
}

pub(crate) fn run(args: &VerifyArgs) -> CommandResult {
    let start = read_argument(&args.board, args.size)?;
    let goal = read_goal(&args.goal, &start)?;
    let puzzle = pair(start, goal)?;
    let wrong = |error| Failure::moves(&error, &args.moves);
    let (slides, notation) = match args.notation {
        Some(notation) => {
            (read_moves(&args.moves, args.notation, puzzle.start()).map_err(wrong)?, notation)
        }
        None => read_moves_detect(&args.moves, puzzle.start(), puzzle.goal()).map_err(wrong)?,
    };
    let end = replay(puzzle.start(), &slides).map_err(wrong)?;
    let moves = count(slides.len() as u64, "move", "moves");
    if end != *puzzle.goal() {
        print(&format!("not a solution: {moves} ({notation} notation) end at {end}\n"))?;
        return Ok(1);
    }
    let mut task = Task::new(puzzle, "auto".parse().map_err(|error| Failure::method(&error))?);
    task.limits = TaskLimits {
        seconds: Some(args.time.as_secs_f64()),
        memory: free_memory().map(|bytes| bytes / 2),
        ..TaskLimits::default()
    };
    let report = watched(true, |monitor| Session::new().run(&task, Watch::by(monitor)));
    let given = slides.len() as u64;
    let bound = u64::from(report.lower_bound.unwrap_or(0));
    let verdict = match report.depth {
        _ if given <= bound => "and none is shorter".to_owned(),
        Some(best) if report.optimal => format!("but the shortest has {best}"),
        Some(best) if best < given => {
            format!("but there is one with {best}, and any has at least {bound}")
        }
        _ => format!("and any has at least {bound}; whether there is a shorter one is not known"),
    };
    print(&format!("a solution: {moves} ({notation} notation), {verdict}\n"))?;
    Ok(0)
}
