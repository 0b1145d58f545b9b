//! A producer of librdkafka: what is sent goes in, what is reported comes out.

#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::{c_int, c_void, CString};
use std::mem::take;
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use crate::block::Block;
use crate::librdkafka::{
    on_delivery, on_error, on_line, reported, text, Argument, Bytes, Functions, Reports,
    Value, FATAL, INVALID_ARG,
};

const PRODUCER: c_int = 0;
const FREE: c_int = 1; // RD_KAFKA_MSG_F_FREE
const COPY: c_int = 2; // RD_KAFKA_MSG_F_COPY
const PURGE_ALL: c_int = 3; // RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT
const TEXT: usize = 512;

/// The value of a message.
#[derive(Clone, Copy)]
pub enum Content<'a> {
    Nothing,
    /// Bytes that the library copies.
    Bytes(&'a [u8]),
    /// Bytes that the library takes over.
    Block(&'a Block),
}

impl Content<'_> {
    pub fn size(&self) -> usize {
        match self {
            Content::Nothing => 0,
            Content::Bytes(bytes) => bytes.len(),
            Content::Block(block) => block.size(),
        }
    }
}

/// What is sent.
pub struct Outgoing<'a> {
    pub partition: i32,
    pub key: Option<&'a [u8]>,
    pub value: Content<'a>,
    pub headers: Option<&'a Headers>,
    /// In milliseconds; 0 for now.
    pub timestamp: i64,
    /// Comes back when the message has arrived or failed.
    pub tag: usize,
}

/// A producer of the library. Dropping it waits for its threads.
pub struct Client {
    functions: &'static Functions,
    handle: *mut c_void,
    topics: Mutex<HashMap<String, Topic>>,
}

// The functions of the library may be called by any thread at any time.
unsafe impl Send for Client {}
unsafe impl Sync for Client {}

/// A topic of a client, valid as long as that.
#[derive(Clone, Copy)]
pub struct Topic(*mut c_void);

unsafe impl Send for Topic {}

/// Headers that messages share; each message gets a copy.
pub struct Headers {
    functions: &'static Functions,
    list: *mut c_void,
}

impl Client {
    /// Starts a producer; the error is a code and a text.
    pub fn new(
        functions: &'static Functions,
        settings: &[(String, String)],
    ) -> Result<Client, (c_int, String)> {
        let mut reason = [0; TEXT];
        let terminated =
            |text: &str| CString::new(text).map_err(|error| (INVALID_ARG, error.to_string()));
        let settings = settings
            .iter()
            .map(|(name, value)| Ok((terminated(name)?, terminated(value)?)))
            .collect::<Result<Vec<_>, _>>()?;
        unsafe {
            let config = (functions.conf_new)();
            for (name, value) in &settings {
                let (name, value, size) = (name.as_ptr(), value.as_ptr(), reason.len());
                if (functions.conf_set)(config, name, value, reason.as_mut_ptr(), size) != 0 {
                    (functions.conf_destroy)(config);
                    return Err((INVALID_ARG, text(reason.as_ptr())));
                }
            }
            (functions.conf_set_dr_msg_cb)(config, on_delivery);
            (functions.conf_set_error_cb)(config, on_error);
            (functions.conf_set_log_cb)(config, on_line);
            (functions.conf_set_opaque)(config, std::ptr::from_ref(functions) as *mut c_void);
            let handle = (functions.new)(PRODUCER, config, reason.as_mut_ptr(), reason.len());
            if handle.is_null() {
                let code = (functions.last_error)();
                (functions.conf_destroy)(config);
                return Err((code, text(reason.as_ptr())));
            }
            (functions.set_log_queue)(handle, null_mut());
            Ok(Client { functions, handle, topics: Mutex::default() })
        }
    }

    pub fn name(&self) -> String {
        unsafe { text((self.functions.name)(self.handle)) }
    }

    /// Returns a topic by its name; the error is a code.
    pub fn topic(&self, name: &str) -> Result<Topic, c_int> {
        let mut topics = self.topics.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(topic) = topics.get(name) {
            return Ok(*topic);
        }
        let bytes = CString::new(name).map_err(|_| INVALID_ARG)?;
        unsafe {
            let made = (self.functions.topic_new)(self.handle, bytes.as_ptr(), null_mut());
            if made.is_null() {
                return Err((self.functions.last_error)());
            }
            topics.insert(name.to_owned(), Topic(made));
            Ok(Topic(made))
        }
    }

