"""Filters antonyms, hyponyms, lesk and rare-senses, on small WordNets."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lesk_reference import choice, score
from wordnet_making import Synset, both_ways, write_wordnet

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.lexicon.wordnet.lesk import STOP_WORDS
from lexbeam.transforms.simplification.records import Instance
from lexbeam.transforms.simplification.selection import candidate_selection
from lexbeam.transforms.simplification.selection.candidate_filter import (
    CandidateState,
    InstanceCandidates,
    Selecting,
    SelectionOptions,
)
from lexbeam.transforms.simplification.selection.candidate_selection import SelectionFiles, check_selection
from lexbeam.transforms.simplification.selection.filters import FILTERS

SYNSETS = both_ways(
    [
        Synset("thing", "n", ["thing"]),
        Synset("building", "n", ["building", "edifice"], pointers=[("@", "thing", 0, 0)]),
        Synset("home", "n", ["house", "home"], pointers=[("@", "building", 0, 0)]),
        Synset("hut", "n", ["hut", "edifice"], pointers=[("@", "home", 0, 0)], lex_ids=[0, 1]),
        Synset("roof", "n", ["roof"]),
        Synset("build", "v", ["house", "put_up"]),
        Synset("hot", "a", ["hot", "warm"], pointers=[("!", "cold", 1, 1)]),
        Synset("cold", "a", ["cold", "chill"]),
        Synset("sultry", "s", ["sultry"], pointers=[("&", "hot", 0, 0)]),
        Synset("icy", "s", ["icy"], pointers=[("&", "cold", 0, 0)]),
    ]
)


# By name: words, gloss, and the synsets above; the first two are senses of `bank`.
BANK = {
    "shore": (["bank", "strand"], "slope beside a river", ["edge"]),
    "firm": (["bank", "lender"], "firm that lend money", ["company"]),
    "edge": (["edge", "border"], "line where river and land meet", []),
    "company": (["company"], "people who lend and sell", []),
    "beach": (["beach"], "strand of sand", ["shore"]),
    "river": (["river", "border"], "stream of water", []),
}


def made(folder, synsets):
    write_wordnet(folder, synsets)
    return selecting_by(folder)


@pytest.fixture(scope="module")
def selecting(tmp_path_factory):
    return made(tmp_path_factory.mktemp("wordnet"), SYNSETS)


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    synsets, seen = [], Counter()
    for name, (words, gloss, above) in BANK.items():
        lex_ids = [seen[word] for word in words]
        synsets.append(Synset(name, "n", words, gloss, pointers=[("@", one, 0, 0) for one in above], lex_ids=lex_ids))
        seen.update(words)
    return made(tmp_path_factory.mktemp("bank"), both_ways(synsets))


def selecting_by(folder):
    lexicon = prepare(LexiconOptions(resources=(f"wordnet_=wordnet:{folder}",), cache=str(folder / "cache")))
    return Selecting(SelectionOptions(), lexicon)


def dropped(name, selecting, target, upos, *forms, language="en", lemma=None, before="", after=""):
    sentence = f"{before}{target}{after}"
    instance = Instance("1", language, sentence, target, len(before), len(before) + len(target), lemma, upos, None)
    group = InstanceCandidates(instance, [CandidateState(form, form, None, None, 1.0, None) for form in forms])
    FILTERS[name].drop([group], selecting)
    return {state.form: state.reason for state in group.states if state.reason is not None}


@pytest.mark.parametrize("target", ["hot", "warm", "sultry"])
def test_opposites_of_a_word_and_of_what_it_is_like_are_dropped(selecting, target):
    forms = ("cold", "chill", "icy", "hot", "warm", "sultry", "roof", "unknown")
    assert dropped("antonyms", selecting, target, "ADJ", *forms) == dict.fromkeys(("cold", "chill", "icy"), "antonym")


def test_what_is_narrower_is_dropped_and_what_is_beside_or_above_is_not(selecting):
    forms = ("home", "hut", "thing", "edifice", "huts", "roof", "unknown")
    # An edifice is a hut, and a building, which is above a house.
    assert dropped("hyponyms", selecting, "houses", "NOUN", *forms) == {"hut": "hyponym", "huts": "hyponym"}
    assert dropped("hyponyms", selecting, "thing", "NOUN", "hut", "thing", "roof") == {"hut": "hyponym"}


def test_the_target_has_the_senses_of_its_part_of_speech(selecting):
    assert dropped("hyponyms", selecting, "house", "VERB", "hut") == {}
    assert dropped("hyponyms", selecting, "house", None, "hut") == {"hut": "hyponym"}
    # A tag that WordNet has no senses for does not count.
    assert dropped("hyponyms", selecting, "house", "ADV", "hut") == {"hut": "hyponym"}
    assert dropped("hyponyms", selecting, "xyz", "NOUN", "hut", lemma="home") == {"hut": "hyponym"}


def test_what_fits_another_sense_than_the_sentence_is_dropped(bank):
    forms = ("strand", "lender", "border", "beach", "river", "company", "unknown")
    by_river = dropped("lesk", bank, "bank", "NOUN", *forms, before="The ", after=" beside a river flooded.")
    # A border is an edge, and an edge is what a shore is; of what WordNet lacks it says nothing.
    assert by_river == dict.fromkeys(("lender", "river", "company"), "other_sense")
    of_money = dropped("lesk", bank, "banks", "NOUN", *forms, before="The ", after=" lend money.")
    assert of_money == dict.fromkeys(("strand", "border", "beach", "river"), "other_sense")


SIDE = st.lists(st.sampled_from(["the", "river", "land", "money", "lend", "that", "sell", "slope", "bank"]), max_size=6)


@settings(max_examples=25)
@given(SIDE, SIDE, st.sampled_from(["bank", "border"]))
def test_the_sense_is_the_one_that_adapted_lesk_has_word_by_word(bank, before, after, target):
    senses = [name for name, (words, _, _) in BANK.items() if target in words]
    below = {name: [other for other, (_, _, above) in BANK.items() if name in above] for name in BANK}
    around = {name: {name, *BANK[name][2], *below[name]} for name in senses}
    glosses = {name: [BANK[other][1].split() for other in near] for name, near in around.items()}
    chosen = senses[choice([score(glosses[name], [before, after], {target}, STOP_WORDS) for name in senses])]
    forms = {word for words, _, _ in BANK.values() for word in words} - {target}
    apart = {form for form in forms if not any(form in BANK[name][0] for name in around[chosen])}
    sides = {"before": " ".join([*before, ""]), "after": " ".join(["", *after])}
    assert dropped("lesk", bank, target, "NOUN", *forms, **sides) == dict.fromkeys(apart, "other_sense")


def test_what_means_the_target_in_a_late_sense_alone_is_dropped(selecting):
    forms = ("edifices", "home", "house", "roof", "unknown")
    # The first sense of an edifice is a building, the second a hut; a house as a verb is another word.
    for most, rare in ((1, {"edifices": "rare_sense"}), (2, {}), (4, {})):
        asked = Selecting(SelectionOptions(most_sense=most), selecting.lexicon)
        assert dropped("rare-senses", asked, "hut", "NOUN", *forms) == rare
        assert dropped("rare-senses", asked, "houses", "NOUN", "edifice", "thing", "building") == {}
        assert dropped("rare-senses", asked, "icy", "ADJ", "chill", "cold", "hot") == {}


def test_words_and_languages_that_wordnet_lacks_lose_nothing(selecting):
    assert dropped("hyponyms", selecting, "xyz", "NOUN", "hut") == {}
    assert dropped("antonyms", selecting, "hot", "ADJ", "cold", language="es") == {}
    assert dropped("lesk", selecting, "xyz", "NOUN", "hut") == {}
    assert dropped("rare-senses", selecting, "xyz", "NOUN", "hut") == {}
    assert dropped("lesk", selecting, "hot", "ADJ", "hut", language="es") == {}


def test_wordnet_is_asked_for_where_there_is_none(monkeypatch):
    monkeypatch.setattr(candidate_selection, "is_installed", lambda: False)
    with pytest.raises(UsageError, match=r"they filter by antonyms, which needs .*`wordnet`"):
        check_selection({"": SelectionOptions(filters=("antonyms",))}, SelectionFiles(), None)
