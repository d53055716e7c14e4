"""Rewriting: the chosen word in the target's place, with what changes beside it."""

from collections import Counter

import pytest

from lexbeam.transforms.inflection.dictionaries import FormEntry
from lexbeam.transforms.inflection.inflector import Inflector, compiled
from lexbeam.transforms.simplification.records import Instance, InstanceRows
from lexbeam.transforms.simplification.rewriting.sentence_rewriting import RewriteSentences
from lexbeam.transforms.simplification.selection.candidate_filter import replaced


def instance(marked, language="es"):
    before, _, rest = marked.partition("[")
    target, _, after = rest.partition("]")
    start = len(before)
    return Instance("1", language, before + target + after, target, start, start + len(target), None, None, None)


@pytest.mark.parametrize(
    ("marked", "form", "before", "sentence"),
    [
        ("La [finca] es suya.", "casa", None, "La casa es suya."),
        ("La [finca] es suya.", "Terreno", "El", "El Terreno es suya."),
        ("Salió de la [finca].", "terreno", "el", "Salió del terreno."),
        ("Fue a la [finca].", "terreno", "el", "Fue al terreno."),
        ("De la [finca] salió.", "terreno", "el", "Del terreno salió."),
        ("Salió del [terreno].", "finca", "de la", "Salió de la finca."),
        ("Desde la [finca].", "terreno", "el", "Desde el terreno."),
        ("padres y [niños]", "hijos", "e", "padres e hijos"),
        ("[Finca] grande", "Casa", None, "Casa grande"),
        ("la  [finca]", "terreno", "el", "el terreno"),
        ("Fue  a  la  [finca].", "terreno", "el", "Fue  al terreno."),
        ("DE LA [FINCA]", "TERRENO", "EL", "DEL TERRENO"),
        ("Salió de la «[finca]».", "terreno", "el", "Salió del «terreno»."),
        ("La  ([finca])", "terreno", "El", "El (terreno)"),
        ("Era [médico].", "Dr.", None, "Era Dr."),
        ("Era [médico]...", "Dr.", None, "Era Dr...."),
        ("«La [finca]»", "terreno", "El", "«El terreno»"),
        ("Vio (la [finca])", "terreno", "el", "Vio (el terreno)"),
    ],
)
def test_word_before_and_contractions(marked, form, before, sentence):
    rewritten, start = replaced(instance(marked), form, before)
    assert rewritten == sentence
    assert rewritten[start : start + len(form)] == form


def test_contractions_are_spanish():
    assert replaced(instance("de la [a]", "pt"), "b", "el")[0] == "de el b"


def rows(*, chosen, form="duro", target_score=None, before=None):
    ranked = (
        []
        if form is None
        else [
            {
                "setting": "s",
                "ranker": "r",
                "form": form,
                "is_target": False,
                "place": 1,
                "score": 2.0,
                "allowed": True,
                "chosen": chosen == form,
            },
            {
                "setting": "s",
                "ranker": "r",
                "form": "seco",
                "is_target": False,
                "place": 2,
                "score": 1.0,
                "allowed": True,
                "chosen": False,
            },
        ]
    )
    ranked.append(
        {
            "setting": "s",
            "ranker": "r",
            "form": "arduo",
            "is_target": True,
            "place": None,
            "score": target_score,
            "allowed": True,
            "chosen": chosen == "arduo",
        }
    )
    generated = [
        {"setting": "s", "form": form, "shown": "Duro", "before": before, "reason": None},
        {"setting": "s", "form": "seco", "shown": "Seco", "before": None, "reason": None},
    ]
    tables = {"simplification/rankings": ranked, "simplification/candidates": generated}
    return RewriteSentences().simplified(InstanceRows(instance("Un [Arduo] día"), tables))


def test_what_is_chosen_stands_there():
    (row,) = rows(chosen="duro", before="El", target_score=0.5)
    assert row["sentence_out"] == "El Duro día"
    assert (row["chosen"], row["form"], row["changed"]) == ("Duro", "duro", True)
    assert (row["reason"], row["article_change"]) == (None, "Un El")
    assert (row["agreement"], row["refused"]) == ([], [])
    assert (row["score"], row["target_score"]) == (2.0, 0.5)


