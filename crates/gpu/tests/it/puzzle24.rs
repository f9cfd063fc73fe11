//! The 24-puzzle on a device against the databases of the processor, a plain search with the same
//! tables, and published lengths.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use taquin_gpu::{Device, GpuError, Options24, Puzzle24, Resources, plain_counts};
use taquin_search::{Limits, Monitor, Outcome, Random, Stop};
use taquin_tables::{Builder, Pattern};
use taquin_tiles::{Board, NamedGoal, Size, scramble};

use crate::device;

/// The patterns in the order of the tables, and their tiles in the order of the fields.
const PATTERNS: [[u16; 6]; 8] = [
    [1, 5, 6, 12, 2, 7],
    [3, 4, 8, 9, 13, 14],
    [15, 16, 20, 21, 10, 11],
    [18, 19, 23, 24, 17, 22],
    [1, 5, 6, 12, 10, 11],
    [15, 16, 20, 21, 17, 22],
    [3, 4, 8, 9, 2, 7],
    [18, 19, 23, 24, 13, 14],
];

const PLAIN: Options24 = Options24 { transpositions: false, merge: false };

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

fn engine(device: &Device) -> Puzzle24 {
    let started = Instant::now();
    let engine = Puzzle24::new(device).unwrap();
    let ready = started.elapsed().as_secs_f64();
    println!("ready after {ready:.2} s, {} boards are remembered", engine.transpositions());
    engine
}

#[test]
fn databases_are_those_of_the_processor() {
    let Some(device) = device() else { return };
    let tables = engine(&device).tables().unwrap();
    let transposed = |cell: u16| cell % 5 * 5 + cell / 5;
    let mut random = Random::new(1);
    for (plain, pattern) in PATTERNS[..4].iter().enumerate() {
        let pattern = Pattern::new(&goal(), pattern).unwrap();
        let builder = Builder::new(pattern, u64::MAX).unwrap();
        let database = builder.build(&AtomicBool::new(false), &mut |_| ()).unwrap();
        let tiles = database.pattern().tiles().to_vec();
        let is_image =
            |pattern: &[u16; 6]| pattern.iter().all(|&tile| tiles.contains(&transposed(tile)));
        let mirrored = 4 + PATTERNS[4..].iter().position(is_image).unwrap();
        for at in 0..4_000_000_u32 {
            // Boards near the goal and anywhere.
            let board = match at % 4 {
                0 => scramble::walk(&goal(), 60, &mut random),
                _ => scramble::uniform(&goal(), &mut random),
            };
            let cells = board.positions();
            let entry = |table: usize, cell_of: &dyn Fn(u16) -> u16| {
                let fields = PATTERNS[table].iter().enumerate();
                let index = fields.fold(0, |index, (field, &tile)| {
                    index | u32::from(cell_of(tile)) << (5 * field)
                });
                (tables[(table << 26) | (index >> 4) as usize] >> (index % 16 * 2) & 3) as u8
            };
            let places: Vec<u8> =
                tiles.iter().map(|&tile| cells[usize::from(tile)] as u8).collect();
            let expected = database.entry(database.pattern().rank(&places)).min(3);
            assert_eq!(entry(plain, &|tile| cells[usize::from(tile)]), expected, "{board}");
            let image = |tile: u16| transposed(cells[usize::from(transposed(tile))]);
            assert_eq!(entry(mirrored, &image), expected, "{board}, mirrored");
        }
    }
}

