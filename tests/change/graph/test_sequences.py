"""Slices that are trained together, real and null."""

from graph_making import JOINT, file, grouped, ready

from lexbeam.transforms.change.graph.comparisons import joint_slices, joint_spaces, joint_tasks
from lexbeam.transforms.change.graph.pair_tasks import groups_of, null_slices
from lexbeam.transforms.change.spaces.training import TrainedSpace, TrainedSpaces
from lexbeam.transforms.common.store.tables import PartFile


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
    spaces = tuple(TrainedSpace(PartFile(file(name), 1)) for name in "abc")
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
    spaces = tuple(TrainedSpace(PartFile(file(name), 1)) for name in "bc")
    assert [at for at, _ in joint_spaces((key, TrainedSpaces(spaces)), null)] == [(2, 4, 5), (2, 5, 5)]
