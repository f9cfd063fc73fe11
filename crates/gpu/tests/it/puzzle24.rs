//! The 24-puzzle on a device against the databases of the processor, a plain search with the same
//! tables, and published lengths.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use taquin_gpu::{Device, GpuError, Options24, Puzzle24, Resources, patterns_24, plain_counts};
use taquin_search::{Limits, Monitor, Outcome, Random, Stop};
use taquin_solvers::{Journal, Snapshot};
use taquin_tables::{Builder, Pattern, Plain};
use taquin_tiles::{Board, NamedGoal, Size, scramble};

use crate::device;

const PLAIN: Options24 =
    Options24 { transpositions: false, merge: false, min_compared: u64::MAX, unit_nodes: u64::MAX };

/// An instance of Korf and Felner.
struct Instance {
    id: usize,
    length: u32,
    start: Board,
}

fn instances() -> Vec<Instance> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/data/korf24_50.txt");
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let instance = |line: &str| {
        let (facts, tiles) = line.split_once('|').unwrap();
        let facts: Vec<&str> = facts.split_whitespace().collect();
        let tiles = tiles.split_whitespace().map(|tile| tile.parse().unwrap()).collect();
        let start = Board::new(size(), tiles).unwrap();
        Instance { id: facts[0].parse().unwrap(), length: facts[2].parse().unwrap(), start }
    };
    lines.map(instance).collect()
}

fn size() -> Size {
    Size::new(5, 5).unwrap()
}

fn goal() -> Board {
    NamedGoal::First.board(size(), 1)
}

fn limits(time: Duration) -> Limits {
    Limits { time: Some(time), ..Limits::default() }
}

/// Solves within the time, and checks the length.
fn solve(engine: &mut Puzzle24, instance: &Instance) -> (f64, u64) {
    let started = Instant::now();
    let search = engine.solve(
        &instance.start,
        &goal(),
        Options24::default(),
        &limits(Duration::from_secs(120)),
    );
    let search = search.unwrap();
    let solution = search.solution().expect("a solution");
    assert_eq!(solution.cost, instance.length, "instance {}", instance.id);
    assert_eq!(search.lower_bound, instance.length, "instance {}", instance.id);
    (started.elapsed().as_secs_f64(), search.counts.generated)
}

fn engine(device: &Device, goal: &Board) -> Puzzle24 {
    let started = Instant::now();
    let engine = Puzzle24::new(device, goal).unwrap();
    let ready = started.elapsed().as_secs_f64();
    println!("ready after {ready:.2} s, {} boards are remembered", engine.transpositions());
    engine
}

/// A goal with the blank in this cell, and its tiles in an order of their own.
fn goal_with_blank(cell: usize) -> Board {
    let mut tiles: Vec<u16> = (1..25).rev().collect();
    tiles.insert(cell, 0);
    Board::new(size(), tiles).unwrap()
}

