//! Numbers as decimal digits.

const PAIRS: &[u8; 200] = b"0001020304050607080910111213141516171819\
2021222324252627282930313233343536373839\
4041424344454647484950515253545556575859\
6061626364656667686970717273747576777879\
8081828384858687888990919293949596979899";

/// Appends an unsigned number.
pub fn unsigned(out: &mut Vec<u8>, mut value: u64) {
    let mut buffer = [0u8; 20];
    let mut at = buffer.len();
    while value >= 100 {
        let pair = (value % 100) as usize * 2;
        value /= 100;
        at -= 2;
        buffer[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    }
    if value >= 10 {
        let pair = value as usize * 2;
        at -= 2;
        buffer[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    } else {
        at -= 1;
        buffer[at] = b'0' + value as u8;
    }
    out.extend_from_slice(&buffer[at..]);
}

/// Appends a signed number.
pub fn signed(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    unsigned(out, value.unsigned_abs());
}

/// Appends a number in at least so many digits, with zeros in front.
pub fn padded(out: &mut Vec<u8>, value: u64, width: usize) {
    let mut limit = 10u64;
    let mut count = 1;
    while count < width {
        if value < limit {
            out.extend(std::iter::repeat_n(b'0', width - count));
            break;
        }
        limit = limit.saturating_mul(10);
        count += 1;
    }
    unsigned(out, value);
}

/// Appends a number as Java does, where its text is the shortest; false where it may not be.
pub fn double(out: &mut Vec<u8>, value: f64) -> bool {
    let magnitude = value.abs();
    if value == 0.0 {
        out.extend_from_slice(if value.is_sign_negative() { b"-0.0" } else { b"0.0" });
        return true;
    }
    if !(1e-3..1e7).contains(&magnitude) {
        return false;
    }
    out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
    true
}

/// Appends a number of 32 bits as Java does, where its text is the shortest.
///
/// The numbers below a power of two are closer to it than those above: there shortest texts may
/// differ, so these are left out.
pub fn float(out: &mut Vec<u8>, value: f32) -> bool {
    if value == 0.0 {
        return double(out, value as f64);
    }
    if !(1e-3..1e7).contains(&(value.abs() as f64)) || value.to_bits() & 0x7f_ffff == 0 {
        return false;
    }
    out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
    true
}
