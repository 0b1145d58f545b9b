"""`make demo` shows what the shop writes, verifies that all arrived, and cleans up."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import psutil
import pytest

ROOT = Path(__file__).parents[2]
EVENT = re.compile(r"^\d\d:\d\d:\d\d\.\d{3}  (\S+) +(\w+)  ", re.MULTILINE)
LIMIT = 600.0  # the first run downloads Spark's jars

pytestmark = pytest.mark.servers


class Demo:
    """The program as a process, with what it prints in a file."""

    def __init__(self, output: Path, *arguments: str) -> None:
        self._output = output
        with output.open("w") as stream:
            self.process = subprocess.Popen(
                [sys.executable, "-u", "-m", "tools.demo", *arguments],
                cwd=ROOT,
                stdout=stream,
                stderr=subprocess.STDOUT,
            )

    @property
    def text(self) -> str:
        return self._output.read_text()

    def wait_for(self, text: str) -> None:
        until = time.monotonic() + LIMIT
        while text not in self.text:
            assert self.process.poll() is None, self.text
            assert time.monotonic() < until, self.text
            time.sleep(0.1)

    def ended(self) -> int | None:
        """Return the exit status; None when it still runs after the limit."""
        with suppress(subprocess.TimeoutExpired):
            return self.process.wait(LIMIT)
        return None

    def servers(self) -> list[psutil.Process]:
        children: list[psutil.Process] = psutil.Process(self.process.pid).children(recursive=True)
        return children

    def data(self) -> set[Path]:
        """The folders of the run, as the servers' command lines name them."""
        words = [word for server in self.servers() for word in server.cmdline()]
        found = (re.search(rf"{ROOT}/\.stack/run/[\w-]+", word) for word in words)
        return {Path(match.group()) for match in found if match}


@contextmanager
def demo(output: Path, *arguments: str) -> Iterator[Demo]:
    running = Demo(output, *arguments)
    try:
        yield running
    finally:
        with suppress(ProcessLookupError):
            running.process.kill()
        running.process.wait()


def gone(servers: list[psutil.Process]) -> bool:
    _, alive = psutil.wait_procs(servers, timeout=10)
    return not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


def assert_equal_tables(text: str) -> None:
    """Each table's rows stand beside those of its Delta table, and are the same."""
    verified = re.findall(
        r"inventory\.(\w+) on \w+ +inventory__(\w+), .*\n(?:.+\n)+?([A-Z]+): ", text
    )
    assert verified == [(name, name, "EQUAL") for name in ("customers", "products", "orders")]


def test_it_ends_by_itself_when_everything_has_arrived(tmp_path: Path) -> None:
    with demo(tmp_path / "out", "--seconds", "8") as running:
        running.wait_for(" update ")
        servers, data = running.servers(), running.data()
        assert running.ended() == 0, running.text
    events = EVENT.findall(running.text)
    kinds = {kind for topic, kind in events if topic == "shop.inventory.customers"}
    assert kinds == {"read", "insert", "update"}
    assert ("shop.inventory.orders", "delete") in events
    assert ("shop.inventory.orders", "tombstone") in events
    assert ("shop", "alter") in events
    assert re.search(r"\d+ events; replayed they give the \d+ rows of 3 tables", running.text)
    assert "phone NULL → " in running.text
    assert_equal_tables(running.text)
    assert gone(servers)
    assert len(data) == 1
    assert not data.pop().exists()


@pytest.mark.slow
def test_it_invites_to_the_rest_api(tmp_path: Path) -> None:
    with demo(tmp_path / "out") as running:
        running.wait_for(" update ")
        commands = re.findall(r"^  curl (?:-X (PUT) )?(http\S+)$", running.text, re.MULTILINE)
        assert len(commands) == 3
        for method, url in commands:
            httpx.request(method or "GET", url, timeout=30).raise_for_status()
        time.sleep(2)  # the last command was a pause
        last = len(EVENT.findall(running.text))
        time.sleep(3)
        assert len(EVENT.findall(running.text)) == last
        running.process.send_signal(signal.SIGINT)
        assert running.ended() == 0, running.text


@pytest.mark.slow
def test_the_tables_come_after_each_kind_of_business_and_the_shop_goes_on(tmp_path: Path) -> None:
    with demo(tmp_path / "out") as running:
        running.wait_for("The shop goes on")
        assert_equal_tables(running.text)
        time.sleep(3)
        assert EVENT.findall(running.text.partition("The shop goes on")[2])
        running.process.send_signal(signal.SIGINT)
        assert running.ended() == 0, running.text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "moment", ["broker: starting", "millrace: starting", " update ", "tables: 5 s"]
)
@pytest.mark.slow
def test_a_signal_ends_all_at_any_moment(
    tmp_path: Path, number: signal.Signals, moment: str
) -> None:
    with demo(tmp_path / "out") as running:
        running.wait_for(moment)
        servers = running.servers()
        running.process.send_signal(number)
        assert running.process.wait(30) == 0, running.text
    assert running.text.endswith("stopped\n")
    assert gone(servers)


@pytest.mark.slow
def test_it_fails_when_expected_events_do_not_arrive(tmp_path: Path) -> None:
    with demo(tmp_path / "out", "--seconds", "15") as running:
        running.wait_for(" update ")
        pause = re.search(r"^  curl -X PUT (http\S+/pause)$", running.text, re.MULTILINE)
        assert pause
        httpx.put(pause[1], timeout=30).raise_for_status()
        servers = running.servers()
        assert running.process.wait(LIMIT) == 1
    assert re.search(r"^orders: \d+ events 'insert', not \d+$", running.text, re.MULTILINE)
    assert "replayed they give" not in running.text
    assert "tables: " not in running.text
    assert gone(servers)


@pytest.mark.slow
def test_it_fails_when_a_server_ends(tmp_path: Path) -> None:
    with demo(tmp_path / "out", "--seconds", "600") as running:
        running.wait_for(" update ")
        servers = running.servers()
        next(one for one in servers if "kafka.Kafka" in one.cmdline()).kill()
        assert running.process.wait(30) == 1
    assert "broker has ended" in running.text
    assert gone(servers)
