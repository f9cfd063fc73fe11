//! `check`, `gen`, `verify`, `heuristic`, `convert`, and the program's facts about itself.

use crate::run::{folder, json, run, run_with};

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
        run(&["gen", "--depth", "30", "--size", "5", "--memory", "10M", "--seed", "1"]).code,
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
fn heuristic_names_the_tiles_in_conflict() {
    for (args, line) in [
        (&["heuristic", "1 3 2/4 5 6/7 8 0"][..], "linear: tiles 3 2 in row 1 are in"),
        (
            &["heuristic", "0123456789abcdfe", "--goal", "first"],
            "linear: tiles 15 14 in row 4 are in",
        ),
        (&["heuristic", "3 2 1/4 5 6/7 8 0"], "linear: tiles 3 2 1 in row 1 are in"),
    ] {
        let ran = run(args);
        assert!(ran.out.contains(line), "{}", ran.out);
    }
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
    let json =
        |args: &[&str]| -> serde_json::Value { serde_json::from_str(&run(args).out).unwrap() };
    assert_eq!(
        json(&["convert", "123456780", "--to", "rows", "--json"]),
        serde_json::json!({ "boards": ["1 2 3\n4 5 6\n7 8 0"] })
    );
    assert_eq!(
        json(&["convert", "RU2RDL3", "--json"]),
        serde_json::json!({ "moves": ["LDDLURRR"] })
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

/// Submissions for `1 2 3/4 0 6/7 5 8`: two moves are a shortest solution. The code is that of
/// `verify`, and the word is in its answer.
const SUBMISSIONS: [(&str, i32, &str); 40] = [
    ("DR", 0, "optimal"),
    ("dr", 0, "optimal"),
    ("D R", 0, "optimal"),
    ("D,R", 0, "optimal"),
    ("['D','R']", 0, "optimal"),
    ("[\"D\",\"R\"]", 0, "optimal"),
    ("[D, R]", 0, "optimal"),
    ("(D, R)", 0, "optimal"),
    ("('D', 'R')", 0, "optimal"),
    ("['Down', 'Right']", 0, "optimal"),
    ("Down Right", 0, "optimal"),
    ("down->right", 0, "optimal"),
    ("D -> R", 0, "optimal"),
    ("↓→", 0, "optimal"),
    ("↓ →", 0, "optimal"),
    ("['↓', '→']", 0, "optimal"),
    ("1. Down\n2. Right\n", 0, "optimal"),
    ("1) D\n2) R\n", 0, "optimal"),
    ("1: D\n2: R\n", 0, "optimal"),
    ("Step 1: Down\nStep 2: Right\n", 0, "optimal"),
    ("5 8", 0, "the tiles that move"),
    ("[5, 8]", 0, "the tiles that move"),
    ("UL", 0, "tile notation"),
    ("U1 L1", 0, "optimal"),
    ("D1 R1", 0, "optimal"),
    ("Name: Alice\nSID: 12345\nSolution: DR\n", 0, "optimal"),
    ("Name: Lu\nNumber: 12345\nMoves:\nD\nR\n", 0, "optimal"),
    ("path_to_goal: ['Down', 'Right']\ncost_of_path: 2\nnodes_expanded: 2\n", 0, "optimal"),
    ("Steps:\n\tMove 5 Up\n\tMove 8 Left\n", 0, "sentences"),
    ("1 2 3\n4 0 6\n7 5 8\n\n1 2 3\n4 5 6\n7 0 8\n\n1 2 3\n4 5 6\n7 8 0\n", 0, "boards"),
    ("[[1,2,3],[4,5,6],[7,0,8]]\n[[1,2,3],[4,5,6],[7,8,0]]\n", 0, "boards"),
    ("|1|2|3|\n|4|5|6|\n|7| |8|\n\n|1|2|3|\n|4|5|6|\n|7|8| |\n", 0, "boards"),
    ("['D','R','L','R']", 0, "the shortest has 2"),
    ("1. Down\n2. Right\n3. Left\n4. Right\n", 0, "the shortest has 2"),
    ("['D']", 1, "the board is 1 2 3/4 5 6/7 0 8"),
    ("['R','R']", 1, "does not allow"),
    ("5 1", 1, "does not allow"),
    ("[[1,2,3],[4,5,6],[7,8,0]]\n[[1,2,3],[4,5,6],[7,0,8]]\n", 1, "does not allow"),
    ("I could not find one.", 2, ""),
    ("", 1, "the board is 1 2 3/4 0 6/7 5 8"),
];

#[test]
fn verify_judges_what_students_hand_in() {
    for (text, code, word) in SUBMISSIONS {
        let ran = run_with(&["verify", "1 2 3/4 0 6/7 5 8", "-"], text);
        assert_eq!(ran.code, Some(code), "{text:?}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains(word), "{text:?}: {}", ran.out);
    }
    let utf16: Vec<u8> =
        "\u{feff}['D', 'R']\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let ran = run_with(&["verify", "1 2 3/4 0 6/7 5 8", "-"], utf16);
    assert!(ran.out.contains("optimal"), "{}{}", ran.out, ran.err);
    // Counts in blank notation: a tile number leads nowhere.
    let ran = run(&["verify", "0 1 2/4 5 3/7 8 6", "R2 D2"]);
    assert!(ran.out.contains("4 moves (blank notation), optimal"), "{}{}", ran.out, ran.err);
}

#[test]
fn boards_are_read_from_what_taquin_prints_and_from_scrambles() {
    let board = "8 6 7/2 5 4/3 0 1";
    let shown = run(&["show", board, "--color", "always"]).out;
    let quoted = format!("\"{board}\"\n");
    for text in [&shown, &quoted, "np.array([[8, 6, 7], [2, 5, 4], [3, 0, 1]])"] {
        let ran = run_with(&["convert", "-", "--to", "slashes"], text);
        assert_eq!(ran.out, format!("{board}\n"), "{text}: {}", ran.err);
    }
    let solved = json(&["solve", "R2DL", "--size", "4", "--json"]);
    assert_eq!(solved["depth"], 4);
    let ran = run(&["check", "R2DL"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--size 4x4"), "{}", ran.err);
    let ran = run(&["solve", "L", "--size", "4"]);
    assert!(ran.err.contains("move 1 (L)"), "{}", ran.err);
}

#[test]
fn verify_reads_what_every_course_prints() {
    // Each course that prints a path, with its goal; the others print none.
    for (course, board, method) in [
        ("columbia", "1,2,5,3,4,0,6,7,8", "bfs"),
        ("uta", "2 3 6/1 0 7/4 8 5", "a*"),
        ("princeton", "0 1 3/4 2 5/7 8 6", "astar:manhattan"),
        ("42", "1 2 3/8 4 0/7 6 5", "astar:manhattan"),
        ("cse5aif", "3 1 2/4 0 5/6 7 8", "bfs"),
        ("nxm", "1 2 3/4 0 6/7 5 8", "AS"),
    ] {
        let mut args = vec!["solve", board, "--as", course];
        if ["columbia", "uta", "nxm"].contains(&course) {
            args.extend(["-m", method]);
        }
        let solved = run(&args);
        assert_eq!(solved.code, Some(0), "{course} {}", solved.err);
        let ran = run_with(&["verify", board, "-", "--as", course], &solved.out);
        assert_eq!(ran.code, Some(0), "{course}: {}{}", ran.out, ran.err);
        assert!(ran.out.starts_with("a solution: "), "{course}: {}", ran.out);
    }
    for form in ["--boards nested", "--boards rows", "--boards flat", "--path moves", "--json"] {
        let plain: Vec<&str> = ["solve", "123506478"].into_iter().chain(form.split(' ')).collect();
        let ran = run_with(&["verify", "123506478", "-"], run(&plain).out);
        assert_eq!(ran.code, Some(0), "{form}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn a_wrong_solution_is_exit_code_1() {
    for (moves, out) in [
        ("D", "not a solution: after 1 move (blank notation) the board is 1 2 3/4 5 6/7 0 8\n"),
        ("DDD", "not a solution: the board does not allow a move (blank notation)\n"),
        ("Move 1 Down", "not a solution: the board does not allow a move (sentences)\n"),
        ("5 1", "not a solution: the board does not allow a move (the tiles that move)\n"),
    ] {
        let ran = run(&["verify", "123406758", moves]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), out), "{}", ran.err);
    }
    // A text without moves is bad input.
    assert_eq!(run(&["verify", "123406758", "hello"]).code, Some(2));
    let verdict = json(&["verify", "123406758", "LRDR", "--json"]);
    assert_eq!((&verdict["legal"], &verdict["solves"]), (&true.into(), &true.into()));
    assert_eq!((&verdict["optimal"], &verdict["optimum"]), (&false.into(), &2.into()));
    let verdict = json(&["verify", "123406758", "DDD", "--json"]);
    assert_eq!((&verdict["legal"], &verdict["solves"]), (&false.into(), &false.into()));
}

#[test]
fn moves_from_the_goal_are_a_board_wherever_one_is_read() {
    let scramble = ["R2DL", "--size", "3x3"];
    let of = |before: &[&str], after: &[&str]| {
        let ran = run(&[before, &scramble, after].concat());
        assert!(!ran.out.is_empty(), "{}", ran.err);
        ran.out
    };
    let plain =
        |before: &[&str], board: &str, after: &[&str]| run(&[before, &[board], after].concat()).out;
    let last = "1 2 3/5 0 6/4 7 8";
    assert_eq!(of(&["show"], &[]), plain(&["show"], last, &[]));
    let counts = ["--expanded", "17", "-m", "bfs"];
    assert_eq!(of(&["match"], &counts), plain(&["match"], last, &counts));
    let csv = ["-m", "bfs", "--csv"];
    let ran = of(&["compare"], &csv);
    assert!(
        ran.lines().nth(1).unwrap().starts_with("1 2 3/5 0 6/4 7 8,1 2 3/4 5 6/7 8 0,"),
        "{ran}"
    );
    // The goal is the one that the moves start from.
    let first = run(&["match", "LULU", "--size", "3x3", "--goal", "first", "--expanded", "4"]);
    let same = run(&["match", "1 4 2/3 5 8/6 7 0", "--goal", "first", "--expanded", "4"]);
    assert_eq!((first.code, first.out), (same.code, same.out), "{}", first.err);
    let ran = json(&["solve", "1 2/3 0", "--goal", "RD", "--json"]);
    assert_eq!(ran["depth"], 2, "{ran}");
}

#[test]
fn graders_check_many_files() {
    let folder = folder("verify-batch");
    for (name, text) in [
        ("a.txt", "DR"),
        ("b.txt", "['Left', 'Right', 'Down', 'Right']"),
        ("c.txt", "DDD"),
        ("d.txt", "D"),
        ("e.txt", "my dog ate it"),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let output = crate::run::taquin()
        .current_dir(&folder)
        .args([
            "verify",
            "123406758",
            "--batch",
            "a.txt",
            "b.txt",
            "c.txt",
            "d.txt",
            "e.txt",
            "f.txt",
        ])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "file,legal,length,optimal,optimum,problem,error,form");
    assert_eq!(
        lines[1..3],
        ["a.txt,true,2,true,2,,,blank notation", "b.txt,true,4,false,2,,,blank notation"]
    );
    assert!(lines[3].starts_with("c.txt,false,,,,"), "{text}");
    assert_eq!(lines[4], "d.txt,true,1,false,,the moves end at 1 2 3/4 5 6/7 0 8,,blank notation");
    assert!(lines[5].starts_with("e.txt,false,,,,"), "{text}");
    assert_eq!(lines[6], "f.txt,,,,,,f.txt: no such file,", "nothing is said about its moves");
}

#[test]
fn a_hint_is_the_next_move_and_what_is_left() {
    let ran = run(&["hint", "1 2 3/4 0 6/7 5 8"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (Some(0), "Move tile 5 up (the blank goes down: D). 2 moves are left.\n")
    );
    let next = json(&["hint", "1 2 3/4 0 6/7 5 8", "--json"]);
    assert_eq!((&next["move"], &next["tile"]), (&"D".into(), &5.into()));
    assert_eq!((&next["at_least"], &next["at_most"]), (&2.into(), &2.into()));
    assert_eq!(run(&["hint", "123456780"]).out, "The puzzle is solved.\n");
    assert_eq!(run(&["hint", "123456870"]).code, Some(11));
    let ran = run_with(
        &["hint", "-", "--time", "200ms"],
        run(&["gen", "--size", "7", "--seed", "1"]).out,
    );
    assert!(ran.out.contains(" to ") && ran.out.ends_with(" moves are left.\n"), "{}", ran.out);
}

#[test]
fn a_board_without_quotes() {
    let ran = run(&["solve", "1", "2", "3", "4", "0", "6", "7", "5", "8", "-q"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "DR\n"), "{}", ran.err);
    let ran = run(&["solve", "1", "2", "3/4", "0", "6/7", "5", "8", "-q"]);
    assert_eq!(ran.out, "DR\n");
    let ran = run(&["compare", "1", "2", "3", "4", "0", "6", "7", "5", "8", "-m", "bfs", "--csv"]);
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 2), "{}", ran.err);
    let ran = run(&["solve", "fe169b4c0a73d852", "-m", "ida:linear", "--path", "none"]);
    assert!(ran.out.starts_with("Solved in 52 moves: optimal"), "{}{}", ran.out, ran.err);
}

#[test]
fn depths_that_cannot_be_are_refused_at_once() {
    for (args, words) in [
        (&["gen", "--size", "4", "--depth", "100", "--seed", "1"][..], "80 moves away (Korf and"),
        (&["gen", "--size", "3x5", "--depth", "85", "--seed", "1"], "84 moves away (Tarakanov"),
        (&["gen", "--size", "4", "--depth", "70", "--seed", "1"], "hard15"),
        (&["gen", "--walk", "1e11", "--seed", "1"], "takes too long"),
        (
            &["experiment", "run", "--check", "--instances", "depth 4x4 70..80 n=1", "-m", "bfs"],
            "at most 62 moves",
        ),
        (
            &["experiment", "run", "--check", "--instances", "depth 4x4 81 n=1", "-m", "bfs"],
            "the deepest boards are 80 moves away",
        ),
    ] {
        let ran = run(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(words), "{args:?}: {}", ran.err);
    }
    let ran = run(&["gen", "--size", "3x4", "--depth", "40", "--memory", "1M", "--seed", "1"]);
    assert!(ran.code == Some(22) && ran.err.contains("of memory; the limit is"), "{}", ran.err);
    let ran = run(&["gen", "--depth", "31", "--count", "5", "--seed", "1"]);
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 2));
    assert!(ran.err.contains("only 2 boards are exactly 31 moves"), "{}", ran.err);
}

#[test]
fn fifteen_puzzles_of_a_depth() {
    let ran = run(&["gen", "--size", "4", "--depth", "36", "--count", "2", "--seed", "1"]);
    assert!(ran.code == Some(0) && ran.err.contains("not uniform"), "{}", ran.err);
    assert_eq!(ran.out.lines().count(), 2);
    for board in ran.out.lines() {
        let report = json(&["solve", board, "-m", "ida:linear", "--json"]);
        assert_eq!((&report["depth"], &report["optimal"]), (&36.into(), &true.into()));
    }
    // The same seed, the same boards.
    let again = run(&["gen", "--size", "4", "--depth", "36", "--count", "2", "--seed", "1"]);
    assert_eq!(again.out, ran.out);
}

#[test]
fn a_scramble_leads_from_the_goal_to_the_board() {
    for (size, blanks, notation) in [("3", "1", "blank"), ("4", "1", "tile"), ("2x4", "2", "blank")]
    {
        let args = ["gen", "--size", size, "--blanks", blanks, "--seed", "3"];
        let board = run(&args).out;
        let scramble = run(&[&args[..], &["--scramble", "--notation", notation]].concat());
        assert_eq!(scramble.code, Some(0), "{}", scramble.err);
        let solved = run(&[&args[..], &["--walk", "0"]].concat()).out;
        let verify = ["verify", solved.trim(), scramble.out.trim(), "--goal", board.trim()];
        let ran = run(&[&verify[..], &["--notation", notation, "--time", "50ms"]].concat());
        assert_eq!(ran.code, Some(0), "{size}: {}{}", ran.out, ran.err);
    }
}
