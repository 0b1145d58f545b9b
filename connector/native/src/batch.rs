//! Writes the messages of many events at once, of any tables.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use crate::frame::EventFrame;
use crate::guard::guarded;
use crate::messages::Messages;
use crate::rows::{Kind, Rows};
use crate::writer::{Around, Buffers, RowWriter};

/// How the rows of one operation and one version of a table are written as events: what writes
/// their bytes and what stands around them; what stands before a row's first image, before its
/// second one and before the source block; the operation; the numbers of at least as many rows as
/// an event has; topic, headers, and those of tombstones, if there are any.
type Whole<'py> = (
    (Bound<'py, RowWriter>, Bound<'py, EventFrame>),
    (Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>, Bound<'py, PyBytes>),
    Bound<'py, PyString>,
    Bound<'py, PyList>,
    Texts<'py>,
);
type Texts<'py> = (Bound<'py, PyString>, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);

/// How the rows are written that a chain of transforms arranges: what writes their columns; the
/// operation; the function that returns what stands before and behind them, topic and headers, from
/// the source block and the time in three units; and whether it returns the same for all events.
type Arranged<'py> = (
    Bound<'py, RowWriter>,
    Bound<'py, PyString>,
    Bound<'py, PyAny>,
    (i64, i64, i64),
    bool,
);
type Bindings<'py> =
    (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyString>, Bound<'py, PyAny>);
type Event<'py> = (usize, Bound<'py, Rows>, Bound<'py, PyTuple>);

#[derive(FromPyObject)]
pub enum Described<'py> {
    Whole(Whole<'py>),
    Arranged(Arranged<'py>),
}

/// Writes the events of a kind.
struct OfKind<'py> {
    kind: Option<Kind>,
    way: Way<'py>,
}

enum Way<'py> {
    /// With what stands behind the source block, and the number of what the messages share.
    Whole(Whole<'py>, Vec<u8>, usize),
    /// With what all events share, and the number of what their messages share.
    Arranged(Arranged<'py>, Option<(Bindings<'py>, usize)>),
}

/// What is written, and memory that is used again.
struct Output {
    messages: Messages,
    buffers: Buffers,
    head: Vec<u8>,
    rest: Vec<u8>,
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
        let messages = Messages::new(Vec::with_capacity(kinds.len()), rows);
        let (buffers, head, rest) = (Buffers::default(), Vec::new(), Vec::new());
        let mut output = Output { messages, buffers, head, rest };
        let mut known = Vec::with_capacity(kinds.len());
        for described in kinds {
            let of_kind = described.map(|described| OfKind::new(described, now, &mut output));
            known.push(of_kind.transpose()?);
        }
        let mut next = start;
        while next < events.len() {
            let (number, rows, source): Event<'py> = events.get_item(next)?.extract()?;
            let Some(Some(of_kind)) = known.get_mut(number) else {
                break;
            };
            let before = output.messages.len();
            match of_kind.push(&rows, &source, &mut output) {
                Ok(true) => next += 1,
                Err(error) if !error.is_instance_of::<PyException>(py) => return Err(error),
                _ => {
                    output.messages.truncate(before);
                    break;
                }
            }
        }
        Ok((output.messages, next))
    })
}

impl<'py> OfKind<'py> {
    fn new(described: Described<'py>, now: i64, output: &mut Output) -> PyResult<OfKind<'py>> {
        let (Described::Whole((_, _, operation, ..)) | Described::Arranged((_, operation, ..))) =
            &described;
        let kind = Kind::of(operation.to_cow()?.as_ref());
        let way = match described {
            Described::Whole(whole) => {
                let ((writer, frame), _, operation, _, (topic, headers, tombstones)) = &whole;
                let mut ending = Vec::new();
                frame.get().push_ending(&mut ending, operation, now)?;
                let shared = writer.get().shared(topic, headers, tombstones);
                let shared = output.messages.add_shared(shared);
                Way::Whole(whole, ending, shared)
            }
            Described::Arranged(arranged) => Way::Arranged(arranged, None),
        };
        Ok(OfKind { kind, way })
    }

    /// Adds the messages of an event; returns false, perhaps behind some, where Python has to
    /// write them.
    fn push(
        &mut self,
        rows: &Bound<'py, Rows>,
        source: &Bound<'py, PyTuple>,
        output: &mut Output,
    ) -> PyResult<bool> {
        if self.kind != Some(rows.get().origin.kind) {
            return Ok(false);
        }
        match &mut self.way {
            Way::Whole(whole, ending, shared) => {
                output.messages.share(*shared);
                push_whole(whole, ending, rows, source, output)
            }
            Way::Arranged(arranged, bound) => {
                push_arranged(arranged, bound, rows, source, output)
            }
        }
    }
}

fn push_whole<'py>(
    whole: &Whole<'py>,
    ending: &[u8],
    rows: &Bound<'py, Rows>,
    source: &Bound<'py, PyTuple>,
    output: &mut Output,
) -> PyResult<bool> {
    let ((writer, frame), (opening, between, before_source), _, numbers, texts) = whole;
    let Output { messages, buffers, head, rest } = output;
    if rows.get().count() > numbers.len() {
        return Ok(false);
    }
    head.clear();
    head.extend_from_slice(before_source.as_bytes());
    frame.get().push_head(head, source)?;
    rest.clear();
    frame.get().push_tail(rest, source)?;
    rest.extend_from_slice(ending);
    let around = Around {
        opening: opening.as_bytes(),
        between: between.as_ref().map(|between| between.as_bytes()),
        head,
        numbers: Some(numbers),
        rest,
    };
    writer.get().push(rows, &around, texts.2.is_some(), buffers, messages)
}

fn push_arranged<'py>(
    arranged: &Arranged<'py>,
    bound: &mut Option<(Bindings<'py>, usize)>,
    rows: &Bound<'py, Rows>,
    source: &Bound<'py, PyTuple>,
    output: &mut Output,
) -> PyResult<bool> {
    let (writer, _, bind, (ms, us, ns), is_constant) = arranged;
    if bound.is_none() || !is_constant {
        let bindings: Bindings<'py> = bind.call1((source, ms, us, ns))?.extract()?;
        let shared = writer.get().shared(&bindings.2, &bindings.3, &None);
        *bound = Some((bindings, output.messages.add_shared(shared)));
    }
    let Some(((opening, rest, ..), shared)) = bound else {
        return Ok(false);
    };
    output.messages.share(*shared);
    let around = Around {
        opening: opening.as_bytes(),
        between: None,
        head: rest.as_bytes(),
        numbers: None,
        rest: b"",
    };
    writer.get().push(rows, &around, false, &mut output.buffers, &mut output.messages)
}
