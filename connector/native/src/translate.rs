//! Translates whole transactions to changes of rows, as Python's `Translator` does.

use std::collections::HashMap;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::changes::{Captured, Changes, Table};
use crate::guard::guarded;
use crate::place::{Place, PlaceTuple};
use crate::program::RowProgram;
use crate::rows::{Kind, Rows};
use crate::transaction::{RowsEvent, Transaction};

/// Later times have more than 63 bits as nanoseconds.
const LAST_MICROS: u64 = i64::MAX as u64 / 1000;

/// Translates transactions whose tables it has learned from Python.
#[pyclass(module = "connector.native._native")]
pub struct TransactionTranslator {
    /// The first fields of source blocks.
    version: Py<PyAny>,
    connector: Py<PyAny>,
    name: Py<PyAny>,
    /// Whether the times of changes are those of events, and not of the transaction's id.
    reads_clock: bool,
    /// The letters of operations that are left out.
    skipped: String,
    /// Tables by the addresses of their descriptions.
    tables: HashMap<usize, Table>,
}

type TableNames = (Py<PyAny>, Py<PyAny>, Py<PyAny>);

#[pymethods]
impl TransactionTranslator {
    #[new]
    fn new(constants: TableNames, reads_clock: bool, skipped: String) -> Self {
        let ((version, connector, name), tables) = (constants, HashMap::new());
        TransactionTranslator { version, connector, name, reads_clock, skipped, tables }
    }

    /// Learns how a table's rows are read, or that they are left out.
    ///
    /// `captured` are the codec, the database and the name of the table.
    #[pyo3(signature = (described, captured = None, present = None, program = None))]
    fn learn(
        &mut self,
        described: Py<PyAny>,
        captured: Option<TableNames>,
        present: Option<Vec<u8>>,
        program: Option<Py<RowProgram>>,
    ) {
        let address = described.as_ptr() as usize;
        let table = self.tables.entry(address).or_insert_with(|| {
            let programs = Vec::new();
            let captured = captured.map(|(codec, database, name)| Captured {
                codec,
                database,
                name,
                programs,
            });
            Table::new(described, captured)
        });
        if let (Some(table), Some(present), Some(program)) =
            (&mut table.captured, present, program)
        {
            table.programs.push((present, program));
        }
    }

    /// Forgets all tables.
    fn forget(&mut self) {
        self.tables.clear();
    }

    /// Translates transactions from a number on, up to one that Python has to see.
    ///
    /// Returns the number of the next one; batches of changes; how many events it left out; and
    /// the state behind the last transaction.
    fn translate<'py>(
        &self,
        transactions: &Bound<'py, PyList>,
        start: usize,
        place: PlaceTuple<'py>,
    ) -> PyResult<(usize, Bound<'py, PyList>, usize, Bound<'py, PyTuple>)> {
        guarded("translated", || {
            let py = transactions.py();
            let mut place = Place::new(place);
            let mut changes = Changes::new(py);
            let (mut next, mut state) = (start, py.None().into_bound(py));
            while next < transactions.len() && !changes.are_enough() {
                let item = transactions.get_item(next)?;
                let Ok(found) = item.cast_exact::<Transaction>() else {
                    break;
                };
                let Some(rows) = self.read(py, found.get())? else {
                    break;
                };
                state = self.add(py, found.get(), rows, &mut place, &mut changes)?;
                next += 1;
            }
            let batches = PyList::empty(py);
            for batch in changes.batches {
                batches.append(batch.into_tuple()?)?;
            }
            let state = (state, changes.gtids, changes.last_row).into_pyobject(py)?;
            Ok((next, batches, changes.filtered, state))
        })
    }
}

/// A rows event of a captured table.
type Read<'a> = Option<(&'a Captured, Rows)>;

