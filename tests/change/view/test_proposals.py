import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.change.view.slices import ENOUGH, LEAST, parse_slices, propose_slices, slice_of

CORPORA = st.dictionaries(st.integers(-60, 60), st.tuples(st.integers(0, 30), st.integers(0, 900)), max_size=12)


def by_hand(corpus):
    """The rule, from lists of documents: every cut tried, and all of them sorted."""
    dated = [(year, size / n) for year, (n, size) in corpus.items() for _ in range(n)]
    years = sorted({year for year, _ in dated})
    tried = []
    for before, after in itertools.pairwise(years):
        left = [size for year, size in dated if year <= before]
        right = [size for year, size in dated if year >= after]
        tried.append((before, after, len(left), len(right), sum(left), sum(right)))
    for least in (20, 10):
        usable = [cut for cut in tried if min(cut[2:4]) >= least]
        if usable:
            break
    else:
        return None
    if not sum(usable[0][4:]):
        return None
    span = years[-1] - years[0] + 1
    in_gaps = [cut for cut in usable if min(cut[4:]) >= 0.4 * sum(cut[4:]) and cut[1] - cut[0] - 1 >= 0.1 * span]

    def unevenness(cut):
        return round(abs(cut[4] - cut[5]), 6)

    def gap(cut):
        return cut[1] - cut[0]

    if in_gaps:
        best = sorted(in_gaps, key=lambda cut: (-gap(cut), unevenness(cut), cut[0]))[0]
    else:
        best = sorted(usable, key=lambda cut: (unevenness(cut), -gap(cut), cut[0]))[0]
    return (years[0], best[0]), (best[1], years[-1]), best[2:4]


@pytest.mark.parametrize(("early", "said"), [(40, "about equal size"), (39, "different size"), (90, "different size")])
def test_sizes_are_said_to_be_equal_only_if_they_are(early, said):
    found = propose_slices({1800: LEAST, 1900: LEAST}, {1800: early, 1900: 100 - early})
    assert (min(found.tokens), found.sizes) == (min(early, 100 - early), said)


@given(CORPORA)
def test_proposes_what_the_rule_says(corpus):
    found = propose_slices(
        {year: n for year, (n, _) in corpus.items()}, {year: size if n else 0 for year, (n, size) in corpus.items()}
    )
    expected = by_hand(corpus)
    if expected is None:
        assert not found.slices
        assert found.reason
        return
    assert found.reason == ""
    assert tuple((one.start, one.end) for one in found.slices) == expected[:2]
    assert found.documents == expected[2]
    assert parse_slices(found.spec) == found.slices
    for year, (n, _) in corpus.items():
        assert not n or slice_of(year, found.slices) is not None


def test_a_gap_is_skipped_only_where_both_sides_are_about_as_large():
    years = {1800 + n: 4 for n in range(20)} | {1900 + n: 4 for n in range(20)}
    assert propose_slices(years, years).spec == "1800-1819,1900-1919"
    lopsided = years | {1900 + n: 40 for n in range(20)}
    assert propose_slices(lopsided, lopsided).spec == "1800-1908,1909-1919"


def test_documents_count_before_tokens():
    documents = dict.fromkeys(range(1800, 1860), 1)
    tokens = dict.fromkeys(documents, 10) | {1800: 10_000}
    found = propose_slices(documents, tokens)
    assert found.documents == (ENOUGH, 60 - ENOUGH)


@pytest.mark.parametrize(
    ("documents", "told"),
    [
        ({}, "no document has a date"),
        ({1800: 1}, "only 1 document has a date"),
        ({1800: 9, 1900: 10}, "only 19 documents have a date, and each slice needs 10"),
        ({1800: 40}, "all 40 documents with a date are of the year 1800"),
        ({1800: 9, 1850: 50}, f"into sides of {LEAST}"),
    ],
)
def test_says_why_there_are_no_slices(documents, told):
    assert told in propose_slices(documents, documents).reason


def test_without_tokens_there_are_no_slices():
    assert propose_slices({1800: 20, 1900: 20}, {}).reason == ("the documents with a date have no tokens")
