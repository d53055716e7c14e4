"""Candidates: every word of a summary, for each kind of questions, with every filter's verdict."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze import CANDIDATES, CRITERIA, PAIRS
from lexbeam.transforms.annotation.engines.engine import Engine
from lexbeam.transforms.cloze.filters.cloze_filter import (
    ABSTAINS,
    COLUMNS,
    FAILS,
    PASSES,
    FilterSetting,
    PairBatch,
    Verdicts,
    batch_of,
    batches_of,
)
from lexbeam.transforms.cloze.filters.cloze_filters import FILTERS, FilterVerdicts, filters_of, judge
from lexbeam.transforms.cloze.filters.similarity import Thresholds
from lexbeam.transforms.cloze.pairs.loaded_pairs import ANNOTATION
from lexbeam.transforms.cloze.pairs.pair import TEXTS, LengthOptions, RawPair, Row, annotate_pairs, join_rows, pair_row
from lexbeam.transforms.cloze.word_resources import WORDNET
from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.code.registry import docs_of
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import Part, PartFile, read_rows, sort_rows, write_part
from lexbeam.transforms.inflection.models import chosen_formats
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet

_HALF = 16


class CandidateTask(NamedTuple):
    """A part of the pairs; thresholds that were taken from this corpus, by filter."""

    part: Part
    thresholds: Mapping[str, float] = {}


def judge_tasks(part: Part, thresholds: tuple[int, Thresholds] | None = None) -> list[tuple[int, CandidateTask]]:
    """Return the task of a part of the pairs, by its number."""
    return [(part.number, CandidateTask(part, thresholds[1].cosines if thresholds else {}))]


COUNTED = ("words", "rejected", "abstained", "reasons", "targets", "targets_rejected")  # of `Count`


@dataclass(frozen=True)
class FilterCount:
    """What became of the words that a filter was applied to, for a kind.

    Attributes:
        kind: of questions.
        filter: the filter; empty: all together.
        words: those that it was applied to.
        rejected: those that it rejected.
        abstained: those on which it abstained.
        reasons: rejected words that no filter before it rejected.
        targets: of `words`, targets that the files have.
        targets_rejected: of these, those that it rejected.
    """

    kind: str
    filter: str
    words: int = 0
    rejected: int = 0
    abstained: int = 0
    reasons: int = 0
    targets: int = 0
    targets_rejected: int = 0

    def added(self, other: "FilterCount") -> "FilterCount":
        """Return the sums of two counts of the same kind and filter."""
        sums = (getattr(self, name) + getattr(other, name) for name in COUNTED)
        return FilterCount(self.kind, self.filter, *sums)


@dataclass(frozen=True)
class Judgement:
    """Receipt of a part of the candidates, and what became of its words."""

    part: PartFile
    counts: tuple[FilterCount, ...]


@dataclass(frozen=True)
class JudgeWords(Step[CandidateTask, Judgement]):
    """Judge every word of the summaries of a part, for each kind of questions.

    Attributes:
        kinds: of questions.
        optional: filters beside the kinds' own criteria.
        evaluate: one of `EVALUATE`.
        setting: resources and options of filters.
        without: filters that lack their resource; what passes the others may or may not pass these.
        columns: all filters and their doc lines, for the columns of the table.
    """

    kinds: tuple[str, ...]
    optional: tuple[str, ...]
    evaluate: str
    setting: FilterSetting
    without: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = tuple(docs_of(FILTERS).items())

    name = "cloze/judge"
    noun = "candidates"
    unit = "parts"
    blas = True

    def make(self, artefact: Artefact, task: CandidateTask) -> Judgement:
        """Write a part of the candidates."""
        thresholds = {**self.setting.thresholds, **task.thresholds}
        rules = replace(self, setting=self.setting._replace(thresholds=thresholds))
        counts = {
            (kind, name): FilterCount(kind, name)
            for kind in self.kinds
            for name in ("", *filters_of(kind, self.optional))
        }

        def rows() -> Iterator[pa.Table]:
            for pairs in batches_of(read_rows([checked(task.part)], list(COLUMNS))):
                table, of_batch = candidates_of(batch_of(pairs), rules)
                for key, count in of_batch.items():
                    counts[key] = counts[key].added(count)
                yield table

        made = write_part(artefact, CANDIDATES.schema(), rows(), sort_keys=CANDIDATES.key)
        return Judgement(made, tuple(counts.values()))

    def chosen(self, _: CandidateTask) -> Mapping[str, Collection[str]]:
        """Return the filters, and what they choose in their turn."""
        setting = self.setting
        return {
            "lexbeam.transforms.cloze.filters.cloze_filters:FILTERS": self.filters(),
            "lexbeam.transforms.cloze.filters.abstract_words:SENSES": [setting.sense],
            "lexbeam.transforms.cloze.filters.abstract_words:PROPER_NOUNS": [setting.propn],
            **(chosen_formats(setting.inflector) if setting.abstractness is None else {}),
        }

    def filters(self) -> list[str]:
        """Return all filters that some kind uses."""
        used = {name for kind in self.kinds for name in filters_of(kind, self.optional)}
        return [name for name in FILTERS if name in used and name not in self.without]

    def is_open(self, kind: str) -> bool:
        """Return whether a filter is left out that makes words of the kind abstract."""
        return any(name in self.without for name in CRITERIA[kind])


def question_id(pair_id: str, token: int) -> str:
    """Return the id of a question: its article's 16 digits, and 16 of a hash of pair and token.

    So candidates lie in the order of the articles of pairs.
    """
    return pair_id[:_HALF] + digest([pair_id, token])[:_HALF]


def candidates_of(batch: PairBatch, rules: JudgeWords) -> tuple[pa.Table, dict[tuple[str, str], FilterCount]]:
    """Return the candidates of a batch, sorted by question and kind, and what became of them."""
    judged = judge(batch, rules.kinds, rules.optional, rules.setting, rules.evaluate, rules.without)
    shared = _shared(batch)
    tables, counts = [], {}
    for kind in rules.kinds:
        target = _targets(batch, kind)
        tables.append(_rows(shared, kind, target, judged[kind]))
        for count in _counts(kind, target, judged[kind]):
            counts[count.kind, count.filter] = count
    return sort_rows(pa.concat_tables(tables), CANDIDATES.key), counts


def _shared(batch: PairBatch) -> dict[str, pa.Array]:
    """Return the columns that are the same for every kind."""
    summary, rows = batch.summary, pa.array(batch.asked)
    owners = summary.owners[batch.asked]
    token = batch.asked - summary.bounds[owners]
    pairs = batch.rows["pair_id"].combine_chunks().to_pylist()
    pair = pa.array(owners)
    ids = [question_id(pairs[at], place) for at, place in zip(owners.tolist(), token.tolist(), strict=True)]
    return {
        "question_id": pa.array(ids, pa.string()),
        "pair_id": batch.rows["pair_id"].combine_chunks().take(pair),
        "article_id": batch.rows["article_id"].combine_chunks().take(pair),
        "sentence": pa.array(_sentences(batch, owners, token), pa.int32()),
        "token": pa.array(token, pa.int32()),
        "form": summary.forms.take(rows).cast(pa.string()),
        "lemma": summary.lemmas.take(rows).cast(pa.string()),
        "upos": summary.upos.take(rows).cast(pa.string()),
    }


def _sentences(batch: PairBatch, owners: np.ndarray, token: np.ndarray) -> np.ndarray:
    """Return the sentence of each word."""
    firsts = batch.rows["summary_sentences"].combine_chunks()
    bounds = np.asarray(firsts.offsets).astype(np.int64)
    values = np.asarray(firsts.values).astype(np.int64)
    size = int(batch.summary.bounds[-1]) + 1
    starts = np.repeat(np.arange(len(firsts)), np.diff(bounds)) * size
    starts += values[bounds[0] : bounds[-1]]
    before = np.searchsorted(starts, owners * size + token, side="right")
    return np.asarray(np.maximum(before - 1 - (bounds - bounds[0])[owners], 0))


def _targets(batch: PairBatch, kind: str) -> np.ndarray:
    """Return which words the files have as targets of a kind."""
    tokens = [
        batch.summary.bounds[row] + target["token"]
        for row, targets in enumerate(batch.rows["targets"].to_pylist())
        for target in targets or ()
        if target["kind"] == kind and target["token"] is not None
    ]
    return np.isin(batch.asked, np.array(tokens, np.int64))


def _rows(shared: Mapping[str, pa.Array], kind: str, target: np.ndarray, judged: FilterVerdicts) -> pa.Table:
    count = len(target)
    columns = {**shared, "kind": pa.array([kind] * count, pa.string()), "target": pa.array(target)}
    nothing = Verdicts(np.full(count, np.nan), pa.nulls(count, pa.string()), np.full(count, ABSTAINS, np.int8))
    for name in FILTERS:
        verdicts = judged.verdicts.get(name, nothing)
        columns[f"{name}_value"] = pa.array(verdicts.values, mask=np.isnan(verdicts.values))
        columns[f"{name}_match"] = verdicts.matches.cast(pa.string())
        columns[f"{name}_passed"] = pa.array(verdicts.passed == PASSES, mask=verdicts.passed == ABSTAINS)
    columns["passed"] = pa.array(judged.passed)
    reasons = pa.array(judged.reason, mask=judged.reason < 0)
    columns["reason"] = pa.array(list(FILTERS), pa.string()).take(reasons)
    return pa.table({name: columns[name] for name in CANDIDATES.schema().names}, CANDIDATES.schema())


def _counts(kind: str, target: np.ndarray, judged: FilterVerdicts) -> Iterator[FilterCount]:
    def of(name: str, asked: np.ndarray, rejected: np.ndarray, abstained: int, first: int) -> FilterCount:
        numbers = (asked.sum(), rejected.sum(), abstained, first, (asked & target).sum(), (rejected & target).sum())
        return FilterCount(kind, name, *map(int, numbers))

    yield of("", np.ones(len(target), bool), ~judged.passed, 0, int((~judged.passed).sum()))
    for place, name in enumerate(FILTERS):
        if name in judged.verdicts:
            passed, asked = judged.verdicts[name].passed, judged.asked[name]
            abstained = int((asked & (passed == ABSTAINS)).sum())
            first = int((judged.reason == place).sum())
            yield of(name, asked, asked & (passed == FAILS), abstained, first)


_WORD = ("question_id", "sentence", "token", "form", "lemma", "upos")
_LEFT_OUT = (*_WORD, "kind", "pair_id", "article_id", "target", "passed", "reason")
_OF_WORD = {"sense": "nonspecificity_match", "depth": "nonspecificity_value", "rating": "abstractness_value"}
# A row for each word and kind; the filters' columns are those of candidates.
COLUMNS_EXPLAINED = (
    *_WORD,
    "sense",
    "gloss",
    "depth",
    "rating",
    "kind",
    *(name for name in CANDIDATES.schema().names if name not in _LEFT_OUT),
    "passed",
    "reason",
)


def pair_of(
    passage: str, summary: str, *, language: str | None, engine: Engine | None, lengths: LengthOptions
) -> pa.Table:
    """Return a passage and its summary as a row of `cloze/pairs`, annotated.

    Args:
        passage: the passage, cleaned.
        summary: the summary, cleaned.
        language: theirs; None: not known.
        engine: a loaded engine; None: word forms alone.
        lengths: how long they may be.

    Raises:
        BadRecord: they are no pair, for the reasons that `pair_row` gives.
    """
    raw = RawPair("", passage, summary, language=language)
    nothing = {f"{text}_{name}": None for text in TEXTS for name in ANNOTATION}
    row = {**nothing, **pair_row(raw, lengths), "source": "", "number": 0}
    pair: Row = join_rows([row])
    with one_thread():
        annotate_pairs([pair], engine)
    return pa.Table.from_pylist([pair], PAIRS.schema())


def explained(rows: pa.Table, rules: JudgeWords) -> pa.Table:
    """Return the verdicts on the words of summaries, with `COLUMNS_EXPLAINED`.

    A row is a word and a kind, in the order of words, then of kinds. Sense, gloss, depth and rating
    stand in all rows of a word, whichever kind uses them. `passed` is null where no filter rejects
    the word, but one was left out that makes words of the kind abstract.

    Args:
        rows: rows of `cloze/pairs`.
        rules: which filters decide, with all thresholds.
    """
    with one_thread():
        candidates, _ = candidates_of(batch_of(rows.select(list(COLUMNS)).combine_chunks()), rules)
    places = {kind: place for place, kind in enumerate(rules.kinds)}
    order = pa.array([places[kind] for kind in candidates["kind"].to_pylist()], pa.int32())
    by = [(name, "ascending") for name in ("pair_id", "token", "order")]
    candidates = candidates.append_column("order", order).sort_by(by)
    of_words = {
        name: _of_words(candidates[column].combine_chunks(), len(rules.kinds)) for name, column in _OF_WORD.items()
    }
    wordnet = rules.setting.lexicon.find(WORDNET, rows["language"][0].as_py())
    glosses = glosses_of(wordnet, of_words["sense"])
    open_to = [kind for kind in rules.kinds if rules.is_open(kind)]
    is_open = pc.and_(candidates["passed"], pc.is_in(candidates["kind"], pa.array(open_to, pa.string())))
    passed = pc.if_else(is_open, pa.scalar(None, pa.bool_()), candidates["passed"])
    columns = {
        **{name: candidates[name] for name in candidates.schema.names},
        **of_words,
        "gloss": glosses,
        "passed": passed,
    }
    return pa.table({name: columns[name] for name in COLUMNS_EXPLAINED})


def _of_words(values: pa.Array, kinds: int) -> pa.Array:
    """Return for each row what some kind's row of its word has; each word has a row a kind."""
    by_kind = [values.take(pa.array(range(kind, len(values), kinds))) for kind in range(kinds)]
    known = pc.coalesce(*by_kind)
    return known.take(pa.array(np.repeat(np.arange(len(known)), kinds)))


def glosses_of(wordnet: object, names: pa.Array) -> pa.Array:
    """Return the definitions of senses by their names, such as `person.n.1`; null where null.

    Args:
        wordnet: where the names are from; None: there is none, and every name is null.
        names: as `abstract_words.sense_names` writes them.
    """
    if not isinstance(wordnet, WordNet):
        return pa.nulls(len(names), pa.string())
    glosses: dict[str | None, str | None] = {None: None}
    for name in names.to_pylist():
        if name not in glosses:
            word, letter, number = name.rsplit(".", 2)
            senses = wordnet.senses_of(pa.array([word]), letter).values
            sense = senses[wordnet.sense_numbers(senses) == int(number)]
            glosses[name] = wordnet.definitions(wordnet.synset_of(np.asarray(sense)))[0].as_py()
    return pa.array([glosses[name] for name in names.to_pylist()], pa.string())
