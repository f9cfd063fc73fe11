//! No command uses another: code that two of them need is a module next to the commands.

use std::collections::BTreeSet;
use std::path::Path;

use crate::workspace::{path, sources, words};

/// The modules of `commands` that a command's file names, other than itself.
fn others(command: &str, is_nested: bool, text: &str, commands: &BTreeSet<String>) -> Vec<String> {
    let code: String = text
        .lines()
        .map(|line| line.split_once("//").map_or(line, |(code, _)| code))
        .collect::<Vec<_>>()
        .join("\n");
    // In a file of the folder itself `super` is `commands`.
    let up = if is_nested { "super::super::" } else { "super::" };
    let mut found = Vec::new();
    for start in ["commands::", up] {
        for (at, _) in code.match_indices(start) {
            if start == up && code[..at].ends_with("super::") {
                continue;
            }
            let rest = &code[at + start.len()..];
            // The names directly below: one, or those in a list, without deeper ones.
            let names: Vec<&str> = match rest.strip_prefix('{') {
                Some(list) => top_level(list),
                None => words(rest).take(1).collect(),
            };
            // `commands::run` runs any command.
            let is_other =
                |name: &&str| *name != command && (commands.contains(*name) || *name == "run");
            found.extend(names.into_iter().filter(is_other).map(str::to_owned));
        }
    }
    found
}

/// The first words of the items in a braced list.
fn top_level(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (at, character) in list.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => {
                items.push(&list[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.into_iter().filter_map(|item| words(item).next()).collect()
}

/// The command that a file below `commands/` belongs to.
fn command(file: &Path, folder: &Path) -> (String, bool) {
    let inside = file.strip_prefix(folder).unwrap();
    let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
    (first.trim_end_matches(".rs").to_owned(), inside.components().count() > 1)
}

#[test]
fn no_command_uses_another() {
    let folder = path("crates/cli/src/commands");
    let files = sources(&folder);
    let commands: BTreeSet<String> =
        files.iter().map(|(file, _)| command(file, &folder).0).collect();
    assert!(commands.len() > 15, "{commands:?}");
    let mut wrong = Vec::new();
    for (file, text) in &files {
        let (name, is_nested) = command(file, &folder);
        for other in others(&name, is_nested, text, &commands) {
            let inside = file.strip_prefix(&folder).unwrap().display();
            wrong.push(format!("commands/{inside} uses {other}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn uses_are_found_however_they_are_written() {
    let commands = ["solve", "pdb", "show"].map(str::to_owned).into();
    let found = |is_nested, text| others("solve", is_nested, text, &commands);
    for (text, expected) in [
        ("use crate::commands::pdb::prepare;", 1),
        ("use crate::commands::{pdb, show::write, solve};", 2),
        ("use crate::{commands::pdb, output};", 1),
        ("use super::{solve::{pdb}, show};", 1),
        ("commands::run(cli.command)", 1),
        ("super::pdb::prepare()", 1),
        ("// as crate::commands::pdb does\nuse crate::output;", 0),
        ("use crate::commands::solve::batch;", 0),
        ("use crate::pdb;", 0),
    ] {
        assert_eq!(found(false, text).len(), expected, "{text}");
    }
    assert!(found(true, "use super::pdb;").is_empty());
    assert_eq!(found(true, "use super::super::pdb;"), ["pdb"]);
}
