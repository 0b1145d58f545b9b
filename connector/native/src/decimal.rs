//! DECIMAL: groups of nine digits in four bytes, shorter ones at both ends.

use crate::digits;

/// An unscaled number: sign and magnitude, the least significant limb first.
#[derive(Clone, Copy)]
pub struct Unscaled {
    pub negative: bool,
    limbs: [u32; LIMBS],
}

const LIMBS: usize = 8; // 65 digits take 216 bits; groups of any bits at most 256
const SIZES: [usize; 10] = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4];

impl Unscaled {
    pub fn of(negative: bool, magnitude: u64) -> Unscaled {
        let mut limbs = [0; LIMBS];
        limbs[0] = magnitude as u32;
        limbs[1] = (magnitude >> 32) as u32;
        Unscaled { negative, limbs }
    }

    fn multiply_add(&mut self, factor: u32, summand: u32) {
        let mut carry = summand as u64;
        for limb in &mut self.limbs {
            let sum = *limb as u64 * factor as u64 + carry;
            *limb = sum as u32;
            carry = sum >> 32;
        }
    }

    /// Puts a decimal digit behind the number; 65 of them fit.
    pub fn append_digit(&mut self, digit: u8) {
        self.multiply_add(10, digit as u32);
    }

    /// Returns the number if it is a small one.
    fn small(&self) -> Option<u64> {
        let fits = self.limbs[2..].iter().all(|&limb| limb == 0);
        fits.then_some((self.limbs[1] as u64) << 32 | self.limbs[0] as u64)
    }

    fn is_zero(&self) -> bool {
        self.limbs.iter().all(|&limb| limb == 0)
    }

    /// Returns the shortest two's complement, big-endian: the bytes behind the index.
    pub fn twos_complement(&self) -> ([u8; LIMBS * 4 + 1], usize) {
        let mut bytes = [0u8; LIMBS * 4 + 1];
        for (number, limb) in self.limbs.iter().rev().enumerate() {
            bytes[1 + number * 4..5 + number * 4].copy_from_slice(&limb.to_be_bytes());
        }
        if self.negative && !self.is_zero() {
            let mut carry = true;
            for byte in bytes.iter_mut().rev() {
                let (sum, over) = (!*byte).overflowing_add(carry as u8);
                *byte = sum;
                carry = over;
            }
        }
        let fill = if bytes[0] & 0x80 == 0 { 0 } else { 0xFF };
        let mut first = 0;
        while first + 1 < bytes.len()
            && bytes[first] == fill
            && (bytes[first + 1] ^ fill) & 0x80 == 0
        {
            first += 1;
        }
        (bytes, first)
    }

    /// Appends all digits of the magnitude.
    fn push_digits(&self, out: &mut Vec<u8>) {
        if let Some(small) = self.small() {
            return digits::unsigned(out, small);
        }
        let mut rest = *self;
        let mut groups = Vec::with_capacity(9);
        while !rest.is_zero() {
            let mut remainder = 0u64;
            for limb in rest.limbs.iter_mut().rev() {
                let part = remainder << 32 | *limb as u64;
                *limb = (part / 1_000_000_000) as u32;
                remainder = part % 1_000_000_000;
            }
            groups.push(remainder);
        }
        let mut groups = groups.into_iter().rev();
        digits::unsigned(out, groups.next().unwrap_or(0));
        for group in groups {
            digits::padded(out, group, 9);
        }
    }

    /// Returns plain text with all digits of a scale.
    pub fn plain_text(&self, scale: usize) -> Vec<u8> {
        let mut digits = Vec::with_capacity(80);
        self.push_digits(&mut digits);
        let mut text = Vec::with_capacity(digits.len() + 3);
        if self.negative && !self.is_zero() {
            text.push(b'-');
        }
        let missing = (scale + 1).saturating_sub(digits.len());
        text.extend(std::iter::repeat_n(b'0', missing));
        text.extend_from_slice(&digits);
        if scale > 0 {
            text.insert(text.len() - scale, b'.');
        }
        text
    }
}

/// How the groups of a DECIMAL(precision, scale) stand: bytes and power of ten of each.
pub struct Groups(Vec<(usize, u32)>);

impl Groups {
    pub fn new(precision: usize, scale: usize) -> Option<Groups> {
        if precision > 65 || scale > precision || precision == 0 {
            return None;
        }
        let whole = precision - scale;
        let mut counts = vec![whole % 9];
        counts.extend(std::iter::repeat_n(9, whole / 9 + scale / 9));
        counts.push(scale % 9);
        let used = counts.into_iter().filter(|&count| count > 0);
        Some(Groups(used.map(|count| (SIZES[count], 10u32.pow(count as u32))).collect()))
    }

    pub fn size(&self) -> usize {
        self.0.iter().map(|group| group.0).sum()
    }

    /// Reads a number; the first bit is the inverted sign, negative ones are inverted whole.
    pub fn read(&self, data: &[u8]) -> Option<Unscaled> {
        let positive = data.first()? & 0x80 != 0;
        let inverted = if positive { 0 } else { 0xFF };
        let mut number = Unscaled::of(!positive, 0);
        let mut at = 0;
        for (place, &(size, power)) in self.0.iter().enumerate() {
            let bytes = data.get(at..at + size)?;
            let mut group = 0u32;
            for (position, &byte) in bytes.iter().enumerate() {
                let first = place == 0 && position == 0;
                let mask = if first { 0x7F } else { 0xFF };
                group = group << 8 | ((byte ^ inverted) & mask) as u32;
            }
            at += size;
            if place == 0 {
                number.limbs[0] = group;
            } else {
                number.multiply_add(power, group);
            }
        }
        Some(number)
    }
}
