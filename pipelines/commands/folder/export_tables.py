"""Published tables as a plain folder, for an archive or a hub: Parquet files and a data card.

    lexbeam export results --tables --out folder --license cc-by-4.0

The folder appears whole or not at all: it is written beside its place and renamed. On object stores
the card, README.md, is written last.
"""

import errno
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow.parquet as pq

from transforms.common.errors import UsageError, nearest
from transforms.common.publish.data_card import data_card
from transforms.common.publish.layout import MANIFEST
from transforms.common.publish.output_folders import check_output_folder
from transforms.common.publish.snapshots import Snapshot
from transforms.common.store import files
from transforms.common.store.sound import checked

__all__ = ["CARD", "export_tables"]

CARD = "README.md"
PIECE = 1 << 20


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
    tables = _tables(snapshot, without)
    check_output_folder(out)
    if files.is_local(out):
        out = files.real(out)
    if _holds_something(out):
        raise _refused(out)
    if not files.is_local(out):
        _write(snapshot, tables, out, license)
    else:
        os.makedirs(os.path.dirname(out), exist_ok=True)
        staging = files.temporary(out)
        try:
            _write(snapshot, tables, staging, license)
            os.rename(staging, out)  # over an empty folder, never over one that holds files
        except OSError as error:
            if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
                raise _refused(out) from None
            raise
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    yield from (files.shown(files.join(out, *table.split("/"))) for table in tables)
    yield files.shown(files.join(out, CARD))


def _tables(snapshot: Snapshot, without: Sequence[str]) -> list[str]:
    for name in without:
        if name not in snapshot.tables:
            known = ", ".join(sorted(snapshot.tables))
            hint = nearest(name, snapshot.tables) or f"; there are {known}"
            raise UsageError(f"`without`: no table {name!r} is published{hint}")
    found = [name for name in sorted(snapshot.tables) if name not in without]
    if not found:
        raise UsageError("`without` leaves no table to export")
    return found


def _holds_something(folder: str) -> bool:
    if files.is_local(folder):
        return os.path.isdir(folder) and bool(os.listdir(folder))
    return any(files.list_folder(folder))


def _refused(out: str) -> UsageError:
    return UsageError(f"`out` {files.shown(out)!r} holds files: give a new or an empty folder")


def _write(snapshot: Snapshot, tables: Sequence[str], folder: str, license: str | None) -> None:
    schemas = {}
    for table in tables:
        place = files.join(folder, *table.split("/"))
        files.make_folder(place)
        for part in snapshot.parts(table):
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
    kept = {name: entry for name, entry in manifest["tables"].items() if name in tables}
    return {**manifest, "tables": kept}
