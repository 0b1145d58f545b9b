"""The behavior of every schema history store, and of the durable ones."""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka import Producer

from connector.capture.history import HistoryRecord, HistoryStore
from connector.capture.history.file import FileHistory
from connector.capture.history.kafka import KafkaHistory
from connector.capture.history.memory import MemoryHistory
from connector.capture.tables import Tables
from connector.errors import HistoryError, ProduceError, TransientError
from connector.kafka.ordered_topic import OrderedTopic
from connector.kafka.topics import Topics as Admin
from connector.mysql.schema.database_schema import DatabaseSchema
from connector.mysql.schema.schema_rules import SchemaRules
from tests.fixtures.disk import no_space_beyond
from tests.fixtures.topics import Topics

Open = Callable[[], HistoryStore]
DEBEZIUM = Path(__file__).parents[1] / "unit" / "mysql" / "schema" / "debezium_mysql.history"


def record(number: int, ddl: str | None = None) -> HistoryRecord:
    """Make a record of a statement, as a connector does."""
    schema = DatabaseSchema(SchemaRules(), Tables())
    text = f"CREATE TABLE t{number} (`ü \"q\" \\` ENUM('a','b,\n') DEFAULT 'a')"
    [change] = schema.apply(text, "shop")
    position = {"file": "binlog.000001", "pos": number, "snapshot": "INITIAL"}
    made = HistoryRecord.of(
        {"server": "shop"}, position, "shop", change.ddl, change.changes, 1_700_000_000_000 + number
    )
    return made if ddl is None else replace(made, ddl=ddl)


def file_history(path: Path, opened: ExitStack) -> FileHistory:
    """Open a file that is closed at the end."""
    store = FileHistory(path)
    opened.callback(store.close)
    return store


