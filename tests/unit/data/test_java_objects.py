"""Java's serialized arrays: equal to what Java writes, and read back."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.data.java_object_reader import deserialize
from connector.data.java_object_stream import JavaBigInteger, JavaLong
from connector.data.java_object_writer import serialize

# written by ObjectOutputStream of OpenJDK
SAMPLES: dict[str, tuple[tuple[Any, ...] | None, str]] = {
    "null": (
        None,
        "aced000570",
    ),
    "int": (
        (5,),
        (
            "aced0005757200135b4c6a6176612e6c616e672e4f626a6563743b90ce589f1073296c0200007870"
            "00000001737200116a6176612e6c616e672e496e746567657212e2a0a4f781873802000149000576"
            "616c7565787200106a6176612e6c616e672e4e756d62657286ac951d0b94e08b0200007870000000"
            "05"
        ),
    ),
    "longs": (
        (JavaLong(5), JavaLong(6), 7, -8),
        (
            "aced0005757200135b4c6a6176612e6c616e672e4f626a6563743b90ce589f1073296c0200007870"
            "000000047372000e6a6176612e6c616e672e4c6f6e673b8be490cc8f23df0200014a000576616c75"
            "65787200106a6176612e6c616e672e4e756d62657286ac951d0b94e08b0200007870000000000000"
            "00057371007e00020000000000000006737200116a6176612e6c616e672e496e746567657212e2a0"
            "a4f781873802000149000576616c75657871007e0003000000077371007e0006fffffff8"
        ),
    ),
    "mixed": (
        ("aé😀\0", None, b"\0\1\2", b"", 2.5),
        (
            "aced0005757200135b4c6a6176612e6c616e672e4f626a6563743b90ce589f1073296c0200007870"
            "0000000574000b61c3a9eda0bdedb880c08070757200025b42acf317f8060854e002000078700000"
            "00030001027571007e000300000000737200106a6176612e6c616e672e446f75626c6580b3c24a29"
            "6bfb0402000144000576616c7565787200106a6176612e6c616e672e4e756d62657286ac951d0b94"
            "e08b02000078704004000000000000"
        ),
    ),
    "decimals": (
        (JavaBigInteger(2**64 - 1), Decimal("-12.340"), Decimal(7)),
        (
            "aced0005757200135b4c6a6176612e6c616e672e4f626a6563743b90ce589f1073296c0200007870"
            "00000003737200146a6176612e6d6174682e426967496e74656765728cfc9f1fa93bfb1d03000649"
            "0008626974436f756e744900096269744c656e67746849001366697273744e6f6e7a65726f427974"
            "654e756d49000c6c6f776573745365744269744900067369676e756d5b00096d61676e6974756465"
            "7400025b42787200106a6176612e6c616e672e4e756d62657286ac951d0b94e08b0200007870ffff"
            "fffffffffffffffffffefffffffe00000001757200025b42acf317f8060854e00200007870000000"
            "08ffffffffffffffff78737200146a6176612e6d6174682e426967446563696d616c54c71557f981"
            "284f0300024900057363616c654c0006696e7456616c7400164c6a6176612f6d6174682f42696749"
            "6e74656765723b7871007e0004000000037371007e0002fffffffffffffffffffffffefffffffeff"
            "ffffff7571007e000600000002303478787371007e0008000000007371007e0002ffffffffffffff"
            "fffffffffefffffffe000000017571007e000600000001077878"
        ),
    ),
}

VALUES = st.one_of(
    st.none(),
    st.integers(-(2**31), 2**31 - 1),
    st.integers(-(2**63), 2**63 - 1).map(JavaLong),
    st.integers(-(2**80), 2**80).map(JavaBigInteger),
    st.text(max_size=20),
    st.binary(max_size=20),
    st.floats(allow_nan=False),
    st.decimals(allow_nan=False, allow_infinity=False, places=3),
)


@pytest.mark.parametrize("name", SAMPLES)
def test_arrays_are_written_as_java_writes_them(name: str) -> None:
    values, text = SAMPLES[name]
    assert serialize(values) == text
    assert deserialize(text) == values


def test_the_kinds_of_numbers_are_kept() -> None:
    values = deserialize(serialize((1, JavaLong(2), JavaBigInteger(3), Decimal("4.50"))))
    assert values is not None
    assert [type(value) for value in values] == [int, JavaLong, JavaBigInteger, Decimal]
    assert str(values[3]) == "4.50"


@given(st.lists(VALUES, max_size=5))
def test_what_is_written_is_read(values: list[Any]) -> None:
    assert deserialize(serialize(values)) == tuple(values)


@given(st.binary(max_size=60))
def test_damaged_streams_are_refused(data: bytes) -> None:
    for text in (data.hex(), "aced0005" + data.hex(), serialize((1, "a"))[: len(data)]):
        try:
            deserialize(text)
        except ValueError:
            continue
