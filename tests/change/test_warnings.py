import doctest

from transforms.change import warnings as module
from transforms.change.warnings import slice_warnings


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
