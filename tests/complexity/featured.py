"""Instances and small resources for tests of features."""

import re

import pyarrow as pa

from lexbeam.schemas.complexity import INSTANCES
from lexbeam.transforms.common.draws.by_content import hash_of
from lexbeam.transforms.complexity.features.base import FeatureSetting
from lexbeam.transforms.complexity.features.groups import GROUPS, features_of
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare

ZIPF = {
    "en": {
        "the": 7.7,
        "sea": 5.1,
        "sails": 3.9,
        "over": 6.0,
        "ship": 4.9,
        "shipyard": 3.1,
        "yard": 4.4,
        "gene": 4.2,
        "gene expression": 3.3,
        "expression": 4.5,
        "of": 7.4,
    },
    "de": {"see": 5.0, "gene": 4.0, "schiff": 4.6, "expression": 2.0},
    "es": {"mar": 5.2, "expression": 1.5, "barco": 4.4},
}


def instance(token, sentence=None, *, kind=None, language="en", genre="bible", tags=None, **more):
    """Return a row of complexity/instances; tokens are words and marks, the first place counts."""
    kind = kind or ("mwe" if " " in token else "single")
    row = dict.fromkeys(INSTANCES.schema().names)
    found = [] if sentence is None else list(re.finditer(r"\w+|[^\w\s]", sentence))
    start = -1 if sentence is None else sentence.find(token)
    inside = [n for n, one in enumerate(found) if start <= one.start() < start + len(token)]
    row.update(
        instance_id=format(hash_of((kind, genre or "", token, sentence or "")), "032x"),
        kind=kind,
        token=token,
        genre=genre,
        language=language,
        sentence=sentence,
        source="a",
        flags=[],
        forms=None if sentence is None else [one.group() for one in found],
        start=start if start >= 0 else None,
        end=start + len(token) if start >= 0 else None,
        position=inside[0] if start >= 0 and inside else None,
        tokens=len(inside) if start >= 0 and inside else None,
    )
    if tags is not None:
        row["lemmas"] = [tag.rpartition("/")[0] for tag in tags.split()]
        row["upos"] = [tag.rpartition("/")[2] for tag in tags.split()]
    return {**row, **more}


def instances(*rows):
    """Return rows as a table."""
    return pa.Table.from_pylist(list(rows), INSTANCES.schema())


def setting_with(
    folder, use=("form", "frequency", "norms", "context", "mwe"), lists=None, languages=("de", "es"), more=()
):
    """Return a setting whose frequencies are `ZIPF`, with word lists `{name: {word: value}}`."""
    texts = [_written(folder, "zipf_", words, tag) for tag, words in ZIPF.items()]
    texts.append(_written(folder, "trigrams_", {"__s": -1.0, "_se": -0.5, "sea": -0.25}, "en"))
    texts += [_written(folder, name, words, "en") for name, words in (lists or {}).items()]
    options = LexiconOptions(resources=(*texts, *more), cache=str(folder / "cache"))
    use = tuple(name for name in GROUPS if name in use)
    return FeatureSetting(use, prepare(options), tuple(sorted(lists or {})), languages)


def _written(folder, name, words, language):
    path = folder / f"{name}{language}.tsv"
    rows = ["word\tvalue\tsd"]
    for word, value in words.items():
        both = value if isinstance(value, tuple) else (value, 0.5)
        rows.append(f"{word}\t{both[0]}\t{both[1]}")
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return f"{name}={path}:word=word,value=value,sd=sd,language={language}"


def computed(setting, *rows):
    """Return the features of rows, a dictionary each."""
    return features_of(instances(*rows), setting).to_pylist()


def columns(row, *names):
    """Return some values of a row."""
    return [row[name] for name in names]
