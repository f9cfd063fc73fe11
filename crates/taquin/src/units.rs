//! Amounts as people write them: `10s`, `1e6`, `2G`.

use std::time::Duration;

use taquin_tiles::excerpt;

/// An invalid amount of this kind.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{text}' is not {expected}")]
pub struct UnitError {
    text: String,
    expected: &'static str,
}

/// Reads a time: `90`, `90s`, `1.5s`, `200ms`, `2m`, `1h`.
///
/// ```
/// assert_eq!(taquin::read_time("1.5s")?.as_millis(), 1500);
/// # Ok::<(), taquin::UnitError>(())
/// ```
///
/// # Errors
/// Fails on anything else, and on times beyond a hundred years.
pub fn read_time(text: &str) -> Result<Duration, UnitError> {
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)];
    let seconds = read(text, &units, "a time: write 200ms, 10s, 5m or 1h")?;
    let limit = 100.0 * 365.0 * 86_400.0;
    Some(seconds).filter(|&seconds| seconds <= limit).map(Duration::from_secs_f64).ok_or_else(
        || UnitError { text: excerpt(text), expected: "a time of a hundred years or less" },
    )
}

/// Reads a number of nodes: `5000`, `1e6`, `10k`, `2M`, `3G`.
///
/// ```
/// assert_eq!(taquin::read_count("10k"), Ok(10_000));
/// ```
///
/// # Errors
/// Fails on anything else.
pub fn read_count(text: &str) -> Result<u64, UnitError> {
    whole(
        text,
        &[("k", 1e3), ("K", 1e3), ("M", 1e6), ("G", 1e9)],
        "a number: write 5000, 1e6, 10k or 2M",
    )
}

/// Reads a number of bytes: `200M`, `2G`, `512MiB`, `1.5GB`.
///
/// ```
/// assert_eq!(taquin::read_bytes("1.5GB"), Ok(1_500_000_000));
/// assert_eq!(taquin::read_bytes("2KiB"), Ok(2048));
/// ```
///
/// # Errors
/// Fails on anything else.
pub fn read_bytes(text: &str) -> Result<u64, UnitError> {
    let units = [
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("TiB", 1_099_511_627_776.0),
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("k", 1e3),
        ("K", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("B", 1.0),
    ];
    whole(text, &units, "an amount of memory: write 200M, 2G or 512MiB")
}

fn whole(text: &str, units: &[(&str, f64)], expected: &'static str) -> Result<u64, UnitError> {
    // Whole numbers without a unit are read exactly.
    if let Ok(number) = text.trim().parse() {
        return Ok(number);
    }
    let amount = read(text, units, expected)?;
    match amount <= 1e18 {
        true => Ok(amount.round() as u64),
        false => Err(UnitError { text: excerpt(text), expected }),
    }
}

fn read(text: &str, units: &[(&str, f64)], expected: &'static str) -> Result<f64, UnitError> {
    let error = || UnitError { text: excerpt(text), expected };
    let trimmed = text.trim();
    let (number, factor) = units
        .iter()
        .find_map(|(unit, factor)| Some((trimmed.strip_suffix(unit)?, *factor)))
        .unwrap_or((trimmed, 1.0));
    // `parse` would also take "inf" and "nan".
    let number = number.trim_end();
    let starts = number.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let amount: f64 = number.parse().ok().filter(|_| starts).ok_or_else(error)?;
    Some(amount * factor).filter(|amount| amount.is_finite()).ok_or_else(error)
}

/// A number of bytes as people read it.
///
/// ```
/// assert_eq!(taquin::write_bytes(1_500_000_000), "1.5 GB");
/// ```
pub fn write_bytes(bytes: u64) -> String {
    let units = ["B", "KB", "MB", "GB", "TB"];
    let (mut amount, mut unit) = (bytes as f64, 0);
    while amount >= 1000.0 && unit + 1 < units.len() {
        amount /= 1000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} B"),
        _ if amount < 10.0 => format!("{amount:.1} {}", units[unit]),
        _ => format!("{amount:.0} {}", units[unit]),
    }
}

/// A number of bytes, exactly, as [`read_bytes`] reads it.
pub(crate) fn spell_bytes(bytes: u64) -> String {
    let units = [(1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")];
    match units.into_iter().find(|(unit, _)| bytes > 0 && bytes.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{}{name}", bytes / unit),
        None => bytes.to_string(),
    }
}

/// Free memory in bytes, if the system reports it.
///
/// ```
/// assert_ne!(taquin::free_memory(), Some(0));
/// ```
pub fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_people_write_them() {
        for (text, millis) in
            [("90", 90_000), ("1.5s", 1_500), ("200ms", 200), ("2m", 120_000), ("1h", 3_600_000)]
        {
            assert_eq!(read_time(text).unwrap(), Duration::from_millis(millis), "{text}");
        }
        for (text, count) in [
            ("5000", 5_000),
            ("1e6", 1_000_000),
            ("10k", 10_000),
            ("2M", 2_000_000),
            ("1.5M", 1_500_000),
        ] {
            assert_eq!(read_count(text).unwrap(), count, "{text}");
        }
        assert_eq!(read_count("18446744073709551615").unwrap(), u64::MAX);
        for (text, bytes) in
            [("200M", 200_000_000), ("2G", 2_000_000_000), ("512MiB", 536_870_912), ("100", 100)]
        {
            assert_eq!(read_bytes(text).unwrap(), bytes, "{text}");
        }
        for bytes in [0, 1, 999, 1_000, 1_500_000, 3_000_000_000, 1 << 40, u64::MAX] {
            assert_eq!(read_bytes(&spell_bytes(bytes)).unwrap(), bytes);
        }
        for text in ["", "s", "-1s", "inf", "nan", "1x", "1e999", "ten", "1e30h"] {
            assert!(read_time(text).is_err(), "{text}");
            assert!(read_count(text).is_err(), "{text}");
            assert!(read_bytes(text).is_err(), "{text}");
        }
        assert_eq!(
            [0, 999, 1_000, 25_300_000].map(write_bytes),
            ["0 B", "999 B", "1.0 KB", "25 MB"]
        );
    }
}
