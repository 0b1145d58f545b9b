//! `Double.toString` of JDK 17, where the number is written with an exponent.
//!
//! It follows `connector.data.java`, which describes the algorithm and its oddities, for all
//! numbers whose scaled parts fit 64 bits.

use crate::digits;

const POWERS_OF_5: [i64; 28] = powers_of_5();
const BITS: i32 = 53;

const fn powers_of_5() -> [i64; 28] {
    let mut powers = [1i64; 28];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 5;
        at += 1;
    }
    powers
}

/// Appends a number; None (and nothing) where it is left to Python.
pub fn push(out: &mut Vec<u8>, value: f64) -> Option<()> {
    let magnitude = value.abs();
    if !magnitude.is_normal() {
        return None;
    }
    let (digits, exponent) = if magnitude < 9_223_372_036_854_775_808.0 && magnitude.fract() == 0.0
    {
        integral_digits(magnitude as u64)
    } else {
        fractional_digits(magnitude)?
    };
    if (-3..7).contains(&exponent) {
        return None;
    }
    if value < 0.0 {
        out.push(b'-');
    }
    let mut text = Vec::with_capacity(20);
    digits::unsigned(&mut text, digits);
    let used = text.iter().rposition(|&digit| digit != b'0').map_or(1, |last| last + 1);
    out.push(text[0]);
    out.push(b'.');
    out.extend_from_slice(if used > 1 { &text[1..used] } else { b"0" });
    out.push(b'E');
    digits::signed(out, i64::from(exponent));
    Some(())
}

/// Digits and decimal exponent of an integer, without those below its binary precision.
fn integral_digits(number: u64) -> (u64, i32) {
    let spare_bits = 64 - number.leading_zeros() as i32 - 2 - BITS;
    let insignificant = if spare_bits > 1 { (1u32 << spare_bits).ilog10() } else { 0 };
    let unit = 10u64.pow(insignificant);
    let rounded = number / unit + u64::from(insignificant > 0 && number % unit >= unit >> 1);
    (rounded, (rounded.ilog10() + insignificant) as i32)
}

/// Digits of a number and the decimal exponent of the first one.
fn fractional_digits(value: f64) -> Option<(u64, i32)> {
    let (mut rest, unit, mut half, mut exponent) = scaled(value)?;
    let (mut number, mut count, mut rounds) = (0u64, 0, 0);
    let (mut low, mut high) = (false, false);
    while !(low || high) || (rounds == 1 && !(-3..8).contains(&exponent)) {
        let digit = rest / unit;
        rest = (rest % unit).checked_mul(10)?;
        half = half.wrapping_mul(10); // as in Java, where it may overflow
        rounds += 1;
        low = rest < half || half <= 0;
        high = rest.wrapping_add(half) > unit * 10 || half <= 0;
        if rounds == 1 && digit == 0 && !high {
            exponent -= 1;
        } else {
            number = number.checked_mul(10)?.checked_add(u64::try_from(digit).ok()?)?;
            count += 1;
        }
    }
    if high && (!low || rest + (number & 1) as i64 > unit * 5) {
        number += 1;
    }
    let length = number.checked_ilog10()? as i32 + 1;
    Some((number, exponent + length - count))
}

/// Returns a number as `rest / unit * 10^exponent`, with the half of its last binary place.
fn scaled(value: f64) -> Option<(i64, i64, i64, i32)> {
    let bits = value.to_bits();
    let binary = (bits >> 52) as i32 - 1022;
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    let fraction = mantissa as f64 / (1u64 << 53) as f64;
    let odd = mantissa >> mantissa.trailing_zeros();
    let length = 64 - odd.leading_zeros() as i32;
    let steepness = (fraction * 2.0 - 1.5) * 0.289529654;
    let estimate = steepness + 0.176091259 + f64::from(binary - 1) * 0.301029995663981;
    let exponent = estimate.floor() as i32;
    let (rest_fives, unit_fives) = ((-exponent).max(0), exponent.max(0));
    let rest_twos = binary - length + rest_fives;
    let half_twos = binary - BITS - 1 - i32::from(length == 1) + rest_fives;
    let common = rest_twos.min(unit_fives).min(half_twos);
    let (rest_twos, unit_twos, half_twos) =
        (rest_twos - common, unit_fives - common, half_twos - common);
    let half = *POWERS_OF_5.get(rest_fives as usize)?;
    let unit = *POWERS_OF_5.get(unit_fives as usize)?;
    let fits = length + rest_twos + size(half.into()) < 64
        && unit_twos + 1 + size(i128::from(unit) * 5) < 64
        && half_twos + size(half.into()) < 64;
    fits.then(|| ((odd as i64 * half) << rest_twos, unit << unit_twos, half << half_twos, exponent))
}

/// Returns how many bits a positive number has.
fn size(number: i128) -> i32 {
    128 - number.leading_zeros() as i32
}
