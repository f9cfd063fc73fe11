//! The messages of the program. `SNAPSHOTS=overwrite cargo test -p taquin-cli` rewrites the
//! snapshots after a change of wording.

use snapbox::{assert_data_eq, file};

use crate::run::{run, transcript};

const DEPTH_2: &str = "1 2 3/4 0 6/7 5 8";

#[test]
fn boards_and_goals() {
    assert_data_eq!(
        transcript(&[
            &["solve"],
            &["solve", "1 2 3/4 5 6/7 6 0"],
            &["solve", "1 2 0"],
            &["solve", "1 1 0 2"],
            &["solve", "--file", "/no/such/file"],
            &["solve", "--file", "/"],
            &["solve", "123456780", "--goal", "1 2/3 0"],
            &["solve", "123456780", "--goal", "nose"],
            &["solve", "1 2 3 0", "--goal", "1 2 0 0"],
            &["solve", "123456780", "-m", "astar:manhatan"],
            &["audit", "linear", "--size", "2x3", "--blanks", "9"],
            &["convert", "123456780", "--to", "nothing"],
            &["convert", "LDDL", "--to", "rows"],
            &["gen", "--size", "5", "--format", "digits", "--seed", "1"],
            &["gen", "--depth", "32", "--seed", "3"],
            &["gen", "--depth", "31", "--count", "9", "--seed", "3"],
        ]),
        file!["snapshots/boards_and_goals.txt"]
    );
}

#[test]
fn solvability() {
    assert_data_eq!(
        transcript(&[
            &["check", "5 2 8/4 1 7/0 3 6"],
            &["check", "123456870"],
            &["check", "1 2 3 4/5 6 7 8/9 10 11 12/13 15 14 0"],
            &["check", "2 1 0 3/"],
            &["check", "3 1 2 0/"],
            &["check", "1 0 2 3/"],
            &["check", "2 1 0/0 3 4"],
            &["check", "-q", "123456870"],
            &["solve", "123456870"],
            &["solve", "2 1 3 4/5 6 7 8/9 10 11 12/13 14 15 0"],
            &["explain", "123456870"],
        ]),
        file!["snapshots/solvability.txt"]
    );
}

#[test]
fn answers() {
    assert_data_eq!(
        transcript(&[
            &["solve", DEPTH_2, "-m", "astar:manhattan", "--path", "boards"],
            &["solve", "2 3 6/1 0 7/4 8 5", "--cost", "tile", "-m", "astar:manhattan"],
            &["solve", "2 3 6/1 0 7/4 8 5", "--cost", "tile", "-m", "greedy"],
            &["solve", "867254301", "-m", "wastar:manhattan,w=5"],
            &["solve", "867254301", "-m", "dfs,depth=20"],
            &["solve", "867254301", "-m", "beam:manhattan,k=1"],
            &["solve", "867254301", "-m", "ucs", "--nodes", "1e3"],
            &["solve", "867254301", "-m", "ucs", "--memory", "100k"],
            &["solve", "2 1/3 0", "-m", "bfs", "--search-anyway"],
            &["solve", "167503482", "-m", "astar,duplicates=generated,reopen=never,order=heap"],
            &["solve", DEPTH_2, "--all", "-m", "ida"],
            &["solve", "123456708", "--trace"],
            &["verify", "123406758", "DR"],
            &["verify", "123406758", "UL"],
            &["verify", "123406758", "LRDR"],
            &["verify", "123406758", "D"],
            &["verify", "123406758", "DDD"],
            &["heuristic", "2 1 3/4 5 6/7 0 8"],
        ]),
        file!["snapshots/answers.txt"]
    );
}

#[test]
fn explanations() {
    assert_data_eq!(
        transcript(&[
            &["explain", "136502478", "--step", "5"],
            &[
                "explain",
                "136507482",
                "--as",
                "ucr-list",
                "-m",
                "2",
                "--step",
                "30",
                "--rivals",
                "4"
            ],
            &["explain", "136507482", "-m", "dfs", "--step", "3"],
            &["explain", "136507482", "-m", "ida", "--step", "30"],
            &["explain", "136507482", "-m", "wastar,w=3/2", "--step", "3"],
            &["explain", "123506478", "--step", "5"],
            &["explain", "123506478", "-m", "bfs,undo=keep", "--step", "2"],
            &["explain", "0 0 1/2 3 4", "--step", "3"],
            &["explain", "123506478", "-m", "ids"],
            &["explain", "123506478", "-m", "rbfs", "--step", "2"],
            &["explain", "123506478", "--step", "50"],
            &["explain", "123506478", "-m", "auto"],
            &["explain", "123506478", "-m", "bidirectional", "--dot"],
            &["explain", "867254301", "-m", "bfs", "--step", "9000", "--memory", "100k"],
        ]),
        file!["snapshots/explanations.txt"]
    );
}

#[test]
fn other_commands() {
    assert_data_eq!(
        transcript(&[
            &["methods"],
            &["audit", "manhattan", "--size", "2x3"],
            &["audit", "zero", "--size", "4", "--memory", "3M"],
            &["audit", "zero", "--nodes", "100"],
            &["enumerate", "4x4", "--memory", "8G"],
            &["enumerate", "3x3", "--chart", "depths.txt"],
            &["pdb", "build", "1.2.3"],
            &["queens", "8"],
            &["queens", "3"],
            &["queens", "12", "--count", "--nodes", "5000"],
            &["queens", "8", "-m", "astar"],
            &["route", "S..#../.#.#.#/.#9..G"],
            &["route", "S..#../.#.#.#/.#9..G", "-m", "bfs"],
            &["route", "S.#/##G"],
            &["route", "S...../.....G", "--nodes", "3"],
            &["route", "S.x/..G"],
            &["match", "712485630", "--expanded", "503", "--queue", "306", "--as", "ucr-list"],
            &[
                "match",
                "123506478",
                "--expanded",
                "5",
                "--queue",
                "999",
                "--as",
                "ucr-list",
                "-m",
                "3"
            ],
        ]),
        file!["snapshots/other_commands.txt"]
    );
}

