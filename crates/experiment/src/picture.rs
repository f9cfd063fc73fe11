//! Pictures: charts as SVG, made from runs, and any SVG as PNG.

mod chart;
mod number;
mod raster;
mod samples;
mod scale;
mod svg;

pub use chart::{Axis, Chart, Marks, Point, Series, csv_field};
pub(crate) use number::plain;
pub use raster::{ImageError, png};
pub(crate) use samples::{Measure, geometric_mean};
pub use samples::{Sample, Samples};
pub use svg::stacked;
