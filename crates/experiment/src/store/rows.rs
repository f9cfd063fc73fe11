//! A run and its result as a row of the store.

use std::sync::{Arc, LazyLock};

use rusqlite::types::{Type, Value as Sql};
use rusqlite::{Connection, Row, Statement, named_params, params_from_iter};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use taquin::{
    Counts, Ending, Notation, Puzzle, Reason, Report, Stage, Task, TaskLimits, read_moves,
};
use taquin_lab::{Course, Figures};

use crate::ExperimentRun;

/// A run that this process has claimed.
pub(crate) struct Claim {
    pub(crate) key: String,
    pub(crate) run: ExperimentRun,
}

/// A result to write.
pub(crate) struct FinishedRun {
    pub(crate) key: String,
    pub(crate) memory_limit: Option<u64>,
    /// The report, or the message of a panic.
    pub(crate) result: Result<Report, String>,
    pub(crate) figures: Option<Figures>,
    pub(crate) cpu_seconds: Option<f64>,
    pub(crate) processor: String,
}

/// A row of the store.
pub(crate) struct Record {
    pub(crate) run: ExperimentRun,
    pub(crate) result: Option<RunResult>,
}

/// The result of a run.
pub(crate) struct RunResult {
    /// None if the search panicked.
    pub(crate) report: Option<Report>,
    pub(crate) version: String,
    pub(crate) processor: String,
    pub(crate) finished: String,
}

/// The columns of a planned run.
pub(super) const PLANNED: &str = "instance, source, rows, cols, start, goal, known_cost, name, \
     method, method_full, course, costs, jumps, threads, repeat, seed, limit_seconds, limit_memory, \
     limit_expanded, key, place, due";

const LIMITS: &str = "limit_seconds, limit_memory, limit_expanded";

const ANSWER: &str = "outcome, reason, cost, depth, lower_bound, optimal, moves";

/// The counts. Each appears a second time with `before_`, as it was before the last bound.
const COUNTS: &str = "expanded, generated, duplicates, reopened, dropped_cheaper, frontier_peak, \
     depth_peak, stored_peak, memory_peak";

const OTHERS: &str = "seconds, cpu_seconds, figures, notes, version, processor, finished, stages, \
     hints, improvements";

/// Splits a list of columns.
pub(super) fn each(columns: &str) -> impl Iterator<Item = &str> {
    columns.split(", ")
}

/// The columns of a result.
pub(super) fn result_columns() -> Vec<String> {
    let before = each(COUNTS).map(|count| format!("before_{count}"));
    let first = each(ANSWER).chain(each(COUNTS)).map(str::to_owned);
    first.chain(before).chain(each(OTHERS).map(str::to_owned)).collect()
}

/// The checksum over the plan's columns that do not change, as SQL.
pub(super) fn plan_seal() -> String {
    let changes = |column: &str| {
        ["place", "due"].contains(&column) || each(LIMITS).any(|limit| limit == column)
    };
    let columns: Vec<&str> = each(PLANNED).filter(|column| !changes(column)).collect();
    format!("seal({})", columns.join(", "))
}

/// The checksum of a result and the limits under which it was found, as SQL.
pub(super) fn result_seal() -> String {
    format!("seal(key, {LIMITS}, {})", result_columns().join(", "))
}

/// The exported columns: those from the plan, and those from the result.
pub(crate) fn exported_columns() -> Vec<String> {
    let planned = each(PLANNED).filter(|column| !["place", "due"].contains(column));
    planned.map(str::to_owned).chain(result_columns()).collect()
}

