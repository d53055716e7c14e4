"""From tables to arrays: the questions of a kind and language as numbers, see `data`.

EncodeGroup  all parts of cloze/pairs and cloze/candidates -> Encoded: words, candidate words and their
             forms, questions and further questions, and the words of passages and summaries

Most candidate words are the answer of few questions, but stand in texts, too: these places are further questions to
train readers on. One in a summary makes a question as its answer does. One in a passage makes the words around it a
summary: its sentence or, of a sentence that is too long, as many words as a summary may have, the word in their
middle. These words are left out of the passage. As with true answers, no other word of the passage
may have the word's form or lemma.

>>> starts, stops = spans_of(np.array([0, 2]), np.array([0, 9]), np.array([1, 7]), most=4)
>>> starts.tolist(), stops.tolist()
([0, 5], [2, 9])
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.cloze.readers.data import (
    CANDIDATE_COLUMNS,
    CANDIDATE_WORDS,
    FORMS,
    PAIR_ROWS,
    QUESTION_ROWS,
    WORDS,
    Encoded,
    EncodeOptions,
    GroupTask,
    asked_rows,
    language_is,
)
from lexbeam.transforms.cloze.readers.options import PLACEHOLDER, RESERVED, UNKNOWN, NumberLists
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import read_rows, write_rows

FURTHER = pa.schema(
    [
        ("pair", pa.int64()),
        ("in_passage", pa.bool_()),
        ("start", pa.int64()),
        ("stop", pa.int64()),
        ("place", pa.int64()),
        ("answer", pa.int64()),
        ("key", pa.uint64()),
    ]
)

Ints = npt.NDArray[np.int64]


class SideTexts(NamedTuple):
    """Passages, or summaries, one behind the other.

    Attributes:
        bounds: where each begins, int64, and at last an end.
        candidates: of each word its number among the candidate words, -1: it is none; int64.
        forms: of each word a number of its form, int64.
        lemmas: of each word a number of its lemma, int64; passages and summaries share numbers.
        sentences: where sentences begin, counted over all texts, int64; may be empty.
    """

    bounds: Ints
    candidates: Ints
    forms: Ints
    lemmas: Ints
    sentences: Ints


class CandidateUses(NamedTuple):
    """Candidate words: the text, from where to where it is a summary, the word, its number."""

    text: Ints
    start: Ints
    stop: Ints
    token: Ints
    answer: Ints


def spans_of(sentences: Ints, bounds: Ints, tokens: Ints, *, most: int) -> tuple[Ints, Ints]:
    """Return where what serves as the summary of each token begins, and ends.

    Args:
        sentences: where sentences begin, counted over all texts.
        bounds: where texts begin, and at last an end.
        tokens: counted over all texts.
        most: words of a summary, at most.
    """
    edges = np.unique(np.concatenate([sentences, bounds]))
    at = np.searchsorted(edges, tokens, "right")
    start, stop = edges[at - 1], edges[np.minimum(at, len(edges) - 1)]
    long = stop - start > most
    first = np.clip(tokens - most // 2, start, np.maximum(stop - most, start))
    return np.where(long, first, start), np.where(long, first + most, stop)


def further_of(passages: SideTexts, summaries: SideTexts, asked: Ints, train_on: str, most: int) -> pa.Table:
    """Return further questions of pairs, table `FURTHER`; `pair` counts from 0, `key` is 0.

    Args:
        passages: of pairs.
        summaries: of the same pairs.
        asked: words of summaries that are questions already, counted over all summaries.
        train_on: an entry of `TRAIN_ON`.
        most: words of a passage that serve as a summary, at most.
    """
    uses = []
    if train_on != "answers":
        uses.append((False, _of_summaries(passages, summaries, asked)))
    if train_on == "passages":
        uses.append((True, _of_passages(passages, most)))
    tables = []
    for in_passage, side_uses in uses:
        base = (passages if in_passage else summaries).bounds[side_uses.text]
        tables.append(
            pa.table(
                [
                    side_uses.text,
                    np.full(len(side_uses.text), in_passage),
                    side_uses.start - base,
                    side_uses.stop - base,
                    side_uses.token - side_uses.start,
                    side_uses.answer,
                    np.zeros(len(side_uses.text), np.uint64),
                ],
                schema=FURTHER,
            )
        )
    return pa.concat_tables(tables) if tables else FURTHER.empty_table()


def _of_summaries(passages: SideTexts, summaries: SideTexts, asked: Ints) -> CandidateUses:
    tokens = np.flatnonzero(summaries.candidates >= 0)
    tokens = tokens[~np.isin(tokens, asked)]
    text = _text_of(summaries.bounds, tokens)
    for name in ("forms", "lemmas"):
        here, there = getattr(summaries, name)[tokens], getattr(passages, name)
        size = int(max(here.max(initial=0), there.max(initial=0))) + 1
        owner = _text_of(passages.bounds, np.arange(len(there)))
        free = ~np.isin(text * size + here, owner * size + there)
        tokens, text = tokens[free], text[free]
    bounds = summaries.bounds
    return CandidateUses(text, bounds[text], bounds[text + 1], tokens, summaries.candidates[tokens])


def _of_passages(passages: SideTexts, most: int) -> CandidateUses:
    tokens = np.flatnonzero(passages.candidates >= 0)
    start, stop = spans_of(passages.sentences, passages.bounds, tokens, most=most)
    text = _text_of(passages.bounds, tokens)
    bounds = passages.bounds
    free = np.ones(len(tokens), bool)
    for name in ("forms", "lemmas"):
        words = getattr(passages, name)
        # Uses in the order of words and places: those within bounds are next to each other.
        order = np.lexsort((np.arange(len(words)), words))
        total = len(words) + 1
        places = words[order] * total + order
        first_of_word = words[tokens] * total

        def uses(first: Ints, end: Ints, first_of_word: Ints = first_of_word, places: Ints = places) -> Ints:
            return np.searchsorted(places, first_of_word + end) - np.searchsorted(places, first_of_word + first)

        free &= uses(start, stop) == uses(bounds[text], bounds[text + 1])
    # Else all of the passage would be left out of it.
    free &= stop - start < bounds[text + 1] - bounds[text]
    return CandidateUses(text[free], start[free], stop[free], tokens[free], passages.candidates[tokens[free]])


def _text_of(bounds: Ints, tokens: Ints) -> Ints:
    numbers: Ints = np.searchsorted(bounds, tokens, "right").astype(np.int64) - 1
    return numbers


def chosen_of(rows: pa.Table, most: int) -> pa.Table:
    """Return at most so many questions of each pair, the first by their keys; in that order."""
    pair, key = rows["pair"].to_numpy(), rows["key"].to_numpy()
    order = np.lexsort((key, pair))
    pair = pair[order]
    new = np.concatenate([[True], pair[1:] != pair[:-1]]) if len(pair) else np.zeros(0, bool)
    first = np.maximum.accumulate(np.where(new, np.arange(len(pair)), 0))
    return rows.take(pa.array(order[np.arange(len(pair)) - first < most]))


_SIDES = ("summary", "passage")
_TEXTS = [f"{side}_{name}" for side in _SIDES for name in ("forms", "lemmas", "upos")]
_SIDE_COLUMNS = [f"{side}_{name}" for side in _SIDES for name in ("forms", "lemmas", "sentences")]


Spelling = TypeVar("Spelling", str, tuple[str, str])


class _Counted(NamedTuple):
    words: Counter[str]
    forms: Counter[tuple[str, str, str]]  # lemma, part of speech, form
    asked: pa.Table


@dataclass(frozen=True)
class EncodeGroup(Step[GroupTask, Encoded]):
    """Turn the questions of a kind and language into numbers."""

    options: EncodeOptions

    name, noun, unit = "cloze/encode", "readers", "groups"

    def make(self, artefact: Artefact, task: GroupTask) -> Encoded:
        """Write words, candidate words and their forms, questions, texts."""
        counted = _count(task, self.options)
        frequent = sorted((-count, word) for word, count in counted.words.items() if count >= self.options.min_count)
        counts = [(word, -negative) for negative, word in frequent[: self.options.most_words]]
        candidates = _candidate_rows(counted, self.options.min_answers)
        words = pa.array([word for word, _ in counts], pa.large_string())
        further = [FURTHER.empty_table()]

        def pairs() -> Iterator[pa.Table]:
            before, keys = 0, candidates["key"].combine_chunks()
            for rows in rows_of(task, ["article_id", *_SIDE_COLUMNS]):
                uses = _further(rows, counted.asked, keys, self.options)
                further.append(uses.set_column(0, "pair", pc.add(uses["pair"], before)))
                before += rows.num_rows
                yield rows

        written = write_texts(artefact, pairs(), counted.asked, words)
        tables = {
            ".words": pa.table([list(column) for column in zip(*counts, strict=True)] or [[]] * 2, schema=WORDS),
            ".candidates": candidates,
            ".forms": _form_rows(counted, candidates),
            ".pairs": written.pairs,
            ".further": pa.concat_tables(further),
            ".questions": _question_rows(counted.asked, written.pairs, candidates["key"]),
        }
        made = {suffix: write_table(artefact, suffix, table) for suffix, table in tables.items()}
        return Encoded(
            words=made[".words"],
            candidates=made[".candidates"],
            forms=made[".forms"],
            questions=made[".questions"],
            passages=written.passages,
            summaries=written.summaries,
            texts=written.texts,
            pairs=made[".pairs"],
            further=made[".further"],
            asked=counted.asked.num_rows,
            named=candidates.num_rows,
        )


def write_table(artefact: Artefact, suffix: str, table: pa.Table) -> File:
    """Write a table as one of an artefact's files."""
    with artefact.writing(suffix) as stream:
        write_rows(stream, table.schema, [table])
    return artefact.file(suffix)


