"""Questions with five options for reading systems, and the same as numbers.

AskPart         a part of cloze/pairs, and of cloze/questions -> rows `ASKED_ROWS`
EncodeAsked     all of a language -> NumberedTexts: what a reader is trained on, with tables `WORDS` and `NUMBERED`

Questions are those that `lexbeam cloze questions` kept, or targets that the files have with their
options. Words are those of passages, of summaries without the words that any question asks for, and all
options: whether an option is known, and how well, says nothing about which one is right.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.cloze.answers.five_way import FIVE, stand_in_passage
from lexbeam.transforms.cloze.filters.candidates import question_id
from lexbeam.transforms.cloze.pairs.pair import ARTICLE_DIGITS, PLACEHOLDER, Row
from lexbeam.transforms.cloze.questions.question import gapped
from lexbeam.transforms.cloze.readers.data import GroupTask, NumberedTexts, lists_of
from lexbeam.transforms.cloze.readers.encoding import flat, rows_of, write_table, write_texts
from lexbeam.transforms.cloze.readers.options import RESERVED, Questions
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import Part, PartFile, RowsByKey, read_table, write_part

ASKED = ("questions", "targets")

# A question without its text; `standing` says which options stand in the passage.
ASKED_ROWS = pa.schema(
    [
        ("question_id", pa.string()),
        ("kind", pa.string()),
        ("language", pa.string()),
        ("article_id", pa.string()),
        ("pair_id", pa.string()),
        ("token", pa.int32()),
        ("options", pa.list_(pa.string())),
        ("label", pa.int32()),
        ("split", pa.string()),
        ("standing", pa.list_(pa.bool_())),
    ]
)
NUMBERED = pa.schema(
    [
        ("question_id", pa.string()),
        ("kind", pa.string()),
        ("article_id", pa.string()),
        ("split", pa.string()),
        ("passage", pa.int64()),
        ("place", pa.int64()),
        ("label", pa.int64()),
        ("options", pa.list_(pa.int64())),
        ("standing", pa.list_(pa.bool_())),
    ]
)
WORDS = pa.schema([("word", pa.large_string()), ("in_passages", pa.int64())])
_PAIR_COLUMNS = ("pair_id", "article_id", "language", "summary", "passage", "summary_starts", "summary_ends", "targets")
_QUESTION_COLUMNS = ("question_id", "kind", "pair_id", "question", "options", "label", "split", "kept")


@dataclass(frozen=True, kw_only=True)
class VocabularyOptions:
    """Which words readers know beside options."""

    min_count: int = option(
        2, help="times that a word stands in texts, at least, to have an embedding; options have one", least=1
    )
    most_words: int = option(100_000, help="words of texts with an embedding, at most", least=1)


class AskTask(NamedTuple):
    """A part of the pairs, and of the questions about them; None: targets of the files."""

    pairs: Part
    questions: tuple[Part, ...] | None


@dataclass(frozen=True)
class FiveWayQuestions:
    """Receipt of questions.

    Attributes:
        rows: `ASKED_ROWS`, in the order of ids and kinds.
        counts: (kind, reason, how many); those without a reason are questions.
    """

    rows: PartFile
    counts: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True)
class AskPart(Step[AskTask, FiveWayQuestions]):
    """Find the five-way questions of a part of the pairs."""

    name, noun, unit = "cloze/ask", "questions", "parts of questions"

    def make(self, artefact: Artefact, task: AskTask) -> FiveWayQuestions:
        """Write the questions."""
        counts: Counter[tuple[str, str]] = Counter()

        def tables() -> Iterator[pa.Table]:
            for rows in _of_articles(task, counts):
                rows.sort(key=lambda row: (row["question_id"], row["kind"]))
                yield pa.Table.from_pylist(rows, ASKED_ROWS)

        part = write_part(artefact, ASKED_ROWS, tables(), sort_keys=("question_id", "kind"))
        return FiveWayQuestions(part, tuple((*key, count) for key, count in sorted(counts.items())))


def _of_articles(task: AskTask, counts: Counter[tuple[str, str]]) -> Iterator[list[Row]]:
    asked = None
    if task.questions is not None:
        asked = RowsByKey(task.questions, _QUESTION_COLUMNS, "question_id", digits=ARTICLE_DIGITS)
    for article, pairs in RowsByKey((task.pairs,), _PAIR_COLUMNS, "pair_id", digits=ARTICLE_DIGITS):
        by_id = {pair["pair_id"]: pair for pair in pairs}
        entries = _targets(pairs) if asked is None else _questions(asked.of(article), by_id)
        rows = []
        for row, reason in entries:
            counts[row["kind"], reason] += 1
            if reason:
                continue
            pair = by_id[row["pair_id"]]
            row["standing"] = stand_in_passage(pair["passage"], row["options"]).tolist()
            rows.append({**row, "article_id": pair["article_id"], "language": pair["language"]})
        yield rows


def _targets(pairs: list[Row]) -> Iterator[tuple[Row, str]]:
    """Yield targets of pairs, each with the reason why it is no question, empty if it is one."""
    seen = set()
    for pair in pairs:
        for target in pair["targets"]:
            row = {name: target[name] for name in ("kind", "token", "options", "label")}
            row |= {"pair_id": pair["pair_id"], "split": None}
            place = pair["pair_id"], target["token"], target["kind"]
            if target["token"] is None:
                yield row, "no_place"
            elif len(target["options"]) != FIVE:
                yield row, "not_five"
            elif place in seen:
                yield row, "repeated"
            else:
                seen.add(place)
                yield {**row, "question_id": question_id(*place[:2])}, ""


def _questions(rows: list[Row], pairs: Mapping[str, Row]) -> Iterator[tuple[Row, str]]:
    for row in rows:
        if not row["kept"]:
            yield row, "not_kept"
            continue
        pair = pairs.get(row["pair_id"])
        start = row["question"].index(PLACEHOLDER)
        if pair is None or start not in pair["summary_starts"]:
            raise LexbeamError(
                f"cloze/questions has question {row['question_id']}, whose pair is not in "
                "cloze/pairs: make candidates, options and questions anew"
            )
        yield {**row, "token": pair["summary_starts"].index(start)}, ""


def asked_texts(pairs: Part, asked: Part) -> Iterator[tuple[Row, str, str]]:
    """Yield the questions of a part: their row of `ASKED_ROWS`, passage, summary with the gap."""
    names = ("question_id", "kind", "pair_id", "token", "options", "label", "split")
    texts = RowsByKey((pairs,), _PAIR_COLUMNS, "pair_id", digits=ARTICLE_DIGITS)
    for article, rows in RowsByKey((asked,), names, "question_id", digits=ARTICLE_DIGITS):
        by_id = {pair["pair_id"]: pair for pair in texts.of(article)}
        for row in rows:
            pair, token = by_id[row["pair_id"]], row["token"]
            start, end = pair["summary_starts"][token], pair["summary_ends"][token]
            summary = pair["summary"]
            yield row, pair["passage"], gapped(summary, start, end, summary[start:end])


@dataclass(frozen=True)
class EncodeAsked(Step[GroupTask, NumberedTexts]):
    """Turn the questions of a language into numbers."""

    options: VocabularyOptions

    name, noun, unit = "cloze/encode-asked", "systems", "languages"

    def make(self, artefact: Artefact, task: GroupTask) -> NumberedTexts:
        """Write words, questions, texts."""
        asked = read_table([checked(part) for part in task.candidates])
        asked = asked.filter(pc.equal(pc.fill_null(asked["language"], ""), task.group.language))
        asked = asked.sort_by([("question_id", "ascending"), ("kind", "ascending")]).combine_chunks()
        words = _words(task, asked, self.options)
        rows_read = _asked_or_more(task, asked, ["article_id", "summary_forms", "passage_forms"])
        written = write_texts(artefact, rows_read, asked, words["word"].combine_chunks())
        of_pair = {pair: place for place, pair in enumerate(written.pairs["pair_id"].to_pylist())}
        option_numbers = pc.index_in(pc.utf8_lower(flat(asked["options"])), value_set=words["word"])
        option_numbers = pc.add(option_numbers.cast(pa.int64()), RESERVED)
        rows = pa.table(
            [
                asked["question_id"],
                asked["kind"],
                asked["article_id"],
                asked["split"],
                pa.array([of_pair[pair] for pair in asked["pair_id"].to_pylist()], pa.int64()),
                asked["token"].cast(pa.int64()),
                asked["label"].cast(pa.int64()),
                pa.FixedSizeListArray.from_arrays(option_numbers, FIVE).cast(pa.list_(pa.int64())),
                asked["standing"],
            ],
            schema=NUMBERED,
        )
        return NumberedTexts(
            write_table(artefact, ".words", words),
            write_table(artefact, ".questions", rows),
            written.passages,
            written.summaries,
            written.texts,
            write_table(artefact, ".pairs", written.pairs),
        )


def _asked_or_more(task: GroupTask, asked: pa.Table, columns: Iterable[str]) -> Iterator[pa.Table]:
    """Yield the pairs that something is asked about, and at last further ones."""
    own = [chunk for rows in rows_of(task._replace(more=()), ()) for chunk in rows["pair_id"].chunks]
    unasked = set(pa.chunked_array(own, pa.string()).to_pylist()) - set(asked["pair_id"].to_pylist())
    left_out = pa.array(sorted(unasked), pa.string())
    for rows in rows_of(task, columns):
        yield rows.filter(pc.invert(pc.is_in(rows["pair_id"], left_out))).combine_chunks()


def _words(task: GroupTask, asked: pa.Table, options: VocabularyOptions) -> pa.Table:
    """Return table `WORDS`: options, then frequent words of texts."""
    gaps: dict[str, set[int]] = {}
    for pair, token in zip(asked["pair_id"].to_pylist(), asked["token"].to_pylist(), strict=True):
        gaps.setdefault(pair, set()).add(token)
    passages: Counter[str] = Counter()
    of_more: Counter[str] = Counter()
    summaries: Counter[str] = Counter()
    ids = pa.array(list(gaps), pa.string())
    for rows in _asked_or_more(task, asked, ["summary_forms", "passage_forms"]):
        of_asked = pc.is_in(rows["pair_id"], ids)
        for tally, wanted in ((passages, of_asked), (of_more, pc.invert(of_asked))):
            forms_of_passages = flat(rows.filter(wanted)["passage_forms"])
            for entry in pc.value_counts(pc.utf8_lower(forms_of_passages)).to_pylist():
                tally[entry["values"]] += entry["counts"]
        forms = rows["summary_forms"].to_pylist()
        for pair, forms_of_summary in zip(rows["pair_id"].to_pylist(), forms, strict=True):
            summaries.update(w.lower() for at, w in enumerate(forms_of_summary) if at not in gaps.get(pair, ()))
    named = set(pc.utf8_lower(flat(asked["options"])).to_pylist())
    texts = sorted((-n, w) for w, n in (passages + of_more + summaries).items() if n >= options.min_count)
    others = [word for _, word in texts[: options.most_words] if word not in named]
    words = [*sorted(named), *others]
    return pa.table([words, [passages[word] for word in words]], schema=WORDS).combine_chunks()


def numbered_questions(encoded: NumberedTexts) -> tuple[Questions, pa.Table]:
    """Return the questions of a language, and table `NUMBERED`; texts are mapped into memory."""
    rows = read_table([checked(encoded.questions)])
    kinds = zip(rows["question_id"].to_pylist(), rows["kind"].to_pylist(), strict=True)
    numbers = flat_numbers(rows["options"]).reshape(-1, FIVE)
    questions = Questions(
        passages=lists_of(encoded.passages),
        passage=rows["passage"].to_numpy(),
        summaries=lists_of(encoded.summaries),
        places=rows["place"].to_numpy(),
        answers=rows["label"].to_numpy(),
        keys=content_hashes([f"{a} {b}" for a, b in kinds]),
        articles=content_hashes(rows["article_id"]),
        options=numbers,
    )
    return questions, rows


def flat_numbers(lists: pa.ChunkedArray) -> np.ndarray:
    """Return the numbers of lists, one after the other."""
    numbers: np.ndarray = pc.list_flatten(lists.combine_chunks()).to_numpy(zero_copy_only=False)
    return numbers


def counts_of(encoded: NumberedTexts) -> np.ndarray:
    """Return how often each word stands in passages, by its number, int64."""
    in_passages = read_table([checked(encoded.words)])["in_passages"].to_numpy()
    return np.concatenate([np.zeros(RESERVED, np.int64), in_passages])
