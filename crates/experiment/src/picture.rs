//! Pictures: charts as SVG, made from runs, and any SVG as PNG.

mod chart;
mod raster;
mod samples;

pub(crate) use chart::plain;
pub use chart::{Axis, Chart, Marks, Point, Series, csv_field, stacked};
pub use raster::{ImageError, png};
pub(crate) use samples::{Measure, geometric_mean};
pub use samples::{Sample, Samples};
