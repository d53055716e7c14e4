"""Options of all questions of a part: what is known of words, gathered for `choice.choose`.

ChooseOptions    a part of cloze/candidates with its pairs, and predictions -> a part of cloze/options
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze import OPTION_REASONS, OPTIONS
from lexbeam.transforms.cloze.pairs.pair import Row
from lexbeam.transforms.cloze.questions.choice import (
    WANTED,
    AnswerForms,
    OptionRules,
    RightAnswer,
    WordFacts,
    choose,
    inflected,
)
from lexbeam.transforms.cloze.readers.data import (
    CANDIDATE_COLUMNS,
    Encoded,
    QuestionGroup,
    asked_rows,
    candidates,
    language_is,
)
from lexbeam.transforms.cloze.readers.options import FREQUENCY
from lexbeam.transforms.cloze.readers.reading_in_folds import vectors_in
from lexbeam.transforms.cloze.word_resources import WORDNET
from lexbeam.transforms.common.arithmetic import product
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import Part, PartFile, read_rows, read_table, write_part
from lexbeam.transforms.common.texts.characters import straight
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.inflection.models import InflectorReference, chosen_formats, inflector_for
from lexbeam.transforms.lexicon.resources import Lexicon


class ChooseTask(NamedTuple):
    """A part of the candidates, the parts that have its pairs, groups with their words, and what readers named."""

    candidates: Part
    pairs: tuple[Part, ...]
    groups: tuple[tuple[QuestionGroup, Encoded], ...]
    predictions: tuple[Part, ...]


def choose_tasks(
    predictions: tuple[Part, ...],
    candidates: tuple[Part, ...],
    pairs: tuple[Part, ...],
    groups: Sequence[tuple[QuestionGroup, Encoded]],
) -> Iterator[tuple[int, ChooseTask]]:
    """Yield the task of each part of the candidates, which are of the pairs' part with the same number."""
    in_order = tuple(sorted(groups, key=itemgetter(0)))
    for part in candidates:
        beside = tuple(of_pairs for of_pairs in pairs if of_pairs.number == part.number)
        yield part.number, ChooseTask(part, beside, in_order, predictions)


class _PairTexts(NamedTuple):
    """The language of a pair, the words of its summary, those of its passage if options must not be in it."""

    language: str
    summary: Sequence[str]
    passage: frozenset[str]


@dataclass(frozen=True)
class KindCount:
    """What became of the questions of a kind.

    Attributes:
        kind: the kind.
        questions: how many there are.
        too_few: those with fewer than four options.
        unlike: of these, those that would have four if words without a form like the answer's counted.
        reasons: words that were dropped, by reason.
    """

    kind: str
    questions: int
    too_few: int
    unlike: int
    reasons: Mapping[str, int]


@dataclass(frozen=True)
class ChosenOptions:
    """Receipt of a part of the options, and what became of its questions."""

    part: PartFile
    counts: tuple[KindCount, ...]


