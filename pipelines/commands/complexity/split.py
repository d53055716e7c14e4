"""Labelled instances split by token, genre and complexity: tables complexity/splits and strata.

    lexbeam complexity split results --shares train=.7,trial=.05,test=.25
    lexbeam complexity split results --method paper --overwrite

docs/tasks/complexity/split.md says what the methods do, and how alike their splits are.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.pipelines.commands.complexity.labels import find_labels, labels_source
from lexbeam.pipelines.commands.keeping import kept_entry, kept_snapshot, splits_from
from lexbeam.pipelines.commands.options import input_folder
from lexbeam.pipelines.frame.command import Action, Command, HandedBack, Inputs, TableSource
from lexbeam.pipelines.frame.common_options import PublishOptions
from lexbeam.pipelines.frame.openings import Opening
from lexbeam.schemas.complexity import INSTANCES, SPLITS, STRATA
from lexbeam.transforms.common.draws.splits import parse_shares
from lexbeam.transforms.common.options.fields import embedded
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block, columns_with, number
from lexbeam.transforms.common.store.sound import checked
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.complexity.labels.label_splits import (
    COLUMNS,
    LABEL_COLUMNS,
    SplitOptions,
    check_options,
    hold,
    split,
)
from lexbeam.transforms.complexity.shown.complexity_panels import split_panels

log = logging.getLogger("lexbeam")

POINT = 0.01  # by so much a size or a genre's share may be off before it is told


@dataclass(frozen=True, kw_only=True)
class ComplexitySplitOptions(PublishOptions):
    """Options of `lexbeam complexity split`."""

    folder: str | None = input_folder("instances and labels")
    splits_from: str | None = splits_from("instances")
    how: SplitOptions = embedded(SplitOptions, group="splits")


def _kept(options: ComplexitySplitOptions) -> Snapshot | None:
    return kept_snapshot(options.splits_from, options.out, SPLITS.name)


def _off(row: Mapping[str, Any]) -> bool:
    """Return whether a share is off by more than a point, and by more than an instance."""
    apart = abs(row["share"] - row["wanted"])
    if not row["rows"]:
        return bool(apart > POINT)
    far = apart > POINT and apart * row["rows"] > row["share"]
    genre = abs(row["of_split"] - row["of_all"])
    return bool(far or (genre > POINT and genre * row["rows"] > row["of_split"]))


def _cells(row: Mapping[str, Any]) -> list[str]:
    return [
        row["kind"] or "all",
        row["split"],
        f"{row['rows']:,}",
        number(row["share"]),
        number(row["wanted"]),
        number(row["mean"]),
        number(row["distance"], 4),
        str(row["shared_tokens"]),
        str(row["shared_sentences"]),
    ]


class ComplexitySplit(Command[ComplexitySplitOptions, Mapping[str, Any]]):
    """`lexbeam complexity split`."""

    options = ComplexitySplitOptions
    examples = """\
  lexbeam complexity split results --shares train=.7,trial=.05,test=.25
  lexbeam complexity split results --one-sentence --seed 2
  lexbeam complexity split results --method paper --overwrite"""
    tables = (SPLITS, STRATA)
    opening = Opening(
        "Splits",
        "How instances are dealt to training and test sets: sizes and complexity should be alike in all of "
        "them, and no token stands in two.",
        ("method", "shares", "bands", "one-sentence", "seed"),
    )
    report = staticmethod(split_panels)

    def reads(self, options: ComplexitySplitOptions) -> Sequence[TableSource]:
        return [TableSource(INSTANCES.name, options.folder, needed=True), labels_source(options.folder)]

    def check(self, options: ComplexitySplitOptions) -> None:
        check_options(options.how)

    def plan(self, options: ComplexitySplitOptions, _: Inputs) -> Mapping[str, Any]:
        shares = parse_shares(options.how.shares)
        return {"splits": list(shares.names), "wanted": list(shares.values), **kept_entry(_kept(options))}

    def action(self, options: ComplexitySplitOptions, action: Action) -> Mapping[str, pa.Table]:
        """Split what is published, and tell groups that are too large to be dealt out."""
        instances = action.inputs.only(INSTANCES.name).parts
        labels = find_labels(action.inputs, labels_source(options.folder), options.out).parts
        held = hold(
            read_rows([checked(part) for part in instances], list(COLUMNS)),
            read_rows([checked(part) for part in labels], list(LABEL_COLUMNS)),
        )
        kept = _kept(options)
        made = split(held, options.how, kept and kept.read(SPLITS.name, ["instance_id", "split"]))
        shares = parse_shares(options.how.shares)
        largest = shares.names[shares.values.index(max(shares.values))]
        for kind, groups in made.too_large.items():
            for group in groups:
                log.warning(
                    "%s: a group of %d instances (%.1f %%) hangs together and is too large to be dealt "
                    "out: it is in split %s",
                    kind,
                    group.rows,
                    100 * group.share,
                    largest,
                )
        return {SPLITS.name: made.splits, STRATA.name: made.strata}

    def section(self, plan: Mapping[str, Any], _: HandedBack) -> Mapping[str, Any]:
        return plan

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        table = snapshot.read(STRATA.name)
        method = snapshot.section("complexity.split")["options"]["method"]
        left = snapshot.read(SPLITS.name, ["reason"])["reason"].drop_null().to_pylist()
        outside = ", ".join(f"{left.count(reason)} {reason}" for reason in sorted(set(left)))
        yield f"method {method}; in no split: {outside or 'none'}"
        rows = table.filter(pc.fill_null(pc.equal(table["genre"], ""), False)).to_pylist()
        heads = [
            ("kind", "<"),
            ("split", "<"),
            ("instances", ">"),
            ("share", ">"),
            ("wanted", ">"),
            ("mean", ">"),
            ("KS", ">"),
            ("shared tokens", ">"),
            ("shared sentences", ">"),
        ]
        yield columns_with(heads, [_cells(row) for row in rows], indent=2)
        off = [row for row in table.to_pylist() if row["kind"] and _off(row)]
        if off:
            yield (
                f"{len(off)} of {table.num_rows} strata are off by more than a point; see "
                "`lexbeam show`, table complexity/strata"
            )
