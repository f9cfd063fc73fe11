//! Runs commands as processes and measures them.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

/// How often the memory of a process is read.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The cost and output of one process.
#[derive(Clone, Default, Debug)]
pub(super) struct Process {
    /// By the clock, in seconds.
    pub(super) wall: f64,
    /// The CPU time, and the part of it outside the system, for the process and those that it has
    /// started.
    pub(super) cpu: f64,
    pub(super) user: f64,
    /// The most memory that one of them has held, and the part that it shares with no other
    /// process.
    pub(super) peak: f64,
    pub(super) own: f64,
    /// The bytes that processes have sent each other.
    pub(super) sent: f64,
    pub(super) instructions: f64,
    /// The JSON that it printed.
    pub(super) documents: Vec<Value>,
}

impl Process {
    /// The values of a field: a measurement, or a path such as `counts.generated` in each document.
    pub(super) fn values(&self, field: &str) -> Vec<Option<f64>> {
        let measured = match field {
            "wall" => self.wall,
            "cpu" => self.cpu,
            "user" => self.user,
            "peak" => self.peak,
            "own" => self.own,
            "sent" => self.sent,
            "instructions" => self.instructions,
            _ => {
                // `FIELD~TEXT` is whether the field has the text in it.
                let (field, text) = match field.split_once('~') {
                    Some((field, text)) => (field, Some(text)),
                    None => (field, None),
                };
                let path = format!("/{}", field.replace('.', "/"));
                let number = |value: &Value| match (value, text) {
                    (value, Some(text)) => Some(f64::from(value.to_string().contains(text))),
                    (Value::Bool(is), None) => Some(f64::from(*is)),
                    (value, None) => value.as_f64(),
                };
                let values = self.documents.iter().map(|document| document.pointer(&path));
                return values.map(|value| value.and_then(number)).collect();
            }
        };
        vec![Some(measured)]
    }
}

/// The program next to this one.
pub(super) fn built() -> Result<std::path::PathBuf> {
    let program = env::current_exe()?.with_file_name("taquin");
    ensure!(program.exists(), "{} is not built", program.display());
    Ok(program)
}

/// Runs words such as `RAYON_NUM_THREADS=2 enumerate 3x4` with `program`, and a piece of work in
/// this program if the first begins with `!`.
pub(super) fn run(
    words: &[String],
    program: &Path,
    cache: &Path,
    count_instructions: bool,
) -> Result<Process> {
    let is_setting = |word: &&String| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        })
    };
    let settings = words.iter().take_while(is_setting).count();
    let (settings, words) = words.split_at(settings);
    let (name, rest) = words.split_first().context("there is no command")?;
    let (program, name) = match name.strip_prefix('!') {
        Some(work) => (env::current_exe()?, ["bench-child", work].to_vec()),
        None => (program.to_owned(), vec![name.as_str()]),
    };
    let mut command = match count_instructions {
        false => Command::new(&program),
        true => {
            let mut command = Command::new("valgrind");
            command.args([
                "--tool=cachegrind",
                "--cache-sim=no",
                "--cachegrind-out-file=/dev/null",
            ]);
            command.arg(&program);
            command
        }
    };
    command.args(name).args(rest).env("TAQUIN_CACHE", cache);
    command.envs(settings.iter().filter_map(|setting| setting.split_once('=')));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let [.., user_before, system_before] = cpu_seconds()?;
    let started = Instant::now();
    let child = command
        .spawn()
        .with_context(|| format!("{} can't be started", command.get_program().display()))?;
    let id = child.id();
    let watcher = std::thread::spawn(move || memory(id));
    let output = child.wait_with_output()?;
    let wall = started.elapsed().as_secs_f64();
    let [.., user, system] = cpu_seconds()?;
    let (user, system) = (user - user_before, system - system_before);
    let [peak, own] = watcher.join().map_err(|_| anyhow::anyhow!("memory can't be read"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let documents = serde_json::Deserializer::from_slice(&output.stdout).into_iter();
    let documents: Vec<Value> = documents.collect::<Result<_, _>>().unwrap_or_default();
    // A search ended by a limit has its own exit code, and prints what it has.
    ensure!(output.status.success() || !documents.is_empty(), "{words:?} failed: {errors}");
    let line = |end: &str| errors.lines().find_map(|line| line.strip_suffix(end));
    let sent =
        line(" sent between the processes").map(|text| taquin::read_bytes(&text.replace(' ', "")));
    // Releases differ in the spaces of "I refs:".
    let counted = errors.lines().find_map(|line| line.split_once("refs:"));
    let instructions = match counted {
        Some((_, count)) => count.replace(',', "").trim().parse()?,
        None if count_instructions => bail!("valgrind does not count: {errors}"),
        None => 0.0,
    };
    Ok(Process {
        wall,
        cpu: user + system,
        user,
        peak,
        own,
        sent: sent.transpose()?.unwrap_or(0) as f64,
        instructions,
        documents,
    })
}

/// The user and system time of this process, then of the processes that it has waited for,
/// including theirs.
pub(crate) fn cpu_seconds() -> Result<[f64; 4]> {
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat")
        .context("processor time is read from /proc, which this system does not have")?;
    let (_, after_name) = stat.rsplit_once(')').context("/proc has another format")?;
    let mut ticks = after_name.split_whitespace().skip(11).map(str::parse::<f64>);
    let mut next = || ticks.next().context("/proc has another format");
    Ok([next()?? / TICKS, next()?? / TICKS, next()?? / TICKS, next()?? / TICKS])
}

/// The most memory that a process or one of its children holds until it ends: in total, and
/// unshared.
fn memory(process: u32) -> [f64; 2] {
    let held = |process: &str| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let bytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            Some(line.trim().strip_suffix(" kB")?.parse::<f64>().ok()? * 1024.0)
        };
        Some([bytes("VmHWM:")?, bytes("RssAnon:")?])
    };
    let process = process.to_string();
    let mut most = [0.0_f64; 2];
    while let Some(own) = held(&process) {
        let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
        let children = children.unwrap_or_default();
        for bytes in children.split_whitespace().filter_map(held).chain([own]) {
            most = [most[0].max(bytes[0]), most[1].max(bytes[1])];
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    most
}
