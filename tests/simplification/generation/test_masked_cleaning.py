"""The clean-up of a masked language model's words, beside the steps of the paper, one by one."""

import unicodedata
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.schemas.simplification import generation_reasons
from lexbeam.transforms.simplification.generation.generator import PAPER, MaskedOptions
from lexbeam.transforms.simplification.generation.masked_words import MERGES, RULES, Fill, cleaned, comparable

# Letters with and without marks, composed and not, in both cases.
LETTERS = ["a", "á", "a\u0301", "A", "n", "ñ", "N", "u", "ü", "ç"]
WORDS = st.lists(st.sampled_from(LETTERS), max_size=5).map("".join)
FILLS = st.lists(st.builds(Fill, WORDS, st.integers(1, 64).map(lambda n: n / 64), st.booleans()), max_size=12)


def plain(text):
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())


def bare(text):
    swaps = zip("áéíóúüï", "aeiouui", strict=True)
    text = plain(text)
    for letter, other in swaps:
        text = text.replace(letter, other)
    return text


def reference(models, target, rules, merge):
    """The candidates, and the reasons of dropped ones, by the steps of the paper, one by one."""
    target = unicodedata.normalize("NFC", target)
    texts = defaultdict(set)
    for fills in models:
        for text, _, continues in fills:
            texts[plain(text), continues].add(unicodedata.normalize("NFC", text))
    reasons = {}
    for form, continues in texts:
        why = None
        if (
            "prefix_of_target" in rules
            and bare(target).startswith(bare(form))
            and (len(bare(form)) < len(bare(target)))
        ):
            why = "prefix_of_target"
        if "too_short" in rules and len(form) < 3:
            why = "too_short"
        if "accent_variant" in rules and bare(form) == bare(target) and (target not in texts[form, continues]):
            why = "accent_variant"
        if "is_target" in rules and target in texts[form, continues]:
            why = "is_target"
        if "subword" in rules and (continues or form == ""):
            why = "subword"
        reasons[form, continues] = why
    group = bare if merge == "accents" else str
    whole = defaultdict(float)
    for fills in models:
        for text, score, continues in fills:
            if reasons[plain(text), continues] is None:
                whole[plain(text)] += score
    best = {}
    for form in whole:
        rivals = [rival for rival in whole if group(rival) == group(form)]
        best[form] = min(rivals, key=lambda rival: (-whole[rival], rival))
    expected = []
    for fills in models:
        remaining, dropped = defaultdict(float), defaultdict(set)
        for text, score, continues in fills:
            form = plain(text)
            why = reasons[form, continues]
            if why is None:
                remaining[best[form]] += score
                if best[form] != form:
                    dropped[form] = {"merged"}
            elif dropped[form] != {"merged"}:
                dropped[form].add(why)
        expected.append((dict(remaining), {form: why for form, why in dropped.items() if form not in remaining}))
    return expected


@given(
    st.lists(FILLS, min_size=1, max_size=3),
    WORDS.filter(bool),
    st.sets(st.sampled_from(PAPER)),
    st.sampled_from(sorted(MERGES)),
)
def test_cleaning_is_what_the_steps_give(models, target, rules, merge):
    cleaned_lists = cleaned(models, target, rules=rules, merge=merge)
    for proposals, (remaining, dropped) in zip(cleaned_lists, reference(models, target, rules, merge), strict=True):
        assert {proposal.text: proposal.score for proposal in proposals if proposal.reason is None} == remaining
        rest = [proposal for proposal in proposals if proposal.reason is not None]
        assert {proposal.text for proposal in rest} == set(dropped)
        assert all(proposal.reason in dropped[proposal.text] for proposal in rest)
        assert len({proposal.text for proposal in proposals}) == len(proposals)
        assert proposals == sorted(
            proposals, key=lambda proposal: (proposal.reason is not None, -proposal.score, proposal.text)
        )


