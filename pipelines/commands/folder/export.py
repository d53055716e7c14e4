"""What others read: vectors, as trained or aligned, or tables as a plain folder with a data card.

A folder of tables appears whole or not at all: it is written beside its place and renamed. On object stores
the card, README.md, is written last. It says what the tables are and come from, in Markdown that hubs of data sets
read: its front matter is that of the Hugging Face Hub (`license`, and `configs` with the files of each table), which
others ignore; the text is for people. It depends on the manifest, the schemas and the licence alone.
"""

import errno
import json
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from lexbeam.pipelines.frame.command import Action, Command, FolderOptions
from lexbeam.transforms.common.code.version import Build
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.layout import MANIFEST, Manifest, Section, TableEntry, files_of
from lexbeam.transforms.common.publish.leases import check_output_folder, make_output_folder
from lexbeam.transforms.common.publish.snapshots import Snapshot, open_snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.embeddings.alignment import named_alignment
from lexbeam.transforms.embeddings.published import aligned_sides, as_aligned, as_trained, no_map

LISTED = 20  # input files that are listed


def data_card(manifest: Manifest, schemas: Mapping[str, pa.Schema], license: str | None) -> str:
    """Return the card of some of the tables that a manifest names, each in a folder of its name.

    Args:
        manifest: the manifest of what is published.
        schemas: the schema of each table that the card is about, with the metadata of its columns.
        license: name of a licence, such as `cc-by-4.0`; None: the card says that one is to be
            filled in.
    """
    sections = {
        name: section
        for name, section in manifest.items()
        if isinstance(section, Mapping) and set(section.get("parts", ())) & set(schemas)
    }
    lines = [*_front(schemas, license), "", "# Lexical-semantics tables made by Lexbeam", ""]
    words = [f"`lexbeam {name.replace('.', ' ')}`" for name in sections]
    lines += [
        f"{_number(len(schemas), 'table')} made by {' and '.join(words)}, as Parquet files. Each "
        "table is a folder; its parts are read together, in the order of their names. "
        "`manifest.json` says what they were made from and by, with the digests of inputs "
        "and the SHA-256 of every part.",
        "",
        *_licence(license),
        "",
        "## Tables",
    ]
    for table in sorted(schemas):
        lines += ["", *_table(table, manifest["tables"][table], schemas[table])]
    lines += ["", "## Origin"]
    for name, section in sections.items():
        lines += ["", *_origin(name, section, manifest["environments"])]
    return "\n".join(lines) + "\n"


def _front(tables: Collection[str], license: str | None) -> Iterator[str]:
    yield "---"
    if license is None:
        yield "license: unknown  # fill in: the name of the licence under which you pass this on"
    else:
        yield f"license: {json.dumps(license, ensure_ascii=False)}"
    yield "configs:"
    for table in sorted(tables):
        yield f"- config_name: {table.replace('/', '.')}"
        yield f"  data_files: {table}/part-*.parquet"
    yield "---"


def _licence(license: str | None) -> Iterator[str]:
    yield "## Licence"
    yield ""
    if license is None:
        yield (
            "To be filled in by whoever passes this on, here and in the field `license` above. "
            "What holds for the texts that the tables were made from, and for the models that "
            "annotated them, may hold for the tables."
        )
    else:
        yield f"{_escaped(license)}, as said by whoever exported the tables."


def _table(name: str, entry: TableEntry, schema: pa.Schema) -> Iterator[str]:
    metadata = {key.decode(): value.decode() for key, value in (schema.metadata or {}).items()}
    yield f"### {name}"
    yield ""
    rows, parts = _number(entry["rows"], "row"), _number(len(files_of(entry)), "part")
    facts = [f"{rows} in {parts}"]
    if row := metadata.get("lexbeam.row"):
        facts.append(f"a row is {row}")
    if key := metadata.get("lexbeam.key"):
        facts.append(f"sorted by {', '.join(key.split(','))} within a part")
    if version := metadata.get("lexbeam.schema_version"):
        facts.append(f"schema version {version}")
    yield "; ".join(facts) + "."
    yield ""
    yield "| column | type | meaning | unit | range |"
    yield "|---|---|---|---|---|"
    for field in schema:
        meta = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        kind = f"{field.type}" + (", or null" if field.nullable else "")
        cells = (f"`{field.name}`", kind, *(meta.get(k, "") for k in ("doc", "unit", "range")))
        # Docs are our own, with words in backquotes; a bar would end the cell.
        yield "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _number(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _origin(name: str, section: Section, environments: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {name}"
    yield ""
    environment = environments.get(section.get("environment", ""), {})
    packages = environment.get("packages", {})
    if "lexbeam" in environment:
        build = Build(environment["lexbeam"], environment.get("commit", ""))
        yield f"Made by lexbeam {build} with Python {environment['python']}"
    elif environment:
        yield f"Made with Python {environment['python']}"
    if environment:
        yield f"and {len(packages)} packages, whose versions `manifest.json` lists."
        yield ""
    yield from _inputs(section)
    options = {
        name: value[0] if isinstance(value, list) and len(value) == 1 else value
        for name, value in section.get("options", {}).items()
        if value not in (None, [], "")
    }
    if section.get("seeds"):
        yield f"Training seeds: {', '.join(map(str, section['seeds']))}."
        yield ""
    if options:
        yield "Options:"
        yield ""
        yield "```yaml"
        text = yaml.safe_dump(options, default_flow_style=None, allow_unicode=True, sort_keys=True, width=90)
        yield text.rstrip("\n").replace("```", "`\u200b``")
        yield "```"


