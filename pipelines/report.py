"""One self-contained HTML page about all that is published in a folder.

lexbeam report results
lexbeam report results --out report.html
"""

import os
from dataclasses import dataclass

from pipelines.command import Action, Command
from pipelines.common_options import FolderOptions
from pipelines.registry import commands, load, section_of
from transforms.common import files
from transforms.common.options import option
from transforms.common.snapshots import open_snapshot
from transforms.report.page import write_report

__all__ = ["REPORT", "ReportOptions"]


@dataclass(frozen=True, kw_only=True)
class ReportOptions(FolderOptions):
    """Options of `lexbeam report`."""

    out: str | None = option(
        None, help="file to write; DIR/report.html if not given", metavar="FILE.html", path="place"
    )


def _report(options: ReportOptions, action: Action) -> None:
    """Write the panels of every section as one page."""
    snapshot = open_snapshot(options.path)
    panels = {
        section: list(load(words).report(snapshot))
        for words in commands()  # which stand in the order of the data's flow
        if (section := section_of(words)) in snapshot.sections
    }
    out = options.out or files.join(options.path, "report.html")
    write_report(out, os.path.basename(options.path.rstrip("/")), panels)
    action.tell(f"report: {files.shown(out)}")


REPORT: Command[ReportOptions, None] = Command(
    options=ReportOptions,
    examples="  lexbeam report results\n  lexbeam report results --out report.html",
    action=_report,
)
