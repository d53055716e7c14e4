"""Features and groups of features, what a group computes from, and the words that make up targets.

A group of words computes a value once for each distinct word of a language; `groups.py` gives it to
every instance that has the word. A group of instances computes a value for each instance. Numbers are
float64, NaN for missing ones; flags are bool.
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.code.registry import Entry
from lexbeam.transforms.common.texts.characters import straight_words
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.lexicon.compiled.word_keys import coded
from lexbeam.transforms.lexicon.resources import Lexicon

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Values = Mapping[str, npt.NDArray[Any]]


# The columns of `complexity/instances` that features are computed from: no label, no source's id, no order.
READ = (
    "instance_id",
    "kind",
    "token",
    "genre",
    "language",
    "sentence",
    "forms",
    "lemmas",
    "upos",
    "start",
    "end",
    "position",
    "tokens",
)


# Layers of the annotation that are read if the instances have them.
LAYERS = ("heads", "deprels", "entities")


FLAG = "flag"
UNIT_OF_LIST = "as the list"


class Feature(NamedTuple):
    """A column of features.

    Attributes:
        name: of the column.
        doc: what it is.
        range: what values it takes.
        unit: of the values; of a flag `FLAG`, of a word list's values `UNIT_OF_LIST`.
        source: paper, package or resource that it is based on.
        whole: the value of an expression, from its two words: the `mean` of what is known, `both` (a
            flag that holds for both), or the value of the `last`, for codes.
        each: whether each word of an expression has it, too, if its group is of words.
        needs_corpus: whether a reference corpus must be named.
        languages: those that it is known for; None: any, or those of the resource.
        of: `whole`, or the `first` or `last` word of an expression that it is of.
        dim: components of a vector, a list; 0: it is a number or a flag.
        layer: the layer of the annotation without which it is known of nothing; empty for none.
    """

    name: str
    doc: str
    range: str
    unit: str
    source: str = "the text"
    whole: str = "mean"
    each: bool = True
    needs_corpus: bool = False
    languages: tuple[str, ...] | None = None
    of: str = "whole"
    dim: int = 0
    layer: str = ""


class CorpusCounts(NamedTuple):
    """The counts of words in a reference corpus.

    Attributes:
        table: rows of `corpus_counts.COUNTS`.
        tokens: of the corpus.
        documents: of the corpus.
    """

    table: pa.Table
    tokens: int
    documents: int

    def look_up(self, kind: str, texts: pa.Array) -> tuple[Floats, Floats, Floats]:
        """Return uses and documents (0 for unknown texts) and dispersion (NaN) of texts."""
        of_kind = self.table.filter(pc.equal(self.table["kind"], kind))
        place = pc.index_in(straight_words(texts.cast(pa.large_string())), value_set=of_kind["text"].combine_chunks())

        def values(name: str) -> Iterator[Floats]:
            column = of_kind[name].combine_chunks().cast(pa.float64()).take(place)
            yield column.to_numpy(zero_copy_only=False).astype(float, copy=True)

        uses, documents = (np.nan_to_num(next(values(name))) for name in ("uses", "documents"))
        return uses, documents, next(values("dispersion"))


class NgramCounts(NamedTuple):
    """The counts of n-grams.

    Attributes:
        keys: ascending.
        uses: of each.
        of_instances: whether each language was counted for itself, in the instances' own sentences.
    """

    keys: npt.NDArray[np.uint64]
    uses: Ints
    of_instances: bool

    def look_up(self, keys: npt.NDArray[np.uint64]) -> Ints:
        """Return the counts of keys, in their shape; 0 for unknown keys."""
        if not len(self.keys):
            return np.zeros(keys.shape, np.int64)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.uses[place], 0)


class FeatureSetting(NamedTuple):
    """Groups and resources that features are computed with.

    Attributes:
        use: names of groups, in the order of the columns.
        lexicon: the resources.
        lists: names of the word lists, sorted.
        languages: the languages beside its own in which a word's frequency is looked up.
        centroids: by genre, the mean of the unit vectors of its distinct targets.
        counts: of the reference corpus, if any.
        ngrams: counts of n-grams, for surprisal.
        encoder: the encoder, if any.
    """

    use: tuple[str, ...]
    lexicon: Lexicon
    lists: tuple[str, ...]
    languages: tuple[str, ...]
    centroids: tuple[tuple[str | None, tuple[float, ...]], ...] = ()
    counts: CorpusCounts | None = None
    ngrams: NgramCounts | None = None
    # An `Encoding`: a stage counts whatever its annotations name, and would count every encoder.
    encoder: Any = None


class DistinctWordForms(NamedTuple):
    """Distinct words of one language.

    Attributes:
        language: ISO 639, two letters if possible; None: not known.
        forms: as they stand.
        lower: in lower case.
        lemmas: as annotated, else from the language's dictionary, else the form in lower case.
        upos: part of speech, null without annotation.
    """

    language: str | None
    forms: pa.Array
    lower: pa.Array
    lemmas: pa.Array
    upos: pa.Array


class InstanceBatch(NamedTuple):
    """Instances, with the words of their targets.

    Attributes:
        rows: columns of `complexity/instances`, without labels.
        mwe: which of them are multi-word expressions.
        words: the distinct words of all targets, by language.
        first: for each instance the place of its first word in `words`, counted through all languages.
        last: the place of its last word, which is the first for a single word.
    """

    rows: pa.Table
    mwe: npt.NDArray[np.bool_]
    words: tuple[DistinctWordForms, ...]
    first: Ints
    last: Ints


@dataclass(frozen=True)
class FeatureGroup(Entry):
    """A group of features, which `use` names.

    Attributes:
        columns: the features, given a setting.
        of_words: values of distinct words of one language, or None.
        of_instances: values of instances, or None.
        default_needs: the option without which the group is computed only if `use` names it.
    """

    columns: Callable[[FeatureSetting], Sequence[Feature]]
    of_words: Callable[[DistinctWordForms, FeatureSetting], Values] | None = None
    of_instances: Callable[[InstanceBatch, FeatureSetting], Values] | None = None
    default_needs: str = ""


def vector_features(name: str, doc: str, dim: int, source: str) -> tuple[Feature, ...]:
    """Return the features of a target's vector: of the whole, and of an expression's first and last word."""

    def of(which: str) -> Feature:
        own = name if which == "whole" else f"{name}_{which}"
        return Feature(own, doc, "any numbers", "as the vectors", source, each=False, of=which, dim=dim)

    return of("whole"), of("first"), of("last")


def known_tag(language: str | None) -> str | None:
    """Return a language's tag as resources have it: `en` for `eng` and `en-GB`."""
    return None if not language else short_tag(language)


