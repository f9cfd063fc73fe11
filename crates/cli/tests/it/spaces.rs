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
        (&["queens", "0"][..], "not in 1..=255"),
        (&["queens", "many"], "invalid digit"),
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
