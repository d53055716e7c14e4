"""The inflector: dictionary before rules, features of forms, words in others' places."""

from collections import Counter

import pytest

from lexbeam.transforms.inflection.dictionaries import FormEntry
from lexbeam.transforms.inflection.features import feats_of, inflection
from lexbeam.transforms.inflection.inflector import Inflector, compiled
from lexbeam.transforms.inflection.placing import NO_FORM, beside, place

S3 = "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"
P3 = S3.replace("Sing", "Plur")
MASC, FEM = "Gender=Masc|Number=Sing", "Gender=Fem|Number=Sing"
FORMS = [
    *(
        (f"{stem}ar", "VERB", feats, f"{stem}{end}")
        for stem in ("cant", "habl", "salt", "compr", "dibuj")
        for feats, end in ((S3, "a"), (P3, "an"), ("VerbForm=Inf", "ar"), ("VerbForm=Ger", "ando"))
    ),
    *(
        (lemma, "NOUN", f"Gender={gender}|Number={number}", lemma + end)
        for lemma, gender in (
            ("casa", "Fem"),
            ("gato", "Masc"),
            ("guerra", "Fem"),
            ("agua", "Fem"),
            ("máquina", "Fem"),
            ("libro", "Masc"),
            ("hogar", "Masc"),
        )
        for number, end in (("Sing", ""), ("Plur", "es" if lemma == "hogar" else "s"))
    ),
    *(
        (stem + "o", "ADJ", f"Gender={gender}|Number={number}", stem + end)
        for stem in ("bonit", "nuev", "buen")
        for gender, number, end in (
            ("Masc", "Sing", "o"),
            ("Fem", "Sing", "a"),
            ("Masc", "Plur", "os"),
            ("Fem", "Plur", "as"),
        )
    ),
    ("civil", "ADJ", "Number=Sing", "civil"),
    ("civil", "ADJ", "Number=Plur", "civiles"),
]


@pytest.fixture(scope="module")
def spanish():
    entries = Counter(FormEntry(lemma, inflection(upos, feats_of(feats)), form) for lemma, upos, feats, form in FORMS)
    return Inflector(compiled(entries, "es"), "es")


def test_words_that_the_dictionary_has_otherwise(spanish):
    masc, plural = feats_of(MASC), {"Gender": "Masc", "Number": "Plur"}
    # As a form alone: its lemma is inflected.
    assert spanish.inflect("bonita", "ADJ", masc).form == "bonito"
    assert spanish.inflect("cantan", "VERB", {"VerbForm": "Inf"}).form == "cantar"
    # As other parts of speech alone.
    assert spanish.inflect("casa", "ADJ", feats_of(FEM)) is None
    assert spanish.inflect("cantar", "NOUN", {"Number": "Sing"}) is None
    # Adjectives are nouns, too, of the gender that is asked for: *los bonitos*, *la bonita*.
    assert spanish.inflect("bonito", "NOUN", plural)[:2] == ("bonitos", "dictionary")
    assert spanish.inflect("bonito", "NOUN", feats_of(FEM)).form == "bonita"


def test_dictionary_then_rules(spanish):
    known = spanish.inflect("Cantar", "VERB", feats_of(P3))
    assert (known.form, known.source) == ("cantan", "dictionary")
    new = spanish.inflect("sacar", "VERB", feats_of(P3))
    assert (new.form, new.source, new.times, new.total) == ("sacan", "rules", 5, 5)
    alone = spanish.inflect("cantar", "VERB", feats_of(P3), dictionary=False)
    assert (alone.form, alone.source) == ("cantan", "rules")


@pytest.mark.parametrize(
    ("target", "before", "form"),
    [
        ("canta", None, "se compra"),
        ("cantan", "no", "se compran"),
        ("canta", "se", "compra"),
        ("Canta", None, "Se compra"),
        ("cantar", None, "comprarse"),
        ("cantando", None, "comprándose"),
        ("cantarse", None, "comprarse"),
        ("cantándonos", None, "comprándonos"),
        ("cantarlo", None, None),
    ],
)
def test_reflexive_verbs_keep_their_pronoun(spanish, target, before, form):
    placed = place(spanish, "comprarse", "VERB", target, before=before)
    assert (placed.form, placed.reason) == (form, None if form else NO_FORM)


