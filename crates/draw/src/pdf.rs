//! Pictures as PDF, for papers.
//!
//! Our drawings are shapes and text without gradients, clips or images, and text is drawn as
//! outlines of the compiled-in font. So a page needs only the operators for paths, colours and
//! lines.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use resvg::tiny_skia::{self, PathSegment, Point};
use resvg::usvg::{Color, FillRule, Group, LineCap, LineJoin, Node, Paint, Path, Transform};

use crate::raster::{ImageError, tree};

/// PDF counts in points, 72 an inch, and SVG in pixels, 96 an inch.
const POINTS: f32 = 0.75;

/// The longest page side in points that every PDF reader accepts.
const MAX_SIDE: f32 = 14_400.0;

/// Returns a drawing as a PDF file of one page.
///
/// # Errors
/// Fails if the text is not SVG, or if it is too large for a page.
pub fn pdf(svg: &str) -> Result<Vec<u8>, ImageError> {
    pdf_pages(&[svg])
}

/// Returns drawings as a PDF file with a page for each.
///
/// # Errors
/// Fails if a text is not SVG, or if it is too large for a page.
pub fn pdf_pages(svgs: &[impl AsRef<str>]) -> Result<Vec<u8>, ImageError> {
    // Objects 1 and 2 are the catalogue and the list of pages; each page is two more.
    let kids: Vec<String> = (0..svgs.len()).map(|at| format!("{} 0 R", 3 + 2 * at)).collect();
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        format!("<</Type/Pages/Kids[{}]/Count {}>>", kids.join(" "), svgs.len()).into_bytes(),
    ];
    for svg in svgs {
        let contents = objects.len() + 2;
        objects.extend(page(svg.as_ref(), contents)?);
    }
    // The second line has bytes above 127, so that no program takes the file for text.
    let mut file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut places = String::new();
    for (number, object) in (1..).zip(&objects) {
        let _ = writeln!(places, "{:010} 00000 n ", file.len());
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file.extend(
        format!(
            "xref\n0 {size}\n0000000000 65535 f \n{places}trailer\n<</Size {size}/Root 1 0 R>>\n\
             startxref\n{start}\n%%EOF\n"
        )
        .bytes(),
    );
    Ok(file)
}

/// Returns a page and its contents, which are object number `contents`.
fn page(svg: &str, contents: usize) -> Result<[Vec<u8>; 2], ImageError> {
    let tree = tree(svg)?;
    let [width, height] = [tree.size().width(), tree.size().height()].map(|side| side * POINTS);
    if width.max(height) > MAX_SIDE {
        let [width, height] = [tree.size().width(), tree.size().height()].map(|side| side as u32);
        return Err(ImageError::Size { width, height });
    }
    // The origin is the lower left corner, and up is positive.
    let mut page = format!("{POINTS} 0 0 -{POINTS} 0 {height} cm\n");
    draw_group(&mut page, tree.root());
    let failed = |error: std::io::Error| ImageError::Encoding(error.to_string());
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(page.as_bytes()).map_err(failed)?;
    let packed = packed.finish().map_err(failed)?;
    let about = format!(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} {height}]/Resources<<>>\
         /Contents {contents} 0 R>>"
    );
    let header = format!("<</Filter/FlateDecode/Length {}>>stream\n", packed.len());
    Ok([about.into_bytes(), [header.as_bytes(), &packed, b"\nendstream"].concat()])
}

fn draw_group(page: &mut String, group: &Group) {
    for node in group.children() {
        match node {
            Node::Group(group) => draw_group(page, group),
            Node::Path(path) => draw_path(page, path),
            Node::Text(text) => draw_group(page, text.flattened()),
            Node::Image(_) => {}
        }
    }
}

fn draw_path(page: &mut String, path: &Path) {
    let fill = path.fill().and_then(|fill| Some((colour(fill.paint())?, fill.rule())));
    let stroke = path.stroke().and_then(|stroke| Some((colour(stroke.paint())?, stroke)));
    if !path.is_visible() || (fill.is_none() && stroke.is_none()) {
        return;
    }
    let Transform { sx, ky, kx, sy, tx, ty } = path.abs_transform();
    let _ = writeln!(page, "q {sx} {ky} {kx} {sy} {tx} {ty} cm");
    if let Some((colour, _)) = &fill {
        let _ = writeln!(page, "{colour} rg");
    }
    if let Some((colour, stroke)) = &stroke {
        let cap = match stroke.linecap() {
            LineCap::Butt => 0,
            LineCap::Round => 1,
            LineCap::Square => 2,
        };
        let join = match stroke.linejoin() {
            LineJoin::Miter | LineJoin::MiterClip => 0,
            LineJoin::Round => 1,
            LineJoin::Bevel => 2,
        };
        let dashes: Vec<String> =
            stroke.dasharray().unwrap_or_default().iter().map(f32::to_string).collect();
        let (width, dashes) = (stroke.width().get(), dashes.join(" "));
        let offset = stroke.dashoffset();
        let _ = writeln!(page, "{colour} RG {width} w {cap} J {join} j [{dashes}] {offset} d");
    }
    outline(page, path.data());
    let even_odd = matches!(fill, Some((_, FillRule::EvenOdd)));
    page.push_str(match (fill.is_some(), stroke.is_some(), even_odd) {
        (true, true, true) => "B* Q\n",
        (true, true, false) => "B Q\n",
        (true, false, true) => "f* Q\n",
        (true, false, false) => "f Q\n",
        (false, ..) => "S Q\n",
    });
}

fn outline(page: &mut String, path: &tiny_skia::Path) {
    let mut last = Point::zero();
    for segment in path.segments() {
        let _ = match segment {
            PathSegment::MoveTo(to) => writeln!(page, "{} {} m", to.x, to.y),
            PathSegment::LineTo(to) => writeln!(page, "{} {} l", to.x, to.y),
            PathSegment::QuadTo(middle, to) => {
                // The same curve with two control points.
                let near = |end: f32, middle: f32| end + (middle - end) * 2.0 / 3.0;
                let [a, b] = [last, to].map(|end| (near(end.x, middle.x), near(end.y, middle.y)));
                writeln!(page, "{} {} {} {} {} {} c", a.0, a.1, b.0, b.1, to.x, to.y)
            }
            PathSegment::CubicTo(a, b, to) => {
                writeln!(page, "{} {} {} {} {} {} c", a.x, a.y, b.x, b.y, to.x, to.y)
            }
            PathSegment::Close => writeln!(page, "h"),
        };
        match segment {
            PathSegment::MoveTo(to)
            | PathSegment::LineTo(to)
            | PathSegment::QuadTo(_, to)
            | PathSegment::CubicTo(_, _, to) => last = to,
            PathSegment::Close => {}
        }
    }
}

/// Returns the operands for a plain colour. Our drawings have no others.
fn colour(paint: &Paint) -> Option<String> {
    match paint {
        Paint::Color(Color { red, green, blue }) => {
            let [red, green, blue] = [red, green, blue].map(|&part| f32::from(part) / 255.0);
            Some(format!("{red:.4} {green:.4} {blue:.4}"))
        }
        _ => None,
    }
}
