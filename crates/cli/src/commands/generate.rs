//! `taquin generate`.

mod exam;

use std::collections::HashSet;
use std::io::Write;

use clap::Parser;
use serde_json::json;
use taquin::{
    Board, BoardFormat, DepthError, Metric, Notation, Progress, Puzzle, Random, Session, Size,
    Tile, free_memory, is_uniform_at_depth, read_bytes, read_count, space, write_board,
    write_bytes, write_moves,
};
use taquin_lab::{Draw, clock_seed, known_depths, scramble};

use self::exam::{Exam, ExamArgs};
use crate::args::read_number;
use crate::config::CONFIG;
use crate::failure::{CommandResult, Failure};
use crate::input::goal_of_size;
use crate::output::{count, print_json, say, thousands};
use crate::tables;
use crate::watch::{SearchStatus, watched_by};

/// Generate boards: random, at an exact depth, or for an exam
///
/// A seed gives the same boards on every machine.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin generate 4x4 --number 5 --seed 7      uniformly random, all solvable
  taquin generate 3x3 --depth 20 --number 10   exactly 20 moves from the goal
  taquin generate 4x4 --depth 45               the same for a 15-puzzle
  taquin generate 6x6 --walk 50                50 random moves from the goal
  taquin generate 4x4 --scramble               the moves from the solved board
  taquin generate 3x5 --blanks 2 --format rows
  taquin generate --depth 12 --number 30 --unique --seed 1 \\
      --sheet exam.pdf --key answers.pdf -m bfs -m astar:manhattan

With --depth, every board at that depth is equally likely on boards of up to 12
cells, and on larger boards up to depth 20. Deeper boards of up to 16 cells, to
depth 62, lie on shortest solutions of random boards: their depth is exact, but
some are likelier than others.")]
pub(crate) struct GenerateArgs {
    /// Size of the boards [default: 3x3]
    #[arg(value_name = "RxC")]
    size: Option<Size>,
    /// Size of the boards
    #[arg(
        long = "size",
        default_value = "3x3",
        value_name = "RxC",
        conflicts_with = "size",
        hide = true
    )]
    size_flag: Size,
    /// Number of blanks
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = read_number)]
    blanks: usize,
    /// Goal that the boards can reach: last, first, spiral, a board, or @FILE [default: last]
    #[arg(long, short, value_name = "GOAL")]
    goal: Option<String>,
    /// Number of boards
    #[arg(long, alias = "count", short = 'n', default_value = "1", value_name = "N", value_parser = read_count)]
    number: u64,
    /// Random seed [default: from the clock; printed to stderr]
    #[arg(long, value_name = "SEED", value_parser = read_count)]
    seed: Option<u64>,
    /// Make this many random moves from the goal
    #[arg(long, value_name = "MOVES", conflicts_with = "depth", value_parser = read_count)]
    walk: Option<u64>,
    /// Generate only boards whose shortest solution has exactly this many moves
    #[arg(long, value_name = "MOVES", value_parser = read_count)]
    depth: Option<u64>,
    /// Draw no board twice
    #[arg(long)]
    unique: bool,
    #[command(flatten)]
    exam: ExamArgs,
    /// Print the moves that lead from the goal to each board, instead of the board
    #[arg(long, conflicts_with = "format")]
    scramble: bool,
    /// With --scramble: name moves by the direction of the blank or of the tile
    #[arg(long, default_value_t = CONFIG.notation(), value_name = "NOTATION", requires = "scramble")]
    notation: Notation,
    /// Notation: slashes, rows, nested, flat, digits or sized
    #[arg(long, default_value_t, value_name = "FORMAT")]
    format: BoardFormat,
    /// Print one JSON object with all boards
    #[arg(long, conflicts_with_all = ["format", "scramble"])]
    json: bool,
    /// With --depth: memory limit, such as 200M or 2G [default: three quarters of the free memory]
    #[arg(long, value_name = "BYTES", value_parser = read_bytes, requires = "depth", conflicts_with = "walk")]
    memory: Option<u64>,
}

