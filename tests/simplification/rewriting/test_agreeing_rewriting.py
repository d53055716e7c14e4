"""All choices of a sentence together: what agrees with a noun moves, persons keep their sex, sounds are settled."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.inflection.dictionaries import FormEntry
from lexbeam.transforms.inflection.features import feats_of, inflection
from lexbeam.transforms.inflection.inflector import Inflector, compiled
from lexbeam.transforms.simplification.rewriting.agreeing_rewriting import Offer, TargetChoice, edited, resolve
from lexbeam.transforms.simplification.rewriting.concord import SentenceToken

CELLS = ("Gender=Masc|Number=Sing", "Gender=Fem|Number=Sing", "Gender=Masc|Number=Plur", "Gender=Fem|Number=Plur")
PARADIGMS = [
    *(("ADJ", f"{stem}o", [stem + end for end in ("o", "a", "os", "as")]) for stem in ("antigu", "complet", "nuev")),
    *(("ADJ", f"{stem}o", [stem + end for end in ("o", "a", "os", "as")]) for stem in ("sol", "blanc", "tod")),
    ("ADJ", "español", ["español", "española", "españoles", "españolas"]),
    ("ADJ", "bueno", ["bueno", "buena", "buenos", "buenas"]),
    *(
        ("VERB", lemma, [stem + end for end in ("o", "a", "os", "as")])
        for lemma, stem in (("vender", "vendid"), ("construir", "construid"), ("situar", "situad"))
    ),
    *(("PRON", f"{stem}o", [stem + end for end in ("o", "a", "os", "as")]) for stem in ("un", "algun", "much")),
    *(("NOUN", f"{stem}o", [stem + end for end in ("o", "a", "os", "as")]) for stem in ("filósof", "maestr")),
]
ROWS = [
    *((upos, lemma, feats, form) for upos, lemma, forms in PARADIGMS for feats, form in zip(CELLS, forms, strict=True)),
    *(
        ("NOUN", form, f"Gender={gender}|Number=Sing", form)
        for gender, forms in (
            ("Masc", "gobierno municipio edificio piso terreno habitante coche hombre equipo"),
            ("Fem", "administración ciudad morada casa finca agua piedra bebida mujer escuadra"),
        )
        for form in forms.split()
    ),
    *(("NOUN", form[:-1], "Gender=Fem|Number=Plur", form) for form in ("casas", "aguas", "bebidas")),
    ("NOUN", "vendido", "Gender=Masc|Number=Plur", "vendidos"),
    ("NOUN", "morada", "Gender=Fem|Number=Plur", "moradas"),
    ("NOUN", "edificio", "Gender=Masc|Number=Plur", "edificios"),
    ("NOUN", "artista", "Number=Sing", "artista"),
    ("ADJ", "grande", "Number=Sing", "gran"),
    ("ADJ", "bueno", "Gender=Masc|Number=Sing", "buen"),
    ("DET", "dos", "Number=Plur", "dos"),
    ("VERB", "ser", "Mood=Ind|Number=Plur|Person=3|VerbForm=Fin", "son"),
    ("DET", "uno", "Gender=Masc|Number=Sing", "un"),
    ("DET", "uno", "Gender=Fem|Number=Sing", "una"),
    ("ADJ", "encinta", "Gender=Fem|Number=Sing", "encinta"),
    ("ADJ", "verde", "Number=Sing", "verde"),
    ("ADV", "solo", "", "solo"),
    ("VERB", "ser", "Mood=Ind|Number=Sing|Person=3|VerbForm=Fin", "es"),
    ("VERB", "ser", "Mood=Ind|Number=Sing|Person=3|VerbForm=Fin", "fue"),
    ("VERB", "completar", "Mood=Ind|Number=Sing|Person=3|VerbForm=Fin", "completa"),
]


@pytest.fixture(scope="module")
def spanish():
    rows = ((lemma, inflection(upos, feats_of(feats)), form) for upos, lemma, feats, form in ROWS)
    return Inflector(compiled(Counter(FormEntry(*row) for row in rows), "es"), "es")


def choices_of(marked, *offers, upos=None):
    """Return a sentence and its targets, which stand in brackets; `offers` has the candidates of each."""
    sentence, choices = "", []
    for number, piece in enumerate(marked.replace("]", "[").split("[")):
        if number % 2:
            end = len(sentence) + len(piece)
            made = tuple(Offer(shown) for shown in offers[number // 2].split("|"))
            choices.append(TargetChoice(len(sentence), end, upos, None, made))
        sentence += piece
    return sentence, choices


def rewritten(spanish, marked, *offers, language="es", upos=None, **options):
    sentence, choices = choices_of(marked, *offers, upos=upos)
    resolved = resolve(sentence, choices, language, spanish, **options)
    return edited(sentence, [edit for one in resolved for edit in one.edits]), resolved


@pytest.mark.parametrize(
    ("marked", "offer", "sentence"),
    [
        ("Es un [municipio] español.", "ciudad", "Es una ciudad española."),
        ("la completa [administración]", "gobierno", "el completo gobierno"),
        ("La muy antigua [morada].", "edificio", "El muy antiguo edificio."),
        ("Una [morada] antigua y nueva", "edificio", "Un edificio antiguo y nuevo"),
        ("Toda la [morada]", "edificio", "Todo el edificio"),
        ("una de las [moradas]", "edificios", "uno de los edificios"),
        ("La [morada], situada aquí,", "edificio", "El edificio, situado aquí,"),
        ("La [morada] fue vendida.", "edificio", "El edificio fue vendido."),
        ("La [morada], que fue vendida, es nueva.", "edificio", "El edificio, que fue vendido, es nueva."),
        ("Fue vendida la [morada].", "edificio", "Fue vendido el edificio."),
        ("La [morada] de piedra blanca", "edificio", "El edificio de piedra blanca"),
        ("El dueño de la [morada] es antigua", "edificio", "El dueño del edificio es antigua"),
        ("Salió del [edificio].", "morada", "Salió de la morada."),
        ("Fue a la [morada].", "edificio", "Fue al edificio."),
        ("De la [morada] salió.", "edificio", "Del edificio salió."),
        ("DE LA [MORADA]", "EDIFICIO", "DEL EDIFICIO"),
        ("El [agua] blanca", "bebida", "La bebida blanca"),
        ("La [bebida] blanca", "agua", "El agua blanca"),
        ("La blanca [bebida]", "agua", "La blanca agua"),
        ("El blanco [coche]", "agua", "La blanca agua"),
        ("Un [coche] blanco", "agua", "Un agua blanca"),
        ("Alguna [bebida] blanca", "agua", "Algún agua blanca"),
        ("Ningún [agua] blanca", "bebida", "Ninguna bebida blanca"),
        ("Ningún [agua] blanca", "coche", "Ningún coche blanco"),
        ("Esta [bebida] blanca", "agua", "Esta agua blanca"),
        ("toda la [bebida]", "agua", "toda el agua"),
        ("las [bebidas] blancas", "aguas", "las aguas blancas"),
        ("Un buen [edificio]", "casa", "Una buena casa"),
        ("Una buena [casa]", "edificio", "Un buen edificio"),
        ("Una gran [casa] verde", "edificio", "Un gran edificio verde"),
        ("Una «[morada]» antigua", "edificio", "Un «edificio» antiguo"),
        ("Los dos [edificios] son blancos", "moradas", "Las dos moradas son blancas"),
        ("Aquellos dos [edificios]", "moradas", "Aquellas dos moradas"),
        ("Una de las [moradas] fue vendida", "edificios", "Uno de los edificios fue vendido"),
        ("toda otra [casa]", "edificio", "todo otro edificio"),
        ("solo [gobierno]", "administración", "solo administración"),
        ("un solo [gobierno]", "administración", "una sola administración"),
        ("El [gobierno] completo", "administración", "La administración completa"),
        ("La [administración] completa la obra", "gobierno", "El gobierno completa la obra"),
        ("La [morada] española", "casa", "La casa española"),
        ("Bajo el [gobierno] antiguo", "administración", "Bajo la administración antigua"),
        ("La [casa] y el coche antiguo", "edificio", "El edificio y el coche antiguo"),
        ("«La [finca]»", "terreno", "«El terreno»"),
        ("Fue  a  la  [finca].", "terreno", "Fue  al  terreno."),
    ],
)
def test_what_agrees_moves(spanish, marked, offer, sentence):
    assert rewritten(spanish, marked, offer)[0] == sentence


def test_a_participle_behind_a_determiner_stands_as_a_noun(spanish):
    for marked, made in (
        ("Los [vendidos] por él.", "Las moradas por él."),
        ("los [vendidos] edificios", "los moradas edificios"),
        ("[vendidos] antiguos", "moradas antiguos"),
    ):
        assert rewritten(spanish, marked, "moradas", upos="VERB")[0] == made


def test_a_noun_that_the_dictionary_lacks_moves_nothing(spanish):
    assert rewritten(spanish, "del antiguo [edificio]", "derribe", upos="NOUN")[0] == "del antiguo derribe"


def test_what_does_not_agree_with_the_target_stays(spanish):
    assert rewritten(spanish, "los [morada] antiguo", "edificio")[0] == "los edificio antiguo"


@pytest.mark.parametrize(
    ("marked", "offers", "sentence", "refused"),
    [
        ("una [morada] encinta", "edificio|casa", "una casa encinta", ("no_agreement",)),  # the adjective has one form
        ("una [morada] suya", "edificio", "un edificio suya", ()),  # a word that the dictionary lacks does not count
        ("Vio la [morada].", "casas|finca", "Vio la finca.", ("no_agreement",)),  # a verb might have to agree
        ("el dueño de la [morada] antigua", "casas", "el dueño de las casas antiguas", ()),
    ],
)
def test_what_cannot_agree_is_refused(spanish, marked, offers, sentence, refused):
    made, (one,) = rewritten(spanish, marked, offers)
    assert (made, one.refused) == (sentence, refused)


def test_agreement_drop_refuses_what_would_move_more_than_the_determiner(spanish):
    sentence, (one,) = rewritten(spanish, "una [morada] antigua", "edificio|casa", agreement="drop")
    assert (sentence, one.chosen, one.refused) == ("una casa antigua", 1, ("no_agreement",))
    assert rewritten(spanish, "una [morada] verde", "edificio", agreement="drop")[0] == "un edificio verde"


@pytest.mark.parametrize(
    ("marked", "offers", "sentence", "refused"),
    [
        ("un [filósofo] español", "filósofa|hombre", "un hombre español", ("other_sex",)),
        ("un [hombre]", "mujer", "un hombre", ("other_sex",)),
        ("una [mujer]", "maestro|artista", "una artista", ("other_sex",)),
        ("una [artista]", "filósofo|maestra", "una maestra", ("other_sex",)),
        ("una [artista]", "artista", "una artista", ()),
    ],
)
def test_the_sex_of_persons_stays(spanish, marked, offers, sentence, refused):
    made, (one,) = rewritten(spanish, marked, offers)
    assert (made, one.refused) == (sentence, refused)


def test_targets_of_a_sentence_are_resolved_together(spanish):
    made, (noun, adjective) = rewritten(spanish, "una [morada] [antigua] y blanca", "edificio", "nueva")
    assert made == "un edificio nuevo y blanco"
    assert [edit.text for edit in noun.edits] == ["un", "edificio", "blanco"]
    assert [(edit.text, edit.beside) for edit in adjective.edits] == [("nuevo", False)]
    # The other target stays: then the noun moves the word that stands there.
    sentence, choices = choices_of("una [morada] [antigua]", "edificio", "x")
    resolved = resolve(sentence, [choices[0], choices[1]._replace(offers=())], "es", spanish)
    assert edited(sentence, [edit for one in resolved for edit in one.edits]) == "un edificio antiguo"
    assert resolved[1].chosen is None


def test_heads_reach_further_than_neighbours(spanish):
    sentence, choices = choices_of("La [morada] de Juan y María fue ayer vendida.", "edificio")
    words = [(0, 2, 2), (3, 9, 10), (10, 12, 4), (13, 17, 2), (18, 19, 6), (20, 25, 4), (26, 29, 9), (30, 34, 9)]
    tokens = [SentenceToken(start, end, head=head) for start, end, head in [*words, (35, 42, 0)]]
    tokens[1] = tokens[1]._replace(head=9)
    (one,) = resolve(sentence, choices, "es", spanish, tokens=tokens)
    assert edited(sentence, one.edits) == "El edificio de Juan y María fue ayer vendido."


def test_tags_decide_what_a_word_is(spanish):
    sentence, choices = choices_of("La [administración] completa", "gobierno")
    verb = [SentenceToken(0, 2, upos="DET"), SentenceToken(3, 17, upos="NOUN"), SentenceToken(18, 26, upos="X")]
    (one,) = resolve(sentence, choices, "es", spanish, tokens=verb)
    assert edited(sentence, one.edits) == "El gobierno completa"


def test_targets_that_overlap_are_placed_once(spanish):
    choices = [TargetChoice(0, 7, None, None, (Offer("x"),)), TargetChoice(3, 7, None, None, (Offer("y"),))]
    first, second = resolve("la casa", choices, "es", spanish)
    assert (first.chosen, second.chosen, second.refused) == (0, None, ("overlaps",))


@pytest.mark.parametrize(
    ("language", "marked", "offers", "sentence"),
    [
        ("en", "A [abode] is an [dwelling].", ("inn", "house"), "An inn is a house."),
        ("en", "vitamin A [deficiency]", ("absence",), "vitamin A absence"),
        ("en", "A [lack] of it", ("absence",), "An absence of it"),
        ("en-GB", "a ([lack])", ("absence",), "an (absence)"),
        ("es", "padres y [niños]", ("hijos",), "padres e hijos"),
        ("es", "[padres] y hijos", ("madres",), "madres y hijos"),
        ("es", "uno o [pocos]", ("otros",), "uno u otros"),
        ("en", "He is [physician].", ("Dr.",), "He is Dr."),
        ("en", "He is [physician]...", ("Dr.",), "He is Dr...."),
        ("de", "a [b]", ("c",), "a c"),
    ],
)
def test_sounds_and_full_stops(language, marked, offers, sentence):
    assert rewritten(None, marked, *offers, language=language)[0] == sentence


def test_without_genders_the_word_before_is_that_of_generation():
    sentence = "de la finca"
    (one,) = resolve(sentence, [TargetChoice(6, 11, "NOUN", None, (Offer("terreno", "el"),))], "es", None)
    assert edited(sentence, one.edits) == "del terreno"


PORTUGUESE = [
    ("NOUN", "casa", "Gender=Fem|Number=Sing", "casa"),
    ("NOUN", "edifício", "Gender=Masc|Number=Sing", "edifício"),
    ("ADJ", "novo", "Gender=Masc|Number=Sing", "novo"),
    ("ADJ", "novo", "Gender=Fem|Number=Sing", "nova"),
]


def test_portuguese_by_its_dictionary():
    rows = ((lemma, inflection(upos, feats_of(feats)), form) for upos, lemma, feats, form in PORTUGUESE)
    inflector = Inflector(compiled(Counter(FormEntry(*row) for row in rows), "pt"), "pt")
    for marked, made in (
        ("Saiu da [casa] nova.", "Saiu do edifício novo."),
        ("a [casa] e o", "o edifício e o"),
        ("numa [casa]", "num edifício"),
    ):
        assert rewritten(inflector, marked, "edifício", language="pt")[0] == made


NOUNS = ("casa", "edificio", "agua", "filósofo", "artista", "xyz", "casas")
OTHERS = (
    "la",
    "el",
    "una",
    "antigua",
    "nuevo",
    "de",
    "del",
    "y",
    "es",
    "fue",
    "vendida",
    "muy",
    "Las",
    "a",
    "«",
    ",",
    "🙂",
    "e\u0301",
)


@given(
    st.lists(st.sampled_from(OTHERS + NOUNS), min_size=1, max_size=9),
    st.lists(st.sampled_from([" ", "  ", "\u00a0", "\n"]), min_size=9, max_size=9),
    st.data(),
)
def test_whatever_stands_there_edits_explain_all_that_changes(spanish, words, spaces, data):
    sentence, spans = "", []
    for word, space in zip(words, spaces, strict=False):
        spans.append((len(sentence), len(sentence) + len(word)))
        sentence += word + space
    chosen = data.draw(st.lists(st.sampled_from(range(len(spans))), unique=True))
    offers = st.lists(st.sampled_from(NOUNS + OTHERS[:5]), max_size=3)
    choices = [
        TargetChoice(
            *spans[at], data.draw(st.sampled_from([None, "NOUN", "ADJ"])), None, [Offer(x) for x in data.draw(offers)]
        )
        for at in chosen
    ]
    for inflector in (spanish, None):
        resolved = resolve(sentence, choices, "es", inflector)
        edits = sorted(edit for one in resolved for edit in one.edits)
        assert all(one.end <= other.start for one, other in pairwise(edits))
        assert all(sentence[edit.start : edit.end] != edit.text for edit in edits)
        assert all(not one.edits for one in resolved if one.chosen is None)
        made = edited(sentence, edits)
        for choice, one in zip(choices, resolved, strict=True):
            assert len(one.refused) == (len(choice.offers) if one.chosen is None else one.chosen)
        # Nothing but words beside a target changes: white space and marks are those of the sentence.
        if not edits:
            assert made == sentence
        assert resolve(sentence, choices, "es", inflector) == resolved
