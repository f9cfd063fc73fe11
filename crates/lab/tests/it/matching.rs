//! Explaining counts by the fields that make the difference.

use std::cell::RefCell;
use std::sync::Arc;

use taquin::{Board, Reason, Session, Watch};
use taquin_lab::{Attempts, Course, Match, Matches, Question, TargetCounts, matching};

fn ask(board: &str, sought: TargetCounts, method: Option<&str>, course: Option<&str>) -> Matches {
    let start: Board = board.parse().unwrap();
    let course = course.map(|name| Course::find(name).unwrap());
    let course = course.as_deref();
    let question = Question {
        start: &start,
        goal: None,
        method,
        course,
        budget: 20_000_000,
        memory: None,
        others: &[],
    };
    matching(sought, &question, &Session::without_folder(), &Arc::default(), &|_| {}).unwrap()
}

const fn sought(expanded: u64, queue: u64) -> TargetCounts {
    TargetCounts { expanded, queue: Some(queue), generated: None }
}

/// The places of the explanations, and their texts.
fn told(matches: &Matches) -> Vec<(&str, &str, Vec<String>)> {
    let changes = |found: &Match| found.changes.iter().map(ToString::to_string).collect();
    matches.found.iter().map(|found| (&*found.course, &*found.name, changes(found))).collect()
}

#[test]
fn a_course_is_recognised_by_its_counts() {
    let matches = ask("072461358", sought(1_757, 967), None, None);
    assert_eq!(told(&matches), [("ucr-list", "3", vec![])]);
    assert!(matches.complete);
    let matches = ask("712485630", sought(338, 218), Some("astar:manhattan"), None);
    assert_eq!(told(&matches), [("ucr-heap", "3", vec![])]);
}

#[test]
fn one_field_explains_the_difference() {
    // The sorted list, the deepest first among equals.
    let changed = "3,tie=high-g";
    let course = Course::find("ucr-list").unwrap();
    let task = course.task(
        course.puzzle("072461358".parse().unwrap()).unwrap(),
        course.method(Some(changed)).unwrap().method,
    );
    let counts = Session::without_folder().run(&task, Watch::default()).counts;
    let seen = sought(counts.expanded, counts.frontier_peak);
    let matches = ask("072461358", seen, Some("manhattan"), Some("ucr-list"));
    assert_eq!(told(&matches), [("ucr-list", "3", vec!["tie=high-g, not low-g".to_owned()])]);
    assert_eq!(matches.found[0].counts, counts);
}

#[test]
fn a_way_of_counting_explains_it_too() {
    let matches = ask("712485630", sought(503, 305), Some("3"), Some("ucr-list"));
    let why = ["the goal counts as expanded", "the queue is read after a node is removed"];
    let why = why.map(str::to_owned).to_vec();
    assert!(told(&matches).contains(&("ucr-list", "3", why)), "{:?}", told(&matches));
    let generated = TargetCounts { expanded: 64, queue: Some(77), generated: Some(173) };
    let matches = ask("2 3 6/1 0 7/4 8 5", generated, None, None);
    assert_eq!(told(&matches), [("uta", "a*", vec![])]);
}

#[test]
fn nothing_is_found_where_there_is_nothing_and_the_budget_holds() {
    let matches = ask("123506478", sought(5, 999), Some("3"), Some("ucr-list"));
    assert_eq!((matches.found.len(), matches.complete), (0, true));
    let start: Board = "072461358".parse().unwrap();
    let question = Question {
        start: &start,
        goal: None,
        method: None,
        course: None,
        budget: 10_000,
        memory: None,
        others: &[],
    };
    let seen = RefCell::new(vec![Attempts::default()]);
    let report = |attempts| seen.borrow_mut().push(attempts);
    let ask = || {
        let (session, monitor) = (Session::without_folder(), Arc::default());
        matching(sought(1_757, 1), &question, &session, &monitor, &report).unwrap()
    };
    let matches = ask();
    assert_eq!((matches.found.len(), matches.complete), (0, false));
    // The progress rises up to the whole budget.
    let rises =
        |pair: &[Attempts]| pair[0].tried < pair[1].tried && pair[0].expanded < pair[1].expanded;
    assert!(seen.borrow().windows(2).all(rises), "{seen:?}");
    let all = Attempts { tried: matches.tried, expanded: question.budget };
    assert_eq!(seen.borrow().last(), Some(&all));
    assert_eq!(matches, ask());
    let unknown = Question { method: Some("nonsense"), ..question.clone() };
    assert!(
        matching(sought(1, 1), &unknown, &Session::without_folder(), &Arc::default(), &|_| {})
            .is_err()
    );
}

