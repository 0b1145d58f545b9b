"""All brokers of a cluster are fenced: clients wait for them, and the process goes on."""

from __future__ import annotations

import subprocess
import sys

from tests.unit.kafka.fenced_broker import FencedBroker

SCRIPT = """
import sys, time
from connector.errors import BrokerUnavailableError
from connector.kafka.topics import Topics

topics = Topics({"bootstrap.servers": sys.argv[1]})


def wait_until(expected):
    end = time.monotonic() + 20
    while topics.reachable() is not expected:
        assert time.monotonic() < end
        time.sleep(0.01)


wait_until(True)
assert topics.cluster_id() == "cluster"
print("known", flush=True)
sys.stdin.readline()
for _ in range(20):
    topics.reachable()
    topics.writable(["items"])
    time.sleep(0.02)
try:
    topics.partitions("items")
except BrokerUnavailableError:
    pass  # no broker is there to be asked
print("alive", flush=True)
"""


def test_the_process_survives_a_cluster_without_brokers() -> None:
    broker = FencedBroker()
    command = [sys.executable, "-c", SCRIPT, broker.address]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "known\n"
        broker.fenced.set()
        output, _ = process.communicate("\n", timeout=60)
    broker.close()
    assert output == "alive\n"
    assert process.returncode == 0
