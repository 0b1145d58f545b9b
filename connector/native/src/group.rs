//! The bodies of the events of which most transactions consist.

use std::ops::Range;

use crate::packets::{little, Event};

const QUERY: u8 = 2;
const XID: u8 = 16;
const GTID: u8 = 33;
const ANONYMOUS_GTID: u8 = 34;
const MARIADB_GTID: u8 = 162;
pub const TABLE_MAP: u8 = 19;
/// The text of the statement whose rows follow, with `binlog_rows_query_log_events`.
pub const ROWS_QUERY: u8 = 29;
// Flags of MariaDB's GTID events: FL_STANDALONE, FL_GROUP_COMMIT_ID, FL_PREPARED_XA |
// FL_COMPLETED_XA; of the second byte FL_START_ALTER_E1 | FL_ROLLBACK_ALTER_E1.
const STANDALONE: u8 = 1;
const GROUP_COMMIT: u8 = 2;
const XA: u8 = 64 | 128;
const ALTER: u8 = 2 | 8;

/// The first event of a group.
pub struct First {
    /// Empty where the server assigns none.
    pub gtid: String,
    pub commit_micros: u64,
    /// Whether it is also the BEGIN of a transaction.
    pub begins: bool,
}

/// A rows event: the offsets of its images, and the bitmaps of the columns in them.
pub struct Changed {
    pub kind: &'static str,
    pub table: u64,
    pub images: Range<usize>,
    pub present: Range<usize>,
    pub present_after: Range<usize>,
}

/// Reads the first event of a group; None where it is no transaction, or Python has to see it.
pub fn first(data: &[u8], event: &Event) -> Option<First> {
    let body = event.body(data);
    match event.kind {
        GTID => mysql_gtid(body),
        ANONYMOUS_GTID => Some(First { gtid: String::new(), commit_micros: 0, begins: false }),
        MARIADB_GTID => mariadb_gtid(body, event.server),
        _ => None,
    }
}

/// Reads flags, UUID and number; with MySQL 8 also the commit time behind two logical clocks.
fn mysql_gtid(body: &[u8]) -> Option<First> {
    let number = little(body.get(17..25)?);
    let mut commit_micros = 0;
    if body.len() >= 49 && body[25] == 2 {
        commit_micros = little(&body[42..49]);
        if commit_micros >> 55 != 0 {
            // the commit time on the server that it came from follows
            commit_micros = little(body.get(49..56)?);
        }
    }
    let gtid = format!("{}:{number}", uuid(&body[1..17]));
    Some(First { gtid, commit_micros, begins: false })
}

fn uuid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(60);
    for (number, byte) in bytes.iter().enumerate() {
        if matches!(number, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from(b"0123456789abcdef"[digit as usize]));
        }
    }
    text
}

/// Reads sequence, domain, flags, and what the flags announce.
fn mariadb_gtid(body: &[u8], server: u32) -> Option<First> {
    let (sequence, domain) = (little(body.get(..8)?), little(body.get(8..12)?));
    let flags = *body.get(12)?;
    let at = if flags & GROUP_COMMIT != 0 { 21 } else { 13 };
    let further = body.get(at).copied().unwrap_or(0);
    if flags & (STANDALONE | XA) != 0 || further & ALTER != 0 {
        return None;
    }
    let gtid = format!("{domain}-{server}-{sequence}");
    Some(First { gtid, commit_micros: 0, begins: true })
}

/// Returns the session of a BEGIN; None for all else.
pub fn session_of_begin(data: &[u8], event: &Event) -> Option<u32> {
    if event.kind != QUERY || statement(event.body(data))? != b"BEGIN" {
        return None;
    }
    Some(little(event.body(data).get(..4)?) as u32)
}

/// Whether an event commits a transaction.
pub fn commits(data: &[u8], event: &Event) -> bool {
    event.kind == XID || event.kind == QUERY && statement(event.body(data)) == Some(b"COMMIT")
}

/// Returns the text behind session, run time, two lengths, error, status and database.
fn statement(body: &[u8]) -> Option<&[u8]> {
    let database = 13 + little(body.get(11..13)?) as usize;
    body.get(database + body[8] as usize + 1..)
}

/// Reads a rows event; None where it is none, or one that Python has to see.
pub fn changed(data: &[u8], event: &Event) -> Option<Changed> {
    let (kind, has_extra) = match event.kind {
        23 => ("c", false),
        24 => ("u", false),
        25 => ("d", false),
        30 => ("c", true),
        31 => ("u", true),
        32 => ("d", true),
        _ => return None,
    };
    let body = event.body(data);
    let mut at = 8;
    if has_extra {
        at += little(body.get(8..10)?) as usize;
    }
    let (count, width) = match *body.get(at)? {
        252 => (little(body.get(at + 1..at + 3)?) as usize, 3),
        251 | 253.. => return None, // a table has at most 4,096 columns
        count => (count as usize, 1),
    };
    let size = count.div_ceil(8);
    let present = at + width..at + width + size;
    let last = if kind == "u" { present.end..present.end + size } else { present.clone() };
    let shift = |part: Range<usize>| event.start + part.start..event.start + part.end;
    (last.end <= body.len()).then(|| Changed {
        kind,
        table: little(&body[..6]),
        images: shift(last.end..body.len()),
        present: shift(present.clone()),
        present_after: shift(last.clone()),
    })
}
