"""A regressor of complexity for ranking, trained on labelled words other than those evaluated.

FitRegressor    instances and labels of the task complexity, and the tables of the folder whose candidates
                are ranked -> a model

Words that are targets or substitutes of that folder, by form or lemma, are left out of training,
so that no word is ranked by its own labels. Features are length, syllables, letters and the values of
word lists: they depend on the word alone, since its rivals stand in the same sentence.
"""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import Part, read_rows
from lexbeam.transforms.learning.crossfitting import Figures, FitModel, formats_chosen
from lexbeam.transforms.learning.fitting import fit_scorer
from lexbeam.transforms.learning.models.keeping import SavedModel, load_model
from lexbeam.transforms.learning.models.model import Model
from lexbeam.transforms.learning.scorer import Fitted, Scorer, ScorerOptions, ScorerTraining
from lexbeam.transforms.learning.scorers import SCORERS, members
from lexbeam.transforms.lexicon.letters import letter_counts
from lexbeam.transforms.lexicon.resources import Lexicon
from lexbeam.transforms.simplification.evaluation.list_measures import folded

# Languages that capitalise all nouns, so that a capital marks no name.
_CAPITALS = ("de", "lb")


class LabelledWord(NamedTuple):
    """A word that people labelled.

    Attributes:
        word: in lower case, NFC.
        language: ISO 639; empty if nothing says it.
        complexity: mean over its instances, 0 to 1.
        instances: how many have a label.
        lemmas: those that it is annotated with, `folded`.
        name: whether it is written as a name wherever it is labelled; then all its instances count,
            else only those where it is no name.
    """

    word: str
    language: str
    complexity: float
    instances: int
    lemmas: frozenset[str]
    name: bool


class KnownWords(NamedTuple):
    """Words that occur in a folder, and their known lemmas, all `folded`."""

    words: frozenset[str]
    lemmas: frozenset[str]


def labelled_words(instances: Sequence[str], labels: Sequence[str]) -> list[LabelledWord]:
    """Return labelled single words, by language and word.

    Args:
        instances: paths of parts of complexity/instances.
        labels: paths of parts of complexity/labels; the row of all annotators counts.
    """
    complexity = {
        row["instance_id"]: row["complexity"]
        for rows in read_rows(labels, ["instance_id", "group", "complexity"])
        for row in rows.to_pylist()
        if row["group"] == "" and row["complexity"] is not None
    }
    values: dict[tuple[str, str], dict[bool, list[float]]] = {}
    lemmas: dict[tuple[str, str], set[str]] = {}
    columns = ["instance_id", "kind", "token", "language", "lemmas", "upos", "position"]
    for rows in read_rows(instances, columns):
        for row in rows.to_pylist():
            if row["kind"] != "single" or row["instance_id"] not in complexity:
                continue
            key = row["language"] or "", unicodedata.normalize("NFC", row["token"]).lower()
            annotated = {name: _at(row[name], row["position"]) for name in ("lemmas", "upos")}
            name = _is_name(row["token"], annotated["upos"], key[0])
            by_case = values.setdefault(key, {})
            by_case.setdefault(name, []).append(complexity[row["instance_id"]])
            lemmas.setdefault(key, set())
            if annotated["lemmas"]:
                lemmas[key].add(folded(annotated["lemmas"]))
    words = []
    for (language, word), by_case in sorted(values.items()):
        name = False not in by_case
        counted = sorted(by_case[name])
        mean = sum(counted) / len(counted)
        word_lemmas = frozenset(lemmas[language, word])
        words.append(LabelledWord(word, language, mean, len(counted), word_lemmas, name))
    return words


def _at(values: Sequence[str] | None, position: int | None) -> str | None:
    return None if values is None or position is None else values[position]


def _is_name(token: str, upos: str | None, language: str) -> bool:
    """Return whether a word is written as a name; people label those by whether they know them."""
    capital = token != token.lower() and language.partition("-")[0] not in _CAPITALS
    return capital or upos == "PROPN"


