//! Files that decide what is true: tables, checkpoints, stores and plans.
//!
//! A damaged file is like none, or an error. Whatever its bytes are, boards whose shortest solution is
//! known are solved in as many moves, or nothing is claimed. Checksums would refuse almost every
//! mutation, so every other input gets valid ones: nothing is believed then but what can be checked.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use taquin::{
    Board, Checkpoint, CheckpointError, Metric, Monitor, Reason, Session, SpaceFiles, SpaceJob,
    Task, Watch, space,
};
use taquin_experiment::{Crew, ExperimentStore, ExportFormat, Plan, Shard};
use xxhash_rust::xxh3::xxh3_64;

use super::targets::{Target, short, texts};

/// A board that takes 31 moves, and databases for its goal.
const EIGHT: (&str, u32, &str) = ("867254301", 31, "ida:pdb=1.2.3/4.5.6/7.8");
/// A board that takes 21 moves.
const SIX: (&str, u32) = ("4 5 0/1 2 3", 21);

/// The targets, with real files as seeds.
pub(super) fn targets() -> Result<Vec<Target>> {
    let plans = [PLAN, COURSES, LIMITED];
    Ok(vec![
        Target::new("pdb", vec![database()?], pdb).slow(),
        Target::new("space", vec![whole_space()?], whole).slow(),
        Target::new("checkpoint", vec![stopped_search()?], checkpoint).slow(),
        Target::new("store", vec![finished_store()?], store).slow(),
        Target::new("plan", texts(&plans), plan).slow(),
    ])
}

const COURSES: &str =
    "instances = [\"courses\", \"random 3x3 n=3\"]\nas = [\"ucr-list\"]\nrepeats = 2\n";

const LIMITED: &str = "# With all keys.\ntitle = 'limited'\ninstances = \"random 4x4 n=2 seed=1\"\n\
                       methods = [\"ida:pdb=5-5-5\", \"anytime\"]\ngoal = \"snail\"\ncost = \"unit\"\n\
                       threads = 2\n[limits]\ntime = \"9m\"\nmemory = \"2G\"\nnodes = 9\n";

const PLAN: &str = "title = \"two\"\ninstances = [\"board 1 2 3/4 5 6/7 0 8\", \"random 2x3 n=2 seed=3\"]\n\
                    methods = [\"bfs\", \"astar:manhattan,tie=low-g\"]\n[limits]\ntime = \"2s\"\n";

/// Removes the files.
pub(super) fn clean() {
    let _ = fs::remove_dir_all(folder());
}

/// A folder of this process, in memory where the system has one there.
fn folder() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let folder = base.join(format!("taquin-fuzz-{}", std::process::id()));
        // If it cannot be made, the first write says so.
        let _ = fs::create_dir_all(&folder);
        folder
    });
    &FOLDER
}

fn task(board: &str, method: &str) -> Result<Task> {
    let start: Board = board.parse()?;
    Ok(Task { method: method.parse()?, ..start.into() })
}

/// The only file in a folder below that of this process whose name contains `part`.
fn file(below: &str, part: &str) -> Result<PathBuf> {
    let entries = fs::read_dir(folder().join(below))?;
    let mut paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let is_it = |path: &PathBuf| path.to_string_lossy().contains(part);
    paths.find(is_it).with_context(|| format!("there is no file of {part}"))
}

const DATABASE: &str = "tiles-0.1.2";

fn database() -> Result<Vec<u8>> {
    let session = Session::with_folder(folder().join("pdb"));
    session.prepare(&task(EIGHT.0, EIGHT.2)?, &Monitor::default(), &mut |_| ())?;
    Ok(fs::read(file("pdb", DATABASE)?)?)
}

fn whole_space() -> Result<Vec<u8>> {
    let session = Session::with_folder(folder().join("space"));
    let goal = task(SIX.0, "table")?.puzzle.goal().clone();
    let memory = space::table_extent(&goal, Metric::Single).bytes;
    let files = SpaceFiles::Table;
    let job = SpaceJob { files, memory: Some(memory), ..SpaceJob::new(&goal) };
    session.enumerate(&job, &Monitor::default(), |_| ())?;
    Ok(fs::read(file("space", "single")?)?)
}

fn pdb(input: &[u8]) -> Result<bool, String> {
    tables(input, "pdb", DATABASE, (EIGHT.0, EIGHT.1), &[EIGHT.2])
}

