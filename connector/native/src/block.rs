//! Memory of the C library, which librdkafka can take over instead of copying it.

#![allow(unsafe_code)]

use std::ptr::null_mut;
use std::slice::from_raw_parts;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Bytes that someone else can take over, once.
pub struct Block {
    start: AtomicPtr<u8>,
    size: usize,
}

impl Block {
    /// Joins pieces, which have that size altogether; None without memory.
    pub fn of(pieces: &[&[u8]], size: usize) -> Option<Block> {
        let start = unsafe { libc::malloc(size.max(1)) }.cast::<u8>();
        if start.is_null() {
            return None;
        }
        let block = Block { start: AtomicPtr::new(start), size };
        let mut at = 0;
        for piece in pieces {
            assert!(piece.len() <= size - at);
            unsafe { start.add(at).copy_from_nonoverlapping(piece.as_ptr(), piece.len()) };
            at += piece.len();
        }
        assert!(at == size);
        Some(block)
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// Reads the bytes; None once they were taken.
    pub fn read<T>(&self, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let start = self.take()?; // so that they are not freed meanwhile
        let result = read(unsafe { from_raw_parts(start, self.size) });
        self.put_back(start);
        Some(result)
    }

    /// Returns the start of the bytes, for `free`; None once they were taken.
    pub fn take(&self) -> Option<*mut u8> {
        let start = self.start.swap(null_mut(), Ordering::AcqRel);
        (!start.is_null()).then_some(start)
    }

    /// Takes back what `take` returned and was not freed.
    pub fn put_back(&self, start: *mut u8) {
        self.start.store(start, Ordering::Release);
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        unsafe { libc::free(self.start.load(Ordering::Acquire).cast()) };
    }
}
