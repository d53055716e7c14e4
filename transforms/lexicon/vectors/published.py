"""Vectors of our own table `vectors`: a slice and seed of a published folder."""

from collections.abc import Iterator

from transforms.common.errors import LexbeamError, nearest
from transforms.common.publish.sections import table_digest
from transforms.common.publish.snapshots import find_snapshot, open_snapshot
from transforms.common.store.resources import content_digest
from transforms.embeddings.published import as_trained
from transforms.lexicon.vectors.blocks import ROWS, VectorBlock
from transforms.lexicon.vectors.options import VectorOptions

__all__ = ["digest_of_vectors", "is_published", "read_table"]


def is_published(path: str) -> bool:
    """Return whether tables are published at a folder."""
    return find_snapshot(path) is not None


def digest_of_vectors(path: str) -> str:
    """Return a name of a file's content, or of the table `vectors` that is published at a folder.

    Other tables of that folder, and its artefacts, do not count.

    Raises:
        LexbeamError: nothing is there, or no vectors are published.
    """
    snapshot = find_snapshot(path)
    return content_digest(path) if snapshot is None else table_digest(snapshot.parts("vectors"))


def read_table(path: str, options: VectorOptions, vectors: bool) -> Iterator[VectorBlock]:
    """Yield the blocks of a slice's vectors as trained.

    Raises:
        LexbeamError: nothing is published there, there are no vectors, or no such slice or seed.
    """
    snapshot = open_snapshot(path)
    section = snapshot.section("change")
    names = [row[0] for row in section["slices"]]
    if options.slice not in names:
        hint = nearest(options.slice, names) or f"; there are {', '.join(names)}"
        given = f"no slice {options.slice!r}" if options.slice else "give `slice=`"
        raise LexbeamError(f"{path}: {given}{hint}")
    seeds = section["seeds"]
    seed = seeds[0] if options.seed is None else options.seed
    if seed not in seeds:
        raise LexbeamError(f"{path}: no seed {seed}; there are {', '.join(map(str, seeds))}")
    # As it was in memory when it was trained, it fits there again.
    made = as_trained(snapshot, options.slice, seed)
    dim = made.vectors.shape[1]
    for start in range(0, len(made.words), ROWS):
        rows = slice(start, start + ROWS)
        yield VectorBlock(made.words[rows], dim, made.vectors[rows] if vectors else None)
