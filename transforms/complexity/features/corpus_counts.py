"""Features of a named reference corpus: uses, documents and dispersion of words, association; and how it is counted.

Counts in the instances themselves are not a feature: they mirror how instances were chosen.

WantWords      a part of the instances -> what must be counted for it
CountWords     a part of `sentences`, and what is wanted -> counts by document
CombineWords   the counts of all parts -> counts, documents, dispersion

Only what the instances need is counted, in lower case, with straight apostrophes: forms, lemmas, and
expressions as runs of forms within a sentence. Dispersion is Gries' deviation of proportions (2008), the
documents being the parts of the corpus: with s the share of the corpus that a document is, and v the share of
a word's uses that it has,

    DP = 1/2 * sum of |v - s| over all documents
       = 1/2 * (1 + sum of |v - s| - s over those that have the word)

0: a word is spread as evenly as can be; near 1: all its uses are in a small document.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import Part, read_rows, read_table, write_rows
from lexbeam.transforms.common.texts.characters import straight, straight_words
from lexbeam.transforms.complexity.features.base import (
    READ,
    CorpusCounts,
    DistinctWordForms,
    Feature,
    FeatureGroup,
    FeatureSetting,
    Floats,
    InstanceBatch,
    Values,
    batch_of,
)
from lexbeam.transforms.corpora.annotated_corpora import SentencePart
from lexbeam.transforms.lexicon.compiled.word_keys import coded

FORM, LEMMA, PHRASE = "form", "lemma", "phrase"
WANTED = pa.schema([("kind", pa.string()), ("text", pa.large_string())])
# A row is a word in a document.
COUNTED = pa.schema([*WANTED, ("uses", pa.int64()), ("tokens", pa.int64())])
COUNTS = pa.schema([*WANTED, ("uses", pa.int64()), ("documents", pa.int64()), ("dispersion", pa.float64())])


def wanted_of(instances: pa.Table) -> pa.Table:
    """Return what must be counted for instances: their words, lemmas, expressions."""
    batch = batch_of(instances)
    wanted: set[tuple[str, str]] = set()
    for words in batch.words:
        wanted.update((FORM, straight(text)) for text in words.lower.to_pylist())
        wanted.update((LEMMA, straight(text.lower())) for text in words.lemmas.to_pylist())
    tokens = batch.rows["token"].to_pylist()
    for row in np.flatnonzero(batch.mwe).tolist():
        wanted.add((PHRASE, phrase_of(tokens[row])))
        wanted.update((FORM, word) for word in phrase_of(tokens[row]).split())
    rows = sorted(wanted)
    return pa.table([[kind for kind, _ in rows], [text for _, text in rows]], schema=WANTED)


def phrase_of(token: str) -> str:
    """Return an expression as counted: in lower case, with straight apostrophes, one space between its words."""
    return " ".join(straight(token.lower()).split())


class _Seen(NamedTuple):
    kind: str
    code: np.ndarray
    document: np.ndarray
    uses: np.ndarray


def counted(sentences: Iterable[pa.Table], wanted: pa.Table) -> tuple[pa.Table, int, int]:
    """Count wanted words in sentences, by document.

    Args:
        sentences: tables of `document_id`, `forms` and `lemmas`, a document's rows in one run.
        wanted: distinct rows of `WANTED`.

    Returns:
        Rows of `COUNTED`, the tokens and the documents.
    """
    texts = {
        kind: wanted.filter(pc.equal(wanted["kind"], kind))["text"].combine_chunks() for kind in (FORM, LEMMA, PHRASE)
    }
    number: dict[str, int] = {}
    sizes: list[int] = []
    seen: list[_Seen] = []
    for rows in sentences:
        names, places = coded(rows["document_id"])
        numbers = np.array([number.setdefault(name, len(number)) for name in names.to_pylist()])
        sizes += [0] * (len(number) - len(sizes))
        if not len(numbers):
            continue
        forms, owners = _flat(rows, "forms")
        documents = numbers[places]
        lengths = np.bincount(documents[owners], minlength=len(number)).tolist()
        sizes = [a + b for a, b in zip(sizes, lengths, strict=True)]
        seen.append(_matched(FORM, forms, documents[owners], texts[FORM]))
        runs, first = _phrases(forms, owners, texts[PHRASE])
        seen.append(_matched(PHRASE, runs, documents[owners[first]], texts[PHRASE]))
        lemmas, owners = _flat(rows, "lemmas")
        seen.append(_matched(LEMMA, lemmas, documents[owners], texts[LEMMA]))
    table = pa.concat_tables([COUNTED.empty_table(), *(_rows(kind, seen, texts[kind], sizes) for kind in texts)])
    return table, sum(sizes), len(sizes)


def _flat(rows: pa.Table, name: str) -> tuple[pa.Array, np.ndarray]:
    """Return the words of all sentences as they are counted, and the sentence of each."""
    lists = rows[name].combine_chunks()
    flat = straight_words(pc.utf8_lower(pc.list_flatten(lists)).cast(pa.large_string()))
    return flat, pc.list_parent_indices(lists).to_numpy().astype(np.int64)


def _matched(kind: str, words: pa.Array, documents: np.ndarray, texts: pa.Array) -> _Seen:
    codes = pc.index_in(words, value_set=texts)
    there = pc.is_valid(codes).to_numpy(zero_copy_only=False)
    code = codes.filter(pa.array(there)).to_numpy().astype(np.int64)
    document = documents[there]
    most = int(document.max(initial=0)) + 1
    pairs, uses = np.unique(code * most + document, return_counts=True)
    return _Seen(kind, pairs // most, pairs % most, uses)


def _phrases(forms: pa.Array, owners: np.ndarray, texts: pa.Array) -> tuple[pa.Array, np.ndarray]:
    """Return runs of forms that may be a wanted expression, and where each begins."""
    runs, begins = [pa.array([], pa.large_string())], [np.empty(0, np.int64)]
    split = [text.split(" ") for text in texts.to_pylist()]
    space = pa.scalar(" ", pa.large_string())
    for size in sorted({len(words) for words in split}):
        first = pa.array(sorted({words[0] for words in split if len(words) == size}), pa.large_string())
        mask = pc.is_in(forms, value_set=first).to_numpy(zero_copy_only=False).astype(bool)
        start = np.flatnonzero(mask)
        start = start[start + size <= len(owners)]
        start = start[owners[start] == owners[start + size - 1]]
        columns = [forms.take(pa.array(start + step)) for step in range(size)]
        runs.append(pc.binary_join_element_wise(*columns, space))
        begins.append(start)
    return pa.concat_arrays(runs), np.concatenate(begins)


def _rows(kind: str, seen: Sequence[_Seen], texts: pa.Array, sizes: Sequence[int]) -> pa.Table:
    matches = [match for match in seen if match.kind == kind]
    if not matches:
        return COUNTED.empty_table()
    code = np.concatenate([match.code for match in matches])
    document = np.concatenate([match.document for match in matches])
    uses = np.concatenate([match.uses for match in matches])
    most = max(len(sizes), 1)
    pairs, places = np.unique(code * most + document, return_inverse=True)
    total = np.bincount(places.ravel(), uses, minlength=len(pairs)).astype(np.int64)
    tokens = np.array(sizes, np.int64)[pairs % most]
    return pa.table([pa.repeat(kind, len(pairs)), texts.take(pa.array(pairs // most)), total, tokens], schema=COUNTED)


def combined(rows: pa.Table, tokens: int) -> pa.Table:
    """Return `COUNTS` of rows of `COUNTED` of a whole corpus, sorted by kind and text.

    Args:
        rows: of any parts, in any order.
        tokens: number of tokens in the corpus.
    """
    keys = ["kind", "text", "uses", "tokens"]
    rows = rows.sort_by([(key, "ascending") for key in keys]).combine_chunks()
    kinds, kind = coded(rows["kind"])
    texts, text = coded(rows["text"])
    pairs, first, owner = np.unique(kind * (len(texts) + 1) + text, return_index=True, return_inverse=True)
    owner = owner.ravel()
    uses = rows["uses"].to_numpy().astype(float)
    share = rows["tokens"].to_numpy() / max(tokens, 1)
    total = np.bincount(owner, uses, minlength=len(pairs))
    use_share = uses / total[owner] if len(uses) else uses
    gaps = np.bincount(owner, np.abs(use_share - share) - share, minlength=len(pairs))
    counts = pa.table(
        [
            kinds.take(pa.array(kind[first])).cast(pa.string()),
            texts.take(pa.array(text[first])),
            total.astype(np.int64),
            np.bincount(owner, minlength=len(pairs)),
            np.clip((1 + gaps) / 2, 0, 1),
        ],
        schema=COUNTS,
    )
    return counts.sort_by([("kind", "ascending"), ("text", "ascending")])


@dataclass(frozen=True)
class Wanted:
    """Receipt: what must be counted for a part of the instances."""

    file: File


@dataclass(frozen=True)
class CountedWords:
    """Receipt: counts, in a part of a corpus or in all of it, with its tokens and documents."""

    file: File
    tokens: int
    documents: int


class CountTask(NamedTuple):
    """A part of `sentences`, and what to count in it."""

    part: SentencePart
    wanted: tuple[File, ...]


def _write(artefact: Artefact, schema: pa.Schema, rows: pa.Table) -> File:
    with artefact.writing(".parquet") as stream:
        write_rows(stream, schema, [rows])
    return artefact.file(".parquet")


def _union(tables: Iterable[pa.Table]) -> pa.Table:
    whole = pa.concat_tables([WANTED.empty_table(), *tables])
    distinct = pa.TableGroupBy(whole, WANTED.names).aggregate([])
    return distinct.sort_by([(name, "ascending") for name in WANTED.names])


@dataclass(frozen=True)
class WantWords(Step[Part, Wanted]):
    """List what must be counted for a part of the instances."""

    name = "complexity/want"
    noun = "counts of words"
    unit = "lists of words"

    def make(self, artefact: Artefact, task: Part) -> Wanted:
        """Write the list."""
        rows = _union(wanted_of(rows) for rows in read_rows([checked(task)], list(READ)))
        return Wanted(_write(artefact, WANTED, rows))


def count_tasks(part: SentencePart, wanted: Iterable[tuple[int, Wanted]]) -> Iterator[tuple[int, CountTask]]:
    """Yield the task of a part of `sentences`: what all parts of the instances want."""
    yield 0, CountTask(part, tuple(sorted((of.file for _, of in wanted), key=attrgetter("sha256"))))


@dataclass(frozen=True)
class CountWords(Step[CountTask, CountedWords]):
    """Count in a part of a corpus."""

    name = "complexity/count"
    noun = "counts of words"
    unit = "parts of the corpus"

    def make(self, artefact: Artefact, task: CountTask) -> CountedWords:
        """Write the counts by document."""
        wanted = _union([read_table([checked(file) for file in task.wanted])])
        columns = ["document_id", "forms", "lemmas"]
        rows, tokens, documents = counted(read_rows([checked(task.part)], columns), wanted)
        return CountedWords(_write(artefact, COUNTED, rows), tokens, documents)


@dataclass(frozen=True)
class CombineWords(Step[Sequence[CountedWords], CountedWords]):
    """Combine the counts of all parts of a corpus."""

    name = "complexity/combine"
    noun = "counts of words"
    unit = "tables"

    def make(self, artefact: Artefact, task: Sequence[CountedWords]) -> CountedWords:
        """Write counts, documents and dispersion."""
        tokens = sum(part.tokens for part in task)
        rows = read_table([checked(part.file) for part in task])
        documents = sum(part.documents for part in task)
        return CountedWords(_write(artefact, COUNTS, combined(rows, tokens)), tokens, documents)


def open_counts(counted: CountedWords) -> CorpusCounts:
    """Return the counts of a corpus, read into memory."""
    return CorpusCounts(read_table([checked(counted.file)]), counted.tokens, counted.documents)


def _columns(_: FeatureSetting) -> Sequence[Feature]:
    def of(name: str, doc: str, range: str, unit: str, source: str = "the corpus", each: bool = True) -> Feature:
        return Feature(name, doc, range, unit, source, each=each, needs_corpus=True)

    zipf, share = "Zipf", "share"
    return (
        of("corpus_zipf", "log10 of uses in 10^9 tokens of the corpus; null without any", "0 to 9", zipf),
        of("corpus_zipf_lemma", "the same of its lemma, where the corpus has lemmas", "0 to 9", zipf),
        of(
            "corpus_documents",
            "share of the corpus's documents that have the word",
            "0 to 1",
            share,
            "contextual diversity (Adelman et al. 2006)",
        ),
        of("corpus_dispersion", "deviation of proportions over documents, 0: even", "0 to 1", share, "Gries (2008)"),
        of(
            "phrase_corpus_zipf",
            "log10 of an expression's uses in 10^9 tokens, one added to its uses",
            "0 to 9",
            zipf,
            each=False,
        ),
        of("phrase_corpus_documents", "share of documents that have the expression", "0 to 1", share, each=False),
        of(
            "phrase_pmi",
            "pointwise mutual information of its first and last word, as far as they stand together in it",
            "any number",
            "bits",
            "Church and Hanks (1990)",
            each=False,
        ),
        of(
            "phrase_likelihood",
            "signed square root of the log-likelihood ratio of the same",
            "any number",
            "root of G2",
            "Dunning (1993)",
            each=False,
        ),
    )


def _of_words(words: DistinctWordForms, setting: FeatureSetting) -> Values:
    counts = setting.counts
    assert counts is not None  # the group needs a corpus
    uses, documents, dispersion = counts.look_up(FORM, words.lower)
    lemmas, _, _ = counts.look_up(LEMMA, pc.utf8_lower(words.lemmas))
    return {
        "corpus_zipf": _zipf(uses, counts.tokens),
        "corpus_zipf_lemma": _zipf(lemmas, counts.tokens),
        "corpus_documents": documents / max(counts.documents, 1),
        "corpus_dispersion": dispersion,
    }


def _zipf(uses: Floats, tokens: int) -> Floats:
    with np.errstate(divide="ignore"):
        zipf = np.log10(uses / max(tokens, 1)) + 9
    return np.where(uses > 0, zipf, np.nan)


def _of_instances(batch: InstanceBatch, setting: FeatureSetting) -> Values:
    counts = setting.counts
    assert counts is not None  # the group needs a corpus
    tokens = batch.rows["token"].to_pylist()
    phrases = pa.array([phrase_of(text) for text in tokens], pa.large_string())
    uses, documents, _ = counts.look_up(PHRASE, phrases)
    lower = pa.concat_arrays([words.lower for words in batch.words])
    words, _, _ = counts.look_up(FORM, lower)
    associated = association(uses, words[batch.first], words[batch.last], counts.tokens)
    values = {
        "phrase_corpus_zipf": _zipf(uses + 1, counts.tokens),
        "phrase_corpus_documents": documents / max(counts.documents, 1),
        "phrase_pmi": associated.pmi,
        "phrase_likelihood": np.sign(associated.likelihood) * np.sqrt(np.abs(associated.likelihood)),
    }
    return {name: np.where(batch.mwe, column, np.nan) for name, column in values.items()}


class Association(NamedTuple):
    """How strongly two words are associated: pointwise mutual information, log-likelihood ratio."""

    pmi: Floats
    likelihood: Floats


def association(both: Floats, first: Floats, last: Floats, tokens: int) -> Association:
    """Return how much more often words occur together than by chance.

    The pairs of a corpus are taken to be as many as its tokens. Pointwise mutual information is
    log2(both * N / (first * last)) (Church and Hanks 1990), NaN where they never stand together.
    The log-likelihood ratio is G2 of the table of two by two (Dunning 1993), negative where they
    stand together less often than by chance.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        pmi = np.log2(both * tokens / (first * last))
    cells = np.array([both, first - both, last - both, tokens - first - last + both])
    cells = np.maximum(cells, 0)
    rows, columns = cells[0] + cells[1], cells[0] + cells[2]
    total = np.maximum(cells.sum(axis=0), 1)
    expected = (
        np.array(
            [rows * columns, rows * (total - columns), (total - rows) * columns, (total - rows) * (total - columns)]
        )
        / total
    )
    ratio = np.divide(cells, expected, out=np.ones_like(cells), where=(cells > 0) & (expected > 0))
    g2 = 2 * (cells * np.log(ratio)).sum(axis=0)
    known = (first > 0) & (last > 0)
    return Association(
        np.where(both > 0, pmi, np.nan), np.where(known, np.where(cells[0] >= expected[0], g2, -g2), np.nan)
    )


CORPUS = FeatureGroup(
    _columns,
    of_words=_of_words,
    of_instances=_of_instances,
    needs="corpus",
    doc="a reference corpus: uses, documents, dispersion, association",
)
