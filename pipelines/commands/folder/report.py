"""One self-contained HTML page about all that is published in a folder.

lexbeam report results
lexbeam report results --out report.html --no-text
"""

import logging
from dataclasses import dataclass

from lexbeam.pipelines.commands.folder.diff import snapshot_before
from lexbeam.pipelines.commands.folder.last_change import NAME, last_change_head, last_change_panels
from lexbeam.pipelines.frame.command import Action, Command
from lexbeam.pipelines.frame.common_options import FolderOptions
from lexbeam.pipelines.frame.registry import COMMANDS, load, section_of
from lexbeam.pipelines.shown.overview import page_head, section_head
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.manifests import is_idle
from lexbeam.transforms.common.publish.snapshots import explaining_damage, open_snapshot, output_folder
from lexbeam.transforms.common.store import files
from lexbeam.transforms.report.page import write_report

log = logging.getLogger("lexbeam")


@dataclass(frozen=True, kw_only=True)
class ReportOptions(FolderOptions):
    """Options of `lexbeam report`."""

    out: str | None = option(
        None, help="file to write; DIR/report.html if not given", metavar="FILE.html", path="place"
    )
    no_text: bool = option(False, help="quote nothing, for a corpus whose text may not be passed on")
    corpus: tuple[str, ...] = option(
        (), help="corpus folders to quote, if not those that the tables were made from", metavar="DIR", path="place"
    )


class Report(Command[ReportOptions, None]):
    """`lexbeam report`."""

    options = ReportOptions
    examples = "  lexbeam report results\n  lexbeam report results --out report.html --no-text"

    def action(self, options: ReportOptions, action: Action) -> None:
        """Write the panels of every section as one page."""
        snapshot = open_snapshot(options.path)
        if options.no_text and options.corpus:
            raise UsageError("`corpus` names what is quoted, and `no_text` quotes nothing: leave out one")
        panels, heads = {}, {}
        with explaining_damage(snapshot):
            for words in COMMANDS:  # which stand in the order of the data's flow
                if (section := section_of(words)) in snapshot.sections:
                    command = load(words)
                    heads[section] = section_head(snapshot, section)
                    idle = is_idle(snapshot.section(section))
                    panels[section] = [] if idle else [*command.report(snapshot)]
                    if not (options.no_text or idle):
                        panels[section] += command.quotes(snapshot, options.corpus)
        try:
            before = snapshot_before(snapshot)
            if before is not None:
                with explaining_damage(before, snapshot):
                    panels[NAME] = [*last_change_panels(before, snapshot)]
                heads[NAME] = last_change_head(before, snapshot)
        except LexbeamError as error:  # a history or a snapshot that is damaged; the report is of this one
            log.warning("what the last publication changed is left out: %s", error)
        out = options.out or files.join(output_folder(options.path), "report.html")
        write_report(out, page_head(snapshot), panels, heads)
        action.tell(f"report: {files.shown(out)}")