impl TransactionTranslator {
    /// Reads the rows of a transaction; None where Python has to see one of its events.
    fn read(&self, py: Python<'_>, found: &Transaction) -> PyResult<Option<Vec<Read<'_>>>> {
        if found.commit_micros > LAST_MICROS {
            return Ok(None);
        }
        let mut read = Vec::with_capacity(found.rows.len());
        for event in &found.rows {
            if self.skipped.contains(event.kind) {
                read.push(None);
                continue;
            }
            match self.read_event(py, found, event) {
                Ok(Some(rows)) => read.push(rows),
                Ok(None) => return Ok(None),
                Err(error) if error.is_instance_of::<PyException>(py) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(read))
    }

    /// Reads the rows of an event; `Some(None)` where they are left out.
    fn read_event(
        &self,
        py: Python<'_>,
        found: &Transaction,
        event: &RowsEvent,
    ) -> PyResult<Option<Read<'_>>> {
        let Some(table) = self.tables.get(&(event.table.as_ptr() as usize)) else {
            return Ok(None);
        };
        let Some(captured) = &table.captured else {
            return Ok(Some(None));
        };
        let data = found.data.bind(py);
        let present = &data.as_bytes()[event.present.clone()];
        let program = captured.programs.iter().find(|(known, _)| known == present);
        let (Some((_, program)), Some(kind)) = (program, Kind::of(event.kind)) else {
            return Ok(None);
        };
        if kind == Kind::Update && present != &data.as_bytes()[event.present_after.clone()] {
            return Ok(None);
        }
        let images = event.images.clone();
        let rows = RowProgram::read(program.bind(py), data, images.start, images.end, kind)?;
        Ok(rows.map(|rows| Some((captured, rows))))
    }

    /// Adds the changes of a transaction; returns the state behind it.
    fn add<'a, 'py>(
        &'a self,
        py: Python<'py>,
        found: &Transaction,
        read: Vec<Read<'a>>,
        place: &mut Place<'py>,
        changes: &mut Changes<'a, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (timestamp, server, first, _) = found.opening;
        place.move_to(first);
        let base = place.pos - i64::from(first); // the positions of events have 32 bits
        if !found.gtid.is_empty() {
            if !self.reads_clock {
                place.micros = match found.commit_micros {
                    0 => i64::from(timestamp) * 1_000_000,
                    micros => micros as i64,
                };
            }
            if place.has_gtids {
                let gtid = PyString::new(py, &found.gtid);
                changes.gtids.append(&gtid)?;
                place.gtid = Some(gtid);
            }
        }
        if !found.begins && (self.reads_clock || place.micros == 0) {
            place.micros = i64::from(timestamp) * 1_000_000;
        }
        if let Some(thread) = found.thread {
            place.thread = Some(thread.into_pyobject(py)?);
        }
        for (event, rows) in found.rows.iter().zip(read) {
            place.pos = base + i64::from(event.head.2);
            if self.reads_clock {
                place.micros = i64::from(event.clock) * 1_000_000;
            }
            let Some((table, rows)) = rows else {
                changes.filtered += usize::from(!self.skipped.contains(event.kind));
                continue;
            };
            let count = rows.count();
            changes.last_row = Some(count.saturating_sub(1));
            if count > 0 {
                changes.add(table, rows, self.source(py, table, server, place)?)?;
            }
        }
        if self.reads_clock {
            place.micros = i64::from(found.before_commit) * 1_000_000;
        }
        let (timestamp, server, position, size) = found.commit;
        place.pos = base + i64::from(position);
        let committed_ms = place.micros.div_euclid(1000);
        if self.reads_clock {
            place.micros = i64::from(timestamp) * 1_000_000;
        }
        let last_thread = place.thread.take();
        let state = (server, place.pos, size, &place.gtid, place.micros, committed_ms, last_thread);
        Ok(state.into_pyobject(py)?.into_any())
    }

    /// Builds a source block.
    fn source<'py>(
        &self,
        py: Python<'py>,
        table: &Captured,
        server: u32,
        place: &Place<'py>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let none = || py.None().into_bound(py);
        let number = |value: i64| value.into_pyobject(py).map(Bound::into_any);
        PyTuple::new(
            py,
            [
                self.version.bind(py).clone(),
                self.connector.bind(py).clone(),
                self.name.bind(py).clone(),
                number(place.micros.div_euclid(1000))?,
                none(), // snapshot
                table.database.bind(py).clone(),
                none(), // sequence
                number(place.micros)?,
                number(place.micros * 1000)?,
                table.name.bind(py).clone(),
                number(i64::from(server))?,
                place.gtid.clone().map_or_else(none, Bound::into_any),
                place.file.clone().into_any(),
                number(place.pos)?,
                number(0)?, // row
                place.thread.clone().map_or_else(none, Bound::into_any),
                none(), // query
            ],
        )
    }
}