/// Writes a planned run.
pub(super) fn insert_planned(
    insert: &mut Statement<'_>,
    place: i64,
    run: &ExperimentRun,
) -> rusqlite::Result<usize> {
    let Task { puzzle, method, limits, cost, threads, jumps, .. } = &run.task;
    insert.execute(named_params! {
        ":instance": run.label, ":source": run.source,
        ":rows": puzzle.size().rows() as i64, ":cols": puzzle.size().cols() as i64,
        ":start": puzzle.start().to_string(), ":goal": puzzle.goal().to_string(),
        ":known_cost": run.known, ":name": run.name,
        ":method": run.own.clone().unwrap_or_else(|| method.to_string()),
        ":method_full": method.in_full(), ":course": run.course.as_ref().map(|course| &course.name),
        ":costs": cost.to_string(), ":jumps": jumps, ":threads": *threads as i64,
        ":repeat": run.repeat, ":seed": method.seed().map(|seed| seed.to_string()),
        ":limit_seconds": limits.seconds, ":limit_memory": limits.memory.map(|n| n as i64),
        ":limit_expanded": limits.expanded.map(|n| n as i64), ":key": run.key(),
        ":place": place, ":due": 1,
    })
}

/// The columns to read a run or a record from: all, and whether the row is as it was written.
pub(super) static COLUMNS: LazyLock<String> = LazyLock::new(|| {
    let (plan, result) = (plan_seal(), result_seal());
    format!("*, plan_seal IS {plan} AND (outcome IS NULL OR seal IS {result}) AS is_sound")
});

/// Reads a planned run; its course is one of `courses`, or built in.
pub(super) fn read_run(row: &Row<'_>, courses: &[Arc<Course>]) -> rusqlite::Result<ExperimentRun> {
    if !row.get::<_, bool>("is_sound")? {
        return Err(unreadable(row, "key", "a run is not as it was written".to_owned()));
    }
    let puzzle = Puzzle::new(parsed(row, "start")?, parsed(row, "goal")?)
        .map_err(|error| unreadable(row, "start", error.to_string()))?;
    let course = |name: String| {
        let own = courses.iter().find(|course| course.name == name).cloned();
        own.or_else(|| Course::find(&name).ok())
    };
    Ok(ExperimentRun {
        label: row.get("instance")?,
        source: row.get("source")?,
        known: row.get("known_cost")?,
        name: row.get("name")?,
        course: row.get::<_, Option<String>>("course")?.and_then(course),
        repeat: row.get("repeat")?,
        own: Some(row.get("method")?).filter(|method: &String| method.contains("()")),
        task: Task {
            limits: TaskLimits {
                expanded: count(row, "limit_expanded")?,
                memory: count(row, "limit_memory")?,
                seconds: row.get("limit_seconds")?,
                ..TaskLimits::default()
            },
            cost: parsed(row, "costs")?,
            threads: count(row, "threads")?.unwrap_or(1) as usize,
            jumps: row.get("jumps")?,
            ..Task::new(puzzle, parsed(row, "method_full")?)
        },
    })
}

impl Record {
    pub(super) fn read(row: &Row<'_>, courses: &[Arc<Course>]) -> rusqlite::Result<Self> {
        let run = read_run(row, courses)?;
        let outcome: Option<String> = row.get("outcome")?;
        let result = match outcome.as_deref() {
            None => None,
            Some(outcome) => Some(RunResult {
                report: match outcome {
                    "failed" => None,
                    _ => Some(read_report(row, &run.task)?),
                },
                version: row.get("version")?,
                processor: row.get("processor")?,
                finished: row.get("finished")?,
            }),
        };
        Ok(Self { run, result })
    }
}

fn read_report(row: &Row<'_>, task: &Task) -> rusqlite::Result<Report> {
    let moves = |text: String| {
        read_moves(&text, Some(Notation::Blank), task.puzzle.start())
            .map_err(|error| unreadable(row, "moves", error.to_string()))
    };
    let notes: Option<String> = row.get("notes")?;
    let outcome =
        word(row, "outcome")?.ok_or_else(|| unreadable(row, "outcome", "missing".to_owned()))?;
    let reason: Option<Reason> = word(row, "reason")?;
    let mut report = Report::unsearched(task, outcome, reason);
    report.cost = row.get("cost")?;
    report.depth = count(row, "depth")?;
    report.lower_bound = row.get("lower_bound")?;
    report.optimal = row.get("optimal")?;
    report.moves = row.get::<_, Option<String>>("moves")?.map(moves).transpose()?;
    report.counts = read_counts(row, "expanded")?.unwrap_or_default();
    report.before_last_bound = read_counts(row, "before_expanded")?;
    report.seconds = row.get("seconds")?;
    report.notes =
        notes.map_or_else(Vec::new, |notes| notes.split('\n').map(str::to_owned).collect());
    report.hints = json(row, "hints")?.unwrap_or_default();
    report.improvements = json(row, "improvements")?.unwrap_or_default();
    report.stages = json(row, "stages")?.unwrap_or_else(|| usual_stages(&report));
    match report.contradiction() {
        None => Ok(report),
        Some(fact) => Err(unreadable(row, "outcome", fact)),
    }
}

