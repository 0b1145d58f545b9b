//! Writes some fields of a struct from Python's values, for what rows of an event share.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyInt, PyString, PyTuple};

use crate::write::Write;

/// A field whose values are numbers without a point, truth values or texts.
struct Field {
    label: Vec<u8>,
    write: Write,
    /// What stands for null, with the label; None where Python decides.
    null: Option<Vec<u8>>,
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
    fn new(
        start: usize,
        fields: Vec<(Vec<u8>, String, Option<Vec<u8>>)>,
        python: Py<PyAny>,
    ) -> Self {
        let fields = fields.into_iter().map(|(label, write, null)| Field {
            label,
            write: Write::named(Some(&write)),
            null,
        });
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
    /// Writes the fields; None (and any bytes) where this is left to Python.
    pub fn push(&self, out: &mut Vec<u8>, values: &Bound<'_, PyTuple>) -> Option<()> {
        for (number, field) in self.fields.iter().enumerate() {
            let value = values.get_item(self.start + number).ok()?;
            field.push(out, &value)?;
        }
        Some(())
    }
}

impl Field {
    fn push(&self, out: &mut Vec<u8>, value: &Bound<'_, PyAny>) -> Option<()> {
        if value.is_none() {
            out.extend_from_slice(self.null.as_ref()?);
            return Some(());
        }
        out.extend_from_slice(&self.label);
        if let Ok(text) = value.cast_exact::<PyString>() {
            self.write.push_text(out, text.to_cow().ok()?.as_bytes())
        } else if let Ok(number) = value.cast_exact::<PyInt>() {
            self.write.push_integer(out, number.extract().ok()?)
        } else {
            self.write.push_truth(out, value.cast_exact::<PyBool>().ok()?.is_true())
        }
    }
}
