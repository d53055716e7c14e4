"""Partial correlations: what two columns have in common beyond others, in many resamples at once.

Both columns are regressed on the controls, and the residuals correlated. The regression is done by taking the controls
away one after another (modified Gram-Schmidt), in sums of an order that hangs on no number of threads.

>>> import numpy as np
>>> rows = np.array([[1.0, 2, 3, 4], [2, 1, 4, 3], [1, 1, 2, 2]])[:, None]
>>> partial_correlations(rows[0], rows[1], [rows[2]], np.ones((1, 4))).round(6).tolist()
[-1.0]
"""

from collections.abc import Sequence

import numpy as np

from lexbeam.transforms.evaluation.outcomes import Floats

COLLINEAR = 1e-9  # of a column's squares: what is left of it where the controls say all of it


def partial_correlations(first: Floats, second: Floats, controls: Sequence[Floats], weights: Floats) -> Floats:
    """Return the correlation of what controls leave of two columns, -1 to 1, a number for each resample.

    All arrays are of shape (resamples, instances); a column may also have one row for all resamples. What the controls
    say all of, as they do of a constant, leaves nothing to correlate: nan. A control that the others say all of
    adds nothing.

    Args:
        first: a column.
        second: the other one.
        controls: the controls.
        weights: how often each instance occurs in each resample.
    """
    sizes = np.maximum(weights.sum(axis=1), 1)
    columns = [_centred(column, weights, sizes) for column in (*controls, first, second)]
    least = [COLLINEAR * _products(column, column, weights) for column in columns]
    for place in range(len(controls)):
        control = columns[place]
        squares = _products(control, control, weights)
        for behind in range(place + 1, len(columns)):
            slope = np.zeros(len(squares))
            known = squares > least[place]
            np.divide(_products(control, columns[behind], weights), squares, out=slope, where=known)
            columns[behind] = columns[behind] - slope[:, None] * control
    x, y = columns[-2:]
    of_x, of_y = (_products(column, column, weights) for column in (x, y))
    found = np.full(len(sizes), np.nan)
    sound = (of_x > least[-2]) & (of_y > least[-1])
    np.divide(_products(x, y, weights), np.sqrt(of_x * of_y), out=found, where=sound)
    return np.asarray(np.clip(found, -1, 1), np.float64)


def _centred(column: Floats, weights: Floats, sizes: Floats) -> Floats:
    means = np.einsum("bi,bi->b", np.broadcast_to(column, weights.shape), weights) / sizes
    return np.asarray(column - means[:, None], np.float64)


def _products(first: Floats, second: Floats, weights: Floats) -> Floats:
    return np.asarray(np.einsum("bi,bi,bi->b", weights, first, second), np.float64)
