"""Debezium's Filter and ContentBasedRouter: expressions decide on records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from connector.config import ConfigDef, ConfigKey, compile_regex
from connector.data.record import Record
from connector.data.symbolic import require_known
from connector.errors import ConfigError, TransformError
from connector.transforms.cel_expression import CelExpression
from connector.transforms.envelopes import enum_of, require
from connector.transforms.script_translation import LANGUAGES, translate
from connector.transforms.validators import java_regex

_CEL: Final = "cel"


def _language(_: str, value: Any) -> str | None:
    if value is None or value == _CEL or value in LANGUAGES:
        return None
    return (
        f"Value for option 'language' must be '{_CEL}', 'jsr223.groovy' or 'jsr223.graal.js', but "
        f"is '{value}'. Expressions in other languages have to be rewritten in CEL."
    )


def _config_def(expression: str, display_name: str, doc: str) -> ConfigDef:
    return ConfigDef(
        [
            ConfigKey(
                "topic.regex", "STRING", None, "LOW",
                "Expression for the topics whose records are evaluated; all others pass.", order=1,
                width="LONG", display_name="Topic regex", validator=java_regex,
            ),
            ConfigKey(
                "language", "STRING", None, "HIGH",
                "cel; jsr223.groovy and jsr223.graal.js for expressions that can be translated.",
                order=1, width="MEDIUM", display_name="Expression language", validator=_language,
            ),
            ConfigKey(
                expression, "STRING", None, "HIGH", doc, order=1, width="MEDIUM",
                display_name=display_name,
            ),
            ConfigKey(
                "null.handling.mode", "STRING", "keep", "LOW",
                "What happens to tombstones: keep, drop, or evaluate the expression.", order=1,
                width="SHORT", display_name="Handle null records",
                validator=enum_of("drop", "keep", "evaluate"),
            ),
        ]
    )  # fmt: skip


class ScriptTransform(ABC):
    """Evaluates an expression for records; ``expression`` is its key, ``example`` one in CEL."""

    compilable: ClassVar[bool] = True
    config_def: ClassVar[ConfigDef]
    expression: ClassVar[str]
    example: ClassVar[str]

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        require(options, "language", self.expression)
        regex: str | None = options["topic.regex"]
        self._fits = compile_regex("topic.regex", regex).fullmatch if regex else None
        self._nulls: str = options["null.handling.mode"].strip().lower()
        self._evaluate = self._parse(options["language"], options[self.expression]).evaluate

    def _parse(self, language: str, text: str) -> CelExpression:
        """Compile an expression.

        :raises ConfigError: it has to be rewritten.
        """
        if language == _CEL:
            return CelExpression(text)
        try:
            # To JavaScript a field that does not exist is undefined.
            has_undefined = LANGUAGES[language] == "javascript"
            return CelExpression(translate(text, language), has_undefined=has_undefined)
        except ConfigError as error:
            raise ConfigError(
                f"Failed to parse expression '{text}' of {self.expression}: {error} Rewrite it in "
                f"CEL, with language={_CEL}: {self._rewrite(text, language)}"
            ) from error

    def _rewrite(self, text: str, language: str) -> str:
        """Return the setting in CEL for an expression, or an example."""
        try:
            similar = translate(text, language, similar=True)
            CelExpression(similar)
        except ConfigError:
            return f"such as {self.expression}={self.example}"
        return f"{self.expression}={similar}"

    @abstractmethod
    def decide(self, record: Record, result: Any) -> Record | None:
        """Return the record for the result of the expression."""

    def apply(self, record: Record) -> Record | None:
        """Evaluate the expression, if the topic fits and the record has a value."""
        if self._fits is not None and not self._fits(record.topic):
            return record
        if self._nulls != "evaluate" and require_known(record.value) is None:
            return record if self._nulls == "keep" else None
        return self.decide(record, self._evaluate(record))


class ConditionFilter(ScriptTransform):
    """Keeps the records for which a condition is true."""

    expression = "condition"
    example = "value.op == 'u' && value.before.id == 2"
    config_def = _config_def(
        expression, "Filtering condition", "Records stay for which it is true."
    )

    def decide(self, record: Record, result: Any) -> Record | None:
        """Keep the record or drop it."""
        if not isinstance(result, bool):
            raise TransformError("The result of the condition is neither true nor false.")
        return record if result else None


class ContentBasedRouter(ScriptTransform):
    """Sends records to the topic that an expression names."""

    expression = "topic.expression"
    example = "value.op == 'u' ? 'updates' : null"
    config_def = _config_def(
        expression, "Topic name expression", "The new topic; null keeps the one that it has."
    )

    def decide(self, record: Record, result: Any) -> Record | None:
        """Set the topic."""
        if result is None:
            return record
        if not isinstance(result, str):
            raise TransformError("The result of the topic's expression is not a text.")
        record.headers = record.headers.copy()
        record.topic = result
        return record
