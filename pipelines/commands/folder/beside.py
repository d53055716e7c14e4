"""What lies in an output folder beside what is published and made there: reports, and files of people and options."""

from collections.abc import Iterator

from lexbeam.transforms.common.publish.layout import ARTEFACTS, FAILED, LOCK, MARK, POINTER, SNAPSHOTS, is_marked_folder
from lexbeam.transforms.common.publish.leases import LEASE
from lexbeam.transforms.common.store import files
from lexbeam.transforms.report.page import is_report

_FOLDERS = {ARTEFACTS, SNAPSHOTS, FAILED}
_FILES = {LOCK, LEASE, MARK, POINTER + ".json"}


def files_beside(out: str, below: str = "") -> Iterator[str]:
    """Yield the files in an output folder that are none of Lexbeam's own, by their names below it; links are none.

    A folder that is an output folder itself is passed over; one that may not be read stands with a slash.
    """
    folder = files.join(out, below) if below else out
    if below and any(is_marked_folder(folder, name) for name in (ARTEFACTS, SNAPSHOTS)):
        return
    try:
        found = files.list_folder(folder)
    except PermissionError:  # it is another's
        yield below
        return
    yield from (below + name for name in found.files if below or name not in _FILES)
    for name in found.folders:
        if name not in _FOLDERS:
            yield from files_beside(out, f"{below}{name}/")


def remove_reports(out: str) -> tuple[list[str], list[str]]:
    """Remove the reports in an output folder, whatever they are called; return them, and the other files in it."""
    reports: list[str] = []
    others: list[str] = []
    for name in files_beside(out):
        (reports if _is_removed(files.join(out, name)) else others).append(name)
    return reports, others


def _is_removed(path: str) -> bool:
    """Remove a file if it is a report, and may be removed; return whether it was."""
    try:
        found = is_report(path)
        if found:
            files.remove(path)
    except OSError:  # it has gone, or is a folder or file of another
        return False
    return found
