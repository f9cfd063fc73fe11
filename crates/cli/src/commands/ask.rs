//! `taquin ask`: the dialogue that courses begin with.
//!
//! Questions go to standard error. The answers become the request of a `taquin solve` command, so
//! standard output is the same as for that command. The wording is taquin's own, or comes from the
//! course that `--as` names.

use std::fmt::Write;
use std::io::{self, BufRead, IsTerminal, Read};
use std::sync::Arc;

use clap::Parser;
use taquin::{
    Algorithm, Board, Ending, Method, Reason, Session, Size, Tile, Watch, excerpt, is_reachable,
    read_board, read_count,
};
use taquin_lab::{Course, CourseError, Courses, Dialogue, Request, ResolvedRequest};

use crate::args::SearchArgs;
use crate::config::CONFIG;
use crate::failure::{CommandResult, Failure};
use crate::follow::{self, PrintArgs, Trace};
use crate::output::{BOLD, PLAIN, picture, prompt, say, thousands};
use crate::report::refusal;
use crate::watch::{interruptible, waiting};
use crate::{suggest, tables};

/// Ask for a puzzle and an algorithm and trace the search
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin ask
  taquin ask --as ucr-heap           the questions of a course's program
  printf '1\\n3\\n' | taquin ask      the default puzzle, the third algorithm
  printf '2\\n8\\n1 2 3\\n5 0 6\\n4 7 8\\n2\\n' | taquin ask
  printf '123506478\\n3\\n' | taquin ask

taquin reads the answers from standard input, one per line. You can enter the
tiles one per line, a row at a time or all at once, even as the first answer. At
every question, 'back' returns to the previous one, 'help' explains what to
type, and 'quit' ends the dialogue. After a puzzle it asks for the next one.")]
pub(crate) struct AskArgs {
    /// Course whose puzzle, algorithms and questions to use (see 'taquin list courses') [default:
    /// the algorithms of ucr-list]
    #[arg(long = "as", value_name = "NAME", value_parser = suggest::courses(), hide_possible_values = true)]
    course: Option<String>,
}

/// The course whose puzzle and algorithms are used if none is named.
const USUAL: &str = "ucr-list";

/// Traces of boards with more cells are limited: they can be endless.
const MAX_FULL_TRACE_CELLS: usize = 9;

/// The greatest number of expansions that are printed without a question.
const MAX_UNASKED_STEPS: u64 = 1_000;

/// The number of invalid answers in a row, not typed, that are asked again.
const MAX_INVALID_ANSWERS: u32 = 100;

/// The longest answer that is read, in bytes.
const MAX_ANSWER_BYTES: u64 = 1 << 16;

pub(crate) fn run(args: &AskArgs) -> CommandResult {
    let named = args.course.as_deref().unwrap_or(USUAL);
    let course = Course::resolve(named)?;
    let words = course.dialogue.clone().filter(|_| args.course.is_some());
    let stdin = io::stdin();
    let mut asker = Asker {
        course: &course,
        named,
        is_own: words.is_none(),
        words: words.unwrap_or_default(),
        typed: stdin.is_terminal(),
        refused: 0,
        input: stdin.lock(),
    };
    prompt(&asker.words.welcome);
    let mut code = 0;
    while let Some((board, answers)) = asker.answers()? {
        if asker.is_own {
            say("");
        }
        let line = answers.line(&board);
        code = match answers.solve(board) {
            // On a terminal the next attempt may be better.
            Err(failure) if asker.typed => failure.report(),
            result => result?,
        };
        if asker.is_own || asker.typed {
            say(&format!("\nThe same in one line:\n  {BOLD}{line}{PLAIN}"));
        }
        if !asker.goes_on()? {
            break;
        }
    }
    Ok(code)
}

/// Asks, and reads the answers.
struct Asker<'a> {
    course: &'a Arc<Course>,
    /// How the course was named.
    named: &'a str,
    words: Dialogue,
    /// Whether the words are taquin's own.
    is_own: bool,
    /// Whether the answers are typed on a terminal. Others are printed after the questions.
    typed: bool,
    /// The invalid answers since the last valid one.
    refused: u32,
    input: io::StdinLock<'static>,
}

/// The questions, in their order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    Choice,
    Size,
    Tiles(Size),
    Method,
    Trace,
}

