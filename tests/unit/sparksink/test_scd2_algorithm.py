"""Versions in plain Python: whatever way changes come, each version ends where it should.

What Spark does in `sparksink.apply.scd2_mirror` is done here to a dictionary, step by step in the
same order, beside the definition of what must come out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixtures.sink.histories import versions

Place = int
Change = tuple[str, int | None, Place]  # operation, key, place


@dataclass
class Table:
    """Rows by key and place: what they are, and where they end."""

    rows: dict[tuple[int, Place], tuple[str, Place | None]] = field(default_factory=dict)
    boundaries: set[Place] = field(default_factory=set)

    def apply(self, changes: list[Change]) -> Iterator[None]:
        """Apply a batch; yields between any two writes, where a crash may be."""
        new = {(key, place): op for op, key, place in changes if key is not None}
        ends = {place for _, key, place in changes if key is None}
        if new:
            earliest = min(place for _, place in new)
            self.rows |= self._changed(new, earliest, self.boundaries | ends)
        yield
        for boundary in ends - self.boundaries:
            for at, (op, end) in self.rows.items():
                if at[1] < boundary and (end is None or end > boundary):
                    self.rows[at] = (op, boundary)
            yield
            self.boundaries.add(boundary)
            yield

    def _changed(
        self, new: dict[tuple[int, Place], str], earliest: Place, ends: set[Place]
    ) -> dict[tuple[int, Place], tuple[str, Place | None]]:
        keys = {key for key, _ in new}
        line = {
            at: op
            for at, (op, end) in self.rows.items()
            if at[0] in keys and (end is None or end >= earliest)
        }
        line = {**new, **line}
        found = {}
        for (key, place), op in line.items():
            later = [p for k, p in line if k == key and p > place]
            later += [p for p in ends if p > place]
            end = place if op == "d" else min(later, default=None)
            if (key, place) not in self.rows or self.rows[key, place][1] != end:
                found[key, place] = (op, end)
        return found

    def ends_by_version(self) -> dict[tuple[int, Place], Place | None]:
        return {at: end for at, (op, end) in self.rows.items() if op != "d"}


# One change a place, as in a binlog; two keys and few places make late and equal ones common.
HISTORIES = st.lists(
    st.tuples(st.sampled_from("cccddt"), st.integers(1, 2)), min_size=1, max_size=14
).map(lambda drawn: [(op, None if op == "t" else key, n) for n, (op, key) in enumerate(drawn)])


@settings(max_examples=300, deadline=None)
@given(st.data(), HISTORIES)
def test_versions_end_where_they_should(data: st.DataObject, history: list[Change]) -> None:
    again = data.draw(st.lists(st.sampled_from(history), max_size=5))
    mixed = data.draw(st.permutations([*history, *again]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(mixed)), max_size=4)))
    table = Table()
    for start, end in zip([0, *cuts], [*cuts, len(mixed)], strict=True):
        steps = data.draw(st.integers(0, 3))
        for _ in zip(range(steps), table.apply(mixed[start:end]), strict=False):
            pass  # a crash after some of the writes; the batch is repeated
        for _ in table.apply(mixed[start:end]):
            pass
    assert table.ends_by_version() == versions(history)


@settings(max_examples=100, deadline=None)
@given(HISTORIES)
def test_the_rows_of_any_time_are_those_that_the_source_had(history: list[Change]) -> None:
    rows: dict[int, Place] = {}
    for op, key, place in history:
        if key is None:
            rows.clear()
        elif op == "d":
            rows.pop(key, None)
        else:
            rows[key] = place
        then = {
            at[0]: at[1]
            for at, end in versions(history).items()
            if at[1] <= place and (end is None or end > place)
        }
        assert then == rows
