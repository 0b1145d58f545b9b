//! The messages of rows: to Python a sequence; a producer takes their bytes as they are.

use std::collections::VecDeque;
use std::ops::Range;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList, PyString, PyTuple};

use crate::block::Block;
use crate::kafka_client::Content;

/// The bytes of messages are in pieces of this size at most, unless one is larger: the allocator
/// keeps such pieces and gives them again, larger ones would have to come from the system.
const CHUNK: usize = 64 << 10;

/// Values of this size at least are given to the producer instead of copied.
const LARGE: usize = 8 << 10;

/// What the messages of some rows share.
pub struct Shared {
    pub topic: Py<PyString>,
    pub headers: Py<PyAny>,
    pub tombstone_headers: Option<Py<PyAny>>,
    /// Makes a message from its fields: a function and a class.
    pub new_message: Py<PyAny>,
    pub message_type: Py<PyAny>,
}

/// Where a value is.
enum Place {
    Nowhere,
    Chunk(Range<usize>),
    /// A large one.
    Block(Block),
}

/// Where the bytes of a message are, and what it shares with others.
struct Item {
    shared: usize,
    chunk: usize,
    key: Option<Range<usize>>,
    value: Place,
}

/// The messages of some rows, in their order.
#[pyclass(frozen, sequence, module = "connector.native._native")]
pub struct Messages {
    shared: Vec<Shared>,
    /// The number of what the messages share that are added now.
    sharing: usize,
    chunks: Vec<Vec<u8>>,
    items: Vec<Item>,
    /// How many rows will have messages.
    rows: usize,
}

/// A message as its bytes.
pub struct Parts<'a> {
    pub key: Option<&'a [u8]>,
    pub value: Content<'a>,
    pub headers: &'a Py<PyAny>,
}

impl Messages {
    pub fn new(shared: Vec<Shared>, rows: usize) -> Messages {
        let (chunks, items) = (Vec::new(), Vec::with_capacity(rows));
        Messages { shared, sharing: 0, chunks, items, rows }
    }

    /// Adds what messages may share; returns its number.
    pub fn add_shared(&mut self, shared: Shared) -> usize {
        self.shared.push(shared);
        self.shared.len() - 1
    }

    /// Sets what the messages share that are added from now on.
    pub fn share(&mut self, number: usize) {
        self.sharing = number;
    }

    /// Drops the messages from a number on.
    pub fn truncate(&mut self, number: usize) {
        self.items.truncate(number);
    }

    /// Adds a message whose value is in pieces; with `tombstone`, another one without a value.
    pub fn push(&mut self, key: Option<&[u8]>, value: &[&[u8]], tombstone: bool) {
        let size: usize = value.iter().map(|piece| piece.len()).sum();
        let block = if size >= LARGE { Block::of(value, size) } else { None };
        let in_chunk = if block.is_some() { 0 } else { size };
        let needed = in_chunk + key.map_or(0, <[u8]>::len);
        if self.chunks.last().is_none_or(|chunk| chunk.capacity() - chunk.len() < needed) {
            let rest = self.rows.saturating_sub(self.items.len()).max(1);
            let room = needed.saturating_mul(rest).min(CHUNK).max(needed);
            self.chunks.push(Vec::with_capacity(room));
        }
        let number = self.chunks.len() - 1;
        let chunk = &mut self.chunks[number];
        let start = chunk.len();
        chunk.extend_from_slice(key.unwrap_or_default());
        let key = key.map(|key| start..start + key.len());
        let value = match block {
            Some(block) => Place::Block(block),
            None => {
                let start = chunk.len();
                value.iter().for_each(|piece| chunk.extend_from_slice(piece));
                Place::Chunk(start..chunk.len())
            }
        };
        let shared = self.sharing;
        self.items.push(Item { shared, chunk: number, key: key.clone(), value });
        if tombstone {
            self.items.push(Item { shared, chunk: number, key, value: Place::Nowhere });
        }
    }

    pub fn topic(&self, number: usize) -> &Py<PyString> {
        &self.shared_of(number).topic
    }

    fn shared_of(&self, number: usize) -> &Shared {
        &self.shared[self.items[number].shared]
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn parts(&self, number: usize) -> Parts<'_> {
        let (item, shared) = (&self.items[number], self.shared_of(number));
        let bytes = |range: &Range<usize>| &self.chunks[item.chunk][range.clone()];
        let value = match &item.value {
            Place::Nowhere => Content::Nothing,
            Place::Chunk(range) => Content::Bytes(bytes(range)),
            Place::Block(block) => Content::Block(block),
        };
        let headers = match (&value, &shared.tombstone_headers) {
            (Content::Nothing, Some(headers)) => headers,
            _ => &shared.headers,
        };
        Parts { key: item.key.as_ref().map(bytes), value, headers }
    }

    /// Returns a message as Python knows it; a large one only until it was sent.
    pub fn message<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyAny>> {
        let Parts { key, value, headers } = self.parts(number);
        let key = key.map(|key| PyBytes::new(py, key));
        let value = match value {
            Content::Nothing => None,
            Content::Bytes(bytes) => Some(PyBytes::new(py, bytes)),
            Content::Block(block) => match block.read(|bytes| PyBytes::new(py, bytes)) {
                Some(bytes) => Some(bytes),
                None => return Err(PyValueError::new_err("the message has been sent")),
            },
        };
        let none = py.None();
        let shared = self.shared_of(number);
        let fields: Bound<'py, PyTuple> =
            (&shared.topic, &none, key, value, headers, &none).into_pyobject(py)?;
        shared.new_message.bind(py).call1((&shared.message_type, fields))
    }
}

#[pymethods]
impl Messages {
    fn __len__(&self) -> usize {
        self.len()
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.list(key.py())?.as_any().get_item(key)
    }

    fn __iter__(own: PyRef<'_, Self>) -> MessageIterator {
        MessageIterator { parts: VecDeque::from([Part::Native(own.into(), 0)]) }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let list = self.list(other.py())?;
        match other.cast::<Messages>() {
            Ok(other) => list.eq(other.get().list(list.py())?),
            Err(_) => list.eq(other),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.list(py)?.repr()?.to_string())
    }
}

impl Messages {
    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for number in 0..self.len() {
            list.append(self.message(py, number)?)?;
        }
        Ok(list)
    }
}

/// Messages that are still to be read.
pub enum Part {
    /// Those of rows, from a number on.
    Native(Py<Messages>, usize),
    Python(Py<PyIterator>),
}

/// Reads messages of several sequences one after the other.
#[pyclass(module = "connector.native._native")]
pub struct MessageIterator {
    pub parts: VecDeque<Part>,
}

#[pymethods]
impl MessageIterator {
    #[new]
    fn new(parts: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        let parts = parts.into_iter().map(|part| match part.cast::<Messages>() {
            Ok(messages) => Ok(Part::Native(messages.clone().unbind(), 0)),
            Err(_) => Ok(Part::Python(part.try_iter()?.unbind())),
        });
        Ok(MessageIterator { parts: parts.collect::<PyResult<_>>()? })
    }

    fn __iter__(own: PyRef<'_, Self>) -> PyRef<'_, Self> {
        own
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        while let Some(part) = self.parts.front_mut() {
            let found = match part {
                Part::Native(messages, number) => {
                    *number += 1;
                    let messages = messages.get();
                    (*number <= messages.len())
                        .then(|| messages.message(py, *number - 1))
                        .transpose()?
                }
                Part::Python(iterator) => iterator.bind(py).clone().next().transpose()?,
            };
            if found.is_some() {
                return Ok(found);
            }
            self.parts.pop_front();
        }
        Ok(None)
    }
}
