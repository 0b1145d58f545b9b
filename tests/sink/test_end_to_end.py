"""MySQL → Millrace → Kafka → Delta: the table holds what the database holds."""

from __future__ import annotations

import argparse
import base64
import re
import time
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from tests.fixtures.databases import FreshDatabase
from tests.fixtures.sink.recorded import MakeSink, Topic, field, rows
from tests.fixtures.topics import Topics
from tools.stack import CAPTURE, OWNER, ConnectClient, KafkaBroker, MillraceWorker

ONCE = argparse.Namespace(once=True)
KINDS = """CREATE TABLE kinds (id INT PRIMARY KEY, flag TINYINT(1), large BIGINT UNSIGNED,
    whole DECIMAL(30,9), half FLOAT, full DOUBLE, day DATE, born YEAR, at DATETIME(3),
    seen TIMESTAMP(6) NULL, span TIME(2), word VARCHAR(20), note LONGTEXT, state ENUM('a', 'b'),
    parts SET('x', 'y'), raw VARBINARY(9), fixed BINARY(4), doc JSON, one BIT(1), bits BIT(9),
    place POINT)"""
VALUES = (
    (
        "1, 9223372036854775807, -123456789012345678901.000000001, 1.1, 1e-300, '1000-01-01',"
        " 1901,"
        " '9999-12-31 23:59:59.999', '2038-01-19 03:14:07.499999', '-838:59:59', 'ü\\'\"', '', 'b',"
        " 'x,y', x'00ff', x'01', '{\"b\": [1.5, null, \"ü\"], \"a\": 12345678901234567890}', 1, 5,"
        " ST_GeomFromText('POINT(1 2.5)')"
    ),
    (
        "0, 0, 0, -3.4e38, 0.1, '2024-02-29', 2155, '1970-01-01 00:00:00', '1970-01-01 00:00:01',"
        " '00:00:00.5', ' a ', REPEAT('long ', 9999), 'a', '', '', '', '[]', 0, 0, NULL"
    ),
    (
        "-128, 1, 0.000000001, 0, -0.0, '1001-01-01', 1970, '2024-03-31 02:30:00.5',"
        " '2024-10-27 01:30:00', '12:34:56', '😀', NULL, NULL, 'y', NULL, x'00000000', 'null', 1,"
        " 511, NULL"
    ),
)


def connector(database: FreshDatabase, broker: KafkaBroker, schemas: str) -> dict[str, str]:
    return {
        "connector.class": "io.debezium.connector.mysql.MySqlConnector",
        "database.hostname": database.server.host,
        "database.port": str(database.server.port),
        "database.user": CAPTURE.user,
        "database.password": CAPTURE.password,
        "database.server.id": str(time.time_ns() % 1_000_000_000 + 1),
        "topic.prefix": f"srv-{database.name}",
        "database.include.list": database.name,
        "schema.history.internal.kafka.bootstrap.servers": broker.address,
        "schema.history.internal.kafka.topic": f"history-{database.name}",
        "key.converter.schemas.enable": schemas,
        "value.converter.schemas.enable": schemas,
        "column.propagate.source.type": r".*\.kinds\.flag",
        "topic.creation.default.partitions": "3",
        "topic.creation.default.replication.factor": "1",
    }


