"""Occurrences of targets: found in parts of `sentences`, picked by draws, and fetched as `complexity/instances`.

Rows are small, without the text of sentences. Each has the target's draw (`number`), by document, sentence and
position, and what decides whether its sentence counts: the hash of the sentence's forms (`content`) and the draw of
this copy (`copy`). Of identical sentences with a target the copy with the smallest draw counts.

    losers = repeated(...)              # of identical sentences one copy counts
    rows = least(table, contexts)       # of a part, or of what is left of several

`least` of several parts is `least` of the remainders of each: if an occurrence is left out of a part, the
part has `contexts` smaller ones of its target. So only the remainders need be shuffled. The quota of a
genre draws anew among all that are left: the draws of these are the smallest of several, the more so the
more frequent their target is, and by them it would take frequent words before others.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.complexity import INSTANCES, instances_schema
from lexbeam.transforms.common.code.fingerprints import hash_of
from lexbeam.transforms.common.draws.by_content import content_hashes, numbers
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.portions import batched
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.batches import BatchReader, BatchWriter
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.staged import Gather, MergeTask, StagedWriter, entries, merge, whole
from lexbeam.transforms.common.store.tables import PartFile, read_rows
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.complexity.instances.labelled_instances import instance_id
from lexbeam.transforms.complexity.select.patterns import PATTERNS, Band, Matches, match
from lexbeam.transforms.corpora.annotated_corpora import PartPair, SentencePart
from lexbeam.transforms.corpora.document_reading import (
    FetchedSentence,
    SentenceKey,
    fetch,
    read_documents,
    sentence_text,
)
from lexbeam.transforms.formats.records.layers import columns_of
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


def find_tasks(
    part: SentencePart, genres: Mapping[str, str | None], copies: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, FindTask]]:
    """Yield the task of a part, by its SHA-256.

    Args:
        part: of `sentences`.
        genres: by SHA-256 of a part, the genre of its documents; None for their own.
        copies: by SHA-256 of a part, the documents that count in another.
    """
    yield part.sha256, FindTask(part, tuple(copies.get(part.sha256, ())), genres[part.sha256])


@dataclass(frozen=True, kw_only=True)
class FindTargets(Step[FindTask, OccurrenceFile]):
    """Find the targets of a part of `sentences`.

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

    name = "complexity.select/find"
    noun = "targets"
    unit = "parts"

    def make(self, artefact: Artefact, task: FindTask) -> OccurrenceFile:
        """Write occurrences, and count them and the sentences."""
        sentences: Counter[str] = Counter()
        targets: Counter[tuple[str | None, str]] = Counter()
        columns = ["document_id", "sentence", "genre", "language", "forms", "upos"]
        columns += ["xpos"] if self.fine else []
        batches = rows = 0
        with artefact.writing(".arrow") as stream, BatchWriter(stream, OCCURRENCE) as writer:
            for table in read_rows([checked(task.part)], columns):
                for batch in occurrences(table, task, self, sentences):
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

    def chosen(self, _: FindTask) -> Mapping[str, Collection[str]]:
        """Return the patterns."""
        return {"lexbeam.transforms.complexity.select.patterns:PATTERNS": self.patterns}


def occurrences(table: pa.Table, task: FindTask, find: FindTargets, counts: Counter[str]) -> Iterator[pa.RecordBatch]:
    """Yield batches of `OCCURRENCE`, one for each language that has any.

    Args:
        table: rows of `sentences`.
        task: documents that are left out, and genre.
        find: how targets are searched.
        counts: all sentences, and those left out by reason, are added to it.
    """
    if task.left_out:
        copies = pc.is_in(table["document_id"], value_set=pa.array(task.left_out, pa.string()))
        table = table.filter(pc.invert(copies))
    counts["sentences"] += table.num_rows
    table = _usable(table, find, counts)
    languages = _languages(table["language"], find.language)
    for language in sorted(pc.unique(languages).to_pylist()):
        patterns = [PATTERNS[name] for name in find.patterns if PATTERNS[name].language == language]
        rows = table.filter(pc.equal(languages, language)).combine_chunks()
        if not patterns:
            counts["no_pattern" if language else "no_language"] += rows.num_rows
            continue
        upos, xpos = _only(rows["upos"]), _only(rows["xpos"]) if find.fine else None
        matches = match(upos, xpos, patterns, proper=find.proper, plural=find.plural)
        batch = _batch(rows, matches, task, find, language)
        if batch.num_rows:
            yield batch


