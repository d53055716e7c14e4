import doctest
from math import nan

import pytest

from transforms.change.shown import warnings as module
from transforms.change.shown.warnings import frequency_warning, overlap_warnings, size_warnings, slice_warnings


def row(tokens, share=0.1, name="s"):
    return {"slice": name, "tokens": tokens, "largest_document_share": share}


def test_like_slices_raise_no_warning():
    assert slice_warnings([row(100), row(500, 0.2)], 0) == []


def test_a_slice_that_one_document_rules_is_named():
    (warning,) = slice_warnings([row(100, 0.21, "old"), row(100)], 0)
    assert warning == "slice old: one document has 21 % of the tokens"


def test_slices_of_unlike_sizes():
    (warning,) = slice_warnings([row(100), row(501)], 0)
    assert "fivefold" in warning
    assert "100 to 501 tokens" in warning
    assert warning.endswith("to the smallest slice evens them out (`max_tokens`)")


def test_an_empty_slice_is_unlike_any_other():
    assert len(slice_warnings([row(0), row(1)], 0)) == 1


def test_documents_outside():
    assert slice_warnings([row(1)], 3) == ["3 documents lie outside all slices"]


def test_doctests():
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("earlier", "later", "told"),
    [(-0.35, 0.9, None), (-0.36, 0.9, "-0.36"), (0.1, -0.5, "-0.50"), (nan, -0.5, "-0.50"), (nan, nan, None)],
)
def test_scores_that_fall_with_frequency(earlier, later, told):
    found = frequency_warning("a to b", "score", earlier, later)
    assert len(found) == (told is not None)
    assert all(f"log count {told})" in line for line in found)


@pytest.mark.parametrize(("common", "warned"), [(24, True), (25, False)])
def test_alignments_whose_first_fifty_overlap_by_less_than_half(common, warned):
    one = [f"w{n}" for n in range(80)]
    other = [*one[50 - common : 50], *(f"v{n}" for n in range(80))]
    found = overlap_warnings("a to b", {"op": one, "cca": other})
    assert len(found) == warned
    assert all(f"{common} of their first 50" in line for line in found)
    assert overlap_warnings("a to b", {"op": one}) == []
    assert overlap_warnings("a to b", {"op": one, "cca": []}) == []


def test_pairs_too_small_for_findings():
    facts = {"null_unit": "author", "clusters_from": 4, "clusters_to": 30, "ranked": 500}
    assert size_warnings("a to b", {}) == size_warnings("a to b", facts) == []
    assert size_warnings("a to b", {"finding": "no_null", "ranked": 400}) == []
    (few,) = size_warnings("a to b", {**facts, "finding": "too_few_clusters", "low_power": True})
    assert few.startswith("a to b: no finding possible at this size: the slices have 4 and 30 auth")
    (low,) = size_warnings("a to b", {**facts, "null_unit": "document", "low_power": True})
    assert low.startswith("a to b: low power: with 4 and 30 documents")