def _form_rows(counted: _Counted, candidates: pa.Table) -> pa.Table:
    """Return table `FORMS`."""
    lemmas = set(candidates["lemma"].to_pylist())
    rows = sorted((*key, count) for key, count in counted.forms.items() if key[0] in lemmas)
    return pa.table([list(column) for column in zip(*rows, strict=True)] or [[]] * 4, schema=FORMS)


def _question_rows(asked: pa.Table, pairs: pa.Table, keys: pa.ChunkedArray) -> pa.Table:
    """Return table `QUESTION_ROWS`.

    Args:
        asked: rows of cloze/candidates that are questions.
        pairs: table `PAIR_ROWS`.
        keys: the candidate words, in lower case.
    """
    of_pair = {pair: place for place, pair in enumerate(pairs["pair_id"].to_pylist())}
    answers = pc.index_in(pc.utf8_lower(asked["form"].cast(pa.large_string())), keys)
    return pa.table(
        [
            asked["question_id"],
            asked["article_id"],
            asked["form"],
            pc.fill_null(asked["upos"], ""),
            pa.array([of_pair[pair] for pair in asked["pair_id"].to_pylist()], pa.int64()),
            asked["token"].cast(pa.int64()),
            pc.fill_null(answers.cast(pa.int64()), -1),
        ],
        names=QUESTION_ROWS.names,
    ).cast(QUESTION_ROWS)


