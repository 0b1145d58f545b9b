"""Texts as Java writes them; the expected ones were printed by JDK 17."""

from __future__ import annotations

import struct

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from connector.data.java import date_text, double_text, float_text, hash_order, to_float32


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (-1.0, "-1.0"),
        (0.1, "0.1"),
        (0.002, "0.002"),
        (1e-3, "0.001"),
        (9.999e-4, "9.999E-4"),
        (123456.789, "123456.789"),
        (-9999999.999, "-9999999.999"),
        (1e7, "1.0E7"),
        (12345678.9, "1.23456789E7"),
        (9007199254740992.0, "9.007199254740992E15"),
        (1e21, "1.0E21"),
        (1e22, "1.0E22"),
        (3.141592653589793e100, "3.141592653589793E100"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (2.2250738585072014e-308, "2.2250738585072014E-308"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_a_double_is_written_as_java_does(value: float, text: str) -> None:
    assert double_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.2345678901234567e18, "1.23456789012345677E18"),
        (2.0**63, "9.223372036854776E18"),
        (2.0**64, "1.8446744073709552E19"),
        (1e23, "9.999999999999999E22"),
        (2e23, "1.9999999999999998E23"),
        (2.7656e22, "2.7655999999999998E22"),
        (-2.05808093396992e23, "-2.0580809339699198E23"),
        (2.0**-671, "1.0206407629923909E-202"),
        (5e-324, "4.9E-324"),
        (1.5e-323, "1.5E-323"),
        (2.225073858507201e-308, "2.225073858507201E-308"),
        (3.2984999904562727e25, "3.2984999904562726E25"),
    ],
)
def test_digits_that_jdk_17_writes_beyond_need_or_wrongly_are_kept(value: float, text: str) -> None:
    assert double_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.1, "0.1"),
        (1.1, "1.1"),
        (3.3, "3.3"),
        (123.457, "123.457"),
        (-0.001, "-0.001"),
        (9.999e-4, "9.999E-4"),
        (9999999.0, "9999999.0"),
        (8388609.0, "8388609.0"),
        (16777216.0, "1.6777216E7"),
        (1.23456789e9, "1.23456794E9"),
        (1e10, "1.0E10"),
        (3.4028235e38, "3.4028235E38"),
        (1.4e-45, "1.4E-45"),
        (2.8e-45, "2.8E-45"),
        (1.17549435e-38, "1.17549435E-38"),
        (2.0**83, "9.6714065E24"),
        (2.0**65, "3.6893488E19"),
        (2.0**-83, "1.03397577E-25"),
        (5.7286327e25, "5.7286326E25"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_a_float_is_written_as_java_does(value: float, text: str) -> None:
    assert float_text(to_float32(value)) == text


@settings(max_examples=300)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_written_double_is_read_back_as_itself(value: float) -> None:
    assert struct.pack("<d", float(double_text(value))) == struct.pack("<d", value)


@settings(max_examples=300)
@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_written_float_is_read_back_as_itself(value: float) -> None:
    assert struct.pack("<f", float(float_text(value))) == struct.pack("<f", value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_an_exponent_stands_outside_of_a_thousandth_to_ten_million(value: float) -> None:
    assume(value)
    assert ("E" in double_text(value)) == (not 1e-3 <= abs(value) < 1e7)


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(0.1, 0.10000000149011612), (16777217.0, 16777216.0), (1e39, float("inf"))],
)
def test_rounding_to_32_bits(value: float, rounded: float) -> None:
    assert to_float32(value) == rounded
    assert to_float32(-value) == -rounded


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "Thu Jan 01 00:00:00 UTC 1970"),
        (-1, "Wed Dec 31 23:59:59 UTC 1969"),
        (951782400000, "Tue Feb 29 00:00:00 UTC 2000"),
        (253402300799999, "Fri Dec 31 23:59:59 UTC 9999"),
        (-12219292800000, "Fri Oct 15 00:00:00 UTC 1582"),
    ],
)
def test_a_date_is_written_as_java_does(milliseconds: int, text: str) -> None:
    assert date_text(milliseconds) == text


@pytest.mark.parametrize(
    ("keys", "order"),
    [
        (
            "ts_sec file pos gtids server_id event row snapshot",
            "ts_sec file pos gtids row server_id event snapshot",
        ),
        (  # more than twelve, so that the table has grown
            "transaction_id order_db.a ts_sec file pos gtids server_id event row order_db.ü e c b",
            "transaction_id ts_sec b c e gtids order_db.a server_id file order_db.ü pos row event",
        ),
        ("Aa BB AaAa BBBB AaBB BBAa", "Aa BB AaAa BBBB AaBB BBAa"),  # equal hash codes
        ("😀 b é", "b 😀 é"),
        ("a a b a", "a b"),
    ],
)
def test_a_hash_map_is_read_in_the_order_of_java(keys: str, order: str) -> None:
    assert hash_order(keys.split()) == order.split()
