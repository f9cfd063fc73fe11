//! The CPU time for all fifty of Korf and Felner's instances, estimated from some that are run.
//!
//! Published counts show how hard an instance is compared with the others. Each count gives an
//! estimate: the time for the instances that were run, times the count for all fifty over the count
//! for those instances. The time per count varies between instances, so the lowest and the highest
//! estimate from a single instance are printed too. Hard instances may take more or less time per
//! count than easy ones, so a power of the count is fitted as well.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use super::{Measured, Row, boards, run};

pub(super) const GROUP: &str = "twenty-four";

/// The instances.
const TABLE: &str = "table korf24_50.txt";

const METHOD: &str = "aida:zpdb=6-6-6-6";

/// Published counts: their names and their columns in the table of instances.
const COUNTS: [(&str, usize); 3] =
    [("Korf and Felner's nodes", 3), ("Döbbelin's expansions", 4), ("Clausecker's expansions", 10)];

/// The processor minutes that Clausecker published for all fifty.
const PUBLISHED: f64 = 20_301.0;

/// Estimates the CPU minutes for all instances.
#[derive(Debug)]
struct Estimated {
    /// The count that it is based on.
    by: &'static str,
    minutes: f64,
    /// The same from the instance with the least time for its count, and with the greatest.
    range: (f64, f64),
    /// The estimate from a power of the count, and the power.
    fitted: f64,
    power: f64,
}

/// Solves instances on all threads, prints each one's cost, and estimates the cost of all.
pub(super) fn rows(folder: &Path, ids: &[u64]) -> Result<Vec<Measured>> {
    let program = run::built()?;
    let run = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        run::run(&words, &program, folder, false)
    };
    fs::create_dir_all(folder)?;
    // The tables are ready before the clock starts.
    run(&["pdb", "build", "6-6-6-6", "--zero-aware", "--goal", "first"])?;
    let mut nodes = 0.0;
    let mut minutes = Vec::new();
    let file = folder.join("board.txt").display().to_string();
    for &id in ids {
        let (puzzle, known) =
            boards::read(&format!("{TABLE} {id} @first"))?.pop().context("no such instance")?;
        fs::write(&file, puzzle.start().to_string())?;
        let solved = run(&["solve", "--json", "--goal", "first", "-m", METHOD, "--file", &file])?;
        let field = |name: &str| solved.values(name).first().copied().flatten();
        let optimum = known["figures"][2].as_f64();
        ensure!(
            field("cost") == optimum && field("optimal") == Some(1.0),
            "{METHOD} is wrong on instance {id}"
        );
        let generated = field("counts.generated").unwrap_or_default();
        nodes += generated;
        minutes.push((id, solved.cpu / 60.0));
        println!(
            "{id}: {} moves, {generated} nodes, {:.1} s, {:.2} CPU minutes",
            optimum.unwrap_or_default(),
            field("seconds").unwrap_or_default(),
            solved.cpu / 60.0
        );
    }
    let total: f64 = minutes.iter().map(|(_, minutes)| minutes).sum();
    println!("{} instances: {nodes} nodes, {total:.2} CPU minutes", ids.len());
    if ids.len() < 2 {
        return Ok(Vec::new());
    }
    let instances = instances()?;
    (0..COUNTS.len())
        .map(|count| Ok(estimate(&instances, count, &minutes)?.row(ids.len())))
        .collect()
}

impl Estimated {
    fn row(&self, count: usize) -> Measured {
        let Self { by, minutes, range: (least, greatest), fitted, power } = *self;
        let note = format!(
            "{METHOD} on {count} instances; by each alone {least:.0} to {greatest:.0}; by the count to \
             the power {power:.2} {fitted:.0}; Clausecker's time is {PUBLISHED:.0}"
        );
        let (name, unit) = (format!("all fifty, by {by}"), "CPU min".to_owned());
        let row = Row { name, value: String::new(), unit, targets: "7000 2000".to_owned(), note };
        Measured { row, value: minutes, other: None }
    }
}

/// The number and the counts of an instance.
type Instance = (u64, [f64; COUNTS.len()]);

