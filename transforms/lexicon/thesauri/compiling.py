"""Thesauri, compiled.

- `words`: `key`, `word` in lower case, `start` and `end` of its rows in `of_word`; in the order of
  keys.
- `of_word`: `sense`, those of a word in the order of the file.
- `senses`: `id`, `pos`, `start` and `end` of its rows in `members`.
- `members`: `text`, `hypernym`, `placeholder`.
- `about`: one row of facts.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from transforms.common.errors import LexbeamError
from transforms.common.store import files
from transforms.lexicon.compiled.keys import keys_of, order_of_keys
from transforms.lexicon.thesauri.options import ThesaurusOptions
from transforms.lexicon.thesauri.reading import read_thesaurus

__all__ = ["ABOUT", "compile_thesaurus"]

ABOUT = pa.schema(
    [("words", pa.int64()), ("senses", pa.int64()), ("members", pa.int64()), ("placeholders", pa.int64())]
)


def compile_thesaurus(paths: Sequence[str], options: ThesaurusOptions) -> Iterator[tuple[str, pa.Table]]:
    """Yield the tables of a thesaurus.

    Raises:
        LexbeamError: the file is not there, a line is wrong, or it has no word.
    """
    (path,) = paths
    of_words: dict[str, list[int]] = {}
    ids, tags, ends = [], [], []
    texts, hypernyms, placeholders = [], [], []
    for number, (word, sense) in enumerate(read_thesaurus(path, options.format, options.encoding)):
        ids.append(sense.id)
        tags.append(sense.pos)
        for member in sense.members:
            texts.append(member.text)
            hypernyms.append(member.hypernym)
            placeholders.append(member.placeholder)
        ends.append(len(texts))
        own = [one.text.lower() for one in sense.members if not one.placeholder]
        for name in [word] if word is not None else dict.fromkeys(own):
            of_words.setdefault(name, []).append(number)
    if not of_words:
        raise LexbeamError(f"{files.shown(path)} has no word with a sense")
    words = pa.array(list(of_words), pa.large_string())
    order = order_of_keys(words)
    words = words.take(pa.array(order))
    lists = [of_words[name] for name in words.to_pylist()]
    bounds = np.cumsum([0, *map(len, lists)])
    yield "words", pa.table({"key": keys_of(words), "word": words, "start": bounds[:-1], "end": bounds[1:]})
    flat = [number for own in lists for number in own]
    yield "of_word", pa.table({"sense": pa.array(flat, pa.int64())})
    yield (
        "senses",
        pa.table(
            {
                "id": pa.array(ids, pa.large_string()),
                "pos": pa.array(tags, pa.large_string()),
                "start": pa.array([0, *ends[:-1]], pa.int64()),
                "end": pa.array(ends, pa.int64()),
            }
        ),
    )
    yield (
        "members",
        pa.table(
            {
                "text": pa.array(texts, pa.large_string()),
                "hypernym": pa.array(hypernyms, pa.bool_()),
                "placeholder": pa.array(placeholders, pa.bool_()),
            }
        ),
    )
    about = {"words": len(words), "senses": len(ids), "members": len(texts), "placeholders": sum(placeholders)}
    yield "about", pa.Table.from_pylist([about], schema=ABOUT)
