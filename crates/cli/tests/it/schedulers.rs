//! Real schedulers: the daemons of Slurm, and HyperQueue, if they are installed.
#![cfg(target_os = "linux")]

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::run::{folder, json, run, taquin};
use crate::tasks::{HARD, by_one_process, facts, split};

/// Returns the programs that are not installed.
fn missing(programs: &[&str]) -> Vec<String> {
    let is_there = |program: &str| {
        let command = format!("PATH=$PATH:/usr/sbin:/sbin command -v {program}");
        let found = Command::new("sh").args(["-c", &command]).stdout(Stdio::null()).status();
        found.is_ok_and(|status| status.success())
    };
    programs.iter().filter(|program| !is_there(program)).map(|name| (*name).to_owned()).collect()
}

/// Waits until something is true, for minutes if necessary.
fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < Duration::from_secs(300), "{what}");
        sleep(Duration::from_millis(100));
    }
}

/// A controller and two nodes of Slurm on this machine.
struct Slurm {
    daemons: Vec<Child>,
    config: PathBuf,
    /// The name of this machine, and of one of the nodes.
    host: String,
}

impl Slurm {
    fn start(dir: &Path) -> Self {
        let ports: Vec<TcpListener> =
            (0..3).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let [controller, first, second] =
            [0, 1, 2].map(|at: usize| ports[at].local_addr().unwrap().port());
        drop(ports);
        let host = String::from_utf8(Command::new("hostname").arg("-s").output().unwrap().stdout);
        let (host, place) = (host.unwrap().trim().to_owned(), dir.display());
        let config = dir.join("slurm.conf");
        fs::create_dir_all(dir.join("state")).unwrap();
        fs::write(
            &config,
            format!(
                "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={controller}\n\
                 SlurmUser=root\nAuthType=auth/munge\n\
                 AuthInfo=socket={place}/munge.socket,cred_expire=5\n\
                 StateSaveLocation={place}/state\nSlurmdSpoolDir={place}/spool-%n\n\
                 SlurmctldPidFile={place}/slurmctld.pid\nSlurmdPidFile={place}/slurmd-%n.pid\n\
                 SlurmctldLogFile={place}/slurmctld.log\nSlurmdLogFile={place}/slurmd-%n.log\n\
                 ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nReturnToService=2\n\
                 SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n\
                 SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1\n\
                 JobAcctGatherType=jobacct_gather/none\n\
                 AccountingStorageType=accounting_storage/none\n\
                 NodeName={host} NodeHostname={host} NodeAddr=127.0.0.1 Port={first} CPUs=1\n\
                 NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={second} CPUs=1\n\
                 PartitionName=main Nodes={host},n2 Default=YES MaxTime=INFINITE State=UP\n"
            ),
        )
        .unwrap();
        let key = dir.join("munge.key");
        fs::write(&key, fs::read("/proc/sys/kernel/random/uuid").unwrap().repeat(4)).unwrap();
        let _ = Command::new("chmod").arg("600").arg(&key).status();
        let mut slurm = Self { daemons: Vec::new(), config, host: host.clone() };
        let munge = |name: &str, file: &str| format!("--{name}={place}/{file}");
        slurm.daemon(
            "munged",
            &[
                "--foreground",
                "--force",
                &munge("key-file", "munge.key"),
                &munge("socket", "munge.socket"),
                &munge("pid-file", "munged.pid"),
                &munge("log-file", "munged.log"),
                &munge("seed-file", "munged.seed"),
            ],
        );
        wait_until("munged does not start", || dir.join("munge.socket").exists());
        slurm.daemon("slurmctld", &["-D", "-i"]);
        slurm.daemon("slurmd", &["-D", "-N", &host]);
        slurm.daemon("slurmd", &["-D", "-N", "n2"]);
        wait_until("the nodes do not start", || {
            slurm.out("sinfo", &["-h", "-N", "-o", "%t"]).matches("idle").count() == 2
        });
        slurm
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("SLURM_CONF", &self.config).env("PATH", format!("{path}:/usr/sbin:/sbin"));
        command
    }

