//! What the formats of messages have in common: each writes the values of columns in its own way.

use crate::decimal::Unscaled;
use crate::text::escape;

/// Writes values behind what is written already.
///
/// None (and any bytes) where a value does not fit the field, or is left to Python.
pub trait Format {
    fn integer(&mut self, value: i64) -> Option<()>;
    fn unsigned(&mut self, value: u64) -> Option<()>;
    fn truth(&mut self, value: bool) -> Option<()>;
    fn float(&mut self, value: f32) -> Option<()>;
    fn double(&mut self, value: f64) -> Option<()>;
    fn unscaled(&mut self, number: &Unscaled) -> Option<()>;
    fn bytes(&mut self, data: &[u8]) -> Option<()>;
    /// Writes text if it is valid UTF-8.
    fn utf8(&mut self, data: &[u8]) -> Option<()>;
    /// Writes the text that a function appends, which needs no escapes or has them.
    fn text(&mut self, push: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> Option<()>;
    /// Writes a geometry: the coordinates if it is a point, its well-known binary, its SRID.
    fn geometry(&mut self, point: Option<(f64, f64)>, wkb: &[u8], srid: Option<i32>) -> Option<()>;
    /// Returns a part of a text for `text`.
    fn part(text: &Prepared) -> &[u8];
}

/// A text that many rows have, for every format.
pub struct Prepared {
    pub plain: Vec<u8>,
    /// As it stands between the quotes of a JSON string.
    pub escaped: Vec<u8>,
}

impl Prepared {
    pub fn new(text: &str) -> Prepared {
        let mut escaped = Vec::with_capacity(text.len());
        escape(&mut escaped, text.as_bytes());
        Prepared { plain: text.as_bytes().to_vec(), escaped }
    }
}
