"""Three small slices of random sentences, trained with two seeds, and what series make of them."""

from typing import NamedTuple

from space_making import RANK, SGNS, ready

from lexbeam.transforms.change.graph.comparisons import Comparisons, maps_of, series_sides, trace_tasks, train_tasks
from lexbeam.transforms.change.graph.pair_tasks import align_tasks
from lexbeam.transforms.change.scores.traces import SeriesOptions
from lexbeam.transforms.change.spaces.aligning import Align, AlignOptions, SliceSpace
from lexbeam.transforms.change.spaces.training import Train
from lexbeam.transforms.common.store.artefacts import Workspace, make

COMPARISONS = Comparisons(("early", "middle", "late"), (2, 3, 2), ((0, 1), (1, 2)), (1, 2))
OPTIONS = SeriesOptions(align=AlignOptions(targets=("w1", "absent")), rank=RANK)


VOCABULARY = 120  # the rarest words are not in every slice


class Series(NamedTuple):
    """Slices by place, and their spaces by place and seed."""

    space: Workspace
    slices: dict
    spaces: dict

    def sides(self, seed, places=(0, 1, 2)):
        """Some slices as they are aligned."""
        return tuple(
            SliceSpace(COMPARISONS.names[place], self.slices[place].tokens, self.spaces[0, place, seed].file)
            for place in places
        )

    def maps(self, seed, alignments=("op", "cca")):
        """What the run has aligned, as series take it."""
        found = []
        for pair, places in enumerate(COMPARISONS.pairs):
            for task in align_tasks(self.sides(seed, places), seed, alignments, OPTIONS.align):
                made = make(self.space, Align(), task)
                found += maps_of(((pair, seed), (task, made)), COMPARISONS, "op")
        assert {key for key, _ in found} == {(0, seed)}
        return [fitted for _, fitted in found]

    def task(self, seed, *, aligned=True):
        """The task of tracing a seed."""
        spaces = [((0, place, seed), self.spaces[0, place, seed]) for place in range(3)]
        sides = [side for made in spaces for side in series_sides(made, COMPARISONS, 0, 3, self.slices)]
        assert {key for key, _ in sides} == {(0, seed)}
        maps = self.maps(seed) if aligned else []
        ((_, task),) = trace_tasks((0, seed), [side for _, side in sides[::-1]], maps[::-1])
        return task


def series_of(folder, first=0):
    """Train slices of the random sentences `first` to `first + 2`."""
    space = Workspace(str(folder / "work"))
    slices = [
        one._replace(place=place)
        for place, one in enumerate(ready(folder, first + place, VOCABULARY) for place in range(3))
    ]
    spaces = {key: make(space, Train(SGNS), task) for one in slices for key, task in train_tasks(one, COMPARISONS)}
    return Series(space, {one.place: one.counts for one in slices}, spaces)
