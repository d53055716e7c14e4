"""What needs no reading to choose an option: chance, word frequency, absence from the passage.

A baseline gives each option the probability that it chooses it, so that ties are exact: the
expected accuracy of a question is the probability of the right option, and nothing is drawn.

- `chance`: every option alike.
- `most_frequent`, `rarest`: the most frequent option, the least frequent one, ties alike.
- `absent`: the options that do not stand in the passage, by form, alike. A target never does stand
  there, by the lemma filter; a wrong option may, which is a short cut.

>>> most_frequent(np.array([[4.5, 3.0, 4.5, np.nan, 1.0]])).tolist()
[[0.5, 0.0, 0.5, 0.0, 0.0]]
>>> absent(stand_in_passage("The dog's well-kept house.", ["dog", "kept", "cat", "home"])[None])
array([[0. , 0. , 0.5, 0.5]])
"""

import re
from collections.abc import Sequence

import numpy as np

from lexbeam.transforms.annotation.engines.engine import plain_tokens
from lexbeam.transforms.common.texts.apostrophes import straight
from lexbeam.transforms.evaluation.metrics import Metric, expected_accuracy
from lexbeam.transforms.evaluation.outcomes import Bools, Floats

ACCURACY = Metric(expected_accuracy, "classes", doc="expected share of right answers")

_WITHIN = re.compile("[-'’\u2010]+")  # what joins the parts of a plain token


def alike(chosen: Bools) -> Floats:
    """Return the probabilities of options of which those that are chosen are drawn alike.

    Args:
        chosen: options, (questions, options); where none is chosen all are drawn.

    Returns:
        Probabilities, of the same shape; each row adds up to 1.
    """
    drawn = np.where(chosen.any(axis=1, keepdims=True), chosen, True)
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def chance(questions: int, options: int = 5) -> Floats:
    """Return the probabilities of options that are all drawn alike, (questions, options)."""
    return alike(np.ones((questions, options), bool))


def most_frequent(frequencies: Floats) -> Floats:
    """Return the probabilities of options of which the most frequent is chosen, ties alike.

    Args:
        frequencies: of each option, on any scale that rises with frequency, (questions, options);
            NaN: a word that is not listed, rarer than all that are.

    Returns:
        Probabilities, of the same shape; each row adds up to 1.
    """
    known = np.where(np.isnan(frequencies), -np.inf, frequencies)
    return alike(known == known.max(axis=1, keepdims=True))


def rarest(frequencies: Floats) -> Floats:
    """Return the probabilities of options of which the least frequent is chosen, ties alike.

    Args:
        frequencies: as of `most_frequent`.

    Returns:
        Probabilities, of the same shape; each row adds up to 1.
    """
    known = np.where(np.isnan(frequencies), -np.inf, frequencies)
    return alike(known == known.min(axis=1, keepdims=True))


def absent(in_passage: Bools) -> Floats:
    """Return the probabilities of options of which one is chosen that is not in the passage.

    Args:
        in_passage: whether each option stands in its passage, (questions, options).

    Returns:
        Probabilities, of the same shape; each row adds up to 1. Where all options stand in the
        passage, all are alike.
    """
    return alike(~in_passage)


def stand_in_passage(passage: str, options: Sequence[str]) -> Bools:
    """Return which options stand in a passage by their form, without regard to case.

    What is compared are runs of letters, digits and marks, and signs: `dog` stands in `dog's` and
    in `hot-dog`, not in `dogs`. An option of several of them stands there as it is, in a row.
    """
    text = _spelled(passage)
    return np.array([(spelled := _spelled(word)) != "  " and spelled in text for word in options], bool)


def _spelled(text: str) -> str:
    """Return the folded parts of a text's tokens, with a blank around each."""
    parts = (part for form in plain_tokens(straight(text)).forms or () for part in _WITHIN.split(form) if part)
    return f" {' '.join(parts)} ".casefold()


def subset_of(kind: str, trained_on: str | None) -> str:
    """Return what answers to questions of a kind are called.

    >>> subset_of("nonspecificity", None), subset_of("nonspecificity", "imperceptibility")
    ('nonspecificity', 'nonspecificity from imperceptibility')
    """
    return kind if trained_on in (None, "", kind) else f"{kind} from {trained_on}"
