//! Whole spaces that have been enumerated: the boards at each depth for every goal that is not a turned,
//! reflected or renumbered image of another one.
//!
//! Every depth of a board is also its distance to any other board, with the tiles renumbered. So the
//! farthest boards of all goals together are the diameter.

use taquin::{Board, Enumeration, Metric, Size, Tile};

/// Lines of `command | a farthest board | boards at depth 0, 1, ..`.
const SPACES: &str = include_str!("../data/spaces.txt");

/// A whole space that has been enumerated.
#[derive(Clone, PartialEq, Debug)]
pub struct KnownSpace {
    /// The command that enumerates it.
    pub command: &'static str,
    /// The space in numbers, with one of the farthest boards.
    pub space: Enumeration,
}

/// The spaces of all goals of a size with a number of blanks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpaceGroup {
    /// The size of the boards.
    pub size: Size,
    /// The number of blanks.
    pub blanks: usize,
    /// The definition of one move.
    pub metric: Metric,
    /// The number of known spaces.
    pub known: usize,
    /// The number of inequivalent goals.
    pub goals: usize,
    /// The greatest distance of two boards, if the spaces of all goals are known.
    pub diameter: Option<u64>,
}

impl KnownSpace {
    fn read(line: &'static str) -> Option<Self> {
        let mut parts = line.split(" | ");
        let (command, farthest, counts) = (parts.next()?, parts.next()?, parts.next()?);
        let goal: Board = command.split('"').nth(1)?.parse().ok()?;
        let metric =
            if command.contains("--metric multi") { Metric::Multi } else { Metric::Single };
        let depths = counts.split(' ').map(str::parse).collect::<Result<Vec<u64>, _>>().ok()?;
        let space = Enumeration::new(&goal, metric, &depths, &[farthest.parse().ok()?]);
        Some(Self { command, space })
    }

    /// Returns the space for another goal, if one goal is the turned, reflected or renumbered image
    /// of the other.
    fn for_goal(mut self, goal: &Board) -> Option<Self> {
        let Enumeration { goal: own, farthest, rows, cols, .. } = &mut self.space;
        let is_image = |cells: &Vec<usize>| {
            (own.iter().zip(cells)).all(|(tile, &cell)| (*tile == 0) == (goal.tiles()[cell] == 0))
        };
        let cells = images(goal.size(), (*rows, *cols)).find(is_image)?;
        let mut renumbered = vec![0; cells.len()];
        for (&tile, &cell) in own.iter().zip(&cells) {
            renumbered[usize::from(tile)] = goal.tiles()[cell];
        }
        for board in farthest {
            let mut image = vec![0; cells.len()];
            for (&tile, &cell) in board.iter().zip(&cells) {
                image[cell] = renumbered[usize::from(tile)];
            }
            *board = image;
        }
        *own = goal.tiles().to_vec();
        (*rows, *cols) = (goal.size().rows(), goal.size().cols());
        Some(self)
    }
}

/// Returns the spaces that are known.
pub fn known_spaces() -> impl Iterator<Item = KnownSpace> {
    SPACES.lines().filter_map(KnownSpace::read)
}

/// Returns the space of a goal, if it is known.
///
/// ```
/// let goal = "1 2 3/4 0 5".parse()?;
/// let known = taquin_lab::known_space(&goal, taquin::Metric::Single).expect("2x3 is known");
/// assert_eq!((known.space.states, known.space.max_depth), (360, 21));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn known_space(goal: &Board, metric: Metric) -> Option<KnownSpace> {
    let mut all = known_spaces().filter(|known| known.space.metric == metric);
    all.find_map(|known| known.for_goal(goal))
}

/// Returns the known spaces by size, number of blanks and metric, in the order of the file.
pub fn known_groups() -> Vec<SpaceGroup> {
    let mut groups: Vec<SpaceGroup> = Vec::new();
    for KnownSpace { space: Enumeration { rows, cols, goal, metric, max_depth, .. }, .. } in
        known_spaces()
    {
        let Ok(size) = Size::new(rows, cols) else { continue };
        let blanks = goal.iter().filter(|&&tile| tile == 0).count();
        let is_same = |group: &&mut SpaceGroup| {
            (group.size, group.blanks, group.metric) == (size, blanks, metric)
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => {
                group.known += 1;
                group.diameter = group.diameter.max(Some(max_depth));
            }
            None => {
                let goals = inequivalent_goals(size, blanks).len();
                let diameter = Some(max_depth);
                groups.push(SpaceGroup { size, blanks, metric, known: 1, goals, diameter });
            }
        }
    }
    for group in &mut groups {
        group.diameter = group.diameter.filter(|_| group.known == group.goals);
    }
    groups
}

/// Returns one goal for each set of equivalent ones: the boards of their spaces are the same, but for
/// turning, reflecting and renumbering. The tiles are in order, and the blanks as late as possible.
///
/// # Panics
/// Panics if the board has more than 32 cells.
///
/// ```
/// let goals = taquin_lab::inequivalent_goals("2x3".parse()?, 1);
/// let texts: Vec<String> = goals.iter().map(ToString::to_string).collect();
/// assert_eq!(texts, ["1 2 3/4 5 0", "1 2 3/4 0 5"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn inequivalent_goals(size: Size, blanks: usize) -> Vec<Board> {
    let (cells, shape) = (size.cells(), (size.rows(), size.cols()));
    assert!(cells <= 32, "the sets of blanks are numbers of 32 bits");
    let images: Vec<Vec<usize>> = images(size, shape).collect();
    let image = |set: u64, cells: &[usize]| {
        (0..).zip(cells).map(|(at, &cell)| (set >> cell & 1) << at).sum::<u64>()
    };
    let is_last = |set: &u64| images.iter().all(|cells| image(*set, cells) <= *set);
    let sets = (0..1_u64 << cells).rev().filter(|set| set.count_ones() as usize == blanks);
    let board = |set: u64| {
        let mut tiles = 1..;
        let tile = |cell: usize| match set >> cell & 1 {
            1 => Some(0),
            _ => tiles.next(),
        };
        let tiles: Vec<Tile> = (0..cells).map_while(tile).collect();
        Board::new(size, tiles).expect("each tile is there once")
    };
    sets.filter(is_last).map(board).collect()
}

/// Returns the ways to turn and reflect a board so that it has a number of rows and columns. Each has the
/// cell of the board for every cell of its image.
fn images(size: Size, (rows, cols): (usize, usize)) -> impl Iterator<Item = Vec<usize>> {
    let fits = move |way: &usize| {
        let turned = if way & 4 == 0 { (rows, cols) } else { (cols, rows) };
        turned == (size.rows(), size.cols())
    };
    (0..8_usize).filter(fits).map(move |way| {
        let cell = move |at: usize| {
            let (row, col) = (at / cols, at % cols);
            let (row, col) = if way & 4 == 0 { (row, col) } else { (col, row) };
            let row = if way & 1 == 0 { row } else { size.rows() - 1 - row };
            let col = if way & 2 == 0 { col } else { size.cols() - 1 - col };
            row * size.cols() + col
        };
        (0..rows * cols).map(cell).collect()
    })
}
