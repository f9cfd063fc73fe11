//! Traces: the printed figures agree with the counts.

use taquin::{Board, Event, NamedGoal, Puzzle, Report, Session, Task, Verdict, Watch};
use taquin_lab::{Course, Narrator};

fn traced(board: &str, method: &str, limit: Option<u64>) -> (Report, Vec<Event>) {
    let start: Board = board.parse().unwrap();
    let goal = NamedGoal::Last.board(start.size(), 1);
    let mut task = Task::new(Puzzle::new(start, goal).unwrap(), method.parse().unwrap());
    task.limits.traced = limit;
    let mut events = Vec::new();
    let report = Session::without_folder()
        .run(&task, Watch::default().with_events(&mut |event| events.push(event)));
    (report, events)
}

fn count(events: &[Event], is: impl Fn(&Event) -> bool) -> u64 {
    events.iter().filter(|event| is(event)).count() as u64
}

fn verdicts(events: &[Event], fate: Verdict) -> u64 {
    count(events, |event| matches!(event, Event::Generate { verdict, .. } if *verdict == fate))
}

#[test]
fn events_add_up_to_the_counts() {
    for method in [
        "bfs",
        "dfs,depth=20",
        "ucs,order=heap,duplicates=generated,undo=keep",
        "astar:manhattan",
        "astar:misplaced,duplicates=expanded,undo=keep",
        "astar:manhattan,duplicates=keep",
        "greedy:manhattan,duplicates=cheaper,reopen=always",
        "ida:manhattan",
        "ids,goal=expansion",
    ] {
        let (report, events) = traced("136502478", method, None);
        let counts = report.counts;
        let expanded = count(&events, |event| matches!(event, Event::Expand(_)));
        let generated = count(&events, |event| matches!(event, Event::Generate { .. }));
        let discarded = count(&events, |event| matches!(event, Event::Discard(_)));
        assert_eq!((expanded, generated), (counts.expanded, counts.generated), "{method}");
        assert_eq!(
            verdicts(&events, Verdict::Duplicate) + discarded,
            counts.duplicates,
            "{method}"
        );
        assert_eq!(verdicts(&events, Verdict::Reopened), counts.reopened, "{method}");
        assert_eq!(count(&events, |event| matches!(event, Event::Goal(_))), 1, "{method}");
        assert!(matches!(events.last(), Some(Event::Goal(_))), "{method}");
        // Being watched changes nothing.
        let (unwatched, few) = traced("136502478", method, Some(0));
        assert_eq!((unwatched.counts, unwatched.moves), (counts, report.moves), "{method}");
        assert!(few.iter().all(|event| matches!(event, Event::Goal(_) | Event::Bound { .. })));
    }
    let (_, events) = traced("136502478", "dfs,depth=8", None);
    assert!(verdicts(&events, Verdict::Pruned) > 0);
}

#[test]
fn a_limit_cuts_the_trace_and_not_the_search() {
    let (whole, all) = traced("136507482", "astar:misplaced", None);
    let (report, events) = traced("136507482", "astar:misplaced", Some(7));
    assert_eq!(report.counts, whole.counts);
    assert_eq!(count(&events, |event| matches!(event, Event::Expand(_))), 7);
    let told = events.len() - 1;
    assert_eq!(events[..told], all[..told]);
    assert!(matches!(events[told], Event::Goal(_)));
}

#[test]
fn beyond_the_limit_there_are_glimpses() {
    let puzzle = Course::find("ucr-list").unwrap().puzzle("136507482".parse().unwrap()).unwrap();
    let mut task = Task::new(puzzle, "bfs".parse().unwrap());
    task.limits.traced = Some(7);
    task.limits.glimpses = Some(10);
    let mut events = Vec::new();
    let report = Session::without_folder()
        .run(&task, Watch::default().with_events(&mut |event| events.push(event)));
    let expanded = count(&events, |event| matches!(event, Event::Expand(_)));
    assert_eq!(expanded, 7 + (report.counts.expanded - 7) / 10);
}

#[test]
fn a_fringe_is_what_waits() {
    let course = Course::find("uta").unwrap();
    let task = course.task(
        course.puzzle("2 3 6/1 0 7/4 8 5".parse().unwrap()).unwrap(),
        course.methods[6].method.clone(),
    );
    let mut narrator = Narrator::new(&course.wording, task.puzzle.size());
    let mut text = String::new();
    let report = Session::without_folder()
        .run(&task, Watch::default().with_events(&mut |event| text += &narrator.tell(event)));
    text += &narrator.finish();
    assert_eq!(text.matches("Generating successors").count() as u64, report.counts.expanded);
    let largest = text
        .lines()
        .filter(|line| line.contains("Fringe: ["))
        .map(|line| line.matches("< state").count() as u64)
        .max();
    assert_eq!(largest, Some(report.counts.frontier_peak));
}
