//! What a contributor runs.
#![allow(clippy::print_stdout, clippy::print_stderr)]

fn main() {
    println!("check | test | sign | bench");
}
