"""WordNet's database files read line by line, without any index: what the manual wndb(5) says."""

from functools import lru_cache
from pathlib import Path

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}


class PlainWordNet:
    """Senses, words and pointers of a database."""

    def __init__(self, folder):
        self.senses = {}  # (word, part of speech): offsets, the first sense first
        self.words = {}  # (part of speech, offset): words
        self.folder = Path(folder)
        self.pointers = {}  # (part of speech, offset): (symbol, part of speech, offset, from, to)
        for pos, name in FILES.items():
            for cells in _lines(Path(folder) / f"index.{name}"):
                count = int(cells[2])
                self.senses[cells[0].lower(), pos] = [int(cell) for cell in cells[-count:]]
            for cells in _lines(Path(folder) / f"data.{name}"):
                key = pos, int(cells[0])
                end = 4 + 2 * int(cells[3], 16)
                self.words[key] = [word.partition("(")[0] for word in cells[4:end:2]]
                self.pointers[key] = [
                    (symbol, to.replace("s", "a"), int(at), int(both[:2], 16), int(both[2:], 16))
                    for symbol, at, to, both in zip(
                        *(cells[end + 1 + n : end + 1 + 4 * int(cells[end]) : 4] for n in range(4)), strict=True
                    )
                ]

    def exceptions(self, pos, form):
        """Return the base forms that the list of irregular forms has."""
        lines = map(str.split, (self.folder / f"{FILES[pos]}.exc").read_text("utf-8").splitlines())
        return {base for first, *bases in lines if first == form for base in bases}

    def synsets(self, word):
        """Return all synsets of a word."""
        word = word.lower().replace(" ", "_")
        return [(pos, at) for pos in FILES for at in self.senses.get((word, pos), ())]

    def synonyms(self, word):
        """Return the other words of its synsets, lower-cased."""
        words = {other.lower() for key in self.synsets(word) for other in self.words[key]}
        return words - {word.lower()}

    def antonyms(self, word):
        """Return the words that some sense of it is opposed to."""
        words = set()
        for key in self.synsets(word):
            opposed = [other.lower() for other in self.words[key]]
            for symbol, pos, at, source, end in self.pointers[key]:
                if symbol == "!" and opposed[source - 1] == word.lower():
                    words.add(self.words[pos, at][end - 1].lower())
        return words

    @lru_cache(None)  # noqa: B019 - it lives as long as the test
    def depth(self, key):
        """Return the longest way to a root over hypernyms and instance hypernyms."""
        above = [(pos, at) for symbol, pos, at, *_ in self.pointers[key] if symbol in ("@", "@i")]
        return 1 + max(map(self.depth, above)) if above else 0

    def sense(self, name):
        """Return the synset that `person.n.1` names."""
        word, pos, number = name.rsplit(".", 2)
        return pos, self.senses[word.lower(), pos][int(number) - 1]


def _lines(path):
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith(" "):
            yield line.partition("|")[0].split()
