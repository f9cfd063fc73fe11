//! Charts as SVG.
//!
//! A writer of our own, because a paper needs little and needs it exactly: two axes, linear or
//! logarithmic, and lines, points or steps on them. Every series has a colour of Okabe and Ito's
//! palette, which colour-blind readers can tell apart, and a shape besides; every chart has a title
//! and a description for those who can't see it. Colours are attributes, so that any renderer shows
//! them, and classes, so that a page can replace them in the dark.

use std::fmt::Write;

use taquin_lab::{FONTS, escaped};

/// A chart: what is drawn, on which axes, in which words.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    /// What files and anchors are called after.
    pub name: &'static str,
    /// The heading.
    pub title: String,
    /// The axis to the right.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// How the points are drawn.
    pub marks: Marks,
    /// What is drawn.
    pub series: Vec<Series>,
    /// Whether to draw the line on which both axes are equal.
    pub diagonal: bool,
    /// What a reader should know besides.
    pub note: String,
}

/// One axis of a chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// What it shows, with its unit.
    pub label: String,
    /// The heading of its column in comma-separated values.
    pub column: &'static str,
    /// Whether equal steps are equal factors.
    pub log: bool,
    /// Whether only whole numbers have a meaning.
    pub whole: bool,
}

impl Axis {
    /// An axis with its label and its column.
    pub fn new(label: &str, column: &'static str, log: bool, whole: bool) -> Self {
        Self { label: label.to_owned(), column, log, whole }
    }
}

/// How points are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Marks {
    /// Joined by a line.
    Lines,
    /// Each for itself.
    Points,
    /// As a stair that rises at each.
    Steps,
}

/// Points that belong together.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// What the legend says.
    pub name: String,
    /// Which colour and shape it has, the same in every chart of a report.
    pub style: usize,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// A point of a series.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Upwards.
    pub y: f64,
    /// Whether it stands for a part of the runs only; it is drawn hollow.
    pub partial: bool,
}

/// Okabe and Ito's colours, less the yellow that is too light for lines.
pub(crate) const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#333333"];

/// The shapes, each around the origin, about 9 across.
const SHAPES: [&str; 8] = [
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.8l4.5 7.8h-9z",
    "M0-5l4.6 5l-4.6 5l-4.6-5z",
    "M0 4.8l4.5-7.8h-9z",
    "M-4.8-1.5h3.3v-3.3h3v3.3h3.3v3h-3.3v3.3h-3v-3.3h-3.3z",
    "M-4.4-2.2l2.2-2.2l2.2 2.2l2.2-2.2l2.2 2.2l-2.2 2.2l2.2 2.2l-2.2 2.2l-2.2-2.2l-2.2 2.2l-2.2-2.2l2.2-2.2z",
    "M-4.8 0l2.4-4.2h4.8l2.4 4.2l-2.4 4.2h-4.8z",
];

/// How lines are broken, once there are more series than colours.
const DASHES: [&str; 4] = ["", "7 3", "2 3", "8 3 2 3"];

/// More points than this are drawn smaller.
const CROWD: usize = 100;

const WIDTH: f64 = 760.0;
const LEFT: f64 = 86.0;
const RIGHT: f64 = 24.0;
/// The height of the area between the axes.
const AREA: f64 = 330.0;
/// What is below it: numbers and the axis' label.
const BELOW: f64 = 58.0;

impl Chart {
    /// The chart as an SVG file of its own.
    pub fn svg(&self) -> String {
        stacked(std::slice::from_ref(self))
    }

    /// Its data, a line for each point.
    pub fn csv(&self) -> String {
        let mut text = format!("series,{},{},complete\n", self.x.column, self.y.column);
        for series in &self.series {
            for Point { x, y, partial } in &series.points {
                let _ = writeln!(text, "{},{x},{y},{}", csv_field(&series.name), !partial);
            }
        }
        text
    }

    /// What it shows, in words.
    pub fn description(&self) -> String {
        let mut text = format!("{} against {}.", capital(&self.y.label), self.x.label);
        for series in &self.series {
            let shown: Vec<&Point> = self.shown(series).collect();
            let _ = match shown.as_slice() {
                [] => write!(text, " {}: no points.", series.name),
                [only] => write!(text, " {}: {} at {}.", series.name, plain(only.y), plain(only.x)),
                [first, .., last] if self.marks != Marks::Points => write!(
                    text,
                    " {}: from {} at {} to {} at {}, {} points.",
                    series.name,
                    plain(first.y),
                    plain(first.x),
                    plain(last.y),
                    plain(last.x),
                    shown.len()
                ),
                _ => {
                    let below = shown.iter().filter(|point| point.y < point.x).count();
                    let of = shown.len();
                    write!(text, " {}: {below} of {of} points below the diagonal.", series.name)
                }
            };
        }
        match self.remarks().as_str() {
            "" => text,
            remarks => format!("{text} {remarks}"),
        }
    }

