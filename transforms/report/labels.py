"""Which labels of points can be written without covering one another.

>>> import numpy as np
>>> free_labels(np.array([0.0, 0.1, 9.0]), np.array([0.0, 0.0, 5.0]), {1: "two", 0: "one"})
{1: 'two'}
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# Pixels: of a chart on a screen, and of its letters.
WIDTH, HEIGHT = 800, 380
NARROW = 330  # of a chart on a telephone
LETTER, LINE = 6.5, 13


def free_labels(x: Floats, y: Floats, labels: Mapping[int, str], *, width: int = WIDTH) -> dict[int, str]:
    """Return the labels that can be written: those that cover none that comes before.

    Args:
        x, y: where all points of a chart are, on the scales of its axes.
        labels: by place of the point, to its right, or to its left where that would leave the chart; the most
            important first.
        width: of the chart, in pixels.
    """
    across, top = _pixels(x, width), _pixels(y, HEIGHT)
    free: dict[int, str] = {}
    ends: list[tuple[float, float, float]] = []
    for place, text in labels.items():
        size = LETTER * len(text)
        left = across[place] - size * (across[place] + size > width)
        if not any(left < end and start < left + size and abs(top[place] - at) < LINE for start, end, at in ends):
            free[place] = text
            ends.append((left, left + size, top[place]))
    return free


def _pixels(values: Floats, pixels: int) -> Floats:
    if not len(values):
        return values
    low, high = values.min(), values.max()
    return (values - low) / (high - low) * pixels if high > low else np.zeros(len(values))
