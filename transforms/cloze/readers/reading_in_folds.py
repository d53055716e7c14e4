"""Readers cross-fitted: each is trained on the other folds, or the split, and says what it reads in what is held out.

FitReader     a reader, a fold and the questions of a group -> a model
NameWords     the same and its model -> a part of cloze/predictions, and its tally

The fold of an article is its hash modulo the number of folds, so that no passage is in two. Of the fold that a reader
predicts, training sees neither questions, nor further ones, nor any text. Systems that choose among options are the
same readers, held out as `answers/trained_systems.py` says.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sized
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze import PREDICTIONS
from lexbeam.transforms.cloze.readers.context import ContextData, context_log_probabilities, train_context
from lexbeam.transforms.cloze.readers.data import (
    Encoded,
    NumberedGroup,
    NumberedTexts,
    QuestionGroup,
    candidates,
    further,
    pairs,
    questions,
    texts,
)
from lexbeam.transforms.cloze.readers.options import (
    READERS,
    RESERVED,
    UNKNOWN,
    Further,
    MakeReader,
    NumberLists,
    Questions,
    ReaderNetworkOptions,
    TrainingData,
    top_words,
)
from lexbeam.transforms.cloze.readers.training import ReaderWeights
from lexbeam.transforms.cloze.readers.words import BandOptions, draw_words, glosses_of, train_vectors, vectors_of
from lexbeam.transforms.cloze.word_resources import VECTORS, WORDNET
from lexbeam.transforms.common.draws.by_content import hash_of
from lexbeam.transforms.common.draws.splits import fold_of
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import PartFile, read_table, write_part
from lexbeam.transforms.evaluation.candidate_metrics import Candidates, mrr_expected_rank, recall_at_k
from lexbeam.transforms.evaluation.outcomes import Terms
from lexbeam.transforms.learning.crossfitting import (
    Asked,
    Figures,
    FitModel,
    PredictRows,
    Sides,
    formats_chosen,
    sides_of_fold,
)
from lexbeam.transforms.learning.models.model import Model
from lexbeam.transforms.lexicon.resources import Lexicon

REGISTRY = "lexbeam.transforms.cloze.readers.options:READERS"
NAMED = 50  # words of a question that are published
CUTS = (1, 5, 10)
_FOLD = "cloze/fold"  # the label of the draw

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Hashes = npt.NDArray[np.uint64]
Arrays = Mapping[str, npt.NDArray[Any]]
# From questions, the candidates that each names by rank, and their log probabilities: rows of cloze/predictions.
MakeRows = Callable[[Ints, Ints, Floats], pa.Table]


class NetworkSetting(NamedTuple):
    """What a network is trained with.

    Attributes:
        options: hyperparameters.
        vectors: resource `VECTORS`, which may be missing.
        glosses: resource `WORDNET`, which may be missing, of a reader that reads glosses.
        gloss_tokens: words of a gloss, at most; 0: it reads none.
    """

    options: ReaderNetworkOptions
    vectors: Lexicon = Lexicon()
    glosses: Lexicon = Lexicon()
    gloss_tokens: int = 0


class BandSetting(NamedTuple):
    """What reader `frequency` draws from: bands, and resource `VECTORS`, which may be missing."""

    bands: BandOptions
    vectors: Lexicon


class ReadTexts(NamedTuple):
    """Questions, and the texts that readers learn words from.

    Attributes:
        questions: of all folds, with the passages of pairs.
        summaries: of pairs, with all their words.
        keys: hash of each pair.
        articles: hash of its article.
        numbers: of each word to choose its number in texts, or `UNKNOWN`.
        spellings: of each word to choose.
        words: how many numbers words have, `RESERVED` among them.
    """

    questions: Questions
    summaries: NumberLists
    keys: Hashes
    articles: Hashes
    numbers: Ints
    spellings: list[str]
    words: int

    @classmethod
    def of(
        cls, encoded: NumberedTexts, asked: Questions, numbers: Ints, spellings: list[str], words: Sized
    ) -> "ReadTexts":
        """Return questions with the texts that they are written with."""
        return cls(asked, texts(encoded), *pairs(encoded), numbers, spellings, len(words) + RESERVED)


class ReadSides(NamedTuple):
    """What a reader learns from, and what it is asked: places of questions and of pairs.

    Attributes:
        trained: questions that are trained on.
        asked: questions that are asked.
        texts: pairs whose texts are read.
        checked: questions that decide when to stop; None: some of those trained on.
    """

    trained: Ints
    asked: Ints
    texts: Ints
    checked: Ints | None = None


def train_on(
    network: MakeReader | None,
    read: ReadTexts,
    sides: ReadSides,
    setting: NetworkSetting | None,
    known: Callable[[], TrainingData],
    *,
    seed: int,
    vector_seed: int,
    further_of: Callable[[], tuple[Further, Ints] | None] = lambda: None,
) -> ReaderWeights:
    """Return a trained reader.

    Args:
        network: returns its network; None: it is `context`.
        read: questions and texts.
        sides: which of them it sees.
        setting: of a network.
        known: returns what a network knows beside questions.
        seed: of training.
        vector_seed: of own vectors.
        further_of: returns further questions for a network, and which of them may be trained on.
    """
    if network is None:
        return train_context(read.questions, sides.trained, _counted(read, sides), seed=seed)
    assert setting is not None
    rows, data, more = sides.trained, known(), further_of()
    further, further_rows = (None, None) if more is None else more
    if not data.candidates:  # there are no questions
        rows, further_rows = rows[:0], None if further_rows is None else further_rows[:0]
        data = data._replace(candidates=1)
    if data.vectors is None and setting.options.start == "own" and len(rows):
        data = _with_own_vectors(read, sides, data, setting.options, vector_seed)
    return network().train(
        read.questions,
        rows,
        data,
        setting.options,
        seed=seed,
        further=further,
        further_rows=further_rows,
        checked_on=sides.checked,
    )


def log_probabilities_of(
    network: MakeReader | None,
    weights: Arrays,
    read: ReadTexts,
    sides: ReadSides,
    setting: NetworkSetting | None,
    known: Callable[[], TrainingData],
) -> Iterator[tuple[Ints, Floats]]:
    """Yield questions that are asked, many at a time, and the natural log probabilities of words or options."""
    if network is None:
        counted = _counted(read, sides)
        return context_log_probabilities(weights["weights"], read.questions, sides.asked, sides.trained, counted)
    assert setting is not None
    return network().log_probabilities(weights, read.questions, sides.asked, known(), setting.options)


def _counted(read: ReadTexts, sides: ReadSides) -> ContextData:
    return ContextData(
        read.questions.passages, read.summaries, read.articles, sides.texts, read.numbers, read.spellings, read.words
    )


def _with_own_vectors(
    read: ReadTexts, sides: ReadSides, data: TrainingData, options: ReaderNetworkOptions, seed: int
) -> TrainingData:
    """Return the data with vectors of the texts that a reader sees, all readers with the same."""
    rows = sides.texts[np.argsort(read.keys[sides.texts], kind="stable")]
    trained = train_vectors((read.questions.passages, read.summaries), rows, data.words, options, seed=seed)
    if trained is None:
        return data
    vectors, known = trained
    of_candidates = None if read.questions.options is not None else (vectors[read.numbers], known[read.numbers])
    return data._replace(vectors=trained, candidate_vectors=of_candidates, static=False)


def reader_model(
    trained: ReaderWeights,
    reader: str,
    setting: NetworkSetting | None,
    *,
    seed: int,
    data: str,
    options: Mapping[str, object],
) -> tuple[Model, Figures]:
    """Return a trained reader as a model that is kept, and how training went.

    Args:
        trained: its weights.
        reader: its name.
        setting: of a network.
        seed: of its training.
        data: digest of the questions that it was trained on.
        options: what decided it beside the setting.
    """
    held = () if setting is None else (*setting.vectors.held, *setting.glosses.held)
    model = Model(
        kind="reader",
        task="cloze",
        format="safetensors",
        content=trained.weights,
        seed=seed,
        data=data,
        made_with=() if setting is None else ("torch",),
        options={"reader": reader, **options, **({} if setting is None else vars(setting.options))},
        resources={each.name: each.compiled.digest for each in held},
    )
    figures = Figures(
        rows=trained.questions,
        held_out=trained.held_out,
        further=trained.further,
        losses=tuple(trained.losses),
        best=trained.best,
    )
    return model, figures


def vectors_in(lexicon: Lexicon, language: str) -> Any:
    """Return the static vectors of a language (empty: unknown), None where there are none."""
    return lexicon.find(VECTORS, language or None)


def words_in(file: File) -> pa.StringArray:
    """Return the words that have numbers, from `RESERVED` on."""
    return read_table([checked(file)])["word"].combine_chunks()


def folds_of(articles: Hashes, folds: int, seed: int) -> Ints:
    """Return the fold of each article, given by its hash."""
    return fold_of(articles, folds, seed=seed, label=_FOLD)


def article_sides(articles: Hashes, folds: int, fold: int, seed: int) -> Sides:
    """Return the sides of a fold of articles, given by their hashes."""
    return sides_of_fold(articles, folds, fold, seed=seed, label=_FOLD)


class ReadTask(NamedTuple):
    """A reader, and the fold that it does not see, of the questions of a group; `setting`: what it needs beside."""

    group: QuestionGroup
    reader: str
    fold: int
    encoded: NumberedGroup
    setting: NetworkSetting | BandSetting | None

    @property
    def network(self) -> NetworkSetting | None:
        """What its network is trained with, if it is one."""
        return self.setting if isinstance(self.setting, NetworkSetting) else None


class ReadSettings(NamedTuple):
    """How readers are trained in folds, and how they predict.

    Attributes:
        folds: how many there are.
        seed: of folds, weights, drop-out, what is held out, and draws.
        reader: hyperparameters.
        bands: what reader `frequency` draws from.
        gloss_tokens: words of a gloss, at most.
        vectors: resource `VECTORS`, which may be missing.
        glosses: resource `WORDNET`, which may be missing.
    """

    folds: int
    seed: int
    reader: ReaderNetworkOptions
    bands: BandOptions
    gloss_tokens: int
    vectors: Lexicon
    glosses: Lexicon

    def of(self, reader: str) -> NetworkSetting | BandSetting | None:
        """Return what a reader needs of them."""
        entry = READERS[reader]
        if entry.draws:
            return BandSetting(self.bands, self.vectors)
        if entry.network is None:
            return None
        options = self.reader if entry.hops else replace(self.reader, hops=ReaderNetworkOptions().hops)
        if not entry.glosses:
            return NetworkSetting(options, self.vectors)
        return NetworkSetting(options, self.vectors, self.glosses, self.gloss_tokens)


ReadKey = tuple[QuestionGroup, str, int]


def read_tasks(
    element: tuple[QuestionGroup, Encoded], readers: tuple[str, ...], settings: ReadSettings
) -> Iterator[tuple[ReadKey, ReadTask]]:
    """Yield a task for each reader and fold of a group, keyed by the three."""
    group, encoded = element
    for reader in readers:
        for fold in range(settings.folds):
            task = ReadTask(group, reader, fold, encoded.numbered, settings.of(reader))
            yield (group, reader, fold), task


def untrained_tasks(
    element: tuple[QuestionGroup, Encoded], readers: tuple[str, ...], settings: ReadSettings
) -> Iterator[tuple[ReadKey, Asked[ReadTask]]]:
    """Yield the same for readers that are not trained."""
    yield from ((key, Asked(task, None)) for key, task in read_tasks(element, readers, settings))


def _read(task: ReadTask) -> ReadTexts:
    rows, words = candidates(task.encoded), words_in(task.encoded.words)
    at = pc.index_in(rows["key"].combine_chunks(), words).cast(pa.int64())
    numbers = pc.fill_null(pc.add(at, RESERVED), UNKNOWN).to_numpy(zero_copy_only=False)
    spellings = rows["key"].to_pylist()
    return ReadTexts.of(task.encoded, questions(task.encoded), numbers, spellings, words)


def _known(task: ReadTask) -> TrainingData:
    """Return what a reader knows beside questions: its words, and what resources say of them."""
    rows, setting = candidates(task.encoded), task.network
    assert setting is not None
    words = words_in(task.encoded.words)
    data = TrainingData(len(words) + RESERVED, rows.num_rows)
    vectors = vectors_in(setting.vectors, task.group.language)
    if vectors is not None:
        of_candidates = vectors_of(vectors, rows["key"], 0)
        data = data._replace(vectors=vectors_of(vectors, words), candidate_vectors=of_candidates)
    if setting.gloss_tokens:
        glosses = glosses_of(
            setting.glosses.find(WORDNET, task.group.language or None),
            rows["word"].to_pylist(),
            rows["lemma"].to_pylist(),
            setting.gloss_tokens,
        )
        data = data._replace(glosses=glosses, gloss_words=int(glosses.values.max(initial=0)) + 1)
    return data


@dataclass(frozen=True)
class _ByFolds:
    """What both steps hold out: `folds` there are, drawn by `seed`."""

    folds: int
    seed: int

    def others(self, articles: Hashes, fold: int) -> Ints:
        """Return the places of articles of the other folds."""
        return np.flatnonzero(article_sides(articles, self.folds, fold, self.seed).fitted)

    def sides(self, read: ReadTexts, fold: int) -> ReadSides:
        """Return what a reader sees of a fold's questions and texts, and what it is asked."""
        trained, asked = map(np.flatnonzero, article_sides(read.questions.articles, self.folds, fold, self.seed))
        return ReadSides(trained, asked, self.others(read.articles, fold))