#[test]
fn each_search_keeps_to_the_node_limit_and_to_the_memory() {
    // A search without a list of known states never ends here.
    let start: Board = "1 0/3 2".parse().unwrap();
    let sought = TargetCounts { expanded: 867_254_301, queue: None, generated: None };
    let question = Question {
        start: &start,
        goal: None,
        method: None,
        course: None,
        budget: 100_000,
        memory: None,
        others: &[],
    };
    let ask = |question: &Question<'_>| {
        let expanded = RefCell::new(0);
        let report = |attempts: Attempts| *expanded.borrow_mut() = attempts.expanded;
        let session = Session::without_folder();
        let matches = matching(sought, question, &session, &Arc::default(), &report).unwrap();
        (matches, expanded.into_inner())
    };
    let (matches, expanded) = ask(&question);
    assert_eq!((matches.complete, matches.reason), (false, Some(Reason::Expanded)));
    assert_eq!(expanded, 100_000);
    // One that is too large for the memory does not keep the others from being tried.
    let hard: Board = "867254301".parse().unwrap();
    let question =
        Question { start: &hard, memory: Some(100_000), method: Some("3"), ..question.clone() };
    let (matches, _) = ask(&Question { budget: u64::MAX, ..question });
    assert_eq!((matches.complete, matches.reason), (false, Some(Reason::Memory)));
    assert!(matches.tried > 10, "{}", matches.tried);
}

#[test]
fn databases_of_no_kind_are_built_for_a_guess() {
    let course = "\
name = \"tables\"
about = \"a course with databases\"
[[methods]]
names = [\"plain\"]
method = \"astar:pdb=1.2.3/4.5.6\"
[[methods]]
names = [\"aware\"]
method = \"astar:max=linear+zpdb=1.2.3/4.5.6\"
";
    let (course, start) = (Course::read(course).unwrap(), "867254301".parse().unwrap());
    let folder = std::env::temp_dir().join(format!("taquin-guess-{}", std::process::id()));
    let session = Session::with_folder(&folder);
    let question = Question {
        start: &start,
        goal: None,
        method: None,
        course: Some(&course),
        budget: 1_000_000,
        memory: None,
        others: &[],
    };
    let _ = matching(sought(100, 50), &question, &session, &Arc::default(), &|_| {});
    assert!(!folder.exists(), "no table was built");
}

#[test]
fn several_boards_leave_fewer_explanations() {
    let course = Course::find("ucr-list").unwrap();
    let counts = |board: &str| {
        let method = course.method(Some("3,tie=high-g")).unwrap().method;
        let task = course.task(course.puzzle(board.parse().unwrap()).unwrap(), method);
        let counts = Session::without_folder().run(&task, Watch::default()).counts;
        TargetCounts { expanded: counts.expanded, queue: None, generated: None }
    };
    let start: Board = "0 1 2/4 5 3/7 8 6".parse().unwrap();
    let others: Vec<(Board, TargetCounts)> =
        ["712485630", "072461358"].map(|board| (board.parse().unwrap(), counts(board))).to_vec();
    let ask = |others: &[(Board, TargetCounts)]| {
        let question = Question {
            start: &start,
            goal: None,
            method: Some("3"),
            course: Some(&course),
            budget: 20_000_000,
            memory: None,
            others,
        };
        let sought = counts("0 1 2/4 5 3/7 8 6");
        matching(sought, &question, &Session::without_folder(), &Arc::default(), &|_| {}).unwrap()
    };
    // The first board alone does not tell the policy from the course's.
    assert_eq!(told(&ask(&[])), [("ucr-list", "3", vec![])]);
    assert_eq!(told(&ask(&others)), [("ucr-list", "3", vec!["tie=high-g, not low-g".to_owned()])]);
}
