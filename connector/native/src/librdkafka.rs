//! The functions of librdkafka that sending needs, from the copy that Python has loaded.
//!
//! Only its public interface is used, as `rdkafka.h` describes it. Here and in `kafka_client.rs` is
//! all unsafe code of the core.

#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_void, CStr};
use std::mem::transmute_copy;

/// Codes of `rd_kafka_resp_err_t`.
pub const INVALID_ARG: c_int = -186;
pub const FATAL: c_int = -150;

const TEXT: usize = 512;

/// Declares the functions, and loads them by their names.
macro_rules! functions {
    ($($name:ident($($parameter:ty),*) $(-> $result:ty)?;)*) => {
        pub struct Functions {
            $(pub $name: unsafe extern "C" fn($($parameter),*) $(-> $result)?,)*
        }

        impl Functions {
            unsafe fn load(module: *mut c_void) -> Option<Functions> {
                Some(Functions {
                    $($name: {
                        let name = concat!("rd_kafka_", stringify!($name), "\0");
                        let found = libc::dlsym(module, name.as_ptr().cast());
                        if found.is_null() {
                            return None;
                        }
                        transmute_copy(&found)
                    },)*
                })
            }
        }
    };
}

functions! {
    conf_new() -> *mut c_void;
    conf_destroy(*mut c_void);
    conf_set(*mut c_void, *const c_char, *const c_char, *mut c_char, usize) -> c_int;
    conf_set_dr_msg_cb(*mut c_void, extern "C" fn(*mut c_void, *const Delivery, *mut c_void));
    conf_set_error_cb(*mut c_void, extern "C" fn(*mut c_void, c_int, *const c_char, *mut c_void));
    conf_set_log_cb(*mut c_void, extern "C" fn(*const c_void, c_int, *const c_char, *const c_char));
    conf_set_opaque(*mut c_void, *mut c_void);
    new(c_int, *mut c_void, *mut c_char, usize) -> *mut c_void;
    destroy(*mut c_void);
    set_log_queue(*mut c_void, *mut c_void) -> c_int;
    name(*const c_void) -> *const c_char;
    topic_new(*mut c_void, *const c_char, *mut c_void) -> *mut c_void;
    topic_destroy(*mut c_void);
    topic_name(*const c_void) -> *const c_char;
    last_error() -> c_int;
    headers_new(usize) -> *mut c_void;
    headers_copy(*const c_void) -> *mut c_void;
    headers_destroy(*mut c_void);
    header_add(*mut c_void, *const c_char, isize, *const c_void, isize) -> c_int;
    produceva(*mut c_void, *const Argument, usize) -> *mut c_void;
    error_code(*const c_void) -> c_int;
    error_destroy(*mut c_void);
    fatal_error(*mut c_void, *mut c_char, usize) -> c_int;
    poll(*mut c_void, c_int) -> c_int;
    flush(*mut c_void, c_int) -> c_int;
    purge(*mut c_void, c_int) -> c_int;
    outq_len(*mut c_void) -> c_int;
}

/// `rd_kafka_message_t`.
#[repr(C)]
pub struct Delivery {
    error: c_int,
    topic: *mut c_void,
    partition: i32,
    value: *const u8,
    value_size: usize,
    key: *const u8,
    key_size: usize,
    offset: i64,
    tag: *mut c_void,
}

/// `rd_kafka_vu_t`.
#[repr(C)]
pub struct Argument {
    pub kind: c_int,
    pub value: Value,
}

#[repr(C)]
pub union Value {
    pub number: i32,
    pub long: i64,
    pub pointer: *mut c_void,
    pub bytes: Bytes,
    _room: [u8; 64],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bytes {
    pub start: *const u8,
    pub size: usize,
}

/// A message that was not delivered.
pub struct Failed {
    pub tag: usize,
    pub code: c_int,
    pub topic: String,
    pub key: Option<Vec<u8>>,
    pub value: Option<Vec<u8>>,
}

/// What the library reported during one call.
#[derive(Default)]
pub struct Reports {
    /// Tags of messages, and how many with it in a row have arrived or failed.
    pub done: Vec<(usize, usize)>,
    pub failed: Vec<Failed>,
    /// Codes and texts of errors that concern no message, and whether the producer is unusable.
    pub errors: Vec<(c_int, String, bool)>,
    /// Levels of syslog, facilities and texts.
    pub lines: Vec<(c_int, String, String)>,
}

thread_local! {
    /// The library reports only to the thread that polls, flushes or closes.
    static REPORTS: RefCell<Reports> = RefCell::default();
}

/// Returns what the library reported to this thread since the last call.
pub fn reported() -> Reports {
    REPORTS.take()
}

impl Functions {
    /// Loads the functions from a shared object, or from what it depends on.
    pub fn of(file: &CStr) -> Option<Functions> {
        unsafe {
            let module = libc::dlopen(file.as_ptr(), libc::RTLD_NOW);
            if module.is_null() { None } else { Functions::load(module) }
        }
    }
}

/// Returns a text of the library.
pub unsafe fn text(start: *const c_char) -> String {
    if start.is_null() {
        return String::new();
    }
    CStr::from_ptr(start).to_string_lossy().into_owned()
}

unsafe fn bytes(start: *const u8, size: usize) -> Option<Vec<u8>> {
    (!start.is_null()).then(|| std::slice::from_raw_parts(start, size).to_vec())
}

pub extern "C" fn on_delivery(_: *mut c_void, delivery: *const Delivery, opaque: *mut c_void) {
    REPORTS.with_borrow_mut(|reports| {
        let delivery = unsafe { &*delivery };
        let tag = delivery.tag as usize;
        match reports.done.last_mut() {
            Some((last, count)) if *last == tag => *count += 1,
            _ => reports.done.push((tag, 1)),
        }
        if delivery.error != 0 {
            let functions = unsafe { &*(opaque as *const Functions) };
            reports.failed.push(unsafe {
                Failed {
                    tag,
                    code: delivery.error,
                    topic: text((functions.topic_name)(delivery.topic)),
                    key: bytes(delivery.key, delivery.key_size),
                    value: bytes(delivery.value, delivery.value_size),
                }
            });
        }
    });
}

pub extern "C" fn on_error(
    handle: *mut c_void,
    code: c_int,
    reason: *const c_char,
    opaque: *mut c_void,
) {
    let functions = unsafe { &*(opaque as *const Functions) };
    let mut detail = [0; TEXT];
    let report = if code == FATAL {
        let size = detail.len();
        let code = unsafe { (functions.fatal_error)(handle, detail.as_mut_ptr(), size) };
        (code, unsafe { text(detail.as_ptr()) }, true)
    } else {
        (code, unsafe { text(reason) }, false)
    };
    REPORTS.with_borrow_mut(|reports| reports.errors.push(report));
}

pub extern "C" fn on_line(
    _: *const c_void,
    level: c_int,
    facility: *const c_char,
    line: *const c_char,
) {
    let line = unsafe { (level, text(facility), text(line)) };
    REPORTS.with_borrow_mut(|reports| reports.lines.push(line));
}
