"""Thresholds from random words: which are drawn, and what their quantile is; batches of pairs."""

import numpy as np
import pyarrow as pa
import pytest
from asked import VEC, lexicon_in, pair, table
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.schemas.cloze import PAIRS
from lexbeam.transforms.cloze.filters.cloze_filter import COLUMNS, FilterSetting, batch_of, batches_of
from lexbeam.transforms.cloze.filters.similarity import (
    DRAWS,
    MeasureRandomWords,
    TakeThresholds,
    cutoff_of,
    parse_threshold,
)
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.tables import Part, read_table, write_part

WORDS = ["dog", "hound", "big", "goes", "qux", "."]


def rows(count):
    random = np.random.default_rng(3)
    return [pair(*(" ".join(random.choice(WORDS, 5)) for _ in range(2)), number) for number in range(count)]


def measured(folder, setting, parts, most):
    """Return the cosines that are drawn of parts, and their median as a threshold."""
    cutoff = cutoff_of((table(*part).select(["pair_id"]) for part in parts), most, seed=1)
    step = MeasureRandomWords(setting.lexicon, setting.encoder, ("static",), cutoff, 1)
    receipts = []
    for number, part in enumerate(parts):
        artefact = Artefact(str(folder / f"pairs{len(parts)}-{number}"))
        written = write_part(artefact, PAIRS.schema(), [table(*part)])
        receipts.append(make(Workspace(str(folder)), step, Part.of(PAIRS.name, number, written)))
    cosines = read_table([receipt.file.path for receipt in receipts])["static"].to_pylist()
    thresholds = make(Workspace(str(folder)), TakeThresholds({"static": 0.5}), tuple(receipts))
    return sorted(cosines, key=str), thresholds


def test_what_is_drawn_does_not_depend_on_parts_and_is_of_these_words(tmp_path):
    setting = FilterSetting(lexicon_in(tmp_path))
    every = rows(40)
    one, threshold = measured(tmp_path, setting, [every], 100)
    two, other = measured(tmp_path, setting, [every[:7], every[7:]], 100)
    assert one == two
    assert threshold == other
    assert len(one) == 100
    known = [value for value in one if value is not None]
    assert threshold.pairs == {"static": len(known)}
    assert threshold.cosines["static"] == pytest.approx(np.median(known))
    units = {word: np.array(VEC[word]) / np.linalg.norm(VEC[word]) for word in WORDS[:4]}
    cosines = [float(a @ b) for one, a in units.items() for other, b in units.items() if one != other]
    assert all(np.min(np.abs(np.array(cosines) - value)) < 1e-6 for value in known)
    # Equal words have no cosine here.
    assert len(known) < len(one)
    assert max(known) < 0.999
    assert len({round(value, 4) for value in known}) > 4


def test_all_are_taken_where_there_are_few(tmp_path):
    setting = FilterSetting(lexicon_in(tmp_path))
    cosines, _ = measured(tmp_path, setting, [rows(3)], 1000)
    assert len(cosines) == 3 * DRAWS
    nothing = [pair("qux", "dog", 1), pair(".", "dog", 2)]
    with pytest.raises(LexbeamError, match="has a vector"):
        measured(tmp_path, setting, [nothing], 10)


@pytest.mark.parametrize(
    ("text", "expected"), [("0.85", (0.85, None)), ("quantile:0.99", (None, 0.99)), ("-1", (-1, None))]
)
def test_thresholds_as_they_are_written(text, expected):
    assert parse_threshold(text) == expected


@pytest.mark.parametrize("text", ["2", "quantile:1", "quantile:x", "median:0.5", "", "nan"])
def test_thresholds_that_are_wrong(text):
    with pytest.raises(UsageError, match="quantile of random word pairs"):
        parse_threshold(text)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=12), st.data())
def test_batches_depend_on_rows_alone_and_hold_whole_articles(sizes, data):
    ids = [f"{article:032x}" for article, size in enumerate(sizes) for _ in range(size)]
    whole = pa.table({"article_id": ids, "place": range(len(ids))})
    cuts = sorted(data.draw(st.lists(st.integers(0, len(ids)), max_size=3)))
    pieces = [whole.slice(a, b - a) for a, b in zip([0, *cuts], [*cuts, len(ids)], strict=True)]
    batches = [batch.to_pylist() for batch in batches_of(pieces)]
    assert batches == [batch.to_pylist() for batch in batches_of([whole])]
    assert [row["place"] for batch in batches for row in batch] == list(range(len(ids)))
    owners = [{row["article_id"] for row in batch} for batch in batches]
    assert sum(map(len, owners)) == len(sizes)
    assert all(len(batch) <= 64 + 40 for batch in batches)


def test_a_batch_that_is_a_slice_is_read_as_it_is():
    every = table(pair("one two . three", "a b", 1), pair("four . five", "c , d e", 2), pair("six", "f", 3)).select(
        list(COLUMNS)
    )
    batch = batch_of(every.slice(1, 2).combine_chunks())
    assert batch.summary.forms.to_pylist() == ["four", ".", "five", "six"]
    assert batch.summary.forms.take(pa.array(batch.asked)).to_pylist() == ["four", "five", "six"]
    assert batch.passage.bounds.tolist() == [0, 4, 5]
    assert batch.passage.lemmas.to_pylist() == ["c", ",", "d", "e", "f"]
