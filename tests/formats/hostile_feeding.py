"""Feeds hostile cases through what `lexbeam corpus` reads with, and writes what came out."""

import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from reading import reader_options

from lexbeam.schemas.common_tables import RejectRow
from lexbeam.transforms.common.names import escape
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.ingest.date_rules import load_metadata, parse_date_rule
from lexbeam.transforms.formats.ingest.ingestion import IngestOptions, InputFile, read_documents
from lexbeam.transforms.formats.records.scripts import scripts_of

HEAD = "| what was fed | as | records | what came out | detail |\n|---|---|---|---|---|\n"
TOP = """\
# Hostile input, case by case

Which broken and malicious files were given to `lexbeam corpus`, how many input records each is, and what came
out: documents, and rejects with their reason ([formats.md](../reference/formats.md) explains them), each behind
its member and position, if it has them. The detail is what table `rejects` holds. The tests feed every case and
compare; this page is written by

    python tests/formats/hostile_cases.py > docs/running/hostile-input.md
"""


class Case(NamedTuple):
    """A hostile file.

    Attributes:
        fed: what it is, in words.
        name: its name; it lies in a folder of its own.
        data: its bytes, or a function that makes them.
        out: what must come out in order: `document` or the reason of the reject, each after its
            member and position and a colon, where there are such.
        options: those of `lexbeam corpus` that are not at their default.
        place: puts something else than `data` at the path.
        while_read: a context of the path, entered when the inputs are listed.
    """

    fed: str
    name: str
    data: bytes | Callable[[], bytes] | None
    out: str
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed
    place: Callable[[Path], object] | None = None
    while_read: Callable[[Path], Any] = nullcontext

    @property
    def large(self) -> bool:
        """Whether it is made of tens of megabytes."""
        return callable(self.data)


class Outcome(NamedTuple):
    """What came out of a case: as `Case.out` has it, and the rejects' details."""

    records: int
    out: str
    details: list[str]
    rejects: list[RejectRow]


def ingest_options(options: dict[str, Any], folder: Path) -> IngestOptions:
    """Return the options of a case, as `lexbeam corpus` would make them."""
    given = dict(options)
    dates = given.pop("dates", None)
    rule = parse_date_rule(dates.replace("FOLDER", str(folder))) if dates else None
    language = given.pop("engine").partition(":")[2]
    scripts = scripts_of(language) if language else None
    own = {name: given.pop(name) for name in ("format", "date_range") if name in given}
    metadata = load_metadata(rule) if rule else None
    return IngestOptions(reader=reader_options(**given), dates=rule, metadata=metadata, scripts=scripts, **own)


def put(case: Case, folder: Path) -> Path:
    """Lay the case into a folder, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / case.name
    if case.place is not None:
        case.place(path)
    else:
        path.write_bytes(case.data() if callable(case.data) else case.data)
    return path


def feed(case: Case, folder: Path, engine: str = "") -> Outcome:
    """List the folder as `lexbeam corpus` does with this engine, and read what is there, documents dated."""
    path = put(case, folder)
    entries = files.list_files(str(folder))
    options = ingest_options({"engine": engine, **case.options}, folder)
    out, rejects, records = [], [], 0
    with case.while_read(path):
        for entry in entries:
            file = InputFile(escape(entry.name), entry.path, entry.size, "in")
            for found in read_documents(file, options):
                if isinstance(found, RejectRow):
                    source, position, what = found.source, found.position, found.reason
                    rejects.append(found)
                elif found[1].block:
                    continue
                else:
                    source, position, what = found[0]["source"], found[0]["position"], "document"
                records += 1
                inner = source.removeprefix(case.name)[1:]
                place = ", ".join(filter(None, (inner, position)))
                out.append(f"{place}: {what}" if place else what)
    return Outcome(records, "; ".join(out), [reject.detail for reject in rejects], rejects)


def row(case: Case, found: Outcome) -> str:
    """Return the case's row of docs/running/hostile-input.md."""
    flags = " ".join(_flag(name, value) for name, value in case.options.items())
    fed = case.fed + (f" (`{flags}`)" if flags else "")
    details = "; ".join(f"`{' '.join(detail.split())}`" for detail in dict.fromkeys(found.details))
    out = f"`{found.out}`" if "\\" in found.out else found.out  # or Markdown would take it away
    cells = [fed, f"`{case.name}`", str(found.records), out, details]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _flag(name: str, value: Any) -> str:
    flag = "--" + name.replace("_", "-")
    if value is False:
        return flag.replace("--", "--no-")
    return f"{flag} {value}".replace("FOLDER/.", "")


def document(cases: dict[str, list[Case]]) -> str:
    """Feed all cases, and return docs/running/hostile-input.md."""
    text = TOP
    with tempfile.TemporaryDirectory() as folder:
        for section, members in cases.items():
            text += f"\n## {section}\n\n{HEAD}"
            for number, case in enumerate(members):
                text += row(case, feed(case, Path(folder, section, str(number)))) + "\n"
    return text
