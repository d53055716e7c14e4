"""Readers of files of instances: from the rows of a file to targets in their sentences.

| layout | rows |
|---|---|
| alexsis, tsar, benchls, easier | see `transforms/simplification/instances/benchmark_layouts.py` |
| cwi2018 | CWI-2018, see `transforms/intake/labelled_targets.py` |
| text | a sentence a line, with `[[target]]` in it, perhaps several; or a table |

A table has a header that names `sentence`, and `start` and `end`, or `target`, or none of these, where targets are
marked; `id` and `substitutes` as you like; columns of other names, or without a header, are named by `columns`.
Quotes are plain characters, except in a table of layout text if the user says otherwise.

>>> named_columns(("sentence=Frase", "substitutes=s1", "substitutes=s2"))
[('sentence', 'frase'), ('substitutes', 's1'), ('substitutes', 's2')]
>>> has_header(["3", "El mar."], ("sentence=2",)), has_header(["id", "Sentence"], ())
(False, True)
"""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from lexbeam.schemas.simplification import FLAGS
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.formats.readers.delimited import Row
from lexbeam.transforms.formats.records.base import BadRecord, Reject
from lexbeam.transforms.formats.records.text_cleaning import clean_field, clean_value
from lexbeam.transforms.intake.labelled_targets import Cwi2018Row, locate_at_offsets, read_cwi2018
from lexbeam.transforms.intake.row_files import About, FileRows, header_name, in_order, rows_of_table, whole_number
from lexbeam.transforms.simplification.instances.benchmark_layouts import (
    LAYOUTS,
    BenchmarkInstance,
    RawSubstitute,
    places_of,
    with_substitutes,
)

PLACED = ("start", "end", "target")
_ROLES = ("sentence", *PLACED, "id", "substitutes")


def check_columns(value: tuple[str, ...]) -> None:
    """Check which columns of a table are named.

    Raises:
        UsageError: one is no ROLE=COLUMN, a role but `substitutes` is named twice, none is the sentence, or names
            and numbers are mixed.
    """
    pairs = [pair.partition("=") for pair in value]
    for pair, (role, equals, name) in zip(value, pairs, strict=True):
        if role not in _ROLES or not equals or not name.strip():
            raise UsageError(f"`columns`: {pair!r} is no ROLE=COLUMN; roles are {', '.join(_ROLES)}")
    roles = [role for role, _, _ in pairs]
    if twice := sorted({role for role in roles if role != "substitutes" and roles.count(role) > 1}):
        raise UsageError(f"`columns` names {twice[0]} twice: take one out")
    if value and "sentence" not in roles:
        raise UsageError("`columns` names no sentence: add sentence=COLUMN")
    numbers = [name.isdecimal() for _, _, name in pairs]
    if any(numbers) and not (all(numbers) and all(int(name) > 0 for _, _, name in pairs)):
        raise UsageError("`columns`: name all by the header's names, or all by numbers from 1 where there is no header")


def named_columns(columns: Sequence[str]) -> list[tuple[str, str]]:
    """Return roles with the names of their columns, as `header_name` has them; without any, each has its own name."""
    pairs = (pair.partition("=") for pair in columns)
    return [(role, header_name(name)) for role, _, name in pairs] or [(role, role) for role in _ROLES]


def has_header(cells: Sequence[str] | BadRecord, columns: Sequence[str]) -> bool:
    """Return whether the first row of a file names columns."""
    return is_table(cells, columns) and not _are_numbers(columns)


def is_table(cells: Sequence[str] | BadRecord, columns: Sequence[str]) -> bool:
    """Return whether a file is a table, by its first row; if columns are named, it is one."""
    return bool(columns) or (not isinstance(cells, BadRecord) and "sentence" in map(header_name, cells))


def headed(rows: Iterator[Row], columns: Sequence[str]) -> Iterator[Row]:
    """Return rows with a header: where columns are named by numbers, one is put before them, and others are cut."""
    if not _are_numbers(columns):
        return rows
    width = max(int(name) for _, name in named_columns(columns))
    header: Row = (0, [str(number) for number in range(1, width + 1)])
    return itertools.chain([header], _cut(rows, width))


def _cut(rows: Iterator[Row], width: int) -> Iterator[Row]:
    for line, cells in rows:
        yield line, cells if isinstance(cells, BadRecord) else cells[:width]


def _are_numbers(columns: Sequence[str]) -> bool:
    return bool(columns) and columns[0].partition("=")[2].isdecimal()


# What a record gives: its targets, or why it gives none.
Targets = list[BenchmarkInstance] | BadRecord
Read = Callable[[FileRows, About, "RuleOptions"], Iterator[tuple[int, Targets]]]

