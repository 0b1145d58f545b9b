import subprocess
import sys
import time

import pytest

from bench.__main__ import parser, warm_up
from bench.measure import PARTS, percentiles
from bench.tables import TABLES, digits
from bench.usage import Usage
from tools.stack import StackError


def test_percentiles_are_milliseconds_of_the_ordered_ages() -> None:
    ages = [number / 1000 for number in range(100, 0, -1)]
    assert percentiles(ages) == {"rows": 100, "p50_ms": 51.0, "p99_ms": 100.0, "max_ms": 100.0}
    assert percentiles([0.002])["p99_ms"] == 2.0
    with pytest.raises(StackError, match="No row"):
        percentiles([])


def test_the_process_and_its_children_are_counted() -> None:
    burn = "import time\nt=time.process_time()\nb=bytearray(60_000_000)\n"
    burn += "while time.process_time()-t<0.5: pass\n"
    child = f"{burn}print('burnt',flush=True)\ntime.sleep(3)"
    parent = f"import subprocess,sys\nsubprocess.run([sys.executable,'-c',{child!r}])"
    with (
        subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as process,
        Usage(process.pid) as usage,
    ):
        assert process.stdout is not None
        assert process.stdout.readline() == b"burnt\n"
        time.sleep(1)  # for a sample of the memory
    assert 0.3 < usage.cpu_seconds < 3
    assert 70_000_000 < usage.peak_bytes < 400_000_000


@pytest.mark.parametrize("name", TABLES)
def test_rows_have_all_columns_and_are_the_same_every_time(name: str) -> None:
    table = TABLES[name]
    assert table.row(5) == table.row(5) != table.row(6)
    assert len(table.row(0)) == {"sb": 4, "wide": 20, "types": 43, "many": 300}[name]


def test_text_is_as_long_as_that_of_sysbench() -> None:
    assert {len(digits(number, 10)) for number in (0, 1, 399_999)} == {119}
    assert {len(digits(number, 5)) for number in (0, 1, 399_999)} == {59}


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("latency", ["latency paced, with schemas"]),
        ("latency,snapshot-wide", ["snapshot wide, with schemas", "latency paced, with schemas"]),
        ("stream-sb", ["stream sb, with schemas", "stream sb, without schemas"]),
    ],
)
def test_parts_are_chosen_by_name(text: str, labels: list[str]) -> None:
    assert [part.label for part in parser().parse_args(["--what", text]).what] == labels


@pytest.mark.parametrize(
    "arguments", [["--what", "no-such"], ["--rows", "10"], ["--rows", "x"], ["--repeat", "0"]]
)
def test_a_wrong_option_is_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(arguments)
    assert arguments[0] in capsys.readouterr().err


def test_the_warm_up_does_each_kind_once() -> None:
    assert {part.what for part in warm_up(PARTS)} == {"stream", "snapshot"}
    assert warm_up([part for part in PARTS if part.what == "latency"]) == []
