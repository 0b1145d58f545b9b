//! The changes of rows to which transactions lead.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::program::RowProgram;
use crate::rows::{Kind, Rows};

/// A table of which the translator knows how its rows are read.
pub struct Table {
    /// The description: its address stays as long as it is held.
    _described: Py<PyAny>,
    /// None if its rows are left out.
    pub captured: Option<Captured>,
}

pub struct Captured {
    pub codec: Py<PyAny>,
    pub database: Py<PyAny>,
    pub name: Py<PyAny>,
    /// The programs by the bitmaps of the columns that are in the images.
    pub programs: Vec<(Vec<u8>, Py<RowProgram>)>,
}

impl Table {
    pub fn new(described: Py<PyAny>, captured: Option<Captured>) -> Table {
        Table { _described: described, captured }
    }
}

/// How many rows are enough to be handled at once: their messages are in memory together.
const ENOUGH_ROWS: usize = 512;

/// What the transactions lead to.
pub struct Changes<'a, 'py> {
    pub batches: Vec<Batch<'a, 'py>>,
    pub filtered: usize,
    pub gtids: Bound<'py, PyList>,
    /// The number of the last row in its event; None without rows of captured tables.
    pub last_row: Option<usize>,
}

/// Changes that are handled at once.
pub struct Batch<'a, 'py> {
    pub kinds: Vec<RowsOfKind<'a>>,
    pub events: Bound<'py, PyList>,
    rows: usize,
}

/// The rows of one operation and one version of a table.
pub struct RowsOfKind<'a> {
    pub table: &'a Captured,
    pub kind: Kind,
    pub count: usize,
    /// The most that one event has.
    pub longest: usize,
}

impl<'a, 'py> Changes<'a, 'py> {
    pub fn new(py: Python<'py>) -> Self {
        let gtids = PyList::empty(py);
        Changes { batches: Vec::new(), filtered: 0, gtids, last_row: None }
    }

    /// Whether there are enough changes for now.
    pub fn are_enough(&self) -> bool {
        self.batches.len() > 1 || self.batches.last().is_some_and(Batch::is_full)
    }

    /// Adds the rows of an event to the last batch, or to a new one: many rows are alone.
    pub fn add(
        &mut self,
        table: &'a Captured,
        rows: Rows,
        source: Bound<'py, PyTuple>,
    ) -> PyResult<()> {
        let py = source.py();
        let has_many = rows.count() > ENOUGH_ROWS;
        if self.batches.last().is_none_or(|last| has_many || last.is_full()) {
            let (kinds, events) = (Vec::new(), PyList::empty(py));
            self.batches.push(Batch { kinds, events, rows: 0 });
        }
        match self.batches.last_mut() {
            Some(last) => last.add(table, rows, source),
            None => Ok(()),
        }
    }
}

impl<'a, 'py> Batch<'a, 'py> {
    fn is_full(&self) -> bool {
        self.rows >= ENOUGH_ROWS
    }

    fn add(
        &mut self,
        table: &'a Captured,
        rows: Rows,
        source: Bound<'py, PyTuple>,
    ) -> PyResult<()> {
        let (kind, count) = (rows.origin.kind, rows.count());
        self.rows += count;
        let is_same = |known: &RowsOfKind<'a>| std::ptr::eq(known.table, table) && known.kind == kind;
        let number = self.kinds.iter().position(is_same).unwrap_or_else(|| {
            self.kinds.push(RowsOfKind { table, kind, count: 0, longest: 0 });
            self.kinds.len() - 1
        });
        let known = &mut self.kinds[number];
        known.count += count;
        known.longest = known.longest.max(count);
        self.events.append((number, rows, source))
    }

    /// Returns codec, operation, number of rows and most rows of an event, by kinds of changes; and
    /// for each event its kind, rows and source block.
    pub fn into_tuple(self) -> PyResult<Bound<'py, PyTuple>> {
        let py = self.events.py();
        let kinds = PyList::empty(py);
        for RowsOfKind { table, kind, count, longest } in self.kinds {
            kinds.append((&table.codec, kind.interned(py), count, longest))?;
        }
        (kinds, self.events).into_pyobject(py)
    }
}
