"""Uses of words in context, for published change tables, drawn from the corpora by one pass over them.

The tables hold no text. Uses are found and assigned to slices as in the training view, so a use that is shown is one
that was counted. Sentences are drawn by a digest of their key and a seed, so neither the order of corpora nor their
parts decide anything. Of every sentence only the columns that are searched for words are read. For
a word and slice no more uses are held than may be shown or, for typical uses, `RESERVOIR` uses drawn
in the same way, from which the most typical are chosen.

How typical a use is of all uses of its word in a slice, published vectors say. The context of a use is what stands
within `WINDOW` words of it in its sentence. Its vector is the mean of these words' unit vectors, each weighted by a /
(a + p), with p the word's relative frequency in the slice and a = 1e-3 (Arora, Liang and Ma 2017): function words count
little. The centroid is the mean of the contexts' unit vectors, over all uses or a sample; the greater the cosine of its
context and the centroid, the more typical is a use.
"""

import heapq
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.change.view.slices import Slice, slice_of
from lexbeam.transforms.change.view.words import ViewOptions, ViewTargets, is_word, load_targets, normalise_word
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.publish.snapshots import Snapshot, open_snapshot
from lexbeam.transforms.common.store.tables import Part, read_rows
from lexbeam.transforms.corpora.annotated_corpora import Corpus, PartPair, find_corpora, place_of
from lexbeam.transforms.corpora.document_reading import (
    FetchedSentence,
    SentenceKey,
    copies,
    fetch,
    fetch_documents,
    held,
)
from lexbeam.transforms.embeddings.published import first_variant, load_space
from lexbeam.transforms.embeddings.spaces import Side, Space, apply, is_sparse

AROUND = 1  # sentences before and after, from which contexts are taken
CONTEXT = 160  # code points before and after, at most

_SPACE = re.compile(r"\s+")


class Concordance(NamedTuple):
    """What stands before a word, the word as it stands in the text, and what stands after it."""

    left: str
    target: str
    right: str


def cut(passage: FetchedSentence, place: int) -> Concordance:
    """Return a token of a passage's sentence in its context.

    The context is cut from the document's text if there is one, else joined from forms, or from lemmas
    without forms. White space becomes one space; contexts begin and end with whole words.

    Args:
        passage: the sentence, with its forms, lemmas and neighbours.
        place: which token of it.
    """
    row = passage.sentence
    if passage.text is not None and passage.start is not None and row.starts and row.ends:
        start, end = row.starts[place] - passage.start, row.ends[place] - passage.start
        left, target, right = passage.text[:start], passage.text[start:end], passage.text[end:]
    else:
        words = row.forms or row.lemmas or []
        before = [word for other in passage.before for word in other.forms or other.lemmas or ()]
        after = [word for other in passage.after for word in other.forms or other.lemmas or ()]
        left, target = " ".join([*before, *words[:place], ""]), words[place]
        right = " ".join(["", *words[place + 1 :], *after])
    left, target, right = (_SPACE.sub(" ", text) for text in (left, target, right))
    if len(left) > CONTEXT:
        left = left[-CONTEXT:].partition(" ")[2] or left[-CONTEXT:]
    if len(right) > CONTEXT:
        right = right[:CONTEXT].rpartition(" ")[0] or right[:CONTEXT]
    return Concordance(left.lstrip(), target, right.rstrip())


WINDOW = 10  # words before and after
FREQUENT = 1e-3

Vector = npt.NDArray[np.float64]


def weighted(space: Space, words: Sequence[str]) -> dict[str, Vector]:
    """Return the weighted unit vectors of the words that a slice's space has; none of a sparse space."""
    if is_sparse(space.vectors):
        return {}
    wanted = set(words)
    rows = [row for row, word in enumerate(space.words) if word in wanted]
    vectors = apply(Side(unit_length=True), space.vectors[rows])
    share = space.counts[rows] / max(space.tokens, 1)
    scaled = vectors * (FREQUENT / (FREQUENT + share))[:, None]
    return {space.words[row]: vector for row, vector in zip(rows, scaled, strict=True)}


