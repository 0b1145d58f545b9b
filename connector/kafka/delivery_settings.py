"""Settings of a producer that depend on each other: acks, retries, requests in flight, timeouts."""

from __future__ import annotations

from typing import Final

from connector.errors import ConfigError

_IDEMPOTENT_IN_FLIGHT: Final = 5
_IN_FLIGHT: Final = ("max.in.flight.requests.per.connection", "max.in.flight")
_ACKS: Final = ("acks", "request.required.acks")
_RETRIES: Final = ("retries", "message.send.max.retries")
_TIMEOUTS: Final = ("delivery.timeout.ms", "message.timeout.ms")
LINGER: Final = ("linger.ms", "queue.buffering.max.ms")

Settings = dict[str, str | int]


def reconcile_delivery(config: Settings) -> Settings:
    """Turn idempotence off where other settings exclude it, as the Java client does.

    :raises ConfigError: idempotence is demanded beside a setting that excludes it, messages
        would expire before they are sent, or would need transactions.
    """
    if config.get("transactional.id"):
        raise ConfigError(
            f"Invalid value {config['transactional.id']} for configuration transactional.id: "
            "transactions are not available here. Remove the key."
        )
    _check_timeout(config)
    excluding = _excludes_idempotence(config)
    if excluding is None:
        return config
    if config.get("enable.idempotence") == "true":
        raise ConfigError(
            f"Invalid value {config[excluding]} for configuration {excluding}: "
            "enable.idempotence=true needs acks=all, retries above 0 and at most "
            f"{_IDEMPOTENT_IN_FLIGHT} requests in flight."
        )
    return {**config, "enable.idempotence": "false"}


def _excludes_idempotence(config: Settings) -> str | None:
    for name in _ACKS:
        if str(config.get(name, "all")).lower() not in ("all", "-1"):
            return name
    for name in _RETRIES:
        if config.get(name) == 0:
            return name
    for name in _IN_FLIGHT:
        if int(config.get(name, 1)) > _IDEMPOTENT_IN_FLIGHT:
            return name
    return None


def _check_timeout(config: Settings) -> None:
    timeout = next((name for name in _TIMEOUTS if config.get(name)), None)
    linger = next((name for name in LINGER if config.get(name)), None)
    if timeout and linger and int(config[timeout]) <= int(config[linger]):
        raise ConfigError(
            f"Invalid value {config[timeout]} for configuration {timeout}: it must be greater "
            f"than {linger} ({config[linger]})."
        )
