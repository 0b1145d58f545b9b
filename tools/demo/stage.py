"""What the demo stands on: a broker, a database with the shop, Millrace and its connector."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Self

from tools.demo.shop import Shop
from tools.stack import (
    ConnectClient,
    DatabaseServer,
    KafkaBroker,
    MariaDb,
    MillraceWorker,
    MySql97,
    Server,
    StackError,
    Workspace,
)

EXAMPLES: Final = Path(__file__).parents[2] / "config-examples"
_RUNNING_SECONDS: Final = 30.0

log = logging.getLogger(__name__)


class Stage:
    """Everything that runs; as a context manager it runs for the block, and nothing is left.

    The servers start one after the other in the thread that enters: there a Ctrl-C ends a
    download or a start at once.
    """

    worker: MillraceWorker
    shop: Shop
    new_folder: Callable[[str], Path]
    connector: str
    topic_prefix: str

    def __enter__(self) -> Self:
        with ExitStack() as building:
            workspace = building.enter_context(Workspace())
            self.new_folder = workspace.folder
            log.info("[1/4] Kafka")
            self.broker = KafkaBroker(workspace)
            building.callback(self.broker.kill)  # its data goes too, so by force
            self.broker.start()
            log.info("[2/4] a database with a small shop")
            self.database = start_database(workspace, building)
            self.shop = Shop(self.database)
            building.callback(self.shop.close)
            self.shop.open()
            log.info("[3/4] Millrace")
            self.worker = building.enter_context(MillraceWorker(workspace, self.broker))
            self._client = ConnectClient(self.worker.url)
            building.callback(self._client.close)
            self._create_connector()
            self._resources = building.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._resources.close()

    def check(self) -> None:
        """Look whether everything still works.

        :raises StackError: a server has ended, or the connector has failed; with the reason.
        """
        servers: tuple[Server, ...] = (self.broker, self.database, self.worker)
        for server in servers:
            if not server.running:
                raise StackError(f"{server.name} has ended:\n{server.tail()}")
        state, trace = self._client.state(self.connector)
        if state == "FAILED":
            raise StackError(f"The connector {self.connector} has failed:\n{trace}")

    def _create_connector(self) -> None:
        file = EXAMPLES / f"{self.database.name}-source.json"
        example = json.loads(file.read_text())
        config = fill_config(example["config"], self.database, self.broker)
        self.connector = example["name"]
        self.topic_prefix = config["topic.prefix"]
        log.info("[4/4] the connector of %s/%s", EXAMPLES.name, file.name)
        self._client.create(self.connector, config)
        self._client.wait_for(self.connector, "RUNNING", _RUNNING_SECONDS)


def start_database(workspace: Workspace, resources: ExitStack) -> DatabaseServer:
    """Start MySQL, or MariaDB where MySQL cannot be had; ``resources`` will end it.

    :raises StackError: neither can be had.
    """
    mysql = MySql97(workspace)
    resources.callback(mysql.kill)
    try:
        mysql.start()
    except StackError as error:
        log.warning("MySQL cannot be had here, so MariaDB is taken: %s", error)
    else:
        return mysql
    mariadb = MariaDb(workspace)
    resources.callback(mariadb.kill)
    mariadb.start()
    return mariadb


def fill_config(
    config: Mapping[str, str], database: DatabaseServer, broker: KafkaBroker
) -> dict[str, str]:
    """Return the configuration of a connector with the addresses of running servers."""
    return {
        **config,
        "database.hostname": database.host,
        "database.port": str(database.port),
        "schema.history.internal.kafka.bootstrap.servers": broker.address,
    }
