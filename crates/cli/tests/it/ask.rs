//! The dialogue, driven by a script that types the answers.

use snapbox::{assert_data_eq, str};

use crate::run::{Ran, run, run_with};

fn ask(answers: &str) -> Ran {
    run_with(&["ask"], answers)
}

/// The command that is named at the end, as its words.
fn named(ran: &Ran) -> Vec<String> {
    let line = ran.err.lines().last().unwrap().trim();
    let parts: Vec<&str> = line.split('"').collect();
    let [before, board, after] = parts[..] else { panic!("{line}") };
    let words = before.split_whitespace().chain([board]).chain(after.split_whitespace());
    words.skip(1).map(str::to_owned).collect()
}

/// Without the line that says how long it took.
fn timeless(text: &str) -> String {
    text.lines().filter(|line| !line.contains("seconds") && !line.contains(" µs")).collect()
}

#[test]
fn the_default_puzzle() {
    let ran = ask("1\n3\n");
    assert_eq!(ran.code, Some(0));
    assert_data_eq!(
        ran.err,
        str![[r#"
Welcome to taquin, a solver of sliding-tile puzzles.
At every question: help, back (to the question before), quit.
Type "1" to use a default puzzle, or "2" to enter your own puzzle.
> 1
The default puzzle:
  1 2 3
  4 · 6
  7 5 8

Enter your choice of algorithm
1. Uniform cost search
2. A* with the misplaced tile heuristic
3. A* with the Manhattan distance heuristic
or a method listed by 'taquin list methods', such as bfs or ida:linear
> 3


The same in one line:
  taquin solve "1 2 3/4 0 6/7 5 8" --as ucr-list -m 3 --trace

"#]]
    );
    assert_data_eq!(
        ran.out,
        str![[r"
The best state to expand with a g(n) = 0 and h(n) = 2 is...
[[1, 2, 3], [4, 0, 6], [7, 5, 8]]	Expanding this node...

The best state to expand with a g(n) = 1 and h(n) = 1 is...
[[1, 2, 3], [4, 5, 6], [7, 0, 8]]	Expanding this node...

Goal!!

To solve this problem the search algorithm expanded a total of 2 nodes.
The maximum number of nodes in the queue at any one time was 5.
The depth of the goal node was 2

CPU Time: [..] seconds

"]]
    );
}

#[test]
fn tiles_come_as_people_type_them() {
    for tiles in [
        "1 2 3\n5 0 6\n4 7 8\n",
        "1\n2\n3\n5\n0\n6\n4\n7\n8\n",
        "123506478\n",
        "1 2 3/5 b 6/4 7 8\n",
        "[[1,2,3],[5,0,6],[4,7,8]]\n",
        "1\t2  3\r\n\n5 _\n6\n4, 7, 8\n",
        "1 2 3 5 0 6 4 7 8\n",
        "1 2 3 5\n0 6 4 7\n8\n",
    ] {
        let ran = ask(&format!("2\n8\n{tiles}2\n"));
        assert_eq!(ran.code, Some(0), "{tiles:?} {}", ran.err);
        let words = named(&ran);
        assert_eq!(
            words,
            ["solve", "1 2 3/5 0 6/4 7 8", "--as", "ucr-list", "-m", "2", "--trace"],
            "{tiles:?}"
        );
        // The named command does the same.
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(timeless(&run(&words).out), timeless(&ran.out));
    }
}

#[test]
fn bad_answers_are_asked_again_with_the_reason() {
    let answers = "3\n2\nabc\n9\n3x\n\n1 2 3\n4 4 5\n4 5 9\n4 q\n4 5 6 7 8 0 1\n4 5 6\n0 7 8\n\
                   0\n4\nasatr\nA*\n\nmanhattan\n";
    let ran = ask(answers);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_data_eq!(
        ran.err,
        str![[r#"
Welcome to taquin, a solver of sliding-tile puzzles.
At every question: help, back (to the question before), quit.
Type "1" to use a default puzzle, or "2" to enter your own puzzle.
> 3
'3' is not 1 or 2, nor a board.
Type "1" to use a default puzzle, or "2" to enter your own puzzle.
> 2
Type the number of tiles (8, 15 or 24) or a size such as 3x4. Enter means 8.
> abc
'abc' is not a size: type 8, 15, 24, or a size such as 3x4.
Type the number of tiles (8, 15 or 24) or a size such as 3x4. Enter means 8.
> 9
A square board can't have 9 tiles: type 8, 15, 24, or a size such as 3x4.
Type the number of tiles (8, 15 or 24) or a size such as 3x4. Enter means 8.
> 3x
'3x' is not a size: type 8, 15, 24, or a size such as 3x4.
Type the number of tiles (8, 15 or 24) or a size such as 3x4. Enter means 8.
> 
Enter your puzzle, with 0 for the blank: all tiles at once, a row at a time,
or a tile at a time.
Enter the first row, use space or tabs between numbers: 1 2 3
Enter the second row, use space or tabs between numbers: 4 4 5
Tile 4 appears twice. Enter that line again.
Enter the second row, use space or tabs between numbers: 4 5 9
Tile 9 is out of range: a 3x3 board has tiles 0 to 8. Enter that line again.
Enter the second row, use space or tabs between numbers: 4 q
'q' is not a tile. Enter that line again.
Enter the second row, use space or tabs between numbers: 4 5 6 7 8 0 1
Tile 1 appears twice. Enter that line again.
Enter the second row, use space or tabs between numbers: 4 5 6
Enter the third row, use space or tabs between numbers: 0 7 8
Your puzzle:
  1 2 3
  4 5 6
  · 7 8

Enter your choice of algorithm
1. Uniform cost search
2. A* with the misplaced tile heuristic
3. A* with the Manhattan distance heuristic
or a method listed by 'taquin list methods', such as bfs or ida:linear
> 0
0 is not in the list: type 1 to 3, or a method.
> 4
4 is not in the list: type 1 to 3, or a method.
> asatr
unknown method 'asatr': did you mean 'astar'?
> A*
unknown method 'A*': did you mean 'astar'?
> 
Type a number from 1 to 3, or a method.
> manhattan


The same in one line:
  taquin solve "1 2 3/4 5 6/0 7 8" --as ucr-list -m manhattan --trace

"#]]
    );
}

#[test]
fn an_unsolvable_puzzle_is_refused_with_its_proof() {
    let ran = ask("2\n\n1 2 3 4 5 6 8 7 0\n1\n1\n");
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.contains("Unsolvable: "), "{}", ran.err);
    assert_eq!(named(&ran)[1], "1 2 3/4 0 6/7 5 8");
}

#[test]
fn sizes_and_methods_of_ones_own() {
    let ran = ask("2\n2x3\n1 2 3\n0 4 5\nida:linear\n");
    assert_eq!(named(&ran), ["solve", "1 2 3/0 4 5", "-m", "ida:linear", "--trace"]);
    assert!(ran.out.contains("Solved in 2 moves"), "{}", ran.out);
    let ran = ask("2\n15\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15\nmisplaced\n");
    let words = named(&ran);
    assert_eq!(words[words.len() - 2..], ["--trace-limit", "1000"]);
    let ran = run_with(&["ask", "--as", "cse5aif"], "2\n8\n1 2 0\n3 4 5\n6 7 8\ngreedy\n");
    assert_eq!(
        named(&ran),
        ["solve", "1 2 0/3 4 5/6 7 8", "-m", "greedy", "--goal", "first", "--trace"]
    );
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn the_end_of_the_answers_is_no_crash() {
    for answers in ["", "1", "1\n", "2\n", "2\n8\n1 2 3\n", "2\n8\n123506478\n", "\n\n", "2\n15\n"]
    {
        let ran = ask(answers);
        assert_eq!(ran.code, Some(2), "{answers:?}");
        assert!(ran.err.contains("error: the input ended"), "{answers:?}: {}", ran.err);
        assert!(ran.out.is_empty());
    }
    let noise: Vec<u8> =
        (0..200_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let ran = run_with(&["ask"], noise);
    assert_eq!(ran.code, Some(2));
    assert_eq!(run(&["ask", "--as", "nobody"]).code, Some(2));
}

/// The words of a text, without white space; numbers with a fraction are times.
fn words(text: &str) -> Vec<String> {
    let is_time =
        |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    text.split_whitespace().filter(|word| !is_time(word)).map(str::to_owned).collect()
}

#[test]
fn the_dialogue_of_ucr_list_is_that_of_its_program() {
    let question = "Please type \"1\" to use a default puzzle, or \"2\" to enter your own puzzle! \
                    Make sure to enter a valid puzzle\n Press enter after enterin one number\n";
    let algorithm = "Enter your choice of algorithm\n1. Uniform Cost Search\n\
                     2. A* with the Misplaced Tile heuristic.\n\
                     3. A* with the Manhattan distance heuristic\n";
    let ran = run_with(&["ask", "--as", "ucr-list"], "1\n3\n");
    assert_eq!(words(&ran.err), words(&format!("{question}1 {algorithm}3")));
    // The empty lines come after a puzzle of the user's own only.
    assert!(ran.err.contains("number\n1\nEnter your choice"), "{}", ran.err);
    assert!(
        ran.out.starts_with("The best state to expand with a g(n) = 0 and h(n) = 2 is...\n[[1, ")
    );
    // The same as the default puzzle, entered by its program's rules: N, then a number per line.
    let typed = run_with(&["ask", "--as", "ucr-list"], "2\n8\n1\n2\n3\n4\n0\n6\n7\n5\n8\n3\n");
    assert_eq!(words(&typed.out), words(&ran.out));
    let asked = format!("{question}2 Enter N of the N-puzzle 8 1 2 3 4 0 6 7 5 8 {algorithm}3");
    assert_eq!(words(&typed.err), words(&asked));
    assert!(typed.err.contains("\n8\n\n\nEnter your choice"), "{}", typed.err);
    assert_eq!(typed.code, Some(0));
}

#[test]
fn the_dialogue_of_ucr_heap_is_that_of_its_program() {
    let cells = ["1", "2", "3", "5", "0", "6", "4", "7", "8"];
    let answers = format!("8\n{}\n1\n", cells.join("\n"));
    let ran = run_with(&["ask", "--as", "ucr-heap"], answers);
    let mut asked =
        "Please input the number of X-puzzle:\n (e.g. if you want to solve the 8-puzzle, \
                     you need to enter 8)\n8\n\
                     input the value of puzzle, use zero to represent the blank:\n"
            .to_owned();
    let question = |(at, cell)| format!("row {} and column {}:\n{cell}\n", at / 3, at % 3);
    asked.extend(cells.iter().enumerate().map(question));
    asked += "Select a method:\n1) Uniform Cost Search.\n2) A* with the Misplaced Tile heuristic.\n\
              3) A* with the Manhattan Distance heuristic.\n\
              (e.g. if you want to use Uniform Cost Search, enter 1)\n1\n";
    assert_eq!(words(&ran.err), words(&asked));
    let end = ["Depth was: 4", "Node expand number: 27", "max queue size: 22", "Running time: "];
    assert!(ran.out.contains(&end.join("\n")), "{}", ran.out);
    assert_eq!(ran.out.matches("The best state to expand").count(), 27);
}

#[test]
fn a_course_without_a_puzzle_offers_none() {
    let ran = run_with(&["ask", "--as", "columbia"], "3x3\n1 2 5 3 4 0 6 7 8\nbfs\n");
    assert!(!ran.err.contains("default puzzle"), "{}", ran.err);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // The lab has its own, and asks nothing: these are taquin's questions.
    let ran = run_with(&["ask", "--as", "cse5aif"], "1\n1\n");
    assert!(
        ran.out.starts_with("[6, 7, 5, 4, 3, 0, 2, 1, 8]\nFinding solution...\n"),
        "{}",
        ran.err
    );
}

#[test]
fn back_help_quit_and_a_board_at_the_first_question() {
    // Two wrong lines of tiles are taken back, then the size, and a board is typed instead.
    let ran = ask("2\n8\n1 2 3 4\nback\n1 2 3\nback\nback\nback\nhelp\n123506478\n2\n");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(named(&ran)[1], "1 2 3/5 0 6/4 7 8");
    assert!(ran.err.contains("the question before, or the line of tiles before"));
    let ran = ask("2\n8\n1 2 3 4\nback\n1 2 3\n5 0 6\n4 7 8\nback\n8 4 7\nback\n4 7 8\n2\n");
    assert_eq!(named(&ran)[1], "1 2 3/5 0 6/4 7 8", "{}", ran.err);
    for answers in ["quit\n", "2\n8\n1 2\nQuit\n", "1\nexit\n"] {
        let ran = ask(answers);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{answers:?}");
        assert!(!ran.err.contains("error"), "{}", ran.err);
    }
}

#[test]
fn it_goes_on_to_the_next_puzzle() {
    let ran = ask("1\n3\n123506478\n2\n\n");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(ran.err.matches("The same in one line:").count(), 2);
    assert_eq!(ran.out.matches("CPU Time").count(), 2);
}

#[test]
fn the_dialogue_runs_no_other_method_than_was_asked_for() {
    for method in ["layers", "anytime", "table"] {
        let ran = ask(&format!("123506478\n{method}\n2\n"));
        assert!(ran.err.contains(&format!("{method} has no steps to follow")), "{}", ran.err);
        let command = named(&ran);
        assert_eq!(command[2..], ["--as", "ucr-list", "-m", "2", "--trace"]);
    }
}

/// The output of the dialogue on a terminal.
#[cfg(target_os = "linux")]
fn on_a_terminal(args: &str, answers: &str) -> (Option<i32>, String) {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let taquin = env!("CARGO_BIN_EXE_taquin");
    let mut child = Command::new("script")
        .args(["-qec", &format!("{taquin} {args}"), "/dev/null"])
        .env("NO_COLOR", "1")
        .env("TAQUIN_CACHE", crate::run::cache())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this test needs script, which comes with util-linux");
    child.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).replace('\r', ""))
}

#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal_a_long_trace_is_asked_about_and_ctrl_d_is_a_goodbye() {
    // Control-D ends the input of the terminal.
    let (code, text) = on_a_terminal("ask", "072461358\n3\nno\n123506478\n3\n\x04");
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(text.matches("Print the trace?").count(), 1, "{text}");
    // The long one without a trace, the short one with it.
    assert_eq!(text.matches("Expanding this node...").count(), 4, "{text}");
    assert_eq!(text.matches("CPU Time").count(), 2, "{text}");
    assert!(!text.contains("error"), "{text}");
}
