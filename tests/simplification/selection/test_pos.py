"""Filter pos: candidates have the target's part of speech in its place."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.annotation.engines.engine import Engine, plain_tokens
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.simplification.records import Instance
from lexbeam.transforms.simplification.selection import sentence_filters
from lexbeam.transforms.simplification.selection.candidate_filter import (
    CandidateState,
    InstanceCandidates,
    Selecting,
    SelectionOptions,
    TaggedPlace,
)
from lexbeam.transforms.simplification.selection.candidate_selection import select

TAGS = {
    "duro": "ADJ",
    "arduo": "ADJ",
    "fuerte": "ADJ",
    "piedra": "NOUN",
    "Roma": "PROPN",
    "ha": "AUX",
    "come": "VERB",
    "comió": "VERB",
    "el": "DET",
    "de": "ADP",
    "cosa": "NOUN",
    "rara": "ADJ",
    "nada": "",
    "et": "X",
    "strong": "ADJ",
    "very": "ADV",
    "hard": "ADJ",
    "take": "VERB",
    "off": "ADP",
}


@pytest.fixture
def tagged_texts(monkeypatch):
    """An engine that tags by a dictionary; the sentences that it has been given."""
    seen = []

    def annotate(paragraphs, map_form=None):
        seen.extend(paragraphs)
        tokens = [plain_tokens(text) for text in paragraphs]
        return [[sentence._replace(upos=[TAGS.get(f, "DET") for f in sentence.forms])] for sentence in tokens]

    engine = Engine(name="toy", language="es", fingerprint="toy", has_upos=True, has_lemmas=False, annotate=annotate)
    near = Engine(**{**vars(engine), "reach": 1})
    engines = {"toy": engine, "near": near}
    monkeypatch.setattr(sentence_filters, "load_tagger", lambda spec, fingerprint: engines[spec])
    return seen


def group(marked, *forms, language="es"):
    before, _, rest = marked.partition("[")
    target, _, after = rest.partition("]")
    start = len(before)
    instance = Instance(marked, language, before + target + after, target, start, start + len(target), None, None, None)
    return InstanceCandidates(instance, [CandidateState(form, form, None, None, 1.0, None) for form in forms])


def reasons(groups, tagged=None, engine="toy", **options):
    selecting = Selecting(SelectionOptions(**options), engine=engine, tagged=tagged)
    sentence_filters.filter_pos(groups, selecting)
    return [[(s.form, s.reason, s.note, s.upos) for s in group.states] for group in groups]


def test_the_tag_in_place_decides(tagged_texts):
    outcomes = reasons([group("un [arduo] día", "duro", "piedra", "fuerte"), group("[come] ya", "ha")])
    assert outcomes == [
        [("duro", None, None, "ADJ"), ("piedra", "pos_mismatch", None, "NOUN"), ("fuerte", None, None, "ADJ")],
        [("ha", None, None, "AUX")],
    ]
    outcomes = reasons([group("[come] ya", "ha", "comió")], same_pos=())
    assert [row[1] for row in outcomes[0]] == ["pos_mismatch", None]


def test_parts_of_speech_that_are_taken_for_one(tagged_texts):
    outcomes = reasons([group("la [piedra]", "Roma", "duro")], same_pos=("PROPN=NOUN", "NOUN=ADJ"))
    assert [row[1] for row in outcomes[0]] == [None, None]


@given(st.lists(st.tuples(*[st.sampled_from("ABCDE")] * 2)))
def test_parts_of_speech_are_one_if_a_chain_of_pairs_joins_them(pairs):
    representatives = sentence_filters.equal_pos(f"{a}={b}" for a, b in pairs)
    for a, b in itertools.product("ABCDE", repeat=2):
        reached, grown = {a}, set()
        while reached != grown:
            grown = set(reached)
            reached |= {y for pair in pairs for y in pair if grown & set(pair)}
        assert (representatives.get(a, a) == representatives.get(b, b)) == (b in reached)


def test_phrases_pass_or_are_judged_by_their_head(tagged_texts):
    phrases = ("cosa rara", "duro de cosa")
    [outcomes] = reasons([group("la [piedra]", *phrases)])
    assert outcomes == [(form, None, "pos_unchecked", None) for form in phrases]
    [outcomes] = reasons([group("la [piedra]", *phrases)], pos_phrases="head")
    assert outcomes == [("cosa rara", None, None, "NOUN"), ("duro de cosa", "pos_mismatch", None, "ADJ")]
    # In English the last word is the head, but of a verb.
    [outcomes] = reasons([group("a [strong] one", "very hard", "take off", language="en")], pos_phrases="head")
    assert [(row[1], row[3]) for row in outcomes] == [(None, "ADJ"), ("pos_mismatch", "VERB")]


def test_a_note_is_of_what_goes_on(tagged_texts):
    candidates = group("la [piedra]", "cosa rara", "cosas raras", "cosa")
    for state in candidates.states[:2]:
        state.lemma = "cosa rara"
    select([candidates], Selecting(SelectionOptions(filters=("pos", "morphology")), engine="toy"))
    assert [(state.reason, state.note) for state in candidates.states] == [
        (None, "pos_unchecked"),
        ("merged", None),
        (None, None),
    ]


@pytest.mark.parametrize(("language", "tag"), [("en", "NOUN"), ("en-GB", "NOUN"), ("es", "ADJ")])
def test_a_target_that_is_a_phrase_is_judged_by_its_head(tagged_texts, language, tag):
    [outcomes] = reasons([group("a [hard cosa] came", "piedra", "duro", language=language)])
    assert [row[1] for row in outcomes] == [None if upos == tag else "pos_mismatch" for upos in ("NOUN", "ADJ")]


def test_a_sentence_is_tagged_once_in_whatever_settings(tagged_texts):
    tagged = {}
    first = [group("un [arduo] día", "duro", "fuerte"), group("un [duro] día", "arduo")]
    alone = reasons(first, tagged)
    assert sorted(tagged_texts) == ["un arduo día", "un duro día", "un fuerte día"]
    again = [group("un [arduo] día", "fuerte", "piedra", "duro"), group("un [duro] día", "arduo")]
    assert reasons(again, tagged)[1] == alone[1]
    assert tagged_texts[3:] == ["un piedra día"]
    # What is dropped already is not asked about.
    other = group("la [cosa]", "duro")
    other.states[0].reason = "merged"
    reasons([other], tagged)
    assert len(tagged_texts) == 4


def test_an_unset_tag_is_an_error_that_names_word_and_sentence(tagged_texts):
    with pytest.raises(LexbeamError, match=r"no part of speech for 'nada' in 'un nada día'"):
        reasons([group("un [arduo] día", "nada")])
    # Other is a part of speech as others are.
    assert reasons([group("un [arduo] día", "et"), group("un [et] día", "et", "duro")]) == [
        [("et", "pos_mismatch", None, "X")],
        [("et", None, None, "X"), ("duro", "pos_mismatch", None, "ADJ")],
    ]


def test_only_what_the_engine_sees_is_tagged(tagged_texts):
    sentences = ("de un [arduo] día de cosa", "un [arduo] día ya", "[duro] de cosa")
    near = reasons([group(text, "fuerte", "piedra") for text in sentences], engine="near")
    # The places of the first two are the same.
    seen = ["un arduo día", "un fuerte día", "un piedra día", "duro de", "fuerte de", "piedra de"]
    assert tagged_texts == seen
    assert near == reasons([group(text, "fuerte", "piedra") for text in sentences])
    with pytest.raises(LexbeamError, match=r"'nada' in 'de un nada día de cosa'"):
        reasons([group(sentences[0], "nada")], engine="near")


def test_of_a_long_sentence_an_engine_sees_what_is_around_the_word(tagged_texts):
    words = [f"w{number}" for number in range(1000)]
    text = " ".join([*words[:500], "[arduo]", *words[500:]])
    around = [
        " ".join([*words[500 - sentence_filters.WINDOW : 500], form, *words[500 : 500 + sentence_filters.WINDOW]])
        for form in ("arduo", "piedra", "fuerte")
    ]
    [outcomes] = reasons([group(text, "piedra", "fuerte")])
    assert [row[1] for row in outcomes] == ["pos_mismatch", None]
    assert tagged_texts == around


WORD = st.sampled_from(["a", "b.", "«c", "d-e", "f", "¿g?"])


@given(st.lists(WORD, max_size=6), WORD, st.lists(WORD, max_size=6), st.sampled_from([" ", "  ", "\u00a0 "]), st.data())
def test_what_is_seen_has_so_many_words_to_either_side(before, word, after, space, data):
    words = [*before, word, *after]
    sentence = space.join(words)
    letter = next(place for place, sign in enumerate(word) if sign.isalpha())
    start = sum(len(one) + len(space) for one in before) + letter
    reach = data.draw(st.integers(0, 7))
    seen = sentence_filters.within_reach(TaggedPlace(sentence, start, start + 1, True), reach)
    assert seen.sentence == space.join(words[max(0, len(before) - reach) : len(before) + 1 + reach])
    assert seen.sentence in sentence
    assert seen.sentence[seen.start : seen.end] == word[letter]
