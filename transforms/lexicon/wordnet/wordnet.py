"""WordNet, mapped into memory and asked by whole arrays.

Words are asked in any case, with spaces or `_`. What is returned are rows: of senses (a lemma in a
synset) and of synsets; a row that is not there is `MISSING`, and what is asked of it is null, empty
or `MISSING`. Texts are as WordNet has them, with `_` for spaces. Parts of speech are `Pos`, symbols
of relations those of `lexnames.RELATIONS`; another one is a UsageError.
"""

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
import pyarrow as pa

from transforms.lexicon.compiled.keys import MISSING, find
from transforms.lexicon.compiled.kind import Opened
from transforms.lexicon.wordnet.asking import ANY, NONE, DistinctWords, Pos, Words, asked, relation_codes
from transforms.lexicon.wordnet.glosses import Glosses
from transforms.lexicon.wordnet.lexnames import (
    ANTONYM,
    EXTENDED_GLOSS,
    HYPERNYMS,
    HYPONYMS,
    LEXNAMES,
    MARKERS,
    PARTS,
    SYNSET_TYPES,
)
from transforms.lexicon.wordnet.morphy import DETACHMENT, Exceptions, MorphyPart, bases
from transforms.lexicon.wordnet.ragged import Ragged, first_of_each, runs
from transforms.lexicon.wordnet.tables import Tables

__all__ = ["WordNet"]

Symbols = str | tuple[str, ...]


