"""What the change pipeline is told, as tasks."""

from itertools import product

from graph_making import COMPARISONS, COUNTS, JOINT, file, grouped, ready

from lexbeam.transforms.change.graph.comparisons import (
    Comparisons,
    SliceReady,
    facts_of,
    joint_slices,
    joint_spaces,
    joint_tasks,
    map_number,
    neighbour_tasks,
    slice_row,
    space_number,
    train_tasks,
)
from lexbeam.transforms.change.graph.pair_tasks import groups_of, null_slices
from lexbeam.transforms.change.scores.combined_scores import Combined, MostChanged
from lexbeam.transforms.change.spaces.aligning import SliceFacts
from lexbeam.transforms.change.spaces.training import TrainedSpaces
from lexbeam.transforms.change.view.counts import SliceCounts
from lexbeam.transforms.change.view.slices import Slice
from lexbeam.transforms.common.store.receipts import ArtefactPath, File
from lexbeam.transforms.common.store.tables import PartFile


def test_a_slice_is_trained_once_for_each_seed():
    tasks = list(train_tasks(SliceReady(1, COUNTS, ((file("feed"),),), file("dealt")), COMPARISONS))
    assert [key for key, _ in tasks] == [(0, 1, 5), (0, 1, 9)]
    assert [(task.slice, task.seed, task.min_count) for _, task in tasks] == [("b", 5, 3), ("b", 9, 3)]
    assert {(task.tokens, task.sentences) for _, task in tasks} == {(3, 2)}
    assert {(task.counts, task.feeds) for _, task in tasks} == {(file("counts"), ((file("feed"),),))}
    assert {task.documents for _, task in tasks} == {file("dealt")}


def test_facts_name_the_slice():
    assert facts_of(COMPARISONS, 0, {0: COUNTS}) == SliceFacts("a", file("counts"), 3, 1, 2)


def ranking(*words):
    return MostChanged(
        alignment="op",
        measure="cosine",
        slice_from="",
        slice_to="",
        words=words,
        scores=(0.5,) * len(words),
        ranked=len(words),
        threshold=None,
        spearman_from=None,
        spearman_to=None,
    )


def test_neighbours_are_asked_of_targets_and_the_most_changed_words_of_a_slices_pairs():
    part = PartFile(file("scores"), 1)
    combined = {
        0: Combined(
            part=part,
            pair=part,
            nulls=None,
            systems=None,
            system_nulls=None,
            tops=(ranking("y", "x", "z"), ranking("x", "w", "v")),
        ),
        1: Combined(part=part, pair=part, nulls=None, systems=None, system_nulls=None, tops=(ranking("q"),)),
    }

    def words(place, most, targets=("t", "x")):
        made = (0, place, 5), PartFile(file("v"), 1)
        ((key, task),) = neighbour_tasks(made, COMPARISONS, combined, targets, most)
        assert key == made[0]
        assert (task.slice, task.seed, task.space) == (COMPARISONS.names[place], 5, file("v"))
        return task.words

    assert words(0, 2) == ("t", "w", "x", "y")
    assert words(1, 1) == ("q", "t", "x", "y")
    assert words(2, 5) == ("q", "t", "x")
    assert words(0, 0, targets=()) == ()


COMPARED = Comparisons(("a", "b", "c"), (1, 1, 1), ((0, 1), (1, 2)), (2, 5, 7))


def test_parts_of_spaces_are_numbered_by_variant_slice_and_seed():
    keys = list(product(range(2), range(3), COMPARED.seeds))
    assert [space_number(COMPARED, key) for key in keys] == list(range(18))


def test_parts_of_alignments_are_numbered_by_pair_seed_and_name_and_none_has_no_part():
    alignments = ("op", "none", "cca", "op")
    keys = list(product(range(2), COMPARED.seeds, ("cca", "op")))
    found = [map_number(COMPARED, alignments, (pair, seed), name) for pair, seed, name in keys]
    assert found == list(range(12))
    assert map_number(COMPARED, alignments, (0, 2), "none") is None


def test_a_row_tells_the_share_of_the_largest_document_even_of_an_empty_slice():
    def row(tokens):
        counts = SliceCounts(
            counts=File(ArtefactPath("c"), 1, "ab"),
            documents=2,
            sentences=3,
            tokens=tokens,
            largest_document=tokens // 4,
            types=6,
            tokens_before=9,
            short=1,
            short_tokens=4,
            split=2,
            sampled_out=3,
        )
        return slice_row(Slice("early", 1800, None), counts, vocabulary=4, min_count=5)

    assert row(8)["largest_document_share"] == 0.25
    assert row(0)["largest_document_share"] == 0
    assert (row(8)["from"], row(8)["to"], row(8)["vocabulary"], row(8)["min_count"]) == (1800, None, 4, 5)


def test_slices_are_trained_together_once_for_each_way_and_seed():
    sequences = grouped(entry for place in (2, 0, 1) for entry in joint_slices(ready(place), JOINT))
    assert sorted(sequences) == [(0, 0), (2, 0)]
    tasks = {
        key: task
        for sequence, slices in sequences.items()
        for key, task in joint_tasks(sequence, slices, JOINT, targets=("y", "x"))
    }
    assert sorted(tasks) == [(0, 0, 5), (0, 0, 9), (2, 0, 5), (2, 0, 9)]
    assert [(one.slice, one.min_count, one.seed) for one in tasks[0, 0, 9].slices] == [
        ("a", 2, 9),
        ("b", 3, 9),
        ("c", 4, 9),
    ]
    assert [(task.training, task.wanted) for task in tasks.values()] == [("tr", (0, 1, 2))] * 2 + [
        ("vi", (0, 1, 2))
    ] * 2
    # What a way does not use is not in its task.
    assert [(tasks[variant, 0, 5].targets, tasks[variant, 0, 5].anchor) for variant in (0, 2)] == [
        (("x", "y"), None),
        ((), 1),
    ]
    spaces = tuple(PartFile(file(name), 1) for name in "abc")
    assert list(joint_spaces(((2, 0, 9), TrainedSpaces(spaces)), JOINT)) == [
        ((2, place, 9), space) for place, space in enumerate(spaces)
    ]


def test_null_slices_are_trained_among_the_other_real_ones():
    null = null_slices(JOINT, groups_of(JOINT, series=True), 2)
    assert null.sequences[:4] == ((0, 1, -3), (2, 3, -3), (-1, 4, 5), (-1, 6, 7))
    assert null.sequences[4:] == ((8, 9, 10), (11, 12, 13))
    entries = [entry for place in range(14) for entry in joint_slices(ready(place), null)]
    entries += [entry for place in range(3) for entry in joint_slices(ready(place), null, of_real=True)]
    sequences = grouped(entries)
    # Series follow the first variant alone.
    assert sorted(sequences) == [(0, number) for number in range(6)] + [(2, number) for number in range(4)]
    ((key, task),) = joint_tasks((2, 2), sequences[2, 2], null)
    assert [(one.slice, one.min_count) for one in task.slices] == [
        ("a", 2),
        ("b:c null 1 as b", 3),
        ("b:c null 1 as c", 4),
    ]
    assert (key, task.wanted, task.anchor) == ((2, 2, 5), (1, 2), 1)
    spaces = tuple(PartFile(file(name), 1) for name in "bc")
    assert [at for at, _ in joint_spaces((key, TrainedSpaces(spaces)), null)] == [(2, 4, 5), (2, 5, 5)]
