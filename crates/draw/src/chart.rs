//! Charts: the data, and the same in words and as CSV.

use std::fmt::Write;

use crate::scale::plain;
use crate::svg::stacked;

/// The data of a chart, its axes and its words.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    /// The name of its files and anchors.
    pub name: &'static str,
    /// The heading.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// How the points are drawn.
    pub marks: Marks,
    /// The series.
    pub series: Vec<Series>,
    /// Whether to draw the line on which both axes are equal.
    pub diagonal: bool,
    /// A remark for the reader.
    pub note: String,
}

/// One axis of a chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// The quantity, with its unit.
    pub label: String,
    /// The heading of its column in CSV.
    pub column: &'static str,
    /// Whether it is logarithmic.
    pub log: bool,
    /// Whether only whole numbers have a meaning.
    pub whole: bool,
}

impl Axis {
    /// Returns an axis.
    pub fn new(label: &str, column: &'static str, log: bool, whole: bool) -> Self {
        Self { label: label.to_owned(), column, log, whole }
    }
}

/// How points are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Marks {
    /// Joined by a line.
    Lines,
    /// Each separate.
    Points,
    /// Joined by a staircase that rises at each.
    Steps,
    /// A bar from the axis to each.
    Bars,
}

/// Points that belong together.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The number for its colour and shape, the same in every chart of a report.
    pub style: usize,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// A point of a series.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// The horizontal value.
    pub x: f64,
    /// The vertical value.
    pub y: f64,
    /// Whether some of its runs were not solved; it is drawn hollow.
    pub partial: bool,
    /// The lower and upper quartiles of the values whose mean is `y`.
    pub quartiles: Option<(f64, f64)>,
}

impl Point {
    /// Returns a point for one value.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y, partial: false, quartiles: None }
    }
}

impl Chart {
    /// Returns the chart as an SVG file.
    pub fn svg(&self) -> String {
        stacked(std::slice::from_ref(self))
    }

    /// Returns the data as CSV, a line for each point. Points with quartiles have two more columns.
    pub fn csv(&self) -> String {
        let spread = self.points().any(|point| point.quartiles.is_some());
        let more = if spread { ",lower_quartile,upper_quartile" } else { "" };
        let mut text = format!("series,{},{},complete{more}\n", self.x.column, self.y.column);
        for series in &self.series {
            for Point { x, y, partial, quartiles } in &series.points {
                let _ = write!(text, "{},{x},{y},{}", csv_field(&series.name), !partial);
                let _ = match quartiles {
                    Some((lower, upper)) => writeln!(text, ",{lower},{upper}"),
                    None => writeln!(text, "{}", if spread { ",," } else { "" }),
                };
            }
        }
        text
    }

    fn points(&self) -> impl Iterator<Item = &Point> + Clone {
        self.series.iter().flat_map(|series| &series.points)
    }

    /// Returns a description in words, for readers that cannot see the chart.
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

    /// Returns remarks for the reader, including values that the axes cannot show.
    pub fn remarks(&self) -> String {
        let drawn: usize = self.series.iter().map(|series| self.shown(series).count()).sum();
        let all: usize = self.series.iter().map(|series| series.points.len()).sum();
        let mut remarks = vec![self.note.clone()];
        if self.points().any(|point| point.quartiles.is_some()) {
            remarks.push("Bars: the middle half, from the lower to the upper quartile.".to_owned());
        }
        if self.points().any(|point| point.partial) {
            remarks.push("Hollow: some were not solved.".to_owned());
        }
        if drawn < all {
            let left = all - drawn;
            let are = if left == 1 { "value of 0 is" } else { "values of 0 are" };
            remarks.push(format!("{left} {are} left out: a logarithmic axis has no 0."));
        }
        remarks.retain(|remark| !remark.is_empty());
        remarks.join(" ")
    }

    /// Returns the points that can be drawn on the axes.
    pub(crate) fn shown<'a>(&'a self, series: &'a Series) -> impl Iterator<Item = &'a Point> {
        let fits = |axis: &Axis, value: f64| value.is_finite() && (!axis.log || value > 0.0);
        series.points.iter().filter(move |point| fits(&self.x, point.x) && fits(&self.y, point.y))
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns a CSV field, in quotation marks if it needs them.
pub fn csv_field(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}
