"""Shows published tables, or answers questions about them by the views of the commands.

lexbeam show results
lexbeam show results/scores --tsv
lexbeam show results --word plane --slice 1960-2010
lexbeam show results --top 20 --alignment cca
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, make_dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.command import Action, Command
from pipelines.registry import available, section_of
from pipelines.staleness import stale_sections
from transforms.common import files
from transforms.common.errors import LexbeamError, UsageError, nearest
from transforms.common.options import from_mapping, option, options_of, value_of
from transforms.common.snapshots import Snapshot, find_snapshot, open_snapshot
from transforms.common.tables import read_rows
from transforms.common.views import View

__all__ = ["SHOW"]

WIDTH = 60


@dataclass(frozen=True, kw_only=True)
class _Look:
    """Options of `lexbeam show` beside those of the views."""

    path: str = option(
        help="folder of published tables, one table, or a Parquet file", metavar="PATH",
        positional=True, path="place",
    )  # fmt: skip
    section: str | None = option(
        None, help="which section to ask, where several answer a question", metavar="SECTION"
    )
    tsv: bool = option(False, help="print all rows, tab-separated, and nothing else")
    rows: int = option(5, help="rows to show", least=0)


def _views() -> Iterator[tuple[str, str, View[Any]]]:
    """Yield every view with its name and the section that it is about."""
    for words, command in available(without=__name__):
        for name, view in command.views.items():
            yield section_of(words), name, view


def _options() -> type:
    """Return the options of `lexbeam show`: its own, and as text those of all views."""
    found: dict[str, tuple[str, Any, Any]] = {}
    views = list(_views())
    for section, view, entry in views:
        for name, given in options_of(entry.options).items():
            takers = dict.fromkeys(v for _, v, e in views if name in options_of(e.options))
            kind: Any = tuple[str, ...] if given.several else str | None
            told = ", ".join(f"`{taker}`" for taker in takers)
            field = option(
                () if given.several else None, choices=given.choices, metavar=given.metavar,
                help=given.help if name == view else f"with {told}: {given.help}",
                path=given.path, group=f"questions to {section}",
            )  # fmt: skip
            found.setdefault(name, (name, kind, field))
    return make_dataclass(
        "ShowOptions", list(found.values()), bases=(_Look,), frozen=True, kw_only=True
    )


def _show(options: Any, action: Action) -> None:
    """Tell what is at `options.path`."""
    asked = {
        name: value
        for name in options_of(type(options))
        if name not in options_of(_Look) and (value := value_of(options, name)) not in (None, ())
    }
    if asked:
        _answer(options, asked, action)
        return
    for line in _lines(options):
        _give(action, line)


def _give(action: Action, line: str) -> None:
    """Hand over a line that is data: a word in backquotes may be a word of a corpus."""
    (action.data or action.tell)(line)


def _lines(options: Any) -> Iterator[str]:
    path = options.path.rstrip("/")
    shown = files.shown(path)
    snapshot = find_snapshot(path)
    if snapshot is not None:
        if options.tsv:
            known = ", ".join(sorted(snapshot.tables))
            raise UsageError(f"`tsv` takes one table: give {shown}/TABLE, one of {known}")
        yield from _manifest(shown, snapshot)
        for table in snapshot.tables:
            yield from _table(table, snapshot.paths(table), options)
    elif (found := _table_at(path)) is not None:
        yield from _table(found[1], found[0].paths(found[1]), options)
    else:
        yield from _table(os.path.basename(path), _parquet_at(path), options)


def _parquet_at(path: str) -> list[str]:
    if files.size(path) is not None:
        return [path]
    if os.path.isdir(path) or any(files.list_folder(path)):
        paths = [entry.path for entry in files.list_files(path) if entry.name.endswith(".parquet")]
        if paths:
            return paths
        raise LexbeamError(f"{path!r} holds no published tables and no Parquet files")
    raise LexbeamError(f"nothing is at {path!r}")


def _answer(options: Any, asked: Mapping[str, Any], action: Action) -> None:
    """Answer a question by the view that its flag names."""
    views = [(section, name, view) for section, name, view in _views() if name in asked]
    if not views:
        first = next(iter(asked))
        askers = dict.fromkeys(n for _, n, view in _views() if first in options_of(view.options))
        raise UsageError(f"`{first}` goes with {' or '.join(f'`{name}`' for name in askers)}")
    snapshot = open_snapshot(options.path)
    section, name, view = _view_of(snapshot, options.section, views)
    for other in asked:
        if other not in options_of(view.options):
            raise UsageError(f"`{other}` does not go with `{name}`")
    snapshot.section(section)
    given = from_mapping(view.options, asked, "--")
    if view.told is not None and not options.tsv:
        for line in view.told(snapshot, given):
            _give(action, line)
        return
    rows = view.table(snapshot, given)
    lines = _tsv(rows.schema.names, rows.to_pylist()) if options.tsv else _columns(rows)
    for line in lines:
        _give(action, line)


def _view_of(
    snapshot: Snapshot, only: str | None, views: Sequence[tuple[str, str, View[Any]]]
) -> tuple[str, str, View[Any]]:
    """Return the view that is asked: of the section named, else of the one that is published."""
    if only is not None:
        named = [view for view in views if view[0] == only]
        if not named:
            known = [section for section, *_ in views]
            hint = nearest(only, known) or f"; it is one of {', '.join(known)}"
            raise UsageError(f"section {only!r} does not answer `{views[0][1]}`{hint}")
        return named[0]
    there = [view for view in views if view[0] in snapshot.sections]
    if len(there) > 1:
        sections = ", ".join(section for section, *_ in there)
        raise UsageError(f"`{there[0][1]}` is answered by {sections}: name one by `section`")
    return (there or views)[0]


def _columns(rows: pa.Table) -> Iterator[str]:
    """Yield rows in columns of one width, without those that are null throughout."""
    kept = [name for name in rows.schema.names if rows[name].null_count < max(rows.num_rows, 1)]
    cells = [kept, *([_cell(row[n], WIDTH) for n in kept] for row in rows.to_pylist())]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        yield "  ".join(padded).rstrip()


def _table_at(path: str) -> tuple[Snapshot, str] | None:
    """Return the snapshot and the table that a path such as `results/scores` names."""
    folder, _, name = path.rpartition("/")
    for _ in range(2):  # DIR/<table>, or DIR/<task>/<table>
        snapshot = find_snapshot(folder or ".")
        if snapshot is not None and name in snapshot.tables:
            return snapshot, name
        folder, _, task = folder.rpartition("/")
        name = f"{task}/{name}"
    return None


def _manifest(path: str, snapshot: Snapshot) -> Iterator[str]:
    yield f"{path}: " + ", ".join(
        f"{name} {entry['rows']} rows" for name, entry in snapshot.tables.items()
    )
    stale = stale_sections(snapshot)
    for section, values in snapshot.sections.items():
        yield f"\n{section}:"
        for reason in stale.get(section, ()):
            yield f"  stale: {reason}"
        for name, value in values.items():
            if name == "inputs":
                read = [source["table"] for source in values.get("reads", ())]
                value = f"{len(value)} {'parts' if read else 'files'}"
            if name not in ("parts", "stages"):
                yield f"  {name}: {value}"
    yield ""


def _table(name: str, paths: Sequence[str], options: Any) -> Iterator[str]:
    with files.open_read(paths[0]) as stream:
        schema = pq.read_schema(stream)
    if options.tsv:
        yield from _tsv(schema.names, _rows(paths))
        return
    metadata = schema.metadata or {}
    about = metadata.get(b"lexbeam.row", b"").decode()
    total = sum(_row_count(path) for path in paths)
    yield f"{name}: {total} rows in {len(paths)} parts" + (f"; a row is {about}" if about else "")
    for field in schema:
        meta = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        notes = "; ".join(meta[key] for key in ("unit", "range") if key in meta)
        kind = str(field.type) + ("" if field.nullable else " not null")
        yield f"  {field.name}: {kind}  {meta.get('doc', '')}" + (f" ({notes})" if notes else "")
    for number, row in enumerate(_rows(paths)):
        if number >= options.rows:
            break
        yield f"  {number + 1}: " + ", ".join(f"{k}={_cell(v, WIDTH)}" for k, v in row.items())
    yield ""


def _tsv(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    yield "\t".join(names)
    for row in rows:
        yield "\t".join(_cell(value, None) for value in row.values())


def _row_count(path: str) -> int:
    with files.open_read(path) as stream, pq.ParquetFile(stream) as reader:
        return int(reader.metadata.num_rows)


def _rows(paths: Sequence[str]) -> Iterator[dict[str, Any]]:
    for table in read_rows(paths):
        for batch in table.to_batches(max_chunksize=256):
            yield from batch.to_pylist()


def _cell(value: Any, width: int | None) -> str:
    if value is None:
        text = ""
    elif isinstance(value, float):
        text = f"{value:.6g}" if width else repr(value)
    elif isinstance(value, list):
        shown = value[:12] if width else value
        text = " ".join("_" if item is None else _cell(item, width) for item in shown)
    else:
        text = str(value)
    text = text.replace("\t", " ").replace("\n", " ")
    return text if width is None or len(text) <= width else text[: width - 1] + "…"


SHOW: Command[Any, None] = Command(
    options=_options(),
    examples="""\
  lexbeam show results
  lexbeam show results/scores --tsv
  lexbeam show results --word plane --slice 1960-2010
  lexbeam show results --top 20 --alignment cca""",
    action=_show,
)