    fn daemon(&mut self, program: &str, args: &[&str]) {
        let mut command = self.command(program);
        let quiet = command.args(args).stdin(Stdio::null()).stdout(Stdio::null());
        self.daemons.push(quiet.stderr(Stdio::null()).spawn().unwrap());
    }

    fn out(&self, program: &str, args: &[&str]) -> String {
        String::from_utf8(self.command(program).args(args).output().unwrap().stdout).unwrap()
    }

    /// Runs the script that submits a search.
    fn submit(&self, dir: &str) {
        let submit = taquin().args(["submit", dir, "--slurm", "--at-once", "8"]).output().unwrap();
        let file = PathBuf::from(format!("{dir}/submit.sh"));
        fs::write(&file, submit.stdout).unwrap();
        // The submitter has the settings of the tests, and the jobs get them.
        let mut shell = self.command("sh");
        for (name, value) in taquin().get_envs() {
            value.map(|value| shell.env(name, value));
        }
        let submitted = shell.arg(&file).output().unwrap();
        assert!(submitted.status.success(), "{}", String::from_utf8_lossy(&submitted.stderr));
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        for daemon in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

#[test]
#[ignore = "starts the daemons of Slurm, as root: a minute"]
fn a_search_on_slurm_has_the_counts_of_one_process() {
    let missing = missing(&["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel"]);
    let is_root = String::from_utf8(Command::new("id").arg("-u").output().unwrap().stdout);
    assert!(missing.is_empty() && is_root.unwrap().trim() == "0", "no root, or no {missing:?}");
    let slurm = Slurm::start(&folder("slurm"));
    let dir = split("slurm-search", HARD, "12", "10M");
    slurm.submit(&dir);
    // One task is cancelled; its part is submitted again.
    let array = slurm.out("squeue", &["-h", "-o", "%F"]);
    let array = array.lines().next().unwrap().trim();
    slurm.out("scancel", &[&format!("{array}_7")]);
    wait_until("the jobs do not end", || slurm.out("squeue", &["-h"]).is_empty());
    let report = json(&["task", "merge", &dir, "--json"]);
    assert_eq!(facts(&report), by_one_process(HARD));
    let logs = fs::read_dir(format!("{dir}/logs")).unwrap().flatten().map(|entry| entry.path());
    let merges = logs.map(|path| fs::read_to_string(path.join("merge.log")).unwrap());
    let text: String = merges.collect();
    assert!(text.contains("1 of 12 parts have no result"), "{text}");
    assert!(text.contains("Solved in 59 moves: optimal"), "{text}");

    // A task gets the signal that precedes its time limit: it saves its progress and is queued
    // again.
    let dir = split("slurm-requeue", HARD, "2", "100M");
    slurm.submit(&dir);
    wait_until("no part is running", || !searching(&dir).is_empty());
    let task = slurm.out("squeue", &["-h", "-t", "R", "-o", "%i"]);
    let task = task.lines().next().unwrap().trim();
    slurm.out("scancel", &["--batch", "--signal=TERM", task]);
    wait_until("it is not queued again", || {
        slurm.out("squeue", &["-h", "-t", "PD", "-o", "%r"]).contains("BeginTime")
    });
    wait_until("the jobs do not end", || slurm.out("squeue", &["-h"]).is_empty());
    assert_eq!(facts(&json(&["task", "merge", &dir, "--json"])), by_one_process(HARD));

    // The processes of a step find each other.
    let node = format!("--nodelist={}", slurm.host);
    let mut ran = slurm.command("srun");
    let ran = ran.args([&*node, "--ntasks=2", "--overcommit"]).arg(taquin().get_program());
    let ran = ran.args(["enumerate", "3x3", "--json", "--cluster", "slurm"]);
    let output = ran.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let enumerated: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(enumerated, json(&["enumerate", "3x3", "--json"]));
}

/// Submits all parts of a folder to HyperQueue, and failed ones again, until it is solved.
const HYPERQUEUE: &str = r#"
import json, subprocess, sys
from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig

program, folder, server = sys.argv[1:]
failed = 0
with LocalCluster(server) as cluster:
    cluster.start_worker(WorkerConfig(cores=1))
    cluster.start_worker(WorkerConfig(cores=1))
    client = cluster.client()
    while True:
        merged = subprocess.run([program, "task", "merge", folder, "--json"], capture_output=True)
        if merged.returncode == 0:
            break
        assert merged.returncode == 12, merged.stderr
        state = json.loads(merged.stdout)
        job = Job(max_fails=None, default_workdir=server)
        everything = len(state["missing"]) == state["parts"]
        for part in state["missing"]:
            # The number of a task is that of its part, if all are submitted.
            index = [] if everything else ["--index", str(part)]
            job.program([program, "task", "run", folder, *index])
        submitted = client.submit(job)
        if not client.wait_for_jobs([submitted], raise_on_error=False):
            failed += len(client.get_failed_tasks(submitted))
print(failed)
"#;

/// Returns a Python that has the package of HyperQueue.
fn python_with_hyperqueue() -> PathBuf {
    let venv = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hyperqueue-venv");
    let python = venv.join("bin/python");
    let has_it = || Command::new(&python).args(["-c", "import hyperqueue"]).output();
    if has_it().is_ok_and(|output| output.status.success()) {
        return python;
    }
    let made = Command::new("python3").args(["-m", "venv"]).arg(&venv).status();
    assert!(made.expect("this test needs python3").success(), "this test needs venv");
    let install = ["-m", "pip", "install", "--quiet", "--retries", "0", "hyperqueue"];
    let installed = Command::new(&python).args(install).output().unwrap();
    let told = String::from_utf8_lossy(&installed.stderr);
    assert!(installed.status.success(), "pip can't install hyperqueue: {told}");
    python
}

/// Returns the processes that search a part of a folder.
fn searching(dir: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let is_searching = |entry: &fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        line.contains(&format!("task\0run\0{dir}"))
    };
    let names = processes.filter(is_searching);
    names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
#[ignore = "installs HyperQueue from PyPI: half a minute"]
fn a_search_on_hyperqueue_has_the_counts_of_one_process() {
    let python = python_with_hyperqueue();
    let dir = split("hyperqueue-search", HARD, "200", "10M");
    // The jobs get the settings of the tests.
    let start = |server: &str| {
        let (mut command, program) = (Command::new(&python), taquin());
        command.args(["-c", HYPERQUEUE]).arg(program.get_program()).arg(&dir).arg(folder(server));
        for (name, value) in program.get_envs() {
            value.map(|value| command.env(name, value));
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    // The package has the server and its workers as threads of one process, and no program: so the
    // workers are killed together, with their server.
    let mut child = start("hyperqueue-killed");
    let results = || {
        let rounds = fs::read_dir(&dir).unwrap().flatten();
        let files = rounds.filter_map(|round| fs::read_dir(round.path()).ok()).flatten().flatten();
        files.filter(|file| file.path().extension().is_some_and(|e| e == "json")).count()
    };
    let before = results();
    wait_until("no part is searched", || results() >= before + 20);
    child.kill().unwrap();
    child.wait().unwrap();
    let after = results();
    assert!((before + 20..before + 200).contains(&after), "{before}, {after}");

    let child = start("hyperqueue-server");
    // The tasks of both workers are killed, again and again.
    let (is_over, mut kills) = (AtomicBool::new(false), 0);
    let output = std::thread::scope(|scope| {
        let killer = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) && kills < 30 {
                for process in searching(&dir) {
                    let kill = Command::new("kill").args(["-KILL", &process]).output();
                    kills += u32::from(kill.is_ok_and(|output| output.status.success()));
                }
                sleep(Duration::from_millis(50));
            }
        });
        let output = child.wait_with_output().unwrap();
        is_over.store(true, Ordering::Relaxed);
        killer.join().unwrap();
        output
    });
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    // HyperQueue prints too.
    let out = String::from_utf8_lossy(&output.stdout);
    let failed: u32 = out.lines().last().unwrap().trim().parse().unwrap();
    assert!(kills > 0 && failed > 0, "{kills} kills, {failed} failures: {told}");
    assert_eq!(facts(&json(&["task", "merge", &dir, "--json"])), by_one_process(HARD));
    assert!(run(&["task", "status", &dir]).out.contains("solved: 59 moves"));
}