fn instances() -> Result<Vec<Instance>> {
    let figure = |known: &serde_json::Value, at: usize| known["figures"][at].as_f64();
    let instance = |known: serde_json::Value| {
        let mut counts = [0.0; COUNTS.len()];
        for (count, (_, column)) in counts.iter_mut().zip(COUNTS) {
            *count = figure(&known, column)?;
        }
        Some((figure(&known, 0)? as u64, counts))
    };
    let known = boards::read(&format!("{TABLE} @first"))?.into_iter().map(|(_, known)| known);
    known.map(instance).collect::<Option<_>>().context("a column is missing")
}

/// Estimates the minutes for all instances from some of them, by one of the counts.
fn estimate(instances: &[Instance], count: usize, minutes: &[(u64, f64)]) -> Result<Estimated> {
    let all = || instances.iter().map(|(_, counts)| counts[count]);
    let of = |id: u64| -> Result<f64> {
        let instance = instances.iter().find(|(known, _)| *known == id);
        Ok(instance.context("no such instance")?.1[count])
    };
    let points = minutes.iter().map(|&(id, minutes)| Ok((of(id)?, minutes)));
    let points: Vec<(f64, f64)> = points.collect::<Result<_>>()?;
    let total: f64 = all().sum();
    let counted: f64 = points.iter().map(|(count, _)| count).sum();
    let taken: f64 = points.iter().map(|(_, minutes)| minutes).sum();
    let ratios = || points.iter().map(|(count, minutes)| minutes / count * total);
    let (scale, power) = fit(&points);
    // The fit uses logarithms and is scaled so that it is right for the instances that were run.
    let by_power = |count: f64| (scale + power * count.ln()).exp();
    let fitted_run: f64 = points.iter().map(|&(count, _)| by_power(count)).sum();
    Ok(Estimated {
        by: COUNTS[count].0,
        minutes: taken / counted * total,
        range: (ratios().fold(f64::INFINITY, f64::min), ratios().fold(f64::NEG_INFINITY, f64::max)),
        fitted: all().map(by_power).sum::<f64>() * taken / fitted_run,
        power,
    })
}

/// Returns the line through the logarithms of points: its value at 0 and its slope.
fn fit(points: &[(f64, f64)]) -> (f64, f64) {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logarithms.len() as f64;
    let mean_x = logarithms.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logarithms.iter().map(|(_, y)| y).sum::<f64>() / count;
    let covariance: f64 = logarithms.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let variance: f64 = logarithms.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let slope = covariance / variance.max(f64::MIN_POSITIVE);
    (mean_y - slope * mean_x, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_follow_a_power_of_the_count_are_estimated() {
        let made: Vec<Instance> = (1..=50).map(|id| (id, [1000.0 * id as f64; 3])).collect();
        let of = |ids: &[u64], power: f64| -> Vec<(u64, f64)> {
            ids.iter().map(|&id| (id, (id as f64).powf(power))).collect()
        };
        for ids in [&[1, 2][..], &[3, 20, 50]] {
            let estimate = estimate(&made, 0, &of(ids, 1.0)).unwrap();
            for minutes in [estimate.minutes, estimate.range.0, estimate.range.1, estimate.fitted] {
                assert!((minutes - 1275.0).abs() < 1e-6, "{minutes}");
            }
            assert!((estimate.power - 1.0).abs() < 1e-9);
        }
        let ids: Vec<u64> = (1..=10).collect();
        let faster = estimate(&made, 0, &of(&ids, 1.5)).unwrap();
        let all: Vec<u64> = (1..=50).collect();
        let true_minutes: f64 = of(&all, 1.5).iter().map(|(_, minutes)| minutes).sum();
        assert!((faster.fitted / true_minutes - 1.0).abs() < 1e-6);
        assert!(faster.minutes < 0.6 * true_minutes);
        assert!(estimate(&made, 0, &of(&[1, 51], 1.0)).is_err());
    }

    #[test]
    fn the_published_table_has_fifty_instances() {
        let instances = instances().unwrap();
        assert_eq!(instances.len(), 50);
        let total: f64 = instances.iter().map(|(_, counts)| counts[0]).sum();
        assert_eq!(total as u64, 18_044_623_983_548);
    }
}
