"""`python -m tools.demo`: watch rows of a database arrive in Kafka and in Delta tables.

All on real servers. Ctrl-C ends it and everything it started.
"""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from collections.abc import Sequence
from typing import Final

from confluent_kafka import KafkaException
from pymysql.err import MySQLError

from tools.demo.play import play
from tools.demo.stage import Stage
from tools.stack import StackError

_SHOWN: Final = 10
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

log = logging.getLogger("tools.demo")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; return 0, or 1 when something failed or differs from what was written."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    options = parser().parse_args(arguments)
    for number in _SIGNALS:
        signal.signal(number, signal.default_int_handler)
    try:
        return run(options.seconds)
    except StackError as error:
        log.error("%s", error)  # noqa: TRY400 - the message says all, a trace does not help
        return 1
    except KeyboardInterrupt:
        log.info("stopped")
        return 0 if options.seconds is None else 1


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    root = argparse.ArgumentParser(prog="python -m tools.demo", description=__doc__)
    root.formatter_class = argparse.RawDescriptionHelpFormatter
    root.add_argument(
        "--seconds",
        type=float,
        metavar="N",
        help="end after N seconds of changes, and the tables made of them",
    )
    return root


def run(seconds: float | None) -> int:
    """Put up the stage, play, take it down; return the exit status."""
    with Stage() as stage:
        try:
            log.info("%s", invitation(stage))
            wrong = play(stage, seconds)
        except (KafkaException, MySQLError) as error:
            stage.check()  # most likely a server has ended, and its log says why
            raise StackError(f"A client failed: {error}") from error
        finally:
            for number in _SIGNALS:  # a second Ctrl-C must not leave servers behind
                signal.signal(number, signal.SIG_IGN)
            log.info("ending the servers")
    for text in wrong[:_SHOWN]:
        log.error("%s", text)
    return 1 if wrong else 0


def invitation(stage: Stage) -> str:
    """Say where the REST API is, and what to try."""
    connector = f"{stage.worker.url}/connectors/{stage.connector}"
    return f"""
Millrace captures {stage.database.name} on {stage.database.address} into Kafka on {stage.broker.address}.
Its REST API is {stage.worker.url}. In another terminal try
(after pause, resume lets the events flow again):

  curl {connector}/status
  curl {connector}/topics
  curl -X PUT {connector}/pause

Ctrl-C ends everything.
"""  # noqa: E501 - the addresses are shorter than their names


if __name__ == "__main__":
    sys.exit(main())