@dataclass(frozen=True)
class FitReader(_ByFolds, FitModel[ReadTask]):
    """Train a reader on the other folds."""

    name = "cloze/read-train"
    noun = unit = "readers"

    def fit(self, task: ReadTask) -> tuple[Model, Figures]:
        """Return the reader."""

        def more() -> tuple[Further, Ints]:
            drawn = further(task.encoded)
            return drawn, self.others(drawn.articles, task.fold)

        read = _read(task)
        trained = train_on(
            READERS[task.reader].network,
            read,
            self.sides(read, task.fold),
            task.network,
            lambda: _known(task),
            seed=hash_of((self.seed, task.reader, task.fold)) >> 1,
            vector_seed=hash_of((self.seed, "own vectors", task.fold)),
            further_of=more,
        )
        folds = {"fold": task.fold, "folds": self.folds}
        data = task.encoded.questions.sha256
        return reader_model(trained, task.reader, task.network, seed=self.seed, data=data, options=folds)

    def chosen(self, task: ReadTask) -> dict[str, tuple[str, ...]]:
        """Return the reader."""
        return {REGISTRY: (task.reader,), **formats_chosen("safetensors")}


@dataclass(frozen=True)
class Tally:
    """How good a reader is on a fold, as sums over questions.

    Attributes:
        questions: how many it named words for.
        unseen: those whose answer is that of no question of the other folds.
        reciprocal: sum of 1 / expected rank of the answer.
        reciprocal_seen: the same over the others.
        hits: expected answers among the first 1, 5 and 10 words.
    """

    questions: int
    unseen: int
    reciprocal: float
    reciprocal_seen: float
    hits: tuple[float, ...]


