"""What every log does: the memory's, the files' and the topic's."""

from __future__ import annotations

import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from confluent_kafka import Producer

from connector.errors import TransientError
from connector.kafka.log import KafkaLog, LogWriter
from connector.worker.storage import Log
from connector.worker.storage.file import FileLog, JsonFormat
from connector.worker.storage.java_map import JavaMapFormat
from connector.worker.storage.memory import MemoryLog
from tests.fixtures.topics import Topics

# A value that every format takes: JSON, as Connect writes it.
ONE, TWO, THREE = b'{"n":1}', b'{"n":2}', b'{"text":"\xc3\xa9"}'

Open = Callable[[], Log]


@pytest.fixture(params=["memory", "json", "java", pytest.param("kafka", marks=pytest.mark.servers)])
def open_log(request: pytest.FixtureRequest, tmp_path: Path, topics: Topics) -> Iterator[Open]:
    """Return a function that opens the log again, as the next start of a worker does."""
    if request.param == "kafka":
        yield from _kafka(topics)
    elif request.param == "memory":
        kept = MemoryLog()
        yield lambda: kept
    else:
        form = JsonFormat() if request.param == "json" else JavaMapFormat()
        yield lambda: FileLog(tmp_path / "log", form)


def _kafka(topics: Topics) -> Iterator[Open]:
    topic = f"log-{uuid.uuid4().hex}"
    topics.create(topic, partitions=3, cleanup_policy="compact")
    config = {"bootstrap.servers": topics.bootstrap}
    writer = LogWriter(config)
    yield lambda: KafkaLog(topic, config, writer)
    writer.close()
    topics.delete([topic])


def test_a_new_log_is_empty(open_log: Open) -> None:
    assert open_log().read() == {}


def test_what_is_written_is_there_after_a_restart(open_log: Open) -> None:
    log = open_log()
    log.read()
    log.write([(b"a", ONE), (b"b", TWO)])
    assert open_log().read() == {b"a": ONE, b"b": TWO}


def test_the_last_value_of_a_key_counts(open_log: Open) -> None:
    log = open_log()
    log.read()
    log.write([(b"a", ONE), (b"a", TWO)])
    log.write([(b"a", THREE)])
    assert open_log().read() == {b"a": THREE}


def test_none_removes_a_key(open_log: Open) -> None:
    log = open_log()
    log.read()
    log.write([(b"a", ONE), (b"b", TWO), (b"a", None)])
    log.write([(b"never", None)])
    assert open_log().read() == {b"b": TWO}


def test_a_restarted_log_keeps_what_it_had(open_log: Open) -> None:
    first = open_log()
    first.read()
    first.write([(b"a", ONE)])
    second = open_log()
    second.read()
    second.write([(b"b", TWO)])
    assert open_log().read() == {b"a": ONE, b"b": TWO}


def test_what_is_posted_is_stored_in_order(open_log: Open) -> None:
    log = open_log()
    log.read()
    log.post((b"a", ONE))
    log.post((b"b", ONE))
    log.post((b"a", TWO))
    log.post((b"b", None))
    log.write([(b"c", THREE)])  # same order: by now the others are stored
    assert open_log().read() == {b"a": TWO, b"c": THREE}


def test_writers_side_by_side_lose_nothing(open_log: Open) -> None:
    log = open_log()
    log.read()

    def write(number: int) -> None:
        log.write([(f"key-{number}".encode(), ONE)])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(40)))
    assert len(open_log().read()) == 40


@pytest.mark.parametrize(
    ("partitions", "key", "partition"),
    [
        (25, '["cp-probe-1",{"server":"cpprobe1"}]', 20),
        (25, '["dt-sidea538c81",{"server":"sidea538c81"}]', 21),
        (25, '["dt-sideb538c81",{"server":"sideb538c81"}]', 0),
        (5, "status-connector-cp-probe-1", 4),
        (5, "status-task-cp-probe-1-0", 3),
    ],
)
def test_keys_go_where_java_puts_them(
    topics: Topics, partitions: int, key: str, partition: int
) -> None:
    """The partitions were read from topics that a Kafka Connect 4.3 worker wrote."""
    topic = f"log-{uuid.uuid4().hex}"
    topics.create(topic, partitions=partitions, cleanup_policy="compact")
    writer = LogWriter({"bootstrap.servers": topics.bootstrap})
    KafkaLog(topic, {}, writer).write([(key.encode(), ONE)])
    assert [message.partition for message in topics.read(topic)] == [partition]
    topics.delete([topic])


def test_a_topic_that_others_write_to_all_the_time_has_an_end(topics: Topics) -> None:
    topic = f"log-{uuid.uuid4().hex}"
    topics.create(topic, cleanup_policy="compact")
    config = {"bootstrap.servers": topics.bootstrap}
    writer, done = LogWriter(config), threading.Event()

    def write() -> None:
        while not done.is_set():
            writer.write(topic, [(b"a", ONE)])

    with ThreadPoolExecutor() as pool:
        writing = pool.submit(write)
        time.sleep(0.2)
        assert KafkaLog(topic, config, writer).read() == {b"a": ONE}
        done.set()
        writing.result()
    topics.delete([topic])


def test_aborted_transactions_do_not_count(topics: Topics) -> None:
    topic = f"log-{uuid.uuid4().hex}"
    topics.create(topic, cleanup_policy="compact")
    config = {"bootstrap.servers": topics.bootstrap}
    producer = Producer({**config, "transactional.id": topic})
    producer.init_transactions(30)
    for value, commit in ((ONE, True), (TWO, False)):
        producer.begin_transaction()
        producer.produce(topic, value, b"a")
        producer.flush()
        (producer.commit_transaction if commit else producer.abort_transaction)()
    assert KafkaLog(topic, config, LogWriter(config)).read() == {b"a": ONE}
    topics.delete([topic])


def test_a_broker_that_is_gone_is_a_transient_error() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        config = {"bootstrap.servers": f"127.0.0.1:{closed.getsockname()[1]}", "log_level": 0}
        log = KafkaLog("t", config, LogWriter(config), patience=1)
        with pytest.raises(TransientError, match="Reading topic t: "):
            log.read()
