"""A look at published tables, or at one word: its counts, scores, neighbours and example sentences.

lexbeam show results
lexbeam show results/scores --tsv
lexbeam show results --word plane --slice 1960-2010
"""

import heapq
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.options import option
from pipelines.staleness import stale_sections
from transforms.change.neighbours import neighbours_table
from transforms.change.slicing import Slice, slice_of
from transforms.change.spaces import load_space
from transforms.change.targets import Targets, load_targets, near_matches
from transforms.change.words import ViewOptions, normalise_word
from transforms.common import files
from transforms.common.errors import LexbeamError, UsageError, nearest
from transforms.common.fingerprints import digest
from transforms.common.snapshots import Snapshot, find_snapshot, open_snapshot
from transforms.common.tables import read_rows
from transforms.corpora.corpus import Corpus
from transforms.corpora.fetching import fetch_documents

__all__ = ["ShowOptions", "run"]

WIDTH = 60
EXAMPLES = 10


@dataclass(frozen=True, kw_only=True)
class ShowOptions:
    """Options of `lexbeam show`."""

    path: str = option(
        help="folder of published tables, one table, or a Parquet file", metavar="PATH",
        positional=True,
    )  # fmt: skip
    tsv: bool = option(False, help="print all rows, tab-separated, and nothing else")
    rows: int = option(5, help="rows to show", least=0)
    word: str | None = option(None, help="look at this word", metavar="W")
    slice: str | None = option(None, help="with --word: only this slice", metavar="S")
    seed: int = option(0, help="with --word: which sentences are drawn")
    corpus: tuple[str, ...] = option(
        (), help="with --word: corpus folders to draw sentences from, if not PATH", metavar="DIR"
    )


def run(options: ShowOptions) -> None:
    """Print what is at `options.path`."""
    if options.word is not None:
        _show_word(options)
        return
    for name in ("slice", "corpus"):
        if getattr(options, name):
            raise UsageError(f"--{name} goes with --word")
    path = options.path.rstrip("/")
    snapshot = find_snapshot(path)
    if snapshot is not None:
        if options.tsv:
            known = ", ".join(sorted(snapshot.tables))
            raise UsageError(f"--tsv takes one table: give {path}/TABLE, one of {known}")
        _show_manifest(path, snapshot)
        for table in snapshot.tables:
            _show_table(table, snapshot.paths(table), options)
        return
    if (found := _table_at(path)) is not None:
        _show_table(found[1], found[0].paths(found[1]), options)
        return
    if files.size(path) is not None:
        paths = [path]
    elif os.path.isdir(path) or any(files.list_folder(path)):
        paths = [entry.path for entry in files.list_files(path) if entry.name.endswith(".parquet")]
        if not paths:
            raise LexbeamError(f"{path!r} holds no published tables and no Parquet files")
    else:
        raise LexbeamError(f"nothing is at {path!r}")
    _show_table(os.path.basename(path), paths, options)


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


def _show_manifest(path: str, snapshot: Snapshot) -> None:
    print(f"{path}: " + ", ".join(
        f"{name} {entry['rows']} rows" for name, entry in snapshot.tables.items()
    ))  # fmt: skip
    stale = stale_sections(snapshot)
    for section, values in snapshot.sections.items():
        print(f"\n{section}:")
        for reason in stale.get(section, ()):
            print(f"  stale: {reason}")
        for name, value in values.items():
            if name == "inputs":
                value = f"{len(value)} {'files' if section == 'corpus' else 'parts'}"
            if name not in ("parts", "stages"):
                print(f"  {name}: {value}")
    print()


