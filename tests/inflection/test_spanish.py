"""Spanish spelling: sounds, stress, clitics."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.inflection.spanish import (
    CLITICS,
    attach_clitics,
    decode,
    encode,
    feminine_el,
    stressed,
    strip_clitics,
    verb_sounds,
    verb_spelled,
)

PLURALS = {
    "examen": "exámenes",
    "joven": "jóvenes",
    "nación": "naciones",
    "país": "países",
    "luz": "luces",
    "lápiz": "lápices",
    "inglés": "ingleses",
    "raíz": "raíces",
    "autobús": "autobuses",
    "orden": "órdenes",
    "rey": "reyes",
    "tabú": "tabúes",
}


@pytest.mark.parametrize(("word", "plural"), PLURALS.items())
def test_stress_stays_where_it_is(word, plural):
    assert decode(stressed(word) + "es") == plural


@pytest.mark.parametrize(
    ("stem_of", "ending", "form"),
    [
        ("sacar", "é", "saqué"),
        ("llegar", "ué", "llegüé"),
        ("llegar", "é", "llegué"),
        ("cazar", "é", "cacé"),
        ("averiguar", "é", "averigüé"),
    ],
)
def test_spelling_follows_sounds(stem_of, ending, form):
    assert decode(encode(stem_of)[:-2] + ending) == form


@given(st.sampled_from(["apoyar", "huyó", "cayendo", "oía", "leyeron", "construye", "guiar"]))
def test_y_of_verbs_between_vowels(form):
    assert verb_spelled(verb_sounds(form)) == form
    assert verb_spelled(verb_sounds("leer")[:-2] + "ió") == "leyó"


def test_seguir_loses_its_u():
    assert decode(encode("seguir")[:-2] + "o") == "sego"
    assert decode(encode("coger")[:-2] + "o") == "cojo"


@given(st.text("abcdeghijlmnoqrstuvyzáéíóúüñ", min_size=1, max_size=12))
def test_any_word_can_be_spelled_again(word):
    assert decode(encode(word)) == word
    marked = stressed(word)
    assert decode(marked) == word
    assert marked.count("\u0301") <= 1


HOSTS = {"decir": "decir", "dar": "dar", "oír": "oír", "dando": "dándo", "haciendo": "haciéndo", "leyendo": "leyéndo"}


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("pronouns", [("lo",), ("se",), ("se", "lo"), ("nos", "la"), ("me", "las")])
def test_clitics_come_off_as_they_were_put(host, pronouns):
    form = attach_clitics(host, pronouns)
    assert form.endswith("".join(pronouns))
    assert re.sub("[áéíóú]", "", form) != form or len(pronouns) == 1
    assert strip_clitics(form) == (host, pronouns)


@pytest.mark.parametrize(
    ("form", "host", "pronouns"),
    [
        ("dándoselo", "dando", ("se", "lo")),
        ("irse", "ir", ("se",)),
        ("reírse", "reír", ("se",)),
        ("cómpralas", "compra", ("las",)),
        ("dígaselo", "diga", ("se", "lo")),
        ("vámonos", "vamos", ("nos",)),
        ("dímelo", "di", ("me", "lo")),
        ("permitirnos", "permitir", ("nos",)),
        ("casa", "casa", ()),
        ("vela", "vela", ()),
        ("comer", "comer", ()),
        ("dando", "dando", ()),
    ],
)
def test_clitics_of_forms(form, host, pronouns):
    assert strip_clitics(form) == (host, pronouns)
    assert attach_clitics(host, pronouns) == form


def test_known_hosts_decide():
    assert strip_clitics("mételo", known={"mete"}.__contains__) == ("mete", ("lo",))
    assert strip_clitics("mételo", known={"di"}.__contains__) == ("mételo", ())


@pytest.mark.parametrize(
    ("form", "host", "pronouns"),
    [
        ("ponlas", "pon", ("las",)),
        ("colocadlos", "colocad", ("los",)),
        ("dime", "di", ("me",)),
        ("sentaos", "sentad", ("os",)),
        ("vela", "vela", ()),
    ],
)
def test_known_hosts_of_forms_without_accent(form, host, pronouns):
    known = {"pon", "colocad", "di", "sentad"}.__contains__
    assert strip_clitics(form, known) == (form, ())
    assert strip_clitics(form, known, unmarked=True) == (host, pronouns)
    assert attach_clitics(host, pronouns) == form


@pytest.mark.parametrize(
    ("host", "pronouns", "form"),
    [
        ("sentad", ("os",), "sentaos"),
        ("vestid", ("os",), "vestíos"),
        ("vamos", ("nos",), "vámonos"),
        ("levantemos", ("nos",), "levantémonos"),
        ("averigüe", ("lo",), "averígüelo"),
    ],
)
def test_hosts_that_lose_a_letter(host, pronouns, form):
    assert attach_clitics(host, pronouns) == form


@given(st.text("abcdegilmnorstuáéíó", min_size=1, max_size=14))
def test_what_comes_off_goes_on_again(form):
    host, pronouns = strip_clitics(form)
    assert set(pronouns) <= set(CLITICS)
    assert attach_clitics(host, pronouns) == form


def test_el_before_stressed_a():
    assert all(map(feminine_el, ("agua", "águila", "hacha", "hambre", "alma", "aula", "Álgebra", "A\u0301rea", "haz")))
    assert not any(map(feminine_el, ("amiga", "harina", "abeja", "casa", "oca", "ahí", "acción", "actriz")))
    assert not any(map(feminine_el, ("a", "hache", "alfa", "árabe", "Ácrata", "árbitra")))
