//! Boards.

use std::fmt::Write;

use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PyString, PyTuple};
use taquin::{
    Board, BoardFormat, MAX_CELLS, Move, Notation, Puzzle, Size, Slide, excerpt, is_reachable,
    read_board, read_moves, replay, write_board,
};
use taquin_draw::draw_board;
use taquin_lab::{Check, RequestError, RequestFault, RequestField, pair, read_goal};

use crate::errors::{self, shown};
use crate::hints;
use crate::report::json;

/// A board: the tiles of a puzzle, row by row, with 0 for a blank.
///
/// It is made from a text in any notation, a list, a list of rows, or an array.
///
/// >>> Board("8 6 7/2 5 4/3 0 1").tiles
/// (8, 6, 7, 2, 5, 4, 3, 0, 1)
#[pyclass(name = "Board", module = "taquin", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyBoard(pub(crate) Board);

#[pymethods]
impl PyBoard {
    #[new]
    #[pyo3(signature = (board, size=None))]
    #[expect(clippy::needless_pass_by_value, reason = "they are converted from Python objects")]
    fn new(board: hints::BoardLike<'_>, size: Option<hints::Size<'_>>) -> PyResult<Self> {
        let size = size.map(|size| read_size(&size.0)).transpose()?;
        read(&board.0, size).map(Self)
    }

    /// The tiles, row by row; 0 is a blank.
    #[getter]
    fn tiles(&self, py: Python<'_>) -> PyResult<hints::Tiles> {
        PyTuple::new(py, self.0.tiles()).map(|tiles| hints::Tiles(tiles.unbind()))
    }

    /// The rows.
    #[getter]
    fn rows(&self) -> Vec<Vec<u16>> {
        self.0.rows().map(<[_]>::to_vec).collect()
    }

    /// The number of rows and the number of columns.
    #[getter]
    fn size(&self) -> (usize, usize) {
        (self.0.size().rows(), self.0.size().cols())
    }

    /// The cells that are blank, numbered row by row.
    #[getter]
    fn blanks(&self) -> Vec<u16> {
        self.0.blanks().collect()
    }

    /// The moves that are possible, named after where the blank goes: "U", "D", "L" or "R". With
    /// several blanks each begins with the tile that moves, as in "7L".
    fn moves(&self) -> Vec<String> {
        slides(&self.0).into_iter().map(|(slide, tile)| self.name(slide, tile)).collect()
    }

    /// The boards that one move leads to.
    fn neighbors(&self) -> Vec<Self> {
        neighbors(&self.0).map(Self).collect()
    }

    /// The board after several moves.
    ///
    /// >>> Board("123456780").slide("LU")
    /// Board('1 2 3/4 0 6/7 5 8')
    #[pyo3(signature = (moves, notation="blank"))]
    fn slide(&self, moves: &str, notation: &str) -> PyResult<Self> {
        let notation: Notation = errors::parsed("notation", notation)?;
        let slides = read_moves(moves, Some(notation), &self.0);
        let wrong = |error: &dyn std::fmt::Display| {
            errors::raise("BoardError", &error.to_string(), Some("moves"), None, None)
        };
        let slides = slides.map_err(|error| wrong(&error))?;
        replay(&self.0, &slides).map(Self).map_err(|error| wrong(&error))
    }

    /// The board after one move: `board["L"]`.
    #[expect(clippy::needless_pass_by_value, reason = "it is converted from a Python object")]
    fn __getitem__(&self, step: hints::Move<'_>) -> PyResult<Self> {
        let Ok(step) = step.0.extract::<&str>() else {
            let message =
                "a board is indexed by a move, as in board[\"L\"]; tiles and rows have its cells";
            return Err(PyTypeError::new_err(message));
        };
        let found = slides(&self.0)
            .into_iter()
            .find(|&(slide, tile)| self.name(slide, tile).eq_ignore_ascii_case(step));
        match found {
            Some((slide, _)) => Ok(Self(after(&self.0, slide))),
            None => Err(PyKeyError::new_err(format!(
                "{} is not possible; the moves are {}",
                excerpt(step),
                self.moves().join(", ")
            ))),
        }
    }

    /// Whether the goal can be reached.
    #[pyo3(signature = (goal=None))]
    #[expect(clippy::needless_pass_by_value, reason = "it is converted from a Python object")]
    fn is_solvable(&self, goal: Option<hints::BoardLike<'_>>) -> PyResult<bool> {
        self.puzzle(goal.as_ref().map(|goal| &goal.0)).map(|puzzle| is_reachable(&puzzle))
    }

