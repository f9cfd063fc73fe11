//! What methods find and prove, against the true cost of every board.

use taquin::{
    Algorithm, Board, Cost, Costs, Ending, Method, NamedGoal, Puzzle, Random, Reason, Report,
    Session, Size, Task, Tile, replay,
};

use crate::oracle::{Oracle, data};

fn size(rows: usize, cols: usize) -> Size {
    Size::new(rows, cols).unwrap()
}

fn task(start: &Board, goal: &Board, method: &str) -> Task {
    let puzzle = Puzzle::new(start.clone(), goal.clone()).unwrap();
    Task::new(puzzle, method.parse().unwrap())
}

/// The price of a tile, written down once more.
fn price(costs: &Costs) -> impl Fn(Tile) -> Cost {
    move |tile| match costs {
        Costs::Unit => 1,
        Costs::Tile => tile.into(),
        Costs::List(list) => list.get(usize::from(tile) - 1).copied().unwrap_or(1).into(),
    }
}

/// Solves a task whose true cost is known, and checks all that a report claims.
fn checked(task: &Task, cheapest: Cost) -> Report {
    let report = Session::new().solve(task);
    let what = format!("{} of {} at {}", task.method, task.puzzle.start(), task.cost);
    let bound = report.lower_bound.unwrap_or_else(|| panic!("{what}: {:?}", report.outcome));
    assert!(bound <= cheapest, "{what}: {bound} is above {cheapest}");
    assert_eq!(report.optimal, report.cost == Some(bound), "{what}");
    let solved = report.outcome == Ending::Solved;
    assert_eq!((report.moves.is_some(), report.reason.is_none()), (solved, solved), "{what}");
    if solved {
        let slides = report.slides();
        assert_eq!(report.depth, Some(slides.len() as u64), "{what}");
        assert_eq!(&replay(task.puzzle.start(), &slides).unwrap(), task.puzzle.goal(), "{what}");
        let mut board = task.puzzle.start().clone();
        let prices = slides.into_iter().map(|slide| price(&task.cost)(board.slide(slide).unwrap()));
        let paid = prices.sum();
        assert_eq!(report.cost, Some(paid), "{what}");
        assert!(cheapest <= paid, "{what}: {paid} is below {cheapest}");
    }
    report
}

/// Checks that a method finds and proves the true cost of boards.
fn optimal<'a>(
    method: &str,
    goal: &Board,
    boards: impl IntoIterator<Item = &'a (Board, Cost)>,
) -> usize {
    let solve = |(start, cost): &(Board, Cost)| {
        let report = checked(&task(start, goal, method), *cost);
        assert_eq!((report.cost, report.optimal), (Some(*cost), true), "{method} of {start}");
    };
    boards.into_iter().map(solve).count()
}

/// `last` and `first` reach each other on the 3x3 board; `snail` is in the other half.
fn goals() -> [Board; 3] {
    NamedGoal::ALL.map(|goal| goal.board(size(3, 3), 1))
}

fn boards(goal: &Board) -> Vec<(Board, Cost)> {
    Oracle::new(goal, |_| 1).boards().collect()
}

const HEURISTICS: [&str; 7] =
    ["zero", "misplaced", "euclidean", "manhattan", "linear", "gaschnig", "max=linear+gaschnig"];

/// A method made up at random: any algorithm, and any values for any of its fields.
fn any_method(random: &mut Random) -> Method {
    let algorithm = Algorithm::ALL[random.below(Algorithm::ALL.len())];
    let mut text = algorithm.to_string();
    if algorithm.takes_estimate() {
        text += &format!(":{}", HEURISTICS[random.below(HEURISTICS.len())]);
    }
    for field in algorithm.fields() {
        let values: &[&str] = match field {
            "rank" => &["none", "depth", "g", "h", "f"],
            "tie" => &["none", "low-g", "high-g"],
            "order" => &["fifo", "lifo", "heap", "random"],
            "goal" => &["generation", "expansion"],
            "duplicates" => &["keep", "generated", "expanded", "cheaper"],
            "reopen" => &["never", "always"],
            "undo" => &["skip", "keep"],
            "w" => &["1/3", "1", "3/2", "5"],
            "k" => &["1", "2", "20"],
            "depth" => &["0", "3", "9", "20"],
            "seed" => &["1", "2"],
            _ => panic!("a field without values here: {field}"),
        };
        if random.below(3) == 0 {
            text += &format!(",{field}={}", values[random.below(values.len())]);
        }
    }
    if algorithm != Algorithm::Auto && random.below(3) == 0 {
        let mut moves = ['U', 'L', 'R', 'D'];
        random.shuffle(&mut moves);
        text += &format!(",moves={}", moves.iter().collect::<String>());
    }
    text.parse().unwrap()
}

#[test]
fn no_method_claims_too_much_whatever_its_fields_and_limits() {
    let list = Costs::List(vec![7, 2, 30, 5, 2]);
    let mut puzzles = Vec::new();
    for (rows, cols, blanks, most) in [
        (2, 2, 1, u32::MAX),
        (2, 3, 1, u32::MAX),
        (2, 4, 1, u32::MAX),
        (3, 3, 1, 16),
        (3, 3, 1, u32::MAX),
        (3, 4, 1, 12),
        (1, 5, 2, u32::MAX),
        (2, 3, 2, u32::MAX),
        (3, 3, 3, u32::MAX),
        (3, 4, 2, 9),
    ] {
        for (costs, most) in [
            (Costs::Unit, most),
            (Costs::Tile, most.saturating_mul(3)),
            (list.clone(), most.saturating_mul(2)),
        ] {
            let goal = NamedGoal::Last.board(size(rows, cols), blanks);
            let boards: Vec<_> = Oracle::within(most, &goal, price(&costs)).boards().collect();
            puzzles.push((goal, costs, boards));
        }
    }
    let mut random = Random::new(2026);
    let mut endings = [0; 2];
    for _ in 0..60_000 {
        let (goal, costs, boards) = &puzzles[random.below(puzzles.len())];
        let (start, cheapest) = &boards[random.below(boards.len())];
        let method = any_method(&mut random);
        let puzzle = Puzzle::new(start.clone(), goal.clone()).unwrap();
        let mut task = Task { cost: costs.clone(), ..Task::new(puzzle, method) };
        task.limits.expanded = Some([0, 10, 100, 1_000, 5_000][random.below(5)]);
        task.limits.memory = [None, None, Some(1_000), Some(50_000)][random.below(4)];
        task.jumps = random.below(4) == 0;
        let report = checked(&task, *cheapest);
        endings[usize::from(report.outcome == Ending::Solved)] += 1;
    }
    assert!(endings.iter().all(|&count| count > 1_000), "{endings:?}");
}
