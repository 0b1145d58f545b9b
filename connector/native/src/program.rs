//! The program of a table version: how its row images are cut and converted.

use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyString, PyTuple};

use crate::decode::Decode;
use crate::document::push_document;
use crate::guard::guarded;
use crate::layout::{spans, text_spans, Layout, Span};
use crate::ops::operation;
use crate::rows::{Eager, Kind, Origin, Rows};
use crate::temporal::little_number;
use crate::write::Write;

/// A column of the images.
pub struct Column {
    pub decode: Decode,
    /// The number of its value among those that are made when the rows are read.
    pub eager: Option<usize>,
    format: Format,
    convert: Py<PyAny>,
}

/// What Python's conversion takes.
enum Format {
    Signed,
    Unsigned,
    Float,
    Double,
    Bytes,
}

/// How the images of one version of a table, with the same columns, or text rows are read.
#[pyclass(frozen, module = "connector.native._native")]
pub struct RowProgram {
    pub columns: Vec<Column>,
    pub layouts: Vec<Layout>,
    /// The column that fills a slot of the rows; None where the images do not hold it.
    pub column_of: Vec<Option<usize>>,
    pub eager: usize,
    /// Whether the rows are those of a text result set, with each length before its column.
    is_text: bool,
    /// Python's decoder of all images: `(kind, data, start, end)` to a list of pairs of rows.
    pub decode: Py<PyAny>,
}

type Described<'py> = (
    bool,                       // whether its length stands before it
    usize,                      // bytes of it, or of that length
    String,                     // its format for `struct`
    Option<Bound<'py, PyTuple>>, // the operation
    Option<usize>,              // the slot
    Py<PyAny>,                  // Python's conversion
);

#[pymethods]
impl RowProgram {
    #[new]
    fn new(
        columns: Vec<Described<'_>>,
        slots: usize,
        decode: Py<PyAny>,
        is_text: bool,
        is_checked: bool,
    ) -> PyResult<Self> {
        if columns.is_empty() {
            return Err(PyValueError::new_err("images without columns"));
        }
        let mut program = RowProgram {
            columns: Vec::with_capacity(columns.len()),
            layouts: Vec::with_capacity(columns.len()),
            column_of: vec![None; slots],
            eager: 0,
            is_text,
            decode,
        };
        for (number, (prefixed, size, format, named, slot, convert)) in
            columns.into_iter().enumerate()
        {
            let layout = if prefixed { Layout::Prefixed(size) } else { Layout::Fixed(size) };
            if prefixed && !(1..=4).contains(&size) {
                return Err(PyValueError::new_err("a length of other than 1 to 4 bytes"));
            }
            let decode = operation(named.as_ref(), (!prefixed).then_some(size), is_text)?;
            let mut eager = None;
            if let Some(slot) = slot {
                let known = program.column_of.get_mut(slot);
                *known.ok_or_else(|| PyValueError::new_err("no such slot"))? = Some(number);
                if is_checked || decode.is_eager() {
                    eager = Some(program.eager);
                    program.eager += 1;
                }
            }
            let format = Format::of(&format);
            program.layouts.push(layout);
            program.columns.push(Column { decode, eager, format, convert });
        }
        Ok(program)
    }

    /// Reads the rows between two offsets; None where Python has to see for itself.
    fn rows(
        slf: &Bound<'_, Self>,
        data: &Bound<'_, PyBytes>,
        start: usize,
        end: usize,
        kind: &Bound<'_, PyString>,
    ) -> PyResult<Option<Rows>> {
        guarded("read", || match Kind::of(kind.to_cow()?.as_ref()) {
            Some(kind) => Self::read(slf, data, start, end, kind),
            None => Ok(None),
        })
    }

    /// Reads the text rows from an offset on, up to a packet that is not complete or that Python
    /// has to see: one that is no row, or has a value that is refused. Returns them with the
    /// offset behind them.
    fn text_rows(
        slf: &Bound<'_, Self>,
        data: &Bound<'_, PyBytes>,
        start: usize,
    ) -> PyResult<(Rows, usize)> {
        guarded("read", || {
            let program = slf.get();
            let bytes = data.as_bytes();
            let mut images = Vec::new();
            let mut at = start;
            while u32::try_from(at).is_ok() {
                let Some(end) = program.spans(bytes, at, |_| {}) else {
                    break;
                };
                images.push(at as u32);
                at = end;
            }
            let mut origin = Self::origin(slf, data, at, Kind::Read, images);
            if let Err(error) = program.convert_eagerly(slf.py(), bytes, &mut origin) {
                if !error.is_instance_of::<PyException>(slf.py()) {
                    return Err(error);
                }
                origin.drop_incomplete(program.eager);
            }
            let end = origin.end;
            Ok((Rows::new(origin), end))
        })
    }
}