#[test]
fn counts_are_those_of_a_plain_search() {
    let Some(device) = device() else { return };
    let mut engine = engine(&device);
    let instances = instances();
    for (id, end) in [(38, 96), (40, 82), (25, 79), (32, 95), (1, 91)] {
        let Instance { start, .. } = &instances[id - 1];
        let expected = plain_counts(&engine, start, &goal(), end).unwrap();
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
fn easy_instances_are_solved_with_any_options() {
    let Some(device) = device() else { return };
    let mut engine = engine(&device);
    for instance in instances().iter().filter(|instance| [38, 40, 44].contains(&instance.id)) {
        for (transpositions, merge) in [(false, false), (false, true), (true, false), (true, true)]
        {
            let options = Options24 { transpositions, merge };
            let limits = limits(Duration::from_secs(60));
            let search = engine.solve(&instance.start, &goal(), options, &limits).unwrap();
            assert_eq!(search.solution().map(|found| found.cost), Some(instance.length));
        }
    }
}

#[test]
fn goals_in_any_corner_and_boards_near_them() {
    let Some(device) = device() else { return };
    let mut engine = engine(&device);
    let mut random = Random::new(5);
    for walk in (0..60).step_by(3) {
        let start = scramble::walk(&goal(), walk, &mut random);
        let mut lengths = Vec::new();
        for (rows, cols) in [(false, false), (false, true), (true, false), (true, true)] {
            let flipped = |board: &Board| {
                let mut lines: Vec<Vec<u16>> = board.rows().map(<[u16]>::to_vec).collect();
                if rows {
                    lines.reverse();
                }
                if cols {
                    for line in &mut lines {
                        line.reverse();
                    }
                }
                Board::new(size(), lines.concat()).unwrap()
            };
            let (start, goal) = (flipped(&start), flipped(&goal()));
            let search =
                engine.solve(&start, &goal, Options24::default(), &Limits::default()).unwrap();
            lengths.push(search.solution().unwrap().cost as usize);
        }
        assert!(lengths.iter().all(|&length| length == lengths[0] && length <= walk), "{start}");
    }
}

#[test]
fn a_small_old_device_is_enough() {
    let Some(device) = device() else { return };
    // As a device of compute capability 7.5 with 8 GB would have.
    let resources = Resources { memory: 7_500_000_000, shared: 64 << 10, exchanges: false };
    let mut engine = Puzzle24::with_resources(&device, resources).unwrap();
    assert_eq!(engine.transpositions(), 0);
    let instances = instances();
    for id in [38, 40, 25, 22, 1] {
        let (seconds, generated) = solve(&mut engine, &instances[id - 1]);
        println!("instance {id}: {generated} nodes, {seconds:.3} s");
    }
    let (start, goal) = (&instances[39].start, goal());
    let counts = engine.complete(start, &goal, 78, PLAIN).unwrap();
    assert_eq!(counts.generated, plain_counts(&engine, start, &goal, 78).unwrap().generated);
    let too_little = Resources { memory: 5_000_000_000, ..resources };
    let error = Puzzle24::with_resources(&device, too_little).unwrap_err();
    assert!(matches!(error, GpuError::Memory { .. }), "{error}");
}

#[test]
fn a_search_can_be_stopped() {
    let Some(device) = device() else { return };
    let mut engine = engine(&device);
    let hard = instances().into_iter().max_by_key(|instance| instance.length).unwrap();
    let started = Instant::now();
    let time = limits(Duration::from_millis(800));
    let search = engine.solve(&hard.start, &goal(), Options24::default(), &time).unwrap();
    assert!(started.elapsed() < Duration::from_millis(1_100), "{:?}", started.elapsed());
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
        std::thread::sleep(Duration::from_millis(900));
        let before = monitor.progress().generated;
        std::thread::sleep(Duration::from_millis(100));
        assert!(monitor.progress().generated > before + 1_000_000_000);
        let asked = Instant::now();
        monitor.cancel();
        let search = running.join().unwrap().unwrap();
        assert!(asked.elapsed() < Duration::from_millis(100), "{:?}", asked.elapsed());
        assert_eq!(search.outcome, Outcome::Stopped(Stop::Cancelled));
    });
}

#[test]
fn the_fifty_instances_have_the_published_lengths() {
    let Some(device) = device() else { return };
    let started = Instant::now();
    let mut engine = engine(&device);
    println!("| instance | length | generated | seconds |\n|---:|---:|---:|---:|");
    let (mut total, mut nodes) = (0.0, 0);
    for instance in instances() {
        let (seconds, generated) = solve(&mut engine, &instance);
        println!("| {} | {} | {generated} | {seconds:.3} |", instance.id, instance.length);
        (total, nodes) = (total + seconds, nodes + generated);
    }
    let all = started.elapsed().as_secs_f64();
    println!("| all | | {nodes} | {total:.3} |\n\n{all:.1} s with the tables");
    assert!(all < 120.0);
}

#[test]
fn the_self_test_passes() {
    let Some(device) = device() else { return };
    let checks = taquin_gpu::self_test(&device).unwrap();
    assert!(checks.iter().all(|check| check.agrees), "{checks:?}");
}
