"""Debezium's tracing: the trace of an application continues in the headers of its messages.

The application writes its trace context, as OpenTelemetry's propagators give it, into a column in
the form of java.util.Properties. Millrace adds no spans of its own: it passes the context on
unchanged, as W3C Trace Context (https://www.w3.org/TR/trace-context/) asks of those that take no
part in a trace.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from connector.config import ConfigDef
from connector.data.record import Header, Record
from connector.data.schema import STRING
from connector.data.symbolic import require_known
from connector.errors import ConfigError
from connector.properties import parse_properties
from connector.transforms.envelopes import is_envelope
from connector.transforms.outbox_keys import TRACE_COLUMN, TRACING_KEYS

log = logging.getLogger(__name__)

_PARENT: Final = "traceparent"
_VALID_PARENT: Final = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?"
)


class TraceContext:
    """Reads the trace context of the application out of row events."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._column: str = options[TRACE_COLUMN]
        self._warned = False

    def add_headers(self, record: Record) -> None:
        """Add the headers to the event of a row, in place of those of the same names."""
        added = list(self._headers(record))
        if added:
            names = {header.name for header in added}
            record.headers = [header for header in record.headers if header.name not in names]
            record.headers += added

    def _headers(self, record: Record) -> Iterator[Header]:
        row = record.value.get("after")
        text = None if row is None else require_known(row.get(self._column))
        if not isinstance(text, str):
            return
        context = self._context(text)
        for name in (_PARENT, "tracestate", "baggage"):
            if context.get(name):
                yield Header(name, STRING, context[name])

    def _context(self, text: str) -> dict[str, str]:
        """Return the members of a context; without a valid parent there is no trace."""
        try:
            context = {name.lower(): value for name, value in parse_properties(text).items()}
        except ConfigError:
            context = {}
        if _VALID_PARENT.fullmatch(context.get(_PARENT, "")):
            return context
        if not self._warned:
            self._warned = True
            log.warning(
                "A row has no valid %s in the column %s: its message continues no trace.",
                _PARENT,
                self._column,
            )
        return {name: value for name, value in context.items() if name == "baggage"}


class ActivateTracingSpan:
    """Adds the trace context of rows to the headers of their events."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(TRACING_KEYS)

    def __init__(self, config: Mapping[str, str]) -> None:
        self._context = TraceContext(self.config_def.parse(config))

    def apply(self, record: Record) -> Record:
        """Add the headers; what is no event of a row passes."""
        if require_known(record.value) is not None and is_envelope(record):
            self._context.add_headers(record)
        return record
