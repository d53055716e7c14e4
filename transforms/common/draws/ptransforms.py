"""Beam glue of `by_content`: a sample of each group.

KeepSmallest   PCollection[(group, item)] -> PCollection[(group, list of at most k items)]
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from lexbeam.transforms.common.draws.by_content import DrawnItem, add, entry_of, merge


class _Smallest(beam.CombineFn):
    def __init__(self, k: int, seed: int, label: str, key: Callable[[Any], Any] | None) -> None:
        self._k = k
        self._seed = seed
        self._label = label
        self._key = key

    def create_accumulator(self) -> list[DrawnItem]:
        return []

    def add_input(self, sample: list[DrawnItem], item: Any) -> list[DrawnItem]:
        entry = entry_of(item, seed=self._seed, label=self._label, key=self._key)
        return add(sample, entry, self._k)

    def merge_accumulators(self, several: Iterable[list[DrawnItem]]) -> list[DrawnItem]:
        return merge(several, self._k)

    def extract_output(self, sample: list[DrawnItem]) -> list[Any]:
        return [entry.item for entry in sample]


@dataclass
class KeepSmallest(beam.PTransform):
    """Keep of each group the k items that draw the least, in the order of the draw.

    Before the grouping each bundle keeps k of a group, too: no more are ever shuffled or held.

    Attributes:
        k: how many, of distinct keys.
        seed: any whole number.
        drawn: what is drawn, the label of the draw. (`label` is what Beam calls a step: it sets
            the attribute of that name while it applies one.)
        key: from an item, a plain value, to what draws, see `entry_of`.
    """

    k: int
    seed: int
    drawn: str
    key: Callable[[Any], Any] | None = None

    def expand(self, items: beam.PCollection[tuple[Any, Any]]) -> beam.PCollection[tuple[Any, list[Any]]]:
        smallest = _Smallest(self.k, self.seed, self.drawn, self.key)
        return items | "KeepSmallestOfEach" >> beam.CombinePerKey(smallest)
