"""The type of a column: its name, length and charset, as the schema history has them.

Names, JDBC codes and default lengths are those that Debezium 3.6.1 (MySQL) and 3.5.0 (MariaDB)
write, including forms that no application should use.
"""

from __future__ import annotations

from typing import Final

from connector.mysql.ddl.charsets import charset_of_collation, server_charset_of
from connector.mysql.ddl.definitions import DataType
from connector.mysql.ddl.reader import Reader
from connector.mysql.ddl.type_names import (
    BIGINT,
    BLOB,
    BYTE_TYPES,
    CHAR,
    DECIMAL,
    DOUBLE,
    NAMED_CHARSETS,
    NATIONAL_BINARY,
    NCHAR,
    NUMBERS,
    NUMERIC,
    NVARCHAR,
    ORACLE_MODE,
    SCHEMAS_OF_TYPES,
    SIMPLE,
    TEXTS,
    VARCHAR,
)

_MAX_LENGTH: Final = 2**31 - 1
_MYSQL_DEFAULT_LENGTH: Final = 10  # what MySQL's oracle makes of a written length of 0
_MARIADB_VECTOR_LENGTH: Final = 2048


def read_data_type(reader: Reader) -> DataType:
    """Read the type of a column, with its length and what belongs to it.

    :raises DdlError: for a type that neither database knows.
    """
    word = _type_word(reader)
    if word in NUMBERS:
        return _number(reader)
    if word == "NUMBER":
        return _oracle_number(reader)
    if word == "LONG":
        return _long(reader)
    if word in TEXTS:
        return _text(reader, word)
    if word in ("NCHAR", "NVARCHAR", "NATIONAL"):
        return _national(reader)
    if word in ("ENUM", "SET"):
        return _collection(reader)
    if word == "SERIAL":
        reader.index += 1
        return DataType("BIGINT UNSIGNED", BIGINT, serial=True)
    if word in SIMPLE:
        return _simple(reader, word)
    raise reader.unexpected("a data type")


def _type_word(reader: Reader) -> str:
    """Return the first word of the type, as the servers' standard mode calls it.

    MariaDB distinguishes the types of its modes by schemas, as in ``mariadb_schema.date``.
    """
    schema = reader.word
    if reader.dialect == "mariadb" and schema in SCHEMAS_OF_TYPES and reader.ahead() == ".":
        reader.index += 2
        return SCHEMAS_OF_TYPES[schema].get(reader.word, reader.word)
    if reader.dates_have_times and schema == "DATE":
        return "DATETIME"
    return ORACLE_MODE.get(schema, schema)


def _number(reader: Reader) -> DataType:
    name = reader.word
    jdbc = NUMBERS[name]
    reader.index += 1
    if jdbc == DOUBLE and reader.take("PRECISION"):
        name += " PRECISION"
    length, scale = _dimensions(reader)
    if jdbc in (DECIMAL, NUMERIC):
        length = 10 if length is None else length
        scale = scale or 0
    return DataType(name + _signs(reader), jdbc, length, scale)


def _oracle_number(reader: Reader) -> DataType:
    """Read NUMBER, which MariaDB knows in the mode ORACLE: DECIMAL, or DOUBLE without a size."""
    reader.index += 1
    length, scale = _dimensions(reader)
    if length is None:
        return DataType("DOUBLE", DOUBLE)
    return DataType("DECIMAL", DECIMAL, length, scale or 0)


def _signs(reader: Reader) -> str:
    """Read SIGNED, UNSIGNED and ZEROFILL, which implies UNSIGNED; of several signs one counts."""
    signs = []
    while sign := reader.take_any("SIGNED", "UNSIGNED", "ZEROFILL"):
        signs.append(sign)
    if "ZEROFILL" in signs:
        return " UNSIGNED ZEROFILL"
    if not signs:
        return ""
    if reader.dialect == "mariadb" and "UNSIGNED" in signs:
        return " UNSIGNED"
    return f" {signs[-1]}"


def _simple(reader: Reader, name: str) -> DataType:
    reader.index += 1
    length, _ = _dimensions(reader, fraction=name in ("TIME", "DATETIME", "TIMESTAMP"))
    if length is None and name == "BIT":
        length = 1
    if length is None and name == "VECTOR" and reader.dialect == "mariadb":
        length = _MARIADB_VECTOR_LENGTH
    return DataType(name, SIMPLE[name], length)


def _long(reader: Reader) -> DataType:
    reader.index += 1
    if reader.take("VARBINARY"):
        return DataType("LONG VARBINARY", BLOB)
    words = ["LONG"]
    if word := reader.take_any("VARCHAR", "VARCHARACTER"):
        words.append(word)
    elif reader.ahead() == "VARYING":
        words += [reader.raw().upper(), reader.raw().upper()]
    return _character(reader, " ".join(words), VARCHAR, None)


def _text(reader: Reader, name: str) -> DataType:
    reader.index += 1
    jdbc = TEXTS[name]
    if jdbc == CHAR and reader.take("VARYING"):
        name, jdbc = f"{name} VARYING", VARCHAR
    length, _ = _dimensions(reader)
    return _character(reader, name, jdbc, length)


