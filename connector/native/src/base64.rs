//! Base64 with padding, as Jackson writes bytes.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn code(bits: u32) -> u8 {
    ALPHABET[(bits & 63) as usize]
}

/// Appends the text of some bytes.
pub fn encode(out: &mut Vec<u8>, data: &[u8]) {
    out.reserve(data.len().div_ceil(3) * 4);
    let mut groups = data.chunks_exact(3);
    for group in &mut groups {
        let bits = (group[0] as u32) << 16 | (group[1] as u32) << 8 | group[2] as u32;
        out.extend_from_slice(&[code(bits >> 18), code(bits >> 12), code(bits >> 6), code(bits)]);
    }
    match *groups.remainder() {
        [one] => {
            let bits = (one as u32) << 16;
            out.extend_from_slice(&[code(bits >> 18), code(bits >> 12), b'=', b'=']);
        }
        [one, two] => {
            let bits = (one as u32) << 16 | (two as u32) << 8;
            out.extend_from_slice(&[code(bits >> 18), code(bits >> 12), code(bits >> 6), b'=']);
        }
        _ => {}
    }
}
