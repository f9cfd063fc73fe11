//! Readers of text, and the laws for the input that they accept.
//!
//! A check returns whether the input was accepted, or which law is broken. Text that was read and
//! written reads the same again; an error fits on a screen, however long the input was.

use std::fmt::{Debug, Display};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::str::FromStr;
use std::sync::LazyLock;
use std::sync::mpsc::channel;

use anyhow::{Context as _, Result};
use taquin::{
    Board, BoardFormat, Costs, Ending, Method, Metric, MoveOrder, NamedGoal, Notation, Puzzle,
    ReadError, ReadFault, Session, Size, Task, TaskLimits, Watch, Weight, convert_moves,
    is_reachable, read_board, read_board_bytes, read_bytes, read_count, read_moves,
    read_moves_detect, read_time, replay, write_board, write_bytes, write_moves,
};
use taquin_web::{Local, ServiceLimits};

/// Whether an input is accepted, or which law is broken.
type Check = Box<dyn Fn(&[u8]) -> Result<bool, String>>;

/// Something that reads.
pub(super) struct Target {
    pub(super) name: &'static str,
    pub(super) check: Check,
    pub(super) seeds: Vec<Vec<u8>>,
    /// How many consecutive inputs are tried: fewer if each takes longer.
    pub(super) turns: usize,
    /// How many of the seeds are real inputs.
    pub(super) real: usize,
    pub(super) tried: u64,
    pub(super) accepted: u64,
}

impl Target {
    pub(super) fn new(
        name: &'static str,
        seeds: Vec<Vec<u8>>,
        check: impl Fn(&[u8]) -> Result<bool, String> + 'static,
    ) -> Self {
        let real = seeds.len();
        Self { name, check: Box::new(check), seeds, turns: 200, real, tried: 0, accepted: 0 }
    }

    /// Tries a few inputs at a time.
    pub(super) fn slow(self) -> Self {
        Self { turns: 20, ..self }
    }
}

/// Everything that reads text, with real inputs for it.
pub(super) fn targets() -> Result<Vec<Target>> {
    let mut boards = Vec::new();
    files(&crate::path("data"), &mut boards)?;
    boards.extend(seeds("board")?);
    let mut moves = seeds("moves")?;
    let recorded = crate::path("crates/lab/data/slidysim/solutions_4x4.txt");
    let recorded = fs::read(&recorded).with_context(|| format!("{}", recorded.display()))?;
    moves.extend(recorded.split(|&byte| byte == b'\n').map(<[u8]>::to_vec));
    let mut targets = vec![
        Target::new("board", boards, board),
        Target::new("moves", moves, moves_of),
        Target::new("method", seeds("method")?, method),
        Target::new("words", seeds("words")?, words),
        Target::new("task", seeds("task")?, task),
        Target::new("request", seeds("request")?, request).slow(),
    ];
    targets.extend(super::files::targets()?);
    Ok(targets)
}

/// The real inputs of a target.
pub(super) fn seeds(target: &str) -> Result<Vec<Vec<u8>>> {
    let table: toml::Table = include_str!("../../fuzz.toml").parse()?;
    let seeds = table.get(target).and_then(toml::Value::as_array).context("no such target")?;
    Ok(seeds.iter().filter_map(|seed| Some(seed.as_str()?.as_bytes().to_vec())).collect())
}

/// The contents of the small files in a folder, in name order.
fn files(folder: &Path, found: &mut Vec<Vec<u8>>) -> Result<()> {
    let error = || format!("{}", folder.display());
    let entries = fs::read_dir(folder).with_context(error)?;
    let mut paths =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>().with_context(error)?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, found)?;
        } else if path.metadata().is_ok_and(|data| data.len() <= 4_096) {
            found.push(fs::read(&path).with_context(|| format!("{}", path.display()))?);
        }
    }
    Ok(())
}

fn board(input: &[u8]) -> Result<bool, String> {
    let mut accepted = false;
    let given = [(3, 3), (2, 4)].map(|(rows, cols)| Size::new(rows, cols).ok());
    for size in [None].into_iter().chain(given) {
        match read_board_bytes(input, size) {
            Ok(board) => {
                accepted = true;
                same_again(&board)?;
            }
            Err(error) => {
                let hint = error.hint().map(|hint| hint.to_string());
                short(&format!("{error} {}", hint.unwrap_or_default()))?;
            }
        }
    }
    Ok(accepted)
}

