//! No test uses the account's cached tables: its result must not depend on earlier builds. And no code
//! depends on whether it is tested.
//!
//! `cargo xtask test` holds the other half: it fails if a test writes to the account's folder.

use crate::workspace::{packages, path, sources};

/// Ways to the account's folder, and the files in which a test may use them.
const WAYS: [&str; 4] =
    ["Session::new", "Session::default()", "of_account()", "CARGO_BIN_EXE_taquin"];
const EXCEPT: [&str; 1] = ["xtask/tests/it/hermetic.rs"];

/// A test file that names the program must give it a folder of its own.
const FOLDER: &str = "\"TAQUIN_CACHE\"";

#[test]
fn tests_do_not_use_the_tables_of_the_account() {
    let mut wrong = Vec::new();
    for package in packages() {
        for (file, text) in sources(&package.folder.join("tests")) {
            let name = file.strip_prefix(path("")).unwrap().display().to_string();
            if EXCEPT.contains(&name.as_str()) {
                continue;
            }
            let found = WAYS.iter().filter(|way| text.contains(*way));
            for way in found.filter(|way| !way.starts_with("CARGO") || !text.contains(FOLDER)) {
                wrong.push(format!("{name}: {way}"));
            }
        }
        for (file, text) in sources(&package.folder.join("src")) {
            let Some((_, tests)) = text.split_once("#[cfg(test)]\nmod tests") else { continue };
            for way in WAYS.iter().filter(|way| tests.contains(*way)) {
                wrong.push(format!("{}: {way}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "use Session::without_folder:\n{}", wrong.join("\n"));
}

/// Users run the code that is tested.
#[test]
fn no_code_asks_whether_it_is_tested() {
    let ways = ["cfg!(test)", "cfg(not(test))"];
    for package in packages() {
        for (file, text) in sources(&package.folder.join("src")) {
            assert!(!ways.iter().any(|way| text.contains(way)), "{}", file.display());
        }
    }
}
