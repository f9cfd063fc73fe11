//! Figures from the literature, and their consequences.

use std::sync::Arc;

use taquin_search::{Heuristic, Random};
use taquin_tables::{Database, Partition, Patterns, Reflection, Walking};
use taquin_tiles::packed::{Layout, Nibbles, Tiles};
use taquin_tiles::{NamedGoal, scramble};

use crate::{build, goal};

fn databases(partition: &str, named: NamedGoal) -> Vec<Arc<Database>> {
    let partition: Partition = partition.parse().unwrap();
    let patterns = partition.patterns(&goal("4x4", named, 1)).unwrap();
    patterns.iter().map(|pattern| Arc::new(build(pattern))).collect()
}

/// The mean value of a table.
fn mean(database: &Database) -> f64 {
    let (mut sum, mut count) = (0, 0);
    for (value, &placements) in (0..).zip(database.histogram()) {
        sum += value * placements;
        count += placements;
    }
    sum as f64 / count as f64
}

/// The mean estimate over a million random states, without and with reflection.
fn mean_estimates(databases: &[Arc<Database>], named: NamedGoal) -> [f64; 2] {
    let goal = goal("4x4", named, 1);
    let reflection = Reflection::of(&goal);
    let mut random = Random::new(15);
    let states: Vec<_> = (0..1_000_000)
        .map(|_| Nibbles::state(scramble::uniform(&goal, &mut random).tiles()))
        .collect();
    [None, reflection.as_ref()].map(|reflection| {
        let heuristic = Patterns::new(&goal, databases.to_vec(), reflection).unwrap();
        let estimate = |state| u64::from(Heuristic::<Tiles<Nibbles>>::estimate(&heuristic, state));
        states.iter().map(estimate).sum::<u64>() as f64 / states.len() as f64
    })
}

fn assert_near(found: f64, expected: f64, margin: f64) {
    assert!((found - expected).abs() < margin, "{found} instead of {expected}");
}

#[test]
fn sizes_are_the_published_ones() {
    let entries = |partition: &str, size: &str| -> Vec<usize> {
        let patterns = partition.parse::<Partition>().unwrap();
        let patterns = patterns.patterns(&goal(size, NamedGoal::First, 1)).unwrap();
        patterns.iter().map(|pattern| pattern.ranking().placements()).collect()
    };
    assert_eq!(entries("5-5-5", "4x4"), [524_160; 3]);
    assert_eq!(entries("6-6-3", "4x4"), [5_765_760, 5_765_760, 3_360]);
    assert_eq!(entries("7-8", "4x4"), [57_657_600, 518_918_400]);
    assert_eq!(entries("6-6-6-6", "5x5"), [127_512_000; 4]);
    let walking = Walking::new(&goal("4x4", NamedGoal::Last, 1), Walking::STATES).unwrap();
    assert_eq!(walking.states(), (24_964, 24_964));
}

#[test]
fn mean_estimates_of_small_partitions() {
    // Without reflection the mean over all states is the sum of the tables' means.
    let five = databases("5-5-5", NamedGoal::First);
    let [plain, reflected] = mean_estimates(&five, NamedGoal::First);
    assert_near(plain, five.iter().map(|database| mean(database)).sum(), 0.03);
    assert_near(plain, 40.43, 0.03);
    assert_near(reflected, 41.07, 0.03);
    // Felner, Korf and Hanan ("Additive pattern database heuristics", 2004) found 42.924 for 6-6-3,
    // over a sample and with reflection.
    let six = databases("6-6-3", NamedGoal::First);
    let [plain, reflected] = mean_estimates(&six, NamedGoal::First);
    assert_near(plain, six.iter().map(|database| mean(database)).sum(), 0.03);
    assert_near(reflected, 42.924, 0.1);
}

#[test]
fn a_goal_turned_around_has_the_same_tables() {
    let means =
        |named| databases("5-5-5", named).iter().map(|database| mean(database)).sum::<f64>();
    assert_near(means(NamedGoal::First), means(NamedGoal::Last), 1e-9);
}

#[test]
#[ignore = "builds four tables of the 24-puzzle: ten seconds and 0.3 GiB"]
fn greatest_values_of_the_24_puzzle() {
    // Korf and Felner ("Disjoint pattern database heuristics", 2002).
    let goal = goal("5x5", NamedGoal::First, 1);
    let patterns = "6-6-6-6".parse::<Partition>().unwrap().patterns(&goal).unwrap();
    let greatest = |pattern| build(pattern).histogram().len() - 1;
    assert_eq!(patterns.iter().map(greatest).collect::<Vec<_>>(), [34, 35, 35, 35]);
}

#[test]
#[ignore = "builds the 7-8 databases: a minute and 1.5 GiB"]
fn mean_estimates_of_the_large_partition() {
    // Korf and Felner ("Disjoint pattern database heuristics", 2002) found 44.75 without and 45.63
    // with reflection, over a sample.
    let databases = databases("7-8", NamedGoal::First);
    let [plain, reflected] = mean_estimates(&databases, NamedGoal::First);
    assert_near(plain, databases.iter().map(|database| mean(database)).sum(), 0.03);
    assert_near(plain, 44.75, 0.15);
    assert_near(reflected, 45.63, 0.1);
}
