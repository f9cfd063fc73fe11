//! What reads text, and what must hold for whatever it accepts.
//!
//! A check says whether the input was accepted, or which law is broken. What was read and written
//! reads the same again; an error fits on a screen, however long the input was.

use std::fmt::{Debug, Display};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::str::FromStr;
use std::sync::mpsc::channel;

use anyhow::{Context as _, Result};
use taquin::{
    Board, BoardFormat, Costs, Method, MoveOrder, NamedGoal, Notation, Puzzle, Size, Task, Weight,
    convert_moves, is_reachable, read_board, read_board_bytes, read_bytes, read_count, read_moves,
    read_moves_detect, read_time, replay, write_board, write_bytes, write_moves,
};
use taquin_web::{Local, ServiceLimits};

/// Something that reads.
pub(super) struct Target {
    pub(super) name: &'static str,
    pub(super) check: fn(&[u8]) -> Result<bool, String>,
    pub(super) seeds: Vec<Vec<u8>>,
    /// How many inputs are tried in a row: fewer where each takes longer.
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
        check: fn(&[u8]) -> Result<bool, String>,
    ) -> Self {
        let real = seeds.len();
        Self { name, check, seeds, turns: 200, real, tried: 0, accepted: 0 }
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
    boards.extend(texts(BOARDS));
    let mut moves = texts(MOVES);
    let recorded = crate::path("crates/lab/data/slidysim/solutions_4x4.txt");
    let recorded = fs::read(&recorded).with_context(|| format!("{}", recorded.display()))?;
    moves.extend(recorded.split(|&byte| byte == b'\n').map(<[u8]>::to_vec));
    let mut targets = vec![
        Target::new("board", boards, board),
        Target::new("moves", moves, moves_of),
        Target::new("method", texts(METHODS), method),
        Target::new("words", texts(WORDS), words),
        Target::new("task", texts(TASKS), task),
        Target::new("request", texts(REQUESTS), request).slow(),
    ];
    targets.extend(super::files::targets()?);
    Ok(targets)
}

const BOARDS: &[&str] = &[
    "1 2 3/4 5 6/7 8 0",
    "[[1, 2, 3], [4, 5, 6], [7, 8, None]]",
    "(1,2,3),(4,b,6)",
    "123456780",
    "123/4_5",
    "3x4\n1 2 3 4\n5 6 7 8\n9 10 11 .",
    "2\n1 2\n3 x\n",
    "# a comment\n4\n1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,* # another\n",
    "1 2 0 3 0 4/",
    "{1;2;3;0}",
    "\u{feff}1\t2\r\n3\t0\r\n",
];

const MOVES: &[&str] =
    &["DR", "RDLU RDLU", "u,l,d,d", "U2L2D", "L3R3", "R7 U3 L2", "U8 L7", "", "DDRR2"];

const METHODS: &[&str] = &[
    "bfs",
    "dfs,depth=30",
    "ucs",
    "greedy:manhattan",
    "astar:misplaced",
    "wastar:manhattan,w=3/2",
    "wastar:linear,w=1.5",
    "random,seed=7",
    "beam:linear,k=1000",
    "bidirectional",
    "ids",
    "ida:max=linear+gaschnig",
    "auto",
    "astar:manhattan,tie=high-g,order=fifo,goal=expansion,duplicates=generated,reopen=never,undo=keep,moves=LRUD",
    "astar:manhattan,rank=h,tie=low-g,order=heap,goal=generation,duplicates=cheaper,reopen=always,undo=skip",
    "bfs,rank=none,tie=none,order=random,seed=18446744073709551615,duplicates=keep",
];

const WORDS: &[&str] = &[
    "3x4", "3×4", "4", "65535x1", "unit", "tile", "1,1,5", "65535, 1", "last", "first", "snail",
    "ULRD", "lrud", "slashes", "nested", "digits", "blank", "3/2", "1.5", "90", "1.5s", "200ms",
    "2m", "1h", "5000", "1e6", "10k", "2M", "512MiB", "1.5GB", "0.5T",
];

const TASKS: &[&str] = &[
    r#"{"puzzle":{"rows":2,"cols":2,"start":[1,0,3,2],"goal":[1,2,3,0]},"method":"astar:manhattan"}"#,
    r#"{"puzzle":{"rows":3,"cols":3,"start":[8,1,3,4,0,2,7,6,5],"goal":[1,2,3,4,5,6,7,8,0]},"method":"ida:linear","limits":{"expanded":9,"generated":99,"memory":1000000,"seconds":1.5},"cost":"tile","search_anyway":true,"jumps":true}"#,
    r#"{"puzzle":{"rows":1,"cols":4,"start":[1,0,0,2],"goal":[1,2,0,0]},"cost":"1,7"}"#,
];

/// The path of a request, and its document on the next line.
const REQUESTS: &[&str] = &[
    "solve\n{\"board\":\"1 3 6/5 0 2/4 7 8\",\"method\":\"astar:manhattan\",\"cost\":[1,1,1,1,2,1,1,3]}",
    "solve\n{\"board\":\"7 1 2/4 8 5/6 3 0\",\"as\":\"ucr-list\",\"method\":\"misplaced\"}",
    "jobs\n{\"board\":\"1 3 6/5 0 2/4 7 8\",\"method\":\"bfs\",\"limits\":{\"traced\":9,\"glimpses\":3,\"expanded\":99}}",
    "explain?step=3&rivals=2\n{\"board\":\"1 3 6/5 0 2/4 7 8\",\"method\":\"ida:linear\"}",
    "narrate\n{\"board\":\"1 2 3/4 0 6/7 5 8\",\"as\":\"ucr-list\",\"method\":\"1\"}",
    "check\n{\"board\":\"1 2 3/4 5 6/8 7 0\",\"goal\":\"snail\"}",
    "convert\n{\"board\":\"123/4_6/758\",\"to\":\"nested\",\"moves\":\"DR\",\"from\":\"blank\"}",
    "gen\n{\"size\":\"3x3\",\"depth\":9,\"count\":2,\"seed\":7,\"blanks\":1}",
    "heuristic\n{\"board\":\"724506831\",\"goal\":\"first\"}",
    "space\n{\"size\":\"2x3\",\"goal\":\"last\",\"metric\":\"multi\",\"blanks\":2}",
    "instances/korf100",
    "methods",
];

pub(super) fn texts(list: &[&str]) -> Vec<Vec<u8>> {
    list.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// The contents of the small files in a folder, in the order of their names.
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
            // A flat list does not say what shape it is.
            let given = (format == BoardFormat::Flat).then_some(size);
            equal(&read_board(&text, given), &Ok(board.clone()), &text)?;
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
    // Whatever is asked for ends soon.
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
            equal(&text.parse(), &Ok(method), &text)?;
            Ok(true)
        }
        Err(error) => {
            short(&format!("{error}{}", error.hint().unwrap_or_default()))?;
            equal(&error.caret().to_string().lines().count(), &2, text)?;
            Ok(false)
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

/// Whether a text is one of the values of a type, which then must have a spelling of its own.
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
        // These are single words of a command line, whose errors may repeat them.
        Err(error) => {
            drop(error.to_string());
            Ok(false)
        }
    }
}

fn task(input: &[u8]) -> Result<bool, String> {
    let Ok(mut task) = serde_json::from_slice::<Task>(input) else { return Ok(false) };
    // Reading a fraction need not give the number whose shortest spelling it is.
    task.limits.seconds = task.limits.time().map(|time| time.as_secs() as f64);
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
