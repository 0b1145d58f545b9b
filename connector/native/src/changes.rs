//! The changes of rows to which transactions lead.

use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::program::RowProgram;
use crate::rows::Kind;

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

/// What the transactions lead to.
pub struct Changes<'a, 'py> {
    pub kinds: Vec<RowsOfKind<'a>>,
    pub events: Bound<'py, PyList>,
    pub filtered: usize,
    pub gtids: Bound<'py, PyList>,
    pub rows: usize,
    /// The number of the last row in its event; None without rows of captured tables.
    pub last_row: Option<usize>,
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
        let (events, gtids) = (PyList::empty(py), PyList::empty(py));
        Changes { kinds: Vec::new(), events, filtered: 0, gtids, rows: 0, last_row: None }
    }

    /// Returns the number of a kind of changes, to which an event with so many rows is added.
    pub fn number_of(&mut self, table: &'a Captured, kind: Kind, count: usize) -> usize {
        self.rows += count;
        let is_same = |known: &RowsOfKind<'a>| std::ptr::eq(known.table, table) && known.kind == kind;
        let number = self.kinds.iter().position(is_same).unwrap_or_else(|| {
            self.kinds.push(RowsOfKind { table, kind, count: 0, longest: 0 });
            self.kinds.len() - 1
        });
        let known = &mut self.kinds[number];
        known.count += count;
        known.longest = known.longest.max(count);
        number
    }
}
