import math
import statistics

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import scipy.spatial.distance
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lexbeam.schemas.change.scores import NULL_REASONS, SCORES
from lexbeam.transforms.change.scores.measures import MEASURES, needs_alignment, of_usage
from lexbeam.transforms.change.scores.neighbourhood_measures import local_neighbourhood_distance, pivot_divergence
from lexbeam.transforms.change.scores.pair_scores import (
    REASONS,
    SCORED,
    ScoredSlice,
    combine_seeds,
    score_pair,
    score_rows,
    with_made,
    with_parts,
)
from lexbeam.transforms.change.scores.ranking import RankedWordOptions
from lexbeam.transforms.change.view.counts import COUNTS
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.embeddings.alignment import Alignment, fit_alignment
from lexbeam.transforms.embeddings.neighbours import SpacePair
from lexbeam.transforms.embeddings.spaces import Side, Space, apply

UNALIGNED = Alignment(Side(), Side(), 3, 0.0)
KEY = ("slice_from", "slice_to", "alignment", "measure", "word", "seed")


def counts_of(counts, documents=9, proper=None):
    words = sorted(counts)
    return pa.table([words, [counts[w] for w in words], [documents] * len(words), [proper] * len(words)], schema=COUNTS)


def scored(name, counts, seed=0, min_count=2, dim=3, zero=()):
    words = sorted(word for word, count in counts.items() if count >= min_count)
    vectors = np.random.default_rng(seed).normal(size=(len(words), dim)).astype(np.float32)
    vectors[[words.index(word) for word in zero]] = 0
    tokens = sum(counts.values())
    space = Space(words, np.array([counts[w] for w in words]), vectors, tokens)
    return ScoredSlice(name, space, counts_of(counts), tokens, 9, min_count)


EARLY = {"a": 9, "b": 5, "early": 4, "rare": 1, "both": 1, "zero": 3, "x": 60}
LATE = {"a": 9, "b": 5, "late": 4, "rare": 7, "both": 1, "zero": 3, "x": 70}
TARGETS = ["a", "early", "late", "rare", "nowhere", "both"]


def pair(seed=1, **changes):
    options = {
        "seed": seed,
        "alignments": {"op": UNALIGNED},
        "targets": TARGETS,
        "rank": RankedWordOptions(min_count=50, min_documents=1),
    }
    return score_pair(scored("e", EARLY, seed, zero=["zero"]), scored("l", LATE, seed + 50), **options | changes)


def by_word(table, measure="cosine", alignment="op", seed=1):
    return {
        row["word"]: row
        for row in table.to_pylist()
        if (row["measure"], row["alignment"], row["seed"]) == (measure, alignment, seed)
    }


def test_scores_the_shared_vocabulary_and_all_targets():
    table = pair()
    assert table.schema == SCORES.schema()
    words = sorted({"a", "b", "zero", "x", *TARGETS})
    assert list(by_word(table)) == words
    assert list(by_word(table, "frequency", "none")) == words
    rows = by_word(table)
    assert {word for word, row in rows.items() if row["target"]} == set(TARGETS)
    assert {word for word, row in rows.items() if row["ranked"]} == {"x"}
    assert (rows["x"]["count_from"], rows["x"]["count_to"]) == (60, 70)
    assert rows["x"]["relative_from"] == 60 / 83
    assert (rows["late"]["documents_from"], rows["late"]["documents_to"]) == (0, 9)


def test_null_scores_have_the_first_reason_that_holds():
    rows = by_word(pair())
    reasons = {word: row["reason"] for word, row in rows.items() if row["reason"]}
    assert reasons == {
        "early": "absent_to",
        "late": "absent_from",
        "nowhere": "absent_from",
        "rare": "below_min_count_from",
        "both": "below_min_count_from",
        "zero": "zero_vector",
    }
    for row in rows.values():
        assert (row["score"] is None) == (row["reason"] is not None)
        assert row["seeds"] == (row["score"] is not None)
        assert row["threshold"] is row["changed"] is row["score_sd"] is None


def test_a_word_below_the_later_cut_alone():
    table = score_pair(
        scored("e", {"a": 9, "w": 9}),
        scored("l", {"a": 9, "w": 1}),
        seed=1,
        alignments={"op": UNALIGNED},
        targets=["w"],
    )
    assert by_word(table)["w"]["reason"] == "below_min_count_to"


