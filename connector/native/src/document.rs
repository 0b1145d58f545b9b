//! Binary JSON to text as Debezium writes it; rare values and malformed ones are left to Python.

use crate::digits::{double, signed, unsigned};
use crate::text::{escape_document, is_utf8};

const LITERAL: u8 = 4;
const INT16: u8 = 5;
const UINT16: u8 = 6;
const INT32: u8 = 7;
const UINT32: u8 = 8;
const INT64: u8 = 9;
const UINT64: u8 = 10;
const DOUBLE: u8 = 11;
const STRING: u8 = 12;
const DEEPEST: usize = 50;
const LONGEST_PER_BYTE: usize = 16;

/// Appends the text of a document.
pub fn push_document(out: &mut Vec<u8>, data: &[u8]) -> Option<()> {
    let (&kind, rest) = data.split_first()?;
    let longest = out.len() + LONGEST_PER_BYTE * (data.len() + 1);
    push_value(out, kind, rest, Bounds { depth: 0, longest })
}

/// How deep containers may stand in each other, and how long the text may become: entries of a
/// document may point to the same bytes.
#[derive(Clone, Copy)]
struct Bounds {
    depth: usize,
    longest: usize,
}

fn little(data: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = data.get(at..at.checked_add(size)?)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | byte as u64))
}

fn push_value(out: &mut Vec<u8>, kind: u8, data: &[u8], bounds: Bounds) -> Option<()> {
    match kind {
        0..=3 => push_container(out, kind, data, bounds),
        STRING => {
            let (length, start) = length_at(data)?;
            push_string(out, data.get(start..start.checked_add(length)?)?)
        }
        DOUBLE => {
            let value = f64::from_le_bytes(data.get(..8)?.try_into().ok()?);
            double(out, value).then_some(())
        }
        INT16 | UINT16 => push_inline(out, kind, little(data, 0, 2)?),
        INT32 | UINT32 => push_inline(out, kind, little(data, 0, 4)?),
        INT64 => {
            signed(out, little(data, 0, 8)? as i64);
            Some(())
        }
        UINT64 => {
            unsigned(out, little(data, 0, 8)?);
            Some(())
        }
        LITERAL => push_inline(out, LITERAL, little(data, 0, 1)?),
        _ => None,
    }
}

/// Appends a value that stands in the place of its offset.
fn push_inline(out: &mut Vec<u8>, kind: u8, value: u64) -> Option<()> {
    match kind {
        LITERAL => {
            let words: [&[u8]; 3] = [b"null", b"true", b"false"];
            out.extend_from_slice(words.get(value as usize & 0xFF)?);
        }
        INT16 => signed(out, value as u16 as i16 as i64),
        INT32 => signed(out, value as u32 as i32 as i64),
        _ => unsigned(out, value),
    }
    Some(())
}

fn push_string(out: &mut Vec<u8>, text: &[u8]) -> Option<()> {
    if !is_utf8(text) {
        return None;
    }
    out.push(b'"');
    escape_document(out, text);
    out.push(b'"');
    Some(())
}

/// Reads a length in groups of seven bits; returns it with the position behind it.
fn length_at(data: &[u8]) -> Option<(usize, usize)> {
    let mut length = 0;
    for (position, &byte) in data.iter().take(5).enumerate() {
        length |= ((byte & 0x7F) as usize) << (7 * position);
        if byte < 0x80 {
            return Some((length, position + 1));
        }
    }
    None
}

/// Appends an object (0, 1) or array (2, 3); odd kinds have offsets of four bytes.
fn push_container(out: &mut Vec<u8>, kind: u8, data: &[u8], bounds: Bounds) -> Option<()> {
    if bounds.depth > DEEPEST || out.len() > bounds.longest {
        return None;
    }
    let inner = Bounds { depth: bounds.depth + 1, ..bounds };
    let width = if kind & 1 == 1 { 4 } else { 2 };
    let inline_up_to = if kind & 1 == 1 { UINT32 } else { UINT16 };
    let is_object = kind < 2;
    let count = little(data, 0, width)? as usize;
    let size = little(data, width, width)? as usize;
    let data = data.get(..size)?;
    let names = 2 * width;
    let values = names.checked_add(if is_object { count.checked_mul(width + 2)? } else { 0 })?;
    let end = values.checked_add(count.checked_mul(width + 1)?)?;
    data.get(..end)?;
    out.push(if is_object { b'{' } else { b'[' });
    for number in 0..count {
        if number > 0 {
            out.push(b',');
        }
        if is_object {
            let entry = names + number * (width + 2);
            let offset = little(data, entry, width)? as usize;
            let length = little(data, entry + width, 2)? as usize;
            push_string(out, data.get(offset..offset.checked_add(length)?)?)?;
            out.push(b':');
        }
        let entry = values + number * (width + 1);
        let kind = *data.get(entry)?;
        let value = little(data, entry + 1, width)?;
        if (LITERAL..=inline_up_to).contains(&kind) {
            push_inline(out, kind, value)?;
        } else {
            push_value(out, kind, data.get(value as usize..)?, inner)?;
        }
    }
    out.push(if is_object { b'}' } else { b']' });
    Some(())
}
