"""Configurations that tests send, and the answers to bad ones."""

from __future__ import annotations

from typing import Any

Config = dict[str, str]


def error(answer: Any) -> tuple[int, int, str]:
    body = answer.json()
    assert list(body) == ["error_code", "message"]
    return answer.status_code, body["error_code"], body["message"]