def rows_of(task: GroupTask, columns: Iterable[str]) -> Iterator[pa.Table]:
    """Yield the pairs of a group's language, with `pair_id` and other columns; at last those of `more` that are new."""
    paths = [checked(part) for part in task.pairs]
    wanted = ["pair_id", "language", *columns]
    seen: list[pa.Array] = []
    for rows in read_rows(paths, wanted):
        rows = rows.filter(language_is(rows, task.group.language)).combine_chunks()
        seen += rows["pair_id"].chunks
        yield rows
    yield from _new_rows(task, wanted, seen)


def _new_rows(task: GroupTask, wanted: list[str], seen: list[pa.Array]) -> Iterator[pa.Table]:
    """Yield the pairs of `more` of a group's language, of each pair the first, and none of those seen."""
    for part in task.more:
        known = pa.concat_arrays(seen) if seen else pa.array([], pa.string())
        for rows in read_rows([checked(part)], wanted):
            new = pc.and_(language_is(rows, task.group.language), pc.invert(pc.is_in(rows["pair_id"], known)))
            rows = rows.filter(new).combine_chunks()
            seen += rows["pair_id"].chunks
            yield rows


def _count(task: GroupTask, options: EncodeOptions) -> _Counted:
    words: Counter[str] = Counter()
    forms: Counter[tuple[str, str, str]] = Counter()
    pairs = []
    for rows in rows_of(task, _TEXTS):
        pairs.append(rows["pair_id"])
        for side in _SIDES:
            form = pc.utf8_lower(flat(rows[f"{side}_forms"]))
            for entry in pc.value_counts(form).to_pylist():
                words[entry["values"]] += entry["counts"]
            whole = pc.is_valid(rows[f"{side}_lemmas"])
            tagged = rows.filter(pc.and_(whole, pc.is_valid(rows[f"{side}_upos"])))
            uses = pa.table(
                {
                    "lemma": pc.utf8_lower(flat(tagged[f"{side}_lemmas"])),
                    "upos": flat(tagged[f"{side}_upos"]),
                    "form": pc.utf8_lower(flat(tagged[f"{side}_forms"])),
                }
            )
            grouped = uses.group_by(["lemma", "upos", "form"], use_threads=False)
            for entry in grouped.aggregate([([], "count_all")]).to_pylist():
                forms[entry["lemma"], entry["upos"], entry["form"]] += entry["count_all"]
    ids = pa.chunked_array([chunk for column in pairs for chunk in column.chunks], pa.string())
    asked_tables = []
    for rows in read_rows([checked(part) for part in task.candidates], list(CANDIDATE_COLUMNS)):
        rows = asked_rows(rows, task.group.kind, options.asked)
        asked_tables.append(rows.filter(pc.is_in(rows["pair_id"], ids)))
    if not asked_tables:
        raise LexbeamError("table cloze/candidates has no parts: make it anew")
    asked = pa.concat_tables(asked_tables).sort_by("question_id").combine_chunks()
    return _Counted(words, forms, asked)


