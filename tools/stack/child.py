"""Child processes: each its own process group, its output in a file, never an orphan."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Final

from tools.stack.errors import StackError
from tools.stack.programs import find_program

_LINES_SHOWN: Final = 15


class Child:
    """A running process.

    The kernel kills it when the thread that started it ends (PR_SET_PDEATHSIG, set by
    `setpriv`). Therefore each child has a thread of its own, which starts it, waits for its
    end and lives no longer than this process, however this process ends.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        log: Path,
        *,
        environment: Mapping[str, str] | None = None,
        stdin: Path | None = None,
    ) -> None:
        guard = [find_program("setpriv"), "--pdeathsig", "KILL", "--"]
        self._command = [*guard, *(str(word) for word in command)]
        self._environment = {**os.environ, **(environment or {})}
        self._input = stdin or Path(os.devnull)
        self.log = log
        self._ended = threading.Event()
        self._started: Future[subprocess.Popen[bytes]] = Future()
        threading.Thread(target=self._keep, name=f"keeper-{log.stem}", daemon=True).start()
        self._process = self._started.result()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process has not ended."""
        return not self._ended.is_set()

    def wait(self, seconds: float | None = None) -> int | None:
        """Return the exit status, negative for a signal; None when it still runs then."""
        return self._process.returncode if self._ended.wait(seconds) else None

    def stop(self, grace: float) -> None:
        """End the process and its group: SIGTERM, and SIGKILL after ``grace`` seconds."""
        self._signal(signal.SIGTERM)
        if self.wait(grace) is None:
            self.kill()

    def kill(self) -> None:
        """End the process and its group at once, as a power cut would."""
        self._signal(signal.SIGKILL)
        self._ended.wait()

    def tail(self) -> str:
        """Return the last lines of its output."""
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join(lines[-_LINES_SHOWN:])

    def _signal(self, number: signal.Signals) -> None:
        if self.running:
            os.killpg(self.pid, number)

    def _keep(self) -> None:
        try:
            with self._input.open("rb") as source, self.log.open("ab") as output:
                process = subprocess.Popen(  # noqa: S603 - commands are built here, no shell
                    self._command,
                    stdin=source,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=self._environment,
                    start_new_session=True,
                )
        except OSError as error:
            self._started.set_exception(StackError(f"Cannot run {self._command[4]}: {error}"))
            return
        self._started.set_result(process)
        process.wait()
        self._ended.set()


def run(
    command: Sequence[str | Path],
    log: Path,
    *,
    stdin: Path | None = None,
) -> str:
    """Run a command to its end and return its output, which also goes to the file ``log``.

    :raises StackError: when it fails; with the end of its output.
    """
    before = log.stat().st_size if log.exists() else 0
    child = Child(command, log, stdin=stdin)
    try:
        status = child.wait()
    finally:
        if child.running:
            child.kill()
    if status:
        raise StackError(f"{command[0]} failed with status {status}:\n{child.tail()}")
    return log.read_bytes()[before:].decode(errors="replace")
