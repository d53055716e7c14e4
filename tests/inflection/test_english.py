"""English inflection: forms, features and places, by the library's dictionary and its rules."""

import importlib
import importlib.util
from collections import Counter

import pytest

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.inflection import english
from lexbeam.transforms.inflection.english import EnglishInflector, english_inflector, english_version, tag_of
from lexbeam.transforms.inflection.features import feats_of
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.inflection.placing import place

S3 = "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"
PAST = "Mood=Ind|Tense=Past|VerbForm=Fin"
PART = "Tense=Past|VerbForm=Part"
ING = "Tense=Pres|VerbForm=Part"


@pytest.fixture(scope="module")
def library() -> Inflecting:
    pytest.importorskip("lemminflect")
    return english_inflector()


@pytest.mark.parametrize(
    ("lemma", "upos", "feats", "form", "source"),
    [
        ("watch", "VERB", S3, "watches", "dictionary"),
        ("go", "VERB", PAST, "went", "dictionary"),
        ("go", "VERB", PART, "gone", "dictionary"),
        ("walk", "VERB", PART, "walked", "dictionary"),
        ("run", "VERB", ING, "running", "dictionary"),
        ("lie", "VERB", "VerbForm=Ger", "lying", "dictionary"),
        ("try", "VERB", "Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin", "try", "dictionary"),
        ("comply", "VERB", S3.replace("Ind", "Sub"), "comply", "dictionary"),
        ("Child", "NOUN", "Number=Plur", "children", "dictionary"),
        ("scissors", "NOUN", "Number=Ptan", "scissors", "dictionary"),
        ("regards", "NOUN", "Number=Ptan", "regards", "rules"),
        ("garment", "NOUN", "Number=Ptan", "garments", "dictionary"),
        ("person", "NOUN", "Number=Plur", "people", "dictionary"),
        ("more", "ADV", "Degree=Cmp", "more", "dictionary"),
        ("child", "NOUN", "Number=Sing", "child", "dictionary"),
        ("good", "ADJ", "Degree=Cmp", "better", "dictionary"),
        ("big", "ADJ", "Degree=Sup", "biggest", "dictionary"),
        ("well", "ADV", "Degree=Cmp", "better", "dictionary"),
        ("difficult", "ADJ", "Degree=Cmp", "more difficult", "dictionary"),
        ("difficult", "ADJ", "Degree=Sup", "most difficult", "dictionary"),
        ("quickly", "ADV", "Degree=Cmp", "more quickly", "dictionary"),
        ("blorf", "NOUN", "Number=Plur", "blorfs", "rules"),
        ("snorkify", "VERB", PAST, "snorkified", "rules"),
        ("blorfy", "ADJ", "Degree=Cmp", "blorfier", "rules"),
        ("unblorfable", "ADJ", "Degree=Cmp", "more unblorfable", "rules"),
        ("be", "AUX", S3, "is", "dictionary"),
        ("be", "AUX", PART, "been", "dictionary"),
        ("of", "ADP", "", "of", "lemma"),
    ],
)
def test_forms(library, lemma, upos, feats, form, source):
    inflected = library.inflect(lemma, upos, feats_of(feats))
    assert (inflected.form, inflected.source) == (form, source)


@pytest.mark.parametrize(
    ("tense", "person", "number", "form"),
    [
        ("Pres", "1", "Sing", "am"),
        ("Pres", "2", "Sing", "are"),
        ("Pres", "3", "Sing", "is"),
        ("Pres", "1", "Plur", "are"),
        ("Past", "1", "Sing", "was"),
        ("Past", "2", "Sing", "were"),
        ("Past", "3", "Sing", "was"),
        ("Past", "3", "Plur", "were"),
    ],
)
def test_persons_of_be(library, tense, person, number, form):
    feats = {"Mood": "Ind", "VerbForm": "Fin", "Tense": tense, "Person": person, "Number": number}
    assert library.inflect("be", "AUX", feats).form == form
    other = library.features(form, "AUX")[0]
    assert all(feats[name] == value or name in ("Person", "Number") for name, value in other.items())
    assert library.inflect("be", "VERB", other).form == form


def test_rules_alone_do_not_know_what_is_irregular(library):
    assert library.inflect("go", "VERB", feats_of(PAST), dictionary=False).form == "goed"


