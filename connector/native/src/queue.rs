//! Queues messages one after the other, as Python or the core made them.

use std::collections::VecDeque;
use std::ffi::c_int;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyString, PyTuple};

use crate::kafka_client::{Client, Content, Headers, Outgoing, Topic};
use crate::messages::{Messages, Part, Parts};

/// What happened to messages.
#[derive(Default)]
pub struct Queued<'py> {
    pub count: usize,
    /// The bytes of their values.
    pub size: usize,
    /// The message that was not queued, for the error with this code: 0 where the partition of
    /// its topic is not known.
    refused: Option<Bound<'py, PyAny>>,
    code: c_int,
    /// An exception of the iterator.
    raised: Option<PyErr>,
}

pub type QueuedTuple<'py> = (usize, usize, Option<Bound<'py, PyAny>>, c_int, Option<PyErr>);

impl<'py> Queued<'py> {
    pub fn into_tuple(self) -> QueuedTuple<'py> {
        (self.count, self.size, self.refused, self.code, self.raised)
    }
}

/// Some messages that are queued one after the other.
pub struct Queue<'a, 'py> {
    client: &'a Client,
    tag: usize,
    partitions: &'a Bound<'py, PyDict>,
    /// The last topics, and where their messages go.
    topics: Vec<(Bound<'py, PyString>, Topic, i32)>,
    /// The last headers: messages of a table share them.
    headers: Vec<(Bound<'py, PyAny>, Headers)>,
}

/// How many topics and headers are kept: more cost more to find than to make again.
const KEPT: usize = 64;

impl<'a, 'py> Queue<'a, 'py> {
    pub fn new(client: &'a Client, tag: usize, partitions: &'a Bound<'py, PyDict>) -> Self {
        Queue { client, tag, partitions, topics: Vec::new(), headers: Vec::new() }
    }

    /// Queues messages of several sequences; returns whether all were queued, as the others do.
    pub fn add_parts(&mut self, parts: &mut VecDeque<Part>, queued: &mut Queued<'py>) -> bool {
        let py = self.partitions.py();
        while let Some(part) = parts.front_mut() {
            let is_over = match part {
                Part::Native(messages, from) => self.add_rows(messages.bind(py), from, queued),
                Part::Python(iterator) => self.add_all(iterator.bind(py), queued),
            };
            if !is_over {
                return false;
            }
            parts.pop_front();
        }
        true
    }

    pub fn add_all(&mut self, messages: &Bound<'py, PyIterator>, queued: &mut Queued<'py>) -> bool {
        for message in messages.clone() {
            match message.and_then(|message| Ok((self.add(&message)?, message))) {
                Ok((Ok(bytes), _)) => {
                    queued.count += 1;
                    queued.size += bytes;
                    continue;
                }
                Ok((Err(code), message)) => (queued.refused, queued.code) = (Some(message), code),
                Err(error) => queued.raised = Some(error),
            }
            return false;
        }
        true
    }

    /// Queues the messages of rows from a number on.
    fn add_rows(
        &mut self,
        messages: &Bound<'py, Messages>,
        from: &mut usize,
        queued: &mut Queued<'py>,
    ) -> bool {
        let (py, rows) = (messages.py(), messages.get());
        while *from < rows.len() {
            let Parts { key, value, headers } = rows.parts(*from);
            let name = rows.topic(*from).bind(py);
            let result = self.route(name).and_then(|route| {
                let Ok((topic, partition)) = route else { return Ok(route.map(|_| ())) };
                let (tag, client) = (self.tag, self.client);
                let headers = self.headers(headers.bind(py))?;
                let outgoing = Outgoing { partition, key, value, headers, timestamp: 0, tag };
                Ok(client.produce(topic, &outgoing))
            });
            *from += 1;
            match result {
                Ok(Ok(())) => {
                    queued.count += 1;
                    queued.size += value.size();
                    continue;
                }
                Ok(Err(code)) => match rows.message(py, *from - 1) {
                    Ok(message) => (queued.refused, queued.code) = (Some(message), code),
                    Err(error) => queued.raised = Some(error),
                },
                Err(error) => queued.raised = Some(error),
            }
            return false;
        }
        true
    }

    /// Queues a message; returns the bytes of its value, or the reason why it is not.
    pub fn add(&mut self, message: &Bound<'py, PyAny>) -> PyResult<Result<usize, c_int>> {
        let message = message.cast::<PyTuple>()?;
        let (topic, usual) = match self.route(message.get_borrowed_item(0)?.cast::<PyString>()?)? {
            Ok(route) => route,
            Err(code) => return Ok(Err(code)),
        };
        let partition = message.get_borrowed_item(1)?;
        let partition = if partition.is_none() { usual } else { partition.extract()? };
        let (key, value) = (message.get_borrowed_item(2)?, message.get_borrowed_item(3)?);
        let (headers, timestamp) = (message.get_borrowed_item(4)?, message.get_borrowed_item(5)?);
        let key = if key.is_none() { None } else { Some(key.cast::<PyBytes>()?.as_bytes()) };
        let value = match value.is_none() {
            true => Content::Nothing,
            false => Content::Bytes(value.cast::<PyBytes>()?.as_bytes()),
        };
        let timestamp = if timestamp.is_none() { 0 } else { timestamp.extract()? };
        let (tag, client) = (self.tag, self.client);
        let headers = self.headers(&headers)?;
        let outgoing = Outgoing { partition, key, value, headers, timestamp, tag };
        Ok(client.produce(topic, &outgoing).map(|()| value.size()))
    }

    /// Returns a topic, and where its messages go that do not say it; or why that is not known.
    fn route(&mut self, name: &Bound<'py, PyString>) -> PyResult<Result<(Topic, i32), c_int>> {
        if let Some((_, topic, partition)) = self.topics.iter().find(|known| known.0.is(name)) {
            return Ok(Ok((*topic, *partition)));
        }
        let Some(partition) = self.partitions.get_item(name)? else {
            return Ok(Err(0));
        };
        let partition = partition.extract()?;
        Ok(self.client.topic(name.to_str()?).map(|topic| {
            if self.topics.len() == KEPT {
                self.topics.clear();
            }
            self.topics.push((name.clone(), topic, partition));
            (topic, partition)
        }))
    }

    fn headers(&mut self, pairs: &Bound<'py, PyAny>) -> PyResult<Option<&Headers>> {
        if pairs.is_none() {
            return Ok(None);
        }
        if let Some(at) = self.headers.iter().position(|known| known.0.is(pairs)) {
            return Ok(Some(&self.headers[at].1));
        }
        type Pair<'py> = (Bound<'py, PyString>, Option<Bound<'py, PyBytes>>);
        let found: Vec<Pair<'py>> = pairs.extract()?;
        let mut read = Vec::with_capacity(found.len());
        for (name, value) in &found {
            let value = value.as_ref().map(|value| value.as_bytes());
            read.push((name.to_str()?.as_bytes(), value));
        }
        if self.headers.len() == KEPT {
            self.headers.clear();
        }
        self.headers.push((pairs.clone(), self.client.headers(read.into_iter())));
        Ok(self.headers.last().map(|(_, headers)| headers))
    }
}
