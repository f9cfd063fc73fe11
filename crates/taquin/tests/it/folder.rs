//! One search by many processes: the parts in any order, repeated, interrupted and damaged.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use taquin::{
    Board, FolderError, MergeOutcome, MergeParts, Monitor, NamedGoal, PartOptions, PartOutcome,
    Puzzle, Random, Report, SearchPart, Session, SplitOptions, SplitTask, Task, TaskFolder, Watch,
};

/// A 15-puzzle of 45 moves.
const MODERATE: &str = "5 12 10 7/15 11 14 0/8 2 1 13/3 4 9 6";

/// A search below a frontier that takes many nodes.
const WEAK_AIDA: &str = "aida:pdb=1.2.3.4/5.6.7.8/9.10.11.12,tt=0";

fn task(start: &str, method: &str) -> Task {
    let start: Board = start.parse().unwrap();
    let goal = NamedGoal::First.board(start.size(), 1);
    Task::new(Puzzle::new(start, goal).unwrap(), method.parse().unwrap())
}

/// An unused name for a folder.
fn place(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("folder-{name}"));
    let _ = fs::remove_dir_all(&path);
    path
}

const OPTIONS: PartOptions = PartOptions { threads: 1, interval: Duration::from_secs(30) };

fn split(session: &Session, task: &Task, path: &Path, tasks: usize, small: u64) -> MergeOutcome {
    let options = SplitOptions { tasks, small, threads: 1 };
    session.run(SplitTask { task, options, path }, Watch::default()).unwrap()
}

fn run(session: &Session, folder: &TaskFolder, part: usize) -> PartOutcome {
    session.run(SearchPart { folder, part, options: OPTIONS }, Watch::default()).unwrap()
}

/// Adds up the results, and returns the messages about invalid files.
fn merge(session: &Session, folder: &TaskFolder) -> (MergeOutcome, Vec<String>) {
    let faults = Mutex::new(Vec::new());
    let warn = |fault: &str| faults.lock().unwrap().push(fault.to_owned());
    let merged = session.run(MergeParts(folder), Watch::default().with_warnings(&warn)).unwrap();
    (merged, faults.into_inner().unwrap())
}

/// Searches all parts of all thresholds in order.
fn answer(session: &Session, path: &Path, mut merged: MergeOutcome) -> Box<Report> {
    loop {
        let parts = match merged {
            MergeOutcome::Answer(report) => return report,
            MergeOutcome::Next { parts, .. } => parts,
            MergeOutcome::Missing { .. } => panic!("all parts were searched"),
        };
        let folder = TaskFolder::open(path).unwrap();
        for part in 0..parts {
            run(session, &folder, part);
        }
        merged = merge(session, &folder).0;
    }
}

/// The results that a search in parts shares with a search in a single process.
fn facts(report: &Report) -> (bool, Option<u32>, [u64; 2]) {
    let before = report.before_last_bound.unwrap();
    (report.optimal, report.cost, [before.expanded, before.generated])
}

