//! One search by many processes, and the scripts for schedulers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use snapbox::{assert_data_eq, str};

use crate::run::{Ran, cache, folder, json, run, taquin};

/// 59 moves: 566 million nodes.
pub(crate) const HARD: &str = "14 7 8 2/13 11 10 4/9 12 5 0/3 6 1 15";
/// 45 moves.
const MODERATE: &str = "5 12 10 7/15 11 14 0/8 2 1 13/3 4 9 6";

/// The method of most searches here.
const USUAL: &str = "ida:manhattan";

/// Splits a search and returns its folder.
pub(crate) fn split(name: &str, board: &str, tasks: &str, small: &str) -> String {
    split_by(USUAL, name, board, tasks, small)
}

fn split_by(method: &str, name: &str, board: &str, tasks: &str, small: &str) -> String {
    let dir = folder(name).join("search").to_str().unwrap().to_owned();
    let ran = run(&[
        "task", "split", board, "--goal", "first", "-m", method, "--tasks", tasks, "--small",
        small, &dir,
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    dir
}

/// The results that do not depend on the order of the parts: the length, whether it is optimal, and
/// the counts of the complete thresholds.
pub(crate) fn facts(report: &Value) -> [Value; 4] {
    let before = &report["before_last_bound"];
    [&report["depth"], &report["optimal"], &before["expanded"], &before["generated"]]
        .map(Clone::clone)
}

pub(crate) fn by_one_process(board: &str) -> [Value; 4] {
    by_one_process_and(USUAL, board)
}

fn by_one_process_and(method: &str, board: &str) -> [Value; 4] {
    facts(&json(&["solve", board, "--goal", "first", "-m", method, "--json"]))
}

fn part(dir: &str, index: usize) -> Command {
    let mut command = taquin();
    command.args(["task", "run", dir, "--index", &index.to_string(), "--checkpoint-every", "10ms"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Waits until a file exists, or a process has ended.
fn wait_for(file: &Path, child: &mut Child) {
    let started = Instant::now();
    while !file.exists() && child.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < Duration::from_secs(60), "{} is not written", file.display());
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn parts_that_are_killed_repeated_and_out_of_order_have_the_counts_of_one_process() {
    let dir = split("tasks-killed", HARD, "6", "1M");
    assert_eq!(facts(&killed(&dir)), by_one_process(HARD));
}

#[test]
#[ignore = "builds the databases of the 24-puzzle and loads them for each part: 20 s"]
fn killed_parts_of_a_24_puzzle_have_the_counts_of_one_process() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../lab/data/korf24_50.txt");
    let text = fs::read_to_string(data).unwrap();
    let line = text.lines().find(|line| line.trim_start().starts_with("38 ")).unwrap();
    let tiles: Vec<&str> = line.split_once('|').unwrap().1.split_whitespace().collect();
    let board = tiles.chunks(5).map(|row| row.join(" ")).collect::<Vec<_>>().join("/");
    let method = "ida:pdb=6-6-6-6";
    let expected = by_one_process_and(method, &board);
    assert_eq!(expected[0], 96);
    let dir = split_by(method, "tasks-24", &board, "64", "1M");
    assert_eq!(facts(&killed(&dir)), expected);
}

/// Searches all parts of a folder, out of order: some are killed, some are interrupted, and all are
/// searched twice. Returns the report.
fn killed(dir: &str) -> Value {
    let mut kills = 0;
    let report = loop {
        let merged = run(&["task", "merge", dir, "--json"]);
        let value: Value = serde_json::from_str(&merged.out).unwrap();
        if merged.code == Some(0) {
            break value;
        }
        assert_eq!(merged.code, Some(12), "{}", merged.err);
        let threshold = value["threshold"].as_u64().unwrap();
        for (turn, index) in value["missing"].as_array().unwrap().iter().rev().enumerate() {
            let index = index.as_u64().unwrap() as usize;
            let saved = PathBuf::from(format!("{dir}/round-{threshold:03}/part-{index}.saved"));
            // Killed once its progress is saved; then interrupted; then twice at the same time.
            for kill in ["-KILL", "-TERM"].iter().take(turn % 3) {
                let mut child = part(dir, index).spawn().unwrap();
                wait_for(&saved, &mut child);
                let id = child.id().to_string();
                let _ = Command::new("kill").args([kill, &*id]).stderr(Stdio::null()).status();
                let code = child.wait().unwrap().code();
                assert!([None, Some(130), Some(0)].contains(&code), "{code:?}");
                kills += u32::from(code != Some(0));
            }
            let twins = [part(dir, index).spawn().unwrap(), part(dir, index).spawn().unwrap()];
            for mut child in twins {
                assert_eq!(child.wait().unwrap().code(), Some(0));
            }
        }
    };
    assert!(kills > 0);
    report
}

#[test]
fn local_processes_solve_it_and_can_be_interrupted() {
    let dir = split("tasks-local", HARD, "8", "1M");
    let submit = || {
        let mut command = taquin();
        command.args(["submit", &dir, "--local", "2"]).stdin(Stdio::null());
        command
    };
    let mut child = submit().stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&PathBuf::from(format!("{dir}/logs")), &mut child);
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("--local 2 continues"), "{told}");
    let output = submit().output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("Solved in 59 moves: optimal"));
    assert_eq!(facts(&json(&["task", "merge", &dir, "--json"])), by_one_process(HARD));
    assert!(run(&["task", "status", &dir]).out.contains("solved: 59 moves"));
    // There is nothing left to submit.
    for scheduler in ["--slurm", "--hq"] {
        let script = run(&["submit", &dir, scheduler]).out;
        assert!(script.lines().all(|line| line.starts_with('#')), "{script}");
    }
}

/// Programs that replace a scheduler's: they run each task of an array immediately, in this
/// process. The first attempt at every third task is lost.
const SBATCH: &str = r#"#!/bin/sh
set -eu
for word; do
  case $word in
    --array=*) list=$(printf %s "${word#--array=}" | sed 's/%.*//') ;;
    --output=*) output=${word#--output=} ;;
    --dependency=afterany:7) list=merge ;;
  esac
