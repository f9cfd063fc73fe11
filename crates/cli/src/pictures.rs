//! Pictures in files.

use std::path::Path;

use taquin::{Ending, Report};
use taquin_experiment::png;
use taquin_lab::draw_solution;

use crate::failure::Failure;
use crate::output::{say, write_file};

/// The pixels for a unit of a drawing: sharp on paper and on fine screens.
const SCALE: f32 = 2.0;

/// Writes a drawing as the file's name asks for: SVG or PNG.
pub(crate) fn write_picture(path: &Path, svg: &str) -> Result<(), Failure> {
    match is_picture(path)? {
        true => write_png(path, svg),
        false => write_file(path, svg.as_bytes()),
    }
}

/// Whether a file is to be a PNG, or else an SVG, by its name.
pub(crate) fn is_picture(path: &Path) -> Result<bool, Failure> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match ending.as_str() {
        "svg" => Ok(false),
        "png" => Ok(true),
        _ => Err(Failure::input(format!("{}: neither SVG nor PNG by its name", path.display()))
            .hint("end the name in .svg or .png")),
    }
}

/// Writes a drawing as PNG.
pub(crate) fn write_png(path: &Path, svg: &str) -> Result<(), Failure> {
    let picture = png(svg, SCALE).map_err(|error| {
        Failure::input(format!("{}: {error}", path.display())).hint("SVG has no largest size")
    })?;
    write_file(path, &picture)
}

/// Writes a solution as a moving picture, if there is one.
pub(crate) fn animate(path: Option<&Path>, report: &Report) -> Result<(), Failure> {
    match path {
        Some(path) if report.outcome == Ending::Solved => write_file(
            path,
            draw_solution(&report.puzzle, report.moves.as_deref().unwrap_or_default()).as_bytes(),
        ),
        Some(path) => {
            say(&format!("{}: not written, as there is no solution", path.display()));
            Ok(())
        }
        None => Ok(()),
    }
}
