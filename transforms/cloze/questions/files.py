"""Questions as JSON lines, as the task's files have them.

    {"question_id": ..., "kind": ..., "article": ..., "question": ..., "option_0": ..., ..., "label": 2}

One question a line, in the order of question id and kind. `{kind}` and `{split}` in the name of the
file stand for each kind and split, which then have a file each; without them a file holds all. All
files are written before the first appears under its name.
"""

import json
import os
import re
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from typing import BinaryIO

from lexbeam.schemas.cloze.pairs import KINDS
from lexbeam.transforms.cloze.pairs.pair import Row
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import read_rows

FIELDS = ("kind", "split")
_COLUMNS = ["question_id", "article", "question", "options", "label", "kept", *FIELDS]
_FIELD = re.compile(r"\{([^{}]*)\}")
_ENDS = re.compile("[\x85\u2028\u2029]")  # which some tools take for the end of a line
_BATCH = 64


def check_name(name: str) -> None:
    """Check the name of a file.

    Raises:
        UsageError: it has another field in braces than `{kind}` and `{split}`.
    """
    for field in _FIELD.findall(name):
        if field not in FIELDS:
            raise UsageError(f"`{{{field}}}` stands for nothing in {name!r}: give {{kind}}, {{split}} or none")
    if not name or name.endswith(("/", os.sep)):
        raise UsageError(f"{name!r} names no file")


def names_of(name: str, splits: Sequence[str]) -> set[str]:
    """Return the files that a name may stand for, of all kinds and of these splits."""
    if not _FIELD.search(name):
        return {name}
    return {_filled(name, kind, split) for kind in KINDS for split in splits}


def refuse_existing(name: str, splits: Sequence[str] = ()) -> None:
    """Refuse files that exist.

    Raises:
        UsageError: a file exists.
    """
    for path in sorted(names_of(name, splits)):
        if files.exists(path):
            raise _there(path)


def _there(path: str) -> UsageError:
    return UsageError(
        f"`write_jsonl` {files.shown(path)} is there: move it away, name another file, or replace it with `overwrite`"
    )


def _filled(name: str, kind: str, split: str) -> str:
    return name.replace("{kind}", kind).replace("{split}", split)


def json_line(row: Row) -> bytes:
    """Return a row of cloze/questions as a line, in UTF-8."""
    options = {f"option_{place}": word for place, word in enumerate(row["options"])}
    record = {**{name: row[name] for name in ("question_id", "kind", "article", "question")}, **options}
    text = json.dumps({**record, "label": row["label"]}, ensure_ascii=False)
    return _ENDS.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode() + b"\n"


def write_questions(
    paths: Sequence[str], name: str, only: Collection[tuple[str, str]] | None = None, *, replace: bool = False
) -> dict[str, int]:
    """Write the questions that are kept; return the files, and how many each has.

    Args:
        paths: parts of cloze/questions in their order.
        name: of the file, see above. Folders that are not there are made. Without a field it is
            written even if there is no question.
        only: of these questions, by id and kind; None: of all.
        replace: whether files that are there are replaced.

    Raises:
        UsageError: a file is there, and not to be replaced; none is written.
    """
    counts: dict[str, int] = {}
    with ExitStack() as stack:
        streams: dict[str, BinaryIO] = {}

        def stream_of(path: str) -> BinaryIO:
            if path not in streams:
                if not replace and files.exists(path):
                    raise _there(path)
                if folder := os.path.dirname(path):
                    files.make_folder(folder)
                streams[path] = stack.enter_context(files.writing(path, durable=True))
                counts[path] = 0
            return streams[path]

        if not _FIELD.search(name):
            stream_of(name)
        for rows in read_rows(paths, _COLUMNS):
            published = rows.filter(rows["kept"])
            for start in range(0, published.num_rows, _BATCH):
                for row in published.slice(start, _BATCH).to_pylist():
                    if only is not None and (row["question_id"], row["kind"]) not in only:
                        continue
                    path = _filled(name, row["kind"], row["split"])
                    stream_of(path).write(json_line(row))
                    counts[path] += 1
    return dict(sorted(counts.items()))
