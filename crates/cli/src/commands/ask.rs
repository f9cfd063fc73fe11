//! `taquin ask`, and `taquin` alone on a terminal: the dialogue that courses begin with.
//!
//! Questions and reasons go to standard error, so that standard output has exactly what the command
//! has that is named at the end: the answers are put together to that command, and it is run.

use std::io::{self, BufRead, IsTerminal, Read};

use clap::Parser;
use taquin::{Board, Method, NamedGoal, Size, Tile, excerpt, is_reachable, read_board};
use taquin_lab::{Course, CourseError, CourseMethod};

use crate::args::Cli;
use crate::failure::{CommandResult, Failure};
use crate::output::{BOLD, PLAIN, picture, prompt, say};
use crate::report::refusal;
use crate::{commands, courses};

/// Be asked for a puzzle and an algorithm, and see the search step by step
///
/// 'taquin' alone on a terminal does the same.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin ask
  taquin ask --as ucr-heap
  printf '1\\n3\\n' | taquin ask                     the default puzzle, the third algorithm
  printf '2\\n8\\n1 2 3\\n5 0 6\\n4 7 8\\n2\\n' | taquin ask

The tiles may be given one a line, a row at a time or all at once. Answers are read from standard
input, one a line.")]
pub(crate) struct AskArgs {
    /// The course whose puzzle, algorithms and words to use ('taquin courses')
    #[arg(long = "as", default_value = "ucr-list", value_name = "NAME")]
    course: String,
}

/// The puzzle of a course that offers none.
const DEFAULT: &str = "1 2 3/4 0 6/7 5 8";

/// Traces of larger boards than this are cut short: they may go on for ever.
const SMALL: usize = 9;

pub(crate) fn run(args: &AskArgs) -> CommandResult {
    let course = courses::resolve(&args.course)?;
    let mut dialogue = Dialogue::new();
    say(&format!("{BOLD}Welcome to taquin{PLAIN}, a solver of sliding-tile puzzles."));
    let board = dialogue.puzzle(&course)?;
    let method = dialogue.algorithm(&course, &args.course)?;
    let mut command: Vec<String> = ["taquin", "solve", &board.to_string()].map(Into::into).to_vec();
    command.extend(method);
    command.push("--trace".to_owned());
    if board.size().cells() > SMALL {
        command.extend(["--trace-limit", "1000"].map(Into::into));
    }
    say("");
    let cli = Cli::try_parse_from(&command).map_err(|error| Failure::input(error.to_string()))?;
    let code = commands::run(cli.command)?;
    let quoted: Vec<String> = command.iter().map(|word| quoted(word)).collect();
    say(&format!("\nThe same in one line:\n  {BOLD}{}{PLAIN}", quoted.join(" ")));
    Ok(code)
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    match word.contains(char::is_whitespace) {
        true => format!("\"{word}\""),
        false => word.to_owned(),
    }
}

/// Asks, and reads the answers.
struct Dialogue {
    input: io::StdinLock<'static>,
    /// Whether answers have to be shown, since nobody types them.
    echo: bool,
}

/// The longest answer that is read: no board that people type is as long.
const LONGEST: u64 = 1 << 16;

impl Dialogue {
    fn new() -> Self {
        let stdin = io::stdin();
        Self { echo: !stdin.is_terminal(), input: stdin.lock() }
    }

    /// The next answer.
    fn ask(&mut self, question: &str) -> Result<String, Failure> {
        prompt(question);
        let mut line = Vec::new();
        let read = self.input.by_ref().take(LONGEST).read_until(b'\n', &mut line);
        let read =
            read.map_err(|error| Failure::input(format!("can't read an answer: {error}")))?;
        if read == 0 {
            say("");
            return Err(Failure::input("the answers ended before the last question").hint(
                "'taquin ask --help' shows which answers there are; 'taquin solve' asks nothing",
            ));
        }
        let answer = String::from_utf8_lossy(&line).trim().to_owned();
        if self.echo {
            say(&answer);
        }
        Ok(answer)
    }

    /// Which puzzle; one that can be solved.
    fn puzzle(&mut self, course: &Course) -> Result<Board, Failure> {
        loop {
            let answer = self.ask(
                "Type \"1\" to use a default puzzle, or \"2\" to enter your own puzzle.\n> ",
            )?;
            let board = match answer.as_str() {
                "1" => {
                    let usual = || {
                        read_board(DEFAULT, None)
                            .map_err(|error| Failure::board(&error, None, DEFAULT))
                    };
                    let board = course.board.clone().map_or_else(usual, Ok)?;
                    say(&format!("The default puzzle:\n{}", shown(&board)));
                    board
                }
                "2" => self.own_puzzle()?,
                _ => {
                    say(&format!("'{}' is neither 1 nor 2.", excerpt(&answer)));
                    continue;
                }
            };
            let puzzle = course.puzzle(board);
            if is_reachable(&puzzle) {
                return Ok(puzzle.start().clone());
            }
            say(refusal(&puzzle).trim_end());
        }
    }

    fn own_puzzle(&mut self) -> Result<Board, Failure> {
        let size = loop {
            let answer = self.ask(
                "Type the number of tiles, 8, 15 or 24, or a size such as 3x4. Enter is 8.\n> ",
            )?;
            match read_size(&answer) {
                Ok(size) => break size,
                Err(reason) => say(&reason),
            }
        };
        say(
            "Enter your puzzle, use a zero to represent the blank. All at once, a row at a time,\n\
             or a tile at a time, as you like.",
        );
        let mut tiles = Vec::new();
        loop {
            let answer = self.ask(&next_cell(size, tiles.len()))?;
            match read_tiles(&answer, size, &mut tiles) {
                Ok(None) => {}
                Ok(Some(board)) => {
                    say(&format!("Your puzzle:\n{}", shown(&board)));
                    return Ok(board);
                }
                Err(reason) => say(&reason),
            }
        }
    }