@given(FILLS, WORDS.filter(bool))
def test_scores_are_added_and_none_is_lost(fills, target):
    proposals = cleaned([fills], target, rules=["none"])[0]
    total = sum(proposal.score for proposal in proposals if proposal.reason is None)
    assert total == sum(fill.score for fill in fills)
    forms = {plain(fill.text) for fill in fills}
    assert {proposal.text for proposal in proposals} == forms


def reasons(target, *words, **options):
    fills = [Fill(word, 1 / 2**n) for n, word in enumerate(words, start=1)]
    return {proposal.text: proposal.reason for proposal in cleaned([fills], target, **options)[0]}


def test_rules_of_the_paper():
    assert reasons("público", "público", "el", "pub", "púb", "privado", "publicó") == {
        "público": "is_target",
        "el": "too_short",
        "pub": "prefix_of_target",
        "púb": "prefix_of_target",
        "privado": None,
        "publicó": "accent_variant",
    }
    assert reasons("actual", "Actual") == {"actual": "accent_variant"}
    assert reasons("Actual", "actual") == {"actual": "accent_variant"}
    assert reasons("Actual", "actual", "Actual") == {"actual": "is_target"}


def test_the_tilde_is_a_letter():
    assert comparable("Cigüeña") == "cigueña"
    assert reasons("año", "ano", "años") == {"ano": None, "años": None}
    assert reasons("pequeña", "peque", "pequen") == {"peque": "prefix_of_target", "pequen": None}


def test_of_spellings_the_most_probable_one_stays():
    fills = [Fill("publico", 0.25), Fill("Público", 0.5), Fill("público", 0.125)]
    winner, dropped = cleaned([fills], "nacional")[0]
    assert (winner.text, winner.score) == ("público", 0.875)
    assert (dropped.text, dropped.score, dropped.reason) == ("publico", 0.25, "merged")
    winner, other = cleaned([fills], "nacional", merge="capitals")[0]
    assert [(proposal.text, proposal.score, proposal.reason) for proposal in (winner, other)] == [
        ("público", 0.625, None),
        ("publico", 0.25, None),
    ]


def test_models_agree_on_the_spelling():
    first, other = cleaned([[Fill("publico", 0.25)], [Fill("público", 0.5)]], "nacional")
    assert [(p.text, p.reason) for p in first] == [("público", None), ("publico", "merged")]
    assert [(p.text, p.reason) for p in other] == [("público", None)]


def test_pieces_and_words_of_one_form():
    fills = [Fill("calma", 0.25, True), Fill("calma", 0.5)]
    assert [(p.text, p.score, p.reason) for p in cleaned([fills], "paz")[0]] == [("calma", 0.5, None)]
    assert reasons("paz", "cal\ufffd") == {"cal\ufffd": "subword"}


def test_stems_are_told_by_lemmas():
    lemmas = {"corriendo": {"correr"}, "corre": {"correr"}, "va": {"ir"}}
    arguments = {"rules": [*PAPER, "same_stem"], "lemmas": {"correr"}, "lemmas_of": lambda form: lemmas.get(form, ())}
    assert reasons("corrió", "corriendo", "vamos", **arguments) == {"corriendo": "same_stem", "vamos": None}


@pytest.mark.parametrize("rule", PAPER)
def test_each_rule_can_be_turned_off(rule):
    fills = [Fill("pú", 0.5), Fill("público", 0.5), Fill("publico", 0.5), Fill("publ", 0.5), Fill("ción", 0.5, True)]
    reasons = {proposal.reason for proposal in cleaned([fills], "público")[0]}
    rules = [name for name in PAPER if name != rule]
    left = {proposal.reason for proposal in cleaned([fills], "público", rules=rules)[0]}
    assert rule in reasons
    assert rule not in left


def test_rules_are_reasons_that_tables_know():
    assert set(RULES) - {"none"} <= set(generation_reasons())
    assert MaskedOptions().masked_rules == PAPER
