//! `pdb`: the tables that are kept, of both kinds.

use std::fs;
use std::path::Path;

use serde_json::Value;
use snapbox::{assert_data_eq, str};
use xxhash_rust::xxh3::xxh3_64;

use crate::run::{Ran, folder, taquin};

/// The program's handling of tables in a folder.
fn with(cache: &Path, args: &[&str]) -> Ran {
    let output = taquin().args(args).env("TAQUIN_CACHE", cache).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

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
    assert_eq!((code, lines.len()), (Some(0), 4), "{listed}");
    assert!(lines[1].starts_with("  space     1 2 3/4 5 0 multi    360 boards  "), "{listed}");
    assert!(lines[2].starts_with("  space     1 2 3/4 5 0 single   360 boards  "), "{listed}");
    assert!(lines[3].starts_with("  database  xxx/.../..0         504 entries  "), "{listed}");
    // The name of a file is never broken: without room it has its own line, in a pipe there is
    // room.
    let long = ["pdb", "build", "1.2.3.4.5", "--size", "4x4"];
    let name = "4x4-blank-15-tiles-0.1.2.3.4.pdb";
    let (code, built, _) = pdb(&long);
    assert_eq!((code, built.lines().count()), (Some(0), 2), "{built}");
    assert!(built.ends_with(&format!("  {name}\n")) && built.lines().last().unwrap().len() > 80);
    let mut list = taquin();
    list.args(["pdb", "list"]).env("TAQUIN_CACHE", &cache).env("COLUMNS", "80");
    let narrow = String::from_utf8(list.output().unwrap().stdout).unwrap();
    assert!(narrow.contains(&format!(" KB\n    {name}\n")), "{narrow}");
    assert!(narrow.lines().skip(1).all(|line| line.len() <= 80), "{narrow}");
    assert_eq!(pdb(&["pdb", "remove", "1.2.3.4.5", "--size", "4x4"]).0, Some(0));
    let (code, shown, _) = pdb(&["pdb", "info", "2x3"]);
    assert_eq!(code, Some(0));
    assert!(shown.contains("  21   1  █"), "{shown}");

    let (code, verified, _) = pdb(&["pdb", "verify"]);
    assert_eq!((code, verified.matches(": valid\n").count()), (Some(0), 3));
    let json = |args: &[&str]| -> Value { serde_json::from_str(&pdb(args).1).unwrap() };
    let info = json(&["tables", "info", "2x3", "--json"]);
    assert_eq!((&info[0]["kind"], &info[0]["entries"]), (&"space".into(), &360.into()));
    assert_eq!((&info[0]["counts"][0], &info[0]["counts"][21]), (&1.into(), &1.into()));
    let verified = json(&["tables", "verify", "--json"]);
    assert!(verified.as_array().unwrap().iter().all(|table| table["error"].is_null()));
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
    let (_, _, error) = pdb(&["pdb", "info", "2x3", "--goal", "first", "--blanks", "2"]);
    let command = "'taquin enumerate 2x3 --goal first --blanks 2 --save'";
    assert!(error.contains(command), "{error}");
    assert_eq!(pdb(&["pdb", "remove", "1.2.3", "--size", "3x3"]).0, Some(0));
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 0);
}

