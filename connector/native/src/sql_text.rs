//! The columns of text result sets: numbers and times as the server writes them.
//!
//! What is not written in the usual way is left to Python.

use crate::decimal::Unscaled;
use crate::format::Format;
use crate::temporal::{epoch_day, push_iso_date, push_iso_datetime, Form};

/// The kinds of text.
#[derive(Clone, Copy)]
pub enum TextForm {
    Integer,
    Decimal,
    DecimalText,
    Double,
    Float,
    Day { iso: bool },
    DateTime(Form),
    Time { a_second: i64 },
    Timestamp { keeps_zeros: bool },
    Year,
}

impl TextForm {
    pub fn named(name: &str) -> Option<TextForm> {
        Some(match name {
            "integer" => TextForm::Integer,
            "unscaled" => TextForm::Decimal,
            "plain-decimal" => TextForm::DecimalText,
            "double" => TextForm::Double,
            "float" => TextForm::Float,
            "day" => TextForm::Day { iso: false },
            "iso-day" => TextForm::Day { iso: true },
            "iso-datetime" => TextForm::DateTime(Form::Iso),
            "milli-datetime" => TextForm::DateTime(Form::Ticks(1000)),
            "micro-datetime" => TextForm::DateTime(Form::Ticks(1_000_000)),
            "micro-time" => TextForm::Time { a_second: 1_000_000 },
            "nano-time" => TextForm::Time { a_second: 1_000_000_000 },
            "timestamp" => TextForm::Timestamp { keeps_zeros: false },
            "whole-timestamp" => TextForm::Timestamp { keeps_zeros: true },
            "year" => TextForm::Year,
            _ => return None,
        })
    }

    /// Writes a value; None (and any bytes) where this is left to Python.
    #[inline]
    pub fn push<F: Format>(self, form: &mut F, data: &[u8]) -> Option<()> {
        match self {
            TextForm::Integer => form.integer(integer(data)?),
            TextForm::Decimal => form.unscaled(&unscaled(data)?),
            TextForm::DecimalText => push_decimal(form, data),
            TextForm::Double => form.double(float(data)?),
            TextForm::Float => {
                let value = float(data)? as f32;
                value.is_finite().then(|| form.float(value))?
            }
            TextForm::Day { iso } => push_day(form, data, iso),
            TextForm::DateTime(kind) => push_datetime(form, data, kind),
            TextForm::Time { a_second } => push_time(form, data, a_second),
            TextForm::Timestamp { keeps_zeros } => push_timestamp(form, data, keeps_zeros),
            TextForm::Year => {
                let is_usual = data.len() == 4 && data[0] != b'0';
                form.integer(number(data).filter(|_| is_usual)? as i64)
            }
        }
    }
}

/// Reads up to 18 digits.
fn number(data: &[u8]) -> Option<u64> {
    if data.is_empty() || data.len() > 18 || !data.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(data.iter().fold(0, |number, &digit| number * 10 + (digit - b'0') as u64))
}

/// Splits off the minus sign.
fn signed(data: &[u8]) -> (bool, &[u8]) {
    match data {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, data),
    }
}

/// Reads a whole number; None where this is left to Python.
pub fn integer(data: &[u8]) -> Option<i64> {
    let (is_negative, magnitude) = signed(data);
    let value = number(magnitude)? as i64;
    Some(if is_negative { -value } else { value })
}

fn unscaled(data: &[u8]) -> Option<Unscaled> {
    let (is_negative, magnitude) = signed(data);
    let mut number = Unscaled::of(is_negative, 0);
    let (mut digits, mut points) = (0, 0);
    for &byte in magnitude {
        match byte {
            b'0'..=b'9' => {
                number.append_digit(byte - b'0');
                digits += 1;
            }
            b'.' => points += 1,
            _ => return None,
        }
    }
    ((1..=65).contains(&digits) && points <= 1).then_some(number)
}

