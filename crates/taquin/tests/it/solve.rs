//! Compares the results and bounds of methods with the true cost of every board.

use std::fmt::Write as _;
use std::sync::LazyLock;

use taquin::{
    Algorithm, Board, Cost, Costs, Counts, Ending, Method, NamedGoal, Notation, Phi, Puzzle,
    Random, Reason, Report, SavedSearch, Session, Size, Task, Tile, Watch, replay,
};

use crate::oracle::{Oracle, data};

fn size(rows: usize, cols: usize) -> Size {
    Size::new(rows, cols).unwrap()
}

pub(crate) fn task(start: &Board, goal: &Board, method: &str) -> Task {
    let puzzle = Puzzle::new(start.clone(), goal.clone()).unwrap();
    Task::new(puzzle, method.parse().unwrap())
}

/// The price of a tile, written down once more.
pub(crate) fn price(costs: &Costs) -> impl Fn(Tile) -> Cost {
    move |tile| match costs {
        Costs::Unit => 1,
        Costs::Tile => tile.into(),
        Costs::List(list) => list.get(usize::from(tile) - 1).copied().unwrap_or(1),
        other => panic!("{other} has no prices here"),
    }
}

/// Solves a task whose true cost is known, and checks all claims in its report.
pub(crate) fn checked(task: &Task, cheapest: Cost) -> Report {
    static SESSION: LazyLock<Session> = LazyLock::new(Session::without_folder);
    let report = SESSION.run(task, Watch::default());
    check_claims(task, &report, cheapest);
    report
}

