//! Where the columns of a row image stand.

/// How many bytes a column takes: always as many, or what the bytes before it say.
#[derive(Clone, Copy)]
pub enum Layout {
    Fixed(usize),
    Prefixed(usize),
}

/// A column of an image: its bytes, or NULL.
#[derive(Clone, Copy)]
pub struct Span {
    pub start: usize,
    pub end: usize,
    pub is_null: bool,
}

impl Span {
    pub fn bytes<'a>(&self, data: &'a [u8]) -> &'a [u8] {
        &data[self.start..self.end]
    }
}

impl Layout {
    /// Returns the column at an offset; None where it is longer than what is left.
    #[inline]
    fn span(self, data: &[u8], at: usize) -> Option<Span> {
        let (start, size) = match self {
            Layout::Fixed(size) => (at, size),
            Layout::Prefixed(width) => {
                let length = data.get(at..at.checked_add(width)?)?;
                let size = length.iter().rev().fold(0, |size, &byte| size << 8 | byte as usize);
                (at + width, size)
            }
        };
        let end = start.checked_add(size)?;
        (end <= data.len()).then_some(Span { start, end, is_null: false })
    }
}

/// Finds the columns of the text row in the packet at an offset; returns the offset behind it.
///
/// None where the columns do not fill the packet, or it is no row of one packet.
#[inline]
pub fn text_spans(
    count: usize,
    data: &[u8],
    start: usize,
    mut found: impl FnMut(Span),
) -> Option<usize> {
    let mut at = start.checked_add(4)?;
    let header = data.get(start..at)?;
    let size = header[0] as usize | (header[1] as usize) << 8 | (header[2] as usize) << 16;
    let end = at.checked_add(size)?;
    let data = data.get(..end)?;
    let first = *data.get(at)?;
    if size == FULL_PACKET || (first > 253 && (first == 255 || size < 9)) {
        return None;
    }
    for _ in 0..count {
        let (width, size) = match *data.get(at)? {
            251 => {
                at += 1;
                found(Span { start: at, end: at, is_null: true });
                continue;
            }
            252 => (3, little(data, at + 1, 2)?),
            253 => (4, little(data, at + 1, 3)?),
            254 => (9, little(data, at + 1, 8)?),
            255 => return None,
            size => (1, size as usize),
        };
        let start = at + width;
        at = start.checked_add(size)?;
        if at > end {
            return None;
        }
        found(Span { start, end: at, is_null: false });
    }
    (at == end).then_some(end)
}

const FULL_PACKET: usize = 0xFF_FFFF;

fn little(data: &[u8], at: usize, size: usize) -> Option<usize> {
    let bytes = data.get(at..at + size)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | byte as usize))
}

/// Finds the columns of the image at an offset; returns the offset behind it.
///
/// None where the image does not fit the data, which ends with the last image.
#[inline]
pub fn spans(
    layouts: &[Layout],
    data: &[u8],
    start: usize,
    mut found: impl FnMut(Span),
) -> Option<usize> {
    let mut at = start.checked_add(layouts.len().div_ceil(8))?;
    let nulls = data.get(start..at)?;
    for (number, layout) in layouts.iter().enumerate() {
        if nulls[number >> 3] >> (number & 7) & 1 == 1 {
            found(Span { start: at, end: at, is_null: true });
            continue;
        }
        let span = layout.span(data, at)?;
        at = span.end;
        found(span);
    }
    Some(at)
}
