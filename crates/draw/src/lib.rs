//! Pictures: boards, moving solutions, charts and pages to print as SVG; any SVG as PNG or PDF;
//! solutions as GIF and APNG.
//!
//! ```
//! let board = "1 2 3/4 0 6/7 5 8".parse()?;
//! let svg = taquin_draw::draw_board(&board);
//! assert!(taquin_draw::png(&svg, 2.0)?.starts_with(b"\x89PNG"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod animation;
mod board;
mod chart;
mod depths;
mod pdf;
mod raster;
mod scale;
mod svg;
mod worksheet;

pub use animation::{apng, gif};
pub use board::{draw_board, draw_solution, escaped};
pub use chart::{Axis, Chart, Marks, Point, Series, csv_field};
pub use depths::{depths_chart, metric_words};
pub use pdf::{pdf, pdf_pages};
pub use raster::{ImageError, png};
pub use svg::stacked;
pub use worksheet::{Worksheet, WorksheetItem, joined};
