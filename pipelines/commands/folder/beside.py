"""What lies in an output folder beside what is published and made there: reports, and files of people and options."""

from collections.abc import Iterator

from transforms.common.publish.layout import ARTEFACTS, FAILED, LOCK, MARK, POINTER, SNAPSHOTS
from transforms.common.publish.leases import LEASE
from transforms.common.store import files
from transforms.report.page import is_report

__all__ = ["files_beside", "remove_reports"]

_FOLDERS = {ARTEFACTS, SNAPSHOTS, FAILED}
_FILES = {LOCK, LEASE, MARK, POINTER + ".json"}


def files_beside(out: str, below: str = "") -> Iterator[str]:
    """Yield the files in an output folder that are none of Lexbeam's own, by their names below it; links are none."""
    found = files.list_folder(files.join(out, below) if below else out)
    yield from (below + name for name in found.files if below or name not in _FILES)
    for name in found.folders:
        if name not in _FOLDERS:
            yield from files_beside(out, f"{below}{name}/")


def remove_reports(out: str) -> tuple[list[str], list[str]]:
    """Remove the reports in an output folder, whatever they are called; return them, and the other files in it."""
    reports, others = [], []
    for name in files_beside(out):
        path = files.join(out, name)
        if _is_report(path):
            files.remove(path)
            reports.append(name)
        else:
            others.append(name)
    return reports, others


def _is_report(path: str) -> bool:
    try:
        return is_report(path)
    except (FileNotFoundError, PermissionError):  # it has gone, or is another's
        return False
