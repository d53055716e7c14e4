"""Options of questions against a plain, slow way to them."""

from fractions import Fraction

import hypothesis.strategies as st
from hypothesis import given

from lexbeam.transforms.cloze.questions.choice import WANTED, OptionRules, RightAnswer, WordFacts, choose, order_of

WORDS = ["hope", "Hope", "hopes", "trust", "trusts", "faith", "fear", "love", "loves", "calm", "law"]
LEMMAS = {word: word.lower().removesuffix("s") for word in WORDS}
ANSWER = RightAnswer("hopes", "hope", "NOUN")


def facts_of(synonyms=(), passage=(), similarity=None, inflect=None):
    return WordFacts(
        LEMMAS.__getitem__,
        inflect or (lambda word: word),
        (similarity or {}).get,
        frozenset(synonyms),
        frozenset(passage),
    )


def words_of(considered):
    return [candidate.word for candidate in considered if candidate.kept]


def test_by_readers_then_reciprocal_ranks_then_form():
    lists = {"a": ["law", "calm", "fear", "trust"], "b": ["fear", "love", "calm"]}
    considered = choose(ANSWER, lists, facts_of(), OptionRules())
    # calm: 1/2 + 1/3, fear: 1/3 + 1; then law 1, love 1/2, trust 1/4.
    assert words_of(considered) == ["fear", "calm", "law", "love"]
    assert [(candidate.word, candidate.reason) for candidate in considered[4:]] == [("trust", "surplus")]
    assert (considered[0].readers, considered[0].ranks) == (("a", "b"), (3, 1))
    assert considered[0].score == 1 / 3 + 1


def test_every_drop_has_its_reason():
    lists = {"a": ["Hope", "trust", "faith", "fear", "loves", "love", "calm", "law"]}
    facts = facts_of(synonyms={"trust"}, similarity={"faith": 0.9, "law": 0.85}, passage={"calm"})
    considered = choose(ANSWER, lists, facts, OptionRules(options_in_passage="reject"))
    assert {candidate.word: candidate.reason for candidate in considered} == {
        "Hope": "answer",
        "trust": "synonym",
        "faith": "similar",
        "calm": "in_passage",
        "love": "same",
        "fear": None,
        "loves": None,
        "law": None,
    }
    allowed = choose(ANSWER, lists, facts, OptionRules())
    assert "calm" in words_of(allowed)


def test_longer_lists_where_there_are_too_few():
    lists = {"a": ["hope", "fear", "trust", "faith", "love", "calm"], "b": ["law"]}
    rules = OptionRules(list_sizes=(2, 4, 6))
    considered = choose(ANSWER, lists, facts_of(), rules)
    assert words_of(considered) == ["law", "fear", "trust", "faith"]
    assert [candidate.list_size for candidate in considered if candidate.kept] == [2, 2, 4, 4]
    assert len(words_of(choose(ANSWER, {"a": lists["a"][:3]}, facts_of(), rules))) == 2


def test_a_word_without_a_form_like_the_answers_is_never_an_option():
    lists = {"a": ["fear", "trust", "faith", "love", "calm", "law"]}
    facts = facts_of(inflect=lambda word: None if word in ("fear", "law") else f"{word}s")
    rules = OptionRules(list_sizes=(4, 6))
    considered = choose(ANSWER, lists, facts, rules)
    # Three of the first four words are too few.
    assert words_of(considered) == ["trusts", "faiths", "loves", "calms"]
    assert {(c.word, c.reason) for c in considered if not c.kept} == {("fear", "form"), ("law", "form")}
    fewer = choose(ANSWER, {"a": lists["a"][:4]}, facts, rules)
    assert words_of(fewer) == ["trusts", "faiths", "loves"]
    plain = choose(ANSWER, lists, facts, OptionRules(inflect=False))
    assert words_of(plain) == ["fear", "trust", "faith", "love"]


def test_merged_words_pool_their_readers():
    lists = {"a": ["trust", "law"], "b": ["fear", "trusts"]}
    considered = choose(ANSWER, lists, facts_of(), OptionRules())
    assert considered[0].word == "trust"
    assert considered[0].readers == ("a", "b")
    assert considered[0].score == 1.5


