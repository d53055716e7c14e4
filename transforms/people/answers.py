r"""Cells that a spreadsheet shows, may change in small ways, and gives back; and kinds of answers in them.

A cell has one line, never begins with a quote, and is never taken for a formula, a number or a date; so
it is the same whether the file is read with quoting or without.

- `\\`, `\t`, `\[`, `\]` and `\uXXXX` stand for a backslash, a tab, a bracket that could be taken
  for a mark, and any other control character; a space at the edge is `\s`, for spreadsheets and
  people trim cells. A line end is `¶`, and `\¶` that sign itself.
- `'` is put in front of what a spreadsheet could take for something else, and of what begins so.
- `[[` and `]]` enclose the target.

    >>> print(cell_of("=1+1"), cell_of("so they\nsaid "), cell_of("a bad day", (2, 5)), sep=" / ")
    '=1+1 / so they¶said\s / a [[bad]] day
    >>> text_of("a [[bad]] day")
    ('a bad day', (2, 5))

In answers, changes that spreadsheets make are undone: `3.0` and `3,0` are 3, a label is its value, and dashes of any
length are one. A kind of answers, how it is described and how it is read, is an entry of `KINDS`.
"""

import functools
import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.shown import FORMULA, GUARD
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.formats.records.text_cleaning import clean_field

# Length of a cell in Excel, in UTF-16 units; it drops the rest of longer ones.
CELL_LIMIT = 32_767

_LINE_END = "¶"
# A quote would be CSV's, and `#` would make the row a comment.
_RISKY = (*FORMULA, '"', "#", GUARD)
_BOOLEANS = frozenset(
    (
        "true",
        "false",
        "wahr",
        "falsch",
        "vrai",
        "faux",
        "verdadero",
        "falso",
        "vero",
        "verdadeiro",
        "sant",
        "falskt",
        "waar",
        "onwaar",
    )
)
_DATE_LENGTH = 40
_RUNS = re.compile(r"(\d+)|[^\W\d_]+")

_ESCAPED = re.compile(r"\\u([0-9a-f]{4})|\\([\\ts\[\]¶])|(\[\[)|(\]\])|(¶)")
_MEANT = {"t": "\t", "s": " "}


def cell_of(text: str, mark: tuple[int, int] | None = None) -> str:
    """Return the cell that shows a text, with the code points from `mark[0]` to `mark[1]` marked.

    Raises:
        ValueError: `mark` is empty or not within the text.
    """
    if mark is None:
        cell = _escaped(text, "[[" in text or "]]" in text)
    else:
        start, end = mark
        if not 0 <= start < end <= len(text):
            raise ValueError(f"the target, {start} to {end}, is not within {len(text)} characters")
        before, target, after = text[:start], text[start:end], text[end:]
        # A bracket beside the mark would be taken for a part of it.
        beside = before.endswith("[") or target.startswith("[")
        beside |= target.endswith("]") or after.startswith("]")
        brackets = beside or "[[" in text or "]]" in text
        pieces = [_escaped(piece, brackets) for piece in (before, target, after)]
        cell = f"{pieces[0]}[[{pieces[1]}]]{pieces[2]}"
    cell = _edged(cell)
    return GUARD + cell if _risky(cell) else cell


def text_of(cell: str) -> tuple[str, tuple[int, int] | None]:
    """Return the text that a cell shows and the place of its target, None if none is marked.

    White space at the edges, which `cell_of` never writes, and the guard are removed. A cell that a person
    changed is read as far as possible: marks that do not enclose anything are dropped.
    """
    cell = cell.strip().removeprefix(GUARD)
    pieces: list[str] = []
    opened: list[int] = []
    closed: list[int] = []
    done = length = 0
    for escape in _ESCAPED.finditer(cell):
        code, sign, opening, closing, _ = escape.groups()
        piece = cell[done : escape.start()]
        length += len(piece)
        if opening:
            opened.append(length)
            meant = ""
        elif closing:
            closed.append(length)
            meant = ""
        elif code:
            meant = chr(int(code, 16))
        else:
            meant = _MEANT.get(sign, sign) if sign else "\n"
        length += len(meant)
        pieces += (piece, meant)
        done = escape.end()
    text = "".join((*pieces, cell[done:]))
    if len(opened) == len(closed) == 1 and opened[0] < closed[0]:
        return text, (opened[0], closed[0])
    return text, None