#[test]
fn zero_aware_databases_are_built_used_listed_and_removed() {
    let cache = folder("zero-aware");
    let of = ["1.2.3.4/5.6.7.8", "--size", "3x3", "--zero-aware"];
    let pdb = |command: &str| with(&cache, &[&["pdb", command], &of[..]].concat());
    let missing = pdb("info");
    assert_eq!(missing.code, Some(2));
    assert!(missing.err.contains("'taquin tables build 1.2.3.4/5.6.7.8 --size 3x3 --zero-aware'"));
    assert_eq!(pdb("build").code, Some(0));
    let files: Vec<_> = files(&cache);
    assert_eq!(files.len(), 2);
    assert!(files.iter().all(|file| file.extension().is_some_and(|kind| kind == "zpdb")));
    let solve = |method: &str| {
        let ran = with(&cache, &["solve", "867254301", "-m", method, "--json"]);
        assert!(ran.out.contains("\"cost\": 31"), "{}", ran.out);
    };
    solve("aida:zpdb=1.2.3.4/5.6.7.8");
    solve("ida:zpdb=1.2.3.4/5.6.7.8");
    // They are neither built again nor taken for others.
    assert_eq!(files, self::files(&cache));
    solve("ida:pdb=1.2.3.4/5.6.7.8");
    assert_eq!(self::files(&cache).len(), 4);
    assert_eq!(pdb("verify").out.matches(": valid").count(), 2);
    assert_eq!(pdb("remove").code, Some(0));
    assert_eq!(self::files(&cache).len(), 2);
    let blanks = with(&cache, &["solve", "1 2 0/3 0 4", "-m", "astar:zpdb=1.2/3.4"]);
    let said = blanks.out + &blanks.err;
    assert!(said.contains("zero-aware databases are for one blank"), "{said}");
}

