//! `audit`: a heuristic over every board.

use snapbox::{assert_data_eq, str};

use crate::run::{json, run};

#[test]
fn an_audit_reads_well() {
    let ran = run(&["audit", "manhattan", "--size", "2x3"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{}", ran.out);
    assert_data_eq!(
        ran.out,
        str![[r"
manhattan for the goal 1 2 3/4 5 0: 360 boards

admissible  yes: it never exceeds the true distance
consistent  yes: no move changes it by more than the move costs
mean        6.83 of 12.62 (54 %); exact for 63 boards (17.5 %)
worst       16 too low: 4 for 4 3 2/1 5 0, which is 20 away
parity      odd or even as the true distance is, always: thresholds of IDA* can grow by two
branching   1.191: A* generated 54 nodes on average for 39 boards of distance 13

distance      boards  least   mean  most  0    5    10   15   20
       0           1      0   0.00     0  █
       1           2      1   1.00     1   █
       2           3      2   2.00     2    █
       3           5      3   3.00     3     █
       4           6      4   4.00     4      █
       5           7      5   5.00     5       █
       6          10      4   5.60     6      ▒ █
       7          12      5   6.33     7       ▓ █
       8          12      4   7.00     8      ▒ ▒ █
       9          16      5   7.38     9       ▒ ▓ ▓
      10          23      4   7.39    10      ░ ▓ ▒ ▒
      11          25      3   7.48    11     · ▒ ▓ ▒ ░
      12          28      4   7.57    10      ░ ▒ ▓ ▒ |
      13          39      5   7.21    11       ▓ ▒ ▓ ░ |
      14          44      4   7.05    12      ▒ ▒ ▓ ▒ · |
      15          40      5   7.50    11       ▒ ▒ ▓ ·   |
      16          29      4   7.10    10      ░ ▓ ▓ ░     |
      17          21      5   6.81     9       ▓ ▓ ▒       |
      18          18      4   6.89     8      ░ ▓ ▓         |
      19          12      5   6.17     7       ▓ █           |
      20           6      4   5.33     6      ▓ █             |
      21           1      5   5.00     5       █               |
estimates: · up to 5 % of the line's boards, ░ 15, ▒ 30, ▓ 50, █ more; | the true distance

"]]
    );
}

#[test]
fn the_eight_puzzle_as_data() {
    let audit = json(&["audit", "misplaced", "--json"]);
    assert_eq!((&audit["heuristic"], &audit["boards"]), (&"misplaced".into(), &181_440.into()));
    assert_eq!((&audit["admissible"], &audit["consistent"]), (&true.into(), &true.into()));
    let last = &audit["distances"][31];
    assert_eq!((&last["distance"], &last["boards"]), (&31.into(), &2.into()));
    assert!(audit["branching"]["factor"].as_f64().unwrap() > 1.3);
    let snail = json(&["audit", "manhattan", "--size", "2x3", "--goal", "snail", "--json"]);
    assert_eq!(snail["goal"], serde_json::json!([1, 2, 3, 0, 5, 4]));
    let blanks = json(&["audit", "linear", "--size", "2x3", "--blanks", "2", "--json"]);
    assert_eq!(blanks["boards"], 360);
    let priced = json(&["audit", "linear", "--size", "2x3", "--cost", "tile", "--json"]);
    assert_eq!((&priced["admissible"], &priced["branching"]), (&true.into(), &().into()));
}

#[test]
fn errors_and_limits() {
    for (args, code, word) in [
        (&["audit", "manhatan"][..], 2, "did you mean 'manhattan'?"),
        (&["audit", "linear", "--size", "2x3", "--blanks", "9"], 2, "1 to 6 blanks, not 9"),
        (&["audit", "linear", "--goal", "nose"], 2, "no goal is called 'nose'"),
        (&["audit", "zero", "--size", "4", "--memory", "3M"], 22, "choose a smaller board"),
        (&["audit", "zero", "--nodes", "100"], 12, "after 100 boards"),
        (&["audit"], 2, "HEURISTIC"),
    ] {
        let ran = run(args);
        assert_eq!(ran.code, Some(code), "{args:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(word), "{args:?}: {}", ran.err);
    }
}
