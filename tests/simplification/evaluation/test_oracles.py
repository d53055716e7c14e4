"""Candidates matched by their lemmas."""

from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.simplification.evaluation.list_measures import MatchedLemmas, lemma_match

FORMS = ["a", "b", "c", "d", "e"]
GOLD = st.lists(st.sampled_from(FORMS), unique=True, min_size=1).map(
    lambda words: {word: 1 + place // 2 for place, word in enumerate(words)}
)
LEMMAS = st.dictionaries(st.sampled_from(FORMS), st.sets(st.sampled_from("xyz"), min_size=1))
LISTS = st.lists(st.sampled_from(FORMS), unique=True)


@given(gold=GOLD, words=LISTS)
def test_where_forms_are_lemmas_it_is_what_forms_give(gold, words):
    matched = lemma_match(gold, [(word, None) for word in words], lambda form: [form])
    assert matched == MatchedLemmas(len(gold), [gold.get(word, 0) for word in words])


@given(gold=GOLD, lemmas=LEMMAS, words=LISTS)
def test_substitutes_are_groups_that_share_lemmas_and_are_hit_once(gold, lemmas, words):
    of = {form: {form, *lemmas.get(form, {form})} for form in FORMS}
    groups = [{form} for form in gold]

    def all_of(group):
        return set().union(*(of[form] for form in group))

    while True:  # groups that share a lemma are one, until none do
        pairs = [(g, h) for g in groups for h in groups if g is not h and all_of(g) & all_of(h)]
        if not pairs:
            break
        first, second = pairs[0]
        groups = [g for g in groups if g is not first and g is not second] + [first | second]
    matched = lemma_match(gold, [(word, None) for word in words], lambda form: lemmas.get(form, {form}))
    assert matched.size == len(groups)
    hit = {n for n, g in enumerate(groups) for word in words if of[word] & all_of(g)}
    right = [rank for rank in matched.ranks if rank]
    assert len(right) <= len(hit)
    assert bool(right) == bool(hit)
    if words and words[0] in gold:
        assert matched.ranks[0] > 0


def test_what_gold_has_at_a_better_rank_counts():
    lemmas = {"fue": ["ir", "ser"], "era": ["ser"], "iba": ["ir"]}
    # fue shares a lemma with both others: all three are one.
    matched = lemma_match({"era": 2, "iba": 1, "fue": 3}, [("x", "ser"), ("y", "ir")], lemmas.get)
    assert matched == MatchedLemmas(1, [1])
