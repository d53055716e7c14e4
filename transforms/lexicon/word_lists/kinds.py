"""Kinds of resources that are word lists: of a file, or of what a function returns.

>>> lengths = words_from(lambda argument: pa.table({"word": ["sea"], "value": [3.0]}), help="")
>>> name, table = next(iter(lengths.compile((), lengths.parse("").options)))
>>> name, table["value"].to_pylist()
('words', [3.0])
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from transforms.common.errors import LexbeamError, UsageError, nearest
from transforms.lexicon.compiled.casing import CASES
from transforms.lexicon.compiled.kind import Parsed, ResourceKind
from transforms.lexicon.word_lists.asking import open_words
from transforms.lexicon.word_lists.compiling import compile_words, compiled
from transforms.lexicon.word_lists.options import DUPLICATES, FORM, WordListRules, parse, with_usual_scale

__all__ = ["WORDS", "ArgumentOptions", "Read", "words_from"]

WORDS = ResourceKind(parse=parse, compile=compile_words, open=open_words, help=FORM, named=with_usual_scale)

Read = Callable[[str], pa.Table]

_TYPES = {
    "word": pa.large_string(),
    "value": pa.float64(),
    "sd": pa.float64(),
    "n": pa.float64(),
    "pos": pa.large_string(),
}


@dataclass(frozen=True, kw_only=True)
class ArgumentOptions:
    """What decides a list that a function returns.

    Attributes:
        argument: what the function is called with.
        rules: what is made of its rows.
    """

    argument: str
    rules: WordListRules


def _every_language(argument: str) -> None:
    """Return that the rows are for every language."""
    return


def words_from(
    read: Read,
    *,
    help: str,
    language: Callable[[str], str | None] = _every_language,
    case: str = "fold",
    duplicates: str = "error",
    scale: tuple[float, float] | None = None,
) -> ResourceKind:
    """Return the kind of resource whose rows a function returns.

    Args:
        read: takes what stands after `KIND:`, and returns `word` and `value`, and `sd`, `n` and
            `pos` if there are such; it must depend on nothing else but installed packages.
        help: how it is written, for a person.
        language: takes the same, and returns the language that the rows are for, or None for
            every language; it may raise UsageError.
        case: by which form a word is looked up: `fold`, `keep`, `lower`.
        duplicates: which of several rows of a word counts, as for word lists from files.
        scale: the least and the greatest value; as found if not given.

    Raises:
        UsageError: no such case or rule for duplicates.
    """
    for name, value, known in (("case", case, CASES), ("duplicates", duplicates, DUPLICATES)):
        if value not in known:
            raise UsageError(f"`{name}` takes {', '.join(known)}, not {value!r}{nearest(value, known)}")
    low, high = scale or (None, None)
    rules = WordListRules(case=case, duplicates=duplicates, low=low, high=high)
    return ResourceKind(
        parse=functools.partial(_parse, rules, language),
        compile=functools.partial(_compile, read),
        open=open_words,
        help=help,
    )


def _parse(rules: WordListRules, language: Callable[[str], str | None], argument: str) -> Parsed:
    return Parsed((), ArgumentOptions(argument=argument, rules=rules), language(argument))


def _compile(read: Read, paths: Sequence[str], options: ArgumentOptions) -> Iterator[tuple[str, pa.Table]]:
    name = getattr(read, "__name__", repr(read))
    where = f"{name}({options.argument!r})"
    found = read(options.argument)
    for column in ("word", "value"):
        if column not in found.column_names:
            raise LexbeamError(f"{where} returns no column {column!r}: {found.column_names}")
    if unknown := [column for column in found.column_names if column not in _TYPES]:
        raise LexbeamError(f"{where} returns the column {unknown[0]!r}; known are {', '.join(_TYPES)}")
    columns = {}
    for column, type_ in _TYPES.items():
        if column not in found.column_names:
            columns[column] = pa.nulls(len(found), type_)
            continue
        try:
            columns[column] = found[column].cast(type_)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise LexbeamError(f"{where}: column {column!r} is not {type_}: {error}") from error
    columns["line"] = pa.array(range(1, len(found) + 1), pa.int64())
    yield from compiled(pa.table(columns), options.rules, where, "value")