    /// Queues a message; the error is a code, and then a block has its bytes still.
    pub fn produce(&self, topic: Topic, message: &Outgoing<'_>) -> Result<(), c_int> {
        let functions = self.functions;
        let (value, flag) = match message.value {
            Content::Nothing => (address(None), COPY),
            Content::Bytes(bytes) => (address(Some(bytes)), COPY),
            Content::Block(block) => match block.take() {
                Some(start) => (Bytes { start, size: block.size() }, FREE),
                None => return Err(INVALID_ARG), // it was sent already
            },
        };
        let headers = message.headers.map_or(null_mut(), |headers| unsafe {
            (functions.headers_copy)(headers.list)
        });
        let arguments = [
            Argument { kind: 2, value: Value { pointer: topic.0 } },
            Argument { kind: 3, value: Value { number: message.partition } },
            Argument { kind: 4, value: Value { bytes: value } },
            Argument { kind: 5, value: Value { bytes: address(message.key) } },
            Argument { kind: 6, value: Value { pointer: message.tag as *mut c_void } },
            Argument { kind: 7, value: Value { number: flag } },
            Argument { kind: 8, value: Value { long: message.timestamp } },
            Argument { kind: 10, value: Value { pointer: headers } },
        ];
        let count = arguments.len() - headers.is_null() as usize;
        unsafe {
            let error = (functions.produceva)(self.handle, arguments.as_ptr(), count);
            if error.is_null() {
                return Ok(()); // and the headers are the message's, as is a block's memory
            }
            if let Content::Block(block) = message.value {
                block.put_back(value.start.cast_mut());
            }
            let code = (functions.error_code)(error);
            (functions.error_destroy)(error);
            if !headers.is_null() {
                (functions.headers_destroy)(headers);
            }
            let is_fatal = (functions.fatal_error)(self.handle, null_mut(), 0) != 0;
            Err(if is_fatal { FATAL } else { code })
        }
    }

    /// Waits so many milliseconds for the first report; returns what is reported.
    pub fn poll(&self, milliseconds: c_int) -> Reports {
        unsafe { (self.functions.poll)(self.handle, milliseconds) };
        reported()
    }

    /// Sends what is queued without waiting for more, and waits until all is answered.
    pub fn flush(&self, milliseconds: c_int) -> Reports {
        unsafe { (self.functions.flush)(self.handle, milliseconds) };
        reported()
    }

    /// Drops what is queued and what waits for an answer: `poll` reports it as failed.
    pub fn purge(&self) {
        unsafe { (self.functions.purge)(self.handle, PURGE_ALL) };
    }

    /// Returns how many messages are not answered and reported.
    pub fn len(&self) -> usize {
        unsafe { (self.functions.outq_len)(self.handle) }.max(0) as usize
    }

    pub fn headers<'a>(
        &self,
        pairs: impl ExactSizeIterator<Item = (&'a [u8], Option<&'a [u8]>)>,
    ) -> Headers {
        let functions = self.functions;
        let list = unsafe { (functions.headers_new)(pairs.len()) };
        for (name, value) in pairs {
            let (length, value) = (name.len() as isize, address(value));
            let (name, start) = (name.as_ptr().cast(), value.start.cast());
            unsafe {
                (functions.header_add)(list, name, length, start, value.size as isize);
            }
        }
        Headers { functions, list }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let topics = self.topics.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        unsafe {
            for topic in take(topics).into_values() {
                (self.functions.topic_destroy)(topic.0);
            }
            (self.functions.destroy)(self.handle);
        }
        drop(reported());
    }
}

impl Drop for Headers {
    fn drop(&mut self) {
        unsafe { (self.functions.headers_destroy)(self.list) };
    }
}

/// Returns where bytes are; an empty text has an address, unlike none.
fn address(bytes: Option<&[u8]>) -> Bytes {
    bytes.map_or(Bytes { start: null(), size: 0 }, |bytes| Bytes {
        start: bytes.as_ptr(),
        size: bytes.len(),
    })
}
