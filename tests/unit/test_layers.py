"""The architecture as tests: who imports whom, and doors of foreign packages."""

from __future__ import annotations

import ast
import sys
from collections.abc import Container, Iterator
from functools import cache

from tests.fixtures.source_tree import OWN, PRODUCTS, ROOT, files, imports, tree

# The bottom: these import one another and nothing above.
_BOTTOM = "codegen config data errors fence kafka logs names native properties version"
BOTTOM = {f"connector.{name}" for name in _BOTTOM.split()}
EVENTS = {f"connector.{name}" for name in ("converters", "debezium", "transforms")}
METRICS = {"connector.metric_definitions", "connector.metric_texts", "connector.millrace_metrics"}
# All that the sink knows of the daemon: what stands in topics.
SHARED = {"connector.names"}
# From the bottom to the top.
SINK_LAYERS = (
    {"errors", "change_position", "files", "sql", "version"},
    {"config", "jars", "java", "packaging", "spark_errors"},
    {"schemas", "source"},
    {"decode", "tables"},
    {"evolve", "state", "session"},
    {"apply", "status"},
    {"sink"},
    {"commands"},
    {"cli"},
    {"entry"},
    {"job", "__main__"},
)
SINK = {
    f"sparksink.{name}": SHARED
    | {f"sparksink.{below}" for under in SINK_LAYERS[:level] for below in under}
    for level, names in enumerate(SINK_LAYERS)
    for name in names
}
# The rooms of MySQL's connector, from the bottom to the top; rooms of one level are independent.
MYSQL_LAYERS = (
    {"session", "types", "old_names"},
    {"position", "ddl", "custom_converters", "chunk_keys", "native_rows"},
    {"source_block", "options", "config_faults", "heartbeat_action", "server_choice"},
    {"binlog", "reselection", "writable_server"},
    {"schema"},
    {"snapshot", "incremental", "capture_rules"},
    {"source_parts", "server_check"},
    {"stream_control", "source_sessions", "stream_translation"},
    {"source", "config_keys"},
    {"connector"},
)
MAY_IMPORT = {
    **dict.fromkeys(BOTTOM, BOTTOM),
    "connector.names": set(),
    "connector.capture": BOTTOM,
    # siblings that do not import each other
    **dict.fromkeys(EVENTS, BOTTOM | {"connector.capture"}),
    "connector.mysql": BOTTOM | {"connector.capture"},
    # the worker and the task: they meet in the protocols of `plugin` and nowhere else
    "connector.plugin": BOTTOM,
    "connector.worker": BOTTOM | {"connector.plugin"},
    "connector.task": BOTTOM | {"connector.allocator", "connector.capture", "connector.plugin"},
    # what joins a database with the rest; the only ones that know a database
    "connector.connectors": BOTTOM
    | {
        "connector.capture",
        "connector.converters",
        "connector.debezium",
        "connector.mysql",
        "connector.plugin",
        "connector.task",
    },
    "connector.plugin_table": BOTTOM | {"connector.converters", "connector.plugin"},
    "connector.metric_definitions": BOTTOM | {"connector.task"},
    "connector.metric_texts": BOTTOM | {"connector.task"},
    "connector.millrace_metrics": BOTTOM | {"connector.metric_definitions", "connector.task"},
    "connector.metrics": BOTTOM | METRICS | {"connector.task", "connector.worker"},
    "restapi": BOTTOM | {"connector.plugin", "connector.worker"},
    "connector.daemon": BOTTOM
    | {
        "connector",
        "connector.metrics",
        "connector.plugin",
        "connector.plugin_table",
        "connector.worker",
        "restapi",
    },
    "connector.allocator": set(),
    "connector.__main__": {"connector.allocator", "connector.daemon", "connector.version"},
    "connector": set(),
    "sparksink": set(),
    **SINK,
}

# Tests of the sink share what they need among themselves, and one unit test with them.
OF_THE_SINK = ("tests/sink/", "tests/fixtures/sink/")
SHARED_TESTS = {("tests/unit/sparksink/test_mutated_statements.py", "tests.sink.test_mutations")}

# Where a foreign package may be imported: a file, or a folder with all below it.
DOORS = {
    "cel": ("connector/transforms/cel_expression.py",),
    "confluent_kafka": ("connector/kafka/", "sparksink/source/kafka_py.py"),
    "anyio": ("restapi/probes.py",),
    "cryptography": ("connector/kafka/key_stores.py", "connector/mysql/session/tls.py"),
    "fastapi": ("restapi/",),
    "httpx": (
        "connector/converters/registry.py",
        "sparksink/schemas/registry.py",
        "sparksink/status/lineage.py",
    ),
    "orjson": ("connector/converters/", "connector/capture/history/"),
    "prometheus_client": ("connector/metrics.py", "sparksink/status/metrics.py"),
    "py4j": ("sparksink/",),
    "pyarrow": ("sparksink/source/kafka_py.py",),
    "pydantic": ("restapi/models.py", "sparksink/config/"),
    "pydantic_core": ("restapi/models.py", "sparksink/config/"),
    "pymysql": ("connector/mysql/session/connection.py",),
    "pymysqlreplication": ("connector/mysql/binlog/event_types.py",),
    "pyspark": ("sparksink/",),
    "starlette": ("restapi/",),
    "uvicorn": ("restapi/connections.py", "restapi/server.py"),
    "yaml": ("sparksink/config/file.py",),
    "zstandard": ("connector/mysql/binlog/payload.py",),
}


