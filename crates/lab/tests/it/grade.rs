//! Rubrics, their keys, and courses found from examples.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use taquin::{Random, Session, Watch};
use taquin_lab::grade::{Answer, Criterion, Grader, Key, Marks, Rubric, answers};
use taquin_lab::{Course, CourseExamples, Draw, ExamplesError, Extent, FigureKind, reproduce};

fn reference() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/grading.md");
    std::fs::read_to_string(path).unwrap()
}

fn example(number: usize) -> String {
    let text = reference();
    text.split("```toml\n").nth(number).unwrap().split("```").next().unwrap().to_owned()
}

#[test]
fn the_reference_names_every_key_and_its_example_is_a_rubric() {
    let text = reference();
    for (table, keys) in Rubric::FILE_KEYS {
        for key in keys {
            assert!(text.contains(&format!("`{key}`")), "[{table}] {key}");
        }
    }
    let rubric = Rubric::read(&example(1), Path::new("")).unwrap();
    assert_eq!((rubric.boards.len(), rubric.course().name.as_str()), (2, "ucr-list"));
    let (session, monitor) = (Session::without_folder(), Arc::default());
    let key = Key::new(&rubric, &session, &monitor, None).unwrap();
    assert_eq!(key.boards[0].optimum, Some(2));
    assert_eq!(key.boards[0].figure(Criterion::Expanded), Some(2));
    assert_eq!((key.boards[0].is_solvable, key.boards[1].is_solvable), (true, false));
    // The patterns are read too.
    let with_patterns = example(2) + "[[boards]]\nboard = \"1 2/3 0\"\n";
    assert!(Rubric::read(&with_patterns, Path::new("")).is_ok());
}

#[test]
fn the_schema_has_the_keys_of_a_rubric() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/rubric.json");
    let schema: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    for (table, keys) in Rubric::FILE_KEYS {
        let table = match table {
            "" => &schema,
            "boards" => &schema["properties"]["boards"]["items"],
            _ => &schema["properties"][table],
        };
        let described: BTreeSet<&str> =
            table["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(described, keys.iter().copied().collect());
        assert_eq!(table["additionalProperties"], false);
    }
    let formats = schema["properties"]["run"]["properties"]["format"]["enum"].as_array().unwrap();
    let known: Vec<String> = taquin::BoardFormat::ALL.iter().map(ToString::to_string).collect();
    assert!(
        formats.iter().map(|format| format.as_str().unwrap()).eq(known.iter().map(String::as_str))
    );
}

#[test]
fn partial_credit_is_what_the_rubric_says() {
    let toml = "\
[points]
solution = 3
optimal = 1
expanded = 4
[partial]
legal = 50
longer = 25
near = 75
within = 10
[[boards]]
board = \"1 2 3/4 0 6/7 5 8\"
method = \"bfs\"
";
    let rubric = Rubric::read(toml, Path::new("")).unwrap();
    let (session, monitor) = (Session::without_folder(), Arc::default());
    let key = Key::new(&rubric, &session, &monitor, None).unwrap();
    let right = key.boards[0].figure(Criterion::Expanded).unwrap();
    let grader = Grader {
        rubric: &rubric,
        key: &key,
        session: &session,
        monitor: &monitor,
        budget: 100_000,
        memory: None,
    };
    let marks = |text: &str| grader.grade("Lu", &[Answer::of(text.to_owned())]).marks;
    for (text, expected) in [
        (format!("DR\nexpanded: {right}"), 800),
        (format!("DRLR\nexpanded: {right}"), 300 + 25 + 400),
        (format!("DL\nexpanded: {right}"), 150 + 400),
        ("DR\nexpanded: 1000000".to_owned(), 400),
        ("D R U D".to_owned(), 325),
        (String::new(), 0),
        ("[[[[".to_owned(), 0),
        ("DDD".to_owned(), 0),
    ] {
        assert_eq!(marks(&text), Marks(expected), "{text}");
    }
    assert_eq!(grader.grade("Lu", &[]).marks, Marks(0));
}

#[test]
fn a_course_is_found_from_examples_and_gives_them() {
    let (session, monitor) = (Session::without_folder(), Arc::default());
    let course = Course::find("ucr-list").unwrap();
    let mut toml = String::new();
    for (name, method) in
        [("manhattan", "3,tie=high-g"), ("misplaced", "2,tie=high-g"), ("uniform", "1")]
    {
        for board in ["0 1 2/4 5 3/7 8 6", "1 3 6/5 0 2/4 7 8", "1 3 6/5 0 7/4 8 2"] {
            let method = course.method(Some(method)).unwrap().method;
            let puzzle = course.puzzle(board.parse().unwrap()).unwrap();
            let counts = session.run(&course.task(puzzle, method), Watch::default()).counts;
            writeln!(
                toml,
                "[[examples]]\nboard = \"{board}\"\nmethod = \"{name}\"\nexpanded = {}\nqueue = {}",
                counts.expanded, counts.frontier_peak
            )
            .unwrap();
        }
    }
    let examples = CourseExamples::read(&toml).unwrap();
    let found = examples.find("mine", &session, &monitor, 5_000_000, None).unwrap();
    let mine = Course::read(&found.toml).unwrap_or_else(|error| panic!("{error}\n{}", found.toml));
    assert_eq!((mine.methods.len(), mine.suite.len()), (3, 9));
    let mut all = Vec::new();
    reproduce(&mine, Extent::default(), &session, &monitor, &mut |check| all.push(check)).unwrap();
    assert_eq!(all.len(), 9);
    for check in all {
        assert_eq!(Some(check.published), check.ours, "{}\n{}", check.what, found.toml);
    }
    // Counts that no policy gives.
    let toml = "[[examples]]\nboard = \"1 2 3/4 0 6/7 5 8\"\nmethod = \"x\"\nexpanded = 77\n";
    let error = CourseExamples::read(toml)
        .unwrap()
        .find("mine", &session, &monitor, 100_000, None)
        .unwrap_err();
    assert!(matches!(error, ExamplesError::None { .. }), "{error}");
    for (toml, fault) in [
        ("", "the key 'examples' is missing"),
        ("examples = []", "there are no examples"),
        (
            "[[examples]]\nboard = \"1 2 2 0\"\nmethod = \"x\"\nexpanded = -1\n",
            "tile 2 appears twice",
        ),
        ("[[examples]]\nboard = \"1 0\"\nmethod = \"a,b\"\nexpanded = 1\n", "has no comma"),
    ] {
        let error = CourseExamples::read(toml).unwrap_err().to_string();
        assert!(error.contains(fault), "{error}");
    }
}