impl RowProgram {
    /// Reads the rows between two offsets; None where Python has to see for itself.
    pub fn read(
        slf: &Bound<'_, Self>,
        data: &Bound<'_, PyBytes>,
        start: usize,
        end: usize,
        kind: Kind,
    ) -> PyResult<Option<Rows>> {
        let program = slf.get();
        let Some(images) = program.cut(data.as_bytes(), start, end, kind) else {
            return Ok(None);
        };
        let mut origin = Self::origin(slf, data, end, kind, images);
        program.convert_eagerly(slf.py(), data.as_bytes(), &mut origin)?;
        Ok(Some(Rows::new(origin)))
    }

    /// Finds the columns of a row; returns the offset behind it.
    #[inline]
    pub fn spans(&self, data: &[u8], start: usize, found: impl FnMut(Span)) -> Option<usize> {
        if self.is_text {
            text_spans(self.layouts.len(), data, start, found)
        } else {
            spans(&self.layouts, data, start, found)
        }
    }

    fn origin(
        slf: &Bound<'_, Self>,
        data: &Bound<'_, PyBytes>,
        end: usize,
        kind: Kind,
        images: Vec<u32>,
    ) -> Origin {
        let (program, data) = (slf.clone().unbind(), data.clone().unbind());
        Origin { program, data, end, kind, images, eager: Vec::new(), arena: Vec::new() }
    }

    /// Returns where each image starts; None where they do not fill the bytes exactly.
    fn cut(&self, data: &[u8], start: usize, end: usize, kind: Kind) -> Option<Vec<u32>> {
        u32::try_from(end).ok()?;
        let data = data.get(..end)?;
        let mut images = Vec::new();
        let mut at = start;
        while at < end {
            images.push(at as u32);
            at = self.spans(data, at, |_| {})?;
        }
        (at == end && images.len() % kind.images() == 0).then_some(images)
    }

    /// Makes the values that Python may refuse, in the order in which Python would.
    fn convert_eagerly(&self, py: Python<'_>, data: &[u8], rows: &mut Origin) -> PyResult<()> {
        if self.eager == 0 {
            return Ok(());
        }
        let mut found: Vec<Span> = Vec::with_capacity(self.columns.len());
        for image in 0..rows.images.len() {
            found.clear();
            let start = rows.images[image] as usize;
            if self.spans(&data[..rows.end], start, |span| found.push(span)).is_none() {
                return Err(PyValueError::new_err("an image has changed"));
            }
            for (column, span) in self.columns.iter().zip(&found) {
                if column.eager.is_some() {
                    let value = column.eager_value(py, span, data, &mut rows.arena)?;
                    rows.eager.push(value);
                }
            }
        }
        Ok(())
    }
}

impl Column {
    fn eager_value(
        &self,
        py: Python<'_>,
        span: &Span,
        data: &[u8],
        arena: &mut Vec<u8>,
    ) -> PyResult<Eager> {
        if span.is_null {
            return Ok(Eager::Null);
        }
        let raw = span.bytes(data);
        let start = arena.len();
        if matches!(self.decode, Decode::Point) {
            if Write::Fixed.push(arena, &self.decode, raw).is_some() {
                return Ok(Eager::Accepted);
            }
        } else if matches!(self.decode, Decode::Document) {
            if push_document(arena, raw).is_some() {
                return Ok(Eager::Text(start, arena.len()));
            }
        } else if Write::PLAIN.push(arena, &self.decode, raw).is_some() {
            arena.truncate(start);
            return Ok(Eager::Accepted);
        }
        arena.truncate(start);
        Ok(Eager::Object(self.converted(py, raw)?))
    }

    /// Returns what Python's conversion makes of a value.
    pub fn converted(&self, py: Python<'_>, raw: &[u8]) -> PyResult<Py<PyAny>> {
        if let Some(number) = self.decode.whole_number(raw) {
            return Ok(number.into_pyobject(py)?.into_any().unbind());
        }
        self.convert.call1(py, (self.format.object(py, raw)?,))
    }
}

impl Format {
    fn of(code: &str) -> Format {
        match code {
            "b" | "h" | "i" | "q" => Format::Signed,
            "B" | "H" | "I" | "Q" => Format::Unsigned,
            "f" => Format::Float,
            "d" => Format::Double,
            _ => Format::Bytes,
        }
    }

    /// Returns the value that `struct` unpacks.
    fn object<'py>(&self, py: Python<'py>, raw: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let spare = 64u32.saturating_sub(8 * raw.len() as u32);
        Ok(match self {
            Format::Signed => {
                let value = (little_number(raw) << spare.min(63)) >> spare.min(63);
                value.into_pyobject(py)?.into_any()
            }
            Format::Unsigned => (little_number(raw) as u64).into_pyobject(py)?.into_any(),
            Format::Float => {
                let bytes: [u8; 4] = raw.try_into()?;
                PyFloat::new(py, f32::from_le_bytes(bytes) as f64).into_any()
            }
            Format::Double => {
                let bytes: [u8; 8] = raw.try_into()?;
                PyFloat::new(py, f64::from_le_bytes(bytes)).into_any()
            }
            Format::Bytes => PyBytes::new(py, raw).into_any(),
        })
    }
}