_MARK = re.compile(r"\[\[(?!\[)((?:(?!\[\[).)*?)\]\]", re.DOTALL)
_REMEDY = "name the column by `columns`, sentence=COLUMN; others may be start, end, target, id, substitutes"
_BETWEEN = re.compile(r"[,;|]")  # between substitutes in one cell


@dataclass(frozen=True, kw_only=True)
class RuleOptions:
    """What of files and tables becomes instances."""

    columns: tuple[str, ...] = option(
        (),
        help="of a table of layout text: which column has the sentence, target, start, end, id, substitutes (of "
        "these several); by the names of the header, or by numbers from 1 if there is none",
        metavar="ROLE=COLUMN",
        check=check_columns,
    )

    min_native: int | None = option(
        None,
        help="of cwi2018: take words that at least so many native annotators marked as complex; 5 if not given, "
        "as in ALEXSIS",
        least=0,
    )
    phrases: bool = option(False, help="of cwi2018: take phrases as well")
    capitals: bool = option(False, help="of cwi2018: take words with a capital letter as well")
    min_complexity: float | None = option(
        None, help="of cwi2018 and complexity: take words at least so complex, 0 to 1", least=0, most=1
    )

    @property
    def native(self) -> int:
        """How many native annotators must have marked a word."""
        return 5 if self.min_native is None else self.min_native


def _read_cells(layout: str) -> Read:
    def read(rows: FileRows, about: About, rules: RuleOptions) -> Iterator[tuple[int, Targets]]:
        for line, cells in rows:
            yield line, _taken(of_cells, cells)

    def of_cells(cells: list[str]) -> list[BenchmarkInstance]:
        row = LAYOUTS[layout].read([clean_value(cell) for cell in cells])
        substitutes = (substitute._replace(text=clean_field(substitute.text)) for substitute in row.substitutes)
        return [row._replace(substitutes=tuple(substitutes))]

    return read


def _read_cwi2018(rows: FileRows, about: About, rules: RuleOptions) -> Iterator[tuple[int, Targets]]:
    """Read CWI-2018: the targets that enough native annotators marked, as in ALEXSIS."""
    for entry in read_cwi2018(rows, about):
        if isinstance(entry, Reject):
            yield int(entry.position), BadRecord(entry.reason, entry.detail)
        else:
            yield entry.line, _taken(partial(_of_entry, rules), entry)


def _of_entry(rules: RuleOptions, entry: Cwi2018Row) -> list[BenchmarkInstance]:
    takes_targets(entry, rules)
    row = _located(entry)
    if rules.min_complexity is not None:
        row = row._replace(chosen_by="complexity", chosen_value=row.complexity)
    return [row]


def takes_targets(entry: Cwi2018Row, rules: RuleOptions) -> None:
    """Check that rules take a target of CWI-2018.

    Raises:
        BadRecord: they leave it out: `below_native`, `phrase`, `capital`, `below_complexity`,
            `no_complexity`.
    """
    labels = {label.group: label for label in entry.labels}
    token = entry.token.strip()
    native = labels.get("native")
    # The label is their share: the product is off by rounding alone.
    marks = round(native.complexity * (native.annotations or 0)) if native is not None else 0
    if marks < rules.native:
        raise BadRecord("below_native", f"{marks} native annotators marked it")
    if entry.kind != "single" and not rules.phrases:
        raise BadRecord("phrase", f"{token[:60]!r} is a phrase")
    if any(c.isupper() for c in token) and not rules.capitals:
        raise BadRecord("capital", f"{token[:60]!r} has a capital letter")
    if rules.min_complexity is not None:
        if "" not in labels:
            raise BadRecord("no_complexity", "the row has no label")
        if labels[""].complexity < rules.min_complexity:
            raise BadRecord("below_complexity", f"its complexity is {labels[''].complexity:g}")


def _located(entry: Cwi2018Row) -> BenchmarkInstance:
    """Return an entry as a row, its texts cleaned and its target located.

    Raises:
        BadRecord: it has no sentence or no target, or the target does not stand there.
    """
    raw = entry.sentence or ""
    sentence, target = clean_value(raw).strip(), clean_value(entry.token).strip()
    if not sentence or not target:
        raise BadRecord("malformed", "no sentence or no target")
    complexity = next((label.complexity for label in entry.labels if not label.group), None)
    if entry.offsets is None:
        places, flags = places_of(sentence, target)
    else:
        located = locate_at_offsets(raw, sentence, target, entry.offsets)
        if located.start is not None and located.end is not None:
            places = [(located.start, located.end)]
            flags = ["wrong_place" if flag == "wrong_offsets" else flag for flag in located.flags]
        else:
            places, flags = places_of(sentence, target)
            flags.append("wrong_place")
    if len(places) > 1:
        flags.append("several")
    row = BenchmarkInstance(sentence, target, tuple(places), (), tuple(in_order(flags, FLAGS)))
    return row._replace(source_id=entry.source_id, complexity=complexity, language=entry.language)


