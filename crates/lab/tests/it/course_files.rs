//! Courses as files: the reference for the format, and faults in a file.

use taquin_lab::{Course, CourseError, FigureKind};

/// A course with everything that is required.
const LEAST: &str = r#"
name = "least"
about = "as little as possible"
[[methods]]
names = ["bfs"]
method = "bfs"
"#;

fn reference() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/courses.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn the_reference_names_every_key_figure_and_format() {
    let text = reference();
    for (table, keys) in Course::FILE_KEYS {
        let section = match table {
            "" => text.split("## The keys").nth(1).unwrap(),
            _ => text.split(&format!("[{table}]")).last().unwrap(),
        };
        let section = section.split("\n##").next().unwrap();
        for key in keys {
            assert!(section.contains(&format!("\n| `{key}` | ")), "[{table}] {key}");
        }
        let rows = section.matches("\n| `").count();
        assert_eq!(rows, keys.len(), "[{table}]");
    }
    for (_, name, about) in FigureKind::ALL {
        assert!(text.contains(&format!("| `{name}` | {about} |")), "{name}");
    }
    for format in taquin::BoardFormat::ALL {
        assert!(text.contains(&format!("`{format}`")), "{format}");
    }
}

#[test]
fn the_example_of_the_reference_is_a_course() {
    let text = reference();
    let example = text.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let course = Course::read(example).unwrap();
    assert_eq!(course.name, "ai101");
    assert_eq!(course.toml(), example);
    let mut found = Vec::new();
    let session = taquin::Session::without_folder();
    let mut report =
        |finding: taquin_lab::FigureCheck| found.push((finding.published, finding.ours));
    taquin_lab::reproduce(
        &course,
        taquin_lab::Extent::default(),
        &session,
        &std::sync::Arc::default(),
        &mut report,
    )
    .unwrap();
    assert_eq!(found, [("6/8".to_owned(), Some("6/8".to_owned()))]);
}

#[test]
fn a_course_needs_little() {
    let course = Course::read(LEAST).unwrap();
    assert_eq!((course.default.as_str(), course.figures.len()), ("bfs", 0));
    assert_eq!(
        (course.goal.to_string().as_str(), course.jumps, course.seconds),
        ("last", false, None)
    );
    assert!(course.wording.expansion.starts_with("The best state to expand"));
}

#[test]
fn a_course_can_have_a_goal_of_its_own() {
    let goal = "goal = \"1 2 3/4 0 5/6 7 8\"\n";
    let suite = "[figures]\nmoves = \"depth\"\n[[suite]]\nboard = \"1 2 3/0 4 5/6 7 8\"\n\
                 figures = [\"moves\"]\npublished = 1\n";
    let course = Course::read(&format!("{goal}{LEAST}{suite}")).unwrap();
    assert_eq!(course.goal.to_string(), "1 2 3/4 0 5/6 7 8");
    assert_eq!(serde_json::to_value(&course).unwrap()["goal"], "1 2 3/4 0 5/6 7 8");
    assert!(course.puzzle("1 2/3 0".parse().unwrap()).is_err());
    let (mut found, session) = (Vec::new(), taquin::Session::without_folder());
    let extent = taquin_lab::Extent::default();
    let monitor = std::sync::Arc::default();
    let mut report = |finding: taquin_lab::FigureCheck| found.push(finding.ours.unwrap());
    taquin_lab::reproduce(&course, extent, &session, &monitor, &mut report).unwrap();
    assert_eq!(found, ["1"]);
    // All boards of the file have its tiles.
    let small = format!("{goal}board = \"1 2/3 0\"\n{LEAST}");
    assert_eq!(faults(&small), ["1:1: the board 1 2/3 0 does not fit the goal 1 2 3/4 0 5/6 7 8"]);
    assert_eq!(
        faults(&format!("goal = \"1 2 2/4 0 5/6 7 8\"\n{LEAST}")).len(),
        1,
        "a goal has each tile once"
    );
    assert!(faults(&format!("goal = \"lst\"\n{LEAST}"))[0].contains("goal 'lst'"));
}

/// The faults of a text, as a person reads them.
fn faults(text: &str) -> Vec<String> {
    let error = Course::read(text).unwrap_err();
    let line = |fault: &taquin_lab::TomlFault| {
        let hint = fault.hint.as_ref().map_or_else(String::new, |hint| format!(" ({hint})"));
        format!("{}:{}: {fault}{hint}", fault.place.line, fault.place.column)
    };
    error.faults.iter().map(line).collect()
}

