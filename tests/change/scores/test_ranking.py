import numpy as np
import pyarrow as pa
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lexbeam.schemas.change.scores import SCORES
from lexbeam.transforms.change.scores.ranking import (
    RankedWordOptions,
    WordCounts,
    by_change,
    ecdf,
    joined,
    of_pos,
    ranked_mask,
    ranks,
    spearman_with_growth,
    spearman_with_log_count,
    top,
    z_scores,
)
from lexbeam.transforms.common.errors import UsageError


def side(uses, documents, proper=None, slice_documents=100):
    arrays = [None if values is None else np.array(values) for values in (uses, documents, proper)]
    return WordCounts(*arrays, slice_documents)


def test_needs_uses_in_both_slices():
    mask = ranked_mask(side([50, 50, 49], [9, 9, 9]), side([50, 49, 50], [9, 9, 9]), RankedWordOptions())
    assert mask.tolist() == [True, False, False]


@pytest.mark.parametrize(("slice_documents", "least"), [(100, 5), (21, 5), (20, 4), (6, 2), (1, 1)])
def test_needs_documents_or_a_fifth_of_a_small_slice(slice_documents, least):
    documents = list(range(8))
    mask = ranked_mask(side([99] * 8, [9] * 8), side([99] * 8, documents, None, slice_documents), RankedWordOptions())
    assert mask.tolist() == [number >= least for number in documents]


@pytest.mark.parametrize(
    ("stop_words", "ranked"),
    [
        (0, [True, True, True, True]),
        (1, [False, True, True, True]),  # the second is as frequent in one slice, and rarer in the other
        (2, [False, False, True, True]),
        (3, [False, False, False, False]),  # the last two are equal
        (9, [False, False, False, False]),
    ],
)
def test_the_most_frequent_words_of_all_slices_may_be_left_out(stop_words, ranked):
    one, other = side([900, 900, 60, 60], [9] * 4), side([1800, 300, 80, 80], [9] * 4)
    assert ranked_mask(one, other, RankedWordOptions(stop_words=stop_words)).tolist() == ranked


def test_mostly_proper_nouns_are_out_over_both_slices_together():
    one = side([100, 100, 100], [9, 9, 9], [100, 100, 0])
    other = side([100, 300, 100], [9, 9, 9], [1, 0, 100])
    assert ranked_mask(one, other, RankedWordOptions()).tolist() == [False, True, True]


def test_untagged_slices_do_not_count_for_proper_nouns():
    tagged, untagged = side([60], [9], [40]), side([600], [9])
    assert ranked_mask(untagged, untagged, RankedWordOptions()).tolist() == [True]
    assert ranked_mask(tagged, untagged, RankedWordOptions()).tolist() == [False]


def test_bad_options_are_usage_errors():
    with pytest.raises(UsageError, match="`rank_min_count`"):
        RankedWordOptions(min_count=-1)


@pytest.mark.filterwarnings("ignore:An input array is constant")
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4)), min_size=2, max_size=30))
def test_spearman_agrees_with_scipy(pairs):
    scores, counts = np.array(pairs).T
    with np.errstate(all="ignore"):
        expected = scipy.stats.spearmanr(scores, np.log(counts)).statistic
    got = spearman_with_log_count(scores.astype(float), counts)
    np.testing.assert_allclose(got, expected, atol=1e-12)


def test_spearman_leaves_out_words_without_a_score():
    scores = np.array([0.1, np.nan, 0.2, 0.3])
    assert spearman_with_log_count(scores, np.array([1, 50, 2, 3])) == pytest.approx(1)
    assert np.isnan(spearman_with_log_count(scores[:2], np.array([1, 2])))


def test_growth_and_decline_are_told_apart_and_taken_together():
    earlier, later = np.array([0.2, 0.1, 0.1, 0.4, 0.0]), np.array([0.1, 0.1, 0.3, 0.1, 0.2])
    falls = spearman_with_growth(np.array([3.0, 2, 1, 4, np.nan]), earlier, later)
    assert falls.signed == pytest.approx(-1)
    # By size: 2, 1, 3 and 4 times, so ranks 2 1 3 4 against 3 2 1 4.
    assert falls.absolute == pytest.approx(1 - 6 * (1 + 1 + 4 + 0) / (4 * 15))
    # A word that a slice lacks has grown, or fallen, most.
    assert spearman_with_growth(np.array([1.0, 2, 3, 0, 4]), earlier, later) == (pytest.approx(1), pytest.approx(0.3))
    assert np.isnan(spearman_with_growth(np.zeros(5), earlier, later)).all()


