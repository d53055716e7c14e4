"""Text that was decoded by the wrong encoding: UTF-8 read as Windows-1252 or Latin-1.

>>> looks_mis_decoded("It cost Â£600"), looks_mis_decoded("It cost £600 in CAFÉ »Spaß“")
(True, False)
"""

import re

__all__ = ["looks_mis_decoded"]


def _read_wrongly(first: int, last: int) -> str:
    """Return, as a class of a pattern, what bytes become by Windows-1252 and by Latin-1."""
    found = {chr(byte) for byte in range(first, last + 1)}
    for byte in range(first, last + 1):
        found.add(bytes([byte]).decode("cp1252", "ignore"))
    return "[" + "".join(re.escape(char) for char in sorted(found - {""})) + "]"


_FOLLOWS = _read_wrongly(0x80, 0xBF)
_SIGNS = re.compile(
    # The signs and letters of Latin-1. Capitals stand before such signs in no language at hand.
    rf"[\u00c2\u00c3]{_FOLLOWS}"
    # Quotation marks, dashes, the euro: three bytes, the first two nearly always these.
    rf"|\u00e2[\u0080-\u0084€‚]{_FOLLOWS}"
    # Letters of other scripts, two in a row: one may be chance, such as an umlaut and a quote.
    rf"|(?:[\u00c4-\u00df]{_FOLLOWS}){{2}}"
    rf"|(?:[\u00e3-\u00ef]{_FOLLOWS}{{2}}){{2}}"
    # What stands for no bytes, and controls that are signs of Windows-1252 read as Latin-1.
    r"|[\ufffd\u0080-\u0084\u0086-\u009f]"
)


def looks_mis_decoded(text: str) -> bool:
    """Return whether a text holds what wrong decoding makes of UTF-8, or what replaces bytes."""
    return not text.isascii() and _SIGNS.search(text) is not None
