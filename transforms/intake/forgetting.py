"""Published sections whose tables were made from files of their own, and what they hold of files that are forgotten.

Such a section is not made without a file, as a corpus is, but dropped: its rows stand for records of several files.
"""

from collections.abc import Iterator, Mapping

import pyarrow.parquet as pq

from lexbeam.schemas.corpus_tables import INPUTS
from lexbeam.transforms.common.publish.forgotten import ForgottenMarks
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import read_rows


def file_sections(snapshot: Snapshot) -> dict[str, list[str]]:
    """Return the tables of the sections other than a corpus that a table of input files belongs to."""
    return {
        name: sorted(section["parts"])
        for name, section in snapshot.sections.items()
        if isinstance(inputs := section.get("inputs"), Mapping) and inputs["table"] != INPUTS.name
    }


def sources_of(snapshot: Snapshot, section: str) -> Iterator[tuple[list[str], list[str | None]]]:
    """Yield names of files, or of members of archives, as a section's tables have them, some thousands at a time.

    Beside each stands why a record of it was left out; None: what stands there is no reject.
    """
    inputs = snapshot.section(section)["inputs"]["table"]
    for table in snapshot.section(section)["parts"]:
        column = "name" if table == inputs else "source"
        for path in snapshot.paths(table):
            with files.open_read(path) as stream:
                names = pq.read_schema(stream).names
            if column not in names:
                break
            with_reason = "reason" in names
            for rows in read_rows([path], [column, "reason"] if with_reason else [column]):
                found = rows[column].to_pylist()
                yield found, rows["reason"].to_pylist() if with_reason else [None] * len(found)


def holding_sections(snapshot: Snapshot, marks: ForgottenMarks) -> list[str]:
    """Return the sections that hold anything of a file that is forgotten, or were made before it was."""
    return [section for section in file_sections(snapshot) if _holds(snapshot, section, marks)]


def _holds(snapshot: Snapshot, section: str, marks: ForgottenMarks) -> bool:
    there: set[str] = set()  # of what is forgotten, and so are the others
    left_out: set[str] = set()
    for names, reasons in sources_of(snapshot, section):
        for name, reason in zip(names, reasons, strict=True):
            if marks.has_source(name):
                (left_out if reason == "forgotten" else there).add(name)
    return not there <= left_out