#[test]
fn what_a_course_prints_gets_every_mark() {
    let (session, monitor) = (Session::without_folder(), Arc::default());
    let mut checked = 0;
    // These reproduce papers, not what students hand in.
    let is_paper =
        |course: &Course| ["kf02", "korf85", "random24", "bss25", "mm15"].contains(&&*course.name);
    for course in Course::built_in().iter().filter(|course| !is_paper(course)) {
        let goal = course.goal.board(&"1 2 3/4 0 6/7 5 8".parse().unwrap());
        let drawn = Draw::Walk(25).boards(&goal, 1, Random::new(7), &session, None, &monitor);
        let start = drawn.unwrap().next().unwrap();
        let printed = |kinds: &[FigureKind]| {
            course.figures.iter().any(|figure| {
                let is_printed = course.wording.solved.contains(&format!("{{{}}}", figure.key));
                kinds.contains(&figure.what) && is_printed
            })
        };
        let criteria = [
            ("length", &[FigureKind::Depth][..]),
            ("expanded", &[FigureKind::Expanded, FigureKind::Taken, FigureKind::Popped]),
            (
                "generated",
                &[FigureKind::Generated, FigureKind::GeneratedWithoutRoot, FigureKind::Visited],
            ),
            ("queue", &[FigureKind::Queue]),
        ];
        let mut toml = format!("course = \"{}\"\n[points]\n", course.name);
        let mut points = 0;
        for (name, kinds) in criteria {
            if printed(kinds) {
                writeln!(toml, "{name} = 1").unwrap();
                points += 1;
            }
        }
        writeln!(toml, "[[boards]]\nboard = \"{start}\"").unwrap();
        let rubric = Rubric::read(&toml, Path::new("")).unwrap();
        let key = Key::new(&rubric, &session, &monitor, None).unwrap();
        let method = course.method(None).unwrap().method;
        let task = course.task(course.puzzle(start).unwrap(), method);
        let report = session.run(&task, Watch::default());
        let output = course.summary(&report, &course.figures(&report)).unwrap();
        let grader = Grader {
            rubric: &rubric,
            key: &key,
            session: &session,
            monitor: &monitor,
            budget: 0,
            memory: None,
        };
        let marks = grader.grade("Lu", &[Answer::of(output.clone())]);
        assert_eq!(marks.marks, Marks::points(points), "{}: {output}\n{marks:#?}", course.name);
        checked += points;
    }
    assert!(checked >= 12, "{checked}");
}

#[test]
fn any_text_is_a_rubric_or_refused() {
    let text = example(1);
    for (at, letter) in text.char_indices() {
        let _ = Rubric::read(&text[..at], Path::new("/nowhere"));
        for other in ["\"", "[", "{", "=", "9", "\n", "\0", "é"] {
            let after = &text[at + letter.len_utf8()..];
            let changed = [&text[..at], other, after].concat();
            let _ = Rubric::read(&changed, Path::new("/nowhere"));
            let _ = CourseExamples::read(&changed);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// No output panics, gets more than there is, or makes a comment that a terminal would obey.
    #[test]
    fn any_output_is_graded(text in "(?s)(([UDLR0-9 ,:'\\[\\]|\n]|Board [0-9]: |expanded |↓|.){0,200})") {
        let toml = "[points]\nsolution = 2\noptimal = 1\nlength = 1\nexpanded = 1\nqueue = 1\n\
                    [partial]\nlegal = 50\nlonger = 50\nexplained = 50\nnear = 50\nwithin = 50\n\
                    [[boards]]\nboard = \"1 2 3/4 0 6/7 5 8\"\nmethod = \"bfs\"\n\
                    [[boards]]\nboard = \"1 2 3/4 5 6/8 7 0\"\nmethod = \"bfs\"\n";
        let rubric = Rubric::read(toml, Path::new("")).unwrap();
        let (session, monitor) = (Session::without_folder(), Arc::default());
        let key = Key::new(&rubric, &session, &monitor, None).unwrap();
        let (rubric, key) = (&rubric, &key);
        let (session, monitor, budget) = (&session, &monitor, 1_000);
        let grader = Grader { rubric, key, session, monitor, budget, memory: None };
        let marks = grader.grade(&text, &answers(&text, 2));
        prop_assert!(marks.marks <= marks.points);
        let comments = marks.boards.iter().flat_map(|board| &board.checks);
        let mut texts: Vec<&str> = comments.map(|check| check.comment.as_str()).collect();
        texts.extend(marks.remarks.iter().map(String::as_str));
        texts.push(&marks.name);
        prop_assert!(texts.iter().all(|text| !text.chars().any(char::is_control)));
    }
}
