"""Sets of GTIDs behave as sets; their notations are those of the servers."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.errors import ConfigError
from connector.mysql.position.gtid import GtidSet, GtidSource, source_of
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet

A, B = "3e11fa47-71ca-11e1-9e33-c80aa9429562", "11111111-2222-3333-4444-555555555555"
SOURCES = [GtidSource(A), GtidSource(B), GtidSource(A, "tag"), GtidSource(B, "other_1")]
Member = tuple[GtidSource, int]
Model = frozenset[Member]

MEMBERS = st.tuples(st.sampled_from(SOURCES), st.integers(1, 12))
MODELS = st.frozensets(MEMBERS, max_size=20)


def gtid(member: Member) -> str:
    (server, tag), number = member
    return f"{server}:{tag}:{number}" if tag else f"{server}:{number}"


def set_of(members: Iterable[Member]) -> GtidSet:
    return GtidSet.parse(",".join(map(gtid, members)))


def members_of(gtids: GtidSet) -> Model:
    """Read the text of a set, member by member, without the product's parser."""
    found = set()
    for server_part in filter(None, str(gtids).split(",")):
        server, *parts = server_part.split(":")
        tag = ""
        for part in parts:
            if part[0].isdigit():
                first, last = map(int, part.split("-"))
                found |= {(GtidSource(server, tag), number) for number in range(first, last + 1)}
            else:
                tag = part
    return frozenset(found)


@given(MODELS)
def test_a_set_is_read_and_written(model: Model) -> None:
    gtids = set_of(model)
    assert members_of(gtids) == model
    assert GtidSet.parse(str(gtids)) == gtids
    assert bool(gtids) == bool(model)


@given(MODELS, MODELS)
def test_union_difference_and_inclusion_are_those_of_sets(one: Model, other: Model) -> None:
    a, b = set_of(one), set_of(other)
    assert members_of(a.union(b)) == one | other
    assert members_of(a.subtract(b)) == one - other
    assert a.contains(b) == (other <= one)
    assert (a == b) == (one == other)
    assert a.union(b) == b.union(a)
    assert a.subtract(b).union(b) == a.union(b)
    assert not a.subtract(a)
    if a == b:
        assert hash(a) == hash(b)


@given(st.lists(MEMBERS))
def test_transactions_are_added_in_any_order(members: list[Member]) -> None:
    gtids = GtidSet()
    for member in members:
        larger = gtids.with_all([gtid(member)])
        assert larger.contains(gtids)
        gtids = larger
    assert members_of(gtids) == frozenset(members)
    assert gtids == set_of(members)


@given(MODELS)
def test_a_set_is_reduced_to_some_sources(model: Model) -> None:
    gtids = set_of(model)
    of_a = frozenset(member for member in model if member[0].uuid == A)
    assert members_of(gtids.only(lambda server: server == A)) == of_a
    assert gtids.sources() == {source for source, _ in model}
    tagged = frozenset(member for member in model if member[0] == SOURCES[2])
    assert members_of(gtids.of_sources([SOURCES[2]])) == tagged


def test_adding_leaves_the_set_before_as_it_was() -> None:
    before = GtidSet.parse(f"{A}:1-5")
    assert str(before.with_all([f"{A}:6"])) == f"{A}:1-6"
    assert str(before) == f"{A}:1-5"


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("", ""),
        (f"{A}:5", f"{A}:5-5"),
        (f"{A}:1-3:4-5:9", f"{A}:1-5:9-9"),
        (f"{A.upper()}:1-3", f"{A}:1-3"),
        (f"{A}:1-3,\n{B}:7", f"{A}:1-3,{B}:7-7"),
        (f" {A} : 1 - 3 ", f"{A}:1-3"),
        (f"{A}:tag:4:1-2:Zeta:9", f"{A}:tag:1-2:4-4:zeta:9-9"),
        (f"{A}:tag:4,{A}:1", f"{A}:1-1:tag:4-4"),
        (f"{A.replace('-', '')}:1", f"{A}:1-1"),
    ],
)
def test_notations(text: str, normal: str) -> None:
    assert str(GtidSet.parse(text)) == normal
    assert repr(GtidSet.parse(text)) == f"GtidSet({normal})"


