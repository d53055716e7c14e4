"""Features of word lists: a list's value for the word, or else for its lemma.

Missing values stay missing: a scorer fills them in from its training data.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.complexity.features.base import (
    FLAG,
    UNIT_OF_LIST,
    DistinctWordForms,
    Feature,
    FeatureGroup,
    FeatureSetting,
    Values,
    numbers,
)


def languages_of(setting: FeatureSetting, name: str) -> tuple[str, ...] | None:
    """Return the languages that a list is for, sorted; None: every language."""
    tags = {resource.language for resource in setting.lexicon.held if resource.name == name}
    return None if None in tags else tuple(sorted(str(tag) for tag in tags))


def _columns(setting: FeatureSetting) -> Sequence[Feature]:
    columns: list[Feature] = []
    for name in setting.lists:
        held = [resource for resource in setting.lexicon.held if resource.name == name]
        opened = [resource.open() for resource in held]
        low = min(resource.scale[0] for resource in opened)  # type: ignore[attr-defined]
        high = max(resource.scale[1] for resource in opened)  # type: ignore[attr-defined]
        source = f"word list {name}"
        languages = languages_of(setting, name)
        columns += [
            Feature(
                name,
                f"value of the word in the list {name}, else of its lemma",
                f"{low:.10g} to {high:.10g}",
                UNIT_OF_LIST,
                source,
                languages=languages,
            ),
            Feature(
                f"{name}_known",
                "whether the list has the word or its lemma",
                "0 or 1",
                FLAG,
                source,
                whole="both",
                languages=languages,
            ),
        ]
        if any(resource.facts.get("sd") for resource in opened):  # type: ignore[attr-defined]
            columns.append(
                Feature(
                    f"{name}_sd",
                    "standard deviation of that value in the list",
                    "0 and up",
                    UNIT_OF_LIST,
                    source,
                    languages=languages,
                )
            )
    return columns


def looked_up(words: DistinctWordForms, name: str, setting: FeatureSetting) -> tuple[pa.Table | None, np.ndarray]:
    """Return the rows of a list for words, each as it stands or else as its lemma, and which are known.

    None if the list is not for their language.
    """
    known = setting.lexicon.find(name, words.language)
    if known is None:
        return None, np.zeros(len(words.forms), bool)
    both = pa.concat_arrays([words.forms, words.lemmas])
    upos = pa.concat_arrays([words.upos, words.upos])
    rows_of_list = known.look_up(both, upos)  # type: ignore[attr-defined]
    there = pc.is_valid(rows_of_list["value"]).to_numpy()
    count = len(words.forms)
    rows = np.where(there[:count], 0, count) + np.arange(count)
    return rows_of_list.take(pa.array(rows)), there[rows]


def _of_words(words: DistinctWordForms, setting: FeatureSetting) -> Values:
    values = {}
    for name in setting.lists:
        listed, there = looked_up(words, name, setting)
        nothing = np.full(len(there), np.nan)
        values[name] = nothing if listed is None else numbers(listed["value"])
        values[f"{name}_known"] = there
        values[f"{name}_sd"] = nothing if listed is None else numbers(listed["sd"])
    return values


NORMS = FeatureGroup(
    _columns, of_words=_of_words, needs="wordlist", doc="values of word lists: norms, frequencies, whatever is given"
)
