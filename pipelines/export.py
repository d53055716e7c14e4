"""Vectors for other tools: as trained, or with every pair of slices in one aligned space.

lexbeam export results --format word2vec --out vectors
lexbeam export results --format npy --aligned op --out vectors
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pipelines.command import Action, Command
from pipelines.common_options import FolderOptions
from transforms.change.exporting import aligned_sides, as_aligned, as_trained
from transforms.common import files
from transforms.common.options import option
from transforms.common.output_folders import make_output_folder
from transforms.common.snapshots import Snapshot, open_snapshot

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

    format: str = option(help="file format", choices=tuple(EXPORTS))
    out: str = option(help="folder to write to", path="place")
    aligned: str | None = option(
        None, help="write each pair of slices in one space, by this alignment", metavar="ALIGNMENT"
    )


def _export(options: ExportOptions, action: Action) -> None:
    """Write the vectors at `options.path` as files, one per slice (or side of a pair) and seed."""
    snapshot = open_snapshot(options.path)
    snapshot.section("change")
    make_output_folder(options.out)
    write = EXPORTS[options.format]
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
  lexbeam export results --format npy --aligned op --out vectors""",
    action=_export,
)