    /// Which algorithm, as arguments of `solve`.
    fn algorithm(&mut self, course: &Course, named: &str) -> Result<Vec<String>, Failure> {
        say("Enter your choice of algorithm");
        for (number, method) in (1..).zip(&course.methods) {
            say(&format!("{number}. {}", title(method)));
        }
        say("or any method of 'taquin methods', such as bfs or ida:linear");
        loop {
            let answer = self.ask("> ")?;
            match arguments(&answer, course, named) {
                Ok(arguments) => return Ok(arguments),
                Err(reason) => say(&reason),
            }
        }
    }
}

/// The number of tiles of a square board, or rows and columns.
fn read_size(answer: &str) -> Result<Size, String> {
    let remedy = "type 8, 15, 24, or rows x columns as in 3x4";
    let wrong = || format!("'{}' is no size: {remedy}.", excerpt(answer));
    let tiles: usize = match answer {
        "" => 8,
        _ if answer.contains(['x', 'X', '×']) => return answer.parse().map_err(|_| wrong()),
        _ => answer.parse().map_err(|_| wrong())?,
    };
    let side = tiles.saturating_add(1).isqrt();
    match side.checked_mul(side) == tiles.checked_add(1) {
        true => Size::new(side, side).map_err(|_| wrong()),
        false => Err(format!("No square board has {tiles} tiles: {remedy}.")),
    }
}

/// What to enter next.
fn next_cell(size: Size, entered: usize) -> String {
    const ORDINALS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];
    let (row, column) = (entered / size.cols(), entered % size.cols());
    match (column, ORDINALS.get(row)) {
        (0, Some(ordinal)) => {
            format!("Enter the {ordinal} row, use space or tabs between numbers: ")
        }
        (0, None) => format!("Enter row {}, use space or tabs between numbers: ", row + 1),
        _ => format!("Row {}, column {}: ", row + 1, column + 1),
    }
}

/// Adds the tiles of an answer to those entered, if every one of them can be there; the board once
/// it is full.
fn read_tiles(answer: &str, size: Size, tiles: &mut Vec<Tile>) -> Result<Option<Board>, String> {
    // All at once, in any notation.
    if tiles.is_empty()
        && let Ok(board) = read_board(answer, Some(size))
    {
        return Ok(Some(board));
    }
    let before = tiles.len();
    let result = add_tiles(answer, size, tiles);
    if let Err(reason) = result {
        tiles.truncate(before);
        return Err(format!("{reason} That line is forgotten: enter it again."));
    }
    if tiles.len() < size.cells() {
        return Ok(None);
    }
    let full = std::mem::take(tiles);
    Board::new(size, full)
        .map(Some)
        .map_err(|error| format!("This is no puzzle: {error}. Enter it again."))
}

fn add_tiles(answer: &str, size: Size, tiles: &mut Vec<Tile>) -> Result<(), String> {
    let words = answer.split(|c: char| c.is_whitespace() || ",;/|[]".contains(c));
    for word in words.filter(|word| !word.is_empty()) {
        let tile: Tile = match word {
            "b" | "B" | "_" | "*" | "x" | "X" | "." => 0,
            _ => word.parse().map_err(|_| format!("'{}' is no tile's number.", excerpt(word)))?,
        };
        let cells = size.cells();
        if usize::from(tile) >= cells {
            return Err(format!(
                "Tile {tile} is out of range: a {size} board has 0 to {}.",
                cells - 1
            ));
        }
        if tile != 0 && tiles.contains(&tile) {
            return Err(format!("Tile {tile} is there already."));
        }
        if tiles.len() == cells {
            return Err(format!("These are more than the {cells} tiles of a {size} board."));
        }
        tiles.push(tile);
    }
    Ok(())
}

/// The arguments of `solve` that an answer stands for; `named` is how the course was named.
fn arguments(answer: &str, course: &Course, named: &str) -> Result<Vec<String>, String> {
    let follow = |method: &str| ["--as", named, "-m", method].map(Into::into).to_vec();
    if let Ok(number) = answer.parse::<usize>() {
        let method = number.checked_sub(1).and_then(|at| course.methods.get(at));
        return method.and_then(|method| method.names.first()).map(|name| follow(name)).ok_or_else(
            || format!("There is no number {number}: type 1 to {}.", course.methods.len()),
        );
    }
    if answer.is_empty() {
        return Err(format!("Type a number from 1 to {}.", course.methods.len()));
    }
    match (course.method(Some(answer)), answer.parse::<Method>()) {
        (Ok(_), _) => Ok(follow(answer)),
        (Err(CourseError::Method { .. }), Ok(_)) => {
            let goal = ["--goal", course.goal.name()].into_iter();
            let goal = goal.filter(|_| course.goal != NamedGoal::default());
            Ok(["-m", answer].into_iter().chain(goal).map(Into::into).collect())
        }
        (_, Err(error)) => {
            Err(error.hint().map_or_else(|| format!("{error}."), |hint| format!("{error}: {hint}")))
        }
        (Err(error), Ok(_)) => Err(format!("{error}.")),
    }
}

/// What a course calls a method, at its longest.
fn title(method: &CourseMethod) -> String {
    let name = method.names.iter().max_by_key(|name| name.len());
    let mut letters = name.map_or("", String::as_str).chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn shown(board: &Board) -> String {
    let rows: Vec<String> = picture(board, None).iter().map(|row| format!("  {row}\n")).collect();
    rows.concat()
}
