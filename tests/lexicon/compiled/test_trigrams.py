"""Trigrams of a language: probabilities of characters, and wordfreq's list where it is there."""

import math
from collections import defaultdict

import pyarrow as pa
import pytest

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.compiled import frequencies
from lexbeam.transforms.lexicon.compiled.frequencies import trigram_values
from lexbeam.transforms.lexicon.resource_cache import parse_spec
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare


def listed(*rows):
    return lambda language: pa.table({"word": [w for w, _ in rows], "value": [z for _, z in rows]})


def test_probabilities_by_hand(monkeypatch):
    monkeypatch.setattr(frequencies, "zipf_values", listed(("ab", 6.0), ("AC", 6.0), ("b", 5.0)))
    found = dict(zip(*trigram_values("en").to_pydict().values(), strict=True))
    # ab and ac are used ten times as often as b.
    assert found == pytest.approx(
        {
            "__a": math.log10(20 / 21),
            "__b": math.log10(1 / 21),
            "_ab": math.log10(1 / 2),
            "_ac": math.log10(1 / 2),
            "ab_": 0,
            "ac_": 0,
            "_b_": 0,
        }
    )
    assert list(found) == sorted(found)


def test_trigrams_that_no_list_can_hold_are_left_out(monkeypatch):
    monkeypatch.setattr(frequencies, "zipf_values", listed(("a b", 3.0), ("ab", 3.0)))
    assert trigram_values("en")["word"].to_pylist() == ["__a", "_ab", "ab_"]


def test_a_language_that_wordfreq_lacks(tmp_path):
    pytest.importorskip("wordfreq")
    assert parse_spec("t=trigrams:de").parsed.language == "de"
    with pytest.raises(LexbeamError, match="resource 't': wordfreq has no list"):
        prepare(LexiconOptions(resources=("t=trigrams:la",), cache=str(tmp_path)))


@pytest.mark.slow
def test_they_add_up_to_one(tmp_path):
    pytest.importorskip("wordfreq")
    found = trigram_values("es")
    total = defaultdict(float)
    for trigram, value in zip(*found.to_pydict().values(), strict=True):
        total[trigram[:2]] += 10**value
    assert len(total) > 500
    # But for those that no list can hold.
    assert max(total.values()) == pytest.approx(1)
    assert sum(abs(share - 1) < 1e-9 for share in total.values()) > 0.99 * len(total)
