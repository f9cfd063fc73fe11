//! Writing pictures to files.

use std::path::Path;

use taquin::{Ending, Report};
use taquin_experiment::png;
use taquin_lab::draw_solution;

use crate::failure::Failure;
use crate::output::{say, write_file};

/// Pixels per unit of a drawing, so that PNGs are sharp in print and on high-resolution screens.
const SCALE: f32 = 2.0;

/// Writes a drawing as SVG or PNG, depending on the name of the file.
pub(crate) fn write_picture(path: &Path, svg: &str) -> Result<(), Failure> {
    match is_png(path)? {
        true => write_png(path, svg),
        false => write_file(path, svg.as_bytes()),
    }
}

/// Returns whether the name of a file asks for PNG rather than SVG.
pub(crate) fn is_png(path: &Path) -> Result<bool, Failure> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match ending.as_str() {
        "svg" => Ok(false),
        "png" => Ok(true),
        _ => Err(Failure::input(format!("{}: not a picture file", path.display()))
            .hint("use a name that ends in .svg or .png")),
    }
}

/// Writes a drawing as PNG.
pub(crate) fn write_png(path: &Path, svg: &str) -> Result<(), Failure> {
    let picture = png(svg, SCALE).map_err(|error| {
        Failure::input(format!("{}: {error}", path.display()))
            .hint("write an .svg file instead, which has no size limit")
    })?;
    write_file(path, &picture)
}

/// Writes a solution as an animated SVG, if there is one.
pub(crate) fn animate(path: Option<&Path>, report: &Report) -> Result<(), Failure> {
    match path {
        Some(path) if report.outcome == Ending::Solved => write_file(
            path,
            draw_solution(&report.puzzle, report.moves.as_deref().unwrap_or_default()).as_bytes(),
        ),
        Some(path) => {
            say(&format!("{}: not written, because there is no solution", path.display()));
            Ok(())
        }
        None => Ok(()),
    }
}
