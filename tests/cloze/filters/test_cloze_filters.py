"""Filters one by one, on pairs made by hand and against words looked at one after the other."""

from dataclasses import dataclass

import numpy as np
import pytest
from asked import VEC, batch, lexicon_in, pair, said
from hypothesis import given, settings
from hypothesis import strategies as st

import lexbeam
from lexbeam.transforms.cloze.filters.abstract_words import pos
from lexbeam.transforms.cloze.filters.cloze_filter import FilterSetting
from lexbeam.transforms.cloze.filters.cloze_filters import EVALUATE, FILTERS, filters_of, judge, optional_filters
from lexbeam.transforms.cloze.word_resources import check_model_language
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.inflection.models import inflector_reference


@dataclass(frozen=True)
class Rated:
    """Concreteness by lemma, else by form, both without regard to case, from a table."""

    ratings: dict
    below: float
    guessed: tuple = ()
    language: str | None = None

    def scores(self, forms, lemmas, upos):
        known = self.ratings
        pairs = zip(forms.to_pylist(), lemmas.to_pylist(), strict=True)
        return np.array(
            [known.get((lemma or form).casefold(), known.get(form.casefold(), np.nan)) for form, lemma in pairs],
            np.float64,
        )

    def listed(self, forms, lemmas):
        return ~np.isnan(self.scores(forms, lemmas, None)) & ~np.isin(forms.to_pylist(), self.guessed)


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory):
    return lexicon_in(tmp_path_factory.mktemp("resources"))


@pytest.fixture
def setting(lexicon):
    return FilterSetting(lexicon, thresholds={"static": 0.85})


def ask(name, setting, *rows, **options):
    pairs = batch(*rows)
    return said(FILTERS[name].evaluate(pairs, pairs.asked, setting._replace(**options)))


def test_every_documented_filter_is_there_in_its_order():
    assert tuple(optional_filters()) == ("pos", "repeated", "lemma", "synonym", "antonym", "static", "contextual")
    assert filters_of("nonspecificity", ["lemma", "pos"]) == ["pos", "nonspecificity", "lemma"]
    assert filters_of("intersection", []) == ["abstractness", "nonspecificity"]


def test_only_words_are_asked(setting):
    assert len(ask("lemma", setting, pair("Dogs , 100 — ¡", "no"))) == 2


def test_lemma_and_form_whatever_case_and_tag(setting):
    first = pair("Dogs/dog left/leave saw/see", "the DOG/dog/X left/left/ADJ saws/saw dog/dog")
    second = pair("dogs/dog", "none", 1)
    assert ask("lemma", setting, first, second) == [
        (2, "DOG", False),
        (1, "left", False),
        (0, None, True),
        (0, None, True),
    ]


def test_forms_of_one_another_are_found_whatever_their_lemmas(setting):
    # By WordNet: the annotation has wrong lemmas, or another part of speech.
    row = pair(
        "Hounds/hounds/NOUN goes/goes/VERB moved/moved/ADJ small/small/ADJ",
        "hound/hounde going/go/NOUN move/move/NOUN smaller",
    )
    judged = ask("lemma", setting, row)
    assert judged == [(1, "hound", False), (1, "going", False), (1, "move", False), (1, "smaller", False)]
    # A noun is no form of a verb, and pairs stay apart.
    rows = pair("moved/moved/NOUN", "move"), pair("dogs/dogs", "x", 1), pair("x", "dog", 2)
    assert [value for value, *_ in ask("lemma", setting, *rows)] == [0, 0, 0]
    assert ask("repeated", setting, pair("goes/goes/VERB went/went/VERB", "x"))[0] == (0, None, True)
    assert ask("repeated", setting, pair("goes/goes/VERB going/going/VERB", "x"))[0] == (1, "going", False)


def test_a_participle_that_is_tagged_as_an_adjective_is_a_verb(setting):
    pairs = batch(pair("moved/moved/ADJ moving/moving/ADJ big/big/ADJ stay/stay/ADJ", "x"))
    judged = said(pos(pairs, pairs.asked, setting, kind="nonspecificity"))
    assert judged == [(None, "ADJ", True), (None, "ADJ", True), (None, "ADJ", False), (None, "ADJ", False)]


def test_such_a_participle_has_the_senses_of_its_verb(setting):
    row = pair("dogs/dogs/ADJ moved/moved/ADJ big/big/ADJ dog/dog/ADJ", "it hunts hares")
    for sense in ("first", "any", "lesk"):
        depths = ask("nonspecificity", setting, row, sense=sense)
        assert depths[:3] == [(0, "dog.v.1", True), (0, "move.v.1", True), (None, None, False)]
    # What is no participle has both, the noun first.
    assert ask("nonspecificity", setting, row, sense="first")[3][1] == "dog.n.1"


