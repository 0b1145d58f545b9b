"""`python -m tools.stack`: the embedded stack by hand.

up        start a broker and a database; run until Ctrl-C, or with --detach until `down`
down      stop the stack that runs, wait for its end
fetch     download what the servers need, start nothing
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import time
from collections.abc import Sequence

from tools.stack import background
from tools.stack.errors import StackError
from tools.stack.fetch import fetch
from tools.stack.session import ADDRESSES, Session

log = logging.getLogger("tools.stack")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    options = parser().parse_args(arguments)
    try:
        options.run(options)
    except StackError as error:
        log.error("%s", error)  # noqa: TRY400 - the message says all, a trace does not help
        return 1
    except KeyboardInterrupt:
        log.info("stopped")
    return 0


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    root = argparse.ArgumentParser(prog="python -m tools.stack", description=__doc__)
    root.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = root.add_subparsers(required=True, metavar="COMMAND")
    start = commands.add_parser("up", help="start servers")
    start.add_argument("--mysql", action="store_true", help="MySQL (the default)")
    start.add_argument("--mariadb", action="store_true", help="MariaDB")
    start.add_argument("--connect", action="store_true", help="Kafka Connect with Debezium")
    start.add_argument("--detach", action="store_true", help="return when it is up")
    start.set_defaults(run=up)
    commands.add_parser("down", help="stop the servers").set_defaults(run=down)
    downloads = commands.add_parser("fetch", help="download only")
    downloads.add_argument("--mysql56", action="store_true", help="MySQL 5.6 too")
    downloads.set_defaults(run=lambda options: fetch(mysql56=options.mysql56))
    return root


def up(options: argparse.Namespace) -> None:
    """Start the stack and stay until a signal, or leave that to a process in the background."""
    requested = {name for name in ("mysql", "mariadb", "connect") if getattr(options, name)}
    if options.detach:
        background.start(["up", *(f"--{name}" for name in sorted(requested))])
        return
    databases = sorted(requested - {"connect"}, reverse=True) or ["mysql"]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with background.only_one():
        ADDRESSES.unlink(missing_ok=True)  # of a stack that was killed
        with Session(databases, connect="connect" in requested) as session:
            files = session.write()
            log.info("%s", ADDRESSES.read_text().rstrip())
            log.info("Try: .venv/bin/millrace %s", " ".join(map(os.path.relpath, files)))
            try:
                watch(session)
            finally:
                ADDRESSES.unlink(missing_ok=True)


def watch(session: Session) -> None:
    """Wait for a signal.

    :raises StackError: when a server ends by itself.
    """
    while True:
        for server in session.servers:
            if not server.running:
                raise StackError(f"{server.name} has ended:\n{server.tail()}")
        time.sleep(1)


def down(_: argparse.Namespace) -> None:
    """Stop the running stack."""
    background.stop()


if __name__ == "__main__":
    sys.exit(main())
