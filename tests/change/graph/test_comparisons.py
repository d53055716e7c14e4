"""What the change pipeline is told, as tasks."""

from itertools import product

from transforms.change.graph.comparisons import (
    CommonFrame,
    Comparisons,
    SliceReady,
    SpaceVariant,
    align_tasks,
    facts_of,
    joint_slices,
    joint_spaces,
    joint_tasks,
    map_number,
    neighbour_task,
    null_sides,
    pair_sides,
    pair_tasks,
    score_task,
    slice_row,
    space_number,
    train_tasks,
)
from transforms.change.graph.null_pairs import groups_of, null_slices
from transforms.change.scores.score_stages import Combined, MostChanged
from transforms.change.spaces.alignment_stage import Aligned, FrameSlice, PairFrame, SliceFacts
from transforms.change.spaces.joint_stage import TrainedSpaces
from transforms.change.spaces.training import TrainedSpace
from transforms.change.view.slice_merges import SliceCounts
from transforms.change.view.slices import Slice
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
    tasks = list(train_tasks(COMPARISONS, SliceReady(1, COUNTS, ((file("feed"),),), file("dealt"))))
    assert [key for key, _ in tasks] == [(0, 1, 5), (0, 1, 9)]
    assert [(task.slice, task.seed, task.min_count) for _, task in tasks] == [("b", 5, 3), ("b", 9, 3)]
    assert {(task.tokens, task.sentences) for _, task in tasks} == {(3, 2)}
    assert {(task.counts, task.feeds) for _, task in tasks} == {(file("counts"), ((file("feed"),),))}
    assert {task.documents for _, task in tasks} == {file("dealt")}


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
        0: Combined(
            part=part, pair=part, nulls=None, systems=None, tops=(ranking("y", "x", "z"), ranking("x", "w", "v"))
        ),
        1: Combined(part=part, pair=part, nulls=None, systems=None, tops=(ranking("q"),)),
    }

    def words(place, most, targets=("t", "x")):
        key = (0, place, 5)
        task = neighbour_task(COMPARISONS, key, file("v"), combined, targets=targets, most=most)
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
            split=2,
            sampled_out=3,
        )
        return slice_row(Slice("early", 1800, None), counts, vocabulary=4, min_count=5)

    assert row(8)["largest_document_share"] == 0.25
    assert row(0)["largest_document_share"] == 0
    assert (row(8)["from"], row(8)["to"], row(8)["vocabulary"], row(8)["min_count"]) == (1800, None, 4, 5)


JOINT = Comparisons(
    ("a", "b", "c"),
    (2, 3, 4),
    ((0, 1), (1, 2)),
    (5, 9),
    (SpaceVariant("tr", ("tr",)), SpaceVariant("apart", ("op", "cca")), SpaceVariant("vi", ("vi",))),
    ((0, 1, 2),),
    CommonFrame(1),
)


def ready(place):
    return SliceReady(place, COUNTS, ((file(f"feed {place}"),),))


def grouped(entries):
    found = {}
    for key, value in entries:
        found.setdefault(key, []).append(value)
    return found


