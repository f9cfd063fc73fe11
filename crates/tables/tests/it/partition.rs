//! Partitions of tiles into patterns.

use taquin_tables::{Partition, PartitionError};
use taquin_tiles::{Board, NamedGoal, Size, Tile};

fn tiles(partition: &str, goal: &Board) -> Vec<Vec<Tile>> {
    let patterns = partition.parse::<Partition>().unwrap().patterns(goal).unwrap();
    patterns.iter().map(|pattern| pattern.tiles().to_vec()).collect()
}

fn goal(named: NamedGoal, side: usize, blanks: usize) -> Board {
    named.board(Size::new(side, side).unwrap(), blanks)
}

#[test]
fn texts_round_trip_and_bad_ones_are_refused() {
    for text in [
        "5-5-5",
        "6-6-3",
        "7-8",
        "6-6-6-6",
        "small",
        "1.4.5.8.9.12/6.10.11.13.14.15/2.3.7",
        "3",
        "65535/1",
    ] {
        assert_eq!(text.parse::<Partition>().unwrap().to_string(), text);
    }
    for text in ["", "8-7", "1.2/", "1..2", "0.1", "1,2", "+1", "65536", "1.2/x"] {
        assert_eq!(text.parse::<Partition>(), Err(PartitionError::Malformed(text.into())));
    }
    assert_eq!("1.2/3.1".parse::<Partition>(), Err(PartitionError::Twice(1)));
    assert_eq!("7.7".parse::<Partition>(), Err(PartitionError::Twice(7)));
}

/// `small` is the partition chosen for the size, and elsewhere patterns with at most six tiles.
#[test]
fn small_is_a_partition_of_every_goal() {
    let small: Partition = "small".parse().unwrap();
    for (rows, cols) in [(2, 2), (2, 3), (3, 3), (3, 5), (4, 4), (4, 5), (5, 5), (6, 6)] {
        for goal in NamedGoal::ALL.map(|named| named.board(Size::new(rows, cols).unwrap(), 1)) {
            let lists = tiles("small", &goal);
            assert!(lists.iter().all(|tiles| tiles.len() <= 6), "{goal}: {lists:?}");
            let mut all = lists.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(1..goal.tiles().len() as Tile), "{goal}");
            let chosen = small.for_goal(&goal);
            assert_eq!(tiles(&chosen.to_string(), &goal), lists);
            assert_eq!(chosen.for_goal(&goal), chosen);
        }
    }
    let chosen = |side| small.for_goal(&goal(NamedGoal::Last, side, 1)).to_string();
    assert_eq!((chosen(4).as_str(), chosen(5).as_str()), ("6-6-3", "6-6-6-6"));
}

#[test]
fn every_tile_is_in_one_pattern() {
    for (partition, size) in Partition::named() {
        let side = size.rows();
        let mut goals: Vec<Board> =
            NamedGoal::ALL.iter().map(|&named| goal(named, side, 1)).collect();
        for blank in 0..size.cells() {
            let mut tiles: Vec<Tile> = (1..size.cells() as Tile).collect();
            tiles.insert(blank, 0);
            goals.push(Board::new(size, tiles).unwrap());
        }
        for goal in goals {
            let mut all = tiles(&partition.to_string(), &goal).concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(1..size.cells() as Tile), "{partition} {goal:?}");
        }
    }
}

#[test]
fn named_partitions_follow_the_blank() {
    assert_eq!(
        tiles("7-8", &goal(NamedGoal::First, 4, 1)),
        [vec![1, 4, 5, 8, 9, 12, 13], vec![2, 3, 6, 7, 10, 11, 14, 15]]
    );
    // After half a turn, tile t stands where 16 - t was.
    assert_eq!(
        tiles("7-8", &goal(NamedGoal::Last, 4, 1)),
        [vec![3, 4, 7, 8, 11, 12, 15], vec![1, 2, 5, 6, 9, 10, 13, 14]]
    );
    // The spiral ends in cell 9; its tile 1 is in the top left corner.
    assert_eq!(tiles("7-8", &goal(NamedGoal::Snail, 4, 1))[0], [1, 2, 12, 13, 11, 10, 9]);
    let corner =
        Board::new(Size::new(4, 4).unwrap(), (1..4).chain([0]).chain(4..16).collect()).unwrap();
    assert_eq!(tiles("7-8", &corner)[0], [3, 6, 7, 10, 11, 14, 15]);
    // With two blanks a pattern is smaller.
    assert_eq!(tiles("7-8", &goal(NamedGoal::First, 4, 2))[0], [3, 4, 7, 8, 11, 12]);
}

#[test]
fn partitions_of_other_puzzles_are_refused() {
    let goal = goal(NamedGoal::Last, 3, 1);
    let error =
        |text: &str| text.parse::<Partition>().unwrap().patterns(&goal).unwrap_err().to_string();
    assert_eq!(
        error("7-8"),
        "7-8 is for 4x4 boards, and this one is 3x3: list the tiles, as in 1.2.5/3.4.7.8"
    );
    assert_eq!(error("1.2/9"), "there is no tile 9: the puzzle has the tiles 1 to 8");
}
