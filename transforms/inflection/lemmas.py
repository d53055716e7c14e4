"""The lemmas of a form, by a form dictionary."""

from collections import Counter

from lexbeam.transforms.inflection.features import inflection, split
from lexbeam.transforms.inflection.inflector import Inflecting


def lemmas_of(inflector: Inflecting | None, form: str, upos: str | None, *, others: bool = True) -> list[str]:
    """Return the lemmas that a dictionary has for a form, the commonest first.

    Args:
        inflector: the dictionary; None: nothing is known.
        form: in lower case.
        upos: only those of this part of speech, if there are any.
        others: whether those of others count if there are none.
    """
    rows = inflector.forms.of_form(form) if inflector is not None else []
    if upos is not None:
        kind = split(inflection(upos, {}))[0]
        same_pos = [row for row in rows if split(row.inflection)[0] == kind]
        rows = same_pos or (rows if others else [])
    counts = Counter[str]()
    for row in rows:
        counts[row.lemma] += row.times
    return sorted(counts, key=lambda lemma: (-counts[lemma], lemma))