#[test]
fn counts_are_those_of_one_process_whatever_happens_to_the_parts() {
    let session = Session::without_folder();
    for (method, tasks) in [
        ("ida:manhattan", 64),
        ("ida:manhattan,prune=8", 5),
        ("ida:pdb=5-5-5", 20),
        (WEAK_AIDA, 40),
        ("aida:zpdb=5-5-5,tt=0,prune=8", 7),
    ] {
        let task = task(MODERATE, method);
        let expected = session.run(&task, Watch::default());
        let path = place("any-order");
        let mut merged = split(&session, &task, &path, tasks, 1000);
        let folder = TaskFolder::open(&path).unwrap();
        let mut random = Random::new(7);
        let mut rounds = 0;
        let report = loop {
            let (threshold, parts) = match merged {
                MergeOutcome::Answer(report) => break report,
                MergeOutcome::Next { threshold, parts, .. } => (threshold, parts),
                MergeOutcome::Missing { .. } => panic!("all parts were searched"),
            };
            rounds += 1;
            let result = |part| path.join(format!("round-{threshold:03}/part-{part}.json"));
            let mut order: Vec<usize> = (0..parts).collect();
            random.shuffle(&mut order);
            for &part in &order {
                assert_ne!(run(&session, &folder, part), PartOutcome::AlreadyDone);
                let end = run(&session, &folder, part);
                assert!(matches!(end, PartOutcome::AlreadyDone | PartOutcome::Solved), "{end:?}");
                // A process that does not see the result writes the same again.
                if end == PartOutcome::AlreadyDone && random.below(4) == 0 {
                    fs::remove_file(result(part)).unwrap();
                    let end = run(&session, &folder, part);
                    assert!(matches!(end, PartOutcome::Done { .. }), "{end:?}");
                }
            }
            assert_eq!(
                run(&session, &folder, parts % folder.tasks()) == PartOutcome::AlreadyDone,
                !folder.is_solved().unwrap()
            );
            // Some results are lost, truncated, changed or belong to another part.
            if !folder.is_solved().unwrap() && parts > 4 {
                let sound = fs::read(result(order[0])).unwrap();
                fs::remove_file(result(order[1])).unwrap();
                fs::write(result(order[2]), &sound[..sound.len() / 2]).unwrap();
                fs::write(result(order[3]), &sound).unwrap();
                let text = String::from_utf8(sound).unwrap();
                fs::write(result(order[0]), text.replacen("\"expanded\":", "\"expanded\":1", 1))
                    .unwrap();
                let (merged, faults) = merge(&session, &folder);
                let mut lost = order[..4].to_vec();
                lost.sort_unstable();
                assert_eq!(
                    merged,
                    MergeOutcome::Missing { threshold, parts, missing: lost.clone() }
                );
                assert_eq!(faults.len(), 3, "{faults:?}");
                assert_eq!(folder.status().unwrap().missing, lost);
                for part in lost {
                    let end = run(&session, &folder, part);
                    assert!(matches!(end, PartOutcome::Done { .. }), "{end:?}");
                }
            }
            merged = merge(&session, &folder).0;
        };
        assert!(rounds > 1, "{rounds}");
        assert_eq!(facts(&report), facts(&expected), "{method}");
        assert!(report.contradiction().is_none());
        // The answer does not change.
        assert_eq!(merge(&session, &folder).0, MergeOutcome::Answer(report));
    }
}

#[test]
fn an_interrupted_part_continues_where_it_was() {
    interrupted_often("ida:manhattan", "plain", |_, _, _| ());
}

#[test]
fn an_interrupted_share_of_a_frontier_continues_where_it_was() {
    interrupted_often(WEAK_AIDA, "plain", |_, _, _| ());
}

/// The progress of a part is cut, emptied, replaced by older progress and by another file, and
/// changed.
#[test]
fn progress_that_is_damaged_between_two_runs_does_no_harm() {
    for method in ["ida:manhattan", WEAK_AIDA] {
        let mut older = Vec::new();
        interrupted_often(method, "damaged", |moment, saved, other| {
            let sound = fs::read(saved).unwrap();
            older.push(sound.clone());
            let changed = match moment % 5 {
                0 => sound[..sound.len() / 2].to_vec(),
                1 => Vec::new(),
                2 => older[0].clone(),
                3 => String::from_utf8(sound).unwrap().replacen("\"done\":", "\"dome\":", 1).into(),
                _ => fs::read(other).unwrap(),
            };
            if moment < 10 {
                fs::write(saved, changed).unwrap();
            }
        });
    }
}

