//! Patterns, their numbering and their reflections.

use taquin_tables::{Pattern, PatternError, Ranking, Reflection};
use taquin_tiles::{Board, NamedGoal, Size, Tile};

fn goal(named: NamedGoal, rows: usize, cols: usize, blanks: usize) -> Board {
    named.board(Size::new(rows, cols).unwrap(), blanks)
}

#[test]
fn a_pattern_has_its_tiles_in_the_order_of_their_cells() {
    let pattern = Pattern::new(&goal(NamedGoal::Snail, 3, 3, 1), &[4, 8, 2]).unwrap();
    assert_eq!(pattern.tiles(), [2, 8, 4]);
    assert_eq!(pattern.goal_cells(), [1, 3, 5]);
    assert_eq!(pattern.shape().to_string(), ".x./x0x/...");
    assert_eq!(pattern.manhattan(&[1, 3, 5]), 0);
    assert_eq!(pattern.manhattan(&[8, 3, 0]), 3 + 3);
}

#[test]
fn goals_with_other_numbers_share_a_shape() {
    let first = goal(NamedGoal::First, 3, 3, 1);
    let swapped = first.swapped(1, 2);
    let shape = |goal: &Board, tiles: &[Tile]| Pattern::new(goal, tiles).unwrap().shape();
    assert_eq!(shape(&first, &[1, 5]), shape(&swapped, &[2, 5]));
    assert_ne!(shape(&first, &[1, 5]), shape(&swapped, &[1, 5]));
}

#[test]
fn what_is_no_pattern_is_refused() {
    let last = goal(NamedGoal::Last, 4, 4, 2);
    let error = |tiles: &[Tile]| Pattern::new(&last, tiles).unwrap_err();
    assert_eq!(error(&[]), PatternError::Empty);
    assert_eq!(error(&[0]), PatternError::NoSuchTile { tile: 0, tiles: 14 });
    assert_eq!(error(&[14, 15]), PatternError::NoSuchTile { tile: 15, tiles: 14 });
    assert_eq!(error(&[3, 4, 3]), PatternError::Twice(3));
    let all: Vec<Tile> = (1..15).collect();
    assert!(matches!(error(&all), PatternError::TooLarge { tiles: 14, .. }));
    let huge = Pattern::new(&goal(NamedGoal::Last, 8, 9, 1), &[1]);
    assert!(matches!(huge, Err(PatternError::TooLarge { .. })));
    assert!(Pattern::new(&goal(NamedGoal::Last, 8, 8, 1), &[63]).is_ok());
}

fn reflection(rows: usize, cols: usize, goal: NamedGoal, blanks: usize) -> Option<Reflection> {
    Reflection::of(&goal.board(Size::new(rows, cols).unwrap(), blanks))
}

#[test]
fn corners_are_reflected_in_their_diagonal() {
    let first = reflection(3, 3, NamedGoal::First, 1).unwrap();
    assert_eq!(first.cell_map, [0, 3, 6, 1, 4, 7, 2, 5, 8]);
    assert_eq!(first.tile_map, [0, 3, 6, 1, 4, 7, 2, 5, 8]);
    let last = reflection(3, 3, NamedGoal::Last, 1).unwrap();
    assert_eq!(last.cell_map, [0, 3, 6, 1, 4, 7, 2, 5, 8]);
    assert_eq!(last.tile_map, [0, 1, 4, 7, 2, 5, 8, 3, 6]);
    let size = Size::new(2, 2).unwrap();
    let corner = Board::new(size, vec![1, 0, 2, 3]).unwrap();
    assert_eq!(Reflection::of(&corner).unwrap().cell_map, [3, 1, 2, 0]);
}

#[test]
fn goals_without_a_reflection_have_none() {
    assert_eq!(reflection(3, 4, NamedGoal::First, 1), None);
    assert_eq!(reflection(3, 3, NamedGoal::First, 2), None);
    assert!(reflection(2, 3, NamedGoal::First, 3).is_some());
    assert_eq!(reflection(1, 1, NamedGoal::First, 1).unwrap().tile_map, [0]);
}

#[test]
fn a_goal_is_its_own_mirror_image() {
    for size in ["2x2", "3x3", "4x4", "5x5", "3x5", "2x4"] {
        for named in NamedGoal::ALL {
            for blanks in 1..4 {
                let goal = named.board(size.parse().unwrap(), blanks);
                if let Some(reflection) = Reflection::of(&goal) {
                    assert_eq!(reflection.apply(&goal), goal);
                    let moved = goal.swapped(0, 1);
                    assert_eq!(reflection.apply(&reflection.apply(&moved)), moved);
                }
            }
        }
    }
}

#[test]
fn every_placement_has_its_own_index() {
    for (cells, tiles) in
        [(1, 1), (6, 0), (6, 1), (6, 5), (6, 6), (9, 4), (12, 3), (17, 3), (64, 2), (9, 9)]
    {
        let ranking = Ranking::new(cells, tiles).unwrap();
        assert_eq!(ranking.placements(), (cells - tiles + 1..=cells).product());
        for index in 0..ranking.placements() {
            let places = ranking.unrank(index);
            assert!(places.iter().all(|&cell| usize::from(cell) < cells));
            assert_eq!(ranking.rank(&places), index);
        }
    }
}

#[test]
fn sets_are_numbered_by_their_masks() {
    let ranking = Ranking::new(20, 4).unwrap();
    let masks = (0_u64..1 << 20).filter(|mask| mask.count_ones() == 4);
    assert!(masks.map(|mask| ranking.set(mask)).eq(0..ranking.sets()));
}

#[test]
fn orders_are_numbered_as_documented() {
    let ranking = Ranking::new(16, 3).unwrap();
    // Cells 2, 5 and 9 are the first of a set's orders when they ascend; 9 2 5 is digits 2 0 0.
    let first = ranking.rank(&[2, 5, 9]);
    assert_eq!(first % 6, 0);
    assert_eq!(ranking.rank(&[9, 2, 5]), first + 4);
    assert_eq!(ranking.rank(&[9, 5, 2]), first + 5);
    assert_eq!(first / 6, 2 + 10 + 84);
}

#[test]
fn what_cannot_be_numbered_is_refused() {
    assert!(Ranking::new(65, 1).is_none());
    assert!(Ranking::new(4, 5).is_none());
    assert!(Ranking::new(64, 8).is_none());
    assert!(Ranking::new(36, 36).is_none());
    assert!(Ranking::new(16, 9).is_some());
}