/// The automaton of a deep pruning is announced, stored, verified and removed as other tables are.
#[test]
fn automata_are_built_used_listed_and_removed() {
    let cache = folder("automata");
    let solve = |method: &str, memory: &str| {
        with(
            &cache,
            &["solve", "1 2 3 4/5 6 7 8/0 9 11 12/13 10 14 15", "-m", method, "--memory", memory],
        )
    };
    let refused = solve("ida:pdb=1.2.3,prune=22", "100M");
    assert_eq!(refused.code, Some(22));
    assert_data_eq!(
        refused.err,
        str![[r#"
error: prune=22 takes [..] GB of memory, and 100 MB are allowed
hint: increase --memory, or use a smaller prune

"#]]
    );
    let said = "building the automaton for 4x4 moves=ULRD prune=16: about ";
    let solved = |is_built: bool| {
        let ran = solve("ida:pdb=1.2.3,prune=16", "1G");
        assert!(ran.out.starts_with("Solved in 4 moves: optimal"), "{}{}", ran.out, ran.err);
        assert_eq!(ran.err.contains(said), is_built, "{}", ran.err);
        ran.err
    };
    solved(true);
    solved(false);
    let automaton = cache.join("4x4-moves-ULRD-16.prune");
    let sound = fs::read(&automaton).unwrap();
    let listed = with(&cache, &["pdb", "list"]).out;
    assert!(listed.contains("  automaton  4x4 moves=ULRD"), "{listed}");
    let json = with(&cache, &["pdb", "list", "--json"]).out;
    assert!(json.contains(r#""kind": "automaton""#), "{json}");
    let pdb = |command: &str| with(&cache, &["pdb", command, "prune=16", "--size", "4x4"]);
    assert!(pdb("info").out.contains(" states "), "{}", pdb("info").out);
    // A damaged one is found, reported, and built again.
    let mut damaged = sound.clone();
    damaged[10_000] ^= 1;
    fs::write(&automaton, damaged).unwrap();
    assert_eq!(
        (pdb("verify").code, pdb("verify").out.contains("entries are damaged")),
        (Some(1), true)
    );
    let warned = solved(true);
    assert!(warned.contains("the entries are damaged; it is not used, and building"), "{warned}");
    assert_eq!(fs::read(&automaton).unwrap(), sound);
    assert_eq!(pdb("verify").code, Some(0));
    assert!(pdb("remove").err.starts_with("removed "));
    assert!(!automaton.exists());
    assert!(pdb("info").err.contains("a search with prune=16 makes it"), "{}", pdb("info").err);
    let sizeless = with(&cache, &["pdb", "remove", "prune=16"]);
    assert!(sizeless.err.contains("an automaton needs a board size"), "{}", sizeless.err);
    let aimless = with(&cache, &["pdb", "remove", "prune=99", "--size", "4x4"]);
    assert_eq!(aimless.code, Some(2), "{}", aimless.err);
}

/// The boards near a goal serve every goal with the blank in a corner.
#[test]
fn boards_near_a_goal_are_built_listed_and_removed() {
    let cache = folder("near");
    let tables = |args: &[&str]| with(&cache, &[&["tables"], args].concat());
    let built = tables(&["build", "3x3", "--metric", "multi"]);
    assert_eq!(built.code, Some(0), "{}", built.err);
    assert!(built.out.contains("  perimeter  3x3-blank-8 multi  15 moves"), "{}", built.out);
    let path = cache.join("3x3-blank-8.near");
    assert_eq!(files(&cache), std::slice::from_ref(&path));
    let listed = tables(&["list", "--json"]).out;
    assert!(listed.contains(r#""kind": "perimeter""#), "{listed}");
    for goal in ["last", "first", "2 1 3/4 5 6/0 8 7"] {
        let info = tables(&["info", "3x3", "--goal", goal]);
        assert!(info.out.contains("3x3-blank-8.near"), "{goal}: {}", info.err);
    }
    assert_eq!(tables(&["info", "3x3", "--goal", "1 2 3/4 0 6/7 8 5"]).code, Some(2));
    // A damaged one is found and built again.
    let sound = fs::read(&path).unwrap();
    let mut damaged = sound.clone();
    damaged[10_000] ^= 1;
    fs::write(&path, damaged).unwrap();
    let verified = tables(&["verify", "3x3"]);
    assert_eq!((verified.code, verified.out.contains("damaged")), (Some(1), true));
    assert!(tables(&["build", "3x3", "--metric", "multi"]).err.contains("it is built again"));
    assert_eq!(fs::read(&path).unwrap(), sound);
    assert_eq!(tables(&["verify"]).code, Some(0));
    assert!(tables(&["remove", "3x3"]).err.starts_with("removed "));
    assert_eq!(files(&cache).len(), 0);
    // Requests that cannot be met are refused, with numbers or a remedy.
    for (args, code, said) in [
        (&["4x4", "--metric", "multi", "--memory", "10"][..], 22, "take 64 B of memory, and 10 B"),
        (&["5x5", "--metric", "multi"], 2, "at most 16 cells"),
        (&["3x3", "--blanks", "2", "--metric", "multi"], 2, "one blank"),
        (&["3x3"], 2, "write --metric multi"),
        (&["6-6-3", "--metric", "multi"], 2, "name the size of the boards"),
        (&["prune=14", "--size", "5x5"], 2, "a search with prune=14 makes it"),
    ] {
        let refused = tables(&[&["build"], args].concat());
        assert_eq!(refused.code, Some(code), "{args:?}: {}", refused.err);
        assert!(refused.err.contains(said), "{args:?}: {}", refused.err);
    }
}

/// A 15-puzzle of 46 moves.
const FIFTEEN: &str = "7 1 0 2/4 8 15 3/5 11 9 13/6 14 12 10";

/// The files in a folder, in the order of their names.
fn files(cache: &Path) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> = fs::read_dir(cache).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

/// Makes damaged bytes of sound ones.
type Damage<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;

#[test]
fn damaged_databases_make_no_false_claims() {
    let cache = folder("a1-damaged");
    assert_eq!(with(&cache, &["pdb", "build", "5-5-5"]).code, Some(0));
    let sound: Vec<Vec<u8>> = files(&cache).iter().map(|file| fs::read(file).unwrap()).collect();
    assert_eq!(sound.len(), 3);
    let truth = with(&cache, &["solve", FIFTEEN, "-m", "ida:linear", "--quiet"]).out;
    let length = truth.trim().len();
    let damage = |bad: Damage<'_>| {
        for (file, sound) in files(&cache).iter().zip(&sound) {
            fs::write(file, bad(sound)).unwrap();
        }
    };
    let everywhere: Damage<'_> = &|sound| {
        let mut bytes = sound.to_vec();
        bytes.iter_mut().skip(8_192).step_by(3).for_each(|byte| *byte |= 0x44);
        bytes
    };
    let one_page: Damage<'_> = &|sound| [&sound[..4_096], &[255; 4_096], &sound[8_192..]].concat();
    let cut: Damage<'_> = &|sound| sound[..sound.len() / 2].to_vec();
    let headless: Damage<'_> = &|sound| sound[4_096..].to_vec();
    let older: Damage<'_> = &|sound| {
        let mut bytes = sound.to_vec();
        bytes[8..12].copy_from_slice(&1_u32.to_ne_bytes());
        bytes
    };
    let none: Damage<'_> = &|_| Vec::new();
    for bad in [everywhere, one_page, cut, headless, older, none] {
        for method in ["auto", "ida:pdb=5-5-5"] {
            damage(bad);
            let solved = with(&cache, &["solve", FIFTEEN, "-m", method, "--json"]);
            assert_eq!(solved.code, Some(0), "{}", solved.err);
            let report: Value = serde_json::from_str(&solved.out).unwrap();
            assert_eq!((&report["depth"], &report["optimal"]), (&length.into(), &true.into()));
            // One line for each file, and the files are as they were.
            let warnings: Vec<&str> = solved.err.lines().collect();
            let is_warning = |line: &&&str| line.starts_with("warning: ");
            assert_eq!(warnings.iter().filter(is_warning).count(), 3, "{}", solved.err);
            let now: Vec<Vec<u8>> = files(&cache).iter().map(|f| fs::read(f).unwrap()).collect();
            assert!(now == sound);
            assert_eq!(with(&cache, &["solve", FIFTEEN, "-m", method, "--quiet"]).err, "");
        }
        damage(bad);
        assert_eq!(with(&cache, &["pdb", "verify", "5-5-5"]).code, Some(1));
        assert_eq!(with(&cache, &["pdb", "build", "5-5-5", "--rebuild"]).code, Some(0));
        assert_eq!(with(&cache, &["pdb", "verify", "5-5-5"]).code, Some(0));
        damage(bad);
        let built = with(&cache, &["pdb", "build", "5-5-5"]);
        assert_eq!(built.code, Some(0));
        assert_eq!(built.err.matches("; it is built again\n").count(), 3, "{}", built.err);
    }
}

#[test]
fn swapped_databases_are_found() {
    let cache = folder("a1-swapped");
    let (one, other) = ("1.2.3/4.5.6/7.8", "4.5.6/1.2.3/7.8");
    assert_eq!(with(&cache, &["pdb", "build", one, "--size", "3x3"]).code, Some(0));
    let [first, second, _] = &files(&cache)[..] else { panic!("three files") };
    let bytes = fs::read(first).unwrap();
    fs::write(second, bytes).unwrap();
    let verified = with(&cache, &["pdb", "verify"]);
    assert_eq!(verified.code, Some(1));
    let told = verified.out.replace(cache.to_str().unwrap(), "");
    assert_data_eq!(
        told,
        str![[r#"
/3x3-blank-8-tiles-0.1.2.pdb: valid
/3x3-blank-8-tiles-3.4.5.pdb: a table with the name of another: it should be called 3x3-blank-8-tiles-0.1.2.pdb
/3x3-blank-8-tiles-6.7.pdb: valid

"#]]
    );
    let method = format!("ida:pdb={other}");
    let solved = with(&cache, &["solve", "867254301", "-m", &method]);
    assert!(solved.out.starts_with("Solved in 31 moves: optimal"), "{}", solved.out);
    let told = solved.err.replace(cache.to_str().unwrap(), "");
    assert_data_eq!(
        told,
        str![[r#"
warning: /3x3-blank-8-tiles-3.4.5.pdb: a table for xxx/.../..0, not for .../xxx/..0; it is not used, and building the table replaces it

"#]]
    );
    assert_eq!(with(&cache, &["pdb", "verify"]).code, Some(0));
}

#[test]
fn a_damaged_space_is_told_of_once() {
    let cache = folder("a1-space");
    assert_eq!(with(&cache, &["enumerate", "3x3", "--save"]).code, Some(0));
    let file = &files(&cache)[0];
    let mut bytes = fs::read(file).unwrap();
    bytes[20_000] ^= 0x11;
    fs::write(file, &bytes).unwrap();
    for method in ["auto", "table"] {
        let solved = with(&cache, &["solve", "867254301", "-m", method]);
        assert_eq!(solved.code, Some(0), "{}", solved.err);
        assert!(solved.out.starts_with("Solved in 31 moves: optimal"), "{}", solved.out);
        let told = solved.err.replace(cache.to_str().unwrap(), "");
        let expected = "warning: /3x3-blank-8-single.space: the entries are damaged; it is not used, \
                        and building the table replaces it\n";
        assert_eq!(told, expected, "{method}");
    }
    let boards = folder("a1-space-boards").join("boards");
    fs::write(&boards, "867254301\n647850321\n123456708\n").unwrap();
    let batch = ["solve", "--jsonl", "--batch", boards.to_str().unwrap()];
    let solved = with(&cache, &batch);
    assert_eq!(
        (solved.code, solved.err.matches("warning").count()),
        (Some(0), 1),
        "{}",
        solved.err
    );
    assert_eq!(with(&cache, &["enumerate", "3x3", "--save"]).code, Some(0));
    assert_eq!(with(&cache, &["solve", "867254301"]).err, "");
}

#[test]
fn a_cache_that_cannot_be_written_is_told_of_with_its_cause() {
    let file = folder("a6-cache").join("file");
    fs::write(&file, "").unwrap();
    let cache = file.join("below");
    let built = with(&cache, &["pdb", "build", "5-5-5"]);
    assert_eq!((built.code, built.out.as_str()), (Some(2), ""));
    let told = built.err.replace(cache.to_str().unwrap(), "");
    assert_data_eq!(
        told,
        str![[r#"
error: /4x4-blank-15-tiles-[..].pdb: can't be written: [..]

"#]]
    );
    assert!(built.err.contains("os error"), "{}", built.err);
    let solved = with(&cache, &["solve", FIFTEEN]);
    assert!(solved.out.contains("ida:pdb=5-5-5"), "{}", solved.out);
    // A search that takes longer also reports its progress.
    let warnings = solved.err.lines().filter(|line| line.starts_with("warning: "));
    let warnings: Vec<&str> = warnings.collect();
    let told = (warnings.join("\n") + "\n").replace(cache.to_str().unwrap(), "");
    assert_data_eq!(
        told,
        str![[r#"
warning: tables are not kept: /4x4-blank-15-tiles-[..].pdb: [..]

"#]]
    );
}

/// Sets a sixteenth of the content of a table file of one block to zero, and makes its checksums
/// fit.
fn forged(sound: &[u8], part: usize) -> Vec<u8> {
    let mut bytes = sound.to_vec();
    let end = bytes.len() - 8;
    let length = (end - 4_096) / 16;
    bytes[4_096 + part * length..][..length].fill(0);
    let sums = xxh3_64(&bytes[4_096..end]).to_ne_bytes();
    bytes[end..].copy_from_slice(&sums);
    bytes[4_080..4_088].copy_from_slice(&xxh3_64(&sums).to_ne_bytes());
    let header = xxh3_64(&bytes[..4_088]).to_ne_bytes();
    bytes[4_088..4_096].copy_from_slice(&header);
    bytes
}

#[test]
fn a_contradiction_is_an_internal_error_that_claims_nothing() {
    let cache = folder("a1-contradiction");
    assert_eq!(with(&cache, &["enumerate", "3x3", "--save"]).code, Some(0));
    let file = &files(&cache)[0];
    let sound = fs::read(file).unwrap();
    let found = (0..16).find_map(|part| {
        fs::write(file, forged(&sound, part)).unwrap();
        let solved = with(&cache, &["solve", "867254301"]);
        assert!(!solved.out.contains("nsolvable"), "{}", solved.out);
        (solved.code != Some(0)).then_some(solved)
    });
    let Ran { code, out, err } = found.unwrap();
    assert_eq!((code, err.as_str()), (Some(70), ""));
    assert_data_eq!(
        out,
        str![[r#"
Internal error: the result contradicts itself. Nothing is claimed about this
puzzle.
Note: the puzzle is solvable, but no solution was found in the tables.
Hint: 'taquin tables verify' checks the tables, and 'taquin tables build
PARTITION --rebuild' replaces them.
auto: expanded 0, generated 0, largest frontier 0; [..]

"#]]
    );
}