def test_inflected_options_are_compared_as_they_are_shown():
    lists = {"a": ["trust", "fear", "love", "law", "calm"]}
    facts = facts_of(inflect=lambda word: word + "s")
    answer = RightAnswer("Hopes", "hope", "NOUN")
    considered = choose(answer, lists, facts, OptionRules())
    assert words_of(considered) == ["Trusts", "Fears", "Loves", "Laws"]
    assert [candidate.named for candidate in considered[:2]] == ["trust", "fear"]
    plain = choose(answer, lists, facts, OptionRules(inflect=False))
    assert words_of(plain) == ["Trust", "Fear", "Love", "Law"]


def test_options_are_other_words_than_the_answer_whatever_their_apostrophes():
    lists = {"a": ["king's", "kingʼs", "lord's", "lord’s", "sea's", "bank’s", "hour’s", "law's", "day's"]}
    facts = facts_of(synonyms=["sea’s"])._replace(lemma=str)
    considered = choose(RightAnswer("king’s", "king’s", "NOUN"), lists, facts, OptionRules())
    reasons = {candidate.word: candidate.reason for candidate in considered}
    assert (reasons["king's"], reasons["kingʼs"], reasons["sea's"]) == ("answer", "answer", "synonym")
    assert sorted([reasons["lord's"] or "", reasons["lord’s"] or ""])[0] == ""
    assert reasons["lord's"] != reasons["lord’s"]


def brute(lists, size, synonyms, similar, passage, reject):
    """Return options by definition: every word's reasons, components by spreading, then order."""
    pool = sorted({word for words in lists.values() for word in words[:size]})
    ranks = {word: {r: words.index(word) + 1 for r, words in lists.items() if word in words[:size]} for word in pool}
    left = [
        word
        for word in pool
        if LEMMAS[word] != "hope"
        and not {word.lower(), LEMMAS[word]} & synonyms
        and similar.get(word, -1) <= 0.85
        and not (reject and {word.lower(), LEMMAS[word]} & passage)
    ]

    def key(ranks_of_word, word):
        return -len(ranks_of_word), -sum(Fraction(1, n) for n in ranks_of_word.values()), word

    merged = []
    for lemma in {LEMMAS[word] for word in left}:  # equal forms have equal lemmas here
        group = [word for word in left if LEMMAS[word] == lemma]
        best = {r: min(ranks[w][r] for w in group if r in ranks[w]) for w in group for r in ranks[w]}
        shown = min(group, key=lambda word: key(ranks[word], word))
        merged.append(key(best, shown))
    return [word for *_, word in sorted(merged)][:WANTED]


lists_of_words = st.lists(st.sampled_from(WORDS), unique=True, max_size=9)
some_words = st.sets(st.sampled_from([word.lower() for word in WORDS]), max_size=3)


@given(
    st.dictionaries(st.sampled_from("abc"), lists_of_words),
    some_words,
    some_words,
    st.dictionaries(st.sampled_from(WORDS), st.sampled_from([0.5, 0.85, 0.9])),
    st.booleans(),
)
def test_against_brute_force(lists, synonyms, passage, similar, reject):
    rules = OptionRules(options_in_passage="reject" if reject else "allow", list_sizes=(3, 5, 9))
    considered = choose(ANSWER, lists, facts_of(synonyms, passage, similar), rules)
    for size in (3, 5, 9):
        wanted = brute(lists, size, synonyms, similar, passage, reject)
        if len(wanted) == WANTED:
            break
    assert words_of(considered) == wanted
    seen = [candidate.named for candidate in considered]
    assert len(seen) == len(set(seen))  # every word is there once
    assert all(candidate.reason for candidate in considered[len(wanted) :])


def test_order_is_a_permutation_that_the_seed_decides():
    orders = [order_of(f"q{n}", "kind", 5, seed=1) for n in range(200)]
    assert all(sorted(order) == [0, 1, 2, 3, 4] for order in orders)
    first = [order[0] for order in orders]
    assert all(20 < first.count(place) < 65 for place in range(5))
    assert orders != [order_of(f"q{n}", "kind", 5, seed=2) for n in range(200)]
