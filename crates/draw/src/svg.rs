//! Charts as SVG.
//!
//! A paper needs little and needs it exactly: two axes, linear or logarithmic, and lines, points,
//! steps or bars on them. Every series has a colour from Okabe and Ito's palette, which
//! colour-blind readers can distinguish, and a shape. Every chart has a title and a description.
//! Colours are attributes, so that any renderer shows them, and classes, so that a page can replace
//! them in the dark.

use std::collections::HashMap;
use std::fmt::Write;

use crate::board::{FONTS, escaped};
use crate::chart::{Chart, Marks, Series};
use crate::scale::Scale;

/// Okabe and Ito's colours without the yellow, which is too light for lines.
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#333333"];

/// The shapes, each about 9 wide and centred at the origin.
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

/// The dashes of lines, if there are more series than colours.
const DASHES: [&str; 4] = ["", "7 3", "2 3", "8 3 2 3"];

/// If there are more points than this, they are drawn smaller.
const MANY_POINTS: usize = 100;

const WIDTH: f64 = 760.0;
const LEFT: f64 = 86.0;
const RIGHT: f64 = 24.0;
/// The height of the area between the axes.
const AREA: f64 = 330.0;
/// The height of the numbers and the label below it.
const BELOW: f64 = 58.0;

/// Returns charts below each other as one SVG file.
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
        // Charts with the same horizontal axis have the same part of it.
        let same = charts.iter().filter(|other| other.x == chart.x);
        let points = same.flat_map(|other| &other.series).flat_map(|series| &series.points);
        let fits = |x: &f64| x.is_finite() && (!chart.x.log || *x > 0.0);
        chart.draw(&mut out, points.map(|point| point.x).filter(fits));
        out.push_str("</g>\n");
        down += chart.height();
    }
    out.push_str("</svg>\n");
    out
}

