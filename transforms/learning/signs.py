"""Signs of principal components: solvers give either of the two."""

import numpy as np
import numpy.typing as npt


def with_fixed_signs(components: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return components, (columns, components), with signs such that the greatest number of each is positive."""
    greatest = np.abs(components).argmax(axis=0)
    signs = np.sign(components[greatest, np.arange(components.shape[1])])
    return np.asarray(components * np.where(signs == 0, 1.0, signs))
