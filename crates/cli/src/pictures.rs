//! Writing pictures to files.

use std::path::Path;

use taquin::{Ending, Report};
use taquin_draw::{ImageError, Worksheet, apng, draw_solution, gif, joined, pdf, pdf_pages, png};

use crate::failure::Failure;
use crate::output::{check_writable, say, write_file};

/// Pixels per unit of a drawing, so that PNGs are sharp in print and on high-resolution screens.
const SCALE: f32 = 2.0;

/// The format of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Svg,
    Png,
    Pdf,
}

impl Format {
    pub(crate) const fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Pdf => "pdf",
        }
    }
}

/// Returns the format that the name of a file asks for. Fails if there is none, or if the file
/// cannot be written: both are known before the work.
pub(crate) fn format(path: &Path) -> Result<Format, Failure> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let format = match ending.as_str() {
        "svg" => Format::Svg,
        "png" => Format::Png,
        "pdf" => Format::Pdf,
        _ => {
            return Err(Failure::input(format!("{}: not a picture file", path.display()))
                .hint("use a name that ends in .svg, .png or .pdf"));
        }
    };
    check_writable(path)?;
    Ok(format)
}

/// Returns a drawing in a format.
pub(crate) fn picture(svg: &str, format: Format) -> Result<Vec<u8>, Failure> {
    let made = match format {
        Format::Svg => Ok(svg.as_bytes().to_vec()),
        Format::Png => png(svg, SCALE),
        Format::Pdf => pdf(svg),
    };
    made.map_err(|error| unmade(&error))
}

/// Returns a worksheet in a format: in PDF it has pages, in the others they are below each other.
pub(crate) fn pages(worksheet: &Worksheet, format: Format) -> Result<Vec<u8>, Failure> {
    let pages = worksheet.pages();
    match format {
        Format::Pdf => pdf_pages(&pages).map_err(|error| unmade(&error)),
        _ => picture(&joined(&pages), format),
    }
}

/// Writes a worksheet as SVG, PNG or PDF, depending on the name of the file.
pub(crate) fn write_pages(path: &Path, worksheet: &Worksheet) -> Result<(), Failure> {
    write_file(path, &pages(worksheet, format(path)?)?)
}

/// Writes a drawing as SVG, PNG or PDF, depending on the name of the file.
pub(crate) fn write_picture(path: &Path, svg: &str) -> Result<(), Failure> {
    write_file(path, &picture(svg, format(path)?)?)
}

/// The format of an animation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Moving {
    Svg,
    Gif,
    Png,
}

/// Returns the format that the name of an animation asks for. Fails if there is none, or if the
/// file cannot be written.
pub(crate) fn animation(path: &Path) -> Result<Moving, Failure> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let format = match ending.as_str() {
        "svg" => Moving::Svg,
        "gif" => Moving::Gif,
        "png" | "apng" => Moving::Png,
        // Standard output has the report.
        _ => {
            return Err(Failure::input(format!("{}: not a file for an animation", path.display()))
                .hint("use a name that ends in .svg, .gif or .png"));
        }
    };
    check_writable(path)?;
    Ok(format)
}

/// Writes a solution as an animation, if there is one.
pub(crate) fn animate(path: Option<&Path>, report: &Report) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    if report.outcome != Ending::Solved {
        say(&format!("{}: not written, because there is no solution", path.display()));
        return Ok(());
    }
    let moves = report.moves.as_deref().unwrap_or_default();
    let moving = match animation(path)? {
        Moving::Svg => Ok(draw_solution(&report.puzzle, moves).into_bytes()),
        Moving::Gif => gif(&report.puzzle, moves),
        Moving::Png => apng(&report.puzzle, moves),
    };
    write_file(path, &moving.map_err(|error| unmade(&error))?)
}

/// Converts the error of a picture, with a hint.
fn unmade(error: &ImageError) -> Failure {
    let failure = Failure::input(error.to_string());
    match error {
        ImageError::Size { .. } | ImageError::Length { .. } => {
            failure.hint("write an .svg file instead, which has no such limit")
        }
        _ => failure,
    }
}
