"""YAML as people write it, read in one way, with bounds: whatever is in a file, reading it ends.

Taken are mappings whose keys are texts (`on` and `null` are), each given once, lists and single
values. An alias (`*x`) may stand for a single value, not for a list or a mapping: aliases of
aliases grow without end. Of tags only `!!str` is taken.

Errors are in plain words: where, what is wrong, what to do.
"""

import re
from collections.abc import Callable, Hashable
from typing import Any

import yaml

from lexbeam.transforms.common.errors import UsageError, quoted, reason_of
from lexbeam.transforms.common.store import files

# What PyYAML says, and what is meant, with a remedy; the first that matches. The last value says whether
# the place is where what is broken begins, or where that was noticed.
_MEANT: tuple[tuple[str, str, bool], ...] = (
    (r"'\\t'|tab character", "a tab stands where only spaces may: indent with spaces", False),
    (
        r"character '(.)' that cannot start any token",
        "a value cannot begin with {0} as it is: put the value in quotes",
        False,
    ),
    (
        r"unknown escape character '(.)'",
        "in double quotes a backslash begins an escape, and there is no \\{0}: put the value in single quotes",
        False,
    ),
    (
        r"quoted scalar.*(?:end of stream|document separator)",
        "the quote that opens here is not closed: close it, or leave it out",
        True,
    ),
    (
        r"simple key.*could not find expected ':'",
        "the line is no `name: value`: write a colon and a space after the name, and a space after a dash",
        True,
    ),
    (
        r"mapping values are not allowed",
        "a colon makes this a name where none can stand: put a value that holds a colon in quotes, and let all "
        "names of a section begin in the same column",
        False,
    ),
    (
        r"expected <block end>",
        "the line is not indented as those before it: let all names of a section, and all dashes of a list, begin "
        "in the same column",
        False,
    ),
    (r"flow sequence", "the bracket [ that opens here is not closed: close it with ], commas between the values", True),
    (r"flow mapping", "the bracket {{ that opens here is not closed: close it with }}, commas between the pairs", True),
    (r"scanning an (?:alias|anchor)|undefined alias", "* or & has a meaning of its own: put the value in quotes", True),
    (r"but found another document", "a line --- begins a second document, and one is read: leave the line out", False),
)


def explained_yaml(error: yaml.YAMLError) -> str:
    """Return the line and column of an error of PyYAML, what is wrong there, and what to do."""
    if isinstance(error, yaml.reader.ReaderError):
        code = error.character if isinstance(error.character, int) else ord(error.character[:1] or "?")
        return f"unacceptable character U+{code:04X}, the {error.position + 1}th of the file: remove it"
    context, problem = getattr(error, "context", "") or "", getattr(error, "problem", "") or str(error)
    said = " ".join((context, problem))
    for pattern, meant, at_begin in _MEANT:
        if match := re.search(pattern, said):
            return _placed(error, meant.format(*match.groups()), at_begin=at_begin)
    return _placed(error, f"{problem}: correct the line, or put the value in quotes", at_begin=False)


def _placed(error: Any, text: str, *, at_begin: bool) -> str:
    begin, noticed = getattr(error, "context_mark", None), getattr(error, "problem_mark", None)
    mark = (begin or noticed) if at_begin else (noticed or begin)
    return text if mark is None else f"line {mark.line + 1}, column {mark.column + 1}: {text}"


LARGEST = 1 << 18  # bytes of a file, and characters of what its aliases stand for
DEEPEST = 50  # lists and mappings within each other
LONGEST_NUMBER = 400  # characters of a number or date


def read_yaml(path: str) -> Any:
    """Return what a file of YAML holds: mappings, lists, texts, numbers, dates, true, false, None.

    Raises:
        UsageError: it cannot be read, is no YAML in UTF-8, or is beyond what the module takes; the
            message names file and line.
    """
    shown = files.shown(path)
    try:
        with files.open_read(path) as stream:
            content = stream.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"cannot read {shown}: {reason_of(error)}") from None
    if len(content) > LARGEST:
        raise UsageError(f"{shown} is larger than 256 KiB, which no configuration is")
    try:
        loader = _Loader(content.decode("utf-8-sig"))
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown} is not YAML in UTF-8: {error}; save it as UTF-8") from None
    except _Refused as error:
        raise UsageError(f"{shown}: {error}") from None
    except yaml.YAMLError as error:
        raise UsageError(f"{shown} is not YAML: {explained_yaml(error)}") from None


class _Refused(Exception):
    """What is YAML, but not taken."""

    def __init__(self, node: Any, why: str) -> None:
        super().__init__(f"line {node.start_mark.line + 1}: {why}")


_TEXT, _MERGE, _NULL, _BOOL = (f"tag:yaml.org,2002:{name}" for name in ("str", "merge", "null", "bool"))


class _Loader(yaml.SafeLoader):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0
        self._repeated = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        alias = self.check_event(yaml.AliasEvent)
        peek: Callable[[], Any] = self.peek_event
        event = peek()
        # An alias has no tag; a scalar, list or mapping has one if the file says one.
        if getattr(event, "tag", None) not in (None, "!", _TEXT):
            raise _Refused(event, f"the tag {quoted(event.tag)} is not taken: leave it out")
        self._depth += 1
        if self._depth > DEEPEST + 1:
            raise _Refused(event, f"more than {DEEPEST} lists and mappings within each other")
        node = super().compose_node(parent, index)
        self._depth -= 1
        if alias:
            if not isinstance(node, yaml.ScalarNode):
                raise _Refused(event, f"the alias *{event.anchor} stands for a list or mapping: write it out")
            self._repeated += len(node.value)
            if self._repeated > LARGEST:
                raise _Refused(event, "what aliases stand for is larger than 256 KiB: write it out")
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _Refused(key, "a list or mapping is the name of something: names are texts")
            if key.tag == _MERGE:
                raise _Refused(key, "the merge key << is not taken: write out what it brings")
            # Options are called `null` and `on`, and nothing else can be meant: YAML 1.1 takes on,
            # off, yes and no for truth values.
            if key.tag == _BOOL or (key.value == "null" and key.tag == _NULL):
                key.tag = _TEXT
            if key.tag != _TEXT:
                raise _Refused(key, f"{quoted(key.value)} is no text, as names are; give it in quotes")
            # Options have dashes or underscores: these are one name.
            name = key.value.replace("-", "_")
            if name in seen:
                raise _Refused(key, f"{key.value} is given twice: leave one out")
            seen.add(name)
        return super().construct_mapping(node, deep)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        is_text = not isinstance(node, yaml.ScalarNode) or node.tag == _TEXT
        if not is_text and len(node.value) > LONGEST_NUMBER:
            raise _Refused(node, f"a number of {len(node.value)} characters")
        try:
            return super().construct_object(node, deep)
        except (ValueError, OverflowError) as error:  # a 13th month, a base that it is not of
            raise _Refused(node, f"{quoted(node.value)}: {error}; give a text in quotes") from None