def test_without_a_fitted_map_words_with_vectors_have_too_few_shared():
    rows = by_word(pair(alignments={"cca": Alignment(Side(), Side(), 1, None, "too_few_shared")}), alignment="cca")
    assert rows["a"]["reason"] == "too_few_shared"
    assert rows["zero"]["reason"] == "too_few_shared"
    assert rows["early"]["reason"] == "absent_to"
    assert list(NULL_REASONS).index("too_few_shared") < list(NULL_REASONS).index("zero_vector")


def test_frequency_needs_no_vectors_and_scores_words_that_one_slice_lacks():
    bare = [scored("e", EARLY)._replace(space=None), scored("l", LATE)._replace(space=None)]
    table = score_pair(*bare, seed=1, alignments={}, measures=["frequency"], targets=TARGETS)
    rows = by_word(table, "frequency", "none")
    assert sorted({"a", "b", "zero", "x", *TARGETS}) == list(rows)
    for word, row in rows.items():
        difference = abs(EARLY.get(word, 0) / 83 - LATE.get(word, 0) / 99)
        assert row["score"] == (None if word == "nowhere" else pytest.approx(difference))
    assert rows["nowhere"]["reason"] == "absent_from"


def test_measures_of_spaces_have_no_alignment_and_need_no_shared_dimensions():
    earlier, later = scored("e", EARLY, 1, zero=["zero"]), scored("l", LATE, 51, dim=4)
    found = score_pair(
        earlier, later, seed=1, alignments={}, measures=["lnd"], targets=TARGETS, parameters={"neighbourhood": 3}
    )
    rows = by_word(found, "lnd", "none")
    distances = local_neighbourhood_distance(SpacePair(earlier.space, later.space), neighbourhood=3)
    expected = dict(zip("abx", distances, strict=True))
    assert {word: row["score"] for word, row in rows.items() if row["score"] is not None} == expected
    cosines = by_word(pair())
    assert {word: row["reason"] for word, row in rows.items()} == {word: row["reason"] for word, row in cosines.items()}


def test_a_neighbourhood_larger_than_a_vocabulary_gives_nulls_with_their_reason():
    kinds = {"lnd": "none", "neighbour-overlap": "none", "mapped-neighbours": "op"}
    found = pair(measures=list(kinds), parameters={"neighbourhood": 99})
    for measure, alignment in kinds.items():
        rows = by_word(found, measure, alignment)
        assert {row["score"] for row in rows.values()} == {None}
        assert {word for word, row in rows.items() if row["reason"] == "too_few_neighbours"} == {"a", "b", "x"}
        assert rows["zero"]["reason"] == "zero_vector"


def test_neighbours_of_targets_are_among_all_words_where_these_alone_are_scored():
    """Words of one vector have no score, and are neighbours: as in spaces whose words all have their own."""
    counts = {f"w{number:02}": 9 for number in range(40)}
    slices = scored("e", counts, 1), scored("l", counts, 2)
    targets = ["w03", "w17", "w31"]
    asked = {"measures": ["cosine", "mapped-neighbours"], "parameters": {"neighbourhood": 9}, "targets": targets}
    found, every = (
        score_pair(*slices, seed=1, alignments={"tr": UNALIGNED}, of_targets=only, **asked) for only in (True, False)
    )
    for measure in asked["measures"]:
        rows, others = (by_word(table, measure, "tr") for table in (found, every))
        assert {word: rows[word]["score"] for word in targets} == {word: others[word]["score"] for word in targets}
        assert {row["reason"] for word, row in rows.items() if word not in targets} == {"one_vector"}
        assert {rows[word]["reason"] for word in targets} == {None}


def test_pivots_are_drawn_by_the_seed_of_the_spaces_and_too_many_give_nulls_with_their_reason():
    slices = scored("e", EARLY, 1, zero=["zero"]), scored("l", LATE, 51, dim=4)

    def scores(seed, pivots):
        asked = {"pivots": pivots, "pivot_draws": 3}
        found = score_pair(*slices, seed=seed, alignments={}, measures=["pivots"], targets=TARGETS, parameters=asked)
        return by_word(found, "pivots", "none", seed)

    expected = pivot_divergence(SpacePair(*(side.space for side in slices)), pivots=2, pivot_draws=3, seed=5)
    np.testing.assert_array_equal([scores(5, 2)[word]["score"] or np.nan for word in "abx"], expected)
    assert {word: row["reason"] for word, row in scores(5, 9).items()} == {
        word: row["reason"] or "too_few_pivots" for word, row in by_word(pair()).items()
    }