@pytest.fixture(params=["memory", "file", pytest.param("kafka", marks=pytest.mark.servers)])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Return a function that reopens the store, as the next start of a connector does."""
    if request.param == "kafka":
        yield request.getfixturevalue("open_kafka")
    elif request.param == "file":
        with ExitStack() as opened:
            yield lambda: file_history(tmp_path / "below" / "history", opened)
    else:
        memory = MemoryHistory()
        yield lambda: memory


@pytest.fixture
def topic(topics: Topics) -> Iterator[str]:
    """Return the name of a topic that is deleted afterwards."""
    name = f"history-{uuid.uuid4().hex}"
    yield name
    topics.delete([name])


@pytest.fixture
def open_kafka(topics: Topics, topic: str) -> Iterator[Open]:
    """Return a function that opens the history of a topic."""
    opened: list[KafkaHistory] = []

    def open_again() -> KafkaHistory:
        config = {"bootstrap.servers": topics.bootstrap}
        opened.append(
            KafkaHistory(topic, OrderedTopic(topic, config, config), Admin(config), batch=7)
        )
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


def test_nothing_is_there_before_something_is_written(open_store: Open) -> None:
    store = open_store()
    assert not store.exists()
    store.prepare()
    store.prepare()
    assert not store.exists()
    assert list(store.records()) == []


def test_records_come_back_in_their_order(open_store: Open) -> None:
    store = open_store()
    store.prepare()
    written = [record(number) for number in range(5)]
    for one in written:
        store.append(one)
    assert store.exists()
    assert list(store.records()) == written


def test_records_survive_and_more_are_added_behind_them(open_store: Open) -> None:
    for start in (0, 3, 6):
        store = open_store()
        store.prepare()
        assert [one.position["pos"] for one in store.records()] == list(range(start))
        for number in range(start, start + 3):
            store.append(record(number))
        store.close()
        store.close()
    assert list(open_store().records()) == [record(number) for number in range(9)]


def test_reading_goes_on_behind_a_mark(open_store: Open) -> None:
    store = open_store()
    store.prepare()
    assert store.last() is None
    for number in range(3):
        store.append(record(number))
    assert len(list(store.records())) == 3
    mark = store.last()
    assert mark is not None
    again = open_store()
    assert again.holds(mark)
    assert list(again.records(mark)) == []
    assert again.last() == mark
    again.append(record(3))
    assert list(again.records(mark)) == [record(3)]
    further = again.last()
    assert further is not None
    assert further != mark
    assert open_store().holds(further)
    assert open_store().holds(mark)


def test_a_mark_of_another_history_is_not_held(open_store: Open) -> None:
    store = open_store()
    store.prepare()
    for number in range(3):
        store.append(record(number))
    list(store.records())
    mark = store.last()
    assert mark is not None
    for offset in (mark.offset + 10_000, mark.offset - 1):
        assert not open_store().holds(mark._replace(offset=offset))
    assert not open_store().holds(mark._replace(digest="0"))


def test_many_records_may_be_written_at_once(open_store: Open) -> None:
    store = open_store()
    store.prepare()
    store.append(record(0))
    with store.buffering():
        for number in range(1, 20):
            store.append(record(number))
    assert len(list(open_store().records())) == 20
    store.append(record(20))
    assert len(list(open_store().records())) == 21


def test_what_was_buffered_before_a_fault_is_kept(open_store: Open) -> None:
    store = open_store()
    store.prepare()
    with suppress(ZeroDivisionError), store.buffering():
        store.append(record(0))
        raise ZeroDivisionError
    assert list(open_store().records()) == [record(0)]


def test_a_closed_store_can_be_used_again(open_store: Open) -> None:
    store = open_store()
    store.prepare()
    store.append(record(0))
    store.close()
    store.append(record(1))
    assert list(store.records()) == [record(0), record(1)]


def test_a_big_record(open_store: Open) -> None:
    store = open_store()
    store.prepare()
    big = record(1, "CREATE TABLE t (a INT) COMMENT '" + "ü" * 400_000 + "'")
    store.append(big)
    store.append(record(2))
    assert list(open_store().records()) == [big, record(2)]


def test_a_torn_last_line_is_skipped_and_truncated(tmp_path: Path) -> None:
    path = tmp_path / "history"
    store = FileHistory(path)
    store.prepare()
    store.append(record(0))
    store.close()
    whole = path.read_bytes()
    for torn in (b"{", whole[:-1], b"\x00" * 9):
        path.write_bytes(whole + torn)
        with closing(FileHistory(path)) as again:
            assert again.exists()
            assert list(again.records()) == [record(0)]
            again.append(record(1))
            assert list(again.records()) == [record(0), record(1)]


def test_a_file_of_nothing_but_a_torn_line_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_bytes(b'{"source"')
    with closing(FileHistory(path)) as store:
        assert not store.exists()
        store.append(record(0))
        assert list(store.records()) == [record(0)]


@pytest.mark.parametrize("line", [b"nonsense\n", b"{}\n", b"[]\n", b'{"source":1}\n', b"\xff\n"])
def test_an_unreadable_line_within_a_file_is_an_error_that_names_it(
    tmp_path: Path, line: bytes
) -> None:
    path = tmp_path / "history"
    path.write_bytes(b"\n" + line + record(0).line().encode() + b"\n")
    with pytest.raises(HistoryError, match=f"Line 2 of {path}"):
        list(FileHistory(path).records())


def test_a_file_that_cannot_be_made_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HistoryError, match="could not be made") as caught:
        FileHistory(tmp_path / "file" / "history").prepare()
    assert "schema.history.internal.file.filename" in (caught.value.remedy or "")


def test_a_file_that_debezium_wrote(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_bytes(DEBEZIUM.read_bytes())
    with closing(FileHistory(path)) as store:
        before = list(store.records())
        assert len(before) == len(DEBEZIUM.read_bytes().splitlines())
        store.append(record(0))
        assert list(store.records()) == [*before, record(0)]
    assert path.read_bytes().startswith(DEBEZIUM.read_bytes())


def test_all_records_are_written_through_one_connection(open_kafka: Open) -> None:
    store = open_kafka()
    store.prepare()
    store.append(record(1))
    threads = len(list(Path("/proc/self/task").iterdir()))
    for number in range(2, 22):
        store.append(record(number))
    assert len(list(Path("/proc/self/task").iterdir())) < threads + 10


def test_a_topic_is_made_to_keep_its_records(open_kafka: Open, topics: Topics, topic: str) -> None:
    open_kafka().prepare()
    admin = Admin({"bootstrap.servers": topics.bootstrap})
    assert admin.partitions(topic) == 1
    assert admin.setting(topic, "cleanup.policy") == "delete"
    assert admin.setting(topic, "retention.ms") == str(2**63 - 1)


def send(topics: Topics, topic: str, *values: bytes | None) -> None:
    """Write messages with keys to a topic, as some other program might."""
    producer = Producer({"bootstrap.servers": topics.bootstrap})
    for value in values:
        producer.produce(topic, value, b"a key", 0)
    producer.flush()


def test_foreign_messages_in_a_topic_are_skipped(
    open_kafka: Open, topics: Topics, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_kafka()
    store.prepare()
    store.append(record(0))
    send(topics, topic, b"nonsense", None, b'{"a":1}', record(1).text().encode())
    with caplog.at_level(logging.WARNING):
        assert list(store.records()) == [record(0), record(1)]
    assert len(re.findall("A message of topic .* is skipped", caplog.text)) == 2


def test_a_topic_that_may_lose_records_is_warned_of(
    open_kafka: Open, topics: Topics, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    topics.create(topic, partitions=3, retention_ms=1000, cleanup_policy="compact")
    send(topics, topic, b"anything")
    with caplog.at_level(logging.WARNING):
        assert open_kafka().exists()
    for fault in ("3 partitions", "retention.ms=1000", "cleanup.policy=compact"):
        assert fault in caplog.text


def append_together(store: HistoryStore, records: list[HistoryRecord]) -> None:
    """Append records as a snapshot does."""
    with store.buffering():
        for one in records:
            store.append(one)


def test_a_refused_record_is_one_error_and_does_not_come_up_again(
    open_kafka: Open, topics: Topics, topic: str
) -> None:
    topics.create(topic, partitions=1, max_message_bytes=2000)
    store = open_kafka()
    big = record(1, "-- " + "x" * 5000)
    with pytest.raises(ProduceError, match=topic):
        append_together(store, [big, big])
    store.append(record(2))
    with pytest.raises(ProduceError):
        store.append(big)
    store.close()
    store.append(record(3))
    assert list(store.records()) == [record(2), record(3)]


def test_a_record_for_which_a_file_has_no_space_can_be_written_later(tmp_path: Path) -> None:
    path = tmp_path / "history"
    with closing(FileHistory(path)) as store:
        store.prepare()
        store.append(record(1))
        with no_space_beyond(path.stat().st_size + 20):
            for _ in range(2):
                with pytest.raises(TransientError, match="could not be written"):
                    store.append(record(2))
        store.append(record(3))
        assert list(store.records()) == [record(1), record(3)]
