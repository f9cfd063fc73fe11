//! Games that end with their terminal, or before they begin.

use std::fs;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::path::Path;
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, open};

use super::{NEAR, PATIENCE, Terminal, stats};
use crate::run::cache;

/// The game ends and is recorded, with a signal and without one: a program that is not in the
/// session of the terminal gets none.
#[test]
fn a_closed_terminal_ends_the_game() {
    let program = env!("CARGO_BIN_EXE_taquin");
    for starter in [None, cfg!(target_os = "linux").then_some("setsid")] {
        let stats = stats(starter.unwrap_or("closed"));
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(24, 80)).unwrap();
        let mut child = Command::new(starter.unwrap_or(program))
            .args(starter.map(|_| ["--wait", program]).into_iter().flatten())
            .args(["play", NEAR, "--stats"])
            .arg(&stats)
            .env("TERM", "xterm-256color")
            .env("TAQUIN_CONFIG", "")
            .env("TAQUIN_CACHE", cache())
            .spawn(pts)
            .unwrap();
        let mut screen =
            vt100::Parser::new(NonZero::new(24).unwrap(), NonZero::new(80).unwrap(), 0);
        for (keys, wanted) in [("", "The clock starts"), ("w", "Moves       1")] {
            (&pty).write_all(keys.as_bytes()).unwrap();
            while !screen.screen().contents().contains(wanted) {
                let mut bytes = [0; 4096];
                let count = (&pty).read(&mut bytes).unwrap();
                screen.process(&bytes[..count]);
            }
        }
        drop(pty);
        let started = Instant::now();
        while fs::read_to_string(&stats).unwrap().is_empty() {
            assert!(started.elapsed() < PATIENCE, "no game is recorded");
            std::thread::sleep(Duration::from_millis(5));
        }
        if starter.is_none() {
            assert_eq!(child.wait().unwrap().code(), Some(130));
        }
        drop((child.kill(), child.wait()));
    }
}

#[test]
fn statistics_that_cannot_be_saved_are_reported_before_the_game() {
    let mut terminal = Terminal::play(80, 24, &[], Path::new("/proc/none/play.jsonl"));
    assert_eq!(terminal.end(), Some(2));
    terminal.wait("hint: name another file with --stats");
}
