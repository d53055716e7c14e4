import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.change.view.slices import (
    ENOUGH,
    LEAST,
    Slice,
    filled_slices,
    lacking,
    parse_slices,
    per_slice,
    propose_slices,
    slice_of,
    slice_pairs,
    span_name,
    with_hyphens,
)
from lexbeam.transforms.common.errors import LexbeamError, UsageError


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("bc=..-1,ad=0..", [("bc", None, -1), ("ad", 0, None)]),
        ("1810-1860,1960-2010", [("1810-1860", 1810, 1860), ("1960-2010", 1960, 2010)]),
        ("-100..-1,0..200", [("-100..-1", -100, -1), ("0-200", 0, 200)]),
        ("1960..2010 , early = 1810 - 1860", [("early", 1810, 1860), ("1960-2010", 1960, 2010)]),
        ("..1850,1851", [("..1850", None, 1850), ("1851", 1851, 1851)]),
        ("1852..", [("1852..", 1852, None)]),
        ("..", [("..", None, None)]),
        ("-49..+17", [("-49..17", -49, 17)]),
        ("1810\u20131860, b = 1960 \u2013 2010", [("1810-1860", 1810, 1860), ("b", 1960, 2010)]),
    ],
)
def test_reads_spans_and_sorts_them_by_time(spec, expected):
    assert list(parse_slices(spec)) == [Slice(*fields) for fields in expected]


@pytest.mark.parametrize(
    ("spec", "cause"),
    [
        ("1800-1850,1850-1900", "overlap"),
        ("..1850,..1900", "overlap"),
        ("1800..,1900-1950", "overlap"),
        ("1860-1810", "before it starts"),
        ("a=1800-1850,a=1900-1950", "twice"),
        ("", "not a span"),
        ("1800-1850,", "not a span"),
        ("eighteen", "not a span"),
        ("1800-1850-1900", "not a span"),
        ("=1800-1850", "empty name"),
        ("every 0", "at least 1"),
        ("every 20", "dated"),
        ("every twenty", "not a span"),
    ],
)
def test_bad_specs_are_usage_errors(spec, cause):
    with pytest.raises(UsageError, match=cause):
        parse_slices(spec)


def test_every_counts_from_multiples_and_rounds_down_before_year_0():
    slices = parse_slices("every 20", years=(-21, 20))
    assert [tuple(s) for s in slices] == [
        ("-40..-21", -40, -21),
        ("-20..-1", -20, -1),
        ("0-19", 0, 19),
        ("20-39", 20, 39),
    ]
    with pytest.raises(UsageError, match="longer"):
        parse_slices("every 1", years=(-1000, 2000))


def test_an_en_dash_is_a_hyphen_between_digits_alone():
    assert with_hyphens("a\u2013b=1810\u20131860") == "a\u2013b=1810-1860"
    with pytest.raises(UsageError, match="not a span"):
        parse_slices("\u20131860")


def test_slices_are_filled_or_left_out_where_they_were_not_named():
    years = {1801, 1845, 1903}
    assert [s.name for s in filled_slices("every 20", years)] == ["1800-1819", "1840-1859", "1900-1919"]
    assert len(filled_slices("1800-1850,1900-1910", years)) == 2
    with pytest.raises(LexbeamError, match=r"'1860-1900' has no document: .* 1801 to 1903"):
        filled_slices("1800-1850,1860-1900", years)
    with pytest.raises(LexbeamError, match="no document has a year"):
        filled_slices("1800-1850", ())


@pytest.mark.parametrize(
    ("spec", "years", "told"),
    [
        ("1800-1850,1900-1910", {1801, 1903}, None),
        ("every 20", {1801, 1903}, None),
        ("every 20", {1801, 1802}, None),  # nothing is compared, then
        ("1800-1850,1900-1910", {1801}, "has no document"),
        ("1800-1850,1900-1910", set(), "no document has a year"),
        ("1800-1850", {1801}, "at least two slices"),
    ],
)
def test_says_what_years_lack_for_slices(spec, years, told):
    found = lacking(years, spec=spec)
    assert found is None if told is None else told in found


@given(st.integers(-3000, 3000), st.integers(0, 500))
def test_a_span_is_named_as_it_is_read(start, more):
    name = span_name(start, start + more)
    assert parse_slices(name) == (Slice(name, start, start + more),)


@given(st.text(max_size=20))
def test_any_text_gives_slices_or_a_usage_error(spec):
    try:
        slices = parse_slices(spec, years=(0, 10))
    except UsageError:
        return
    assert all(s.start is None or s.end is None or s.start <= s.end for s in slices)


@given(st.integers(1, 50), st.integers(-300, 300), st.integers(0, 300))
def test_every_year_of_the_corpus_falls_into_one_slice_of_every(step, first, more):
    slices = parse_slices(f"every {step}", years=(first, first + more))
    for year in {first, first + more // 2, first + more}:
        place = slice_of(year, slices)
        assert place is not None
        assert slices[place].start % step == 0
        assert slices[place].start <= year < slices[place].start + step


def test_years_outside_and_no_year_are_in_no_slice():
    slices = parse_slices("1810-1860,1960-2010")
    years = [1809, 1810, 1860, 1861, 1960, 2010, 2011, None]
    assert [slice_of(y, slices) for y in years] == [None, 0, 0, None, 1, 1, None, None]


def test_pairs():
    slices = parse_slices("every 10", years=(0, 39))
    assert slice_pairs(slices) == ((0, 1), (1, 2), (2, 3))
    assert slice_pairs(slices, "first") == ((0, 1), (0, 2), (0, 3))
    assert slice_pairs(slices, "all") == ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    with pytest.raises(UsageError, match="consecutive"):
        slice_pairs(slices, "consecutiv")
    with pytest.raises(UsageError, match="two slices"):
        slice_pairs(slices[:1])


def test_one_value_serves_all_slices_and_another_length_is_an_error():
    slices = parse_slices("..-1,0..")
    assert per_slice([5], slices) == [5, 5]
    assert per_slice([1, 6], slices) == [1, 6]
    for values in ([], [1, 2, 3], [0]):
        with pytest.raises(UsageError, match="`min_count`"):
            per_slice(values, slices)


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
