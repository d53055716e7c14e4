"""Questions of a kind and language as numbers that readers are trained on, and how to read them.

`encoding` makes them from tables.

Words are compared in lower case. A summary has the placeholder where the answer stands. Candidate
words are the answers of all questions, whatever their fold, each in its most frequent spelling.
Passages are written as they come and mapped into memory by whoever trains. So are summaries with
all their words: whoever trains may read those of other folds alone, as `reading_in_folds` does.
"""

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.cloze.readers.options import Further, NumberLists, Questions
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.store.receipts import File, checked, mapped
from lexbeam.transforms.common.store.tables import Part, read_table

ASKED = ("passed", "targets")
TRAIN_ON = ("answers", "summaries", "passages")

WORDS = pa.schema([("word", pa.large_string()), ("count", pa.int64())])
CANDIDATE_WORDS = pa.schema(
    [
        ("word", pa.large_string()),
        ("key", pa.large_string()),
        ("lemma", pa.large_string()),
        ("upos", pa.large_string()),
        ("questions", pa.int64()),
        ("count", pa.int64()),
    ]
)
FORMS = pa.schema(
    [("lemma", pa.large_string()), ("upos", pa.large_string()), ("form", pa.large_string()), ("count", pa.int64())]
)
QUESTION_ROWS = pa.schema(
    [
        ("question_id", pa.large_string()),
        ("article_id", pa.large_string()),
        ("form", pa.large_string()),
        ("upos", pa.large_string()),
        ("passage", pa.int64()),
        ("place", pa.int64()),
        ("answer", pa.int64()),
    ]
)
PAIR_ROWS = pa.schema([("pair_id", pa.large_string()), ("article_id", pa.large_string())])
CANDIDATE_COLUMNS = (
    "question_id",
    "kind",
    "pair_id",
    "article_id",
    "token",
    "form",
    "lemma",
    "upos",
    "target",
    "passed",
)


@dataclass(frozen=True, kw_only=True)
class EncodeOptions:
    """Which questions readers see, and which words they know."""

    asked: str = option(
        "passed",
        help="which words are questions: candidates that passed all filters, or targets that the files have",
        choices=ASKED,
    )
    min_answers: int = option(1, help="questions whose answer a word is, at least, for readers to name it", least=1)
    min_count: int = option(2, help="times that a word stands in texts, at least, to have an embedding", least=1)
    most_words: int = option(100_000, help="words with an embedding, at most", least=1)
    train_on: str = option(
        "passages",
        help="what readers are trained on: questions alone; or also candidate words "
        "in summaries; or also those in passages, each with its sentence for a summary",
        choices=TRAIN_ON,
    )
    further_most: int = option(32, help="further questions of a pair, of summaries and passages, at most", least=0)
    further_tokens: int = option(
        40, help="words of a passage that serve as the summary of a further question, at most", least=2
    )


class QuestionGroup(NamedTuple):
    """Questions that are read together: of a kind and a language (empty: unknown)."""

    kind: str
    language: str


class GroupTask(NamedTuple):
    """A group, and the tables that it is in.

    Attributes:
        group: its kind and language.
        pairs: parts of cloze/pairs.
        candidates: parts of cloze/candidates.
        more: parts of other tables cloze/pairs, whose texts readers learn from, and no question is about.
    """

    group: QuestionGroup
    pairs: tuple[Part, ...]
    candidates: tuple[Part, ...]
    more: tuple[Part, ...] = ()


@dataclass(frozen=True)
class NumberedTexts:
    """Receipt of questions as numbers, and of the pairs that they are about.

    Attributes:
        words: a table of them; the first has number `RESERVED`.
        questions: a table of them, in the order of ids.
        passages: numbers of words, int32, and where each pair's passage begins, int64.
        summaries: in the same form, one for each question, with the gap.
        texts: in the same form, one for each pair: summaries with all their words.
        pairs: table `PAIR_ROWS`, in the order of passages.
    """

    words: File
    questions: File
    passages: tuple[File, File]
    summaries: tuple[File, File]
    texts: tuple[File, File]
    pairs: File


@dataclass(frozen=True)
class NumberedGroup(NumberedTexts):
    """A group's questions as numbers, all that readers take: tables `WORDS`, `QUESTION_ROWS`, and two more.

    Attributes:
        candidates: table `CANDIDATE_WORDS`, in the order of `word`.
        further: table `encoding.FURTHER`.
    """

    candidates: File
    further: File


@dataclass(frozen=True)
class Encoded(NumberedGroup):
    """Receipt of a group's questions as numbers.

    Attributes:
        forms: table `FORMS`, of the lemmas of candidates.
        asked: questions.
        named: candidate words.
    """

    forms: File
    asked: int
    named: int

    @property
    def numbered(self) -> NumberedGroup:
        """What readers take of it."""
        return NumberedGroup(**{field.name: getattr(self, field.name) for field in fields(NumberedGroup)})


def language_is(rows: pa.Table, language: str) -> pa.ChunkedArray:
    """Return which rows of `cloze/pairs` are of a language; empty: of an unknown one."""
    return pc.equal(pc.fill_null(rows["language"], ""), language)


def asked_rows(rows: pa.Table, kind: str, asked: str) -> pa.Table:
    """Return the rows of `cloze/candidates` that are questions, see `EncodeOptions.asked`."""
    wanted = pc.and_(pc.equal(rows["kind"], kind), rows["passed" if asked == "passed" else "target"])
    return rows.filter(wanted)


def questions(encoded: NumberedGroup) -> Questions:
    """Return the questions of a group; texts are mapped into memory."""
    rows = read_table([checked(encoded.questions)])
    return Questions(
        passages=lists_of(encoded.passages),
        passage=_numbers(rows, "passage"),
        summaries=lists_of(encoded.summaries),
        places=_numbers(rows, "place"),
        answers=_numbers(rows, "answer"),
        keys=content_hashes(rows["question_id"]),
        articles=content_hashes(rows["article_id"]),
    )


def further(encoded: NumberedGroup) -> Further:
    """Return the further questions of a group, of all folds; texts are mapped into memory."""
    rows = read_table([checked(encoded.further)])
    pair = _numbers(rows, "pair")
    return Further(
        texts=texts(encoded),
        pair=pair,
        in_passage=rows["in_passage"].to_numpy(),
        starts=_numbers(rows, "start"),
        stops=_numbers(rows, "stop"),
        places=_numbers(rows, "place"),
        answers=_numbers(rows, "answer"),
        keys=rows["key"].to_numpy(),
        articles=pairs(encoded)[1][pair],
    )


def texts(encoded: NumberedTexts) -> NumberLists:
    """Return summaries with all their words, a pair each; mapped into memory."""
    return lists_of(encoded.texts)


def pairs(encoded: NumberedTexts) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the hash of each pair, and that of its article."""
    rows = read_table([checked(encoded.pairs)])
    return content_hashes(rows["pair_id"]), content_hashes(rows["article_id"])


def candidates(encoded: NumberedGroup) -> pa.Table:
    """Return table `CANDIDATE_WORDS`."""
    return read_table([checked(encoded.candidates)]).combine_chunks()


def _numbers(rows: pa.Table, name: str) -> npt.NDArray[np.int64]:
    numbers: npt.NDArray[np.int64] = rows[name].to_numpy()
    return numbers


def lists_of(files: tuple[File, File]) -> NumberLists:
    """Return texts that were written, values mapped into memory."""
    values, bounds = files
    return NumberLists(np.frombuffer(mapped(bounds), "<i8"), np.frombuffer(mapped(values), "<i4"))
