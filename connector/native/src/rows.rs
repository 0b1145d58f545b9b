//! The rows of an event: to Python a sequence of pairs, decoded when it is first looked into.

use std::ops::Range;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyIterator, PyList, PyString};

use crate::guard::guarded;
use crate::program::RowProgram;

/// What an event does with its rows.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Create,
    Update,
    Delete,
    Read,
}

impl Kind {
    pub fn of(letter: &str) -> Option<Kind> {
        match letter {
            "c" => Some(Kind::Create),
            "u" => Some(Kind::Update),
            "d" => Some(Kind::Delete),
            "r" => Some(Kind::Read),
            _ => None,
        }
    }

    fn letter(self) -> &'static str {
        match self {
            Kind::Create => "c",
            Kind::Update => "u",
            Kind::Delete => "d",
            Kind::Read => "r",
        }
    }

    pub fn interned(self, py: Python<'_>) -> Bound<'_, PyString> {
        PyString::intern(py, self.letter())
    }

    /// How many images a row has.
    pub fn images(self) -> usize {
        if self == Kind::Update {
            2
        } else {
            1
        }
    }
}

/// A value that was made when the rows were read.
pub enum Eager {
    Null,
    /// Text, from and to an offset of the arena.
    Text(usize, usize),
    /// A value that the core can make again.
    Accepted,
    Object(Py<PyAny>),
}

/// What rows were read from, shared by parts of them.
pub struct Origin {
    pub program: Py<RowProgram>,
    pub data: Py<PyBytes>,
    pub end: usize,
    pub kind: Kind,
    /// Where each image, or packet of a row, starts.
    pub images: Vec<u32>,
    /// The values of each image that were made at once.
    pub eager: Vec<Eager>,
    pub arena: Vec<u8>,
}

impl Origin {
    /// Drops the images from the first on that lacks some of its values.
    pub fn drop_incomplete(&mut self, values: usize) {
        let complete = self.eager.len() / values.max(1);
        if let Some(&start) = self.images.get(complete) {
            self.end = start as usize;
            self.images.truncate(complete);
            self.eager.truncate(complete * values);
        }
    }
}

/// The rows of an event, or some rows of a result set.
#[pyclass(frozen, sequence, module = "connector.native._native")]
pub struct Rows {
    pub origin: Arc<Origin>,
    /// The numbers of the first image and of the one behind the last.
    pub images: Range<usize>,
    decoded: PyOnceLock<Py<PyList>>,
}

impl Rows {
    pub fn new(origin: Origin) -> Rows {
        let images = 0..origin.images.len();
        Rows { origin: Arc::new(origin), images, decoded: PyOnceLock::new() }
    }

    pub fn count(&self) -> usize {
        self.images.len() / self.origin.kind.images()
    }

    /// Returns the rows as Python decodes them.
    fn list<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyList>> {
        let decoded = self.decoded.get_or_try_init(py, || {
            let origin = &self.origin;
            let offset = |image: usize| origin.images.get(image).map_or(origin.end, |&at| at as usize);
            let (start, end) = (offset(self.images.start), offset(self.images.end));
            let decode = &origin.program.get().decode;
            let list = decode.bind(py).call1((origin.kind.letter(), &origin.data, start, end))?;
            Ok::<_, PyErr>(list.cast_into::<PyList>()?.unbind())
        })?;
        Ok(decoded.bind(py))
    }
}

#[pymethods]
impl Rows {
    /// The letter of what the event does: c, u or d.
    #[getter]
    fn kind(&self) -> &'static str {
        self.origin.kind.letter()
    }

    /// Returns the rows between two numbers as rows of the core.
    fn part(&self, start: usize, stop: usize) -> Rows {
        let each = self.origin.kind.images();
        let last = self.images.end;
        let at = |row: usize| row.saturating_mul(each).saturating_add(self.images.start).min(last);
        let images = at(start)..at(stop.max(start));
        Rows { origin: self.origin.clone(), images, decoded: PyOnceLock::new() }
    }

    /// Returns the values of one slot, one for each image, as Python converts them; None where an
    /// image has none. The other columns are not decoded.
    fn values<'py>(&self, py: Python<'py>, slot: usize) -> PyResult<Option<Bound<'py, PyList>>> {
        guarded("read", || {
            let program = self.origin.program.get();
            let data = self.origin.data.bind(py).as_bytes();
            let data = data.get(..self.origin.end).unwrap_or(data);
            let Some(number) = program.column_of.get(slot).copied().flatten() else {
                return Ok(None);
            };
            let values = PyList::empty(py);
            for &start in &self.origin.images[self.images.clone()] {
                let (mut at, mut found) = (0, None);
                program.spans(data, start as usize, |span| {
                    if at == number && !span.is_null {
                        found = Some(span);
                    }
                    at += 1;
                });
                let Some(span) = found else { return Ok(None) };
                values.append(program.columns[number].converted(py, span.bytes(data))?)?;
            }
            Ok(Some(values))
        })
    }

    fn __len__(&self) -> usize {
        self.count()
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.list(key.py())?.as_any().get_item(key)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.list(py)?.as_any().try_iter()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let list = self.list(other.py())?;
        match other.cast::<Rows>() {
            Ok(other) => list.eq(other.get().list(other.py())?),
            Err(_) => list.eq(other),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.list(py)?.repr()?.to_string())
    }
}
