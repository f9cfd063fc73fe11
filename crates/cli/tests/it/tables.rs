//! `pdb`: the tables that are kept, of both kinds.

use std::fs;

use crate::run::{folder, taquin};

#[test]
fn databases_and_whole_spaces_are_listed_checked_and_removed() {
    let cache = folder("tables");
    let pdb = |args: &[&str]| {
        let output = taquin().args(args).env("TAQUIN_CACHE", &cache).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    assert!(pdb(&["pdb", "list"]).2.starts_with("there are no tables in "));
    for args in [
        &["pdb", "build", "1.2.3", "--size", "3x3"][..],
        &["enumerate", "2x3", "--save"],
        &["enumerate", "2x3", "--save", "--metric", "multi"],
    ] {
        assert_eq!(pdb(args).0, Some(0), "{args:?}");
    }
    let (code, listed, _) = pdb(&["pdb", "list"]);
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!((code, lines.len()), (Some(0), 3), "{listed}");
    assert!(lines[0].starts_with("space     1 2 3/4 5 0 multi    360 boards  "), "{listed}");
    assert!(lines[1].starts_with("space     1 2 3/4 5 0 single   360 boards  "), "{listed}");
    assert!(lines[2].starts_with("database  xxx/.../..0         504 entries  "), "{listed}");
    let (code, shown, _) = pdb(&["pdb", "info", "2x3"]);
    assert_eq!(code, Some(0));
    assert!(shown.contains("  21   1  ##\n"), "{shown}");

    let (code, verified, _) = pdb(&["pdb", "verify"]);
    assert_eq!((code, verified.matches(": valid\n").count()), (Some(0), 3));
    // A damaged entry is found by reading it, a damaged header by a look.
    let file = cache.join("2x3-blank-5-single.space");
    let sound = fs::read(&file).unwrap();
    let damage = |at: usize| {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        fs::write(&file, bytes).unwrap();
    };
    damage(4_100);
    let (code, verified, _) = pdb(&["pdb", "verify"]);
    assert_eq!((code, verified.matches(": valid\n").count()), (Some(1), 2), "{verified}");
    assert_eq!(pdb(&["pdb", "verify", "1.2.3", "--size", "3x3"]).0, Some(0));
    assert_eq!(pdb(&["pdb", "verify", "2x3"]).0, Some(1));
    damage(100);
    assert!(pdb(&["pdb", "list"]).1.contains("-single.space: the header is damaged"));

    let (code, _, removed) = pdb(&["pdb", "remove", "2x3"]);
    assert_eq!((code, removed.matches("removed ").count()), (Some(0), 2), "{removed}");
    assert!(pdb(&["pdb", "remove", "2x3"]).2.contains("does not exist"));
    let (code, _, error) = pdb(&["pdb", "info", "2x3"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("'taquin enumerate 2x3 --save'"), "{error}");
    assert_eq!(pdb(&["pdb", "remove", "1.2.3", "--size", "3x3"]).0, Some(0));
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 0);
}
