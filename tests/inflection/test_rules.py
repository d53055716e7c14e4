"""Suffix rules: edits, what is learned, what decides."""

from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.inflection.paradigms import (
    LONELY,
    MANY,
    Edit,
    apply_edit,
    apply_rules,
    decision_list,
    edit_of,
    learn_rules,
)

WORDS = st.text("abceinorst", min_size=1, max_size=9)


@given(WORDS, WORDS)
def test_an_edit_makes_the_form(lemma, form):
    assert apply_edit(lemma, edit_of(lemma, form)) == form


def test_edits_are_the_shortest():
    assert edit_of("hablar", "habló") == Edit("ar", "ó")
    assert edit_of("pensar", "piensan") == Edit("ar", "an", "e", "ie")
    assert edit_of("casa", "casas") == Edit("", "s")
    assert edit_of("ir", "fue") == Edit("ir", "fue")


def test_edits_fit_only_their_kind():
    change = edit_of("pensar", "piensa")
    assert apply_edit("negar", change) == "niega"
    assert apply_edit("contar", change) is None
    assert apply_edit("temer", change) is None


def rows(pairs, name="x"):
    return [(name, lemma, form, 1) for lemma, form in pairs]


def test_longest_suffix_decides_with_its_counts():
    regular = [(f"{c}alar", f"{c}ala") for c in "bcdfg"]
    rules = learn_rules(rows([*regular, ("contar", "cuenta"), ("montar", "muenta")]))["x"]
    assert apply_rules(rules, "remontar").form == "remuenta"
    assert apply_rules(rules, "salar").form == "sala"
    applied = apply_rules(rules, "volar")
    assert (applied.form, applied.times, applied.total) == ("vola", 5, 7)


def test_what_fits_no_edit_has_no_form():
    rules = learn_rules(rows([("cantar", "canta")]))["x"]
    assert apply_rules(rules, "sol") is None
    assert apply_rules({}, "cantar") is None


def test_an_edit_of_one_lemma_tells_of_long_suffixes_alone():
    many = [(f"{a}{b}er", f"{a}{b}ió") for a in "abcd" for b in "lmn"]
    assert len(many) > MANY > LONELY
    rules = learn_rules(rows([*many, ("poner", "puso")]))["x"]
    assert apply_rules(rules, "oner").form == "onió"
    assert apply_rules(rules, "suponer").form == "supuso"


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=20, unique=True))
def test_order_does_not_matter(pairs):
    assert learn_rules(rows(pairs)) == learn_rules(rows(pairs[::-1]))


@given(st.dictionaries(WORDS, st.sampled_from("xyz"), min_size=1, max_size=15))
def test_pruning_changes_no_decision(outcomes):
    """The first outcome of the longest kept suffix is that of counts by brute force."""
    pruned = decision_list(dict.fromkeys(outcomes.items(), 1))

    def share(suffix, outcome):
        matching = [o for w, o in outcomes.items() if f"^{w}".endswith(suffix) and counts(w, suffix)]
        before = share(suffix[1:], outcome) if suffix else 0.0
        return (matching.count(outcome) + before) / (len(matching) + 1) if matching else before

    def counts(word, suffix):
        lonely = list(outcomes.values()).count(outcomes[word]) == 1 and len(outcomes) >= MANY
        return not lonely or len(suffix) >= LONELY

    for word in outcomes:
        padded = f"^{word}"[-8:]
        seen = next(s for n in range(len(padded) + 1) if (s := padded[n:]) in pruned)
        here = {
            o: share(padded, o)
            for o in "xyz"
            if any(o == p and f"^{w}".endswith(padded) and counts(w, padded) for w, p in outcomes.items())
        }
        if here:
            assert pruned[seen][0][0] == min(here, key=lambda o: (-here[o], o))
