//! The help texts: they fit a terminal of 80 columns, and every command has examples.

use crate::run::taquin;

fn help(args: &[&str], columns: &str) -> String {
    let output = taquin().args(args).arg("--help").env("COLUMNS", columns).output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the commands that a help text lists.
fn commands(help: &str) -> Vec<String> {
    // The commands of the program are in groups, those of a command in one list.
    let list = match help.split_once("Puzzles:\n") {
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
            assert!(args.is_empty() || args == ["methods"] || args.len() == 2, "{args:?}");
        }
    }
}

/// The Python package has a keyword for each of these options; a test of it compares them.
#[test]
fn the_python_package_knows_the_options() {
    let mut list = String::new();
    for command in [
        "solve",
        "gen",
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
