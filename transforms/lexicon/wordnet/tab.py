"""Words of another language in the synsets of WordNet: a tab file of Open Multilingual Wordnet over a database.

A line of the file has a synset, `spa-30-00001740-n` or `00001740-n`, `spa:lemma`, and a word. Its offset is that of the
database whose relations are taken: the one in the file's own folder, if that has one, else Debian's. So a wordnet that
has no relations of its own has hypernyms and depths. Of several senses of a word those come first whose English words
are tagged more often, then the first by offset. Pointers between words (antonyms) are those of English words, and lead
nowhere here; so do glosses, which are in English: they are shown, and not compared with a text.
"""

from collections import Counter

import numpy as np

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.models import content_digest
from lexbeam.transforms.lexicon.thesauri.reading import read_thesaurus
from lexbeam.transforms.lexicon.thesauri.senses import ThesaurusOptions
from lexbeam.transforms.lexicon.wordnet.files import Index, digest_of_database, find_file, read_counts
from lexbeam.transforms.lexicon.wordnet.lexnames import PART_FILES, PARTS
from lexbeam.transforms.lexicon.wordnet.synsets import Synsets, bounds_of, read_synsets

DEBIAN = "/usr/share/wordnet"  # where Debian's packages wordnet-base and wordnet-sense-index put the files
_LEAST = 0.5  # share of a file's synsets that a database of the same version has at least


def is_tab(path: str) -> bool:
    """Return whether a path is that of a tab file, by its name."""
    return path.removesuffix(".gz").removesuffix(".xz").removesuffix(".bz2").endswith((".tab", ".tsv"))


def base_of(path: str) -> str:
    """Return the folder of the database whose relations a tab file takes."""
    folder = path.rpartition("/")[0]
    return folder if folder and find_file(folder, "data.noun") else DEBIAN


def digest_of_tab(path: str) -> str:
    """Return a digest of a tab file and of the database below it.

    Raises:
        LexbeamError: one of them is missing.
    """
    return digest([content_digest(path), digest_of_database(base_of(path))])


def read_tab_wordnet(path: str) -> tuple[Synsets, list[Index]]:
    """Return the synsets of the database with the words of a tab file, and an index of these words.

    Raises:
        LexbeamError: a file cannot be read, or the offsets are those of another database.
    """
    base = base_of(path)
    synsets = read_synsets(base)
    words = _words(path, synsets, base)
    counts = [len(words.get(row, ())) for row in range(len(synsets.ids))]
    written = [word for row in range(len(synsets.ids)) for word in words.get(row, ())]
    no_words = np.zeros(len(synsets.targets), np.uint8)
    changed = synsets._replace(
        word_bounds=bounds_of(counts),
        words=written,
        lex_ids=np.zeros(len(written), np.int32),
        markers=np.zeros(len(written), np.uint8),
        source_words=no_words,
        target_words=no_words,
    )
    return changed, _indexes(path, words, changed, _tagged(base))


def _words(path: str, synsets: Synsets, base: str) -> dict[int, list[str]]:
    """Return the words of each synset by its row."""
    words: dict[int, list[str]] = {}
    read = 0
    for _, sense in read_thesaurus(path, ThesaurusOptions(format="tab")):
        read += 1
        number, _, letter = sense.id.rpartition("-")
        part = PARTS.index("a" if letter == "s" else letter)
        row = int(synsets.find(part, np.array([int(number.rpartition("-")[2])]))[0])
        members = [member.text.replace(" ", "_") for member in sense.members if not member.placeholder]
        if row >= 0:
            words[row] = members
    if len(words) < _LEAST * read:
        raise LexbeamError(
            f"{files.shown(path)}: {len(words)} of its {read} synsets are in {base}: its offsets are those of another "
            "database; put the files of that one into the file's folder, or give a file with offsets of WordNet 3.0"
        )
    return words


def _tagged(base: str) -> Counter[tuple[int, int]]:
    """Return how often the English words of synsets are tagged, by part of speech and offset."""
    tagged: Counter[tuple[int, int]] = Counter()
    path = find_file(base, "index.sense")
    if path is not None:
        rows = read_counts(path, offsets=True)
        for key, offset, count in zip(rows.keys, rows.offsets, rows.tagged, strict=True):
            number = int(key[key.rindex("%") + 1])
            tagged[2 if number == 5 else number - 1, offset] += count
    return tagged


def _indexes(path: str, words: dict[int, list[str]], synsets: Synsets, tagged: Counter[tuple[int, int]]) -> list[Index]:
    offsets = synsets.offsets().tolist()
    letters = [PARTS.index("a" if kind == len(PARTS) else PARTS[kind]) for kind in synsets.types.tolist()]
    indexes = []
    for part in range(len(PART_FILES)):
        senses: dict[str, list[int]] = {}
        for row in sorted(words):
            if letters[row] == part:
                for lemma in dict.fromkeys(word.lower() for word in words[row]):
                    senses.setdefault(lemma, []).append(offsets[row])
        index = Index(path)
        for line, (lemma, found) in enumerate(sorted(senses.items()), 1):
            index.lines.append(line)
            index.lemmas.append(lemma)
            index.sense_counts.append(len(found))
            index.offsets.extend(sorted(found, key=lambda offset: (-tagged[part, offset], offset)))
        indexes.append(index)
    return indexes
