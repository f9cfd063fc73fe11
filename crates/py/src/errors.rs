//! Errors as Python exceptions. The classes are in `python/taquin/errors.py`.

use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;

use pyo3::exceptions::{PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use taquin::{Place, UnitError};
use taquin_lab::{RequestError, RequestField};

/// Makes a package exception with the fault's place and a remedy.
pub(crate) fn raise(
    class: &str,
    message: &str,
    field: Option<&str>,
    place: Option<Place>,
    remedy: Option<&str>,
) -> PyErr {
    Python::attach(|py| {
        let made = || {
            let class = py.import("taquin.errors")?.getattr(class)?;
            let facts = PyDict::new(py);
            facts.set_item("field", field)?;
            facts.set_item("place", place.map(|Place { line, column }| (line, column)))?;
            facts.set_item("remedy", remedy)?;
            class.call((message,), Some(&facts))
        };
        made().map_or_else(|error| error, PyErr::from_value)
    })
}

/// A request that is not valid.
pub(crate) fn request(error: &RequestError) -> PyErr {
    let class = match error.field {
        RequestField::Board | RequestField::Goal | RequestField::Size | RequestField::Cost => {
            "BoardError"
        }
        RequestField::Course => "CourseError",
        RequestField::Method | RequestField::Metric => "MethodError",
    };
    // The keyword, which is not always the name of the field.
    let field = match error.field {
        RequestField::Course => "as_".to_owned(),
        field => field.to_string(),
    };
    raise(class, &error.to_string(), Some(&field), error.place(), error.hint().as_deref())
}

/// An object in a message: its `repr`, cut short.
pub(crate) fn shown(object: &Bound<'_, PyAny>) -> String {
    let text = object.repr().map(|text| text.to_string());
    let text = text.unwrap_or_else(|_| "an object that cannot be shown".to_owned());
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}..", &text[..at]),
        None => text,
    }
}

/// A keyword whose value is wrong.
pub(crate) fn option(field: &str, message: &str, remedy: Option<&str>) -> PyErr {
    raise("OptionError", message, Some(field), None, remedy)
}

/// Reads a value that must be in a fixed list.
pub(crate) fn parsed<T: FromStr<Err: Display>>(field: &str, text: &str) -> PyResult<T> {
    text.parse().map_err(|error: T::Err| option(field, &error.to_string(), None))
}

/// An unreadable number with a unit.
pub(crate) fn unit(field: &str, error: &UnitError) -> PyErr {
    option(field, &error.to_string(), None)
}

/// An error about a board in a list, with the board's index.
pub(crate) fn at(index: usize, error: PyErr) -> PyErr {
    Python::attach(|py| match error.value(py).call_method1("at", (index,)) {
        Ok(error) => PyErr::from_value(error),
        Err(_) if error.is_instance_of::<PyTypeError>(py) => {
            PyTypeError::new_err(format!("boards[{index}]: {}", error.value(py)))
        }
        Err(_) => error,
    })
}

/// A file that cannot be read or written: the exception has its name.
pub(crate) fn file(path: &Path, error: &std::io::Error) -> PyErr {
    let message = error.to_string();
    let message = message.split(" (os error").next().unwrap_or_default().to_owned();
    match error.raw_os_error() {
        Some(number) => PyOSError::new_err((number, message, path.as_os_str().to_owned())),
        None => PyOSError::new_err(format!("{}: {message}", path.display())),
    }
}

/// Work that failed because memory, disk space or tables were missing.
pub(crate) fn failed(error: &dyn Display, remedy: Option<&str>) -> PyErr {
    raise("TaquinError", &error.to_string(), None, None, remedy)
}

/// A fault in taquin itself.
pub(crate) fn internal(error: &dyn Display) -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err(format!("a fault in taquin: {error}"))
}
