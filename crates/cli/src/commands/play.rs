//! `taquin play`.

use std::io::{self, IsTerminal, stdout};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clap::Parser;
use clap::builder::PossibleValuesParser;
use taquin::{Algorithm, Board, Method, Puzzle, Size, free_memory, is_moves, read_count};
use taquin_lab::{RequestField, clock_seed, known_depths};
use taquin_play::{
    History, Options, PlaySummary, Record, ScrambleError, Solver, Theme, Warnings, play,
    read_scramble, write_seconds,
};

use crate::args::within;
use crate::config::CONFIG;
use crate::failure::{CommandResult, Failure};
use crate::input::{Source, goal_for, goal_of_size, named_bytes, usual_goal};
use crate::output::{count, print, say, warning, write_file};
use crate::report::refusal;
use crate::suggest;
use crate::tables::quiet_session;

/// Play in the terminal
///
/// You get a clock, statistics and hints, and you can race the solver or watch a search. Press ? in
/// the game for the keys.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin play                            a random 15-puzzle
  taquin play 3x3 --depth 20             8-puzzles of exactly 20 moves
  taquin play --size 5 --theme fringe
  taquin play \"8 6 7/2 5 4/3 0 1\"        this board
  taquin play R2DL2 --size 3             the board after these moves of tiles
  taquin play --size 3 --seed 7          the board of generate --seed 7
  taquin play --export games.json        for the page, or another machine

taquin keeps your games in play.jsonl in your data folder. Games with help, such
as a hint, and second attempts at a board do not count.
docs/play.md describes the game, the notations and the file.")]
pub(crate) struct PlayArgs {
    /// First board, in any notation, moves of tiles from the goal, such as R2DL2, or a size
    #[arg(value_name = "BOARD")]
    board: Vec<String>,
    /// Size of the boards [default: the size of BOARD, or 4x4]
    #[arg(long, value_name = "RxC")]
    size: Option<Size>,
    /// Goal: last (1 2 .. 0), first (0 1 2 ..), spiral, a board, or @FILE [default: last]
    #[arg(long, short, value_name = "GOAL")]
    goal: Option<String>,
    /// Use the goal of a course or paper (see 'taquin list courses')
    #[arg(long = "as", value_name = "NAME", value_parser = suggest::courses(), hide_possible_values = true)]
    course: Option<String>,
    /// Draw boards whose shortest solution has exactly this many moves [default: any board]
    #[arg(long, value_name = "MOVES", value_parser = read_count)]
    depth: Option<u64>,
    /// Random seed of the first board; the next board has the next seed [default: from the clock]
    #[arg(long, value_name = "SEED", value_parser = read_count)]
    seed: Option<u64>,
    /// Colours: rows, columns, fringe, contrast or mono [default: rows; mono without colours]
    #[arg(long, value_name = "THEME", value_parser = PossibleValuesParser::new(Theme::ALL.map(|(name, _)| name)), hide_possible_values = true)]
    theme: Option<String>,
    /// Speed of solutions and ghosts, in moves per second
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = within::<u32>(1..=1000))]
    speed: u32,
    /// Method of the search that the key v shows
    #[arg(long, short, value_name = "METHOD", default_value = "astar:manhattan", value_parser = suggest::methods(), hide_possible_values = true)]
    method: String,
    /// File of statistics [default: play.jsonl in the data folder]
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// Add games that were exported, here or by the page, and end; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "export"])]
    import: Option<PathBuf>,
    /// Write the games to a file that the page reads too, and end; - writes standard output
    #[arg(long, value_name = "FILE", conflicts_with = "board")]
    export: Option<PathBuf>,
}

pub(crate) fn run(args: &PlayArgs) -> CommandResult {
    let method = method(&args.method)?;
    let text = args.board.join(" ");
    // A size may stand where a board does.
    let size = text.parse().ok().filter(|_| args.size.is_none());
    let text = if size.is_some() { String::new() } else { text };
    let (goal, first) = match puzzle(args, &text, size.or(args.size))? {
        Ok(found) => found,
        Err(unsolvable) => {
            print(&refusal(&unsolvable))?;
            return Ok(11);
        }
    };
    if goal.size().cells() < 2 {
        return Err(Failure::input("a 1x1 board has no tile to move").hint("use --size 3 or more"));
    }
    check_depth(args.depth, &goal)?;
    let mut history = history(args.stats.as_deref())?;
    if let Some(path) = &args.import {
        return import(&mut history, path);
    }
    if let Some(path) = &args.export {
        write_file(path, history.export().as_bytes())?;
        note_damage(history.damaged());
        return Ok(0);
    }
    check_terminal()?;
    history.check_writable().map_err(|error| {
        let path = history.path().map(Path::to_owned).unwrap_or_default();
        Failure::unwritable(&path, &error).hint("name another file with --stats")
    })?;
    let warnings = Warnings::default();
    let heard: Arc<Mutex<Vec<String>>> = Arc::clone(&warnings);
    let session = quiet_session().with_warnings(move |problem| {
        heard.lock().unwrap_or_else(PoisonError::into_inner).push(problem.to_string());
    });
    let cores = || std::thread::available_parallelism().map_or(1, Into::into);
    let solver = Solver {
        session,
        threads: CONFIG.threads().unwrap_or_else(cores),
        memory: free_memory().map(|bytes| bytes / 2),
    };
    let options = Options {
        goal,
        first,
        depth: args.depth,
        seed: args.seed.unwrap_or_else(clock_seed),
        theme: theme(args.theme.as_deref()),
        speed: args.speed,
        method,
    };
    let PlaySummary { solved, is_interrupted, has_panicked } =
        play(options, solver, history, warnings)
            .map_err(|error| no_terminal(&error.to_string()))?;
    let printed = print(&solved.iter().map(written).collect::<String>());
    match (has_panicked, is_interrupted) {
        (true, _) => Ok(70),
        // The terminal may have been closed.
        (_, true) => Ok(130),
        _ => Ok(printed.map(|()| 0)?),
    }
}

