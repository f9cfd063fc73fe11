//! Stores: older and newer versions, files that cannot be written, and the kept parts of a run.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;
use taquin::{Monitor, Session};
use taquin_experiment::{
    Crew, ExperimentStore, ExperimentStoreError, ExportFormat, Plan, Shard, is_store,
};

/// A store of version 1 whose plan is half finished, and the plan.
const VERSION_1: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/store-v1.sqlite");
const PLAN_1: &str = include_str!("../data/store-v1.toml");

/// Copies the store of version 1.
fn version_1(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.sqlite"));
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{ending}", path.display()));
    }
    fs::copy(VERSION_1, &path).unwrap();
    path
}

fn plan(text: &str) -> Plan {
    Plan::read(text, Path::new(""), &Session::without_folder())
        .unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// Runs everything that is due, and returns the number of runs.
fn work(store: &mut ExperimentStore) -> u64 {
    let (session, monitor) = (Session::without_folder(), Arc::new(Monitor::default()));
    let crew = Crew { session, monitor, jobs: 1, shard: Shard::default(), memory: None };
    let done = crew.work(store, &|_| ()).unwrap();
    assert_eq!(done.left, 0);
    done.finished
}

fn exported(store: &ExperimentStore) -> Vec<serde_json::Value> {
    let mut out = Vec::new();
    store.export(ExportFormat::JsonLines, true, &mut out).unwrap();
    String::from_utf8(out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn version(path: &Path) -> i64 {
    let connection = Connection::open(path).unwrap();
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

#[test]
fn an_older_store_is_read_as_it_is() {
    let path = version_1("read");
    let before = fs::read(&path).unwrap();
    let store = ExperimentStore::open(&path).unwrap();
    let state = store.state().unwrap();
    assert_eq!(state.title, "A store of version 1");
    let finished: u64 = state.methods.iter().map(|method| method.finished).sum();
    assert_eq!((state.methods.len(), finished), (17, 9));
    let rows = exported(&store);
    assert_eq!(rows.len(), 9);
    assert!(rows.iter().all(|row| row["stages"].is_null() && row["cost"] == 2), "{rows:?}");
    assert!(store.report(None).unwrap().markdown().contains("| ucs | 1 | 1 | 100 % | 1 |"));
    drop(store);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn an_older_store_is_updated_when_it_is_written() {
    let path = version_1("written");
    let before = exported(&ExperimentStore::open(&path).unwrap());
    let mut store = ExperimentStore::create(&path).unwrap();
    // Every run has the key that version 1 gave it, so that none is run twice.
    assert_eq!(store.plan(&plan(PLAN_1), false).unwrap(), 0);
    assert_eq!(store.due(Shard::default()).unwrap().len(), 8);
    assert_eq!(work(&mut store), 8);
    drop(store);
    assert_eq!(version(&path), 3);
    let store = ExperimentStore::open(&path).unwrap();
    let after = exported(&store);
    assert_eq!(after.len(), 17);
    assert!(before.iter().all(|row| after.contains(row)));
    let auto = after.iter().find(|row| row["method"] == "auto").unwrap();
    assert!(!auto["stages"][0]["method"].is_null(), "{auto}");
}

#[test]
fn an_older_store_is_joined() {
    let path = version_1("joined");
    let bytes = fs::read(&path).unwrap();
    let mut store = ExperimentStore::in_memory().unwrap();
    let merged = store.merge(&path).unwrap();
    assert_eq!((merged.added, merged.known, merged.different), (9, 0, 0));
    assert_eq!(store.merge(&path).unwrap().known, 9);
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(exported(&store), exported(&ExperimentStore::open(&path).unwrap()));
}

#[test]
fn a_newer_store_is_refused() {
    let path = version_1("newer");
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 4).unwrap();
    for error in [ExperimentStore::open(&path), ExperimentStore::create(&path)].map(Result::err) {
        let error = error.unwrap();
        assert!(matches!(error, ExperimentStoreError::Newer { found: 4, .. }), "{error}");
        assert!(error.to_string().ends_with("version 4, but this taquin reads versions up to 3"));
    }
    assert_eq!(version(&path), 4);
}

#[test]
fn a_file_that_is_only_read_is_left_as_it_is() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty.sqlite");
    fs::write(&path, "").unwrap();
    assert!(ExperimentStore::open(&path).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"");
    assert!(ExperimentStore::create(&path).is_ok());
    assert!(ExperimentStore::open(&path).is_ok() && is_store(&path));
    assert_eq!(version(&path), 3);
}

#[test]
fn a_new_store_has_the_tables_of_an_updated_one() {
    let columns = |path: &Path| -> Vec<String> {
        let connection = Connection::open(path).unwrap();
        let mut query =
            connection.prepare("SELECT name || type FROM pragma_table_info('runs')").unwrap();
        query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let old = version_1("columns");
    drop(ExperimentStore::create(&old).unwrap());
    let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new.sqlite");
    let _ = fs::remove_file(&new);
    drop(ExperimentStore::create(&new).unwrap());
    assert_eq!(columns(&old), columns(&new));
}

/// SQLite finds a damaged page only where its structure is broken.
#[test]
fn a_changed_value_is_found_wherever_it_is() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("changed.sqlite");
    let _ = fs::remove_file(&path);
    let mut store = ExperimentStore::create(&path).unwrap();
    store
        .plan(&plan("instances = \"board 072461358\"\nmethods = [\"greedy\", \"ida\"]\n"), false)
        .unwrap();
    assert_eq!(work(&mut store), 2);
    drop(store);
    let sound = fs::read(&path).unwrap();
    for change in [
        // A bound that makes the greedy solution an optimum.
        "UPDATE runs SET lower_bound = cost, optimal = 1",
        "UPDATE runs SET lower_bound = 25, cost = NULL, moves = NULL, outcome = 'stopped'",
        "UPDATE runs SET known_cost = 12",
        "UPDATE runs SET seal = NULL",
        "UPDATE runs SET expanded = expanded + 1 WHERE name LIKE 'ida%'",
        "UPDATE runs SET method_full = 'bfs'",
        "UPDATE runs SET method = CAST(method AS BLOB)",
        "UPDATE runs SET (cost, lower_bound) = (SELECT max(cost), max(cost) FROM runs)",
    ] {
        fs::write(&path, &sound).unwrap();
        Connection::open(&path).unwrap().execute_batch(change).unwrap();
        let store = ExperimentStore::open(&path).unwrap();
        let mut sink = Vec::new();
        let answers = [
            store.report(None).err().map(|error| error.to_string()),
            store.state().err().map(|error| error.to_string()),
            store.export(ExportFormat::Csv, true, &mut sink).err().map(|error| error.to_string()),
            store.verify().err().map(|error| error.to_string()),
            ExperimentStore::in_memory().unwrap().merge(&path).err().map(|error| error.to_string()),
        ];
        for answer in answers {
            let answer = answer.unwrap_or_else(|| panic!("accepted: {change}"));
            assert!(answer.contains("the store is damaged"), "{change}: {answer}");
        }
    }
}
