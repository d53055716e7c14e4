"""Stage `find`: the targets of a part of `sentences`, as small rows without the text of sentences.

Each row has the target's draw (`number`), by document, sentence and position, and what decides whether
its sentence counts: the hash of the sentence's forms (`content`) and the draw of this copy (`copy`). Of
identical sentences with a target the copy with the smallest draw counts.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.draws.by_content import content_hashes, numbers
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.batches import BatchWriter
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.sound import checked
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.complexity.select.options import Band
from lexbeam.transforms.complexity.select.patterns import PATTERNS, Matches, match
from lexbeam.transforms.corpora.annotated_corpora import SentencePart
from lexbeam.transforms.lexicon.resources import Lexicon

OCCURRENCE = pa.schema(
    [
        ("number", pa.uint64()),
        ("content", pa.uint64()),
        ("copy", pa.uint64()),
        ("kind", pa.string()),
        ("genre", pa.string()),
        ("target", pa.string()),
        ("document_id", pa.string()),
        ("sentence", pa.int32()),
        ("position", pa.int32()),
        ("tokens", pa.int32()),
    ]
)
OCCURRENCES = "complexity/occurrences"  # label of the draw of targets
COPIES = "complexity/copies"  # label of the draw of copies of a sentence


class FindTask(NamedTuple):
    """Where targets are searched.

    Attributes:
        part: a part of `sentences`.
        left_out: ids of documents that count in another part.
        genre: genre of all documents; None for their own.
    """

    part: SentencePart
    left_out: tuple[str, ...]
    genre: str | None


class FindSpec(NamedTuple):
    """How targets are searched.

    Attributes:
        patterns: names of patterns, sorted.
        proper: whether proper nouns count as nouns.
        plural: whether plural nouns do.
        fine: whether the corpora have the layer xpos.
        language: that of sentences whose language is not known.
        shortest: least tokens of a sentence.
        longest: most tokens; None for any.
        bands: bands in which each word of a target must lie.
        lexicon: the lists of the bands.
        seed: of both draws.
    """

    patterns: tuple[str, ...]
    proper: bool
    plural: bool
    fine: bool
    language: str | None
    shortest: int
    longest: int | None
    bands: tuple[Band, ...]
    lexicon: Lexicon
    seed: int


class Number(NamedTuple):
    """A count: of sentences, by what became of them, or of targets of a genre and kind."""

    what: str
    genre: str | None
    kind: str
    number: int


@dataclass(frozen=True)
class OccurrenceFile:
    """Receipt: occurrences as Arrow batches, and counts.

    In `numbers` those with `what` "targets" count targets, by genre and kind; the others count sentences:
    `sentences` in all, and those left out, each for one reason.
    """

    file: File
    batches: int
    rows: int
    numbers: tuple[Number, ...]


def _chosen(_: FindTask, spec: FindSpec) -> Mapping[str, Collection[str]]:
    return {"lexbeam.transforms.complexity.select.patterns:PATTERNS": spec.patterns}


def _find(artefact: Artefact, task: FindTask, spec: FindSpec) -> OccurrenceFile:
    sentences: Counter[str] = Counter()
    targets: Counter[tuple[str | None, str]] = Counter()
    columns = ["document_id", "sentence", "genre", "language", "forms", "upos"]
    columns += ["xpos"] if spec.fine else []
    batches = rows = 0
    with artefact.writing(".arrow") as stream, BatchWriter(stream, OCCURRENCE) as writer:
        for table in read_rows([checked(task.part)], columns):
            for batch in occurrences(table, task, spec, sentences):
                writer.write(batch)
                batches += 1
                rows += batch.num_rows
                whole = pa.Table.from_batches([batch]).group_by(["genre", "kind"])
                for group in whole.aggregate([([], "count_all")]).to_pylist():
                    targets[group["genre"], group["kind"]] += group["count_all"]
    counted = [Number(what, None, "", n) for what, n in sorted(sentences.items())]
    order = sorted(targets, key=lambda key: (key[0] is not None, key[0] or "", key[1]))
    counted += [Number("targets", *key, targets[key]) for key in order]
    return OccurrenceFile(artefact.file(".arrow"), batches, rows, tuple(counted))


def occurrences(table: pa.Table, task: FindTask, spec: FindSpec, counts: Counter[str]) -> Iterator[pa.RecordBatch]:
    """Yield batches of `OCCURRENCE`, one for each language that has any.

    Args:
        table: rows of `sentences`.
        task: documents that are left out, and genre.
        spec: how targets are searched.
        counts: all sentences, and those left out by reason, are added to it.
    """
    if task.left_out:
        copies = pc.is_in(table["document_id"], value_set=pa.array(task.left_out, pa.string()))
        table = table.filter(pc.invert(copies))
    counts["sentences"] += table.num_rows
    table = _usable(table, spec, counts)
    languages = _languages(table["language"], spec.language)
    for language in sorted(pc.unique(languages).to_pylist()):
        patterns = [PATTERNS[name] for name in spec.patterns if PATTERNS[name].language == language]
        rows = table.filter(pc.equal(languages, language)).combine_chunks()
        if not patterns:
            counts["no_pattern" if language else "no_language"] += rows.num_rows
            continue
        upos, xpos = _only(rows["upos"]), _only(rows["xpos"]) if spec.fine else None
        matches = match(upos, xpos, patterns, proper=spec.proper, plural=spec.plural)
        batch = _batch(rows, matches, task, spec, language)
        if batch.num_rows:
            yield batch


def _languages(column: pa.ChunkedArray, unknown: str | None) -> pa.Array:
    """Return tags as patterns have them: `en` for `eng` and `en-GB`; an empty text for none."""
    coded = _only(pc.fill_null(column, unknown or "")).dictionary_encode()
    return pa.array(map(short_tag, coded.dictionary.to_pylist()), pa.string()).take(coded.indices)


def _usable(table: pa.Table, spec: FindSpec, counts: Counter[str]) -> pa.Table:
    """Return the sentences that are searched, and count the others."""
    upos = pc.fill_null(pc.list_value_length(table["upos"]), -1).to_numpy()
    forms = pc.fill_null(pc.list_value_length(table["forms"]), -1).to_numpy()
    longest = spec.longest if spec.longest is not None else np.iinfo(np.int32).max
    left = np.ones(table.num_rows, bool)
    for reason, mask in {
        "no_forms": forms < 0,
        "no_upos": upos < 0,
        "short": forms < spec.shortest,
        "long": forms > longest,
    }.items():
        counts[reason] += int((left & mask).sum())
        left &= ~mask
    return table.filter(pa.array(left))


def _only(column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks()
    return array.chunk(0) if isinstance(array, pa.ChunkedArray) else array


def _batch(rows: pa.Table, matches: Matches, task: FindTask, spec: FindSpec, language: str) -> pa.RecordBatch:
    words = _only(rows["forms"]).flatten()
    target, chosen = _targets(words, matches, spec, language)
    at = matches.row[chosen]
    genre = rows["genre"]
    if task.genre is not None:
        genre = pa.chunked_array([pa.repeat(pa.scalar(task.genre, pa.string()), rows.num_rows)])
    with_targets, back = np.unique(at, return_inverse=True)
    sentences = rows.take(pa.array(with_targets))
    place = [sentences["document_id"], sentences["sentence"]]
    forms = _only(sentences["forms"])
    content = content_hashes(pc.binary_join(forms, "\x1f"), pc.list_value_length(forms))
    sentence_hash = content_hashes(*place)
    copy = numbers(sentence_hash, seed=spec.seed, label=COPIES)
    position = matches.position[chosen]
    drawn = numbers(content_hashes(sentence_hash[back], position), seed=spec.seed, label=OCCURRENCES)
    kinds = pa.array(matches.kinds, pa.string())
    return pa.RecordBatch.from_arrays(
        [
            pa.array(drawn),
            pa.array(content[back]),
            pa.array(copy[back]),
            kinds.take(pa.array(matches.kind[chosen])),
            _only(genre.take(pa.array(at))),
            target,
            _only(rows["document_id"].take(pa.array(at))),
            _only(rows["sentence"].take(pa.array(at))),
            pa.array(position, pa.int32()),
            pa.array(matches.tokens[chosen], pa.int32()),
        ],
        schema=OCCURRENCE,
    )


def _targets(
    words: pa.Array, matches: Matches, spec: FindSpec, language: str
) -> tuple[pa.Array, npt.NDArray[np.int64]]:
    """Return case-folded targets, and the matches they come from: all their words are allowed."""
    coded = words.dictionary_encode()
    folded = [word.casefold() for word in coded.dictionary.to_pylist()]
    forms = pa.array(folded, pa.string())
    right = np.array([any(map(str.isalpha, word)) for word in folded], bool)
    for band in spec.bands:
        values = spec.lexicon.get(band.resource, language).look_up(forms)["value"]  # type: ignore[attr-defined]
        inside = pc.and_(pc.greater_equal(values, band.low), pc.less_equal(values, band.high))
        right &= pc.fill_null(inside, False).to_numpy()
    codes = coded.indices.to_numpy()
    will = right[codes]
    total = np.concatenate([[0], np.cumsum(will)])
    chosen = np.flatnonzero(total[matches.token + matches.tokens] - total[matches.token] == matches.tokens)
    begin, size = matches.token[chosen], matches.tokens[chosen]
    most = int(size.max(initial=1))
    joined = forms.take(pa.array(codes[begin]))
    for place in range(1, most):
        more = place < size
        next_words = forms.take(pa.array(codes[np.minimum(begin + place, len(codes) - 1)]))
        longer = pc.binary_join_element_wise(joined, next_words, " ")
        joined = pc.if_else(pa.array(more), longer, joined)
    return joined, chosen


FIND: Stage[FindTask, FindSpec, OccurrenceFile] = Stage(
    name="complexity.select/find", noun="targets", receipt=OccurrenceFile, build=_find, chosen=_chosen, unit="parts"
)