def test_a_form_dictionary_knows_what_wordnet_does_not(setting, tmp_path):
    (tmp_path / "es.tsv").write_text("jugar\tjuega\tV;IND;PRS;3;SG\njugar\tjugado\tV.PTCP;PST;MASC;SG\n")
    lexbeam.simplify.train_inflector(tmp_path / "es.tsv", language="es", out=tmp_path / "es.inflector")
    inflector = inflector_reference(str(tmp_path / "es.inflector"))
    row = pair("juega/x/VERB jugado/x/ADJ", "jugado/y/ADJ", language="es-MX")
    assert [value for value, *_ in ask("lemma", setting, row)] == [0, 1]
    assert [value for value, *_ in ask("lemma", setting, row, inflector=inflector)] == [1, 1]
    pairs = batch(row)
    for known, passed in ((None, False), (inflector, True)):
        assert said(pos(pairs, pairs.asked, setting._replace(inflector=known), kind="nonspecificity"))[1][2] is passed


def test_without_annotation_forms_are_compared(setting):
    judged = ask("lemma", setting, pair("Dogs run", "dogs ran", annotated=False))
    assert judged == [(1, "dogs", False), (0, None, True)]


def test_repeated(setting):
    judged = ask("repeated", setting, pair("dogs/dog like Dog/dog .", "dog like"))
    assert judged == [(1, "Dog", False), (0, None, True), (1, "dogs", False)]


def test_synonyms_by_surface_or_lemma_of_all_senses_or_the_tags(setting):
    row = pair("dogs/dog/NOUN", "a Domestic dog moves/move hounds/hound")
    assert ask("synonym", setting, row) == [(1, "Domestic dog", False)]
    all_senses = ask("synonym", setting, row, relation_match="lemma")
    assert all_senses == [(3, "Domestic dog", False)]
    of_tag = ask("synonym", setting, row, relation_match="lemma", relation_senses="tag")
    assert of_tag == [(2, "Domestic dog", False)]
    # An expression does not run into the next passage.
    rows = pair("dog", "a domestic"), pair("x", "dog", 1)
    assert ask("synonym", setting, *rows)[0] == (0, None, True)


def test_antonyms(setting):
    rows = pair("big moving/move/VERB dog", "it is small to stay"), pair("dogs/dog", "stay", 1)
    judged = ask("antonym", setting, *rows)
    # `dog` as a verb has no antonym of its own.
    assert judged == [(1, "small", False), (1, "stay", False), (0, None, True), (0, None, True)]


def test_a_language_without_wordnet_abstains_but_for_the_criterion(setting):
    rows = pair("dog", "hound"), pair("dog", "hound", 1, language="de")
    assert ask("synonym", setting, *rows) == [(1, "hound", False), (None, None, None)]
    assert ask("nonspecificity", setting, *rows)[1] == (None, None, False)


def test_nonspecificity(setting):
    row = pair("puppy dog/dog/NOUN qux goes/go/VERB big/big/ADJ", "it hunts hares")
    assert ask("nonspecificity", setting, row, depth_below=3) == [
        (3, "puppy.n.1", False),
        (3, "dog.n.2", False),
        (None, None, False),
        (0, "go.v.1", True),
        (None, None, False),
    ]
    first = ask("nonspecificity", setting, row, depth_below=3, sense="first")
    assert first[1] == (2, "dog.n.1", True)


def test_words_of_another_language_than_the_models_are_not_abstract(setting):
    rows = pair("idea", "x"), pair("idea", "x", 1, language="es"), pair("idea", "x", 2, language="en-GB")
    predictor = Rated({"idea": 0.1}, below=0.35, language="en")
    judged = ask("abstractness", setting, *rows, abstractness=predictor)
    assert judged == [(0.1, None, True), (None, None, False), (0.1, None, True)]
    check_model_language(["en", "es", None], "en")
    check_model_language(["es"], None)
    tags = ("eng", "EN", "en_US")
    rows = [pair("idea", "x", number, language=tag) for number, tag in enumerate(tags)]
    assert ask("abstractness", setting, *rows, abstractness=predictor) == [(0.1, None, True)] * len(tags)
    check_model_language(tags, "en")
    check_model_language(["en-GB"], "eng")
    with pytest.raises(UsageError, match=r"model of language 'en', and the pairs are of de, es:"):
        check_model_language(["es", "de"], "en")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("noun", [True, True, True, False, None]),
        ("common", [True, True, False, False, None]),
        ("reject", [True, False, False, False, None]),
    ],
)
def test_parts_of_speech(setting, rule, expected):
    rows = (pair("dog/dog/NOUN Hound/hound/PROPN Rex/rex/PROPN big/big/ADJ", "x"), pair("dog", "x", 1, annotated=False))
    pairs = batch(*rows)
    judged = said(pos(pairs, pairs.asked, setting._replace(propn=rule), kind="nonspecificity"))
    assert [passed for *_, passed in judged] == expected
    assert [match for _, match, _ in judged] == ["NOUN", "PROPN", "PROPN", "ADJ", None]


