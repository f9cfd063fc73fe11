//! `taquin play` in a real pseudo-terminal, with the screen that a terminal would show.
#![cfg(unix)]

mod ends;
mod picture;

use std::fs;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use snapbox::{assert_data_eq, file, str};

use crate::run::{cache, folder, run, run_with};

/// A program in a terminal.
struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    screen: Arc<Mutex<vt100::Parser>>,
}

/// How long a test waits for something that must come.
const PATIENCE: Duration = Duration::from_secs(100);

impl Terminal {
    /// Starts `taquin play` in a terminal of this many columns and rows.
    fn play(columns: u16, rows: u16, args: &[&str], stats: &Path) -> Self {
        let command = Command::new(env!("CARGO_BIN_EXE_taquin"))
            .arg("play")
            .args(args)
            .arg("--stats")
            .arg(stats);
        Self::start(columns, rows, command)
    }

    fn start(columns: u16, rows: u16, command: Command) -> Self {
        Self::start_with(columns, rows, command, "")
    }

    fn start_with(columns: u16, rows: u16, command: Command, no_color: &str) -> Self {
        let size = |number| NonZero::new(number).unwrap();
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(rows, columns)).unwrap();
        let command = command
            .env("NO_COLOR", no_color)
            .env("TERM", "xterm-256color")
            .env("TAQUIN_CONFIG", "")
            .env("TAQUIN_CACHE", cache());
        let child = command.spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(size(rows), size(columns), 0)));
        let (output, seen) = (Arc::clone(&pty), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The end of the program is an error here.
            while let Ok(count @ 1..) = (&*output).read(&mut bytes) {
                seen.lock().unwrap().process(&bytes[..count]);
            }
        });
        Self { pty, child, screen }
    }

    fn keys(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    /// The screen as text.
    fn text(&self) -> String {
        let screen = self.screen.lock().unwrap();
        let lines: Vec<String> = screen.screen().rows(0, u16::MAX).collect();
        lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    /// Waits until the screen contains a text and no longer changes, and returns the screen.
    fn wait(&self, wanted: &str) -> String {
        loop {
            let text = self.wait_until(wanted, |text| text.contains(wanted));
            std::thread::sleep(Duration::from_millis(50));
            let later = self.text();
            // A clock that runs always changes the first lines.
            let below = |text: &str| text.lines().skip(4).map(str::to_owned).collect::<Vec<_>>();
            if later.contains(wanted) && below(&text) == below(&later) {
                return later;
            }
        }
    }

    fn wait_until(&self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let started = Instant::now();
        loop {
            let text = self.text();
            if is_there(&text) {
                return text;
            }
            assert!(started.elapsed() < PATIENCE, "no {what} on the screen:\n{text}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for the end of the program, and returns its exit code.
    fn end(&mut self) -> Option<i32> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(started.elapsed() < PATIENCE, "it does not end:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the terminal is as it was before: no alternate screen, no mouse, a cursor.
    fn assert_restored(&self) {
        self.wait_until("sign of the end", |_| {
            let screen = self.screen.lock().unwrap();
            let screen = screen.screen();
            !(screen.alternate_screen() || screen.hide_cursor() || screen.bracketed_paste())
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        });
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn stats(name: &str) -> PathBuf {
    folder(&format!("play-{name}")).join("data").join("play.jsonl")
}

/// A board that is two moves from the goal.
const NEAR: &str = "1 2 3/4 0 6/7 5 8";

fn near(name: &str) -> (Terminal, PathBuf) {
    let stats = stats(name);
    let terminal = Terminal::play(80, 24, &[NEAR], &stats);
    terminal.wait("The clock starts with the first move.");
    (terminal, stats)
}

#[test]
fn a_window_of_80_by_24() {
    let stats = stats("wide");
    let mut terminal = Terminal::play(80, 24, &["--seed", "7"], &stats);
    let begun = terminal.wait("The clock starts");
    assert_data_eq!(
        begun,
        str![[r#"
taquin 4x4                                           uniform  seed 7  theme rows
╭────────╮╭────────╮          ╭────────╮  Time        0.00
│        ││        │          │        │  Moves       0
│   12   ││   14   │          │    4   │  Tiles/s     0.00
│        ││        │          │        │
╰────────╯╰────────╯          ╰────────╯  Games       0
╭────────╮╭────────╮╭────────╮╭────────╮  Best        -
│        ││        ││        ││        │  ao5         -
│   10   ││   15   ││    9   ││    1   │  ao12        -
│        ││        ││        ││        │
╰────────╯╰────────╯╰────────╯╰────────╯
╭────────╮╭────────╮╭────────╮╭────────╮
│        ││        ││        ││        │
│   11   ││    5   ││    3   ││    6   │
│        ││        ││        ││        │
╰────────╯╰────────╯╰────────╯╰────────╯
╭────────╮╭────────╮╭────────╮╭────────╮
│        ││        ││        ││        │
│    8   ││   13   ││    2   ││    7   │
│        ││        ││        ││        │
╰────────╯╰────────╯╰────────╯╰────────╯
The clock starts with the first move.

arrows move  u undo  n new  i hint  p solve  v search  g ghost  t times  ? help

"#]]
    );
    terminal.keys("?");
    assert_data_eq!(
        terminal.wait("Keys"),
        str![[r#"
Keys                                                                    Esc back
arrows wasd hjkl  move a tile that way
Shift and these   move all tiles up to the blank
mouse             move a tile and those before it
u, Backspace      undo
y                 redo
r                 the same board again
n                 a new board
e                 enter a board, or moves like R2DL2
i                 hint: the next move
m                 meter: moves left
p                 play the solution, or stop
v                 view a search
g                 race a ghost: the solver
+ -               speed of solution, ghost, search
t                 times and statistics
c                 colours
?                 this list
q, Esc            close, quit






"#]]
    );
    terminal.keys("?t");
    assert_data_eq!(
        terminal.wait("Mean of all"),
        str![[r#"
Times                                                                   Esc back
4x4, uniform: 0 counted

                    now       best
Single                           -
ao5                   -          -
ao12                  -          -
Mean of all           -


File: [..]play.jsonl














"#]]
    );
    // Esc closes the list, q the game.
    terminal.keys("\x1b");
    terminal.wait("Tiles/s");
    terminal.keys("q");
    assert_eq!(terminal.end(), Some(0));
    terminal.assert_restored();
    assert_eq!(fs::read_to_string(&stats).unwrap(), "", "no game was solved");
}

#[test]
fn a_window_of_40_by_15() {
    let stats = stats("narrow");
    let mut terminal = Terminal::play(40, 15, &["--size", "4", "--seed", "7"], &stats);
    let begun = terminal.wait("The clock starts");
    assert_data_eq!(
        begun,
        str![[r#"
taquin 4x4               uniform  ? help
╭───╮╭───╮     ╭───╮  Time       0.00
│12 ││14 │     │ 4 │  Moves      0
╰───╯╰───╯     ╰───╯  Tiles/s    0.00
╭───╮╭───╮╭───╮╭───╮
│10 ││15 ││ 9 ││ 1 │  Games      0
╰───╯╰───╯╰───╯╰───╯  Best       -
╭───╮╭───╮╭───╮╭───╮  ao5        -
│11 ││ 5 ││ 3 ││ 6 │  ao12       -
╰───╯╰───╯╰───╯╰───╯
╭───╮╭───╮╭───╮╭───╮
│ 8 ││13 ││ 2 ││ 7 │
╰───╯╰───╯╰───╯╰───╯
The clock starts with the first move.


"#]]
    );
    // A board that is three moves away: a tile up and down again, and the three moves.
    terminal.keys("eD2R\rws");
    terminal.keys("\x1b[D\x1b[A\x1b[A");
    assert_data_eq!(
        terminal.wait("wasteful"),
        str![[r#"
taquin 4x4                 given  ? help
╭───╮╭───╮╭───╮╭───╮  Time       [..]
│ 1 ││ 2 ││ 3 ││ 4 │  Moves      5
╰───╯╰───╯╰───╯╰───╯  Tiles/s    [..]
╭───╮╭───╮╭───╮╭───╮
│ 5 ││ 6 ││ 7 ││ 8 │  Games      1
╰───╯╰───╯╰───╯╰───╯  Best       [..]
╭───╮╭───╮╭───╮╭───╮  ao5        -
│ 9 ││10 ││11 ││12 │  ao12       -
╰───╯╰───╯╰───╯╰───╯
╭───╮╭───╮╭───╮
│13 ││14 ││15 │
╰───╯╰───╯╰───╯
You took 5 moves, 3 were needed; the
first wasteful one was move 1.

"#]]
    );
    terminal.keys("q");
    assert_eq!(terminal.end(), Some(0));
    terminal.assert_restored();
}

/// The optimum, the first wasteful move, the file, and the lines that are printed at the end.
#[test]
fn a_solved_game_is_reviewed_and_kept() {
    let (mut terminal, stats) = near("solved");
    // Tile 5 up, down and up again: the second move was wasteful.
    terminal.keys("wsw\x1b[D");
    let wanted = "You took 4 moves, 2 were needed; the first wasteful one was move 2.";
    let text = terminal.wait(wanted);
    assert!(text.contains("Games       1") && text.contains("Moves       4"), "{text}");
    // Keys do nothing to a board that is solved.
    terminal.keys("wu");
    terminal.keys("q");
    assert_eq!(terminal.end(), Some(0));
    let printed = terminal.wait("moves: UDUL");
    assert!(printed.contains(" s, 4 moves\n  board: 1 2 3/4 0 6/7 5 8\n"), "{printed}");
    let file = stats.to_str().unwrap();
    let ran = run(&["play", "--stats", file, "--export", "-"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let exported: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(exported["format"], "taquin-games");
    let game = &exported["games"][0];
    assert_eq!((&game["made"], &game["needed"]), (&"DUDR".into(), &2.into()), "{game}");
    // Another file gets the games once; entries that are no games are reported.
    let other = folder("play-other").join("other.jsonl");
    let import = ["play", "--stats", other.to_str().unwrap(), "--import", "-"];
    let with_noise = fs::read_to_string(file).unwrap() + "no game\n";
    let noisy = run_with(&import, with_noise);
    assert_eq!(noisy.code, Some(1), "{}", noisy.err);
    assert_data_eq!(
        noisy.err,
        str![[r#"
1 game added from standard input
warning: 1 entry is not a game: skipped

"#]]
    );
    let again = run_with(&import, &ran.out);
    assert_eq!(again.code, Some(0));
    assert_data_eq!(
        again.err,
        str![[r#"
0 games added from standard input

"#]]
    );
    assert_eq!(run(&["play", "--stats", import[2], "--export", "-"]).out, ran.out);
    let foreign = run_with(&import, ran.out.replace("\"version\":1", "\"version\":9"));
    assert_eq!(foreign.code, Some(2));
    assert_data_eq!(
        foreign.err,
        str![[r#"
error: standard input: its format is taquin-games 9
hint: export the games again, from the page or with --export

"#]]
    );
}

#[test]
fn help_is_recorded_and_not_counted() {
    let (terminal, _) = near("help");
    terminal.keys("i");
    terminal.wait("Move tile 5 up. 2 moves are left.");
    terminal.keys("wi");
    terminal.wait("Move tile 8 left. It is the last move.");
    terminal.keys("a");
    let text = terminal.wait("You took 2 moves: optimal!");
    assert!(text.contains("with help") && text.contains("Games       0"), "{text}");
    terminal.keys("t");
    terminal.wait("   1       0.");
    terminal.wait("with help");
    // The solution is played, and no game of the player's.
    terminal.keys("ter2dl\r");
    terminal.wait("Moves       0");
    terminal.keys("++++++p");
    let text = terminal.wait("Solved by the solver.");
    assert!(text.contains("Games       0"), "{text}");
}

#[test]
fn a_meter_and_a_ghost() {
    let stats = stats("ghost");
    let terminal = Terminal::play(80, 24, &["8 6 7/2 5 4/3 0 1", "--speed", "1"], &stats);
    terminal.keys("mg");
    terminal.wait("Left        31");
    // The ghost has a board of its own.
    terminal.wait_until("the ghost's board", |text| {
        text.contains("0 of 31") && text.contains("│ 8 ││ 6 ││ 7 │")
    });
    terminal.keys("s");
    terminal.wait_until("the next distance", |text| {
        text.contains("Left        30") || text.contains("Left        32")
    });
    terminal.wait_until("its first move", |text| {
        text.contains("1 of 31") && !text.contains("│ 3 │     │ 1 │")
    });
}

#[test]
fn clicks_move_several_tiles() {
    let terminal = Terminal::play(80, 24, &["L3U3", "--goal", "first"], &stats("mouse"));
    terminal.wait("The clock starts");
    // The blank is in the lower right corner; the tile in the upper right one goes down.
    terminal.keys("\x1b[<0;36;3M\x1b[<0;36;3m");
    let text = terminal.wait("Moves       3");
    assert!(text.contains("D3"), "{text}");
    // Undo and redo take the three as one, and are moves as well.
    terminal.keys("u");
    terminal.wait("Moves       6");
    terminal.keys("y");
    let text = terminal.wait("Moves       9");
    assert!(text.contains("D3U3D3"), "{text}");
    terminal.keys("\x1b[1;2C");
    terminal.wait("You took 12 moves, 6 were needed; the first wasteful one was move 4.");
}

#[test]
fn a_search_is_shown_live() {
    let terminal = Terminal::play(80, 24, &["8 6 7/2 5 4/3 0 1", "-m", "bfs"], &stats("live"));
    terminal.wait("The clock starts");
    terminal.keys("v");
    let text = terminal.wait("Searching with bfs");
    assert!(text.contains("Open") && text.contains("Closed"), "{text}");
    terminal.wait("f 1 ");
    terminal.keys("+++++");
    let text = terminal.wait("31 moves, which is optimal.");
    assert!(text.contains("f 30"), "{text}");
    terminal.keys("q");
    terminal.wait("Tiles/s");
}

#[test]
fn a_kill_keeps_the_games() {
    let (mut terminal, stats) = near("kill");
    terminal.keys("wa");
    let text = terminal.wait("optimal!");
    assert!(text.contains("Games       1"), "{text}");
    terminal.keys("rw");
    terminal.wait("Moves       1");
    terminal.child.kill().unwrap();
    terminal.child.wait().unwrap();
    // As if the kill had come while a game was written.
    let whole = fs::read_to_string(&stats).unwrap();
    fs::write(&stats, format!("{whole}{}", &whole[..40])).unwrap();
    let terminal = Terminal::play(80, 24, &[NEAR], &stats);
    let text = terminal.wait("1 damaged line is skipped");
    assert!(text.contains("Games       1"), "{text}");
    terminal.keys("wa");
    terminal.wait("Games       2");
    let kept = fs::read_to_string(&stats).unwrap();
    assert!(kept.starts_with(&whole), "{kept}");
    let ran = run(&["play", "--stats", stats.to_str().unwrap(), "--export", "-"]);
    let exported: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(exported["games"].as_array().unwrap().len(), 2);
    assert!(ran.err.contains("1 entry is not a game"), "{}", ran.err);
}

#[test]
fn signals_give_the_terminal_back() {
    for signal in ["TERM", "HUP", "INT", "QUIT"] {
        let (mut terminal, _) = near(signal);
        let process = terminal.child.id().to_string();
        std::process::Command::new("kill")
            .args([&format!("-{signal}"), &process])
            .status()
            .unwrap();
        assert_eq!(terminal.end(), Some(130), "{signal}");
        terminal.assert_restored();
    }
    // Ctrl-C, and Ctrl-Z without a shell that could resume the game.
    let (mut terminal, _) = near("control");
    terminal.keys("\x1a");
    terminal.keys("w");
    terminal.wait("Moves       1");
    terminal.keys("\x03");
    assert_eq!(terminal.end(), Some(130));
}

/// The part of the next test that runs in a terminal, as a program of its own.
#[test]
fn panics_in_the_terminal() {
    match std::env::var("TAQUIN_TEST_PANIC").as_deref() {
        Ok("here") => {
            let _screen = taquin_play::Screen::open().unwrap();
            panic!("a panic of the game");
        }
        Ok("elsewhere") => {
            let _screen = taquin_play::Screen::open().unwrap();
            let thread = std::thread::spawn(|| panic!("a panic of the solver"));
            assert!(thread.join().is_err() && taquin_play::Screen::has_panicked());
        }
        _ => {}
    }
}

#[test]
fn a_panic_gives_the_terminal_back() {
    for (place, message) in
        [("here", "a panic of the game"), ("elsewhere", "a panic of the solver")]
    {
        let command = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "play::panics_in_the_terminal", "--nocapture"])
            .env("RUST_BACKTRACE", "0")
            .env("TAQUIN_TEST_PANIC", place);
        let mut terminal = Terminal::start(80, 24, command);
        let text = terminal.wait(message);
        assert!(text.contains("panicked at"), "{text}");
        assert_eq!(terminal.end(), Some(if place == "here" { 101 } else { 0 }));
        terminal.assert_restored();
    }
}

#[test]
fn a_window_can_be_too_small_for_a_while() {
    let terminal = Terminal::play(30, 6, &["--size", "5"], &stats("small"));
    assert_data_eq!(
        terminal.wait("press q"),
        str![[r#"
This window has 30 columns and
6 lines. A 5x5 board needs 24
columns and 8 lines. Enlarge
the window, use a smaller
font, or press q.


"#]]
    );
    terminal
        .screen
        .lock()
        .unwrap()
        .screen_mut()
        .set_size(NonZero::new(24).unwrap(), NonZero::new(80).unwrap());
    terminal.pty.resize(Size::new(24, 80)).unwrap();
    terminal.wait("The clock starts");
}

#[test]
fn boards_of_a_depth_are_drawn() {
    let terminal = Terminal::play(80, 24, &["--size", "3", "--depth", "5"], &stats("depth"));
    terminal.wait("depth 5");
    terminal.keys("m");
    terminal.wait("Left        5");
    terminal.keys("n");
    terminal.wait("Left        5");
}

#[test]
fn without_colours() {
    let coloured = |theme: Option<&str>, no_color: &str| {
        let command = Command::new(env!("CARGO_BIN_EXE_taquin"))
            .args(["play", NEAR, "--stats"])
            .arg(stats("colour"))
            .args(theme.map(|theme| format!("--theme={theme}")));
        let terminal = Terminal::start_with(80, 24, command, no_color);
        terminal.wait("The clock starts");
        let screen = terminal.screen.lock().unwrap();
        let cells = (0..24).flat_map(|row| (0..80).map(move |col| (row, col)));
        let is_plain = |cell: &vt100::Cell| {
            (cell.fgcolor(), cell.bgcolor()) == (vt100::Color::Default, vt100::Color::Default)
        };
        let cells = cells.filter_map(|(row, col)| screen.screen().cell(row, col));
        !cells.into_iter().all(is_plain)
    };
    assert!(coloured(None, ""));
    assert!(!coloured(None, "1"), "NO_COLOR");
    assert!(coloured(Some("columns"), "1"), "an option comes before a variable");
    assert!(!coloured(Some("mono"), ""));
}

#[test]
fn what_cannot_be_played() {
    let cases: [&[&str]; 9] = [
        &["play"],
        &["play", "1 2 3/4 5 6/8 7 0"],
        &["play", "1 2 3/4 5 6/8 8 0"],
        &["play", "R2U9"],
        &["play", "--depth", "81"],
        &["play", "-m", "auto"],
        &["play", "--theme", "pink"],
        &["play", "--stats", "/"],
        &["play", "--size", "1"],
    ];
    assert_data_eq!(crate::run::transcript(&cases), file!["snapshots/play.txt"]);
}