done
cat > "$0.job.$$"
for range in $(printf %s "$list" | tr , ' '); do
  for task in $(if [ "$range" = merge ]; then echo merge; else seq "${range%-*}" "${range#*-}"; fi); do
    lost="$0.lost.$(printf %s "$output" | tr / _).$task"
    case $task in
      *[369]) [ -e "$lost" ] || { touch "$lost"; continue; } ;;
    esac
    SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=$task sh "$0.job.$$" \
      >> "$(printf %s "$output" | sed "s/%a/$task/;s/%%/%/g")" 2>&1 || echo "task $task: $?" >> "$0.failed"
  done
done
echo "7;cluster"
"#;

const HQ: &str = r#"#!/bin/sh
set -eu
while [ "$1" != -- ]; do
  case $1 in
    --array=*) list=${1#--array=} ;;
    --stderr=*) output=${1#--stderr=} ;;
  esac
  shift
done
shift
for range in $(printf %s "$list" | tr , ' '); do
  for task in $(seq "${range%-*}" "${range#*-}"); do
    lost="$0.lost.$(printf %s "$output" | tr / _).$task"
    case $task in
      *[369]) [ -e "$lost" ] || { touch "$lost"; continue; } ;;
    esac
    HQ_TASK_ID=$task "$@" 2>> "$(printf %s "$output" | sed "s/%{TASK_ID}/$task/")"
  done
done
exit 1
"#;