enum Answer {
    Text(String),
    Back,
    Quit,
}

/// The answers so far.
#[derive(Default)]
struct Answers {
    size: Option<Size>,
    tiles: Vec<Tile>,
    /// The number of tiles before each line of tiles.
    lines: Vec<usize>,
    board: Option<Board>,
    /// The search to run, without the board.
    request: Request,
    print: PrintArgs,
}

impl Answers {
    fn prepare(&self, board: Board, session: &Session) -> Result<ResolvedRequest, Failure> {
        let asked = self.request.setting(Courses::Files)?.with_board(board)?;
        self.print.prepare(asked, session)
    }

    fn solve(&self, board: Board) -> CommandResult {
        let session = tables::session();
        follow::run(&self.print, &self.prepare(board, &session)?, &session)
    }

    /// The command that does the same.
    fn line(&self, board: &Board) -> String {
        let Self { request, print, .. } = self;
        let goal = request.goal.clone().filter(|goal| goal != CONFIG.usual_goal().name());
        let mut line = format!("taquin solve \"{board}\"");
        for (flag, value) in [("--as", &request.course), ("-m", &request.method), ("--goal", &goal)]
        {
            let Some(value) = value else { continue };
            let _ = match value.contains(char::is_whitespace) {
                true => write!(line, " {flag} {value:?}"),
                false => write!(line, " {flag} {value}"),
            };
        }
        line += if print.trace.is_some() { " --trace" } else { "" };
        let limit = print.trace_limit.map(|limit| format!(" --trace-limit {limit}"));
        line + &limit.unwrap_or_default()
    }
}

