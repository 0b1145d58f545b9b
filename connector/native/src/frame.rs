//! What stands around the rows of an event: its source block, operation and time.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::guard::guarded;
use crate::part::PartWriter;

/// Writes neighboring fields of a struct from the values of all its fields: in the core or in
/// Python.
struct Part(Py<PyAny>);

/// Writes what the rows of an event share, for one version of a table.
#[pyclass(frozen, module = "connector.native._native")]
pub struct EventFrame {
    label: Vec<u8>,
    source_head: Part,
    source_tail: Part,
    source_end: Vec<u8>,
    operation: Part,
    end: Vec<u8>,
    /// How many fields stand before the operation in the envelope.
    before: usize,
}

type SourceParts = (Vec<u8>, Py<PyAny>, Py<PyAny>, Vec<u8>);

#[pymethods]
impl EventFrame {
    /// `source` is the label of the source block, what writes its fields before and behind the
    /// number of the row, and what stands behind it; `operation` writes the last fields of the
    /// envelope.
    #[new]
    fn new(source: SourceParts, operation: Py<PyAny>, before: usize, end: Vec<u8>) -> Self {
        let (label, head, tail, source_end) = source;
        let (source_head, source_tail) = (Part(head), Part(tail));
        let operation = Part(operation);
        EventFrame { label, source_head, source_tail, source_end, operation, end, before }
    }

    /// Returns what stands up to the number of a row, and behind it.
    fn __call__<'py>(
        &self,
        op: &Bound<'py, PyString>,
        source: &Bound<'py, PyTuple>,
        now: i64,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        guarded("wrote", || {
            let py = op.py();
            let mut out = Vec::with_capacity(512);
            self.push_head(&mut out, source)?;
            let head = PyBytes::new(py, &out);
            out.clear();
            self.push_tail(&mut out, source)?;
            self.push_ending(&mut out, op, now)?;
            Ok((head, PyBytes::new(py, &out)))
        })
    }
}

impl EventFrame {
    /// Writes the source block up to the number of a row.
    pub fn push_head(&self, out: &mut Vec<u8>, source: &Bound<'_, PyTuple>) -> PyResult<()> {
        out.extend_from_slice(&self.label);
        self.source_head.push(out, source)
    }

    /// Writes the source block behind the number of a row.
    pub fn push_tail(&self, out: &mut Vec<u8>, source: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.source_tail.push(out, source)?;
        out.extend_from_slice(&self.source_end);
        Ok(())
    }

    /// Writes what stands behind the source block.
    pub fn push_ending(
        &self,
        out: &mut Vec<u8>,
        op: &Bound<'_, PyString>,
        now: i64,
    ) -> PyResult<()> {
        self.operation.push(out, &self.ending(op, now)?)?;
        out.extend_from_slice(&self.end);
        Ok(())
    }

    /// Returns the last values of an envelope behind others that are not read.
    fn ending<'py>(&self, op: &Bound<'py, PyString>, now: i64) -> PyResult<Bound<'py, PyTuple>> {
        let py = op.py();
        let mut values = vec![py.None().into_bound(py); self.before];
        values.push(op.clone().into_any());
        for unit in [1_000_000, 1_000, 1] {
            values.push(now.div_euclid(unit).into_pyobject(py)?.into_any());
        }
        PyTuple::new(py, values)
    }
}

impl Part {
    fn push(&self, out: &mut Vec<u8>, values: &Bound<'_, PyTuple>) -> PyResult<()> {
        let part = self.0.bind(values.py());
        let start = out.len();
        if let Ok(writer) = part.cast_exact::<PartWriter>() {
            if writer.get().push(out, values).is_some() {
                return Ok(());
            }
            out.truncate(start);
        }
        let written = part.call1((values,))?;
        out.extend_from_slice(written.cast::<PyBytes>()?.as_bytes());
        Ok(())
    }
}