impl GenerateArgs {
    fn size(&self) -> Size {
        self.size.unwrap_or(self.size_flag)
    }
}

pub(crate) fn run(args: &GenerateArgs) -> CommandResult {
    let exam = Exam::new(&args.exam)?;
    let size = args.size();
    let goal = args.goal.clone().or_else(|| exam.goal());
    let goal = goal.unwrap_or_else(|| CONFIG.usual_goal().to_string());
    let goal = goal_of_size(&goal, size, args.blanks)?;
    if args.walk.is_some_and(|moves| moves > Draw::MAX_WALK) {
        let most = thousands(Draw::MAX_WALK);
        return Err(Failure::input(format!("a walk of more than {most} moves takes too long"))
            .hint("boards without --walk are uniformly random, as after an endless walk"));
    }
    let seed = args.seed.unwrap_or_else(clock_seed);
    let draw = match (args.depth, args.walk) {
        (Some(depth), _) => Draw::Depth(depth),
        (None, Some(moves)) => Draw::Walk(moves as usize),
        (None, None) => Draw::Uniform,
    };
    let memory = args.memory.or_else(|| free_memory().map(|bytes| bytes / 4 * 3));
    if let Some(depth) = args.depth {
        announce(&goal, depth, memory)?;
    }
    let wanted = usize::try_from(args.number).unwrap_or(usize::MAX);
    // Larger boards may have too many boards at a depth.
    let endless = args.depth.filter(|_| size.cells() > 16);
    let words = move |SearchStatus {
                          progress: Progress { expanded, frontier, .. },
                          elapsed,
                          ..
                      }: SearchStatus| {
        progress(elapsed.as_secs_f64(), expanded.max(frontier), endless)
    };
    let session = tables::session();
    let mut listed: Vec<Vec<Tile>> = Vec::new();
    // Boards of a depth are never drawn twice.
    let drawn = match args.unique && args.depth.is_none() {
        true => wanted.saturating_mul(TRIES),
        false => wanted,
    };
    let written = watched_by(true, words, |monitor| {
        let random = Random::new(seed);
        let boards = draw
            .boards(&goal, drawn, random, &session, memory, monitor)
            .map_err(|error| failure(&error, args, &goal))?;
        if args.seed.is_none() {
            say(&format!("seed {seed}"));
        }
        if args.depth.is_some_and(|depth| !is_uniform_at_depth(&goal, depth)) {
            say(
                "the depth is exact, but the boards are not uniform: they lie on shortest solutions of \
                 random boards",
            );
        }
        let mut written = 0;
        let (mut seen, mut kept) = (HashSet::new(), Vec::new());
        let is_new = |board: &Board| !args.unique || seen.insert(board.clone());
        for board in boards.filter(is_new).take(wanted) {
            if args.exam.sheet.is_some() || args.exam.key.is_some() {
                kept.push(board.clone());
            }
            if args.json {
                listed.push(board.tiles().to_vec());
                written += 1;
                continue;
            }
            let text = match args.scramble {
                true => scrambled(&session, &goal, &board, args.notation)?,
                false => write_board(&board, args.format, '0').map_err(|error| {
                    Failure::input(error.to_string())
                        .hint("choose another --format, such as slashes")
                })?,
            };
            // Boards of several lines have an empty line between them.
            let lines = !args.scramble && args.format.takes_lines();
            let between = if written > 0 && lines { "\n" } else { "" };
            writeln!(std::io::stdout().lock(), "{between}{text}")?;
            written += 1;
            if monitor.is_cancelled() {
                return Err(Failure::interrupted());
            }
        }
        exam.write(&kept, &goal, &session, monitor, memory)?;
        Ok::<u64, Failure>(written)
    })?;
    if args.json {
        let (rows, cols) = (size.rows(), size.cols());
        let goal = goal.tiles();
        let all =
            json!({ "rows": rows, "cols": cols, "goal": goal, "seed": seed, "boards": listed });
        print_json(&all)?;
    }
    if args.depth.is_none() && written < args.number {
        let all = count(written, "different board was", "different boards were");
        say(&format!("only {all} found; you asked for {}", args.number));
    }
    if let (Some(depth), true) = (args.depth, written < args.number) {
        let all = count(written, "board is", "boards are");
        say(&format!(
            "only {all} exactly {depth} moves from the goal; you asked for {}",
            args.number
        ));
    }
    Ok(0)
}

