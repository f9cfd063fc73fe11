//! Tables for polars, pyarrow, pandas and others: the Arrow `PyCapsule` interface.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator,
    StringArray,
};
use arrow_schema::{Field, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyDict, PyFloat, PyInt, PyList};

use crate::errors::internal;

/// A table as a stream of Arrow, from the lists of its columns. A column is of integers, numbers,
/// truth values or texts, and may have `None` in it.
#[pyfunction]
pub(crate) fn arrow_stream<'py>(
    py: Python<'py>,
    columns: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (name, values) in columns {
        let array = column(values.cast::<PyList>()?)?;
        fields.push(Field::new(name.extract::<String>()?, array.data_type().clone(), true));
        arrays.push(array);
    }
    let schema = Arc::new(Schema::new(fields));
    let batch =
        RecordBatch::try_new(Arc::clone(&schema), arrays).map_err(|error| internal(&error))?;
    let batches = RecordBatchIterator::new([Ok(batch)], schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(batches));
    Ok(PyCapsule::new_with_value(py, stream, c"arrow_array_stream")?.into_any())
}

fn column(values: &Bound<'_, PyList>) -> PyResult<ArrayRef> {
    let known = || values.iter().filter(|value| !value.is_none());
    let all = |is: fn(&Bound<'_, PyAny>) -> bool| known().all(|value| is(&value));
    Ok(match () {
        () if all(|value| value.cast::<PyBool>().is_ok()) && known().next().is_some() => {
            Arc::new(BooleanArray::from(values.extract::<Vec<Option<bool>>>()?))
        }
        () if all(|value| value.cast::<PyInt>().is_ok()) => {
            Arc::new(Int64Array::from(values.extract::<Vec<Option<i64>>>()?))
        }
        () if all(|value| value.cast::<PyInt>().is_ok() || value.cast::<PyFloat>().is_ok()) => {
            Arc::new(Float64Array::from(values.extract::<Vec<Option<f64>>>()?))
        }
        () => Arc::new(StringArray::from(values.extract::<Vec<Option<String>>>()?)),
    })
}
