"""Completion of paradigms: from what lemmas have to what they lack."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.inflection.dictionaries import FormEntry
from lexbeam.transforms.inflection.features import inflection
from lexbeam.transforms.inflection.inflector import COMPLETED, Inflector, compiled
from lexbeam.transforms.inflection.paradigms import completed

SINGULAR = {"Mood": "Ind", "Number": "Sing", "Person": "3", "Tense": "Pres", "VerbForm": "Fin"}
PLURAL = {**SINGULAR, "Number": "Plur"}

VERBS = {
    "temer": "teme",
    "beber": "bebe",
    "ceder": "cede",
    "poder": "puede",
    "mover": "mueve",
    "comer": "come",
    "deber": "debe",
    "soler": "suele",
    "vender": "vende",
    "morder": "muerde",
}


def rows_of(plurals):
    rows = [("3 Sing", lemma, form, 1) for lemma, form in VERBS.items()]
    return rows + [("3 Plur", lemma, VERBS[lemma] + "n", 1) for lemma in plurals]


def added(rows):
    result = completed(rows)
    assert result[: len(rows)] == sorted(rows)
    return result[len(rows) :]


def test_the_missing_forms_follow_from_those_that_are_there():
    plurals = ["temer", "beber", "poder", "comer"]
    expected = [("3 Plur", lemma, VERBS[lemma] + "n", 1) for lemma in sorted(VERBS.keys() - set(plurals))]
    assert added(rows_of(plurals)) == expected


@pytest.mark.parametrize("plurals", [["temer", "beber", "poder"], list(VERBS)[:5]])
def test_too_few_shared_lemmas_say_nothing_and_frequent_inflections_lack_nothing(plurals):
    assert added(rows_of(plurals)) == []


def test_inflections_that_do_not_follow_are_left():
    plurals = {"temer": "x", "beber": "yy", "poder": "zzz", "comer": "wwww"}
    rows = rows_of([]) + [("3 Plur", lemma, form, 1) for lemma, form in plurals.items()]
    assert added(rows) == []


def test_a_lemma_with_two_forms_says_nothing():
    rows = [*rows_of(["temer", "beber", "poder"]), ("3 Plur", "comer", "comen", 1)]
    doubled = [*rows, ("3 Plur", "comer", "comin", 1)]
    assert added(rows)
    assert not added(doubled)
    # Nor is it given a third.
    doubled = [*rows_of(["temer", "beber", "poder", "deber"]), *doubled[-2:]]
    assert "comer" not in {lemma for _, lemma, _, _ in added(doubled)}


def test_what_holds_for_most_lemmas_is_not_said_of_those_with_another_end():
    stems = [
        "cant",
        "llam",
        "mir",
        "pas",
        "tom",
        "mont",
        "cort",
        "gan",
        "llen",
        "llor",
        "borr",
        "at",
        "salt",
        "trat",
        "quit",
        "gast",
        "junt",
        "lav",
        "nad",
        "rob",
    ]
    rows = [("Inf", f"{stem}ar", f"{stem}ar", 1) for stem in stems * 2]
    rows += [("Part", f"{stem}ar", f"{stem}ados", 1) for stem in stems]
    regular = ["dej", "form", "logr", "us", *(f"re{stem}" for stem in stems)]
    rows += [("Inf", f"{stem}ar", f"{stem}ar", 1) for stem in regular]
    seconds = [f"{stem}er" for stem in ("tem", "vend", "beb", "corr", "met")]
    rows += [("Inf", lemma, lemma, 1) for lemma in seconds]
    rows += [("Part", "temer", "temidos", 1), ("Part", "vender", "vendidos", 1)]
    participles = {lemma: form for name, lemma, form, _ in added(rows) if name == "Part"}
    assert participles == {f"{stem}ar": f"{stem}ados" for stem in regular}


words = st.text("aeiorn", min_size=1, max_size=5)


@given(st.lists(st.tuples(st.sampled_from("ABC"), words, words), max_size=60), st.randoms())
def test_order_does_not_matter_and_what_is_given_stays(drawn, random):
    rows = [(*row, 1) for row in drawn]
    once = added(rows)
    random.shuffle(rows)
    assert added(rows) == once
    has = {row[:2] for row in rows}
    assert not has & {row[:2] for row in once}
    assert len({row[:2] for row in once}) == len(once)
    assert {row[1] for row in once} <= {row[1] for row in rows}


def test_rules_know_changes_that_only_another_inflection_shows():
    singular, plural = inflection("VERB", SINGULAR), inflection("VERB", PLURAL)
    verbs = {
        "contar": "cuenta",
        "encontrar": "encuentra",
        "cantar": "canta",
        "saltar": "salta",
        "llamar": "llama",
        "mirar": "mira",
        "montar": "monta",
        "remontar": "remonta",
        "pasar": "pasa",
        "tomar": "toma",
    }
    entries = Counter(FormEntry(lemma, singular, form) for lemma, form in verbs.items())
    for lemma in ("cantar", "llamar", "mirar", "pasar"):
        entries[FormEntry(lemma, plural, verbs[lemma] + "n")] += 1
    assert "VERB" in COMPLETED
    inflector = Inflector(compiled(entries, "es"), "es")
    assert inflector.inflect("descontar", "VERB", PLURAL).form == "descuentan"
    assert inflector.inflect("desmontar", "VERB", PLURAL).form == "desmontan"
