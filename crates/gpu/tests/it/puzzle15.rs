//! Batches of 15-puzzles on a device against the engine of the processor.

use std::sync::Arc;
use std::time::Instant;

use taquin_gpu::{GpuError, Puzzle15, plain_search_15};
use taquin_search::{Limits, Monitor, Random};
use taquin_solvers::{Solver, SolverHeuristic, SolverOptions};
use taquin_tables::{Builder, Partition, Patterns, Reflection};
use taquin_tiles::{Board, NamedGoal, Size, scramble};

use crate::device;

fn patterns(goal: &Board, partition: &str) -> Arc<Patterns> {
    let partition: Partition = partition.parse().unwrap();
    let build = |pattern| {
        let builder = Builder::new(pattern, u64::MAX).unwrap();
        Arc::new(builder.build(&Monitor::default(), &mut |_| ()).unwrap())
    };
    let databases = partition.patterns(goal).unwrap().into_iter().map(build).collect();
    Arc::new(Patterns::new(goal, databases, Reflection::of(goal).as_ref()).unwrap())
}

fn goals() -> [Board; 2] {
    let size: Size = "4x4".parse().unwrap();
    [NamedGoal::First.board(size, 1), NamedGoal::Snail.board(size, 1)]
}

/// Random boards, boards near the goal, and the goal itself.
fn starts(goal: &Board) -> Vec<Board> {
    let mut random = Random::new(8);
    let mut starts: Vec<Board> = (0..200).map(|_| scramble::uniform(goal, &mut random)).collect();
    starts.extend((0..60).map(|walk| scramble::walk(goal, walk, &mut random)));
    starts
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn lengths_and_counts_are_those_of_the_processor() {
    let device = device();
    for goal in goals() {
        let patterns = patterns(&goal, "1.2.3.4.5.6/7.8.9.10.11.12/13.14.15");
        let mut engine = Puzzle15::new(&device, &patterns).unwrap();
        let starts = starts(&goal);
        let searches = engine.solve(&starts, &Monitor::default()).unwrap().unwrap();
        let heuristic = SolverHeuristic::Patterns(Arc::clone(&patterns));
        let solver = Solver::new(&goal, &heuristic, SolverOptions::default()).unwrap();
        let mut nodes = 0;
        for (start, search) in starts.iter().zip(searches) {
            let expected = solver.solve(start, 16, &Limits::default()).unwrap();
            let solution = search.solution().unwrap();
            assert_eq!(solution.cost, expected.solution().unwrap().cost, "{start}");
            assert_eq!(search.lower_bound, solution.cost, "{start}");
            // The searched part of the last threshold depends on the order of warps.
            let (before, known) = (search.before_last_bound.unwrap(), expected.before_last_bound);
            let known = known.unwrap_or_default();
            assert_eq!(
                (before.expanded, before.generated),
                (known.expanded, known.generated),
                "{start}"
            );
            assert!(search.counts.generated >= before.generated, "{start}");
            nodes += search.counts.generated;
        }
        println!("{} boards as on the processor, {nodes} nodes", starts.len());
    }
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn counts_are_those_of_the_twin() {
    let device = device();
    for goal in goals() {
        let patterns = patterns(&goal, "1.2.3.4.5/6.7.8.9.10/11.12.13.14.15");
        let mut engine = Puzzle15::new(&device, &patterns).unwrap();
        let mut starts = starts(&goal);
        starts.drain(..180);
        let searches = engine.solve(&starts, &Monitor::default()).unwrap().unwrap();
        for (start, search) in starts.iter().zip(searches) {
            let (length, counts) = plain_search_15(&patterns, start).unwrap();
            let before = search.before_last_bound.unwrap();
            assert_eq!(search.solution().unwrap().cost, length, "{start}");
            let nodes = (counts.expanded, counts.generated);
            assert_eq!((before.expanded, before.generated), nodes, "{start}");
        }
    }
}

/// The rate of the engine alone, by the number of boards that it gets together.
#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn many_boards_at_once_are_faster() {
    let device = device();
    let goal = NamedGoal::First.board("4x4".parse().unwrap(), 1);
    println!("| databases | boards | boards a second | nodes a second |\n|---|---:|---:|---:|");
    for partition in ["6-6-3", "7-8"] {
        let patterns = patterns(&goal, partition);
        let started = Instant::now();
        let mut engine = Puzzle15::new(&device, &patterns).unwrap();
        let ready = started.elapsed().as_secs_f64();
        let mut random = Random::new(1);
        let mut rates = Vec::new();
        for bits in [8, 12, 14, 15, 16, 17] {
            let starts = (0..1 << bits).map(|_| scramble::uniform(&goal, &mut random));
            let starts: Vec<Board> = starts.collect();
            let started = Instant::now();
            let searches = engine.solve(&starts, &Monitor::default()).unwrap().unwrap();
            let seconds = started.elapsed().as_secs_f64();
            let nodes = searches.iter().map(|search| search.counts.generated).sum::<u64>();
            let (rate, speed) = (starts.len() as f64 / seconds, nodes as f64 / seconds);
            println!("| {partition} | {} | {rate:.0} | {speed:.2e} |", starts.len());
            rates.push(rate);
        }
        println!("{partition}: ready after {ready:.3} s");
        assert!(rates[3] > 2.0 * rates[0], "{rates:?}");
    }
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn a_search_of_many_boards_can_be_cancelled() {
    let device = device();
    let goal = NamedGoal::First.board("4x4".parse().unwrap(), 1);
    let patterns = patterns(&goal, "1.2.3.4/5.6.7.8/9.10.11.12/13.14.15");
    let mut engine = Puzzle15::new(&device, &patterns).unwrap();
    let monitor = Monitor::default();
    monitor.cancel();
    assert!(engine.solve(&starts(&goal), &monitor).unwrap().is_none());
    // The engine can be used again.
    let near: Vec<Board> = starts(&goal).split_off(200);
    assert_eq!(engine.solve(&near, &Monitor::default()).unwrap().unwrap().len(), near.len());
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn what_does_not_fit_is_refused() {
    let device = device();
    let goal = NamedGoal::First.board("4x4".parse().unwrap(), 1);
    let some_tiles = patterns(&goal, "1.2.3.4/5.6.7.8");
    let refused = Puzzle15::new(&device, &some_tiles).unwrap_err();
    assert!(matches!(refused, GpuError::Unsupported(_)));
    let small = NamedGoal::First.board("3x4".parse().unwrap(), 1);
    let refused = Puzzle15::new(&device, &patterns(&small, "1.2.3.4/5.6.7.8")).unwrap_err();
    assert!(matches!(refused, GpuError::Unsupported(_)));
}