/// Compares the tables with these numbers, for goals with the blank in this cell.
fn compare_databases(device: &Device, blank: usize, numbers: &[usize]) {
    let goal = goal_with_blank(blank);
    let mut engine = engine(device, &goal);
    let (tables, patterns) = (engine.tables(blank).unwrap(), patterns_24(blank));
    let mut random = Random::new(1);
    for &number in numbers {
        let tile_of = |&cell: &u8| goal.tiles()[usize::from(cell)];
        let fields: Vec<u16> = patterns[number].iter().map(tile_of).collect();
        let pattern = Pattern::new(&goal, &fields).unwrap();
        let builder = Builder::<Plain>::new(pattern, u64::MAX).unwrap();
        let database = builder.build(&Monitor::default(), &mut |_| ()).unwrap();
        let tiles = database.pattern().tiles().to_vec();
        for at in 0..2_000_000_u32 {
            // Boards near the goal and anywhere.
            let board = match at % 4 {
                0 => scramble::walk(&goal, 60, &mut random),
                _ => scramble::uniform(&goal, &mut random),
            };
            let cells = board.positions();
            let index = fields.iter().enumerate().fold(0, |index, (field, &tile)| {
                index | u32::from(cells[usize::from(tile)]) << (5 * field)
            });
            let word = tables[(number << 26) | (index >> 4) as usize];
            let places: Vec<u8> =
                tiles.iter().map(|&tile| cells[usize::from(tile)] as u8).collect();
            let expected = database.entry(database.pattern().rank(&places)).min(3);
            assert_eq!((word >> (index % 16 * 2) & 3) as u8, expected, "table {number}: {board}");
        }
        println!("blank in cell {blank}, table {number}: as on the processor");
    }
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn databases_are_those_of_the_processor() {
    let device = device();
    compare_databases(&device, 0, &[0, 1, 4, 7]);
}

/// With the blank elsewhere, two of the plain and two of the mirrored patterns are not copies of
/// each other.
#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn databases_for_other_goals_are_those_of_the_processor() {
    let device = device();
    compare_databases(&device, 7, &[0, 1, 6]);
    compare_databases(&device, 6, &[0, 4]);
    compare_databases(&device, 12, &[3]);
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn counts_are_those_of_a_plain_search() {
    let device = device();
    let mut engine = engine(&device, &goal());
    let instances = instances();
    for id in [38, 40, 25, 32, 1] {
        // All thresholds but the last one.
        let &Instance { ref start, length: end, .. } = &instances[id - 1];
        let expected = plain_counts(&mut engine, start, &goal(), end).unwrap();
        let counts = engine.complete(start, &goal(), end, PLAIN).unwrap();
        let nodes = (expected.expanded, expected.generated);
        assert_eq!((counts.expanded, counts.generated), nodes, "instance {id}");
        let merging = Options24 { merge: true, ..PLAIN };
        let merged = engine.complete(start, &goal(), end, merging).unwrap();
        assert!(merged.generated < counts.generated, "instance {id}");
        println!("instance {id}, thresholds below {end}: {} generated", counts.generated);
    }
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn easy_instances_are_solved_with_any_options() {
    let device = device();
    let mut engine = engine(&device, &goal());
    for instance in instances().iter().filter(|instance| [38, 40, 44].contains(&instance.id)) {
        for (transpositions, merge) in [(false, false), (false, true), (true, false), (true, true)]
        {
            let options = Options24 { transpositions, merge, ..Options24::default() };
            let limits = limits(Duration::from_secs(60));
            let search = engine.solve(&instance.start, &goal(), options, &limits).unwrap();
            assert_eq!(search.solution().map(|found| found.cost), Some(instance.length));
        }
    }
}

/// From the goal to the start it is as far as back, and the goal has its blank anywhere.
#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn reversed_instances_have_the_published_lengths() {
    let device = device();
    let mut by_blank: Vec<(usize, Vec<Instance>)> = Vec::new();
    let easy = [1, 2, 3, 4, 5, 13, 16, 22, 25, 28, 29, 30, 32, 36, 37, 38, 40, 44, 47];
    for instance in instances().into_iter().filter(|instance| easy.contains(&instance.id)) {
        let blank = usize::from(instance.start.blanks().next().unwrap());
        match by_blank.iter_mut().find(|(cell, _)| *cell == blank) {
            Some((_, same)) => same.push(instance),
            None => by_blank.push((blank, vec![instance])),
        }
    }
    for (blank, instances) in by_blank {
        let mut engine = engine(&device, &goal_with_blank(blank));
        for Instance { id, length, start } in instances {
            let limits = limits(Duration::from_secs(60));
            let started = Instant::now();
            let search = engine.solve(&goal(), &start, Options24::default(), &limits).unwrap();
            let solution = search.solution().expect("a solution");
            assert_eq!(solution.cost, length, "instance {id}, blank in cell {blank}");
            let (nodes, seconds) = (search.counts.generated, started.elapsed().as_secs_f64());
            println!(
                "instance {id} reversed, blank in cell {blank}: {nodes} nodes, {seconds:.3} s"
            );
        }
    }
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn counts_for_other_goals_are_those_of_a_plain_search() {
    let device = device();
    let mut random = Random::new(5);
    for blank in [2, 6, 12, 23] {
        let goal = goal_with_blank(blank);
        let mut engine = engine(&device, &goal);
        let start = scramble::walk(&goal, 90, &mut random);
        let limits = limits(Duration::from_secs(60));
        let search = engine.solve(&start, &goal, PLAIN, &limits).unwrap();
        let length = search.solution().unwrap().cost;
        let expected = plain_counts(&mut engine, &start, &goal, length).unwrap();
        let counts = engine.complete(&start, &goal, length, PLAIN).unwrap();
        let nodes = (expected.expanded, expected.generated);
        assert_eq!((counts.expanded, counts.generated), nodes, "blank in cell {blank}");
        println!("blank in cell {blank}: {length} moves, {} nodes before", nodes.1);
    }
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn boards_near_the_goal_are_solved_and_other_goals_refused() {
    let device = device();
    let mut random = Random::new(5);
    // Several moves reach the goal together if its blank is in the centre.
    for goal in [goal_with_blank(12), goal()] {
        let mut engine = engine(&device, &goal);
        for walk in (0..60).flat_map(|walk| [walk; 3]) {
            let start = scramble::walk(&goal, walk, &mut random);
            let search =
                engine.solve(&start, &goal, Options24::default(), &Limits::default()).unwrap();
            assert!(search.solution().unwrap().cost as usize <= walk, "{start}");
        }
    }
    // There is no memory for other tables.
    let resources = Resources { memory: 7_500_000_000, shared: 64 << 10, exchanges: false };
    let mut engine = Puzzle24::with_resources(&device, &goal(), resources).unwrap();
    let other = goal_with_blank(24);
    assert!(engine.is_for(&goal()) && !engine.is_for(&other));
    let refused = engine.solve(&other, &other, Options24::default(), &Limits::default());
    assert!(matches!(refused, Err(GpuError::Unsupported(_))));
}

/// A stopped search continues at its threshold, and includes the earlier counts.
#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn a_search_is_resumed_at_its_threshold() {
    let device = device();
    let mut engine = engine(&device, &goal());
    let instance = &instances()[1];
    let saved = Mutex::new(Vec::<Snapshot>::new());
    let save = |snapshot: &Snapshot| saved.lock().unwrap().push(snapshot.clone());
    let options = Options24::default();
    let nodes = Limits { generated: Some(500_000_000), ..Limits::default() };
    let every = Duration::ZERO;
    let journal = &Journal::new(None, &save, every);
    let (start, goal) = (&instance.start, &goal());
    let search = engine.solve_with_journal(start, goal, options, &nodes, journal).unwrap();
    assert_eq!(search.outcome, Outcome::Stopped(Stop::Generated));
    let snapshots = std::mem::take(&mut *saved.lock().unwrap());
    let last = snapshots.last().unwrap().clone();
    assert_eq!(last.threshold, search.lower_bound);
    assert!(snapshots.windows(2).all(|two| two[0].threshold <= two[1].threshold));
    let journal = &Journal::new(Some(last.clone()), &save, every);
    let limits = limits(Duration::from_secs(60));
    let search = engine.solve_with_journal(start, goal, options, &limits, journal).unwrap();
    assert_eq!(search.solution().unwrap().cost, instance.length);
    assert!(search.counts.generated > last.before.generated);
    assert!(saved.lock().unwrap().iter().all(|snapshot| snapshot.threshold > last.threshold));
}

/// The ends are compared before nearly all thresholds, and some searches continue from the goal.
#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn searches_from_either_end_have_the_published_lengths() {
    let device = device();
    let mut engine = engine(&device, &goal());
    let options = Options24 { min_compared: 1_000_000, ..Options24::default() };
    let (mut fewer, mut more) = (0, 0);
    for Instance { id, length, start } in instances() {
        if ![1, 2, 3, 13, 16, 22, 25, 28, 29, 30, 32, 36, 38, 40, 44, 47].contains(&id) {
            continue;
        }
        let limits = limits(Duration::from_secs(60));
        let [one, two] = [Options24 { min_compared: u64::MAX, ..options }, options]
            .map(|options| engine.solve(&start, &goal(), options, &limits).unwrap());
        for search in [&one, &two] {
            assert_eq!(search.solution().map(|found| found.cost), Some(length), "instance {id}");
            assert_eq!(search.lower_bound, length, "instance {id}");
        }
        let [one, two] = [one, two].map(|search| search.counts.generated);
        println!("instance {id}: {one} nodes from the start, {two} from the better end");
        (fewer, more) = (fewer + u64::from(two < one), more + u64::from(two > one));
    }
    assert!(fewer > 0, "{fewer} {more}");
}

/// A threshold that is stopped keeps its finished units, whichever end it is searched from.
#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn a_search_is_resumed_within_a_threshold() {
    let device = device();
    let mut engine = engine(&device, &goal());
    let instances = instances();
    for id in [1, 3, 22, 25, 32] {
        let Instance { start, length, .. } = &instances[id - 1];
        let options =
            Options24 { min_compared: 50_000_000, unit_nodes: 20_000_000, ..Options24::default() };
        let saved = Mutex::new(Snapshot::default());
        let save = |snapshot: &Snapshot| saved.lock().unwrap().clone_from(snapshot);
        let mut kept = 0;
        let mut solved = None;
        for _ in 0..200 {
            let before = saved.lock().unwrap().clone();
            let most = before.counts().generated + 2_000_000_000;
            let limits = Limits { generated: Some(most), ..limits(Duration::from_secs(60)) };
            let from = (before != Snapshot::default()).then(|| before.clone());
            let journal = Journal::new(from, &save, Duration::ZERO);
            let search =
                engine.solve_with_journal(start, &goal(), options, &limits, &journal).unwrap();
            if let Some(solution) = search.solution() {
                solved = Some((solution.cost, search.lower_bound));
                break;
            }
            let after = saved.lock().unwrap().clone();
            assert!(after.fault(length % 2, length + 200).is_none(), "{after:?}");
            let progress = |snapshot: &Snapshot| (snapshot.threshold, snapshot.units_done());
            assert!(progress(&after) > progress(&before), "nothing is lost: {after:?}");
            kept += usize::from(before.units_done() > 0);
        }
        assert_eq!(solved, Some((*length, *length)), "instance {id}");
        println!("instance {id}: resumed within a threshold {kept} times");
    }
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn a_small_old_device_is_enough() {
    let device = device();
    // As a device of compute capability 7.5 with 8 GB would have.
    let resources = Resources { memory: 7_500_000_000, shared: 64 << 10, exchanges: false };
    let mut engine = Puzzle24::with_resources(&device, &goal(), resources).unwrap();
    assert_eq!(engine.transpositions(), 0);
    let instances = instances();
    for id in [38, 40, 25, 22, 1] {
        let (seconds, generated) = solve(&mut engine, &instances[id - 1]);
        println!("instance {id}: {generated} nodes, {seconds:.3} s");
    }
    let (start, goal) = (&instances[39].start, goal());
    let counts = engine.complete(start, &goal, 78, PLAIN).unwrap();
    assert_eq!(counts.generated, plain_counts(&mut engine, start, &goal, 78).unwrap().generated);
    let too_little = Resources { memory: 5_000_000_000, ..resources };
    let error = Puzzle24::with_resources(&device, &goal, too_little).unwrap_err();
    assert!(matches!(error, GpuError::Memory { .. }), "{error}");
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn a_search_can_be_stopped() {
    let device = device();
    let mut engine = engine(&device, &goal());
    let hard = instances().into_iter().max_by_key(|instance| instance.length).unwrap();
    let time = limits(Duration::from_millis(800));
    let search = engine.solve(&hard.start, &goal(), Options24::default(), &time).unwrap();
    assert_eq!(search.outcome, Outcome::Stopped(Stop::Time));
    assert!(search.lower_bound > 80 && search.lower_bound <= hard.length);
    let most = 20_000_000_000;
    let nodes = Limits { generated: Some(most), ..Limits::default() };
    let search = engine.solve(&hard.start, &goal(), Options24::default(), &nodes).unwrap();
    assert_eq!(search.outcome, Outcome::Stopped(Stop::Generated));
    let generated = search.counts.generated;
    assert!((most..most + 3_000_000_000).contains(&generated), "{generated}");
    let monitor = Arc::new(Monitor::default());
    let limits = Limits { monitor: Some(Arc::clone(&monitor)), ..Limits::default() };
    std::thread::scope(|scope| {
        let running =
            scope.spawn(|| engine.solve(&hard.start, &goal(), Options24::default(), &limits));
        // It reports its progress while it runs.
        while monitor.progress().generated < 2_000_000_000 {
            assert!(!running.is_finished());
            std::thread::yield_now();
        }
        monitor.cancel();
        let search = running.join().unwrap().unwrap();
        assert_eq!(search.outcome, Outcome::Stopped(Stop::Cancelled));
    });
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn the_fifty_instances_have_the_published_lengths() {
    let device = device();
    let started = Instant::now();
    let mut engine = engine(&device, &goal());
    println!("| instance | length | generated | seconds |\n|---:|---:|---:|---:|");
    let (mut total, mut nodes) = (0.0, 0);
    for instance in instances() {
        let (seconds, generated) = solve(&mut engine, &instance);
        println!("| {} | {} | {generated} | {seconds:.3} |", instance.id, instance.length);
        (total, nodes) = (total + seconds, nodes + generated);
    }
    let all = started.elapsed().as_secs_f64();
    println!("| all | | {nodes} | {total:.3} |\n\n{all:.1} s with the tables");
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn the_self_test_passes() {
    let device = device();
    let checks = taquin_gpu::self_test(&device).unwrap().checks;
    assert!(checks.iter().all(|check| check.agrees), "{checks:?}");
}
