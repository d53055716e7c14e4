"""What WordNet says of a word, for a person."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from transforms.lexicon.compiled.keys import MISSING
from transforms.lexicon.wordnet.asking import ANY, asked
from transforms.lexicon.wordnet.lexnames import PARTS

if TYPE_CHECKING:
    from transforms.lexicon.wordnet.wordnet import WordNet

__all__ = ["look"]


def look(wordnet: "WordNet", word: str, pos: str | None) -> Iterator[tuple[str, str]]:
    """Yield the senses of a word's base forms: name, and definition with what is known.

    Of a part of speech that WordNet has not there are none; `Noun` is `NOUN`.
    """
    words = pa.array([word])
    tags = [None] if pos is None else [pos, pos.upper()]
    wanted = min(asked(words, pa.array([tag], pa.string())).parts[0] for tag in tags)
    for number, part in enumerate(PARTS):
        if wanted in (ANY, number):
            bases = wordnet.base_forms(words, part).flatten()
            for sense in wordnet.senses_of(bases, part).values:
                yield _described(wordnet, np.array([sense]), part)


def _described(wordnet: "WordNet", sense: np.ndarray, part: str) -> tuple[str, str]:
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