@dataclass(frozen=True)
class PredictedWords:
    """Receipt of a part of the predictions; `frequency`, which knows answers, has no tally."""

    part: PartFile
    tally: Tally | None


@dataclass(frozen=True)
class NameWords(_ByFolds, PredictRows[ReadTask, PredictedWords]):
    """Let a reader name words for the questions of its fold."""

    name, noun, unit = "cloze/read-predict", "predictions", "folds"

    def predict(self, artefact: Artefact, task: ReadTask, model: Model | None) -> PredictedWords:
        """Write the words."""
        read, tallies, make_rows = _read(task), list[Tally](), _row_maker(task)
        sides = self.sides(read, task.fold)

        def predicted(weights: Arrays) -> Iterator[pa.Table]:
            answers = read.questions.answers
            seen = np.isin(np.arange(len(read.spellings)), answers[sides.trained])
            network = READERS[task.reader].network
            for chunk, logs in log_probabilities_of(network, weights, read, sides, task.network, lambda: _known(task)):
                tallies.append(tally_of(logs, answers[chunk], seen))
                yield make_rows(chunk, *top_words(logs, NAMED))

        if not read.spellings:
            # There are no candidates: every answer is a miss.
            tallies.append(Tally(len(sides.asked), len(sides.asked), 0.0, 0.0, (0.0,) * len(CUTS)))
            nothing = np.zeros((0, NAMED), np.int64)
            tables = iter([make_rows(sides.asked[:0], nothing, nothing.astype(np.float64))])
        elif model is None:
            tables = iter([make_rows(sides.asked, *_drawn(task, read.questions, sides.asked, self.seed))])
        else:
            tables = predicted(model.content)
        part = write_part(artefact, PREDICTIONS.schema(), tables, sort_keys=PREDICTIONS.key)
        return PredictedWords(part, None if model is None else _added(tallies))

    def chosen(self, task: Asked[ReadTask]) -> dict[str, tuple[str, ...]]:
        """Return the reader."""
        formats = ("safetensors",) if task.model else ()
        return {REGISTRY: (task.task.reader,), **formats_chosen(*formats)}


