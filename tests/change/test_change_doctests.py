import doctest
import importlib

import pytest

MODULES = [
    "transforms.change.scores.measures",
    "transforms.change.scores.thresholds",
    "transforms.change.view.slices",
    "transforms.change.view.targets",
    "transforms.change.view.words",
    "transforms.embeddings.alignment",
    "transforms.embeddings.neighbours",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0