impl Chart {
    /// Returns the legend's rows: as many series next to each other as fit.
    fn legend(&self) -> Vec<Vec<(&Series, f64)>> {
        // A distribution needs no other name than its title.
        if self.marks == Marks::Bars && self.series.len() == 1 {
            return Vec::new();
        }
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

    /// Returns the lines of the title.
    fn headline(&self) -> Vec<String> {
        wrapped(&self.title, 17.0, WIDTH - LEFT - RIGHT)
    }

    /// Returns the lines of the remarks below the chart.
    fn footnotes(&self) -> Vec<String> {
        wrapped(&self.remarks(), 12.0, WIDTH - LEFT - RIGHT)
    }

    fn height(&self) -> f64 {
        let notes = self.footnotes().len() as f64;
        self.above() + AREA + BELOW + 17.0 * notes + if notes > 0.0 { 16.0 } else { 0.0 }
    }

    /// Returns the height of the title and the legend.
    fn above(&self) -> f64 {
        14.0 + 22.0 * self.headline().len() as f64 + 22.0 * self.legend().len() as f64 + 14.0
    }

    /// Draws the chart with its upper left corner at the origin. Its horizontal axis has room for
    /// `xs`.
    fn draw(&self, out: &mut String, xs: impl Iterator<Item = f64>) {
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
        let mut xs = Scale::new(&self.x, xs, (LEFT, right));
        let fits = |y: &f64| !self.y.log || *y > 0.0;
        let values = self.series.iter().flat_map(|series| self.shown(series)).flat_map(|point| {
            let (lower, upper) = point.quartiles.unwrap_or((point.y, point.y));
            [point.y, lower, upper].into_iter().filter(fits)
        });
        // Bars begin at the axis.
        let foot = (self.marks == Marks::Bars && !self.y.log).then_some(0.0);
        let ys = Scale::new(&self.y, values.chain(foot), (bottom, top));
        if self.marks == Marks::Bars && !self.x.log {
            xs = xs.with_bars();
        }
        self.axes(out, &xs, &ys);
        // Equality is a straight line only on axes of the same kind.
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
        let mut taken = HashMap::new();
        for series in &self.series {
            match self.marks {
                Marks::Bars => self.bars(out, series, &xs, &ys),
                _ => self.curve(out, series, &xs, &ys, &mut taken),
            }
        }
        let mut y = bottom + BELOW + 12.0;
        for line in self.footnotes() {
            let line = escaped(&line);
            let _ = writeln!(
                out,
                r##"<text class="ink" x="{LEFT}" y="{y}" font-size="12" fill="#1a1a1a">{line}</text>"##
            );
            y += 17.0;
        }
    }

    fn bars(&self, out: &mut String, series: &Series, xs: &Scale, ys: &Scale) {
        let style = Style::of(series);
        let width = (xs.place(1.0) - xs.place(0.0)).abs() * 0.8;
        let _ = writeln!(out, "<g><title>{}</title>", escaped(&series.name));
        for point in self.shown(series) {
            let (x, y) = (xs.place(point.x) - width / 2.0, ys.place(point.y));
            let _ = writeln!(
                out,
                r#"<path class="f{}" d="M{x:.1} {:.1}V{y:.1}h{width:.1}V{:.1}z" fill="{}"/>"#,
                style.colour, ys.from, ys.from, COLOURS[style.colour]
            );
        }
        out.push_str("</g>\n");
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

    /// Draws a series. `taken` has the number of series that have a mark at a pixel. If series
    /// coincide, the later marks are rings around the earlier ones, and a line that coincides
    /// everywhere is dashed.
    fn curve(
        &self,
        out: &mut String,
        series: &Series,
        xs: &Scale,
        ys: &Scale,
        taken: &mut HashMap<(i64, i64), usize>,
    ) {
        let points: Vec<(f64, f64, bool)> = self
            .shown(series)
            .map(|point| (xs.place(point.x), ys.place(point.y), point.partial))
            .collect();
        let coinciding: Vec<usize> = points
            .iter()
            .map(|&(x, y, _)| {
                let there = taken.entry((x.round() as i64, y.round() as i64)).or_default();
                *there += 1;
                *there - 1
            })
            .collect();
        let mut style = Style::of(series);
        if self.marks != Marks::Points && coinciding.iter().all(|&others| others > 0) {
            style.dash = style.dash.max(1);
        }
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
        for point in self.shown(series) {
            let Some((lower, upper)) = point.quartiles else { continue };
            let x = xs.place(point.x);
            // A quartile of 0 is below any logarithmic axis.
            let bottom = if self.y.log && lower <= 0.0 { ys.from } else { ys.place(lower) };
            let top = ys.place(upper);
            let _ = writeln!(
                out,
                r#"<path class="s{0}" fill="none" stroke="{1}" stroke-width="1.2" stroke-opacity="0.75" d="M{x:.1} {bottom:.1}V{top:.1}M{2:.1} {bottom:.1}h7M{2:.1} {top:.1}h7"/>"#,
                style.colour,
                COLOURS[style.colour],
                x - 3.5
            );
        }
        // A staircase of a thousand steps needs only a few shapes.
        let every = if self.marks == Marks::Steps { points.len().div_ceil(9).max(1) } else { 1 };
        let last = points.len().saturating_sub(1);
        let small = self.marks == Marks::Points && points.len() > MANY_POINTS;
        for (at, &(x, y, partial)) in points.iter().enumerate() {
            if at % every == 0 || at == last {
                let rings = if self.marks == Marks::Points { 0 } else { coinciding[at] };
                let _ = writeln!(out, "{}", style.mark(x, y, partial, small, rings));
            }
        }
        out.push_str("</g>\n");
    }

    /// Draws the entry of a series in the legend.
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
            style.mark(x + 16.0, middle, false, false, 0),
            x + 40.0
        );
    }
}

/// The appearance of a series.
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

    /// Returns a mark; a ring if there are `rings` other marks at the same place.
    fn mark(&self, x: f64, y: f64, hollow: bool, small: bool, rings: usize) -> String {
        let Self { colour, shape, .. } = *self;
        let (class, fill) = match (rings, hollow) {
            (0, false) => ("f", COLOURS[colour]),
            (0, true) => ("h", "#ffffff"),
            _ => ("n", "none"),
        };
        let size = match (rings, small) {
            (0, false) => String::new(),
            (0, true) => "scale(0.62)".to_owned(),
            (rings, _) => format!("scale({:.2})", 1.0 + 0.55 * rings as f64),
        };
        format!(
            r#"<path class="s{colour} {class}{colour}" transform="translate({x:.1} {y:.1}){size}" fill="{fill}" stroke="{}" stroke-width="1.4" d="{}"/>"#,
            COLOURS[colour], SHAPES[shape]
        )
    }
}

/// Returns the approximate width of a text: the reader's fonts are not known.
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

/// Breaks a text into lines of at most this width.
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
