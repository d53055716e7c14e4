"""Inflection of a word as another one is, from forms that the corpus has of its lemma.

There are no paradigms here. The ending of a form is what stands behind the longest beginning that
it shares with its lemma: `increased` of `increase` ends in `d`, `planned` of `plan` in `ned`. Of
the forms that the corpus has of a lemma with the answer's part of speech, that one is taken whose
ending shares the longest end with the answer's; a form without ending matches only another, and the
lemma is one, whether or not the corpus has it so. So irregular forms (`fell`) match none but those
that happen to end alike. That is an approximation of ours: the paper does not say whether options
were inflected.
"""

from collections.abc import Iterable


def ending(form: str, lemma: str) -> str:
    """Return what a form has behind the longest beginning that it shares with its lemma.

    >>> ending("increased", "increase"), ending("planned", "plan"), ending("fell", "fall")
    ('d', 'ned', 'ell')
    """
    return form[_shared(form, lemma) :]


def inflected(word: str, lemma: str, forms: Iterable[tuple[str, int]], answer: str, answer_lemma: str) -> str | None:
    """Return a word in the form that matches the answer's; None if the corpus has none.

    Args:
        word: the word as it was named; it stays if its own ending matches as well as any.
        lemma: its lemma.
        forms: the forms of this lemma with the answer's part of speech, and how often there are.
        answer: the answer as it stands.
        answer_lemma: its lemma.

    All but `word` in lower case. Of several forms the most frequent is taken, then the first one.

    >>> forms = [("plan", 4), ("plans", 2), ("planned", 2), ("planning", 1)]
    >>> [inflected("plan", "plan", forms, *of) for of in [("increased", "increase"),
    ...  ("cities", "city"), ("fell", "fall")]]
    ['planned', 'plans', None]
    """
    wanted = ending(answer, answer_lemma)
    found = dict(forms)
    ranked = [
        (-shared, form != word.lower(), -count, form)
        for form, count in ({lemma: 0, **found} if found else {}).items()
        if (shared := _matches(wanted, ending(form, lemma))) >= 0
    ]
    if not ranked:
        return None
    _, other, _, form = min(ranked)
    return form if other else word


def _matches(wanted: str, ending_of_form: str) -> int:
    """Return how many characters two endings share at their end, -1 if they do not match."""
    if not wanted or not ending_of_form:
        return 0 if wanted == ending_of_form else -1
    return _shared(wanted[::-1], ending_of_form[::-1]) or -1


def _shared(first: str, second: str) -> int:
    """Return how many characters two texts begin with that are the same."""
    for place, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return place
    return min(len(first), len(second))


def cased_as(word: str, answer: str) -> str:
    """Return a word with a capital first letter if the answer has one, else as it is.

    >>> cased_as("trust", "Hope"), cased_as("NHS", "hope")
    ('Trust', 'NHS')
    """
    if answer[:1].isupper() and word[:1].islower():
        return word[:1].upper() + word[1:]
    return word
