//! Writes the messages of rows: keys and values from the bytes of images.

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::fields::{DescribedStruct, Image, Struct};
use crate::guard::guarded;
use crate::layout::Span;
use crate::messages::{Messages, Shared};
use crate::program::RowProgram;
use crate::rows::{Kind, Origin, Rows};

/// Writes the messages of one version of a table.
#[pyclass(frozen, module = "connector.native._native")]
pub struct RowWriter {
    key: Option<Struct>,
    value: Struct,
    new_message: Py<PyAny>,
    message_type: Py<PyAny>,
    /// How many fields of the value need no Python: in rows of the log, and of a snapshot.
    covered: [OnceLock<usize>; 2],
}

type Frame<'py> = (
    Bound<'py, PyBytes>,         // before a row's first image
    Option<Bound<'py, PyBytes>>, // between it and the second; an update without has the second alone
    Bound<'py, PyBytes>,         // up to the number of the row
    Option<Bound<'py, PyList>>,  // the numbers of the rows
    Bound<'py, PyBytes>,         // behind it
);

#[pymethods]
impl RowWriter {
    #[new]
    fn new(
        key: Option<DescribedStruct>,
        value: DescribedStruct,
        new_message: Py<PyAny>,
        message_type: Py<PyAny>,
    ) -> Self {
        let key = key.map(Struct::new);
        let (value, covered) = (Struct::new(value), Default::default());
        RowWriter { key, value, new_message, message_type, covered }
    }

    /// How many fields of the value were written without Python, rare values apart: in the first
    /// rows of the log and of a snapshot; None before them.
    #[getter]
    fn native_columns(&self) -> (Option<usize>, Option<usize>) {
        let [stream, snapshot] = &self.covered;
        (stream.get().copied(), snapshot.get().copied())
    }

    /// Returns the messages of rows; None where the key of a row changes.
    ///
    /// `tombstones` are the headers of those that follow deletes, None if there are none.
    fn messages<'py>(
        &self,
        rows: &Bound<'py, Rows>,
        frame: Frame<'py>,
        topic: &Bound<'py, PyString>,
        headers: &Bound<'py, PyAny>,
        tombstones: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Messages>> {
        guarded("wrote", || {
            let (opening, between, head, numbers, rest) = &frame;
            let around = Around {
                opening: opening.as_bytes(),
                between: between.as_ref().map(|between| between.as_bytes()),
                head: head.as_bytes(),
                numbers: numbers.as_ref(),
                rest: rest.as_bytes(),
            };
            let shared = self.shared(topic, headers, &tombstones);
            let mut messages = Messages::new(vec![shared], rows.get().count());
            let with_tombstones = tombstones.is_some();
            let mut buffers = Buffers::default();
            let written =
                self.push(rows, &around, with_tombstones, &mut buffers, &mut messages)?;
            Ok(written.then_some(messages))
        })
    }
}

/// What stands around the images of the rows of an event.
pub struct Around<'a, 'py> {
    pub opening: &'a [u8],
    pub between: Option<&'a [u8]>,
    pub head: &'a [u8],
    pub numbers: Option<&'a Bound<'py, PyList>>,
    pub rest: &'a [u8],
}

/// Memory that is used again for each row.
#[derive(Default)]
pub struct Buffers {
    out: Vec<u8>,
    key: Vec<u8>,
    first: Vec<Span>,
    second: Vec<Span>,
}

impl RowWriter {
    /// Adds the messages of the rows of an event; returns false where the key of a row changes.
    pub fn push(
        &self,
        rows: &Bound<'_, Rows>,
        around: &Around<'_, '_>,
        with_tombstones: bool,
        buffers: &mut Buffers,
        messages: &mut Messages,
    ) -> PyResult<bool> {
        let py = rows.py();
        let (images, rows) = (rows.get().images.clone(), &*rows.get().origin);
        let program = rows.program.get();
        let covered = &self.covered[(rows.kind == Kind::Read) as usize];
        covered.get_or_init(|| self.value.native_fields(program));
        let reader = Reader { rows, program, data: rows.data.as_bytes(py) };
        let with_tombstones = with_tombstones && rows.kind == Kind::Delete;
        let Buffers { out, key, first, second } = buffers;
        for (row, number) in images.step_by(rows.kind.images()).enumerate() {
            out.clear();
            let image = reader.image(number, first)?;
            if rows.kind != Kind::Update || around.between.is_some() {
                self.value.push(py, out, &image)?;
            }
            let middle = out.len();
            let keyed = if rows.kind == Kind::Update {
                let after = reader.image(number + 1, second)?;
                if self.key.as_ref().is_some_and(|key| key.may_differ(&image, &after)) {
                    return Ok(false);
                }
                self.value.push(py, out, &after)?;
                after
            } else {
                image
            };
            let key = self.key_bytes(py, key, &keyed)?;
            let number = match around.numbers {
                Some(numbers) => Some(numbers.get_item(row)?.cast_into::<PyBytes>()?),
                None => None,
            };
            let (before, after) = out.split_at(middle);
            let value = [
                around.opening,
                before,
                around.between.unwrap_or(b""),
                after,
                around.head,
                number.as_ref().map_or(b"", |number| number.as_bytes()),
                around.rest,
            ];
            messages.push(key, &value, with_tombstones);
        }
        Ok(true)
    }

    fn key_bytes<'a>(
        &self,
        py: Python<'_>,
        out: &'a mut Vec<u8>,
        image: &Image<'_>,
    ) -> PyResult<Option<&'a [u8]>> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        out.clear();
        key.push(py, out, image)?;
        Ok(Some(out))
    }

    pub fn shared(
        &self,
        topic: &Bound<'_, PyString>,
        headers: &Bound<'_, PyAny>,
        tombstone_headers: &Option<Bound<'_, PyAny>>,
    ) -> Shared {
        let py = topic.py();
        Shared {
            topic: topic.clone().unbind(),
            headers: headers.clone().unbind(),
            tombstone_headers: tombstone_headers.clone().map(Bound::unbind),
            new_message: self.new_message.clone_ref(py),
            message_type: self.message_type.clone_ref(py),
        }
    }
}

/// Finds the columns of the images of some rows.
struct Reader<'a> {
    rows: &'a Origin,
    program: &'a RowProgram,
    data: &'a [u8],
}

impl<'a> Reader<'a> {
    fn image<'s>(&self, number: usize, found: &'s mut Vec<Span>) -> PyResult<Image<'s>>
    where
        'a: 's,
    {
        found.clear();
        let (rows, program) = (self.rows, self.program);
        let start = rows.images[number] as usize;
        let data = &self.data[..rows.end];
        program.spans(data, start, |span| found.push(span));
        let eager = &rows.eager[number * program.eager..(number + 1) * program.eager];
        Ok(Image { program, data, spans: found, eager, arena: &rows.arena })
    }
}
