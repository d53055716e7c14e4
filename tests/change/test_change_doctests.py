import doctest
import importlib

import pytest

MODULES = ["alignment", "measures", "neighbours", "slicing", "targets", "thresholds", "words"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    results = doctest.testmod(importlib.import_module(f"transforms.change.{name}"))
    assert results.attempted > 0
    assert results.failed == 0
