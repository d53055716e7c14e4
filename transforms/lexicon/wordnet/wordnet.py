"""WordNet, mapped into memory and queried by whole arrays.

Words may be in any case, with spaces or `_`. Results are rows: of senses (a lemma in a synset) and
of synsets; a row that does not exist is `MISSING`, and its attributes are null, empty or `MISSING`.
Texts are as WordNet has them, with `_` for spaces. Parts of speech are `Pos`, symbols of relations
those of `ragged.RELATIONS`; any other is a UsageError.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.texts.characters import straight_words
from lexbeam.transforms.lexicon.compiled.resource_kind import Opened
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING, find
from lexbeam.transforms.lexicon.wordnet.glosses import Glosses
from lexbeam.transforms.lexicon.wordnet.morphy import DETACHMENT, Exceptions, MorphyPart, bases
from lexbeam.transforms.lexicon.wordnet.ragged import (
    ANTONYM,
    EXTENDED_GLOSS,
    HYPERNYMS,
    HYPONYMS,
    LEXNAMES,
    MARKERS,
    PARTS,
    RELATIONS,
    SYNSET_TYPES,
    UPOS,
    Ragged,
    Tables,
    first_of_each,
    runs,
)

Words: TypeAlias = "pa.Array | pa.ChunkedArray"
Ints = npt.NDArray[np.int64]

# One part of speech for all words, one for each, or None: any. Letters n, v, a, r (s is a) or
# Universal tags; in an array, null is any, and a tag of a class that WordNet lacks is none.
Pos: TypeAlias = "str | pa.Array | pa.ChunkedArray | None"

ANY = len(PARTS)
NONE = ANY + 1

_CODES = {part: code for code, part in enumerate(PARTS)}
_CODES.update({tag: _CODES[part] for tag, part in UPOS.items()})


class DistinctWords(NamedTuple):
    """Words to look up, each once, and their parts of speech.

    Attributes:
        texts: words, `normalised`; distinct but for case.
        codes: for each word its place in `texts`, `len(texts)` for null.
        parts: for each word the place of its part of speech in `PARTS`, `ANY` or `NONE`.
        single: whether all words have the same part of speech.
    """

    texts: pa.Array
    codes: Ints
    parts: Ints
    single: bool

    def pairs(self) -> tuple[Ints, Ints, Ints]:
        """Return codes and parts of distinct pairs, and for each word its pair."""
        if self.single:
            part = self.parts[0] if len(self.parts) else ANY
            codes = np.arange(len(self.texts) + 1)
            return codes, np.full(len(codes), part), self.codes
        together = self.codes * (NONE + 1) + self.parts
        # Not np.unique, which would sort them: there are few possible numbers.
        present = np.zeros((len(self.texts) + 1) * (NONE + 1), bool)
        present[together] = True
        pairs = np.flatnonzero(present)
        return pairs // (NONE + 1), pairs % (NONE + 1), (np.cumsum(present) - 1)[together]


def normalised(words: pa.Array) -> pa.Array:
    """Return words as lemmas are stored: lower case, straight apostrophes, `_` for spaces; string or large_string."""
    return pc.replace_substring(straight_words(pc.utf8_lower(words)), " ", "_")


def distinct_words(words: Words, pos: Pos) -> DistinctWords:
    """Return words and parts of speech, each distinct word once.

    Raises:
        UsageError: `pos` is no part of speech, or not as long as `words`.
    """
    coded = _coded(words)
    codes = coded.indices.fill_null(len(coded.dictionary)).to_numpy(zero_copy_only=False)
    codes = codes.astype(np.int64)
    if pos is None or isinstance(pos, str):
        if pos is not None and pos not in _CODES:
            raise UsageError(f"{pos!r} is no part of speech that WordNet has: write one of {', '.join(_CODES)}")
        part = ANY if pos is None else _CODES[pos]
        return DistinctWords(normalised(coded.dictionary), codes, np.full(len(codes), part), True)
    if len(pos) != len(words):
        raise UsageError(f"{len(words)} words have {len(pos)} parts of speech: give as many")
    tags = _coded(pos)
    known = [_CODES.get(tag, NONE) for tag in tags.dictionary.to_pylist()]
    at = tags.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
    return DistinctWords(normalised(coded.dictionary), codes, np.array([*known, ANY], np.int64)[at], False)


def _coded(words: Words) -> pa.DictionaryArray:
    if isinstance(words, pa.ChunkedArray):
        words = words.combine_chunks()
    return words.cast(pa.large_string()).dictionary_encode()


def relation_codes(symbols: str | tuple[str, ...]) -> npt.NDArray[np.uint8]:
    """Return the codes of pointer symbols.

    Raises:
        UsageError: there is no such symbol.
    """
    known = list(RELATIONS)
    wanted = (symbols,) if isinstance(symbols, str) else symbols
    for symbol in wanted:
        if symbol not in RELATIONS:
            listed = ", ".join(f"{sign!r} ({name})" for sign, name in RELATIONS.items())
            raise UsageError(f"{symbol!r} is no symbol of a relation: write one of {listed}")
    return np.array([known.index(symbol) for symbol in wanted], np.uint8)


Symbols = str | tuple[str, ...]


class WordNet:
    """The tables of `wordnet_kind.py`, opened; `language` decides whether English rules apply."""

    def __init__(self, opened: Opened, language: str = "en") -> None:
        self._tables = Tables(opened)
        self._english = language.partition("-")[0] == "en"

    # Of words.

    def _lemmas(self, texts: pa.Array) -> Ints:
        """Return the rows of lemmas, and `MISSING` at the end, for null."""
        keys = self._tables.numbers("lemmas", "key")
        return np.append(find(keys, self._tables.column("lemmas", "lemma"), texts), MISSING)

    def _spans(self, lemmas: Ints, parts: Ints) -> tuple[Ints, Ints]:
        """Return where the senses of lemmas begin and end; nowhere: 0 and 0."""
        bounds = self._tables.numbers("sense_bounds")
        present = (lemmas >= 0) & (parts != NONE)
        first = np.where(present, lemmas, 0) * len(PARTS)
        whole = parts == ANY
        starts = bounds[first + np.where(present & ~whole, parts, 0)]
        ends = bounds[first + np.where(present, np.where(whole, len(PARTS), parts + 1), 0)]
        return starts.astype(np.int64) * present, ends.astype(np.int64) * present

    def _spans_of_words(self, words: Words, pos: Pos) -> tuple[Ints, Ints]:
        query = distinct_words(words, pos)
        return self._spans(self._lemmas(query.texts)[query.codes], query.parts)

    def senses_of(self, words: Words, pos: Pos = None) -> Ragged:
        """Return the senses of each word by number, those of n before v, a and r."""
        return runs(*self._spans_of_words(words, pos))

    def first_sense(self, words: Words, pos: Pos = None) -> Ints:
        """Return the first sense of each word, int64.

        It is the one that WordNet's authors found most often in texts. For any part of speech it is
        the noun's if there is one: sense numbers of different parts cannot be compared.
        """
        starts, ends = self._spans_of_words(words, pos)
        return np.where(starts < ends, starts, MISSING)

    def polysemy(self, words: Words, pos: Pos = None) -> Ints:
        """Return the number of senses of each word, int64; 0 if WordNet lacks the word."""
        starts, ends = self._spans_of_words(words, pos)
        return ends - starts

    def synonyms(self, words: Words, pos: Pos = None) -> pa.Array:
        """Return the other words of the synsets of all senses of each word, lists of string.

        Each lemma once, in the order of senses, then as in the synset.
        """
        return self._beside(distinct_words(words, pos), self._other_words)

    def antonyms(self, words: Words, pos: Pos = None) -> pa.Array:
        """Return the antonyms of all senses of each word, lists of string, each lemma once."""
        return self._beside(distinct_words(words, pos), self._antonyms)

    def _beside(self, query: DistinctWords, words_of: Callable[[Ints], Ragged]) -> pa.Array:
        codes, parts, place = query.pairs()
        senses = runs(*self._spans(self._lemmas(query.texts)[codes], parts))
        words = words_of(senses.values)
        words = Ragged(words.offsets[senses.offsets], words.values)
        lemmas = self._tables.values("senses", "lemma", self._sense_of(words.values))
        words = words.keep(first_of_each(words.owners(), lemmas))
        return words.lists(self._words(words.values)).take(pa.array(place))

    def _other_words(self, senses: Ints) -> Ragged:
        words = self._tables.within("word_bounds", self.synset_of(senses))
        return words.keep(self._sense_of(words.values) != senses[words.owners()])

    def _antonyms(self, senses: Ints) -> Ragged:
        return self._lexical(senses, ANTONYM)

    def base_forms(self, forms: Words, pos: Pos = None) -> pa.Array:
        """Return the base forms of each form, lists of large_string; `morphy.py` says which.

        For any part of speech: those of n, v, a, r, one after another, each once.
        """
        owners, texts, place, count = self._bases(distinct_words(forms, pos), only_first=False)
        codes = texts.dictionary_encode().indices.to_numpy(zero_copy_only=False)
        first = first_of_each(owners, codes.astype(np.int64))
        offsets = np.searchsorted(owners[first], np.arange(count + 1))
        lists = Ragged(offsets, owners).lists(texts.filter(pa.array(first)))
        return lists.take(pa.array(place))

    def morphy(self, forms: Words, pos: Pos = None) -> pa.Array:
        """Return the first base form of each form, large_string; null if WordNet has none."""
        owners, texts, place, count = self._bases(distinct_words(forms, pos), only_first=True)
        first = np.full(count, len(texts))
        first[owners[::-1]] = np.arange(len(owners))[::-1]
        return texts.take(pa.array(first[place], mask=first[place] == len(texts)))

    def _bases(self, query: DistinctWords, *, only_first: bool) -> tuple[Ints, pa.Array, Ints, int]:
        """Return owners, ascending, and base forms; the owner of each word; the number of owners."""
        codes, parts, place = query.pairs()
        owners, texts = [np.empty(0, np.int64)], [pa.array([], pa.large_string())]
        left = codes < len(query.texts)
        for number, part in enumerate(self._parts):
            pairs = np.flatnonzero(left & ((parts == number) | (parts == ANY)))
            at, made = bases(part, query.texts.take(pa.array(codes[pairs])), only_first=only_first)
            owners.append(pairs[at])
            texts.append(made)
            if only_first:
                left[pairs[at]] = False
        together = np.concatenate(owners)
        order = np.argsort(together, kind="stable")
        return together[order], pa.concat_arrays(texts).take(pa.array(order)), place, len(codes)

    @cached_property
    def _parts(self) -> list[MorphyPart]:
        parts: list[MorphyPart] = []
        for number, letter in enumerate(PARTS):
            table = f"exceptions_{letter}"
            columns = self._tables.column(table, "form"), self._tables.column(table, "base")
            exceptions = Exceptions(self._tables.numbers(table, "key"), *columns)
            rules = DETACHMENT[letter] if self._english else ()
            noun = parts[0] if parts else None
            parts.append(MorphyPart(letter, self._having(number), exceptions, rules, noun))
        return parts

    def _having(self, part: int) -> Callable[[pa.Array], npt.NDArray[np.bool_]]:
        def has(texts: pa.Array) -> npt.NDArray[np.bool_]:
            starts, ends = self._spans(self._lemmas(texts)[:-1], np.full(len(texts), part))
            return starts < ends

        return has

    # Of senses.

    def synset_of(self, senses: Ints) -> Ints:
        """Return the synset of each sense, int64."""
        return self._tables.values("senses", "synset", senses)

    def counts(self, senses: Ints) -> Ints:
        """Return how often each sense is tagged, int64; `MISSING` if no file says."""
        return self._tables.values("senses", "count", senses)

    def sense_numbers(self, senses: Ints) -> Ints:
        """Return the number of each sense of its lemma and part of speech, from 1; int64."""
        return self._tables.values("senses", "number", senses)

    def sense_keys(self, senses: Ints) -> pa.Array:
        """Return the sense keys."""
        return self._tables.texts("senses", "sense_key", senses)

    def written(self, senses: Ints) -> pa.Array:
        """Return the words of senses as they are written: `Paris`."""
        return self._words(self._tables.values("senses", "word", senses))

    def lemmas(self, senses: Ints) -> pa.Array:
        """Return the lemmas of senses, in lower case."""
        rows = self._tables.values("senses", "lemma", senses)
        return self._tables.texts("lemmas", "lemma", rows)

    def markers(self, senses: Ints) -> pa.Array:
        """Return where an adjective may stand: p (as predicate), a (before), ip (after), or ""."""
        words = self._tables.values("senses", "word", senses)
        return _named(MARKERS, self._tables.values("words", "marker", words))

    def related_senses(self, senses: Ints, symbols: Symbols) -> Ragged:
        """Return the senses that lexical pointers lead to, in the order of pointers."""
        words = self._lexical(senses, symbols)
        return Ragged(words.offsets, self._sense_of(words.values))

    def _lexical(self, senses: Ints, symbols: Symbols) -> Ragged:
        """Return the words that lexical pointers lead to from the words of senses."""
        synsets = self.synset_of(senses)
        pointers = self._pointers(synsets, symbols)
        source = self._tables.numbers("pointers", "source_word")[pointers.values]
        target = self._tables.numbers("pointers", "target_word")[pointers.values]
        owners = pointers.owners()
        first = self._tables.numbers("word_bounds")
        words = np.where(source > 0, first[synsets[owners]] + source - 1, 0)
        lexical = (source > 0) & (target > 0) & (self._sense_of(words) == senses[owners])
        ends = first[self._tables.numbers("pointers", "target")[pointers.values]] + target - 1
        return Ragged(pointers.keep(lexical).offsets, ends[lexical].astype(np.int64))

    # Of synsets.

    def senses_in(self, synsets: Ints) -> Ragged:
        """Return the senses of the words of each synset, in the order of words."""
        words = self._tables.within("word_bounds", synsets)
        senses = Ragged(words.offsets, self._sense_of(words.values))
        return senses.keep(first_of_each(senses.owners(), senses.values))

    def words_in(self, synsets: Ints) -> pa.Array:
        """Return the words of each synset as they are written, lists of string."""
        words = self._tables.within("word_bounds", synsets)
        return words.lists(self._words(words.values))

    def related(self, synsets: Ints, symbols: Symbols) -> Ragged:
        """Return the synsets that pointers lead to, including lexical ones, in the order of pointers.

        Two words of a synset may point to one synset, which is then listed twice.
        """
        pointers = self._pointers(synsets, symbols)
        return Ragged(pointers.offsets, self._tables.values("pointers", "target", pointers.values))

    def hypernyms(self, synsets: Ints) -> Ragged:
        """Return the hypernyms of each synset; those of an instance are what it is an instance of."""
        return self.related(synsets, HYPERNYMS)

    def hyponyms(self, synsets: Ints) -> Ragged:
        """Return the hyponyms and the instances of each synset."""
        return self.related(synsets, HYPONYMS)

    def extended_gloss(self, synsets: Ints) -> Ragged:
        """Return the synsets around each one whose glosses adapted Lesk reads."""
        return self.related(synsets, EXTENDED_GLOSS)

    def depth_min(self, synsets: Ints) -> Ints:
        """Return the steps of the shortest way to a root along `hypernyms`, int64; a root has 0."""
        return self._tables.values("synsets", "depth_min", synsets)

    def depth_max(self, synsets: Ints) -> Ints:
        """Return the steps of the longest way."""
        return self._tables.values("synsets", "depth_max", synsets)

    def lexnames(self, synsets: Ints) -> pa.Array:
        """Return the lexicographer class of each synset; null also for a class that 3.0 lacks."""
        rows = self._tables.values("synsets", "class", synsets)
        return _named(LEXNAMES, rows)

    def types(self, synsets: Ints) -> pa.Array:
        """Return the type of each synset: n, v, a, r, or s for satellites of adjectives."""
        rows = self._tables.values("synsets", "type", synsets)
        return _named(SYNSET_TYPES, rows)

    def offsets(self, synsets: Ints) -> Ints:
        """Return the offset of each synset, by which a version of WordNet names it; int64."""
        return self._tables.values("synsets", "offset", synsets)

    def definitions(self, synsets: Ints) -> pa.Array:
        """Return the definition of each synset: its gloss without examples."""
        return self._tables.texts("synsets", "definition", synsets)

    def examples(self, synsets: Ints) -> pa.Array:
        """Return the examples of each synset, lists of string."""
        examples = self._tables.within("example_bounds", synsets)
        return examples.lists(self._tables.texts("examples", "example", examples.values))

    @cached_property
    def glosses(self) -> Glosses:
        """The words of definitions as numbers."""
        return Glosses(self._tables, self.morphy)

    def __len__(self) -> int:
        return len(self._tables.numbers("synsets", "offset"))

    def _pointers(self, synsets: Ints, symbols: Symbols) -> Ragged:
        pointers = self._tables.within("pointer_bounds", synsets)
        codes = self._tables.numbers("pointers", "symbol")[pointers.values]
        return pointers.keep(np.isin(codes, relation_codes(symbols)))

    def _sense_of(self, words: Ints) -> Ints:
        return self._tables.values("words", "sense", words)

    def _words(self, rows: Ints) -> pa.Array:
        return self._tables.texts("words", "word", rows)

    def look(self, word: str, pos: str | None = None) -> Iterator[tuple[str, str]]:
        """Yield the senses of a word's base forms: name, and definition with what is known."""
        return _described_senses(self, word, pos)


