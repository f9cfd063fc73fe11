//! Instance sets, compared with the files they come from.

use std::fs;
use std::path::Path;

use taquin::{
    Board, Cost, Costs, Estimate, NamedGoal, Notation, Session, Task, Watch, is_reachable,
    read_moves, replay,
};
use taquin_lab::instances::{Instance, InstanceError, SETS, read, read_boards};

fn set(text: &str) -> Vec<Instance> {
    read(text, None, Path::new(""), &Session::without_folder())
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn error(text: &str, goal: Option<&str>) -> InstanceError {
    read(text, goal, Path::new("/nowhere"), &Session::without_folder()).unwrap_err()
}

#[test]
fn published_sets_have_the_boards_and_lengths_of_their_files() {
    let session = Session::without_folder();
    for (name, file, count, total) in [
        ("korf100", "korf100.txt", 100, 5305),
        ("korf24", "korf24_50.txt", 50, 5039),
        ("yama24", "yama24_50.txt", 25, 1312),
        ("random24", "random24_193.txt", 193, 19605),
        ("unsolved24", "unsolved24_14.txt", 14, 910),
        ("ufrgs100", "ufrgs/8puzzle.txt", 100, 2216),
        ("deepcubea35", "deepcubea_35.txt", 100, 0),
        ("deepcubea48", "deepcubea_48.txt", 100, 0),
    ] {
        let found = set(name);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(file);
        let text = fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!((found.len(), lines.len()), (count, count), "{name}");
        assert_eq!(found.iter().filter_map(|one| one.known).sum::<u32>(), total, "{name}");
        for (instance, line) in found.iter().zip(lines) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let at = words.iter().position(|word| *word == "|").unwrap();
            let tiles: Vec<u16> =
                words[at + 1..].iter().map_while(|tile| tile.parse().ok()).collect();
            assert_eq!(instance.puzzle.start().tiles(), tiles, "{}", instance.label);
            assert!(instance.label.ends_with(&format!(" {}", words[0])), "{}", instance.label);
            assert_eq!((instance.source.as_str(), instance.known), (name, words[2].parse().ok()));
            // The distance to the goal is in the file too: the goal is the right one.
            let manhattan =
                session.evaluator(&Estimate::Manhattan, &instance.puzzle, &Costs::Unit).unwrap();
            let distance = manhattan.estimate(instance.puzzle.start()).to_string();
            assert_eq!(distance, words[1], "{}", instance.label);
            assert!(is_reachable(&instance.puzzle), "{}", instance.label);
        }
    }
}

