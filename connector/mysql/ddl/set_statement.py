"""SET of system variables; user variables, passwords and the like are skipped."""

from __future__ import annotations

from typing import Final

from connector.mysql.ddl.reader import Reader
from connector.mysql.ddl.statements import Assignment, Ignored, SetVariables, VariableScope

_SCOPES: Final[dict[str, VariableScope]] = {
    "GLOBAL": "GLOBAL",
    "PERSIST": "SESSION",  # a scope that Debezium does not have
    "PERSIST_ONLY": "SESSION",
    "SESSION": "SESSION",
    "LOCAL": "SESSION",
}
_OTHERS: Final = frozenset({"PASSWORD", "TRANSACTION", "ROLE", "RESOURCE", "DEFAULT", "NAMES"})


def read_set(reader: Reader, first: int) -> SetVariables | Ignored:
    """Read a SET statement; ``first`` is its first token."""
    reader.index += 1
    if _at_other(reader):
        reader.skip_statement()
        return Ignored()
    assignments: list[Assignment] = []
    scope: VariableScope = "SESSION"
    position = 0
    while True:
        if reader.word in _SCOPES and reader.ahead() != "=":
            scope = _SCOPES[reader.raw().upper()]
        variable = _variable(reader, scope)
        value = _value(reader)
        if variable is not None:
            scope, name = variable
            order = len(assignments) if reader.dialect == "mysql" else position
            assignments.append(Assignment(name, value, scope, order))
        position += 1
        if not reader.take(","):
            break
    if not assignments:
        return Ignored()
    return SetVariables(reader.text(first), tuple(assignments))


def _at_other(reader: Reader) -> bool:
    word = reader.words[reader.index + 1] if reader.word in _SCOPES else reader.word
    if word in ("CHARACTER", "CHAR", "CHARSET"):
        return True
    return word in _OTHERS and reader.ahead() != "="


def _variable(reader: Reader, scope: VariableScope) -> tuple[VariableScope, str] | None:
    """Read the name of a variable; None for a user's own."""
    if reader.kind != "variable":
        name = reader.name()
        dotted = reader.word == "."
        while reader.take("."):
            reader.name()
        return None if dotted and reader.dialect == "mariadb" else (scope, name)
    text = reader.raw()
    if not text.startswith("@@"):
        return None
    written, _, name = text[2:].rpartition(".")
    return _SCOPES.get(written.upper(), "SESSION"), name.strip("`")


def _value(reader: Reader) -> str:
    """Read ``= expression`` and return it without white space, a single string unquoted."""
    reader.take(":")
    reader.expect("=")
    first = reader.index
    reader.skip_item()
    if first == reader.index:
        raise reader.unexpected("a value")
    text = "".join(reader.text(index, index) for index in range(first, reader.index))
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\"`"
    return text[1:-1] if quoted else text
