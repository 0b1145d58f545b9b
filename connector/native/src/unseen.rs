//! Values that a field does not show: whether the core can read them.

use crate::decimal::Unscaled;
use crate::format::{Format, Prepared};
use crate::text::is_utf8;

/// Writes nothing; refuses what Python has to convert, which may make it a NULL.
pub struct Unseen<'a> {
    scratch: &'a mut Vec<u8>,
}

impl<'a> Unseen<'a> {
    /// Lets a function write a value, and removes what it wrote.
    #[inline]
    pub fn of(
        out: &'a mut Vec<u8>,
        push: impl FnOnce(&mut Unseen<'_>) -> Option<()>,
    ) -> Option<()> {
        let start = out.len();
        let found = push(&mut Unseen { scratch: out });
        out.truncate(start);
        found
    }
}

impl Format for Unseen<'_> {
    fn integer(&mut self, _: i64) -> Option<()> {
        Some(())
    }

    fn unsigned(&mut self, _: u64) -> Option<()> {
        Some(())
    }

    fn truth(&mut self, _: bool) -> Option<()> {
        Some(())
    }

    fn float(&mut self, _: f32) -> Option<()> {
        Some(())
    }

    fn double(&mut self, _: f64) -> Option<()> {
        Some(())
    }

    fn unscaled(&mut self, _: &Unscaled) -> Option<()> {
        Some(())
    }

    fn bytes(&mut self, _: &[u8]) -> Option<()> {
        Some(())
    }

    fn utf8(&mut self, data: &[u8]) -> Option<()> {
        is_utf8(data).then_some(())
    }

    fn text(&mut self, push: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> Option<()> {
        push(self.scratch)
    }

    fn geometry(&mut self, _: Option<(f64, f64)>, _: &[u8], _: Option<i32>) -> Option<()> {
        Some(())
    }

    fn part(text: &Prepared) -> &[u8] {
        &text.plain
    }
}
