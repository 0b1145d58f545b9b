//! How the bytes of a column become JSON, for every kind of column that needs no Python.

use crate::base64;
use crate::decimal::{Groups, Unscaled};
use crate::digits;
use crate::sql_text::TextForm;
use crate::temporal::{self, Form, Fraction};
use crate::text::{quote, CharTable};
use crate::write::Write;

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
    Label(Vec<Vec<u8>>),
    Options(Vec<Vec<u8>>),
    Document,
    /// A column of a text result set.
    Text(TextForm),
    Python,
}

impl Decode {
    /// Whether the value is made when the rows are read, because it may be refused.
    pub fn is_eager(&self) -> bool {
        match self {
            Decode::DateTime { form, .. } => form.is_bounded(),
            Decode::TimeOfDay { .. } | Decode::Document | Decode::Python => true,
            _ => false,
        }
    }

    /// Appends a value that is not NULL; None (and any text) where this is left to Python.
    #[inline]
    pub fn push(&self, out: &mut Vec<u8>, data: &[u8], write: Write) -> Option<()> {
        match (self, write) {
            (Decode::Integer { signed }, _) => return push_integer(out, data, *signed, write),
            (Decode::Float, _) => return push_float(out, data, write),
            (Decode::Text(form), _) => return form.push(out, data, write),
            (Decode::Decimal { groups, scale, form }, _) => {
                return push_decimal(out, groups.read(data)?, *scale, *form, write)
            }
            (Decode::Double, Write::Double) => {
                let value = f64::from_le_bytes(data.try_into().ok()?);
                return digits::double(out, value).then_some(());
            }
            (Decode::Bytes, Write::Base64) => push_base64(out, data),
            (Decode::Padded(size), Write::Base64) if data.len() < *size => {
                let mut padded = data.to_vec();
                padded.resize(*size, 0);
                push_base64(out, &padded);
            }
            (Decode::Padded(_), Write::Base64) => push_base64(out, data),
            (Decode::Reversed, Write::Base64) => {
                let reversed: Vec<u8> = data.iter().rev().copied().collect();
                push_base64(out, &reversed);
            }
            (_, Write::Plain) => return self.push_plain(out, data),
            _ => return None,
        }
        Some(())
    }

    /// Appends a text, truth value or point in time.
    pub fn push_plain(&self, out: &mut Vec<u8>, data: &[u8]) -> Option<()> {
        match self {
            Decode::Utf8 => return quote(out, data).then_some(()),
            Decode::Table(table) => table.quote(out, data),
            Decode::NotZero => {
                let truth = data.iter().any(|&byte| byte != 0);
                out.extend_from_slice(if truth { b"true" } else { b"false" });
            }
            Decode::Bit => match data {
                [byte] => out.extend_from_slice(if *byte != 0 { b"true" } else { b"false" }),
                _ => return None,
            },
            Decode::Day { iso } => return temporal::push_day(out, data, *iso),
            Decode::DateTime { fraction, form } => {
                return temporal::push_datetime(out, data, *fraction, *form)
            }
            Decode::Time { fraction, a_second } => {
                temporal::push_time(out, data, *fraction, *a_second)
            }
            Decode::TimeOfDay { fraction, iso } => {
                return temporal::push_time_of_day(out, data, *fraction, *iso)
            }
            Decode::Timestamp { fraction, shown } => {
                return temporal::push_timestamp(out, data, *fraction, *shown)
            }
            Decode::Year { zero } => {
                let years = *data.first()? as i64;
                digits::signed(out, if *zero && years == 0 { 0 } else { years + 1900 });
            }
            Decode::Label(labels) => {
                let index = temporal::little_number(data) as usize;
                out.extend_from_slice(labels.get(index)?);
            }
            Decode::Options(labels) => push_options(out, labels, data),
            _ => return None,
        }
        Some(())
    }
}

fn push_integer(out: &mut Vec<u8>, data: &[u8], signed: bool, write: Write) -> Option<()> {
    let mut wide = [0u8; 8];
    wide.get_mut(..data.len())?.copy_from_slice(data);
    let unsigned = u64::from_le_bytes(wide);
    let spare = 64 - 8 * data.len() as u32;
    let value = (unsigned << spare) as i64 >> spare;
    match (write, signed) {
        (Write::Plain, true) => digits::signed(out, value),
        (Write::Plain, false) => digits::unsigned(out, unsigned),
        (Write::Unscaled, true) => {
            push_unscaled(out, &Unscaled::of(value < 0, value.unsigned_abs()))
        }
        (Write::Unscaled, false) => push_unscaled(out, &Unscaled::of(false, unsigned)),
        _ => return None,
    }
    Some(())
}

fn push_float(out: &mut Vec<u8>, data: &[u8], write: Write) -> Option<()> {
    let value = f32::from_le_bytes(data.try_into().ok()?);
    let is_written = match write {
        Write::Float => digits::float(out, value),
        Write::Double => digits::double(out, value as f64),
        _ => false,
    };
    is_written.then_some(())
}

fn push_decimal(
    out: &mut Vec<u8>,
    number: Unscaled,
    scale: usize,
    form: DecimalForm,
    write: Write,
) -> Option<()> {
    match (form, write) {
        (DecimalForm::Unscaled, Write::Unscaled) => push_unscaled(out, &number),
        (DecimalForm::Text, Write::Plain) => {
            out.push(b'"');
            out.extend_from_slice(&number.plain_text(scale));
            out.push(b'"');
        }
        (DecimalForm::Double, Write::Double) => {
            let text = number.plain_text(scale);
            let value: f64 = std::str::from_utf8(&text).ok()?.parse().ok()?;
            return digits::double(out, value).then_some(());
        }
        _ => return None,
    }
    Some(())
}

pub fn push_unscaled(out: &mut Vec<u8>, number: &Unscaled) {
    let (bytes, first) = number.twos_complement();
    push_base64(out, &bytes[first..]);
}

fn push_base64(out: &mut Vec<u8>, data: &[u8]) {
    out.push(b'"');
    base64::encode(out, data);
    out.push(b'"');
}

/// Appends the chosen options, whose texts are escaped, with commas between.
fn push_options(out: &mut Vec<u8>, labels: &[Vec<u8>], data: &[u8]) {
    out.push(b'"');
    let mut is_first = true;
    for (bit, label) in labels.iter().enumerate() {
        let is_chosen = data.get(bit >> 3).is_some_and(|byte| byte >> (bit & 7) & 1 == 1);
        if is_chosen {
            if !is_first {
                out.push(b',');
            }
            out.extend_from_slice(label);
            is_first = false;
        }
    }
    out.push(b'"');
}
