//! Values as Connect's JsonConverter writes them.

use crate::base64;
use crate::decimal::Unscaled;
use crate::digits;
use crate::format::{Format, Prepared};
use crate::java_double;
use crate::text::quote;

/// What the converter makes of the values of a field.
#[derive(Clone, Copy, PartialEq)]
pub enum JsonType {
    /// Numbers without a point, truth values and texts.
    Plain,
    Base64,
    Unscaled,
    Double,
    Float,
    Geometry,
}

/// Writes the values of a field as JSON.
pub struct Json<'a> {
    pub out: &'a mut Vec<u8>,
    pub kind: JsonType,
}

impl Json<'_> {
    fn is(&self, kind: JsonType) -> Option<()> {
        (self.kind == kind).then_some(())
    }

    fn number(&mut self, value: f64) -> Option<()> {
        if digits::double(self.out, value) {
            return Some(());
        }
        java_double::push(self.out, value)
    }

    fn base64(&mut self, data: &[u8]) -> Option<()> {
        self.out.push(b'"');
        base64::encode(self.out, data);
        self.out.push(b'"');
        Some(())
    }
}

impl Format for Json<'_> {
    #[inline]
    fn integer(&mut self, value: i64) -> Option<()> {
        match self.kind {
            JsonType::Plain => digits::signed(self.out, value),
            _ => return self.unscaled(&Unscaled::of(value < 0, value.unsigned_abs())),
        }
        Some(())
    }

    #[inline]
    fn unsigned(&mut self, value: u64) -> Option<()> {
        match self.kind {
            JsonType::Plain => digits::unsigned(self.out, value),
            _ => return self.unscaled(&Unscaled::of(false, value)),
        }
        Some(())
    }

    fn truth(&mut self, value: bool) -> Option<()> {
        self.is(JsonType::Plain)?;
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
        Some(())
    }

    fn float(&mut self, value: f32) -> Option<()> {
        match self.kind {
            JsonType::Float => digits::float(self.out, value).then_some(()),
            _ => self.double(value as f64),
        }
    }

    fn double(&mut self, value: f64) -> Option<()> {
        self.is(JsonType::Double)?;
        self.number(value)
    }

    fn unscaled(&mut self, number: &Unscaled) -> Option<()> {
        self.is(JsonType::Unscaled)?;
        let (bytes, first) = number.twos_complement();
        self.base64(&bytes[first..])
    }

    fn bytes(&mut self, data: &[u8]) -> Option<()> {
        self.is(JsonType::Base64)?;
        self.base64(data)
    }

    #[inline]
    fn utf8(&mut self, data: &[u8]) -> Option<()> {
        self.is(JsonType::Plain)?;
        quote(self.out, data).then_some(())
    }

    #[inline]
    fn text(&mut self, push: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> Option<()> {
        self.is(JsonType::Plain)?;
        self.out.push(b'"');
        push(self.out)?;
        self.out.push(b'"');
        Some(())
    }

    fn geometry(&mut self, point: Option<(f64, f64)>, wkb: &[u8], srid: Option<i32>) -> Option<()> {
        self.is(JsonType::Geometry)?;
        self.out.push(b'{');
        if let Some((x, y)) = point {
            self.out.extend_from_slice(b"\"x\":");
            self.number(x)?;
            self.out.extend_from_slice(b",\"y\":");
            self.number(y)?;
            self.out.push(b',');
        }
        self.out.extend_from_slice(b"\"wkb\":");
        self.base64(wkb)?;
        self.out.extend_from_slice(b",\"srid\":");
        match srid {
            Some(srid) => digits::signed(self.out, srid as i64),
            None => self.out.extend_from_slice(b"null"),
        }
        self.out.push(b'}');
        Some(())
    }

    fn part(text: &Prepared) -> &[u8] {
        &text.escaped
    }
}
