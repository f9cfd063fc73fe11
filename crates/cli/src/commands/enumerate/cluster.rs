//! `taquin enumerate` with several processes.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use taquin::{
    Board, Device, Enumeration, FileError, Metric, SpaceJob, free_memory, space, write_bytes,
};
use taquin_cluster::{
    ClusterEnumeration, ClusterError, ClusterStart, Group, Hosts, HostsError, Job, Secret, Shares,
    any_share, enumerate, has_shares,
};

use crate::args::within;
use crate::failure::{Failure, LOST};
use crate::input::{goal_of_size, open_file};
use crate::output::{count, say};
use crate::tables;
use crate::watch::watched_by;

use super::{EnumerateArgs, describe_progress, not_resumed, partial};

/// How several processes find each other.
#[derive(Args, Debug)]
#[command(next_help_heading = "Several processes")]
pub(super) struct ClusterArgs {
    /// Start N processes on this machine, each with its share of the memory
    #[arg(long, value_name = "N", value_parser = within::<u16>(1..=64))]
    local: Option<u16>,
    /// Take part as one of the processes that listen at the addresses of FILE, one in each line
    #[arg(long, value_name = "FILE", conflicts_with = "local", requires = "process")]
    hosts: Option<PathBuf>,
    /// Which of the processes of --hosts this is, from 0
    #[arg(long, value_name = "I")]
    process: Option<usize>,
    /// Take part as one of the tasks of a scheduler's job: slurm
    #[arg(long, value_name = "NAME", conflicts_with_all = ["local", "hosts"], value_parser = ["slurm"])]
    cluster: Option<String>,
    /// All processes must have the same content of FILE; it is never sent
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
    /// Time to wait for the other processes at the start [default: 1m]
    #[arg(long, value_name = "TIME", value_parser = taquin::read_time)]
    connect_timeout: Option<Duration>,
    /// The addresses of the processes that --local starts; the listener is the standard input
    #[arg(long, value_name = "ADDRESSES", hide = true, requires = "process")]
    join: Option<String>,
}

/// The time to wait for other processes.
const CONNECTING: Duration = Duration::from_secs(60);

impl ClusterArgs {
    /// Returns whether several processes are asked for.
    pub(super) fn is_used(&self) -> Result<bool, Failure> {
        let Self { local, hosts, process, cluster, secret, connect_timeout, join } = self;
        let is_used = local.is_some() || hosts.is_some() || cluster.is_some() || join.is_some();
        let lonely = match () {
            () if is_used => None,
            () if process.is_some() => Some("--process"),
            () if secret.is_some() => Some("--secret"),
            () if connect_timeout.is_some() => Some("--connect-timeout"),
            () => None,
        };
        match lonely {
            Some(flag) => Err(Failure::input(format!("{flag} is for several processes"))
                .hint("add --local N, --hosts FILE or --cluster slurm")),
            None => Ok(is_used),
        }
    }

    /// Returns the arguments that lead to the same processes, for a hint.
    fn again(&self) -> String {
        let words = match (self.local, &self.hosts, self.process) {
            (Some(processes), ..) => format!(" --local {processes}"),
            (_, Some(hosts), Some(process)) => {
                format!(" --hosts {} --process {process}", hosts.display())
            }
            _ => " --cluster slurm".to_owned(),
        };
        match &self.secret {
            Some(secret) => format!("{words} --secret {}", secret.display()),
            None => words,
        }
    }
}

/// Enumerates as one of several processes. Returns `None` in all but the first.
pub(super) fn run(
    args: &EnumerateArgs,
) -> Result<Option<(Board, Enumeration, Shares, Duration)>, Failure> {
    let cluster = &args.cluster;
    // One that --local has started leaves the words to the first process.
    let is_quiet = cluster.join.is_some();
    let tell = |line: &str| {
        if !is_quiet {
            say(line);
        }
    };
    only_shared(args)?;
    let goal = goal(args)?;
    let secret = cluster.secret.as_deref().map(secret).transpose()?;
    let folder = args.resume.as_ref().or(args.checkpoint.as_ref());
    let group = group(args, &goal)?;
    let (process, processes) = (group.process(), group.processes());
    let timeout = cluster.connect_timeout.unwrap_or(CONNECTING);
    let job = Job {
        goal: goal.clone(),
        metric: args.metric,
        checkpoint: folder.map(|folder| {
            (folder.clone(), args.checkpoint_every.unwrap_or(SpaceJob::SAVE_INTERVAL))
        }),
        is_resumed: args.resume.is_some(),
        memory: memory(args, cluster.local),
        threads: threads(cluster.local),
        secret,
        timeout,
    };
    let size = goal.size();
    if processes > 1 && cluster.local.is_none() {
        tell(&format!("process {process} of {processes}: waiting for the others"));
    }
    let states = space::extent(&goal, args.metric).states;
    let started = Instant::now();
    let found = watched_by(!is_quiet, describe_progress(states), |monitor| {
        enumerate(group, job, monitor, |beginning| {
            let ClusterStart { states, bytes, all_bytes, resumed } = beginning;
            let boards = count(states, "board", "boards");
            let (bytes, all) = (write_bytes(bytes), write_bytes(all_bytes));
            let processes = count(processes as u64, "process", "processes");
            tell(&match process {
                0 => format!("{size}: {boards}, {bytes} of memory, {all} in {processes}"),
                _ => format!("{size}: {boards}, {bytes} of memory here, {all} in {processes}"),
            });
            if let Some(depth) = resumed {
                tell(&format!("{size}: resuming at depth {depth}"));
            }
        })
    });
    let took = started.elapsed();
    match found {
        Ok(ClusterEnumeration { enumeration, sent, shares }) if process == 0 => {
            if processes > 1 {
                say(&format!("{} sent between the processes", write_bytes(sent)));
            }
            Ok(Some((goal, enumeration, shares, took)))
        }
        Ok(_) => {
            tell(&format!("process {process} of {processes}: done"));
            Ok(None)
        }
        Err(error) => Err(failure(args, &goal, process, error)),
    }
}

