//! The licences of all dependencies, by the list in deny.toml.
//!
//! `cargo deny` checks the same and more, but has to be installed.

use std::collections::BTreeSet;
use std::fs;

use crate::workspace::{cargo, metadata, path};

/// The licences that deny.toml allows.
fn allowed() -> BTreeSet<String> {
    let text = fs::read_to_string(path("deny.toml")).unwrap();
    let list = text.split_once("[licenses]\nallow = [").unwrap().1.split_once(']').unwrap().0;
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns whether one of the ways to satisfy an SPDX expression is allowed. Some crates still
/// write a slash for OR.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let expression = expression.replace('/', " OR ");
    let spaced = expression.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
    let mut words = words.into_iter().peekable();
    let result = either(&mut words, allowed);
    result && words.peek().is_none()
}

type Words = std::iter::Peekable<std::vec::IntoIter<String>>;

fn either(words: &mut Words, allowed: &BTreeSet<String>) -> bool {
    let mut result = both(words, allowed);
    while words.next_if(|word| word == "OR").is_some() {
        result |= both(words, allowed);
    }
    result
}

fn both(words: &mut Words, allowed: &BTreeSet<String>) -> bool {
    let mut result = one(words, allowed);
    while words.next_if(|word| word == "AND").is_some() {
        result &= one(words, allowed);
    }
    result
}

fn one(words: &mut Words, allowed: &BTreeSet<String>) -> bool {
    if words.next_if(|word| word == "(").is_some() {
        let result = either(words, allowed);
        return result && words.next_if(|word| word == ")").is_some();
    }
    let mut name = words.next().unwrap_or_default();
    if words.next_if(|word| word == "WITH").is_some() {
        name = format!("{name} WITH {}", words.next().unwrap_or_default());
    }
    allowed.contains(&name)
}

/// The platform that this test runs on: the crates of others may not have been downloaded.
fn host() -> String {
    let output = cargo().arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned()
}

#[test]
fn every_dependency_has_a_permissive_licence() {
    let allowed = allowed();
    let metadata = metadata(&["--filter-platform", &host()]);
    for package in metadata["packages"].as_array().unwrap() {
        let licence = package["license"].as_str().unwrap_or("no licence");
        assert!(is_allowed(licence, &allowed), "{}: {licence}", package["name"]);
    }
}

#[test]
fn expressions_are_read_as_spdx_has_them() {
    let allowed = allowed();
    for good in [
        "MIT",
        "MIT OR GPL-3.0",
        "GPL-3.0 OR MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Unlicense/MIT",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(is_allowed(good, &allowed), "{good}");
    }
    for bad in [
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT OR Apache-2.0) AND GPL-3.0",
        "Apache-2.0 WITH other",
        "SSPL-1.0",
        "no licence",
        "",
    ] {
        assert!(!is_allowed(bad, &allowed), "{bad}");
    }
}
