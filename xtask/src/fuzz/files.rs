//! Files that decide what is true: tables, checkpoints, stores and plans.
//!
//! A damaged file counts as missing, or is an error. Whatever its bytes are, boards whose shortest
//! solution is known are solved in as many moves, or nothing is claimed. Checksums would refuse
//! almost every mutation, so every other input gets valid ones. Then only checkable facts are
//! accepted.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use taquin::{
    AutomatonShape, Board, Checkpoint, CheckpointError, FolderError, MergeOutcome, MergeParts,
    Metric, Monitor, MoveOrder, PartOptions, Reason, SavedSearch, SearchPart, Session, SpaceFiles,
    SpaceJob, SplitOptions, SplitTask, Task, TaskFolder, Watch, space,
};
use taquin_experiment::{Crew, ExperimentStore, ExportFormat, Plan, Shard};
use taquin_tables::{Automaton, TableStore};
use xxhash_rust::xxh3::xxh3_64;

use super::targets::{Target, seeds, short};

/// A board that takes 31 moves.
const EIGHT: (&str, u32) = ("867254301", 31);
const DATABASES: &str = "ida:pdb=1.2.3/4.5.6/7.8";
const ZERO_AWARE: &str = "ida:zpdb=1.2.3/4.5.6/7.8";
/// A board that takes 21 moves.
const SIX: (&str, u32) = ("4 5 0/1 2 3", 21);
/// The least `prune` whose automaton is read from a file.
const PRUNED: &str = "ida:pdb=1.2/3.4.5,prune=13";

/// The targets, with real files as seeds.
pub(super) fn targets() -> Result<Vec<Target>> {
    let plans = seeds("plan")?;
    let (results, finished) = finished_store(&plans[0])?;
    let bytes = |path: &Path| fs::read(path).map(|bytes| vec![bytes]);
    let table = |name, path: PathBuf, board, methods: &'static [&'static str]| {
        Ok(Target::new(name, bytes(&path)?, move |input| tables(input, &path, board, methods)))
    };
    let saved = |name, method: &'static str| {
        Ok(Target::new(name, vec![stopped_search(method)?], move |input| checkpoint(input, method)))
    };
    let (part, files) = searched_part()?;
    let targets: [Result<Target>; 9] = [
        table("pdb", database("pdb", DATABASES)?, EIGHT, &[DATABASES]),
        table("zpdb", database("zpdb", ZERO_AWARE)?, EIGHT, &[ZERO_AWARE]),
        table("automaton", automaton()?, SIX, &[PRUNED]),
        table("space", whole_space()?, SIX, &["table", "auto"]),
        saved("checkpoint", "ida:manhattan"),
        saved("frontier", FRONTIER),
        Ok(Target::new("part", files, move |input| searched(input, &part))),
        Ok(Target::new("store", vec![results], move |input| store(input, &finished))),
        Ok(Target::new("plan", plans, plan)),
    ];
    targets.into_iter().map(|target| target.map(Target::slow)).collect()
}

/// Removes the files.
pub(super) fn clean() {
    let _ = fs::remove_dir_all(folder());
}

/// This process's folder, in memory if the system has one there.
fn folder() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let folder = base.join(format!("taquin-fuzz-{}", std::process::id()));
        // If it cannot be made, the first write fails.
        let _ = fs::create_dir_all(&folder);
        folder
    });
    &FOLDER
}

fn task(board: &str, method: &str) -> Result<Task> {
    let start: Board = board.parse()?;
    Ok(Task { method: method.parse()?, ..start.into() })
}

/// The only file in a folder below this process's folder whose name contains `part`.
fn file(below: &str, part: &str) -> Result<PathBuf> {
    let entries = fs::read_dir(folder().join(below))?;
    let mut paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let is_it = |path: &PathBuf| path.to_string_lossy().contains(part);
    paths.find(is_it).with_context(|| format!("there is no file of {part}"))
}

/// A file for one of a method's databases.
fn database(below: &str, method: &str) -> Result<PathBuf> {
    let session = Session::with_folder(folder().join(below));
    session.prepare(&task(EIGHT.0, method)?, &Monitor::default(), &mut |_| ())?;
    file(below, "tiles-0.1.2")
}