def test_a_reflexive_participle_has_no_pronoun(spanish):
    feats = {"VerbForm": "Part", "Gender": "Masc", "Number": "Sing"}
    rows = [("cantar", "cantado"), ("saltar", "saltado")]
    entries = Counter(FormEntry(*[lemma, inflection("VERB", feats), form]) for lemma, form in rows)
    small = Inflector(compiled(entries, "es"), "es")
    assert place(small, "cantarse", "VERB", "saltado").form == "cantado"


def test_features_need_not_be_the_same(spanish):
    assert spanish.inflect("gato", "NOUN", {"Number": "Plur"}).form == "gatos"
    assert spanish.inflect("gato", "NOUN", feats_of(FEM)).form == "gato"
    assert spanish.inflect("civil", "ADJ", feats_of("Gender=Fem|Number=Plur")).form == "civiles"
    assert spanish.inflect("bonito", "ADJ", feats_of("Gender=Fem|Number=Plur")).form == "bonitas"
    assert spanish.inflect("cantar", "AUX", feats_of(S3)).form == "canta"


def test_singular_goes_first_where_nothing_is_asked(spanish):
    assert spanish.inflect("casa", "NOUN", {}).form == "casa"
    assert spanish.inflect("nuevo", "ADJ", {}).form == "nuevo"
    assert spanish.inflect("nuevo", "ADJ", {"Number": "Plur"}).form == "nuevos"


def test_what_nothing_is_known_of(spanish):
    assert spanish.inflect("cantar", "VERB", feats_of("Mood=Sub|Person=2")) is None
    assert spanish.inflect("casi", "ADV", {}) == ("casi", "lemma", 0, 0)
    assert spanish.features("hola", "INTJ") == []


def test_features_by_dictionary_then_suffix(spanish):
    assert spanish.features("Cantan", "VERB") == [feats_of(P3)]
    assert spanish.features("sacan", "VERB")[0] == feats_of(P3)
    assert spanish.features("sacando", "VERB")[0] == {"VerbForm": "Ger"}
    assert spanish.features("mesas", "NOUN")[0]["Number"] == "Plur"


def test_more_frequent_readings_go_first():
    entries = Counter(
        {
            FormEntry("cantar", inflection("VERB", {"Person": person, "VerbForm": "Fin"}), "cantaba"): times
            for person, times in (("1", 1), ("3", 1))
        }
    )
    assert Inflector(compiled(entries, "es"), "es").features("cantaba", "VERB")[0]["Person"] == "3"
    entries[FormEntry("cantar", "VERB Person=1|VerbForm=Fin", "cantaba")] = 5
    assert Inflector(compiled(entries, "es"), "es").features("cantaba", "VERB")[0]["Person"] == "1"


def test_bytes_do_not_depend_on_order():
    entries = [FormEntry(lemma, inflection(upos, feats_of(feats)), form) for lemma, upos, feats, form in FORMS]
    forward, other = compiled(Counter(entries), "es"), compiled(Counter(entries[::-1]), "es")
    assert {name: array.tobytes() for name, array in forward.items()} == {
        name: array.tobytes() for name, array in other.items()
    }


@pytest.mark.parametrize(
    ("lemma", "upos", "target", "form"),
    [
        ("comprar", "VERB", "Cantan", "Compran"),
        ("comprar", "VERB", "CANTANDO", "COMPRANDO"),
        ("comprar", "VERB", "cantándolo", "comprándolo"),
        ("sacar", "VERB", "cantarlo", "sacarlo"),
        ("hogar", "NOUN", "casas", "hogares"),
        ("gato", "NOUN", "casa", "gato"),
        ("bonito", "ADJ", "buenas", "bonitas"),
        ("guerra civil", "NOUN", "casas", "guerras civiles"),
        ("máquina de coser", "NOUN", "casas", "máquinas de coser"),
        ("guerra civil", "NOUN", "casa", "guerra civil"),
        ("comprar pan", "VERB", "canta", "compra pan"),
    ],
)
def test_words_in_the_place_of_others(spanish, lemma, upos, target, form):
    placed = place(spanish, lemma, upos, target)
    assert (placed.form, placed.reason) == (form, None)


def test_phrases_without_a_form(spanish):
    placed = place(spanish, "guerra relámpago", "NOUN", "casas")
    assert (placed.form, placed.reason) == (None, NO_FORM)


def test_annotated_features_go_before(spanish):
    placed = place(spanish, "gato", "NOUN", "casa", feats={"Number": "Plur"})
    assert placed.form == "gatos"