    /// What a reader should know besides, with what the axes can't show.
    pub fn remarks(&self) -> String {
        let drawn: usize = self.series.iter().map(|series| self.shown(series).count()).sum();
        let all: usize = self.series.iter().map(|series| series.points.len()).sum();
        let points = self.series.iter().flat_map(|series| &series.points);
        let mut remarks = vec![self.note.clone()];
        if points.clone().any(|point| point.partial) {
            remarks.push("Hollow: not all of them were solved.".to_owned());
        }
        if drawn < all {
            remarks.push("A value of 0 has no place on a logarithmic axis.".to_owned());
        }
        remarks.retain(|remark| !remark.is_empty());
        remarks.join(" ")
    }

    /// The points that have a place on the axes.
    fn shown<'a>(&'a self, series: &'a Series) -> impl Iterator<Item = &'a Point> {
        let fits = |axis: &Axis, value: f64| value.is_finite() && (!axis.log || value > 0.0);
        series.points.iter().filter(move |point| fits(&self.x, point.x) && fits(&self.y, point.y))
    }

    /// The rows of the legend: series side by side, as many as fit.
    fn legend(&self) -> Vec<Vec<(&Series, f64)>> {
        let mut rows: Vec<Vec<(&Series, f64)>> = vec![Vec::new()];
        let mut at = LEFT;
        for series in &self.series {
            let width = 40.0 + text_width(&series.name, 13.0) + 18.0;
            if at > LEFT && at + width > WIDTH - RIGHT {
                rows.push(Vec::new());
                at = LEFT;
            }
            rows.last_mut().expect("there is one").push((series, at));
            at += width;
        }
        rows
    }

    /// The lines that the title needs.
    fn headline(&self) -> Vec<String> {
        wrapped(&self.title, 17.0, WIDTH - LEFT - RIGHT)
    }

    fn height(&self) -> f64 {
        self.above() + AREA + BELOW
    }

    /// What is above the area: the title and the legend.
    fn above(&self) -> f64 {
        14.0 + 22.0 * self.headline().len() as f64 + 22.0 * self.legend().len() as f64 + 14.0
    }

    /// Draws the chart with its upper left corner at the origin.
    fn draw(&self, out: &mut String) {
        let top = self.above();
        let (right, bottom) = (WIDTH - RIGHT, top + AREA);
        let mut y = 12.0;
        for line in self.headline() {
            y += 22.0;
            let line = escaped(&line);
            let _ = writeln!(
                out,
                r##"<text class="ink" x="{LEFT}" y="{y}" font-size="17" font-weight="700" fill="#1a1a1a">{line}</text>"##
            );
        }
        for row in self.legend() {
            y += 22.0;
            for (series, x) in row {
                self.key(out, series, x, y);
            }
        }
        let all = || self.series.iter().flat_map(|series| self.shown(series));
        let xs = Scale::new(&self.x, all().map(|point| point.x), (LEFT, right));
        let ys = Scale::new(&self.y, all().map(|point| point.y), (bottom, top));
        self.axes(out, &xs, &ys);
        // Equality is a straight line on axes of one kind only.
        if self.diagonal && self.x.log == self.y.log {
            let ends = [xs.low.max(ys.low), xs.high.min(ys.high)];
            let [x1, x2] = ends.map(|value| xs.at(value));
            let [y1, y2] = ends.map(|value| ys.at(value));
            if ends[0] < ends[1] {
                let _ = writeln!(
                    out,
                    r##"<path class="axis" d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}" fill="none" stroke="#666666" stroke-dasharray="4 4"/>"##
                );
            }
        }
        for series in &self.series {
            self.curve(out, series, &xs, &ys);
        }
    }