/// The file of an automaton. Only large ones are stored, but every file is loaded.
fn automaton() -> Result<PathBuf> {
    let task = task(SIX.0, PRUNED)?;
    let shape = AutomatonShape::new(task.puzzle.size(), MoveOrder::default(), task.method.prune);
    let shape = shape.context("there is no such automaton")?;
    let path = TableStore::new(folder().join("automaton")).automaton_path(shape);
    Automaton::new(shape).save(&path)?;
    Ok(path)
}

fn whole_space() -> Result<PathBuf> {
    let session = Session::with_folder(folder().join("space"));
    let goal = task(SIX.0, "table")?.puzzle.goal().clone();
    let memory = space::table_extent(&goal, Metric::Single).bytes;
    let files = SpaceFiles::Table;
    let job = SpaceJob { files, memory: Some(memory), ..SpaceJob::new(&goal) };
    session.run(&job, Watch::default())?;
    file("space", "single")
}

/// Solves a board with a table file of these bytes, and with their checksums made valid.
fn tables(
    input: &[u8],
    path: &Path,
    (board, length): (&str, u32),
    methods: &[&str],
) -> Result<bool, String> {
    let failed = |error: anyhow::Error| error.to_string();
    let mut is_accepted = false;
    let constructed = task(board, "layers").map_err(failed)?;
    let constructed = SESSION.run(&constructed, Watch::default()).cost.ok_or("no solution")?;
    for (bytes, is_forged) in [(input.to_vec(), false), (with_checksums(input), true)] {
        for method in methods {
            fs::write(path, &bytes).map_err(|error| error.to_string())?;
            let warnings = Arc::new(AtomicU64::new(0));
            let counted = Arc::clone(&warnings);
            let session =
                Session::with_folder(path.with_file_name("")).with_warnings(move |warning| {
                    counted.fetch_add(u64::from(short(&warning.to_string()).is_ok()), Relaxed);
                });
            let mut task = task(board, method).map_err(failed)?;
            task.limits.generated = Some(200_000);
            let report = session.run(&task, Watch::default());
            let is_used = warnings.load(Relaxed) == 0;
            is_accepted |= is_used;
            // A forged table may stop a search, but its claims must fit each other, the parity of
            // the board and a solution that is constructed without tables.
            let stops = [Reason::Contradiction, Reason::Generated];
            let is_optimal = report.optimal && report.lower_bound == report.cost;
            let most = report.cost.map_or(constructed, |cost| cost.min(constructed));
            let is_possible = report.lower_bound <= Some(most)
                && report.contradiction().is_none()
                && (!report.optimal || report.cost.is_some_and(|cost| cost % 2 == length % 2));
            match report.cost {
                Some(cost) if cost == length && is_optimal => {}
                _ if !is_possible => {
                    return Err(format!(
                        "{method} claims {:?}, {:?}",
                        report.lower_bound, report.cost
                    ));
                }
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

/// Makes the checksums valid in a table file with one block.
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

/// A search with a frontier, whose databases are built in a moment.
const FRONTIER: &str = "aida:pdb=1.4/2.3/8.9,tt=0";

/// The checkpoint of a search that a limit ended.
fn stopped_search(method: &str) -> Result<Vec<u8>> {
    let path = folder().join("checkpoint.json");
    let _ = fs::remove_file(&path);
    let mut task = task(FIFTEEN, method)?;
    task.limits.generated = Some(300_000);
    task.limits.memory = Some(16 << 20);
    let every = Duration::from_secs(60);
    let job = SavedSearch { task: &task, from: None, path: &path, every };
    SESSION.run(job, Watch::default())?;
    Ok(fs::read(&path)?)
}

/// A session that keeps the databases of checkpoints.
static SESSION: LazyLock<Session> = LazyLock::new(Session::without_folder);

fn checkpoint(input: &[u8], method: &str) -> Result<bool, String> {
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
        task.limits.memory = Some(32 << 20);
        task.limits.seconds = Some(0.5);
        // Databases of any size could be requested.
        let has_others = task.method.to_string() != method;
        if has_others && task.method.estimate.iter().any(|one| !one.databases().is_empty()) {
            continue;
        }
        let every = Duration::from_secs(60);
        let job = SavedSearch { task: &task, from: Some(&read), path: &path, every };
        match SESSION.run(job, Watch::default()) {
            Ok(report) if !is_forged && report.lower_bound > Some(46) => {
                return Err(format!("claims at least {:?}", report.lower_bound));
            }
            Ok(_) => {}
            Err(error) => short(&error.to_string())?,
        }
    }
    Ok(is_accepted)
}

/// How the parts of a folder are searched.
const PARTS: PartOptions = PartOptions { threads: 1, interval: Duration::from_secs(60) };

/// The file of a finished part in a search's folder, and files in that folder as seeds.
fn searched_part() -> Result<(PathBuf, Vec<Vec<u8>>)> {
    let path = folder().join("parts");
    let task = task(FIFTEEN, "ida:manhattan")?;
    let options = SplitOptions { tasks: 3, small: 1_000, threads: 1 };
    SESSION.run(SplitTask { task: &task, options, path: &path }, Watch::default())?;
    let search = TaskFolder::open(&path)?;
    SESSION.run(SearchPart { folder: &search, part: 1, options: PARTS }, Watch::default())?;
    let round = fs::read_dir(&path)?.flatten().find(|entry| entry.path().is_dir());
    let round = round.context("the folder has no parts")?.path();
    let part = round.join("part-1.json");
    let seeds = [fs::read(&part)?, fs::read(round.with_extension("json"))?];
    Ok((part, seeds.to_vec()))
}

/// Continues a search by parts after giving one part these bytes and a valid checksum.
fn searched(input: &[u8], part: &Path) -> Result<bool, String> {
    let failed = |error: FolderError| error.to_string();
    let path = part.parent().and_then(Path::parent).ok_or("it is in no folder")?;
    let mut is_accepted = false;
    for bytes in [input.to_vec(), with_checksum(input)] {
        fs::write(part, &bytes).map_err(|error| error.to_string())?;
        let search = TaskFolder::open(path).map_err(failed)?;
        let status = search.status().map_err(failed)?;
        for fault in &status.faults {
            short(fault)?;
        }
        is_accepted |= status.faults.is_empty();
        // Another part has no result, so nothing is known yet.
        match SESSION.run(MergeParts(&search), Watch::default()).map_err(failed)? {
            MergeOutcome::Missing { missing, .. } if missing == status.missing => {}
            outcome => return Err(format!("{outcome:?} after {status:?}")),
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

/// A store with a plan's results, and the lines of these results.
fn finished_store(plan: &[u8]) -> Result<(Vec<u8>, BTreeSet<String>)> {
    let path = folder().join("store.sqlite");
    let plan = Plan::read(std::str::from_utf8(plan)?, folder(), &Session::without_folder())
        .map_err(|faults| anyhow!("{faults:?}"))?;
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
    let known = String::from_utf8(lines)?.lines().map(str::to_owned).collect();
    drop(store);
    Ok((fs::read(&path)?, known))
}

fn store(input: &[u8], known: &BTreeSet<String>) -> Result<bool, String> {
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
    match exported.lines().find(|line| !known.contains(*line)) {
        Some(line) if !exported.is_empty() => Err(format!("{line} has not been computed")),
        _ => Ok(is_accepted),
    }
}

fn plan(input: &[u8]) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(false) };
    // Boards at a depth, large boards and many boards take long for a good reason.
    let numbers = text.split(|letter: char| !letter.is_ascii_digit());
    let is_large = |digits: &str| digits.parse().map_or(!digits.is_empty(), |n: u64| n > 12);
    if text.contains("depth") || numbers.into_iter().any(is_large) {
        return Ok(false);
    }
    match Plan::read(text, folder(), &Session::without_folder()) {
        Ok(plan) => {
            let again = Plan::read(&plan.text, folder(), &Session::without_folder())
                .map_err(|faults| format!("{faults:?}"))?;
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
