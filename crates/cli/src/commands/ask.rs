//! `taquin ask`, and `taquin` alone on a terminal: the dialogue that courses begin with.
//!
//! Questions go to standard error. The answers make a `taquin solve` command, which is run and printed
//! at the end, so that standard output is the same as that of the command.

use std::io::{self, BufRead, IsTerminal, Read};

use clap::Parser;
use taquin::{Board, Method, NamedGoal, Size, Tile, excerpt, is_reachable, read_board};
use taquin_lab::{Course, CourseError, CourseMethod};

use crate::args::Cli;
use crate::commands;
use crate::failure::{CommandResult, Failure};
use crate::output::{BOLD, PLAIN, picture, prompt, say};
use crate::report::refusal;

/// Ask for a puzzle and an algorithm, and trace the search
///
/// 'taquin' without arguments on a terminal does the same.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin ask
  taquin ask --as ucr-heap
  printf '1\\n3\\n' | taquin ask      the default puzzle, the third algorithm
  printf '2\\n8\\n1 2 3\\n5 0 6\\n4 7 8\\n2\\n' | taquin ask

Answers are read from standard input, one per line. The tiles can be entered one
per line, a row at a time or all at once.")]
pub(crate) struct AskArgs {
    /// Course whose puzzle, algorithms and wording to use (see 'taquin courses')
    #[arg(long = "as", default_value = "ucr-list", value_name = "NAME")]
    course: String,
}

/// The puzzle for courses that have none.
const DEFAULT: &str = "1 2 3/4 0 6/7 5 8";

/// Traces of boards with more cells are limited: they can be endless.
const SMALL: usize = 9;

pub(crate) fn run(args: &AskArgs) -> CommandResult {
    let course = Course::resolve(&args.course)?;
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

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    match word.contains(char::is_whitespace) {
        true => format!("\"{word}\""),
        false => word.to_owned(),
    }
}

/// Asks, and reads the answers.
struct Dialogue {
    input: io::StdinLock<'static>,
    /// Whether to print the answers, because they are not typed on a terminal.
    echo: bool,
}

