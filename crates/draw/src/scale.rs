//! Linear and logarithmic scales, and the numbers on them.

use taquin_lab::amounts::thousands;

use crate::chart::Axis;

/// Maps values to positions.
pub(crate) struct Scale {
    log: bool,
    whole: bool,
    /// The ends of the axis, as logarithms if it is logarithmic.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The positions of the ends.
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Scale {
    /// Returns a scale that has room for `values`.
    pub(crate) fn new(
        axis: &Axis,
        values: impl Iterator<Item = f64>,
        (from, to): (f64, f64),
    ) -> Self {
        let scaled = values.map(|value| if axis.log { value.log10() } else { value });
        let (mut low, mut high) = scaled
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let only = low >= high;
        if axis.log {
            // From a whole decade to the next 1, 2 or 5, with a little room for a point there.
            let (decade, top) = ((high + 0.02).floor(), high + 0.02);
            let ends = [2_f64, 5.0, 10.0].map(|digit| decade + digit.log10());
            high = ends.into_iter().find(|end| *end >= top).unwrap_or(decade + 1.0);
            low = (low + 1e-9).floor();
            high = high.max(low + 1.0);
        } else if only {
            // A single value is in the middle, between its neighbours.
            let room = if axis.whole || low == 0.0 { 1.0 } else { low.abs() / 2.0 };
            (low, high) = (low - room, high + room);
            if low < 0.0 && high > 0.0 {
                low = 0.0;
            }
        } else {
            let step = step(high - low.min(0.0), axis.whole);
            if low >= 0.0 && low < 0.4 * high {
                low = 0.0;
            }
            low = (low / step).floor() * step;
            high = (high + 0.02 * (high - low)).max(low + step);
        }
        Self { log: axis.log, whole: axis.whole, low, high, from, to }
    }

    /// Makes room for half a bar at either end.
    pub(crate) fn with_bars(mut self) -> Self {
        self.low -= 0.5;
        self.high += 0.5;
        self
    }

    /// Returns the position of a value.
    pub(crate) fn place(&self, value: f64) -> f64 {
        self.at(if self.log { value.log10() } else { value })
    }

    /// Returns the position of a value, which is a logarithm if the axis is logarithmic.
    pub(crate) fn at(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Returns the ticks' positions and labels; small ticks have none.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        let mut ticks = Vec::new();
        if self.log {
            let (low, high) = (self.low as i32, (self.high + 1e-9).floor() as i32);
            let plainly = low >= -4 && high <= 6;
            // More than ten numbers are too many to read.
            let every = ((high - low + 9) / 10).max(1);
            for power in low..=high {
                let named = (power - low) % every == 0;
                let label = if named { power_label(power, plainly) } else { String::new() };
                ticks.push((self.at(power.into()), label));
                for digit in 2..10 {
                    let value = f64::from(digit) * 10_f64.powi(power);
                    if value.log10() <= self.high + 1e-9 && high - low <= 10 {
                        let few = high - low <= 1 && [2, 5].contains(&digit);
                        let label = if few { plain(value) } else { String::new() };
                        ticks.push((self.place(value), label));
                    }
                }
            }
        } else {
            let step = step(self.high - self.low, self.whole);
            let first = (self.low / step - 1e-9).ceil() as i64;
            let last = (self.high / step + 1e-9).floor() as i64;
            for at in first..=last {
                let value = at as f64 * step;
                ticks.push((self.at(value), plain(value)));
            }
        }
        ticks
    }
}

/// Returns a round step that divides a range into about eight parts.
fn step(range: f64, whole: bool) -> f64 {
    let rough = (range / 8.0).max(1e-12);
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = step.into_iter().find(|step| *step >= rough * 0.999).unwrap_or(power * 10.0);
    if whole { step.max(1.0) } else { step }
}

/// Returns the label for a power of ten.
fn power_label(power: i32, plainly: bool) -> String {
    match power {
        0 | 1 => plain(10_f64.powi(power)),
        _ if plainly => plain(10_f64.powi(power)),
        _ => format!(
            r#"10<tspan dy="-5" font-size="10">{}</tspan>"#,
            power.to_string().replace('-', "−")
        ),
    }
}

/// Formats a number to four digits.
pub(crate) fn plain(value: f64) -> String {
    if value.abs() >= 999.95 {
        let sign = if value < 0.0 { "−" } else { "" };
        return format!("{sign}{}", thousands(value.abs().round() as u64));
    }
    let digits = match value.abs() {
        0.0 => 0,
        size => (3 - size.log10().floor() as i32).clamp(0, 9) as usize,
    };
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}
