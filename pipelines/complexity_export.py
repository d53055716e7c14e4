"""Instances as a file that people fill in: each target marked in its sentence, on five points.

lexbeam complexity export lcp --to sheets/complexity.tsv
lexbeam complexity export lcp --to sheets/complexity.tsv --annotator anna,bob
"""

import os
from dataclasses import dataclass

from pipelines.command import Action, Command
from pipelines.common_options import FolderOptions
from schemas.complexity import INSTANCES, KINDS
from transforms.common import files
from transforms.common.draws import permutation
from transforms.common.errors import LexbeamError, UsageError
from transforms.common.options import option
from transforms.common.snapshots import open_snapshot
from transforms.complexity.sheet import COLUMNS, SHEET, asked
from transforms.people.writing import sheet_text

__all__ = ["EXPORT_SHEETS", "ComplexityExportOptions"]

ENDING = ".tsv"


@dataclass(frozen=True, kw_only=True)
class ComplexityExportOptions(FolderOptions):
    """Options of `lexbeam complexity export`."""

    to: str = option(
        help="file to write, FILE.tsv; with `annotator` FILE.NAME.tsv for each", metavar="FILE",
        path="place",
    )  # fmt: skip
    annotator: tuple[str, ...] = option(
        (), help="a file for each of these people, each in another order", metavar="NAME"
    )
    kind: str = option(
        "all", help="ask about targets of one word or multi-word expressions alone",
        choices=(*KINDS, "all"),
    )  # fmt: skip
    most: int | None = option(None, help="ask about so many instances, drawn by `seed`", least=1)
    duplicates: bool = option(
        False, help="ask about duplicates, too: the same target, place and sentence"
    )
    seed: int = option(1, help="of the order of rows, and of the draw")


def _check(options: ComplexityExportOptions) -> None:
    if not options.to.endswith(ENDING):
        raise UsageError(f"`to` is a file NAME{ENDING}, not {options.to!r}")
    doubled = sorted({name for name in options.annotator if options.annotator.count(name) > 1})
    if doubled:
        raise UsageError(f"`annotator` {doubled[0]} is there twice")


def _export(options: ComplexityExportOptions, action: Action) -> None:
    """Write the files; those that are there already are left, if they are the same."""
    snapshot = open_snapshot(options.path)
    rows = asked(
        snapshot.read(INSTANCES.name, list(COLUMNS)), options.kind, duplicates=options.duplicates
    )
    if options.most is not None:
        order = permutation(rows["instance_id"], seed=options.seed, label="complexity/export")
        rows = rows.take(order[: options.most])
    texts = {
        _path(options.to, name): sheet_text(SHEET, rows, annotator=name, seed=options.seed)
        for name in options.annotator or ("",)
    }
    for path, text in texts.items():
        if files.exists(path) and files.read_bytes(path) != text.encode():
            raise LexbeamError(
                f"{files.shown(path)} is there and is another file, perhaps filled in: move it "
                "away, or write to another one"
            )
    for path, text in texts.items():
        if folder := os.path.dirname(path):
            files.make_folder(folder)
        files.write_bytes(path, text.encode(), durable=True)
        action.tell(f"{files.shown(path)}: {rows.num_rows} instances to judge")


def _path(to: str, annotator: str) -> str:
    return f"{to.removesuffix(ENDING)}.{annotator}{ENDING}" if annotator else to


EXPORT_SHEETS: Command[ComplexityExportOptions, None] = Command(
    options=ComplexityExportOptions,
    examples="""\
  lexbeam complexity export lcp --to sheets/complexity.tsv
  lexbeam complexity export lcp --to sheets/complexity.tsv --annotator anna,bob --most 200""",
    check=_check,
    action=_export,
)