/// Writes an executable script.
#[cfg(unix)]
fn executable(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs a script as `sh` does, with stand-ins for the programs of schedulers.
#[cfg(unix)]
fn run_script(bin: &Path, script: &str) -> Ran {
    use std::io::Write;
    fs::create_dir_all(bin).unwrap();
    executable(&bin.join("sbatch"), SBATCH);
    executable(&bin.join("hq"), HQ);
    let mut child = Command::new("sh")
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .env("TAQUIN_CACHE", cache())
        .env("TAQUIN_CONFIG", "")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
#[cfg(unix)]
fn the_scripts_run_as_they_are_and_submit_lost_parts_again() {
    for scheduler in ["--slurm", "--hq"] {
        // The name needs quotes.
        let dir = split(&format!("it's 100 %{scheduler}"), MODERATE, "12", "10k");
        let bin = PathBuf::from(&dir).parent().unwrap().join("bin");
        let script = run(&["submit", &dir, scheduler, "--cores", "2"]).out;
        let ran = run_script(&bin, &script);
        assert_eq!(ran.code, Some(0), "{}\n{}", ran.err, ran.out);
        let failed = fs::read_to_string(bin.join("sbatch.failed")).unwrap_or_default();
        assert_eq!(failed, "", "{scheduler}");
        let report = json(&["task", "merge", &dir, "--json"]);
        assert_eq!(facts(&report), by_one_process(MODERATE), "{scheduler}: {}", ran.err);
    }
}

#[test]
#[cfg(unix)]
fn parts_that_always_fail_are_not_submitted_forever() {
    let dir = split("tasks-failing", MODERATE, "4", "10k");
    let script = run(&["submit", &dir, "--hq"]).out;
    // No worker can write results.
    let failing = script.replace("task run", "task unknown");
    let bin = PathBuf::from(&dir).parent().unwrap().join("bin");
    let ran = run_script(&bin, &failing);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("no part has been finished since the last script"), "{}", ran.err);
}

#[test]
fn a_script_has_everything_in_it() {
    let dir = split("tasks-script", MODERATE, "40", "10k");
    let program = env!("CARGO_BIN_EXE_taquin");
    let plain = |text: String| text.replace(program, "taquin").replace(&dir, "DIR");
    let slurm =
        ["submit", &dir, "--slurm", "--at-once", "8", "--time", "2h", "--", "--partition=long"];
    assert_data_eq!(
        plain(run(&slurm).out),
        str![[r##"
#!/bin/sh
# Threshold 48: 40 parts of 40. To submit: taquin task submit .. | sh
set -eu
mkdir -p DIR/logs/round-048
array=$(sbatch --parsable --job-name=taquin-48 --array=0-39%8 --requeue /
  --signal=B:TERM@90 --open-mode=append --output=DIR/logs/round-048/%a.log /
  --cpus-per-task=1 --time=2:00:00 /
  --partition=long <<'TASK'
#!/bin/sh
index=$SLURM_ARRAY_TASK_ID
taquin task run DIR --index "$index" --threads 1 &
task=$!
trap 'kill -TERM "$task"' TERM
wait "$task"
code=$?
trap '' TERM
if [ "$code" -eq 143 ]; then
  wait "$task"
  code=$?
fi
# Interrupted before the time limit, and not cancelled: the progress is saved.
if [ "$code" -eq 130 ] && scontrol show job "$SLURM_JOB_ID" | grep -q JobState=RUNNING
then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit "$code"
TASK
)
sbatch --job-name=taquin-48-merge --dependency=afterany:"${array%%;*}" /
  --open-mode=append --output=DIR/logs/round-048/merge.log /
  --partition=long <<'MERGE'
#!/bin/sh
set -eu
taquin task merge DIR || [ $? -eq 12 ]
next=$(taquin task submit DIR --slurm --cores 1 --at-once 8 --job-time 7200s --since 48:40 -- --partition=long)
printf '%s/n' "$next" | sh
MERGE

"##]]
    );
    assert_data_eq!(
        plain(
            run(&["submit", &dir, "--hq", "--cores", "4"])
                .out
                .replace(cache().to_str().unwrap(), "CACHE")
        ),
        str![[r##"
#!/bin/sh
# Threshold 48: 40 parts of 40. To submit: taquin task submit .. | sh
set -eu
mkdir -p DIR/logs/round-048
# What follows sees which tasks have failed.
hq submit --wait --name=taquin-48 --array=0-39 --cpus=4 /
  --stdout=none --stderr='DIR/logs/round-048/%{TASK_ID}.log' /
  --env=TAQUIN_CACHE=CACHE /
  -- sh -c 'index=$HQ_TASK_ID; exec taquin task run DIR --index "$index" --threads 4' || true
taquin task merge DIR || [ $? -eq 12 ]
next=$(taquin task submit DIR --hq --cores 4 --since 48:40)
printf '%s/n' "$next" | sh

"##]]
    );
}

#[test]
fn status_has_progress_and_a_forecast() {
    let dir = split("tasks-status", MODERATE, "4", "1M");
    assert_eq!(run(&["task", "run", &dir, "--index", "2"]).code, Some(0));
    let status = run(&["task", "status", &dir]);
    let lines: Vec<&str> = status.out.lines().collect();
    assert_eq!(lines.len(), 5, "{}", status.out);
    assert_eq!(lines[0], "method ida:manhattan");
    assert!(lines[2].contains(": 1 of 4 parts done, "), "{}", lines[2]);
    assert!(lines[3].starts_with("forecast: about "), "{}", lines[3]);
    let value = json(&["task", "status", &dir, "--json"]);
    assert_eq!(value["missing"], serde_json::json!([0, 1, 3]));
    // A damaged result is named, and counts as missing.
    let threshold = value["threshold"].as_u64().unwrap();
    fs::write(format!("{dir}/round-{threshold:03}/part-2.json"), "{}").unwrap();
    let status = run(&["task", "status", &dir]);
    assert!(status.err.contains("part-2.json: not a result file"), "{}", status.err);
    assert!(status.out.contains(": 0 of 4 parts done"), "{}", status.out);
    let merged = run(&["task", "merge", &dir]);
    assert_eq!(merged.code, Some(12));
    assert!(merged.out.contains("4 of 4 parts have no result"), "{}", merged.out);
    assert!(merged.err.contains("it is ignored"), "{}", merged.err);
    // It is searched again.
    assert_eq!(run(&["task", "run", &dir, "--index", "2"]).code, Some(0));
    assert!(run(&["task", "status", &dir]).out.contains(": 1 of 4 parts done"));
}

#[test]
fn errors_say_what_to_do() {
    let dir = split("tasks-errors", MODERATE, "4", "10k");
    let empty = folder("tasks-errors-empty").to_str().unwrap().to_owned();
    let mut text = String::new();
    for args in [
        &["task", "split", MODERATE, "--goal", "first", "-m", "bfs", "NEW"][..],
        &["task", "split", MODERATE, "--goal", "first", "-m", "auto", "NEW"],
        &["task", "split", MODERATE, "--goal", "first", "-m", "ida:manhattan", &dir],
        &["task", "split", "DIR", "-m", "ida:manhattan"],
        &["task", "run", &dir],
        &["task", "run", &dir, "--index", "4"],
        &["task", "merge", &empty],
        &["task", "status", "/nowhere/at/all"],
        &["submit", &dir, "--slurm", "--time", "1m"],
    ] {
        let ran = run(args);
        assert_eq!(ran.code, Some(2), "{args:?} {}", ran.err);
        text += &ran.err;
    }
    let text = text.replace(&dir, "DIR").replace(&empty, "EMPTY");
    assert_data_eq!(
        text,
        str![[r#"
error: bfs cannot be searched in parts: ida:manhattan on boards of up to 16 cells can, and ida and aida on boards of up to 25 with databases of at most four patterns of at most eight tiles (the tiles in no pattern count as one; with zpdb there may be none), with one blank and unit move costs
hint: choose another method, such as --method ida:pdb=small
error: auto cannot be searched in parts: ida:manhattan on boards of up to 16 cells can, and ida and aida on boards of up to 25 with databases of at most four patterns of at most eight tiles (the tiles in no pattern count as one; with zpdb there may be none), with one blank and unit move costs
hint: choose another method, such as --method ida:pdb=small
error: DIR: the folder is not empty
hint: name a new folder, or remove this one
error: a board and a folder are needed
hint: write the board first, or --file FILE, and the folder last
error: no part is named
hint: write --index 17; in a job array, SLURM_ARRAY_TASK_ID or HQ_TASK_ID names it
error: there is no part 4: the parts are 0 to 3
error: EMPTY/task.json: no such file
hint: 'taquin task split' makes the folder of a search
error: /nowhere/at/all/task.json: no such file
hint: 'taquin task split' makes the folder of a search
error: invalid value '1m' for '--job-time <TIME>': a task needs at least 3m

"#]]
    );
    let named = |name: &str, value: &str| {
        taquin().args(["task", "run", &dir]).env(name, value).output().unwrap().status.code()
    };
    assert_eq!(named("SLURM_ARRAY_TASK_ID", "1"), Some(0));
    assert_eq!(named("HQ_TASK_ID", "2"), Some(0));
    assert_eq!(named("HQ_TASK_ID", "two"), Some(2));
    let value = json(&["task", "status", &dir, "--json"]);
    assert_eq!(value["missing"], serde_json::json!([0, 3]));
}

/// The commands of the page on several machines that need no other machine.
#[test]
fn the_commands_of_the_page_on_machines_run_as_written() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/machines.md");
    let text = fs::read_to_string(page).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("$ "));
    let is_ours = |line: &&str| {
        ["taquin task ", "taquin experiment "].iter().any(|name| line.starts_with(name))
    };
    let scratch = folder("tasks-readme");
    let plan = "instances = [\"random 3x3 n=5\"]\nmethods = [\"bfs\", \"astar:manhattan\"]\n";
    fs::write(scratch.join("plan.toml"), plan).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_taquin")).parent().unwrap();
    let mut ran = 0;
    for line in lines.filter(is_ours) {
        let output = Command::new("sh")
            .args(["-c", line])
            .current_dir(&scratch)
            .env("PATH", format!("{}:/usr/bin:/bin", program.display()))
            .env("TAQUIN_CACHE", cache())
            .env("TAQUIN_CONFIG", "")
            .output()
            .unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        ran += 1;
    }
    assert!(ran >= 3, "{ran}");
}
