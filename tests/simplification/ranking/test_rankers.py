"""Rankers: scores of candidates, ranks, and when the target stays."""

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.simplification.ranking.options import RankingFiles, RankingOptions, check_ranking
from lexbeam.transforms.simplification.ranking.ranked_parts import keeps_target, rows_of
from lexbeam.transforms.simplification.ranking.rankers import (
    RANKERS,
    CandidateScores,
    Ranked,
    RankerInputs,
    frequencies,
    gains,
    mean_ranks,
    scores_of,
    simplicity_ranker,
)
from lexbeam.transforms.simplification.records import Instance

COUNTS = {"duro": 100, "difícil": 50, "de": 1000, "roca": 7, "arduo": 3}


@pytest.fixture
def ranking(tmp_path):
    """Word lists `counts` and `other`, and static vectors."""
    (tmp_path / "counts.tsv").write_text("".join(f"{w}\t{n}\n" for w, n in COUNTS.items()))
    (tmp_path / "other.tsv").write_text("difícil\t9\n")
    (tmp_path / "x.vec").write_text("3 2\narduo 1 0\nduro 1 1\nroca 0 1\n")
    lists = tuple(f"{n}={tmp_path / n}.tsv:word=1,value=2" for n in ("counts", "other"))
    lexicon = prepare(
        LexiconOptions(resources=(*lists, f"vectors_=vectors:{tmp_path / 'x.vec'}"), cache=str(tmp_path / "cache"))
    )

    def of(**options):
        return RankerInputs(RankingOptions(**options), lexicon, ("counts", "other"))

    return of


def ranked(*forms, scores=None, votes=None):
    instance = Instance("1", "es", "Un arduo día", "Arduo", 3, 8, None, None, None)
    count = len(forms)
    return Ranked(instance, forms, scores or [1.0] * count, votes or [None] * count)


def scored(name, candidates, ranking):
    (scores,) = scores_of(name, [candidates], ranking)
    return scores


def test_frequency_is_that_of_the_list(ranking):
    candidates = ranked("duro", "nada", "de roca", "difícil")
    scores = scored("frequency", candidates, ranking())
    assert (scores.candidates, scores.target) == ([100, None, None, 50], 3)
    assert scored("frequency:other", candidates, ranking()).candidates == [None, None, None, 9]


@pytest.mark.parametrize(("phrases", "values"), [("zero", [None, None]), ("rarest", [7, 0]), ("mean", [503.5, 500])])
def test_phrases(phrases, values, ranking):
    looked_up = frequencies(["de roca", "de nada"], ["es", "es"], ranking(phrases=phrases), "counts")
    assert looked_up == values


def test_senses_come_first_and_frequency_settles(ranking):
    candidates = ranked("difícil", "duro", "nada", "roca", votes=[2, 2, 3, None])
    scores = scored("senses", candidates, ranking()).candidates
    assert scores[2] > scores[1] > scores[0] > 2
    assert 0 < scores[3] < 1
    assert scores[1] == 2 + math.log1p(100) / (1 + math.log1p(100))
    bare = ranking()._replace(lists=())
    assert scored("senses", candidates, bare).candidates == [2, 2, 3, None]


def test_shares_of_the_most_senses_and_of_the_greatest_frequency(ranking):
    candidates = ranked("difícil", "duro", "nada", "roca", votes=[2, 1, 4, None])
    assert scored("shares", candidates, ranking()).candidates == [0.5 + 0.5, 0.25 + 1, 1 + 0, 0.07]
    assert scored("shares", candidates, ranking()).target is None
    assert scored("shares", ranked("nada", "nadie"), ranking()).candidates == [0, 0]
    assert scored("shares", ranked(), ranking()).candidates == []


def test_similarity_and_generation(ranking):
    candidates = ranked("duro", "roca", "nada", scores=[0.1, 0.3, 0.2])
    assert scored("similarity", candidates, ranking()).candidates == pytest.approx([0.5**0.5, 0, None])
    assert scored("generation", candidates, ranking()).candidates == [0.1, 0.3, 0.2]
    assert scored("generation", candidates, ranking()).target is None


def test_negative_frequencies_are_an_error(tmp_path):
    (tmp_path / "logs.tsv").write_text("duro\t-3.5\nroca\t0\n")
    lexicon = prepare(
        LexiconOptions(resources=(f"logs={tmp_path}/logs.tsv:word=1,value=2",), cache=str(tmp_path / "cache"))
    )
    logs = RankerInputs(RankingOptions(), lexicon, ("logs",))
    assert scored("frequency", ranked("roca", "nada"), logs).candidates == [0, None]
    with pytest.raises(LexbeamError, match=r"word list logs has -3.5 for 'duro'.*0 or more"):
        scored("frequency", ranked("roca", "duro"), logs)


def test_average_is_of_ranks(ranking):
    candidates = ranked("duro", "difícil", "roca", scores=[0.1, 0.1, 0.3])
    scores = scored("average", candidates, ranking(average_of=("frequency", "generation")))
    # By frequency 1, 2, 3; by generation 2.5, 2.5, 1.
    assert scores.candidates == [-1.75, -2.25, -2]


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, -3.5]), min_size=1, max_size=9))
def test_mean_ranks_are_scipys(scores):
    assert mean_ranks(scores) == rankdata([-score for score in scores]).tolist()


