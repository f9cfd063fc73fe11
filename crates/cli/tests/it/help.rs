//! The help texts: they fit a terminal of 80 columns, and every command has examples.

use std::fmt::Write;

use serde_json::Value;

use crate::run::{folder, run, taquin};

fn help(args: &[&str], columns: &str) -> String {
    let wanted = if args.is_empty() { &["help", "--all"][..] } else { &["--help"] };
    let output = taquin().args(args).args(wanted).env("COLUMNS", columns).output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the commands that a help text lists.
fn commands(help: &str) -> Vec<String> {
    // The commands of the program are in groups, those of a command in one list.
    let list = match help.split_once("Solve and play:\n") {
        Some((_, list)) => list.split_once("\nOptions:\n").map_or(list, |(list, _)| list),
        None => help
            .split_once("Commands:\n")
            .map_or("", |(_, list)| list.split_once("\n\n").map_or(list, |(list, _)| list)),
    };
    let lines = list.lines().filter(|line| line.starts_with("  "));
    let names = lines.filter(|line| !line.starts_with("   "));
    let name = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    names.map(name).filter(|name| name != "help").collect()
}

#[test]
fn the_first_screen_fits_a_terminal() {
    let first = run(&["--help"]);
    assert_eq!(first.code, Some(0), "{}", first.err);
    let lines = first.out.lines().count();
    assert!(lines <= 28 && first.out.lines().all(|line| line.chars().count() <= 80), "{lines}");
    for words in ["taquin play", "taquin serve --open", "taquin ask", "taquin help --all"] {
        assert!(first.out.contains(words), "{}", first.out);
    }
    assert_eq!(run(&["help"]).out, first.out);
    assert_eq!(run(&["-h"]).out, first.out);
    // Without a command it is a message, and a script sees that something is missing.
    let bare = run(&[]);
    assert_eq!((bare.code, bare.err), (Some(2), first.out));
}

#[test]
fn help_explains_a_command_by_any_of_its_names() {
    for (old, new) in [
        ("check", "solvable"),
        ("gen", "generate"),
        ("show", "draw"),
        ("pdb", "tables"),
        ("methods", "list methods"),
        ("courses", "list courses"),
        ("submit", "task submit"),
    ] {
        let new: Vec<&str> = new.split(' ').collect();
        let named = run(&[&["help"], &new[..]].concat());
        assert_eq!(named.code, Some(0), "{new:?}: {}", named.err);
        // The lines before name the command as it was called.
        let options = |text: &str| {
            let (_, usage) = text.split_once("\nUsage: ").unwrap();
            usage.split_once("\n\n").unwrap().1.to_owned()
        };
        assert_eq!(options(&run(&[old, "--help"]).out), options(&named.out), "{old}");
    }
    let unknown = run(&["help", "nothing"]);
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown
            .err
            .contains("unrecognized subcommand 'nothing'\n\n  tip: 'taquin help --all' lists"),
        "{}",
        unknown.err
    );
}

