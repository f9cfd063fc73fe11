//! `check`, `gen`, `verify`, `heuristic`, `convert`, and what the program says of itself.

use crate::run::{json, run, run_with};

#[test]
fn check_answers_programs() {
    for (args, code) in [
        (&["check", "0"][..], 0),
        (&["check", "1 3 4/8 0 2/7 6 5", "--goal", "snail"], 0),
        (&["check", "2 1 0/0 3 4"], 0),
        (&["check", "123456870"], 11),
    ] {
        assert_eq!(run(args).code, Some(code), "{args:?}");
    }
    assert_eq!(run(&["check", "1 2 b 1"]).code, Some(2));
    let answer = json(&["check", "123456870", "--json"]);
    assert_eq!(
        (&answer["reachable"], &answer["repair"]["tiles"]),
        (&false.into(), &serde_json::json!([7, 8]))
    );
}

#[test]
fn gen_gives_the_same_boards_for_ever() {
    let ran = run(&[
        "gen", "--size", "4x4", "--blanks", "1", "--goal", "last", "--count", "3", "--seed", "7",
    ]);
    assert_eq!(
        ran.out,
        "12 14 0 4/10 15 9 1/11 5 3 6/8 13 2 7\n\
         11 15 3 12/2 6 7 13/4 1 8 10/0 5 14 9\n\
         14 3 10 11/5 13 8 2/9 15 12 7/4 6 1 0\n"
    );
    let ran = run(&["gen", "--depth", "31", "--count", "9", "--seed", "3"]);
    let mut boards: Vec<&str> = ran.out.lines().collect();
    boards.sort_unstable();
    assert_eq!(boards, ["6 4 7/8 5 0/3 2 1", "8 6 7/2 5 4/3 0 1"]);
    assert_eq!(
        run(&["gen", "--depth", "30", "--size", "4", "--memory", "10M", "--seed", "1"]).code,
        Some(22)
    );
    for board in
        run(&["gen", "--depth", "17", "--count", "4", "--seed", "5", "--goal", "first"]).out.lines()
    {
        assert_eq!(json(&["solve", board, "--goal", "first", "-m", "bfs", "--json"])["depth"], 17);
    }
    let ran = run(&["gen", "--size", "3x5", "--blanks", "2", "--walk", "40", "--seed", "1"]);
    let solved = json(&["solve", ran.out.trim(), "--json"]);
    assert!(solved["depth"].as_u64().unwrap() <= 40);
    assert!(run(&["gen"]).err.starts_with("seed "));
    assert_eq!(run(&["gen", "--blanks", "0"]).code, Some(2));
    assert_eq!(run(&["gen", "--size", "5", "--format", "digits"]).code, Some(2));
}

#[test]
fn verify_replays_in_either_notation() {
    let fifteen = "15 14 1 6/9 11 4 12/0 10 7 3/13 8 5 2";
    let ran = run(&["verify", fifteen, "rrrulddluuuldrurdddrullulurrrddldluurddlulurruldrdrd"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("52 moves (blank notation)"), "{}", ran.out);
}

#[test]
fn heuristic_shows_every_estimate() {
    let estimates = json(&["heuristic", "724506831", "--goal", "first", "--json"]);
    let named = |name: &str| {
        let list = estimates["estimates"].as_array().unwrap();
        list.iter().find(|each| each["heuristic"] == name).unwrap()["estimate"].as_u64().unwrap()
    };
    assert_eq!((named("misplaced"), named("manhattan"), named("euclidean")), (8, 18, 14));
}

#[test]
fn convert_writes_every_notation() {
    for (args, out) in [
        (&["convert", "123456780"][..], "1 2 3/4 5 6/7 8 0\n"),
        (&["convert", "123456780", "--to", "rows"], "1 2 3\n4 5 6\n7 8 0\n"),
        (&["convert", "123456780", "--to", "nested"], "[[1,2,3],[4,5,6],[7,8,0]]\n"),
        (&["convert", "123456780", "--to", "flat", "--blank", "_"], "1,2,3,4,5,6,7,8,_\n"),
        (&["convert", "1 2 3/4 5 6/7 8 0", "--to", "digits"], "123456780\n"),
        (&["convert", "1 2 3/4 5 0", "--to", "sized"], "2x3\n1 2 3\n4 5 0\n"),
        (&["convert", "RU2RDL3"], "LDDLURRR\n"),
        (&["convert", "LDDLURRR"], "RU2RDL3\n"),
        (&["convert", "LDDL", "--to", "blank"], "LDDL\n"),
        (&["convert", "LDDL", "--from", "tile", "--to", "blank"], "RUUR\n"),
    ] {
        assert_eq!(run(args).out, out, "{args:?}");
    }
    assert_eq!(
        run_with(&["convert", "-", "--to", "slashes"], "3\n1 2 3\n4 5 6\n7 8 0\n").out,
        "1 2 3/4 5 6/7 8 0\n"
    );
    assert_eq!(run(&["convert", "123456780", "--to", "nothing"]).code, Some(2));
    assert_eq!(run(&["convert", "LDDL", "--to", "rows"]).code, Some(2));
}

#[test]
fn the_program_explains_itself() {
    assert!(run(&["completions", "bash"]).out.contains("_taquin"));
    assert!(run(&["man"]).out.contains(".TH taquin 1"));
    assert!(run(&["--version"]).out.starts_with("taquin 0."));
    assert_eq!(run(&["nonsense"]).code, Some(2));
}
