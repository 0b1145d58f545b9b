//! Finds whole transactions in the packets of a dump connection, which Python handles at once.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::group::{
    changed, commits, first, session_of_begin, Changed, First, ROWS_QUERY, TABLE_MAP,
};
use crate::guard::guarded;
use crate::packets::{little, missing_end, Event};
use crate::transaction::{head_of, RowsEvent, Transaction};

/// More tables in one transaction are left to Python: each event looks for its own among them.
const MOST_TABLES: usize = 100;

/// A transaction that is cut off is awaited up to this size: eight reads.
const MOST_AWAITED: usize = 1 << 19;

/// A transaction, or the offset up to which data are missing.
type Found = Result<Transaction, usize>;

/// Finds the transactions that consist of rows of known tables, and of nothing else.
#[pyclass(frozen, module = "connector.native._native")]
pub struct TransactionScanner {
    /// The bodies of TABLE_MAP events that Python has read: to the table's number and description.
    known: Py<PyDict>,
    /// The tables of the connection by number, which Python uses for all other rows.
    tables: Py<PyDict>,
    rows_type: Py<PyAny>,
    /// What a transaction keeps for Python to read its events one by one.
    parser: Py<PyAny>,
    /// Whether Python needs the texts of statements.
    reads_queries: bool,
}

#[pymethods]
impl TransactionScanner {
    #[new]
    fn new(
        known: Py<PyDict>,
        tables: Py<PyDict>,
        rows_type: Py<PyAny>,
        parser: Py<PyAny>,
        reads_queries: bool,
    ) -> Self {
        TransactionScanner { known, tables, rows_type, parser, reads_queries }
    }

    /// Returns the transactions from a packet on, the offset behind the last one, and how many
    /// bytes from there the next one needs at least, if the data end within it.
    fn scan<'py>(
        &self,
        data: &Bound<'py, PyBytes>,
        start: usize,
        trailer: usize,
    ) -> PyResult<(Bound<'py, PyList>, usize, usize)> {
        guarded("found", || {
            let found = PyList::empty(data.py());
            let mut at = start;
            loop {
                let missing = match self.find(data, at, trailer) {
                    Some(Ok(transaction)) => {
                        at = transaction.packets.end;
                        found.append(Py::new(data.py(), transaction)?)?;
                        continue;
                    }
                    Some(Err(end)) if end - at <= MOST_AWAITED => end - at,
                    _ => 0,
                };
                return Ok((found, at, missing));
            }
        })
    }
}

impl TransactionScanner {
    /// Finds the transaction at an offset; None where Python has to see its events.
    fn find(
        &self,
        packets: &Bound<'_, PyBytes>,
        start: usize,
        trailer: usize,
    ) -> Option<Found> {
        let (py, data) = (packets.py(), packets.as_bytes());
        let opening = Event::at(data, start, trailer)?;
        let First { gtid, commit_micros, begins } = first(data, &opening)?;
        let (mut begin, mut thread) = (opening, None);
        if !begins {
            begin = match following(data, &opening, trailer)? {
                Ok(event) => event,
                Err(end) => return Some(Err(end)),
            };
            thread = Some(session_of_begin(data, &begin)?);
        }
        let (mut tables, mut rows) = (Tables::default(), Vec::new());
        let mut last = begin;
        for done in 1.. {
            let event = match following(data, &last, trailer)? {
                Ok(event) => event,
                Err(end) => return Some(Err(end)),
            };
            let clock = last.timestamp;
            if commits(data, &event) {
                self.note(tables, py).ok()?;
                return Some(Ok(Transaction {
                    gtid,
                    commit_micros,
                    begins,
                    thread,
                    opening: head_of(&opening),
                    begin: head_of(&begin),
                    commit: head_of(&event),
                    before_commit: clock,
                    rows,
                    data: packets.clone().unbind(),
                    packets: start..event.next,
                    trailer,
                    rows_type: self.rows_type.clone_ref(py),
                    parser: self.parser.clone_ref(py),
                }));
            }
            if event.kind == TABLE_MAP {
                let body = event.body(data);
                let number = little(body.get(..6)?);
                if !tables.have(number, body) {
                    tables.put(number, body, self.known_table(py, body)?)?;
                }
            } else if event.kind != ROWS_QUERY || self.reads_queries {
                let Changed { kind, table, images, present, present_after } =
                    changed(data, &event)?;
                let known = tables.get(table)?;
                let (table, head) = (known.get_item(1).ok()?.unbind(), head_of(&event));
                rows.push(RowsEvent {
                    done,
                    clock,
                    head,
                    kind,
                    table,
                    images,
                    present,
                    present_after,
                });
            }
            last = event;
        }
        None
    }

    /// Lets Python find the tables of a transaction by their numbers.
    fn note(&self, tables: Tables<'_, '_>, py: Python<'_>) -> PyResult<()> {
        for (.., table) in tables.0 {
            self.tables.bind(py).set_item(table.get_item(0)?, table.get_item(1)?)?;
        }
        Ok(())
    }

    /// Returns the number and the description of a table, if Python has read them.
    fn known_table<'py>(&self, py: Python<'py>, body: &[u8]) -> Option<Bound<'py, PyTuple>> {
        let known = self.known.bind(py).get_item(PyBytes::new(py, body)).ok()??;
        known.cast_into().ok()
    }
}

/// The tables of a transaction: number, body of the last event that describes it, and description.
///
/// Each statement describes its tables again.
#[derive(Default)]
struct Tables<'a, 'py>(Vec<(u64, &'a [u8], Bound<'py, PyTuple>)>);

impl<'a, 'py> Tables<'a, 'py> {
    fn have(&self, number: u64, body: &[u8]) -> bool {
        self.0.iter().any(|(known, same, _)| *known == number && *same == body)
    }

    /// Adds a table, perhaps in place of its last description; None if there are too many.
    fn put(&mut self, number: u64, body: &'a [u8], table: Bound<'py, PyTuple>) -> Option<()> {
        self.0.retain(|(known, ..)| *known != number);
        self.0.push((number, body, table));
        (self.0.len() <= MOST_TABLES).then_some(())
    }

    fn get(&self, number: u64) -> Option<&Bound<'py, PyTuple>> {
        self.0.iter().find(|(known, ..)| *known == number).map(|(.., table)| table)
    }
}

/// Returns the event behind another one of the same transaction, or the offset up to which data are
/// missing; None where it is in any way special.
fn following(data: &[u8], last: &Event, trailer: usize) -> Option<Result<Event, usize>> {
    if let Some(end) = missing_end(data, last.next) {
        return Some(Err(end));
    }
    let event = Event::at(data, last.next, trailer)?;
    (event.server == last.server && event.position >= last.position).then_some(Ok(event))
}
