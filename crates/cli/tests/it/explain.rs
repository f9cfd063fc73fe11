//! `explain`: why a node was taken.

use crate::run::{json, run};

#[test]
fn explanations_are_data_too() {
    let found = json(&["explain", "123506478", "-m", "wastar,w=3/2", "--step", "2", "--json"]);
    assert_eq!((&found["step"], &found["path"]), (&2.into(), &"L".into()));
    assert_eq!(found["node"]["rank"], 2 + 9);
    assert_eq!(found["successors"][0]["verdict"], "kept");
}

#[test]
fn the_tree_as_a_graph() {
    let ran = run(&["explain", "123406758", "--dot"]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(
        ran.out,
        r#"digraph search {
  label="astar:manhattan on 1 2 3/4 0 6/7 5 8"; labelloc=t; fontname="monospace";
  node [shape=box, fontname="monospace"]; edge [fontname="monospace"];
  n0 [label="1 2 3\n4 . 6\n7 5 8\ng=0 h=2 f=2\n#1", style="bold,filled", fillcolor=palegreen];
  n1 [label="1 . 3\n4 2 6\n7 5 8\ng=1 h=3 f=4"];
  n2 [label="1 2 3\n. 4 6\n7 5 8\ng=1 h=3 f=4"];
  n3 [label="1 2 3\n4 6 .\n7 5 8\ng=1 h=3 f=4"];
  n4 [label="1 2 3\n4 5 6\n7 . 8\ng=1 h=1 f=2\n#2", style="bold,filled", fillcolor=palegreen];
  n5 [label="1 2 3\n4 5 6\n. 7 8\ng=2 h=2 f=4"];
  n6 [label="1 2 3\n4 5 6\n7 8 .\ng=2 h=0 f=2", style="bold,filled", fillcolor=palegreen];
  n0 -> n1 [label="U2"];
  n0 -> n2 [label="L4"];
  n0 -> n3 [label="R6"];
  n0 -> n4 [label="D5", penwidth=2];
  n4 -> n5 [label="L7"];
  n4 -> n6 [label="R8", penwidth=2];
}
"#
    );
}

#[test]
fn bad_steps_and_methods_are_refused() {
    for (args, code) in [
        (&["explain", "123506478", "--step", "0"][..], 2),
        (&["explain", "123506478", "--as", "ucr-list", "-m", "dfs"], 2),
    ] {
        assert_eq!(run(args).code, Some(code), "{args:?}");
    }
}