def _drawn(task: ReadTask, asked: Questions, rows: Ints, seed: int) -> tuple[Ints, Floats]:
    """Return the words that reader `frequency` draws, and their log probabilities."""
    words, setting = candidates(task.encoded), task.setting
    assert isinstance(setting, BandSetting)
    vectors = vectors_in(setting.vectors, task.group.language)
    keys = words["key"].combine_chunks()

    def cosine(first: Ints, second: Ints) -> Floats:
        cosines = vectors.cosine(keys.take(pa.array(first)), keys.take(pa.array(second)))
        return np.asarray(cosines.to_numpy(zero_copy_only=False), np.float64)

    # An answer that is no candidate, since too few questions have it, has no words like it.
    known = np.flatnonzero(asked.answers[rows] >= 0)
    named = np.full((len(rows), NAMED), -1, np.int64)
    logs = np.full((len(rows), NAMED), np.nan)
    named[known], logs[known] = draw_words(
        asked.answers[rows][known],
        asked.keys[rows][known],
        words["upos"].to_pylist(),
        np.maximum(words["count"].to_numpy(), 1).astype(np.float64),
        keys.to_pylist(),
        NAMED,
        setting.bands,
        seed=seed,
        cosine=None if vectors is None else cosine,
    )
    return named, logs


