"""Config providers: ``${provider:path:key}`` in a value refers to a secret stored elsewhere.

References are kept raw wherever configurations are stored or shown, and resolved only when a
connector starts or is validated. As in Kafka, a reference to an unknown provider, or to a key
that the provider does not have, stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from connector.config import settings_below
from connector.data.java_regex import compile_java
from connector.errors import ConfigError
from connector.properties import read_properties

REFERENCE: Final = re.compile(r"\$\{([^}]*?):(([^}]*?):)?([^}]*?)\}")
_PACKAGE: Final = "org.apache.kafka.common.config.provider."


class ProviderError(ConfigError):
    """A provider cannot read the file or directory of a reference."""


class Provider(Protocol):
    """Reads the value of one key; ``path`` is empty when the reference has none."""

    def get(self, path: str, key: str) -> str | None:
        """Return the value, None when there is none.

        :raises ProviderError: the file or directory cannot be read.
        """


@dataclass(frozen=True, slots=True)
class FileProvider:
    """``${file:/path/to/file.properties:key}``."""

    allowed: tuple[Path, ...] = ()

    def get(self, path: str, key: str) -> str | None:
        """Return a property of a ``.properties`` file."""
        if not path or not _is_allowed(Path(path), self.allowed):
            return None
        try:
            return read_properties(Path(path)).get(key)
        except ConfigError:
            raise ProviderError(f"Could not read properties from file {path}") from None


@dataclass(frozen=True, slots=True)
class DirectoryProvider:
    """``${dir:/path/to/directory:file}``: the whole content of a file."""

    allowed: tuple[Path, ...] = ()

    def get(self, path: str, key: str) -> str | None:
        """Return the content of a file of the directory, untrimmed."""
        file = Path(path) / key
        inside = bool(path) and file.parent == Path(path)
        if not inside or not _is_allowed(file, self.allowed) or not file.is_file():
            return None
        try:
            return file.read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            raise ProviderError(f"Could not read file {key} of directory {path}") from None


@dataclass(frozen=True, slots=True)
class EnvironmentProvider:
    """``${env:NAME}``, for the names that fully match a pattern."""

    environment: Mapping[str, str]
    pattern: re.Pattern[str] = field(default=re.compile(".*"))

    def get(self, path: str, key: str) -> str | None:
        """Return an environment variable."""
        if path:
            raise ProviderError(
                f"Path is not supported for EnvVarConfigProvider, invalid value '{path}'"
            )
        return self.environment.get(key) if self.pattern.fullmatch(key) else None


_SHORTEST_SECRET: Final = 4  # shorter ones are found in any text by chance


@dataclass(frozen=True, slots=True)
class Providers:
    """The providers of a worker by the names its file gives them."""

    by_name: Mapping[str, Provider] = field(default_factory=dict)
    _references: dict[str, str] = field(default_factory=dict, repr=False)

    def resolve(self, config: Mapping[str, str | None]) -> dict[str, str]:
        """Return the configuration with its references replaced; null values are left out.

        :raises ProviderError: a provider cannot read its file or directory.
        """
        resolved = {
            key: REFERENCE.sub(self._value, value)
            for key, value in config.items()
            if value is not None
        }
        for key, value in resolved.items():
            self._remember(value, config[key] or "")
        return resolved

    def find_unresolved(self, config: Mapping[str, str | None]) -> dict[str, str]:
        """Return why references cannot be replaced, by key: their text is not a value.

        :raises ProviderError: a provider cannot read its file or directory.
        """
        found = {}
        for key, value in config.items():
            for reference in REFERENCE.finditer(value or ""):
                reason = self._unresolved_reason(reference)
                if reason is not None:
                    found[key] = f"Invalid value {reference[0]} for configuration {key}: {reason}"
        return found

    def _unresolved_reason(self, reference: re.Match[str]) -> str | None:
        name, path, key = reference[1], reference[3] or "", reference[4]
        provider = self.by_name.get(name)
        if provider is None:
            return f"the worker has no config provider '{name}' (config.providers)"
        if provider.get(path, key) is None:
            return f"the config provider '{name}' has no such value, or may not read it"
        return None

    def _value(self, reference: re.Match[str]) -> str:
        name, path, key = reference[1], reference[3] or "", reference[4]
        provider = self.by_name.get(name)
        value = provider.get(path, key) if provider else None
        if value is None:
            return reference[0]
        self._remember(value, reference[0])
        return value

    def _remember(self, value: str, reference: str) -> None:
        value = value.strip()
        if len(value) >= _SHORTEST_SECRET and value != reference.strip():
            self._references[value] = reference

    def redact(self, text: str) -> str:
        """Return a text with the reference in place of every value that was resolved."""
        for value in sorted(self._references, key=len, reverse=True):
            if value in text:
                text = _pattern(value).sub(self._references[value].replace("\\", r"\\"), text)
        return text


def _pattern(value: str) -> re.Pattern[str]:
    """Find a value in a text; a plain word, such as a user's name, not within other words."""
    if value.isalpha():
        return re.compile(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\w)")
    return re.compile(re.escape(value))


def create_providers(worker: Mapping[str, str], environment: Mapping[str, str]) -> Providers:
    """Build the providers that ``config.providers`` of the worker file names.

    :raises ConfigError: a provider without a class, or of a class that is not available.
    """
    names = [name.strip() for name in worker.get("config.providers", "").split(",")]
    return Providers({name: _create(name, worker, environment) for name in names if name})


def _create(name: str, worker: Mapping[str, str], environment: Mapping[str, str]) -> Provider:
    prefix = f"config.providers.{name}."
    params = settings_below(worker, f"{prefix}param.")
    class_name = worker.get(prefix + "class", "")
    create = _CLASSES.get(class_name)
    if create is None:
        raise ConfigError(
            f"Invalid value {class_name} for configuration {prefix}class: this provider is not "
            f"available here; use one of {', '.join(_CLASSES)}."
        )
    return create(params, environment)


def _paths(params: Mapping[str, str]) -> tuple[Path, ...]:
    texts = params.get("allowed.paths", "").split(",")
    return tuple(Path(text.strip()) for text in texts if text.strip())


def _is_allowed(path: Path, allowed: tuple[Path, ...]) -> bool:
    real = path.resolve()
    return not allowed or any(real.is_relative_to(folder.resolve()) for folder in allowed)


def _environment(params: Mapping[str, str], environment: Mapping[str, str]) -> Provider:
    pattern = params.get("allowlist.pattern", ".*")
    try:
        return EnvironmentProvider(environment, compile_java(pattern))
    except re.error as error:
        raise ConfigError(f"Invalid value {pattern} for allowlist.pattern: {error}.") from None


_CLASSES: Final[dict[str, Callable[[Mapping[str, str], Mapping[str, str]], Provider]]] = {
    _PACKAGE + "FileConfigProvider": lambda params, _: FileProvider(_paths(params)),
    _PACKAGE + "DirectoryConfigProvider": lambda params, _: DirectoryProvider(_paths(params)),
    _PACKAGE + "EnvVarConfigProvider": _environment,
    "io.strimzi.kafka.EnvVarConfigProvider": _environment,
}
