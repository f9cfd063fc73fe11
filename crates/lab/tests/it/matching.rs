//! Explaining counts by the fields that make the difference.

use std::cell::RefCell;
use std::sync::Arc;

use taquin::{Board, Session, Watch};
use taquin_lab::{Attempts, Course, Matches, Question, Sought, matching};

fn ask(board: &str, sought: Sought, method: Option<&str>, course: Option<&str>) -> Matches {
    let start: Board = board.parse().unwrap();
    let course = course.map(|name| Course::find(name).unwrap());
    let course = course.as_deref();
    let question = Question { start: &start, goal: None, method, course, budget: 20_000_000 };
    matching(sought, &question, &Session::without_folder(), &Arc::default(), &|_| {}).unwrap()
}

const fn sought(expanded: u64, queue: u64) -> Sought {
    Sought { expanded, queue: Some(queue), generated: None }
}

/// Where the explanations stand, and what they are.
fn told(matches: &Matches) -> Vec<(&str, &str, Vec<&str>)> {
    matches
        .found
        .iter()
        .map(|found| {
            (&*found.course, &*found.name, found.changes.iter().map(String::as_str).collect())
        })
        .collect()
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
        course.puzzle("072461358".parse().unwrap()),
        course.method(Some(changed)).unwrap().method,
    );
    let counts = Session::without_folder().run(&task, Watch::default()).counts;
    let seen = sought(counts.expanded, counts.frontier_peak);
    let matches = ask("072461358", seen, Some("manhattan"), Some("ucr-list"));
    assert_eq!(told(&matches), [("ucr-list", "3", vec!["tie=high-g, not low-g"])]);
    assert_eq!(matches.found[0].counts, counts);
}

#[test]
fn a_way_of_counting_explains_it_too() {
    let matches = ask("712485630", sought(503, 305), Some("3"), Some("ucr-list"));
    let why = vec!["the goal counts as expanded", "the queue is read after a node is removed"];
    assert!(told(&matches).contains(&("ucr-list", "3", why)), "{:?}", told(&matches));
    let generated = Sought { expanded: 64, queue: Some(77), generated: Some(173) };
    let matches = ask("2 3 6/1 0 7/4 8 5", generated, None, None);
    assert_eq!(told(&matches), [("uta", "a*", vec![])]);
}

#[test]
fn nothing_is_found_where_there_is_nothing_and_the_budget_holds() {
    let matches = ask("123506478", sought(5, 999), Some("3"), Some("ucr-list"));
    assert_eq!((matches.found.len(), matches.complete), (0, true));
    let start: Board = "072461358".parse().unwrap();
    let question =
        Question { start: &start, goal: None, method: None, course: None, budget: 10_000 };
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
