"""Inputs that are easily taken for something else mean what docs/running/hostile-input.md says."""

from pathlib import Path

import pytest
from hostile_meaning import meaning_row, read_meaning
from hostile_meanings import MEANINGS

DOC = Path(__file__).parents[2] / "docs" / "running" / "hostile-input.md"
ALL = [meaning for meanings in MEANINGS.values() for meaning in meanings]


@pytest.mark.parametrize("meaning", [pytest.param(m, id=f"{n}-{m.fed}") for n, m in enumerate(ALL)])
def test_an_input_means_what_the_document_says(meaning, tmp_path):
    assert read_meaning(meaning, tmp_path) == meaning.read
    assert meaning_row(meaning) in DOC.read_text("utf-8").splitlines()
