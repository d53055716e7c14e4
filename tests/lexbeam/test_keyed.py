"""Vectors as gensim has them, against what `lexbeam export` writes."""

import numpy as np
import pandas as pd
import pytest
from python_runs import CORPUS

import lexbeam


def exported(results, folder, **options):
    lexbeam.export(results, format="npy", out=folder, **options)
    return {
        path.stem: (path.with_suffix(".words.txt").read_text("utf-8").split(), np.load(path))
        for path in folder.glob("*.npy")
    }


def same(keyed, written):
    words, vectors = written
    return (
        keyed.index_to_key == words and keyed.vectors.dtype == vectors.dtype and np.array_equal(keyed.vectors, vectors)
    )


def test_as_trained(results, tmp_path):
    files = exported(results, tmp_path / "vectors")
    assert len(files) == 6
    for name in "abc":
        for seed in (1, 2):
            keyed = lexbeam.vectors(results, slice=name, seed=seed)
            assert same(keyed, files[f"{name}_seed{seed}"])
    assert same(lexbeam.vectors(results, slice="a", seed="2"), files["a_seed2"])
    first = lexbeam.vectors(results.folder, slice="a")
    assert same(first, files["a_seed1"])


def test_as_aligned(results, tmp_path):
    files = exported(results, tmp_path / "vectors", aligned="op")
    assert len(files) == 8
    for pair in (("a", "b"), ("b", "c")):
        for side, name in zip(("from", "to"), pair, strict=True):
            keyed = lexbeam.vectors(results, slice=name, seed=2, aligned="op", pair=pair)
            assert same(keyed, files[f"{pair[0]}_to_{pair[1]}_op_{side}_seed2"])
    assert same(lexbeam.vectors(results, slice="a", aligned="op"), files["a_to_b_op_from_seed1"])


def test_distances_of_both_sides_are_scores(results):
    sides = [lexbeam.vectors(results, slice=name, aligned="op", pair=("a", "b")) for name in ("a", "b")]
    scores = (
        results.table("scores")
        .to_pandas()
        .query("alignment == 'op' and measure == 'cosine' and seed == 1 and slice_from == 'a'")
    )
    assert len(scores) > 5
    for row in scores.itertuples():
        cosine = np.dot(*(side.get_vector(row.word, norm=True) for side in sides))
        assert row.score == pytest.approx(1 - cosine, abs=1e-6)


def test_counts_and_neighbours_are_those_of_the_tables(results):
    keyed = lexbeam.vectors(results, slice="b", seed=2)
    rows = pd.concat(map(pd.read_parquet, results.paths("vectors")))
    rows = rows[(rows.slice == "b") & (rows.seed == 2)]
    assert {w: keyed.get_vecattr(w, "count") for w in keyed.index_to_key} == dict(
        zip(rows.word, rows["count"], strict=True)
    )
    vectors = np.stack(rows.vector)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = vectors @ vectors[list(rows.word).index("sea")]
    best = [rows.word.iloc[place] for place in np.argsort(-cosines)[1:4]]
    assert [word for word, _ in keyed.most_similar("sea", topn=3)] == best
    keyed.sort_by_descending_frequency()
    assert keyed.get_vecattr(keyed.index_to_key[0], "count") == rows["count"].max()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slice": "d"}, "no slice 'd'; there are a, b, c"),
        ({"slice": "a", "seed": 3}, "no seed 3; there are 1, 2"),
        ({"slice": "a", "seed": "11"}, "no seed '11'; there are 1, 2"),
        ({"slice": "a", "aligned": "opp"}, "did you mean 'op'"),
        ({"slice": "b", "aligned": "op"}, r"several pairs: .*\('a', 'b'\), \('b', 'c'\)"),
        ({"slice": "a", "aligned": "op", "pair": ("b", "c")}, r"in no pair \('b', 'c'\)"),
        ({"slice": "a", "pair": ("a", "b")}, "`pair` goes with `aligned`"),
    ],
)
def test_what_is_not_there_is_named(results, options, message):
    with pytest.raises(lexbeam.UsageError, match=message):
        lexbeam.vectors(results, **options)


def test_without_change_there_are_no_vectors(texts, tmp_path):
    results = lexbeam.corpus(texts, out=tmp_path / "out", **CORPUS)
    with pytest.raises(lexbeam.LexbeamError, match="no change tables"):
        lexbeam.vectors(results, slice="a")