fn push_decimal<F: Format>(form: &mut F, data: &[u8]) -> Option<()> {
    let is_padded = data.len() > 1 && data[0] == b'0' && data[1] != b'.';
    let is_usual = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'-');
    if is_padded || !data.iter().all(is_usual) || data.is_empty() {
        return None;
    }
    form.text(|out| {
        out.extend_from_slice(data);
        Some(())
    })
}

fn float(data: &[u8]) -> Option<f64> {
    let is_usual = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E');
    if !data.iter().all(is_usual) {
        return None;
    }
    std::str::from_utf8(data).ok()?.parse().ok()
}

/// Reads `yyyy-mm-dd`.
fn date(data: &[u8]) -> Option<(i64, i64, i64)> {
    if data.len() != 10 || data[4] != b'-' || data[7] != b'-' {
        return None;
    }
    let part = |from: usize, to: usize| number(&data[from..to]).map(|number| number as i64);
    Some((part(0, 4)?, part(5, 7)?, part(8, 10)?))
}

/// Reads `hh:mm:ss` with more digits of hours perhaps, and a fraction: seconds and nanoseconds.
fn clock(data: &[u8]) -> Option<(i64, i64)> {
    let hours = data.iter().position(|&byte| byte == b':')?;
    let rest = &data[hours..];
    if rest.len() < 6 || rest[3] != b':' {
        return None;
    }
    let part = |text: &[u8]| number(text).map(|number| number as i64);
    let seconds = part(&data[..hours])?.checked_mul(3600)?;
    let seconds = seconds.checked_add(part(&rest[1..3])? * 60 + part(&rest[4..6])?)?;
    match &rest[6..] {
        [] => Some((seconds, 0)),
        [b'.', fraction @ ..] if fraction.len() <= 6 => {
            Some((seconds, part(fraction)? * 10i64.pow(9 - fraction.len() as u32)))
        }
        _ => None,
    }
}

fn push_day<F: Format>(form: &mut F, data: &[u8], iso: bool) -> Option<()> {
    let found = date(data)?;
    let days = epoch_day(found.0, found.1, found.2)?;
    if iso {
        push_iso_date(form, found)
    } else {
        form.integer(days)
    }
}

/// Writes a DATETIME. Before 1583 Debezium reads some days of a snapshot as others.
fn push_datetime<F: Format>(form: &mut F, data: &[u8], kind: Form) -> Option<()> {
    let found = date(data.get(..10)?)?;
    if data.get(10) != Some(&b' ') || data.get(13) != Some(&b':') || found.0 < 1583 {
        return None;
    }
    let days = epoch_day(found.0, found.1, found.2)?;
    let (seconds, nanos) = clock(&data[11..])?;
    match kind {
        Form::Ticks(a_second) => {
            let total = days * 86_400 + seconds;
            form.integer(total * a_second + nanos / (1_000_000_000 / a_second))
        }
        Form::Iso if seconds >= 86_400 => None,
        Form::Iso => push_iso_datetime(form, found, seconds, nanos),
    }
}

fn push_time<F: Format>(form: &mut F, data: &[u8], a_second: i64) -> Option<()> {
    let (is_negative, text) = signed(data);
    let (seconds, nanos) = clock(text)?;
    if seconds >= 1 << 31 {
        return None;
    }
    let value = seconds * a_second + nanos / (1_000_000_000 / a_second);
    form.integer(if is_negative { -value } else { value })
}

/// Writes a TIMESTAMP as ISO text, without zeros at its end.
fn push_timestamp<F: Format>(form: &mut F, data: &[u8], keeps_zeros: bool) -> Option<()> {
    let is_usual = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b':' | b' ');
    if data.len() < 19 || data.starts_with(b"0000") || !data.iter().all(is_usual) {
        return None;
    }
    let mut rest = &data[11..];
    if data.len() > 19 && !keeps_zeros {
        while let [before @ .., b'0'] = rest {
            rest = before;
        }
        while let [before @ .., b'.'] = rest {
            rest = before;
        }
    }
    form.text(|out| {
        out.extend_from_slice(&data[..10]);
        out.push(b'T');
        out.extend_from_slice(rest);
        out.push(b'Z');
        Some(())
    })
}