def excluded_words(
    instances: Sequence[str], substitutes: Sequence[str], candidates: Sequence[str], labelled: Iterable[LabelledWord]
) -> KnownWords:
    """Return the targets and substitutes of a folder, with the words of phrases, and their lemmas.

    Lemmas are those of instances, of candidates with the same form, and of labelled words with it.

    Args:
        instances: paths of parts of simplification/instances.
        substitutes: of simplification/substitutes; empty: there is no gold.
        candidates: of simplification/candidates.
    """
    words: set[str] = set()
    lemmas: set[str] = set()
    for rows in read_rows(instances, ["target", "lemma"]):
        for row in rows.to_pylist():
            words |= _with_parts(row["target"])
            lemmas |= _with_parts(row["lemma"] or "")
    for rows in read_rows(substitutes, ["substitute"]):
        for text in rows["substitute"].to_pylist():
            words |= _with_parts(text)
    for rows in read_rows(candidates, ["form", "lemma"]):
        for row in rows.to_pylist():
            if row["lemma"] and folded(row["form"]) in words:
                lemmas |= _with_parts(row["lemma"])
    for labelled_word in labelled:
        if folded(labelled_word.word) in words:
            lemmas |= labelled_word.lemmas
    return KnownWords(frozenset(words), frozenset(lemmas))


def _with_parts(text: str) -> set[str]:
    whole = folded(text)
    return {whole, *whole.split()} - {""}


def left_to_learn(
    labelled: Iterable[LabelledWord], excluded: KnownWords, languages: Collection[str]
) -> tuple[list[LabelledWord], Mapping[str, int]]:
    """Return the words to learn from, and how many labelled words are left out for which reason.

    A word is left out if it or one of its lemmas is among the excluded words and their lemmas; if it
    is a name; or if it is of another language, where there are labelled words of `languages`.

    Args:
        labelled: all labelled words.
        excluded: words and lemmas of the folder whose candidates are ranked.
        languages: of that folder.

    Returns:
        The words, and numbers for `excluded`, `name` and `other_language`.
    """
    words = list(labelled)
    wanted = {language.partition("-")[0] for language in languages}
    wanted &= {word.language.partition("-")[0] for word in words}
    barred = excluded.words | excluded.lemmas
    left: Counter[str] = Counter(excluded=0, name=0, other_language=0)
    learnable = []
    for word in words:
        if wanted and word.language.partition("-")[0] not in wanted:
            left["other_language"] += 1
        elif folded(word.word) in barred or not barred.isdisjoint(word.lemmas):
            left["excluded"] += 1
        elif word.name:
            left["name"] += 1
        else:
            learnable.append(word)
    return learnable, left


Floats = npt.NDArray[np.float64]

_LEAST = 50  # words, of which something can be learned
_OPTIONS = ScorerOptions()
# Of the group `form`, see docs/tasks/complexity/features.md.
LETTERS = (
    "length",
    "syllables",
    "vowel_groups",
    "vowel_share",
    "consonant_run",
    "distinct_letters",
    "doubled_letters",
    "not_ascii",
)


class RegressorTask(NamedTuple):
    """What a regressor is learned from.

    Attributes:
        instances: parts of complexity/instances.
        labels: parts of complexity/labels.
        evaluated: parts of simplification/instances of the folder whose words are left out.
        substitutes: of that folder.
        candidates: of that folder.
    """

    instances: tuple[Part, ...]
    labels: tuple[Part, ...]
    evaluated: tuple[Part, ...]
    substitutes: tuple[Part, ...]
    candidates: tuple[Part, ...]


class Regressor(NamedTuple):
    """A regressor with the word lists that it looks words up in."""

    model: SavedModel
    lexicon: Lexicon
    lists: tuple[str, ...]

    def predict(self, texts: Sequence[str], languages: Sequence[str], phrases: str) -> Floats:
        """Return the complexity of words and phrases.

        Words are labelled from 0 to 1. Predictions are not cut off at 0, since most words are near
        it and would be tied; they are cut off at 1.

        Args:
            texts: in lower case.
            languages: of each.
            phrases: the complexity of a phrase, one of `options.PHRASES`: zero: nan, not known;
                rarest: that of its most complex word; mean: the mean of its words'.
        """
        parts = [text.split(" ") for text in texts]
        known = [len(phrase) == 1 or phrases != "zero" for phrase in parts]
        pairs = dict.fromkeys(
            (word, language)
            for phrase, language, is_known in zip(parts, languages, known, strict=True)
            for word in (phrase if is_known else ())
        )
        words = [word for word, _ in pairs]
        scorer, fitted = _opened(self.model)
        features = word_features(words, [code for _, code in pairs], self.lexicon, self.lists)
        values = dict(zip(pairs, predict_words(scorer, fitted, features), strict=True))
        complexity = np.full(len(texts), np.nan)
        for row, phrase in enumerate(parts):
            if known[row]:
                word_values = [values[word, languages[row]] for word in phrase]
                complexity[row] = sum(word_values) / len(word_values) if phrases == "mean" else max(word_values)
        return complexity


@lru_cache(4)
def _opened(saved: SavedModel) -> tuple[str, Fitted]:
    model = load_model(saved)
    return model.options["scorer"], model.content


