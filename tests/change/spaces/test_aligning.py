"""Alignment as an artefact: one alignment of two spaces each."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from space_making import align_all, train_all

from lexbeam.transforms.change.graph.pair_tasks import align_tasks
from lexbeam.transforms.change.spaces import aligning
from lexbeam.transforms.change.spaces.aligning import (
    REGISTRY,
    Align,
    AlignOptions,
    DescribeSlice,
    ListNeighbours,
    NeighbourOptions,
    NeighbourTask,
    fit_arguments,
    load_alignments,
)
from lexbeam.transforms.common.options.fields import options_of
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.embeddings.alignment import ALIGNMENTS
from lexbeam.transforms.embeddings.published import load_side
from lexbeam.transforms.embeddings.spaces import apply


@pytest.fixture
def space(tmp_path):
    return Workspace(str(tmp_path / "work"))


@pytest.fixture
def fitted(monkeypatch):
    """The alignments that are fitted, in order."""
    names = []
    fit = aligning.fit_alignment

    def noted(name, *args, **options):
        names.append(name)
        return fit(name, *args, **options)

    monkeypatch.setattr(aligning, "fit_alignment", noted)
    return names


def rows_of(aligned):
    _, receipt = aligned
    return pq.read_table(receipt.file.path).to_pylist()


def test_a_part_holds_both_sides_of_one_alignment(trained, space):
    found = align_all(space, trained, 1, ("op", "cca"))
    assert list(found) == ["cca", "op"]
    for name, aligned in found.items():
        rows = rows_of(aligned)
        assert [(row["alignment"], row["side"]) for row in rows] == [(name, "from"), (name, "to")]
        assert {(row["slice_from"], row["slice_to"], row["seed"]) for row in rows} == {("early", "late", 1)}
    rotation = load_side(rows_of(found["op"])[1]).matrix
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(5), atol=1e-12)


def test_too_few_shared_words_fit_nothing(trained, space):
    found = align_all(space, trained, 1, ("cca",), fit_on="top:9")
    rows = rows_of(found["cca"])
    assert [(row["residual"], row["matrix"], row["fit_words"]) for row in rows] == [(None, None, 9), (None, None, 9)]


def test_maps_are_read_as_they_are_published(trained, space):
    found = align_all(space, trained, 1, ("op", "cca"))
    files = {name: receipt.file for name, (_, receipt) in found.items()}
    maps = load_alignments({**files, "none": None})
    assert maps["none"].residual == 0
    vectors = np.ones((2, 5), np.float32)
    for side in maps["none"][:2]:
        np.testing.assert_array_equal(apply(side, vectors), vectors)
    for name in files:
        source, target = rows_of(found[name])
        np.testing.assert_array_equal(maps[name].source.matrix, load_side(source).matrix)
        np.testing.assert_array_equal(maps[name].target.matrix, load_side(target).matrix)
        assert maps[name].residual == source["residual"] == target["residual"]
        assert maps[name].fit_words == source["fit_words"]


def test_an_option_that_alignments_use_says_so():
    of = {name: entry.of for name, entry in options_of(AlignOptions).items() if entry.of.startswith(REGISTRY)}
    for name in {name for method in ALIGNMENTS.values() for name in method.uses} | of.keys():
        users = [alignment for alignment in ALIGNMENTS if name in ALIGNMENTS[alignment].uses]
        assert of[name] == f"{REGISTRY}={','.join(users)}"


def test_one_more_alignment_does_not_fit_the_others_again(trained, space, fitted):
    first = align_all(space, trained, 1, ("op",))
    assert fitted == ["op"]
    more = align_all(space, trained, 1, ("cca", "op", "none"))
    assert fitted == ["op", "cca", "none"]
    assert more["op"] == first["op"]
    align_all(space, trained, 1, ("op", "cca"))
    assert len(fitted) == 3
    align_all(space, trained, 2, ("op",))
    assert fitted[3:] == ["op"]


def test_other_targets_fit_again_only_what_is_fitted_without_them(trained, space, fitted):
    align_all(space, trained, 1, ("op", "cca"), targets=("w1",))
    fitted.clear()
    align_all(space, trained, 1, ("op", "cca"), targets=("w1", "w2"))
    assert fitted == ["cca"]
    fitted.clear()
    for targets in (("w1",), ("w2",)):
        align_all(space, trained, 1, ("op", "cca"), targets=targets, fit_on="shared")
    assert fitted == ["cca"]  # of the first: op is fitted on shared words anyway
    fitted.clear()
    for targets in (("w1",), ("w2",)):
        align_all(space, trained, 1, ("op",), targets=targets, fit_on="without-targets")
    assert fitted == ["op", "op"]


def test_the_cut_of_singular_values_counts_for_cca_alone(trained, space, fitted):
    align_all(space, trained, 1, ("op", "cca"))
    fitted.clear()
    align_all(space, trained, 1, ("op", "cca"), rcond=0.1)
    assert fitted == ["cca"]


def identity(task, **options):
    return Align().identity(task._replace(fit=fit_arguments(AlignOptions(**options), task.alignment)))


def test_order_of_targets_and_a_default_that_is_named_change_nothing(trained):
    cca, op = align_tasks(trained.sides(1), 1, ("op", "cca"), AlignOptions())
    assert identity(cca, targets=("a", "b")) == identity(cca, targets=("b", "a"))
    assert identity(op) == identity(op, fit_on="shared")
    assert identity(cca) == identity(cca, fit_on="top:100000+without-targets")


def test_spaces_slices_and_seed_decide_and_paths_do_not(trained, tmp_path):
    (op,) = align_tasks(trained.sides(1), 1, ("op",), AlignOptions())
    (other,) = align_tasks(trained.sides(2), 2, ("op",), AlignOptions())
    assert identity(op) != identity(other)
    assert identity(op) != identity(other._replace(seed=1))
    early, late = op.sides
    assert identity(op) != identity(op._replace(sides=(late, early)))
    for changed in ({"name": "x"}, {"tokens": 1}, {"space": late.space}):
        assert identity(op) != identity(op._replace(sides=(early._replace(**changed), late))), changed
    assert identity(op) != identity(op, fit_on="top:9")
    (again,) = align_tasks(train_all(tmp_path).sides(1), 1, ("op",), AlignOptions())
    assert again.sides[0].space.path != early.space.path
    assert identity(again) == identity(op)


OPTIONS = NeighbourOptions(neighbours=3, min_count=5)


def task_of(trained, place=0, seed=1, words=("none", "w1", "w2")):
    name = ("early", "late")[place]
    return NeighbourTask(name, seed, "apart", trained.spaces[0, place, seed].file, words)


def test_neighbours_are_of_the_words_asked_for(trained, space):
    receipt = make(space, ListNeighbours(OPTIONS), task_of(trained))
    rows = pq.read_table(receipt.file.path).to_pylist()
    assert [(row["word"], row["rank"]) for row in rows] == [(word, rank) for word in ("w1", "w2") for rank in (1, 2, 3)]
    assert {(row["slice"], row["seed"]) for row in rows} == {("early", 1)}
    assert receipt.rows == 6


def test_neighbours_have_the_uses_asked_for(trained, space):
    vectors = pq.read_table(trained.spaces[0, 0, 1].file.path)
    counts = dict(zip(vectors["word"].to_pylist(), vectors["count"].to_pylist(), strict=True))
    least = sorted(counts.values())[len(counts) // 2]
    options = NeighbourOptions(neighbours=100, min_count=least)
    receipt = make(space, ListNeighbours(options), task_of(trained, words=("w1",)))
    found = pq.read_table(receipt.file.path)["neighbour"].to_pylist()
    assert set(found) == {word for word in counts if counts[word] >= least and word != "w1"}


def test_space_words_and_options_decide(trained):
    plain = task_of(trained)
    found = [
        ListNeighbours(options).identity(task)
        for task, options in (
            (plain, OPTIONS),
            (task_of(trained, place=1), OPTIONS),
            (task_of(trained, seed=2), OPTIONS),
            (task_of(trained, words=("w1",)), OPTIONS),
            (plain._replace(slice="late"), OPTIONS),
            (plain._replace(seed=2), OPTIONS),
            (plain, NeighbourOptions(neighbours=4, min_count=5)),
            (plain, NeighbourOptions(neighbours=3, min_count=6)),
        )
    ]
    assert len({str(identity) for identity in found}) == len(found)


def test_a_slice_is_a_row(space):
    row = {
        "slice": "bc",
        "from": None,
        "to": -1,
        "documents": 1,
        "sentences": 2,
        "tokens_before": 9,
        "tokens": 8,
        "sentences_short": 0,
        "tokens_short": 0,
        "sentences_sampled_out": 0,
        "sentences_split": 0,
        "types": 5,
        "vocabulary": 3,
        "min_count": 2,
        "largest_document_share": 1.0,
    }
    receipt = make(space, DescribeSlice(), row)
    assert pq.read_table(receipt.file.path).to_pylist() == [row]
    assert DescribeSlice().identity(row) != DescribeSlice().identity({**row, "tokens": 7})
