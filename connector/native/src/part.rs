//! Writes some fields of a struct from Python's values, for what rows of an event share.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyInt, PyString, PyTuple};

use crate::digits;
use crate::text::quote;

/// A field whose values are written by their type, and the text of null.
struct Field {
    label: Vec<u8>,
    null: Vec<u8>,
}

/// Writes neighboring fields, with labels, from the values of all fields of a struct.
#[pyclass(frozen, module = "connector.native._native")]
pub struct PartWriter {
    start: usize,
    fields: Vec<Field>,
    /// Python's function for the same fields.
    python: Py<PyAny>,
}

#[pymethods]
impl PartWriter {
    #[new]
    fn new(start: usize, fields: Vec<(Vec<u8>, Vec<u8>)>, python: Py<PyAny>) -> Self {
        let fields = fields.into_iter().map(|(label, null)| Field { label, null });
        PartWriter { start, fields: fields.collect(), python }
    }

    fn __call__<'py>(&self, values: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = values.py();
        let mut out = Vec::with_capacity(256);
        if let Ok(values) = values.cast_exact::<PyTuple>() {
            if self.push(&mut out, values).is_some() {
                return Ok(PyBytes::new(py, &out).into_any());
            }
        }
        self.python.bind(py).call1((values,))
    }
}

impl PartWriter {
    fn push(&self, out: &mut Vec<u8>, values: &Bound<'_, PyTuple>) -> Option<()> {
        for (number, field) in self.fields.iter().enumerate() {
            let value = values.get_item(self.start + number).ok()?;
            out.extend_from_slice(&field.label);
            field.push(out, &value)?;
        }
        Some(())
    }
}

impl Field {
    fn push(&self, out: &mut Vec<u8>, value: &Bound<'_, PyAny>) -> Option<()> {
        if value.is_none() {
            out.extend_from_slice(&self.null);
        } else if let Ok(text) = value.cast_exact::<PyString>() {
            return quote(out, text.to_cow().ok()?.as_bytes()).then_some(());
        } else if let Ok(number) = value.cast_exact::<PyInt>() {
            digits::signed(out, number.extract().ok()?);
        } else if let Ok(truth) = value.cast_exact::<PyBool>() {
            out.extend_from_slice(if truth.is_true() { b"true" } else { b"false" });
        } else {
            return None;
        }
        Some(())
    }
}