def _languages(column: pa.ChunkedArray, unknown: str | None) -> pa.Array:
    """Return tags as patterns have them: `en` for `eng` and `en-GB`; an empty text for none."""
    coded = _only(pc.fill_null(column, unknown or "")).dictionary_encode()
    return pa.array(map(short_tag, coded.dictionary.to_pylist()), pa.string()).take(coded.indices)


def _usable(table: pa.Table, find: FindTargets, counts: Counter[str]) -> pa.Table:
    """Return the sentences that are searched, and count the others."""
    upos = pc.fill_null(pc.list_value_length(table["upos"]), -1).to_numpy()
    forms = pc.fill_null(pc.list_value_length(table["forms"]), -1).to_numpy()
    longest = find.longest if find.longest is not None else np.iinfo(np.int32).max
    left = np.ones(table.num_rows, bool)
    for reason, mask in {
        "no_forms": forms < 0,
        "no_upos": upos < 0,
        "short": forms < find.shortest,
        "long": forms > longest,
    }.items():
        counts[reason] += int((left & mask).sum())
        left &= ~mask
    return table.filter(pa.array(left))


def _only(column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks()
    return array.chunk(0) if isinstance(array, pa.ChunkedArray) else array


def _batch(rows: pa.Table, matches: Matches, task: FindTask, find: FindTargets, language: str) -> pa.RecordBatch:
    words = _only(rows["forms"]).flatten()
    target, chosen = _targets(words, matches, find, language)
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
    copy = numbers(sentence_hash, seed=find.seed, label=COPIES)
    position = matches.position[chosen]
    drawn = numbers(content_hashes(sentence_hash[back], position), seed=find.seed, label=OCCURRENCES)
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
    words: pa.Array, matches: Matches, find: FindTargets, language: str
) -> tuple[pa.Array, npt.NDArray[np.int64]]:
    """Return case-folded targets, and the matches they come from: all their words are allowed."""
    coded = words.dictionary_encode()
    folded = [word.casefold() for word in coded.dictionary.to_pylist()]
    forms = pa.array(folded, pa.string())
    right = np.array([any(map(str.isalpha, word)) for word in folded], bool)
    for band in find.bands:
        values = find.lexicon.get(band.resource, language).look_up(forms)["value"]  # type: ignore[attr-defined]
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


QUOTAS = "complexity/quotas"  # label of the draw of a genre; that of a target is `OCCURRENCES`

Hashes = npt.NDArray[np.uint64]


class TargetOccurrence(NamedTuple):
    """A target that may be taken.

    Attributes:
        document_id: its document.
        sentence: ordinal of its sentence.
        position: place of its first token there.
        tokens: how many it has.
        kind: kind of instance.
        genre: its genre, if any.
        part: SHA-256 of the part of `sentences` that holds it.
    """

    document_id: str
    sentence: int
    position: int
    tokens: int
    kind: str
    genre: str | None
    part: str


class Copies(NamedTuple):
    """Sentences with targets: uint64 hashes of their forms, and what these copies draw."""

    content: Hashes
    copy: Hashes


def copies_of(occurrences: OccurrenceFile) -> Copies:
    """Return the distinct sentences with targets of a part, sorted by content."""
    pairs = [np.empty((0, 2), np.uint64)]
    with BatchReader() as reader:
        for ordinal in range(occurrences.batches):
            batch = reader.read(occurrences.file, ordinal)
            columns = [batch["content"].to_numpy(), batch["copy"].to_numpy()]
            pairs.append(np.unique(np.stack(columns, axis=1), axis=0))
    whole = np.unique(np.concatenate(pairs), axis=0)
    return Copies(whole[:, 0], whole[:, 1])


def shares(copies: Copies, number: int) -> Iterator[tuple[int, Copies]]:
    """Yield the shares that hashes of forms are dealt into, 0 to `number` - 1, with their rows."""
    share_of = copies.content % np.uint64(number)
    for share in np.unique(share_of).tolist():
        rows = share_of == share
        yield share, Copies(copies.content[rows], copies.copy[rows])


