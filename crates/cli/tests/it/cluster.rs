//! `enumerate` with several processes: the same output as with one, and its reaction to failures.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use snapbox::{assert_data_eq, str};

use crate::run::{Ran, folder, processor_time, run, taquin};

fn start(args: &[&str]) -> Child {
    let mut command = taquin();
    command.args(args).env("COLUMNS", "80").env("RAYON_NUM_THREADS", "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn end(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([name, &process.to_string()]).status().unwrap();
    assert!(sent.success(), "kill {name} {process}");
}

/// Waits for something that happens soon, however busy the machine is.
fn wait<T>(mut event: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = event() {
            return found;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "it does not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes that one has started.
fn children(process: u32) -> Vec<u32> {
    let path = format!("/proc/{process}/task/{process}/children");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().map(|id| id.parse().unwrap()).collect()
}

fn is_running(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // After the name, which is in parentheses.
    status.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

/// Waits until the processes compute layers. The thread returns all messages.
fn wait_for_layers(child: &mut Child) -> JoinHandle<String> {
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut text = String::new();
    while !text.contains(" of memory") {
        assert!(lines.read_line(&mut text).unwrap() > 0, "{text}");
    }
    std::thread::spawn(move || {
        lines.read_to_string(&mut text).unwrap();
        text
    })
}

/// A file with addresses of this machine that are free, and the addresses.
fn hosts(folder: &Path, processes: usize) -> (String, Vec<String>) {
    let listeners: Vec<_> =
        (0..processes).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let addresses: Vec<String> =
        listeners.iter().map(|listener| listener.local_addr().unwrap().to_string()).collect();
    let path = folder.join("hosts.txt");
    fs::write(&path, addresses.join("\n")).unwrap();
    (path.to_str().unwrap().to_owned(), addresses)
}

#[test]
fn several_processes_print_what_one_does() {
    for space in [
        &["3x3"][..],
        &["3x3", "--goal", "1 2 3/8 0 4/7 6 5", "--chart"],
        &["2x5", "--json"],
        &["2x4", "--blanks", "3", "--json"],
        &["2x2"],
        &["1x6", "--goal", "1 2 0 3 4 0"],
        &["3x3", "--metric", "multi", "--json"],
        &["2x5", "--metric", "multi"],
        &["2x4", "--blanks", "2", "--metric", "multi", "--goal", "1 0 2 3/4 5 0 6"],
    ] {
        let one = run(&[&["enumerate"], space].concat());
        assert_eq!(one.code, Some(0), "{}", one.err);
        for processes in ["1", "2", "3", "5"] {
            let all = run(&[&["enumerate"], space, &["--local", processes]].concat());
            assert_eq!(all.code, Some(0), "{space:?}, {processes}: {}", all.err);
            assert_eq!(all.out, one.out, "{space:?}, {processes}");
        }
    }
}

#[test]
#[ignore = "slow: 3x4 twenty-five times"]
fn several_processes_print_what_one_does_for_3x4() {
    for space in [
        &["--json"][..],
        &["--goal", "1 2 3 4/5 0 6 7/8 9 10 11", "--json"],
        &["--blanks", "3"],
        &["--metric", "multi", "--json"],
        &["--metric", "multi", "--blanks", "3", "--json"],
    ] {
        let one = run(&[&["enumerate", "3x4"], space].concat());
        assert_eq!(one.code, Some(0), "{}", one.err);
        for (processes, threads) in [("1", "2"), ("2", "1"), ("3", "2"), ("5", "1")] {
            let mut command = taquin();
            let args = [&["enumerate", "3x4", "--local", processes], space].concat();
            let all = command.args(args).env("RAYON_NUM_THREADS", threads).env("COLUMNS", "80");
            let all = all.stdin(Stdio::null()).output().unwrap();
            let err = String::from_utf8_lossy(&all.stderr);
            assert_eq!(all.status.code(), Some(0), "{space:?}, {processes}: {err}");
            assert_eq!(String::from_utf8_lossy(&all.stdout), one.out, "{space:?}, {processes}");
        }
    }
}

/// Processes that need different numbers of blocks still send parcels that fit into the buffers of
/// the others.
#[test]
#[ignore = "slow: half a minute with four processes"]
fn processes_with_different_needs_agree_on_the_size_of_parcels() {
    let space = ["enumerate", "2x7", "--blanks", "4", "--json"];
    let one = run(&space);
    assert_eq!(one.code, Some(0), "{}", one.err);
    let all = run(&[&space[..], &["--local", "4"]].concat());
    assert_eq!(all.code, Some(0), "{}", all.err);
    assert_eq!(all.out, one.out);
}

#[test]
fn processes_find_each_other_by_a_file() {
    let folder = folder("cluster-hosts");
    let secret = folder.join("secret");
    fs::write(&secret, "open sesame").unwrap();
    let secret = secret.to_str().unwrap();
    let one = run(&["enumerate", "3x3"]);
    let (file, _) = hosts(&folder, 3);
    let args = ["enumerate", "3x3", "--secret", secret, "--hosts", &file, "--process"];
    let all = ["0", "1", "2"].map(|process| start(&[&args[..], &[process]].concat()));
    let [first, second, third] = all.map(end);
    assert_eq!((first.code, &first.out), (Some(0), &one.out), "{}", first.err);
    for other in [second, third] {
        assert_eq!((other.code, other.out.as_str()), (Some(0), ""), "{}", other.err);
        assert!(other.err.contains("of memory here"), "{}", other.err);
    }
}

/// The messages of two processes, with their addresses as names.
fn two(name: &str, args: [&[&str]; 2], code: i32) -> String {
    let folder = folder(name);
    let (file, addresses) = hosts(&folder, 2);
    let join = |process, args: &[&str]| {
        let usual = ["enumerate", "--hosts", &file, "--process", process];
        start(&[&usual[..], args].concat())
    };
    let all = [join("0", args[0]), join("1", args[1])].map(end);
    for Ran { code: found, out, err } in &all {
        assert_eq!((*found, out.as_str()), (Some(code), ""), "{err}");
    }
    let text = all.map(|ran| ran.err).concat();
    text.replace(&addresses[0], "ONE").replace(&addresses[1], "TWO")
}

#[test]
fn others_are_refused_before_any_data() {
    let folder = folder("cluster-secrets");
    let files = ["a", "b"].map(|text| {
        let path = folder.join(text);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let secrets = [&["3x3", "--secret", &files[0]][..], &["3x3", "--secret", &files[1]]];
    assert_data_eq!(
        two("cluster-refused-secret", secrets, 2),
        str![[r#"
process 0 of 2: waiting for the others
error: process 1 (TWO) does not fit: the secrets differ
hint: start all processes with the same program, arguments and secret
process 1 of 2: waiting for the others
error: process 0 (ONE) does not fit: the secrets differ
hint: start all processes with the same program, arguments and secret

"#]]
    );
    assert_data_eq!(
        two("cluster-refused-task", [&["3x3"], &["2x3"]], 2),
        str![[r#"
process 0 of 2: waiting for the others
error: process 1 (TWO) does not fit: its task is enumerate 2x3 for the goal 1 2 3/4 5 0, and this one's enumerate 3x3 for the goal 1 2 3/4 5 6/7 8 0
hint: start all processes with the same program, arguments and secret
process 1 of 2: waiting for the others
error: process 0 (ONE) does not fit: its task is enumerate 3x3 for the goal 1 2 3/4 5 6/7 8 0, and this one's enumerate 2x3 for the goal 1 2 3/4 5 0
hint: start all processes with the same program, arguments and secret

"#]]
    );
}

#[test]
fn memory_is_refused_everywhere_with_the_numbers() {
    assert_data_eq!(
        two("cluster-memory", [&["3x4", "--memory", "1G"], &["3x4", "--memory", "5M"]], 22),
        str![[r#"
process 0 of 2: waiting for the others
error: process 1 (TWO) needs 16 MB of memory, and 5.0 MB are allowed
hint: use more processes, a smaller board, or increase --memory
process 1 of 2: waiting for the others
error: process 1 (TWO) needs 16 MB of memory, and 5.0 MB are allowed
hint: use more processes, a smaller board, or increase --memory

"#]]
    );
    assert_eq!(run(&["enumerate", "3x4", "--local", "2", "--memory", "5M"]).code, Some(22));
    assert_eq!(run(&["enumerate", "9x9", "--local", "2"]).code, Some(22));
}

#[test]
fn a_host_that_does_not_answer_is_named() {
    let (file, addresses) = hosts(&folder("cluster-alone"), 3);
    let ran =
        run(&["enumerate", "3x3", "--hosts", &file, "--process", "1", "--connect-timeout", "1s"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    for process in [0, 2] {
        let name = format!("process {process} ({})", addresses[process]);
        assert!(ran.err.contains(&name), "{}", ran.err);
    }
    assert!(ran.err.contains("--connect-timeout"), "{}", ran.err);
}

#[test]
fn what_several_processes_cannot_do_is_refused() {
    let folder = folder("cluster-wrong");
    let (file, _) = hosts(&folder, 2);
    let empty = folder.join("empty");
    fs::write(&empty, "").unwrap();
    let empty = empty.to_str().unwrap();
    for (args, remedy) in [
        (&["3x3", "--save", "--local", "2"][..], "on one machine"),
        (
            &["3x3", "--metric", "multi", "--checkpoint", "x", "--local", "2"],
            "not available with --metric multi",
        ),
        (&["3x3", "--disk", "x", "--local", "2"], "on one machine"),
        (&["3x3", "--local", "0"], "from 1 to 64"),
        (&["3x3", "--hosts", &file], "--process"),
        (&["3x3", "--process", "1"], "--hosts"),
        (&["3x3", "--secret", empty], "--local"),
        (&["3x3", "--secret", empty, "--local", "2"], "urandom"),
        (&["3x3", "--hosts", &file, "--process", "2"], "no process 2"),
        (&["3x3", "--hosts", "nowhere", "--process", "2"], "no such file"),
        (&["3x3", "--cluster", "pbs"], "slurm"),
        (&["3x3", "--cluster", "slurm"], "srun"),
        (&["--resume", folder.to_str().unwrap(), "--local", "2"], "--checkpoint"),
        (&["3x3", "--checkpoint", &file, "--local", "2"], "it exists"),
        (&["3x3", "--checkpoint", "/proc/nowhere", "--local", "2"], "can't be written"),
    ] {
        let mut command = taquin();
        let ran = command.arg("enumerate").args(args).env_remove("SLURM_STEP_NODELIST");
        let ran = ran.env_remove("SLURM_JOB_NODELIST").stdin(Stdio::null()).output().unwrap();
        let err = String::from_utf8_lossy(&ran.stderr);
        assert!(err.contains(remedy), "{args:?}: {err}");
        assert!(matches!(ran.status.code(), Some(2 | 3)), "{args:?}: {err}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_lost_process_ends_the_others() {
    let first = start(&["enumerate", "3x4", "--local", "3"]);
    let others = wait(|| Some(children(first.id())).filter(|others| others.len() == 2));
    // Without this process, nothing is finished.
    signal("-STOP", others[0]);
    signal("-KILL", others[0]);
    let ran = end(first);
    assert_eq!((ran.code, ran.out.as_str()), (Some(3), ""), "{}", ran.err);
    assert!(ran.err.contains("error: process 1 (127.0.0.1:"), "{}", ran.err);
    assert!(ran.err.contains(") was lost\nhint: start all"), "{}", ran.err);
    wait(|| (!is_running(others[1])).then_some(()));

    // The first process is no exception.
    let mut first = start(&["enumerate", "3x4", "--local", "3"]);
    let others = wait(|| Some(children(first.id())).filter(|others| others.len() == 2));
    let messages = wait_for_layers(&mut first);
    signal("-KILL", first.id());
    wait(|| others.iter().all(|other| !is_running(*other)).then_some(()));
    first.wait().unwrap();
    // The processes that it has started print nothing.
    assert!(!messages.join().unwrap().contains("error"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_stopped_process_is_waited_for() {
    let one = run(&["enumerate", "2x5"]);
    let mut first = start(&["enumerate", "2x5", "--local", "3"]);
    let others = wait(|| Some(children(first.id())).filter(|others| others.len() == 2));
    signal("-STOP", others[1]);
    // The others have nothing left to do without it.
    wait(|| {
        let before = processor_time(first.id());
        std::thread::sleep(Duration::from_millis(300));
        (processor_time(first.id()) == before).then_some(())
    });
    assert_eq!(first.try_wait().unwrap(), None, "it ended before the other process was stopped");
    signal("-CONT", others[1]);
    let ran = end(first);
    assert_eq!((ran.code, ran.out), (Some(0), one.out), "{}", ran.err);
}

/// The shares in a folder.
fn shares(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "share"))
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_checkpoint_is_continued_by_any_number_of_processes() {
    let folder = folder("cluster-checkpoint").join("saved");
    let path = folder.to_str().unwrap();
    let first = start(&[
        "enumerate",
        "3x4",
        "--local",
        "2",
        "--checkpoint",
        path,
        "--checkpoint-every",
        "0.001s",
    ]);
    wait(|| (shares(&folder).len() >= 2).then_some(()));
    let other = wait(|| children(first.id()).first().copied());
    signal("-KILL", other);
    let ran = end(first);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    let again = format!("hint: to continue: taquin enumerate --resume {path} --local 2");
    assert!(ran.err.contains(&again), "{}", ran.err);

    // One machine names the command to continue, and notices a damaged share.
    let ran = run(&["enumerate", "--resume", path]);
    assert!(ran.code == Some(2) && ran.err.contains("--local 1"), "{}", ran.err);
    let copy = folder.with_file_name("damaged");
    fs::create_dir(&copy).unwrap();
    for share in shares(&folder) {
        let mut bytes = fs::read(&share).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(copy.join(share.file_name().unwrap()), bytes).unwrap();
    }
    let ran = run(&["enumerate", "--resume", copy.to_str().unwrap(), "--local", "2"]);
    assert!(matches!(ran.code, Some(2 | 3)) && ran.err.contains("damaged"), "{}", ran.err);

    let one = run(&["enumerate", "3x4"]);
    let ran = run(&["enumerate", "--resume", path, "--local", "3"]);
    assert_eq!((ran.code, ran.out), (Some(0), one.out), "{}", ran.err);
    assert!(ran.err.contains("3x4: resuming at depth "), "{}", ran.err);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "the shares are removed");
}

#[cfg(target_os = "linux")]
#[test]
fn shares_stay_until_the_first_process_has_printed() {
    let base = folder("cluster-unprinted");
    let (file, _) = hosts(&base, 2);
    // Each process has a folder of its own, as on machines without a common one.
    let folders = ["first", "second"].map(|name| base.join(name));
    let pair = |flag: &str, args: &[&str], out: fn() -> Stdio| {
        let all = [("0", &folders[0]), ("1", &folders[1])].map(|(process, folder)| {
            let mut command = taquin();
            command.args(["enumerate", "--hosts", &file, "--process", process]).args(args);
            command.arg(flag).arg(folder).env("RAYON_NUM_THREADS", "1").env("COLUMNS", "80");
            command.stdin(Stdio::null()).stdout(out()).stderr(Stdio::piped()).spawn().unwrap()
        });
        all.map(end)
    };
    let full = || Stdio::from(fs::File::options().write(true).open("/dev/full").unwrap());
    let [first, second] = pair("--checkpoint", &["3x4", "--checkpoint-every", "0.001s"], full);
    assert!(!matches!(first.code, Some(0 | 3)), "{}", first.err);
    assert_eq!(second.code, Some(3), "{}", second.err);
    for folder in &folders {
        assert!(!shares(folder).is_empty(), "{}", folder.display());
    }
    let [first, second] = pair("--resume", &[], Stdio::piped);
    assert_eq!((first.code, second.code), (Some(0), Some(0)), "{}{}", first.err, second.err);
    assert_eq!(first.out, run(&["enumerate", "3x4"]).out);
    for folder in &folders {
        assert!(shares(folder).is_empty(), "{}", folder.display());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_saves_and_says_how_to_continue() {
    let folder = folder("cluster-interrupted").join("saved");
    let path = folder.to_str().unwrap();
    for saved in [&[][..], &["--checkpoint", path]] {
        let mut first = start(&[&["enumerate", "3x4", "--local", "2"], saved].concat());
        let messages = wait_for_layers(&mut first);
        // The others stop at the same layer, even if they do not get the signal.
        signal("-INT", first.id());
        let Ran { code, out, .. } = end(first);
        let messages = messages.join().unwrap();
        assert_eq!(code, Some(130), "{messages}");
        assert!(out.contains(" up to depth "), "{out}");
        assert_eq!(messages.contains("--local 2"), !saved.is_empty(), "{messages}");
    }
    let ran = run(&["enumerate", "--resume", path, "--local", "1"]);
    assert_eq!((ran.code, ran.out), (Some(0), run(&["enumerate", "3x4"]).out), "{}", ran.err);
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow: twenty runs of 3x4"]
fn twenty_killed_processes() {
    let one = run(&["enumerate", "3x4"]);
    let base = folder("cluster-kills");
    let mut kills = 0;
    for round in 0..20_u64 {
        let folder = base.join(round.to_string());
        let path = folder.to_str().unwrap();
        let mut first = start(&[
            "enumerate",
            "3x4",
            "--local",
            "4",
            "--checkpoint",
            path,
            "--checkpoint-every",
            "0.01s",
        ]);
        let others = wait(|| Some(children(first.id())).filter(|others| others.len() == 3));
        let _ = wait_for_layers(&mut first);
        std::thread::sleep(Duration::from_millis(round * 50));
        let victim = [first.id(), others[0], others[1], others[2]][round as usize % 4];
        if is_running(victim) {
            signal("-KILL", victim);
        }
        let ran = end(first);
        wait(|| others.iter().all(|other| !is_running(*other)).then_some(()));
        if ran.code == Some(0) {
            assert_eq!(ran.out, one.out);
            continue;
        }
        kills += 1;
        let processes = ["1", "2", "3", "5"][round as usize % 4];
        let mut again = run(&["enumerate", "--resume", path, "--local", processes]);
        // It may have been killed before the first checkpoint was complete.
        let is_missing = ["no complete checkpoint", "no checkpoint of several processes"];
        if is_missing.iter().any(|words| again.err.contains(words)) {
            let mut depths: Vec<_> = shares(&folder)
                .iter()
                .map(|path| {
                    path.file_name().unwrap().to_str().unwrap().split('-').nth(1).map(str::to_owned)
                })
                .collect();
            depths.dedup();
            assert!(depths.len() < 2, "{round}: {depths:?}");
            again = run(&["enumerate", "3x4", "--local", processes]);
        }
        assert_eq!((again.code, &again.out), (Some(0), &one.out), "{round}: {}", again.err);
    }
    assert!(kills > 4, "{kills} of twenty hit a running enumeration");
}