def typicality(contexts: Sequence[Sequence[str]], vectors: Mapping[str, Vector]) -> list[float | None]:
    """Return how typical uses are, -1 to 1, by the words around them.

    None if no word around a use has a vector, or if the contexts cancel each other out.
    """
    means = [
        np.mean([vectors[word] for word in words if word in vectors], axis=0)
        if any(word in vectors for word in words)
        else None
        for words in contexts
    ]
    units = [None if mean is None else _unit(mean) for mean in means]
    known = [unit for unit in units if unit is not None]
    centroid = _unit(np.mean(known, axis=0)) if known else None
    if centroid is None:
        return [None] * len(units)
    return [None if unit is None else float(unit @ centroid) for unit in units]


def _unit(vector: Vector) -> Vector | None:
    length = float(np.sqrt((vector * vector).sum()))
    return vector / length if length else None


TYPICAL = "typical"
BY_DATE = "date"
ORDERS: Registry[Entry] = Registry(
    {
        TYPICAL: Entry(doc="the most typical first"),
        "random": Entry(doc="drawn at random"),
        BY_DATE: Entry(doc="the earliest first"),
    },
    what="order of uses",
)
RESERVOIR = 1000  # uses of a word in a slice

Vectors = Callable[[str, Collection[str]], Mapping[str, Vector]]


class Example(NamedTuple):
    """A use of a word.

    Attributes:
        key: its sentence.
        year: of the document, as `author`, `title` and `source` are.
        text: the word in its context.
        typical: cosine of its context and the centroid; None in other orders.
    """

    key: SentenceKey
    year: int
    author: str | None
    title: str | None
    source: str
    text: Concordance
    typical: float | None = None


class Token(NamedTuple):
    """What a token must be: its word, and tags that it must or must not have."""

    word: str
    tag: str | None
    others: list[str]


class Drawing(NamedTuple):
    """Which uses are shown.

    Attributes:
        most: uses of a word in a slice, at most.
        order: key of `ORDERS`; the most typical are those nearest to the centroid.
        seed: of the draw, which also decides between uses of one year.
        each: uses of one document, at most.
    """

    most: int
    order: str = "random"
    seed: int = 0
    each: int = 2


class _Place(NamedTuple):
    """Parts, and the corpus that they are of."""

    corpus: Corpus
    parts: PartPair


class _Drawn(NamedTuple):
    """A use: what orders it, its sentence, the digest of its part, and where it is in it."""

    turn: tuple[float, str]
    key: SentenceKey
    part: str
    place: int
    context: tuple[str, ...] = ()


def token_of(word: str, targets: ViewTargets) -> Token:
    """Return which tokens are `word` in the view; tagged targets are apart from their bare words."""
    for bare, tag, joined in targets.joined:
        if joined == word:
            return Token(bare, tag, [])
    return Token(word, None, [tag for bare, tag, _ in targets.joined if bare == word])


def draw_examples(
    corpora: Sequence[Corpus],
    tokens: Sequence[Token],
    options: ViewOptions,
    slices: Sequence[Slice],
    drawing: Drawing,
    vectors: Vectors | None = None,
) -> list[list[list[Example]]]:
    """Return uses of words, by word and slice, in the order of the drawing; one use per sentence.

    A document that several corpora hold counts in one part, see `lexbeam.transforms.corpora.document_reading`.

    Args:
        options: how the training view was made.
        drawing: which uses, and how many.
        vectors: returns the weighted vectors (`weighted`) of words in a slice, given its
            name; needed for typical uses.

    Raises:
        LexbeamError: a part is damaged.
    """
    places = {parts.sentences.sha256: _Place(corpus, parts) for corpus in reversed(corpora) for parts in corpus.pairs}
    drawn: list[list[list[_Drawn]]] = [[[] for _ in slices] for _ in tokens]
    finder = _Finder(tokens, options)
    for place in places.values():
        part = place.parts.sentences
        for rows, hits_by_token in finder.rows_with(part):
            numbers = _slice_numbers(rows, slices)
            entering = [
                _entering(rows, hits, numbers, by_slice, part, finder, drawing)
                for hits, by_slice in zip(hits_by_token, drawn, strict=True)
            ]
            documents = {use.key.document_id for by_slice in entering for uses in by_slice for use in uses}
            elsewhere = _counted_elsewhere(documents, part, corpora)
            for by_slice, entering_by_slice in zip(drawn, entering, strict=True):
                for number, uses in enumerate(entering_by_slice):
                    counted = [use for use in uses if use.key.document_id not in elsewhere]
                    by_slice[number] = _least([*by_slice[number], *counted], drawing)
    chosen = [
        [_chosen(uses, slice.name, drawing, vectors) for uses, slice in zip(by_slice, slices, strict=True)]
        for by_slice in drawn
    ]
    return _fetched(chosen, places)


