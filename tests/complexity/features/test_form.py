"""Features of form against a plain computation, word by word."""

import math
import re
import unicodedata

import pyarrow as pa
import pytest
from featured import computed, instance, setting_with
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.complexity.features.word_forms import trigrams_of
from lexbeam.transforms.lexicon.letters import syllables, vowel_groups

ALPHABET = "aeiouybcdnrstßüéÅABØ-–'12αβж"


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    return setting_with(tmp_path_factory.mktemp("lists"), use=("form",))


@settings(max_examples=60)
@given(st.text(ALPHABET, min_size=1, max_size=12))
def test_letters_by_another_way(setting, word):
    (row,) = computed(setting, instance(word))
    letters = [c for c in word if c.isalpha()]
    bare = "".join(c for c in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(c))
    vowels = re.findall("[aeiouyøαеи]", bare)
    consonants = re.findall("[bcdnrstßβж]+", bare)
    assert row["length"] == len(word)
    assert row["capitals"] == len(re.findall("[ABÅØ]", word))
    assert row["capital_share"] == pytest.approx(row["capitals"] / max(len(letters), 1))
    assert row["capital_all"] == (bool(letters) and word.upper() == word and "ß" not in word)
    assert row["capital_initial"] == (word[0] in "ABÅØ")
    assert row["digits"] == len(re.findall("[12]", word))
    assert row["hyphens"] == len(re.findall("[-–]", word))
    assert row["vowel_share"] == pytest.approx(len(vowels) / max(len(letters), 1))
    assert row["vowel_groups"] == len(re.findall("[aeiouyøαеи]+", bare))
    assert row["consonant_run"] == max(map(len, consonants), default=0)
    assert row["doubled_letters"] == len(re.findall(r"(?=(.)\1)", word.lower()))
    assert row["not_ascii"] == len(re.findall("[ßüéÅØαβж]", word))
    assert row["distinct_letters"] == len(set(word.lower())) / len(word.lower())


def test_syllables_are_those_of_the_language():
    assert [syllables(word, "en") for word in ("window", "sea", "information")] == [2, 1, 4]
    assert [syllables(word, "de") for word in ("Schifffahrt", "Zeitung")] == [2, 2]
    assert [syllables(word, "es") for word in ("información", "mar")] == [4, 1]
    # As English is hyphenated the word has other syllables than as Spanish is.
    assert syllables("hospital", "es") == 3
    assert math.isnan(syllables("umi", "ja"))
    assert math.isnan(syllables("sea", None))
    assert vowel_groups("") == 0


def test_trigrams_by_hand(setting):
    sea, other = computed(setting, instance("Sea"), instance("x"))
    # __s -1, _se -.5, sea -.25; `ea_` is not listed and so has the least of the list, -1.
    assert sea["trigram_mean"] == pytest.approx(-(1 + 0.5 + 0.25 + 1) / 4)
    assert sea["trigram_min"] == -1
    assert other["trigram_mean"] == other["trigram_min"] == -1
    owners, texts = trigrams_of(pa.array(["ab", ""]))
    assert owners.tolist() == [0, 0, 0, 1]
    assert texts.to_pylist() == ["__a", "_ab", "ab_", "___"]


def test_affixes_of_english_alone(setting):
    words = ["unhelpfulness", "sea", "antibodies", "thing", "being"]
    found = computed(setting, *(instance(word) for word in words))
    assert [row["affixes"] for row in found] == [3, 0, 1, 0, 0]
    (spanish,) = computed(setting, instance("inter", language="es"))
    assert spanish["affixes"] is None