    /// Whether this is the goal.
    #[pyo3(signature = (goal=None))]
    #[expect(clippy::needless_pass_by_value, reason = "it is converted from a Python object")]
    fn is_solved(&self, goal: Option<hints::BoardLike<'_>>) -> PyResult<bool> {
        self.puzzle(goal.as_ref().map(|goal| &goal.0)).map(|puzzle| puzzle.start() == puzzle.goal())
    }

    /// The board as text: "slashes", "rows", "nested", "flat", "digits" or "sized".
    #[pyo3(signature = (format="slashes", blank='0'))]
    fn text(&self, format: &str, blank: char) -> PyResult<String> {
        let format: BoardFormat = errors::parsed("format", format)?;
        write_board(&self.0, format, blank)
            .map_err(|error| errors::option("format", &error.to_string(), None))
    }

    fn __str__(&self) -> String {
        write_board(&self.0, BoardFormat::Rows, '0').unwrap_or_else(|_| self.0.to_string())
    }

    pub(crate) fn __repr__(&self) -> String {
        format!("Board('{}')", self.0)
    }

    fn __len__(&self) -> usize {
        self.0.size().cells()
    }

    /// Iterates over the tiles, row by row.
    fn __iter__(&self, py: Python<'_>) -> PyResult<hints::TileIterator> {
        let tiles = PyTuple::new(py, self.0.tiles())?.try_iter()?;
        Ok(hints::TileIterator(tiles.unbind()))
    }

    fn __getnewargs__(&self) -> (String,) {
        (self.0.to_string(),)
    }

    const fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    /// Why the goal can or cannot be reached: a `Check`.
    #[pyo3(signature = (goal=None))]
    #[expect(clippy::needless_pass_by_value, reason = "it is converted from a Python object")]
    fn explain(
        &self,
        py: Python<'_>,
        goal: Option<hints::BoardLike<'_>>,
    ) -> PyResult<hints::Check> {
        let check = json(&Check::new(self.puzzle(goal.as_ref().map(|goal| &goal.0))?))?;
        let class = py.import("taquin._studies")?.getattr("Check")?;
        Ok(hints::Check(class.call_method1("from_json", (check,))?.unbind()))
    }

    /// The rows as a numpy array.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err("an array of a board is always a copy"));
        }
        let options = PyDict::new(py);
        options.set_item(
            "dtype",
            dtype.map_or_else(|| PyString::new(py, "int64").into_any(), Clone::clone),
        )?;
        py.import("numpy")?.call_method("array", (self.rows(),), Some(&options))
    }

    fn _repr_svg_(&self) -> String {
        draw_board(&self.0)
    }
}

impl PyBoard {
    fn name(&self, slide: Slide, tile: u16) -> String {
        match self.0.blanks().count() {
            1 => slide.step.to_string(),
            _ => format!("{tile}{}", slide.step),
        }
    }

    pub(crate) fn puzzle(&self, goal: Option<&Bound<'_, PyAny>>) -> PyResult<Puzzle> {
        let goal = match goal {
            Some(goal) => read_goal_like(goal, &self.0)?,
            None => read_goal("last", &self.0).map_err(|error| errors::request(&error))?,
        };
        pair(self.0.clone(), goal).map_err(|error| errors::request(&error))
    }
}

/// The boards that one move leads to.
pub(crate) fn neighbors(board: &Board) -> impl Iterator<Item = Board> {
    slides(board).into_iter().map(|(slide, _)| after(board, slide))
}

fn after(board: &Board, slide: Slide) -> Board {
    let mut board = board.clone();
    // The slide is one of the board's.
    let _ = board.slide(slide);
    board
}

/// The slides that a board allows, with the tiles that they move.
fn slides(board: &Board) -> Vec<(Slide, u16)> {
    let mut all = Vec::new();
    for blank in board.blanks() {
        for step in Move::ALL {
            let slide = Slide { blank, step };
            if let Ok(tile) = board.clone().slide(slide) {
                all.push((slide, tile));
            }
        }
    }
    all
}

/// Reads a board from whatever Python has: a `Board`, a text, nested or flat sequences, an array.
pub(crate) fn read(board: &Bound<'_, PyAny>, size: Option<Size>) -> PyResult<Board> {
    if let Ok(board) = board.cast::<PyBoard>() {
        return Ok(board.get().0.clone());
    }
    read_board(&text_of(board)?, size).map_err(|error| {
        let fault = RequestFault::Board(error);
        errors::request(&RequestError { field: RequestField::Board, fault })
    })
}