impl Asker<'_> {
    /// Returns the next board and the other answers; `None` if the user quits.
    fn answers(&mut self) -> Result<Option<(Board, Answers)>, Failure> {
        let first = match self.course.board.is_some() && !self.words.choice.is_empty() {
            true => Question::Choice,
            false => Question::Size,
        };
        let mut answers = Answers::default();
        let mut question = Some(first);
        let mut last = None;
        while let Some(asked) = question {
            let again = std::mem::replace(&mut last, question) == question;
            let text = match asked {
                Question::Choice => self.words.choice.clone(),
                Question::Size => self.words.size.clone(),
                Question::Tiles(size) => {
                    let at = answers.tiles.len();
                    let begins = if at == 0 { self.words.tiles.as_str() } else { "" };
                    begins.to_owned() + &self.words.cell(at / size.cols(), at % size.cols())
                }
                // The list is not repeated.
                Question::Method if again && self.is_own => "> ".to_owned(),
                Question::Method => {
                    let own = if answers.tiles.is_empty() { "" } else { &self.words.own };
                    own.to_owned() + &self.words.method(self.course)
                }
                Question::Trace => match self.trace_question(&mut answers)? {
                    Some(text) => text,
                    None => break,
                },
            };
            question = match self.ask(&text)? {
                Answer::Quit => return Ok(None),
                Answer::Back => Some(back(asked, first, &mut answers)),
                Answer::Text(answer) => {
                    let next = self.answer(asked, &answer, &mut answers);
                    self.refused = if next.is_ok() { 0 } else { self.refused + 1 };
                    if self.refused > MAX_INVALID_ANSWERS && !self.typed {
                        let message =
                            format!("{MAX_INVALID_ANSWERS} answers in a row were not valid");
                        return Err(Failure::input(message).hint("see 'taquin ask --help'"));
                    }
                    next.unwrap_or_else(|reason| {
                        say(&reason);
                        Some(asked)
                    })
                }
            };
            let unsolvable = answers
                .board
                .clone()
                .filter(|_| self.is_own && question == Some(Question::Method))
                .and_then(|board| self.course.puzzle(board).ok())
                .filter(|puzzle| !is_reachable(puzzle));
            if let Some(puzzle) = unsolvable {
                say(refusal(&puzzle).trim_end());
                (answers, question) = (Answers::default(), Some(first));
            }
        }
        Ok(answers.board.take().map(|board| (board, answers)))
    }

    /// Takes an answer and returns the next question, or why the answer is not valid.
    fn answer(
        &self,
        question: Question,
        text: &str,
        answers: &mut Answers,
    ) -> Result<Option<Question>, String> {
        let board = match question {
            Question::Choice => match text {
                "1" => {
                    answers.board.clone_from(&self.course.board);
                    self.show("The default puzzle:", answers.board.as_ref());
                    return Ok(Some(Question::Method));
                }
                "2" => return Ok(Some(Question::Size)),
                _ => whole_board(text, None)
                    .ok_or_else(|| format!("'{}' is not 1 or 2, nor a board.", excerpt(text)))?,
            },
            Question::Size => match (read_size(text), whole_board(text, None)) {
                (Ok(size), _) => {
                    answers.size = Some(size);
                    return Ok(Some(Question::Tiles(size)));
                }
                (Err(_), Some(board)) => board,
                (Err(reason), None) => return Err(reason),
            },
            Question::Tiles(size) => match read_tiles(text, size, answers)? {
                Some(board) => board,
                None => return Ok(Some(question)),
            },
            Question::Method => {
                answers.request = self.method(text)?;
                return Ok(Some(Question::Trace));
            }
            Question::Trace => {
                let print = &mut answers.print;
                (print.trace, print.trace_limit) = match text.to_lowercase().as_str() {
                    "yes" | "y" => (Some(Trace::Text), None),
                    "" | "no" | "n" => (None, None),
                    number => match read_count(number) {
                        Ok(limit) => (Some(Trace::Text), Some(limit)),
                        Err(_) => return Err("Type yes, no, or a number.".to_owned()),
                    },
                };
                return Ok(None);
            }
        };
        self.show("Your puzzle:", Some(&board));
        answers.board = Some(board);
        Ok(Some(Question::Method))
    }

    /// Draws a board, unless the words belong to a course.
    fn show(&self, title: &str, board: Option<&Board>) {
        if let Some(board) = board.filter(|_| self.is_own) {
            let rows: Vec<String> =
                picture(board, None).iter().map(|row| format!("  {row}\n")).collect();
            say(&format!("{title}\n{}", rows.concat()));
        }
    }

    /// Asks about a trace that is long. Without a question, it is printed.
    fn trace_question(&self, answers: &mut Answers) -> Result<Option<String>, Failure> {
        let Some(board) = answers.board.clone() else { return Ok(None) };
        answers.print.trace = Some(Trace::Text);
        if !self.typed {
            let is_limited = self.is_own && board.size().cells() > MAX_FULL_TRACE_CELLS;
            answers.print.trace_limit = is_limited.then_some(MAX_UNASKED_STEPS);
            return Ok(None);
        }
        let session = tables::session();
        let mut asked = answers.prepare(board, &session)?;
        asked.task.limits.expanded = Some(MAX_UNASKED_STEPS + 1);
        let report = session.run(&asked.task, Watch::by(&interruptible()));
        let is_long = (report.outcome, report.reason) == (Ending::Stopped, Some(Reason::Expanded));
        Ok(is_long.then(|| {
            format!(
                "More than {} nodes will be expanded. Print the trace? Type yes, no, or the\n\
                 number of expansions to print. Enter means no.\n> ",
                thousands(MAX_UNASKED_STEPS)
            )
        }))
    }

    /// Returns the request with the method of an answer.
    fn method(&self, answer: &str) -> Result<Request, String> {
        let methods = &self.course.methods;
        let request = |course, method: &str| {
            let method = Some(method.to_owned());
            SearchArgs { method, ..SearchArgs::default() }.request(course)
        };
        if let Ok(number) = answer.parse::<usize>() {
            let method = number.checked_sub(1).and_then(|at| methods.get(at));
            let name = method.and_then(|method| method.names.first());
            return name.map(|name| request(Some(self.named), name)).ok_or_else(|| {
                format!("{number} is not in the list: type 1 to {}, or a method.", methods.len())
            });
        }
        if answer.is_empty() {
            return Err(format!("Type a number from 1 to {}, or a method.", methods.len()));
        }
        match (self.course.method(Some(answer)), answer.parse::<Method>()) {
            (Ok(_), _) => Ok(request(Some(self.named), answer)),
            (Err(CourseError::Method { .. }), Ok(Method { algorithm, .. }))
                if algorithm != Algorithm::Auto && !algorithm.is_traced() =>
            {
                Err(format!(
                    "{algorithm} has no steps to follow: type another method, or use\n\
                     'taquin solve BOARD -m {algorithm}'."
                ))
            }
            (Err(CourseError::Method { .. }), Ok(_)) => {
                let goal = Some(self.course.goal.to_string());
                Ok(Request { goal, ..request(None, answer) })
            }
            (_, Err(error)) => Err(match error.hint() {
                Some(hint) => format!("{error}: {hint}"),
                None => format!("{error}."),
            }),
            (Err(error), Ok(_)) => Err(format!("{error}.")),
        }
    }

    /// Asks a question until the answer is not a call for help.
    fn ask(&mut self, question: &str) -> Result<Answer, Failure> {
        loop {
            prompt(question);
            let mut line = Vec::new();
            let input = &mut self.input;
            let read = waiting(|| input.take(MAX_ANSWER_BYTES).read_until(b'\n', &mut line));
            let read =
                read.map_err(|error| Failure::input(format!("can't read the answer: {error}")))?;
            if read as u64 == MAX_ANSWER_BYTES {
                return Err(Failure::input(format!("an answer has more than {read} bytes"))
                    .hint("to solve boards from a file, use 'taquin solve --batch FILE'"));
            }
            if read == 0 && self.typed {
                say("");
                return Ok(Answer::Quit);
            }
            if read == 0 {
                say("");
                return Err(Failure::input("the input ended before the last answer")
                    .hint("'taquin ask --help' shows examples; 'taquin solve' asks no questions"));
            }
            let answer = String::from_utf8_lossy(&line).trim().to_owned();
            if !self.typed {
                say(&answer);
            }
            match answer.to_lowercase().as_str() {
                "quit" | "exit" | "q" => return Ok(Answer::Quit),
                "back" => return Ok(Answer::Back),
                "help" | "?" => say(HELP),
                _ => return Ok(Answer::Text(answer)),
            }
        }
    }

    /// Returns whether there are more answers.
    fn goes_on(&mut self) -> Result<bool, Failure> {
        if self.typed {
            say("\nThe next puzzle, or quit:");
            return Ok(true);
        }
        loop {
            let input = &mut self.input;
            let rest = waiting(|| input.fill_buf()).map_err(Failure::from)?;
            let spaces = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if spaces < rest.len() || rest.is_empty() {
                return Ok(!rest.is_empty());
            }
            self.input.consume(spaces);
        }
    }
}