fn goal(args: &EnumerateArgs) -> Result<Board, Failure> {
    match (&args.resume, args.size()) {
        (Some(folder), _) => {
            any_share(folder).map(|share| share.goal).map_err(|error| match has_shares(folder) {
                true => not_resumed(&error),
                false => no_shares(folder),
            })
        }
        (None, Some(size)) => goal_of_size(&args.goal, size, args.blanks),
        (None, None) => Err(Failure::input("no size given")),
    }
}

fn no_shares(folder: &Path) -> Failure {
    Failure::input(format!("{}: no checkpoint of several processes", folder.display()))
        .hint("give a folder that --checkpoint wrote; one machine continues its own without --local, --hosts and --cluster")
}

/// Refuses options that several processes do not support.
fn only_shared(args: &EnumerateArgs) -> Result<(), Failure> {
    let refused = match args {
        EnumerateArgs { save: true, .. } => "--save",
        EnumerateArgs { on: Device::Gpu, .. } => "--on gpu",
        EnumerateArgs { disk: Some(_), .. } => "--disk",
        EnumerateArgs { checkpoint: Some(_), metric: Metric::Multi, .. } => {
            return Err(Failure::input("--checkpoint is not available with --metric multi")
                .hint("omit --checkpoint"));
        }
        EnumerateArgs { checkpoint: Some(folder), cluster, .. } if cluster.join.is_none() => {
            if folder.is_file() || has_shares(folder) {
                return Err(Failure::input(format!("{}: it exists", folder.display()))
                    .hint(format!("use --resume {} to continue, or remove it", folder.display())));
            }
            return Ok(());
        }
        _ => return Ok(()),
    };
    Err(Failure::input(format!("{refused} is not available with several processes"))
        .hint("run it on one machine, without --local, --hosts and --cluster"))
}

fn secret(path: &Path) -> Result<Secret, Failure> {
    let wrong = |words: String| Failure::input(format!("{}: {words}", path.display()));
    let mut content = Vec::new();
    let read = open_file(path, "a secret")?.read_to_end(&mut content);
    read.map_err(|error| wrong(format!("can't be read: {error}")))?;
    match content.is_empty() {
        true => Err(wrong("the secret file is empty".to_owned())
            .hint(format!("make one: head -c 32 /dev/urandom > {}", path.display()))),
        false => Ok(Secret::new(&content)),
    }
}

/// Returns this process's memory: three quarters of the free memory, divided by the processes that
/// share it.
fn memory(args: &EnumerateArgs, local: Option<u16>) -> u64 {
    let share = |bytes: u64| bytes / 4 * 3 / u64::from(local.unwrap_or(1).max(1));
    args.memory.or_else(|| free_memory().map(share)).unwrap_or(u64::MAX)
}

/// Returns this process's number of threads: `RAYON_NUM_THREADS`, or its part of the cores.
fn threads(local: Option<u16>) -> usize {
    let told = std::env::var(THREADS).ok().and_then(|text| text.parse().ok());
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    told.filter(|&threads| threads > 0)
        .unwrap_or_else(|| (cores() / usize::from(local.unwrap_or(1))).max(1))
}

/// The variable with the number of threads.
const THREADS: &str = "RAYON_NUM_THREADS";

