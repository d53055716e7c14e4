"""Pairs with the spaces that they are aligned with and scored by."""

from functools import partial

from graph_making import COMPARISONS, COUNTS, JOINT, file, grouped

from lexbeam.transforms.change.graph.comparisons import CommonFrame
from lexbeam.transforms.change.graph.pair_tasks import (
    align_tasks,
    null_sides,
    null_slices,
    pair_sides,
    pair_tasks,
    score_tasks,
)
from lexbeam.transforms.change.spaces.aligning import AlignOptions, PairFrame, SliceSpace
from lexbeam.transforms.common.store.tables import PartFile

SLICES = dict.fromkeys(range(3), COUNTS)


def space(name):
    return PartFile(file(name), 1)


def spaces_of(task):
    return tuple(side.space for side in task.sides)


def test_a_pair_is_aligned_once_for_each_alignment():
    sides = tuple(SliceSpace(COMPARISONS.names[place], 3, file(f"v{place}")) for place in (0, 1))
    tasks = list(align_tasks(sides, 5, ("op", "cca", "op"), AlignOptions()))
    assert [task.alignment for task in tasks] == ["cca", "op"]
    for task in tasks:
        assert [side.name for side in task.sides] == ["a", "b"]
        assert spaces_of(task) == (file("v0"), file("v1"))
        assert task.seed == 5


def test_pairs_are_aligned_over_the_slices_of_their_frame():
    compared = JOINT._replace(pairs=((0, 2), (1, 2)), frame=CommonFrame(None))
    a, b, c = (partial(SliceSpace, name, COUNTS.tokens) for name in compared.names)

    def sides(comparisons, variant):
        return grouped(
            entry
            for place in range(3)
            for entry in pair_sides(((variant, place, 5), space(f"v{place}")), comparisons, SLICES)
        )

    apart = sides(compared, 1)
    tasks = {
        key: [task for _, task in pair_tasks(key, some[::-1], compared, AlignOptions())] for key, some in apart.items()
    }
    assert {key: [task.alignment for task in of] for key, of in tasks.items()} == {
        (0, 5, 1): ["cca", "op"],
        (1, 5, 1): ["cca", "op"],
    }
    first, second = (tasks[pair, 5, 1][0] for pair in (0, 1))
    assert first.frame == PairFrame((0, 2), None, ((1, b(file("v1"))),))
    assert second.frame == PairFrame((1, 2), None, ((0, a(file("v0"))),))
    assert (spaces_of(first), spaces_of(second)) == ((file("v0"), file("v2")), (file("v1"), file("v2")))
    ((_, joint),) = pair_tasks((0, 5, 2), sides(compared, 2)[0, 5, 2], compared, AlignOptions())
    assert (joint.frame, joint.variant, joint.alignment) == (None, "vi", "vi")
    # A null pair has the real slices that its pair has.
    null = null_slices(compared, compared.pairs, 3)
    key, (side,) = next(iter(grouped(null_sides(((1, 1, 5), space("real")), null, compared, SLICES)).items()))
    assert (key, side) == ((0, 5, 1), (1, b(file("real"))))
    assert not list(null_sides(((1, 1, 9), space("real")), null, compared, SLICES))  # of another seed
    own = [(0, a(file("n0"))), (2, c(file("n1")))]
    _, task = next(pair_tasks(key, [*own, side], null, AlignOptions()))
    assert task.frame == PairFrame((0, 2), None, ((1, b(file("real"))),))


def test_a_pair_is_scored_by_the_spaces_of_each_variant():
    made = []
    for variant in JOINT.variants:
        sides = tuple(SliceSpace(JOINT.names[place], 3, file(f"{variant.name}{place}")) for place in (0, 1))
        for task in align_tasks(sides, 5, variant.alignments, AlignOptions(), variant.name):
            made.append((task, PartFile(file(task.alignment), 2)))
    ((pair, found),) = score_tasks((7, 5), made[::-1], JOINT._replace(pairs=((0, 1),) * 9), SLICES, nulls=3)
    assert pair == 2, "null pair 7 is one of three of pair 2"
    assert [(one.variant, sorted(one.alignments), one.of_targets) for one in found.variants] == [
        ("tr", ["tr"], True),
        ("apart", ["cca", "op"], False),
        ("vi", ["vi"], False),
    ]
    assert [space.path for space in found.spaces] == ["tr0", "tr1", "apart0", "apart1", "vi0", "vi1"]
