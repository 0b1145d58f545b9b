//! Dates and times of row images: numbers, or ISO text.
//!
//! Days that no calendar has, years that MySQL abbreviates and anything beyond the year 9999 are
//! left to Python.

use crate::digits::padded;
use crate::format::Format;

const DAY: i64 = 86_400;
const NANOS: i64 = 1_000_000_000;
const FIRST_NANO_SECOND: i64 = -106_751 * DAY; // as in Debezium: of the first whole day

/// What a number of seconds becomes: so many ticks a second, or text.
#[derive(Clone, Copy)]
pub enum Form {
    Ticks(i64),
    Iso,
}

impl Form {
    /// Whether there are times that it has no value for.
    pub fn is_bounded(self) -> bool {
        matches!(self, Form::Ticks(NANOS))
    }
}

/// A fraction of a second behind a time: its bits, and the nanoseconds of its unit.
#[derive(Clone, Copy)]
pub struct Fraction {
    pub bits: u32,
    pub digits: usize,
    unit: i64,
}

impl Fraction {
    pub fn new(digits: usize) -> Option<Fraction> {
        let width = digits.div_ceil(2);
        (digits <= 6).then(|| Fraction {
            bits: width as u32 * 8,
            digits: width * 2,
            unit: 10i64.pow(9 - 2 * width as u32),
        })
    }

    fn of(&self, packed: i64) -> i64 {
        packed & ((1 << self.bits) - 1)
    }

    fn nanos(&self, packed: i64) -> i64 {
        self.of(packed) * self.unit
    }
}

fn ticks(nanos: i64, a_second: i64) -> i64 {
    nanos / (NANOS / a_second)
}

pub fn number(data: &[u8]) -> i64 {
    data.iter().fold(0, |number, &byte| number << 8 | byte as i64)
}

pub fn little_number(data: &[u8]) -> i64 {
    data.iter().rev().fold(0, |number, &byte| number << 8 | byte as i64)
}

/// Returns the days since 1970-01-01, None where there is no such day.
pub fn epoch_day(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(100..=9999).contains(&year) || !(1..=12).contains(&month) || day < 1 {
        return None;
    }
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + leap as i64,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if day > last {
        return None;
    }
    let shifted = year - (month <= 2) as i64;
    let index = (month + 9) % 12;
    let years = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400;
    Some(years + (153 * index + 2) / 5 - 719_468 + day - 1)
}

/// Returns year, month and day of a number of days since 1970-01-01.
pub fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let index = (5 * day_of_year + 2) / 153;
    let month = if index < 10 { index + 3 } else { index - 9 };
    let day = day_of_year - (153 * index + 2) / 5 + 1;
    (year + era * 400 + (month <= 2) as i64, month, day)
}

pub fn push_date(out: &mut Vec<u8>, (year, month, day): (i64, i64, i64)) {
    padded(out, year as u64, 4);
    out.push(b'-');
    padded(out, month as u64, 2);
    out.push(b'-');
    padded(out, day as u64, 2);
}

pub fn push_clock(out: &mut Vec<u8>, seconds: i64) {
    padded(out, (seconds / 3600) as u64, 2);
    out.push(b':');
    padded(out, (seconds / 60 % 60) as u64, 2);
    out.push(b':');
    padded(out, (seconds % 60) as u64, 2);
}

/// Appends as many digits of a fraction as it needs.
pub fn push_fraction(out: &mut Vec<u8>, nanos: i64) {
    if nanos != 0 {
        out.push(b'.');
        padded(out, nanos as u64, 9);
        while out.last() == Some(&b'0') {
            out.pop();
        }
    }
}

/// Appends a date as ISO text.
pub fn push_iso_date<F: Format>(form: &mut F, date: (i64, i64, i64)) -> Option<()> {
    form.text(|out| {
        push_date(out, date);
        out.push(b'Z');
        Some(())
    })
}

/// Appends a date and the seconds and nanoseconds of the day as ISO text.
pub fn push_iso_datetime<F: Format>(
    form: &mut F,
    date: (i64, i64, i64),
    seconds: i64,
    nanos: i64,
) -> Option<()> {
    form.text(|out| {
        push_date(out, date);
        out.push(b'T');
        push_clock(out, seconds);
        push_fraction(out, nanos);
        out.push(b'Z');
        Some(())
    })
}