def test_a_word_without_a_shared_neighbour_has_no_distance():
    spaces = [Space(words, np.full(2, 9), np.eye(2, dtype=np.float32), 99) for words in (["a", "b"], ["a", "c"])]
    slices = [ScoredSlice(s.words[1], s, counts_of(dict.fromkeys(s.words, 9)), 99, 9, 2) for s in spaces]
    found = score_pair(*slices, seed=1, alignments={}, measures=["lnd"], parameters={"neighbourhood": 2})
    assert by_word(found, "lnd", "none")["a"]["reason"] == "undefined"


def test_differences_of_counts_say_which_slice_lacks_a_word():
    found = pair(measures=["frequency-log2", "frequency-raw"])
    rows = by_word(found, "frequency-log2", "none")
    assert rows["x"]["score"] == pytest.approx(abs(math.log2(60 / 83) - math.log2(70 / 99)))
    reasons = {word: row["reason"] for word, row in rows.items() if row["reason"]}
    assert reasons == {"early": "absent_to", "late": "absent_from", "nowhere": "absent_from"}
    assert by_word(found, "frequency-raw", "none")["late"]["score"] == 4


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(["op", "op-", "cca", "cca-reversed", "none"]))
def test_cosine_scores_are_those_of_the_aligned_vectors(seed, name):
    counts = {f"w{i:02}": 5 for i in range(20)}
    earlier, later = scored("e", counts, seed), scored("l", counts, seed + 1)
    alignment = fit_alignment(name, earlier.space, later.space)
    table = score_pair(earlier, later, seed=3, alignments={name: alignment}, measures=["cosine"])
    a = apply(alignment.source, earlier.space.vectors)
    b = apply(alignment.target, later.space.vectors)
    expected = [scipy.spatial.distance.cosine(x, y) for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(table["score"].to_numpy(), expected, atol=1e-9)


def test_unknown_measure_is_a_usage_error():
    with pytest.raises(UsageError, match="did you mean 'cosine'"):
        pair(measures=["cosin"])


def with_scores(table, scores):
    """Replace the scores, in order; None takes the reason with it."""
    reasons = pa.array([None if s is not None else "zero_vector" for s in scores], pa.string())
    for name, values in (("score", pa.array(scores, pa.float64())), ("reason", reasons)):
        place = table.schema.get_field_index(name)
        table = table.set_column(place, SCORES.schema().field(name), values)
    return table


def tiny(seed, scores, targets=(), **changes):
    counts = {f"w{i}": 60 for i in range(len(scores))}
    return with_scores(
        score_pair(
            scored("e", counts),
            scored("l", counts),
            seed=seed,
            alignments={"op": UNALIGNED},
            measures=["cosine"],
            targets=targets,
            **changes,
        ),
        scores,
    )


SCORE = st.one_of(st.none(), st.floats(0, 2, width=32))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4).flatmap(lambda seeds: st.lists(st.tuples(*[SCORE] * seeds), min_size=1, max_size=5)))
def test_means_and_spreads_agree_with_statistics(rows):
    tables = [tiny(seed, list(scores), ["w0"]) for seed, scores in enumerate(zip(*rows, strict=True))]
    combined = combine_seeds(tables[::-1]).rows
    assert combined.num_rows == len(rows) * (len(tables) + 1)
    means = [row for row in combined.to_pylist() if row["seed"] is None]
    known = []
    for row, scores in zip(means, rows, strict=True):
        there = [score for score in scores if score is not None]
        assert row["seeds"] == len(there)
        assert (row["score"] is None) == (not there)
        assert row["reason"] == (None if there else "zero_vector")
        if there:
            mean = statistics.fmean(there)
            known += [mean] if row["target"] else []
            assert row["score"] == pytest.approx(mean)
        if len(there) > 1:
            assert row["score_sd"] == pytest.approx(statistics.stdev(there), abs=1e-9)
        else:
            assert row["score_sd"] is None
    for row in means:
        if known:
            assert row["threshold"] == pytest.approx(statistics.fmean(known))
        else:
            assert row["threshold"] is None
        judged = None not in (row["score"], row["threshold"])
        assert row["changed"] is (row["score"] > row["threshold"] if judged else None)


