"""What the command line says as JSON lines on standard error, for whoever collects logs: `--log json`.

{"event": "section_started", "section": "corpus", "time": "2026-01-31T02:00:05.120Z", "level": "info", ...}
"""

import logging
from collections.abc import Sequence
from typing import Any, TextIO

import msgspec

from lexbeam.pipelines.monitoring.events import Event, as_line, message_event
from lexbeam.transforms.common.errors import UsageError

STYLES = ("text", "json")


def without_style(words: Sequence[str]) -> tuple[list[str], str]:
    """Return a command line without `--log`, and the style that this asks for; what is for Beam stays as it is.

    Raises:
        UsageError: it asks for no style, for one that there is not, or for two.
    """
    end = list(words).index("--") if "--" in words else len(words)
    kept: list[str] = []
    style = ""
    ours = iter(words[:end])
    for word in ours:
        name, given, value = word.partition("=")
        if name != "--log":
            kept.append(word)
            continue
        before, style = style, value if given else next(ours, "")
        if style not in STYLES:
            raise UsageError(f"--log is one of {', '.join(STYLES)}, not {style!r}")
        if before not in ("", style):
            raise UsageError(f"--log is given twice, as {before!r} and as {style!r}, and takes one value")
    return [*kept, *words[end:]], style or STYLES[0]


def json_message(level: str, message: str, at: float | None = None) -> str:
    """Return a message as one line.

    Args:
        level: `info`, `warning` or `error`, as logging has them, in small letters.
        message: what is said; its lines stay within the line.
        at: seconds since 1970; None: now.
    """
    return as_line(message_event(level, message, at))


class JsonFormatter(logging.Formatter):
    """A record as a JSON line: an event as it is, anything else as what a formatter makes of it."""

    def __init__(self, words: logging.Formatter) -> None:
        super().__init__()
        self._words = words

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        event: object = record.msg
        if not isinstance(event, Event):
            return json_message(record.levelname.lower(), self._words.format(record), record.created)
        if hasattr(event, "message"):
            said = self._words.format(logging.makeLogRecord({"msg": event.message}))
            event = msgspec.structs.replace(event, message=said)
        return as_line(event)


class JsonLines:
    """A text stream whose lines become messages: those of progress, and what packages print."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._begun = ""

    def write(self, text: str) -> int:
        """Write text; a line is passed on when it ends."""
        *lines, self._begun = (self._begun + text).split("\n")
        for line in filter(str.strip, lines):
            self.stream.write(json_message("info", line) + "\n")
        return len(text)

    def isatty(self) -> bool:
        """Return that nothing is drawn."""
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)
