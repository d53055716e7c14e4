"""One input that is easily taken for something else, and ways to read it as people do."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from hostile_feeding import ingest_options

from lexbeam.schemas.rejects import RejectRow
from lexbeam.transforms.annotation.engines.engine import annotate_text
from lexbeam.transforms.annotation.engines.known_engines import load_engine
from lexbeam.transforms.common.names import escape
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.ingest.ingestion import InputFile, read_documents
from lexbeam.transforms.formats.spans.spanned import TextEdit, spanned

MEANING_HEAD = "| what was fed | as | what is read |\n|---|---|---|\n"


def read_as_text(path: Path, options: dict[str, Any]) -> str:
    """Return what `lexbeam corpus` reads: texts, or sentences of tokens, between ` | `; rejects with their details.

    With the option `engine` texts are annotated by it.
    """
    reading = ingest_options({"engine": "", **options}, path.parent)
    engine = options.get("engine")
    found = []
    for entry in files.list_files(str(path)):
        for outcome in read_documents(InputFile(escape(entry.name), entry.path, entry.size, "in"), reading):
            if isinstance(outcome, RejectRow):
                found.append(f"{outcome.reason}: {outcome.detail}")
                continue
            record = outcome[1]
            sentences = record.sentences
            if sentences is None and engine:
                sentences = annotate_text(record.text, load_engine(engine))
            if sentences is None:
                found.append(" ".join(record.text.split(" ")).replace("\n", "⏎"))
            else:
                found += [" ".join(sentence.forms or sentence.lemmas or []) for sentence in sentences]
    return " | ".join(found)


def edited(path: Path, _: dict[str, Any]) -> str:
    """Return the source in which an editor of texts has put *hard* for each *arduous* that it may replace.

    It is what `lexbeam simplify text --language en` does, whatever chooses the words.
    """
    source = spanned(path.read_bytes(), path.name, language="en")
    edits = [
        TextEdit(number, *found.span(), "hard")
        for number, block in enumerate(source.blocks)
        for found in re.finditer(r"\barduous\b", block.text)
    ]
    made = source.replaced(edit for edit in edits if source.refusal(edit) is None)
    return made.decode().replace("\n", "⏎")


class Meaning(NamedTuple):
    """An input that is easily taken for something else.

    Attributes:
        fed: what it is, in words.
        name: its name; it lies in a folder of its own.
        data: its bytes, or a function that makes them.
        read: what must be read, as `by` tells it.
        options: those of the command that are not at their default.
        by: reads it.
    """

    fed: str
    name: str
    data: bytes | Callable[[], bytes]
    read: str
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed
    by: Callable[[Path, dict[str, Any]], str] = read_as_text


def read_meaning(meaning: Meaning, folder: Path) -> str:
    """Lay an input into a folder, and return what is read."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / meaning.name
    path.write_bytes(meaning.data() if callable(meaning.data) else meaning.data)
    return meaning.by(path, meaning.options)


def meaning_row(meaning: Meaning) -> str:
    """Return the row of docs/running/hostile-input.md."""
    flags = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in meaning.options.items())
    fed = meaning.fed + (f" (`{flags}`)" if flags else "")
    cells = [fed, f"`{meaning.name}`", f"`{meaning.read}`"]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def meaning_tables(sections: dict[str, list[Meaning]]) -> str:
    """Return the tables of docs/running/hostile-input.md."""
    text = ""
    for section, meanings in sections.items():
        text += f"\n## {section}\n\n{MEANING_HEAD}" + "".join(meaning_row(meaning) + "\n" for meaning in meanings)
    return text
