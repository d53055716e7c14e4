"""Neighbours of words and their ways through the slices, against plain linear algebra."""

import numpy as np
import pytest
from panel_making import aligned, snapshot_of, space, vectors
from published import scores

from lexbeam.transforms.change.shown.panels import panels
from lexbeam.transforms.embeddings.spaces import apply
from lexbeam.transforms.report.panels import Choice


@pytest.fixture
def make(tmp_path):
    def made(rows, more=(), **section):
        found = panels(snapshot_of(tmp_path, rows, more, **section))
        return {panel.title: panel for panel in found}

    return made


def cosines(rows, word):
    """The cosine of a word to each other one in a slice."""
    unit = {row["word"]: np.array(row["vector"]) / np.linalg.norm(row["vector"]) for row in rows}
    return {other: float(unit[word] @ vector) for other, vector in unit.items() if other != word}


def test_neighbours_are_means_over_seeds(make):
    parts = [vectors(name, "abc", seed) for name in ("old", "new") for seed in (1, 2)]
    rows = [scores("a", 0.1), scores("b", 0.5)]
    panel = make(rows, {"vectors": parts}, seeds=[1, 2])["Neighbours in each slice"]
    assert isinstance(panel, Choice)
    assert (panel.key, panel.across) == ("word", "slice")
    assert "mean cosine over 2 seeds" in panel.text
    found = {(row["word"], row["slice"], row["neighbour"]): row["cosine"] for row in panel.rows.to_pylist()}
    assert list(dict.fromkeys(word for word, _, _ in found)) == ["b", "a"]
    for name, first, second in (("old", *parts[:2]), ("new", *parts[2:])):
        for word in "ab":
            one, other = cosines(first, word), cosines(second, word)
            for near in one:
                mean = (one[near] + other[near]) / 2
                assert found[word, name, near] == pytest.approx(mean)


def test_the_way_of_a_word_is_the_plane_of_its_vectors_and_neighbours(make):
    parts = [vectors(name, "abcdefgh") for name in ("old", "new")]
    rows, fitted = aligned(*parts)
    chart = make([scores(word, 0.5) for word in "abcdefgh"], {"vectors": parts, "alignments": [rows]})[
        "Ways of words through the slices"
    ]
    assert chart.key == "word"
    assert "Distances in the plane are not the scores" in chart.text
    unit = {}
    for name, part, side in (("old", parts[0], fitted.source), ("new", parts[1], fitted.target)):
        made = apply(side, space(part).vectors)
        unit[name] = dict(zip("abcdefgh", made / np.linalg.norm(made, axis=1)[:, None], strict=True))
    for word in "ah":
        own = [row for row in chart.rows.to_pylist() if row["word"] == word]
        assert [row["name"] for row in own if row["order"]] == ["old", "new"]
        for name, part in (("old", parts[0]), ("new", parts[1])):
            near = cosines(part, word)
            landmarks = [r["name"] for r in own if r["slice"] == name and not r["order"]]
            assert landmarks == sorted(near, key=near.__getitem__, reverse=True)[:5]
        points = np.array([unit[row["slice"]][word if row["order"] else row["name"]] for row in own])
        centred = points - points.mean(axis=0)
        left, singular, _ = np.linalg.svd(centred, full_matrices=False)
        places = (left * singular)[:, :2]
        shown = np.array([[row["x"], row["y"]] for row in own])
        assert np.abs(shown).max() == pytest.approx(1.0)
        for axis in (0, 1):
            scale = np.abs(places).max() * np.sign(places[0, axis] * shown[0, axis])
            np.testing.assert_allclose(shown[:, axis] * scale, places[:, axis], atol=1e-6)
        share = 100 * (singular[:2] ** 2).sum() / (singular**2).sum()
        assert own[0]["variance shown"] == pytest.approx(share)


@pytest.mark.parametrize("kind", ["cca", "not fitted", "none"])
def test_there_are_no_ways_without_an_alignment_that_turns(make, kind):
    parts = [vectors(name, "abc") for name in ("old", "new")]
    rows, _ = aligned(*parts)
    for row in rows:
        row |= {"cca": {"alignment": "cca"}, "not fitted": {"matrix": None}, "none": {}}[kind]
    more = {"vectors": parts} if kind == "none" else {"vectors": parts, "alignments": [rows]}
    found = make([scores("a", 0.5)], more)
    assert "Ways of words through the slices" not in found
    assert "Neighbours in each slice" in found


def test_a_word_that_one_slice_alone_has_goes_no_way(make):
    parts = [vectors("old", "abcd"), vectors("new", "bcd")]
    rows, _ = aligned(vectors("old", "bcd"), parts[1])
    found = make([scores("a", 0.5), scores("b", 0.4)], {"vectors": parts, "alignments": [rows]})
    chart = found["Ways of words through the slices"]
    assert set(chart.rows["word"].to_pylist()) == {"b"}
