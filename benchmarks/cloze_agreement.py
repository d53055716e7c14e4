"""How many questions have options that agree in form with the answer, by a library, and by a tagger in their place.

    python -m benchmarks.cloze_agreement bbc [--spacy models/en_ud] [--examples 10]

Folders have English `cloze/questions`. A question agrees

- by `forms`, if lemminflect has all five options in one form of the answer's part of speech: plural, past, comparative;
  an adjective may be a participle;
- by `place`, if a spaCy pipeline that reads each option in the place of the gap gives all five one part of speech,
  number, person, tense, mood, degree and form of verb. It knows nothing of how options are made, and errs itself.

Shares with intervals of Wilson, 95 %; `--examples` prints questions that do not agree by `forms`.
"""

import argparse
from collections.abc import Sequence
from typing import Any

from lexbeam.schemas.cloze import QUESTIONS
from lexbeam.transforms.cloze.pairs.pair import PLACEHOLDER
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.evaluation.bootstrap import wilson
from lexbeam.transforms.inflection.english import english_inflector, tag_of

SHAPE = ("Degree", "Mood", "Number", "Person", "Tense", "VerbForm")


def agree_in_form(words: Sequence[str], upos: str) -> bool:
    """Return whether lemminflect has words in one form of a part of speech."""
    inflector = english_inflector()
    tags = []
    for word in words:
        known = [(upos, feats) for feats in inflector.features(word, upos)]
        if upos == "ADJ":
            known += [("VERB", feats) for feats in inflector.features(word, "VERB") if feats.get("VerbForm") == "Part"]
        tags.append({tag_of(*reading) for reading in known})
    return bool(set.intersection(*tags))


def agree_in_place(question: str, words: Sequence[str], nlp: Any) -> bool:
    """Return whether a spaCy pipeline reads words alike in the place of the gap."""
    start = question.index(PLACEHOLDER)
    shapes = set()
    for doc in nlp.pipe(question.replace(PLACEHOLDER, word) for word in words):
        token = next(token for token in doc if token.idx + len(token) > start)
        shapes.add((token.pos_, *(str(token.morph.get(name)) for name in SHAPE)))
    return len(shapes) == 1


def main() -> None:
    """Print a line for each folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--spacy")
    parser.add_argument("--examples", type=int, default=0)
    options = parser.parse_args()
    nlp = None
    if options.spacy:
        import spacy

        nlp = spacy.load(options.spacy)
    for folder in options.folders:
        rows = [row for row in open_snapshot(folder).read(QUESTIONS.name).to_pylist() if row["kept"]]
        unlike = [row for row in rows if not agree_in_form(row["options"], row["upos"])]
        print(f"{folder}: {_share(len(rows) - len(unlike), len(rows))} agree by forms")
        if nlp is not None:
            agree = sum(agree_in_place(row["question"], row["options"], nlp) for row in rows)
            print(f"{folder}: {_share(agree, len(rows))} agree in their place")
        for row in unlike[: options.examples]:
            print(f"  {row['question']}  {row['answer']} ({row['upos']}): {', '.join(row['options'])}")


def _share(hits: int, of: int) -> str:
    low, high = (100 * bound for bound in wilson(hits, of))
    return f"{hits} of {of} ({100 * hits / of:.1f} %, {low:.1f} to {high:.1f})"


if __name__ == "__main__":
    main()
