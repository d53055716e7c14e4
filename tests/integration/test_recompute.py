"""The published scores can be checked from the published vectors and maps alone."""

import numpy as np
import pandas as pd
import pytest


def aligned(vectors, row):
    x = vectors.astype(float)
    if row["unit_length"]:
        x = x / np.linalg.norm(x, axis=1, keepdims=True)
    if row["mean"] is not None:
        x = x - row["mean"]
    if row["unit_centred"]:
        x = x / np.linalg.norm(x, axis=1, keepdims=True)
    if row["matrix"] is not None:
        dim = x.shape[1]
        x = x @ np.reshape(row["matrix"], (dim, dim))
    return x


@pytest.mark.parametrize("alignment", ["op", "op-", "cca", "none"])
def test_scores_follow_from_vectors_and_alignments(sample_run, alignment):
    vectors = pd.read_parquet(sample_run / "vectors")
    scores = pd.read_parquet(sample_run / "scores")
    maps = pd.read_parquet(sample_run / "alignments").replace({np.nan: None})
    scores = scores[(scores.alignment == alignment) & (scores.measure == "cosine")]
    checked = 0
    for seed in (1, 2):
        sides = {}
        for side, name in (("from", "early"), ("to", "late")):
            space = vectors[(vectors.slice == name) & (vectors.seed == seed)].set_index("word")
            matrix = np.stack(space.vector.to_list())
            rows = maps[(maps.alignment == alignment) & (maps.side == side) & (maps.seed == seed)].to_dict("records")
            if alignment == "none":
                rows = [{"unit_length": False, "mean": None, "unit_centred": False, "matrix": None}]
            sides[side] = pd.Series(list(aligned(matrix, rows[0])), index=space.index)
        for row in scores[scores.seed == seed].itertuples():
            if np.isnan(row.score):
                continue
            a, b = sides["from"][row.word], sides["to"][row.word]
            expected = 1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b)
            assert row.score == pytest.approx(expected, abs=1e-6)
            checked += 1
    assert checked > 200


def test_the_mean_over_seeds_is_that_of_the_scores(sample_run):
    scores = pd.read_parquet(sample_run / "scores")
    scores = scores[(scores.alignment == "op") & (scores.measure == "cosine")]
    single = scores[scores.seed.notna()].groupby("word").score
    mean = scores[scores.seed.isna()].set_index("word")
    np.testing.assert_allclose(mean.score, single.mean()[mean.index], atol=1e-12)
    np.testing.assert_allclose(mean.score_sd, single.std(ddof=1)[mean.index], atol=1e-9)
    assert mean.threshold.isna().all(), "without targets nothing is called changed"
    assert mean.changed.isna().all()


def test_frequency_scores_follow_from_counts_and_slices(sample_run):
    slices = pd.read_parquet(sample_run / "slices").set_index("slice")
    scores = pd.read_parquet(sample_run / "scores")
    scores = scores[scores.measure == "frequency"]
    early, late = slices.tokens["early"], slices.tokens["late"]
    expected = (scores.count_from / early - scores.count_to / late).abs()
    np.testing.assert_allclose(scores.score, expected, atol=1e-12)
    np.testing.assert_allclose(scores.relative_from, scores.count_from / early)
    assert set(scores.alignment) == {"none"}


def test_counts_are_those_of_the_sentences(sample_run):
    """Count words anew, sentence by sentence, from the published annotation."""
    sentences = pd.read_parquet(sample_run / "sentences")
    vectors = pd.read_parquet(sample_run / "vectors")
    vectors = vectors[(vectors.slice == "late") & (vectors.seed == 1)].set_index("word")
    late = sentences[(sentences.year >= 1950) & (sentences.lemmas.str.len() >= 10)]
    words = late.explode("lemmas")[["document_id", "lemmas"]]
    words["lemmas"] = words.lemmas.str.lower()
    counts = words.lemmas.value_counts()
    documents = words.drop_duplicates().lemmas.value_counts()
    assert (vectors["count"] == counts[vectors.index]).all()
    assert (vectors["documents"] == documents[vectors.index]).all()
    frequent = {word for word in counts[counts >= 5].index if any(c.isalnum() for c in word)}
    assert set(vectors.index) == frequent


def test_parts_of_speech_are_those_of_the_sentences(sample_run):
    sentences = pd.read_parquet(sample_run / "sentences", columns=["year", "lemmas", "upos"])
    long = sentences[sentences.lemmas.str.len() >= 10]
    uses = long[(long.year < 1850) | (long.year >= 1950)].explode(["lemmas", "upos"])
    uses["word"] = uses.lemmas.str.lower()
    tags = uses.groupby(["word", "upos"]).size().rename("uses").reset_index()
    most = tags.sort_values(["uses", "upos"], ascending=[False, True]).drop_duplicates("word")
    most = most.set_index("word")
    summary = pd.read_parquet(sample_run / "change" / "summary").set_index("word")
    assert summary.upos.to_dict() == most.upos[summary.index].to_dict()
    share = most.uses / tags.groupby("word").uses.sum()
    np.testing.assert_allclose(summary.upos_share, share[summary.index])
    assert summary.upos.nunique() > 5


def test_words_with_neighbours_are_the_most_changed_content_words(sample_run):
    summary = pd.read_parquet(sample_run / "change" / "summary").set_index("word")
    content = summary[summary.upos.isin(["NOUN", "VERB", "ADJ"])]
    ranks = ["rank_op", "rank_op_", "rank_cca", "rank_none"]
    expected = set().union(*(content[rank].dropna().nsmallest(100).index for rank in ranks))
    assert set(pd.read_parquet(sample_run / "neighbours").word) <= expected
    assert 0 < len(expected) < summary.ranked.sum()