class _Finder:
    """Finds tokens in rows of `sentences`; each distinct text is normalised once."""

    def __init__(self, tokens: Sequence[Token], options: ViewOptions) -> None:
        self.tokens = tokens
        self.options = options
        self.unit = "lemmas" if options.unit == "lemma" else "forms"
        self._bare = {word: n for n, word in enumerate(dict.fromkeys(t.word for t in tokens))}
        self._known: dict[str, int] = {}
        tagged = any(token.tag or token.others for token in tokens)
        self.columns = ["document_id", "sentence", "year", self.unit, *(["upos"] * tagged)]

    def rows_with(self, part: Part) -> Iterator[tuple[pa.Table, list[npt.NDArray[np.int64]]]]:
        """Yield row groups, and for each token the (row, place) of its first use in each row."""
        for rows in read_rows([part.path], self.columns):
            column = rows[self.unit].combine_chunks()
            parents = pc.list_parent_indices(column).to_numpy()
            words = self._numbers(column.flatten().dictionary_encode())
            upos = None
            if "upos" in self.columns and rows["upos"].null_count == 0:
                upos = rows["upos"].combine_chunks().flatten()
            yield rows, [self._uses(token, words, upos, parents) for token in self.tokens]

    def _numbers(self, texts: pa.DictionaryArray) -> npt.NDArray[np.int32]:
        distinct = texts.dictionary.to_pylist()
        for text in distinct:
            if text not in self._known:
                self._known[text] = self._bare.get(normalise_word(text, self.options), -1)
        numbers = np.array([self._known[text] for text in distinct], np.int32)
        return np.asarray(numbers[texts.indices.to_numpy()])

    def _uses(
        self, token: Token, words: npt.NDArray[np.int32], upos: pa.StringArray | None, parents: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        hits = words == self._bare[token.word]
        if upos is not None and token.tag:
            hits &= pc.equal(upos, token.tag).to_numpy(False)
        if upos is not None and token.others:
            others = pa.array(token.others, pa.string())
            hits &= ~pc.is_in(upos, value_set=others).to_numpy(False)
        flat = np.flatnonzero(hits)
        rows, first = np.unique(parents[flat], return_index=True)
        return np.stack([rows, flat[first] - np.searchsorted(parents, rows)], axis=1)

    def context(self, words: Sequence[str], place: int) -> tuple[str, ...]:
        """Return the words of the view within `WINDOW` of a token, without its own word."""
        target = normalise_word(words[place], self.options)
        nearby = (*words[max(0, place - WINDOW) : place], *words[place + 1 : place + 1 + WINDOW])
        normalised = (normalise_word(word, self.options) for word in nearby)
        return tuple(word for word in normalised if word != target and is_word(word))


def _slice_numbers(rows: pa.Table, slices: Sequence[Slice]) -> list[int | None]:
    years = rows["year"].to_pylist()
    numbers = {year: slice_of(year, slices) for year in dict.fromkeys(years)}
    return [numbers[year] for year in years]


def _entering(
    rows: pa.Table,
    hits: npt.NDArray[np.int64],
    numbers: Sequence[int | None],
    drawn: Sequence[Sequence[_Drawn]],
    part: Part,
    finder: _Finder,
    drawing: Drawing,
) -> list[list[_Drawn]]:
    """Return by slice the uses that may take the place of those drawn so far."""
    entering: list[list[_Drawn]] = [[] for _ in drawn]
    typical = drawing.order == TYPICAL
    size = RESERVOIR if typical else drawing.most
    taken = rows.select(["document_id", "sentence", "year"]).take(hits[:, 0])
    for (row, place), name, sentence, year in zip(
        hits.tolist(), *(taken[n].to_pylist() for n in taken.column_names), strict=True
    ):
        number = numbers[row]
        if number is None:
            continue
        key = SentenceKey(name, sentence)
        draw = digest([drawing.seed, *key])
        turn = (float(year) if drawing.order == BY_DATE else 0.0, draw)
        if len(drawn[number]) < size or turn < drawn[number][-1].turn:
            context: tuple[str, ...] = ()
            if typical:
                context = finder.context(rows[finder.unit][row].as_py(), place)
            entering[number].append(_Drawn(turn, key, part.sha256, place, context))
    return entering


def _least(drawn: Sequence[_Drawn], drawing: Drawing) -> list[_Drawn]:
    """Return the first uses, sorted: no more than are shown and, unless typical ones are sought, few of a document.

    Surplus uses of a document make room for later ones, never for uses that had no room before: to
    take the first of the first is to take the first of all.
    """
    if drawing.order == TYPICAL:
        return heapq.nsmallest(RESERVOIR, drawn)
    return _few_of_each(sorted(drawn), drawing)


def _few_of_each(drawn: Iterable[_Drawn], drawing: Drawing) -> list[_Drawn]:
    few: list[_Drawn] = []
    of_each: Counter[str] = Counter()
    for use in drawn:
        of_each[use.key.document_id] += 1
        if of_each[use.key.document_id] <= drawing.each:
            few.append(use)
        if len(few) == drawing.most:
            break
    return few


_Chosen = tuple[_Drawn, float | None]


def _chosen(drawn: Sequence[_Drawn], slice_name: str, drawing: Drawing, vectors: Vectors | None) -> list[_Chosen]:
    """Return the uses that are shown, in their order, each with how typical it is."""
    if drawing.order != TYPICAL:
        return [(use, None) for use in drawn]
    assert vectors is not None
    words = {word for use in drawn for word in use.context}
    values = typicality([use.context for use in drawn], vectors(slice_name, words) if words else {})
    known = dict(zip(drawn, values, strict=True))
    scored = [(-value, use) for use, value in known.items() if value is not None]
    order = [use for _, use in sorted(scored)] + [use for use in drawn if known[use] is None]
    return [(use, known[use]) for use in _few_of_each(order, drawing)]


def _counted_elsewhere(documents: Iterable[str], this_part: Part, corpora: Sequence[Corpus]) -> frozenset[str]:
    """Return which documents of a part count in another part."""
    to_read: dict[str, tuple[Part, list[str]]] = {}
    holders = {name: [this_part.sha256] for name in sorted(documents)}
    for corpus in corpora:
        parts = corpus.parts["sentences"]
        for name in holders:
            part = parts[place_of(name, len(parts))]
            if part.sha256 != this_part.sha256:
                to_read.setdefault(part.sha256, (part, []))[1].append(name)
    for part, names in to_read.values():
        for name in held(part, names):
            holders[name].append(part.sha256)
    return frozenset(name for name, parts in holders.items() if copies(parts)[0] != this_part.sha256)


def _fetched(chosen: Sequence[Sequence[Sequence[_Chosen]]], places: Mapping[str, _Place]) -> list[list[list[Example]]]:
    """Return the uses with their texts; a part is read once."""
    by_part: dict[str, list[_Drawn]] = {}
    for use, _ in (scored for by_slice in chosen for uses in by_slice for scored in uses):
        by_part.setdefault(use.part, []).append(use)
    examples: dict[tuple[SentenceKey, int], Example] = {}
    for part, uses_of_part in by_part.items():
        corpus, parts = places[part]
        names = dict.fromkeys(use.key.document_id for use in uses_of_part)
        described = ["source", "author", "title"]
        documents = {row.document_id: row for row in fetch_documents(corpus, names, columns=described)}
        spots: dict[SentenceKey, list[int]] = {}
        for use in uses_of_part:
            spots.setdefault(use.key, []).append(use.place)
        columns = ["year", "forms", "lemmas"]
        for key, passage in fetch(parts, spots, columns=columns, around=AROUND, text=True):
            assert passage is not None  # it was read from this part
            assert passage.sentence.year is not None  # it is in a slice
            about = documents.get(key.document_id)
            for spot in spots[key]:
                examples[key, spot] = Example(
                    key,
                    passage.sentence.year,
                    about and about.author,
                    about and about.title,
                    about.source if about else "",
                    cut(passage, spot),
                )
    return [
        [[examples[use.key, use.place]._replace(typical=value) for use, value in uses] for uses in by_slice]
        for by_slice in chosen
    ]


class UseFacts(TypedDict):
    """What is known of a use, as plain values; `left` and `right` are the text before and after it."""

    slice: str
    year: int
    author: str | None
    title: str | None
    source: str
    left: str
    target: str
    right: str
    document_id: str
    sentence: int
    typical: float | None


class TrainingView(NamedTuple):
    """The part of the training view that is needed to find a word's sentences."""

    options: ViewOptions
    slices: tuple[Slice, ...]
    targets: ViewTargets


def training_view(snapshot: Snapshot) -> TrainingView:
    """Return what the tables were trained on.

    Raises:
        LexbeamError: no change is published there.
    """
    section = snapshot.section("change")
    options = ViewOptions(**section["view"])
    targets = load_targets(section["targets"], options) if section["targets"] else ViewTargets()
    return TrainingView(options, tuple(Slice(*row) for row in section["slices"]), targets)


def corpora_of(snapshot: Snapshot, named: Sequence[str] = ()) -> tuple[list[Snapshot], list[str]]:
    """Return the corpora that uses are taken from, and notes for the reader.

    Args:
        snapshot: with a section `change`.
        named: corpus folders to take instead of those that the tables were made from.

    Raises:
        LexbeamError: a named folder holds no sentences.
    """
    places = [open_snapshot(place) for place in named]
    notes: list[str] = []
    if not places:
        origins = find_corpora(snapshot, "change")
        places, notes = list(origins.places), list(origins.notes)
    for place in places:
        place.paths("sentences")  # to fail before any output
    return places, notes


def uses_of(
    snapshot: Snapshot,
    words: Sequence[str],
    places: Sequence[Snapshot],
    drawing: Drawing,
    only: Collection[str] | None = None,
) -> dict[str, list[UseFacts]]:
    """Return by word its uses, by slice and in the order of the drawing, as plain values.

    Args:
        snapshot: with a section `change`.
        words: words of its training view.
        places: corpora, see `corpora_of`; without any there are no uses.
        drawing: which uses, and how many.
        only: names of slices; None for all.

    Raises:
        LexbeamError: a part of a corpus is damaged.
    """
    if not places or not words:
        return {}
    view = training_view(snapshot)
    slices = [slice for slice in view.slices if only is None or slice.name in only]

    def vectors(slice_name: str, near: Collection[str]) -> Mapping[str, Vector]:
        return _weighted(snapshot, slice_name, near)

    drawn = draw_examples(
        [Corpus.published(place) for place in places],
        [token_of(word, view.targets) for word in words],
        view.options,
        slices,
        drawing,
        vectors,
    )
    return {
        word: [_use(slice.name, example) for slice, examples in zip(slices, of, strict=True) for example in examples]
        for word, of in zip(words, drawn, strict=True)
    }


def _weighted(snapshot: Snapshot, name: str, words: Collection[str]) -> Mapping[str, Vector]:
    """Return weighted vectors of the slice's first seed: those of several are not alike."""
    seed = snapshot.section("change")["seeds"][0]
    rows = snapshot.read("slices", ["slice", "tokens"]).to_pylist()
    tokens = next(row["tokens"] for row in rows if row["slice"] == name)
    space = load_space(snapshot.paths("vectors"), name, seed, tokens, variant=first_variant(snapshot))
    return weighted(space, sorted(words))


def _use(slice_name: str, example: Example) -> UseFacts:
    return {
        "slice": slice_name,
        "year": example.year,
        "author": example.author,
        "title": example.title,
        "source": example.source,
        "left": example.text.left,
        "target": example.text.target,
        "right": example.text.right,
        "document_id": example.key.document_id,
        "sentence": example.key.sentence,
        "typical": example.typical,
    }