class WordNet:
    """The tables of `compiling.py`, opened; `language` decides whether English rules apply."""

    def __init__(self, opened: Opened, language: str = "en"):
        self._tables = Tables(opened)
        self._english = language.partition("-")[0] == "en"

    # Of words.

    def _lemmas(self, texts: pa.Array) -> np.ndarray:
        """Return the rows of lemmas, and `MISSING` at the end, for null."""
        keys = self._tables.numbers("lemmas", "key")
        return np.append(find(keys, self._tables.column("lemmas", "lemma"), texts), MISSING)

    def _spans(self, lemmas: np.ndarray, parts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return where the senses of lemmas begin and end; nowhere: 0 and 0."""
        bounds = self._tables.numbers("sense_bounds")
        there = (lemmas >= 0) & (parts != NONE)
        first = np.where(there, lemmas, 0) * len(PARTS)
        whole = parts == ANY
        starts = bounds[first + np.where(there & ~whole, parts, 0)]
        ends = bounds[first + np.where(there, np.where(whole, len(PARTS), parts + 1), 0)]
        return starts.astype(np.int64) * there, ends.astype(np.int64) * there

    def _asked_spans(self, words: Words, pos: Pos) -> tuple[np.ndarray, np.ndarray]:
        what = asked(words, pos)
        return self._spans(self._lemmas(what.texts)[what.codes], what.parts)

    def senses_of(self, words: Words, pos: Pos = None) -> Ragged:
        """Return the senses of each word by number, those of n before v, a and r."""
        return runs(*self._asked_spans(words, pos))

    def first_sense(self, words: Words, pos: Pos = None) -> np.ndarray:
        """Return the first sense of each word, int64.

        It is the one that WordNet's authors found most often in texts. With several parts of speech
        it is the noun's if there is one: sense numbers of different parts do not compare.
        """
        starts, ends = self._asked_spans(words, pos)
        return np.where(starts < ends, starts, MISSING)

    def polysemy(self, words: Words, pos: Pos = None) -> np.ndarray:
        """Return the number of senses of each word, int64; 0 if WordNet has it not."""
        starts, ends = self._asked_spans(words, pos)
        return ends - starts

    def synonyms(self, words: Words, pos: Pos = None) -> pa.Array:
        """Return the other words of the synsets of all senses of each word, lists of string.

        Each lemma once, in the order of senses, then as in the synset.
        """
        return self._beside(asked(words, pos), self._other_words)

    def antonyms(self, words: Words, pos: Pos = None) -> pa.Array:
        """Return the antonyms of all senses of each word, lists of string, each lemma once."""
        return self._beside(asked(words, pos), self._antonyms)

    def _beside(self, what: DistinctWords, words_of: Callable[[np.ndarray], Ragged]) -> pa.Array:
        codes, parts, place = what.pairs()
        senses = runs(*self._spans(self._lemmas(what.texts)[codes], parts))
        found = words_of(senses.values)
        found = Ragged(found.offsets[senses.offsets], found.values)
        lemmas = self._tables.values("senses", "lemma", self._sense_of(found.values))
        found = found.keep(first_of_each(found.owners(), lemmas))
        return found.lists(self._words(found.values)).take(pa.array(place))

    def _other_words(self, senses: np.ndarray) -> Ragged:
        found = self._tables.within("word_bounds", self.synset_of(senses))
        return found.keep(self._sense_of(found.values) != senses[found.owners()])

    def _antonyms(self, senses: np.ndarray) -> Ragged:
        return self._lexical(senses, ANTONYM)

    def base_forms(self, forms: Words, pos: Pos = None) -> pa.Array:
        """Return the base forms of each form, lists of large_string; `morphy.py` says which.

        If any part of speech is asked for: those of n, v, a, r, one after the other, each once.
        """
        owners, texts, place, count = self._bases(asked(forms, pos), only_first=False)
        codes = texts.dictionary_encode().indices.to_numpy(zero_copy_only=False)
        kept = first_of_each(owners, codes.astype(np.int64))
        offsets = np.searchsorted(owners[kept], np.arange(count + 1))
        lists = Ragged(offsets, owners).lists(texts.filter(pa.array(kept)))
        return lists.take(pa.array(place))

    def morphy(self, forms: Words, pos: Pos = None) -> pa.Array:
        """Return the first base form of each form, large_string; null if WordNet has none."""
        owners, texts, place, count = self._bases(asked(forms, pos), only_first=True)
        first = np.full(count, len(texts))
        first[owners[::-1]] = np.arange(len(owners))[::-1]
        return texts.take(pa.array(first[place], mask=first[place] == len(texts)))

    def _bases(self, what: DistinctWords, *, only_first: bool) -> tuple[np.ndarray, pa.Array, np.ndarray, int]:
        """Return owners, rising, and base forms; for each word its owner; the number of owners."""
        codes, parts, place = what.pairs()
        owners, texts = [np.empty(0, np.int64)], [pa.array([], pa.large_string())]
        left = codes < len(what.texts)
        for number, part in enumerate(self._parts):
            pairs = np.flatnonzero(left & ((parts == number) | (parts == ANY)))
            at, made = bases(part, what.texts.take(pa.array(codes[pairs])), only_first=only_first)
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

    def _having(self, part: int) -> Callable[[pa.Array], np.ndarray]:
        def has(texts: pa.Array) -> np.ndarray:
            starts, ends = self._spans(self._lemmas(texts)[:-1], np.full(len(texts), part))
            return starts < ends

        return has

    # Of senses.

    def synset_of(self, senses: np.ndarray) -> np.ndarray:
        """Return the synset of each sense, int64."""
        return self._tables.values("senses", "synset", senses)

    def counts(self, senses: np.ndarray) -> np.ndarray:
        """Return how often each sense is tagged, int64; `MISSING` if no file says it."""
        return self._tables.values("senses", "count", senses)

    def sense_numbers(self, senses: np.ndarray) -> np.ndarray:
        """Return the number of each sense of its lemma and part of speech, from 1; int64."""
        return self._tables.values("senses", "number", senses)

    def sense_keys(self, senses: np.ndarray) -> pa.Array:
        """Return the sense keys."""
        return self._tables.texts("senses", "sense_key", senses)

    def written(self, senses: np.ndarray) -> pa.Array:
        """Return the words of senses as they are written: `Paris`."""
        return self._words(self._tables.values("senses", "word", senses))

    def lemmas(self, senses: np.ndarray) -> pa.Array:
        """Return the lemmas of senses, in lower case."""
        rows = self._tables.values("senses", "lemma", senses)
        return self._tables.texts("lemmas", "lemma", rows)

    def markers(self, senses: np.ndarray) -> pa.Array:
        """Return where an adjective may stand: p (as predicate), a (before), ip (after), or ""."""
        words = self._tables.values("senses", "word", senses)
        return _named(MARKERS, self._tables.values("words", "marker", words))

    def related_senses(self, senses: np.ndarray, symbols: Symbols) -> Ragged:
        """Return the senses that lexical pointers lead to, in the order of pointers."""
        found = self._lexical(senses, symbols)
        return Ragged(found.offsets, self._sense_of(found.values))

    def _lexical(self, senses: np.ndarray, symbols: Symbols) -> Ragged:
        """Return the words that lexical pointers lead to from the words of senses."""
        synsets = self.synset_of(senses)
        found = self._pointers(synsets, symbols)
        source = self._tables.numbers("pointers", "source_word")[found.values]
        target = self._tables.numbers("pointers", "target_word")[found.values]
        owners = found.owners()
        first = self._tables.numbers("word_bounds")
        words = np.where(source > 0, first[synsets[owners]] + source - 1, 0)
        own = (source > 0) & (target > 0) & (self._sense_of(words) == senses[owners])
        ends = first[self._tables.numbers("pointers", "target")[found.values]] + target - 1
        kept = found.keep(own)
        return Ragged(kept.offsets, ends[own].astype(np.int64))

    # Of synsets.

    def senses_in(self, synsets: np.ndarray) -> Ragged:
        """Return the senses of the words of each synset, in the order of words."""
        found = self._tables.within("word_bounds", synsets)
        found = Ragged(found.offsets, self._sense_of(found.values))
        return found.keep(first_of_each(found.owners(), found.values))

    def words_in(self, synsets: np.ndarray) -> pa.Array:
        """Return the words of each synset as they are written, lists of string."""
        found = self._tables.within("word_bounds", synsets)
        return found.lists(self._words(found.values))

    def related(self, synsets: np.ndarray, symbols: Symbols) -> Ragged:
        """Return the synsets that pointers lead to, lexical ones, too, in the order of pointers.

        Two words of a synset may point to one synset, which then is there twice.
        """
        found = self._pointers(synsets, symbols)
        return Ragged(found.offsets, self._tables.values("pointers", "target", found.values))

    def hypernyms(self, synsets: np.ndarray) -> Ragged:
        """Return the hypernyms of each synset, and of an instance what it is an instance of."""
        return self.related(synsets, HYPERNYMS)

    def hyponyms(self, synsets: np.ndarray) -> Ragged:
        """Return the hyponyms and the instances of each synset."""
        return self.related(synsets, HYPONYMS)

    def extended_gloss(self, synsets: np.ndarray) -> Ragged:
        """Return the synsets around each one whose glosses adapted Lesk reads."""
        return self.related(synsets, EXTENDED_GLOSS)

    def depth_min(self, synsets: np.ndarray) -> np.ndarray:
        """Return the steps of the shortest way to a root along `hypernyms`, int64; a root has 0."""
        return self._tables.values("synsets", "depth_min", synsets)

    def depth_max(self, synsets: np.ndarray) -> np.ndarray:
        """Return the steps of the longest way."""
        return self._tables.values("synsets", "depth_max", synsets)

    def lexnames(self, synsets: np.ndarray) -> pa.Array:
        """Return the lexicographer class of each synset; null also for one that 3.0 has not."""
        rows = self._tables.values("synsets", "class", synsets)
        return _named(LEXNAMES, rows)

    def types(self, synsets: np.ndarray) -> pa.Array:
        """Return the type of each synset: n, v, a, r, or s for satellites of adjectives."""
        rows = self._tables.values("synsets", "type", synsets)
        return _named(SYNSET_TYPES, rows)

    def offsets(self, synsets: np.ndarray) -> np.ndarray:
        """Return the offset of each synset, by which a version of WordNet names it; int64."""
        return self._tables.values("synsets", "offset", synsets)

    def definitions(self, synsets: np.ndarray) -> pa.Array:
        """Return the definition of each synset: its gloss without examples."""
        return self._tables.texts("synsets", "definition", synsets)

    def examples(self, synsets: np.ndarray) -> pa.Array:
        """Return the examples of each synset, lists of string."""
        found = self._tables.within("example_bounds", synsets)
        return found.lists(self._tables.texts("examples", "example", found.values))

    @cached_property
    def glosses(self) -> Glosses:
        """The words of definitions as numbers."""
        return Glosses(self._tables, self.morphy)

    def __len__(self) -> int:
        return len(self._tables.numbers("synsets", "offset"))

    def _pointers(self, synsets: np.ndarray, symbols: Symbols) -> Ragged:
        found = self._tables.within("pointer_bounds", synsets)
        own = self._tables.numbers("pointers", "symbol")[found.values]
        return found.keep(np.isin(own, relation_codes(symbols)))

    def _sense_of(self, words: np.ndarray) -> np.ndarray:
        return self._tables.values("words", "sense", words)

    def _words(self, rows: np.ndarray) -> pa.Array:
        return self._tables.texts("words", "word", rows)

    def look(self, word: str, pos: str | None = None) -> Iterator[tuple[str, str]]:
        """Yield the senses of a word's base forms: name, and definition with what is known."""
        return _described_senses(self, word, pos)


def _named(names: tuple[str, ...], numbers: np.ndarray) -> pa.Array:
    """Return names by number, null where there is none."""
    return pa.array(names).take(pa.array(numbers, mask=(numbers < 0) | (numbers >= len(names))))


def _described_senses(wordnet: WordNet, word: str, pos: str | None) -> Iterator[tuple[str, str]]:
    """Yield the senses of a word's base forms, for a person."""
    words = pa.array([word])
    tags = [None] if pos is None else [pos, pos.upper()]
    wanted = min(asked(words, pa.array([tag], pa.string())).parts[0] for tag in tags)
    for number, part in enumerate(PARTS):
        if wanted in (ANY, number):
            lemmas = wordnet.base_forms(words, part).flatten()
            for sense in wordnet.senses_of(lemmas, part).values:
                yield _described(wordnet, np.array([sense]), part)


def _described(wordnet: WordNet, sense: np.ndarray, part: str) -> tuple[str, str]:
    synset = wordnet.synset_of(sense)
    least, most = int(wordnet.depth_min(synset)[0]), int(wordnet.depth_max(synset)[0])
    said = [wordnet.lexnames(synset)[0].as_py() or "class unknown"]
    if part in "nv":
        said.append(f"depth {least}" if least == most else f"depth {least} to {most}")
    if (count := int(wordnet.counts(sense)[0])) != MISSING:
        said.append(f"tagged {count} times" if count != 1 else "tagged once")
    written = wordnet.written(sense)[0].as_py()
    others = [word for word in wordnet.words_in(synset)[0].as_py() if word != written]
    if others:
        said.append(f"also {', '.join(others)}")
    label = f"{written}.{part}.{int(wordnet.sense_numbers(sense)[0])}"
    return label, f"{wordnet.definitions(synset)[0].as_py()} ({'; '.join(said)})"