@pytest.mark.parametrize(
    ("lemma", "target", "before", "now"),
    [
        ("agua", "casa", "la", "el"),
        ("gato", "casa", "una", "un"),
        ("agua", "casas", "las", None),
        ("guerra", "agua", "El", "La"),
        ("libro", "casa", "grande", None),
    ],
)
def test_articles_change(spanish, lemma, target, before, now):
    assert place(spanish, lemma, "NOUN", target, before=before).before == now


@pytest.mark.parametrize(
    ("feats", "before", "form"), [(FEM, "la", "bonita"), (MASC, "el", "bonito"), (FEM, "una", "bonita")]
)
def test_an_adjective_in_the_place_of_a_noun_has_its_gender(spanish, feats, before, form):
    placed = place(spanish, "bonito", "NOUN", "xyz", feats=feats_of(feats), before=before)
    assert (placed.form, placed.before) == (form, None)
    of_many = {**feats_of(feats), "Number": "Plur"}
    assert place(spanish, "bonito", "NOUN", "xyz", feats=of_many).form == f"{form}s"


@pytest.mark.parametrize(
    ("before", "word", "feats", "now"),
    [
        ("esta", "hogar", MASC, "este"),
        ("Otro", "casa", FEM, "Otra"),
        ("muchos", "casas", FEM.replace("Sing", "Plur"), "muchas"),
        ("esta", "agua", FEM, "esta"),
        ("algún", "casa", FEM, "alguna"),
        ("varias", "gatos", MASC.replace("Sing", "Plur"), "varios"),
        ("cada", "casa", FEM, None),
    ],
)
def test_determiners_change_before_nouns(before, word, feats, now):
    assert beside("es", before, word, feats_of(feats)) == now
    assert beside("es", before, word, feats_of(feats), is_noun=False) is None


def test_el_stands_before_nouns_alone(spanish):
    placed = place(spanish, "alto", "ADJ", "buena", feats=feats_of(FEM), before="la")
    assert (placed.form, placed.before) == ("alta", None)  # la alta torre


def test_a_candidate_keeps_its_own_capitals(spanish):
    assert place(spanish, "Roma", "NOUN", "casa").form == "Roma"
    assert place(spanish, "Guerra Mundial", "NOUN", "casa").form == "Guerra Mundial"
    assert place(spanish, "Roma", "NOUN", "CASA").form == "ROMA"
    assert place(spanish, "Gato", "NOUN", "casas").form == "Gatos"


@pytest.mark.parametrize(
    ("language", "before", "word", "now"),
    [
        ("es", "y", "hija", "e"),
        ("es", "y", "hielo", "y"),
        ("es", "e", "niño", "y"),
        ("es", "o", "hombre", "u"),
        ("es", "u", "niño", "o"),
        ("es", "Y", "iglesia", "E"),
        ("en", "AN", "SHIP", "A"),
        ("en", "a", "hour", "an"),
        ("en", "an", "university", "a"),
        ("en", "a", "umbrella", "an"),
        ("en", "A", "unusual", "An"),
        ("en", "a", "European", "a"),
        ("en", "the", "hour", None),
        ("en", "a", "unidentified", "an"),
        ("en", "a", "onerous", "an"),
        ("en", "an", "uvula", "a"),
        ("en", "an", "one-off", "a"),
        ("en", "an", "unified", "a"),
        ("de", "ein", "Haus", None),
        ("es", "el", "casa", None),
    ],
)
def test_words_beside_others(language, before, word, now):
    assert beside(language, before, word) == now


def test_articles_with_prepositions():
    fem, masc = feats_of(FEM), feats_of(MASC)
    assert beside("es", "al", "casa", fem) == "a la"
    assert beside("es", "de la", "gato", masc) == "del"
    assert beside("es", "DEL", "CASA", fem) == "DE LA"
    assert beside("es", "del", "águilas", feats_of("Gender=Fem|Number=Plur")) == "de las"


def test_other_languages_have_their_rules_as_they_are_written():
    rows = [("walk", "walked"), ("talk", "talked"), ("bake", "baked"), ("like", "liked")]
    entries = Counter(FormEntry(lemma, "VERB Tense=Past|VerbForm=Fin", form) for lemma, form in rows)
    english = Inflector(compiled(entries, "en"), "en")
    feats = feats_of("Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin")
    assert english.inflect("bike", "VERB", feats).form == "biked"
    assert place(english, "walk out", "VERB", "talked").form == "walked out"