def _show_table(name: str, paths: Sequence[str], options: ShowOptions) -> None:
    with files.open_read(paths[0]) as stream:
        schema = pq.read_schema(stream)
    if options.tsv:
        print("\t".join(schema.names))
        for row in _rows(paths):
            print("\t".join(_cell(value, None) for value in row.values()))
        return
    metadata = schema.metadata or {}
    about = metadata.get(b"lexbeam.row", b"").decode()
    total = sum(_row_count(path) for path in paths)
    print(f"{name}: {total} rows in {len(paths)} parts" + (f"; a row is {about}" if about else ""))
    for field in schema:
        meta = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        notes = "; ".join(meta[key] for key in ("unit", "range") if key in meta)
        kind = str(field.type) + ("" if field.nullable else " not null")
        print(f"  {field.name}: {kind}  {meta.get('doc', '')}" + (f" ({notes})" if notes else ""))
    for number, row in enumerate(_rows(paths)):
        if number >= options.rows:
            break
        print(f"  {number + 1}: " + ", ".join(f"{k}={_cell(v, WIDTH)}" for k, v in row.items()))
    print()


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
        text = " ".join(_cell(item, width) for item in (value[:12] if width else value))
    else:
        text = str(value)
    text = text.replace("\t", " ").replace("\n", " ")
    return text if width is None or len(text) <= width else text[: width - 1] + "…"


class _View(NamedTuple):
    """What of the training view is needed to find a word's sentences."""

    options: ViewOptions
    slices: tuple[Slice, ...]
    targets: Targets


def _show_word(options: ShowOptions) -> None:
    snapshot = open_snapshot(options.path)
    section = snapshot.section("change")
    places = [open_snapshot(place) for place in options.corpus]
    if not places and "sentences" in snapshot.tables:
        places = [snapshot]
    for place in places:
        place.paths("sentences")  # to fail before anything is printed
    view = _View(
        ViewOptions(**section["view"]),
        tuple(Slice(*row) for row in section["slices"]),
        load_targets(section["targets"], ViewOptions(**section["view"]))
        if section["targets"]
        else Targets(),
    )
    names = [slice.name for slice in view.slices]
    if options.slice is not None and options.slice not in names:
        hint = nearest(options.slice, names) or f"; there are {', '.join(names)}"
        raise UsageError(f"no slice {options.slice!r}{hint}")
    wanted = [options.slice] if options.slice else names
    word = normalise_word(options.word or "", view.options)
    scores = _of_word(snapshot, "scores", word)
    vectors = _of_word(snapshot, "vectors", word, ("slice", "seed", "word", "count",
                                                       "documents"))  # fmt: skip
    if not scores and not vectors:
        raise LexbeamError(_unknown(snapshot, word))
    print(f"{word}\n\ncounts:")
    for name in wanted:
        row = next((row for row in vectors if row["slice"] == name), None)
        told = f"{row['count']} uses in {row['documents']} documents" if row else "no vector"
        print(f"  {name}: {told}")
    print("\nscores (mean over seeds):")
    shown = [
        row for row in scores
        if row["seed"] is None and {row["slice_from"], row["slice_to"]} & set(wanted)
    ]  # fmt: skip
    if not shown:
        print("  none: a score needs a vector in both slices; see --min-count")
    for row in shown:
        told = row["reason"] if row["score"] is None else _told(row)
        pair = f"{row['slice_from']} to {row['slice_to']}"
        print(f"  {pair}, {row['alignment']} {row['measure']}: {told}")
    print("\nneighbours (seed {}):".format(section["seeds"][0]))
    for name in wanted:
        print(f"  {name}: {', '.join(_neighbours(snapshot, word, name, section))}")
    for name in wanted:
        _show_sentences(word, name, view, options.seed, places)


def _told(row: dict[str, Any]) -> str:
    spread = "" if row["score_sd"] is None else f" (sd {row['score_sd']:.2g})"
    verdict = "" if row["changed"] is None else (", changed" if row["changed"] else ", not changed")
    return f"{row['score']:.4g}{spread}{verdict}"