def test_slices_are_trained_together_once_for_each_way_and_seed():
    sequences = grouped(entry for place in (2, 0, 1) for entry in joint_slices(JOINT, ready(place)))
    assert sorted(sequences) == [(0, 0), (2, 0)]
    tasks = {
        key: task
        for sequence, slices in sequences.items()
        for key, task in joint_tasks(JOINT, sequence, slices, targets=("y", "x"))
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
    spaces = tuple(TrainedSpace(PartFile(file(name), 1)) for name in "abc")
    assert list(joint_spaces(JOINT, (2, 0, 9), TrainedSpaces(spaces))) == [
        ((2, place, 9), space) for place, space in enumerate(spaces)
    ]


def test_null_slices_are_trained_among_the_other_real_ones():
    null = null_slices(JOINT, groups_of(JOINT, series=True), 2)
    assert null.sequences[:4] == ((0, 1, -3), (2, 3, -3), (-1, 4, 5), (-1, 6, 7))
    assert null.sequences[4:] == ((8, 9, 10), (11, 12, 13))
    entries = [entry for place in range(14) for entry in joint_slices(null, ready(place))]
    entries += [entry for place in range(3) for entry in joint_slices(null, ready(place), of_real=True)]
    sequences = grouped(entries)
    # Series follow the first variant alone.
    assert sorted(sequences) == [(0, number) for number in range(6)] + [(2, number) for number in range(4)]
    ((key, task),) = joint_tasks(null, (2, 2), sequences[2, 2])
    assert [(one.slice, one.min_count) for one in task.slices] == [
        ("a", 2),
        ("b:c null 1 as b", 3),
        ("b:c null 1 as c", 4),
    ]
    assert (key, task.wanted, task.anchor) == ((2, 2, 5), (1, 2), 1)
    spaces = tuple(TrainedSpace(PartFile(file(name), 1)) for name in "bc")
    assert [at for at, _ in joint_spaces(null, key, TrainedSpaces(spaces))] == [(2, 4, 5), (2, 5, 5)]


def test_pairs_are_aligned_over_the_slices_of_their_frame():
    compared = JOINT._replace(pairs=((0, 2), (1, 2)), frame=CommonFrame(None))
    facts = [facts_of(compared, place, {place: COUNTS}) for place in range(3)]

    def sides(comparisons, variant):
        return grouped(
            entry
            for place in range(3)
            for entry in pair_sides(comparisons, (variant, place, 5), facts[place], file(f"v{place}"))
        )

    apart = sides(compared, 1)
    tasks = {key: list(pair_tasks(compared, key, some[::-1])) for key, some in apart.items()}
    assert {key: [task.alignment for task in of] for key, of in tasks.items()} == {
        (0, 5, 1): ["cca", "op"],
        (1, 5, 1): ["cca", "op"],
    }
    first, second = (tasks[pair, 5, 1][0] for pair in (0, 1))
    assert first.frame == PairFrame((0, 2), None, (FrameSlice(1, "b", 3, file("v1")),))
    assert second.frame == PairFrame((1, 2), None, (FrameSlice(0, "a", 3, file("v0")),))
    assert (first.spaces, second.spaces) == ((file("v0"), file("v2")), (file("v1"), file("v2")))
    (joint,) = pair_tasks(compared, (0, 5, 2), sides(compared, 2)[0, 5, 2])
    assert (joint.frame, joint.variant, joint.alignment) == (None, "vi", "vi")
    # A null pair has the real slices that its pair has.
    null = null_slices(compared, compared.pairs, 3)
    key, (side,) = next(iter(grouped(null_sides(null, (1, 1, 5), facts[1], file("real"))).items()))
    assert (key, side) == ((0, 5, 1), (1, facts[1], file("real")))
    assert not list(null_sides(null, (1, 1, 9), facts[1], file("real")))  # of another seed
    own = [(0, facts[0], file("n0")), (2, facts[2], file("n1"))]
    task = next(pair_tasks(null, key, [*own, side]))
    assert task.frame == PairFrame((0, 2), None, (FrameSlice(1, "b", 3, file("real")),))


def test_a_pair_is_scored_by_the_spaces_of_each_variant():
    made = []
    for variant in JOINT.variants:
        spaces = [(facts_of(JOINT, place, {place: COUNTS}), file(f"{variant.name}{place}")) for place in (0, 1)]
        for task in align_tasks(spaces, 5, variant.alignments, variant.name):
            made.append((task, Aligned(PartFile(file(task.alignment), 2))))
    found = score_task(JOINT, made[::-1])
    assert [(one.variant, sorted(one.alignments), one.of_targets) for one in found.variants] == [
        ("tr", ["tr"], True),
        ("apart", ["cca", "op"], False),
        ("vi", ["vi"], False),
    ]
    assert [space.path for space in found.spaces] == ["tr0", "tr1", "apart0", "apart1", "vi0", "vi1"]
