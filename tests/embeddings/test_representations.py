"""The registry of representations: what options go with which."""

import re

import numpy as np
import pytest
from scipy.sparse import csr_array

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.embeddings.counted_vectors import Cooccurrences, ppmi, truncated_svd
from lexbeam.transforms.embeddings.representations import REPRESENTATIONS, RepresentationOptions, represent
from lexbeam.transforms.embeddings.spaces import dense

CONTEXTS = Cooccurrences(["a", "b", "c"], csr_array(np.array([[0, 3, 1], [3, 2, 0], [1, 0, 4]])))


def options(**given):
    return RepresentationOptions(**{"shift": 1.0, "nonzero": 2, "dim": 2, **given})


def can_make(name):
    """Whether a representation can be made here: GloVe may not be compiled."""
    try:
        REPRESENTATIONS[name].check_installed("it")
    except UsageError:
        return False
    return True


def test_svd_is_that_of_ppmi_whatever_the_seed():
    found = represent(CONTEXTS, 1, options(representation="svd", gamma=0.5))
    expected = truncated_svd(ppmi(CONTEXTS.counts, smoothing=0.75, shift=1.0), dim=2, gamma=0.5)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(represent(CONTEXTS, 2, options(representation="svd", gamma=0.5)), expected)


def test_spaces_differ_by_seed_exactly_where_the_registry_says_so():
    made = {name: entry for name, entry in REPRESENTATIONS.ours().items() if entry.make is not None and can_make(name)}
    for name, entry in made.items():
        first, second = (represent(CONTEXTS, seed, options(representation=name, dim=30, nonzero=10)) for seed in (1, 2))
        assert (dense(first) != dense(second)).any() == entry.chance, name


def test_trained_spaces_are_not_made_of_counts():
    with pytest.raises(UsageError, match="representation 'sgns' is trained"):
        represent(CONTEXTS, 1, options(representation="sgns"))


@pytest.mark.parametrize(
    ("name", "other", "told"),
    [
        ("svd", {"seeds": 3}, "no chance in `representation` svd, so that 3 seeds"),
        ("count", {"seeds": 2}, "no chance in `representation` count"),
        ("ppmi", {"alignments": ("op",)}, "`alignment` op does not go with `representation` ppmi, whose dimensions"),
        ("ppmi", {"alignments": ("none",)}, "are words: take column-intersection"),
        ("svd", {"alignments": ("column-intersection",)}, "whose dimensions are no words: take op or op-"),
        ("svd", {"shards": 2}, "`shards` 2: `representation` svd is not trained but counted"),
        ("ri", {"dim": 1}, "`nonzero` 2: a random vector has `dim` 1 places"),
    ],
)
def test_what_says_nothing_of_a_representation_is_refused(name, other, told):
    with pytest.raises(UsageError, match=re.escape(told)):
        options(representation=name).check_goes_with(**{"alignments": (), "seeds": 1, "shards": 1, "dim": 9, **other})


def test_what_goes_with_a_representation_is_taken():
    for name, seeds, shards in (("sgns", 3, 2), ("svd", 1, 1), ("ri", 3, 1), ("ppmi", 1, 1)):
        chosen = options(representation=name)
        alignments = REPRESENTATIONS[name].alignments
        chosen.check_goes_with(alignments=alignments, seeds=seeds, shards=shards, dim=2)
