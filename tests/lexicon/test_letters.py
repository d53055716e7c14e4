"""What letters say of words; tests/complexity/features/test_form.py has them against another computation."""

import math

from lexbeam.transforms.lexicon.letters import letter_counts, vowel_groups


def test_each_word_is_counted_by_itself():
    words = ["Übersee", "NASA", "x-2", ""]
    together = letter_counts(words, "en")
    for place, word in enumerate(words):
        alone = letter_counts([word], "en")
        assert {name: values[0] for name, values in alone.items()} == {n: v[place] for n, v in together.items()}
    assert together["length"].tolist() == [7, 4, 3, 0]
    assert together["capital_all"].tolist() == [False, True, False, False]
    assert (together["digits"][2], together["hyphens"][2], together["not_ascii"][0]) == (1, 1, 1)


def test_a_language_without_patterns_has_no_syllables_but_vowels():
    found = letter_counts(["umi"], None)
    assert math.isnan(found["syllables"][0])
    assert found["vowel_groups"][0] == vowel_groups("umi") == 2
