"""Questions: from a summary and a word of it to a text with a gap, five options and a label; and their files.

The word is cut out of the summary by code points and `@placeholder` put in its place, so that
putting the answer back gives the summary.

>>> gapped("They lost their hope .", 16, 20, "hope")
'They lost their @placeholder .'
>>> reason_of_text("They won't go .", "...", 5, 7, "wo")
'part_of_word'

Files are JSON lines, as the task's files have them, one question a line, in the order of question id and kind:

    {"question_id": ..., "kind": ..., "article": ..., "question": ..., "option_0": ..., ..., "label": 2}

`{kind}` and `{split}` in the name of the file stand for each kind and split, which then have a file each; without them
a file holds all. All files are written before the first appears under its name.
"""

import json
import os
import re
import unicodedata
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, BinaryIO

from lexbeam.schemas.cloze import CRITERIA, KINDS
from lexbeam.transforms.cloze.pairs.pair import PLACEHOLDER, Row
from lexbeam.transforms.cloze.questions.choice import WANTED, order_of
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.common.texts.characters import straight

PER_SUMMARY = ("all", "best")
LETTERS = "ABCDE"
# The columns of the scores that make a word abstract, by the filter that compares them.
SCORES = {"abstractness": "concreteness", "nonspecificity": "depth"}

_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class QuestionOptions:
    """Which candidates become questions, and how they are shown."""

    per_summary: str = option(
        "all", help="all candidates of a summary, or the best one for each kind", choices=PER_SUMMARY
    )
    seed: int = option(1, help="of the order of options, and of splits")


def gapped(summary: str, start: int, end: int, word: str) -> str:
    """Return the summary with `@placeholder` in the place of a word.

    Args:
        summary: the text.
        start: where the word begins, in code points.
        end: where it ends.
        word: the word.

    Raises:
        ValueError: another text stands there.
    """
    if summary[start:end] != word:
        raise ValueError(f"{summary[start:end]!r} stands there, not {word!r}")
    return summary[:start] + PLACEHOLDER + summary[end:]


def reason_of_text(summary: str, passage: str, start: int, end: int, word: str) -> str | None:
    """Return why no question can be made of a word of a summary, a key of `QUESTION_REASONS`.

    In scripts that have capital letters a word next to another letter is a part of a longer word
    (`wo` of `won't`), of which a gap would leave the rest; others may write no spaces.
    """
    if PLACEHOLDER in summary.casefold() or PLACEHOLDER in passage.casefold():
        return "placeholder"
    if summary[start:end] != word or not word:
        return "part_of_word"
    before, after = summary[start - 1 : start] if start else "", summary[end : end + 1]
    if (_cased(before) and _cased(word[0])) or (_cased(word[-1]) and _cased(after)):
        return "part_of_word"
    return None


def _cased(letter: str) -> bool:
    return letter.lower() != letter.upper()


def reason_of_options(words: Sequence[str]) -> str | None:
    """Return why options cannot stand in a question; the answer is one of them."""
    if len({straight(word.casefold()) for word in words}) < len(words):
        return "doubled_options"
    return "too_few_options" if len(words) <= WANTED else None


def shown_options(question_id: str, kind: str, words: Sequence[str], seed: int) -> tuple[list[str], int]:
    """Return options in the order in which a question shows them, see `choice.order_of`; and the answer's place.

    Args:
        question_id: the question.
        kind: its kind.
        words: the answer, then the others as they were chosen.
        seed: of the order.
    """
    order = order_of(question_id, kind, len(words), seed=seed)
    return [words[place] for place in order], order.index(0)


def merit(row: Row) -> tuple[Any, ...]:
    """Return what candidates of a summary and kind are sorted by; the best has the least.

    The best is the most abstract: the one whose score is least, of a kind with two scores
    concreteness before depth; an unknown one comes last. Depths are often equal: then that one
    whose options readers agree on most (the sum of their reciprocal ranks), then the first one.

    Args:
        row: with `kind`, the columns of `SCORES`, `agreed` and `token`.
    """
    scores = [row[SCORES[name]] for name in CRITERIA[row["kind"]]]
    known = [(score is None, score or 0.0) for score in scores]
    return *known, -row["agreed"], row["token"]