def score_row(word, score, **changes):
    row = dict.fromkeys(SCORES.schema().names)
    row |= {
        "word": word,
        "target": False,
        "slice_from": "a",
        "slice_to": "b",
        "alignment": "op",
        "measure": "cosine",
        "score": score,
        "seeds": 1,
        "ranked": True,
        "count_from": 1,
        "count_to": 1,
        "relative_from": 0.1,
        "relative_to": 0.1,
        "documents_from": 1,
        "documents_to": 1,
    }
    return row | changes


def test_top_takes_ranked_means_of_one_method_by_score_then_word():
    rows = [
        score_row("x", 0.5),
        score_row("b", 0.7),
        score_row("a", 0.7),
        score_row("low", 0.1),
        score_row("seeded", 0.9, seed=1),
        score_row("rare", 0.9, ranked=False),
        score_row("none", None),
        score_row("other", 0.9, alignment="cca"),
        score_row("freq", 0.9, measure="frequency"),
        score_row("c", 0.2, slice_from="b"),
    ]
    table = top(pa.Table.from_pylist(rows, SCORES.schema()), 3, alignment="op")
    assert table["word"].to_pylist() == ["a", "b", "x", "c"]
    assert top(table, 0, alignment="op").num_rows == 0


def test_what_is_shown_is_of_some_parts_of_speech_where_they_are_known():
    plain = pa.table({"word": list("abcd")})
    tagged = plain.append_column("upos", pa.array(["NOUN", "ADP", "VERB", None]))
    assert of_pos(tagged, ("NOUN", "ADJ"))["word"].to_pylist() == ["a", "d"]
    for rows, pos in ((plain, ("NOUN",)), (tagged, ()), (tagged, ("NOUN", "all"))):
        assert of_pos(rows, pos) == rows
    untagged = plain.append_column("upos", pa.nulls(4, pa.string()))
    assert of_pos(untagged, RankedWordOptions().pos) == untagged


def test_top_takes_the_next_words_in_place_of_those_of_other_parts_of_speech():
    rows = [score_row(word, score) for word, score in (("of", 0.9), ("b", 0.5), ("c", 0.7))]
    table = pa.Table.from_pylist(rows, SCORES.schema())
    table = table.append_column("upos", pa.array(["ADP", "NOUN", "VERB"]))
    assert top(table, 2, alignment="op")["word"].to_pylist() == ["of", "c"]
    found = top(table, 2, alignment="op", pos=("NOUN", "VERB"))
    assert found["word"].to_pylist() == ["c", "b"]


def test_the_most_changed_are_those_of_the_greatest_excess_where_there_is_one():
    rows = pa.table({"word": list("edcba"), "score": [0.9, 0.8, 0.7, 0.7, 0.7], "excess": [None, 0.1, 0.2, 0.3, 0.2]})
    assert by_change(rows)["word"].to_pylist() == list("bacde")
    assert by_change(rows.drop("excess"))["word"].to_pylist() == list("edabc")
    without = rows.drop("excess").append_column("excess", pa.nulls(5, pa.float64()))
    assert by_change(without)["word"].to_pylist() == list("edabc")


PLACED = st.lists(st.sampled_from([0.1, 0.25, 0.4, 0.9, 1.5]), min_size=1, max_size=12).map(np.array)


@given(PLACED, PLACED)
def test_places_are_shares_of_reference_words(scores, among):
    assert ecdf(scores, among) == pytest.approx([np.mean(among <= score) for score in scores])
    middle = [np.mean(among < score) + np.mean(among == score) / 2 for score in scores]
    assert ranks(scores, among) == pytest.approx(middle)
    assert ecdf(scores, among) == pytest.approx(stats.ecdf(among).cdf.evaluate(scores))


@given(PLACED)
def test_of_reference_words_themselves_places_are_ranks(scores):
    assert ranks(scores, scores) == pytest.approx((stats.rankdata(scores) - 0.5) / len(scores))


def test_z_scores_are_those_of_scipy_and_none_without_variance():
    scores = np.array([0.2, 0.5, 0.9, 0.1])
    assert z_scores(scores, scores) == pytest.approx(stats.zscore(scores, ddof=1))
    assert np.isnan(z_scores(scores, scores[:1])).all()
    assert np.isnan(z_scores(scores, np.full(3, 0.1))).all()


@pytest.mark.parametrize("place", [ecdf, ranks, z_scores])
def test_places_are_averaged_where_all_scores_are_there(place):
    scores = np.array([[0.1, 0.4, 0.2, np.nan, 0.9], [3.0, 2.0, 9.0, 4.0, 1.0]])
    reference = np.array([True, True, True, True, False])
    found = joined(scores, reference, place)
    assert np.isnan(found[3])
    among = [row[[0, 1, 2]] for row in scores]
    for word in (0, 1, 2, 4):
        wanted = np.mean([place(row[[word]], some)[0] for row, some in zip(scores, among, strict=True)])
        assert found[word] == pytest.approx(wanted)
    assert np.isnan(joined(scores, np.array([False, False, False, True, False]), place)).all()
