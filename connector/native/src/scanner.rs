//! Finds whole transactions in the packets of a dump connection, which Python handles at once.

use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use crate::group::{changed, commits, first, session_of_begin, Changed, First, TABLE_MAP};
use crate::guard::guarded;
use crate::packets::{little, Event};

/// More events than these cost more than to handle them one by one.
const MOST_EVENTS: u32 = 100;

/// Finds the transactions that consist of rows of known tables, and of nothing else.
#[pyclass(frozen, module = "connector.native._native")]
pub struct TransactionScanner {
    /// The bodies of TABLE_MAP events that Python has read: to the table's number and description.
    known: Py<PyDict>,
    /// The tables of the connection by number, which Python uses for all other rows.
    tables: Py<PyDict>,
    rows_type: Py<PyAny>,
    new: Py<PyAny>,
    transaction_type: Py<PyAny>,
    /// What a transaction keeps for Python to read its events one by one.
    parser: Py<PyAny>,
}

/// A transaction of which all events were found.
struct Found<'py> {
    first: First,
    opening: Event,
    begin: Event,
    thread: Option<u32>,
    tables: Vec<(u64, Bound<'py, PyTuple>)>,
    rows: Vec<RowsEvent>,
    /// The time of the event before the last one.
    before_commit: u32,
    commit: Event,
}

/// A rows event of a transaction.
struct RowsEvent {
    /// How many events of the transaction come before it.
    done: u32,
    /// The time of the event before it.
    clock: u32,
    event: Event,
    changed: Changed,
    /// The number of its table among those of the transaction.
    table: usize,
}

#[pymethods]
impl TransactionScanner {
    #[new]
    fn new(
        known: Py<PyDict>,
        tables: Py<PyDict>,
        rows_type: Py<PyAny>,
        new: Py<PyAny>,
        transaction_type: Py<PyAny>,
        parser: Py<PyAny>,
    ) -> Self {
        TransactionScanner { known, tables, rows_type, new, transaction_type, parser }
    }

    /// Returns the transactions from a packet on, and the offset behind the last one.
    fn scan<'py>(
        &self,
        data: &Bound<'py, PyBytes>,
        start: usize,
        trailer: usize,
    ) -> PyResult<(Bound<'py, PyList>, usize)> {
        guarded("found", || {
            let found = PyList::empty(data.py());
            let mut at = start;
            while let Some(transaction) = self.find(data, at, trailer) {
                let packets = (data, at, transaction.commit.next, trailer);
                at = transaction.commit.next;
                found.append(self.object(packets, transaction)?)?;
            }
            Ok((found, at))
        })
    }
}

impl TransactionScanner {
    /// Finds the transaction at an offset; None where Python has to see its events.
    fn find<'py>(
        &self,
        packets: &Bound<'py, PyBytes>,
        start: usize,
        trailer: usize,
    ) -> Option<Found<'py>> {
        let data = packets.as_bytes();
        let opening = Event::at(data, start, trailer)?;
        let first = first(data, &opening)?;
        let (mut begin, mut thread) = (opening, None);
        if !first.begins {
            begin = following(data, &opening, trailer)?;
            thread = Some(session_of_begin(data, &begin)?);
        }
        let (mut tables, mut rows) = (Vec::new(), Vec::new());
        let mut last = begin;
        for done in 1..MOST_EVENTS {
            let event = following(data, &last, trailer)?;
            let clock = last.timestamp;
            if commits(data, &event) {
                let (before_commit, commit) = (clock, event);
                return Some(Found {
                    first,
                    opening,
                    begin,
                    thread,
                    tables,
                    rows,
                    before_commit,
                    commit,
                });
            }
            if event.kind == TABLE_MAP {
                let number = little(event.body(data).get(..6)?);
                tables.push((number, self.known_table(packets.py(), event.body(data))?));
            } else {
                let changed = changed(data, &event)?;
                let table = tables.iter().rposition(|(number, _)| *number == changed.table)?;
                rows.push(RowsEvent { done, clock, event, changed, table });
            }
            last = event;
        }
        None
    }

    /// Returns the number and the description of a table, if Python has read them.
    fn known_table<'py>(&self, py: Python<'py>, body: &[u8]) -> Option<Bound<'py, PyTuple>> {
        let known = self.known.bind(py).get_item(PyBytes::new(py, body)).ok()??;
        known.cast_into().ok()
    }

    /// Builds what Python gets.
    fn object<'py>(
        &self,
        packets: (&Bound<'py, PyBytes>, usize, usize, usize),
        found: Found<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = packets.0.py();
        for (_, table) in &found.tables {
            self.tables.bind(py).set_item(table.get_item(0)?, table.get_item(1)?)?;
        }
        let changes = PyList::empty(py);
        for rows in &found.rows {
            let event = self.rows(packets.0, rows, &found.tables[rows.table].1)?;
            changes.append((rows.done, rows.clock, event))?;
        }
        let fields = (
            header(&found.opening),
            found.first.gtid,
            found.first.commit_micros,
            found.first.begins,
            found.thread,
            header(&found.begin),
            changes,
            found.before_commit,
            header(&found.commit),
            packets,
            &self.parser,
        );
        self.new.bind(py).call1((&self.transaction_type, fields))
    }

    /// Builds a rows event.
    fn rows<'py>(
        &self,
        packets: &Bound<'py, PyBytes>,
        rows: &RowsEvent,
        table: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, changed) = (packets.py(), &rows.changed);
        let part =
            |range: &Range<usize>| PyBytes::new(py, &packets.as_bytes()[range.start..range.end]);
        let images = (packets, changed.images.start, changed.images.end);
        let columns = (part(&changed.present), part(&changed.present_after));
        let kind = PyString::intern(py, changed.kind);
        let fields = (header(&rows.event), kind, table.get_item(1)?, images, columns);
        self.rows_type.bind(py).call1(fields)
    }
}

/// Returns the event behind another one of the same transaction.
fn following(data: &[u8], last: &Event, trailer: usize) -> Option<Event> {
    let event = Event::at(data, last.next, trailer)?;
    (event.server == last.server && event.position >= last.position).then_some(event)
}

/// Returns what events of Python have of the head: time, server, position and size.
fn header(event: &Event) -> (u32, u32, u32, u32) {
    (event.timestamp, event.server, event.position, event.size)
}
