//! Values that the module's stub names as `taquin.types` does, because Rust's own types say less.

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};
use pyo3::{Borrowed, IntoPyObjectExt, type_hint_identifier};

macro_rules! returned {
    ($($(#[$doc:meta])* $name:ident($inner:ty): $module:literal;)+) => {$(
        $(#[$doc])*
        pub(crate) struct $name(pub(crate) $inner);

        impl<'py> IntoPyObject<'py> for $name {
            type Target = PyAny;
            type Output = Bound<'py, PyAny>;
            type Error = PyErr;
            const OUTPUT_TYPE: PyStaticExpr = type_hint_identifier!($module, stringify!($name));

            fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
                self.0.into_bound_py_any(py)
            }
        }
    )+};
}

macro_rules! taken {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        pub(crate) struct $name<'py>(pub(crate) Bound<'py, PyAny>);

        impl<'py> FromPyObject<'_, 'py> for $name<'py> {
            type Error = PyErr;
            const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("taquin.types", stringify!($name));

            fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
                Ok(Self(object.to_owned()))
            }
        }
    )+};
}

returned! {
    /// How a search ended.
    Outcome(String): "taquin.types";
    /// A kind of step.
    Event(&'static str): "taquin.types";
    /// The fate of a generated node.
    Verdict(String): "taquin.types";
    /// The tiles of a board.
    Tiles(Py<PyTuple>): "taquin.types";
    /// The same, one by one.
    TileIterator(Py<PyIterator>): "taquin.types";
    /// Whether a puzzle can be solved.
    Check(Py<PyAny>): "taquin";
}

taken! {
    /// Whatever is a board.
    BoardLike;
    /// Whatever is a size.
    Size;
    /// A text for a move.
    Move;
}
