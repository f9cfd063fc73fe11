//! `cargo xtask page` looks for the target of the module before it compiles anything.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

const TARGET: &str = "wasm32-unknown-unknown";

/// Runs `cargo xtask page` where the target is missing and nothing can be compiled. Returns what it
/// prints, and what `rustup` was asked for.
fn page(arguments: &[&str]) -> (String, String) {
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page-tools");
    fs::create_dir_all(&tools).unwrap();
    let rustup = tools.join("rustup");
    let _ = fs::remove_file(&rustup);
    std::os::unix::fs::symlink("/bin/echo", &rustup).unwrap();
    let others = env::var_os("PATH").unwrap_or_default();
    let folders = [tools].into_iter().chain(env::split_paths(&others));
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
    xtask.arg("page").args(arguments).env("PATH", env::join_paths(folders).unwrap());
    // No folder is called what these print, and no crate is compiled by a program that fails.
    let output =
        xtask.env("RUSTC", "echo").env("CARGO", "false").env_remove("CI").output().unwrap();
    assert!(!output.status.success());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stderr), text(output.stdout))
}

#[test]
fn the_target_is_looked_for_first() {
    let (said, asked) = page(&[]);
    let remedy = format!("the target {TARGET} is missing: rustup target add {TARGET}");
    assert!(said.starts_with(&remedy) && asked.is_empty(), "{said}{asked}");
}

#[test]
fn the_target_is_installed_if_that_is_allowed() {
    let (said, asked) = page(&["--install"]);
    assert_eq!(asked, format!("target add {TARGET}\n"), "{said}");
}
