//! Tables that are wrong although their checksums are right, or that change while they are in use.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use taquin::{
    Board, Ending, Hint, Metric, Partition, PatternKind, Reason, Report, Session, SpaceFiles,
    SpaceJob, TableFiles, TableStore, Task, Watch, space,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::Folder;

/// A 15-puzzle of 46 moves.
const FIFTEEN: &str = "7 1 0 2/4 8 15 3/5 11 9 13/6 14 12 10";

/// Changes the content of a table file of one block, and makes its checksums fit.
fn forge(path: &Path, change: impl FnOnce(&mut [u8])) {
    let mut bytes = fs::read(path).unwrap();
    let end = bytes.len() - 8;
    change(&mut bytes[4_096..end]);
    let sums = xxh3_64(&bytes[4_096..end]).to_ne_bytes();
    bytes[end..].copy_from_slice(&sums);
    bytes[4_080..4_088].copy_from_slice(&xxh3_64(&sums).to_ne_bytes());
    let header = xxh3_64(&bytes[..4_088]).to_ne_bytes();
    bytes[4_088..4_096].copy_from_slice(&header);
    fs::write(path, bytes).unwrap();
}

fn task(board: &str, method: &str) -> Task {
    Task { method: method.parse().unwrap(), ..board.parse::<Board>().unwrap().into() }
}

fn run(session: &Session, task: &Task) -> Report {
    session.run(task, Watch::default())
}

/// Checks that a report claims nothing.
fn assert_claims_nothing(report: &Report, word: &str) {
    assert_eq!((report.outcome, report.reason), (Ending::Stopped, Some(Reason::Contradiction)));
    assert_eq!((report.cost, report.depth, report.lower_bound), (None, None, None));
    assert!(!report.optimal && report.moves.is_none());
    assert_eq!(report.hints, [Hint::VerifyTables]);
    assert!(report.notes.len() == 1 && report.notes[0].contains(word), "{:?}", report.notes);
    let text = serde_json::to_string(report).unwrap();
    assert_eq!(&serde_json::from_str::<Report>(&text).unwrap(), report);
}

#[test]
fn a_wrong_database_with_right_checksums_makes_no_claim() {
    let folder = Folder::new("forged-pdb");
    let mut task = task(FIFTEEN, "ida:pdb=5-5-5");
    task.limits.generated = Some(2_000_000);
    let sound = Session::with_folder(&folder.0);
    assert_eq!((run(&sound, &task).depth, run(&sound, &task).optimal), (Some(46), true));
    let partition: Partition = "5-5-5".parse().unwrap();
    let patterns = partition.patterns(task.puzzle.goal()).unwrap();
    let store = TableStore::new(&folder.0);
    for pattern in &patterns {
        // Two moves too many, except for the goal, whose value is checked when a file is loaded.
        let home = pattern.rank(pattern.goal_cells()) / 2;
        forge(&store.path(pattern.shape(), PatternKind::Plain), |entries| {
            let goal = entries[home];
            for pair in entries.iter_mut() {
                *pair += 0x11;
            }
            entries[home] = goal;
        });
    }
    let forged = Session::with_folder(&folder.0);
    assert_claims_nothing(&run(&forged, &task), "at least");
    // A goal that is not at 0 moves is found before the table is used.
    forge(&store.path(patterns[0].shape(), PatternKind::Plain), |entries| entries.fill(0xff));
    let databases = task.method.estimate.as_ref().unwrap();
    assert!(!Session::with_folder(&folder.0).has_tables(task.puzzle.goal(), databases));
}

#[test]
fn a_wrong_zero_aware_database_with_right_checksums_makes_no_claim() {
    let folder = Folder::new("forged-zpdb");
    let mut task = task(FIFTEEN, "ida:zpdb=5-5-5");
    task.limits.generated = Some(2_000_000);
    assert!(run(&Session::with_folder(&folder.0), &task).optimal);
    let partition: Partition = "5-5-5".parse().unwrap();
    let store = TableStore::new(&folder.0);
    let pattern = &partition.patterns(task.puzzle.goal()).unwrap()[0];
    let path = store.path(pattern.shape(), PatternKind::ZeroAware);
    let bytes = fs::read(&path).unwrap();
    let mut contradictions = 0;
    // Bits are flipped in a sixteenth of the entries at a time.
    for part in 0..16 {
        fs::write(&path, &bytes).unwrap();
        forge(&path, |entries| {
            let length = entries.len() / 16;
            entries[part * length..][..length].iter_mut().for_each(|bits| *bits ^= 0xff);
        });
        let report = run(&Session::with_folder(&folder.0), &task);
        match report.reason {
            Some(Reason::Contradiction) => {
                contradictions += 1;
                assert_claims_nothing(&report, "");
            }
            Some(reason) => assert_eq!((reason, report.optimal), (Reason::Generated, false)),
            None => assert_eq!((report.cost, report.lower_bound), (Some(46), Some(46)), "{part}"),
        }
    }
    assert!(contradictions > 0);
}

