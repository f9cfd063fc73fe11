//! `audit`: a heuristic over every board.

use crate::run::{json, run};

#[test]
fn an_audit_fits_80_columns() {
    let ran = run(&["audit", "manhattan", "--size", "2x3"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
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
    for (args, code) in [
        (&["audit", "manhatan"][..], 2),
        (&["audit", "linear", "--goal", "nose"], 2),
        (&["audit"], 2),
    ] {
        assert_eq!(run(args).code, Some(code), "{args:?}");
    }
}

#[test]
fn a_space_that_no_machine_can_hold_is_refused_at_once() {
    for args in [
        &["audit", "manhattan", "--size", "9"][..],
        &["audit", "manhattan", "--size", "5", "--cost", "tile", "--memory", "8G"],
    ] {
        let ran = run(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(22), ""), "{}", ran.err);
        assert!(ran.err.contains(" boards") && ran.err.contains("hint: "), "{}", ran.err);
    }
    // A line has as many boards as cells.
    assert_eq!(json(&["audit", "zero", "--size", "1x70", "--json"])["boards"], 70);
}

#[test]
fn a_course_prints_its_checks_of_a_heuristic() {
    // The twelve boards of 2x2, each with two moves.
    let ran = run(&["audit", "manhattan", "2x2", "--as", "fer"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 1 + 12 + 1 + 1 + 24 + 1);
    assert_eq!(
        lines[..2],
        ["# HEURISTIC-OPTIMISTIC manhattan", "[CONDITION]: [OK] h(12_3x) <= h*: 0.0 <= 0.0",]
    );
    assert_eq!(
        lines[13..16],
        [
            "[CONCLUSION]: Heuristic is optimistic.",
            "# HEURISTIC-CONSISTENT manhattan",
            "[CONDITION]: [OK] h(12_3x) <= h(12_x3) + c: 0.0 <= 1.0 + 1.0",
        ]
    );
    assert_eq!(lines[39], "[CONCLUSION]: Heuristic is consistent.");
    // The course's own heuristic counts the blank, and so does its 'misplaced'.
    let ran = run(&["audit", "2x3", "--as", "fer"]);
    assert_eq!(run(&["audit", "misplaced", "2x3", "--as", "fer"]).out, ran.out);
    for line in [
        "# HEURISTIC-OPTIMISTIC misplaced,blank=counted\n",
        "[CONDITION]: [ERR] h(123_4x5) <= h*: 2.0 <= 1.0\n",
        "[CONCLUSION]: Heuristic is not optimistic.\n",
        "[CONDITION]: [ERR] h(123_4x5) <= h(123_45x) + c: 2.0 <= 0.0 + 1.0\n",
        "[CONCLUSION]: Heuristic is not consistent.\n",
    ] {
        assert!(ran.out.contains(line), "{line}");
    }
    // Without sentences of its own a course gives the goal, the cost and the heuristic.
    let audit = json(&["audit", "2x3", "--as", "ufrgs", "--json"]);
    assert_eq!(audit["goal"], serde_json::json!([0, 1, 2, 3, 4, 5]));
    let ran = run(&["audit", "--as", "fer", "--cost", "tile"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("the checks of fer count moves"), "{}", ran.err);
    assert_eq!(json(&["audit", "2x3", "--as", "fer", "--json"])["admissible"], false);
}