/// Reads a goal: a name, or anything that is a board.
pub(crate) fn read_goal_like(goal: &Bound<'_, PyAny>, start: &Board) -> PyResult<Board> {
    if let Ok(board) = goal.cast::<PyBoard>() {
        return Ok(board.get().0.clone());
    }
    read_goal(&text_of(goal)?, start).map_err(|error| errors::request(&error))
}

/// A board as text in one of taquin's notations.
pub(crate) fn text_of(board: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = board.cast::<PyString>() {
        // A reader of boards refuses the replacement for text that is not Unicode.
        return Ok(text.to_string_lossy().into_owned());
    }
    if let Ok(board) = board.cast::<PyBoard>() {
        return Ok(board.get().0.to_string());
    }
    let mut text = String::new();
    write_list(board, &mut text, &mut 0, 0)?;
    Ok(text)
}

/// The values of an array or a table as lists. To iterate over a table gives its labels or its columns.
fn values<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let Some(list) = object.getattr_opt("tolist")? {
        return list.call0().map(Some);
    }
    if object.getattr_opt("__array__")?.is_none() {
        return Ok(None);
    }
    let array = object.py().import("numpy")?.call_method1("asarray", (object,))?;
    array.call_method0("tolist").map(Some)
}

/// Whether something can be iterated over, but has no order or has keys.
fn is_set_or_mapping(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let kinds = object.py().import("collections.abc")?;
    Ok(object.is_instance(&kinds.getattr("Set")?)?
        || object.is_instance(&kinds.getattr("Mapping")?)?)
}

fn write_list(
    list: &Bound<'_, PyAny>,
    text: &mut String,
    items: &mut usize,
    depth: usize,
) -> PyResult<()> {
    let wrong = || {
        let name = list.get_type().name().map_or_else(|_| "it".to_owned(), |name| name.to_string());
        PyTypeError::new_err(match depth {
            0 => {
                format!("a board is a str, a list, a list of rows, an array or a Board, not {name}")
            }
            _ => format!(
                "a board is made of whole numbers, not of {name}: {} (an array needs a dtype such as \
                 int, and a list at most two levels)",
                shown(list)
            ),
        })
    };
    let is_plain = list.is_exact_instance_of::<PyList>() || list.is_exact_instance_of::<PyTuple>();
    let is_text = list.cast::<PyString>().is_ok() || list.cast::<PyBytes>().is_ok();
    if depth > 2 || is_text || !is_plain && is_set_or_mapping(list)? {
        return Err(wrong());
    }
    let read = if is_plain { None } else { values(list)? };
    let list = read.as_ref().unwrap_or(list);
    text.push('[');
    for (number, item) in list.try_iter().map_err(|_| wrong())?.enumerate() {
        let item = item?;
        *items += 1;
        // An iterator may be endless.
        if *items > 2 * MAX_CELLS {
            let message = format!("a board has at most {MAX_CELLS} cells");
            return Err(errors::raise("BoardError", &message, Some("board"), None, None));
        }
        if number > 0 {
            text.push_str(", ");
        }
        match item.cast::<PyInt>() {
            Ok(tile) => text.push_str(&shown(tile.as_any())),
            // Numbers of numpy.
            Err(_) => match item.extract::<i64>() {
                Ok(tile) => {
                    let _ = write!(text, "{tile}");
                }
                Err(_) => write_list(&item, text, items, depth + 1)?,
            },
        }
    }
    text.push(']');
    Ok(())
}

/// Reads a size: "3x4", 4, or (3, 4).
pub(crate) fn read_size(size: &Bound<'_, PyAny>) -> PyResult<Size> {
    let read = || -> Result<Size, taquin::SizeError> {
        if let Ok((rows, cols)) = size.extract::<(usize, usize)>() {
            return Size::new(rows, cols);
        }
        match size.extract::<usize>() {
            Ok(side) => Size::new(side, side),
            Err(_) => match size.cast::<PyString>() {
                Ok(text) => text.to_string_lossy().parse(),
                Err(_) => shown(size).parse(),
            },
        }
    };
    read().map_err(|error| {
        let fault = RequestFault::Size(error);
        errors::request(&RequestError { field: RequestField::Size, fault })
    })
}
