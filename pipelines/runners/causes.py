"""What was wrong, of the texts in which runners report it: these hold the traces of two languages."""

import re

from transforms.common.errors import LexbeamError, UsageError, readable
from transforms.common.store.sound import Damaged

__all__ = ["raised_in", "root_cause"]

# A message that crossed a process border is text: `module.Class: message [while running ...]`.
_RAISED = re.compile(
    r"transforms\.common\.(?:errors|sound)\.(LexbeamError|UsageError|Damaged): (.*?)"
    r"(?:\s*\[while running|\n\n|\nTraceback|\Z)",
    re.DOTALL,
)
_KINDS = {kind.__name__: kind for kind in (LexbeamError, UsageError, Damaged)}
_WHERE = re.compile(r" \[while running .*", re.DOTALL)
# Of Java and Python: the class, perhaps with its package, and the message.
_CAUSE = re.compile(r"^(?:Caused by: )?((?:\w+[.$])*\w*(?:Error|Exception|Failure)\b.*)$", re.MULTILINE)


def raised_in(text: str) -> LexbeamError | None:
    """Return the last error of ours that a text reports; None if it reports none."""
    if raised := _RAISED.findall(text):
        kind, message = raised[-1]
        return _KINDS[kind](message.strip())
    return None


def root_cause(trace: str) -> str:
    """Return the cause that a trace ends in, in one line: our own message, or class and message."""
    ours = raised_in(trace)
    causes = [str(ours)] if ours else _CAUSE.findall(trace)
    cause = causes[-1] if causes else trace.strip().partition("\n")[0]
    return readable(" ".join(_WHERE.sub("", cause).split()))