    fn axes(&self, out: &mut String, xs: &Scale, ys: &Scale) {
        let (right, top, bottom) = (WIDTH - RIGHT, ys.to, ys.from);
        for (at, label) in ys.ticks() {
            if label.is_empty() {
                let _ = writeln!(
                    out,
                    r##"<path class="axis" d="M{LEFT} {at:.1}h-3" stroke="#666666" stroke-width="0.7"/>"##
                );
                continue;
            }
            let (x, y) = (LEFT - 9.0, at + 4.5);
            let _ = writeln!(
                out,
                r##"<path class="grid" d="M{LEFT} {at:.1}H{right}" stroke="#dddddd"/>
<path class="axis" d="M{LEFT} {at:.1}h-6" stroke="#666666"/>
<text class="ink" x="{x}" y="{y:.1}" font-size="13" text-anchor="end" fill="#1a1a1a">{label}</text>"##
            );
        }
        for (at, label) in xs.ticks() {
            let length = if label.is_empty() { 3 } else { 6 };
            let _ = writeln!(
                out,
                r##"<path class="axis" d="M{at:.1} {bottom}v{length}" stroke="#666666"/>"##
            );
            if !label.is_empty() {
                let y = bottom + 22.0;
                let _ = writeln!(
                    out,
                    r##"<text class="ink" x="{at:.1}" y="{y}" font-size="13" text-anchor="middle" fill="#1a1a1a">{label}</text>"##
                );
            }
        }
        let _ = writeln!(
            out,
            r##"<path class="axis" d="M{LEFT} {top}V{bottom}H{right}" fill="none" stroke="#666666"/>"##
        );
        let (x, y) = (f64::midpoint(LEFT, right), f64::midpoint(top, bottom));
        let (below, beside) = (bottom + 46.0, 20.0);
        let [x_label, y_label] = [&self.x.label, &self.y.label].map(|label| escaped(label));
        let _ = writeln!(
            out,
            r##"<text class="ink" x="{x}" y="{below}" font-size="14" text-anchor="middle" fill="#1a1a1a">{x_label}</text>
<text class="ink" transform="translate({beside} {y})rotate(-90)" font-size="14" text-anchor="middle" fill="#1a1a1a">{y_label}</text>"##
        );
    }

    fn curve(&self, out: &mut String, series: &Series, xs: &Scale, ys: &Scale) {
        let points: Vec<(f64, f64, bool)> = self
            .shown(series)
            .map(|point| (xs.place(point.x), ys.place(point.y), point.partial))
            .collect();
        let style = Style::of(series);
        let _ = writeln!(out, "<g><title>{}</title>", escaped(&series.name));
        let mut line = String::new();
        for &(x, y, _) in &points {
            let _ = match (line.is_empty(), self.marks) {
                (true, Marks::Steps) => write!(line, "M{x:.1} {:.1}V{y:.1}", ys.from),
                (true, _) => write!(line, "M{x:.1} {y:.1}"),
                (false, Marks::Steps) => write!(line, "H{x:.1}V{y:.1}"),
                (false, _) => write!(line, "L{x:.1} {y:.1}"),
            };
        }
        if self.marks != Marks::Points && !line.is_empty() {
            let _ = writeln!(out, "<path {} d=\"{line}\"/>", style.line());
        }
        // A stair of a thousand steps needs a shape now and then only.
        let every = if self.marks == Marks::Steps { points.len().div_ceil(9).max(1) } else { 1 };
        let last = points.len().saturating_sub(1);
        let small = self.marks == Marks::Points && points.len() > CROWD;
        for (at, &(x, y, partial)) in points.iter().enumerate() {
            if at % every == 0 || at == last {
                let _ = writeln!(out, "{}", style.mark(x, y, partial, small));
            }
        }
        out.push_str("</g>\n");
    }

    /// A series' entry in the legend.
    fn key(&self, out: &mut String, series: &Series, x: f64, y: f64) {
        let style = Style::of(series);
        let middle = y - 4.5;
        if self.marks != Marks::Points {
            let _ = writeln!(out, r#"<path {} d="M{x} {middle}h32"/>"#, style.line());
        }
        let name = escaped(&series.name);
        let _ = writeln!(
            out,
            r##"{}<text class="ink" x="{}" y="{y}" font-size="13" fill="#1a1a1a">{name}</text>"##,
            style.mark(x + 16.0, middle, false, false),
            x + 40.0
        );
    }
}

/// Charts below each other, as one SVG file.
pub fn stacked(charts: &[Chart]) -> String {
    let height: f64 = charts.iter().map(Chart::height).sum();
    let id = charts.iter().map(|chart| chart.name).collect::<Vec<_>>().join("-");
    let titles: Vec<&str> = charts.iter().map(|chart| chart.title.as_str()).collect();
    let descriptions: Vec<String> = charts.iter().map(Chart::description).collect();
    let mut out = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-labelledby="{id}-title {id}-about" font-family="{FONTS}">
<title id="{id}-title">{}</title>
<desc id="{id}-about">{}</desc>
<rect class="paper" width="{WIDTH}" height="{height}" fill="#ffffff"/>
"##,
        escaped(&titles.join("; ")),
        escaped(&descriptions.join(" ")),
    );
    let mut down = 0.0;
    for chart in charts {
        let _ = writeln!(out, r#"<g transform="translate(0 {down})">"#);
        chart.draw(&mut out);
        out.push_str("</g>\n");
        down += chart.height();
    }
    out.push_str("</svg>\n");
    out
}

/// The looks of a series.
struct Style {
    colour: usize,
    shape: usize,
    dash: usize,
}

impl Style {
    fn of(series: &Series) -> Self {
        let style = series.style;
        let (colour, round) = (style % COLOURS.len(), style / COLOURS.len());
        Self { colour, shape: (style + round) % SHAPES.len(), dash: round % DASHES.len() }
    }