#[test]
fn every_fault_has_its_place_and_field() {
    for (change, expected) in [
        (("name =", "nam ="), "1:1: the key 'name' is missing"),
        (("\nname =", "\nnam ="), "2:1: unknown key 'nam' (did you mean 'name'?)"),
        (("\"least\"", "\"a/b\""), "2:9: name: a name has letters, digits, '-' and '_' only"),
        (("\"least\"", "7"), "2:8: name: expected a string, not integer"),
        (("[[methods]]", "goal = \"lst\"\n[[methods]]"), "4:9: goal: "),
        (("[[methods]]", "cost = \"dear\"\n[[methods]]"), "4:9: cost: "),
        (("[[methods]]", "jumps = 1\n[[methods]]"), "4:9: jumps: expected true or false"),
        (("[[methods]]", "seconds = 0\n[[methods]]"), "4:11: seconds: expected a number from 1"),
        (("[[methods]]", "board = \"1 2/1 0\"\n[[methods]]"), "4:14: board: tile 1 appears twice"),
        (("[[methods]]", "default = \"dfs\"\n[[methods]]"), "4:12: default: least has no method"),
        (("names", "name"), "5:1: methods[1]: unknown key 'name' (did you mean 'names'?)"),
        (("[\"bfs\"]", "[]"), "5:9: methods[1].names: a method has at least one name"),
        (("[\"bfs\"]", "[\"a\", \"A\"]"), "5:16: methods[1].names: the name 'A' is given twice"),
        (
            ("[\"bfs\"]", "[\"a,b\"]"),
            "5:11: methods[1].names: a name is not empty and has no comma",
        ),
        (
            ("= \"bfs\"", "= \"bfs,ordr=fifo\""),
            "6:15: methods[1].method: unknown field of bfs 'ordr'",
        ),
    ] {
        let found = faults(&LEAST.replacen(change.0, change.1, 1));
        assert!(found.iter().any(|fault| fault.starts_with(expected)), "{expected}: {found:?}");
    }
    for (more, expected) in [
        (
            "[figures]\nn = \"expandd\"",
            "8:6: figures.n: unknown figure 'expandd' (did you mean 'expanded'?)",
        ),
        ("[figures]\n\"a b\" = \"depth\"", "8:1: figures: the name of a figure has letters"),
        ("[figures]\nn = 7", "8:5: figures.n: expected a string, not integer"),
        (
            "[wording]\nformat = \"row\"",
            "8:11: wording.format: unknown format 'row' (did you mean 'rows'?)",
        ),
        ("[wording]\nblank = \"7\"", "8:10: wording.blank: a blank is not written '7'"),
        ("[wording]\nblank = \"no\"", "8:10: wording.blank: expected one character"),
        (
            "[wording]\nopening = \"{strt}\"",
            "8:12: wording.opening: unknown placeholder 'strt' (did you mean 'start'?)",
        ),
        (
            "[wording]\nnode = \"\"\"\nf = {f}\n{step}\"\"\"",
            "10:1: wording.node: unknown placeholder 'step'",
        ),
        ("[wording]\nsolved = \"{nodes}\"", "8:11: wording.solved: unknown placeholder 'nodes'"),
        (
            "[figures]\nnodes = \"expanded\"\n[wording]\nlate = \"{node}\"",
            "10:9: wording.late: unknown placeholder 'node' (did you mean 'nodes'?)",
        ),
        ("[wording]\nsolvd = \"\"", "8:1: wording: unknown key 'solvd' (did you mean 'solved'?)"),
        ("[[suite]]\nboard = \"1 2/3 0\"", "7:1: suite[1]: the key 'published' is missing"),
        (
            "[[suite]]\npublished = 3",
            "7:1: suite[1]: a row with 'actual' or without 'board' has a 'note'",
        ),
        (
            "[[suite]]\nboard = \"1 2/3 0\"\npublished = 3",
            "7:1: suite[1]: a row with 'board' has one of 'figures', 'tile', 'estimate'",
        ),
        (
            "[[suite]]\nboard = \"1 2/3 0\"\nfigures = [\"n\"]\npublished = 3",
            "9:13: suite[1].figures: unknown figure to compare 'n'",
        ),
        (
            "[[suite]]\nboard = \"1 2/3 0\"\nmethod = \"dfz\"\ntile = 1\npublished = 3",
            "9:11: suite[1].method: least has no method 'dfz'",
        ),
        (
            "[[suite]]\nboard = \"1 2/3 0\"\ntile = 1\npublished = true",
            "10:13: suite[1].published: expected a string",
        ),
    ] {
        let found = faults(&format!("{LEAST}{more}\n"));
        assert!(found.iter().any(|fault| fault.starts_with(expected)), "{expected}: {found:?}");
    }
    let twice = "[figures]\na = \"depth\"\n[[suite]]\nboard = \"1 2/3 0\"\nfigures = [\"a\"]\npublished = [1, 2]\n";
    assert_eq!(
        faults(&format!("{LEAST}{twice}")),
        ["9:1: suite[1]: there must be as many values as figures"]
    );
    let named = LEAST.replace("[[methods]]", "suite = \"korf\"\n[[methods]]");
    assert_eq!(faults(&named), ["4:10: suite: unknown suite 'korf' (did you mean 'korf85'?)"]);
}

#[test]
fn all_faults_are_reported_at_once() {
    let text = LEAST.replace("name =", "nme =").replace("\"bfs\"\n", "\"bfz\"\n");
    let found = faults(&text);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.is_sorted());
    // In a text that is not TOML, keys may be missing because of that.
    let found = faults(&LEAST.replace("about = ", "about "));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("3:"), "{found:?}");
}

#[test]
fn files_and_names_are_told_apart() {
    assert!(matches!(Course::resolve("nowhere"), Err(CourseError::Unknown { .. })));
    assert_eq!(Course::resolve("UTA").unwrap().name, "uta");
    // No file can have these names.
    for long in [format!("./{}", "x".repeat(5000)), format!("./{}\0", "x".repeat(1500))] {
        let error = Course::resolve(&long).unwrap_err();
        assert!(error.to_string().len() < 200, "{error}");
    }
    for path in ["./nowhere", "nowhere.toml", "no/where"] {
        let error = Course::resolve(path).unwrap_err();
        assert_eq!(error.to_string(), format!("{path}: no such file"));
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/courses");
    let error = Course::resolve(folder).unwrap_err();
    assert_eq!(error.to_string(), format!("{folder}: is a directory"));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/courses/42.toml");
    assert_eq!(Course::resolve(path).unwrap(), Course::find("42").unwrap());
    // A service looks for names only.
    assert!(matches!(Course::find(path), Err(CourseError::Unknown { .. })));
}
