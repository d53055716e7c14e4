"""How often predicted classes are right. The positive class is True (or 1)."""

import numpy as np

from transforms.evaluation.outcomes import Bools, Floats, Ints, Outcome, Terms

__all__ = ["accuracy", "expected_accuracy", "f1", "precision", "recall"]


def accuracy(gold: Bools, predicted: Bools) -> Outcome:
    """Return the share of instances whose class is right, 0 to 1."""
    return Terms((gold == predicted).astype(np.float64), np.ones(len(gold)))


def expected_accuracy(gold: Ints, chances: Floats) -> Outcome:
    """Return the accuracy that is expected of draws, 0 to 1: the mean chance of the right class.

    Args:
        gold: the right class of each instance, from 0.
        chances: how probable each class is drawn, (instances, classes); rows add up to 1. Ties
            that are shared evenly so count exactly.
    """
    return Terms(chances[np.arange(len(gold)), gold], np.ones(len(gold)))


def precision(gold: Bools, predicted: Bools) -> Outcome:
    """Return the share of gold positives among predicted ones; undefined without any."""
    gold, predicted = gold.astype(bool), predicted.astype(bool)
    right = (gold & predicted).astype(np.float64)
    return Terms(right, predicted.astype(np.float64), "no_positive_predicted")


def recall(gold: Bools, predicted: Bools) -> Outcome:
    """Return the share of predicted positives among gold ones; undefined without any."""
    gold, predicted = gold.astype(bool), predicted.astype(bool)
    right = (gold & predicted).astype(np.float64)
    return Terms(right, gold.astype(np.float64), "no_positive_gold")


def f1(gold: Bools, predicted: Bools) -> Outcome:
    """Return the harmonic mean of precision and recall: 2 right / (predicted + gold positives)."""
    gold, predicted = gold.astype(bool), predicted.astype(bool)
    right = (gold & predicted).astype(np.float64)
    both = gold.astype(np.float64) + predicted.astype(np.float64)
    return Terms(2 * right, both, "no_positive")
