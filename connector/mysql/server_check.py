"""Checks during validation that the server can be captured as configured."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any, Final

from connector.capture.selection import selection
from connector.config import ConfigValue
from connector.errors import AccessDeniedError, MillraceError
from connector.mysql import options
from connector.mysql.capture_rules import CaptureRules
from connector.mysql.schema.definitions import BUILTIN_DATABASES
from connector.mysql.session.checks import check_privileges, gtid_problems, problems
from connector.mysql.session.connection import Connection
from connector.mysql.types.type_options import Flavor

log = logging.getLogger(__name__)

_SEVERAL: Final = "database.hostname with several servers"


class ServerCheck:
    """Checks the servers that a valid configuration names."""

    def __init__(
        self, flavor: Flavor, values: Mapping[str, Any], config: Mapping[str, str]
    ) -> None:
        self._flavor = flavor
        self._values = values
        self._config = config

    def report_faults(self, report: dict[str, ConfigValue]) -> None:
        """Check each server; what is wrong is reported at the host name, as Debezium does.

        Of several servers one has to answer.
        """
        values = self._values
        settings = options.connection_settings(values)
        timeout = min(settings.connect_timeout, values["connection.validation.timeout.ms"] / 1000)
        settings = replace(settings, connect_timeout=timeout, query_timeout=timeout)
        servers = settings.servers
        addresses = [settings.address, *(() if servers is None else servers.others())]
        unreachable = []
        for address in addresses:
            try:
                connection = Connection(settings.at(address))
            except MillraceError as error:
                unreachable.append(f"Unable to connect: {error}")
                continue
            with closing(connection):
                self._check_session(connection, report, several=servers is not None)
        if len(unreachable) == len(addresses):
            report["database.hostname"].errors += unreachable
        else:
            for text in unreachable:
                log.warning("Validation of %s: %s", self._config["topic.prefix"], text)

    def _check_session(
        self, connection: Connection, report: dict[str, ConfigValue], *, several: bool
    ) -> None:
        hostname = report["database.hostname"]
        setting = options.gtid_marks(self._values)
        try:
            found = list(problems(connection, is_mariadb=self._flavor == "mariadb"))
            for name in (setting,) * bool(setting) + (_SEVERAL,) * several:
                found += gtid_problems(connection, name)
            hostname.errors += [f"{problem.message} {problem.remedy}" for problem in found]
            check_privileges(connection)
            self._check_rules(connection, report)
        except AccessDeniedError as error:
            hostname.errors.append(f"{error} {error.remedy}")
        except MillraceError as error:
            hostname.errors.append(f"Unable to connect: {error} {error.remedy}")

    def _check_rules(self, connection: Connection, report: dict[str, ConfigValue]) -> None:
        """Refuse missing privileges; name rules without a match, whose tables may come later.

        The report recommends the names that are similar.
        """
        rules = CaptureRules(self._config, selection(self._config, BUILTIN_DATABASES))
        rules.check_select(connection)
        for rule in rules.find_unmatched(connection):
            log.warning("Validation of %s: %s", self._config["topic.prefix"], rule)
            report[rule.key].recommended += rule.alike
