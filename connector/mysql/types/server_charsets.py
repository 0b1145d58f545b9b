"""MySQL character sets as the server itself decodes them, where values are exact.

The tables are those of the server's files ``share/charsets/*.xml``. Debezium decodes with Java's
character sets: of some it has none, and of others Java has another edition. What the server's
table leaves undefined is U+FFFD, except characters that Python defines there.
"""

from __future__ import annotations

import codecs
from functools import lru_cache

from connector.codegen import Expression
from connector.mysql.types.encodings import decoder

_CHANGED: dict[str, tuple[str, dict[int, str]]] = {  # a codec, and what is different from a code on
    "armscii8": (
        "iso8859-1",
        {
            0xA1: (
                "❁§\u0589)(»«—.\u055d,-՟…՜՛՞ԱաԲբԳգԴդԵեԶզԷէԸըԹ"
                "թԺժԻիԼլԽխԾծԿկՀհՁձՂղՃճՄմՅյՆնՇշՈոՉչՊ"
                "պՋջՌռՍսՎվՏտՐրՑցՒւՓփՔքՕօՖֆ\u2019'"
            ),
        },
    ),
    "dec8": (
        "iso8859-1",
        {
            0xA4: "\ufffd¥\ufffd§¤©ª«\ufffd\ufffd\ufffd\ufffd°±²³\ufffdµ¶·\ufffd¹º»¼½\ufffd",
            0xD0: "\ufffdÑÒÓÔÕÖŒØÙÚÛÜŸ\ufffd",
            0xF0: "\ufffdñòóôõöœøùúûüÿ\ufffd\ufffd",
        },
    ),
    "geostd8": (
        "cp1252",
        {
            0x83: "\ufffd„…†‡\ufffd‰\ufffd\u2039\ufffd\ufffd\ufffd",
            0x98: "\ufffd\ufffd\ufffd\u203a\ufffd\ufffd\ufffd\ufffd",
            0xC0: "აბგდევზჱთიკლმნჲოპჟრსტჳუფქღყშჩცძწჭხჴჯჰჵ",
            0xE5: "\ufffd" * 23 + "№\ufffd\ufffd",
        },
    ),
    "hebrew": (
        "iso8859-8",
        {
            0xAF: "‾",
        },
    ),
    "hp8": (
        "iso8859-1",
        {
            0xA1: (
                "ÀÂÈÊËÎÏ\u00b4\u02cb\u02c6¨\u02dcÙÛ₤¯Ýý°ÇçÑñ¡¿¤£¥§ƒ¢âêô"
                "ûáéóúàèòùäëöüÅîØÆåíøæÄìÖÜÉïßÔÁÃãÐð"
                "ÍÌÓÒÕõŠšÚŸÿÞþ·µ¶¾—¼½ªº«■»±\ufffd"
            ),
        },
    ),
    "keybcs2": (
        "cp437",
        {
            0x80: "ČüéďäĎŤčěĚĹÍľĺÄÁÉžŽôöÓůÚýÖÜŠĽÝŘťáíóúňŇŮÔšřŕŔ",
        },
    ),
    "swe7": (
        "ascii",
        {
            0x40: "É",
            0x5B: "ÄÖÅÜ_é",
            0x7B: "äöåü\ufffd",
        },
    ),
    "koi8u": (
        "koi8_u",
        {
            0x95: "•",
        },
    ),
    "latin1": (
        "cp1252",
        {
            0x81: "\x81",
            0x8D: "\x8dŽ\x8f\x90",
            0x9D: "\x9d",
        },
    ),
    "cp866": (
        "cp866",
        {
            0xFC: "ⁿ²",
        },
    ),
    "greek": (
        "iso8859-7",
        {
            0xA1: "\u02bd\u02bc",
        },
    ),
}


def server_decoder(charset: str | None) -> Expression:
    """Return the expression that decodes bytes of a MySQL character set; UTF-8 if unknown."""
    name = (charset or "").lower()
    if name not in _CHANGED:
        return decoder(charset)
    names = {"decode": codecs.charmap_decode, "table": _table(name)}
    return Expression("@decode({}, 'replace', @table)[0]", names, ("table", _table(name)))


@lru_cache
def _table(name: str) -> str:
    """Return the characters of all 256 codes."""
    codec, changed = _CHANGED[name]
    table = list(bytes(range(256)).decode(codec, "replace"))
    for start, characters in changed.items():
        table[start : start + len(characters)] = characters
    return "".join(table)