def folded(text: str) -> str:
    """Return a text without what tools change in passing; two texts are the same if these are.

    That is the Unicode form, the kind and amount of white space, invisible characters, and leading
    apostrophes, which spreadsheets take for their own guard.
    """
    return clean_field(text).lstrip(GUARD).strip()


def _escaped(text: str, brackets: bool) -> str:
    if text.isalnum():
        return text
    pieces = []
    for character in text:
        if character == "\n":
            pieces.append(_LINE_END)
        elif character == "\t":
            pieces.append("\\t")
        elif character in ("\\", _LINE_END) or (brackets and character in "[]"):
            pieces.append("\\" + character)
        elif character == "\ufeff" or unicodedata.category(character) in ("Cc", "Zl", "Zp"):
            pieces.append(f"\\u{ord(character):04x}")
        else:
            pieces.append(character)
    return "".join(pieces)


def _edged(cell: str) -> str:
    if cell[-1:].isspace():
        cell = cell[:-1] + _space(cell[-1])
    if cell[:1].isspace():
        cell = _space(cell[0]) + cell[1:]
    return cell


def _space(character: str) -> str:
    return "\\s" if character == " " else f"\\u{ord(character):04x}"


def _risky(cell: str) -> bool:
    """Return whether a spreadsheet could take a cell for a formula, a number, a date or a truth value."""
    if cell.startswith(_RISKY) or cell.lower() in _BOOLEANS:
        return True
    if len(cell) > _DATE_LENGTH or "_" in cell:
        return False
    # Numbers and dates have at most two words among their digits: `5 May`, `1e10`, `Mar 3, 4 PM`.
    digits = [bool(letters) for letters in _RUNS.findall(cell)]
    return any(digits) and digits.count(False) <= 2


# What an answer is read as; spans are a list of `start` and `end`.
AnswerValue = str | int | float | Sequence[Mapping[str, int]] | None

