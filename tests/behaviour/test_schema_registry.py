"""A connector whose schema registry stops, refuses a schema, or gets a table that changes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fixtures.capture import Capture
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import KafkaBroker, MillraceWorker, SchemaRegistry, Workspace
from tools.stack.http import http

LONG = 90.0
AVRO = "io.confluent.connect.avro.AvroConverter"
JSON = "io.confluent.connect.json.JsonSchemaConverter"
PROTOBUF = "io.confluent.connect.protobuf.ProtobufConverter"
COMPILED = {
    "transforms": "same",
    "transforms_same_type": "org.apache.kafka.connect.transforms.RegexRouter",
    "transforms_same_regex": "(.*)",
    "transforms_same_replacement": "$1",
}
GENERIC = {
    "transforms": "same",
    "transforms_same_type": "io.debezium.transforms.ExtractChangedRecordState",
}


class AvroCapture(Capture):
    """A connector whose messages are Avro, or of another converter with Confluent's registry."""

    converter = AVRO

    def start_with(self, registry: SchemaRegistry, user: str = "", **more: str) -> None:
        self.database.execute("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9))")
        url = registry.url.replace("http://", f"http://{user}@" if user else "http://")
        for part in ("key.converter", "value.converter"):
            self.config |= {part: self.converter, f"{part}.schema.registry.url": url}
        self.config |= {name.replace("_", "."): text for name, text in more.items()}
        self.client.create(self.name, self.config)
        self.client.wait_for(self.name, "RUNNING")
        self.database.execute("INSERT INTO t VALUES (1, 'one')")
        self.wait(1)

    @property
    def topic(self) -> str:
        return self._topic("t")

    def _topic(self, table: str) -> str:
        return f"{self.name}.{self.database.name}.{table}"

    def wait(self, count: int, table: str = "t") -> None:
        topic = self._topic(table)
        wait_for(lambda: self._ended() or self._count(topic) >= count, LONG, f"{count} rows")
        assert not self._ended(), self.trace()

    def ids(self) -> list[int]:
        """Return the ids of the schemas of all values."""
        messages = self.topics.read(self.topic)
        return [int.from_bytes((message.value or b"")[1:5], "big") for message in messages]

    def fault(self) -> str:
        return str(self.client.state(self.name)[1])


@pytest.fixture
def own_registry(workspace: Workspace) -> Iterator[SchemaRegistry]:
    with SchemaRegistry(workspace) as registry:
        yield registry


@pytest.fixture
def capture(
    millrace: MillraceWorker, topics: Topics, database: FreshDatabase, broker: KafkaBroker
) -> Iterator[AvroCapture]:
    made = AvroCapture(millrace, topics, database, broker)
    yield made
    made.close()


def test_the_task_waits_for_a_registry_that_stops(
    capture: AvroCapture, own_registry: SchemaRegistry
) -> None:
    capture.start_with(own_registry, user="me:hush")
    own_registry.stop()
    capture.database.execute("INSERT INTO t VALUES (2, 'two')")  # a schema that is known
    capture.wait(2)
    capture.database.execute("ALTER TABLE t ADD w INT", "INSERT INTO t VALUES (3, 'three', 3)")
    wait_for(lambda: "registry" in capture.fault(), LONG, "the fault")
    assert "does not answer" in capture.fault()
    assert "hush" not in capture.fault()
    assert capture.client.state(capture.name)[0] == "RUNNING"
    own_registry.start()
    capture.wait(3)
    wait_for(lambda: not capture.fault(), LONG, "recovery")


@pytest.mark.parametrize("transforms", [{}, COMPILED, GENERIC], ids=["none", "compiled", "generic"])
def test_the_task_stops_while_it_waits(
    capture: AvroCapture, own_registry: SchemaRegistry, transforms: dict[str, str]
) -> None:
    """Also ``errors.tolerance=all`` skips nothing then, after rows that were written."""
    more = {"errors_tolerance": "all"} | transforms
    capture.start_with(own_registry, **more)
    own_registry.stop()
    capture.database.execute(
        "CREATE TABLE unknown (id INT PRIMARY KEY)",
        "BEGIN",
        "INSERT INTO t VALUES (2, 'two')",
        "INSERT INTO unknown VALUES (1)",
        "COMMIT",
    )
    wait_for(lambda: "registry" in capture.fault(), LONG, "the fault")
    capture.stop()
    own_registry.start()
    capture.resume()
    capture.wait(1, "unknown")
    capture.wait(2)


@pytest.mark.parametrize("converter", [AVRO, JSON, PROTOBUF])
def test_each_version_of_a_table_has_its_schema(
    capture: AvroCapture, schema_registry: SchemaRegistry, converter: str
) -> None:
    capture.converter = converter
    capture.start_with(schema_registry)
    capture.database.execute(
        "INSERT INTO t VALUES (2, 'two')",
        "ALTER TABLE t ADD w INT",
        "INSERT INTO t VALUES (3, 'three', 3)",
        "ALTER TABLE t DROP w",
        "INSERT INTO t VALUES (4, 'four')",
    )
    capture.wait(4)
    first, second, third, fourth = capture.ids()
    assert first == second == fourth
    assert third != first


def test_a_schema_that_is_incompatible_fails_the_task(
    capture: AvroCapture, schema_registry: SchemaRegistry
) -> None:
    capture.start_with(schema_registry)
    subject = f"{schema_registry.url}/config/{capture.topic}-value"
    assert http.put(subject, json={"compatibility": "FULL"}).is_success
    capture.database.execute(
        "ALTER TABLE t DROP v, ADD w INT NOT NULL", "INSERT INTO t VALUES (2, 2)"
    )
    trace = capture.trace()
    assert f"The schema of subject {capture.topic}-value is incompatible" in trace
    assert "Change the compatibility level" in trace
