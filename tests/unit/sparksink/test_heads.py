"""How far histories have come: a maximum, which counts once it is kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sparksink.order import Sequence
from sparksink.state.heads import Heads

PARTITIONS = st.tuples(st.sampled_from(["srv.a", "srv.b"]), st.integers(0, 3))
PLACES = st.builds(Sequence, st.integers(0, 5), st.integers(0, 5))
REACHED = st.dictionaries(PARTITIONS, PLACES)


@given(st.lists(st.tuples(st.sampled_from(["s.t", "s.u"]), REACHED)))
def test_places_only_grow_and_are_read_back(
    batches: list[tuple[str, dict[tuple[str, int], Sequence]]],
) -> None:
    heads = Heads()
    wanted: dict[str, dict[tuple[str, int], Sequence]] = {}
    for table, places in batches:
        before = dict(heads.of(table))
        heads.reach(table, places)
        assert heads.of(table) == before
        heads = Heads(heads.text())
        known = wanted.setdefault(table, {})
        known |= {one: max(place, known.get(one, place)) for one, place in places.items()}
    assert all(heads.of(table) == places for table, places in wanted.items())


def test_nothing_is_kept_where_nothing_was_reached() -> None:
    assert Heads().text() is None
