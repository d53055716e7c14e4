"""Adapted Lesk word by word, as its definition reads; texts are lists of words."""

from collections.abc import Collection, Sequence


def stands_in(phrase: Sequence[str], text: Sequence[str]) -> bool:
    size = len(phrase)
    return any(list(text[at : at + size]) == list(phrase) for at in range(len(text) - size + 1))


def shared_phrases(gloss: Sequence[str], texts: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the runs of a gloss that stand in a text and do not with one more word."""

    def found(begin: int, end: int) -> bool:
        inside = 0 <= begin < end <= len(gloss)
        return inside and any(stands_in(gloss[begin:end], text) for text in texts)

    return [
        tuple(gloss[begin:end])
        for begin in range(len(gloss))
        for end in range(begin + 1, len(gloss) + 1)
        if found(begin, end) and not found(begin - 1, end) and not found(begin, end + 1)
    ]


def score(
    glosses: Sequence[Sequence[str]],
    texts: Sequence[Sequence[str]],
    target_words: Collection[str],
    stop: Collection[str],
) -> int:
    """Return the score of a sense of these glosses; `target_words` are the words of the target."""
    pieces = [piece for text in texts for piece in without(text, target_words)]
    return sum(
        len(phrase) ** 2
        for gloss in glosses
        for phrase in shared_phrases(gloss, pieces)
        if not set(phrase) <= set(stop)
    )


def without(text: Sequence[str], target_words: Collection[str]) -> list[list[str]]:
    """Return the pieces of a text between words that are left out."""
    pieces: list[list[str]] = [[]]
    for word in text:
        if word in target_words:
            pieces.append([])
        else:
            pieces[-1].append(word)
    return pieces


def choice(scores: Sequence[int]) -> int:
    """Return the place of the greatest score, of several the first."""
    return scores.index(max(scores))
