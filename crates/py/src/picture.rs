//! Pictures in other formats than SVG.

use pyo3::prelude::*;
use taquin_draw::{ImageError, pdf, png};

use crate::errors;

/// Pixels per unit of a drawing, so that PNGs are sharp in print and on high-resolution screens.
const SCALE: f32 = 2.0;

/// A drawing as the bytes of a file whose name has the ending "svg", "png" or "pdf".
#[pyfunction]
pub(crate) fn render(svg: &str, ending: &str) -> PyResult<Vec<u8>> {
    match ending.to_ascii_lowercase().as_str() {
        "svg" => Ok(svg.as_bytes().to_vec()),
        "png" => png(svg, SCALE).map_err(|error| unmade(&error)),
        "pdf" => pdf(svg).map_err(|error| unmade(&error)),
        _ => Err(unknown(ending, ".svg, .png or .pdf")),
    }
}

/// A picture that cannot be made.
pub(crate) fn unmade(error: &ImageError) -> PyErr {
    let remedy = match error {
        ImageError::Size { .. } | ImageError::Length { .. } => {
            Some("write an .svg file instead, which has no such limit")
        }
        _ => None,
    };
    errors::failed(error, remedy)
}

/// The name of a file that no picture has.
pub(crate) fn unknown(ending: &str, endings: &str) -> PyErr {
    let remedy = format!("use a name that ends in {endings}");
    errors::option("path", &format!("'{ending}' is not the ending of a picture"), Some(&remedy))
}