/// Interrupts a search in one part whenever its progress has been saved, and calls `damage` with
/// the number of the interruption, the progress and another file.
fn interrupted_often(method: &str, name: &str, mut damage: impl FnMut(u32, &Path, &Path)) {
    let session = Session::without_folder();
    let task = task("14 7 8 2/13 11 10 4/9 12 5 0/3 6 1 15", method);
    let expected = session.run(&task, Watch::default());
    let path = place(&format!("{name}-{}", task.method.algorithm));
    let mut merged = split(&session, &task, &path, 1, 1 << 24);
    let folder = TaskFolder::open(&path).unwrap();
    let mut interruptions = 0;
    let report = loop {
        let threshold = match merged {
            MergeOutcome::Answer(report) => break report,
            MergeOutcome::Next { threshold, .. } => threshold,
            MergeOutcome::Missing { .. } => panic!("all parts were searched"),
        };
        let saved = path.join(format!("round-{threshold:03}/part-0.saved"));
        for threads in [1, 2, 3].into_iter().cycle() {
            let (monitor, is_over) = (Arc::new(Monitor::default()), AtomicBool::new(false));
            let before = fs::read(&saved).ok();
            let end = std::thread::scope(|scope| {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        if fs::read(&saved).is_ok_and(|now| Some(&now) != before.as_ref()) {
                            monitor.cancel();
                        }
                        std::thread::sleep(Duration::from_millis(20));
                    }
                });
                // The progress is saved often.
                let options = PartOptions { threads, interval: Duration::from_millis(20) };
                let warn = |fault: &str| assert_ne!(name, "plain", "{fault}");
                let job = SearchPart { folder: &folder, part: 0, options };
                let end = session.run(job, Watch::by(&monitor).with_warnings(&warn));
                is_over.store(true, Ordering::Relaxed);
                end.unwrap()
            });
            match end {
                PartOutcome::Interrupted { .. } => {
                    let status = folder.status().unwrap();
                    assert_eq!(status.interrupted, 1, "{status:?}");
                    damage(interruptions, &saved, &path.join("task.json"));
                    interruptions += 1;
                }
                _ => break,
            }
        }
        merged = merge(&session, &folder).0;
    };
    assert!(interruptions > 0);
    assert_eq!(facts(&report), facts(&expected));
}

#[test]
fn every_changed_byte_of_a_file_is_found() {
    let session = Session::without_folder();
    let path = place("bytes");
    let merged = split(&session, &task(MODERATE, "ida:manhattan"), &path, 2, 1000);
    let MergeOutcome::Next { threshold, .. } = merged else { panic!("{merged:?}") };
    let folder = TaskFolder::open(&path).unwrap();
    assert!(matches!(run(&session, &folder, 0), PartOutcome::Done { .. }));
    assert!(matches!(run(&session, &folder, 1), PartOutcome::Done { .. }));
    let result = path.join(format!("round-{threshold:03}/part-0.json"));
    let round = path.join(format!("round-{threshold:03}.json"));
    let is_refused =
        |file: &Path| match (file == result, session.run(MergeParts(&folder), Watch::default())) {
            (true, Ok(MergeOutcome::Missing { missing, .. })) => missing == [0],
            (
                false,
                Err(
                    FolderError::Foreign { .. }
                    | FolderError::Damaged { .. }
                    | FolderError::Version { .. },
                ),
            ) => true,
            _ => false,
        };
    for file in [&result, &round] {
        let sound = fs::read(file).unwrap();
        for at in 0..sound.len() {
            let mut changed = sound.clone();
            changed[at] ^= 1 << (at % 8);
            fs::write(file, &changed).unwrap();
            assert!(is_refused(file), "{} {at}", file.display());
        }
        fs::write(file, &sound[..sound.len() - 1]).unwrap();
        assert!(is_refused(file));
        fs::write(file, &sound).unwrap();
    }
    // A round that was lost is made again from the results of the one before.
    let MergeOutcome::Next { threshold, .. } = merge(&session, &folder).0 else {
        panic!("not solved")
    };
    let next = path.join(format!("round-{threshold:03}.json"));
    let written = fs::read(&next).unwrap();
    fs::remove_file(&next).unwrap();
    merge(&session, &folder);
    assert_eq!(fs::read(&next).unwrap(), written);
}