/// A board is either open, and then its bounds differ, or it has a solution of its length.
#[test]
fn boards_that_were_unsolved_have_bounds_and_solutions() {
    let text = include_str!("../../data/unsolved24_14.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut solved = 0;
    for (line, Instance { label, puzzle, known, .. }) in lines.zip(set("unsolved24")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [lower, upper] = [3, 4].map(|at| words[at].parse::<Cost>().unwrap());
        let moves = *words.last().unwrap();
        let Some(known) = known else {
            assert!(lower < upper && (upper - lower) % 2 == 0 && moves == "-", "{label}");
            continue;
        };
        solved += 1;
        assert_eq!((lower, upper, moves.len()), (known, known, known as usize), "{label}");
        let slides = read_moves(moves, Some(Notation::Blank), puzzle.start()).unwrap();
        assert_eq!(replay(puzzle.start(), &slides).unwrap(), *puzzle.goal(), "{label}");
    }
    assert_eq!(solved, 8);
}

#[test]
fn the_hardest_boards_are_for_either_goal() {
    for goal in [None, Some("last"), Some("first")] {
        let found = read("hard15", goal, Path::new(""), &Session::without_folder()).unwrap();
        let named = goal.unwrap_or("last").parse::<NamedGoal>().unwrap();
        let board = named.board("4".parse().unwrap(), 1);
        assert_eq!(found.len(), 17);
        for instance in found {
            assert_eq!((instance.puzzle.goal(), instance.known), (&board, Some(80)));
            assert!(is_reachable(&instance.puzzle), "{}", instance.label);
        }
    }
}

#[test]
fn the_boards_of_the_courses_have_the_depths_they_are_named_after() {
    let session = Session::without_folder();
    for Instance { label, puzzle, known, .. } in set("courses") {
        let report = session.run(&Task::new(puzzle, "astar".parse().unwrap()), Watch::default());
        assert_eq!(
            (Some(format!("depth {}", report.cost.unwrap())), report.cost),
            (Some(label), known)
        );
    }
}

#[test]
fn some_puzzles_of_a_set_by_their_places() {
    for (text, labels) in [
        ("korf100 3", &["Korf 3"][..]),
        ("yama24 2..3", &["Yamamura 2", "Yamamura 4"]),
        ("courses 7..8", &["depth 20", "depth 24"]),
        ("hard15 17", &["hard15 17"]),
    ] {
        let found = set(text);
        assert_eq!(found.iter().map(|one| one.label.as_str()).collect::<Vec<_>>(), labels);
        assert_eq!(found[0].source, text);
    }
    assert_eq!(set("korf100 1..100").len(), 100);
}

#[test]
fn every_listed_set_is_one() {
    for listed in SETS.iter().filter(|listed| !listed.usage.starts_with("file ")) {
        assert!(!set(listed.usage).is_empty(), "{}", listed.usage);
    }
    let hint = error("korf", None).hint.unwrap();
    assert!(SETS.iter().all(|set| hint.contains(set.usage)), "{hint}");
}

#[test]
fn errors_have_a_place_and_a_hint() {
    for (text, goal, column, message) in [
        ("korf", None, 0, "unknown instance set 'korf'"),
        ("korf100 2 3", None, 10, "unexpected '3'"),
        ("korf100 0..2", None, 8, "the set has the places 1 to 100"),
        ("korf24 51", None, 7, "the set has the places 1 to 50"),
        ("hard15 9..3", None, 7, "the range 9..3 is empty"),
        ("courses n=3", None, 8, "'n=3' is not a range of places"),
        ("korf24 1", Some("last"), 0, "are for the goal 'first', not 'last'"),
        ("korf24", Some("last"), 0, "the boards of 'korf24' are for the goal 'first', not 'last'"),
        ("hard15", Some("snail"), 0, "for the goal 'last' or 'first', not 'snail'"),
        ("random 4y n=2", None, 7, "'4y' is not a size"),
        ("random 4x4 n=0", None, 11, "'0' is not a valid value of n"),
        ("random 4x4 m=1", None, 11, "unknown option 'm=1'"),
        ("depth 3x3 9..3", None, 10, "the range 9..3 is empty"),
        ("depth 3x3 32", None, 10, "no 3x3 board is 32 moves from the goal"),
        ("file x.txt", None, 5, "x.txt: No such file"),
        ("board 1 2 3/4 4 0", None, 6, "tile 4"),
    ] {
        let error = error(text, goal);
        assert_eq!(error.column, column, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
        assert!(error.hint.is_some(), "{text}");
    }
}

fn boards(text: &str) -> Vec<String> {
    read_boards(text, None).unwrap().iter().map(Board::to_string).collect()
}

#[test]
fn one_a_line_or_over_several_lines() {
    assert_eq!(boards("# two\n1 2 3/4 5 6/7 8 0\n\n123405678 # one more\n").len(), 2);
    assert_eq!(boards("123406758\n"), ["1 2 3/4 0 6/7 5 8"]);
    assert_eq!(boards("1 2 3\n4 0 6\n7 5 8\n\n\n1 2\n3 0\n"), ["1 2 3/4 0 6/7 5 8", "1 2/3 0"]);
    assert_eq!(boards("3\n1 2 3\n4 0 6\n7 5 8\n\n# next\n123406758\n876543210").len(), 3);
    assert_eq!(boards(""), [""; 0]);
    assert_eq!(boards("# nothing\n\n"), [""; 0]);
}

#[test]
fn errors_name_the_line_in_the_whole_text() {
    for (text, line) in [
        ("123406758\n12340675q\n123406758", 2),
        ("123406758\n\n1 2 3\n4 4 0\n", 4),
        ("\n\n# a\nnonsense\n", 4),
    ] {
        let error = read_boards(text, None).unwrap_err();
        assert_eq!(error.place().map(|place| place.line), Some(line), "{text} {error}");
    }
}