@pytest.mark.parametrize(
    "text",
    ["x", "x:1", f"{A}:1-", f"{A}:1-x", f"{A}:0", f"{A}:5-3", f"{A}:-5", f"{A}:", f"{A}:a-b:1"],
)
def test_what_is_no_set_is_refused_by_name(text: str) -> None:
    with pytest.raises(ConfigError, match="is not a GTID set"):
        GtidSet.parse(f"{B}:1-5,{text}")


def test_the_source_of_a_transaction() -> None:
    assert source_of(f"{A}:5") == source_of(f"{A}:tag:5") == A
    assert source_of("0-17-5") == "0-17"


def decoded(data: bytes) -> Model:
    """Read the payload of COM_BINLOG_DUMP_GTID as the server does (rpl_gtid_set.cc)."""
    tagged = data[7] == 1
    assert not tagged or data[0] == 1
    count = int.from_bytes(data[1:7] if tagged else data[:8], "little")
    offset, found = 8, set()
    for _ in range(count):
        server = str(uuid.UUID(bytes=data[offset : offset + 16]))
        offset += 16
        tag = ""
        if tagged:
            size = data[offset] >> 1
            tag = data[offset + 1 : offset + 1 + size].decode()
            offset += 1 + size
        intervals = int.from_bytes(data[offset : offset + 8], "little")
        offset += 8
        for _ in range(intervals):
            first = int.from_bytes(data[offset : offset + 8], "little")
            behind = int.from_bytes(data[offset + 8 : offset + 16], "little")
            found |= {(GtidSource(server, tag), number) for number in range(first, behind)}
            offset += 16
    assert offset == len(data)
    return frozenset(found)


@given(MODELS)
def test_a_server_understands_an_encoded_set(model: Model) -> None:
    assert decoded(set_of(model).encode()) == model
    untagged = frozenset(member for member in model if not member[0].tag)
    assert decoded(set_of(untagged).encode()) == untagged


DOMAINS = st.dictionaries(
    st.integers(0, 3), st.tuples(st.integers(1, 3), st.integers(0, 9)), max_size=4
)


@given(DOMAINS, DOMAINS)
def test_positions_of_mariadb(
    one: dict[int, tuple[int, int]], other: dict[int, tuple[int, int]]
) -> None:
    a, b = MariaDbGtidSet(one), MariaDbGtidSet(other)
    assert MariaDbGtidSet.parse(str(a)) == a
    assert a.domains() == one
    assert bool(a) == bool(one)
    behind = all(d in one and one[d][1] >= sequence for d, (_, sequence) in other.items())
    assert a.contains(b) == behind
    assert (a == b) == (one == other)
    if a == b:
        assert hash(a) == hash(b)
    assert a.contains(MariaDbGtidSet())


@given(DOMAINS, st.integers(0, 4), st.integers(1, 3), st.integers(0, 20))
def test_a_transaction_of_mariadb_takes_the_place_of_the_one_before(
    last: dict[int, tuple[int, int]], domain: int, server: int, sequence: int
) -> None:
    before = MariaDbGtidSet(last)
    after = before.with_all([f"{domain}-{server}-{sequence}"])
    assert after.domains() == {**last, domain: (server, sequence)}
    assert before.domains() == last


def test_mariadb_notations() -> None:
    assert str(MariaDbGtidSet.parse(" 0-1-5,\n1-2-3 ")) == "0-1-5,1-2-3"
    assert str(MariaDbGtidSet.parse("0-1-5,0-2-7")) == "0-2-7"
    assert repr(MariaDbGtidSet.parse("0-1-5")) == "MariaDbGtidSet(0-1-5)"
    assert str(MariaDbGtidSet.parse("0-1-5,1-2-3").only(lambda s: s == "1-2")) == "1-2-3"


@pytest.mark.parametrize("text", ["5", "1-2", "a-b-c", "1-2-3-4", f"{A}:1"])
def test_what_is_no_mariadb_position_is_refused_by_name(text: str) -> None:
    with pytest.raises(ConfigError, match="is not a MariaDB GTID"):
        MariaDbGtidSet.parse(text)


def test_sets_of_the_two_servers_contain_none_of_each_other() -> None:
    assert not GtidSet.parse(f"{A}:1").contains(MariaDbGtidSet())
    assert not MariaDbGtidSet.parse("0-1-5").contains(GtidSet())
    assert GtidSet() != MariaDbGtidSet()
