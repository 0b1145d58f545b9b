"""`python -m tools.demo.sink_once BROKER FOLDER TABLE …`: apply the topics to Delta tables once.

A process of its own, as Spark is: what it holds goes with it. The rows of the tables named by
``db__table`` are left as JSON in ``FOLDER/rows.json``, table → list of column → value.
"""

from __future__ import annotations

import json
import logging
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sparksink.commands.subcommands import run
from sparksink.config.file import load
from sparksink.session import create_session
from sparksink.sink import build
from tools.demo.stage import EXAMPLES

ROWS: Final = "rows.json"
_OWN: Final = "__"
_LOCAL: Final = {
    "spark.master": "local[2]",
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "false",
    # A few rows a query: what compiles code would take longer than what it is compiled for.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


def main(arguments: Sequence[str]) -> int:
    """Run the sink of the examples until it is caught up, then read its tables."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    logging.getLogger("py4j").setLevel(logging.WARNING)
    broker, folder, *tables = arguments
    config = load(
        EXAMPLES / "sink.yaml",
        {},
        [
            f"source.bootstrap.servers={broker}",
            f"checkpoint={folder}/checkpoint",
            f"target.path={folder}/lake",
            "parallelism.batch.partitions=2",
        ],
    )
    spark = create_session(config, {**_LOCAL, "spark.local.dir": f"{folder}/spark"})
    spark.sparkContext.setLogLevel("ERROR")
    sink = build(config, spark)
    run(sink, Namespace(once=True))
    rows = {}
    for table in tables:
        found = sink.lake.table(table).read()
        columns = [name for name in found.columns if not name.startswith(_OWN)]
        rows[table] = [row.asDict() for row in found.select(*columns).collect()]
    Path(folder, ROWS).write_text(json.dumps(rows, default=str), encoding="utf-8")
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
