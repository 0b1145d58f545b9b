//! The events in the packets of a dump connection.

/// The length of a packet whose payload continues in the next one.
const FULL_PACKET: usize = 0xFF_FFFF;
/// Of a packet the length, number and status; then the head of an event.
const HEAD: usize = 24;

/// An event that is whole, and has a position in the log.
#[derive(Clone, Copy)]
pub struct Event {
    pub kind: u8,
    pub timestamp: u32,
    pub server: u32,
    /// Where it starts in its file: the last 32 bits of that.
    pub position: u32,
    pub size: u32,
    /// The offsets of its body, without the checksum.
    pub start: usize,
    pub end: usize,
    /// The offset behind its packet.
    pub next: usize,
}

impl Event {
    /// Reads the event whose packet starts at an offset; None where it is in any way special.
    pub fn at(data: &[u8], packet: usize, trailer: usize) -> Option<Event> {
        let head = data.get(packet..packet.checked_add(HEAD)?)?;
        let length = little(&head[..3]) as usize;
        let next = packet + 4 + length;
        let (size, behind) = (little(&head[14..18]) as u32, little(&head[18..22]) as u32);
        let (start, end) = (packet + HEAD, next.checked_sub(trailer)?);
        let event = Event {
            kind: head[9],
            timestamp: little(&head[5..9]) as u32,
            server: little(&head[10..14]) as u32,
            position: behind.checked_sub(size)?,
            size,
            start,
            end,
            next,
        };
        let is_plain = length != FULL_PACKET && next <= data.len() && head[4] == 0;
        let is_whole = size as usize + 1 == length && start <= end;
        (is_plain && is_whole && event.timestamp > 0 && event.position > 0).then_some(event)
    }

    pub fn body<'a>(&self, data: &'a [u8]) -> &'a [u8] {
        &data[self.start..self.end]
    }
}

/// Returns the offset behind the packet at an offset, if the data end before it.
pub fn missing_end(data: &[u8], packet: usize) -> Option<usize> {
    let length = data.get(packet..packet + 3);
    let end = packet + length.map_or(HEAD, |length| 4 + little(length) as usize);
    (end > data.len()).then_some(end)
}

/// Returns the little-endian number of up to eight bytes.
pub fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | byte as u64)
}
