"""Lines and what ends them."""

from hostile_meaning import Meaning

LINES: dict[str, list[Meaning]] = {
    "Line ends": [
        Meaning("CR LF", "a.txt", b"One here.\r\nTwo here.\r\n", "One here. | Two here.", {"format": "lines"})
    ]
}
