//! Pictures: charts as SVG, made from runs; any SVG as PNG or PDF; and solutions as animations.

mod animation;
mod chart;
mod depths;
mod pdf;
mod raster;
mod samples;
mod scale;
mod svg;

pub use animation::{apng, gif};
pub use chart::{Axis, Chart, Marks, Point, Series, csv_field};
pub use depths::{depths_chart, metric_words};
pub use pdf::pdf;
pub use raster::{ImageError, png};
pub(crate) use samples::{Measure, geometric_mean, quartiles};
pub use samples::{Sample, Samples};
pub use svg::stacked;
