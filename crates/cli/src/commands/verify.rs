//! `taquin verify`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser;
use serde::Serialize;
use taquin::{Notation, Report, Size, Task, TaskLimits, Tile, Watch, decode, free_memory};
use taquin_draw::csv_field;
use taquin_lab::{Request, RequestField, SolutionError, read_solution};

use crate::args::{BoardArgs, PuzzleArgs};
use crate::failure::{CommandResult, Failure};
use crate::input::{Source, file_bytes, named_bytes};
use crate::output::{count, print, print_json};
use crate::suggest;
use crate::tables;
use crate::watch::watched;

/// Replay moves and check whether they solve a puzzle
///
/// Exits with 0 if the moves reach the goal and with 1 if they do not.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin verify \"1 2 3/4 0 6/7 5 8\" DR
  taquin verify \"1 2 3/4 0 6/7 5 8\" UL             the same in tile notation
  taquin verify \"1 2 3/4 0 6/7 5 8\" \"['Down', 'Right']\"
  taquin verify \"2 1 0/0 3 4\" \"L1 U2\" --goal first
  taquin solve 123406758 --as columbia --goal last | taquin verify 123406758 -
  taquin verify 123406758 --file answer.txt --json
  taquin verify 123406758 --batch class/*.txt > marks.csv

Moves are letters, words (Up, Down, Left, Right), sentences (Move 7 Left) or the
boards on the path, alone or in the output of 'taquin solve', with --as or
without. With several blanks each letter has its tile, as in L1.

--batch prints comma-separated values: file, legal, length, optimal, optimum,
problem (what is wrong with the moves), error (why the file can't be read). It
exits with 1 if a file is no solution.")]
pub(crate) struct VerifyArgs {
    /// Board in any notation
    board: String,
    /// Moves in any notation; - reads standard input
    #[arg(required_unless_present_any = ["file", "batch"])]
    moves: Option<String>,
    /// Read the moves from a file
    #[arg(long, short, value_name = "FILE", conflicts_with = "moves")]
    file: Option<PathBuf>,
    /// Check many files with moves for the same board
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["moves", "file", "json"])]
    batch: Vec<PathBuf>,
    /// Goal: last, first, snail, or a board [default: last]
    #[arg(long, short, value_name = "GOAL")]
    goal: Option<String>,
    /// Read the goal from a file
    #[arg(long, value_name = "FILE", conflicts_with = "goal")]
    goal_file: Option<PathBuf>,
    /// Use the goal and the cost of a course or paper (see 'taquin courses')
    #[arg(long = "as", value_name = "NAME", value_parser = suggest::courses(), hide_possible_values = true)]
    course: Option<String>,
    /// Board size, if the notation does not determine it
    #[arg(long, value_name = "RxC")]
    size: Option<Size>,
    /// Notation of letters: blank (where the blank goes) or tile [default: the one that fits]
    #[arg(long, value_name = "NOTATION")]
    notation: Option<Notation>,
    /// Time to search for a shorter solution
    #[arg(long, default_value = "2s", value_name = "TIME", value_parser = taquin::read_time)]
    time: Duration,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What is known about a list of moves.
#[derive(Serialize)]
struct Verdict {
    /// Whether the board allows every move.
    legal: bool,
    /// Whether they reach the goal.
    solves: bool,
    /// The number of moves.
    length: Option<usize>,
    /// What they cost.
    cost: Option<u64>,
    /// Whether no solution is cheaper; nothing if that is not known.
    optimal: Option<bool>,
    /// The cost of the cheapest solution, if it is known.
    optimum: Option<u64>,
    /// Every solution costs at least this much.
    lower_bound: u64,
    /// How the moves are written.
    form: Option<String>,
    /// The board after the moves.
    end: Option<Vec<Tile>>,
    /// Why they are no solution.
    problem: Option<String>,
}

pub(crate) fn run(args: &VerifyArgs) -> CommandResult {
    let limits = TaskLimits {
        seconds: Some(args.time.as_secs_f64()),
        memory: free_memory().map(|bytes| bytes / 2),
        ..TaskLimits::default()
    };
    let board = BoardArgs { board: vec![args.board.clone()], file: None, size: args.size };
    let (goal, goal_file) = (args.goal.clone(), args.goal_file.clone());
    let puzzle = PuzzleArgs { board, goal, goal_file };
    let course = args.course.clone();
    let mut task = puzzle.ask(Request { limits, course, ..Request::default() })?.task;
    // The course's methods may find solutions that are not optimal.
    task.method = taquin::Method::default();
    let best = || watched(!args.json, |monitor| tables::session().run(&task, Watch::by(monitor)));
    if !args.batch.is_empty() {
        return batch(args, &task, &best());
    }
    let source = match (&args.file, args.moves.as_deref()) {
        (None, Some(moves)) if moves != "-" => Source::argument(moves),
        (path, _) => {
            let path = path.as_deref().unwrap_or(Path::new("-"));
            let (bytes, name) = named_bytes(path, "moves")?;
            Source { text: text(&bytes)?, name: Some(name) }
        }
    };
    let mut failure = None;
    let verdict = match Verdict::new(&source.text, args.notation, &task, best) {
        Ok(verdict) => verdict,
        Err(error) => {
            let found = Failure::solution(&error, &source);
            if !error.is_illegal() {
                return Err(found);
            }
            failure = Some(found);
            Verdict::illegal(&error)
        }
    };
    let code = u8::from(!verdict.solves);
    match failure {
        _ if args.json => print_json(&verdict)?,
        Some(failure) => {
            print("not a solution: the board does not allow a move\n")?;
            failure.report();
        }
        None => print(&verdict.words())?,
    }
    Ok(code)
}

fn text(bytes: &[u8]) -> Result<String, Failure> {
    let text = decode(bytes).map(str::to_owned);
    text.map_err(|error| Failure::board(&error, RequestField::Board, &Source::default()))
}

/// Checks many files, and prints a line for each.
fn batch(args: &VerifyArgs, task: &Task, best: &Report) -> CommandResult {
    let mut out = String::from("file,legal,length,optimal,optimum,problem,error\n");
    let mut code = 0;
    for path in &args.batch {
        let name = csv_field(&path.display().to_string());
        let text = match file_bytes(path, "moves").and_then(|bytes| text(&bytes)) {
            Ok(text) => text,
            Err(failure) => {
                code = 1;
                let _ = writeln!(out, "{name},,,,,,{}", csv_field(&failure.to_string()));
                continue;
            }
        };
        let verdict = Verdict::new(&text, args.notation, task, || best.clone())
            .unwrap_or_else(|error| Verdict::illegal(&error));
        code |= u8::from(!verdict.solves);
        let or_nothing = |value: Option<String>| value.unwrap_or_default();
        let _ = writeln!(
            out,
            "{name},{},{},{},{},{},",
            verdict.legal,
            or_nothing(verdict.length.map(|length| length.to_string())),
            or_nothing(verdict.optimal.map(|optimal| optimal.to_string())),
            or_nothing(verdict.optimum.map(|optimum| optimum.to_string())),
            csv_field(&or_nothing(verdict.problem)),
        );
    }
    print(&out)?;
    Ok(code)
}

impl Verdict {
    const fn none() -> Self {
        Self {
            legal: false,
            solves: false,
            length: None,
            cost: None,
            optimal: None,
            optimum: None,
            lower_bound: 0,
            form: None,
            end: None,
            problem: None,
        }
    }

    /// Moves that the board does not allow, or a text without moves.
    fn illegal(error: &SolutionError) -> Self {
        Self { problem: Some(error.to_string()), ..Self::none() }
    }

    /// Judges the moves of a text; `best` is the best that is known about the puzzle.
    fn new(
        text: &str,
        notation: Option<Notation>,
        task: &Task,
        best: impl Fn() -> Report,
    ) -> Result<Self, SolutionError> {
        let puzzle = &task.puzzle;
        let read = read_solution(text, puzzle, notation)?;
        let mut end = puzzle.start().clone();
        let mut cost = 0;
        for slide in &read.slides {
            // The reader has made every move.
            let Ok(tile) = end.slide(*slide) else { break };
            cost += u64::from(task.cost.of(tile));
        }
        let solves = end == *puzzle.goal();
        let mut verdict = Self {
            legal: true,
            solves,
            length: Some(read.slides.len()),
            cost: Some(cost),
            form: Some(read.form.to_string()),
            end: Some(end.tiles().to_vec()),
            ..Self::none()
        };
        if !solves {
            verdict.optimal = Some(false);
            verdict.problem = Some(format!("the moves end at {end}"));
            return Ok(verdict);
        }
        let report = best();
        let bound = u64::from(report.lower_bound.unwrap_or(0));
        let known = report.cost.map(u64::from);
        verdict.lower_bound = bound;
        verdict.optimum = match known {
            _ if cost <= bound => Some(cost),
            known if report.optimal => known,
            _ => None,
        };
        verdict.optimal = match (verdict.optimum, known) {
            (Some(optimum), _) => Some(cost == optimum),
            (None, Some(known)) if known < cost => Some(false),
            _ => None,
        };
        if verdict.optimal == Some(false) && verdict.optimum.is_none() {
            verdict.problem = known.map(|known| format!("there is one with {known}"));
        }
        Ok(verdict)
    }

    fn words(&self) -> String {
        let moves = count(self.length.unwrap_or(0) as u64, "move", "moves");
        let form = self.form.as_deref().unwrap_or("");
        if !self.solves {
            let problem =
                self.problem.as_deref().unwrap_or("").replace("the moves end at", "the board is");
            return format!("not a solution: after {moves} ({form}) {problem}\n");
        }
        let bound = self.lower_bound;
        let verdict = match (self.optimal, self.optimum, &self.problem) {
            (Some(true), ..) => "optimal".to_owned(),
            (_, Some(optimum), _) if self.is_counted() => format!("the shortest has {optimum}"),
            (_, Some(optimum), _) => format!("the cheapest costs {optimum}"),
            (_, None, Some(better)) => format!("{better}; at least {bound} are needed"),
            (_, None, None) => format!("not proven optimal; at least {bound} are needed"),
        };
        let price = match self.is_counted() {
            true => String::new(),
            false => format!(", cost {}", self.cost.unwrap_or(0)),
        };
        format!("a solution: {moves}{price} ({form}), {verdict}\n")
    }

    /// Whether every move costs 1.
    fn is_counted(&self) -> bool {
        self.cost == self.length.map(|length| length as u64)
    }
}
