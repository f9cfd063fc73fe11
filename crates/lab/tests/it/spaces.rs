//! Whole spaces that are known, against enumerations and published distributions.

use std::collections::HashMap;

use taquin::{Board, Enumeration, Metric, NamedGoal, Session, Size, SpaceJob, Watch, space};
use taquin_lab::{KnownSpace, inequivalent_goals, known_groups, known_space, known_spaces};

fn enumerated(goal: &Board, metric: Metric) -> Enumeration {
    let job = SpaceJob { metric, ..SpaceJob::new(goal) };
    Session::without_folder().run(&job, Watch::default()).unwrap()
}

fn size_of(known: &Enumeration) -> Size {
    Size::new(known.rows, known.cols).unwrap()
}

fn goal_of(known: &Enumeration) -> Board {
    Board::new(size_of(known), known.goal.clone()).unwrap()
}

/// Enumerates the spaces of so many boards again; their number.
fn assert_recomputed(accept: impl Fn(u64) -> bool) -> usize {
    let mut compared = 0;
    for KnownSpace { command, space } in known_spaces() {
        if !accept(space.states) {
            continue;
        }
        let again = enumerated(&goal_of(&space), space.metric);
        assert_eq!(space.depths, again.depths, "{command}");
        assert!(again.farthest.contains(&space.farthest[0]), "{command}");
        compared += 1;
    }
    compared
}

#[test]
fn every_line_is_a_whole_space_and_names_its_command() {
    let text = include_str!("../../data/spaces.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(lines.clone().count(), known_spaces().count());
    for (line, KnownSpace { command, space: known }) in lines.zip(known_spaces()) {
        assert!(line.starts_with(command));
        let goal = goal_of(&known);
        let size = size_of(&known);
        assert!(
            command.starts_with(&format!("taquin enumerate {size} --goal \"{goal}\"")),
            "{line:.80}"
        );
        assert_eq!(known.states, space::extent(&goal, known.metric).states, "{command}");
        assert_eq!(known.farthest.len(), 1);
    }
}

#[test]
fn small_spaces_are_enumerated_again() {
    assert!(assert_recomputed(|states| states <= 30_000) >= 60);
}

#[test]
#[ignore = "all spaces of up to 239,500,800 boards: minutes on two cores"]
fn all_spaces_are_enumerated_again() {
    assert!(assert_recomputed(|states| states <= 300_000_000) >= 500);
}

/// No goal is missing, and none is there twice.
#[test]
fn small_boards_have_a_space_for_every_goal() {
    let mut goals: HashMap<(Size, usize, Metric), Vec<Board>> = HashMap::new();
    for KnownSpace { space: known, .. } in known_spaces() {
        let goal = goal_of(&known);
        goals.entry((size_of(&known), goal.blanks().count(), known.metric)).or_default().push(goal);
    }
    for size in ["2x2", "2x3", "2x4", "2x5", "2x6", "3x3", "3x4"] {
        let size: Size = size.parse().unwrap();
        for blanks in 1..=3 {
            for metric in [Metric::Single, Metric::Multi] {
                let listed = goals.get(&(size, blanks, metric));
                let all = inequivalent_goals(size, blanks);
                assert_eq!(listed, Some(&all), "{size}, {blanks}, {metric}");
            }
        }
    }
}

#[test]
fn published_distributions_are_met() {
    let numbers = |text: &str| -> Vec<u64> {
        text.split_whitespace().map(|count| count.parse().unwrap()).collect()
    };
    let mut compared = 0;
    let mut compare = |goal: &Board, metric, counts: &str| {
        if let Some(known) = known_space(goal, metric) {
            assert_eq!(known.space.depths, numbers(counts), "{goal}, {metric}");
            compared += 1;
        }
    };
    for line in include_str!("../../data/statespace_depths.txt").lines() {
        let Some((facts, counts)) = line.split_once(" : ") else { continue };
        let facts: Vec<&str> = facts.split(' ').collect();
        let ["BOARD", rows, cols, _, blank, metric, ..] = facts[..] else { continue };
        let size = Size::new(rows.parse().unwrap(), cols.parse().unwrap()).unwrap();
        let mut tiles: Vec<u16> = (1..size.cells() as u16).rev().collect();
        let Ok(blank) = blank.parse() else { continue };
        tiles.insert(blank, 0);
        let metric = if metric == "MTM" { Metric::Multi } else { Metric::Single };
        compare(&Board::new(size, tiles).unwrap(), metric, counts);
    }
    for line in include_str!("../../data/multi_blank_depths.txt").lines() {
        let Some(line) = line.strip_prefix("MB ") else { continue };
        let parts: Vec<&str> = line.split(" | ").collect();
        let facts = numbers(parts[0].rsplitn(7, ' ').last().unwrap());
        let tiles = numbers(parts[1]).into_iter().map(|tile| tile as u16).collect();
        let size = Size::new(facts[0] as usize, facts[1] as usize).unwrap();
        compare(&Board::new(size, tiles).unwrap(), Metric::Single, parts[2]);
    }
    assert!(compared >= 25, "{compared}");
}

#[test]
fn an_image_of_a_goal_has_the_same_space() {
    for goal in ["8 7 6/0 5 4/1 2 3", "4 1/0 2/5 3", "3 0/1 2/4 0", "0 1 0/5 2 0/4 6 3"] {
        let goal: Board = goal.parse().unwrap();
        for metric in [Metric::Single, Metric::Multi] {
            let (known, again) =
                (known_space(&goal, metric).unwrap().space, enumerated(&goal, metric));
            assert_eq!((&known.goal, known.depths), (&again.goal, again.depths), "{goal}");
            assert!(again.farthest.contains(&known.farthest[0]), "{goal}");
        }
    }
    let last = NamedGoal::Last.board("4x4".parse().unwrap(), 1);
    assert_eq!(known_space(&last, Metric::Single), None);
}

/// The greatest distance of two boards is the greatest depth for any place of the blanks.
#[test]
fn diameters_are_greatest_distances() {
    let groups = known_groups();
    let size: Size = "2x3".parse().unwrap();
    for group in groups.iter().filter(|group| group.size == size) {
        let mut greatest = 0;
        for blanks in 0_u32..1 << 6 {
            if blanks.count_ones() as usize == group.blanks {
                let mut tiles = 1..;
                let tile = |at: u32| match blanks >> at & 1 {
                    1 => Some(0),
                    _ => tiles.next(),
                };
                let tiles = (0..6).map_while(tile).collect();
                let goal = Board::new(size, tiles).unwrap();
                greatest = greatest.max(enumerated(&goal, group.metric).max_depth);
            }
        }
        assert_eq!(group.diameter, Some(greatest), "{group:?}");
    }
    let incomplete = groups.iter().find(|group| group.known < group.goals).unwrap();
    assert_eq!(incomplete.diameter, None);
}