/// Returns the stages to write: none for a method that runs one search, and none if nothing was
/// searched.
fn usual_stages(report: &Report) -> Vec<Stage> {
    let Report { counts, seconds, outcome, .. } = *report;
    if outcome == Ending::Unsolvable || report.method.algorithm.divides_limits() {
        return Vec::new();
    }
    vec![Stage::new(report.method.clone(), counts, seconds, outcome)]
}

/// Reads counts from columns that start at `first`.
fn read_counts(row: &Row<'_>, first: &str) -> rusqlite::Result<Option<Counts>> {
    let at = row.as_ref().column_index(first)?;
    if row.get::<_, Option<i64>>(at)?.is_none() {
        return Ok(None);
    }
    let mut counts = serde_json::Map::new();
    for (offset, name) in each(COUNTS).enumerate() {
        counts.insert(name.to_owned(), row.get::<_, i64>(at + offset)?.into());
    }
    let counts = serde_json::from_value(Value::Object(counts));
    counts.map(Some).map_err(|error| unreadable(row, first, error.to_string()))
}

fn count(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<u64>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(|count| count as u64))
}

/// Reads a text that stands for something else.
fn parsed<T: std::str::FromStr<Err: ToString>>(row: &Row<'_>, column: &str) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    text.parse().map_err(|error: T::Err| unreadable(row, column, error.to_string()))
}