def regressors() -> dict[str, Scorer]:
    """Return the scorers that a regressor may learn by: all that need no column of a baseline."""
    return {name: scorer for name, scorer in members().items() if "baseline_column" not in scorer.uses}


def word_features(words: Sequence[str], languages: Sequence[str], lexicon: Lexicon, lists: Sequence[str]) -> Floats:
    """Return the features of words, (words, LETTERS + lists).

    A list's value v is taken as asinh(v), about the logarithm of a count, and as it is near 0;
    nan where the list does not have the word. Syllables are nan in a language without patterns of
    hyphenation.

    Args:
        words: in lower case.
        languages: of each; empty where nothing says it.
        lexicon: the word lists.
        lists: their names.
    """
    features = np.full((len(words), len(LETTERS) + len(lists)), np.nan)
    codes = np.asarray(languages, dtype=object)
    for language in sorted(set(languages)):
        rows = np.flatnonzero(codes == language)
        forms = [words[row] for row in rows.tolist()]
        values = letter_counts(forms, language or None)
        for place, name in enumerate(LETTERS):
            features[rows, place] = values[name]
        for place, name in enumerate(lists, len(LETTERS)):
            listed = lexicon.find(name, language or None)
            if listed is not None:
                found = listed.look_up(pa.array(forms, pa.string()))["value"]  # type: ignore[attr-defined]
                features[rows, place] = np.arcsinh(found.cast(pa.float64()).to_numpy())
    return features


def fit_words(scorer: str, labelled: Sequence[LabelledWord], lexicon: Lexicon, lists: Sequence[str]) -> Fitted:
    """Fit a scorer to the complexity of words.

    Args:
        scorer: a key of `SCORERS`; it has its default options.
        labelled: what is learned from.
        lexicon: the word lists.
        lists: their names.
    """
    words = [word.word for word in labelled]
    values = word_features(words, [word.language for word in labelled], lexicon, lists)
    labels = np.array([word.complexity for word in labelled])
    return fit_scorer(SCORERS[scorer], ScorerTraining(values, (*LETTERS, *lists), labels, words), _OPTIONS)


def predict_words(scorer: str, fitted: Fitted, features: Floats) -> Floats:
    """Return the complexity of words by their features, (words, LETTERS + lists); at most 1."""
    if not len(features):
        return np.zeros(0)
    return np.minimum(SCORERS[scorer].predict(fitted, features), 1.0)


@dataclass(frozen=True)
class FitRegressor(FitModel[RegressorTask]):
    """Fit a regressor to labelled words that do not occur in the folder whose candidates are ranked.

    Attributes:
        scorer: how it learns, a key of `SCORERS`.
        lexicon: word lists.
        lists: names of those whose values are features.
    """

    scorer: str
    lexicon: Lexicon
    lists: tuple[str, ...]

    name = "simplification/fit"
    noun = unit = "regressors"

    def fit(self, task: RegressorTask) -> tuple[Model, Figures]:
        """Return a regressor, and how many labelled words were left out: excluded, as names, of other languages.

        Raises:
            LexbeamError: too few words are left.
        """
        parts = {name: [checked(part) for part in table_parts] for name, table_parts in task._asdict().items()}
        labelled = labelled_words(parts["instances"], parts["labels"])
        excluded = excluded_words(parts["evaluated"], parts["substitutes"], parts["candidates"], labelled)
        languages = {
            code or ""
            for rows in read_rows(parts["evaluated"], ["language"])
            for code in rows["language"].unique().to_pylist()
        }
        learnable, left = left_to_learn(labelled, excluded, languages)
        if len(learnable) < _LEAST:
            why = ", ".join(f"{number} {name}" for name, number in left.items())
            raise LexbeamError(
                f"of {len(labelled)} labelled words {len(learnable)} can be learned from ({why}), and a "
                f"regressor needs {_LEAST}: name a folder with more in `complexity`"
            )
        model = Model(
            kind="regressor",
            task="simplification",
            format="safetensors",
            content=fit_words(self.scorer, learnable, self.lexicon, self.lists),
            options={"scorer": self.scorer},
            seed=_OPTIONS.seed,
            data=digest(sorted(part.sha256 for part in (*task.instances, *task.labels))),
        )
        return model, Figures(rows=len(learnable), left_out=left)

    def chosen(self, _: RegressorTask) -> Mapping[str, Collection[str]]:
        """Return the scorer."""
        return {"lexbeam.transforms.learning.scorers:SCORERS": [self.scorer], **formats_chosen("safetensors")}
