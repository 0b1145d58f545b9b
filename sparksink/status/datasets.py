"""OpenLineage datasets of a batch; the names contain no credentials.

The names are those of https://openlineage.io/docs/spec/naming.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from sparksink.config.keys import SinkConfig
from sparksink.config.target import Target
from sparksink.source import routed_tables
from sparksink.source.routes import Routes
from sparksink.state.table_result import TableResult
from sparksink.tables import Lake

PRODUCER: Final = "urn:millrace:sparksink"
_FACETS: Final = "https://openlineage.io/spec/facets"
_DATABASES: Final = {"mariadb": "mysql", "postgresql": "postgres"}


class Datasets:
    """The datasets of a configuration's topics and tables."""

    def __init__(self, config: SinkConfig, lake: Lake) -> None:
        self._config = config
        self._lake = lake
        self._routes = Routes(config)

    def inputs(self, done: Iterable[TableResult]) -> list[dict[str, Any]]:
        """Return the topics that a batch has read."""
        source = self._config.source
        if source.kind == "file":
            space, names = "file", {source.path}
        else:
            space = f"kafka://{source.bootstrap_servers.partition(',')[0].strip()}"
            names = {routed_tables.topic_of(one.topic) for one in done if one.topic}
        return [{"namespace": space, "name": name} for name in sorted(names)]

    def outputs(self, done: Iterable[TableResult]) -> list[dict[str, Any]]:
        """Return the tables that a batch has changed, with their columns."""
        return [
            self._output(name, columns, one.changes)
            for one in done
            if one.topic and one.changes
            for name, columns in self._tables(one.topic)
        ]

    def _tables(self, topic: str) -> Iterator[tuple[str, Mapping[str, str]]]:
        route = self._routes.route(topic)
        rules = self._config.table(route.table)
        written = [route.mirror] if rules.mirror.enabled else []
        for name in (*written, route.history):
            columns = self._lake.table(name).columns()
            if columns is not None:
                yield name, columns

    def _output(self, name: str, columns: Mapping[str, str], changes: int) -> dict[str, Any]:
        space, full = dataset_name(self._config.target, name)
        fields = [{"name": column, "type": kind} for column, kind in columns.items()]
        return {
            "namespace": space,
            "name": full,
            "facets": {"schema": {**_facet("1-1-1/SchemaDatasetFacet"), "fields": fields}},
            "outputFacets": {
                "outputStatistics": {
                    **_facet("1-0-2/OutputStatisticsOutputDatasetFacet"),
                    "rowCount": changes,
                }
            },
        }


def dataset_name(target: Target, table: str) -> tuple[str, str]:
    """Return namespace and name of a table."""
    if target.format == "iceberg":
        return f"iceberg://{target.catalog.name}", f"{target.catalog.namespace}.{table}"
    if target.format == "jdbc" and target.jdbc is not None:
        kind, server, database = re.findall(r"jdbc:(\w+)://([^/]+)/(\w+)", target.jdbc.url)[0]
        return f"{_DATABASES[kind]}://{server.rpartition('@')[2]}", f"{database}.{table}"
    url = urlsplit(target.path)
    scheme = url.scheme or "file"
    host = url.netloc.rpartition("@")[2]
    path = f"{url.path.rstrip('/')}/{table}"
    return (f"{scheme}://{host}", path.lstrip("/")) if host else (scheme, path)


def _facet(name: str) -> dict[str, str]:
    kind = name.partition("/")[2]
    return {"_producer": PRODUCER, "_schemaURL": f"{_FACETS}/{name}.json#/$defs/{kind}"}
