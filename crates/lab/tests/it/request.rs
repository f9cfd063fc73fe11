//! The one way in: every field, alone and against a course.

use taquin::{Algorithm, Costs, NamedGoal, Session, Watch};
use taquin_lab::{Courses, Request, RequestError, RequestField, ResolvedRequest};

fn asked(json: &str) -> Result<ResolvedRequest, RequestError> {
    let request: Request = serde_json::from_str(json).unwrap();
    let written = serde_json::to_string(&request).unwrap();
    assert_eq!(serde_json::from_str::<Request>(&written).unwrap(), request);
    request.resolve(Courses::BuiltIn)
}

#[test]
fn a_board_alone_is_solved_by_auto_towards_last() {
    let ResolvedRequest { task, course, notes, .. } =
        asked(r#"{"board": "1 2 3/4 0 6/7 5 8"}"#).unwrap();
    assert_eq!((task.method.algorithm, &task.cost), (Algorithm::Auto, &Costs::Unit));
    assert_eq!(task.puzzle.goal(), &NamedGoal::Last.board(task.puzzle.size(), 1));
    assert!(task.threads >= 1 && course.is_none() && notes.is_empty());
}

#[test]
fn a_goal_is_a_name_or_a_board() {
    let goal = |goal: &str| {
        let json = format!(r#"{{"board": "2 1 3/8 0 4/7 6 5", "goal": "{goal}"}}"#);
        asked(&json).map(|asked| asked.task.puzzle.goal().to_string())
    };
    assert_eq!(goal("snail").unwrap(), "1 2 3/8 0 4/7 6 5");
    assert_eq!(goal("123804765").unwrap(), "1 2 3/8 0 4/7 6 5");
    for (text, message) in [
        ("sideways", "unknown goal 'sideways'"),
        ("1 2 3/4 5 6/7 0 0", "start and goal have different tiles"),
        ("1 2 3/4 5 6/7 7 0", "tile 7 appears twice"),
    ] {
        let error = goal(text).unwrap_err();
        assert_eq!(error.field, RequestField::Goal, "{text}");
        assert!(error.to_string().contains(message), "{error}");
        assert!(error.hint().is_some(), "{text}");
    }
}

/// The task has the databases that the name stands for, so that a report names the used ones.
#[test]
fn small_databases_are_chosen_by_the_size_of_the_board() {
    for (size, method, chosen) in [
        ("4x4", "ida:pdb=small", "ida:pdb=6-6-3"),
        ("5x5", "aida:zpdb=small,tt=0", "aida:zpdb=6-6-6-6,tt=0"),
        ("5x5", "ida:max=zpdb=small+linear", "ida:max=zpdb=6-6-6-6+linear"),
        ("3x3", "ida:pdb=small", "ida:pdb=1.4.2.5/3.6.8.7"),
    ] {
        let board = NamedGoal::Last.board(size.parse().unwrap(), 1);
        let asked = asked(&format!(r#"{{"board": "{board}", "method": "{method}"}}"#)).unwrap();
        assert_eq!(asked.task.method.to_string(), chosen);
    }
}

#[test]
fn every_way_to_differ_from_a_course_is_noted() {
    let course = |more: &str| {
        let json = format!(r#"{{"board": "1 2 3/4 0 6/7 5 8", "as": "ucr-heap"{more}}}"#);
        asked(&json).unwrap()
    };
    let plain = course("");
    assert_eq!((plain.task.limits.seconds, plain.task.threads), (Some(200.0), 1));
    assert_eq!((plain.notes.len(), plain.method_name.as_str()), (0, "3"));
    for (more, note) in [
        (r#", "goal": "first""#, "another goal than last"),
        (r#", "cost": "tile""#, "cost=tile instead of cost=unit"),
        (r#", "jumps": true"#, "a blank may step onto another"),
        (r#", "limits": {"seconds": 5}"#, "a time limit of 5 s instead of 200 s"),
        (r#", "method": "manhattan,tie=high-g""#, "tie=high-g instead of tie=none"),
    ] {
        let notes = course(more).notes;
        assert_eq!(notes, [format!("differs from ucr-heap: {note}")], "{more}");
    }
    for same in [r#", "goal": "last""#, r#", "cost": "unit""#, r#", "limits": {"seconds": 200}"#] {
        assert!(course(same).notes.is_empty(), "{same}");
    }
}

#[test]
fn errors_name_their_field() {
    for (json, field, message) in [
        ("{}", RequestField::Board, "there is no board"),
        (r#"{"board": "1 1/2 0"}"#, RequestField::Board, "tile 1 appears twice"),
        (r#"{"board": "1 2/3 0", "size": "x"}"#, RequestField::Size, "size"),
        (r#"{"board": "1 2/3 0", "method": "asatr"}"#, RequestField::Method, "unknown method"),
        (r#"{"board": "1 2/3 0", "as": "nowhere"}"#, RequestField::Course, "no course is called"),
        (
            r#"{"board": "1 2/3 0", "as": "ucr-list", "method": "dfs"}"#,
            RequestField::Method,
            "ucr-list has no method 'dfs'",
        ),
        // A service reads no files.
        (r#"{"board": "1 2/3 0", "as": "./x.toml"}"#, RequestField::Course, "no course is called"),
    ] {
        let error = asked(json).unwrap_err();
        assert_eq!(error.field, field, "{json}");
        assert!(error.to_string().contains(message), "{json}: {error}");
    }
}

#[test]
fn a_course_offers_a_board() {
    let ResolvedRequest { task, notes, .. } = asked(r#"{"as": "ucr-list"}"#).unwrap();
    assert_eq!(task.puzzle.start().to_string(), "1 2 3/4 0 6/7 5 8");
    assert_eq!(notes, ["no board given: this is the puzzle of ucr-list"]);
}

#[test]
fn only_auto_may_choose_another_method_to_be_followed() {
    let steps = |method: &str| {
        asked(&format!(r#"{{"board": "1 2/3 0", "method": "{method}"}}"#)).unwrap().with_steps()
    };
    let chosen = steps("auto").unwrap();
    assert_eq!(chosen.task.method.to_string(), "astar:manhattan");
    assert_eq!(chosen.notes, ["auto chose astar:manhattan, whose steps can be followed"]);
    assert_eq!(steps("rbfs:linear").unwrap().notes, [""; 0]);
    assert_eq!(steps("layers").unwrap_err().field, RequestField::Method);
}

#[test]
fn what_is_run_has_the_figures_of_the_course() {
    let asked = asked(r#"{"board": "1 2 3/4 0 6/7 5 8", "as": "ucr-list"}"#).unwrap();
    let report = asked.run(&Session::without_folder(), Watch::default());
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!((&json["as"], &json["moves"]), (&"ucr-list".into(), &"DR".into()));
    assert_eq!(json["course"]["goal_depth"], 2);
}