@pytest.mark.parametrize("schemas", ["true", pytest.param("false", marks=pytest.mark.slow)])
def test_a_delta_table_equals_its_source(
    database: FreshDatabase,
    broker: KafkaBroker,
    millrace: MillraceWorker,
    sink: MakeSink,
    tmp_path: Path,
    schemas: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from sparksink.commands.subcommands import run  # noqa: PLC0415

    database.execute(
        "CREATE TABLE orders (id INT PRIMARY KEY, name VARCHAR(20), price DECIMAL(10,2),"
        " at DATETIME(6), seen TIMESTAMP NULL)",
        *(f"INSERT INTO orders VALUES ({n}, 'n{n}', {n}.25, '2024-01-0{n} 10:00:00.5',"
          f" '2024-01-0{n} 10:00:00')" for n in range(1, 6)),
        KINDS,
        "INSERT INTO kinds (id) VALUES (0)",
        *(f"INSERT INTO kinds VALUES ({n}, {values})" for n, values in enumerate(VALUES, 1)),
    )  # fmt: skip
    client, name = ConnectClient(millrace.url), f"sink-{database.name}"
    client.create(name, connector(database, broker, schemas))
    try:
        client.wait_for(name, "RUNNING")
        topic = f"srv-{database.name}.{database.name}.orders"
        Topics(broker.address).wait_for(topic, 5)
        database.execute(
            "UPDATE orders SET price = -price WHERE id < 3",
            "DELETE FROM orders WHERE id = 4",
            "UPDATE orders SET id = 50 WHERE id = 5",
            "ALTER TABLE orders ADD COLUMN stock INT NOT NULL DEFAULT 7",
            "INSERT INTO orders VALUES (60, 'sixty', NULL, NULL, NULL, 1)",
        )
        # 5 rows, 2 updates, a delete and a changed key with their tombstones, an insert.
        Topics(broker.address).wait_for(topic, 5 + 2 + 2 + 3 + 1)
    finally:
        client.delete(name)
        client.close()
    made = sink(
        source={
            "kind": "kafka",
            "bootstrap.servers": broker.address,
            "topics": rf"srv-{database.name}\..*",
            "database": {
                "url": f"jdbc:mariadb://{database.server.address}/{database.name}?allowPublicKeyRetrieval=true",
                "user": OWNER.user,
                "password": OWNER.password,
            },
            "ddl.topic": f"srv-{database.name}",
        },
        types={"tinyint1": "boolean"},
        columns={"mask": {"word": "hash"}},
    )
    run(made, ONCE)
    run(made, ONCE)  # nothing is new, nothing changes
    columns = ["id", "name", "CAST(price AS STRING)", "CAST(at AS STRING)", "stock"]
    table = made.lake.table(f"{database.name}__orders").read()
    found = sorted(tuple(row) for row in table.selectExpr(*columns).collect())
    expected = [
        (key, text, None if price is None else str(price),
         None if at is None else f"{at:%Y-%m-%d %H:%M:%S}.5", stock)
        for key, text, price, at, stock in database.query(
            "SELECT id, name, price, at, stock FROM orders"
        )
    ]  # fmt: skip
    assert found == sorted(expected)
    assert rows(made, f"{database.name}__orders", "id")[0] == (1,)
    flags = rows(made, f"{database.name}__kinds", "id", "flag")
    assert flags == [(0, None), (1, True), (2, False), (3, True)]
    assert_verified(made, database, capsys)
    assert_checked(made, sink, database, capsys)


def assert_checked(
    made: Any, sink: MakeSink, database: FreshDatabase, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command reports available and missing parts."""
    from sparksink.commands.subcommands import check  # noqa: PLC0415
    from sparksink.errors import SinkError  # noqa: PLC0415

    check(made, ONCE)
    output = capsys.readouterr().out.splitlines()
    topic = f"srv-{database.name}"
    orders = f"{topic}.{database.name}.orders → {database.name}__orders: 3 partitions, 13 messages"
    assert orders in output
    assert any(line.startswith(f"source.ddl.topic: {topic}, ") for line in output)
    assert output[-1] == "source.database: available"
    source = made.config.source.model_dump(by_alias=True, exclude_unset=True)
    with pytest.raises(
        SinkError, match=r"source.transaction.topic: the topic none does not exist\."
    ):
        check(sink(source={**source, "transaction.topic": "none"}), ONCE)


def assert_verified(made: Any, database: FreshDatabase, capsys: pytest.CaptureFixture[str]) -> None:
    """The command says that tables are equal, and no more once they are not."""
    from sparksink.commands.subcommands import verify  # noqa: PLC0415
    from sparksink.errors import SinkError  # noqa: PLC0415

    verify(made, argparse.Namespace(table=".*", wait=0.0))
    kinds, orders = sorted(capsys.readouterr().out.splitlines())
    assert re.fullmatch(
        r"\w+\.kinds: EQUAL: 4 rows, checksum [0-9a-f]{16}; .*: bits, word", kinds
    ), kinds
    assert re.fullmatch(r"\w+\.orders: EQUAL: 5 rows, checksum [0-9a-f]{16}", orders)
    # The connector is gone: of these changes the mirror knows nothing.
    database.execute(
        "DELETE FROM kinds WHERE id = 1",
        "UPDATE kinds SET flag = 1 - flag WHERE id = 2",
        "INSERT INTO kinds (id) VALUES (9)",
    )
    with pytest.raises(SinkError, match=r"Not equal to the source: .*kinds"):
        verify(made, argparse.Namespace(table=".*kinds", wait=0.0))
    output = capsys.readouterr().out
    assert "DIFFERENT: 2 rows" in output
    assert "1 missing, 1 too many, 1 different" in output


@pytest.mark.slow
def test_compressed_transactions_with_position_headers(
    database: FreshDatabase, broker: KafkaBroker, millrace: MillraceWorker, sink: MakeSink
) -> None:
    from sparksink.commands.subcommands import run  # noqa: PLC0415

    database.execute("CREATE TABLE pairs (id INT PRIMARY KEY, v INT)", "CREATE TABLE bag (v INT)")
    client, name, topics = (
        ConnectClient(millrace.url),
        f"sink-{database.name}",
        Topics(broker.address),
    )
    headers = {"millrace.position.headers": "true"}
    client.create(name, connector(database, broker, "true") | headers)
    prefix = f"srv-{database.name}.{database.name}"
    try:
        client.wait_for(name, "RUNNING")
        for table in ("pairs", "bag"):
            topics.wait_for(f"{prefix}.{table}", 1)  # a snapshot without rows
        database.execute(
            "SET SESSION binlog_transaction_compression = ON",
            "BEGIN",
            "INSERT INTO pairs VALUES (1, 0), (2, 0), (3, 0)",
            "DELETE FROM pairs WHERE id = 1",
            "UPDATE pairs SET v = 1",
            "UPDATE pairs SET v = 2 WHERE id = 3",
            "INSERT INTO bag VALUES (7)",
            "INSERT INTO bag VALUES (7)",
            "COMMIT",
        )
        topics.wait_for(f"{prefix}.pairs", 1 + 3 + 2 + 2 + 1)  # the delete has a tombstone
        topics.wait_for(f"{prefix}.bag", 1 + 2)
    finally:
        client.delete(name)
        client.close()
    streamed = [
        message
        for table in ("pairs", "bag")
        for message in topics.read(f"{prefix}.{table}")
        if message.value and message.payload()["op"] != "t"
    ]
    sources = [message.payload()["source"] for message in streamed]
    assert len({(source["file"], source["pos"]) for source in sources}) == 1
    assert sorted(source["row"] for source in sources) == [0, 0, 0, 0, 0, 0, 1, 1, 2]
    assert (
        len({dict(message.headers)["millrace.position"] for message in streamed})
        == len(streamed)
        == 9
    )
    made = sink(
        source={
            "kind": "kafka",
            "bootstrap.servers": broker.address,
            "topics": rf"{prefix}\..*",
        },
        ordering={"epoch": "header"},
        nopk="bag_view",
    )
    run(made, ONCE)
    assert rows(made, f"{database.name}__pairs", "id", "v") == database.query(
        "SELECT id, v FROM pairs ORDER BY id"
    )
    assert rows(made, f"{database.name}__bag", "v", "__count") == [(7, 2)]


@pytest.mark.slow
def test_messages_that_are_gone_before_they_were_read_stop_the_job(
    broker: KafkaBroker,
    topics: Topics,
    sink: MakeSink,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from sparksink.commands.subcommands import run, status  # noqa: PLC0415
    from sparksink.errors import DataLossError  # noqa: PLC0415

    name = f"lost{time.time_ns()}.shop.orders"
    topics.create(name)
    topic = Topic(name, [field("id", "int32")])
    source = {"kind": "kafka", "bootstrap.servers": broker.address, "topics": re.escape(name)}
    produce(broker, topic, [1, 2])
    run(sink(source=source), ONCE)
    produce(broker, topic, [3, 4, 5])
    place = TopicPartition(name, 0, 4)
    admin = AdminClient({"bootstrap.servers": broker.address})  # its answers need it alive
    admin.delete_records([place])[place].result(30)
    with pytest.raises(DataLossError, match="gone from Kafka"):
        run(sink(source=source), ONCE)
    made = sink(source={**source, "on.data.loss": "continue"})
    run(made, ONCE)
    assert rows(made, "shop__orders", "id") == [(1,), (2,), (5,)]
    assert rows(made, "_cdc/gaps", "source_table", "partition", "expected", "earliest") == [
        ("shop.orders", 0, 2, 4)
    ]
    status(made, ONCE)
    assert capsys.readouterr().out.endswith("lacks messages: take a new snapshot\n")
    produce(broker, topic, [6, 7], op="r", snapshot="last_in_data_collection")
    run(made, ONCE)
    status(made, ONCE)
    assert capsys.readouterr().out.endswith("ok\n")
    assert rows(made, "_cdc/gaps", "expected") == [(2,)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["kafka", "kafka_py"])
def test_a_recreated_topic_that_is_shorter_counts_as_lost_messages(
    broker: KafkaBroker,
    topics: Topics,
    sink: MakeSink,
    capsys: pytest.CaptureFixture[str],
    kind: str,
) -> None:
    from sparksink.commands.subcommands import run, status  # noqa: PLC0415
    from sparksink.errors import DataLossError  # noqa: PLC0415

    name = f"again{time.time_ns()}.shop.orders"
    topics.create(name)
    topic = Topic(name, [field("id", "int32")])
    source = {"kind": kind, "bootstrap.servers": broker.address, "topics": re.escape(name)}
    produce(broker, topic, [1, 2, 3])
    run(sink(source=source), ONCE)
    topics.delete([name])
    topics.create(name)
    produce(broker, topic, [4])
    with pytest.raises(DataLossError):
        run(sink(source=source), ONCE)
    made = sink(source={**source, "on.data.loss": "continue"})
    run(made, ONCE)
    assert rows(made, "_cdc/gaps", "source_table", "expected", "earliest") == [
        ("shop.orders", 3, 0)
    ]
    status(made, ONCE)
    assert capsys.readouterr().out.endswith("lacks messages: take a new snapshot\n")
    produce(broker, topic, [5], op="r", snapshot="last_in_data_collection")
    run(made, ONCE)
    assert rows(made, "shop__orders", "id") == [(5,)]
    status(made, ONCE)
    assert capsys.readouterr().out.endswith("ok\n")


def produce(
    broker: KafkaBroker, topic: Topic, keys: list[int], op: str = "c", **source: Any
) -> None:
    producer = Producer({"bootstrap.servers": broker.address})
    for key in keys:
        message = topic.change(op, 100 * key, None, {"id": key}, **source)
        parts = [base64.b64decode(message[part]) for part in ("key64", "value64")]
        producer.produce(topic.name, key=parts[0], value=parts[1])
    assert producer.flush(30) == 0
