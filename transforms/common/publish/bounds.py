"""Bounds that a run's tables must keep before they are published: the gate.

A bound is of a table's rows, or of a gauge that a command offers, such as the tokens of each slice. If a value is
outside, nothing of the run is published, and readers go on seeing the last snapshot.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from transforms.common.code.registry import Entry
from transforms.common.errors import HeldBackError
from transforms.common.publish.sections import Made
from transforms.common.shown import listed

__all__ = ["Bound", "Gauge", "check_bounds", "rows_of"]

log = logging.getLogger("lexbeam")


@dataclass(frozen=True)
class Gauge(Entry):
    """What of a section can be bounded besides the rows of its tables; its doc line says what is measured.

    Attributes:
        values: from a section that is made, the values by what they are of, such as slices or languages.
        share: whether they are shares, from 0 to 1; what is none has no upper end.
    """

    values: Callable[[Made], Mapping[str, float]]
    share: bool = False


def rows_of(table: str) -> Gauge:
    """Return the gauge of a table's rows."""
    return Gauge(partial(_rows, table), doc=f"rows of {table}")


def _rows(table: str, made: Made) -> Mapping[str, float]:
    return {"": sum(part.rows for part in made.of_table(table))}


class Bound(NamedTuple):
    """A bound of a section.

    Attributes:
        name: what it is of, as the configuration calls it: a table, or a gauge of the section's command.
        gauge: measures it.
        of: of which value, such as a language: one that is not there is 0; None: of each.
        least: the least value allowed; None: any.
        most: the greatest value allowed; None: any.
    """

    name: str
    gauge: Gauge
    of: str | None
    least: float | None
    most: float | None


def check_bounds(made: Sequence[Made], bounds: Mapping[str, Sequence[Bound]]) -> None:
    """Check that sections keep their bounds.

    Args:
        made: the sections, unpublished.
        bounds: of sections, by their names.

    Raises:
        HeldBackError: some do not; the message names each value that is outside.
    """
    outside = [
        f"{section.name}: {line}"
        for section in made
        for bound in bounds.get(section.name, ())
        for line in _outside(section, bound)
    ]
    if outside:
        lines = "".join(f"\n  {line}" for line in outside)
        raise HeldBackError(
            f"outside the bounds of the configuration's gate; nothing is published:{lines}\nWhat was published before "
            "stays. Correct what this is made from, or widen the bounds, and run the same again: what has been made is "
            "kept",
            outside,
        )


def _outside(section: Made, bound: Bound) -> Iterator[str]:
    values = bound.gauge.values(section)
    if bound.of is not None:
        if bound.of not in values and bound.least is None:  # it holds, whatever is there: perhaps the name is wrong
            log.warning(
                "the gate's bound of %s: %s: there is no %s, but %s",
                section.name,
                bound.name,
                bound.of,
                listed(sorted(values)) or "nothing",
            )
        values = {bound.of: values.get(bound.of, 0)}
    elif not values and (bound.least or 0) > 0:
        yield f"{bound.name}: there is none, and {_shown(bound.least or 0)} is the least"
    for of, value in values.items():
        what = f"{bound.name} of {of}" if of else bound.name
        if bound.least is not None and value < bound.least:
            yield f"{what}: {_shown(value)} is less than {_shown(bound.least)}"
        elif bound.most is not None and value > bound.most:
            yield f"{what}: {_shown(value)} is more than {_shown(bound.most)}"


def _shown(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"