def repeated(parts: Sequence[tuple[str, Copies]]) -> dict[str, Hashes]:
    """Return, by part, the copies that do not count, sorted; parts without any are left out.

    Args:
        parts: names of parts, with their sentences; copies of one sentence must all be among them.
    """
    parts = sorted(parts, key=itemgetter(0))
    content = np.concatenate([np.empty(0, np.uint64), *(copies.content for _, copies in parts)])
    copy = np.concatenate([np.empty(0, np.uint64), *(copies.copy for _, copies in parts)])
    part = np.repeat(np.arange(len(parts)), [len(copies.copy) for _, copies in parts])
    order = np.lexsort((copy, content))
    again = np.zeros(len(order), bool)
    again[1:] = content[order][1:] == content[order][:-1]
    lost = order[again]
    by_part = ((name, np.sort(copy[lost[part[lost] == n]])) for n, (name, _) in enumerate(parts))
    return {name: copies for name, copies in by_part if len(copies)}


def pick(occurrences: OccurrenceFile, lost: Hashes, contexts: int) -> pa.Table:
    """Return the rows of a part that may be taken, batch by batch; see `least`.

    Args:
        occurrences: its occurrences.
        lost: copies of sentences that do not count.
        contexts: see `least`.
    """
    held = OCCURRENCE.empty_table()
    with BatchReader() as reader:
        for ordinal in range(occurrences.batches):
            batch = pa.Table.from_batches([reader.read(occurrences.file, ordinal)])
            batch = batch.filter(pa.array(~np.isin(batch["copy"].to_numpy(), lost)))
            held = least(pa.concat_tables([held, batch]), contexts).combine_chunks()
    return held


def least(table: pa.Table, contexts: int) -> pa.Table:
    """Return the occurrences of each target with the smallest draws.

    Args:
        table: rows of `OCCURRENCE`.
        contexts: most rows of a target, kind and genre.
    """
    drawn = table["number"].to_numpy()
    kind, genre, target = (_codes(table[name]) for name in ("kind", "genre", "target"))
    group = (kind * (genre.max(initial=0) + 1) + genre) * (target.max(initial=0) + 1) + target
    order = np.lexsort((drawn, group))
    grouped = group[order]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - np.searchsorted(grouped, grouped)
    return table.filter(pa.array(place < contexts))


