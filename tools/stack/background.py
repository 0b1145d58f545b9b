"""The one stack that runs by hand: at most one a repository, in front or in the background."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tools.stack.errors import StackError
from tools.stack.folders import STACK, hold

_OWNER: Final = STACK / "up.lock"  # locked while a stack runs; holds the process id
_LOG: Final = STACK / "up.log"
_READY: Final = "Try: "
_STOP_SECONDS: Final = 60
_START_SECONDS: Final = 600

log = logging.getLogger(__name__)


@contextmanager
def only_one() -> Iterator[None]:
    """Claim to be the running stack for a block.

    :raises StackError: when another process has claimed it.
    """
    STACK.mkdir(exist_ok=True)
    lock = hold(_OWNER)
    if lock is None:
        raise StackError("A stack is running already. Remedy: make stack-down")
    _OWNER.write_text(str(os.getpid()))
    try:
        yield
    finally:
        os.close(lock)


def start(arguments: Sequence[str]) -> None:
    """Run ``python -m tools.stack`` in the background and show what it says until it is up.

    :raises StackError: when it ends instead.
    """
    if running_pid():
        raise StackError("A stack is running already. Remedy: make stack-down")
    STACK.mkdir(exist_ok=True)
    with _LOG.open("w") as output:
        process = subprocess.Popen(  # noqa: S603 - this very program
            [sys.executable, "-u", "-m", "tools.stack", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    _follow(process)


def stop() -> None:
    """End the running stack and wait until its servers are gone; nothing when none runs.

    :raises StackError: when it does not end.
    """
    pid = running_pid()
    if pid is None:
        log.info("no stack is running")
        return
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + _STOP_SECONDS
    while running_pid():
        if time.monotonic() > until:
            raise StackError(f"Process {pid} does not end. Remedy: kill -9 {pid}")
        time.sleep(0.2)
    log.info("stopped")


def running_pid(owner: Path = _OWNER) -> int | None:
    """Return the process that runs the stack, or None."""
    if not owner.exists():
        return None
    lock = hold(owner)
    if lock is None:
        text = owner.read_text()
        return int(text) if text else None
    os.close(lock)
    return None


def _follow(process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _START_SECONDS
    with _LOG.open() as lines:
        while True:
            line = lines.readline()
            if line:
                log.info("%s", line.rstrip())
                if line.startswith(_READY):
                    return
            elif process.poll() is not None:
                raise StackError(f"The stack did not start; see {_LOG}.")
            elif time.monotonic() > until:
                process.terminate()
                raise StackError(f"The stack is not up after {_START_SECONDS} s; see {_LOG}.")
            else:
                time.sleep(0.2)
