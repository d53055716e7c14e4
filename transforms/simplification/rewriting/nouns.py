"""Gender and number of nouns, in a sentence and as candidates, and whether they denote persons."""

from collections.abc import Mapping, Sequence

from lexbeam.transforms.inflection.features import split
from lexbeam.transforms.inflection.inflector import Inflecting, lemmas_of
from lexbeam.transforms.inflection.placing import determiner_cells
from lexbeam.transforms.simplification.rewriting.function_words import PERSONS
from lexbeam.transforms.simplification.rewriting.sentence_words import Cell, fits

_LETTERS = ("a", "o")  # as determiners they may be prepositions or conjunctions


def noun_readings(inflector: Inflecting, form: str) -> list[dict[str, str]]:
    """Return the features that a form in lower case has as a noun in the dictionary."""
    kinds = [split(row.inflection) for row in inflector.forms.of_form(form)]
    return [feats for kind, feats in kinds if kind == "NOUN"]


def cell_in_place(inflector: Inflecting, form: str, feats: Mapping[str, str], before: str | None) -> Cell:
    """Return gender and number of a noun in a sentence: by its features, the dictionary, or the determiner before it.

    Args:
        inflector: of its language.
        form: in lower case; of a phrase the head.
        feats: of the annotation, empty if there is none.
        before: the word before it in lower case; None: there is none.
    """
    known = noun_readings(inflector, form)
    gender = feats.get("Gender") or _only(known, "Gender")
    number = feats.get("Number") or _only(known, "Number")
    if before is not None and before not in _LETTERS and None in (gender, number):
        cells = determiner_cells(inflector.language, before)
        shown = [cell for cell in cells if gender in (None, cell[0]) and number in (None, cell[1])]
        if len(shown) == 1:
            gender, number = gender or shown[0][0], number or shown[0][1]
    return Cell(gender, number)


def cell_of(inflector: Inflecting, form: str, own: Cell) -> Cell:
    """Return gender and number of a noun in another's place; those of the other where the dictionary does not decide.

    Args:
        inflector: of its language.
        form: in lower case; of a phrase the head.
        own: those of the other.
    """
    known = noun_readings(inflector, form)
    if not known:  # a guess by its ending would move words that agree
        return own
    fitting = [feats for feats in known if fits(feats, Cell(None, own.number))]
    number = own.number if fitting else _only(known, "Number")
    fitting = fitting or known
    agrees = own.gender is not None and any(fits(feats, Cell(own.gender, None)) for feats in fitting)
    return Cell(own.gender if agrees else _only(fitting, "Gender"), number)


def is_person(inflector: Inflecting, form: str) -> bool:
    """Return whether a noun has a form for either gender (*filósofo*, *filósofa*), or is known to denote a person.

    Animals of two forms count, too.
    """
    lemmas = lemmas_of(inflector, form, "NOUN", others=False)
    if not {form, *lemmas}.isdisjoint(PERSONS.get(inflector.language, ())):
        return True
    return bool(lemmas) and all(_has_both(inflector, lemma) for lemma in lemmas)


def _has_both(inflector: Inflecting, lemma: str) -> bool:
    made = [inflector.inflect(lemma, "NOUN", {"Gender": gender, "Number": "Sing"}) for gender in ("Masc", "Fem")]
    return len({one.form for one in made if one is not None and one.source == "dictionary"}) == len(made)


def _only(known: Sequence[Mapping[str, str]], name: str) -> str | None:
    """Return the value that all features have; None: there are several, or none."""
    values = {feats.get(name) for feats in known}
    return values.pop() if len(values) == 1 else None
