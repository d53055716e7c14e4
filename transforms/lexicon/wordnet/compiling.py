"""WordNet's files as flat tables: rows point to rows, and what differs in length has offsets.

Tables and what a row is; `*_bounds` hold where the rows of each owner begin, and one end:

    lemmas          a lower-case lemma, with its key; in the order of keys
    sense_bounds    for each lemma the senses as n, v, a, r: four numbers a lemma
    senses          a sense, by lemma, part of speech, number
    synsets         a synset, by part of speech (satellites with adjectives), offset
    words           a word of a synset as it is written; word_bounds by synset
    examples        an example of a synset; example_bounds by synset
    pointers        a pointer of a synset; pointer_bounds by synset
    exceptions_n    an irregular form and a base, by key; also _v, _a, _r

`glosses.py` says what the tables of definitions are.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from transforms.lexicon.compiled.keys import keys_of, order_of_keys
from transforms.lexicon.wordnet.depths import depths
from transforms.lexicon.wordnet.files import read_exceptions, read_index
from transforms.lexicon.wordnet.glosses import gloss_tables
from transforms.lexicon.wordnet.lexnames import HYPERNYMS, PART_FILES, PARTS, RELATIONS
from transforms.lexicon.wordnet.senses import sense_tables
from transforms.lexicon.wordnet.synsets import Synsets, bounds_of, bounds_table, read_synsets
from transforms.lexicon.wordnet.wordnet import WordNet

__all__ = ["compile_wordnet", "split_gloss"]


def split_gloss(gloss: str) -> tuple[str, list[str]]:
    """Return a gloss's definition and examples.

    The definition ends before the first `; "`. Examples are what stands in quotation marks from
    there on; a mark that is missing is taken to stand before the next `; "`, or at the end. Who
    said it is left out.

        >>> split_gloss('having power; "able to swim"; "so able"- A. Body')
        ('having power', ['able to swim', 'so able'])
    """
    definition, *rest = gloss.split('; "')
    examples = []
    for piece in rest:
        first, _, after = piece.partition('"')
        examples.append(first)
        if after:
            examples += after.split('"')[1:-1:2]
    return definition.strip().rstrip(";").rstrip(), [text for text in examples if text.strip()]


def compile_wordnet(paths: Sequence[str], options: Any) -> Iterator[tuple[str, pa.Table]]:
    """Read the database in the folder `paths[0]` and yield its tables.

    Args:
        paths: of the folder.
        options: whose `language` decides how words of definitions are lemmatised; None: English.

    Raises:
        LexbeamError: a file is missing or truncated, a line is wrong, or files contradict.
    """
    made = {}
    for name, table in _tables(paths[0]):
        made[name] = table.combine_chunks()
        yield name, made[name]
    wordnet = WordNet(made) if options is None else WordNet(made, options.language)
    definitions = wordnet.definitions(np.arange(len(wordnet)))
    yield from gloss_tables(definitions, wordnet.morphy, wordnet.extended_gloss)


def _tables(folder: str) -> Iterator[tuple[str, pa.Table]]:
    synsets = read_synsets(folder)
    indexes = [read_index(folder, part) for part in PART_FILES]
    exceptions = [read_exceptions(folder, part) for part in PART_FILES]
    lemmas = _distinct([lemma for index in indexes for lemma in index.lemmas])
    yield "lemmas", pa.table({"key": keys_of(lemmas), "lemma": lemmas})
    yield from sense_tables(folder, synsets, indexes, lemmas)
    yield from _glosses(synsets)
    yield (
        "pointers",
        pa.table(
            {
                "symbol": synsets.symbols,
                "target": synsets.targets.astype(np.int32),
                "source_word": synsets.source_words,
                "target_word": synsets.target_words,
            }
        ),
    )
    yield "pointer_bounds", bounds_table(synsets.pointer_bounds)
    for part, pairs in zip(PARTS, exceptions, strict=True):
        forms = pa.array([form.lower() for form, _ in pairs], pa.string())
        bases = pa.array([base.lower() for _, base in pairs], pa.string())
        order = order_of_keys(forms)
        table = pa.table({"key": keys_of(forms), "form": forms, "base": bases})
        yield f"exceptions_{part}", table.take(pa.array(order))


def _distinct(words: list[str]) -> pa.Array:
    found = pc.unique(pc.utf8_lower(pa.array(words, pa.string())))
    return found.take(pa.array(order_of_keys(found)))


def _glosses(synsets: Synsets) -> Iterator[tuple[str, pa.Table]]:
    split = [split_gloss(gloss) for gloss in synsets.glosses]
    owners = np.repeat(np.arange(len(synsets.ids)), np.diff(synsets.pointer_bounds))
    codes = [list(RELATIONS).index(symbol) for symbol in HYPERNYMS]
    up = np.isin(synsets.symbols, codes)
    least, most, _ = depths(len(synsets.ids), owners[up], synsets.targets[up])
    yield (
        "synsets",
        pa.table(
            {
                "offset": synsets.offsets(),
                "type": synsets.types,
                "class": synsets.classes,
                "depth_min": least,
                "depth_max": most,
                "definition": pa.array([definition for definition, _ in split], pa.string()),
            }
        ),
    )
    yield ("examples", pa.table({"example": pa.array([text for _, texts in split for text in texts], pa.string())}))
    yield "example_bounds", bounds_table(bounds_of([len(texts) for _, texts in split]))