fn same_again(board: &Board) -> Result<(), String> {
    let size = board.size();
    for format in BoardFormat::ALL {
        for blank in ['0', 'x'] {
            let Ok(text) = write_board(board, format, blank) else { continue };
            // A flat list does not show its shape.
            let given = (format == BoardFormat::Flat).then_some(size);
            let mut found = read_board(&text, given);
            // A first row that could be the size of a board is asked back, and a size decides.
            let is_ambiguous = |error: &ReadError| matches!(error.fault(), ReadFault::Ambiguous(_));
            if found.as_ref().is_err_and(is_ambiguous) {
                found = read_board(&text, Some(size));
            }
            equal(&found, &Ok(board.clone()), &text)?;
        }
    }
    let goal = NamedGoal::Snail.board(size, board.blanks().count());
    let puzzle = Puzzle::new(board.clone(), goal).map_err(|error| error.to_string())?;
    is_reachable(&puzzle);
    Ok(())
}

fn moves_of(input: &[u8]) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(false) };
    let mut accepted = false;
    for start in
        ["1 2 3/4 0 5/6 7 8", "1 2 3 4/5 6 7 8/9 10 11 12/13 14 15 0", "1 0 2/3 4 0", "1 0 2 0/"]
    {
        let start: Board = start.parse().map_err(|error| format!("{error}"))?;
        for notation in [None, Some(Notation::Blank), Some(Notation::Tile)] {
            let slides = match read_moves(text, notation, &start) {
                Ok(slides) => slides,
                Err(error) => {
                    short(&format!("{error} {}", error.hint().unwrap_or_default()))?;
                    continue;
                }
            };
            accepted = true;
            let end = replay(&start, &slides).map_err(|error| error.to_string())?;
            let detected = read_moves_detect(text, &start, &end).map(|(slides, _)| slides);
            let detected = detected.and_then(|slides| replay(&start, &slides));
            equal(&detected, &Ok(end), text)?;
            for notation in Notation::ALL {
                let text = write_moves(&slides, &start, notation).map_err(|e| e.to_string())?;
                equal(&read_moves(&text, Some(notation), &start), &Ok(slides.clone()), &text)?;
            }
        }
    }
    for to in Notation::ALL {
        // A count of nine digits is legal, and as long as it says when it is written out.
        if let Ok(converted) = convert_moves(text, None, to)
            && converted.len() < 100_000
        {
            equal(&convert_moves(&converted, Some(to), to), &Ok(converted.clone()), &converted)?;
        }
    }
    Ok(accepted)
}

/// A request to the page's module; the service answers by the same functions.
fn request(input: &[u8]) -> Result<bool, String> {
    // Every request ends soon.
    let limits = ServiceLimits {
        seconds: 0.02,
        default_seconds: 0.02,
        memory: 16 << 20,
        cells: 25,
        ..ServiceLimits::local()
    };
    let mut parts = input.splitn(2, |&byte| byte == b'\n');
    let path = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let body = parts.next().unwrap_or_default();
    let (sender, told) = channel();
    Local::with_limits(limits).answer(&path, body, move |name, document| {
        let _ = sender.send((name.to_owned(), document.to_owned()));
        ControlFlow::Continue(())
    });
    let told: Vec<(String, String)> = told.iter().collect();
    let names: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
    let is_whole = match names[..] {
        ["answer" | "problem"] => true,
        ["started", ref middle @ .., "report"] => {
            middle.iter().all(|name| ["steps", "progress", "omitted"].contains(name))
        }
        _ => false,
    };
    if !is_whole {
        return Err(format!("answered with {names:?}"));
    }
    for (name, document) in &told {
        let value: serde_json::Value =
            serde_json::from_str(document).map_err(|error| format!("{name}: {error}"))?;
        if name == "problem" {
            short(&format!("{} {}", value["detail"], value["hint"]))?;
            if value["status"] == 500 {
                return Err(format!("a fault: {document}"));
            }
        }
    }
    Ok(names != ["problem"])
}