def part_of(module: str) -> str:
    """Return the part of the architecture that a module belongs to."""
    top, *rest = module.split(".")
    if top not in ("connector", "sparksink") or not rest:
        return top
    known = f"{top}.{rest[0]}"
    folder = ROOT / top / rest[0]
    return known if folder.is_dir() or folder.with_suffix(".py").is_file() else top


def room_of(module: str) -> str | None:
    """Return the room of MySQL's connector that a module belongs to."""
    room = module.removeprefix("connector.mysql.").partition(".")[0]
    return room if module.startswith("connector.mysql.") else None


def longest(name: str, modules: Container[str]) -> str | None:
    """Return the module that an import loads: the name, or what it is imported from."""
    return next((module for module in (name, name.rpartition(".")[0]) if module in modules), None)


@cache
def modules_of_tests() -> frozenset[str]:
    return frozenset(module_of(path) for path in files("tests"))


def imported_tests(path: str) -> Iterator[str]:
    """Yield the modules below `tests` that a file imports."""
    for name in imports(path):
        if name.startswith("tests.") and (module := longest(name, modules_of_tests())):
            yield module


def module_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def test_imports_go_downwards_only() -> None:
    upwards = []
    for path in files(*PRODUCTS):
        here = part_of(module_of(path))
        found = {part_of(name) for name in imports(path) if name.split(".")[0] in OWN} - {here}
        upwards += [f"{path} imports {part}" for part in found - MAY_IMPORT.get(here, set())]
    assert upwards == []


def test_every_part_has_a_place_in_the_layers() -> None:
    assert {part_of(module_of(path)) for path in files(*PRODUCTS)} == set(MAY_IMPORT)


def test_the_rooms_of_mysql_import_downwards_only() -> None:
    rooms = {name: level for level, names in enumerate(MYSQL_LAYERS) for name in names}
    upwards = [
        f"{path} imports {room}"
        for path in files("connector/mysql")
        for room in {room_of(name) for name in imports(path)} - {None, room_of(module_of(path))}
        if room is not None and rooms[room] >= rooms[room_of(module_of(path)) or ""]
    ]
    assert upwards == []


def test_every_room_of_mysql_has_a_level() -> None:
    rooms = {room_of(module_of(path)) for path in files("connector/mysql")} - {None}
    assert rooms == {name for names in MYSQL_LAYERS for name in names}


def test_modules_of_mysql_have_no_cycles() -> None:
    """Covers imports for type checking too."""
    modules = {module_of(path): path for path in files("connector/mysql")}
    below = {
        module: {known for name in imports(path) if (known := longest(name, modules))} - {module}
        for module, path in modules.items()
    }
    while below:
        free = {module for module, needs in below.items() if not needs & below.keys()}
        assert free, f"a cycle among {sorted(below)}"
        below = {module: needs for module, needs in below.items() if module not in free}


def test_foreign_packages_come_in_by_their_doors() -> None:
    beside = [
        f"{path} imports {package}"
        for path in files(*PRODUCTS)
        for package in {name.split(".")[0] for name in imports(path)} - set(OWN)
        if package not in sys.stdlib_module_names
        and not path.startswith(DOORS.get(package, "no door"))
    ]
    assert beside == []


def test_every_door_leads_somewhere() -> None:
    assert [door for doors in DOORS.values() for door in doors if not (ROOT / door).exists()] == []


def test_the_database_is_known_in_one_place() -> None:
    users = [
        path
        for path in files(*PRODUCTS)
        if not path.startswith("connector/mysql/")
        and any(part_of(name) == "connector.mysql" for name in imports(path))
    ]
    assert users == ["connector/connectors.py"]


def test_source_is_compiled_in_one_place() -> None:
    compiling = {
        path
        for path in files(*PRODUCTS)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id in ("compile", "eval", "exec")
    }
    assert compiling == {"connector/codegen.py"}


def test_the_environment_is_read_in_one_place() -> None:
    readers = {
        path
        for path in files("connector", "restapi")
        for node in ast.walk(tree(path))
        if isinstance(node, (ast.Attribute, ast.alias))
        and (node.attr if isinstance(node, ast.Attribute) else node.name) in ("environ", "getenv")
    }
    assert readers <= {"connector/daemon.py", "connector/native/__init__.py"}


def test_the_native_core_comes_in_by_its_door() -> None:
    name = "connector.native._native"
    users = [path for path in files(*PRODUCTS) for used in imports(path) if used.startswith(name)]
    assert set(users) == {"connector/native/__init__.py"}


def test_no_module_imports_a_module_of_tests() -> None:
    users = [
        f"{path} imports {module}"
        for path in files("tests")
        for module in imported_tests(path)
        if module.rpartition(".")[2].startswith("test_") and not path.startswith(OF_THE_SINK)
    ]
    assert set(users) == {f"{path} imports {module}" for path, module in SHARED_TESTS}


def test_folders_of_tests_share_fixtures_only() -> None:
    users = [
        (path, module)
        for path in files("tests")
        for module in imported_tests(path)
        if module.split(".")[1] not in ("fixtures", path.split("/")[1])
        and not path.startswith(OF_THE_SINK)
    ]
    assert set(users) == SHARED_TESTS
