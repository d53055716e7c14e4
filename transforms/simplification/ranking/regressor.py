"""A regressor of complexity for ranking, trained on labelled words other than those evaluated.

FIT    instances and labels of the task complexity, and the tables of the folder whose candidates
       are ranked -> Regressed

Words that are targets or substitutes of that folder, by form or lemma, are left out of training,
so that no word is ranked by what people said of itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from transforms.common.blas import one_thread
from transforms.common.errors import LexbeamError
from transforms.common.store import files
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.receipts import File
from transforms.common.store.sound import checked
from transforms.common.store.tables import Part, read_rows
from transforms.learning.models.formats import read_safetensors, write_safetensors
from transforms.learning.scorer import Fitted, Scorer, ScorerOptions, ScorerTraining
from transforms.learning.scorers import SCORERS, members
from transforms.lexicon.resources import Lexicon
from transforms.simplification.ranking.regressor_features import LETTERS, word_features
from transforms.simplification.ranking.regressor_words import (
    LabelledWord,
    excluded_words,
    labelled_words,
    left_to_learn,
)

__all__ = ["FIT", "Fitting", "Regressed", "Regressor", "RegressorTask", "fit_words", "predict_words"]

Floats = npt.NDArray[np.float64]

_LEAST = 50  # words with fewer of which nothing is learned
_OPTIONS = ScorerOptions()


class RegressorTask(NamedTuple):
    """Parts of complexity/instances and labels, and of the folder whose words are left out."""

    instances: tuple[Part, ...]
    labels: tuple[Part, ...]
    own: tuple[Part, ...]
    substitutes: tuple[Part, ...]
    candidates: tuple[Part, ...]


class Fitting(NamedTuple):
    """What is learned from: the scorer, and the word lists whose values are features."""

    scorer: str
    lexicon: Lexicon
    lists: tuple[str, ...]


@dataclass(frozen=True)
class Regressed:
    """Receipt of a regressor.

    Attributes:
        file: its arrays.
        scorer: a key of `SCORERS`.
        words: words that it was trained on.
        excluded: labelled words that were left out, for they or their lemmas stand in the folder.
        names: of the others those that were left out as names.
        other_language: those of languages that the folder does not have.
    """

    file: File
    scorer: str
    words: int
    excluded: int
    names: int
    other_language: int


class Regressor(NamedTuple):
    """A regressor with the word lists that it looks words up in."""

    fitted: Regressed
    lexicon: Lexicon
    lists: tuple[str, ...]

    def predict(self, texts: Sequence[str], languages: Sequence[str], phrases: str) -> Floats:
        """Return the complexity of words and phrases.

        Words are labelled from 0 to 1. Predictions are not cut off at 0, since most words are near
        it, and would be tied; what nothing is said of counts as 1, and no word as more.

        Args:
            texts: in lower case.
            languages: of each.
            phrases: what is said of a phrase, one of `ranking_options.PHRASES`: zero: nothing, its
                complexity is nan; rarest: that of the most complex of its words; mean: theirs.
        """
        parts = [text.split(" ") for text in texts]
        known = [len(own) == 1 or phrases != "zero" for own in parts]
        asked = dict.fromkeys(
            (word, language)
            for own, language, some in zip(parts, languages, known, strict=True)
            for word in (own if some else ())
        )
        words = [word for word, _ in asked]
        fitted = _arrays(self.fitted.file)
        features = word_features(words, [code for _, code in asked], self.lexicon, self.lists)
        values = dict(zip(asked, predict_words(self.fitted.scorer, fitted, features), strict=True))
        found = np.full(len(texts), np.nan)
        for row, own in enumerate(parts):
            if known[row]:
                every = [values[word, languages[row]] for word in own]
                found[row] = sum(every) / len(every) if phrases == "mean" else max(every)
        return found


@lru_cache(4)
def _arrays(file: File) -> Fitted:
    with files.open_read(checked(file)) as stream:
        return read_safetensors(stream.read())


def regressors() -> dict[str, Scorer]:
    """Return the scorers that a regressor may learn by: all that need no column of their own."""
    return {name: scorer for name, scorer in members().items() if "baseline_column" not in scorer.uses}


def fit_words(scorer: str, labelled: Sequence[LabelledWord], lexicon: Lexicon, lists: Sequence[str]) -> Fitted:
    """Fit a scorer to the complexity of words.

    Args:
        scorer: a key of `SCORERS`; it has its default options.
        labelled: what is learned from.
        lexicon: the word lists.
        lists: their names.
    """
    words = [one.word for one in labelled]
    values = word_features(words, [one.language for one in labelled], lexicon, lists)
    labels = np.array([one.complexity for one in labelled])
    with one_thread():
        return SCORERS[scorer].fit(ScorerTraining(values, (*LETTERS, *lists), labels, words), _OPTIONS)


def predict_words(scorer: str, fitted: Fitted, features: Floats) -> Floats:
    """Return the complexity of words by their features, (words, LETTERS + lists); at most 1."""
    if not len(features):
        return np.zeros(0)
    return np.minimum(SCORERS[scorer].predict(fitted, features), 1.0)


def _fit(artefact: Artefact, task: RegressorTask, fitting: Fitting) -> Regressed:
    """Fit a regressor.

    Raises:
        LexbeamError: too few words are left.
    """
    parts = {name: [checked(one) for one in some] for name, some in task._asdict().items()}
    every = labelled_words(parts["instances"], parts["labels"])
    excluded = excluded_words(parts["own"], parts["substitutes"], parts["candidates"], every)
    languages = {
        code or "" for rows in read_rows(parts["own"], ["language"]) for code in rows["language"].unique().to_pylist()
    }
    kept, left = left_to_learn(every, excluded, languages)
    if len(kept) < _LEAST:
        why = ", ".join(f"{number} {name}" for name, number in left.items())
        raise LexbeamError(
            f"of {len(every)} labelled words {len(kept)} can be learned from ({why}), and a "
            f"regressor needs {_LEAST}: name a folder with more in `complexity`"
        )
    fitted = fit_words(fitting.scorer, kept, fitting.lexicon, fitting.lists)
    with artefact.writing(".safetensors") as stream:
        stream.write(write_safetensors(fitted))
    return Regressed(
        artefact.file(".safetensors"), fitting.scorer, len(kept), left["excluded"], left["name"], left["other_language"]
    )


def _chosen(_: Any, fitting: Fitting) -> Mapping[str, Any]:
    return {"transforms.learning.scorers:SCORERS": [fitting.scorer]}


FIT: Stage[RegressorTask, Fitting, Regressed] = Stage(
    name="simplification/fit",
    receipt=Regressed,
    build=_fit,
    unordered=("task.instances", "task.labels", "task.own", "task.substitutes", "task.candidates"),
    chosen=_chosen,
    blas=True,
    unit="regressors",
)
