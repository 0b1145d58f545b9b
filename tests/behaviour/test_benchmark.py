"""`make bench` measures on real servers and prints a table."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.servers, pytest.mark.slow]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def number(output: str, line: str, column: int = 0) -> float:
    found = re.search(rf"^\| {re.escape(line)} \| (.+) \|$", output, re.MULTILINE)
    assert found, output
    return float(found[1].split(" | ")[column].replace(",", ""))


def results(answer: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    found = re.search(r"the raw results are in (.+)", answer.stderr)
    assert found, answer.stderr
    lines = Path(found[1]).read_text().splitlines()
    return [json.loads(line) for line in lines[1:]]


def test_a_stream_a_snapshot_and_the_latency_are_measured() -> None:
    answer = run("--rows", "4000", "--what", "stream-wide,snapshot-sb,latency")
    assert answer.returncode == 0, answer.stderr
    raw = {result["part"]: result for result in results(answer)}
    assert raw["stream wide, with schemas"]["rows"] == 900
    assert raw["snapshot sb, with schemas"]["rows"] == 4000
    with_schema = raw["snapshot sb, with schemas"]["value_bytes"]
    assert with_schema > 3 * raw["snapshot sb, without schemas"]["value_bytes"]
    assert raw["latency paced, with schemas"]["rows"] == 4500
    assert number(answer.stdout, "stream wide, with schemas: rows/s") > 100
    p50 = number(answer.stdout, "latency at 300 rows/s, p50: ms")
    assert 0 < p50 <= number(answer.stdout, "latency at 300 rows/s, p99: ms")
    assert number(answer.stdout, "peak RSS of all: MB") > 20


def test_debezium_is_measured_too() -> None:
    answer = run("--rows", "4000", "--what", "snapshot-wide", "--peer")
    assert answer.returncode == 0, answer.stderr
    assert [result["side"] for result in results(answer)] == [
        "Millrace",
        "Debezium default",
        "Debezium tuned",
    ]
    assert len({result["rows"] for result in results(answer)}) == 1
    rates = [number(answer.stdout, "snapshot wide, with schemas: rows/s", n) for n in range(4)]
    assert rates[3] == pytest.approx(rates[0] / rates[2], abs=0.06)
