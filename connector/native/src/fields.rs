//! The fields of keys and values: bytes of images as they stand in a message.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString};

use crate::decode::Decode;
use crate::layout::Span;
use crate::program::RowProgram;
use crate::rows::Eager;
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
pub struct Struct {
    opening: Vec<u8>,
    fields: Vec<Field>,
    closing: Vec<u8>,
}

/// An image whose columns were found.
pub struct Image<'a> {
    pub program: &'a RowProgram,
    pub data: &'a [u8],
    pub spans: &'a [Span],
    pub eager: &'a [Eager],
    pub arena: &'a [u8],
}

type DescribedField = (Vec<u8>, Option<String>, usize, Py<PyAny>, Py<PyAny>, Py<PyAny>);
pub type DescribedStruct = (Vec<u8>, Vec<DescribedField>, Vec<u8>);
impl Struct {
    pub fn new((opening, fields, closing): DescribedStruct) -> Struct {
        Struct { opening, fields: fields.into_iter().map(Field::new).collect(), closing }
    }

    #[inline]
    pub fn push(&self, py: Python<'_>, out: &mut Vec<u8>, image: &Image<'_>) -> PyResult<()> {
        out.extend_from_slice(&self.opening);
        for field in &self.fields {
            field.push(py, out, image)?;
        }
        out.extend_from_slice(&self.closing);
        Ok(())
    }

    /// Returns how many fields need no Python. A column that no image holds has a ready text.
    pub fn native_fields(&self, program: &RowProgram) -> usize {
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
    pub fn may_differ(&self, before: &Image<'_>, after: &Image<'_>) -> bool {
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
