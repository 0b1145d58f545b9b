"""The faults of a campaign. Each is a function of the rig; it returns when the fault is over.

A fault is *clean* when nothing may be repeated after it: the worker ends or pauses in order.
"""

from __future__ import annotations

import logging
import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any, Final

import psutil
import pymysql

from tests.campaign.replication import ReplicaBrokenError
from tests.campaign.rig import Rig
from tests.fixtures.fault_proxy import Direction, FaultProxy
from tools.stack import CAPTURE

log = logging.getLogger(__name__)

Act = Callable[[Rig, random.Random], Any]


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault; kinds with more ``weight`` come more often."""

    name: str
    act: Act
    weight: int
    is_clean: bool


CATALOG: Final[dict[str, Fault]] = {}


def fault(weight: int = 2, *, clean: bool = False) -> Callable[[Act], Act]:
    """Put a function into the catalog."""

    def register(act: Act) -> Act:
        name = act.__name__.replace("_", "-")
        CATALOG[name] = Fault(name, act, weight, clean)
        return act

    return register


@fault(4)
def kill_worker(rig: Rig, chance: random.Random) -> None:
    """kill -9, and start at once or a little later."""
    rig.worker.kill()
    time.sleep(chance.choice((0, 0, 0.5)))
    rig.worker.start()


@fault(2, clean=True)
def restart_worker(rig: Rig, _chance: random.Random) -> None:
    rig.worker.restart()


@fault(1)
def freeze_worker(rig: Rig, chance: random.Random) -> None:
    """SIGSTOP: the world goes on without the worker."""
    os.kill(rig.worker.pid, signal.SIGSTOP)
    try:
        time.sleep(chance.choice((0.3, 2, 6)))
    finally:
        os.kill(rig.worker.pid, signal.SIGCONT)


@fault()
def kill_database(rig: Rig, _chance: random.Random) -> None:
    """kill -9, and start at once.

    MariaDB 10.11 does not recover XA PREPARE and TRUNCATE in one piece: the first may be in the log
    only (in 33 of 61 kills), the second in the table only (29 of 100 tables in 25 kills).
    """
    with nullcontext() if rig.recovers_all_statements else rig.gate.between_fragile():
        rig.servers.primary.kill()
    rig.servers.primary.start()


@fault(1)
def restart_database(rig: Rig, _chance: random.Random) -> None:
    rig.servers.primary.restart()


@fault(1)
def kill_broker(rig: Rig, chance: random.Random) -> None:
    rig.broker.kill()
    time.sleep(chance.choice((0, 3)))
    rig.broker.start()


@fault(1)
def restart_broker(rig: Rig, _chance: random.Random) -> None:
    rig.broker.restart()


@fault(4)
def cut_connections(rig: Rig, chance: random.Random) -> None:
    _a_proxy(rig, chance).cut()


@fault()
def half_open_connections(rig: Rig, chance: random.Random) -> None:
    """Open connections are dead without a word; new ones work."""
    _a_proxy(rig, chance).half_open()


@fault()
def half_close_connections(rig: Rig, chance: random.Random) -> None:
    _a_proxy(rig, chance).half_close(chance.choice((Direction.UP, Direction.DOWN)))


@fault()
def blackhole(rig: Rig, chance: random.Random) -> None:
    """Nothing comes through in one direction or both, without a notification."""
    proxy = _a_proxy(rig, chance)
    proxy.blackhole(chance.choice((Direction.UP, Direction.DOWN, Direction.BOTH)))
    time.sleep(chance.choice((0.5, 3, 8)))
    proxy.heal()


@fault()
def delay_packets(rig: Rig, chance: random.Random) -> None:
    proxy = _a_proxy(rig, chance)
    proxy.delay(chance.choice((0.02, 0.1, 0.5)))
    time.sleep(chance.choice((1, 3)))
    proxy.heal()


@fault(4)
def kill_sessions(rig: Rig, chance: random.Random) -> None:
    """KILL some of the connector's sessions: the binlog dump, a snapshot, a query."""
    with suppress(pymysql.err.MySQLError), rig.servers.connect() as connection:
        cursor = connection.cursor()
        cursor.execute("SHOW PROCESSLIST")
        sessions = [row[0] for row in cursor.fetchall() if row[1] == CAPTURE.user]
        for session in sessions:
            if chance.random() < 0.7:
                with suppress(pymysql.err.MySQLError):
                    cursor.execute(f"KILL {session}")


@fault()
def switch_servers(rig: Rig, _chance: random.Random) -> None:
    """The replica becomes the primary; the address of the database stays the same."""
    if rig.servers.replica is None:
        return
    try:
        rig.at_rest(lambda: _switch(rig))
    except ReplicaBrokenError as error:
        log.warning("No failover any more, the replica is broken: %s", error)
        rig.servers.replica.kill()
        rig.servers.replica = None


def _switch(rig: Rig) -> None:
    rig.servers.switch()
    rig.database_proxy.redirect(rig.servers.primary.host, rig.servers.primary.port)


@fault(clean=True)
def rotate_binlog(rig: Rig, _chance: random.Random) -> None:
    with suppress(pymysql.err.MySQLError):
        rig.servers.primary.execute("FLUSH BINARY LOGS")


@fault(1, clean=True)
def purge_binlog(rig: Rig, _chance: random.Random) -> None:
    """Remove the files before the one of the stored offset; a replica would still need them."""
    file = rig.stored_file()
    if file is None or rig.servers.replica is not None:
        return
    with suppress(pymysql.err.MySQLError):
        rig.servers.primary.execute("FLUSH BINARY LOGS", f"PURGE BINARY LOGS TO '{file}'")


@fault(1)
def fill_disk(rig: Rig, chance: random.Random) -> None:
    """No file of the worker can grow: offsets, history and log."""
    with _no_space(psutil.Process(rig.worker.pid)):
        time.sleep(chance.choice((1, 3)))


@contextmanager
def _no_space(process: psutil.Process) -> Any:
    before = process.rlimit(psutil.RLIMIT_FSIZE)
    process.rlimit(psutil.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        with suppress(psutil.NoSuchProcess):
            process.rlimit(psutil.RLIMIT_FSIZE, before)


@fault(clean=True)
def pause_connector(rig: Rig, chance: random.Random) -> None:
    rig.call(lambda client: client.put(rig.name, "pause"))
    time.sleep(chance.choice((0, 0.5, 2)))
    rig.call(lambda client: client.put(rig.name, "resume"))


@fault(clean=True)
def stop_connector(rig: Rig, chance: random.Random) -> None:
    rig.call(lambda client: client.put(rig.name, "stop"))
    time.sleep(chance.choice((0, 0.5, 2)))
    rig.call(lambda client: client.put(rig.name, "resume"))


@fault(clean=True)
def restart_connector(rig: Rig, _chance: random.Random) -> None:
    path = f"/connectors/{rig.name}/restart?includeTasks=true"
    rig.call(lambda client: client.call("POST", path))


@fault(clean=True)
def change_config(rig: Rig, _chance: random.Random) -> None:
    config = rig.config()
    rig.call(lambda client: client.call("PUT", f"/connectors/{rig.name}/config", config))


def _a_proxy(rig: Rig, chance: random.Random) -> FaultProxy:
    return chance.choice((rig.kafka_proxy, rig.database_proxy))
