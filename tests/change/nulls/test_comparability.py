"""How far slices differ, against figures worked out by hand."""

import tracemalloc

import numpy as np
import pytest

from lexbeam.transforms.change.scores.null_deals import comparability, mixture, source_group

PLACES = np.array([0, 0, 0, 1, 1])
TOKENS = np.array([10, 20, 70, 50, 50])


@pytest.mark.parametrize(
    ("source", "position", "group"),
    [
        ("politics/2004/a1.txt", "", "politics/#"),
        ("a.txt", "", ""),
        ("sport.csv", "row 7", "sport.csv"),
        ("news.zip!sport/b1.txt", "", "news.zip!sport"),
        ("news.zip!b1.txt", "", "news.zip!"),
        ("news2004.tar.gz!x/all.jsonl", "9", "news#.tar.gz!x/all.jsonl"),
    ],
)
def test_documents_of_a_folder_or_a_file_are_of_one_source(source, position, group):
    assert source_group(source, position) == group


def test_mixtures_are_compared_by_tokens():
    found = mixture(["law", "", "news", "news", "letter"], PLACES, TOKENS)
    # law .1 and 0, none .2 and 0, news .7 and .5, letter 0 and .5
    assert found.distance == pytest.approx((0.1 + 0.2 + 0.2 + 0.5) / 2)
    assert (found.value, found.shares) == ("letter", (0.0, 0.5))
    assert mixture(["x"] * 5, PLACES, TOKENS).distance == 0
    assert mixture([""] * 5, PLACES, TOKENS) is None


def test_one_long_value_does_not_cost_its_length_for_every_document():
    values = ["x" * 20_000, *(f"news/{number % 50}" for number in range(1999))]
    tracemalloc.start()
    found = mixture(values, np.arange(2000) % 2, np.ones(2000, np.int64))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Odd numbers of news stand in one slice, even ones in the other.
    assert found.distance == pytest.approx(1)
    assert peak < 1_000_000


def test_authors_and_lengths_are_told():
    found = comparability(
        genres=[""] * 5,
        sources=["a", "a", "a", "b", "b"],
        authors=np.array([1, 2, 0, 2, 3], np.uint64),
        known=np.array([True, True, False, True, True]),
        places=PLACES,
        tokens=TOKENS,
    )
    assert found.genre is None
    assert (found.source.distance, found.source.value, found.source.shares) == (1.0, "a", (1.0, 0.0))
    assert (found.authors, found.authors_both, found.unsigned) == ((2, 2), 1, 1)
    # Author 2 has 20 of the 30 tokens that have an author, and 50 of 100.
    assert found.shares_both == (pytest.approx(2 / 3), 0.5)
    assert found.author_shares == (pytest.approx(0.2), pytest.approx(0.5))
    assert found.lengths == (20.0, 50.0)


def test_slices_of_nobody_are_no_error():
    none = np.zeros(0, np.int64)
    found = comparability(
        genres=[], sources=[], authors=none.astype(np.uint64), known=none.astype(bool), places=none, tokens=none
    )
    assert (found.authors, found.author_shares, found.lengths) == ((0, 0), (0.0, 0.0), (0.0, 0.0))
    assert found.shares_both == (None, None)
