"""Own vectors: what embeddings of a reader begin as, trained on texts of the folds that it may see.

Skip-grams with negative sampling (Mikolov et al. 2013) over passages and whole summaries, answers
in their places. No text of the fold that is held out is seen: its summaries tell the answers.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from transforms.cloze.readers.options import RESERVED, NumberLists, ReaderNetworkOptions
from transforms.embeddings.sgns import SgnsOptions, train

__all__ = ["own_vectors"]

_LONGEST = 1000  # words of a text that are read at once; gensim passes over those beyond 10,000
_LEAST = 2  # uses of a word, for it to have a vector


def own_vectors(
    texts: tuple[NumberLists, ...], rows: npt.NDArray[np.int64], words: int, options: ReaderNetworkOptions, *, seed: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]] | None:
    """Return a vector for each number of a word, float32, and which words have one; None: none has.

    Vectors have the length `dim`, and are scaled so that all their numbers together have the
    standard deviation `own_deviation`.

    Args:
        texts: words of passages, of summaries, and so on.
        rows: which of them are read; their order counts.
        words: how many numbers words have, `RESERVED` among them.
        options: `dim`, and those that begin with `own_`.
        seed: any whole number.
    """
    names = [str(number) for number in range(words)]

    def feed() -> Iterator[list[str]]:
        for lists in texts:
            for row in rows.tolist():
                text = lists.values[lists.bounds[row] : lists.bounds[row + 1]]
                text = text[text >= RESERVED]
                for start in range(0, len(text), _LONGEST):
                    yield [names[number] for number in text[start : start + _LONGEST].tolist()]

    counts: Counter[str] = Counter()
    number = 0
    for text in feed():
        counts.update(text)
        number += 1
    if max(counts.values(), default=0) < _LEAST:
        return None
    own = SgnsOptions(
        dim=options.dim,
        window=options.own_window,
        epochs=options.own_epochs,
        negative=options.own_negative,
        sample=options.own_sample,
        min_count=_LEAST,
        alpha=options.own_rate,
    )
    found, vectors = train(
        feed,
        counts,
        own,
        seed=seed % (1 << 32),
        sentences=number,
        tokens=counts.total(),
        slice_name="passages and summaries",
    )
    taken = np.zeros((words, options.dim), np.float32)
    there = np.zeros(words, bool)
    places = np.array([int(name) for name in found])
    there[places] = True
    deviation = float(vectors.std())
    taken[places] = vectors * (options.own_deviation / deviation if deviation else 1.0)
    return taken, there
