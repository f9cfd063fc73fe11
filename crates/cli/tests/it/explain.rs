//! `explain`: why a node was taken.

use snapbox::{assert_data_eq, str};

use crate::run::{json, run};

#[test]
fn a_step_of_a_star() {
    let ran = run(&["explain", "136502478", "--step", "5"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert_data_eq!(
        ran.out,
        str![[r"
Step 5 on 1 3 6/5 0 2/4 7 8 by
astar:manhattan

  1 2 3    g = 4    the path so far: RULD
  5 · 6    h = 4    by manhattan
  4 7 8    f = 8
           waiting since step 4

Taken from the 6 nodes that waited, because
  rank=f       its f of 8 is the lowest; 1 other has it too
  tie=high-g   of these its g of 4 is the highest; no other has it

What would have been next (all that were left)
      f    g    h  board              since  behind by
      8    1    7  1 3 6/0 5 2/4 7 8      1  its lower g
     10    4    6  0 1 3/5 2 6/4 7 8      4  its higher f
     10    2    8  1 3 6/5 2 8/4 7 0      2  its higher f
     10    1    9  1 3 6/5 7 2/4 0 8      1  its higher f
     10    1    9  1 0 6/5 3 2/4 7 8      1  its higher f

Its successors, in the order moves=ULRD
         f    g    h  board
  L      8    5    3  1 2 3/0 5 6/4 7 8  kept: a new board
  R     10    5    5  1 2 3/5 6 0/4 7 8  kept: a new board
  D     10    5    5  1 2 3/5 7 6/4 0 8  kept: a new board
  U  is not generated: it takes the last move back (undo=skip)

"]]
    );
}

#[test]
fn a_step_as_a_course_takes_it() {
    let ran = run(&[
        "explain",
        "136507482",
        "--as",
        "ucr-list",
        "-m",
        "misplaced",
        "--step",
        "30",
        "--rivals",
        "4",
    ]);
    assert_data_eq!(
        ran.out,
        str![[r"
Step 30 on 1 3 6/5 0 7/4 8 2 by
astar:misplaced,tie=low-g,order=fifo,duplicates=generated,reopen=never,undo=keep,moves=LRUD

  1 6 7    g = 4    the path so far: URDD
  5 3 2    h = 6    by misplaced
  4 8 ·    f = 10
           waiting since step 20

Taken from the 23 nodes that waited, because
  rank=f       its f of 10 is the lowest; 9 others have it too
  tie=low-g    of these its g of 4 is the lowest; 2 others have it too
  order=fifo   it was put there first

What would have been next (the first 4 of 22 left)
      f    g    h  board              since  behind by
     10    4    6  5 1 6/4 3 7/0 8 2     24  being newer
     10    4    6  1 3 0/5 8 6/4 2 7     26  being newer
     10    5    5  1 7 3/5 6 0/4 8 2     13  its higher g
     10    5    5  1 7 3/5 8 6/4 0 2     13  its higher g

Its successors, in the order moves=LRUD
         f    g    h  board
  L     12    5    7  1 6 7/5 3 2/4 0 8  kept: a new board
  U     11    5    6  1 6 7/5 3 0/4 8 2  dropped: known since step 11 with g = 3, expanded at step 20

"]]
    );
}

#[test]
fn searches_without_an_estimate_or_a_frontier() {
    let ran = run(&["explain", "136507482", "-m", "dfs", "--step", "3"]);
    assert_data_eq!(
        ran.out,
        str![[r"
Step 3 on 1 3 6/5 0 7/4 8 2 by
dfs

  1 3 6    g = 2    the path so far: DR
  5 8 7    h = 0    no estimate is used
  4 2 ·    waiting since step 2

Taken from the 5 nodes that waited, because
  rank=none    all nodes are equal
  order=lifo   it was put there last

What would have been next (all that were left)
      g  board              since  behind by
      2  1 3 6/5 8 7/0 4 2      2  being older
      1  1 3 6/5 7 0/4 8 2      1  being older
      1  1 3 6/0 5 7/4 8 2      1  being older
      1  1 0 6/5 3 7/4 8 2      1  being older

Its successors, in the order moves=ULRD
         g  board
  U      3  1 3 6/5 8 0/4 2 7  kept: a new board
  L  is not generated: it takes the last move back (undo=skip)

"]]
    );
    let ran = run(&["explain", "136507482", "-m", "ida", "--step", "30"]);
    assert_data_eq!(
        ran.out,
        str![[r"
Step 30 on 1 3 6/5 0 7/4 8 2 by
ida:manhattan

  1 3 6    g = 7    the path so far: RDLULDR
  4 5 2    h = 5    by manhattan
  7 · 8    f = 12

Taken because ida goes depth-first: it is the first successor of its parent that was not
tried and whose f is within the threshold of 12. Nothing else is kept.

Its successors, in the order moves=ULRD
         f    g    h  board
  U     14    8    6  1 3 6/4 0 2/7 5 8  above the threshold of 12
  R     12    8    4  1 3 6/4 5 2/7 8 0  within the threshold
  L  is not generated: it takes the last move back (undo=skip)

"]]
    );
}

#[test]
fn the_goal_and_what_is_dropped() {
    let ran = run(&["explain", "123506478", "--step", "5"]);
    assert!(ran.out.contains("It is the goal. goal=expansion tests"), "{}", ran.out);
    let ran = run(&["explain", "123506478", "-m", "bfs,undo=keep", "--step", "2"]);
    assert!(
        ran.out.contains("dropped: it is the start with g = 0, expanded at step 1"),
        "{}",
        ran.out
    );
    // With several blanks a move is named with its tile.
    let ran = run(&["explain", "0 0 1/2 3 4", "--step", "3"]);
    assert!(ran.out.contains("the path so far: D3 R4"), "{}", ran.out);
    assert!(ran.out.contains("L4  is not generated"), "{}", ran.out);
    let ran = run(&["explain", "123506478", "-m", "ids"]);
    assert!(ran.out.contains("every threshold begins at the start"), "{}", ran.out);
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
fn errors_say_what_to_do() {
    for (args, code, words) in [
        (
            &["explain", "123506478", "--step", "50"][..],
            2,
            &["there is no step 50: the search ended after 4", "smaller --step"][..],
        ),
        (&["explain", "123506478", "-m", "auto"], 2, &["auto is several searches"]),
        (&["explain", "123506478", "-m", "bidirectional", "--dot"], 2, &["one frontier"]),
        (&["explain", "123506478", "--step", "0"], 2, &["not in 1.."]),
        (
            &["explain", "123506478", "--as", "ucr-list", "-m", "dfs"],
            2,
            &["ucr-list has no method 'dfs'"],
        ),
        (
            &["explain", "867254301", "-m", "bfs", "--step", "9000", "--memory", "100k"],
            22,
            &["memory limit"],
        ),
    ] {
        let ran = run(args);
        assert_eq!(ran.code, Some(code), "{args:?} {}", ran.err);
        for word in words {
            assert!(ran.err.contains(word), "{args:?}: {}", ran.err);
        }
    }
    let ran = run(&["explain", "123456870"]);
    assert!(ran.code == Some(11) && ran.out.contains("Unsolvable"), "{}", ran.out);
}
