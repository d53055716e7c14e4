import doctest
import importlib

import pytest

MODULES = [
    "lexbeam.transforms.change.scores.measures",
    "lexbeam.transforms.change.scores.thresholds",
    "lexbeam.transforms.change.view.slices",
    "lexbeam.transforms.change.view.words",
    "lexbeam.transforms.change.view.words",
    "lexbeam.transforms.embeddings.alignment",
    "lexbeam.transforms.embeddings.neighbours",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0