/// Describes the progress of a search for boards in a line, with advice if it may be endless.
fn progress(seconds: f64, boards: u64, endless: Option<u64>) -> String {
    let boards = thousands(boards);
    let advice = endless.map_or_else(String::new, |depth| {
        format!("; this may not finish, --walk {depth} gives boards of at most this depth at once")
    });
    format!("{seconds:.0} s: {boards} boards searched{advice}")
}

/// Announces the number of boards to search, if it is large.
fn announce(goal: &Board, depth: u64, memory: Option<u64>) -> Result<(), Failure> {
    if !is_uniform_at_depth(goal, depth) {
        return Ok(());
    }
    let Some(known) = known_depths(goal) else { return Ok(()) };
    let boards: u64 = known.boards.iter().take(depth as usize + 1).sum();
    // Sizes of up to twelve cells are enumerated if a search takes too long.
    let bytes = (boards.saturating_mul(BOARD_BYTES)).min(space::extent(goal, Metric::Single).bytes);
    let allowed = memory.unwrap_or(u64::MAX);
    if (depth as usize) < known.boards.len() && bytes >= ANNOUNCED {
        let boards = count(boards, "board", "boards");
        say(&format!("searching {boards}, about {} of memory", write_bytes(bytes)));
    }
    match bytes > allowed {
        true => Err(Failure::memory(format!(
            "the boards up to depth {depth} need {} of memory; the limit is {}",
            write_bytes(bytes),
            write_bytes(allowed)
        ))
        .hint("choose a smaller depth or board, or increase --memory; --walk needs no memory")),
        false => Ok(()),
    }
}

/// With --unique: the most boards to draw for each board that is wanted.
const TRIES: usize = 100;

/// The bytes that a search stores per board.
const BOARD_BYTES: u64 = 40;

/// Less memory is not announced.
const ANNOUNCED: u64 = 100 << 20;

/// Returns the moves that lead from the goal to the board: a solution, backwards.
fn scrambled(
    session: &Session,
    goal: &Board,
    board: &Board,
    notation: Notation,
) -> Result<String, Failure> {
    let puzzle = Puzzle::new(board.clone(), goal.clone())
        .map_err(|error| Failure::input(error.to_string()))?;
    let Some(moves) = scramble(session, &puzzle) else { return Err(Failure::interrupted()) };
    write_moves(&moves, goal, notation).map_err(|error| Failure::input(error.to_string()))
}

fn failure(error: &DepthError, args: &GenerateArgs, goal: &Board) -> Failure {
    let depth = args.depth.unwrap_or(0);
    match error {
        DepthError::None { deepest } => {
            let known =
                known_depths(goal).filter(|_| space::extent(goal, Metric::Single).states > 1 << 31);
            let source = known.map_or_else(String::new, |known| format!(" ({})", known.source));
            Failure::input(format!(
                "no board is {depth} moves from the goal; the farthest boards are {deepest} moves \
                 away{source}"
            ))
        }
        DepthError::Memory { reached } => Failure::memory(format!(
            "too many boards up to depth {depth}: out of memory at depth {reached}"
        ))
        .hint("choose a smaller depth or board, or increase --memory"),
        DepthError::TooDeep { most } => Failure::input(format!(
            "{} boards deeper than {most} moves take too long to find",
            args.size()
        ))
        .hint("the set hard15 has 15-puzzles of 80 moves: taquin solve --batch hard15"),
        _ => Failure::interrupted(),
    }
}

#[cfg(test)]
mod tests {
    use crate::commands::generate::progress;

    #[test]
    fn an_endless_search_names_a_faster_way() {
        assert_eq!(progress(5.2, 6_822_895, None), "5 s: 6,822,895 boards searched");
        assert!(
            progress(5.2, 1, Some(30))
                .ends_with("--walk 30 gives boards of at most this depth at once")
        );
    }
}