def _codes(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    codes: npt.NDArray[np.int64] = pc.rank(column, tiebreaker="dense").to_numpy().astype(np.int64)
    return codes


def occurrences_of(rows: pa.Table, part: str) -> Iterator[tuple[str, TargetOccurrence]]:
    """Yield case-folded targets with their occurrences."""
    names = ["document_id", "sentence", "position", "tokens", "kind", "genre", "target"]
    for *values, target in zip(*(rows[name].to_pylist() for name in names), strict=True):
        document_id, sentence, position, tokens, kind, genre = values
        yield target, TargetOccurrence(document_id, sentence, position, tokens, kind, genre, part)


_BATCH = 256  # instances
COLUMNS = ("forms", "lemmas", "upos", "genre", "language")


class FetchTask(NamedTuple):
    """What is fetched from a part of a corpus: targets, whose sentences it must all hold."""

    pair: PartPair
    chosen: tuple[TargetOccurrence, ...]


@dataclass(frozen=True)
class FetchedInstances:
    """Receipt: the staged instances."""

    file: Staged


def fetch_tasks(
    part: str, chosen: tuple[TargetOccurrence, ...], pairs: Mapping[str, PartPair]
) -> Iterator[tuple[str, FetchTask]]:
    """Yield the task of a part, by its SHA-256: the pair that it is of, and what is taken of it."""
    yield part, FetchTask(pairs[part], chosen)


@dataclass(frozen=True)
class FetchInstances(Step[FetchTask, FetchedInstances]):
    """Fetch the sentences of what is taken of a part of a corpus.

    Attributes:
        layers: that are carried over.
        language: that of sentences that name none.
    """

    layers: tuple[str, ...]
    language: str | None

    name = "complexity.select/fetch"
    noun = "targets"
    unit = "parts"

    def make(self, artefact: Artefact, task: FetchTask) -> FetchedInstances:
        """Stage the instances."""
        by_sentence: dict[SentenceKey, list[TargetOccurrence]] = {}
        for occurrence in sorted(task.chosen, key=attrgetter("document_id", "sentence", "position", "kind")):
            by_sentence.setdefault(SentenceKey(occurrence.document_id, occurrence.sentence), []).append(occurrence)
        schema = instances_schema(columns_of(self.layers))
        names = dict.fromkeys(key.document_id for key in by_sentence)
        sources = {row.document_id: row.source for row in read_documents(task.pair.documents, ["source"], names)}
        with artefact.writing(".arrow") as stream, StagedWriter(stream, schema) as writer:
            # What is done with a batch takes about as long for one row.
            for rows in batched(_rows(task, by_sentence, sources, self), _BATCH):
                ids = [row["instance_id"] for row in rows]
                ones = [1] * len(rows)
                batch = pa.RecordBatch.from_pylist(rows, schema=schema)
                writer.add_entries(list(map(hash_of, ids)), ids, [0] * len(rows), ones, batch)
        return FetchedInstances(writer.file(artefact.file(".arrow")))


def _rows(
    task: FetchTask,
    by_sentence: Mapping[SentenceKey, Sequence[TargetOccurrence]],
    sources: Mapping[str, str],
    of: FetchInstances,
) -> Iterator[dict[str, Any]]:
    columns = (*COLUMNS, "starts", "ends", *of.layers)
    for key, passage in fetch(task.pair, by_sentence, columns=columns, text=True):
        if passage is None:
            raise LexbeamError(
                f"{task.pair.sentences.path}: sentence {key.sentence} of document "
                f"{key.document_id} is gone: make the corpus again with `overwrite`"
            )
        for occurrence in by_sentence[key]:
            yield instance_of(occurrence, passage, sources[key.document_id], of.language)


def instance_of(
    occurrence: TargetOccurrence, passage: FetchedSentence, source: str, unknown: str | None
) -> dict[str, Any]:
    """Return the row of `complexity/instances` that a target is.

    The sentence is the document's text from its first form to its last, with every white space made a
    space; without text, its forms joined by spaces. The source's id, which enters the instance's, is
    `document_id:sentence`. `unknown` is the language of a sentence that names none.
    """
    row = passage.sentence
    sentence, start, end = _in_text(occurrence, passage)
    token = sentence[start:end]
    language = row.language or unknown
    source_id = f"{occurrence.document_id}:{occurrence.sentence}"
    return {
        "instance_id": instance_id(
            kind=occurrence.kind,
            genre=occurrence.genre,
            sentence=sentence,
            token=token,
            start=start,
            source_id=source_id,
        ),
        "kind": occurrence.kind,
        "token": token,
        "genre": occurrence.genre,
        "language": language and short_tag(language),
        "sentence": sentence,
        "start": start,
        "end": end,
        "forms": row.forms,
        "lemmas": row.lemmas,
        "upos": row.upos,
        "position": occurrence.position,
        "tokens": occurrence.tokens,
        "source": source,
        "source_id": source_id,
        "document_id": occurrence.document_id,
        "sentence_number": occurrence.sentence,
        "flags": [],
        "duplicate_of": None,
        "published_split": None,
        **(passage.layers or {}),
    }


def _in_text(occurrence: TargetOccurrence, passage: FetchedSentence) -> tuple[str, int, int]:
    """Return a sentence, and where the target begins and ends in it."""
    row = passage.sentence
    assert row.forms is not None
    line = sentence_text(row.forms, row.starts, row.ends, passage.text, passage.start or 0)
    first, last = occurrence.position, occurrence.position + occurrence.tokens - 1
    return line.text, line.starts[first], line.ends[last]


@dataclass(frozen=True)
class MergeInstances(Step[MergeTask, PartFile]):
    """Merge staged instances, with their layers, into a part of the table."""

    layers: tuple[str, ...]

    name = "complexity.select/merge"
    noun = "tables"
    unit = "parts"

    def make(self, artefact: Artefact, task: MergeTask) -> PartFile:
        """Write the part."""
        with entries(task.staged, task.parts, task.bucket) as found:
            return merge(artefact, INSTANCES, whole(found), instances_schema(columns_of(self.layers)))


GATHER = Gather("complexity.select")