fn method(input: &[u8]) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(false) };
    match text.parse::<Method>() {
        Ok(method) => {
            let text = method.to_string();
            equal(&text.parse(), &Ok(method.clone()), &text)?;
            claims(method).map(|()| true)
        }
        Err(error) => {
            short(&format!("{error}{}", error.hint().unwrap_or_default()))?;
            equal(&error.caret().to_string().lines().count(), &2, text)?;
            Ok(false)
        }
    }
}

/// A board, and the number of moves that it takes.
const SOLVED: (&str, u32) = ("8 1 3/4 0 2/7 6 5", 14);

/// Automata for longer sequences take long to build.
const MAX_PRUNE: usize = 8;

/// Solves a board within small limits: nothing false is claimed.
fn claims(method: Method) -> Result<(), String> {
    static SESSION: LazyLock<Session> = LazyLock::new(Session::without_folder);
    // Segments that slide as one need fewer moves.
    if method.metric != Metric::Single || method.prune > MAX_PRUNE {
        return Ok(());
    }
    let (text, length) = SOLVED;
    let start: Board = text.parse().map_err(|error| format!("{error}"))?;
    let limits = TaskLimits {
        expanded: Some(2_000),
        generated: Some(6_000),
        memory: Some(8_000_000),
        seconds: Some(0.2),
        ..TaskLimits::default()
    };
    let report = SESSION.run(&Task { method, limits, ..start.into() }, Watch::default());
    let is_true = report.cost.is_none_or(|cost| cost >= length)
        && report.lower_bound.is_none_or(|bound| bound <= length)
        && (!report.optimal || report.cost == Some(length))
        && [Ending::Solved, Ending::Stopped].contains(&report.outcome);
    match is_true {
        true => Ok(()),
        false => {
            Err(format!("claims {:?}, {:?}", (report.outcome, report.cost), report.lower_bound))
        }
    }
}

fn words(input: &[u8]) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(false) };
    let spelled = [
        spelled::<Size>(text)?,
        spelled::<Costs>(text)?,
        spelled::<NamedGoal>(text)?,
        spelled::<MoveOrder>(text)?,
        spelled::<BoardFormat>(text)?,
        spelled::<Notation>(text)?,
        spelled::<Weight>(text)?,
    ];
    let amounts = [
        read_time(text).map(|time| time.as_secs()),
        read_count(text),
        read_bytes(text).inspect(|&bytes| drop(write_bytes(bytes))),
    ];
    for error in amounts.iter().filter_map(|amount| amount.as_ref().err()) {
        short(&error.to_string())?;
    }
    Ok(spelled.contains(&true) || amounts.iter().any(Result::is_ok))
}

/// Whether a text is one of a type's values, which then must have a spelling of its own.
fn spelled<T>(text: &str) -> Result<bool, String>
where
    T: FromStr<Err: Display + Debug + PartialEq> + Display + Debug + PartialEq,
{
    match text.parse::<T>() {
        Ok(value) => {
            let text = value.to_string();
            equal(&text.parse(), &Ok(value), &text)?;
            Ok(true)
        }
        // These are single words of a command line, and their errors may repeat them.
        Err(error) => {
            drop(error.to_string());
            Ok(false)
        }
    }
}

fn task(input: &[u8]) -> Result<bool, String> {
    let Ok(task) = serde_json::from_slice::<Task>(input) else { return Ok(false) };
    let text = serde_json::to_string(&task).map_err(|error| error.to_string())?;
    equal(&serde_json::from_str(&text).ok(), &Some(task), &text)?;
    Ok(true)
}

fn equal<T: PartialEq + Debug>(found: &T, expected: &T, text: &str) -> Result<(), String> {
    match found == expected {
        true => Ok(()),
        false => Err(format!("'{text}' gives {found:?}, not {expected:?}")),
    }
}

/// An error repeats no more of the input than fits on a few lines.
pub(super) fn short(error: &str) -> Result<(), String> {
    match (1..=2_000).contains(&error.chars().count()) {
        true => Ok(()),
        false => Err(format!("an error of {} characters: {error:?}", error.chars().count())),
    }
}
