"""Connector plugins: what there is, their keys, and validation."""

from typing import Annotated

from fastapi import APIRouter, Body, Query

from connector.config import ConfigDef
from connector.errors import NotFoundError
from connector.plugin import PluginInfo, Plugins
from connector.worker.connector_config import source_config
from connector.worker.herder import Herder
from connector.worker.nested_converters import converter_def
from connector.worker.plugin_versions import VersionError, version_fault
from connector.worker.rest_entities import ConfigInfos, ConfigKeyInfo
from connector.worker.validation_answer import key_info
from connector.worker.worker_config import WorkerConfig
from restapi.body import ConnectRoute
from restapi.errors import BadRequestError
from restapi.models import ConfigMap, Name, Truth


def plugins(herder: Herder, table: Plugins, worker: WorkerConfig) -> APIRouter:
    """Return the routes of plugins."""
    router = APIRouter(prefix="/connector-plugins", route_class=ConnectRoute)

    @router.get("")
    def list_plugins(
        connectors_only: Annotated[Truth, Query(alias="connectorsOnly")] = True,
    ) -> list[dict[str, str]]:
        return [
            _row(plugin) for plugin in table.all() if plugin.kind == "source" or not connectors_only
        ]

    @router.get("/{plugin}/config")
    def keys(plugin: Name, version: str = "latest") -> list[ConfigKeyInfo]:
        found = _find(table, plugin)
        _check_version(found, version)
        return [key_info(key) for key in _keys(table, found, worker) if not key.internal]

    @router.put("/{plugin}/config/validate")
    def validate(plugin: Name, config: Annotated[ConfigMap, Body()]) -> ConfigInfos:
        name = config.get("connector.class")
        if name and not _short(name).endswith(_short(plugin)):
            raise BadRequestError(
                f"Included connector type {name} does not match request type {plugin}"
            )
        return herder.validate(config)

    return router


def _row(plugin: PluginInfo) -> dict[str, str]:
    row = {"class": plugin.class_name, "type": str(plugin.kind)}
    return row if plugin.version is None else {**row, "version": plugin.version}


def _short(name: str) -> str:
    return name.removesuffix("Connector")


def _find(table: Plugins, name: str) -> PluginInfo:
    try:
        return table.info(name)
    except NotFoundError:
        raise NotFoundError(f"Unknown plugin {name}.") from None


def _check_version(plugin: PluginInfo, required: str) -> None:
    try:
        fault = version_fault(plugin.class_name, plugin.version, required)
    except VersionError:
        fault = f"Invalid version specification: {required}"
    if fault:
        raise BadRequestError(fault)


def _keys(table: Plugins, plugin: PluginInfo, worker: WorkerConfig) -> ConfigDef:
    """Return a plugin's keys; those of connectors are followed by what all of them have."""
    if plugin.kind != "source":
        component = table.component(plugin.class_name, plugin.kind)
        return converter_def(component) if "converter" in plugin.kind else component.config_def
    own = table.connector(plugin.class_name).config_def
    base = source_config({"connector.class": plugin.class_name}, worker.values, table)
    return own + base
