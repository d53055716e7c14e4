"""How concrete words are, as a trained model predicts it."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.cloze.abstractness.model import Concreteness, concreteness, is_listed, open_concreteness
from lexbeam.transforms.cloze.filters.base import Predictor
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.identity import Place


@dataclass(frozen=True)
class PredictedConcreteness:
    """A model in a folder, which each process opens once.

    Attributes:
        folder: where it is.
        digest: of the model.
        below: words from this value on are too concrete.
        language: of the words that it was learned from; None: not known.
    """

    folder: Place
    digest: str
    below: float
    language: str | None = None

    def scores(self, forms: pa.Array, lemmas: pa.Array, upos: pa.Array) -> np.ndarray:
        """Return the concreteness of words, 0 (abstract) to 1, float64; NaN: not known.

        A word that the model has neither by its lemma nor by its form is predicted from the n-grams
        of what the model looks up first.

        Raises:
            LexbeamError: the model is gone, or another one has taken its place.
        """
        model = _opened(self)
        lemmas = _or_forms(lemmas, forms)
        first, second = (lemmas, forms) if model.of == "lemma" else (forms, lemmas)
        values = concreteness(model, first)
        other = ~is_listed(model, first) & is_listed(model, second)
        values[other] = concreteness(model, second.filter(pa.array(other)))
        return values

    def listed(self, forms: pa.Array, lemmas: pa.Array) -> np.ndarray:
        """Return which words the model has by their lemma or their form.

        Raises:
            LexbeamError: the model is gone, or another one has taken its place.
        """
        model = _opened(self)
        return is_listed(model, _or_forms(lemmas, forms)) | is_listed(model, forms)

    def described(self) -> Mapping[str, object]:
        """Return the model's digest."""
        return {"model": self.digest}


def _or_forms(lemmas: pa.Array, forms: pa.Array) -> pa.Array:
    return pc.coalesce(lemmas.cast(pa.large_string()), forms.cast(pa.large_string()))


_OPENED: dict[tuple[str, str], Concreteness] = {}
_OPENING = threading.Lock()


def _opened(predictor: PredictedConcreteness) -> Concreteness:
    key = (predictor.folder, predictor.digest)
    with _OPENING:
        if key not in _OPENED:
            model = open_concreteness(predictor.folder)
            if model.digest != predictor.digest:
                raise LexbeamError(
                    f"the model {predictor.folder} changed while it was used: run the same command again"
                )
            _OPENED[key] = model
        return _OPENED[key]


def predictor_of(folder: str, below: float | None) -> Predictor:
    """Return what a model in a folder predicts.

    Args:
        folder: of `lexbeam cloze abstractness`.
        below: the threshold; None: that of the model.

    Raises:
        LexbeamError: there is no such model.
    """
    model = open_concreteness(folder)
    predictor = PredictedConcreteness(folder, model.digest, model.below if below is None else below, model.language)
    with _OPENING:
        _OPENED[folder, model.digest] = model
    return predictor
