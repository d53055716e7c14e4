"""What holds sections of a run back: bounds that their tables must keep, and what becomes of others where one failed.

A bound of the gate is of a table's rows, or of a gauge that a command offers, such as the tokens of each slice. If a
value is outside, nothing of the run is published, and readers go on seeing the last snapshot.

Where sections fail apart, one that failed stays as it was published, and with it what it was made from and what is made
from it, so that each published section is made from what is published beside it.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from lexbeam.transforms.common.code.registry import Entry
from lexbeam.transforms.common.errors import HeldBackError
from lexbeam.transforms.common.publish.layout import Manifest, is_idle
from lexbeam.transforms.common.publish.sections import Made, table_digest
from lexbeam.transforms.common.shown import listed

log = logging.getLogger("lexbeam")

FAILED = "failed"  # why a section is held: it failed


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
    # Of what was not even looked at only its tables can be measured.
    measured = bound.name in section.tables or not is_idle(section.entry)
    values = bound.gauge.values(section) if measured else {}
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


class SectionContent(NamedTuple):
    """A section as it is published, or as a run has made it.

    Attributes:
        tables: the digests of its tables, by name.
        reads: those of the tables of the same folder that it was made from.
    """

    tables: Mapping[str, str]
    reads: Mapping[str, str]


class Unmade(NamedTuple):
    """A section that a run was to make and has not: its tables, and why."""

    tables: tuple[str, ...]
    why: str


def published_contents(manifest: Manifest, sections: Collection[str]) -> dict[str, SectionContent]:
    """Return the sections of a manifest, by name."""
    return {
        name: SectionContent(
            {table: table_digest(manifest["tables"][table]["parts"]) for table in manifest[name]["parts"]},
            {read["table"]: read["digest"] for read in manifest[name].get("reads", ()) if read["section"] is not None},
        )
        for name in sections
    }


def made_contents(made: Sequence[Made]) -> dict[str, SectionContent]:
    """Return sections that a run has made, by name."""
    return {
        section.name: SectionContent(
            {table: table_digest(section.of_table(table)) for table in section.tables},
            {read.table: read.digest for read in section.reads if read.section is not None},
        )
        for section in made
    }


def held_sections(
    published: Mapping[str, SectionContent], made: Mapping[str, SectionContent], unmade: Mapping[str, Unmade]
) -> dict[str, str]:
    """Return which sections of a run are held, each with why; all others can be published together.

    What has failed, and what was to be made from it, stays as it is published. So does what that was made from, if it
    has come out otherwise now; and what was made of the new content of what stays. What failed and was never published
    holds nothing that feeds it: nothing that is published contradicts that.

    Args:
        published: the sections of the folder.
        made: what the run has made, in its order.
        unmade: what it has not.
    """
    held = {name: section.why for name, section in unmade.items()}
    tables = {name: section.tables for name, section in unmade.items()} | {
        name: tuple(section.tables) for name, section in made.items()
    }
    while True:
        staying = _staying(published, {name: tables[name] for name in held}, tables)
        left = {name: section for name, section in made.items() if name not in held}
        found = ((name, _why_held(name, section, published, staying, held, tables)) for name, section in left.items())
        name, why = next(((name, why) for name, why in found if why), ("", ""))
        if not why:
            return held
        held[name] = why


def _staying(
    published: Mapping[str, SectionContent], held: Mapping[str, Collection[str]], run: Mapping[str, Collection[str]]
) -> dict[str, str]:
    """Return the published sections that must stay as they are, each with the held section for which it must.

    Besides what stands in the place of held sections it is what that was made from and no section of the run makes.
    """
    staying: dict[str, str] = {}
    replaced = {place for name, tables in run.items() for place in _places(name, tables, published)}
    for name, tables in held.items():
        left = _places(name, tables, published)
        while left:
            place = left.pop()
            if place not in staying:
                staying[place] = name
                owners = {_owner(table, published) for table in published[place].reads}
                left += sorted(owner for owner in owners if owner and owner not in replaced)
    return staying


def _why_held(
    name: str,
    section: SectionContent,
    published: Mapping[str, SectionContent],
    staying: Mapping[str, str],
    held: Mapping[str, str],
    tables: Mapping[str, Collection[str]],
) -> str:
    """Return why a section that was made must be held; empty: it need not."""
    places = _places(name, section.tables, published)
    for place, of in staying.items():
        if place in places:
            return f"shares tables with {of}"
        for table, digest in published[place].reads.items():
            if (table in section.tables or _owner(table, published) in places) and section.tables.get(table) != digest:
                return f"feeds {of}"
    for table, digest in section.reads.items():
        owner = _owner(table, published)
        there = published[owner].tables[table] if owner in staying else None
        for of in held:
            if table in tables[of] and there != digest:
                return made_from(of)
    return ""


def _places(name: str, tables: Collection[str], published: Mapping[str, SectionContent]) -> list[str]:
    """Return the published sections in whose place a section stands: that of its name, and those with its tables."""
    shares = {other for other, section in published.items() if not section.tables.keys().isdisjoint(tables)}
    return [other for other in published if other == name or other in shares]


def _owner(table: str, published: Mapping[str, SectionContent]) -> str:
    return next((name for name, section in published.items() if table in section.tables), "")


def made_from(section: str) -> str:
    """Return why a section is held that is made from another one, which is."""
    return f"is made from {section}"
