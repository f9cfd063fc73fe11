//! Pictures as pixels, and as PNG.
//!
//! The fonts are compiled in, so that a picture looks the same on every machine, even without
//! fonts.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Why a picture cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum ImageError {
    #[error("not a valid drawing: {0}")]
    Drawing(String),
    #[error("a picture of {width} x {height} pixels is too large: {MAX_SIDE} are the most")]
    Size { width: u32, height: u32 },
    #[error("the picture cannot be encoded: {0}")]
    Encoding(String),
    /// The animation would be too long.
    #[error("an animation of {moves} moves is too long: at most {MAX_MOVES} can be drawn")]
    Length {
        /// The number of moves.
        moves: usize,
    },
}

/// The largest width and height in pixels.
const MAX_SIDE: u32 = 16_384;

/// The most moves in an animation.
pub(crate) const MAX_MOVES: usize = 5_000;

static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(ttf_noto_sans::REGULAR.to_vec());
    fonts.load_font_data(ttf_noto_sans::BOLD.to_vec());
    fonts.set_sans_serif_family("Noto Sans");
    Arc::new(fonts)
});

/// Returns a drawing as a PNG file with `scale` pixels for each of its units.
///
/// # Errors
/// Fails if the text is not SVG, or if the picture would be too large.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, ImageError> {
    // A large drawing is refused before its layout, which takes a long time.
    let side = |name: &str| {
        let (_, after) = svg.split_once(&format!(" {name}=\""))?;
        after.split_once('"')?.0.parse::<f32>().ok()
    };
    if let (Some(width), Some(height)) = (side("width"), side("height")) {
        let [width, height] = [width, height].map(|side| (side * scale).ceil() as u32);
        if width > MAX_SIDE || height > MAX_SIDE {
            return Err(ImageError::Size { width, height });
        }
    }
    pixels(svg, scale)?.encode_png().map_err(|error| ImageError::Encoding(error.to_string()))
}

/// Reads a drawing.
pub(crate) fn tree(svg: &str) -> Result<Tree, ImageError> {
    let options = Options {
        fontdb: Arc::clone(&FONTS),
        font_family: "Noto Sans".to_owned(),
        ..Options::default()
    };
    Tree::from_str(svg, &options).map_err(|error| ImageError::Drawing(error.to_string()))
}

/// Returns the pixels of a drawing.
pub(crate) fn pixels(svg: &str, scale: f32) -> Result<Pixmap, ImageError> {
    let tree = tree(svg)?;
    let size = tree.size().to_int_size();
    let [width, height] =
        [size.width(), size.height()].map(|side| (side as f32 * scale).ceil() as u32);
    let mut picture = Some(())
        .filter(|()| width <= MAX_SIDE && height <= MAX_SIDE)
        .and_then(|()| Pixmap::new(width, height))
        .ok_or(ImageError::Size { width, height })?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut picture.as_mut());
    Ok(picture)
}
