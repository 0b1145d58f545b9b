//! Where the log was read to.

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};

/// Where the log was read to, as Python's `Coordinates` has it.
pub struct Place<'py> {
    pub file: Bound<'py, PyString>,
    pub pos: i64,
    pub gtid: Option<Bound<'py, PyString>>,
    pub has_gtids: bool,
    pub micros: i64,
    pub thread: Option<Bound<'py, PyInt>>,
}

pub type PlaceTuple<'py> = (
    Bound<'py, PyString>,
    i64,
    Option<Bound<'py, PyString>>,
    bool,
    i64,
    Option<Bound<'py, PyInt>>,
);

impl<'py> Place<'py> {
    pub fn new(place: PlaceTuple<'py>) -> Self {
        let (file, pos, gtid, has_gtids, micros, thread) = place;
        Place { file, pos, gtid, has_gtids, micros, thread }
    }

    /// Moves to an event whose head has the last 32 bits of its position.
    pub fn move_to(&mut self, position: u32) {
        let position = i64::from(position);
        if self.pos <= position {
            self.pos = position;
            return;
        }
        let found = self.pos & !0xFFFF_FFFF | position;
        self.pos = if self.pos - found <= 0x8000_0000 { found } else { found + 0x1_0000_0000 };
    }
}