    fn line(&self) -> String {
        let Self { colour, dash, .. } = *self;
        format!(
            r#"class="s{colour}" fill="none" stroke="{}" stroke-width="2" stroke-linejoin="round" stroke-dasharray="{}""#,
            COLOURS[colour],
            if DASHES[dash].is_empty() { "none" } else { DASHES[dash] }
        )
    }

    fn mark(&self, x: f64, y: f64, hollow: bool, small: bool) -> String {
        let Self { colour, shape, .. } = *self;
        let (class, fill) = if hollow { ("h", "#ffffff") } else { ("f", COLOURS[colour]) };
        let size = if small { "scale(0.62)" } else { "" };
        format!(
            r#"<path class="s{colour} {class}{colour}" transform="translate({x:.1} {y:.1}){size}" fill="{fill}" stroke="{}" stroke-width="1.4" d="{}"/>"#,
            COLOURS[colour], SHAPES[shape]
        )
    }
}

/// From values to places.
struct Scale {
    log: bool,
    whole: bool,
    /// The ends of the axis; logarithms where it is logarithmic.
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn new(axis: &Axis, values: impl Iterator<Item = f64>, (from, to): (f64, f64)) -> Self {
        let scaled = values.map(|value| if axis.log { value.log10() } else { value });
        let (mut low, mut high) = scaled
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if axis.log {
            // From a whole decade to the next 1, 2 or 5, with a little room for a point there.
            let (decade, top) = ((high + 0.02).floor(), high + 0.02);
            let ends = [2_f64, 5.0, 10.0].map(|digit| decade + digit.log10());
            high = ends.into_iter().find(|end| *end >= top).unwrap_or(decade + 1.0);
            low = (low + 1e-9).floor();
            high = high.max(low + 1.0);
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

    fn place(&self, value: f64) -> f64 {
        self.at(if self.log { value.log10() } else { value })
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// The places of ticks, with what is written there; a small one has no label.
    fn ticks(&self) -> Vec<(f64, String)> {
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
            let count = ((self.high - self.low) / step + 1e-9).floor() as usize;
            for at in 0..=count {
                let value = self.low + at as f64 * step;
                ticks.push((self.at(value), plain(value)));
            }
        }
        ticks
    }
}

/// The distance of round numbers, about eight of which divide a range.
fn step(range: f64, whole: bool) -> f64 {
    let rough = (range / 8.0).max(1e-12);
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = step.into_iter().find(|step| *step >= rough * 0.999).unwrap_or(power * 10.0);
    if whole { step.max(1.0) } else { step }
}

/// A power of ten as an axis shows it.
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

/// A number as people read it, to four digits.
pub(crate) fn plain(value: f64) -> String {
    if value.abs() >= 999.95 {
        return thousands(value.round() as i64);
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

/// A number with its thousands set apart.
fn thousands(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 { "−".to_owned() } else { String::new() };
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// About how wide a text is. No more is known, as the reader's fonts are not ours.
fn text_width(text: &str, size: f64) -> f64 {
    let wide = |letter: char| match letter {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' => 0.3,
        'f' | 'r' | 't' | '-' | '(' | ')' | '/' => 0.4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.93,
        'A'..='Z' | '=' | '+' | '<' | '>' | '&' => 0.68,
        _ => 0.58,
    };
    size * text.chars().map(wide).sum::<f64>()
}

/// A text in lines of at most this width.
fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), size) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A field of comma-separated values, in quotes where it needs them.
pub fn csv_field(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}