def known_tags(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return `known_tag` of each language of a column, as large_string."""
    distinct, codes = coded(column)
    tags = [known_tag(tag) for tag in [*distinct.to_pylist(), None]]
    return pa.array(tags, pa.large_string()).take(pa.array(codes))


def numbers(column: pa.Array | pa.ChunkedArray) -> Floats:
    """Return a column as float64, NaN for null."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return np.array(array.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)


def sums(owners: Ints, count: int, values: npt.NDArray[Any] | None = None) -> Floats:
    """Return the sum of the values of each owner, or their number; added in their order."""
    return np.bincount(owners, values, minlength=count).astype(np.float64)


def ratio(values: npt.NDArray[Any], of: npt.NDArray[Any]) -> Floats:
    """Return values divided by others; NaN where these are not above 0."""
    quotients: Floats = np.divide(values, of, out=np.full(len(values), np.nan), where=of > 0)
    return quotients


def spread(
    words: Sequence[DistinctWordForms], values: Callable[[DistinctWordForms], Values]
) -> dict[str, npt.NDArray[Any]]:
    """Return values of words of several languages, one after the other.

    Values that a language lacks are NaN, or false.
    """
    by_language = [values(group) for group in words]
    names = dict.fromkeys(name for columns in by_language for name in columns)
    flags = {name for columns in by_language for name in columns if columns[name].dtype == bool}
    return {
        name: np.concatenate(
            [
                columns[name] if name in columns else np.full(len(group.forms), False if name in flags else np.nan)
                for group, columns in zip(words, by_language, strict=True)
            ]
        )
        for name in names
    }


class _Parts(NamedTuple):
    """One word of each of several targets."""

    rows: Ints
    forms: pa.Array
    lemmas: pa.Array
    upos: pa.Array


def batch_of(instances: pa.Table) -> InstanceBatch:
    """Return instances with the words of their targets.

    An expression is split at white space, and its features are of its first and last word. If the
    annotation has a token of that form there, its lemma and part of speech count.
    """
    rows = instances.combine_chunks()
    mwe = pc.equal(rows["kind"], "mwe").to_numpy(zero_copy_only=False).astype(bool)
    texts = rows["token"].to_pylist()
    split = [text.split() or [text] if double else [text] for text, double in zip(texts, mwe.tolist(), strict=True)]
    all_rows = np.arange(rows.num_rows)
    first = _parts(rows, all_rows, [words[0] for words in split], last=False)
    expressions = np.flatnonzero(mwe)
    last = _parts(rows, expressions, [split[row][-1] for row in expressions.tolist()], last=True)
    words, places = _distinct([first, last], known_tags(rows["language"]))
    ends = places[: len(all_rows)].copy()
    ends[expressions] = places[len(all_rows) :]
    return InstanceBatch(rows, mwe, words, places[: len(all_rows)], ends)


def _parts(rows: pa.Table, which: Ints, forms: Sequence[str], *, last: bool) -> _Parts:
    """Return words of targets with the lemma and part of speech of the token there, if it is that word."""
    place = numbers(rows["position"])[which]
    if last:
        place = place + numbers(rows["tokens"])[which] - 1
    words = pa.array(forms, pa.large_string())
    same = pc.equal(pc.utf8_lower(words), pc.utf8_lower(_at(rows["forms"], which, place)))
    nothing = pa.nulls(len(forms), pa.large_string())
    return _Parts(
        which,
        words,
        pc.if_else(same, _at(rows["lemmas"], which, place), nothing),
        pc.if_else(same, _at(rows["upos"], which, place), nothing),
    )


def item_at(lists: pa.ChunkedArray | pa.Array, place: Floats) -> pa.Array:
    """Return the item at a place of each list; null beyond its ends."""
    whole = lists.combine_chunks() if isinstance(lists, pa.ChunkedArray) else lists
    there = (place >= 0) & (place < numbers(pc.list_value_length(whole)))  # false for NaN
    starts = whole.offsets.to_numpy()[:-1]
    at = np.where(there, starts + np.where(there, place, 0), 0).astype(np.int64)
    return whole.values.take(pa.array(at, mask=~there))


def _at(lists: pa.ChunkedArray, which: Ints, place: Floats) -> pa.Array:
    """Return the item at a place of each of some lists of text."""
    places = np.full(len(lists), np.nan)
    places[which] = place
    return item_at(lists, places).take(pa.array(which)).cast(pa.large_string())


def _distinct(parts: Sequence[_Parts], tags: pa.Array) -> tuple[tuple[DistinctWordForms, ...], Ints]:
    """Return the distinct words, by language, and the place of each word among them."""
    columns = [
        pa.concat_arrays([tags.take(pa.array(part.rows)) for part in parts]),
        *(pa.concat_arrays([part[field] for part in parts]) for field in (1, 2, 3)),
    ]
    key = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        distinct, codes = coded(column)
        key = np.unique(key * (len(distinct) + 1) + codes, return_inverse=True)[1]
    _, representatives, places = np.unique(key, return_index=True, return_inverse=True)
    language, forms, lemmas, upos = (column.take(pa.array(representatives)) for column in columns)
    # Words of a language stand together: by its name, those of none last.
    distinct, codes = coded(language)
    names: list[str | None] = sorted(distinct.to_pylist())
    owner = np.array([*map(names.index, distinct.to_pylist()), len(names)], np.int64)[codes]
    if language.null_count:
        names.append(None)
    order = np.argsort(owner, kind="stable")
    moved = np.empty(len(order), np.int64)
    moved[order] = np.arange(len(order))
    words = []
    for place, name in enumerate(names):
        members = pa.array(order[owner[order] == place])
        words.append(_completed(name, forms.take(members), lemmas.take(members), upos.take(members)))
    return tuple(words), moved[places.ravel()]


def _completed(language: str | None, forms: pa.Array, lemmas: pa.Array, upos: pa.Array) -> DistinctWordForms:
    completed = [
        lemma if lemma is not None else lemma_of(form, language)
        for form, lemma in zip(forms.to_pylist(), lemmas.to_pylist(), strict=True)
    ]
    lower = pc.utf8_lower(forms)
    return DistinctWordForms(language, forms, lower, pa.array(completed, pa.large_string()), upos)


@functools.lru_cache(1 << 16)
def lemma_of(form: str, language: str | None) -> str:
    """Return the lemma of a word by simplemma's dictionary, else the word in lower case."""
    from simplemma import is_known, lemmatize

    low = form.lower()
    try:
        if language is None:
            return low
        # A capital often only begins the sentence, but German nouns always have one.
        for candidate in dict.fromkeys((form, low)):
            if is_known(candidate, lang=language):
                return str(lemmatize(candidate, lang=language))
    except ValueError:  # simplemma does not have the language
        pass
    return low
