"""Example sentences of a word, drawn from all that hold it by one pass over the corpora.

What draws a sentence is a digest of its key and a seed, so neither the order of corpora nor their
parts decide anything. Only the columns in which the word is looked for are read of every sentence.
"""

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from transforms.change.slicing import Slice, slice_of
from transforms.change.targets import Targets
from transforms.change.words import ViewOptions, normalise_word
from transforms.common.fingerprints import digest
from transforms.common.tables import Part, read_rows
from transforms.corpora.corpus import Corpus, PartPair, place_of
from transforms.corpora.fetching import SentenceKey, fetch, fetch_documents, held
from transforms.corpora.repeated import copies

__all__ = ["Example", "Token", "draw_examples", "token_of"]


class Example(NamedTuple):
    """A sentence with the name of its document's source; `text` has its forms, else lemmas."""

    source: str
    year: int
    text: str


class Token(NamedTuple):
    """What a token must be: its word, and tags that it must or must not have."""

    word: str
    tag: str | None
    others: list[str]


class _Place(NamedTuple):
    """Parts, and the corpus that they are of."""

    corpus: Corpus
    parts: PartPair


class _Drawn(NamedTuple):
    """A sentence by what draws it, and the digest of its part."""

    draw: str
    key: SentenceKey
    part: str


def token_of(word: str, targets: Targets) -> Token:
    """Return which tokens are `word` in the view: a target's tag is not that of its bare word."""
    for bare, tag, joined in targets.joined:
        if joined == word:
            return Token(bare, tag, [])
    return Token(word, None, [tag for bare, tag, _ in targets.joined if bare == word])


def draw_examples(
    corpora: Sequence[Corpus],
    token: Token,
    options: ViewOptions,
    slices: Sequence[Slice],
    *,
    seed: int,
    most: int,
) -> list[list[Example]]:
    """Return sentences that hold a word, of each slice `most` at most, in the order of the draw.

    A document that several corpora hold counts in one part, see `transforms.corpora.repeated`.

    Raises:
        LexbeamError: a part is damaged.
    """
    places = {
        parts.sentences.sha256: _Place(corpus, parts)
        for corpus in reversed(corpora)
        for parts in corpus.pairs
    }
    drawn: list[list[_Drawn]] = [[] for _ in slices]
    known: dict[str, bool] = {}
    for place in places.values():
        part = place.parts.sentences
        for rows in _rows_with(part, token, options, known):
            found = _by_slice(rows, slices)
            away = _counted_elsewhere({name for keys in found for name, _ in keys}, part, corpora)
            for number, keys in enumerate(found):
                new = (
                    _Drawn(digest([seed, *key]), key, part.sha256)
                    for key in keys
                    if key.document_id not in away
                )
                drawn[number] = heapq.nsmallest(most, (*drawn[number], *new))
    texts = _fetched([one for some in drawn for one in some], places)
    return [[texts[one.key] for one in some] for some in drawn]


def _rows_with(
    part: Part, token: Token, options: ViewOptions, known: dict[str, bool]
) -> Iterator[pa.Table]:
    """Yield the keys and years of the sentences that hold a token, a table a row group."""
    unit = "lemmas" if options.unit == "lemma" else "forms"
    tags = ["upos"] if token.tag or token.others else []
    for rows in read_rows([part.path], ["document_id", "sentence", "year", unit, *tags]):
        holding = _holding(rows, unit, token, options, known)
        yield rows.select(["document_id", "sentence", "year"]).take(holding)


def _holding(
    rows: pa.Table, unit: str, token: Token, options: ViewOptions, known: dict[str, bool]
) -> np.ndarray:
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
    return np.unique(parents[hits])


def _by_slice(rows: pa.Table, slices: Sequence[Slice]) -> list[list[SentenceKey]]:
    """Return the keys of sentences by the slice that they are in, without those in none."""
    found: list[list[SentenceKey]] = [[] for _ in slices]
    years = rows["year"].to_pylist()
    numbers = {year: slice_of(year, slices) for year in dict.fromkeys(years)}
    keys = zip(rows["document_id"].to_pylist(), rows["sentence"].to_pylist(), strict=True)
    for year, key in zip(years, keys, strict=True):
        if (number := numbers[year]) is not None:
            found[number].append(SentenceKey(*key))
    return found


def _counted_elsewhere(
    documents: Iterable[str], own: Part, corpora: Sequence[Corpus]
) -> frozenset[str]:
    """Return which documents of a part count in another part."""
    asked: dict[str, tuple[Part, list[str]]] = {}
    holders = {name: [own.sha256] for name in sorted(documents)}
    for corpus in corpora:
        parts = corpus.parts["sentences"]
        for name in holders:
            part = parts[place_of(name, len(parts))]
            if part.sha256 != own.sha256:
                asked.setdefault(part.sha256, (part, []))[1].append(name)
    for part, names in asked.values():
        for name in held(part, names):
            holders[name].append(part.sha256)
    return frozenset(name for name, parts in holders.items() if copies(parts)[0] != own.sha256)


def _fetched(chosen: Sequence[_Drawn], places: Mapping[str, _Place]) -> dict[SentenceKey, Example]:
    """Return what is shown of sentences, by their keys."""
    keys: dict[str, list[SentenceKey]] = {}
    for one in chosen:
        keys.setdefault(one.part, []).append(one.key)
    found = {}
    for part, own in keys.items():
        corpus, parts = places[part]
        documents = dict.fromkeys(key.document_id for key in own)
        rows = fetch_documents(corpus, documents, columns=["source"])
        sources = {row.document_id: row.source for row in rows}
        for key, passage in fetch(parts, own, columns=["year", "forms", "lemmas"]):
            assert passage is not None  # it was read from this part
            row = passage.sentence
            assert row.year is not None  # it is in a slice
            text = " ".join(row.forms or row.lemmas or ())
            found[key] = Example(sources.get(key.document_id, "?"), row.year, text)
    return found
