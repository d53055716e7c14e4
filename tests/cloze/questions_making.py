"""Pairs of made words, a WordNet in which they stand, and ratings of them."""

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "lexicon"))

from wordnet_making import Synset, both_ways, write_wordnet

IDEAS = [f"{a}{b}ness" for a in "bcdfgklmp" for b in "aeiou"]
THINGS = [f"{a}{b}ock" for a in "bcdfgklmp" for b in "aeiou"]
DEEP = [f"{a}{b}dom" for a in "bcdfgklmp" for b in "aeiou"]
CHAIN = [f"step{n}" for n in range(7)]


def above(name):
    return [("@", name, 0, 0)]


# Ideas lie high and are abstract, things high and concrete, the others deep. Every third idea has a
# synonym, every fifth an antonym.
SYNSETS = both_ways(
    [
        Synset("entity", "n", ["entity"]),
        *(Synset(step, "n", [step], pointers=above(CHAIN[n - 1] if n else "entity")) for n, step in enumerate(CHAIN)),
        *(
            Synset(
                word,
                "n",
                [word, *([f"like{word}"] if n % 3 == 0 else [])],
                pointers=above("entity") + ([("!", IDEAS[n + 1], 1, 1)] if n % 5 == 0 else []),
            )
            for n, word in enumerate(IDEAS)
        ),
        *(Synset(word, "n", [word], pointers=above("entity")) for word in THINGS),
        *(Synset(word, "n", [word], pointers=above(CHAIN[-1])) for word in DEEP),
    ]
)


def text_rows():
    """Pairs of random words: some passages come twice, some summaries are of two passages."""
    draw = np.random.default_rng(3)
    words = np.array([*IDEAS, *THINGS, *DEEP, *(f"like{word}" for word in IDEAS[::3])])
    rows = []
    for place in range(90):
        passage = " ".join(draw.choice(words, 10))
        summary = "The {} of {} and the {} of {} .".format(*draw.choice(words, 4))
        rows.append({"passage": f"There is {passage} here.", "summary": summary})
        if place % 9 == 0:
            rows.append({"passage": rows[-1]["passage"].upper(), "summary": f"Say {summary}"})
        if place % 11 == 0:
            rows.append({"passage": f"{passage} again .", "summary": summary})
        if place % 13 == 0:
            rows.append(rows[-1])
    return rows


def write_inputs(folder):
    """Write folder `wordnet`, `rated.csv` and `pairs.jsonl`."""
    write_wordnet(folder / "wordnet", SYNSETS, index_sense=False)
    rated = [(word, 2 + n / 100) for n, word in enumerate(IDEAS + DEEP[::2])]
    rated += [(word, 6 - n / 100) for n, word in enumerate(THINGS + DEEP[1::2])]
    lines = "".join(f"{word},{value}\n" for word, value in rated)
    (folder / "rated.csv").write_text("WORD,CONC\n" + lines)
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in text_rows()))


def write_articles(folder):
    """Write the pairs as articles: headline, summary and passage are paragraphs."""
    folder.mkdir()
    for number, row in enumerate(text_rows()):
        text = f"Headline {number}\n\n{row['summary']}\n\n{row['passage']}\n"
        (folder / f"{number:03}.txt").write_text(text, "utf-8")