_TEXT_LIMIT = 10_000  # characters, where an answer names no limit
_SHOWN = 60
_QUOTES = "\"'“”„‟«»‘’ "
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_NUMBER = re.compile(r"[+-]?(\d+(?P<rest>[.,]\d+)?|[.,]\d+)([eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
_FAILED = re.compile(r"#[\w/]+[!?]|#N/A|#NV|Err:\d{3}")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A column to fill in.

    Attributes:
        name: of the column, in the file and in the table of answers.
        help: the question, in a few words.
        kind: an entry of `KINDS`.
        values: pairs of a value and its label, which may be empty; people may write either.
        least: the smallest number allowed.
        most: the greatest number; of text, the most characters.
        of: the column that spans are quoted from.
        undecided: what people write if they cannot decide, such as `-`; the answer is then null.
        optional: whether it may be left empty; the answer is then null.
        by_text: whether people may write the text of the row's column that a value names, in its place.
    """

    name: str
    help: str
    kind: str = "choice"
    values: tuple[tuple[str, str], ...] = ()
    least: float | None = None
    most: float | None = None
    of: str = ""
    undecided: str = ""
    optional: bool = False
    by_text: bool = False

    def __post_init__(self) -> None:
        """Refuse what nobody could answer, or what could be read in two ways."""
        KINDS.check([self.kind], f"answer {self.name!r}")
        if self.undecided and self.optional:
            raise UsageError(
                f"answer {self.name!r}: null would mean both undecided and left empty; "
                "leave out `undecided` or `optional`"
            )
        KINDS[self.kind].check(self)

    @property
    def allowed(self) -> str:
        """What people may write, as they read it."""
        said = [KINDS[self.kind].say(self)]
        if self.by_text:
            said.append("or the text of that column")
        if self.undecided:
            said.append(f"{self.undecided} = cannot decide")
        if self.optional:
            said.append("may be left empty")
        return "; ".join(said)


@dataclass(frozen=True)
class AnswerKind(Entry):
    """A kind of answers: plain functions.

    Attributes:
        type: of its column in the table of answers.
        check: raises `UsageError` if an `Answer` of this kind is not well defined.
        say: what people may write, as they read it.
        read: the value, from an answer, a cell and the texts of its row by column; raises `ValueError`
            with what is wrong.
    """

    type: pa.DataType
    check: Callable[[Answer], None]
    say: Callable[[Answer], str]
    read: Callable[[Answer, str, Mapping[str, str]], AnswerValue]


def read_answer(answer: Answer, cell: str, texts: Mapping[str, str]) -> AnswerValue:
    """Return the answer in a cell, None if it is empty or undecided and may be.

    Raises:
        BadRecord: `empty` or `wrong_answer`.
    """
    plain = _plain(cell)
    if not plain:
        if answer.optional:
            return None
        raise BadRecord("empty", f"{answer.name} is empty")
    if answer.undecided and plain == _plain(answer.undecided):
        return None
    try:
        if _FAILED.fullmatch(cell.strip()):
            raise ValueError("is an error that a spreadsheet found")
        return KINDS[answer.kind].read(answer, cell, texts)
    except ValueError as error:
        shown = cell.strip()
        shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "..."
        raise BadRecord("wrong_answer", f"{answer.name}: {shown!r} {error}") from None


def _plain(cell: str) -> str:
    return folded(cell.translate(_DASHES)).casefold()


def _numbers(cell: str) -> list[float]:
    """Return the numbers that a cell may mean: `1,250` is one and a quarter, or over a thousand."""
    text = clean_field(cell).lstrip(GUARD).translate(_DASHES)
    if not _NUMBER.fullmatch(text):
        return []
    numbers = [float(text.replace(",", "."))]
    if _GROUPED.fullmatch(text):
        numbers.append(float(re.sub("[.,]", "", text)))
    return numbers


@functools.lru_cache(256)
def _forms(answer: Answer) -> dict[str, str]:
    """Return the value for each form that people may write, as `_plain` returns it."""
    forms: dict[str, str] = {}
    for written, label in answer.values:
        both = (f"{written} = {label}", f"{written} {label}") if label else ()
        for form in {_plain(form) for form in (written, label, *both)} - {""}:
            if form in forms or form == _plain(answer.undecided):
                raise UsageError(f"answer {answer.name!r}: {form!r} could mean two of its values")
            forms[form] = written
    return forms


def _check_choice(answer: Answer) -> None:
    if len(answer.values) < 2 or not all(_plain(written) for written, _ in answer.values):
        raise UsageError(f"answer {answer.name!r}: `values` must be two or more, and not empty")
    _forms(answer)


def _check_scale(answer: Answer) -> None:
    _check_choice(answer)
    for written, _ in answer.values:
        if not re.fullmatch(r"-?[0-9]{1,4}", written):
            raise UsageError(f"answer {answer.name!r}: {written!r} is not a whole number")


def _check_number(answer: Answer) -> None:
    if answer.least is None or answer.most is None or not answer.least < answer.most:
        raise UsageError(f"answer {answer.name!r}: a number needs `least` and a greater `most`")


def _check_text(answer: Answer) -> None:
    if answer.most is not None and answer.most < 1:
        raise UsageError(f"answer {answer.name!r}: `most` is a number of characters")


def _check_spans(answer: Answer) -> None:
    if not answer.of:
        raise UsageError(f"answer {answer.name!r}: `of` must name the column that is quoted")


def _say_values(answer: Answer) -> str:
    return ", ".join(f"{written} = {label}" if label else written for written, label in answer.values)


def _say_number(answer: Answer) -> str:
    return f"a number from {answer.least:.10g} to {answer.most:.10g}"


def _say_text(answer: Answer) -> str:
    return f"text of at most {answer.most or _TEXT_LIMIT:.0f} characters"


def _say_spans(answer: Answer) -> str:
    return f"words copied from {answer.of}; several places are separated by |"


def _choice(answer: Answer, cell: str, texts: Mapping[str, str]) -> str:
    forms = _forms(answer)
    written = forms.get(_plain(cell)) or (_by_text(answer, cell, texts) if answer.by_text else None)
    if written is None:
        # A spreadsheet's 3.0 for 3.
        whole = {f"{number:.0f}" for number in _numbers(cell) if number.is_integer()}
        values = {forms[form] for form in whole if form in forms}
        if len(values) != 1:
            raise ValueError(f"is not one of {', '.join(written for written, _ in answer.values)}")
        written = values.pop()
    return written


def _by_text(answer: Answer, cell: str, texts: Mapping[str, str]) -> str | None:
    """Return the only value whose column has the text of a cell, as it is or else in any case."""
    for form in (folded, _plain):
        same = [written for written, _ in answer.values if form(texts.get(written, "")) == form(text_of(cell)[0])]
        if len(same) == 1:
            return same[0]
    return None


def _scale(answer: Answer, cell: str, texts: Mapping[str, str]) -> int:
    return int(_choice(answer, cell, texts))


def _number(answer: Answer, cell: str, texts: Mapping[str, str]) -> float:
    least, most = answer.least, answer.most
    assert least is not None  # as `_check_number` saw to
    assert most is not None
    numbers = _numbers(cell)
    if not numbers:
        raise ValueError("is not a number")
    fitting = sorted({number for number in numbers if least <= number <= most})
    if not fitting or not math.isfinite(fitting[0]):
        raise ValueError(f"is not from {least:.10g} to {most:.10g}")
    if len(fitting) > 1:
        raise ValueError("may be two numbers; write it without separators of thousands")
    return fitting[0]


def _text(answer: Answer, cell: str, texts: Mapping[str, str]) -> str:
    text = "\n".join(map(clean_field, cell.splitlines())).strip()
    if text.startswith(GUARD) and text[1:2] in ("=", "+", "-", "@"):
        text = text[1:]
    limit = answer.most or _TEXT_LIMIT
    if len(text) > limit:
        raise ValueError(f"has {len(text)} characters, over {limit:.0f}")
    return text


def _spans(answer: Answer, cell: str, texts: Mapping[str, str]) -> list[dict[str, int]]:
    spans = set()
    for quote in cell.split("|"):
        text = clean_field(text_of(quote)[0])
        if text:
            spans.add(_located(text, texts[answer.of], answer.of))
    if not spans:
        raise ValueError("quotes nothing")
    return [{"start": start, "end": end} for start, end in sorted(spans)]


def _located(quote: str, text: str, column: str) -> tuple[int, int]:
    """Return the only place of a quote in a text, as whole words if it occurs so."""
    for quoted in dict.fromkeys((quote, quote.strip(_QUOTES))):
        pattern = r"\s+".join(map(re.escape, quoted.split()))
        for whole in (rf"(?<!\w)({pattern})(?!\w)", rf"(?=({pattern}))"):
            places = [match.span(1) for match in re.finditer(whole, text)] if pattern else []
            if len(places) == 1:
                return places[0]
            if places:
                raise ValueError(f"stands {len(places)} times in {column}: quote more of it")
    raise ValueError(f"does not stand in {column}")


_SPAN = pa.struct([pa.field("start", pa.int32(), nullable=False), pa.field("end", pa.int32(), nullable=False)])

KINDS: Registry[AnswerKind] = Registry(
    {
        "choice": AnswerKind(pa.string(), _check_choice, _say_values, _choice, doc="one of `values`, or its label"),
        "scale": AnswerKind(pa.int16(), _check_scale, _say_values, _scale, doc="the same; `values` are whole numbers"),
        "number": AnswerKind(pa.float64(), _check_number, _say_number, _number, doc="a number from `least` to `most`"),
        "text": AnswerKind(pa.string(), _check_text, _say_text, _text, doc="at most `most` characters"),
        "spans": AnswerKind(
            pa.list_(_SPAN),
            _check_spans,
            _say_spans,
            _spans,
            doc="words quoted from the column `of`, several places separated by `|`",
        ),
    },
    what="kind of answers",
)
