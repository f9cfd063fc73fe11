//! Numbers and times as people read them.

/// Returns `number` with a comma before each group of three digits.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a time in the unit that suits it.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s if s < 100.0 => format!("{s:.2} s"),
        s if s < 7200.0 => format!("{} s", thousands(s.round() as u64)),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Returns `number` followed by the right one of two words.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_easy_to_read() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        let times = [2e-5, 0.0123, 1.5, 250.0, 36_000.0].map(seconds);
        assert_eq!(times, ["20 µs", "12.3 ms", "1.50 s", "250 s", "10.0 h"]);
        assert_eq!([1, 1_000].map(|n| count(n, "run", "runs")), ["1 run", "1,000 runs"]);
    }
}
