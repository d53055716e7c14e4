from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.cloze.filters.candidate_panels import HistogramScale, histograms, left_over

VALUES = st.lists(
    st.tuples(st.sampled_from("ab"), st.none() | st.floats(-2, 2), st.none() | st.booleans()), max_size=40
)


@given(VALUES)
def test_bars_count_what_has_a_value_and_a_verdict(rows):
    kinds, values, verdicts = zip(*rows, strict=True) if rows else ((), (), ())
    table = pa.table(
        {
            "kind": pa.array(kinds, pa.string()),
            "static_value": pa.array(values, pa.float64()),
            "static_passed": pa.array(verdicts, pa.bool_()),
        }
    )
    bars = histograms(table, "static", HistogramScale(-1, 1, 8, ""))
    expected = Counter()
    edges = np.linspace(-1, 1, 9)
    for kind, value, verdict in rows:
        if value is not None and verdict is not None:
            bar = sum(value >= edge for edge in edges[1:-1])
            expected[kind, verdict, bar] += 1
    assert {
        (kind, verdict, bar): count
        for (kind, verdict), counts in bars.items()
        for bar, count in enumerate(counts)
        if count
    } == dict(expected)


def test_what_is_left_after_each_filter():
    counts = [
        {"kind": "a", "filter": "all", "words": 10, "reasons": 7},
        {"kind": "a", "filter": "pos", "words": 10, "reasons": 4},
        {"kind": "a", "filter": "lemma", "words": 10, "reasons": 3},
        {"kind": "b", "filter": "all", "words": 10, "reasons": 0},
    ]
    assert list(left_over(counts)) == [
        ("a", "words of summaries", 10),
        ("a", "pos", 6),
        ("a", "lemma", 3),
        ("b", "words of summaries", 10),
    ]
