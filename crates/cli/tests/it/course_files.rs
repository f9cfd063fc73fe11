//! Courses that are files of their own.

use snapbox::{assert_data_eq, str};

use crate::run::{folder, json, run, run_with};

/// A course that no built-in one resembles.
const MINE: &str = r#"
name = "mine"
about = "a course of a lecturer's own"
goal = "snail"
cost = "tile"
board = "1 2 3/8 4 0/7 6 5"
default = "best"

[[methods]]
names = ["best", "A star"]
method = "astar:manhattan,order=fifo,moves=RDLU"

[[methods]]
names = ["wide"]
method = "bfs,undo=keep"

[figures]
looked_at = "taken"
price = "cost"
way = "directions"

[wording]
format = "nested"
blank = "_"
opening = "{method} from {start}\n"
expansion = "look at {board}\n"
solved = "way {way}, price {price}, {looked_at} looked at {not a placeholder}\n"
failed = "none\n"

[[suite]]
board = "1 2 3/8 4 0/7 6 5"
figures = ["price", "way"]
published = [4, "Left"]

[[suite]]
what = "slide 7"
board = "1 2 3/8 4 0/7 6 5"
method = "ida:manhattan"
figures = ["price"]
published = 5
actual = 4
note = "the slide has a typing error"

[[suite]]
what = "slide 8"
published = 12
note = "the slide does not say what was solved"

[[suite]]
board = "1 2 3/8 4 0/7 6 5"
method = "wide"
figures = ["price"]
published = 4
long = true
"#;

/// A file with a course, in a folder of its own.
fn course_file(name: &str, text: &str) -> String {
    let path = folder(name).join("mine.toml");
    std::fs::write(&path, text).unwrap();
    path.into_os_string().into_string().unwrap()
}

#[test]
fn a_lecturers_course_is_a_file() {
    let file = course_file("course-file", MINE);
    let ran = run(&["solve", "--as", &file, "--trace"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_data_eq!(
        ran.out,
        str![[r"
best from [[1, 2, 3], [8, 4, _], [7, 6, 5]]
look at [[1, 2, 3], [8, 4, _], [7, 6, 5]]
way ['Left'], price 4, 2 looked at {not a placeholder}

"]]
    );
    let report = json(&["solve", "1 2 3/8 4 5/7 6 0", "--as", &file, "-m", "wide", "--json"]);
    assert_eq!((&report["as"], &report["method"]), (&"mine".into(), &"bfs,undo=keep".into()));
    let figures = report["course"].as_object().unwrap();
    assert_eq!(figures.keys().collect::<Vec<_>>(), ["looked_at", "price", "way"]);
    assert_eq!(figures["price"], 9);
    // Every command that takes a course takes a file.
    let checked = json(&["check", "1 2 3/8 4 0/7 6 5", "--as", &file, "--json"]);
    assert_eq!(checked["puzzle"]["goal"], serde_json::json!([1, 2, 3, 8, 0, 4, 7, 6, 5]));
    assert_eq!(run(&["explain", "1 2 3/8 4 0/7 6 5", "--as", &file, "--step", "1"]).code, Some(0));
    let ran = run(&["compare", "1 2 3/8 4 0/7 6 5", "--as", &file]);
    assert!(ran.out.contains("best") && ran.out.contains("wide"), "{}{}", ran.out, ran.err);
    let found = json(&["match", "1 2 3/8 4 0/7 6 5", "--expanded", "2", "--as", &file, "--json"]);
    assert_eq!(found["found"][0]["course"], "mine");
    let ran = run(&["courses", &file]);
    assert!(ran.out.starts_with("mine: a course of a lecturer's own\n"), "{}", ran.out);
    assert_eq!(json(&["courses", &file, "--json"])["default"], "best");
    assert_eq!(run(&["courses", &file, "--toml"]).out, MINE);
    assert_eq!(run_with(&["ask", "--as", &file], "1\n1\n").code, Some(0));
}

#[test]
fn a_lecturers_figures_are_reproduced() {
    let file = course_file("course-suite", MINE);
    let ran = run(&["reproduce", &file]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_data_eq!(
        ran.out,
        str![[r#"
mine                               published  ours
best 1 2 3/8 4 0/7 6 5: price/way     4/Left  equal
slide 7                                    5  misprint (1)
slide 8                                   12  open (2)
(1) ours: 4; the slide has a typing error
(2) the slide does not say what was solved
1 instance is left out; --long runs all


"#]]
    );
    assert_eq!(json(&["reproduce", &file, "--all", "--json"])["equal"], 2);
    // A misprint is one only while our figure is the right one.
    let wrong = course_file("course-suite-wrong", &MINE.replace("actual = 4", "actual = 6"));
    let ran = run(&["reproduce", &wrong]);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    // Never the figures of another course.
    let none = course_file("course-suite-none", MINE.split("[[suite]]").next().unwrap());
    for args in [&["reproduce", &none][..], &["reproduce", &none, "--json"]] {
        let ran = run(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(ran.err.contains("mine has no published figures to reproduce"), "{}", ran.err);
    }
}

#[test]
fn the_faults_of_a_course_file_have_places() {
    for (from, to, fault, hint) in [
        ("goal =", "gaol =", ":4:1: unknown key 'gaol'", "did you mean 'goal'?"),
        (
            "order=fifo",
            "order=fif",
            ":11:33: methods[1].method: order can't be 'fif'",
            "order is fifo, lifo, ",
        ),
        (
            "{price}",
            "{prize}",
            ":27:28: wording.solved: unknown placeholder 'prize'",
            "did you mean 'price'?",
        ),
    ] {
        let file = course_file("course-faults", &MINE.replace(from, to));
        for command in [&["solve", "--as"][..], &["courses"], &["reproduce"]] {
            let ran = run(&[command, &[&file]].concat());
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{command:?}");
            let expected = format!("error: {file}{fault}\nhint: {hint}");
            assert!(ran.err.starts_with(&expected), "{}", ran.err);
            assert_eq!(ran.err.lines().count(), 2, "{}", ran.err);
        }
    }
    let ran = run(&["solve", "--as", "./nowhere.toml"]);
    assert_eq!(ran.code, Some(2));
    let error = "error: ./nowhere.toml: no such file\nhint: check the path; 'taquin list courses";
    assert!(ran.err.starts_with(error), "{}", ran.err);
}

#[test]
fn a_built_in_course_is_a_file_to_start_from() {
    let ran = run(&["courses", "uta", "--toml"]);
    assert_eq!(ran.code, Some(0));
    let file = course_file("course-start", &ran.out.replace("name = \"uta\"", "name = \"mine\""));
    let built_in = json(&["solve", "2 3 6/1 0 7/4 8 5", "--as", "uta", "--json"]);
    let own = json(&["solve", "2 3 6/1 0 7/4 8 5", "--as", &file, "--json"]);
    assert_eq!((&own["course"], &own["as"]), (&built_in["course"], &"mine".into()));
    assert_eq!(run(&["courses", "--toml"]).code, Some(2));
}
