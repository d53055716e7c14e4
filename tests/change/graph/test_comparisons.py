"""What the change pipeline is told, as tasks."""

from transforms.change.graph.comparisons import (
    Comparisons,
    SliceReady,
    align_tasks,
    facts_of,
    neighbour_task,
    train_tasks,
)
from transforms.change.scores.score_stages import Combined, MostChanged
from transforms.change.spaces.alignment_stage import SliceFacts
from transforms.change.view.slice_merges import SliceCounts
from transforms.common.store.receipts import ArtefactPath, File
from transforms.common.store.tables import PartFile

COMPARISONS = Comparisons(("a", "b", "c"), (2, 3, 4), ((0, 1), (1, 2)), (5, 9))


def file(name):
    return File(ArtefactPath(name), 1, name)


COUNTS = SliceCounts(
    counts=file("counts"),
    documents=1,
    sentences=2,
    tokens=3,
    largest_document=3,
    types=2,
    tokens_before=4,
    short=0,
    split=0,
    sampled_out=0,
)


def test_a_slice_is_trained_once_for_each_seed():
    tasks = list(train_tasks(COMPARISONS, SliceReady(1, COUNTS, (file("feed"),))))
    assert [key for key, _ in tasks] == [(1, 5), (1, 9)]
    assert [(task.slice, task.seed, task.min_count) for _, task in tasks] == [("b", 5, 3), ("b", 9, 3)]
    assert {(task.tokens, task.sentences) for _, task in tasks} == {(3, 2)}
    assert {(task.counts, task.feed) for _, task in tasks} == {(file("counts"), (file("feed"),))}


def test_facts_name_the_slice():
    assert facts_of(COMPARISONS, 0, {0: COUNTS}) == SliceFacts("a", file("counts"), 3, 1, 2)


def test_a_pair_is_aligned_once_for_each_alignment():
    sides = [(facts_of(COMPARISONS, place, {place: COUNTS}), file(f"v{place}")) for place in (0, 1)]
    tasks = list(align_tasks(sides, 5, ("op", "cca", "op")))
    assert [task.alignment for task in tasks] == ["cca", "op"]
    for task in tasks:
        assert [facts.name for facts in task.slices] == ["a", "b"]
        assert task.spaces == (file("v0"), file("v1"))
        assert task.seed == 5


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
        0: Combined(part=part, pair=part, tops=(ranking("y", "x", "z"), ranking("x", "w", "v"))),
        1: Combined(part=part, pair=part, tops=(ranking("q"),)),
    }

    def words(place, most, targets=("t", "x")):
        key = (place, 5)
        task = neighbour_task(COMPARISONS, key, file("v"), combined, targets=targets, most=most)
        assert (task.slice, task.seed, task.space) == (COMPARISONS.names[place], 5, file("v"))
        return task.words

    assert words(0, 2) == ("t", "w", "x", "y")
    assert words(1, 1) == ("q", "t", "x", "y")
    assert words(2, 5) == ("q", "t", "x")
    assert words(0, 0, targets=()) == ()
