//! Pictures: charts as SVG, made from runs, and any SVG as PNG.

mod chart;
mod raster;
mod samples;
mod scale;
mod svg;

pub use chart::{Axis, Chart, Marks, Point, Series, csv_field};
pub use raster::{ImageError, png};
pub(crate) use samples::{Measure, geometric_mean};
pub use samples::{Sample, Samples};
pub use svg::stacked;
