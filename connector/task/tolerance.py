"""Decides what happens to a record that cannot be transformed, converted or delivered.

The rules are Connect's (KIP-298, and KIP-779 for delivery): ``errors.tolerance=none`` fails the
task, ``all`` skips the record. The other keys decide what the log shows of it; it never shows
values.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Literal

from connector.config import convert
from connector.errors import AccessDeniedError, MillraceError, RefusedMessageError, TransientError

log = logging.getLogger(__name__)

Stage = Literal["TRANSFORMATION", "CONVERSION", "PRODUCE"]


class ErrorTolerance:
    """The keys ``errors.*`` of one connector; ``record_skipped`` is called for each record."""

    def __init__(self, config: Mapping[str, str], record_skipped: Callable[[], None]) -> None:
        self._all = config.get("errors.tolerance", "none").strip() == "all"
        self._log = _is_set(config, "errors.log.enable")
        self._names_topic = _is_set(config, "errors.log.include.messages")
        self._record_skipped = record_skipped

    def skip(self, stage: Stage, error: Exception, topic: str) -> bool:
        """Decide whether to continue without the record.

        On delivery only a record that Kafka rejects may be skipped: an outage, an unusable
        client or a missing privilege affects all that is queued. A schema registry that does not
        answer, or that refuses the login, is no fault of the record either.
        """
        if not self._all or isinstance(error, TransientError | AccessDeniedError):
            return False
        if stage == "PRODUCE" and not isinstance(error, RefusedMessageError):
            return False
        self._record_skipped()
        if self._log:
            # Only our own messages are known to hold no values.
            cause = f": {error}" if isinstance(error, MillraceError) else ""
            where = f" for topic {topic}" if self._names_topic else ""
            name = type(error).__name__
            log.error("Skipped a record%s at stage %s: %s%s", where, stage, name, cause)
        return True


def _is_set(config: Mapping[str, str], key: str) -> bool:
    return bool(convert(key, "BOOLEAN", config.get(key, "false")))
