"""Sums of Gaussian kernels, against scikit-learn's own support vector regression."""

import numpy as np
import pytest

from lexbeam.transforms.common.rowwise import gaussian_sums


def test_it_predicts_what_scikit_learn_does():
    svm = pytest.importorskip("sklearn.svm")
    rows = np.random.default_rng(1).normal(size=(40, 5))
    how = svm.SVR(gamma=0.3, C=2.0).fit(rows[:30], np.sin(rows[:30]).sum(axis=1))
    own = gaussian_sums(rows, how.support_vectors_, how.dual_coef_[0], 0.3) + how.intercept_[0]
    np.testing.assert_allclose(own, how.predict(rows), atol=1e-10)


def test_without_vectors_it_is_nothing():
    nothing = gaussian_sums(np.ones((3, 2)), np.zeros((0, 2)), np.zeros(0), 1.0)
    assert nothing.tolist() == [0.0, 0.0, 0.0]
