//! Writes the messages of many events at once, of any tables.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use crate::frame::EventFrame;
use crate::guard::guarded;
use crate::messages::{Messages, Shared};
use crate::rows::{Kind, Rows};
use crate::writer::{Around, Buffers, RowWriter};

/// How the rows of one operation and one version of a table are written: what writes their bytes
/// and what stands around them; what stands before a row's first image, before its second one and
/// before the source block; the operation; the numbers of at least as many rows as an event has;
/// topic, headers, and those of tombstones, if there are any.
type Described<'py> = (
    (Bound<'py, RowWriter>, Bound<'py, EventFrame>),
    (Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>, Bound<'py, PyBytes>),
    Bound<'py, PyString>,
    Bound<'py, PyList>,
    (Bound<'py, PyString>, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>),
);
type Event<'py> = (usize, Bound<'py, Rows>, Bound<'py, PyTuple>);

/// What the events of a kind have in common.
struct OfKind<'py> {
    described: Described<'py>,
    kind: Kind,
    ending: Vec<u8>,
}

/// Returns the messages of events from a number on, and the number of the first event that is
/// left to Python: one of a kind that is None, one whose key changes, or one that fails.
///
/// An event is the number of its kind, its rows and its source block; `rows` are those of all.
#[pyfunction]
pub fn write_batch<'py>(
    py: Python<'py>,
    kinds: Vec<Option<Described<'py>>>,
    events: &Bound<'py, PyList>,
    start: usize,
    rows: usize,
    now: i64,
) -> PyResult<(Messages, usize)> {
    guarded("wrote", || {
        let mut shared = Vec::with_capacity(kinds.len());
        let mut known = Vec::with_capacity(kinds.len());
        for described in kinds {
            known.push(match described {
                Some(described) => {
                    shared.push(shared_of(&described));
                    Some((shared.len() - 1, OfKind::new(described, now)?))
                }
                None => None,
            });
        }
        let mut messages = Messages::new(shared, rows);
        let (mut buffers, mut head, mut rest) = (Buffers::default(), Vec::new(), Vec::new());
        let mut next = start;
        while next < events.len() {
            let (number, rows, source): Event<'py> = events.get_item(next)?.extract()?;
            let Some(Some((shared, of_kind))) = known.get(number) else {
                break;
            };
            let before = messages.len();
            messages.share(*shared);
            let written =
                of_kind.push(&rows, &source, &mut buffers, &mut head, &mut rest, &mut messages);
            match written {
                Ok(true) => next += 1,
                Err(error) if !error.is_instance_of::<PyException>(py) => return Err(error),
                _ => {
                    messages.truncate(before);
                    break;
                }
            }
        }
        Ok((messages, next))
    })
}

fn shared_of(described: &Described<'_>) -> Shared {
    let ((writer, _), _, _, _, (topic, headers, tombstones)) = described;
    writer.get().shared(topic, headers, tombstones)
}

impl<'py> OfKind<'py> {
    fn new(described: Described<'py>, now: i64) -> PyResult<OfKind<'py>> {
        let ((_, frame), _, operation, ..) = &described;
        let mut ending = Vec::new();
        frame.get().push_ending(&mut ending, operation, now)?;
        let kind = Kind::of(operation.to_cow()?.as_ref()).unwrap_or(Kind::Create);
        Ok(OfKind { described, kind, ending })
    }

    /// Adds the messages of an event; returns false, perhaps behind some, where Python has to
    /// write them.
    fn push(
        &self,
        rows: &Bound<'py, Rows>,
        source: &Bound<'py, PyTuple>,
        buffers: &mut Buffers,
        head: &mut Vec<u8>,
        rest: &mut Vec<u8>,
        messages: &mut Messages,
    ) -> PyResult<bool> {
        let ((writer, frame), (opening, between, before_source), _, numbers, texts) =
            &self.described;
        if rows.get().origin.kind != self.kind || rows.get().count() > numbers.len() {
            return Ok(false);
        }
        head.clear();
        head.extend_from_slice(before_source.as_bytes());
        frame.get().push_head(head, source)?;
        rest.clear();
        frame.get().push_tail(rest, source)?;
        rest.extend_from_slice(&self.ending);
        let around = Around {
            opening: opening.as_bytes(),
            between: between.as_ref().map(|between| between.as_bytes()),
            head,
            numbers: Some(numbers),
            rest,
        };
        writer.get().push(rows, &around, texts.2.is_some(), buffers, messages)
    }
}
