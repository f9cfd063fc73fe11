//! The processor time of all fifty instances of Korf and Felner, estimated from some that were run.
//!
//! Published counts say how hard an instance is compared with the others. Each of them gives an
//! estimate: the time of the instances that were run, times the count of all fifty over that of those
//! instances. What a single instance takes for its count varies: the estimates from the one with the
//! least and from the one with the greatest are printed, too. Since hard instances may take more or
//! less for their counts than easy ones, a power of the count is fitted as well.

use anyhow::{Context as _, Result, ensure};

/// Published counts: their names and their columns in the table of instances.
const COUNTS: [(&str, usize); 3] =
    [("Korf and Felner's nodes", 3), ("Döbbelin's expansions", 4), ("Clausecker's expansions", 10)];

/// The processor minutes that Clausecker published for all fifty.
pub(super) const PUBLISHED: f64 = 20_301.0;

/// What an estimate needs of the published table.
pub(super) struct Fifty {
    /// The number and the counts of each instance.
    instances: Vec<(u64, [f64; COUNTS.len()])>,
}

/// An estimate of the processor minutes of all instances.
pub(super) struct Estimated {
    /// The count that it is based on.
    pub(super) by: &'static str,
    pub(super) minutes: f64,
    /// The same from the instance with the least time for its count, and with the greatest.
    pub(super) range: (f64, f64),
    /// The estimate from a power of the count, and the power.
    pub(super) fitted: f64,
    pub(super) power: f64,
}

impl Fifty {
    pub(super) fn read(text: &str) -> Result<Self> {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let instance = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |at: usize| words.get(at).context("a column is missing");
            let mut counts = [0.0; COUNTS.len()];
            for (count, (_, column)) in counts.iter_mut().zip(COUNTS) {
                *count = number(column)?.parse()?;
            }
            Ok((number(0)?.parse()?, counts))
        };
        Ok(Self { instances: lines.map(instance).collect::<Result<_>>()? })
    }

    /// Estimates the minutes of all instances from those of some.
    pub(super) fn estimates(&self, minutes: &[(u64, f64)]) -> Result<Vec<Estimated>> {
        ensure!(minutes.len() > 1, "an estimate needs at least two instances");
        (0..COUNTS.len()).map(|count| self.estimate(count, minutes)).collect()
    }

    fn estimate(&self, count: usize, minutes: &[(u64, f64)]) -> Result<Estimated> {
        let all = || self.instances.iter().map(|(_, counts)| counts[count]);
        let of = |id: u64| -> Result<f64> {
            let instance = self.instances.iter().find(|(known, _)| *known == id);
            Ok(instance.context("no such instance")?.1[count])
        };
        let points = minutes.iter().map(|&(id, minutes)| Ok((of(id)?, minutes)));
        let points: Vec<(f64, f64)> = points.collect::<Result<_>>()?;
        let total: f64 = all().sum();
        let counted: f64 = points.iter().map(|(count, _)| count).sum();
        let taken: f64 = points.iter().map(|(_, minutes)| minutes).sum();
        let ratios = || points.iter().map(|(count, minutes)| minutes / count * total);
        let (scale, power) = fit(&points);
        // The fit is one of logarithms: it is scaled so that it is right for those that were run.
        let by_power = |count: f64| (scale + power * count.ln()).exp();
        let fitted_run: f64 = points.iter().map(|&(count, _)| by_power(count)).sum();
        Ok(Estimated {
            by: COUNTS[count].0,
            minutes: taken / counted * total,
            range: (
                ratios().fold(f64::INFINITY, f64::min),
                ratios().fold(f64::NEG_INFINITY, f64::max),
            ),
            fitted: all().map(by_power).sum::<f64>() * taken / fitted_run,
            power,
        })
    }
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

    /// Instances whose first count is a thousand times their number.
    fn fifty() -> Fifty {
        let line = |id: u64| format!("{id} 0 0 {} 7 0 0 0 0 0 9 | 0\n", 1000 * id);
        Fifty::read(&(1..=50).map(line).collect::<String>()).unwrap()
    }

    #[test]
    fn a_time_that_grows_with_the_count_is_estimated_exactly() {
        let of = |ids: &[u64]| ids.iter().map(|&id| (id, 0.5 * id as f64)).collect::<Vec<_>>();
        for ids in [&[1, 2][..], &[3, 20, 50]] {
            let estimate = &fifty().estimates(&of(ids)).unwrap()[0];
            let true_minutes = 0.5 * 1275.0;
            for minutes in [estimate.minutes, estimate.range.0, estimate.range.1, estimate.fitted] {
                assert!((minutes - true_minutes).abs() < 1e-6, "{minutes}");
            }
            assert!((estimate.power - 1.0).abs() < 1e-9);
        }
        assert!(fifty().estimates(&of(&[1])).is_err());
        assert!(fifty().estimates(&of(&[1, 51])).is_err());
    }

    #[test]
    fn a_time_that_grows_faster_than_the_count_is_estimated_by_the_fit() {
        let minutes: Vec<(u64, f64)> =
            (1..=10).map(|id| (id, (1000.0 * id as f64).powf(1.5))).collect();
        let estimate = &fifty().estimates(&minutes).unwrap()[0];
        let true_minutes: f64 = (1..=50).map(|id| (1000.0 * f64::from(id)).powf(1.5)).sum();
        assert!((estimate.fitted / true_minutes - 1.0).abs() < 1e-6);
        assert!(estimate.minutes < 0.6 * true_minutes);
    }

    #[test]
    fn the_published_table_has_fifty_instances() {
        let text = std::fs::read_to_string(crate::path("crates/lab/data/korf24_50.txt")).unwrap();
        let fifty = Fifty::read(&text).unwrap();
        assert_eq!(fifty.instances.len(), 50);
        let total: f64 = fifty.instances.iter().map(|(_, counts)| counts[0]).sum();
        assert_eq!(total as u64, 18_044_623_983_548);
    }
}
