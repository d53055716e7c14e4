from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.corpora.corpus_panels import MOST_LINES, histogram, spans

YEARS = st.dictionaries(st.integers(-9999, 9999), st.integers(1, 50), max_size=60)


@given(YEARS)
def test_every_document_is_in_the_one_span_that_holds_its_year(documents):
    tokens = {year: 7 * number for year, number in documents.items()}
    found = spans(documents, tokens)
    assert len(found) <= MOST_LINES
    assert found == sorted(found)
    for span in found:
        inside = [year for year in documents if span.first <= year <= span.last]
        assert inside
        assert span.documents == sum(documents[year] for year in inside)
        assert span.tokens == 7 * span.documents
    assert sum(span.documents for span in found) == sum(documents.values())
    widths = {span.last - span.first + 1 for span in found}
    assert widths <= {10, 100, 1000}
    if widths == {100}:
        assert len(Counter(year // 10 for year in documents)) > MOST_LINES


def test_bars_are_in_proportion():
    lines = list(histogram({5: 1, 15: 2, 25: 1}, {5: 100, 15: 1000, 25: 1}, bar=10))
    assert lines == [
        "tokens per decade, documents in brackets",
        "   0 to  9  #             100 (1)",
        "  10 to 19  ##########  1,000 (2)",
        "  20 to 29  #               1 (1)",
    ]


def test_many_decades_are_centuries():
    years = dict.fromkeys(range(-200, 200, 10), 1)
    lines = list(histogram(years, years))
    assert lines[0].startswith("tokens per century")
    assert [line.split()[:3] for line in lines[1:]] == [
        ["-200", "to", "-101"],
        ["-100", "to", "-1"],
        ["0", "to", "99"],
        ["100", "to", "199"],
    ]


def test_nothing_is_drawn_without_dates_or_tokens():
    assert list(histogram({}, {})) == []
    assert "#" not in "".join(histogram({1800: 3}, {}))