/// Writes a DATE of three bytes.
pub fn push_day<F: Format>(form: &mut F, data: &[u8], iso: bool) -> Option<()> {
    let packed = little_number(data);
    let date = (packed >> 9, packed >> 5 & 15, packed & 31);
    let days = epoch_day(date.0, date.1, date.2)?;
    if iso {
        push_iso_date(form, date)
    } else {
        form.integer(days)
    }
}

/// Writes a DATETIME.
pub fn push_datetime<F: Format>(
    form: &mut F,
    data: &[u8],
    fraction: Fraction,
    kind: Form,
) -> Option<()> {
    let packed = number(data);
    let clock = packed >> fraction.bits;
    let date = clock >> 17;
    let months = date >> 5 & 0x1_FFFF;
    let days = epoch_day(months / 13, months % 13, date & 31)?;
    let seconds = (clock >> 12 & 31) * 3600 + (clock >> 6 & 63) * 60 + (clock & 63);
    let total = days * DAY + seconds;
    let nanos = fraction.nanos(packed);
    match kind {
        Form::Ticks(NANOS) => {
            let value = total.checked_mul(NANOS)?.checked_add(nanos)?;
            if total < FIRST_NANO_SECOND {
                return None;
            }
            form.integer(value)
        }
        Form::Ticks(a_second) => form.integer(total * a_second + ticks(nanos, a_second)),
        Form::Iso => {
            if nanos >= NANOS || seconds >= DAY {
                return None;
            }
            push_iso_datetime(form, civil(total.div_euclid(DAY)), seconds, nanos)
        }
    }
}

/// Writes a TIME; negative ones are below the number of the first bit.
pub fn push_time<F: Format>(
    form: &mut F,
    data: &[u8],
    fraction: Fraction,
    a_second: i64,
) -> Option<()> {
    let packed = number(data);
    let offset = 1 << (23 + fraction.bits);
    let is_negative = packed < offset;
    let magnitude = (packed - offset).abs();
    let clock = magnitude >> fraction.bits;
    // the bit behind the sign is no part of a positive number
    let hours = if is_negative { clock >> 12 } else { clock >> 12 & 1023 };
    let seconds = hours * 3600 + (clock >> 6 & 63) * 60 + (clock & 63);
    let value = seconds * a_second + ticks(fraction.nanos(magnitude), a_second);
    form.integer(if is_negative { -value } else { value })
}

/// Writes a TIME that is a time of the day: milliseconds or ISO text; the day's end is its start.
pub fn push_time_of_day<F: Format>(
    form: &mut F,
    data: &[u8],
    fraction: Fraction,
    iso: bool,
) -> Option<()> {
    let magnitude = number(data) - (1 << (23 + fraction.bits));
    if magnitude < 0 {
        return None;
    }
    let clock = magnitude >> fraction.bits;
    let seconds = (clock >> 12) * 3600 + (clock >> 6 & 63) * 60 + (clock & 63);
    let nanos = seconds * NANOS + fraction.nanos(magnitude);
    if nanos > DAY * NANOS {
        return None;
    }
    if !iso {
        return form.integer(nanos / 1_000_000);
    }
    let nanos = nanos % (DAY * NANOS);
    form.text(|out| {
        push_clock(out, nanos / NANOS);
        push_fraction(out, nanos % NANOS);
        out.push(b'Z');
        Some(())
    })
}

/// Writes a TIMESTAMP with as many digits of fraction as the column has; zero is left out.
pub fn push_timestamp<F: Format>(
    form: &mut F,
    data: &[u8],
    fraction: Fraction,
    shown: usize,
) -> Option<()> {
    let packed = number(data);
    if packed == 0 {
        return None;
    }
    let seconds = packed >> fraction.bits;
    form.text(|out| {
        push_date(out, civil(seconds / DAY));
        out.push(b'T');
        push_clock(out, seconds % DAY);
        if fraction.bits > 0 {
            let stored = fraction.of(packed);
            if stored >= 10i64.pow(fraction.digits as u32) {
                return None;
            }
            out.push(b'.');
            let first = out.len();
            padded(out, stored as u64, fraction.digits);
            out.resize(first + shown, b'0');
        }
        out.push(b'Z');
        Some(())
    })
}