/// The older spellings of commands, options and values do the same.
#[test]
fn older_spellings_keep_working() {
    let board = "1 2 3/4 0 6/7 5 8";
    for (old, new) in [
        (
            &["gen", "--size", "2x3", "--count", "3", "--seed", "1"][..],
            &["generate", "2x3", "--number", "3", "--seed", "1"][..],
        ),
        (
            &["check", "1 3 4/8 0 2/7 6 5", "--goal", "snail"],
            &["solvable", "1 3 4/8 0 2/7 6 5", "--goal", "spiral"],
        ),
        (&["show", board], &["draw", board]),
        (&["convert", board, "--to", "rows"], &["convert", board, "--format", "rows"]),
        (&["methods"], &["list", "methods"]),
        (&["courses", "ucr-list"], &["list", "courses", "ucr-list"]),
        (
            &["solve", board, "--all", "--count", "-m", "bfs"],
            &["solve", board, "--all-solutions", "--count-only", "-m", "bfs"],
        ),
        (&["queens", "4", "--all"], &["queens", "4", "--all-solutions"]),
        (&["audit", "misplaced", "--size", "2x2"], &["audit", "misplaced", "2x2"]),
        (&["enumerate", "2x2", "--json"], &["enumerate", "--size", "2x2", "--json"]),
        (&["pdb", "list", "--json"], &["tables", "list", "--json"]),
    ] {
        let (old, new) = (run(old), run(new));
        assert_eq!(old.code, Some(0), "{}", old.err);
        let steady = |text: &str| {
            text.lines()
                .filter(|line| !line.contains("seconds") && !line.contains("expanded"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert_eq!(steady(&old.out), steady(&new.out));
    }
}

#[test]
fn a_goal_can_be_in_a_file_for_every_command() {
    let file = folder("goal-file").join("goal.txt");
    std::fs::write(&file, "1 2 3/8 0 4/7 6 5\n").unwrap();
    let goal = format!("@{}", file.display());
    for command in [&["solvable", "1 3 4/8 0 2/7 6 5"][..], &["audit", "misplaced"], &["generate"]]
    {
        let with = |goal: &str| {
            let ran = run(&[command, &["--goal", goal]].concat());
            assert_ne!(ran.code, Some(2), "{}", ran.err);
            (ran.code, if command == ["generate"] { String::new() } else { ran.out })
        };
        assert_eq!(with(&goal), with("spiral"), "{command:?}");
    }
    let missing = run(&["generate", "--goal", "@/no/such/file"]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.err.contains("/no/such/file: no such file\nhint: "), "{}", missing.err);
}

#[test]
fn help_fits_80_columns() {
    let mut pages = vec![vec![]];
    for command in commands(&help(&[], "80")) {
        let below = commands(&help(&[&command], "80"));
        pages.extend(below.into_iter().map(|name| vec![command.clone(), name]));
        pages.push(vec![command]);
    }
    assert!(pages.len() > 30, "{pages:?}");
    for page in pages {
        let args: Vec<&str> = page.iter().map(String::as_str).collect();
        let text = help(&args, "80");
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{args:?}: {line}");
        }
        // Examples and the text below them are not wrapped.
        let wide = help(&args, "200");
        if let Some((_, examples)) = wide.split_once("Example") {
            assert!(text.contains(examples), "{args:?} has examples that are wrapped:\n{text}");
        } else {
            assert!(args.is_empty() || args.len() == 2, "{args:?}");
        }
    }
}

/// The Python package has a keyword for each of these options; a test of it compares them.
#[test]
fn the_python_package_knows_the_options() {
    let mut list = String::new();
    for command in [
        "solve",
        "generate",
        "enumerate",
        "audit",
        "compare",
        "match",
        "experiment run",
        "experiment report",
        "experiment export",
    ] {
        let words: Vec<&str> = command.split(' ').collect();
        let text = help(&words, "80");
        let mut options: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("  -") || line.starts_with("      --"))
            .filter_map(|line| {
                line.split(&[' ', ',', '[', '=']).find(|word| word.starts_with("--"))
            })
            .collect();
        options.sort_unstable();
        options.dedup();
        list.extend(options.iter().map(|option| format!("{command} {option}\n")));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/tests/command_line.txt");
    let known = std::fs::read_to_string(path).unwrap_or_default();
    let is_known = known == list;
    if !is_known {
        std::fs::write(path, list).unwrap();
    }
    assert!(is_known, "{path} was out of date and has been written again: run cargo xtask python");
}

/// The pages of the book that the program writes: nothing on them is copied by hand.
#[test]
fn the_reference_is_what_the_program_prints() {
    let block = |text: &str| format!("```text\n{}\n```\n", text.trim_end());
    let note = "<!-- The test the_reference_is_what_the_program_prints writes this page. -->\n";
    let out = |args: &[&str]| {
        let ran = taquin().args(args).env("COLUMNS", "100").output().unwrap();
        String::from_utf8(ran.stdout).unwrap()
    };
    let mut commands_page = format!("# Commands\n\n{note}\n{}", block(&help(&[], "100")));
    for command in commands(&help(&[], "80")) {
        let text = help(&[&command], "100");
        let _ = write!(commands_page, "\n## taquin {command}\n\n{}", block(&text));
        for name in commands(&text) {
            let text = help(&[&command, &name], "100");
            let _ = write!(commands_page, "\n### taquin {command} {name}\n\n{}", block(&text));
        }
    }
    let methods = format!(
        "# Methods, heuristics and fields\n\n{note}\n{}",
        block(&out(&["list", "methods"]))
    );
    let sets = format!(
        "# Courses and instance sets\n\n{note}\n## Courses\n\n{}\n## Instance sets\n\n{}",
        block(&out(&["list", "courses"])),
        block(&out(&["list", "instances"]))
    );
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut json = format!("# JSON documents\n\n{note}");
    for name in ["report", "step", "plan", "course", "rubric", "lesson"] {
        let file = std::fs::read_to_string(format!("{root}/schemas/{name}.json")).unwrap();
        let schema: Value = serde_json::from_str(&file).unwrap();
        let title = schema["title"].as_str().unwrap();
        let mut section = format!("\n## {title}\n\n[Schema](../../schemas/{name}.json)\n");
        section.extend(tables_of(&schema));
        add_parts(&mut section, &schema);
        json += &section;
    }
    let folder = format!("{root}/docs/reference");
    let mut written = Vec::new();
    let pages = [("commands", commands_page), ("methods", methods), ("sets", sets), ("json", json)];
    for (name, page) in pages {
        let path = format!("{folder}/{name}.md");
        if std::fs::read_to_string(&path).unwrap_or_default() != page {
            std::fs::write(&path, page).unwrap();
            written.push(path);
        }
    }
    assert!(written.is_empty(), "out of date, and written again: {written:?}");
}

/// Adds the tables of the objects in a schema, each once.
fn add_parts(section: &mut String, schema: &Value) {
    for parts in [&schema["$defs"], &schema["properties"]] {
        for (name, field) in parts.as_object().into_iter().flatten() {
            let part = if field["items"].is_object() { &field["items"] } else { field };
            let table =
                if part["properties"].is_object() { tables_of(part).concat() } else { continue };
            if !section.contains(&table) {
                let _ = write!(section, "\n### {name}\n{table}");
            }
            add_parts(section, part);
        }
    }
}

/// Returns a table with the fields of a schema, or one for each of its alternatives.
fn tables_of(schema: &Value) -> Vec<String> {
    if let Some(alternatives) = schema["oneOf"].as_array() {
        return alternatives.iter().flat_map(tables_of).collect();
    }
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut table = "\n| field | type | meaning |\n|---|---|---|\n".to_owned();
    for (name, field) in schema["properties"].as_object().unwrap() {
        let optional = if required.contains(&name.as_str()) { "" } else { ", optional" };
        let meaning = field["description"].as_str().unwrap_or_default();
        let _ = writeln!(table, "| `{name}` | {}{optional} | {meaning} |", type_of(field));
    }
    vec![table]
}

/// Describes the type of a field.
fn type_of(field: &Value) -> String {
    let texts = |value: &Value| match value {
        Value::Array(all) => {
            all.iter().map(|one| format!("`{}`", one.to_string().replace('"', ""))).collect()
        }
        one => vec![one.to_string().replace('"', "")],
    };
    if let Some(alternatives) = field["anyOf"].as_array() {
        return alternatives.iter().map(type_of).collect::<Vec<_>>().join(" or ");
    }
    if let Some(name) = field["$ref"].as_str() {
        return name.rsplit('/').next().unwrap().to_owned();
    }
    if !field["const"].is_null() {
        return format!("`{}`", field["const"].to_string().replace('"', ""));
    }
    if !field["enum"].is_null() {
        return texts(&field["enum"]).join(" ");
    }
    let types = match &field["type"] {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        one => one.as_str().unwrap_or("any").to_owned(),
    };
    match (types.as_str(), &field["items"]) {
        ("array", Value::Null) => types,
        ("array", items) => format!("{}[]", type_of(items)),
        _ => types,
    }
}

/// The table of exit codes in the book has the codes that the help lists.
#[test]
fn the_exit_codes_of_the_book_are_those_of_the_help() {
    let numbers = |text: &str| -> Vec<u32> {
        let words = text.split(|c: char| !c.is_ascii_digit());
        let mut all: Vec<u32> = words.filter_map(|word| word.parse().ok()).collect();
        all.sort_unstable();
        all
    };
    let help = help(&[], "80");
    let (_, listed) = help.split_once("Exit codes:").unwrap();
    let page = include_str!("../../../../docs/scripts.md");
    let rows = page.lines().filter(|line| line.starts_with('|'));
    let first_cells: Vec<&str> = rows.filter_map(|row| row.split('|').nth(1)).collect();
    assert_eq!(numbers(listed), numbers(&first_cells.join(" ")));
}