def test_target_is_kept_and_why():
    (row,) = rows(chosen="arduo")
    assert (row["chosen"], row["form"], row["changed"]) == ("Arduo", "duro", False)
    assert (row["reason"], row["sentence_out"]) == ("keep_target", "Un Arduo día")
    (row,) = rows(chosen="arduo", form=None)
    assert (row["form"], row["reason"], row["score"]) == (None, "no_candidate", None)


NOUNS = [("hombre", "Masc"), ("mujer", "Fem"), ("dama", "Fem"), ("piso", "Masc"), ("morada", "Fem"), ("casa", "Fem")]
ADJECTIVES = [("nuevo", "Masc", "nuevo"), ("nuevo", "Fem", "nueva"), ("encinta", "Fem", "encinta")]


@pytest.fixture
def spanish(monkeypatch):
    """Let the stage open a small dictionary."""
    rows = [(noun, "NOUN", gender, noun) for noun, gender in NOUNS]
    rows += [(lemma, "ADJ", gender, form) for lemma, gender, form in ADJECTIVES]
    entries = Counter(
        FormEntry(lemma, f"{kind} Gender={gender}|Number=Sing", form) for lemma, kind, gender, form in rows
    )
    inflector = Inflector(compiled(entries, "es"), "es")
    monkeypatch.setattr(
        "lexbeam.transforms.simplification.rewriting.sentence_rewriting.inflector_for", lambda *_: inflector
    )


def ranked(marked, *forms, allowed=None, agreement="move"):
    """Return the row of an instance whose candidates are ranked in their order, the first of them chosen."""
    target = instance(marked).target.lower()
    rankings = [
        {
            "setting": "s",
            "ranker": "r",
            "form": form,
            "is_target": form == target,
            "place": None if form == target else place,
            "score": -float(place),
            "allowed": allowed is None or form in allowed,
            "chosen": place == 1,
        }
        for place, form in enumerate([*forms, target], 1)
    ]
    generated = [{"setting": "s", "form": form, "shown": form, "before": None, "reason": None} for form in forms]
    tables = {"simplification/rankings": rankings, "simplification/candidates": generated}
    [row] = RewriteSentences(agreement).simplified(InstanceRows(instance(marked), tables))
    return row


@pytest.mark.usefixtures("spanish")
def test_a_refused_candidate_makes_room_for_the_next_that_is_allowed():
    row = ranked("una [mujer] nueva", "hombre", "dama")
    assert (row["chosen"], row["form"], row["refused"], row["score"]) == ("dama", "dama", ["hombre other_sex"], -2.0)
    row = ranked("una [mujer] nueva", "hombre", "dama", allowed=["hombre"])
    assert (row["changed"], row["reason"], row["chosen"]) == (False, "other_sex", "mujer")
    assert (row["refused"], row["sentence_out"]) == (["hombre other_sex"], "una mujer nueva")


@pytest.mark.usefixtures("spanish")
def test_what_agrees_is_told():
    row = ranked("de la nueva [morada]", "piso")
    assert (row["sentence_out"], row["article_change"]) == ("del nuevo piso", "nueva nuevo")
    assert row["agreement"] == ["de la > del"]
    row = ranked("de la [morada]", "piso")
    assert (row["sentence_out"], row["article_change"], row["agreement"]) == ("del piso", "la el", [])
    row = ranked("La [morada] nueva", "piso")
    assert (row["sentence_out"], row["article_change"]) == ("El piso nuevo", "La El")
    assert row["agreement"] == ["nueva > nuevo"]
    row = ranked("La [morada] nueva", "piso", "casa", agreement="drop")
    assert (row["sentence_out"], row["refused"]) == ("La casa nueva", ["piso no_agreement"])
    assert ranked("una [morada] encinta", "piso")["reason"] == "no_agreement"
