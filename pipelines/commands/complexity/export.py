"""Instances as a file that people fill in, or predictions as the task's official scorer reads them.

lexbeam complexity export lcp --to sheets/complexity.tsv
lexbeam complexity export lcp --to sheets/complexity.tsv --annotator anna,bob
lexbeam complexity export lcp --to svr.csv --predictions svr --kind single
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow.compute as pc

from lexbeam.pipelines.commands.options import annotators, order_seed, sheet_path
from lexbeam.pipelines.commands.sheet_files import check_sheets, path_of, write_texts
from lexbeam.pipelines.frame.command import Action, Command
from lexbeam.pipelines.frame.common_options import FolderOptions
from lexbeam.pipelines.frame.inputs import folder_with
from lexbeam.schemas.complexity import INSTANCES, KINDS, PREDICTIONS
from lexbeam.transforms.common.draws.by_content import permutation
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.complexity.instances.official_files import official_ids, official_lines
from lexbeam.transforms.complexity.labels.judgments import COLUMNS, SHEET, instances_to_judge
from lexbeam.transforms.people.sheets import sheet_text


@dataclass(frozen=True, kw_only=True)
class ComplexityExportOptions(FolderOptions):
    """Options of `lexbeam complexity export`."""

    to: str = sheet_path()
    predictions: str | None = option(
        None, help="in place of a sheet, lines `id,score` of what this scorer predicts", metavar="SCORER"
    )
    annotator: tuple[str, ...] = annotators()
    kind: str = option("all", help="targets of one word or multi-word expressions alone", choices=(*KINDS, "all"))
    most: int | None = option(None, help="ask about so many instances, drawn by `seed`", least=1)
    duplicates: bool = option(False, help="ask about duplicates, too: the same target, place and sentence")
    seed: int = order_seed()


def _sheets(options: ComplexityExportOptions, snapshot: Snapshot) -> Mapping[str, str]:
    rows = instances_to_judge(snapshot.read(INSTANCES.name, list(COLUMNS)), options.kind, duplicates=options.duplicates)
    if options.most is not None:
        order = permutation(rows["instance_id"], seed=options.seed, label="complexity/export")
        rows = rows.take(order[: options.most])
    return {
        path_of(options.to, name): sheet_text(SHEET, rows, annotator=name, seed=options.seed)
        for name in options.annotator or ("",)
    }


def _official(options: ComplexityExportOptions, snapshot: Snapshot) -> Mapping[str, str]:
    rows = snapshot.read(PREDICTIONS.name)
    known = sorted(set(rows["scorer"].to_pylist()))
    if options.predictions not in known:
        raise LexbeamError(
            f"no predictions of {options.predictions!r} are published at {options.path!r}; there "
            f"are those of {', '.join(known)}"
        )
    wanted = pc.equal(rows["scorer"], options.predictions)
    if options.kind != "all":
        wanted = pc.and_(wanted, pc.equal(rows["kind"], options.kind))
    rows = rows.filter(wanted)
    instances = rows
    if "source_id" not in rows.column_names:  # of an older version
        instances = snapshot.read(INSTANCES.name, ["instance_id", "source_id"])
    ids = official_ids(rows["instance_id"].to_pylist(), instances.to_pylist())
    lines = official_lines(ids, rows["prediction"].to_pylist())
    return {options.to: "".join(f"{line}\n" for line in lines)}


class ComplexityExport(Command[ComplexityExportOptions, None]):
    """`lexbeam complexity export`."""

    options = ComplexityExportOptions
    examples = """\
  lexbeam complexity export lcp --to sheets/complexity.tsv
  lexbeam complexity export lcp --to sheets/complexity.tsv --annotator anna,bob --most 200
  lexbeam complexity export lcp --to svr.csv --predictions svr --kind single"""

    def check(self, options: ComplexityExportOptions) -> None:
        if options.predictions is None:
            check_sheets(options.to, options.annotator)

    def action(self, options: ComplexityExportOptions, action: Action) -> None:
        """Write the files; those that are there already are left, if they are the same."""
        snapshot = folder_with(options.path, PREDICTIONS.name if options.predictions is not None else INSTANCES.name)
        if options.predictions is not None:
            texts, contents = _official(options, snapshot), f"predictions of {options.predictions}"
        else:
            texts, contents = _sheets(options, snapshot), "instances to judge"
        write_texts(texts, contents, action.tell)
