"""What is looked up, what becomes of proposals, what is protected."""

import pytest
from generated import FORMS, keep_inflector
from instances_made import instance

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.inflection import models
from lexbeam.transforms.inflection.models import load_inflector, open_inflector
from lexbeam.transforms.simplification.generation.target_forms import (
    LemmaReading,
    formed,
    key_of,
    lemma_of_form,
    protection,
    readings,
)
from lexbeam.transforms.simplification.records import INSTANCE_COLUMNS, Instance, Proposal


@pytest.fixture(scope="module")
def spanish(tmp_path_factory):
    path = tmp_path_factory.mktemp("es") / "es.inflector"
    doors = [("puerta", "NOUN", f"Gender=Fem|Number={n}", f"puerta{end}") for n, end in (("Sing", ""), ("Plur", "s"))]
    tired = ("cansada", "NOUN", "Gender=Fem|Number=Sing", "cansada")
    keep_inflector(path, [*FORMS, tired, *doors])
    return load_inflector(str(path))


def record(*fields, **other):
    row = instance(*fields, **other)
    return Instance(*(row[name] for name in INSTANCE_COLUMNS))


def lemma(text, **other):
    return Proposal(text, 1.0, True, **other)


def test_annotation_goes_before_the_dictionary(spanish):
    instance = record("Está [[cansada]].", "x", "VERB")
    assert readings(instance, spanish) == [
        LemmaReading("x", "VERB"),
        LemmaReading("cansar", "VERB"),
        LemmaReading("cansada", "NOUN"),
        LemmaReading("cansado", "ADJ"),
        LemmaReading("cansada", "VERB"),
    ]
    assert readings(instance, None) == [LemmaReading("x", "VERB"), LemmaReading("cansada", "VERB")]
    bare = record("Está [[cansada]].")
    assert readings(bare, None) == [LemmaReading("cansada", None)]


def test_clitics_come_off_for_the_look_up(spanish):
    instance = record("Quiere [[Cansarlo]].", "cansarlo", "NOUN")
    assert LemmaReading("cansar", "VERB") in readings(instance, spanish)


def test_lemmas_of_forms(spanish):
    assert lemma_of_form("cansada", "VERB", spanish) == "cansar"
    assert lemma_of_form("canes", "VERB", spanish) == "can"
    assert lemma_of_form("xyz", "VERB", spanish) is None
    assert lemma_of_form("canes", "NOUN", None) is None


@pytest.mark.parametrize(
    ("text", "form", "lemma_", "reason"),
    [
        ("can", "canes", "can", None),
        ("perro", "perros", "perro", "is_target"),
        ("CAN", "canes", "can", None),
        ("amigo_de  casa", "amigos de casa", "amigo de casa", None),
        ("gato ninja", "gato ninja", "gato ninja", "no_form"),
        ("- 4", "- 4", None, "not_a_word"),
        ("sabueso", "sabuesos", "sabueso", "barred"),
        ("gato", "gatos", "gato", "barred"),
    ],
)
def test_lemmas_in_the_place_of_a_noun(spanish, text, form, lemma_, reason):
    instance = record("Los [[Perros]] ladran.", "perro", "NOUN")
    (made,) = formed(instance, [lemma(text)], spanish, {"sabueso", "gatos"})
    assert (made.form, made.lemma, made.reason) == (form, lemma_, reason)
    if reason is None:
        capitals = "CANes" if text == "CAN" else form.capitalize()  # its own ones stay
        assert made.shown == capitals


def test_other_spellings_of_an_english_target_are_no_candidates():
    texts = ("endeavors", "efforts", "endeavours", "attempts")
    proposals = [Proposal(text, 1.0, False) for text in texts]
    sentence = "His [[Endeavours]] failed."
    made = formed(record(sentence, language="en"), proposals, None)
    assert [one.reason for one in made] == ["spelling_variant", None, "is_target", None]
    assert [one.reason for one in formed(record(sentence), proposals, None)] == [None, None, "is_target", None]


def test_apostrophes_make_no_other_word():
    proposals = [Proposal(text, 1.0, False) for text in ("king's", "kingʼs", "ruler’s", "lord’s")]
    made = formed(record("The [[king’s]] ship.", language="en"), proposals, None, {"ruler's"})
    assert [one.reason for one in made] == ["is_target", "is_target", "barred", None]
    assert made[-1].form == "lord’s"  # what is published keeps its sign


def test_forms_stay_and_get_a_lemma(spanish):
    instance = record("Los [[perros]] ladran.", "perro", "NOUN")
    rows = formed(instance, [Proposal(text, 1.0, False) for text in ("Can", "xyz", "Perros")], spanish)
    assert [(row.form, row.lemma, row.shown, row.inflected, row.reason) for row in rows] == [
        ("can", "can", "Can", None, None),
        ("xyz", None, "xyz", None, None),
        ("perros", "perro", "Perros", None, "is_target"),
    ]


@pytest.mark.parametrize(
    ("marked", "form", "upos", "before"),
    [
        ("El [[perro]] ladra.", "puerta", "NOUN", "La"),
        ("al [[perro]]", "perros", "NOUN", "a los"),
        ("La [[puerta]] verde.", "can", "NOUN", "El"),
        ("la [[puerta]]", "xyz", "NOUN", None),
        ("la [[puerta]]", "can", "ADJ", None),
        ("la [[puerta]]", "puertas de can", "NOUN", "las"),
        ("can y [[perro]]", "ibis", "ADJ", "e"),
        ("uno O [[can]]", "otro", None, "U"),
        ("can y [[perro]]", "puerta", "NOUN", None),
    ],
)
def test_what_is_before_a_form_agrees_with_it(spanish, marked, form, upos, before):
    instance = record(marked, None, upos)
    assert formed(instance, [Proposal(form, 1.0, False)], spanish)[0].before == before