def _inputs(section: Section) -> Iterator[str]:
    inputs = section.get("inputs", [])
    if isinstance(inputs, Mapping):
        yield (
            f"Input files: {inputs['files']:,}, {inputs['bytes']:,} bytes; table {inputs['table']} has the SHA-256 "
            f"of each. The digest of its content is {inputs['digest']}."
        )
        yield ""
        return
    if inputs and isinstance(inputs[0], Mapping):
        shown = "" if len(inputs) <= LISTED else f", the first {LISTED} of them"
        yield f"Input files ({len(inputs):,}{shown}), by SHA-256:"
        yield ""
        yield "| file | bytes | SHA-256 |"
        yield "|---|---|---|"
        for entry in inputs[:LISTED]:
            yield f"| {_escaped(entry['name'])} | {entry['bytes']:,} | {entry['sha256']} |"
        yield ""
        return
    read = [f"{source['table']} ({source['digest']})" for source in section.get("reads", ())]
    if read:
        yield f"Made from the tables, each with the digest of its content: {', '.join(read)}."
        yield ""


def _escaped(text: str) -> str:
    """Return text as a cell of a table has it: no markup, no line feed."""
    text = " ".join(text.split())
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", text)


CARD = "README.md"
PIECE = 1 << 20


def _word2vec(stem: str, words: list[str], vectors: np.ndarray) -> list[str]:
    """The text format of word2vec: a line with the sizes, then a word and its vector a line."""
    with files.writing(stem + ".vec") as stream:
        stream.write(f"{len(words)} {vectors.shape[1]}\n".encode())
        for word, vector in zip(words, vectors, strict=True):
            stream.write(f"{word} {' '.join(map(repr, vector.tolist()))}\n".encode())
    return [stem + ".vec"]


def _npy(stem: str, words: list[str], vectors: np.ndarray) -> list[str]:
    """A numpy array, and the words of its rows one a line."""
    with files.writing(stem + ".npy") as stream:
        np.save(stream, vectors)
    files.write_bytes(stem + ".words.txt", "".join(f"{word}\n" for word in words).encode())
    return [stem + ".npy", stem + ".words.txt"]


def _tsv(stem: str, words: list[str], vectors: np.ndarray) -> list[str]:
    """Two files as the embedding projector takes them: vectors, and words."""
    with files.writing(stem + ".tsv") as stream:
        for vector in vectors:
            stream.write(("\t".join(map(repr, vector.tolist())) + "\n").encode())
    files.write_bytes(stem + ".words.tsv", "".join(f"{word}\n" for word in words).encode())
    return [stem + ".tsv", stem + ".words.tsv"]


EXPORTS: dict[str, Callable[[str, list[str], np.ndarray], list[str]]] = {
    "word2vec": _word2vec,
    "npy": _npy,
    "tsv": _tsv,
}


@dataclass(frozen=True, kw_only=True)
class ExportOptions(FolderOptions):
    """Options of `lexbeam export`."""

    out: str = option(help="folder to write to", path="place")
    format: str | None = option(None, help="write vectors, in this format", choices=tuple(EXPORTS))
    aligned: str | None = option(
        None,
        help="write each pair of slices in one space, by this alignment",
        metavar="ALIGNMENT",
        stands_for=named_alignment,
    )
    tables: bool = option(False, help="write the tables as a plain folder with a data card")
    license: str | None = option(None, help="with `tables`: name of the licence, such as cc-by-4.0", metavar="NAME")
    without: tuple[str, ...] = option(
        (), help="with `tables`: tables to leave out, such as documents,sentences", metavar="TABLE"
    )


def _vectors(snapshot: Snapshot, format: str, options: ExportOptions, action: Action) -> None:
    """Write vectors as files, one per slice (or side of a pair) and seed."""
    snapshot.filled("change")
    make_output_folder(options.out, private=False)
    write = EXPORTS[format]
    name = options.aligned
    made = _aligned(name, snapshot, action) if name else _as_trained(snapshot)
    for stem, words, vectors in made:
        for path in write(files.join(options.out, stem), words, vectors):
            action.tell(files.shown(path))


def _file_name(*parts: Any) -> str:
    return "_".join(map(str, parts))


_Made = Iterator[tuple[str, list[str], np.ndarray]]


