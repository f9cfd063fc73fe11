//! `taquin verify`.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser;
use taquin::{Notation, Report, Size, Task, TaskLimits, Watch, decode, free_memory};
use taquin_draw::csv_field;
use taquin_lab::{Request, RequestField, Verdict};

use crate::args::{BoardArgs, PuzzleArgs};
use crate::failure::{CommandResult, Failure};
use crate::input::{Source, file_bytes, named_bytes};
use crate::output::{count, print, print_json};
use crate::suggest;
use crate::tables;
use crate::watch::watched;

/// Check whether moves solve a board, for one file or a whole class
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
  taquin verify 123406758 --moves-file answer.txt --json
  taquin verify 123406758 --batch class/*.txt > marks.csv

Moves are letters, words (Up, Down, Left, Right), arrows, sentences (Move 7
Left), the tiles that move (5 8), tiles and directions (5U 8L) or the boards on
the path, alone or in the output of 'taquin solve', with --as or without. The
verdict says how they were read. With several blanks each letter has its tile,
as in L1.

--batch prints comma-separated values: file, legal, length, optimal, optimum,
problem (what is wrong with the moves), error (why the file can't be read), form
(how the moves are written). It exits with 1 if a file is not a solution.")]
pub(crate) struct VerifyArgs {
    /// Board in any notation
    board: String,
    /// Moves in any notation; - reads standard input
    #[arg(required_unless_present_any = ["file", "batch"])]
    moves: Option<String>,
    /// Read the moves from a file
    #[arg(
        long = "moves-file",
        alias = "file",
        short,
        value_name = "FILE",
        conflicts_with = "moves"
    )]
    file: Option<PathBuf>,
    /// Check many files with moves for the same board
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["moves", "file", "json"])]
    batch: Vec<PathBuf>,
    /// Goal: last, first, spiral, a board, or @FILE [default: last]
    #[arg(long, short, value_name = "GOAL")]
    goal: Option<String>,
    /// Read the goal from a file
    #[arg(long, value_name = "FILE", conflicts_with = "goal")]
    goal_file: Option<PathBuf>,
    /// Use the goal and the cost of a course or paper (see 'taquin list courses')
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
            print(&format!(
                "not a solution: the board does not allow a move ({})\n",
                verdict.form.as_deref().unwrap_or("moves")
            ))?;
            failure.report();
        }
        None => print(&words(&verdict))?,
    }
    Ok(code)
}

fn text(bytes: &[u8]) -> Result<String, Failure> {
    let text = decode(bytes).map(Cow::into_owned);
    text.map_err(|error| Failure::board(&error, RequestField::Board, &Source::default()))
}

/// Checks many files, and prints a line for each.
fn batch(args: &VerifyArgs, task: &Task, best: &Report) -> CommandResult {
    let mut out = String::from("file,legal,length,optimal,optimum,problem,error,form\n");
    let mut code = 0;
    for path in &args.batch {
        let name = csv_field(&path.display().to_string());
        let text = match file_bytes(path, "moves").and_then(|bytes| text(&bytes)) {
            Ok(text) => text,
            Err(failure) => {
                code = 1;
                let _ = writeln!(out, "{name},,,,,,{},", csv_field(&failure.to_string()));
                continue;
            }
        };
        let verdict = Verdict::new(&text, args.notation, task, || best.clone())
            .unwrap_or_else(|error| Verdict::illegal(&error));
        code |= u8::from(!verdict.solves);
        let or_nothing = |value: Option<String>| value.unwrap_or_default();
        let _ = writeln!(
            out,
            "{name},{},{},{},{},{},,{}",
            verdict.legal,
            or_nothing(verdict.length.map(|length| length.to_string())),
            or_nothing(verdict.optimal.map(|optimal| optimal.to_string())),
            or_nothing(verdict.optimum.map(|optimum| optimum.to_string())),
            csv_field(&or_nothing(verdict.problem)),
            or_nothing(verdict.form),
        );
    }
    print(&out)?;
    Ok(code)
}

fn words(verdict: &Verdict) -> String {
    let moves = count(verdict.length.unwrap_or(0) as u64, "move", "moves");
    let form = verdict.form.as_deref().unwrap_or("");
    if !verdict.solves {
        let problem =
            verdict.problem.as_deref().unwrap_or("").replace("the moves end at", "the board is");
        return format!("not a solution: after {moves} ({form}) {problem}\n");
    }
    let bound = verdict.lower_bound;
    let quality = match (verdict.optimal, verdict.optimum, &verdict.problem) {
        (Some(true), ..) => "optimal".to_owned(),
        (_, Some(optimum), _) if verdict.is_counted() => format!("the shortest has {optimum}"),
        (_, Some(optimum), _) => format!("the cheapest costs {optimum}"),
        (_, None, Some(better)) => format!("{better}; at least {bound} are needed"),
        (_, None, None) => format!("not proven optimal; at least {bound} are needed"),
    };
    let price = match verdict.is_counted() {
        true => String::new(),
        false => format!(", cost {}", verdict.cost.unwrap_or(0)),
    };
    format!("a solution: {moves}{price} ({form}), {quality}\n")
}