@pytest.mark.parametrize(
    ("form", "upos", "lemma", "tags"),
    [
        ("teeth", "NOUN", None, ["NNS"]),
        ("Tooth", "NOUN", None, ["NN"]),
        ("sheep", "NOUN", "sheep", ["NN", "NNS"]),
        ("walked", "VERB", None, ["VBN", "VBD"]),
        ("went", "VERB", "go", ["VBD"]),
        ("walks", "VERB", None, ["VBZ"]),
        ("walking", "VERB", None, ["VBG"]),
        ("walk", "VERB", None, ["VB", "VBP"]),
        ("saw", "VERB", "see", ["VBD"]),
        ("saw", "VERB", "saw", ["VB", "VBP"]),
        ("saw", "VERB", None, ["VB", "VBP", "VBD"]),
        ("bigger", "ADJ", None, ["JJR"]),
        ("best", "ADV", "well", ["RBS"]),
        ("blorfs", "NOUN", None, ["NNS"]),
        ("snorkified", "VERB", None, ["VBN", "VBD"]),
        ("of", "ADP", None, []),
    ],
)
def test_features_are_those_of_the_tags_that_have_the_form(library, form, upos, lemma, tags):
    assert [tag_of(upos, feats) for feats in library.features(form, upos, lemma)] == tags


@pytest.mark.parametrize("upos", ["NOUN", "VERB", "ADJ", "ADV"])
@pytest.mark.parametrize("lemma", ["watch", "stop", "light", "well", "mean", "blorf", "leave"])
def test_each_form_has_the_features_that_it_was_made_with(library, lemma, upos):
    for feats in english._TAGS[upos].values():
        form = library.inflect(lemma, upos, feats).form
        if " " not in form:
            tags = [tag_of(upos, reading) for reading in library.features(form, upos, lemma)]
            assert tag_of(upos, feats) in tags


def test_what_forms_may_be(library):
    rows = library.forms.of_form("leaves")
    assert {(row.lemma, row.inflection.partition(" ")[0]) for row in rows} >= {
        ("leaf", "NOUN"),
        ("leave", "VERB"),
        ("leave", "NOUN"),
    }
    assert rows == sorted(rows)
    assert library.has_verb("leaves")
    assert not library.has_verb("teeth")
    assert library.forms.of_form("blorfs") == []


@pytest.mark.parametrize(
    ("lemma", "upos", "target", "feats", "form"),
    [
        ("get", "VERB", "Acquired", PAST, "Got"),
        ("get", "VERB", "ACQUIRING", None, "GETTING"),
        ("get", "VERB", "acquires", None, "gets"),
        ("child", "NOUN", "infants", None, "children"),
        ("head of state", "NOUN", "monarchs", None, "heads of state"),
        ("swimming pool", "NOUN", "baths", None, "swimming pools"),
        ("give up", "VERB", "abandoned", PAST, "gave up"),
        ("hard", "ADJ", "trickier", None, "harder"),
        ("difficult", "ADJ", "trickiest", None, "most difficult"),
        ("easy", "ADJ", "facile", None, "easy"),
    ],
)
def test_words_in_the_place_of_others(library, lemma, upos, target, feats, form):
    placed = place(library, lemma, upos, target, feats=feats_of(feats) if feats else None)
    assert (placed.form, placed.reason) == (form, None)


@pytest.mark.parametrize(
    ("lemma", "target", "before", "after"),
    [
        ("hour", "period", "a", "an"),
        ("use", "application", "An", "A"),
        ("end", "goal", "a", "an"),
        ("honour", "shame", "a", "an"),
        ("goal", "aim", "the", None),
        ("aim", "end", "an", None),
    ],
)
def test_articles(library, lemma, target, before, after):
    assert place(library, lemma, "NOUN", target, before=before).before == after


def test_an_article_before_more(library):
    assert place(library, "difficult", "ADJ", "easier", before="an").before == "a"


def test_versions_decide_and_a_missing_package_is_named(library, monkeypatch):
    assert english_version().startswith("lemminflect 0.")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"package lemminflect: .*\binflection\b"):
        english_inflector()


def test_the_library_is_asked_once_for_a_word(library, monkeypatch):
    asked = Counter()

    class Counting:
        def __getattr__(self, name):
            def answer(*words):
                asked[name, *words] += 1
                return getattr(lemminflect, name)(*words)

            return answer

    lemminflect = importlib.import_module("lemminflect")
    inflector = EnglishInflector(Counting())
    first = [_answers(inflector, word) for word in ("teeth", "ran", "blorfier")]
    for rows in first:
        rows[0].clear()  # what one caller does with a list is not seen by the next
    assert [_answers(inflector, word)[1:] for word in ("teeth", "ran", "blorfier")] == [rows[1:] for rows in first]
    assert inflector.forms.of_form("teeth") == library.forms.of_form("teeth") != []
    assert asked.total() > 10
    assert max(asked.values()) == 1


def _answers(inflector, word):
    forms = inflector.forms.of_form(word)
    return [forms, *(inflector.features(word, upos) for upos in ("NOUN", "VERB", "ADJ")), inflector.has_verb(word)]
