"""Alignments that train slices together, in whole runs: side by side, with nulls and series, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from small_runs import call, change, copy_of_out, published

SLICES = ["--slices", "1800-1815,1816-1849,1850-1900"]
NULLS = ["--null", "3", "--rank-min-count", "1"]


@pytest.fixture(scope="module")
def out(made_once):
    return made_once("together", lambda folder: copy_of_out(made_once, folder))


@pytest.fixture(scope="module")
def targets(tmp_path_factory):
    path = tmp_path_factory.mktemp("targets") / "targets.txt"
    path.write_text("sea\nland\nabsent\n")
    return path


def test_they_stand_side_by_side_with_nulls(out, targets, tmp_path):
    run = [*NULLS, "--targets", targets, "--alignment", "vi,op,tr,compass", "--measure", "cosine,lnd"]
    run += ["--neighbourhood", "4", "--keep", "published", "--overwrite"]
    assert change(out, *run) == 0
    rows = pd.read_parquet(out / "scores")
    means = rows[rows.seed.isna()].set_index(["measure", "alignment", "word"]).sort_index()
    for alignment in ("vi", "op", "tr", "compass"):
        of = means.loc["cosine", alignment]
        assert of.score["sea"] > 0
        assert of.null_mean["sea"] > 0
        assert of.reason["absent"] == "absent_from"
        assert (of.reason["ship"] == "one_vector") == (alignment == "tr")
    assert means.loc["lnd"].index.get_level_values("alignment").unique().tolist() == ["none"]
    vectors = pd.read_parquet(out / "vectors").set_index(["variant", "slice", "seed", "word"]).vector
    assert vectors.index.is_unique
    assert vectors.index.unique("variant").tolist() == ["vi", "apart", "tr", "compass"]
    first = vectors.loc[["vi", "apart"], "1800-1849"].unstack("variant")
    assert all(np.array_equal(*row) for row in first.itertuples(index=False))
    # Spaces share their axes.
    vi = vectors.loc["vi", :, 1]
    a, b = (vi.loc[name, "ship"] for name in ("1800-1849", "1850-1900"))
    found = rows[(rows.alignment == "vi") & (rows.word == "ship") & (rows.seed == 1) & (rows.measure == "cosine")]
    assert found.score.iloc[0] == pytest.approx(1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-6)
    assert pd.read_parquet(out / "neighbours").variant.nunique() == 4
    assert set(pd.read_parquet(out / "alignments").variant) == {"vi", "apart", "tr", "compass"}
    assert call("export", out, "--aligned", "tr", "--format", "npy", "--out", tmp_path / "vectors") == 0
    assert call("report", out) == 0


def test_series_of_temporal_referencing_are_of_targets_and_runs_give_the_same_bytes(out, targets):
    run = [*SLICES, *NULLS, "--targets", targets, "--alignment", "tr", "--overwrite"]
    assert change(out, *run) == 0
    before = published(out)
    assert change(out, *run, "--fresh") == 0
    assert published(out) == before
    series = pd.read_parquet(out / "change" / "series")
    assert set(series.word) == {"sea", "land"}
    assert set(series.alignment) == {"tr"}


def test_slices_are_mapped_onto_an_anchor_with_their_nulls(out):
    run = [
        *SLICES,
        *NULLS,
        "--no-series",
        "--pairs",
        "all",
        "--alignment",
        "op,vi",
        "--align-to",
        "1816-1849",
        "--overwrite",
    ]
    assert change(out, *run) == 0
    sides = pd.read_parquet(out / "alignments")
    maps = sides[(sides.alignment == "op") & (sides.seed == 1)].set_index(["slice_from", "slice_to", "side"])
    stays = {key[0 if key[2] == "from" else 1] for key in maps.index[maps.matrix.isna()]}
    assert stays == {"1816-1849"}
    rows = pd.read_parquet(out / "vectors")
    vectors = rows[(rows.variant == "apart") & (rows.seed == 1)].set_index(["slice", "word"]).vector

    def aligned(side, name, word):
        vector = vectors[name, word]
        vector = vector / np.linalg.norm(vector) - side["mean"]
        return vector if side["matrix"] is None else vector @ side["matrix"].reshape(len(vector), -1)

    pair = ("1800-1815", "1850-1900")
    a, b = (aligned(maps.loc[(*pair, end)], name, "sea") for end, name in zip(("from", "to"), pair, strict=True))
    scores = pd.read_parquet(out / "scores").set_index(["slice_from", "slice_to", "alignment", "measure", "word"])
    found = scores.sort_index().loc[(*pair, "op", "cosine", "sea")].set_index("seed")
    assert found.score[1] == pytest.approx(1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-6)
    assert found.null_mean.notna().any()
    first = rows[(rows.variant == "vi") & (rows.slice == "1816-1849") & (rows.seed == 1)].set_index("word").vector
    assert all(np.array_equal(vector, vectors["1816-1849", word]) for word, vector in first.items())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--alignment", "tr"], "it gives targets alone a vector in each slice, and there are none"),
        (["--alignment", "wi"], "name some by --targets"),
        (["--alignment", "vi", "--shards", "2"], "leave --shards out"),
        (["--align-to", "1850-19"], "no such slice; did you mean '1850-1900'?"),
        (["--align-to", "first", "--alignment", "op+"], "its maps make no common frame: take op or op- or cca"),
        (["--alignment", "compass", "--representation", "svd"], "is not trained but counted: take op or"),
    ],
)
def test_what_cannot_be_trained_together_is_refused(out, options, message, capsys):
    assert change(out, *options, "--overwrite") == 2
    assert message in capsys.readouterr().err