#[test]
fn small_searches_and_refusals_need_no_parts() {
    let session = Session::without_folder();
    let easy = task("1 2 0/3 4 5/6 7 8", "ida:manhattan");
    let MergeOutcome::Answer(report) = split(&session, &easy, &place("easy"), 10, 1000) else {
        panic!("it is solved at once")
    };
    assert_eq!(facts(&report), facts(&session.run(&easy, Watch::default())));
    // The start is the goal, and there are more parts than nodes.
    let starts = ["0 1 2/3 4 5/6 7 8", "1 2 0/3 4 5/6 7 8", "8 6 7/2 5 4/3 0 1"];
    let methods = ["ida:manhattan", "aida:pdb=1.2/3.4,tt=0"];
    for (start, method) in starts.iter().flat_map(|start| methods.map(|method| (start, method))) {
        let path = place("tiny");
        let task = task(start, method);
        let report = answer(&session, &path, split(&session, &task, &path, 1000, 0));
        assert_eq!(facts(&report), facts(&session.run(&task, Watch::default())), "{start}");
    }
    let path = place("refused");
    let unsolvable = task("0 2 1/3 4 5/6 7 8", "ida:manhattan");
    assert!(matches!(split(&session, &unsolvable, &path, 10, 0), MergeOutcome::Answer(_)));
    assert!(!path.exists());
    let options = SplitOptions { tasks: 10, small: 0, threads: 1 };
    for method in ["bfs", "auto", "aida:pdb=1.2.3/4.5.6/7.8.9/10.11.12", "ida:linear"] {
        let task = task(MODERATE, method);
        let job = SplitTask { task: &task, options, path: &path };
        let refused = session.run(job, Watch::default());
        assert!(matches!(refused, Err(FolderError::Method { .. })), "{method}: {refused:?}");
        assert!(!path.exists());
    }
    let task = task(MODERATE, "ida:manhattan");
    split(&session, &task, &path, 10, 0);
    let again = session.run(SplitTask { task: &task, options, path: &path }, Watch::default());
    assert!(matches!(again, Err(FolderError::Occupied { .. })), "{again:?}");
}

#[test]
fn shares_with_tables_of_their_own_find_a_shortest_solution() {
    let session = Session::without_folder();
    let mut random = Random::new(11);
    for _ in 0..6 {
        let goal = NamedGoal::First.board(taquin::Size::new(4, 4).unwrap(), 1);
        let start = taquin::scramble::walk(&goal, 70, &mut random).to_string();
        let expected = session.run(&task(&start, "ida:pdb=5-5-5"), Watch::default());
        let task = task(&start, "aida:pdb=1.2.3.4/5.6.7.8/9.10.11.12");
        let path = place("tables");
        let report = answer(&session, &path, split(&session, &task, &path, 12, 1000));
        assert_eq!((report.optimal, report.cost), (true, expected.cost), "{start}");
        assert!(report.notes.iter().any(|note| note.contains("tt=0")), "{:?}", report.notes);
    }
}

#[test]
#[ignore = "builds the tables of the 24-puzzle: half a minute and 0.5 GiB"]
fn an_instance_of_korf_and_felner_over_64_parts_takes_the_nodes_of_one_process() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../lab/data/korf24_50.txt");
    let text = fs::read_to_string(data).unwrap();
    let line = text.lines().find(|line| line.trim_start().starts_with("38 ")).unwrap();
    let size = taquin::Size::new(5, 5).unwrap();
    let start = taquin::read_board(line.split_once('|').unwrap().1, Some(size)).unwrap();
    let session = Session::without_folder();
    for method in ["ida:pdb=6-6-6-6", "aida:pdb=6-6-6-6,tt=0"] {
        let task = task(&start.to_string(), method);
        let expected = session.run(&task, Watch::default());
        let path = place("korf38");
        let mut merged = split(&session, &task, &path, 64, 1000);
        let folder = TaskFolder::open(&path).unwrap();
        let mut random = Random::new(38);
        let report = loop {
            match merged {
                MergeOutcome::Answer(report) => break report,
                MergeOutcome::Next { parts, threshold, .. } => {
                    let mut order: Vec<usize> = (0..parts).chain(0..parts).collect();
                    random.shuffle(&mut order);
                    for part in order {
                        run(&session, &folder, part);
                    }
                    let status = folder.status().unwrap();
                    println!(
                        "threshold {threshold}: {} nodes in {:.1} s",
                        status.nodes, status.seconds
                    );
                }
                MergeOutcome::Missing { .. } => panic!("all parts were searched"),
            }
            merged = merge(&session, &folder).0;
        };
        assert_eq!(facts(&report), facts(&expected));
    }
}
