//! The columns of text result sets: numbers and times as the server writes them.
//!
//! What is not written in the usual way is left to Python.

use crate::decimal::Unscaled;
use crate::decode::push_unscaled;
use crate::digits;
use crate::temporal::{epoch_day, push_clock, push_date, push_fraction, Form};
use crate::write::Write;

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

    /// Appends a value; None (and any text) where this is left to Python.
    #[inline]
    pub fn push(self, out: &mut Vec<u8>, data: &[u8], write: Write) -> Option<()> {
        match (self, write) {
            (TextForm::Integer, _) => push_integer(out, data, write),
            (TextForm::Decimal, Write::Unscaled) => {
                push_unscaled(out, &unscaled(data)?);
                Some(())
            }
            (TextForm::Double, Write::Double) => digits::double(out, float(data)?).then_some(()),
            (TextForm::Float, Write::Double) => {
                digits::double(out, float(data)? as f32 as f64).then_some(())
            }
            (TextForm::Float, Write::Float) => {
                digits::float(out, float(data)? as f32).then_some(())
            }
            (_, Write::Plain) => self.push_plain(out, data),
            _ => None,
        }
    }

    fn push_plain(self, out: &mut Vec<u8>, data: &[u8]) -> Option<()> {
        match self {
            TextForm::DecimalText => push_decimal(out, data),
            TextForm::Day { iso } => push_day(out, data, iso),
            TextForm::DateTime(form) => push_datetime(out, data, form),
            TextForm::Time { a_second } => push_time(out, data, a_second),
            TextForm::Timestamp { keeps_zeros } => push_timestamp(out, data, keeps_zeros),
            TextForm::Year => {
                if data.len() != 4 || data[0] == b'0' || !data.iter().all(u8::is_ascii_digit) {
                    return None;
                }
                out.extend_from_slice(data);
                Some(())
            }
            _ => None,
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

fn push_integer(out: &mut Vec<u8>, data: &[u8], write: Write) -> Option<()> {
    let (is_negative, magnitude) = match data {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, data),
    };
    let value = number(magnitude)?;
    let is_padded = magnitude.len() > 1 && magnitude[0] == b'0';
    if is_padded || (is_negative && value == 0) {
        return None;
    }
    match write {
        Write::Plain => out.extend_from_slice(data),
        Write::Unscaled => push_unscaled(out, &Unscaled::of(is_negative, value)),
        _ => return None,
    }
    Some(())
}

fn unscaled(data: &[u8]) -> Option<Unscaled> {
    let (is_negative, magnitude) = match data {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, data),
    };
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

fn push_decimal(out: &mut Vec<u8>, data: &[u8]) -> Option<()> {
    let is_padded = data.len() > 1 && data[0] == b'0' && data[1] != b'.';
    let is_usual = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'-');
    if is_padded || !data.iter().all(is_usual) || data.is_empty() {
        return None;
    }
    push_quoted(out, data);
    Some(())
}

fn push_quoted(out: &mut Vec<u8>, data: &[u8]) {
    out.push(b'"');
    out.extend_from_slice(data);
    out.push(b'"');
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

fn push_day(out: &mut Vec<u8>, data: &[u8], iso: bool) -> Option<()> {
    let found = date(data)?;
    let days = epoch_day(found.0, found.1, found.2)?;
    if !iso {
        digits::signed(out, days);
        return Some(());
    }
    out.push(b'"');
    push_date(out, found);
    out.extend_from_slice(b"Z\"");
    Some(())
}

/// Appends a DATETIME. Before 1583 Debezium reads some days of a snapshot as others.
fn push_datetime(out: &mut Vec<u8>, data: &[u8], form: Form) -> Option<()> {
    let found = date(data.get(..10)?)?;
    if data.get(10) != Some(&b' ') || data.get(13) != Some(&b':') || found.0 < 1583 {
        return None;
    }
    let days = epoch_day(found.0, found.1, found.2)?;
    let (seconds, nanos) = clock(&data[11..])?;
    match form {
        Form::Ticks(a_second) => {
            let total = days * 86_400 + seconds;
            digits::signed(out, total * a_second + nanos / (1_000_000_000 / a_second));
        }
        Form::Iso => {
            if seconds >= 86_400 {
                return None;
            }
            out.push(b'"');
            push_date(out, found);
            out.push(b'T');
            push_clock(out, seconds);
            push_fraction(out, nanos);
            out.extend_from_slice(b"Z\"");
        }
    }
    Some(())
}

fn push_time(out: &mut Vec<u8>, data: &[u8], a_second: i64) -> Option<()> {
    let (is_negative, text) = match data {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, data),
    };
    let (seconds, nanos) = clock(text)?;
    if seconds >= 1 << 31 {
        return None;
    }
    let value = seconds * a_second + nanos / (1_000_000_000 / a_second);
    digits::signed(out, if is_negative { -value } else { value });
    Some(())
}

/// Appends a TIMESTAMP as ISO text, without zeros at its end.
fn push_timestamp(out: &mut Vec<u8>, data: &[u8], keeps_zeros: bool) -> Option<()> {
    let is_usual = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b':' | b' ');
    if data.len() < 19 || data.starts_with(b"0000") || !data.iter().all(is_usual) {
        return None;
    }
    out.push(b'"');
    out.extend_from_slice(&data[..10]);
    out.push(b'T');
    let mut rest = &data[11..];
    if data.len() > 19 && !keeps_zeros {
        while let [before @ .., b'0'] = rest {
            rest = before;
        }
        while let [before @ .., b'.'] = rest {
            rest = before;
        }
    }
    out.extend_from_slice(rest);
    out.extend_from_slice(b"Z\"");
    Some(())
}