def _read_text(rows: FileRows, about: About, rules: RuleOptions) -> Iterator[tuple[int, Targets]]:
    """Read sentences with marks, a line each, or a table of sentences.

    Raises:
        LexbeamError: the header has a column twice.
    """
    remaining = iter(rows)
    first = next(remaining, None)
    if first is None:
        return
    _, cells = first
    rows = itertools.chain([first], remaining)
    if not is_table(cells, rules.columns):
        for line, cells in rows:
            yield line, _taken(lambda found: marked(clean_value("\t".join(found))), cells)
        return
    roles = named_columns(rules.columns)
    # Columns that are named must be there, others may be.
    needed = tuple(dict.fromkeys(name for _, name in roles)) if rules.columns else ("sentence",)
    for line, named in rows_of_table(headed(rows, rules.columns), about, needed, lambda _: _REMEDY):
        yield line, _taken(partial(_of_table, roles=roles), named)


def _taken(read: Callable[..., list[BenchmarkInstance]], cells: object) -> list[BenchmarkInstance] | BadRecord:
    try:
        if isinstance(cells, BadRecord):
            raise cells
        return read(cells)
    except BadRecord as error:
        return error


def _of_table(row: Mapping[str, str], roles: Sequence[tuple[str, str]]) -> list[BenchmarkInstance]:
    cells = {role: row.get(name, "") for role, name in roles}
    source_id = clean_field(cells.get("id", "")) or None
    given = [
        clean_field(word) for role, name in roles if role == "substitutes" for word in _BETWEEN.split(row.get(name, ""))
    ]
    counts = Counter(word for word in given if word)
    substitutes = tuple(RawSubstitute(word, counts[word]) for word in sorted(counts))
    raw = cells["sentence"]
    if not any(cells.get(name, "").strip() for name in PLACED):
        targets = marked(clean_value(raw))
        if substitutes and len(targets) > 1:
            raise BadRecord("malformed", f"substitutes for {len(targets)} targets, and nothing says for which")
        return [target._replace(source_id=source_id, substitutes=substitutes) for target in targets]
    target, offsets = cells.get("target", ""), None
    if any(cells.get(name, "").strip() for name in ("start", "end")):
        start, end = (whole_number(cells.get(name, ""), name) for name in ("start", "end"))
        if not start < end <= len(raw) or not raw[start:end].strip():
            detail = f"{start} to {end} is no place in a sentence of {len(raw)} code points"
            raise BadRecord("malformed", detail)
        offsets = start, end
        target = target if target.strip() else raw[start:end]
    located = _located(Cwi2018Row(0, target, raw, "", None, None, source_id, offsets, ()))
    return [with_substitutes(located, substitutes)]


def marked(text: str) -> list[BenchmarkInstance]:
    """Return a row for each `[[target]]` of a sentence, which stands there without the brackets.

    >>> [(row.target, row.places) for row in marked("A [[cat]] [[ sat]].")]
    [('cat', ((2, 5),)), ('sat', ((7, 10),))]

    Raises:
        BadRecord: `no_target`; `malformed`: a mark is empty, not closed or not opened.
    """
    pieces, places = [], []
    place = length = 0
    for match in _MARK.finditer(text):
        before, target = text[place : match.start()], match[1]
        if not target.strip():
            raise BadRecord("malformed", "a mark [[ ]] without a target in it")
        begin = length + len(before) + len(target) - len(target.lstrip())
        places.append((begin, begin + len(target.strip())))
        pieces += [before, target]
        length += len(before) + len(target)
        place = match.end()
    sentence = "".join([*pieces, text[place:]])
    if "[[" in sentence or "]]" in sentence:
        raise BadRecord("malformed", "a mark [[ ]] is not closed, or not opened")
    if not places:
        raise BadRecord("no_target", "no [[target]] stands in the sentence")
    return [BenchmarkInstance(sentence, sentence[a:b], ((a, b),)) for a, b in places]


@dataclass(frozen=True)
class InstanceReader(Entry):
    """A reader of files of one layout: from rows, facts about the file, and rules, to targets by line."""

    read: Read


READERS: Registry[InstanceReader] = Registry(
    {
        **{name: InstanceReader(_read_cells(name), doc=layout.doc) for name, layout in LAYOUTS.items()},
        "cwi2018": InstanceReader(_read_cwi2018, doc="CWI-2018, whose targets are what annotators marked as complex"),
        "text": InstanceReader(_read_text, doc="sentences with [[marked]] targets, or a table of sentences"),
    },
    what="layout",
)