def _row_maker(task: ReadTask) -> MakeRows:
    words = candidates(task.encoded)["word"].combine_chunks()
    ids = read_table([checked(task.encoded.questions)], ["question_id"])["question_id"]

    def make_rows(rows: Ints, named: Ints, logs: Floats) -> pa.Table:
        there = named >= 0
        place, rank = np.nonzero(there)
        count = len(place)
        return pa.table(
            {
                "question_id": ids.take(pa.array(rows[place])),
                "kind": pa.array([task.group.kind] * count, pa.string()),
                "reader": pa.array([task.reader] * count, pa.string()),
                "fold": pa.array(np.full(count, task.fold, np.int32)),
                "rank": pa.array((rank + 1).astype(np.int32)),
                "word": words.take(pa.array(named[there])),
                "log_prob": pa.array(np.minimum(logs[there], 0.0)),
            }
        )

    return make_rows


def tally_of(log_probs: Floats, answers: Ints, seen: npt.NDArray[np.bool_]) -> Tally:
    """Return how good log probabilities are; ties get the rank that is expected.

    Args:
        log_probs: shape (questions, candidates).
        answers: a candidate each, or -1.
        seen: of each candidate, whether a question that the reader learnt from has it for an answer.
    """
    number, count = log_probs.shape
    named = answers >= 0
    known = named.copy()
    known[named] = seen[answers[named]]

    def listed(of: npt.NDArray[np.bool_]) -> Candidates:
        rank = np.zeros(log_probs.shape, np.int64)
        rank[np.flatnonzero(of), answers[of]] = 1
        questions = np.repeat(np.arange(number), count)
        return Candidates(questions, log_probs.ravel(), rank.ravel(), np.ones(number, np.int64))

    of_all = listed(named)
    return Tally(
        number,
        int((~known).sum()),
        _sum(mrr_expected_rank(of_all)),
        _sum(mrr_expected_rank(listed(known))),
        tuple(_sum(recall_at_k(of_all, k)) for k in CUTS),
    )


def _sum(terms: object) -> float:
    return float(terms.numerator.sum()) if isinstance(terms, Terms) else 0.0


def _added(tallies: Collection[Tally]) -> Tally:
    hits = (sum(tally.hits[place] for tally in tallies) for place in range(len(CUTS)))
    return Tally(
        sum(tally.questions for tally in tallies),
        sum(tally.unseen for tally in tallies),
        float(sum(tally.reciprocal for tally in tallies)),
        float(sum(tally.reciprocal_seen for tally in tallies)),
        tuple(map(float, hits)),
    )
