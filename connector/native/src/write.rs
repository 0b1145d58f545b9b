//! How a converter writes the values of a field.

use crate::avro::{Avro, AvroType};
use crate::decode::Decode;
use crate::format::Format;
use crate::json::{Json, JsonType};
use crate::unseen::Unseen;

/// The ways of writing; `Python` calls the converter for each value.
#[derive(Clone, Copy, PartialEq)]
pub enum Write {
    Json(JsonType),
    Avro(AvroType),
    /// Nothing: all values but NULL become the same, which is part of the label.
    Fixed,
    Python,
}

impl Write {
    /// How JSON has numbers without a point, and texts.
    pub const PLAIN: Write = Write::Json(JsonType::Plain);

    /// Returns the way of a name; an unknown one is Python's.
    pub fn named(name: Option<&str>) -> Write {
        match name {
            Some("plain") => Write::PLAIN,
            Some("base64") => Write::Json(JsonType::Base64),
            Some("unscaled") => Write::Json(JsonType::Unscaled),
            Some("double") => Write::Json(JsonType::Double),
            Some("float") => Write::Json(JsonType::Float),
            Some("geometry") => Write::Json(JsonType::Geometry),
            Some("fixed") => Write::Fixed,
            Some("avro boolean") => Write::Avro(AvroType::Boolean),
            Some("avro int8") => Write::Avro(AvroType::Integer(8)),
            Some("avro int16") => Write::Avro(AvroType::Integer(16)),
            Some("avro int32") => Write::Avro(AvroType::Integer(32)),
            Some("avro int64") => Write::Avro(AvroType::Integer(64)),
            Some("avro float32") => Write::Avro(AvroType::Float),
            Some("avro float64") => Write::Avro(AvroType::Double),
            Some("avro string") => Write::Avro(AvroType::String),
            Some("avro bytes") => Write::Avro(AvroType::Bytes),
            Some("avro unscaled") => Write::Avro(AvroType::Unscaled),
            Some("avro geometry") => Write::Avro(AvroType::Geometry),
            _ => Write::Python,
        }
    }

    /// Appends a value that is not NULL; None (and any bytes) where this is left to Python.
    #[inline]
    pub fn push(self, out: &mut Vec<u8>, decode: &Decode, data: &[u8]) -> Option<()> {
        match self {
            Write::Json(kind) => decode.push(&mut Json { out, kind }, data),
            Write::Avro(kind) => decode.push(&mut Avro { out, kind }, data),
            Write::Fixed => Unseen::of(out, |unseen| decode.push(unseen, data)),
            Write::Python => None,
        }
    }

    /// Appends an integer, as `push` does with a value.
    pub fn push_integer(self, out: &mut Vec<u8>, value: i64) -> Option<()> {
        match self {
            Write::Json(kind) => Json { out, kind }.integer(value),
            Write::Avro(kind) => Avro { out, kind }.integer(value),
            Write::Fixed => Unseen::of(out, |unseen| unseen.integer(value)),
            Write::Python => None,
        }
    }

    /// Appends a truth value, as `push` does with a value.
    pub fn push_truth(self, out: &mut Vec<u8>, value: bool) -> Option<()> {
        match self {
            Write::Json(kind) => Json { out, kind }.truth(value),
            Write::Avro(kind) => Avro { out, kind }.truth(value),
            Write::Fixed => Unseen::of(out, |unseen| unseen.truth(value)),
            Write::Python => None,
        }
    }

    /// Appends text, as `push` does with a value.
    pub fn push_text(self, out: &mut Vec<u8>, text: &[u8]) -> Option<()> {
        match self {
            Write::Json(kind) => Json { out, kind }.utf8(text),
            Write::Avro(kind) => Avro { out, kind }.utf8(text),
            Write::Fixed => Unseen::of(out, |unseen| unseen.utf8(text)),
            Write::Python => None,
        }
    }
}