def _named(names: tuple[str, ...], numbers: Ints) -> pa.Array:
    """Return names by number, null for numbers without a name."""
    return pa.array(names).take(pa.array(numbers, mask=(numbers < 0) | (numbers >= len(names))))


def _described_senses(wordnet: WordNet, word: str, pos: str | None) -> Iterator[tuple[str, str]]:
    """Yield the senses of a word's base forms, for a person."""
    words = pa.array([word])
    tags = [None] if pos is None else [pos, pos.upper()]
    wanted = min(distinct_words(words, pa.array([tag], pa.string())).parts[0] for tag in tags)
    for number, part in enumerate(PARTS):
        if wanted in (ANY, number):
            lemmas = wordnet.base_forms(words, part).flatten()
            for sense in wordnet.senses_of(lemmas, part).values:
                yield _described(wordnet, np.array([sense]), part)


def _described(wordnet: WordNet, sense: Ints, part: str) -> tuple[str, str]:
    synset = wordnet.synset_of(sense)
    least, most = int(wordnet.depth_min(synset)[0]), int(wordnet.depth_max(synset)[0])
    details = [wordnet.lexnames(synset)[0].as_py() or "class unknown"]
    if part in "nv":
        details.append(f"depth {least}" if least == most else f"depth {least} to {most}")
    if (count := int(wordnet.counts(sense)[0])) != MISSING:
        details.append(f"tagged {count} times" if count != 1 else "tagged once")
    written = wordnet.written(sense)[0].as_py()
    others = [word for word in wordnet.words_in(synset)[0].as_py() if word != written]
    if others:
        details.append(f"also {', '.join(others)}")
    label = f"{written}.{part}.{int(wordnet.sense_numbers(sense)[0])}"
    return label, f"{wordnet.definitions(synset)[0].as_py()} ({'; '.join(details)})"
