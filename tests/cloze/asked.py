"""Pairs made by hand, a small WordNet and vectors, and what filters say of them."""

import sys
from pathlib import Path

import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1] / "lexicon"))

from wordnet_making import Synset, both_ways, write_wordnet

from lexbeam.schemas.cloze import PAIRS
from lexbeam.transforms.cloze.filters.cloze_filter import COLUMNS, FilterSetting, batch_of
from lexbeam.transforms.cloze.word_resources import VECTORS, WORDNET
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare

SYNSETS = both_ways(
    [
        Synset("entity", "n", ["entity"], "what is"),
        Synset("animal", "n", ["animal"], "it lives", pointers=[("@", "entity", 0, 0)]),
        Synset("dog", "n", ["dog", "domestic_dog"], "it barks", pointers=[("@", "animal", 0, 0)]),
        Synset("puppy", "n", ["puppy"], "a young dog", pointers=[("@", "dog", 0, 0)]),
        Synset("hound", "n", ["hound", "dog"], "it hunts", pointers=[("@", "dog", 0, 0), ("+", "chase", 1, 1)]),
        Synset("chase", "v", ["chase"], "run after hares"),
        Synset("Rex", "n", ["Rex"], "a dog of old", pointers=[("@i", "dog", 0, 0)]),
        Synset("move", "v", ["move", "go", "dog"], "change place"),
        Synset("stay", "v", ["stay"], "remain", pointers=[("!", "move", 1, 1)]),
        Synset("big", "a", ["big"], "large in size"),
        Synset("small", "a", ["small"], "not big", pointers=[("!", "big", 1, 1)]),
    ]
)
VEC = {"dog": (1, 0), "hound": (0.9, 0.4), "big": (0, 1), "goes": (0.1, 1), "null": (0, 0)}


def pair(summary, passage, number=0, *, language="en", targets=(), annotated=True):
    """Return a row of `cloze/pairs`; texts are `form/lemma/TAG` or `form`, sentences end in `.`."""
    row = {
        "pair_id": f"{number:032x}",
        "article_id": f"{number:032x}",
        "language": language,
        "genre": None,
        "source": "hand",
        "position": str(number),
        "source_id": None,
        "rows": 1,
        "flags": [],
        "targets": [
            {
                "kind": kind,
                "token": token,
                "form": "x",
                "options": ["x"],
                "label": 0,
                "source": "hand",
                "position": "1",
                "source_id": None,
            }
            for kind, token in targets
        ],
    }
    for side, text in (("summary", summary), ("passage", passage)):
        tokens = [[*token.split("/"), None, None][:3] for token in text.split()]
        forms = [form for form, *_ in tokens]
        starts = [sum(len(form) + 1 for form in forms[:at]) for at in range(len(forms))]
        row[side] = " ".join(forms)
        row[f"{side}_forms"] = forms
        row[f"{side}_starts"] = starts
        row[f"{side}_ends"] = [at + len(form) for at, form in zip(starts, forms, strict=True)]
        row[f"{side}_sentences"] = [at for at in range(len(forms)) if not at or forms[at - 1] == "."]
        lemmas = [lemma or form.lower() for form, lemma, _ in tokens]
        row[f"{side}_lemmas"] = lemmas if annotated else None
        row[f"{side}_upos"] = [tag or "NOUN" for *_, tag in tokens] if annotated else None
    return row


def table(*rows):
    """Return rows of `cloze/pairs` as a table."""
    return pa.Table.from_pylist(list(rows), PAIRS.schema())


def batch(*rows):
    """Return rows as filters take them."""
    return batch_of(table(*rows).select(list(COLUMNS)).combine_chunks())


def lexicon_in(folder, vectors=VEC, synsets=SYNSETS):
    """Return WordNet and vectors, written and compiled in a folder."""
    write_wordnet(folder / "wordnet", synsets, index_sense=False)
    lines = [f"{word} {' '.join(map(str, numbers))}" for word, numbers in vectors.items()]
    (folder / "some.vec").write_text(f"{len(lines)} 2\n" + "\n".join(lines) + "\n")
    resources = (
        f"{WORDNET}=wordnet:{folder / 'wordnet'}:language=en",
        f"{VECTORS}=vectors:{folder / 'some.vec'}:language=en",
    )
    return prepare(LexiconOptions(resources=resources, cache=str(folder / "cache")))


def setting_in(folder, **options):
    """Return what filters are evaluated with."""
    return FilterSetting(lexicon_in(folder), thresholds={"static": 0.85}, **options)


def said(verdicts):
    """Return value, match and verdict of each word as plain values."""
    passed = [{1: True, 0: False, -1: None}[verdict] for verdict in verdicts.passed.tolist()]
    values = [None if value != value else value for value in verdicts.values.tolist()]
    return list(zip(values, verdicts.matches.to_pylist(), passed, strict=True))