def _as_trained(snapshot: Snapshot) -> _Made:
    section = snapshot.section("change")
    for name, _, _ in section["slices"]:
        for seed in section["seeds"]:
            made = as_trained(snapshot, name, seed)
            yield _file_name(name, f"seed{seed}"), made.words, made.vectors


def _aligned(alignment: str, snapshot: Snapshot, action: Action) -> _Made:
    for row in aligned_sides(snapshot, alignment):
        pair = f"{row['slice_from']}_to_{row['slice_to']}"
        made = as_aligned(snapshot, row)
        if made is None:
            action.tell(f"{pair}, seed {row['seed']}: {no_map(row)}, nothing to align")
            continue
        name = _file_name(pair, row["alignment"], row["side"], f"seed{row['seed']}")
        yield name, made.words, made.vectors


def export_tables(
    snapshot: Snapshot, out: str, *, license: str | None = None, without: Sequence[str] = ()
) -> Iterator[str]:
    """Write tables, the manifest and a data card into a new folder; yield each path written.

    Args:
        snapshot: what is published.
        out: the folder, which must not be there, or be empty.
        license: name of a licence; None: the card says that it is to be filled in.
        without: tables to leave out.

    Raises:
        UsageError: the folder holds files, or there is no such table.
        LexbeamError: a part is damaged.
    """
    tables = _exported(snapshot, without)
    check_output_folder(out)
    if files.is_local(out):
        out = files.real(out)
    if _holds_something(out):
        raise _refused(out)
    if not files.is_local(out):
        _write_tables(snapshot, tables, out, license)
    else:
        os.makedirs(os.path.dirname(out), exist_ok=True)
        staging = files.temporary(out)
        try:
            _write_tables(snapshot, tables, staging, license)
            os.rename(staging, out)  # over an empty folder, never over one that holds files
        except OSError as error:
            if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
                raise _refused(out) from None
            raise
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    yield from (files.shown(files.join(out, *table.split("/"))) for table in tables)
    yield files.shown(files.join(out, CARD))


def _exported(snapshot: Snapshot, without: Sequence[str]) -> list[str]:
    for name in without:
        if name not in snapshot.tables:
            known = ", ".join(sorted(snapshot.tables))
            hint = nearest(name, snapshot.tables) or f"; there are {known}"
            raise UsageError(f"`without`: no table {name!r} is published{hint}")
    names = [name for name in sorted(snapshot.tables) if name not in without]
    if not names:
        raise UsageError("`without` leaves no table to export")
    return names


def _holds_something(folder: str) -> bool:
    if files.is_local(folder):
        return os.path.isdir(folder) and bool(os.listdir(folder))
    return any(files.list_folder(folder))


def _refused(out: str) -> UsageError:
    return UsageError(f"`out` {files.shown(out)!r} holds files: give a new or an empty folder")


def _write_tables(snapshot: Snapshot, tables: Sequence[str], folder: str, license: str | None) -> None:
    schemas = {}
    for table in tables:
        place = files.join(folder, *table.split("/"))
        files.make_folder(place)
        for part in snapshot.files(table):
            source = checked(part)
            # A copy: what somebody does to it must not reach the published part.
            with (
                files.open_read(source) as stream,
                files.writing(files.join(place, source.rpartition("/")[2])) as target,
            ):
                shutil.copyfileobj(stream, target, PIECE)
            if table not in schemas:
                with files.open_read(source) as stream:
                    schemas[table] = pq.read_schema(stream)
    manifest = _manifest(snapshot.manifest, tables)
    text = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    files.write_bytes(files.join(folder, MANIFEST), text.encode())
    card = data_card(manifest, schemas, license)
    files.write_bytes(files.join(folder, CARD), card.encode(), durable=True)


def _manifest(manifest: Mapping[str, Any], tables: Sequence[str]) -> dict[str, Any]:
    """Return the manifest without the tables that are left out; the sections stay as they are."""
    entries = {name: entry for name, entry in manifest["tables"].items() if name in tables}
    return {**manifest, "tables": entries}


class Export(Command[ExportOptions, None]):
    """`lexbeam export`."""

    options = ExportOptions
    examples = """\
  lexbeam export results --format word2vec --out vectors
  lexbeam export results --format npy --aligned op --out vectors
  lexbeam export results --tables --out folder --license cc-by-4.0"""

    def check(self, options: ExportOptions) -> None:
        if options.tables == (options.format is not None):
            raise UsageError("give either `format`, for vectors, or `tables`")
        if options.tables and options.aligned is not None:
            raise UsageError("`aligned` does not go with `tables`")
        for name in ("license", "without"):
            if getattr(options, name) and not options.tables:
                raise UsageError(f"`{name}` goes with `tables`")

    def action(self, options: ExportOptions, action: Action) -> None:
        snapshot = open_snapshot(options.path)
        if options.format is None:
            made = export_tables(snapshot, options.out, license=options.license, without=options.without)
            for path in made:
                action.tell(path)
            return
        _vectors(snapshot, options.format, options, action)
