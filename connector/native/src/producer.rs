//! The producer that Python sees: messages in, receipts back.

use std::ffi::{c_int, CString};
use std::mem::take;
use std::sync::{Mutex, MutexGuard, OnceLock, RwLock};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator};

use crate::guard::guarded;
use crate::kafka_client::Client;
use crate::librdkafka::{Functions, Reports};
use crate::messages::MessageIterator;
use crate::queue::{Queue, Queued, QueuedTuple};
use crate::receipts::Receipts;

/// The functions of the library that Python has loaded.
static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();

/// Sends messages. One thread uses it; any may ask for its length, and purge.
///
/// The iterator of messages may poll, so nothing is locked while it runs but the client, for
/// reading.
#[pyclass(frozen, module = "connector.native._native")]
pub struct Producer {
    client: RwLock<Option<Client>>,
    receipts: Mutex<Receipts>,
}

type Failure<'py> = (
    Py<PyAny>,
    c_int,
    String,
    Option<Bound<'py, PyBytes>>,
    Option<Bound<'py, PyBytes>>,
);
/// Messages that failed, errors and lines for the log.
type Reported<'py> = (Vec<Failure<'py>>, Vec<(c_int, String, bool)>, Vec<(c_int, String, String)>);

#[pymethods]
impl Producer {
    /// `library` is a shared object that is librdkafka or depends on it.
    ///
    /// A library without the functions is a RuntimeError, settings that it refuses a ValueError
    /// with a code and a text.
    #[new]
    fn new(library: String, settings: Vec<(String, String)>) -> PyResult<Self> {
        let library = CString::new(library)?;
        let Some(functions) = FUNCTIONS.get_or_init(|| Functions::of(&library)) else {
            return Err(PyRuntimeError::new_err("librdkafka lacks functions"));
        };
        let client = Client::new(functions, &settings).map_err(PyValueError::new_err)?;
        Ok(Producer { client: RwLock::new(Some(client)), receipts: Mutex::default() })
    }

    /// Queues messages until one has to wait.
    ///
    /// `partitions` has where the messages of a topic go, if they do not say it; messages of other
    /// topics wait. `receipt` is held for each message until it has arrived or failed.
    fn send<'py>(
        &self,
        messages: &Bound<'py, PyIterator>,
        partitions: &Bound<'py, PyDict>,
        receipt: &Bound<'py, PyAny>,
    ) -> PyResult<QueuedTuple<'py>> {
        guarded("sent", || {
            self.with(|client| {
                let iterator = messages.cast::<MessageIterator>().ok();
                let mut iterator = iterator.map(|found| found.try_borrow_mut()).transpose()?;
                let tag = self.receipts().open(receipt);
                let mut queue = Queue::new(client, tag, partitions);
                let mut queued = Queued::default();
                match &mut iterator {
                    Some(iterator) => queue.add_parts(&mut iterator.parts, &mut queued),
                    None => queue.add_all(messages, &mut queued),
                };
                self.receipts().close(tag, queued.count);
                Ok(queued.into_tuple())
            })?
        })
    }

    /// Queues a message for a partition; returns an error's code, or 0.
    fn send_first(
        &self,
        message: &Bound<'_, PyAny>,
        partition: i32,
        receipt: &Bound<'_, PyAny>,
    ) -> PyResult<c_int> {
        guarded("sent", || {
            self.with(|client| {
                let partitions = PyDict::new(receipt.py());
                partitions.set_item(message.get_item(0)?, partition)?;
                let tag = self.receipts().open(receipt);
                let queued = Queue::new(client, tag, &partitions).add(message);
                self.receipts().close(tag, matches!(queued, Ok(Ok(_))) as usize);
                Ok(queued?.err().unwrap_or(0))
            })?
        })
    }

    /// Waits so long for a report; returns what does not concern delivered messages, if anything.
    fn poll<'py>(&self, py: Python<'py>, seconds: f64) -> PyResult<Option<Reported<'py>>> {
        let reports = py.detach(|| self.with(|client| client.poll(milliseconds(seconds))))?;
        Ok(self.settle(py, reports))
    }

    /// Sends what is queued at once, and waits so long until all is answered; returns as `poll`.
    fn flush<'py>(&self, py: Python<'py>, seconds: f64) -> PyResult<Option<Reported<'py>>> {
        let reports = py.detach(|| self.with(|client| client.flush(milliseconds(seconds))))?;
        Ok(self.settle(py, reports))
    }

    /// Drops all messages, which fail; any thread may do so.
    fn purge(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.with(Client::purge))
    }

    /// Ends the threads of the library, whatever is queued.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            let mut client = self.client.write().unwrap_or_else(|poisoned| poisoned.into_inner());
            drop(client.take());
        });
        let held = take(&mut *self.receipts());
        drop(held); // without the lock: it may run Python
    }

    /// How the library calls this producer in its log.
    #[getter]
    fn name(&self) -> PyResult<String> {
        self.with(Client::name)
    }

    fn __len__(&self) -> usize {
        let client = self.client.try_read();
        client.ok().and_then(|client| client.as_ref().map(Client::len)).unwrap_or(0)
    }
}

impl Producer {
    fn with<T>(&self, work: impl FnOnce(&Client) -> T) -> PyResult<T> {
        let client = self.client.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        match client.as_ref() {
            Some(client) => Ok(work(client)),
            None => Err(PyRuntimeError::new_err("the producer is closed")),
        }
    }

    fn receipts(&self) -> MutexGuard<'_, Receipts> {
        self.receipts.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Releases the receipts of messages that arrived or failed.
    fn settle<'py>(&self, py: Python<'py>, reports: Reports) -> Option<Reported<'py>> {
        let Reports { done, failed, errors, lines } = reports;
        let bytes = |bytes: Option<Vec<u8>>| bytes.map(|bytes| PyBytes::new(py, &bytes));
        let mut receipts = self.receipts();
        let failures: Vec<Failure<'py>> = failed
            .into_iter()
            .filter_map(|one| {
                let receipt = receipts.of(py, one.tag)?;
                Some((receipt, one.code, one.topic, bytes(one.key), bytes(one.value)))
            })
            .collect();
        let released: Vec<_> =
            done.into_iter().filter_map(|(tag, count)| receipts.release(tag, count)).collect();
        drop(receipts);
        drop(released); // without the lock: it may run Python
        let nothing = failures.is_empty() && errors.is_empty() && lines.is_empty();
        (!nothing).then_some((failures, errors, lines))
    }
}

fn milliseconds(seconds: f64) -> c_int {
    (seconds * 1000.0).round().clamp(0.0, f64::from(c_int::MAX)) as c_int
}