/// Reads a value that JSON has as a word.
fn word<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<T>> {
    let word: Option<String> = row.get(column)?;
    let value = word.map(|word| serde_json::from_value(Value::String(word))).transpose();
    value.map_err(|error| unreadable(row, column, error.to_string()))
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<T>> {
    let text: Option<String> = row.get(column)?;
    let value = text.map(|text| serde_json::from_str(&text)).transpose();
    value.map_err(|error| unreadable(row, column, error.to_string()))
}

/// A value that taquin has not written.
fn unreadable(row: &Row<'_>, column: &str, reason: String) -> rusqlite::Error {
    let index = row.as_ref().column_index(column).unwrap_or(0);
    rusqlite::Error::FromSqlConversionFailure(index, Type::Text, reason.into())
}

/// Writes a result, unless another process has claimed the run since.
pub(super) fn write_result(
    connection: &Connection,
    finished: &FinishedRun,
    worker: i64,
) -> rusqlite::Result<()> {
    static UPDATE: LazyLock<String> = LazyLock::new(|| {
        let set = |column: &String| match column.as_str() {
            "finished" => "finished = strftime('%Y-%m-%dT%H:%M:%SZ')".to_owned(),
            column => format!("{column} = ?"),
        };
        let sets = result_columns().iter().map(set).collect::<Vec<_>>().join(", ");
        format!(
            "UPDATE runs SET due = 0, worker = NULL, {sets}, limit_memory = ? \
             WHERE key = ? AND worker = ?"
        )
    });
    let mut values = result_values(finished);
    values.push(number(finished.memory_limit));
    values.push(finished.key.clone().into());
    values.push(worker.into());
    if connection.prepare_cached(&UPDATE)?.execute(params_from_iter(values))? == 1 {
        static SEAL: LazyLock<String> =
            LazyLock::new(|| format!("UPDATE runs SET seal = {} WHERE key = ?", result_seal()));
        connection.prepare_cached(&SEAL)?.execute([&finished.key])?;
    }
    Ok(())
}

/// The values of a result, in the order of its columns without `finished`.
fn result_values(finished: &FinishedRun) -> Vec<Sql> {
    let report = finished.result.as_ref().ok();
    let notes = match &finished.result {
        Ok(report) => report.notes.join("\n"),
        Err(message) => message.clone(),
    };
    let stages = report.filter(|report| report.stages != usual_stages(report));
    let mut values: Vec<Sql> = vec![
        report.map_or_else(|| "failed".to_owned(), |report| written(&report.outcome)).into(),
        report.and_then(|report| report.reason).map(|reason| written(&reason)).into(),
        number(report.and_then(|report| report.cost.map(u64::from))),
        number(report.and_then(|report| report.depth)),
        number(report.and_then(|report| report.lower_bound.map(u64::from))),
        report.is_some_and(|report| report.optimal).into(),
        report.and_then(|report| report.write_moves(Notation::Blank)).into(),
    ];
    values.extend(count_values(report.map(|report| report.counts)));
    values.extend(count_values(report.and_then(|report| report.before_last_bound)));
    values.extend::<[Sql; 9]>([
        report.map(|report| report.seconds).into(),
        finished.cpu_seconds.into(),
        finished.figures.as_ref().map(written).into(),
        Some(notes).filter(|notes| !notes.is_empty()).into(),
        env!("CARGO_PKG_VERSION").to_owned().into(),
        finished.processor.clone().into(),
        stages.map(|report| written(&report.stages)).into(),
        report.and_then(|report| list(&report.hints)).into(),
        report.and_then(|report| list(&report.improvements)).into(),
    ]);
    values
}

fn count_values(counts: Option<Counts>) -> impl Iterator<Item = Sql> {
    let counts = serde_json::to_value(counts).unwrap_or_default();
    each(COUNTS).map(move |name| number(counts[name].as_u64()))
}

/// A number as SQLite has them; larger ones are its greatest.
fn number(number: Option<u64>) -> Sql {
    number.map(|number| i64::try_from(number).unwrap_or(i64::MAX)).into()
}

/// A value as JSON; a word without its quotation marks.
fn written(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        Ok(value) => value.to_string(),
        Err(_) => String::new(),
    }
}

fn list<T: Serialize>(list: &[T]) -> Option<String> {
    (!list.is_empty()).then(|| written(&list))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use taquin::{Monitor, Session, Watch};

    use crate::{Crew, ExperimentStore, Plan, Shard};

    #[test]
    fn a_store_keeps_everything_that_a_report_has() {
        let text = "instances = [\"board 867254301\", \"board 123456870\", \"board 2 1 0/0 3 4\"]
methods = [\"astar\", \"auto\", \"anytime,seed=7\", \"greedy\", \"ida\"]\n[limits]\nnodes = 50000\n";
        let name = format!("taquin-store-{}.sqlite", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut store = ExperimentStore::create(&path).unwrap();
        store
            .plan(&Plan::read(text, Path::new(""), &Session::without_folder()).unwrap(), false)
            .unwrap();
        let (session, monitor) = (Session::without_folder(), Arc::new(Monitor::default()));
        let crew = Crew { session, monitor, jobs: 1, shard: Shard::default(), memory: None };
        assert_eq!(crew.work(&mut store, &|_| ()).unwrap().left, 0);
        let mut count = 0;
        store
            .for_each(|record| {
                let report = record.result.unwrap().report.unwrap();
                // The same search again, but for its times.
                let mut expected = crew.session.run(&record.run.task, Watch::default());
                expected.seconds = report.seconds;
                for (stage, kept) in expected.stages.iter_mut().zip(&report.stages) {
                    stage.seconds = kept.seconds;
                }
                for (better, kept) in expected.improvements.iter_mut().zip(&report.improvements) {
                    better.seconds = kept.seconds;
                }
                assert_eq!(report, expected, "{}", record.run.name);
                count += 1;
            })
            .unwrap();
        assert_eq!(count, 15);
        drop(store);
        std::fs::remove_file(path).unwrap();
    }
}
