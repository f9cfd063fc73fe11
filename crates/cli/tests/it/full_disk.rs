//! A disk that is full, and an output that cannot be written: nothing that was saved is lost.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::run::{folder, json, taquin};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs `script` in a shell, with the program as `$0` and `args` as `$@`.
fn in_shell(mut shell: Command, script: &str, args: &[&str]) -> Output {
    let program = taquin();
    shell.args(["-c", script]).arg(program.get_program()).args(args);
    shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.stdin(Stdio::null()).output().unwrap()
}

/// Starts an enumeration and interrupts it as soon as it has saved something.
fn interrupted(saved: &Path, args: &[&str]) {
    let mut command = taquin();
    command.arg("enumerate").args(args).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while !saved.exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "nothing is saved");
        std::thread::sleep(Duration::from_millis(1));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert!(!child.wait().unwrap().success(), "it ended before the interruption");
}

#[test]
#[cfg(target_os = "linux")]
fn progress_is_kept_until_the_answer_is_printed() {
    let folder = folder("full-output");
    let (file, disk) = (folder.join("saved"), folder.join("disk"));
    let hard = "5 12 10 7/15 11 14 0/8 2 1 13/3 4 9 6";
    for (path, saved, args) in [
        (
            &file,
            &file,
            &["solve", hard, "--goal", "first", "-m", "ida:manhattan", "--checkpoint"][..],
        ),
        (&file, &file, &["enumerate", "3x3", "--checkpoint"]),
        (&disk, &disk.join("state"), &["enumerate", "3x3", "--disk"]),
    ] {
        let name = path.to_str().unwrap();
        let args = [args, &[name]].concat();
        let unprinted = in_shell(Command::new("sh"), "exec \"$0\" \"$@\" > /dev/full", &args);
        assert_ne!(unprinted.status.code(), Some(0), "{args:?}");
        assert!(saved.exists(), "{args:?}");
        let resumed = taquin().args([args[0], "--resume", name]).output().unwrap();
        assert_eq!(resumed.status.code(), Some(0), "{args:?}: {}", text(&resumed.stderr));
        assert!(!saved.exists(), "{args:?}");
    }
}

#[test]
fn a_file_that_cannot_grow_ends_with_an_error_and_is_resumed_later() {
    let folder = folder("full-file");
    let expected = json(&["enumerate", "3x4", "--json"]);
    let (file, disk) = (folder.join("saved"), folder.join("disk"));
    let state = disk.join("state");
    for (path, saved, flags) in
        [(&file, &file, &["--checkpoint"][..]), (&disk, &state, &["--memory", "40M", "--disk"])]
    {
        let name = path.to_str().unwrap();
        interrupted(saved, &[&["3x4"], flags, &[name]].concat());
        // No file may be larger than one block. The signal that comes with it is ignored, so that
        // writing fails, as it does on a full disk.
        let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"";
        let args = ["enumerate", "--resume", name];
        let failed = in_shell(Command::new("sh"), script, &args);
        let error = text(&failed.stderr);
        assert_eq!(failed.status.code(), Some(2), "{error}");
        assert!(error.contains("can't be written: File too large"), "{error}");
        assert!(error.contains(&format!("taquin enumerate --resume {name}")), "{error}");
        assert_eq!(json(&["enumerate", "--resume", name, "--json"]), expected);
    }
}

#[test]
#[ignore = "mounts a small disk: cargo xtask test"]
fn a_full_disk_ends_with_an_error_and_is_resumed_when_there_is_room() {
    let own = folder("full-disk");
    let own = own.to_str().unwrap();
    // A disk of a few hundred kilobytes, of which no other process knows.
    let namespace = || {
        let mut command = Command::new("unshare");
        command.args(["--mount", "--map-root-user", "sh"]);
        command
    };
    let mount = format!("mount -t tmpfs -o size=SIZE none {own}");
    let probe = namespace().args(["-c", &mount.replace("SIZE", "1m")]).output();
    assert!(probe.unwrap().status.success(), "no file system can be mounted here");
    let expected = json(&["enumerate", "2x5", "--json"]);
    for (size, flags) in
        [("360k", "--checkpoint-every 0.001s --checkpoint"), ("160k", "--memory 4M --disk")]
    {
        let script = format!(
            "{mount} || exit 99
            \"$0\" enumerate 2x5 {flags} {own}/saved >&2; echo $?
            mount -o remount,size=8m {own} || exit 99
            \"$0\" enumerate --resume {own}/saved --json || exit 98
            ls -A {own}/saved >&2",
            mount = mount.replace("SIZE", size),
        );
        let Output { status, stdout, stderr } = in_shell(namespace(), &script, &[]);
        let (out, error) = (text(&stdout), text(&stderr));
        assert!(error.contains("can't be written: No space left on device"), "{flags}: {error}");
        assert!(error.contains(&format!("to continue: taquin enumerate --resume {own}/saved")));
        let (code, resumed) = out.split_once('\n').unwrap();
        assert_eq!(code, "2", "{flags}: {error}");
        let resumed: Value = serde_json::from_str(resumed).unwrap_or_else(|_| panic!("{error}"));
        assert_eq!(resumed, expected, "{flags}");
        assert_ne!(status.code(), Some(98));
    }
    assert_eq!(fs::read_dir(own).unwrap().count(), 0, "the disk was the namespace's own");
}
