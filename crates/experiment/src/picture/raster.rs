//! Pictures as PNG.
//!
//! The fonts are our own, so that a picture has the same letters on every machine, and letters at all
//! on one that has no fonts.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Why there is no picture.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The text is no SVG.
    #[error("the drawing can't be read: {0}")]
    Drawing(String),
    /// A picture so large can't be made.
    #[error("a picture of {width} x {height} is too large")]
    Size {
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
    },
    /// The picture can't be written as PNG.
    #[error("the picture can't be written: {0}")]
    Encoding(String),
}

/// The most pixels of a side.
const MOST: u32 = 16_384;

static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(ttf_noto_sans::REGULAR.to_vec());
    fonts.load_font_data(ttf_noto_sans::BOLD.to_vec());
    fonts.set_sans_serif_family("Noto Sans");
    Arc::new(fonts)
});

/// A drawing as a PNG file, with this many pixels for each of its units.
///
/// # Errors
/// Fails if the text is no SVG, or if the picture would be too large.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, ImageError> {
    let options = Options {
        fontdb: Arc::clone(&FONTS),
        font_family: "Noto Sans".to_owned(),
        ..Options::default()
    };
    let tree =
        Tree::from_str(svg, &options).map_err(|error| ImageError::Drawing(error.to_string()))?;
    let size = tree.size().to_int_size();
    let [width, height] =
        [size.width(), size.height()].map(|side| (side as f32 * scale).ceil() as u32);
    let mut picture = Some(())
        .filter(|()| width <= MOST && height <= MOST)
        .and_then(|()| Pixmap::new(width, height))
        .ok_or(ImageError::Size { width, height })?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut picture.as_mut());
    picture.encode_png().map_err(|error| ImageError::Encoding(error.to_string()))
}