def test_rows_are_in_the_order_of_the_key_with_means_last():
    combined = combine_seeds([pair(seed) for seed in (10, 2)]).rows
    rows = [tuple(row[name] for name in KEY) for row in combined.to_pylist()]
    assert rows == sorted(rows, key=lambda row: (*row[:5], math.inf if row[5] is None else row[5]))
    assert combined.schema == SCORES.schema()
    assert combined.equals(combine_seeds([pair(seed) for seed in (2, 10)]).rows)


def test_threshold_is_over_targets_and_without_them_nothing_is_called_changed():
    def judged(table):
        return [(row["threshold"], row["changed"]) for row in table.to_pylist()[1::2]]

    found = judged(combine_seeds([tiny(1, [0.1, 0.2, 0.9], ["w0", "w1"])]).rows)
    assert found == [(pytest.approx(0.15), False), (pytest.approx(0.15), True), (pytest.approx(0.15), True)]
    assert judged(combine_seeds([tiny(1, [0.1, 0.2, 0.9])]).rows) == [(None, None)] * 3


def test_every_threshold_has_columns_and_a_reason_where_there_is_none():
    tables = [tiny(1, [0.1, 0.3, 0.8, 0.9], ["w0", "w1"], rank=RankedWordOptions(min_documents=1))]
    names = ("gamma", "mean-ranked", "mixture")
    rows, cuts = combine_seeds(tables, thresholds=names, parameters={"threshold_quantile": 0.5})
    assert rows.schema == SCORES.schema(thresholds=names)
    found = cuts["op", "cosine"]
    assert [found[name].reason for name in names] == [None, None, "too_few_words"]
    assert found["mean-ranked"].value == pytest.approx(0.525)
    assert 0.1 < found["gamma"].value < 0.3
    means = rows.filter(pc.is_null(rows["seed"])).to_pylist()
    assert [row["threshold"] for row in means] == [found["gamma"].value] * 4
    assert [row["changed"] for row in means] == [False, True, True, True]
    assert [row["changed_mean_ranked"] for row in means] == [False, False, True, True]
    assert [(row["threshold_mixture"], row["changed_mixture"]) for row in means] == [(None, None)] * 4
    single = rows.filter(pc.is_valid(rows["seed"]))
    assert single["changed"].null_count == single["threshold_mean_ranked"].null_count == 4


def test_seeds_may_vote_each_by_its_own_threshold():
    # Means of the targets: .4, .4 and .1; w1 is above in two of three, w2 in one, w3 in one of the two that score it.
    tables = [
        tiny(1, [0.1, 0.7, 0.9, None], ["w0", "w1"]),
        tiny(2, [0.5, 0.3, 0.4, 0.9], ["w0", "w1"]),
        tiny(3, [0.0, 0.2, 0.1, 0.1], ["w0", "w1"]),
    ]
    rows, cuts = combine_seeds(tables, votes=True)
    means = rows.filter(pc.is_null(rows["seed"])).to_pylist()
    assert [row["changed"] for row in means] == [False, True, False, False]
    assert {row["threshold"] for row in means} == {None}
    assert cuts["op", "cosine"]["mean"] == (None, "votes")
    lacking, cuts = combine_seeds([tiny(1, [0.1, 0.2]), tiny(2, [0.1, 0.2])], votes=True)
    assert lacking["changed"].null_count == len(lacking)
    assert cuts["op", "cosine"]["mean"] == (None, "too_few_words")


def test_changed_is_strictly_above():
    means = combine_seeds([tiny(1, [0.5, 0.5], ["w0", "w1"])]).rows.to_pylist()[1::2]
    assert [row["changed"] for row in means] == [False, False]


def test_reason_over_seeds_is_the_first_of_all_seeds():
    one, other = tiny(1, [None]), tiny(2, [None])
    place = one.schema.get_field_index("reason")
    other = other.set_column(place, "reason", pa.array(["too_few_shared"]))
    combined = combine_seeds([one, other.cast(one.schema)]).rows
    assert combined.to_pylist()[-1]["reason"] == "too_few_shared"


def test_each_alignment_has_a_threshold_of_its_own():
    earlier, later = scored("e", EARLY), scored("l", LATE, 5)
    alignments = {n: fit_alignment(n, earlier.space, later.space) for n in ("op", "op-")}
    table = combine_seeds([score_pair(earlier, later, seed=1, alignments=alignments, targets=["a", "b", "x"])]).rows
    means = [row for row in table.to_pylist() if row["seed"] is None]
    for name, measure in (("op", "cosine"), ("op-", "cosine"), ("none", "frequency")):
        group = [row for row in means if (row["alignment"], row["measure"]) == (name, measure)]
        expected = statistics.fmean(row["score"] for row in group if row["target"])
        assert [row["threshold"] for row in group] == [pytest.approx(expected)] * len(group)


