"""What commands have in common that evaluate predictions against gold: metrics are published, or only told."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import pyarrow as pa

from lexbeam.pipelines.frame.blocks import shown_lines
from lexbeam.pipelines.frame.command import RUN, Action, Command, Inputs, PublishOptions
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block

O = TypeVar("O", bound=PublishOptions)  # noqa: E741
P = TypeVar("P")


def out_or_told(published: str) -> Any:
    """Return the option of the folder where metrics are published, without which they are only told."""
    return option(None, help=f"folder where {published}", path="place", published=False, group=RUN)


class Evaluation(Command[O, P]):
    """A command that evaluates against gold; the first of its tables are the metrics."""

    def measure(self, options: O, plan: P, inputs: Inputs) -> Mapping[str, pa.Table]:
        """Return the tables."""
        raise NotImplementedError

    def shown(self, metrics: pa.Table, /) -> Iterable[Block]:
        """Yield what a person reads of the metrics."""
        raise NotImplementedError

    def told(self, metrics: pa.Table, /) -> Iterable[str]:
        """Yield the same in lines; where `shown` yields lines, it is that, and what draws grids is no code of it."""
        return shown_lines(self.shown(metrics))

    def action(self, options: O, action: Action) -> Mapping[str, pa.Table]:
        """Return the tables; tell the metrics if they are not published."""
        tables = self.measure(options, self.plan(options, action.inputs), action.inputs)
        if options.out is None:
            for line in self.told(tables[self.tables[0].name]):
                action.tell(line)
        return tables

    def summary(self, snapshot: Snapshot) -> Iterable[Block]:
        yield from self.shown(snapshot.read(self.tables[0].name))
