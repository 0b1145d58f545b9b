//! Values in Avro's binary encoding; the branch of a union is part of a field's label.

use crate::decimal::Unscaled;
use crate::format::{Format, Prepared};
use crate::text::is_utf8;

/// The type of a field.
#[derive(Clone, Copy, PartialEq)]
pub enum AvroType {
    Boolean,
    /// An integer of so many bits.
    Integer(u32),
    Float,
    Double,
    String,
    Bytes,
    /// The bytes of a decimal.
    Unscaled,
    Geometry,
}

/// Writes the values of a field in Avro.
pub struct Avro<'a> {
    pub out: &'a mut Vec<u8>,
    pub kind: AvroType,
}

/// The branches of null and of a value in a union.
const NULL: u8 = 0;
const PRESENT: u8 = 2;
/// Lengths of texts below this take one byte.
const SHORT: usize = 64;

/// Appends a number: zigzag, seven bits a byte, the lowest first.
pub fn push_long(out: &mut Vec<u8>, value: i64) {
    let mut rest = (value << 1 ^ value >> 63) as u64;
    while rest > 0x7F {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

impl Avro<'_> {
    fn is(&self, kind: AvroType) -> Option<()> {
        (self.kind == kind).then_some(())
    }

    fn block(&mut self, data: &[u8]) -> Option<()> {
        push_long(self.out, i64::try_from(data.len()).ok()?);
        self.out.extend_from_slice(data);
        Some(())
    }
}

impl Format for Avro<'_> {
    /// Python has the error for a number that is too large for its type.
    #[inline]
    fn integer(&mut self, value: i64) -> Option<()> {
        let AvroType::Integer(bits) = self.kind else {
            return self.unscaled(&Unscaled::of(value < 0, value.unsigned_abs()));
        };
        let spare = 64 - bits;
        (value << spare >> spare == value).then(|| push_long(self.out, value))
    }

    fn unsigned(&mut self, value: u64) -> Option<()> {
        match i64::try_from(value) {
            Ok(value) => self.integer(value),
            Err(_) => self.unscaled(&Unscaled::of(false, value)),
        }
    }

    fn truth(&mut self, value: bool) -> Option<()> {
        self.is(AvroType::Boolean)?;
        self.out.push(value as u8);
        Some(())
    }

    /// A NaN is encoded by Python: converting it to a double may change its bits.
    fn float(&mut self, value: f32) -> Option<()> {
        if self.kind == AvroType::Double {
            return self.double(value as f64);
        }
        self.is(AvroType::Float)?;
        (!value.is_nan()).then(|| self.out.extend_from_slice(&value.to_le_bytes()))
    }

    fn double(&mut self, value: f64) -> Option<()> {
        self.is(AvroType::Double)?;
        (!value.is_nan()).then(|| self.out.extend_from_slice(&value.to_le_bytes()))
    }

    fn unscaled(&mut self, number: &Unscaled) -> Option<()> {
        self.is(AvroType::Unscaled)?;
        let (bytes, first) = number.twos_complement();
        self.block(&bytes[first..])
    }

    fn bytes(&mut self, data: &[u8]) -> Option<()> {
        self.is(AvroType::Bytes)?;
        self.block(data)
    }

    #[inline]
    fn utf8(&mut self, data: &[u8]) -> Option<()> {
        self.is(AvroType::String)?;
        if !is_utf8(data) {
            return None;
        }
        self.block(data)
    }

    fn text(&mut self, push: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> Option<()> {
        self.is(AvroType::String)?;
        let start = self.out.len();
        self.out.push(0);
        push(self.out)?;
        let size = self.out.len() - start - 1;
        if size < SHORT {
            self.out[start] = (size as u8) << 1;
        } else {
            let mut length = Vec::with_capacity(10);
            push_long(&mut length, i64::try_from(size).ok()?);
            self.out.splice(start..=start, length);
        }
        Some(())
    }

    fn geometry(&mut self, point: Option<(f64, f64)>, wkb: &[u8], srid: Option<i32>) -> Option<()> {
        self.is(AvroType::Geometry)?;
        if let Some((x, y)) = point {
            if x.is_nan() || y.is_nan() {
                return None;
            }
            self.out.extend_from_slice(&x.to_le_bytes());
            self.out.extend_from_slice(&y.to_le_bytes());
            self.out.push(PRESENT);
        }
        self.block(wkb)?;
        match srid {
            Some(srid) => {
                self.out.push(PRESENT);
                push_long(self.out, srid as i64);
            }
            None => self.out.push(NULL),
        }
        Some(())
    }

    fn part(text: &Prepared) -> &[u8] {
        &text.plain
    }
}
