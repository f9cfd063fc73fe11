//! `queens` and `route`: other spaces on the same engine.

use snapbox::{assert_data_eq, str};

use crate::run::{json, run, run_with};

#[test]
fn queens_are_placed_drawn_and_counted() {
    let ran = run(&["queens", "4", "--all", "-m", "bfs"]);
    assert_eq!(ran.code, Some(0));
    let drawn = "\
1          2
· Q · ·    · · Q ·
· · · Q    Q · · ·
Q · · ·    · · · Q
· · Q ·    · Q · ·
";
    assert!(ran.out.starts_with(drawn), "{}", ran.out);
    for (n, known) in (1..).zip([1, 0, 0, 2, 10, 4, 40, 92, 352, 724]) {
        let counted = json(&["queens", &n.to_string(), "--count", "--json"]);
        assert_eq!(counted["found"], known, "{n}");
    }
    assert_eq!(json(&["queens", "4", "--all", "--json"])["solutions"][1][0], 2);
}

#[test]
fn queens_that_can_not_be_placed_and_searches_cut_short() {
    assert_eq!(run(&["queens", "3"]).code, Some(11));
    assert_eq!(run(&["queens", "3", "--count"]).code, Some(0));
    for (args, word) in [
        (&["queens", "0"][..], "write a number from 1 to 255"),
        (&["queens", "many"], "write a number from 1 to 255"),
        (
            &["queens", "8", "--all", "--count"],
            "give either --all-solutions or --count-only, not both",
        ),
    ] {
        let ran = run(args);
        assert_eq!(ran.code, Some(2), "{args:?}");
        assert!(ran.err.contains(word), "{args:?}: {}", ran.err);
    }
}

const MAZE: &str = "\
S..#......
.#.#.####.
.#9..5...G
.#######..
..........
";

#[test]
fn a_way_is_drawn_on_the_map() {
    let ran = run_with(&["route", "-"], MAZE);
    assert_eq!(ran.code, Some(0));
    assert_data_eq!(
        ran.out,
        str![[r#"
S..#......
v#.#.####.
v#9..5...G
v#######.^
>>>>>>>>>^

15 steps, cost 15: optimal, no path is cheaper.
DDDDRRRRRRRRRUU
astar:manhattan: expanded 18, generated 21, largest frontier 3; [..]

"#]]
    );
    let ran = run_with(&["route", "--file", "-", "-m", "bfs"], MAZE);
    assert_data_eq!(
        ran.out,
        str![[r#"
S>v#......
.#v#.####.
.#>>>>>>>G
.#######..
..........

11 steps, cost 23: not proven optimal; the cost is at least 11.
RRDDRRRRRRR
bfs: expanded 24, generated 26, largest frontier 3; [..]

"#]]
    );
    let found = json(&["route", "S3/.G", "--json"]);
    assert_eq!((&found["cost"], &found["moves"]), (&2.into(), &"DR".into()));
    assert_eq!(found["path"], serde_json::json!([[1, 1], [2, 1], [2, 2]]));
}

#[test]
fn maps_without_a_way_and_texts_that_are_no_map() {
    assert_eq!(run_with(&["route", "-", "--nodes", "3"], MAZE).code, Some(12));
    for (input, word) in [
        ("S..\n..\n..G", "error: standard input:2:1: "),
        ("S..\n\n..S", "error: standard input:3:3: "),
        ("", "error: standard input: "),
    ] {
        let ran = run_with(&["route", "-"], input);
        assert_eq!(ran.code, Some(2), "{input}");
        assert!(ran.err.contains(word), "{input}: {}", ran.err);
    }
    assert!(run(&["route", "--file", "/nowhere"]).err.contains("no such file"));
    assert!(run(&["route", "SG", "-m", "astar:linear"]).err.contains("manhattan, zero"));
}

#[test]
fn published_lengths_of_paths_in_eight_directions_are_found() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/movingai");
    let scenarios = format!("{folder}/arena.map.scen");
    let ran = run(&["route", "--scen", &scenarios]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("60 problems: 60 with the published length"), "{}", ran.out);
    // A wrong length is found, and a wrong file is refused with its line.
    let own = crate::run::folder("scenarios");
    let text = std::fs::read_to_string(&scenarios).unwrap();
    let map = format!("{folder}/arena.map");
    for (from, to, code, words) in [
        ("28.04163055", "28.14163055", 1, "59 with the published length"),
        ("\t18\t25\t", "\t18\t0\t", 2, "wrong.scen:2: 18,0 is not an open cell"),
        ("\t49\t49\t18", "\t50\t49\t18", 2, "the map has 49 columns"),
        ("28.04163055", "long", 2, "wrong.scen:2: the last column is a length"),
        ("version 1\n", "", 2, "wrong.scen:1: expected 'version 1'"),
    ] {
        let wrong = own.join("wrong.scen");
        std::fs::write(&wrong, text.replacen(from, to, 1)).unwrap();
        let ran = run(&["route", &map, "--scen", wrong.to_str().unwrap()]);
        assert_eq!(ran.code, Some(code), "{to}: {}{}", ran.out, ran.err);
        assert!((ran.out + &ran.err).contains(words), "{to}");
    }
}

#[test]
fn navigation_files_have_goals_and_walls_as_rectangles() {
    let file = "[5,11]\n(0,1)\n(7,0) | (10,3)\n(2,0,2,2)\n(8,0,1,2)\n(10,0,1,1)\n(2,3,1,2)\n\
                (3,4,3,1)\n(9,3,1,1)\n(8,4,2,1)\n";
    let ran = run_with(&["route", "-", "-m", "bfs,moves=ULDR"], file);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let drawn: Vec<&str> = ran.out.lines().take(5).collect();
    assert!(drawn[0].starts_with("..##") && drawn[0].ends_with("G#.#"), "{}", ran.out);
    assert_eq!(drawn[4], "..####..##.");
    assert!(ran.out.contains("10 steps, cost 10"), "{}", ran.out);
    for (from, to, words) in [
        ("[5,11]", "[5]", "expected [rows,cols]"),
        ("[5,11]", "[99999999,99999999999]", "too many"),
        ("(0,1)", "(11,1)", "2:1: expected a cell (x,y) of the map"),
        ("(8,4,2,1)", "(8,4,2,2)", "10:1: expected a wall"),
        ("(7,0) | (10,3)", "", "expected a cell"),
    ] {
        let ran = run_with(&["route", "-"], file.replacen(from, to, 1));
        assert_eq!(ran.code, Some(2), "{to}: {}", ran.out);
        assert!(ran.err.contains(words), "{to}: {}", ran.err);
    }
}