@given(
    st.lists(
        st.tuples(st.text("abc", min_size=1, max_size=3), st.none() | st.integers(0, 3)),
        unique_by=lambda pair: pair[0],
        max_size=8,
    )
)
def test_ranks_are_dense_and_places_by_code_points(pairs):
    candidates = ranked(*(form for form, _ in pairs))
    values = [None if value is None else float(value) for _, value in pairs]
    *rows, target = rows_of(candidates, CandidateScores(values, None), 0.0, "never", {})
    assert (target["is_target"], target["rank"], target["place"]) == (True, None, None)
    by_hand = sorted((-(value or 0.0), form) for (form, _), value in zip(pairs, values, strict=True))
    assert [row["form"] for row in rows] == [form for _, form in by_hand]
    levels = sorted({score for score, _ in by_hand})
    assert [row["rank"] for row in rows] == [levels.index(score) + 1 for score, _ in by_hand]
    assert [row["place"] for row in rows] == list(range(1, len(rows) + 1))
    assert [row["chosen"] for row in (*rows, target)].count(True) == 1
    assert target["chosen"] == (not pairs)
    assert pa.array([row["known"] for row in rows], pa.bool_()).to_pylist() == [
        dict(pairs)[row["form"]] is not None for row in rows
    ]


@pytest.mark.parametrize(
    ("keep", "first", "target", "frequency", "stays"),
    [
        ("always", 9, 1, None, True),
        ("never", 1.0, 9.0, None, False),
        ("if-more-frequent", 1.0, None, (5.0, 6.0), True),
        ("if-more-frequent", 1.0, None, (6.0, 6.0), False),
        ("if-gain:0.5", 1.0, 0.5, None, False),
        ("if-gain:0.6", 1.0, 0.5, None, True),
        ("if-gain:0.5", 2.3, 1.8, None, False),
        ("if-gain:0.50001", 2.3, 1.8, None, True),
        ("if-gain:-1", 1.0, 1.9, None, False),
    ],
)
def test_when_the_target_stays(keep, first, target, frequency, stays):
    assert keeps_target(keep, first, target, frequency) is stays


@pytest.mark.parametrize(
    ("candidate", "gain", "stays"),
    [(None, 0.5, True), (0.4, 0.5, True), (0.5, 0.5, False), (None, 0, False), (None, -1, False)],
)
def test_a_target_that_is_not_known_has_the_least_score(candidate, gain, stays):
    row, target = rows_of(ranked("duro"), CandidateScores([candidate], None), 0.0, f"if-gain:{gain}", {})
    assert (row["chosen"], target["chosen"]) == (not stays, stays)
    assert (target["score"], target["known"]) == (None, False)


def chosen(rows):
    return next(row["form"] for row in rows if row["chosen"])


@pytest.mark.parametrize(
    ("margin", "form"), [(-1.0, "roca"), (4.0, "roca"), (5.0, "duro"), (97.0, "duro"), (98, "arduo")]
)
def test_the_first_candidate_that_is_simpler_by_the_margin_is_chosen(ranking, margin, form):
    # By votes roca, nada, duro; by counts roca 7, nada none, duro 100 and the target, arduo, 3.
    candidates = ranked("duro", "nada", "roca", votes=[1, 2, 3])
    inputs = ranking(ranker=("senses",), min_simpler=margin)
    (gained,) = gains(simplicity_ranker("senses", inputs.options), [candidates], inputs)
    assert gained == [97, -3, 4]
    rows = rows_of(candidates, scored("senses", candidates, inputs), 0.0, "never", {}, gained, margin)
    assert chosen(rows) == form
    assert [row["place"] for row in rows] == [1, 2, 3, None]


def test_what_says_that_a_candidate_is_simpler(ranking):
    def by(name, **options):
        return simplicity_ranker(name, RankingOptions(**options))

    assert by("senses") is None
    assert by("senses", min_simpler=0) == "frequency"
    assert by("frequency:other", min_simpler=0) == "frequency:other"
    assert by("frequency", min_simpler=0, simpler_by="regressor") == "regressor"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_simpler": 1, "keep_target": "if-gain:1"}, "give one of them"),
        ({"simpler_by": "frequency"}, "says what `min_simpler` compares"),
        ({"min_simpler": 1, "simpler_by": "senses"}, "senses has no score of the target; frequency and regressor"),
        ({"min_simpler": 1, "ranker": ("senses",)}, "compared by frequency, which needs .*`wordlist`.*by `simpler_by`"),
    ],
)
def test_margins_that_cannot_be_compared(options, message):
    files = RankingFiles(wordlist=() if "ranker" in options else ("counts=x.tsv:word=1,value=2",))
    with pytest.raises(UsageError, match=message):
        check_ranking({"a": RankingOptions(**options)}, files)


def test_every_ranker_that_needs_something_says_what():
    needs = {name: entry.needs for name, entry in RANKERS.items() if entry.needs}
    assert needs == {"frequency": "wordlist", "shares": "wordlist", "similarity": "vectors", "regressor": "complexity"}
