//! What the bytes of a column stand for, for every kind of column that needs no Python.

use crate::decimal::{Groups, Unscaled};
use crate::format::{Format, Prepared};
use crate::sql_text::{self, TextForm};
use crate::temporal::{self, Form, Fraction};
use crate::text::CharTable;

/// What a DECIMAL becomes.
#[derive(Clone, Copy, PartialEq)]
pub enum DecimalForm {
    Unscaled,
    Text,
    Double,
}

/// The conversion of a column.
pub enum Decode {
    Integer { signed: bool },
    NotZero,
    Bit,
    Float,
    Double,
    Utf8,
    Table(CharTable),
    Bytes,
    Padded(usize),
    Reversed,
    Decimal { groups: Groups, scale: usize, form: DecimalForm },
    Day { iso: bool },
    DateTime { fraction: Fraction, form: Form },
    Time { fraction: Fraction, a_second: i64 },
    TimeOfDay { fraction: Fraction, iso: bool },
    Timestamp { fraction: Fraction, shown: usize },
    Year { zero: bool },
    Label(Vec<Prepared>),
    Options(Vec<Prepared>),
    Document,
    /// Any geometry but a point.
    Geometry,
    Point,
    /// A column of a text result set.
    Text(TextForm),
    Python,
}

impl Decode {
    /// Whether the value is made when the rows are read, because it may be refused.
    pub fn is_eager(&self) -> bool {
        match self {
            Decode::DateTime { form, .. } => form.is_bounded(),
            Decode::TimeOfDay { .. } | Decode::Document | Decode::Point | Decode::Python => true,
            _ => false,
        }
    }

    /// Returns what Python's conversion makes of a whole number; None where this is left to it.
    pub fn whole_number(&self, data: &[u8]) -> Option<i64> {
        match self {
            Decode::Integer { signed: true } => signed_integer(data),
            Decode::Text(TextForm::Integer) => sql_text::integer(data),
            _ => None,
        }
    }

    /// Writes a value that is not NULL; None (and any bytes) where this is left to Python.
    #[inline]
    pub fn push<F: Format>(&self, form: &mut F, data: &[u8]) -> Option<()> {
        match self {
            Decode::Integer { signed } => push_integer(form, data, *signed),
            Decode::NotZero => form.truth(data.iter().any(|&byte| byte != 0)),
            Decode::Bit => match data {
                [byte] => form.truth(*byte != 0),
                _ => None,
            },
            Decode::Float => form.float(f32::from_le_bytes(data.try_into().ok()?)),
            Decode::Double => form.double(f64::from_le_bytes(data.try_into().ok()?)),
            Decode::Utf8 => form.utf8(data),
            Decode::Table(table) => table.push(form, data),
            Decode::Bytes => form.bytes(data),
            Decode::Padded(size) if data.len() < *size => {
                let mut padded = data.to_vec();
                padded.resize(*size, 0);
                form.bytes(&padded)
            }
            Decode::Padded(_) => form.bytes(data),
            Decode::Reversed => {
                let reversed: Vec<u8> = data.iter().rev().copied().collect();
                form.bytes(&reversed)
            }
            Decode::Decimal { groups, scale, form: kind } => {
                push_decimal(form, &groups.read(data)?, *scale, *kind)
            }
            Decode::Day { iso } => temporal::push_day(form, data, *iso),
            Decode::DateTime { fraction, form: kind } => {
                temporal::push_datetime(form, data, *fraction, *kind)
            }
            Decode::Time { fraction, a_second } => {
                temporal::push_time(form, data, *fraction, *a_second)
            }
            Decode::TimeOfDay { fraction, iso } => {
                temporal::push_time_of_day(form, data, *fraction, *iso)
            }
            Decode::Timestamp { fraction, shown } => {
                temporal::push_timestamp(form, data, *fraction, *shown)
            }
            Decode::Year { zero } => {
                let years = *data.first()? as i64;
                form.integer(if *zero && years == 0 { 0 } else { years + 1900 })
            }
            Decode::Label(labels) => {
                let label = labels.get(temporal::little_number(data) as usize)?;
                form.text(|out| {
                    out.extend_from_slice(F::part(label));
                    Some(())
                })
            }
            Decode::Options(labels) => push_options(form, labels, data),
            Decode::Geometry => {
                let (srid, wkb) = data.split_first_chunk()?;
                form.geometry(None, wkb, srid_of(srid))
            }
            Decode::Point => {
                let (srid, wkb) = data.split_first_chunk()?;
                form.geometry(Some(coordinates(wkb)?), wkb, srid_of(srid))
            }
            Decode::Text(text) => text.push(form, data),
            Decode::Document | Decode::Python => None,
        }
    }
}

fn push_integer<F: Format>(form: &mut F, data: &[u8], signed: bool) -> Option<()> {
    if signed {
        return form.integer(signed_integer(data)?);
    }
    form.unsigned(unsigned_integer(data)?)
}

fn unsigned_integer(data: &[u8]) -> Option<u64> {
    let mut wide = [0u8; 8];
    wide.get_mut(..data.len())?.copy_from_slice(data);
    Some(u64::from_le_bytes(wide))
}

fn signed_integer(data: &[u8]) -> Option<i64> {
    let unsigned = unsigned_integer(data)?;
    let spare = 64 - 8 * data.len() as u32;
    Some((unsigned << spare) as i64 >> spare)
}

fn push_decimal<F: Format>(
    form: &mut F,
    number: &Unscaled,
    scale: usize,
    kind: DecimalForm,
) -> Option<()> {
    match kind {
        DecimalForm::Unscaled => form.unscaled(number),
        DecimalForm::Text => form.text(|out| {
            out.extend_from_slice(&number.plain_text(scale));
            Some(())
        }),
        DecimalForm::Double => {
            let text = number.plain_text(scale);
            form.double(std::str::from_utf8(&text).ok()?.parse().ok()?)
        }
    }
}

fn srid_of(bytes: &[u8; 4]) -> Option<i32> {
    match i32::from_le_bytes(*bytes) {
        0 => None,
        srid => Some(srid),
    }
}

/// Reads the well-known binary of a point: its byte order, its type, x and y.
fn coordinates(wkb: &[u8]) -> Option<(f64, f64)> {
    let wkb: &[u8; 21] = wkb.try_into().ok()?;
    let read = if wkb[0] == 0 { f64::from_be_bytes } else { f64::from_le_bytes };
    Some((read(wkb[5..13].try_into().ok()?), read(wkb[13..].try_into().ok()?)))
}

/// Writes the chosen options with commas between.
fn push_options<F: Format>(form: &mut F, labels: &[Prepared], data: &[u8]) -> Option<()> {
    form.text(|out| {
        let mut is_first = true;
        for (bit, label) in labels.iter().enumerate() {
            let is_chosen = data.get(bit >> 3).is_some_and(|byte| byte >> (bit & 7) & 1 == 1);
            if is_chosen {
                if !is_first {
                    out.push(b',');
                }
                out.extend_from_slice(F::part(label));
                is_first = false;
            }
        }
        Some(())
    })
}
