"""Ingestion against bare loops that read and decode the same files.

    python -m benchmarks ingest

Throughput by CPU time of the readers (`read_file`: bytes in, clean text and fields out) over that
of the loop a script would have: `open(path).read()` for text, `json.loads` of each line for JSON
lines, lxml and the text of each `<p>` for TEI. What the readers do besides is to tell formats and
archives apart, to make NFC, line ends and paragraphs, to join words that breaks cut, and to refuse
what is broken. The files are the State of the Union addresses, ReCAM and the English novels of
ELTeC where LEXBEAM_DATA has them, else the sample corpus in these formats.
"""

import io
import json
import time
from collections.abc import Callable
from pathlib import Path

from lxml import etree

from benchmarks.measure import BenchmarkRow, data_folder, lexbeam, ratios
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.readers.registry import read_file
from lexbeam.transforms.formats.records.base import ReaderOptions, Record

REPEATS = 9
BOUND = 0.8
Paths = list[Path]


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the rows."""
    data = data_folder()
    if data is None:
        texts, tables, novels = _made(folder)
        field = "text"
    else:
        texts = sorted((data / "sotu").glob("*.txt"))
        tables = sorted((data / "recam").glob("*.jsonl"))
        novels = sorted((data / "eltec-eng").glob("*.xml"))
        field = "article"
    return [
        _row("text", texts, _bare_text),
        _row("jsonl", tables, lambda paths: _bare_jsonl(paths, field), field),
        _row("tei", novels, _bare_tei),
    ]


def _row(format: str, paths: Paths, bare: Callable[[Paths], int], field: str = "text") -> BenchmarkRow:
    def ours() -> int:
        return _read(paths, format, ReaderOptions(text_field=field))

    loop, kept = bare(paths), ours()
    if not 0.6 * loop < kept <= 1.01 * loop:  # indentation goes, and the TEI loop leaves out heads
        raise ValueError(f"{format}: the loop has {loop} characters, the readers have {kept}")
    value, found = ratios(lambda: bare(paths), ours, REPEATS, clock=time.process_time)
    note = f"all runs: {', '.join(f'{ratio:.2f}' for ratio in found)}"
    return BenchmarkRow(f"reading {format} over a bare loop", value, BOUND, False, "x", note)


def _read(paths: Paths, format: str, options: ReaderOptions) -> int:
    characters = 0
    for path in paths:
        # As a unit of files is read: from memory where the file is small, as all these are.
        content = files.read_bytes(str(path))
        entries = read_file(
            str(path), path.name, format=format, options=options, open=lambda content=content: io.BytesIO(content)
        )
        for _, entry in entries:
            assert isinstance(entry, Record)
            characters += len(entry.text or "")
    return characters


def _bare_text(paths: Paths) -> int:
    characters = 0
    for path in paths:
        with open(path, encoding="utf-8-sig") as stream:
            characters += len(stream.read())
    return characters


def _bare_jsonl(paths: Paths, field: str) -> int:
    characters = 0
    for path in paths:
        with open(path, encoding="utf-8-sig") as stream:
            for line in stream:
                characters += len(json.loads(line)[field])
    return characters


def _bare_tei(paths: Paths) -> int:
    characters = 0
    for path in paths:
        body = etree.parse(path).getroot().find("{*}text/{*}body")
        characters += sum(len("".join(p.itertext())) for p in body.iter("{*}p"))
    return characters


def _made(folder: Path) -> tuple[Paths, Paths, Paths]:
    """Make the sample corpus as text, JSON lines and TEI, in files as long as novels."""
    lexbeam("sample", "--out", str(folder / "sample"), "--tokens", "1000000")
    paths = sorted((folder / "sample" / "corpus").rglob("*.txt"))
    parts = [path.read_text("utf-8").strip() for path in paths]
    texts, table, novels = [], folder / "table.jsonl", []
    with open(table, "w", encoding="utf-8") as stream:
        for start in range(0, len(parts), 40):
            some = parts[start : start + 40]
            # Dashes and CRLF, as most have them: what is ASCII alone, `open` reads by copying it.
            text = "\n\n".join(some).replace(". ", " \u2014 ")
            paragraphs = "\n".join(f"  <p>{part}</p>" for part in text.split("\n\n"))
            texts.append(folder / f"{start}.txt")
            texts[-1].write_text(text, "utf-8", newline="\r\n")
            novels.append(folder / f"{start}.xml")
            novels[-1].write_text(
                '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader/><text><body>\n'
                f"{paragraphs}\n</body></text></TEI>",
                "utf-8",
            )
            stream.writelines(json.dumps({"text": part}) + "\n" for part in some)
    return texts, [table], novels