/// The goal, and the first board if one is given; a puzzle that cannot be solved is the other
/// answer.
fn puzzle(
    args: &PlayArgs,
    text: &str,
    size: Option<Size>,
) -> Result<Result<(Board, Option<Puzzle>), Puzzle>, Failure> {
    let goal_text = usual_goal(args.goal.as_deref(), args.course.as_deref())?;
    let usual = || Size::new(4, 4).expect("a small size");
    let is_board = !text.trim().is_empty() && !is_moves(text);
    let goal = match is_board {
        true => goal_for(&goal_text, &Source::argument(text).board(size)?)?,
        false => goal_of_size(&goal_text, size.unwrap_or_else(usual), 1)?,
    };
    if text.trim().is_empty() {
        return Ok(Ok((goal, None)));
    }
    match read_scramble(text, &goal) {
        Ok(puzzle) => Ok(Ok((goal, Some(puzzle)))),
        Err(ScrambleError::Unsolvable) => {
            let start = Source::argument(text).board(size)?;
            let puzzle = Puzzle::new(start, goal);
            puzzle.map(Err).map_err(|error| Failure::input(error.to_string()))
        }
        Err(ScrambleError::Moves(error)) => Err(Failure::moves(&error, text)),
        Err(ScrambleError::Board(error)) => {
            Err(Failure::board(&error, RequestField::Board, &Source::argument(text)))
        }
        Err(error) => Err(Failure::input(error.to_string())),
    }
}

/// Reads a method whose steps can be shown.
fn method(text: &str) -> Result<Method, Failure> {
    let method: Method = text.parse()?;
    let algorithm: Algorithm = method.algorithm;
    match algorithm.row().has_steps {
        true => Ok(method),
        false => Err(Failure::input(format!("{algorithm} has no steps to look at"))
            .hint("use a method such as astar:manhattan, bfs or ida:linear")),
    }
}

fn check_depth(depth: Option<u64>, goal: &Board) -> Result<(), Failure> {
    let (Some(depth), Some(known)) = (depth, known_depths(goal)) else { return Ok(()) };
    let deepest = known.boards.len() as u64 - 1;
    match depth > deepest {
        true => Err(Failure::input(format!(
            "no board is {depth} moves from the goal; the farthest boards are {deepest} moves away"
        ))),
        false => Ok(()),
    }
}

/// Returns the requested colours, or none if colours are off.
fn theme(name: Option<&str>) -> Theme {
    let known = Theme::ALL.into_iter().find(|(known, _)| Some(*known) == name);
    let has_colours = anstream::AutoStream::choice(&stdout()) != anstream::ColorChoice::Never;
    let usual = if has_colours { Theme::default() } else { Theme::Mono };
    known.map_or(usual, |(_, theme)| theme)
}

fn history(path: Option<&Path>) -> Result<History, Failure> {
    let Some(path) = path.map(Path::to_owned).or_else(History::usual_path) else {
        warning("there is no data folder, so games are not saved: name a file with --stats");
        return Ok(History::unsaved());
    };
    History::open(&path).map_err(|error| {
        Failure::input(format!("{}: can't be read: {error}", path.display()))
            .hint("name another file with --stats")
    })
}

fn import(history: &mut History, path: &Path) -> CommandResult {
    let (bytes, name) = named_bytes(path, "games")?;
    let (added, damaged) = history.import(&bytes).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => Failure::input(format!("{name}: {error}"))
            .hint("export the games again, from the page or with --export"),
        _ => Failure::unwritable(&history.path().map(Path::to_owned).unwrap_or_default(), &error),
    })?;
    say(&format!("{} added from {name}", count(added as u64, "game", "games")));
    note_damage(damaged);
    Ok(u8::from(damaged > 0))
}

fn note_damage(damaged: usize) {
    if damaged > 0 {
        let entries = count(damaged as u64, "entry is not a game", "entries are not games");
        warning(&format!("{entries}: skipped"));
    }
}

/// The game needs a terminal that can move its cursor.
fn check_terminal() -> Result<(), Failure> {
    if !stdout().is_terminal() {
        return Err(no_terminal("standard output is not a terminal"));
    }
    match std::env::var_os("TERM") {
        Some(term) if term == "dumb" => Err(no_terminal("the terminal is a dumb one (TERM=dumb)")),
        _ => Ok(()),
    }
}

fn no_terminal(why: &str) -> Failure {
    Failure::input(format!("the game needs a terminal: {why}"))
        .hint("start it in a terminal without a pipe, or play in the browser: taquin serve --open")
}

/// Returns the lines about a solved game that are printed at the end.
fn written(game: &Record) -> String {
    let (Some(seconds), Some((board, moves))) = (game.seconds, game.written()) else {
        return String::new();
    };
    let help = if game.aided { ", with help" } else { "" };
    let made = count(game.check().unwrap_or_default() as u64, "move", "moves");
    let time = write_seconds(seconds);
    format!("{time} s, {made}{help}\n  board: {board}\n  moves: {moves}\n")
}
