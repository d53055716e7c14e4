"""Verb forms of a text without the pronouns behind them, and the features that they have there.

Spelling shows pronouns behind gerunds, and behind forms with an accent for them (spanish.py); for
other forms a dictionary decides: `colocadlos` is not in it, and `colocad` is an imperative. Behind
other finite forms there are no pronouns: the `di` of `dímelo` is of *decir*.
"""

from collections.abc import Mapping

from lexbeam.transforms.inflection.features import inflection, split
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.inflection.spanish import strip_clitics

_GERUNDS = ("ando", "iendo", "yendo")


def without_pronouns(
    inflector: Inflecting, form: str, feats: Mapping[str, str] | None = None
) -> tuple[str, tuple[str, ...]]:
    """Return a Spanish verb form without the pronouns behind it, and these.

    Args:
        inflector: of Spanish; a host that it knows goes before others.
        form: in lower case.
        feats: its features if the annotation has them.
    """

    def is_imperative(host: str) -> bool:
        rows = inflector.forms.of_form(host)
        return any(split(row.inflection)[1].get("Mood") == "Imp" for row in rows)

    divided = strip_clitics(form, known=inflector.has_verb)
    if divided[1] or inflector.forms.of_form(form):
        return divided
    divided = strip_clitics(form, known=is_imperative, unmarked=True)
    if divided[1]:
        return divided
    host, pronouns = strip_clitics(form)
    is_gerund = host.endswith(_GERUNDS)
    annotated = (feats or {}).get("VerbForm") == "Inf" and host.endswith("r")
    if pronouns and (is_gerund or annotated):
        return host, pronouns
    return form, ()


def likeliest_features(
    inflector: Inflecting, target: str, upos: str, lemma: str | None = None
) -> Mapping[str, str] | None:
    """Return the likeliest features of a word as a part of speech; None if nothing is known.

    Args:
        inflector: of its language.
        target: as it stands.
        upos: its part of speech.
        lemma: if known, see `Inflecting.features`.
    """
    form, pronouns = target.lower(), tuple[str, ...]()
    if inflector.language == "es" and split(inflection(upos, {}))[0] == "VERB":
        form, pronouns = without_pronouns(inflector, form)
    known = inflector.features(form, upos, lemma)
    if pronouns and form.endswith(_GERUNDS):
        return {"VerbForm": "Ger"}
    if pronouns and form.endswith("r"):
        return {"VerbForm": "Inf"}
    if pronouns:
        known = sorted(known, key=_unlikely_before_pronouns)
    return known[0] if known else None


def _unlikely_before_pronouns(feats: Mapping[str, str]) -> int:
    if feats.get("Mood") == "Imp":
        return 0
    return 1 if (feats.get("Mood"), feats.get("Tense")) == ("Sub", "Pres") else 2
