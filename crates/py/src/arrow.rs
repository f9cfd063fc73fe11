//! Tables for polars, pyarrow, pandas and others: the Arrow `PyCapsule` interface.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator,
    StringArray,
};
use arrow_schema::{Field, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::errors::internal;

/// A table as a stream of Arrow, from the types and the lists of its columns. A type is "bool", "int",
/// "float" or "str", and a list may have `None` in it.
#[pyfunction]
pub(crate) fn arrow_stream<'py>(
    py: Python<'py>,
    columns: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (name, column) in columns {
        let (kind, values) = column.extract::<(String, Bound<'py, PyList>)>()?;
        let array = array(&kind, &values)?;
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

fn array(kind: &str, values: &Bound<'_, PyList>) -> PyResult<ArrayRef> {
    Ok(match kind {
        "bool" => Arc::new(BooleanArray::from(values.extract::<Vec<Option<bool>>>()?)),
        "int" => Arc::new(Int64Array::from(values.extract::<Vec<Option<i64>>>()?)),
        "float" => Arc::new(Float64Array::from(values.extract::<Vec<Option<f64>>>()?)),
        _ => Arc::new(StringArray::from(values.extract::<Vec<Option<String>>>()?)),
    })
}