def _character(reader: Reader, name: str, jdbc: int, length: int | None) -> DataType:
    charset, binary, named = _charset(reader)
    of_server = charset or NAMED_CHARSETS.get(named)
    if reader.dialect == "mariadb":
        if named == "BYTE":
            name, jdbc = BYTE_TYPES[name]
            return DataType(name, jdbc, length)
        if reader.take("COLLATE"):
            collation = read_charset(reader)
            of_server = of_server or server_charset_of(collation)
            charset = charset or charset_of_collation(collation)
        charset = charset or NAMED_CHARSETS.get(named)
    if binary and not _forgets_binary(reader, name):
        name += " BINARY"
    on_server = None
    if of_server != charset:
        on_server = DataType(name, jdbc, length, charset=of_server)
    return DataType(name, jdbc, length, charset=charset, on_server=on_server)


def _forgets_binary(reader: Reader, name: str) -> bool:
    """Return whether Debezium for MariaDB leaves BINARY out of the name of a type."""
    return reader.dialect == "mariadb" and (
        name in ("CHARACTER", "VARCHARACTER") or " " in name or name == "LONG"
    )


def _national(reader: Reader) -> DataType:
    words = [reader.raw().upper()]
    while word := reader.take_any("CHAR", "CHARACTER", "VARCHAR", "VARCHARACTER", "VARYING"):
        words.append(word)
    name = " ".join(words)
    if words == ["NCHAR", "VARCHARACTER"] and reader.dialect == "mysql":
        name = "NCHAR VARCHAR"
    varying = words[-1] in ("VARYING", "VARCHAR", "VARCHARACTER", "NVARCHAR")
    jdbc = NVARCHAR if varying else NCHAR
    length, _ = _dimensions(reader)
    fixed = 1 if jdbc == NCHAR and length is None else length
    if reader.take("BINARY"):
        exception = NATIONAL_BINARY.get((words[0], words[-1]))
        if exception and len(words) == 2 and reader.dialect == "mysql":
            on_server = DataType(name, jdbc, fixed, charset="utf8")
            return DataType(*exception, length, on_server=on_server)
        if reader.dialect == "mysql" or "VARYING" not in words:
            name += " BINARY"
    return DataType(name, jdbc, fixed, charset="utf8")


def _collection(reader: Reader) -> DataType:
    name = reader.raw().upper()
    reader.expect("(")
    values = [_value(reader)]
    while reader.take(","):
        values.append(_value(reader))
    reader.expect(")")
    length = 1 if name == "ENUM" else max(0, 2 * len(values) - 1)
    charset, binary, named = _charset(reader, raw=True)
    of_server = charset.strip("'\"`") if charset else NAMED_CHARSETS.get(named)
    on_server = DataType(name, CHAR, length, charset=of_server, values=tuple(values))
    if binary:  # the oracle forgets the values then
        return DataType(f"{name} BINARY", CHAR, length, charset=charset, on_server=on_server)
    if of_server == charset:
        return on_server
    return DataType(name, CHAR, length, charset=charset, values=tuple(values), on_server=on_server)


def _value(reader: Reader) -> str:
    if reader.kind not in ("string", "double", "hex", "bit"):
        raise reader.unexpected("a value of the list")
    return reader.raw()


def _charset(reader: Reader, *, raw: bool = False) -> tuple[str | None, bool, str]:
    """Read what may follow a character type.

    Returns its charset, whether it says BINARY, and which of ASCII, UNICODE and BYTE it says.
    MySQL's oracle overlooks those three, and a BINARY beside them; that of MariaDB fails on them.
    """
    charset: str | None = None
    binary = False
    named = ""
    while True:
        if reader.take("BINARY"):
            binary = True
        elif at_charset(reader):
            charset = read_charset(reader, raw=raw)
        elif word := reader.take_any("ASCII", "UNICODE", "BYTE"):
            named = word
        else:
            return charset, binary and not named, named


def at_charset(reader: Reader) -> bool:
    """Skip CHARACTER SET or one of its synonyms; return whether there was one."""
    return reader.take("CHARSET") or reader.take("CHARACTER", "SET") or reader.take("CHAR", "SET")


def read_charset(reader: Reader, *, raw: bool = False) -> str:
    """Read the name of a charset or collation; ``raw`` keeps its quotes."""
    if reader.kind not in ("word", "name", "string", "double"):
        raise reader.unexpected("the name of a character set or collation")
    quoted = reader.kind != "word"
    text = reader.raw()
    return text if raw or not quoted else text[1:-1]


def _dimensions(reader: Reader, *, fraction: bool = False) -> tuple[int | None, int | None]:
    """Read ``(length)`` or ``(length, scale)``, if they are there."""
    if not reader.take("("):
        return None, None
    length = _length(reader, fraction=fraction)
    scale = None
    if reader.take(","):
        scale = int(_digits(reader))
    reader.expect(")")
    return length, scale


def _length(reader: Reader, *, fraction: bool) -> int:
    whole = int(_digits(reader).partition(".")[0] or 0)
    if whole == 0 and not fraction and reader.dialect == "mysql":
        return _MYSQL_DEFAULT_LENGTH
    return min(whole, _MAX_LENGTH)


def _digits(reader: Reader) -> str:
    if reader.kind != "number":
        raise reader.unexpected("a number")
    return reader.raw()