def flat(lists: pa.ChunkedArray) -> pa.Array:
    """Return the texts of lists, one after the other."""
    return pc.list_flatten(lists.combine_chunks()).cast(pa.large_string())


def _candidate_rows(counted: _Counted, least: int) -> pa.Table:
    """Return table `CANDIDATE_WORDS`: of each key its commonest spelling, lemma and tag."""
    seen: dict[str, Counter[tuple[str, str, str]]] = {}
    for row in counted.asked.select(["form", "lemma", "upos"]).to_pylist():
        key = row["form"].lower()
        lemma = (row["lemma"] or row["form"]).lower()
        seen.setdefault(key, Counter())[row["form"], lemma, row["upos"] or ""] += 1
    rows = []
    for key, spellings in seen.items():
        total = sum(spellings.values())
        if total < least:
            continue
        form = _commonest({f: sum(n for (g, _, _), n in spellings.items() if g == f) for f, _, _ in spellings})
        lemma, upos = _commonest(
            {
                pair: sum(n for (_, *p), n in spellings.items() if tuple(p) == pair)
                for pair in {(le, up) for _, le, up in spellings}
            }
        )
        rows.append((form, key, lemma, upos, total, counted.words[key]))
    columns = [list(column) for column in zip(*sorted(rows), strict=True)] or [[]] * 6
    return pa.table(columns, schema=CANDIDATE_WORDS)


def _commonest(counts: Mapping[Spelling, int]) -> Spelling:
    return min(counts, key=lambda key: (-counts[key], key))


class WrittenTexts(NamedTuple):
    """Texts of pairs as numbers, as `NumberedTexts` has them, and table `PAIR_ROWS`."""

    passages: tuple[File, File]
    summaries: tuple[File, File]
    texts: tuple[File, File]
    pairs: pa.Table