def test_abstractness(setting):
    predictor = Rated({"dog": 0.9, "idea": 0.1, "half": 0.35}, below=0.35)
    judged = ask("abstractness", setting, pair("Dogs/dog ideas/Idea half qux", "x"), abstractness=predictor)
    assert judged == [(0.9, None, False), (0.1, None, True), (0.35, None, False), (None, "unlisted", False)]


def test_names_unlisted_and_function_words_are_not_abstract_but_where_they_may_be(setting):
    words = (
        "Jeremy/jeremy/PROPN stranraer/stranraer/NOUN so/so/ADV when/when/ADV do/do/VERB past/past/NOUN long/long/ADV"
    )
    forms = [word.split("/")[0] for word in words.split()]
    predictor = Rated(dict.fromkeys(map(str.lower, forms), 0.1), below=0.35, guessed=("stranraer",))
    judged = ask("abstractness", setting, pair(words, "x"), abstractness=predictor)
    matches = ["name", "unlisted", "function word", "function word", "function word", None, None]
    assert judged == [(0.1, match, match is None) for match in matches]
    judged = ask("abstractness", setting, pair(words, "x"), abstractness=predictor, abstract_also=("names", "unlisted"))
    assert [passed for *_, passed in judged] == [True, True, False, False, False, True, True]
    # Within a sentence a capital is that of a name, but in title case and in German.
    cases = {
        "a/a Great/great/ADJ team/team": False,
        "A/a Great/great/ADJ Team/team Won Now": True,
        "- Great/great/ADJ team": True,
    }
    predictor = Rated({"great": 0.1}, below=0.35)
    for summary, abstract in cases.items():
        judged = ask("abstractness", setting, pair(f"{summary} is not big", "x"), abstractness=predictor)
        assert (0.1, None if abstract else "name", abstract) in judged
    judged = ask("abstractness", setting, pair("an Great/great", "x", language="de"), abstractness=predictor)
    assert judged[1] == (0.1, None, True)
    for tag in ("deu", "de_AT"):
        judged = ask("abstractness", setting, pair("an Great/great", "x", language=tag), abstractness=predictor)
        assert judged[1] == (0.1, None, True)


def test_words_of_closed_classes_are_function_words_in_any_language(setting):
    words = "que/que/SCONJ quien/quien/PRON ha/haber/AUX bien/bien/ADV"
    predictor = Rated(dict.fromkeys(("que", "quien", "haber", "bien", "so"), 0.1), below=0.35)
    judged = ask("abstractness", setting, pair(words, "x", language="es"), abstractness=predictor)
    assert [match for _, match, _ in judged] == ["function word"] * 3 + [None]
    # The list is of English.
    judged = [
        ask("abstractness", setting, pair("so/so/ADV", "x", language=tag), abstractness=predictor)[0]
        for tag in ("es", "en", "eng")
    ]
    assert [match for _, match, _ in judged] == [None, "function word", "function word"]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("es", "cuando/cuando dónde/dónde cómo/cómo también/también no/no"),
        ("es_MX", "cuando/cuando"),
        ("deu", "wann/wann wo/wo warum/warum darüber/darüber nicht/nicht"),
        ("fr", "quand/quand où/où"),
        ("it", "quando/quando dove/dove"),
        ("nl", "wanneer/wanneer waar/waar"),
        ("pt", "quando/quando onde/onde"),
        ("sv", "när/när var/var"),
    ],
)
def test_adverbs_of_closed_classes_are_function_words_in_their_language(setting, language, words):
    forms = [word.split("/")[0].lower() for word in words.split()]
    predictor = Rated(dict.fromkeys((*forms, "bien"), 0.1), below=0.35)

    def matches(tag, language):
        text = " ".join(f"{word}{tag}" for word in [*words.split(), "bien/bien"])
        judged = ask("abstractness", setting, pair(f"los {text}", "x", language=language), abstractness=predictor)
        return [match for _, match, _ in judged[1:]]

    assert matches("/ADV", language) == ["function word"] * len(forms) + [None]
    assert matches("/ADJ", language) == [None] * (len(forms) + 1)  # *solo* and *ganz* are adjectives, too
    assert matches("/ADV", "la") == [None] * (len(forms) + 1)


def test_static_similarity(setting):
    rows = pair("dog big null qux", "goes . Hound null hound"), pair("dog", "qux", 1)
    (cosine, *dog), big, zeros, unknown, alone = ask("static", setting, *rows)
    assert cosine == pytest.approx(0.9 / np.hypot(0.9, 0.4), abs=1e-6)
    assert dog == ["Hound", False]
    assert big[1:] == ("goes", False)
    # A vector of zeros has no direction; a passage without vectors says nothing.
    assert zeros == unknown == alone == (None, None, None)
    assert ask("static", setting, *rows, thresholds={"static": 0.95})[0][2] is True