def test_articles_stay_where_a_form_has_both_genders(tmp_path):
    path = tmp_path / "es.inflector"
    both = [("coma", "NOUN", f"Gender={gender}|Number=Sing", "coma") for gender in ("Fem", "Masc")]
    keep_inflector(path, [*FORMS, *both])
    instance = record("El [[perro]] ladra.", "perro", "NOUN")
    (made,) = formed(instance, [Proposal("coma", 1.0, False)], load_inflector(str(path)))
    assert made.before is None


@pytest.mark.parametrize("is_lemma", [True, False])
def test_articles_by_sound_need_no_dictionary(is_lemma):
    instance = record("An [[arduous]] task.", "arduous", "ADJ", language="en")
    rows = formed(instance, [Proposal(text, 1.0, is_lemma) for text in ("hard", "easy")], None)
    assert [row.before for row in rows] == ["A", None]


def test_a_proposal_says_what_it_is_inflected_as(spanish):
    instance = record("Está [[cansada]].", "cansada", "ADJ")
    rows = formed(instance, [lemma("agotar", upos="VERB", of="cansar"), lemma("harto")], spanish)
    assert [row.form for row in rows] == ["agotada", "harta"]


def test_annotated_features_count(spanish):
    instance = record("Los [[perros]] ladran.", "perro", "NOUN", feats="Number=Sing")
    (made,) = formed(instance, [lemma("can")], spanish)
    assert (made.form, made.feats) == ("can", "Number=Sing")


def test_without_annotation_the_dictionary_says_the_part_of_speech(spanish):
    instance = record("Los [[perros]] ladran.")
    assert formed(instance, [lemma("can")], spanish)[0].form == "canes"
    unknown = record("Los [[xyzs]] ladran.")
    assert formed(unknown, [lemma("can")], spanish)[0].form == "can"


@pytest.mark.parametrize(
    ("sentence", "feats", "form"),
    [
        ("We [[hid]] it.", None, "saw"),
        ("We have [[hid]] it.", None, "seen"),
        ("It's never [[hid]].", None, "seen"),
        ("The mother's child [[hid]] it.", None, "saw"),
        ("A thing [[hid]] by us.", None, "seen"),
        ("We [[hid]] it.", "Tense=Past|VerbForm=Part", "seen"),
    ],
)
def test_english_past_forms_go_by_the_sentence_unless_the_annotation_says_them(tmp_path, sentence, feats, form):
    finite, participle = "Tense=Past|VerbForm=Fin", "Tense=Past|VerbForm=Part"
    verbs = [("hide", "hid", "hid"), ("see", "saw", "seen")]
    forms = [
        (one, "VERB", feats_, made)
        for one, *both in verbs
        for feats_, made in zip((finite, participle), both, strict=True)
    ]
    keep_inflector(tmp_path / "en.inflector", forms, language="en")
    instance = record(sentence, "hide", "VERB", language="en", feats=feats)
    (made,) = formed(instance, [lemma("see", upos="VERB", of="hide")], load_inflector(str(tmp_path / "en.inflector")))
    assert made.form == form


def test_a_generators_reason_stands(spanish):
    instance = record("Los [[perros]] ladran.", "perro", "NOUN")
    (made,) = formed(instance, [lemma("Hound", reason="placeholder")], spanish)
    assert (made.form, made.lemma, made.shown, made.reason) == ("hound", "hound", None, "placeholder")


def test_accents_that_are_written_in_two_ways_are_one_key():
    assert key_of("ni\u006e\u0303o") == key_of("Ni\u00f1O") == "niño"


@pytest.mark.parametrize(
    ("marked", "lemma_", "upos", "language", "why"),
    [
        ("Vive en [[Roma]].", None, None, "es", "name"),
        ("[[Roma]] vive.", None, None, "es", None),
        ("«[[Roma]]» vive.", None, None, "es", None),
        ("Ein [[Hund]].", None, None, "de", None),
        ("[[Roma]] vive.", "roma", "PROPN", "es", "name"),
        ("Un [[Perro]].", "perro", "NOUN", "es", None),
        ("Un [[perro]].", "x", "PROPN", "es", None),
        ("Un [[Can]].", None, None, "es", "word"),
        ("Unos [[canes]].", "Can", "NOUN", "es", "word"),
    ],
)
def test_who_is_protected(marked, lemma_, upos, language, why):
    instance = record(marked, lemma_, upos, language=language)
    assert protection(instance, "protect", {"can"}) == why
    assert protection(instance, "replace", {"can"}) == (why if why == "word" else None)


def test_an_inflector_that_has_changed_is_not_taken(tmp_path, monkeypatch):
    path = tmp_path / "es.inflector"
    keep_inflector(path)
    reference = models.inflector_reference(str(path))
    assert open_inflector(reference) is open_inflector(reference)
    monkeypatch.setattr(models, "_OPENED", {})  # as in another process
    path.unlink()
    keep_inflector(path, FORMS[:3])
    with pytest.raises(LexbeamError, match="changed while it was used"):
        open_inflector(reference)
