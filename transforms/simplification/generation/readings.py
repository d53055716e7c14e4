"""What a target may be: its lemma and part of speech by annotation, then by the form dictionary.

Taggers take participles for adjectives, and give lemmas that no dictionary has. So a thesaurus is
looked up by the annotation's lemma first, then by those that the dictionary has for the form: those
of the same part of speech first, then the more frequent ones.
"""

from collections import Counter
from typing import NamedTuple

from lexbeam.transforms.inflection.features import feats_of, split
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.inflection.placing import without_pronouns
from lexbeam.transforms.simplification.records import Instance


class LemmaReading(NamedTuple):
    """A lemma in lower case, and its part of speech; None: not known."""

    lemma: str
    upos: str | None


def kind_of(upos: str | None) -> str | None:
    """Return a part of speech as form dictionaries have it: auxiliaries are verbs."""
    return "VERB" if upos == "AUX" else upos


def form_of(target: str, upos: str | None, inflector: Inflecting | None) -> str:
    """Return a target in lower case, without the clitics of a Spanish verb."""
    form = target.lower()
    if inflector is not None and inflector.language == "es" and kind_of(upos) == "VERB":
        form = without_pronouns(inflector, form)[0]
    return form


def readings(instance: Instance, inflector: Inflecting | None) -> list[LemmaReading]:
    """Return what a target may be, the likeliest first, each once."""
    form = instance.target.lower()
    upos = kind_of(instance.upos)
    ordered = [LemmaReading(instance.lemma or form, upos)]
    if inflector is not None:
        ordered += _listed(inflector, form, upos)
        host = form_of(form, "VERB", inflector)
        if host != form:
            ordered += [reading for reading in _listed(inflector, host, "VERB") if reading.upos == "VERB"]
    ordered.append(LemmaReading(form, upos))
    return list(dict.fromkeys(ordered))


def _listed(inflector: Inflecting, form: str, upos: str | None) -> list[LemmaReading]:
    counts = Counter[LemmaReading]()
    for row in inflector.forms.of_form(form):
        counts[LemmaReading(row.lemma, split(row.inflection)[0])] += row.times
    return sorted(counts, key=lambda reading: (reading.upos != upos, -counts[reading], reading))


def features_of(instance: Instance) -> dict[str, str] | None:
    """Return the features of the annotation; None if it has none."""
    return feats_of(instance.feats) if instance.feats else None


def lemma_of_form(form: str, upos: str | None, inflector: Inflecting | None) -> str | None:
    """Return the lemma that the dictionary has for a form; None if it has none.

    Of several, one of the same part of speech counts first, then the more frequent one.
    """
    if inflector is None:
        return None
    listed = _listed(inflector, form, kind_of(upos))
    return listed[0].lemma if listed else None
