//! The structure of the program: no command uses another; shared code lives next to `commands/`.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns every Rust file in `folder` and below.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(sources(&path)),
            false => files.extend(path.extension().is_some_and(|end| end == "rs").then_some(path)),
        }
    }
    files
}

/// Returns the modules that `text` names after `commands::`, alone or in braces.
fn used_commands(text: &str) -> Vec<&str> {
    let word = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_');
    let first_word = |text: &'_ str| word(text).unwrap_or(text.len());
    let mut used = Vec::new();
    for (at, found) in text.match_indices("commands::") {
        let rest = &text[at + found.len()..];
        let names = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or(list).split(',').collect(),
            None => vec![rest],
        };
        used.extend(names.into_iter().map(str::trim).map(|name| &name[..first_word(name)]));
    }
    used
}

#[test]
fn no_command_uses_another() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folder = source.join("commands");
    let list = fs::read_to_string(source.join("commands.rs")).unwrap();
    let commands: Vec<&str> = list
        .lines()
        .filter_map(|line| line.strip_prefix("pub(crate) mod ")?.strip_suffix(';'))
        .collect();
    assert!(commands.len() > 20, "{commands:?}");
    for file in sources(&source) {
        // These two list all commands: their arguments, and their functions.
        if file == source.join("args.rs") || file == source.join("commands.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let inside = file.strip_prefix(&folder).ok().and_then(|path| path.iter().next());
        let own = inside.map(|name| name.to_string_lossy().trim_end_matches(".rs").to_owned());
        for used in used_commands(&text) {
            let foreign = commands.contains(&used) && Some(used) != own.as_deref();
            assert!(!foreign, "{} uses the command {used}", file.display());
        }
        // `super` of a file directly in the folder is the list of all commands.
        let through_super = file.parent() == Some(&folder) && text.contains("super::");
        assert!(!through_super && !text.contains("super::super"), "{}", file.display());
    }
}

#[test]
fn used_commands_are_found() {
    let text = "use crate::commands::{pdb, show as pictures};\ncrate::commands::solve::run()";
    assert_eq!(used_commands(text), ["pdb", "show", "solve"]);
}
