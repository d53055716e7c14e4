"""Key word in context: a use of a word with the text before and after it."""

import re
from typing import NamedTuple

from lexbeam.transforms.corpora.document_reading import FetchedSentence

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
