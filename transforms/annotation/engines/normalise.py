r"""Normalisation rules: old spellings, long s, u/v and i/j mapped to forms that a model knows.

A rule file is UTF-8 text with three columns separated by tabs, `level`, `from`, `to`; lines that begin
with `#`, empty lines and the heading `level from to` are ignored. `LEVELS` says what
each level maps.

A whole form (or lemma) is looked up first as it stands, then as the character rules leave it.
Character rules apply in one pass from left to right, the longest first, and never to their own
output, so that `u -> v` and `v -> u` swap. Case counts. A token that would become empty stays.

    >>> rules = parse_rules("form-char\tſ\ts\nform\thaue\thave\n")
    >>> rules.form("ſaid"), rules.form("haue"), rules.lemma("haue")
    ('said', 'have', 'haue')
"""

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.small_texts import read_lines
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.texts.characters import nfc, seen
from lexbeam.transforms.common.texts.encodings import lines_of


@dataclass(frozen=True, kw_only=True)
class RuleLevel(Entry):
    """A level of rules.

    Attributes:
        field: the field of `NormalisationRules` that holds them.
        removes: whether a rule may map to nothing.
    """

    field: str
    removes: bool = False


LEVELS: Registry[RuleLevel] = Registry(
    {
        "form": RuleLevel(field="forms", doc="a whole token, before it is tagged and lemmatised"),
        "form-char": RuleLevel(field="form_chars", removes=True, doc="characters within a token, before that"),
        "lemma": RuleLevel(field="lemmas", doc="a whole lemma, after the engine"),
        "lemma-char": RuleLevel(field="lemma_chars", removes=True, doc="characters within a lemma, after the engine"),
    },
    what="level",
)


@dataclass(frozen=True, kw_only=True)
class NormalisationRules:
    """Normalisation rules, each level a mapping from text to text."""

    forms: Mapping[str, str] = field(default_factory=dict)
    form_chars: Mapping[str, str] = field(default_factory=dict)
    lemmas: Mapping[str, str] = field(default_factory=dict)
    lemma_chars: Mapping[str, str] = field(default_factory=dict)

    @property
    def maps_forms(self) -> bool:
        """Whether any rule changes forms."""
        return bool(self.forms or self.form_chars)

    @property
    def maps_lemmas(self) -> bool:
        """Whether any rule changes lemmas."""
        return bool(self.lemmas or self.lemma_chars)

    def form(self, form: str) -> str:
        """Return the form that is tagged for a token."""
        return _mapped(form, self.forms, self.form_chars, self._patterns[0])

    def lemma(self, lemma: str) -> str:
        """Return the lemma that replaces an engine's."""
        return _mapped(lemma, self.lemmas, self.lemma_chars, self._patterns[1])

    @functools.cached_property
    def _patterns(self) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
        return _pattern(self.form_chars), _pattern(self.lemma_chars)


def _pattern(chars: Mapping[str, str]) -> re.Pattern[str] | None:
    longest_first = sorted(chars, key=lambda source: (-len(source), source))
    return re.compile("|".join(map(re.escape, longest_first))) if chars else None


def _mapped(word: str, words: Mapping[str, str], chars: Mapping[str, str], pattern: re.Pattern[str] | None) -> str:
    if word in words:
        return words[word]
    if pattern is None:
        return word
    changed = pattern.sub(lambda match: chars[match.group()], word) or word
    return words.get(changed, changed)


def read_rules(path: str) -> NormalisationRules:
    """Read a rule file, local or remote.

    Raises:
        UsageError: the file is not UTF-8 or a line is wrong; the message names file and line.
    """
    return _rules(read_lines(path, "normalise"), files.shown(path))


def parse_rules(text: str, *, name: str = "rules") -> NormalisationRules:
    """Return the rules in the text of a rule file; `name` is for messages.

    Raises:
        UsageError: a line is wrong; the message names the line.
    """
    return _rules(lines_of(text), name)


def _rules(lines: Iterable[str], name: str) -> NormalisationRules:
    levels: dict[str, dict[str, str]] = {level: {} for level in LEVELS}
    for number, raw in enumerate(lines, start=1):
        line = nfc(seen(raw))
        if not line.strip() or line.startswith("#") or line.split("\t") == ["level", "from", "to"]:
            continue
        problem = _add_rule(line.split("\t"), levels)
        if problem:
            raise UsageError(f"{name}, line {number}: {problem}")
    return NormalisationRules(**{LEVELS[level].field: rules for level, rules in levels.items()})


def _add_rule(columns: list[str], levels: dict[str, dict[str, str]]) -> str | None:
    """Enter a rule; return what is wrong with it, or None."""
    if len(columns) != 3:
        return f"{len(columns)} columns, but level, from and to, separated by tabs, are needed"
    level, source, target = columns
    if level not in levels:
        return f"unknown level {level!r}{nearest(level, LEVELS)} (levels: {', '.join(LEVELS)})"
    if not source:
        return "the column 'from' is empty"
    if not target and not LEVELS[level].removes:
        return "the column 'to' is empty; only character rules may remove something"
    if any(char.isspace() for char in source + target):
        return "whitespace within 'from' or 'to': a token has none"
    known = levels[level].setdefault(source, target)
    if known != target:
        return f"{source!r} is mapped to {known!r} on an earlier line; remove one of the two"
    return None