/// Files in memory, and how often one was written.
#[derive(Clone, Debug, Default)]
struct Stored(Arc<Mutex<Shelf>>);

type Shelf = (HashMap<String, Vec<u8>>, usize);

impl TableFiles for Stored {
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap().0.get(name).cloned()
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let mut stored = self.0.lock().unwrap();
        stored.0.insert(name.to_owned(), bytes.to_vec());
        stored.1 += 1;
    }
}

#[test]
fn files_that_are_not_in_a_folder_are_verified_and_replaced() {
    let stored = Stored::default();
    let task = task("8 6 7/2 5 4/3 0 1", "ida:pdb=1.2.3.4/5.6.7.8");
    let run = || {
        let report = run(&Session::with_files(stored.clone()), &task);
        (report.depth, report.optimal, report.counts, stored.0.lock().unwrap().1)
    };
    let (depth, optimal, counts, written) = run();
    assert_eq!((depth, optimal, written), (Some(31), true, 2));
    assert_eq!(run(), (depth, optimal, counts, 2), "they are used");
    let names: Vec<String> = stored.0.lock().unwrap().0.keys().cloned().collect();
    let whole = stored.0.lock().unwrap().0[&names[0]].clone();
    let length = whole.len();
    // Damage anywhere, another table under this name, a part, and nothing at all.
    let mut damaged: Vec<Vec<u8>> =
        [0, 9, 100, 4_090, 4_096, 5_000, length - 1].map(|at| flipped(&whole, at)).into();
    damaged.push(stored.0.lock().unwrap().0[&names[1]].clone());
    damaged.extend([0, 10, 4_096, length - 1].map(|end| whole[..end].to_vec()));
    for (number, bytes) in damaged.into_iter().enumerate() {
        stored.0.lock().unwrap().0.insert(names[0].clone(), bytes);
        assert_eq!(run(), (depth, optimal, counts, 3 + number), "it is built again");
        assert_eq!(stored.0.lock().unwrap().0[&names[0]], whole);
    }
}

fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 1;
    bytes
}

#[test]
fn a_wrong_space_with_right_checksums_makes_no_claim() {
    let folder = Folder::new("forged-space");
    let board = "8 6 7/2 5 4/3 0 1";
    let task = task(board, "table");
    let goal = task.puzzle.goal();
    let sound = Session::with_folder(&folder.0);
    let memory = space::table_extent(goal, Metric::Single).bytes;
    let files = SpaceFiles::Table;
    let job = SpaceJob { files, memory: Some(memory), ..SpaceJob::new(goal) };
    sound.run(&job, Watch::default()).unwrap();
    let [file] = &folder.files()[..] else { panic!("one file") };
    let bytes = fs::read(file).unwrap();
    let mut contradictions = 0;
    for part in 0..16 {
        fs::write(file, &bytes).unwrap();
        forge(file, |words| {
            let length = words.len() / 16;
            words[part * length..][..length].fill(0);
        });
        let report = run(&Session::with_folder(&folder.0), &task);
        match report.reason {
            Some(Reason::Contradiction) => {
                contradictions += 1;
                assert_claims_nothing(&report, "solvable");
            }
            reason => assert_eq!((reason, report.cost, report.optimal), (None, Some(31), true)),
        }
    }
    assert!(contradictions > 0);
}

/// Makes a report wrong.
type Change<'a> = &'a dyn Fn(&mut Report);

#[test]
fn reports_that_contradict_themselves() {
    let report = run(&Session::without_folder(), &task("867254301", "astar:manhattan"));
    assert_eq!(report.contradiction(), None);
    let broken: [(&str, Change<'_>); 6] = [
        ("at least 33", &|report| report.lower_bound = Some(33)),
        ("bound is 29", &|report| report.lower_bound = Some(29)),
        ("costs 29", &|report| report.cost = Some(29)),
        ("are called 30", &|report| report.depth = Some(30)),
        ("no solution", &|report| report.moves = None),
        ("do not lead", &|report| {
            report.moves.as_mut().unwrap().pop();
            report.depth = Some(30);
        }),
    ];
    for (word, change) in broken {
        let mut changed = report.clone();
        change(&mut changed);
        let found = changed.contradiction().unwrap_or_default();
        assert!(found.contains(word), "{word}: {found}");
    }
}
