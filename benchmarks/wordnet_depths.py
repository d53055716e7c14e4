"""Words of another language in WordNet's synsets: a file with offsets of its own, and how deep nouns and verbs lie.

    python -m benchmarks.wordnet_depths --tab mcr30_spa_synsets.tab --to spa.tab
    python -m benchmarks.wordnet_depths --wordnet wordnet:spa.tab:language=es --treebank es_gsd-ud-dev.conllu
    python -m benchmarks.wordnet_depths --wordnet wordnet --treebank en_gum-ud-dev.conllu

The first writes the words of a tab file that has the synsets of WordNet 3.0 in their order, but at other offsets, with
those of WordNet: the first of each part of speech belongs to the first of WordNet, and so on; what is left at the end
is of no synset. Whether that holds is told by words that are the same in both languages: in how many synsets one is,
and how many it were if all stood one place earlier or later.

The others tell of the nouns and verbs of a treebank which share has a sense, and which share of these is less deep
than 6, by the first sense and by any (filter `nonspecificity`).
"""

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa

from lexbeam.transforms.cloze.filters.abstract_words import ContextTargets, deep_senses
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import DEBIAN

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
DEPTH = 6


def map_by_order(tab: Path, to: Path, base: str = DEBIAN) -> None:
    """Write the words of a tab file with WordNet's offsets; print in how many synsets a word is in both languages."""
    words: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for line in tab.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            synset, _, word = line.split("\t")
            number, _, letter = synset.rpartition("-")
            words[letter][int(number.rpartition("-")[2])].append(word)
    print("| | synsets of the file | of WordNet | a word in both | by tenths | one earlier | one later |")
    with to.open("w", encoding="utf-8") as file:
        for letter, part in PARTS.items():
            members = [own for _, own in sorted(words[letter].items())]
            rows = [row for row in Path(base, f"data.{part}").read_text("utf-8").splitlines() if row[0] != " "]
            for row, own in zip(rows, members, strict=False):
                file.writelines(f"spa-30-{row[:8]}-{letter}\tspa:lemma\t{word}\n" for word in own)
            english = [_words(row) for row in rows]
            theirs = [{word.lower() for word in own} for own in members[: len(rows)]]
            same = [[not a.isdisjoint(b) for a, b in zip(theirs, english, strict=False)]]
            same += [[not a.isdisjoint(b) for a, b in zip(theirs[1:], english, strict=False)]]
            same += [[not a.isdisjoint(b) for a, b in zip(theirs, english[1:], strict=False)]]
            tenths = " ".join(str(int(some.sum())) for some in np.array_split(np.array(same[0]), 10))
            here, earlier, later = map(sum, same)
            print(f"| {part} | {len(members)} | {len(rows)} | {here} | {tenths} | {earlier} | {later} |")


def _words(row: str) -> set[str]:
    """Return the words of a line of WordNet's data files, without markers of adjectives."""
    cells = row.split(" ")
    return {cells[4 + 2 * n].partition("(")[0].replace("_", " ").lower() for n in range(int(cells[3], 16))}


def tell_depths(spec: str, treebank: Path) -> None:
    """Print how many nouns and verbs of a treebank have a sense, and how many of these are nonspecific."""
    wordnet = prepare(LexiconOptions(resources=(f"wordnet={spec}",))).held[0].open()
    assert isinstance(wordnet, WordNet)
    tokens = [line.split("\t") for line in treebank.read_text("utf-8").splitlines() if line[:1].isdigit()]
    chosen = [token for token in tokens if token[3] in ("NOUN", "VERB")]
    forms, lemmas, tags = (pa.array([token[place] for token in chosen], pa.large_string()) for place in (1, 2, 3))
    targets = ContextTargets(forms, lemmas, tags, np.zeros(len(chosen), np.int64))
    print("| sense | | words | with a sense | of them less deep |")
    for sense in ("first", "any"):
        _, depths = deep_senses(wordnet, None, targets, sense=sense)
        for tag in ("NOUN", "VERB"):
            own = depths[np.array(tags) == tag]
            known = own[~np.isnan(own)]
            print(f"| {sense} | {tag} | {len(own)} | {len(known) / len(own):.3f} | {(known < DEPTH).mean():.3f} |")


def main() -> None:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tab", type=Path, help="the file whose words get WordNet's offsets")
    parser.add_argument("--to", type=Path, help="where they are written")
    parser.add_argument("--wordnet", help="see docs/reference/wordnet.md")
    parser.add_argument("--treebank", type=Path, help="a file in CoNLL-U")
    given = parser.parse_args()
    if given.tab and given.to:
        map_by_order(given.tab, given.to)
    elif given.wordnet and given.treebank:
        tell_depths(given.wordnet, given.treebank)
    else:
        parser.error("--tab and --to are needed, or --wordnet and --treebank")


if __name__ == "__main__":
    main()