class _Words:
    """What is known of the words of a group."""

    def __init__(
        self, group: QuestionGroup, encoded: Encoded, lexicon: Lexicon, inflector: InflectorReference | None
    ) -> None:
        rows = candidates(encoded)
        words = rows["word"].to_pylist()
        self.lemma = dict(zip(words, rows["lemma"].to_pylist(), strict=True))
        self.forms: dict[tuple[str, str], list[tuple[str, int]]] = {}
        for row in read_table([checked(encoded.forms)]).to_pylist():
            self.forms.setdefault((row["lemma"], row["upos"]), []).append((row["form"], row["count"]))
        self.wordnet: Any = lexicon.find(WORDNET, group.language or None)
        self.vectors = vectors_in(lexicon, group.language)
        self.inflector = inflector_for(inflector, short_tag(group.language))

    def synonyms(self, answers: pa.Table) -> dict[str, list[str]]:
        """Return the synonyms of each lemma of answers, all senses, in lower case."""
        lemmas = pc.unique(answers["lemma"]).cast(pa.large_string())
        if self.wordnet is None:
            return {lemma: [] for lemma in lemmas.to_pylist()}
        known = self.wordnet.polysemy(lemmas) > 0
        base = self.wordnet.morphy(lemmas)
        known_lemmas = pc.if_else(pa.array(known), lemmas, pc.coalesce(base, lemmas))
        lists = self.wordnet.synonyms(known_lemmas).to_pylist()
        return {
            lemma: [word.replace("_", " ").lower() for word in related or ()]
            for lemma, related in zip(lemmas.to_pylist(), lists, strict=True)
        }

    def beside(self, answer: RightAnswer, before: Sequence[str]) -> Callable[[str], str | None]:
        """Return what makes a word's form beside an answer: by the inflector, else by the corpus.

        Of an answer without a part of speech nothing is known: words stay as they were named.
        """
        if not answer.upos:
            return lambda word: word
        if self.inflector is not None and (forms := AnswerForms(self.inflector, answer, before)).known:
            return lambda word: forms.of(word, self.lemma[word])

        def inflect(word: str) -> str | None:
            lemma = self.lemma[word]
            known = self.forms.get((lemma, answer.upos), ())
            return inflected(word, lemma, known, answer.form.lower(), answer.lemma)

        return inflect

    def similarity(self, named: Collection[str], beside: Collection[str]) -> dict[str, float]:
        """Return the greatest cosine of each word with any of `beside`, where it is known."""
        if self.vectors is None or not named:
            return {}
        directions, there = self._directions(named)
        beside_directions, known = self._directions(beside)
        if not known.any():
            return {}
        best = product(directions, beside_directions[known].T).max(1)
        return {word: float(best[row]) for row, word in enumerate(named) if there[row]}

    def _directions(self, words: Collection[str]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        assert self.vectors is not None
        taken, there = self.vectors.vectors(pa.array(list(words), pa.large_string()))
        taken = taken.astype(np.float64)
        lengths = np.linalg.norm(taken, axis=1, keepdims=True)
        return taken / np.where(lengths > 0, lengths, 1), there & (lengths[:, 0] > 0)


@dataclass(frozen=True)
class ChooseOptions(Step[ChooseTask, ChosenOptions]):
    """Choose the options of all questions of a part of the candidates.

    Attributes:
        rules: what may be an option.
        asked: which candidates are questions.
        lexicon: resources `WORDNET` and `VECTORS`, which may be missing.
        inflector: what makes forms like the answer's; None: the corpus does.
    """

    rules: OptionRules
    asked: str
    lexicon: Lexicon
    inflector: InflectorReference | None = None

    name = "cloze/choose"
    noun = "options"
    unit = "parts"
    blas = True

    def make(self, artefact: Artefact, task: ChooseTask) -> ChosenOptions:
        """Write a part of the options.

        Raises:
            LexbeamError: a pair of the candidates is not among the pairs.
        """
        rows = read_table([checked(task.candidates)], list(CANDIDATE_COLUMNS))
        counts: dict[str, dict[str, int]] = {}
        option_rows: list[Row] = []
        passages = _passages(task, rows, self.rules) if rows.num_rows else {}
        for group, encoded in task.groups:
            of_group = asked_rows(rows, group.kind, self.asked)
            of_group = of_group.filter(pc.is_in(of_group["pair_id"], _pairs_of(passages, group.language)))
            if not of_group.num_rows:
                continue
            named = _named(task.predictions, group.kind, of_group["question_id"])
            words = _Words(group, encoded, self.lexicon, self.inflector)
            lemmas = pc.utf8_lower(pc.coalesce(of_group["lemma"], of_group["form"]))
            of_group = of_group.set_column(of_group.schema.get_field_index("lemma"), "lemma", lemmas)
            synonyms = words.synonyms(of_group)
            count = counts.setdefault(
                group.kind, {"": 0, "too_few": 0, "unlike": 0, **dict.fromkeys(OPTION_REASONS, 0)}
            )
            for question in of_group.to_pylist():
                texts = passages[question["pair_id"]]
                lists = named.get(question["question_id"], {})
                considered = list(_options_of(question, lists, words, synonyms, texts, self.rules))
                option_rows += considered
                kept = sum(row["kept"] for row in considered) - 1  # one is the answer
                reasons = Counter(row["reason"] for row in considered if row["reason"])
                for name, number in {"": 1, "too_few": kept < WANTED, **reasons}.items():
                    count[name] += number
                count["unlike"] += kept < WANTED <= kept + reasons["form"]
        table = pa.Table.from_pylist(option_rows, OPTIONS.schema()).sort_by(
            [(name, "ascending") for name in OPTIONS.key]
        )
        part = write_part(artefact, OPTIONS.schema(), [table], sort_keys=OPTIONS.key)
        return ChosenOptions(
            part,
            tuple(
                KindCount(
                    kind,
                    numbers[""],
                    numbers["too_few"],
                    numbers["unlike"],
                    {name: numbers[name] for name in OPTION_REASONS},
                )
                for kind, numbers in sorted(counts.items())
            ),
        )

    def chosen(self, _: ChooseTask) -> Mapping[str, Collection[str]]:
        """Return the format of the inflector."""
        return chosen_formats(self.inflector)


def _options_of(
    question: Row,
    lists: Mapping[str, list[str]],
    words: _Words,
    synonyms: Mapping[str, list[str]],
    texts: _PairTexts,
    rules: OptionRules,
) -> Iterator[Row]:
    answer = RightAnswer(question["form"], question["lemma"], question["upos"] or "")
    answer_synonyms = synonyms[answer.lemma]
    pool = sorted({word for named in lists.values() for word in named[: max(rules.list_sizes)]})
    cosines = words.similarity(pool, [answer.form.lower(), answer.lemma, *answer_synonyms])

    inflect = words.beside(answer, texts.summary[: question["token"]])
    facts = WordFacts(words.lemma.__getitem__, inflect, cosines.get, frozenset(answer_synonyms), texts.passage)
    base = {"question_id": question["question_id"], "kind": question["kind"]}
    yield {
        **base,
        "place": 0,
        "word": answer.form,
        "named": answer.form,
        "origin": "answer",
        "readers": [],
        "ranks": [],
        "score": 0.0,
        "list_size": None,
        "kept": True,
        "reason": None,
    }
    origin = FREQUENCY if list(lists) == [FREQUENCY] else "readers"
    for place, candidate in enumerate(choose(answer, lists, facts, rules), 1):
        yield {
            **base,
            "place": place,
            "word": candidate.word,
            "named": candidate.named,
            "origin": origin,
            "readers": list(candidate.readers),
            "ranks": list(candidate.ranks),
            "score": candidate.score,
            "list_size": candidate.list_size,
            "kept": candidate.kept,
            "reason": candidate.reason,
        }


def _passages(task: ChooseTask, rows: pa.Table, rules: OptionRules) -> dict[str, _PairTexts]:
    """Return the texts of each pair by its id."""
    wanted = pc.unique(rows["pair_id"])
    asked = rules.options_in_passage == "reject"
    columns = ["passage_forms", "passage_lemmas"] if asked else []
    passages: dict[str, _PairTexts] = {}
    languages = {group.language for group, _ in task.groups}
    for pairs in read_rows([checked(part) for part in task.pairs], ["pair_id", "language", "summary_forms", *columns]):
        pairs = pairs.filter(pc.is_in(pairs["pair_id"], wanted))
        for language in sorted(languages):
            for pair in pairs.filter(language_is(pairs, language)).to_pylist():
                texts = (text for name in columns for text in pair[name] or ())
                passage = frozenset(straight(text.lower()) for text in texts if text)
                passages[pair["pair_id"]] = _PairTexts(language, pair["summary_forms"], passage)
    for pair in wanted.to_pylist():
        if pair not in passages:
            raise LexbeamError(
                f"part {task.candidates.number} of cloze/candidates has pair {pair}, which is not in "
                "that of cloze/pairs: make the candidates anew"
            )
    return passages


def _pairs_of(passages: Mapping[str, _PairTexts], language: str) -> pa.Array:
    return pa.array([pair for pair, texts in passages.items() if texts.language == language], pa.string())


def _named(parts: Iterable[Part], kind: str, ids: pa.ChunkedArray) -> dict[str, dict[str, list[str]]]:
    """Return by question and reader the words that are named, from the first rank on."""
    named: dict[str, dict[str, list[str]]] = {}
    columns = ["question_id", "kind", "reader", "rank", "word"]
    for rows in read_rows([checked(part) for part in parts], columns):
        mine = pc.and_(pc.equal(rows["kind"], kind), pc.is_in(rows["question_id"], ids))
        for row in rows.filter(mine).to_pylist():
            named.setdefault(row["question_id"], {}).setdefault(row["reader"], []).append(row["word"])
    return named
