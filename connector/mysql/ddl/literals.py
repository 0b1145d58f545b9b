"""Default values: the literal of a DDL statement as the text that the schema history shows."""

from __future__ import annotations

from typing import Final

from connector.mysql.ddl.reader import Reader

EPOCH: Final = "1970-01-01 00:00:00"  # what the oracle writes for the time of insertion
_NOW: Final = ("CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "NOW")
_MARIADB_NAMED: Final = ("LOCALTIME", "LOCALTIMESTAMP", "CURDATE", "CURTIME")
_SEQUENCE_CALLS: Final = ("NEXTVAL", "LASTVAL")

Default = tuple[bool, str | None]
NOTHING: Final[Default] = (False, None)
EXPRESSION: Final[Default] = (True, None)


def read_default(reader: Reader) -> Default:
    """Read what follows DEFAULT; return whether it sets a default, and its text.

    An expression sets a default without a text; NULL sets nothing.
    """
    if reader.take("NULL"):
        return NOTHING
    if reader.word == "(":
        reader.skip_parentheses()
        return EXPRESSION
    default = _mariadb_call(reader) if reader.dialect == "mariadb" else None
    if default is None and _skip_now(reader):
        default = (True, EPOCH)
    return default or _literal(reader) or _call(reader)


def read_altered_default(reader: Reader) -> Default:
    """Read what follows SET DEFAULT in ALTER TABLE.

    MySQL's oracle keeps charset introducers here, and makes the text ``null`` of NULL and of
    hexadecimal and bit literals.
    """
    if reader.dialect == "mysql":
        introducer = reader.raw() if reader.word.startswith("_") else ""
        if reader.word == "NULL" or reader.kind in ("hex", "bit"):
            reader.index += 1
            return True, "null"
        if introducer:
            return True, introducer + _strings(reader, raw=True)
    return read_default(reader)


def _skip_now(reader: Reader) -> bool:
    if reader.word not in _NOW:
        return False
    reader.index += 1
    if reader.word == "(":
        reader.skip_parentheses()
    return True


def skip_now(reader: Reader) -> None:
    """Step over CURRENT_TIMESTAMP or one of its synonyms.

    :raises DdlError: when something else stands here.
    """
    if not _skip_now(reader):
        raise reader.unexpected("CURRENT_TIMESTAMP")


def _mariadb_call(reader: Reader) -> Default | None:
    """Read the function calls that Debezium for MariaDB distinguishes."""
    if reader.word in _MARIADB_NAMED:
        start = reader.index
        reader.index += 1
        if reader.word == "(":
            reader.skip_parentheses()
        text = "".join(reader.text(index, index) for index in range(start, reader.index))
        _skip_on_update(reader)
        return True, text
    if reader.word in _SEQUENCE_CALLS:
        reader.index += 1
        reader.skip_parentheses()
        return NOTHING
    if _skip_now(reader):
        _skip_on_update(reader)
        return True, EPOCH
    if reader.word == "CASE":
        _skip_case(reader)
        return EXPRESSION
    if reader.kind == "name" and reader.ahead() not in ("(", "."):
        return True, reader.raw()  # a column, whose quotes make it a literal for the oracle
    return None


def _skip_case(reader: Reader) -> None:
    """Step over CASE … END, and those within it."""
    depth = 0
    while True:
        if reader.at_end():
            raise reader.unexpected("the END of a CASE")
        word = reader.word if reader.kind == "word" else ""
        depth += (word == "CASE") - (word == "END")
        reader.index += 1
        if not depth:
            return


def _skip_on_update(reader: Reader) -> None:
    if reader.take("ON", "UPDATE"):
        skip_now(reader)


def _literal(reader: Reader) -> Default | None:
    """Read a literal with its sign."""
    sign = reader.take_any("+", "-")
    kind = reader.kind
    if kind == "number":
        return True, sign + reader.raw()
    if kind in ("hex", "bit"):
        return (True, sign + reader.raw()) if sign else _bits(reader, kind)
    if kind in ("string", "double", "national"):
        return True, sign + _strings(reader)
    if reader.word in ("TRUE", "FALSE"):
        return True, reader.raw()
    if reader.word.startswith("_"):
        return _read_introduced(reader, sign)
    if reader.word in ("DATE", "TIME", "TIMESTAMP") and reader.kinds[reader.index + 1] == "string":
        return _temporal(reader, sign)
    return None


def _bits(reader: Reader, kind: str) -> Default:
    """Read ``x'…'``, ``0x…``, ``b'…'`` or ``0b…``.

    The oracle cuts two characters off the front and one off the end, whatever they are; that of
    MariaDB knows the form ``b'…'`` only.
    """
    text = reader.raw()
    if reader.dialect == "mariadb":
        if kind == "hex":
            return NOTHING
        if text[1] != "'":
            return EXPRESSION
    return True, text[2:-1]


def _read_introduced(reader: Reader, sign: str) -> Default | None:
    """Read a literal with a charset introducer, which MariaDB's oracle keeps mostly."""
    kind = reader.kinds[reader.index + 1]
    if kind not in ("string", "double", "hex", "bit"):
        return None
    introducer = reader.raw()
    if kind in ("hex", "bit"):
        return _bits(reader, kind)
    if reader.dialect == "mysql" or reader.ahead() == "COLLATE":
        return True, sign + _strings(reader)
    return True, sign + introducer + _strings(reader, raw=True)


def _temporal(reader: Reader, sign: str) -> Default:
    """Read ``DATE '…'`` and its like; MySQL's oracle keeps the word."""
    word, text = reader.raw(), reader.raw()
    return True, text[1:-1] if reader.dialect == "mariadb" else sign + word + text


def _strings(reader: Reader, *, raw: bool = False) -> str:
    """Read adjacent strings as one; of a single pair of quotes the outer ones go."""
    pieces = [reader.string()]
    while reader.kind in ("string", "double"):
        pieces.append(reader.raw())
    if reader.dialect == "mariadb" and len(pieces) == 1 and reader.take("COLLATE"):
        reader.name()
    text = "".join(pieces)
    quoted = text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if quoted and not raw else text


def _call(reader: Reader) -> Default:
    """Read a function call or another expression without parentheses around it."""
    if reader.kind not in ("word", "name"):
        raise reader.unexpected("a default value")
    if reader.take("NEXT", "VALUE", "FOR") or reader.take("PREVIOUS", "VALUE", "FOR"):
        reader.table_name()
        return EXPRESSION
    reader.table_name()
    if reader.word == "(":
        reader.skip_parentheses()
    return EXPRESSION