def test_seeds_of_different_words_are_refused():
    with pytest.raises(ValueError, match="same rows"):
        combine_seeds([tiny(1, [0.1]), tiny(2, [0.1, 0.2])])


PARTS = ("cosine", "mapped-neighbours", "frequency-log2")


WORDS = [f"w{place}" for place in range(12)]


def scored_parts(ranked=range(4, 12)):
    """Rows of a seed by two alignments; the first words lack a score, each by another measure."""
    random = np.random.default_rng(1)
    blocks = []
    kinds = [(alignment, part) for alignment in ("op", "op-") for part in PARTS[:2]]
    for alignment, part in sorted([*kinds, ("none", PARTS[2]), ("none", "frequency")]):
        scores = random.integers(0, 9, len(WORDS)) / 10
        reasons = np.full(len(WORDS), SCORED)
        for place, (name, why) in enumerate(zip(PARTS, ("zero_vector", "undefined", "absent_to"), strict=True)):
            if part == name:
                scores[[place, 3]], reasons[[place, 3]] = np.nan, REASONS.index(why)
        columns = {"word": pa.array(WORDS), "alignment": alignment, "measure": part, "seed": 1}
        columns |= {"slice_from": "a", "slice_to": "b"}
        columns |= {name: np.ones(len(WORDS)) for name in SCORES.schema().names if name.startswith(_COUNTS)}
        columns["target"] = pa.array([place % 3 == 0 for place in range(len(WORDS))])
        columns["ranked"] = pa.array([place in ranked for place in range(len(WORDS))])
        blocks.append(score_rows(columns, scores=scores, reasons=reasons, seeds=(reasons == SCORED).astype(np.int32)))
    return pa.concat_tables(blocks)


_COUNTS = ("count", "documents", "relative")


def made_by_word(rows, alignment, measure):
    return {row["word"]: row for row in rows.to_pylist() if (row["alignment"], row["measure"]) == (alignment, measure)}


@pytest.mark.parametrize(("name", "over"), [("ecdf", "target"), ("ecdf-ranked", "ranked")])
def test_it_is_the_mean_of_distribution_functions_over_reference_words(name, over):
    rows = with_made(scored_parts(), [name, "cosine"])
    assert rows.schema == SCORES.schema()
    keys = list(zip(*(rows[column].to_pylist() for column in ("alignment", "measure", "word")), strict=True))
    assert keys == sorted(keys)
    for alignment in ("op", "op-"):
        found = made_by_word(rows, alignment, name)
        parts = [made_by_word(rows, alignment if needs_alignment(part) else "none", part) for part in PARTS]
        whole = [word for word in found if all(part[word]["score"] is not None for part in parts)]
        among = [word for word in whole if found[word][over]]
        assert among
        for word, row in found.items():
            if word not in whole:
                assert row["score"] is None
                assert row["reason"] in {part[word]["reason"] for part in parts}
                assert row["seeds"] == 0
                continue
            wanted = [stats.ecdf([part[w]["score"] for w in among]).cdf.evaluate(part[word]["score"]) for part in parts]
            assert row["score"] == pytest.approx(np.mean(wanted))
            assert (row["reason"], row["seeds"]) == (None, 1)
        assert [found[word]["reason"] for word in WORDS[:4]] == ["zero_vector", "undefined", "absent_to", "absent_to"]


def test_without_reference_words_there_is_no_score_and_a_reason():
    rows = with_made(scored_parts(ranked=[]), ["ecdf-ranked"])
    found = made_by_word(rows, "op", "ecdf-ranked")
    assert {row["score"] for row in found.values()} == {None}
    assert (found["w5"]["reason"], found["w2"]["reason"]) == ("no_reference", "absent_to")


def test_what_is_made_of_others_has_them_scored_and_is_a_measure_of_usage():
    assert with_parts(["ecdf", "lnd"]) == sorted([*PARTS, "ecdf", "lnd"])
    assert with_parts(["lnd"]) == ["lnd"]
    assert needs_alignment("ecdf")
    assert of_usage("ecdf-ranked")
    assert {part for entry in MEASURES.values() for part in entry.parts} <= set(MEASURES)
    rows = scored_parts()
    assert with_made(rows, ["cosine"]) is rows