#[test]
fn what_was_cut_short_says_so() {
    let ran = run(&["match", "123406758", "--expanded", "99999", "--limit", "1e3"]);
    assert_eq!(ran.code, Some(12), "{}", ran.err);
    assert!(ran.out.contains("The node limit ended the search: not all were."), "{}", ran.out);
    assert!(ran.err.contains("raise --nodes"), "{}", ran.err);
    let ran = run(&["match", "123406758", "--expanded", "2", "-m", "foo"]);
    assert!(ran.err.starts_with("error: no course has a method 'foo'\n"), "{}", ran.err);
    // An interrupted reproduction, on standard output too.
    #[cfg(unix)]
    {
        use crate::run::{taquin, wait_until_working};
        let mut command = taquin();
        command.args(["reproduce", "korf85", "--all"]);
        let child = command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        wait_until_working(child.id());
        let kill =
            std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("Interrupted, so far: "), "{text}");
    }
}

#[test]
fn words_and_numbers() {
    // Counts can be abbreviated, and an invalid one is named.
    assert_eq!(run(&["gen", "--count", "1e1", "--seed", "1k"]).out.lines().count(), 10);
    for args in [&["gen", "--count", "abc"][..], &["gen", "--seed", "abc"], &["gen", "--walk", "x"]]
    {
        let ran = run(args);
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains("write 5000, 1e6, 10k or 2M"), "{}", ran.err);
    }
    assert_eq!(run(&["match", "123406758", "--expanded", "2e0", "--queue", "5"]).code, Some(0));
    assert_eq!(run(&["explain", "123406758", "--step", "1e0"]).code, Some(0));
    // Numbers have separators, and one thing is not several.
    let ran = run(&["solve", "072461358", "-m", "ucs", "--trace", "--trace-limit", "1"]);
    assert!(ran.out.contains(" more expansions not shown)"), "{}", ran.out);
    let number = ran.out.split('(').nth_back(0).unwrap();
    assert!(number.split(' ').next().unwrap().contains(','), "{number}");
    let ran = run(&["solve", "1 2/3 0", "--goal", "1 0/0 2"]);
    assert!(ran.err.contains("the start has 1 blank and the goal has 2"), "{}", ran.err);
    // Manhattan distance is the bound if the search has none.
    let ran = run(&["solve", "867254301", "-m", "dfs", "--path", "none"]);
    assert!(ran.out.contains("At least 21 moves are needed"), "{}", ran.out);
    // Layers does not search.
    let ran = run(&["solve", "123456870", "-m", "layers", "--search-anyway"]);
    assert!(ran.out.starts_with("Unsolvable: the number of inversions"), "{}", ran.out);
    assert_eq!(ran.code, Some(11));
    let ran = run(&["pdb", "build", "1.2.3/4.5.6", "--size", "1x1"]);
    assert!(ran.err.contains("there is no tile 1"), "{}", ran.err);
    let ran = run(&["pdb", "build", "7-8", "--memory", "1M"]);
    assert_eq!(ran.code, Some(22));
    assert!(ran.err.contains(" MB of memory, and 1.0 MB are allowed"), "{}", ran.err);
    let ran = run(&["experiment", "run", "--instances", "random 2x2 n=50", "-m", "bfs", "--check"]);
    assert!(ran.err.contains(" equal to another one"), "{}", ran.err);
    // The character that shells and help texts eat.
    let help = run(&["convert", "--help"]).out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("one of 0 b _ * x and the full stop"), "{help}");
}

#[test]
fn json_and_help() {
    use crate::run::{folder, json};
    assert_eq!(
        json(&["gen", "--count", "2", "--seed", "1", "--json"])["boards"][1]
            .as_array()
            .unwrap()
            .len(),
        9
    );
    assert!(json(&["methods", "--json"])["algorithms"].as_array().unwrap().len() > 10);
    assert_eq!(json(&["pdb", "list", "--json"]), serde_json::json!([]));
    assert_eq!(run(&["pdb", "build", "1.2.3", "--size", "3x3"]).code, Some(0));
    assert_eq!(json(&["pdb", "list", "--json"])[0]["kind"], "database");
    let help = run(&["--help"]).out;
    for heading in ["\nSolve and play:\n  solve ", "\nResearch:\n", "\nPage and class:\n"] {
        assert!(help.contains(heading), "{help}");
    }
    let help = run(&["solve", "-h"]).out;
    for heading in
        ["Puzzle:", "Search:", "Courses and traces:", "Output:", "Long searches:", "Many boards:"]
    {
        assert!(help.contains(&format!("\n{heading}\n")), "{heading} {help}");
    }
    let script = run(&["completions", "bash"]).out;
    assert!(script.contains("ucr-list") && script.contains("astar:manhattan"));
    // A written file is named, and a picture that is too large is refused immediately.
    let folder = folder("a15-written");
    let svg = folder.join("board.svg");
    let ran = run(&["show", "123456780", "--svg", svg.to_str().unwrap()]);
    assert_eq!(ran.err, format!("wrote {}\n", svg.display()));
    let large = run(&["gen", "--size", "200", "--seed", "1"]).out;
    let ran = crate::run::run_with(
        &["show", "-", "--png", folder.join("large.png").to_str().unwrap()],
        large,
    );
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("16384 are the most"), "{}", ran.err);
}
