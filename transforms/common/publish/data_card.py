"""A data card: what published tables are and come from, in Markdown that hubs of data sets read.

The front matter is that of the Hugging Face Hub (`license`, and `configs` with the files of each
table), which others ignore; the text is for people. It depends on the manifest, the schemas and
the licence alone.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import pyarrow as pa
import yaml

from lexbeam.transforms.common.code.version import Build
from lexbeam.transforms.common.publish.manifests import Manifest, Section, TableEntry, files_of

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
