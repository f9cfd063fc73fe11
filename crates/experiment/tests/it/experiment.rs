//! Plans and the keys of runs.

use std::collections::HashSet;
use std::path::Path;

use proptest::prelude::*;
use taquin::{Method, NamedGoal, Session};
use taquin_experiment::{ExperimentRun, Plan};
use taquin_lab::Course;

fn read(text: &str) -> Plan {
    Plan::read(text, Path::new(""), &Session::without_folder())
        .unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn one(text: &str) -> ExperimentRun {
    let plan = read(text);
    assert_eq!(plan.runs.len(), 1, "{text}");
    plan.runs[0].clone()
}

const ONE: &str = "instances = \"board 1 2 3/4 0 6/7 5 8\"\nmethods = \"astar\"\n";

#[test]
fn a_key_is_made_of_all_that_determines_a_run() {
    let key = one(ONE).key();
    assert_eq!(key, one(ONE).key());
    // Other words mean the same run. So do other limits, because they decide only how far it goes.
    for same in [
        ONE.replace("1 2 3/4 0 6/7 5 8", "123406758"),
        ONE.replace("astar", "astar:manhattan,order=lifo"),
        format!("{ONE}goal = \"1 2 3/4 5 6/7 8 0\"\n"),
        format!("title = \"x\"\n{ONE}[limits]\ntime = \"1s\"\nmemory = \"1M\"\nnodes = 5\n"),
    ] {
        assert_eq!(one(&same).key(), key, "{same}");
    }
    let others = [
        ONE.replace("7 5 8", "5 7 8"),
        ONE.replace("astar", "astar,order=fifo"),
        ONE.replace("astar", "astar,moves=LRUD"),
        ONE.replace("astar", "astar:linear"),
        ONE.replace("\"astar\"", "\"manhattan\"\nas = \"ucr-list\""),
        format!("{ONE}goal = \"first\"\n"),
        format!("{ONE}cost = \"tile\"\n"),
        format!("{ONE}threads = 2\n"),
        ONE.replace("astar", "auto"),
        format!("{}[limits]\ntime = \"1s\"\n", ONE.replace("astar", "auto")),
        format!("{}[limits]\nnodes = 5\n", ONE.replace("astar", "auto")),
        ONE.replace("astar", "anytime"),
        ONE.replace("astar", "anytime,seed=7"),
        format!("{}[limits]\nnodes = 5\n", ONE.replace("astar", "anytime")),
    ];
    let keys: HashSet<String> = others.iter().map(|text| one(text).key()).collect();
    assert_eq!(keys.len(), others.len());
    assert!(!keys.contains(&key));
    let repeats = read(&format!("{ONE}repeats = 3\n"));
    assert_eq!(repeats.runs.iter().map(ExperimentRun::key).collect::<HashSet<_>>().len(), 3);
}

#[test]
fn a_method_in_full_is_the_same_method() {
    let courses = Course::built_in()
        .iter()
        .flat_map(|course| &course.methods)
        .map(|method| method.method.to_string());
    let ours = [
        "auto",
        "bfs",
        "dfs,depth=30",
        "ida:max=linear+walking",
        "beam,k=7",
        "random,seed=3",
        "wastar,w=3/2",
        "ids",
        "bidirectional",
        "ida:pdb=7-8,prune=8",
        "table,metric=multi",
        "anytime,seed=3",
    ];
    for text in courses.chain(ours.map(str::to_owned)) {
        let method: Method = text.parse().unwrap();
        assert_eq!(method.in_full().parse::<Method>().as_ref(), Ok(&method), "{text}");
    }
}

#[test]
fn named_sets() {
    let plan = read("instances = [\"courses\", \"korf100\"]\nmethods = [\"ida\"]\n");
    let korf: Vec<_> = plan.runs.iter().filter(|run| run.source == "korf100").collect();
    assert_eq!((plan.runs.len(), korf.len()), (108, 100));
    let puzzle = &korf[0].task.puzzle;
    assert_eq!(puzzle.start().to_string(), "14 13 15 7/11 12 9 5/6 0 2 1/4 8 10 3");
    assert_eq!(puzzle.goal(), &NamedGoal::First.board("4".parse().unwrap(), 1));
    let total: u32 = korf.iter().filter_map(|run| run.known).sum();
    assert_eq!(total, 5305, "the mean optimal length is 53.05");
    // A seed always means the same, and a part of a range the same boards.
    let plan = read("instances = \"random 4x4 n=2 seed=1\"\nmethods = \"ida\"\n");
    let again = read("instances = \"random 4x4 n=3 seed=1\"\nmethods = \"ida\"\n");
    assert_eq!(plan.runs[1].key(), again.runs[1].key());
    let whole = read("instances = \"depth 3x3 0..6 n=3 seed=5\"\nmethods = \"ida\"\n");
    let part = read("instances = \"depth 3x3 4..5 n=3 seed=5\"\nmethods = \"ida\"\n");
    let keys: HashSet<String> = whole.runs.iter().map(ExperimentRun::key).collect();
    assert!(part.runs.iter().all(|run| keys.contains(&run.key())));
    assert_eq!(
        whole.runs.iter().map(|run| run.known.unwrap()).collect::<Vec<_>>(),
        [0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6]
    );
    // A board that is named twice is run once.
    let twice =
        read("instances = [\"courses\", \"board 123456780\", \"courses\"]\nmethods = \"bfs\"\n");
    assert_eq!(twice.runs.len(), 8);
}

#[test]
fn the_examples_are_plans() {
    for (name, runs) in [("courses", 876), ("korf100", 500)] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
        let text = std::fs::read_to_string(format!("{folder}/{name}.toml")).unwrap();
        let plan = Plan::read(&text, Path::new(folder), &Session::without_folder())
            .unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert_eq!(plan.runs.len(), runs, "{name}");
    }
    assert_eq!(read(Plan::EXAMPLE).runs.len(), 447);
}

proptest! {
    #[test]
    fn any_text_is_a_plan_or_is_refused(
        text in "([a-z]{0,9} ?= ?\\[?\"?[a-z0-9:=, ./]{0,20}\"?\\]?\n|instances = \"(courses|board|file|random|depth) ?[a-z0-9. /=]{0,12}\"\n|methods = [\\[]?\"[a-z:,=]{0,9}\"\n){0,5}",
    ) {
        if let Err(errors) = Plan::read(&text, Path::new("/nowhere"), &Session::without_folder()) {
            prop_assert!(!errors.is_empty());
            for error in errors {
                prop_assert!(error.place.line as usize <= text.lines().count() + 1);
                prop_assert!(!error.message.is_empty());
            }
        }
    }
}
