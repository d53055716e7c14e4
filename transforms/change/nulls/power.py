"""What trials have found: of words whose uses were swapped, how many, by uses and by the share that was swapped.

Documents were dealt out to two slices at random, so that nothing had changed, and pairs of nouns, or verbs, of about
equal frequency swapped a share of their uses in one (docs/tasks/change/evidence.md has commands and tables).
A word counts as found if both p-values, times all words that were tested, are up to .05: so it would have been found
had it changed alone, and has not profited from others that changed with it.
"""

from collections.abc import Mapping
from typing import NamedTuple


class PowerTrial(NamedTuple):
    """What a corpus has shown.

    Attributes:
        texts: what it is made of, for people.
        found: by share swapped and least uses of a class: words found, and words.
    """

    texts: str
    found: Mapping[float, Mapping[int, tuple[int, int]]]


# Words found, and words, by share of uses swapped and least uses in the smaller slice.
TRIALS = (
    PowerTrial(
        "40 English novels",
        {
            1.0: {50: (3, 9), 100: (5, 12), 200: (9, 12), 400: (5, 8), 800: (2, 3)},
            0.5: {50: (0, 14), 100: (0, 9), 200: (0, 11), 400: (3, 12), 800: (1, 4)},
        },
    ),
    PowerTrial(
        "143 speeches of presidents",
        {
            1.0: {50: (6, 7), 100: (6, 6), 200: (9, 10), 400: (8, 8), 800: (2, 2)},
            0.5: {50: (0, 5), 100: (1, 7), 200: (3, 11), 400: (4, 6), 800: (2, 4)},
        },
    ),
)


def uses_needed(trial: PowerTrial, share: float) -> int | None:
    """Return the least uses from which on at least half of the words were found, in every class; None for no class.

    >>> uses_needed(PowerTrial("", {0.5: {50: (1, 8), 100: (4, 8), 200: (3, 8), 400: (5, 8), 800: (8, 8)}}), 0.5)
    400
    """
    needed = None
    for least, (found, words) in sorted(trial.found[share].items(), reverse=True):
        if 2 * found < words:
            break
        needed = least
    return needed


def most_tried(share: float) -> int:
    """Return the least uses of the class with most uses of which this share was swapped."""
    return max(least for trial in TRIALS for least in trial.found[share])
