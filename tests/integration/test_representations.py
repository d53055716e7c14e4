"""Spaces that are made of counts, in whole runs: null pairs, series, what is said of seeds, and what is refused."""

import shutil

import pandas as pd
import pytest
from mixed_runs import compared_runners
from small_runs import SLICES, call, change, copy_of_out, published, unless_given

NULLS = ["--null", "3", "--rank-min-count", "5", "--overwrite"]
COUNTED = ["--min-count", "1", "--min-sentence", "1"]  # what is trained takes more


def counted(out, *options):
    return call("change", "--out", out, *unless_given([*SLICES, *COUNTED], options), *options)


@pytest.fixture(scope="module")
def out(made_once):
    """A folder of the small texts, changed by training."""
    return made_once("represented", lambda folder: copy_of_out(made_once, folder))


@pytest.fixture
def scores(out):
    """A function that runs `change` again and returns the means over seeds by word, of the first measure."""

    def run(*options):
        assert counted(out, *unless_given(NULLS[:-1], options), NULLS[-1], *options) == 0
        table = pd.read_parquet(out / "scores")
        return table[table.seed.isna() & (table.measure == "cosine")].set_index("word")

    return run


def test_decomposed_counts_are_aligned_and_weighed_as_trained_vectors_are(scores, out, capsys):
    found = scores("--representation", "svd", "--dim", "5", "--shift", "1", "--gamma", "0.5")
    assert set(found.alignment) == {"op", "cca"}
    assert found[found.alignment == "op"].score.notna().all()
    assert found.score_sd.isna().all()  # of one seed
    assert found[found.ranked & (found.alignment == "op")].null_mean.notna().all()
    told = capsys.readouterr().out
    assert "(op, cosine of svd, which has no seeds)" in told
    assert (pd.read_parquet(out / "vectors").seed == 1).all()


def test_glove_is_aligned_and_weighed_and_differs_by_seed(scores, out):
    found = scores("--representation", "glove", "--dim", "5", "--iterations", "3", "--x-max", "5", "--seeds", "2")
    assert set(found.alignment) == {"op", "cca"}
    mapped = found[found.alignment == "op"]
    assert mapped.score.notna().all()
    assert (mapped.score_sd > 0).all()
    assert mapped[mapped.ranked].null_mean.notna().all()


def test_sparse_vectors_are_intersected_weighed_shown_and_not_exported(scores, out, capsys, tmp_path):
    measures = "cosine,euclidean,lnd,neighbour-overlap,resistance"
    small = ("--neighbourhood", "4", "--graph-words", "9")
    found = scores("--representation", "ppmi", "--shift", "1", "--measure", measures, *small)
    assert set(found.alignment) == {"column-intersection"}
    table = pd.read_parquet(out / "scores")
    means = table[table.seed.isna() & table.measure.isin(measures.split(","))]
    assert means.groupby("measure").score.count().gt(5).all()
    assert means[means.ranked & means.score.notna()].null_mean.notna().all()
    rows = pd.read_parquet(out / "vectors")
    assert [len(row) for row in rows.contexts] == [len(row) for row in rows.weights]
    sides = pd.read_parquet(out / "alignments").set_index("side")
    words = {name: some.word.to_list() for name, some in rows.groupby("slice")}
    kept = [
        [words[sides.loc[side, f"slice_{side}"]][number] for number in sides.contexts[side]] for side in ("from", "to")
    ]
    assert kept[0] == kept[1] == sorted(set(words["1800-1849"]) & set(words["1850-1900"]))
    capsys.readouterr()
    assert call("show", out, "--word", "sea") == 0
    assert "nearest neighbours" in capsys.readouterr().out
    assert call("export", out, "--format", "npy", "--out", tmp_path / "vectors") == 2
    assert "are sparse, each over all" in capsys.readouterr().err


def test_systems_of_graphs_and_topics_are_weighed_as_others(out):
    for name, measure, *own in (("ucd", "resistance", "--shift", "1"), ("uob", "topics", "--topic-words", "9")):
        assert counted(out, *NULLS, "--system", name, *own) == 0
        rows = pd.read_parquet(out / "change" / "systems")
        assert set(rows.measure) == {measure}
        assert rows.score.notna().sum() > 5


def test_random_indexing_needs_no_alignment_in_pairs_and_series(scores, out):
    found = scores(
        "--representation",
        "ri",
        "--nonzero",
        "2",
        "--slices",
        "1800-1815,1816-1849,1850-1900",
        "--seeds",
        "2",
        "--null",
        "0",
    )
    assert set(found.alignment) == {"none"}
    vectors = pd.read_parquet(out / "vectors").set_index(["slice", "seed", "word"]).vector
    series = pd.read_parquet(out / "change" / "series")
    assert set(series.alignment) == {"none"}
    middle = series[series.slice == "1816-1849"].set_index("word")
    pairs = found[found.slice_from == "1800-1815"].score
    for word, score in pairs.items():
        by_seed = []
        for seed in (1, 2):
            first, second = (vectors[name, seed, word].astype(float) for name in ("1800-1815", "1816-1849"))
            by_seed.append(1 - first @ second / (first @ first * (second @ second)) ** 0.5)
        assert score == pytest.approx(sum(by_seed) / 2, abs=1e-9)
        if word in middle.index:
            assert middle.pair_previous[word] == pytest.approx(score, abs=1e-9)
            assert middle.common_previous[word] == pytest.approx(score, abs=1e-9)


@pytest.mark.soak
@pytest.mark.parametrize("runner", compared_runners("direct_multiprocess"))
@pytest.mark.parametrize("representation", ["ppmi", "svd"])
def test_counted_spaces_are_the_same_on_every_runner(runner, representation, ready, out, tmp_path):
    ready(runner)
    made = []
    for number, config in enumerate(("direct", runner)):
        folder = shutil.copytree(out, tmp_path / str(number), symlinks=True)
        options = ["--representation", representation, "--shift", "1", "--runner-config", config]
        assert counted(folder, *NULLS, *options) == 0
        files = published(folder)
        made.append({name: bytes for name, bytes in files.items() if name.endswith(".parquet")})
    assert made[0] == made[1]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--measure", "entropy"], "--measure entropy: it is of what --representation count has"),
        (["--representation", "svd", "--seeds", "3"], "--seeds: there is no chance in --representation svd"),
        (["--representation", "ri", "--shards", "2"], "--shards 2: --representation ri is not trained but counted"),
        (["--representation", "ri"], "--nonzero 10: a random vector has --dim 5 places"),
        (["--representation", "pmi"], "pmi"),
        (["--gamma", "1"], "--gamma 1.0: it is used with --representation svd, not with sgns"),
        (["--representation", "svd"], "--epochs 1: it is used with --representation sgns, not with svd: leave it out"),
        (["--alignment", "vi", "--fit-on", "top:9"], "--fit-on top:9: nothing is fitted by --alignment vi: leave it"),
    ],
)
def test_what_says_nothing_of_a_representation_is_refused(options, told, out, capsys):
    assert change(out, *options, "--overwrite") == 2
    assert told in capsys.readouterr().err
