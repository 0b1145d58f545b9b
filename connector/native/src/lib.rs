//! The native row core: row images of the binary log straight to the bytes of messages.
//!
//! It decides nothing: Python gives it a program per table version, and whatever is rare it leaves
//! to Python's conversion of the column. `docs/decisions/0019-native-core.md` has the reasons.

#![deny(unsafe_code)]

mod avro;
mod base64;
mod batch;
mod block;
mod changes;
mod decimal;
mod decode;
mod digits;
mod document;
mod fields;
mod format;
mod frame;
mod group;
mod guard;
mod java_double;
mod json;
mod kafka_client;
mod layout;
mod librdkafka;
mod messages;
mod ops;
mod packets;
mod part;
mod place;
mod producer;
mod program;
mod queue;
mod receipts;
mod rows;
mod scanner;
mod sql_text;
mod temporal;
mod text;
mod transaction;
mod translate;
mod unseen;
mod write;
mod writer;

use pyo3::prelude::*;

/// The version that the Python side requires: raise both when names or parameters change.
const INTERFACE: u32 = 16;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("INTERFACE", INTERFACE)?;
    module.add("SOURCES", env!("SOURCES").parse::<u32>()?)?;
    module.add_class::<program::RowProgram>()?;
    module.add_class::<messages::MessageIterator>()?;
    module.add_class::<messages::Messages>()?;
    module.add_class::<producer::Producer>()?;
    module.add_class::<rows::Rows>()?;
    module.add_class::<frame::EventFrame>()?;
    module.add_class::<part::PartWriter>()?;
    module.add_class::<scanner::TransactionScanner>()?;
    module.add_class::<transaction::Transaction>()?;
    module.add_class::<translate::TransactionTranslator>()?;
    module.add_class::<writer::RowWriter>()?;
    module.add_function(wrap_pyfunction!(batch::write_batch, module)?)
}