const HELP: &str = "\
A puzzle is asked for, then an algorithm. A whole board can be typed at any
question about the puzzle, in any notation: 1 2 3/4 0 6/7 5 8. The blank is 0,
b, _, *, x or a dot.
  back   the question before, or the line of tiles before
  quit   the end; Ctrl-D is the same
  help   this text";

/// Returns the question before another, and takes the last answer back.
fn back(asked: Question, first: Question, answers: &mut Answers) -> Question {
    match asked {
        Question::Trace => Question::Method,
        Question::Tiles(_) if answers.lines.is_empty() => Question::Size,
        Question::Tiles(_) | Question::Method => {
            let before = answers.lines.pop().unwrap_or(0);
            answers.tiles.truncate(before);
            answers.size.map_or(first, Question::Tiles)
        }
        Question::Choice | Question::Size => first,
    }
}

/// Reads a board that is more than a number.
fn whole_board(text: &str, size: Option<Size>) -> Option<Board> {
    read_board(text, size).ok().filter(|board| board.size().cells() > 1)
}

/// Reads a square board's number of tiles, or rows and columns.
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

/// Adds a line of tiles, and returns the board once it is complete. If a tile is not valid, none is
/// added.
fn read_tiles(answer: &str, size: Size, answers: &mut Answers) -> Result<Option<Board>, String> {
    let tiles = &mut answers.tiles;
    // A whole board in any notation.
    if tiles.is_empty()
        && let Some(board) = whole_board(answer, Some(size))
    {
        return Ok(Some(board));
    }
    let before = tiles.len();
    if let Err(reason) = add_tiles(answer, size, tiles) {
        tiles.truncate(before);
        return Err(format!("{reason} Enter that line again."));
    }
    if tiles.len() > before {
        answers.lines.push(before);
    }
    if tiles.len() < size.cells() {
        return Ok(None);
    }
    Board::new(size, tiles.clone()).map(Some).map_err(|error| {
        tiles.clear();
        answers.lines.clear();
        format!("This is not a valid board: {error}. Enter it again.")
    })
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
