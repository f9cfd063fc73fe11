//! `queens` and `route`: other spaces on the same engine.

use snapbox::{assert_data_eq, str};

use crate::run::{json, run, run_with};

#[test]
fn queens_are_placed_drawn_and_counted() {
    let ran = run(&["queens", "8"]);
    assert_eq!(ran.code, Some(0));
    assert_data_eq!(
        ran.out,
        str![[r"
· · · · · · · Q
· · · Q · · · ·
Q · · · · · · ·
· · Q · · · · ·
· · · · · Q · ·
· Q · · · · · ·
· · · · · · Q ·
· · · · Q · · ·

8 queens placed, row by row in column 8 4 1 3 6 2 7 5.
dfs: expanded 113, generated 124, largest frontier 19; [..]

"]]
    );
    let ran = run(&["queens", "4", "--all", "-m", "bfs"]);
    assert_data_eq!(
        ran.out,
        str![[r"
1          2
· Q · ·    · · Q ·
· · · Q    Q · · ·
Q · · ·    · · · Q
· · Q ·    · Q · ·

4 queens: 2 solutions.
bfs: expanded 15, generated 16, largest frontier 6; [..]

"]]
    );
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
    let ran = run(&["queens", "12", "--count", "--nodes", "5000"]);
    assert_eq!(ran.code, Some(12));
    assert!(ran.out.starts_with("12 queens: 26 solutions so far; "), "{}", ran.out);
    for (args, word) in [
        (&["queens", "0"][..], "not in 1..=255"),
        (&["queens", "many"], "invalid digit"),
        (&["queens", "8", "-m", "astar"], "hint: there are bfs, dfs"),
        (&["queens", "8", "--all", "--count"], "cannot be used with"),
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
        str![[r"
S..#......
v#.#.####.
v#9..5...G
v#######.^
>>>>>>>>>^

A way of 15 steps at a cost of 15: optimal, no way is cheaper.
DDDDRRRRRRRRRUU
astar:manhattan: expanded 18, generated 21, largest frontier 3; [..]

"]]
    );
    let ran = run_with(&["route", "--file", "-", "-m", "bfs"], MAZE);
    assert_data_eq!(
        ran.out,
        str![[r"
S>v#......
.#v#.####.
.#>>>>>>>G
.#######..
..........

A way of 11 steps at a cost of 23: not proven the cheapest; any costs at least 11.
RRDDRRRRRRR
bfs: expanded 24, generated 26, largest frontier 3; [..]

"]]
    );
    let found = json(&["route", "S3/.G", "--json"]);
    assert_eq!((&found["cost"], &found["moves"]), (&2.into(), &"DR".into()));
    assert_eq!(found["path"], serde_json::json!([[1, 1], [2, 1], [2, 2]]));
}

#[test]
fn maps_without_a_way_and_texts_that_are_no_map() {
    let ran = run(&["route", "S.#/##G"]);
    assert_eq!(ran.code, Some(11));
    assert!(ran.out.contains("There is no way"), "{}", ran.out);
    assert_eq!(run_with(&["route", "-", "--nodes", "3"], MAZE).code, Some(12));
    let ran = run(&["route", "S.x/..G"]);
    assert_eq!(ran.code, Some(2));
    assert_data_eq!(
        ran.err,
        str![[r"
error: map: 'x' is no cell
  S.x/..G
    ^
hint: a cell is # (wall), . (free), 1 to 9 (what it costs to enter), S (start) or G (goal); to read a file, give a path that exists

"]]
    );
    for (input, word) in [
        ("S..\n..\n..G", "error: standard input:2:1: row 2 has 2 cells, but row 1 has 3"),
        ("S..\n\n..S", "error: standard input:3:3: 'S' stands twice (first at line 1, column 1)"),
        ("", "error: standard input: there is no map here"),
    ] {
        let ran = run_with(&["route", "-"], input);
        assert_eq!(ran.code, Some(2), "{input}");
        assert!(ran.err.contains(word), "{input}: {}", ran.err);
    }
    assert!(run(&["route", "--file", "/nowhere"]).err.contains("no such file"));
    assert!(run(&["route", "SG", "-m", "astar:linear"]).err.contains("manhattan, zero"));
}

#[test]
fn every_command_of_the_laboratory_has_examples() {
    for command in ["queens", "route", "compare", "audit", "explain", "ask"] {
        let ran = run(&[command, "--help"]);
        assert_eq!(ran.code, Some(0));
        assert!(ran.out.contains("Examples:\n  taquin "), "{command}");
        assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{command}");
    }
}