/// Checks all that a report claims about a task whose true cost is known.
pub(crate) fn check_claims(task: &Task, report: &Report, cheapest: Cost) {
    let what = format!("{} of {} at {}", task.method, task.puzzle.start(), task.cost);
    let bound = report.lower_bound.unwrap_or_else(|| panic!("{what}: {:?}", report.outcome));
    assert!(bound <= cheapest, "{what}: {bound} is above {cheapest}");
    assert_eq!(report.optimal, report.cost == Some(bound), "{what}");
    let solved = report.outcome == Ending::Solved;
    assert_eq!((report.moves.is_some(), report.reason.is_none()), (solved, solved), "{what}");
    if solved {
        let slides = report.moves.clone().unwrap();
        assert_eq!(report.depth, Some(slides.len() as u64), "{what}");
        assert_eq!(&replay(task.puzzle.start(), &slides).unwrap(), task.puzzle.goal(), "{what}");
        let mut board = task.puzzle.start().clone();
        let prices = slides.into_iter().map(|slide| price(&task.cost)(board.slide(slide).unwrap()));
        let paid = prices.sum();
        assert_eq!(report.cost, Some(paid), "{what}");
        assert!(cheapest <= paid, "{what}: {paid} is below {cheapest}");
    }
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
pub(crate) fn goals() -> [Board; 3] {
    NamedGoal::ALL.map(|goal| goal.board(size(3, 3), 1))
}

pub(crate) fn boards(goal: &Board) -> Vec<(Board, Cost)> {
    Oracle::new(goal, |_| 1).boards().collect()
}

/// The methods for every board.
const HEURISTICS: [&str; 9] = [
    "inversion",
    "zero",
    "misplaced",
    "euclidean",
    "manhattan",
    "linear",
    "gaschnig",
    "walking",
    "max=linear+gaschnig",
];

/// Every n-th board is tried; the weaker the estimate, the fewer boards fit the time.
const SAMPLE: [(&str, usize); 11] = [
    ("inversion", 977),
    ("manhattan", 97),
    ("linear", 97),
    ("walking", 97),
    ("pdb=1.2.3.4/5.6.7.8", 97),
    ("zpdb=1.2.3.4/5.6.7.8", 977),
    ("max=linear+gaschnig", 977),
    ("euclidean", 977),
    ("misplaced", 9_973),
    ("gaschnig", 9_973),
    ("zero", 9_973),
];

/// Without an estimate, iterative deepening goes through every path: shallow boards only.
fn affordable(method: &str, cost: Cost) -> bool {
    !["ida:zero", "rbfs:zero"].contains(&method) || cost <= 18
}

/// Checks A*, IDA* and RBFS with every heuristic over samples whose strides are divided by
/// `denser`.
fn sample(goal: &Board, denser: usize) {
    let boards = boards(goal);
    for (heuristic, stride) in SAMPLE {
        for algorithm in ["astar", "ida", "rbfs", "bae", "nbs", "mm", "dvcbs"] {
            let method = format!("{algorithm}:{heuristic}");
            // Plain databases are not consistent.
            if method.starts_with("bae:pdb=") {
                continue;
            }
            let chosen = boards.iter().filter(|board| affordable(&method, board.1));
            let solved = optimal(&method, goal, chosen.step_by((stride / denser).max(1)));
            assert!(solved > 2, "{method}: only {solved}");
        }
    }
}

/// Some go through all paths, or keep only a part of a tree: boards that are not too far.
#[test]
fn searches_in_little_memory_find_true_distances() {
    for goal in goals() {
        let boards = boards(&goal);
        for (method, most) in [
            ("bts:manhattan", 31),
            ("bts:walking", 31),
            ("bfida:manhattan", 31),
            ("bfida:max=linear+gaschnig", 31),
            ("dfbnb:manhattan", 22),
            ("sma:manhattan,nodes=200", 20),
            ("sma:linear", 24),
        ] {
            let near = boards.iter().filter(|board| board.1 <= most).step_by(397);
            assert!(optimal(method, &goal, near) > 20, "{method}");
        }
    }
    // A goal of one's own, at the prices of the tiles.
    let own = "4 1 7/0 8 2/3 6 5".parse().unwrap();
    let boards: Vec<_> = Oracle::within(70, &own, price(&Costs::Tile)).boards().collect();
    for name in ["bts", "bfida", "dfbnb", "sma"] {
        for (start, cheapest) in boards.iter().step_by(97) {
            let method = format!("{name}:manhattan");
            let task = Task { cost: Costs::Tile, ..task(start, &own, &method) };
            let report = checked(&task, *cheapest);
            assert_eq!((report.cost, report.optimal), (Some(*cheapest), true), "{name} of {start}");
        }
    }
}

/// The walk ends at the goal, and the bound is one of all boards.
#[test]
fn real_time_search_walks_to_the_goal() {
    let [last, ..] = goals();
    let mut longer = 0;
    for (start, cost) in boards(&last).iter().step_by(997) {
        let reports = ["1", "10", "1000"].map(|look| {
            checked(&task(start, &last, &format!("lrta:manhattan,look={look}")), *cost)
        });
        assert!(reports.iter().all(|report| report.outcome == Ending::Solved), "{start}");
        longer += u32::from(reports[0].cost > reports[2].cost);
    }
    assert!(longer > 90, "{longer}");
}

#[test]
fn aida_finds_true_distances() {
    for goal in goals() {
        let boards = boards(&goal);
        for method in [
            "aida:pdb=1.2.3.4/5.6.7.8",
            "aida:pdb=1.2.3.4/5.6.7.8,tt=0,prune=8",
            "aida:zpdb=1.2.3.4/5.6.7.8",
            "aida:max=zpdb=1.2.3.4/5.6.7.8+zpdb=1.3.5.7/2.4.6.8,tt=0",
            "ida:zpdb=1.2.3.4/5.6.7.8",
            "ida:zpdb=1.2.3/4.5.6",
            "astar:max=zpdb=1.2.3/4.5.6+linear",
        ] {
            optimal(method, &goal, boards.iter().step_by(977));
        }
    }
}

#[test]
fn what_aida_cannot_search_is_refused_with_the_reason() {
    let four = "aida:pdb=1.2.3/4.5.6/7.8.9/10.11.12";
    for (start, method) in
        [("1 2 3/4 5 6/7 0 8", "aida:zpdb=1.2.3"), ("1 2 3 4/5 6 7 8/9 10 11 12/13 14 0 15", four)]
    {
        let task =
            Task { method: method.parse().unwrap(), ..start.parse::<Board>().unwrap().into() };
        let report = Session::without_folder().run(&task, Watch::default());
        assert_eq!((report.outcome, report.reason), (Ending::Stopped, Some(Reason::Tables)));
        let limits = "aida needs databases of at most four patterns of at most eight tiles";
        assert!(report.notes[0].starts_with(limits), "{method}: {:?}", report.notes);
        assert!(report.notes[0].ends_with("write aida:zpdb=small, or use ida"), "{method}");
    }
    for start in ["1 2 3/4 5 6/7 0 8", "1 2/0 3", "1 2 3 4/0 5 6 7"] {
        let method = "aida:zpdb=small".parse().unwrap();
        let task = Task { method, ..start.parse::<Board>().unwrap().into() };
        assert!(Session::without_folder().run(&task, Watch::default()).optimal, "{start}");
    }
}

/// The databases of 5-5-5 and the automaton take 0.95 MB, which the search has to leave.
#[test]
fn aida_counts_its_tables_within_the_memory_limit() {
    let start = "0 12 9 13/15 11 10 14/3 7 2 5/4 8 6 1".parse().unwrap();
    let goal = NamedGoal::Last.board(Size::new(4, 4).unwrap(), 1);
    let session = Session::without_folder();
    let mut task = task(&start, &goal, "aida:pdb=5-5-5");
    task.limits.expanded = Some(10_000);
    let run = |task: &Task| {
        let report = session.run(task, Watch::default());
        (report.reason, report.notes)
    };
    task.limits.memory = Some(35_000_000);
    assert_eq!(run(&task), (Some(Reason::Expanded), vec![]));
    // As much as the search itself needs.
    task.limits.memory = Some(34_000_000);
    let (reason, notes) = run(&task);
    assert_eq!(reason, Some(Reason::Memory));
    assert_eq!(notes.len(), 1);
    assert!(notes[0].starts_with("the tables take 1.1 MB"), "{notes:?}");
    let ends = "and the search needs at least 34 MB: more than the limit of 34 MB; increase the \
                limit on memory, or use smaller patterns";
    assert!(notes[0].ends_with(ends), "{notes:?}");
    let file = std::env::temp_dir().join(format!("taquin-aida-{}", std::process::id()));
    let job =
        SavedSearch { task: &task, from: None, path: &file, every: SavedSearch::SAVE_INTERVAL };
    let report = session.run(job, Watch::default()).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!((report.reason, report.notes), (Some(Reason::Memory), notes));
}

#[test]
fn aida_says_that_counts_depend_on_timing() {
    let start = "8 6 7/2 5 4/3 0 1".parse().unwrap();
    for (method, threads, notes) in [
        ("aida:pdb=1.2.3.4/5.6.7.8", 2, 1),
        ("aida:pdb=1.2.3.4/5.6.7.8", 1, 0),
        ("aida:pdb=1.2.3.4/5.6.7.8,tt=0", 2, 0),
    ] {
        let task = Task { threads, ..task(&start, &goals()[0], method) };
        let report = Session::without_folder().run(&task, Watch::default());
        assert_eq!((report.cost, report.optimal), (Some(31), true));
        assert_eq!(report.notes.len(), notes, "{method}: {:?}", report.notes);
    }
}

#[test]
fn every_heuristic_finds_true_distances_to_last() {
    sample(&goals()[0], 1);
}

#[test]
fn every_heuristic_finds_true_distances_to_first() {
    sample(&goals()[1], 1);
}

#[test]
fn every_heuristic_finds_true_distances_to_the_snail() {
    sample(&goals()[2], 1);
}

#[test]
#[ignore = "all 181,440 boards of both halves with strong estimates, samples with weak ones: ten minutes"]
fn every_heuristic_finds_every_distance() {
    let [last, _, snail] = goals();
    std::thread::scope(|scope| {
        for goal in [last, snail] {
            scope.spawn(move || sample(&goal, 97));
        }
    });
}

#[test]
fn blind_methods_find_true_distances() {
    let [last, first, _] = goals();
    for goal in [last, first] {
        let boards = boards(&goal);
        for method in ["bfs", "bfs,goal=expansion,undo=keep", "ucs", "ucs,duplicates=expanded"] {
            optimal(method, &goal, boards.iter().step_by(19_993));
        }
        optimal("bidirectional", &goal, boards.iter().step_by(97));
        let shallow = || boards.iter().filter(|board| board.1 <= 10).step_by(7);
        for method in [
            "ids",
            "ids,goal=expansion,undo=keep",
            "ids,cutoff=before",
            "ids,cutoff=before,goal=expansion,undo=keep",
            "astar:zero,duplicates=keep",
        ] {
            optimal(method, &goal, shallow());
        }
    }
}

#[test]
fn half_of_all_boards_are_refused_without_a_search() {
    let [last, _, snail] = goals();
    for (start, _) in boards(&snail).iter().step_by(97) {
        for method in ["auto", "bfs", "ida:linear"] {
            let report =
                Session::without_folder().run(&task(start, &last, method), Watch::default());
            assert_eq!((report.outcome, report.reason), (Ending::Unsolvable, Some(Reason::Parity)));
            assert_eq!((report.lower_bound, report.moves, report.optimal), (None, None, false));
            assert_eq!((report.counts, report.before_last_bound), (Counts::default(), None));
        }
    }
    // On a line tiles can't pass each other, however many blanks there are.
    let (start, goal) = ("2 1 0 0 3/".parse().unwrap(), "1 2 3 0 0/".parse().unwrap());
    let report = Session::without_folder().run(&task(&start, &goal, "bfs"), Watch::default());
    assert_eq!((report.outcome, report.reason), (Ending::Unsolvable, Some(Reason::Order)));
}

#[test]
fn searching_for_what_cannot_be_reached_goes_through_everything() {
    let [last, _, snail] = goals();
    for method in ["bfs", "dfs", "ucs", "greedy:manhattan", "astar:linear", "random", "auto"] {
        let mut task = task(&snail, &last, method);
        task.search_anyway = true;
        let report = Session::without_folder().run(&task, Watch::default());
        assert_eq!((report.outcome, report.reason), (Ending::Exhausted, None), "{method}");
        assert_eq!((report.lower_bound, report.moves, report.optimal), (None, None, false));
        assert_eq!(report.counts.stored_peak, 181_440, "{method}");
        assert_eq!(report.counts.expanded - report.counts.reopened, 181_440, "{method}");
    }
    let mut task = task(&snail, &last, "bidirectional");
    task.search_anyway = true;
    assert_eq!(Session::without_folder().run(&task, Watch::default()).outcome, Ending::Exhausted);
}

#[test]
fn depth_first_search_goes_as_deep_as_it_likes() {
    // A thread with a small stack: whatever recursed to this depth would not survive.
    let deep = || {
        let [last, ..] = goals();
        let boards = boards(&last);
        let mut deepest = 0;
        for (start, cost) in boards.iter().step_by(19_993) {
            let report = checked(&task(start, &last, "dfs"), *cost);
            assert_eq!(report.outcome, Ending::Solved);
            deepest = deepest.max(report.depth.unwrap());
        }
        assert!(deepest > 20_000, "{deepest}");
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(deep).unwrap().join().unwrap();
}

#[test]
fn bfs_and_dfs_count_as_a_course_publishes() {
    let expected: serde_json::Value =
        serde_json::from_str(&data("columbia/expected.json")).unwrap();
    let goal = NamedGoal::First.board(size(3, 3), 1);
    let rows = expected["exact"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    for row in rows {
        let (name, board) = (row[0].as_str().unwrap(), row[1].as_str().unwrap());
        // Its children come in the order UDLR; on a stack they are put in reverse.
        let moves = if name == "bfs" { "UDLR" } else { "RLDU" };
        let method = format!("{name},goal=expansion,moves={moves}");
        let report = Session::without_folder()
            .run(&task(&board.parse().unwrap(), &goal, &method), Watch::default());
        let counted = [
            report.cost.unwrap().into(),
            report.counts.expanded,
            report.depth.unwrap(),
            report.counts.depth_peak,
        ];
        let published: Vec<u64> = (2..6).map(|at| row[at].as_u64().unwrap()).collect();
        assert_eq!(counted[..], published, "{name} {board}");
        if let Some(path) = expected["paths"][format!("{name} {board}")].as_str() {
            assert_eq!(report.write_moves(Notation::Blank).as_deref(), Some(path));
        }
    }
}

/// Both editions of the AIMA textbook test a node at the limit and do not expand it. A course at
/// UFRGS and both versions of the textbook's program have this count.
#[test]
fn ids_counts_as_textbooks_do_if_it_cuts_before_the_limit() {
    let start = "1 0 7/5 2 4/3 8 6".parse().unwrap();
    for (method, expanded) in [("ids", 98_299), ("ids,cutoff=before", 56_332)] {
        let report =
            Session::without_folder().run(&task(&start, &goals()[1], method), Watch::default());
        assert_eq!((report.counts.expanded, report.optimal), (expanded, true), "{method}");
    }
}

/// An estimate that counts blanks can be too high by one for each, and no report relies on it.
#[test]
fn an_estimate_that_counts_blanks_proves_less() {
    let (start, goal): (Board, Board) = ("1 2 0 3/".parse().unwrap(), "1 2 3 0/".parse().unwrap());
    let report = checked(&task(&start, &goal, "astar:misplaced,blank=counted"), 1);
    assert_eq!((report.cost, report.lower_bound), (Some(1), Some(1)));
    let start = "8 7 6/5 4 3/2 1 0".parse().unwrap();
    let method = "astar:misplaced,blank=counted,tie=none,order=state";
    let report = checked(&task(&start, &goals()[0], method), 30);
    assert_eq!((report.cost, report.lower_bound), (Some(30), Some(29)));
    // A program of a course prints 95,544 states visited, and counts the goal.
    assert_eq!(report.counts.expanded + 1, 95_544);
    for (text, message) in [
        ("astar:manhattan,blank=counted", "blank=counted needs misplaced"),
        ("astar:max=misplaced+linear,blank=counted", "blank=counted needs misplaced"),
        ("beam:manhattan,order=state", "order can't be 'state' with a width"),
    ] {
        assert_eq!(text.parse::<Method>().unwrap_err().to_string(), message);
    }
}

/// Pairs of f and state on Python's `heapq`, with the blank as 0.
#[test]
fn states_come_in_the_order_of_their_tuples() {
    let start: Board = "8 7 6/5 4 3/2 1 0".parse().unwrap();
    let method = "astar:misplaced,tie=none,order=state";
    let report = checked(&task(&start, &goals()[0], method), 30);
    assert_eq!(report.counts.expanded + 1, 95_851);
    assert!(report.optimal);
}

#[test]
fn moves_onto_a_blank_change_counts_and_nothing_else() {
    let (start, goal): (Board, Board) =
        ("0 0 1/2 0 3".parse().unwrap(), "1 2 3/0 0 0".parse().unwrap());
    let cheapest = Oracle::new(&goal, |_| 1).boards().find(|board| board.0 == start).unwrap().1;
    let mut without = task(&start, &goal, "astar:manhattan,undo=keep");
    let mut with = Task { jumps: true, ..without.clone() };
    let (plain, jumping) = (checked(&without, cheapest), checked(&with, cheapest));
    assert!(plain.optimal && jumping.optimal);
    assert!(plain.counts.generated < jumping.counts.generated);
    // A tree search uses such moves, and the solution omits them.
    let mut shorter = 0;
    for seed in 0..200 {
        let method = format!("random,duplicates=keep,undo=keep,seed={seed}");
        without.method = method.parse().unwrap();
        with.method = without.method.clone();
        with.limits.expanded = Some(2_000);
        let report = checked(&with, cheapest);
        shorter += u32::from(report.depth.is_some_and(|depth| depth < report.counts.depth_peak));
    }
    assert!(shorter > 0);
}

/// A method made up at random: any algorithm, and any values for any of its fields.
fn any_method(random: &mut Random) -> Method {
    let algorithm = Algorithm::ALL[random.below(Algorithm::ALL.len())];
    let mut text = algorithm.to_string();
    if algorithm.row().needs_databases {
        text += ":pdb=1.2";
    } else if algorithm.row().takes_heuristic {
        let _ = write!(text, ":{}", HEURISTICS[random.below(HEURISTICS.len())]);
    }
    for field in algorithm.row().policy_fields {
        let values: &[&str] = match *field {
            "rank" => &["none", "depth", "g", "h", "f"],
            "tie" => &["none", "low-g", "high-g"],
            "order" => &["fifo", "lifo", "heap", "indexed", "random", "state"],
            "goal" => &["generation", "expansion"],
            "duplicates" => &["keep", "generated", "expanded", "cheaper"],
            "reopen" => &["never", "always"],
            "undo" => &["skip", "keep"],
            "phi" => &["wa", "xdp", "xup", "pwxdp", "pwxup"],
            "w" => &["1/3", "1", "3/2", "5"],
            "k" => &["1", "2", "20"],
            "depth" => &["0", "3", "9", "20"],
            "seed" => &["1", "2"],
            _ => panic!("a field without values here: {field}"),
        };
        // The order of `bae` is not random, and a beam has no order of states.
        let values = match (algorithm, *field) {
            (Algorithm::Bae, _) => &values[..4],
            (Algorithm::Beam, "order") => &values[..5],
            (Algorithm::Ios, "phi") => &values[..3],
            _ => values,
        };
        if random.below(3) == 0 {
            let _ = write!(text, ",{field}={}", values[random.below(values.len())]);
        }
    }
    if algorithm.row().other_fields.contains(&"d") && random.below(3) == 0 {
        let _ = write!(text, ",d={}", HEURISTICS[random.below(HEURISTICS.len())]);
    }
    if algorithm == Algorithm::Ida && random.below(3) == 0 {
        let _ = write!(text, ",prune={}", 2 + random.below(9));
    }
    if crate::bounded::KEEP_TO_WEIGHT.contains(&algorithm.name()) {
        text = text.replace("w=1/3", "w=11/10");
    } else if text.contains("phi=") {
        text = text.replace("w=1/3", "w=4/3");
    }
    if algorithm == Algorithm::Bae && random.below(2) == 0 {
        text += ",side=pohl";
    }
    if algorithm == Algorithm::Sma {
        let _ = write!(text, ",nodes={}", [2, 5, 20, 1_000][random.below(4)]);
    }
    if algorithm == Algorithm::Lrta {
        let _ = write!(text, ",look={}", [1, 5, 50][random.below(3)]);
    }
    if algorithm == Algorithm::Ids && random.below(2) == 0 {
        text += ",cutoff=before";
    }
    let other_fields = algorithm.row().other_fields;
    if other_fields.contains(&"blank") && text.contains(":misplaced") && random.below(2) == 0 {
        text += ",blank=counted";
    }
    if algorithm.has_moves() && random.below(3) == 0 {
        let mut moves = ['U', 'L', 'R', 'D'];
        random.shuffle(&mut moves);
        let _ = write!(text, ",moves={}", moves.iter().collect::<String>());
    }
    text.parse().unwrap()
}

#[test]
fn pruning_finds_the_same_solution_with_fewer_nodes_or_says_that_it_can_not() {
    let session = Session::without_folder();
    let goal = NamedGoal::First.board(size(4, 4), 1);
    let start = taquin::scramble::walk(&goal, 80, &mut Random::new(6));
    for estimate in ["manhattan", "pdb=5-5-5"] {
        let usual = session.run(&task(&start, &goal, &format!("ida:{estimate}")), Watch::default());
        let fewer = session
            .run(&task(&start, &goal, &format!("ida:{estimate},prune=10")), Watch::default());
        assert_eq!(fewer.moves, usual.moves, "{estimate}");
        assert!(fewer.optimal && fewer.notes.is_empty());
        assert!(fewer.counts.generated < usual.counts.generated, "{estimate}");
    }
    let goal = NamedGoal::First.board(size(3, 3), 2);
    let start = taquin::scramble::walk(&goal, 20, &mut Random::new(6));
    let report = session.run(&task(&start, &goal, "ida:manhattan,prune=10"), Watch::default());
    assert!(report.optimal);
    assert_eq!(report.notes, ["prune has no effect: no specialised engine fits this search"]);
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
    for _ in 0..20_000 {
        let (goal, costs, boards) = &puzzles[random.below(puzzles.len())];
        let (start, cheapest) = &boards[random.below(boards.len())];
        let method = any_method(&mut random);
        let puzzle = Puzzle::new(start.clone(), goal.clone()).unwrap();
        let mut task = Task { cost: costs.clone(), ..Task::new(puzzle, method) };
        task.limits.expanded = Some([0, 10, 100, 1_000, 5_000][random.below(5)]);
        task.limits.memory = [None, None, Some(1), Some(1_000), Some(50_000)][random.below(5)];
        task.jumps = random.below(4) == 0;
        let report = checked(&task, *cheapest);
        endings[usize::from(report.outcome == Ending::Solved)] += 1;
    }
    assert!(endings.iter().all(|&count| count > 1_000), "{endings:?}");
}

#[test]
fn the_documentation_lists_every_algorithm() {
    let table = include_str!("../../../../docs/algorithms.md");
    for algorithm in Algorithm::ALL {
        let starts = [format!("| `{algorithm}` |"), format!("| `{algorithm}:H")];
        let mut listed =
            table.lines().filter(|line| starts.iter().any(|start| line.starts_with(start)));
        let line = listed.next().unwrap_or_else(|| panic!("{algorithm} is not listed"));
        assert_eq!(listed.next(), None, "{algorithm}");
        // The authors and the year of the same paper.
        let paper = algorithm.row().paper;
        let (authors, year) = paper.rsplit_once(' ').unwrap_or_default();
        let named = format!("| {authors}, \"");
        assert!(paper.is_empty() || line.contains(&named), "{algorithm}: {named}");
        assert!(line.contains(&format!(", {year} |")) || paper.is_empty(), "{algorithm}: {year}");
        assert_eq!(paper.is_empty(), line.contains("| |"), "{algorithm}: {line}");
    }
}

/// Checks that a path costs at most the weight times the optimum, even without reopening, because the
/// estimate is consistent.
fn keeps_to_weight(goal: &Board, costs: &Costs, stride: usize) {
    let boards: Vec<_> = Oracle::new(goal, price(costs)).boards().collect();
    for (w, numerator, denominator) in [("1.1", 11, 10), ("1.5", 3, 2), ("2", 2, 1), ("3", 3, 1)] {
        for phi in Phi::NAMES {
            for reopen in ["never", "always"] {
                let method = format!("wastar:manhattan,w={w},phi={phi},reopen={reopen}");
                for (start, cheapest) in boards.iter().step_by(stride) {
                    let task = Task { cost: costs.clone(), ..task(start, goal, &method) };
                    let cost = checked(&task, *cheapest).cost.unwrap();
                    assert!(cost * denominator <= cheapest * numerator, "{method} of {start}");
                }
            }
        }
    }
}

#[test]
fn weighted_searches_keep_to_their_weight() {
    let [last, first, _] = goals();
    keeps_to_weight(&last, &Costs::Unit, 1_499);
    keeps_to_weight(&first, &Costs::Unit, 9_973);
    let own = "4 1 7/0 8 2/3 6 5".parse().unwrap();
    for costs in [Costs::Tile, Costs::List(vec![7, 2, 30, 5, 2])] {
        keeps_to_weight(&own, &costs, 9_973);
    }
    let boards = boards(&last);
    for phi in Phi::NAMES {
        let report =
            checked(&task(&boards[997].0, &last, &format!("wastar,w=1,phi={phi}")), boards[997].1);
        assert!(report.optimal, "{phi}: the weight 1 is that of A*");
    }
    let error = "wastar:manhattan,phi=xup,w=1/2".parse::<Method>().unwrap_err();
    assert_eq!(error.to_string(), "phi=xup needs a weight of at least 1");
    assert_eq!(error.hint(), Some("write w=1 or more, or phi=wa"));
}

#[test]
#[ignore = "all 181,440 boards with every weight and priority: a quarter of an hour on two cores"]
fn weighted_searches_keep_to_their_weight_on_every_board() {
    keeps_to_weight(&goals()[0], &Costs::Unit, 1);
}

#[test]
fn with_a_weight_of_one_every_priority_is_that_of_astar() {
    let [last, ..] = goals();
    for (start, cheapest) in boards(&last).iter().step_by(9_973) {
        for expanded in [Some(1), Some(100), None] {
            let run = |phi| {
                let method = format!("wastar:manhattan,w=1,phi={phi}");
                let mut task = task(start, &last, &method);
                task.limits.expanded = expanded;
                let report = checked(&task, *cheapest);
                (report.cost, report.lower_bound, report.counts)
            };
            assert_eq!(Phi::NAMES.map(run), [run("wa"); Phi::NAMES.len()], "{start}");
        }
    }
}