WORDS = st.sampled_from(
    [
        "dog",
        "Dog",
        "dogs/dog",
        "hound",
        "hounds/hound",
        "domestic",
        "big",
        "small",
        "moves/move",
        "stay",
        "stays/stay",
        "goes/go",
        "qux",
        "null",
        ",",
        ".",
    ]
)
TEXT = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)
SYNONYMS = {
    "dog": ["domestic dog", "hound", "move", "go"],
    "hound": ["dog"],
    "move": ["go", "dog"],
    "go": ["move", "dog"],
}
ANTONYMS = {"big": ["small"], "small": ["big"], "stay": ["move"], "move": ["stay"]}


def by_hand(row, relation, by_lemma):
    """Return of each word of the summary how many places of the passage hold a related word."""
    forms = [form.lower() for form in row["passage_forms"]]
    lemmas = row["passage_lemmas"]
    judged = []
    for form, lemma in zip(row["summary_forms"], row["summary_lemmas"], strict=True):
        if form not in ",.":
            related = [word.split() for word in relation.get(lemma, ())]
            judged.append(
                sum(
                    any(
                        len(word) <= len(forms) - at
                        and all(
                            part in ((one, other) if by_lemma else (one,))
                            for part, one, other in zip(word, forms[at:], lemmas[at:], strict=False)
                        )
                        for word in related
                    )
                    for at in range(len(forms))
                )
            )
    return judged


def cosines(row):
    """Return of each word of the summary the greatest cosine to a word of the passage."""

    def vector(form):
        word_vector = VEC.get(form, VEC.get(form.lower()))
        return np.array(word_vector, float) if word_vector and any(word_vector) else None

    others = [vector(form) for form in row["passage_forms"] if form not in ",."]
    for form in row["summary_forms"]:
        if form not in ",.":
            word_vector = vector(form)
            judged = [
                word_vector @ other / np.linalg.norm(word_vector) / np.linalg.norm(other)
                for other in others
                if word_vector is not None and other is not None
            ]
            yield max(judged, default=None)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4), st.booleans())
def test_filters_are_those_of_words_one_by_one(lexicon, texts, by_lemma):
    setting = FilterSetting(lexicon, thresholds={"static": 0.85}, relation_match="lemma" if by_lemma else "surface")
    rows = [pair(*text, number) for number, text in enumerate(texts)]
    for name, relation in (("synonym", SYNONYMS), ("antonym", ANTONYMS)):
        expected = [count for row in rows for count in by_hand(row, relation, by_lemma)]
        assert [value for value, *_ in ask(name, setting, *rows)] == expected
    expected = []
    for row in rows:
        other = list(zip([f.lower() for f in row["passage_forms"]], row["passage_lemmas"], strict=True))
        for form, lemma in zip(row["summary_forms"], row["summary_lemmas"], strict=True):
            if form not in ",.":
                expected.append(sum(f == form.lower() or m == lemma for f, m in other))
    assert [value for value, *_ in ask("lemma", setting, *rows)] == expected
    similar = [value for value, *_ in ask("static", setting, *rows)]
    assert similar == pytest.approx([one for row in rows for one in cosines(row)], abs=1e-6)


@pytest.mark.slow
@settings(max_examples=4, deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4))
def test_until_rejected_says_the_same_up_to_the_first_that_rejects(lexicon, texts):
    predictor = Rated({"dog": 0.1, "hound": 0.9, "big": 0.2}, below=0.35)
    setting = FilterSetting(lexicon, thresholds={"static": 0.85}, abstractness=predictor)
    pairs = batch(*(pair(*text, number) for number, text in enumerate(texts)))
    kinds = ("imperceptibility", "nonspecificity", "intersection")
    optional = [name for name in optional_filters() if name != "contextual"]
    whole, until = (judge(pairs, kinds, optional, setting, how) for how in EVALUATE)
    for kind in kinds:
        assert until[kind].reason.tolist() == whole[kind].reason.tolist()
        assert until[kind].passed.tolist() == whole[kind].passed.tolist()
        names_of_kind = filters_of(kind, optional)
        names = list(FILTERS)
        for place, name in enumerate(names_of_kind):
            verdicts = said(whole[kind].verdicts[name])
            rejected_before = [at >= 0 and names[at] in names_of_kind[:place] for at in whole[kind].reason.tolist()]
            assert said(until[kind].verdicts[name]) == [
                (None, None, None) if before else verdict
                for before, verdict in zip(rejected_before, verdicts, strict=True)
            ]
