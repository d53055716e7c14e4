"""Sheets, predictions and gold, broken by the hundred, are read or refused with the file's name."""

import pytest
from fuzzed_files import READERS, broken, outcome
from nets import ends


@pytest.mark.parametrize("inputs", [25, pytest.param(500, marks=pytest.mark.soak)])
def test_what_people_and_systems_fill_in_is_read_or_refused(inputs, tmp_path):
    wrong = {}
    for reader, filled in READERS.items():
        assert [outcome(reader, data, tmp_path) for data in filled.whole] == ["read"] * len(filled.whole), reader
        found = []
        for number in range(inputs):
            with ends(10):
                found.append(outcome(reader, broken(reader, 1, number), tmp_path))
            if found[-1] not in ("read", "refused"):
                wrong[reader, number] = found[-1]
        assert found.count("read") > 0, reader
    assert wrong == {}