fn group(args: &EnumerateArgs, goal: &Board) -> Result<Group, Failure> {
    let cluster = &args.cluster;
    let process = cluster.process.unwrap_or(0);
    if let Some(addresses) = &cluster.join {
        return Group::join(addresses, process)
            .map_err(|error| failure(args, goal, process, error));
    }
    if let Some(processes) = cluster.local {
        let program = crate::program()?;
        let memory = memory(args, cluster.local);
        let command = |process: usize, addresses: &str| {
            let mut command = Command::new(&program);
            command.arg("enumerate").args(["--join", addresses, "--process"]);
            command.arg(process.to_string()).args(["--memory", &memory.to_string()]);
            command.env(THREADS, threads(cluster.local).to_string());
            match &args.resume {
                Some(folder) => command.arg("--resume").arg(folder),
                None => command.arg(goal.size().to_string()).args([
                    "--blanks",
                    &args.blanks.to_string(),
                    "--goal",
                    &goal.to_string(),
                    "--metric",
                    &args.metric.to_string(),
                ]),
            };
            if let Some(folder) = &args.checkpoint {
                command.arg("--checkpoint").arg(folder);
            }
            if let Some(secret) = &cluster.secret {
                command.arg("--secret").arg(secret);
            }
            command.stderr(Stdio::inherit());
            command
        };
        return Group::start(processes.into(), command)
            .map_err(|error| failure(args, goal, process, error));
    }
    let (hosts, name) = match &cluster.hosts {
        Some(path) => {
            let mut text = String::new();
            let read = open_file(path, "the address of each process in a line")?;
            io::BufReader::new(read).read_to_string(&mut text).map_err(|error| {
                Failure::input(format!("{}: can't be read: {error}", path.display()))
            })?;
            (Hosts::read(&text, process), path.display().to_string())
        }
        None => (Hosts::of_slurm(|name| std::env::var(name).ok()), "--cluster slurm".to_owned()),
    };
    hosts.map(Group::from).map_err(|error| {
        let failure = Failure::input(format!("{name}: {error}"));
        match error {
            HostsError::Variable(_) => failure
                .hint("start it as a step of a job: srun taquin enumerate .. --cluster slurm"),
            HostsError::Distribution { .. } => failure.hint("add --distribution=block to srun"),
            HostsError::Process { .. } => failure.hint("give each its own --process"),
            HostsError::Empty | HostsError::Line { .. } => {
                failure.hint("write the address of each process in a line")
            }
            _ => failure,
        }
    })
}

/// Converts an error, with a hint.
fn failure(args: &EnumerateArgs, goal: &Board, process: usize, error: ClusterError) -> Failure {
    let folder = args.resume.as_ref().or(args.checkpoint.as_ref());
    let resumed = || match folder {
        Some(folder) => format!(
            "to continue: taquin enumerate --resume {}{}",
            folder.display(),
            args.cluster.again()
        ),
        None => "start all processes again; --checkpoint DIR saves the progress".to_owned(),
    };
    // The first process on a machine prints for all.
    if args.cluster.join.is_some() {
        return match error {
            ClusterError::Cancelled { .. } => Failure::silent(130),
            ClusterError::Memory { .. } => Failure::silent(22),
            ClusterError::File(_) | ClusterError::Inconsistent { .. } | ClusterError::Io(_) => {
                Failure::input(format!("process {process}: {error}"))
            }
            _ => Failure::silent(LOST),
        };
    }
    match error {
        ClusterError::Cancelled { depths } => {
            if process == 0
                && let Err(error) = partial(args, goal, &depths)
            {
                return error;
            }
            let failure = Failure::interrupted();
            if folder.is_some() { failure.hint(resumed()) } else { failure }
        }
        ClusterError::Lost { .. } | ClusterError::Failed { .. } => {
            Failure::lost(error.to_string()).hint(resumed())
        }
        ClusterError::Memory { peer, needed, allowed } => Failure::memory(format!(
            "{peer} needs {} of memory, and {} are allowed",
            write_bytes(needed),
            write_bytes(allowed)
        ))
        .hint("use more processes, a smaller board, or increase --memory"),
        ClusterError::Explore(error) => tables::no_memory(&error, &goal.size().to_string()),
        ClusterError::File(error) => file_failure(&error, folder.is_some(), &resumed()),
        ClusterError::NoCheckpoint { .. } => Failure::input(error.to_string())
            .hint("all files of a depth must be where the processes can read them; if the first ones were never complete, remove the folder and start again"),
        ClusterError::Unreachable { .. } => {
            Failure::input(error.to_string()).hint("start one there, or increase --connect-timeout")
        }
        ClusterError::Refused { .. } => Failure::input(error.to_string())
            .hint("start all processes with the same program, arguments and secret"),
        ClusterError::Listen { .. } => Failure::input(error.to_string())
            .hint("the address must be one of this machine, and its port free"),
        _ => Failure::input(error.to_string()),
    }
}

fn file_failure(error: &FileError, is_saved: bool, resumed: &str) -> Failure {
    match is_saved {
        true => tables::unsaved(error).hint(resumed),
        false => tables::unsaved(error),
    }
}
