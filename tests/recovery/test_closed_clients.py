"""A client of Kafka that is dropped while requests are open does not end the process."""

from __future__ import annotations

import subprocess
import sys

from deploy.stack import KafkaBroker

REQUESTS = 400
SCRIPT = f"""
import logging, sys
from connector.kafka.admin_requests import AdminRequests

names = [f"topic-{{number}}" for number in range(20)]
for _ in range(5):
    client = AdminRequests({{"bootstrap.servers": sys.argv[1]}}, logging.getLogger("kafka"))
    requests = [client.describe_topics(names, 60)[names[0]] for _ in range({REQUESTS})]
    requests[0].exception(30)
    del client
    print(sum(request.done() for request in requests))
    assert all(request.exception(60).args[0].name() for request in requests)
"""


def test_answers_arrive_after_a_client_was_dropped(broker: KafkaBroker) -> None:
    command = [sys.executable, "-c", SCRIPT, broker.address]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert min(map(int, done.stdout.split())) < REQUESTS, "all were answered before"
