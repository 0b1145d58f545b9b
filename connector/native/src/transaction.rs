//! A whole transaction of the log, with what its events say.

use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use crate::packets::Event;

/// What events of Python have of the head: time, server, position and size.
pub type Head = (u32, u32, u32, u32);

/// A transaction that consists of rows of known tables, and of nothing else.
#[pyclass(frozen, module = "connector.native._native")]
pub struct Transaction {
    /// Empty where the server assigns none.
    pub gtid: String,
    pub commit_micros: u64,
    /// Whether the event of the id is the BEGIN.
    pub begins: bool,
    /// The session, if the BEGIN says it.
    pub thread: Option<u32>,
    /// The first event, the BEGIN and the last event.
    pub opening: Head,
    pub begin: Head,
    pub commit: Head,
    /// The time of the event before the last one.
    pub before_commit: u32,
    pub rows: Vec<RowsEvent>,
    pub data: Py<PyBytes>,
    /// Its packets in the data, and the size of a checksum.
    pub packets: Range<usize>,
    pub trailer: usize,
    pub rows_type: Py<PyAny>,
    pub parser: Py<PyAny>,
}

/// A rows event of a transaction.
pub struct RowsEvent {
    /// How many events of the transaction come before it.
    pub done: u32,
    /// The time of the event before it.
    pub clock: u32,
    pub head: Head,
    pub kind: &'static str,
    /// The description of its table.
    pub table: Py<PyAny>,
    /// The offsets of its images, and the bitmaps of the columns in them.
    pub images: Range<usize>,
    pub present: Range<usize>,
    pub present_after: Range<usize>,
}

#[pymethods]
impl Transaction {
    /// The head of the first event.
    #[getter]
    fn header(&self) -> Head {
        self.opening
    }

    /// The length of all its packets in bytes.
    #[getter]
    fn size(&self) -> usize {
        self.packets.len()
    }

    /// The data, the offsets of its packets in them, and the size of a checksum.
    #[getter]
    fn packets<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>, usize, usize, usize) {
        let data = self.data.bind(py).clone();
        (data, self.packets.start, self.packets.end, self.trailer)
    }

    #[getter]
    fn parser(&self, py: Python<'_>) -> Py<PyAny> {
        self.parser.clone_ref(py)
    }

    /// Returns what its events say, as Python's `TransactionEvents` has it.
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let changes = PyList::empty(py);
        for rows in &self.rows {
            changes.append((rows.done, rows.clock, self.rows_event(py, rows)?))?;
        }
        (
            self.opening,
            &self.gtid,
            self.commit_micros,
            self.begins,
            self.thread,
            self.begin,
            changes,
            self.before_commit,
            self.commit,
        )
            .into_pyobject(py)
    }
}

impl Transaction {
    fn rows_event<'py>(&self, py: Python<'py>, rows: &RowsEvent) -> PyResult<Bound<'py, PyAny>> {
        let data = self.data.bind(py);
        let part = |range: &Range<usize>| PyBytes::new(py, &data.as_bytes()[range.clone()]);
        let images = (data, rows.images.start, rows.images.end);
        let columns = (part(&rows.present), part(&rows.present_after));
        let kind = PyString::intern(py, rows.kind);
        self.rows_type.bind(py).call1((rows.head, kind, &rows.table, images, columns))
    }
}

pub fn head_of(event: &Event) -> Head {
    (event.timestamp, event.server, event.position, event.size)
}
