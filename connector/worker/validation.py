"""Validates a connector's configuration: every key with its value and errors.

References to config providers are resolved for the checks, and nothing that was resolved
leaves this module: neither as a value nor within an error.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from connector.config import HIDDEN, ConfigDef, ConfigValue
from connector.errors import ConfigError, NotFoundError
from connector.kafka.config import client_config
from connector.kafka.keys import KINDS, ClientKind
from connector.plugin import Plugins, SourceConnector
from connector.worker.claims import Claims
from connector.worker.client_overrides import DEFINITIONS, create_policy, overrides
from connector.worker.config_providers import REFERENCE, Providers
from connector.worker.connector_config import prefix_key, source_config
from connector.worker.nested_converters import (
    check_converters,
    converter_keys,
    known_converter_keys,
)
from connector.worker.nested_plugins import KeyReports, chain_keys, check_chain
from connector.worker.plugin_versions import check_requirement
from connector.worker.requests import Stages
from connector.worker.rest_entities import ConfigInfos
from connector.worker.topic_creation import PREFIX as TOPIC_CREATION
from connector.worker.topic_creation import group_keys
from connector.worker.validation_answer import config_infos
from connector.worker.worker_config import WorkerConfig

_log = logging.getLogger(__name__)

Section = tuple[ConfigDef, KeyReports]

_NO_EXACTLY_ONCE: Final = "This worker does not have exactly-once source support enabled."
_NO_BOUNDARIES: Final = (
    "The connector does not support connector-defined transaction boundaries with the given "
    "configuration. Please reconfigure it to use a different transaction boundary definition."
)
_NULL: Final = "Null value can not be supplied as the configuration value."
_SHORTEST_SECRET: Final = 4  # shorter ones are found in any text by chance


class ConnectorValidator:
    """Checks configurations against the plugins, providers and policies of one worker."""

    def __init__(
        self, worker: WorkerConfig, plugins: Plugins, providers: Providers, claims: Claims
    ) -> None:
        self._worker = worker
        self._plugins = plugins
        self._providers = providers
        self._claims = claims
        self._policy = create_policy(worker.values)

    def connector(self, config: Mapping[str, str | None]) -> SourceConnector:
        """Return the connector that a configuration names.

        :raises ConfigError: it names none, or one that is not available here.
        """
        name = config.get("connector.class")
        if not name:
            raise ConfigError("Connector config contains no connector type")
        try:
            return self._plugins.connector(name)
        except NotFoundError as error:
            raise ConfigError(str(error)) from None

    def validate(self, config: Mapping[str, str | None], stages: Stages) -> ConfigInfos:
        """Report on every key.

        :raises ConfigError: the class is missing or unknown, the required version of it cannot be
            read, or a provider cannot.
        """
        connector = self.connector(config)
        resolved = self._providers.resolve(config)
        check_requirement(resolved.get("connector.plugin.version", "latest"))
        sections = [
            self._base(resolved),
            self._connector(connector, resolved, stages),
            *(self._overrides(resolved, kind) for kind in KINDS),
            *self._converters(resolved),
        ]
        for _, report in sections:
            self._finish(report, config, resolved)
        sections.append((ConfigDef(), _undefined_nulls(config, sections)))
        sections.append((ConfigDef(), self._report_unresolved(config, sections)))
        return config_infos(str(config["connector.class"]), sections, self._plugins)

    def _report_unresolved(
        self, config: Mapping[str, str | None], sections: Sequence[Section]
    ) -> KeyReports:
        """Report references that stay as they are, at their key where a section has it."""
        rest: KeyReports = {}
        for key, fault in self._providers.find_unresolved(config).items():
            reports = (report for _, report in sections if key in report)
            report = next(reports, rest)
            report.setdefault(key, ConfigValue(key, config[key])).errors = [fault]
        return rest

    def _base(self, config: Mapping[str, str]) -> Section:
        base = source_config(config, self._worker.values, self._plugins)
        keys = base + group_keys(config) + chain_keys(config, self._plugins)
        report = keys.check(config)
        check_chain(config, self._plugins, report)
        check_converters(config, self._plugins, report)
        if config.get("exactly.once.support", "").lower() == "required":
            report["exactly.once.support"].errors.append(_NO_EXACTLY_ONCE)
        if config.get("transaction.boundary", "").lower() == "connector":
            report["transaction.boundary"].errors.append(_NO_BOUNDARIES)
        return keys, report

    def _connector(
        self, connector: SourceConnector, config: Mapping[str, str], stages: Stages
    ) -> Section:
        conflicts = self._claims.conflicts(config.get("name", ""), connector.claims(config))
        with stages.begin("validating source connector-specific properties for the connector"):
            try:
                report = connector.validate(config)
            except Exception as error:  # noqa: BLE001 — a connector's fault becomes a report, not a 500
                _log.exception("The connector %s failed to validate.", connector.class_name)
                text = f"The connector failed to validate: {type(error).__name__}: {error}"
                report = connector.config_def.check(config)
                first = next(iter(report), "connector.class")
                report.setdefault(first, ConfigValue(first)).errors.append(text)
        for key, fault in conflicts.items():
            report.setdefault(key, ConfigValue(key, config.get(key))).errors.append(fault)
        return connector.config_def, report

    def _overrides(self, config: Mapping[str, str], kind: ClientKind) -> Section:
        """Report on the client settings that are there; unknown ones have no definition."""
        own = overrides(config, kind)
        known = [key for key in DEFINITIONS[kind] if key.name in own]
        report = ConfigDef(known).check(own)
        for name, text in own.items():
            value = report.setdefault(name, ConfigValue(name, text))
            fault = self._policy.fault(name)
            value.errors += [fault] if fault else []
        if own and not any(value.errors for value in report.values()):
            self._try_client(own, kind, report)
        return _add_prefix(f"{kind}.override.", ConfigDef(known), report)

    def _try_client(self, own: Mapping[str, str], kind: ClientKind, report: KeyReports) -> None:
        try:
            client_config({**self._worker.client_settings(kind), **own}, kind)
        except ConfigError as error:
            named = next((name for name in own if name in str(error)), next(iter(own)))
            report[named].errors.append(str(error))

    def _converters(self, config: Mapping[str, str]) -> Iterable[Section]:
        for prefix, keys, settings in converter_keys(config, self._plugins):
            yield _add_prefix(prefix, keys, keys.check(settings))

    def _finish(
        self,
        report: KeyReports,
        config: Mapping[str, str | None],
        resolved: Mapping[str, str],
    ) -> None:
        """Mark nulls, and restore the references."""
        secrets = _secrets(config, resolved)
        for name, value in report.items():
            if name in config and config[name] is None:
                value.value, value.errors = None, [_NULL]
            elif name in secrets:
                value.value = config[name]
                value.errors = [_redacted_error(name)] if value.errors else []
            else:
                value.errors = [_hide_secrets(secrets, config, text) for text in value.errors]
                value.value = value.value and _hide_secrets(secrets, config, value.value)

    def unknown_keys(self, config: Mapping[str, str | None]) -> list[str]:
        """Return the unknown keys, which most often are misspelled."""
        connector = self.connector(config)
        texts = {key: text for key, text in config.items() if text is not None}
        names, passed_on = known_converter_keys(texts, self._plugins)
        prefixes = [*passed_on, *(f"{kind}.override." for kind in KINDS)]
        prefixes += [f"{TOPIC_CREATION}{name}." for name in _group_names(texts)]
        prefixes += connector.passed_on
        base = source_config(config, self._worker.values, self._plugins)
        known = base + chain_keys(texts, self._plugins) + connector.config_def
        return [
            key
            for key in config
            if key not in known and key not in names and not key.startswith(tuple(prefixes))
        ]


def _undefined_nulls(config: Mapping[str, str | None], sections: Sequence[Section]) -> KeyReports:
    """Report the null values of keys that no section has."""
    nulls = (key for key, text in config.items() if text is None)
    return {
        key: ConfigValue(key, errors=[_NULL])
        for key in nulls
        if not any(key in report for _, report in sections)
    }


def _group_names(config: Mapping[str, str]) -> list[str]:
    groups = config.get(TOPIC_CREATION + "groups", "").split(",")
    return ["default", *(name.strip() for name in groups if name.strip())]


def _add_prefix(prefix: str, keys: ConfigDef, report: KeyReports) -> Section:
    """Give keys and values the names they have in the connector's configuration."""
    named = ConfigDef(prefix_key(key, prefix) for key in keys)
    return named, {
        prefix + name: ConfigValue(
            prefix + name, value.value, value.errors, value.recommended, value.visible
        )
        for name, value in report.items()
    }


def _secrets(config: Mapping[str, str | None], resolved: Mapping[str, str]) -> dict[str, str]:
    """Return the resolved values of the keys that refer to a provider."""
    return {
        name: resolved[name]
        for name, text in config.items()
        if text is not None and REFERENCE.search(text) and resolved[name] != text
    }


def _redacted_error(name: str) -> str:
    return (
        f"Invalid value for configuration '{name}': the value resolved from the config provider "
        "reference failed validation"
    )


def _hide_secrets(secrets: Mapping[str, str], config: Mapping[str, str | None], text: str) -> str:
    for name, secret in secrets.items():
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, config[name] or HIDDEN)
    return text
