"""Questions: from a summary and a word of it to a text with a gap, five options and a label.

The word is cut out of the summary by code points and `@placeholder` put in its place, so that
putting the answer back gives the summary.

>>> gapped("They lost their hope .", 16, 20, "hope")
'They lost their @placeholder .'
>>> reason_of_text("They won't go .", "...", 5, 7, "wo")
'part_of_word'
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lexbeam.schemas.cloze.pairs import CRITERIA
from lexbeam.transforms.cloze.options.choice import WANTED, order_of
from lexbeam.transforms.cloze.pairs.pair import PLACEHOLDER, Row
from lexbeam.transforms.common.options.fields import option
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


class Shown(NamedTuple):
    """Options as a question shows them: the words, and which one is the answer."""

    options: list[str]
    label: int


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


def shown_options(question_id: str, kind: str, words: Sequence[str], seed: int) -> Shown:
    """Return options in the order in which a question shows them, see `options.order_of`.

    Args:
        question_id: the question.
        kind: its kind.
        words: the answer, then the others as they were chosen.
        seed: of the order.
    """
    order = order_of(question_id, kind, len(words), seed=seed)
    return Shown([words[place] for place in order], order.index(0))


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
