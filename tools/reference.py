"""`python -m tools.reference`: write docs/reference/config.md from the definitions of the keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from connector.config import HIDDEN, ConfigDef, ConfigKey, render
from connector.connectors import mariadb_connector, mysql_connector
from connector.mysql.old_names import SUCCESSORS
from connector.plugin_table import ROWS, PluginTable
from connector.worker.connector_config import source_config
from connector.worker.topic_creation import group_keys
from connector.worker.worker_keys import WORKER

FILE: Final = Path(__file__).parents[1] / "docs" / "reference" / "config.md"
MYSQL: Final = "io.debezium.connector.mysql.MySqlConnector"

_REFUSED: Final = "not supported: "
_IMPOSSIBLE: Final = "\0"
_COMPATIBLE: Final = "Kept for compatibility"
# The key that keys with a prefix belong to.
_PARTS: Final = {
    "openlineage.": "openlineage.integration.enabled",
}
_HEAD: Final = """\
# Configuration keys

`make reference` generates this page from the definitions that validate configurations; do not
edit it. `GET /connector-plugins/{plugin}/config` returns the same keys.

The last column says what a key does here: *works*; *refused*, when any value but the default is
an error with that reason; *part of …*, when the key belongs to something that is refused, so that
it has no effect; *no effect*, when what it tunes does not exist here. Unknown keys get a warning in
the log and have no effect, as in Kafka Connect; a key that looks like a misspelled key of the
connector is an error. `driver.*` and other settings of Java's database
drivers are accepted and ignored.
"""


def page() -> str:
    """Return the whole page."""
    return "\n".join(
        [_HEAD, *_connector(), *_old_names(), *_every_connector(), *_plugins(), *_worker()]
    )


def _connector() -> Iterator[str]:
    mysql, mariadb = mysql_connector().config_def, mariadb_connector().config_def
    yield "## The MySQL and MariaDB connectors\n"
    yield "| key | type | default | meaning | here |\n|---|---|---|---|---|"
    for key in sorted(mysql, key=lambda key: key.name):
        default = _default(key)
        other = _default(mariadb[key.name])
        if other != default:
            default = f"{default}; MariaDB: {other}"
        yield _row(f"`{_text(key.name)}`", key.type, default, key.doc, here(key))
    yield ""


def _old_names() -> Iterator[str]:
    yield "## Old names of keys\n"
    yield (
        "Configurations of Debezium before 2.0 work unchanged. The log names the successor of each "
        "old key when the connector starts. If old and new key are both set to different values, "
        "validation refuses the configuration.\n"
    )
    yield "| old key | key today |\n|---|---|"
    for old, today in SUCCESSORS.items():
        name, colon, note = today.partition(":")
        yield _row(f"`{old}`", today if " " in name else f"`{name}`{colon}{note}")
    yield ""


def _every_connector() -> Iterator[str]:
    plugins = PluginTable()
    keys = source_config({"connector.class": MYSQL}, WORKER.parse({}), plugins)
    yield from _section("Every connector", keys)
    yield from _section("Groups of topics: `topic.creation.*`", _topic_groups())
    yield (
        "A group also takes any topic setting, such as "
        "`topic.creation.<group>.cleanup.policy`. `producer.override.*`, `consumer.override.*` and "
        "`admin.override.*` take the settings of Kafka's Java clients.\n"
    )


def _topic_groups() -> Iterable[ConfigKey]:
    return group_keys(
        {"topic.creation.groups": "<group>", "topic.creation.default.partitions": "1"}
    )


def _plugins() -> Iterator[str]:
    table = PluginTable()
    done = set()
    for row in ROWS:
        if row.kind == "source" or row.class_name in done:
            continue
        done.add(row.class_name)
        keys = table.component(row.class_name, row.kind).config_def
        title = f"{row.kind.replace('_', ' ').capitalize()} `{row.class_name}`"
        yield from _section(title, keys)


def _worker() -> Iterator[str]:
    yield from _section("The worker file", WORKER)
    yield (
        "Also `producer.*`, `consumer.*` and `admin.*` with the settings of Kafka's Java "
        "clients, `config.providers.*`, settings of the three topics below `config.storage.*`, "
        "`offset.storage.*` and `status.storage.*`, and of TLS below `listeners.https.*`.\n"
    )


def _section(title: str, keys: Iterable[ConfigKey] | ConfigDef) -> Iterator[str]:
    yield f"## {title}\n"
    rows = [
        _row(f"`{_text(key.name)}`", key.type, _default(key), key.doc, here(key)) for key in keys
    ]
    if rows:
        yield "| key | type | default | meaning | here |\n|---|---|---|---|---|"
        yield from rows
    else:
        yield "No keys."
    yield ""


def here(key: ConfigKey) -> str:
    """Return what a key does: see the head of the page."""
    fault = key.validator(key.name, _impossible(key)) if key.validator else None
    if fault and _REFUSED in fault:
        return f"refused: {fault.partition(_REFUSED)[2]}"
    if _COMPATIBLE in key.doc:
        return "no effect"
    for prefix, whole in _PARTS.items():
        if key.name.startswith(prefix) and key.name != whole:
            return f"part of `{whole}`"
    return "works"


def _impossible(key: ConfigKey) -> object:
    """Return a value that no choice has."""
    if key.type in ("INT", "SHORT", "LONG", "DOUBLE"):
        return -(2**62)
    return [_IMPOSSIBLE] if key.type == "LIST" else _IMPOSSIBLE


def _default(key: ConfigKey) -> str:
    if key.required or _is_needed(key):
        return "(required)"
    text = render(key.type, key.default)
    return f"`{_text(text)}`" if text and text != HIDDEN else ""


def _is_needed(key: ConfigKey) -> bool:
    """Return whether validation requires a value although there is no default."""
    return key.default is None and bool(key.validator and key.validator(key.name, None))


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell if "`" in cell else _text(cell) for cell in cells) + " |"


def _text(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    FILE.write_text(page(), "utf-8")
