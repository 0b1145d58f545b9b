"""Reading ahead in a thread that takes turns with the stream."""

from __future__ import annotations

import random
import threading

from connector.capture.incremental.ahead import ReadAhead, ReadStep


class _Killed(BaseException):
    """The process of a capture has ended."""


class InTurn(ReadAhead):
    """Runs a step in a thread that stops wherever it calls `pause`: the stream goes on there.

    Without chance a step runs to its end ``at_once``, or when one asks whether it is done.
    """

    def __init__(self, chance: random.Random | None = None, *, at_once: bool = False) -> None:
        super().__init__()
        self._random = chance
        self._at_once = at_once
        self._speed = 0.5 if chance is None else chance.choice((0.05, 0.3, 0.7))
        self._may_go, self._has_stopped = threading.Semaphore(0), threading.Semaphore(0)
        self._thread: threading.Thread | None = None
        self._is_killed = self.has_ended = self._result = False
        self._error: BaseException | None = None

    @property
    def is_running(self) -> bool:
        return self._thread is not None

    @property
    def is_done(self) -> bool:
        if self._thread is None:
            return False
        if self._random is None:
            self.wait()
        else:
            while self._random.random() < self._speed:
                self._go()
        return self.has_ended

    def start(self, step: ReadStep) -> None:
        assert self._thread is None
        self.has_ended, self._error = False, None
        self._thread = threading.Thread(target=self._run, args=(step,), daemon=True)
        self._thread.start()
        if self._at_once:
            self.wait()

    def pause(self) -> None:
        """Let the stream go on, if this is the thread of the step."""
        if threading.current_thread() is self._thread:
            self._has_stopped.release()
            self._may_go.acquire()
            if self._is_killed:
                raise _Killed

    def wait(self, seconds: float | None = None) -> None:
        while self._thread is not None and not self.has_ended and seconds is None:
            self._go()

    def take(self) -> bool:
        self.drop()
        if self._error is not None:
            raise self._error
        return self._result

    def drop(self) -> None:
        if self._thread is not None:
            self.wait()
            self._thread.join()
            self._thread = None

    def close(self) -> None:
        self._is_killed = True
        self.drop()

    def _run(self, step: ReadStep) -> None:
        self._may_go.acquire()
        try:
            self._result = not self._is_killed and step()
        except BaseException as error:  # noqa: BLE001 - `take` raises it
            self._error = error
        self.has_ended = True
        self._has_stopped.release()

    def _go(self) -> None:
        if not self.has_ended:
            self._may_go.release()
            self._has_stopped.acquire()