/// The longest answer that is read, in bytes.
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
            read.map_err(|error| Failure::input(format!("can't read the answer: {error}")))?;
        if read == 0 {
            say("");
            return Err(Failure::input("the input ended before the last answer")
                .hint("'taquin ask --help' shows examples; 'taquin solve' asks no questions"));
        }
        let answer = String::from_utf8_lossy(&line).trim().to_owned();
        if self.echo {
            say(&answer);
        }
        Ok(answer)
    }

    /// Asks for a puzzle until it is solvable.
    fn puzzle(&mut self, course: &Course) -> Result<Board, Failure> {
        loop {
            let answer = self.ask(
                "Type \"1\" to use a default puzzle, or \"2\" to enter your own puzzle.\n> ",
            )?;
            let board = match answer.as_str() {
                "1" => {
                    let usual = || {
                        read_board(DEFAULT, None).map_err(|error| Failure::input(error.to_string()))
                    };
                    let board = course.board.clone().map_or_else(usual, Ok)?;
                    say(&format!("The default puzzle:\n{}", shown(&board)));
                    board
                }
                "2" => self.own_puzzle()?,
                _ => {
                    say(&format!("'{}' is not 1 or 2.", excerpt(&answer)));
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
                "Type the number of tiles (8, 15 or 24) or a size such as 3x4. Enter means 8.\n> ",
            )?;
            match read_size(&answer) {
                Ok(size) => break size,
                Err(reason) => say(&reason),
            }
        };
        say("Enter your puzzle, with 0 for the blank: all tiles at once, a row at a time, or a\n\
             tile at a time.");
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

    /// Asks for an algorithm, and returns it as arguments of `solve`.
    fn algorithm(&mut self, course: &Course, named: &str) -> Result<Vec<String>, Failure> {
        say("Enter your choice of algorithm");
        for (number, method) in (1..).zip(&course.methods) {
            say(&format!("{number}. {}", title(method)));
        }
        say("or a method listed by 'taquin methods', such as bfs or ida:linear");
        loop {
            let answer = self.ask("> ")?;
            match arguments(&answer, course, named) {
                Ok(arguments) => return Ok(arguments),
                Err(reason) => say(&reason),
            }
        }
    }
}

/// Reads the number of tiles of a square board, or rows and columns.
fn read_size(answer: &str) -> Result<Size, String> {
    let remedy = "type 8, 15, 24, or a size such as 3x4";
    let wrong = || format!("'{}' is not a size: {remedy}.", excerpt(answer));
    let tiles: usize = match answer {
        "" => 8,
        _ if answer.contains(['x', 'X', '×']) => return answer.parse().map_err(|_| wrong()),
        _ => answer.parse().map_err(|_| wrong())?,
    };
    let side = tiles.saturating_add(1).isqrt();
    match side.checked_mul(side) == tiles.checked_add(1) {
        true => Size::new(side, side).map_err(|_| wrong()),
        false => Err(format!("A square board can't have {tiles} tiles: {remedy}.")),
    }
}

/// Asks for the next row or tile.
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

/// Adds the tiles of `answer` to `tiles`, and returns the board once it is complete. If a tile is not
/// valid, none is added.
fn read_tiles(answer: &str, size: Size, tiles: &mut Vec<Tile>) -> Result<Option<Board>, String> {
    // A whole board in any notation.
    if tiles.is_empty()
        && let Ok(board) = read_board(answer, Some(size))
    {
        return Ok(Some(board));
    }
    let before = tiles.len();
    let result = add_tiles(answer, size, tiles);
    if let Err(reason) = result {
        tiles.truncate(before);
        return Err(format!("{reason} Enter that line again."));
    }
    if tiles.len() < size.cells() {
        return Ok(None);
    }
    let full = std::mem::take(tiles);
    Board::new(size, full)
        .map(Some)
        .map_err(|error| format!("This is not a valid board: {error}. Enter it again."))
}

fn add_tiles(answer: &str, size: Size, tiles: &mut Vec<Tile>) -> Result<(), String> {
    let words = answer.split(|c: char| c.is_whitespace() || ",;/|[]".contains(c));
    for word in words.filter(|word| !word.is_empty()) {
        let tile: Tile = match word {
            "b" | "B" | "_" | "*" | "x" | "X" | "." => 0,
            _ => word.parse().map_err(|_| format!("'{}' is not a tile.", excerpt(word)))?,
        };
        let cells = size.cells();
        if usize::from(tile) >= cells {
            return Err(format!(
                "Tile {tile} is out of range: a {size} board has tiles 0 to {}.",
                cells - 1
            ));
        }
        if tile != 0 && tiles.contains(&tile) {
            return Err(format!("Tile {tile} appears twice."));
        }
        if tiles.len() == cells {
            return Err(format!("A {size} board has only {cells} cells."));
        }
        tiles.push(tile);
    }
    Ok(())
}

/// Returns the arguments of `solve` for the answer; `named` is how the course was named.
fn arguments(answer: &str, course: &Course, named: &str) -> Result<Vec<String>, String> {
    let follow = |method: &str| ["--as", named, "-m", method].map(Into::into).to_vec();
    if let Ok(number) = answer.parse::<usize>() {
        let method = number.checked_sub(1).and_then(|at| course.methods.get(at));
        return method.and_then(|method| method.names.first()).map(|name| follow(name)).ok_or_else(
            || format!("{number} is not in the list: type 1 to {}.", course.methods.len()),
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

/// Returns the longest name that a course has for a method.
fn title(method: &CourseMethod) -> String {
    let name = method.names.iter().max_by_key(|name| name.len());
    let mut letters = name.map_or("", String::as_str).chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn shown(board: &Board) -> String {
    let rows: Vec<String> = picture(board, None).iter().map(|row| format!("  {row}\n")).collect();
    rows.concat()
}
