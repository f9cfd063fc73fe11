//! The documents show what the program prints.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::folder;

/// A command of a console block and the output below it.
struct Shown {
    command: String,
    output: Vec<String>,
}

/// The commands of a document that have output, from its console blocks.
fn shown(document: &Path) -> Vec<Shown> {
    let text = fs::read_to_string(document).unwrap();
    let mut all: Vec<Shown> = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        match line.strip_prefix("$ ") {
            _ if line.starts_with("```") => in_block = line == "```console",
            _ if !in_block => {}
            Some(command) => all.push(Shown { command: command.to_owned(), output: Vec::new() }),
            None => all.last_mut().expect("a command").output.push(line.to_owned()),
        }
    }
    all.retain(|shown| !shown.output.is_empty());
    all
}

/// The documents whose console blocks show output.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["docs/tutorials", "docs/howto", "docs/explanation"];
    let pages = folders.iter().flat_map(|folder| fs::read_dir(root.join(folder)).unwrap());
    pages.map(|entry| entry.unwrap().path()).chain([root.join("README.md")]).collect()
}

/// Replaces times and sizes, which differ from run to run, and the spaces around them.
fn steady(line: &str) -> String {
    let units = ["ns", "µs", "ms", "s", "B", "KB", "MB", "GB"];
    let mut words: Vec<&str> = Vec::new();
    for word in line.split_whitespace() {
        let unit = word.trim_end_matches([',', ';']);
        if units.contains(&unit) && words.last().is_some_and(|last| last.parse::<f64>().is_ok()) {
            // A slower machine says ms instead of µs.
            words.pop();
            words.push("N");
            words.push(&word[unit.len()..]);
            continue;
        }
        words.push(word);
    }
    words.join(" ")
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages =
        |folder: &str| fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let is_page = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "md") && !path.is_symlink()
    };
    let folders =
        ["", "docs", "docs/tutorials", "docs/howto", "docs/explanation", "docs/reference"];
    let all = folders.into_iter().flat_map(pages).chain(pages("python"));
    let mut checked = 0;
    for page in all.filter(is_page) {
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')) {
            let target = link.0.split('#').next().unwrap_or_default();
            if !target.is_empty() && !target.contains(':') {
                let path = page.parent().unwrap().join(target);
                assert!(path.exists(), "{}: {target}", page.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn console_blocks_show_what_the_program_prints() {
    let scratch = folder("documents");
    let program = Path::new(env!("CARGO_BIN_EXE_taquin")).parent().unwrap();
    let mut checked = 0;
    for document in documents() {
        for Shown { command, output } in shown(&document) {
            let ran = Command::new("sh")
                .args(["-c", &command])
                .current_dir(&scratch)
                .env("PATH", format!("{}:/usr/bin:/bin", program.display()))
                .env("TAQUIN_CACHE", crate::run::cache())
                .env("TAQUIN_CONFIG", "")
                .env("NO_COLOR", "1")
                .env("COLUMNS", "100")
                .output()
                .unwrap();
            // Summaries are on standard error, after the solution.
            let printed = [ran.stdout, ran.stderr].concat();
            let printed = String::from_utf8(printed).unwrap();
            let mut printed = printed.lines().map(steady);
            let mut skips = false;
            for line in output {
                if line == "..." {
                    skips = true;
                    continue;
                }
                let wanted = steady(&line);
                let next =
                    if skips { printed.find(|line| *line == wanted) } else { printed.next() };
                assert_eq!(next.as_ref(), Some(&wanted), "{}: {command}", document.display());
                skips = false;
            }
            assert!(
                skips || printed.next().is_none(),
                "{}: {command} prints more",
                document.display()
            );
            checked += 1;
        }
    }
    assert!(checked >= 30, "{checked}");
}
