//! JSON strings as Jackson writes them: upper-case escapes, two of them beyond U+FFFF.

use crate::format::{Format, Prepared};

const HEX: &[u8; 16] = b"0123456789ABCDEF";
const BLOCK: usize = 16;

/// Whether a byte of UTF-8 is written as it is, with `beyond` the first that begins a character
/// beyond U+FFFF.
fn is_plain(byte: u8, beyond: u8) -> bool {
    (byte >= 0x20) & (byte != b'"') & (byte != b'\\') & (byte < beyond)
}

/// Returns how many bytes from the start are written as they are.
fn plain_length(text: &[u8], beyond: u8) -> usize {
    let mut at = 0;
    while let Some(block) = text.get(at..at + BLOCK) {
        if !block.iter().fold(true, |all, &byte| all & is_plain(byte, beyond)) {
            break;
        }
        at += BLOCK;
    }
    let rest = &text[at..];
    at + rest.iter().position(|&byte| !is_plain(byte, beyond)).unwrap_or(rest.len())
}

fn push_unit(out: &mut Vec<u8>, unit: u32) {
    let digit = |shift: u32| HEX[(unit >> shift & 15) as usize];
    out.extend_from_slice(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)]);
}

fn push_control(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        8 => b'b',
        9 => b't',
        10 => b'n',
        12 => b'f',
        13 => b'r',
        _ => return push_unit(out, byte as u32),
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// Appends what stands between the quotes; the text is valid UTF-8.
pub fn escape(out: &mut Vec<u8>, text: &[u8]) {
    escape_from(out, text, 0xF0);
}

/// Appends what stands between the quotes within a document, whose characters stay as they are.
pub fn escape_document(out: &mut Vec<u8>, text: &[u8]) {
    escape_from(out, text, 0xFF);
}

fn escape_from(out: &mut Vec<u8>, mut text: &[u8], beyond: u8) {
    loop {
        let plain = plain_length(text, beyond);
        out.extend_from_slice(&text[..plain]);
        match text[plain..] {
            [] => return,
            [a, b, c, d, ..] if a >= 0xF0 => {
                let bits = |byte: u8, mask: u32, shift: u32| (byte as u32 & mask) << shift;
                let code = bits(a, 7, 18) | bits(b, 63, 12) | bits(c, 63, 6) | bits(d, 63, 0);
                let above = code.wrapping_sub(0x10000);
                push_unit(out, 0xD800 + (above >> 10));
                push_unit(out, 0xDC00 + (above & 0x3FF));
                text = &text[plain + 4..];
            }
            [byte, ..] => {
                push_control(out, byte);
                text = &text[plain + 1..];
            }
        }
    }
}

/// Whether bytes are valid UTF-8.
pub fn is_utf8(text: &[u8]) -> bool {
    text.is_ascii() || std::str::from_utf8(text).is_ok()
}

/// Appends a string; false where the bytes are no UTF-8.
pub fn quote(out: &mut Vec<u8>, text: &[u8]) -> bool {
    if !is_utf8(text) {
        return false;
    }
    out.push(b'"');
    escape(out, text);
    out.push(b'"');
    true
}

/// A character set of one byte a character: the UTF-8 of each.
pub struct CharTable {
    characters: Vec<Prepared>,
    keeps_ascii: bool,
}

impl CharTable {
    /// Builds a table from its 256 characters.
    pub fn new(characters: &str) -> Option<CharTable> {
        let same = |code: u8| characters.chars().nth(code as usize) == Some(code as char);
        let keeps_ascii = (0..128).all(same);
        let characters: Vec<Prepared> = characters
            .chars()
            .map(|character| Prepared::new(character.encode_utf8(&mut [0; 4])))
            .collect();
        (characters.len() == 256).then_some(CharTable { characters, keeps_ascii })
    }

    /// Writes a string.
    pub fn push<F: Format>(&self, form: &mut F, text: &[u8]) -> Option<()> {
        if self.keeps_ascii && text.is_ascii() {
            return form.utf8(text);
        }
        form.text(|out| {
            for &byte in text {
                out.extend_from_slice(F::part(&self.characters[byte as usize]));
            }
            Some(())
        })
    }
}
