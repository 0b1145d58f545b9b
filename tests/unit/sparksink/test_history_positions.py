"""How far histories have come: a maximum, which counts once it is kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sparksink.change_position import ChangePosition
from sparksink.state.history_positions import HistoryPositions

PARTITIONS = st.tuples(st.sampled_from(["srv.a", "srv.b"]), st.integers(0, 3))
PLACES = st.builds(ChangePosition, st.integers(0, 5), st.integers(0, 5))
REACHED = st.dictionaries(PARTITIONS, PLACES)


@given(st.lists(st.tuples(st.sampled_from(["s.t", "s.u"]), REACHED)))
def test_places_only_grow_and_are_read_back(
    batches: list[tuple[str, dict[tuple[str, int], ChangePosition]]],
) -> None:
    heads = HistoryPositions()
    expected: dict[str, dict[tuple[str, int], ChangePosition]] = {}
    for table, places in batches:
        before = dict(heads.positions(table))
        heads.advance(table, places)
        assert heads.positions(table) == before
        heads = HistoryPositions(heads.text())
        known = expected.setdefault(table, {})
        known |= {one: max(place, known.get(one, place)) for one, place in places.items()}
    assert all(heads.positions(table) == places for table, places in expected.items())


def test_nothing_is_kept_where_nothing_was_reached() -> None:
    assert HistoryPositions().text() is None
