"""Checks once whether the installed library releases the delivery callbacks of sent messages."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final
from weakref import ref

from confluent_kafka import KafkaException, Producer

log = logging.getLogger(__name__)

_SECONDS: Final = 5.0
_QUIET: Final = {"log_level": 0, "delivery.report.only.error": True}
_MOCK: Final = {"test.mock.num.brokers": 1, "allow.auto.create.topics": True}


class _ProbeReceipt:
    def __init__(self) -> None:
        self.errors: list[Any] = []

    def __call__(self, error: Any, _: Any) -> None:
        self.errors.append(error)


def _releases_delivered() -> bool:
    producer = Producer({**_QUIET, **_MOCK}, logger=log)
    receipt = _ProbeReceipt()
    reference, errors = ref(receipt), receipt.errors
    producer.produce("check", b"value", on_delivery=receipt)
    del receipt
    in_flight = reference() is not None
    return not producer.flush(_SECONDS) and in_flight and reference() is None and not errors


def _calls_for_failed() -> bool:
    producer = Producer({**_QUIET}, logger=log)
    receipt = _ProbeReceipt()
    reference, errors = ref(receipt), receipt.errors
    producer.produce("check", b"value", on_delivery=receipt)
    del receipt
    in_flight = reference() is not None
    producer.purge()
    producer.poll(0)
    return in_flight and reference() is None and len(errors) == 1


class DeliveryTracking:
    """How the delivery of messages is tracked: by released receipts, or by delivery reports.

    The producer holds a receipt for each message in flight. Released receipts suffice if the
    library releases them on delivery, and calls them before if delivery fails: all ``checks``
    have to pass. Otherwise the library reports each message, which costs a fifth of sending it.
    """

    def __init__(
        self, checks: Sequence[Callable[[], bool]] = (_releases_delivered, _calls_for_failed)
    ) -> None:
        self._checks = checks

    def uses_receipts(self) -> bool:
        """Run the checks and log the result."""
        try:
            passed = all(check() for check in self._checks)
        except KafkaException as error:
            log.warning("The check of the Kafka library failed: %s", error)
            passed = False
        if passed:
            log.info("Delivery to Kafka is tracked by released receipts.")
        else:
            log.warning(
                "Delivery to Kafka is tracked by a report for each message: "
                "the installed library does not release receipts as expected."
            )
        return passed


@cache
def library_uses_receipts() -> bool:
    """Return whether the installed library passes the checks, which run at the first call."""
    return DeliveryTracking().uses_receipts()
