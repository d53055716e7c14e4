"""Filters antonyms and hyponyms, on a small WordNet."""

import pytest
from wordnet_making import Synset, both_ways, write_wordnet

from transforms.common.errors import UsageError
from transforms.lexicon.resources import LexiconOptions, prepare
from transforms.simplification.records import Instance
from transforms.simplification.selection import inputs
from transforms.simplification.selection.filter import CandidateState, InstanceCandidates, Selecting
from transforms.simplification.selection.filters import FILTERS
from transforms.simplification.selection.inputs import SelectionFiles, check_selection
from transforms.simplification.selection.options import SelectionOptions

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


@pytest.fixture(scope="module")
def selecting(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wordnet")
    write_wordnet(folder, SYNSETS)
    lexicon = prepare(LexiconOptions(resources=(f"wordnet_=wordnet:{folder}",), cache=str(folder / "cache")))
    return Selecting(SelectionOptions(), lexicon)


def dropped(name, selecting, target, upos, *forms, language="en", lemma=None):
    instance = Instance("1", language, target, target, 0, len(target), lemma, upos, None)
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


def test_words_and_languages_that_wordnet_lacks_lose_nothing(selecting):
    assert dropped("hyponyms", selecting, "xyz", "NOUN", "hut") == {}
    assert dropped("antonyms", selecting, "hot", "ADJ", "cold", language="es") == {}


def test_wordnet_is_asked_for_where_there_is_none(monkeypatch):
    monkeypatch.setattr(inputs, "is_installed", lambda: False)
    with pytest.raises(UsageError, match=r"they filter by antonyms, which needs .*`wordnet`"):
        check_selection({"": SelectionOptions(filters=("antonyms",))}, SelectionFiles(), None)