def write_texts(artefact: Artefact, pairs: Iterable[pa.Table], asked: pa.Table, words: pa.Array) -> WrittenTexts:
    """Write passages and summaries as numbers, and of each question the summary with a gap.

    Args:
        artefact: whose files they are.
        pairs: rows of cloze/pairs, with all pairs that questions are about.
        asked: the questions, with `question_id`, `pair_id` and `token`.
        words: those that have numbers, from `RESERVED` on.
    """
    gaps: dict[str, list[tuple[str, int]]] = {}
    for row in asked.select(["question_id", "pair_id", "token"]).to_pylist():
        gaps.setdefault(row["pair_id"], []).append((row["question_id"], row["token"]))
    summaries: dict[str, npt.NDArray[np.int32]] = {}
    lengths: dict[str, list[int]] = {"passage": [], "text": []}
    ids = [PAIR_ROWS.empty_table()]
    with artefact.writing(".passages") as passages, artefact.writing(".texts") as texts:
        for rows in pairs:
            whole = numbered(rows["summary_forms"], words)
            sides = (("passage", passages, numbered(rows["passage_forms"], words)), ("text", texts, whole))
            for name, stream, lists in sides:
                stream.write(lists.values.tobytes())
                lengths[name] += np.diff(lists.bounds).tolist()
            ids.append(rows.select(PAIR_ROWS.names).cast(PAIR_ROWS))
            for row, pair in enumerate(rows["pair_id"].to_pylist()):
                for question, token in gaps.get(pair, ()):
                    summaries[question] = whole.values[whole.bounds[row] : whole.bounds[row + 1]].copy()
                    summaries[question][token] = PLACEHOLDER
    gapped = [summaries[question] for question in asked["question_id"].to_pylist()]
    with artefact.writing(".summaries") as stream:
        for summary in gapped:
            stream.write(summary.tobytes())
    lengths["summary"] = [len(summary) for summary in gapped]
    for name, counts in lengths.items():
        with artefact.writing(f".{name}_bounds") as stream:
            stream.write(np.concatenate([[0], np.cumsum(counts)]).astype("<i8").tobytes())
    of_passages, of_summaries, of_texts = (
        (artefact.file(f".{names}"), artefact.file(f".{name}_bounds"))
        for name, names in (("passage", "passages"), ("summary", "summaries"), ("text", "texts"))
    )
    return WrittenTexts(of_passages, of_summaries, of_texts, pa.concat_tables(ids))


def _further(rows: pa.Table, asked: pa.Table, keys: pa.Array, options: EncodeOptions) -> pa.Table:
    """Return table `FURTHER` of some pairs, whose numbers count from 0; `asked` are all questions."""
    forms_of = {side: pc.utf8_lower(flat(rows[f"{side}_forms"])) for side in _SIDES}
    lemmas = {
        side: pc.coalesce(
            pc.utf8_lower(flat(pc.coalesce(rows[f"{side}_lemmas"], rows[f"{side}_forms"]))), forms_of[side]
        )
        for side in _SIDES
    }
    forms, named = (_numbers(by_side) for by_side in (forms_of, lemmas))
    sides = {}
    for side in _SIDES:
        bounds = _bounds_of(rows[f"{side}_forms"])
        owner = pc.list_parent_indices(rows[f"{side}_sentences"].combine_chunks()).to_numpy()
        sentences = pc.list_flatten(rows[f"{side}_sentences"].combine_chunks())
        candidates = pc.fill_null(pc.index_in(forms_of[side], keys).cast(pa.int64()), -1)
        sides[side] = SideTexts(
            bounds,
            candidates.to_numpy(zero_copy_only=False),
            forms[side],
            named[side],
            bounds[owner] + sentences.to_numpy(zero_copy_only=False).astype(np.int64),
        )
    at = pc.index_in(asked["pair_id"], value_set=rows["pair_id"].combine_chunks())
    here = pc.is_valid(at)
    tokens = sides["summary"].bounds[at.filter(here).to_numpy()] + asked["token"].filter(here).to_numpy()
    uses = further_of(sides["passage"], sides["summary"], tokens, options.train_on, options.further_tokens)
    ids = rows["pair_id"].take(uses["pair"])
    place = pc.add(uses["start"], uses["place"])
    key = content_hashes(ids, pc.cast(uses["in_passage"], pa.int64()), place)
    uses = uses.set_column(uses.num_columns - 1, "key", pa.array(key))
    return chosen_of(uses, options.further_most)


def _numbers(sides: Mapping[str, pa.Array]) -> dict[str, npt.NDArray[np.int64]]:
    """Return equal numbers for equal words of both sides."""
    codes = pa.concat_arrays(list(sides.values())).dictionary_encode().indices.to_numpy()
    ends = np.cumsum([len(words) for words in sides.values()])[:-1]
    return dict(zip(sides, np.split(codes.astype(np.int64), ends), strict=True))


def _bounds_of(lists: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    lengths = pc.list_value_length(lists).to_numpy()
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def numbered(lists: pa.ChunkedArray, words: pa.Array) -> NumberLists:
    """Return texts as numbers of words, which are those of `words` in lower case."""
    ranks = pc.index_in(pc.utf8_lower(flat(lists)), value_set=words).cast(pa.int64())
    numbers = pc.add(ranks, RESERVED).fill_null(UNKNOWN).to_numpy(zero_copy_only=False)
    return NumberLists(_bounds_of(lists), numbers.astype("<i4"))
