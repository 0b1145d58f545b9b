//! What is held for messages until they have arrived or failed.

use pyo3::prelude::*;

/// Receipts by tags, which are never 0.
#[derive(Default)]
pub struct Receipts {
    slots: Vec<Option<Slot>>,
    free: Vec<usize>,
    last: usize,
}

struct Slot {
    receipt: Py<PyAny>,
    /// How many calls queue messages with it. What they queue is counted at their end, but may
    /// be released before: the iterator of the messages may poll.
    open: usize,
    in_flight: isize,
}

impl Receipts {
    /// Returns the tag of messages with a receipt; `close` has to follow.
    ///
    /// A receipt may have several tags: it is held until each of them is released.
    pub fn open(&mut self, receipt: &Bound<'_, PyAny>) -> usize {
        let last = self.last.checked_sub(1).and_then(|last| self.slots[last].as_mut());
        if let Some(slot) = last.filter(|slot| slot.receipt.is(receipt)) {
            slot.open += 1;
            return self.last;
        }
        let slot = Some(Slot { receipt: receipt.clone().unbind(), open: 1, in_flight: 0 });
        if let Some(place) = self.free.pop() {
            self.slots[place] = slot;
            self.last = place + 1;
        } else {
            self.slots.push(slot);
            self.last = self.slots.len();
        }
        self.last
    }

    /// Notes how many messages with a tag were queued.
    pub fn close(&mut self, tag: usize, count: usize) {
        if let Some(slot) = self.slots[tag - 1].as_mut() {
            slot.open -= 1;
            slot.in_flight += count as isize;
        }
        drop(self.release(tag, 0)); // the caller has the receipt, so no Python runs
    }

    pub fn of(&self, py: Python<'_>, tag: usize) -> Option<Py<PyAny>> {
        let slot = self.slots.get(tag.checked_sub(1)?)?.as_ref();
        slot.map(|slot| slot.receipt.clone_ref(py))
    }

    /// Notes that messages are not in flight any more; returns the receipt if none is left.
    #[must_use = "dropping it may run Python"]
    pub fn release(&mut self, tag: usize, count: usize) -> Option<Py<PyAny>> {
        let place = tag.checked_sub(1)?;
        let slot = self.slots.get_mut(place)?;
        let held = slot.as_mut()?;
        held.in_flight -= count as isize;
        if held.in_flight != 0 || held.open != 0 {
            return None;
        }
        self.free.push(place);
        slot.take().map(|slot| slot.receipt)
    }
}