def normalised(text: str) -> str:
    """Return the words of a text, whatever their case and what stands between them.

    >>> normalised("A Word,  and") == normalised("a word\\nAND.")
    True
    """
    return " ".join(_WORDS.findall(unicodedata.normalize("NFKC", text).casefold()))


FIELDS = ("kind", "split")
_COLUMNS = ["question_id", "article", "question", "options", "label", "kept", *FIELDS]
_FIELD = re.compile(r"\{([^{}]*)\}")
_ENDS = re.compile("[\x85\u2028\u2029]")  # which some tools take for the end of a line
_BATCH = 64


def check_name(name: str) -> None:
    """Check the name of a file.

    Raises:
        UsageError: it has another field in braces than `{kind}` and `{split}`.
    """
    for field in _FIELD.findall(name):
        if field not in FIELDS:
            raise UsageError(f"`{{{field}}}` stands for nothing in {name!r}: give {{kind}}, {{split}} or none")
    if not name or name.endswith(("/", os.sep)):
        raise UsageError(f"{name!r} names no file")


def names_of(name: str, splits: Sequence[str]) -> set[str]:
    """Return the files that a name may stand for, of all kinds and of these splits."""
    if not _FIELD.search(name):
        return {name}
    return {_filled(name, kind, split) for kind in KINDS for split in splits}


def refuse_existing(name: str, splits: Sequence[str] = ()) -> None:
    """Refuse files that exist.

    Raises:
        UsageError: a file exists.
    """
    for path in sorted(names_of(name, splits)):
        if files.exists(path):
            raise _there(path)


def _there(path: str) -> UsageError:
    return UsageError(
        f"`write_jsonl` {files.shown(path)} is there: move it away, name another file, or replace it with `overwrite`"
    )


def _filled(name: str, kind: str, split: str) -> str:
    return name.replace("{kind}", kind).replace("{split}", split)


def json_line(row: Row) -> bytes:
    """Return a row of cloze/questions as a line, in UTF-8."""
    options = {f"option_{place}": word for place, word in enumerate(row["options"])}
    record = {**{name: row[name] for name in ("question_id", "kind", "article", "question")}, **options}
    text = json.dumps({**record, "label": row["label"]}, ensure_ascii=False)
    return _ENDS.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode() + b"\n"


def write_questions(
    paths: Sequence[str], name: str, only: Collection[tuple[str, str]] | None = None, *, replace: bool = False
) -> dict[str, int]:
    """Write the questions that are kept; return the files, and how many each has.

    Args:
        paths: parts of cloze/questions in their order.
        name: of the file, see above. Folders that are not there are made. Without a field it is
            written even if there is no question.
        only: of these questions, by id and kind; None: of all.
        replace: whether files that are there are replaced.

    Raises:
        UsageError: a file is there, and not to be replaced; none is written.
    """
    counts: dict[str, int] = {}
    with ExitStack() as stack:
        streams: dict[str, BinaryIO] = {}

        def stream_of(path: str) -> BinaryIO:
            if path not in streams:
                if not replace and files.exists(path):
                    raise _there(path)
                if folder := os.path.dirname(path):
                    files.make_folder(folder)
                streams[path] = stack.enter_context(files.writing(path, durable=True))
                counts[path] = 0
            return streams[path]

        if not _FIELD.search(name):
            stream_of(name)
        for rows in read_rows(paths, _COLUMNS):
            published = rows.filter(rows["kept"])
            for start in range(0, published.num_rows, _BATCH):
                for row in published.slice(start, _BATCH).to_pylist():
                    if only is not None and (row["question_id"], row["kind"]) not in only:
                        continue
                    path = _filled(name, row["kind"], row["split"])
                    stream_of(path).write(json_line(row))
                    counts[path] += 1
    return dict(sorted(counts.items()))
