"""The command line: one subcommand for each task of an operator."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sparksink.config.file import load
from sparksink.config.keys import SinkConfig
from sparksink.errors import SinkError
from sparksink.jars import fetch
from sparksink.packaging import job_path, write_zip
from sparksink.version import VERSION

_PARKED: Final = 3
_INSTALLATION: Final[Mapping[str, Callable[[argparse.Namespace], object]]] = {
    "jars": lambda options: ",".join(map(str, fetch(options.folder))),
    "path": lambda _: job_path(),
    "zip": lambda options: write_zip(options.file),
}
_BOUND: Final = "earliest, latest, timestamp:2026-01-01T00:00:00Z, or a file of offsets in JSON"

log = logging.getLogger("sparksink")


def main(arguments: Sequence[str], environment: Mapping[str, str], *, own_session: bool) -> int:
    """Run one command; return its exit status, as listed in `sparksink.errors`."""
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr
    )
    for other in ("py4j", "httpx"):  # httpx logs whole URLs
        logging.getLogger(other).setLevel(logging.WARNING)
    options = parser().parse_args(arguments)
    try:
        if options.command in _INSTALLATION:
            sys.stdout.write(f"{_INSTALLATION[options.command](options)}\n")
            return 0
        config = load(options.config, environment, options.set)
        return _run(options, config, own_session=own_session)
    except SinkError as error:
        log.error("%s", error)  # noqa: TRY400 - a stack trace does not help
        return error.status


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    root = argparse.ArgumentParser(prog="sparksink", description=__doc__)
    root.add_argument("--version", action="version", version=f"millrace-sink {VERSION}")
    commands = root.add_subparsers(dest="command", required=True)

    def command(name: str, what: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=what, description=what, parents=[_common_options()])

    run = command("run", "apply the topics to the tables until stopped")
    run.add_argument("--once", action="store_true", help="exit when caught up")
    command("check", "check topics, servers and stored state; writes nothing")
    plan = command("plan", "show the tables that would be created or changed; writes nothing")
    plan.add_argument("--messages", type=int, default=1000, help="read per partition")
    command("status", "show the progress of each table, and which tables are parked")
    _add_backfill_options(
        command("backfill", "apply the messages of the topics again; this is idempotent")
    )
    command("cut", "show the versions of the tables at the last transactional cut")
    _add_verify_options(command("verify", "compare mirrors with their tables in the database"))
    rebuild = command("rebuild", "rebuild mirrors from the messages of their topics")
    rebuild.add_argument("table", metavar="REGEX", help="matches db.table")
    rebuild.add_argument("--force", action="store_true", help="even if rows would be lost")
    _add_materialize_options(command("materialize", "export mirrors as Parquet files"))
    for name in ("compact", "vacuum"):
        compact = command(name, "compact small files, vacuum old files, expire old tombstones")
        compact.add_argument("--tables", default=".*", metavar="REGEX", help="matches db.table")
    dlq = command("dlq", "list, replay or purge dead letters")
    dlq.add_argument("action", choices=["list", "replay", "purge"])
    park = command("park", "list or resume parked tables")
    park.add_argument("action", choices=["list", "replay"])
    park.add_argument("table", nargs="?", default=".*", metavar="REGEX", help="matches db.table")
    _installation(commands)
    return root


def _common_options() -> argparse.ArgumentParser:
    """Describe the options of all commands that need a configuration."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--config", type=Path, required=True, metavar="FILE")
    common.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    common.add_argument(
        "--spark",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        type=_pair,
        help="a setting of the Spark session that this command creates: spark.master=local[2]",
    )
    return common


def _installation(commands: Any) -> None:
    """Describe the commands that need neither a configuration nor Spark."""
    jars = commands.add_parser(
        "jars", help="download the jars that pyspark lacks; print their paths"
    )
    jars.add_argument(
        "folder", nargs="?", type=Path, help="target folder; the user's cache by default"
    )
    commands.add_parser("path", help="print the path of the file for spark-submit")
    archive = commands.add_parser("zip", help="write the package for spark-submit --py-files")
    archive.add_argument("file", type=Path)


def _pair(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError("write KEY=VALUE")
    return key, value


def _add_backfill_options(backfill: argparse.ArgumentParser) -> None:
    backfill.add_argument("--tables", default=".*", metavar="REGEX", help="matches db.table")
    for option, dest, default in (("--from", "start", "earliest"), ("--to", "end", "latest")):
        backfill.add_argument(option, dest=dest, default=default, metavar="BOUND", help=_BOUND)


def _add_verify_options(verify: argparse.ArgumentParser) -> None:
    verify.add_argument("table", nargs="?", default=".*", metavar="REGEX", help="matches db.table")
    verify.add_argument(
        "--wait",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="how long to wait for mirrors that lag behind",
    )


def _add_materialize_options(files: argparse.ArgumentParser) -> None:
    files.add_argument("table", nargs="?", default=".*", metavar="REGEX", help="matches db.table")
    files.add_argument(
        "--to", required=True, metavar="PATH", help="parent folder of the exported mirrors"
    )
    files.add_argument(
        "--keep", type=_positive, default=2, metavar="N", help="snapshots to keep of each mirror"
    )
    files.add_argument("--meta", action="store_true", help="include the sink's columns")
    files.add_argument("--cut", action="store_true", help="as of the last transactional cut")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def _run(options: argparse.Namespace, config: SinkConfig, *, own_session: bool) -> int:
    # Spark is imported only now, so that configuration errors appear at once.
    from sparksink.commands.subcommands import COMMANDS  # noqa: PLC0415 - as above
    from sparksink.session import create_session  # noqa: PLC0415 - as above
    from sparksink.sink import build  # noqa: PLC0415 - as above
    from sparksink.spark_errors import SparkError, as_sink_error  # noqa: PLC0415 - as above

    spark = None
    try:
        spark = create_session(config, dict(options.spark) if own_session else None)
        spark.sparkContext.setLogLevel("ERROR")
        run: Callable[..., None] = COMMANDS[options.command]
        sink = build(config, spark)
        run(sink, options)
        return _PARKED if sink.state.parked_tables() else 0
    except SparkError as error:
        raise as_sink_error(error) from error
    finally:
        if own_session and spark is not None:
            spark.stop()
