//! Solutions as moving pictures: GIF, which every slide program plays, and animated PNG.
//!
//! The start is drawn once. A move changes two cells, so that each further frame has only these,
//! cut from the first picture.

use std::collections::HashMap;

use resvg::tiny_skia::PremultipliedColorU8;
use taquin::{Board, Cell, Puzzle, Slide};

use crate::board::{CELL, cell_place, draw_board};
use crate::raster::{ImageError, MAX_MOVES, pixels};

/// Pixels per unit of the drawing.
const SCALE: usize = 2;

/// The side of a cell in pixels.
const SIDE: usize = CELL * SCALE;

/// The frames in which a tile moves to the next cell.
const STEPS: usize = 6;

/// The frames' times in hundredths of a second: the start, a step, the rest of a move, the end.
const START: u16 = 100;
const STEP: u16 = 4;
const REST: u16 = 16;
const END: u16 = 250;

/// A picture with up to 256 colours, or the part of one that a frame replaces.
struct Frame {
    left: usize,
    top: usize,
    width: usize,
    pixels: Vec<u8>,
    /// The time that it is shown, in hundredths of a second.
    delay: u16,
}

impl Frame {
    fn height(&self) -> usize {
        self.pixels.len() / self.width
    }

    /// Returns a cell of the picture.
    fn cell(&self, left: usize, top: usize) -> Vec<u8> {
        let rows = (top..top + SIDE).map(|row| &self.pixels[row * self.width + left..][..SIDE]);
        rows.flatten().copied().collect()
    }
}

/// The frames of a solution, and their colours.
struct Animation {
    palette: Vec<[u8; 3]>,
    frames: Vec<Frame>,
}

impl Animation {
    fn new(puzzle: &Puzzle, slides: &[Slide]) -> Result<Self, ImageError> {
        if slides.len() > MAX_MOVES {
            return Err(ImageError::Length { moves: slides.len() });
        }
        let mut board = puzzle.start().clone();
        let (palette, first) = first(&board)?;
        let size = board.size();
        let corner = |cell: Cell| {
            let (x, y) = cell_place(size, cell);
            (x * SCALE, y * SCALE)
        };
        let places = puzzle.start().positions().into_iter().map(corner);
        let tiles: Vec<Vec<u8>> = places.map(|(x, y)| first.cell(x, y)).collect();
        let mut frames = vec![first];
        for &slide in slides {
            let before = board.positions();
            let Ok(tile) = board.slide(slide) else { continue };
            let (from, to) = (before[usize::from(tile)], board.positions()[usize::from(tile)]);
            let (from, to) = (corner(from), corner(to));
            let (left, top) = (from.0.min(to.0), from.1.min(to.1));
            let (width, height) = (from.0.abs_diff(to.0) + SIDE, from.1.abs_diff(to.1) + SIDE);
            for step in 1..=STEPS {
                let between = |a: usize, b: usize| (a * (STEPS - step) + b * step) / STEPS;
                let (x, y) = (between(from.0, to.0) - left, between(from.1, to.1) - top);
                // A board without a blank has no moves, so that tile 0 has a picture.
                let background = tiles[0][SIDE / 2 * SIDE + SIDE / 2];
                let mut pixels = vec![background; width * height];
                for (row, line) in tiles[usize::from(tile)].chunks(SIDE).enumerate() {
                    pixels[(y + row) * width + x..][..SIDE].copy_from_slice(line);
                }
                let delay = if step == STEPS { REST } else { STEP };
                frames.push(Frame { left, top, width, pixels, delay });
            }
        }
        if let Some(last) = frames.last_mut() {
            last.delay = END;
        }
        Ok(Self { palette, frames })
    }
}

/// Draws the start, and returns its colours. If there are more than 256, similar ones become one.
fn first(board: &Board) -> Result<(Vec<[u8; 3]>, Frame), ImageError> {
    let picture = pixels(&draw_board(board), SCALE as f32)?;
    let colours = || picture.pixels().iter().map(PremultipliedColorU8::demultiply);
    for dropped in 0..8 {
        let mut palette: Vec<[u8; 3]> = Vec::new();
        let mut numbers: HashMap<[u8; 3], u8> = HashMap::new();
        let mut indices = Vec::with_capacity(picture.pixels().len());
        for colour in colours() {
            // The corners around the frame are transparent: paper is white.
            let over = |part: u8| {
                let alpha = u32::from(colour.alpha());
                ((u32::from(part) * alpha + 255 * (255 - alpha)) / 255) as u8
            };
            let exact = [colour.red(), colour.green(), colour.blue()].map(over);
            let known = palette.len();
            let number = *numbers.entry(exact.map(|part| part >> dropped)).or_insert_with(|| {
                palette.push(exact);
                known as u8
            });
            if palette.len() > 256 {
                break;
            }
            indices.push(number);
        }
        if palette.len() <= 256 {
            let width = picture.width() as usize;
            return Ok((palette, Frame { left: 0, top: 0, width, pixels: indices, delay: START }));
        }
    }
    unreachable!("with one bit for each part of a colour there are eight")
}

/// Returns a solution as an animated GIF file that repeats.
///
/// # Errors
/// Fails if the board or the solution is too large.
pub fn gif(puzzle: &Puzzle, slides: &[Slide]) -> Result<Vec<u8>, ImageError> {
    let Animation { palette, frames } = Animation::new(puzzle, slides)?;
    let mut file = Vec::new();
    let mut write = || -> Result<(), gif::EncodingError> {
        let (width, height) = (frames[0].width as u16, frames[0].height() as u16);
        let mut encoder = gif::Encoder::new(&mut file, width, height, &palette.concat())?;
        encoder.set_repeat(gif::Repeat::Infinite)?;
        for frame in &frames {
            encoder.write_frame(&gif::Frame {
                delay: frame.delay,
                left: frame.left as u16,
                top: frame.top as u16,
                width: frame.width as u16,
                height: frame.height() as u16,
                buffer: frame.pixels.as_slice().into(),
                ..gif::Frame::default()
            })?;
        }
        Ok(())
    };
    write().map_err(|error| ImageError::Encoding(error.to_string()))?;
    Ok(file)
}

/// Returns a solution as an animated PNG file that repeats.
///
/// # Errors
/// Fails if the board or the solution is too large.
pub fn apng(puzzle: &Puzzle, slides: &[Slide]) -> Result<Vec<u8>, ImageError> {
    let Animation { palette, frames } = Animation::new(puzzle, slides)?;
    let mut file = Vec::new();
    let mut write = || -> Result<(), png::EncodingError> {
        let (width, height) = (frames[0].width as u32, frames[0].height() as u32);
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(palette.concat());
        encoder.set_animated(frames.len() as u32, 0)?;
        encoder.set_frame_delay(frames[0].delay, 100)?;
        let mut writer = encoder.write_header()?;
        for (number, frame) in frames.iter().enumerate() {
            if number > 0 {
                // The last position and the new size need not fit.
                writer.set_frame_position(0, 0)?;
                writer.set_frame_dimension(frame.width as u32, frame.height() as u32)?;
                writer.set_frame_position(frame.left as u32, frame.top as u32)?;
                writer.set_frame_delay(frame.delay, 100)?;
            }
            writer.write_image_data(&frame.pixels)?;
        }
        writer.finish()
    };
    write().map_err(|error| ImageError::Encoding(error.to_string()))?;
    Ok(file)
}
