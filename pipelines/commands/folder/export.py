"""What others read: vectors, as trained or aligned, or tables as a plain folder with a data card.

lexbeam export results --format word2vec --out vectors
lexbeam export results --format npy --aligned op --out vectors
lexbeam export results --tables --out folder --license cc-by-4.0
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pipelines.commands.folder.export_tables import export_tables
from pipelines.frame.command import Action, Command
from pipelines.frame.common_options import FolderOptions
from transforms.common.errors import UsageError
from transforms.common.options.fields import option
from transforms.common.publish.output_folders import make_output_folder
from transforms.common.publish.snapshots import Snapshot, open_snapshot
from transforms.common.store import files
from transforms.embeddings.alignment import named_alignment
from transforms.embeddings.published import aligned_sides, as_aligned, as_trained

__all__ = ["EXPORT", "EXPORTS", "ExportOptions"]


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


def _check_together(options: ExportOptions) -> None:
    """Refuse options that do not go together."""
    if options.tables == (options.format is not None):
        raise UsageError("give either `format`, for vectors, or `tables`")
    if options.tables and options.aligned is not None:
        raise UsageError("`aligned` does not go with `tables`")
    for name in ("license", "without"):
        if getattr(options, name) and not options.tables:
            raise UsageError(f"`{name}` goes with `tables`")


def _export(options: ExportOptions, action: Action) -> None:
    """Write what is published at `options.path` for others: its tables, or its vectors."""
    snapshot = open_snapshot(options.path)
    if options.format is None:
        made = export_tables(snapshot, options.out, license=options.license, without=options.without)
        for path in made:
            action.tell(path)
        return
    _vectors(snapshot, options.format, options, action)


def _vectors(snapshot: Snapshot, format: str, options: ExportOptions, action: Action) -> None:
    """Write vectors as files, one per slice (or side of a pair) and seed."""
    snapshot.section("change")
    make_output_folder(options.out)
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
            action.tell(f"{pair}, seed {row['seed']}: too few shared words, nothing to align")
            continue
        name = _file_name(pair, row["alignment"], row["side"], f"seed{row['seed']}")
        yield name, made.words, made.vectors


EXPORT: Command[ExportOptions, None] = Command(
    options=ExportOptions,
    examples="""\
  lexbeam export results --format word2vec --out vectors
  lexbeam export results --format npy --aligned op --out vectors
  lexbeam export results --tables --out folder --license cc-by-4.0""",
    check=_check_together,
    action=_export,
)
