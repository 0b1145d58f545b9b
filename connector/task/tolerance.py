"""What becomes of a record that cannot be transformed, converted or delivered.

The rules are Connect's (KIP-298, and KIP-779 for delivery): ``errors.tolerance=none`` fails the
task, ``all`` passes the record over. The other keys decide what the log tells of it; it never
tells values.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Literal

from connector.config import convert
from connector.errors import MillraceError, RefusedMessageError, TransientError

log = logging.getLogger(__name__)

Stage = Literal["TRANSFORMATION", "CONVERSION", "PRODUCE"]


class Tolerance:
    """The keys ``errors.*`` of one connector; ``passed_over`` is called once a record."""

    def __init__(self, config: Mapping[str, str], passed_over: Callable[[], None]) -> None:
        self._all = config.get("errors.tolerance", "none") == "all"
        self._log = _is_set(config, "errors.log.enable")
        self._names_topic = _is_set(config, "errors.log.include.messages")
        self._passed_over = passed_over

    def passes_over(self, stage: Stage, error: Exception, topic: str) -> bool:
        """Whether to go on without the record.

        Only a record that Kafka rejects may be left out on delivery: an outage, an unusable
        client or a missing privilege concerns all that is queued.
        """
        if not self._all or isinstance(error, TransientError):
            return False
        if stage == "PRODUCE" and not isinstance(error, RefusedMessageError):
            return False
        self._passed_over()
        if self._log:
            # Only our own messages are known to hold no values.
            cause = f": {error}" if isinstance(error, MillraceError) else ""
            where = f" for topic {topic}" if self._names_topic else ""
            name = type(error).__name__
            log.error("A record%s is passed over at %s, %s%s", where, stage, name, cause)
        return True


def _is_set(config: Mapping[str, str], key: str) -> bool:
    return bool(convert(key, "BOOLEAN", config.get(key, "false")))