fn whole(input: &[u8]) -> Result<bool, String> {
    tables(input, "space", "single", SIX, &["table", "auto"])
}

/// Solves a board with a table file of these bytes, and with their checksums made valid.
fn tables(
    input: &[u8],
    below: &str,
    part: &str,
    (board, length): (&str, u32),
    methods: &[&str],
) -> Result<bool, String> {
    static PATHS: Mutex<Vec<(String, PathBuf)>> = Mutex::new(Vec::new());
    let failed = |error: anyhow::Error| error.to_string();
    let mut paths = PATHS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = paths.iter().find(|(known, _)| known == below).map(|(_, path)| path.clone());
    let path = match known {
        Some(path) => path,
        None => {
            let path = file(below, part).map_err(failed)?;
            paths.push((below.to_owned(), path.clone()));
            path
        }
    };
    drop(paths);
    let mut is_accepted = false;
    for (bytes, is_forged) in [(input.to_vec(), false), (with_checksums(input), true)] {
        for method in methods {
            fs::write(&path, &bytes).map_err(|error| error.to_string())?;
            let warnings = Arc::new(AtomicU64::new(0));
            let counted = Arc::clone(&warnings);
            let session =
                Session::with_folder(folder().join(below)).with_warnings(move |warning| {
                    counted.fetch_add(u64::from(short(&warning.to_string()).is_ok()), Relaxed);
                });
            let mut task = task(board, method).map_err(failed)?;
            task.limits.generated = Some(200_000);
            let report = session.run(&task, Watch::default());
            let is_used = warnings.load(Relaxed) == 0;
            is_accepted |= is_used;
            // A forged table may stop a search; it must not make it false.
            let stops = [Reason::Contradiction, Reason::Generated];
            match report.cost {
                Some(cost) if cost == length && report.optimal => {}
                Some(cost) if is_forged && cost >= length => {}
                None if is_forged && report.reason.is_some_and(|stop| stops.contains(&stop)) => {}
                cost => {
                    let claim = (report.outcome, report.reason, cost, report.optimal);
                    return Err(format!("{method} finds {claim:?}"));
                }
            }
        }
    }
    Ok(is_accepted)
}

/// Makes the checksums of a table file of one block valid.
fn with_checksums(input: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    let Some(end) = bytes.len().checked_sub(8).filter(|end| *end > 4_096) else { return bytes };
    let sums = xxh3_64(&bytes[4_096..end]).to_ne_bytes();
    bytes[end..].copy_from_slice(&sums);
    bytes[4_080..4_088].copy_from_slice(&xxh3_64(&sums).to_ne_bytes());
    let header = xxh3_64(&bytes[..4_088]).to_ne_bytes();
    bytes[4_088..4_096].copy_from_slice(&header);
    bytes
}

/// A 15-puzzle of 46 moves.
const FIFTEEN: &str = "7 1 0 2/4 8 15 3/5 11 9 13/6 14 12 10";

/// The checkpoint of a search that a limit ended.
fn stopped_search() -> Result<Vec<u8>> {
    let path = folder().join("checkpoint.json");
    let mut task = task(FIFTEEN, "ida:manhattan")?;
    task.limits.generated = Some(300_000);
    let every = (path.as_path(), Duration::from_secs(60));
    Session::without_folder().run_with_checkpoint(&task, None, every, &Arc::default())?;
    Ok(fs::read(&path)?)
}

fn checkpoint(input: &[u8]) -> Result<bool, String> {
    let path = folder().join("mutated.json");
    let mut is_accepted = false;
    for (bytes, is_forged) in [(input.to_vec(), false), (with_checksum(input), true)] {
        fs::write(&path, &bytes).map_err(|error| error.to_string())?;
        let read = match Checkpoint::read(&path) {
            Ok(read) => read,
            Err(CheckpointError::File { error, .. }) => return Err(error.to_string()),
            Err(error) => {
                short(&error.to_string())?;
                continue;
            }
        };
        is_accepted = true;
        let mut task = read.task.clone();
        let (_, counts) = read.progress();
        task.threads = 1;
        task.limits.generated = Some(counts.generated.saturating_add(100_000));
        task.limits.seconds = Some(0.5);
        // Databases of any size could be asked for.
        if task.method.estimate.iter().any(|estimate| !estimate.databases().is_empty()) {
            continue;
        }
        let every = (path.as_path(), Duration::from_secs(60));
        let session = Session::without_folder();
        match session.run_with_checkpoint(&task, Some(&read), every, &Arc::default()) {
            Ok(report) if !is_forged && report.lower_bound > Some(46) => {
                return Err(format!("claims at least {:?}", report.lower_bound));
            }
            Ok(_) => {}
            Err(error) => short(&error.to_string())?,
        }
    }
    Ok(is_accepted)
}

