//! Panics of the core, as errors that say where they come from and what to do.

use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};

use pyo3::panic::PanicException;
use pyo3::prelude::*;

/// Runs what the core does; a panic becomes an error that no tolerance of errors skips.
///
/// What a panic leaves behind is not used again: the task that gets the error ends.
pub fn guarded<T>(doing: &str, work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        Err(PanicException::new_err(format!(
            "The native row core failed when it {doing} rows: {}. This is a fault of Millrace; \
             with MILLRACE_NATIVE=0 the worker does without the core.",
            cause(&*panic)
        )))
    })
}

/// Returns the text of a panic, which `panic!` makes of one of two types.
fn cause(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason")
}
