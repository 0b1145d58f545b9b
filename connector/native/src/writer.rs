//! Writes the messages of rows: keys and values from the bytes of images.

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::decode::Decode;
use crate::guard::guarded;
use crate::layout::Span;
use crate::messages::{Messages, Shared};
use crate::program::RowProgram;
use crate::rows::{Eager, Kind, Origin, Rows};
use crate::write::Write;

/// A field of a key or value.
struct Field {
    label: Vec<u8>,
    write: Write,
    slot: usize,
    /// Python's writing of a value, with its label.
    part: Py<PyAny>,
    absent: Text,
    unavailable: Text,
}

/// A value that many rows have; written when it is first met.
struct Text {
    value: Py<PyAny>,
    written: PyOnceLock<Vec<u8>>,
}

/// A key or the state of a row, with what stands around the fields.
struct Struct {
    opening: Vec<u8>,
    fields: Vec<Field>,
    closing: Vec<u8>,
}

/// An image whose columns were found.
struct Image<'a> {
    program: &'a RowProgram,
    data: &'a [u8],
    spans: &'a [Span],
    eager: &'a [Eager],
    arena: &'a [u8],
}

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

type DescribedField = (Vec<u8>, Option<String>, usize, Py<PyAny>, Py<PyAny>, Py<PyAny>);
type DescribedStruct = (Vec<u8>, Vec<DescribedField>, Vec<u8>);
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
            let py = rows.py();
            let images = rows.get().images.clone();
            let rows = &*rows.get().origin;
            let program = rows.program.get();
            let covered = &self.covered[(rows.kind == Kind::Read) as usize];
            covered.get_or_init(|| self.value.native_fields(program));
            let reader = Reader { rows, program, data: rows.data.as_bytes(py) };
            let count = rows.kind.images();
            let with_tombstones = tombstones.is_some() && rows.kind == Kind::Delete;
            let shared = self.shared(topic, headers, &tombstones);
            let mut messages = Messages::new(shared, images.len() / count);
            let (mut out, mut key) = (Vec::with_capacity(512), Vec::with_capacity(64));
            let (mut first, mut second) = (Vec::new(), Vec::new());
            for row in 0..images.len() / count {
                out.clear();
                let number = images.start + row * count;
                let image = reader.image(number, &mut first)?;
                if rows.kind != Kind::Update || frame.1.is_some() {
                    self.value.push(py, &mut out, &image)?;
                }
                let middle = out.len();
                let keyed = if rows.kind == Kind::Update {
                    let after = reader.image(number + 1, &mut second)?;
                    if self.key.as_ref().is_some_and(|key| key.may_differ(&image, &after)) {
                        return Ok(None);
                    }
                    self.value.push(py, &mut out, &after)?;
                    after
                } else {
                    image
                };
                let key = self.key_bytes(py, &mut key, &keyed)?;
                let number = match &frame.3 {
                    Some(numbers) => Some(numbers.get_item(row)?.cast_into::<PyBytes>()?),
                    None => None,
                };
                let (first, second) = out.split_at(middle);
                let value = [
                    frame.0.as_bytes(),
                    first,
                    frame.1.as_ref().map_or(b"", |between| between.as_bytes()),
                    second,
                    frame.2.as_bytes(),
                    number.as_ref().map_or(b"", |number| number.as_bytes()),
                    frame.4.as_bytes(),
                ];
                messages.push(key, &value, with_tombstones);
            }
            Ok(Some(messages))
        })
    }
}

impl RowWriter {
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

    fn shared(
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

impl Struct {
    fn new((opening, fields, closing): DescribedStruct) -> Struct {
        Struct { opening, fields: fields.into_iter().map(Field::new).collect(), closing }
    }

    #[inline]
    fn push(&self, py: Python<'_>, out: &mut Vec<u8>, image: &Image<'_>) -> PyResult<()> {
        out.extend_from_slice(&self.opening);
        for field in &self.fields {
            field.push(py, out, image)?;
        }
        out.extend_from_slice(&self.closing);
        Ok(())
    }

    /// Returns how many fields need no Python. A column that no image holds has a ready text.
    fn native_fields(&self, program: &RowProgram) -> usize {
        let is_native = |field: &&Field| match program.column_of.get(field.slot) {
            Some(&Some(column)) => {
                let decode = &program.columns[column].decode;
                field.write != Write::Python && !matches!(decode, Decode::Python)
            }
            _ => true,
        };
        self.fields.iter().filter(is_native).count()
    }

    /// Whether a field may have different values in two images: different bytes may be equal.
    fn may_differ(&self, before: &Image<'_>, after: &Image<'_>) -> bool {
        self.fields.iter().any(|field| {
            let Some(&Some(column)) = before.program.column_of.get(field.slot) else {
                return false;
            };
            let (old, new) = (&before.spans[column], &after.spans[column]);
            let decode = &before.program.columns[column].decode;
            matches!(decode, Decode::Float | Decode::Double) // NaN differs from itself
                || old.is_null != new.is_null
                || old.bytes(before.data) != new.bytes(after.data)
        })
    }
}

impl Text {
    fn new(value: Py<PyAny>) -> Text {
        Text { value, written: PyOnceLock::new() }
    }

    fn push(&self, py: Python<'_>, out: &mut Vec<u8>, part: &Py<PyAny>) -> PyResult<()> {
        let written = self.written.get_or_try_init(py, || {
            let bytes = part.bind(py).call1((&self.value,))?;
            Ok::<_, PyErr>(bytes.cast::<PyBytes>()?.as_bytes().to_vec())
        })?;
        out.extend_from_slice(written);
        Ok(())
    }
}

impl Field {
    fn new((label, write, slot, part, absent, unavailable): DescribedField) -> Field {
        let write = Write::named(write.as_deref());
        let (absent, unavailable) = (Text::new(absent), Text::new(unavailable));
        Field { label, write, slot, part, absent, unavailable }
    }

    #[inline]
    fn push(&self, py: Python<'_>, out: &mut Vec<u8>, image: &Image<'_>) -> PyResult<()> {
        let Some(&Some(number)) = image.program.column_of.get(self.slot) else {
            return self.unavailable.push(py, out, &self.part);
        };
        let (column, span) = (&image.program.columns[number], &image.spans[number]);
        if span.is_null {
            return self.absent.push(py, out, &self.part);
        }
        let start = out.len();
        out.extend_from_slice(&self.label);
        let raw = span.bytes(image.data);
        let made = match column.eager.map(|place| &image.eager[place]) {
            None | Some(Eager::Accepted) => {
                if self.write.push(out, &column.decode, raw).is_some() {
                    return Ok(());
                }
                column.converted(py, raw)?
            }
            Some(Eager::Text(from, to)) => {
                let text = &image.arena[*from..*to];
                if self.write.push_text(out, text).is_some() {
                    return Ok(());
                }
                PyString::new(py, std::str::from_utf8(text)?).into_any().unbind()
            }
            Some(Eager::Object(object)) => object.clone_ref(py),
            Some(Eager::Null) => py.None(),
        };
        out.truncate(start);
        self.push_object(py, out, made)
    }

    fn push_object(&self, py: Python<'_>, out: &mut Vec<u8>, value: Py<PyAny>) -> PyResult<()> {
        let bytes = self.part.bind(py).call1((value,))?;
        out.extend_from_slice(bytes.cast::<PyBytes>()?.as_bytes());
        Ok(())
    }
}
