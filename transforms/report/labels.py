"""Which labels of points can be written without covering one another.

>>> import numpy as np
>>> free_labels(np.array([0.0, 0.1, 9.0]), np.array([0.0, 0.0, 5.0]), {1: "two", 0: "one"})
{1: 'two'}
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

__all__ = ["free_labels"]

Floats = npt.NDArray[np.float64]

# Pixels: of a chart as wide as a narrow page has it, and of its letters.
WIDTH, HEIGHT = 800, 380
LETTER, LINE = 6.5, 13


def free_labels(x: Floats, y: Floats, labels: Mapping[int, str]) -> dict[int, str]:
    """Return the labels that can be written: those that cover none that comes before.

    Args:
        x, y: where all points of a chart are, on the scales of its axes.
        labels: by place of the point, to its right; the most important first.
    """
    left, top = _pixels(x, WIDTH), _pixels(y, HEIGHT)
    free: dict[int, str] = {}
    for place, text in labels.items():
        end = left[place] + LETTER * len(text)
        covers = (
            left[place] < left[other] + LETTER * len(written)
            and left[other] < end
            and abs(top[place] - top[other]) < LINE
            for other, written in free.items()
        )
        if not any(covers):
            free[place] = text
    return free


def _pixels(values: Floats, pixels: int) -> Floats:
    if not len(values):
        return values
    low, high = values.min(), values.max()
    return (values - low) / (high - low) * pixels if high > low else np.zeros(len(values))