def _of_word(
    snapshot: Snapshot, table: str, word: str, columns: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    found = []
    for rows in read_rows(snapshot.paths(table), columns):
        found.extend(rows.filter(pc.equal(rows["word"], word)).to_pylist())
    return found


def _unknown(snapshot: Snapshot, word: str) -> str:
    vocabulary: set[str] = set()
    for rows in read_rows(snapshot.paths("vectors"), ["word"]):
        vocabulary.update(rows["word"].to_pylist())
    near = near_matches([word], sorted(vocabulary))[word]
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    return f"no word {word!r} in the tables at {snapshot.out!r}{hint}"


def _neighbours(snapshot: Snapshot, word: str, name: str, section: dict[str, Any]) -> list[str]:
    seed = section["seeds"][0]
    for rows in read_rows(snapshot.paths("neighbours")):
        rows = rows.filter(pc.and_(pc.equal(rows["word"], word), pc.equal(rows["slice"], name)))
        rows = rows.filter(pc.equal(rows["seed"], seed))
        if rows.num_rows:
            return rows["neighbour"].to_pylist()[:10]
    space = load_space(snapshot.paths("vectors"), name, seed)
    if word not in space.words:
        return ["(no vector)"]
    least = section["options"]["neighbour-min-count"]
    return neighbours_table(name, seed, space, [word], k=10, min_count=least)[
        "neighbour"
    ].to_pylist()


class _Example(NamedTuple):
    key: str
    document_id: str
    year: int | None
    text: str


def _show_sentences(
    word: str, name: str, view: _View, seed: int, places: Sequence[Snapshot]
) -> None:
    if not places:
        print(f"\nsentences, {name}: none here; name the corpus by --corpus DIR")
        return
    examples = heapq.nsmallest(EXAMPLES, _examples(word, name, view, seed, places))
    wanted = [example.document_id for example in examples]
    sources = {
        row.document_id: row.source
        for place in places
        for row in fetch_documents(Corpus.published(place), wanted, columns=["source"])
    }
    print(f"\nsentences, {name}:")
    for example in examples:
        source = sources.get(example.document_id, "?")
        print(f"  [{source}, {example.year}] {example.text}")


def _examples(
    word: str, name: str, view: _View, seed: int, places: Iterable[Snapshot]
) -> Iterator[_Example]:
    unit = "lemmas" if view.options.unit == "lemma" else "forms"
    token = _token(word, view.targets)
    number = [slice.name for slice in view.slices].index(name)
    columns = ["document_id", "sentence", "year", "forms", "lemmas", "upos"]
    known: dict[str, bool] = {}
    for place in places:
        for rows in read_rows(place.paths("sentences"), columns):
            for index in _holding(rows, unit, token, view.options, known):
                row = rows.slice(index, 1).to_pylist()[0]
                if slice_of(row["year"], view.slices) == number:
                    text = " ".join(row["forms"] or row["lemmas"])
                    key = digest([seed, row["document_id"], row["sentence"]])
                    yield _Example(key, row["document_id"], row["year"], text)


class _Token(NamedTuple):
    """What a token must be: its word, and tags that it must or must not have."""

    word: str
    tag: str | None
    others: list[str]


def _token(word: str, targets: Targets) -> _Token:
    """Return which tokens are `word` in the view: a target's tag is not that of its bare word."""
    for bare, tag, joined in targets.joined:
        if joined == word:
            return _Token(bare, tag, [])
    return _Token(word, None, [tag for bare, tag, _ in targets.joined if bare == word])


def _holding(
    rows: pa.Table, unit: str, token: _Token, options: ViewOptions, known: dict[str, bool]
) -> list[int]:
    """Return the rows that hold such a token; each distinct text is normalised once."""
    column = rows[unit].combine_chunks()
    tokens = column.flatten().dictionary_encode()
    distinct = tokens.dictionary.to_pylist()
    for text in distinct:
        if text not in known:
            known[text] = normalise_word(text, options) == token.word
    hits = np.array([known[text] for text in distinct], bool)[tokens.indices.to_numpy()]
    if (token.tag or token.others) and rows["upos"].null_count == 0:
        upos = rows["upos"].combine_chunks().flatten()
        if token.tag:
            hits &= pc.equal(upos, token.tag).to_numpy(False)
        hits &= ~pc.is_in(upos, value_set=pa.array(token.others, pa.string())).to_numpy(False)
    parents = pc.list_parent_indices(column).to_numpy()
    return np.unique(parents[hits]).tolist()
