"""The trigram model trained anew, with dictionaries, on the sentences that are left."""

import math
from collections import Counter

from lexbeam.transforms.complexity.features.surprisal import MASS


def words_of(forms):
    """Return the words of tokens."""
    return [form.lower() for form in forms or () if any(map(str.isalnum, form))]


class Retrained:
    """Probabilities of words after two words, as `ngrams` defines them."""

    def __init__(self, sentences, mass=MASS):
        self.mass = mass
        self.grams, self.after = Counter(), Counter()
        for words in sentences:
            padded = ["<", "<", *words]
            for at in range(2, len(padded)):
                for size in range(3):
                    before = tuple(padded[at - size : at])
                    self.grams[*before, padded[at]] += 1
                    self.after[before] += 1

    def bits(self, words, at, base, size=2):
        """Return the surprisal of a word after the `size` words before it."""
        before = ["<", "<", *words][at + 2 - size : at + 2]
        p = base
        for order, factor in zip(range(size + 1), self.mass, strict=False):
            history = tuple(before[size - order :])
            uses = self.after[history]
            mass = 1 + factor * uses**0.75
            p = (self.grams[*history, words[at]] + mass * p) / (uses + mass)
        return -math.log2(p)