/// Makes the checksum of a checkpoint valid.
fn with_checksum(input: &[u8]) -> Vec<u8> {
    const BEFORE: &[u8] = b"\"checksum\":\"";
    const AFTER: &[u8] = b"\",\"content\":";
    let at = |text: &[u8]| input.windows(text.len()).position(|window| window == text);
    let (Some(before), Some(after)) = (at(BEFORE), at(AFTER)) else { return input.to_vec() };
    let (head, content) = (before + BEFORE.len(), after + AFTER.len());
    if head > after || content >= input.len() {
        return input.to_vec();
    }
    let checksum = format!("{:016x}", xxh3_64(&input[content..input.len() - 1]));
    [&input[..head], checksum.as_bytes(), &input[after..]].concat()
}

/// A store with a few results.
fn finished_store() -> Result<Vec<u8>> {
    let path = folder().join("store.sqlite");
    let plan = Plan::read(PLAN, folder()).map_err(|faults| anyhow!("{faults:?}"))?;
    let mut store = ExperimentStore::create(&path)?;
    store.plan(&plan, false)?;
    let crew = Crew {
        session: Session::without_folder(),
        monitor: Arc::default(),
        jobs: 1,
        shard: Shard::default(),
        memory: None,
    };
    crew.work(&mut store, &|_| ())?;
    let mut lines = Vec::new();
    store.export(ExportFormat::JsonLines, true, &mut lines)?;
    let results = String::from_utf8(lines)?;
    let mut known = FINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    known.extend(results.lines().map(str::to_owned));
    drop(store);
    Ok(fs::read(&path)?)
}

fn store(input: &[u8]) -> Result<bool, String> {
    let path = folder().join("mutated.sqlite");
    for log in ["mutated.sqlite-wal", "mutated.sqlite-shm", "mutated.sqlite-journal"] {
        let _ = fs::remove_file(folder().join(log));
    }
    fs::write(&path, input).map_err(|error| error.to_string())?;
    let read = |exported: &mut String| -> Result<()> {
        let store = ExperimentStore::open(&path)?;
        store.state()?;
        store.verify()?;
        let mut lines = Vec::new();
        store.export(ExportFormat::JsonLines, true, &mut lines)?;
        *exported = String::from_utf8(lines)?;
        let _ = store.report(None)?.markdown();
        drop(store);
        ExperimentStore::in_memory()?.merge(&path)?;
        Ok(())
    };
    let mut exported = String::new();
    let is_accepted = match read(&mut exported) {
        Ok(()) => true,
        Err(error) => short(&error.to_string()).map(|()| false)?,
    };
    // Whatever is accepted has been computed: no bound is above the length, no length is another.
    let known = FINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    match exported.lines().find(|line| !known.contains(*line)) {
        Some(line) if !exported.is_empty() => Err(format!("nobody has computed {line}")),
        _ => Ok(is_accepted),
    }
}

/// The results of the store that is mutated.
static FINISHED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

fn plan(input: &[u8]) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(false) };
    // Boards of a depth, large boards and many of them take long for a good reason.
    let numbers = text.split(|letter: char| !letter.is_ascii_digit());
    let is_large = |digits: &str| digits.parse().map_or(!digits.is_empty(), |n: u64| n > 12);
    if text.contains("depth") || numbers.into_iter().any(is_large) {
        return Ok(false);
    }
    match Plan::read(text, folder()) {
        Ok(plan) => {
            let again = Plan::read(&plan.text, folder()).map_err(|faults| format!("{faults:?}"))?;
            match again == plan {
                true => Ok(true),
                false => Err("the plan is not the same when it is read again".to_owned()),
            }
        }
        Err(faults) => {
            for fault in &faults {
                short(&format!("{} {}", fault.message, fault.hint.clone().unwrap_or_default()))?;
            }
            match faults.is_empty() {
                true => Err("refused without a reason".to_owned()),
                false => Ok(false),
            }
        }
    }
}
