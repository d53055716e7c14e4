"""Features of a multi-word expression as a whole; null for single words.

Values of its first and last word are in the columns of the other groups, with the suffixes `_first` and
`_last`.
"""

from collections.abc import Sequence
from typing import Any

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
    Floats,
    InstanceBatch,
    Values,
    known_tag,
    numbers,
    spread,
)
from lexbeam.transforms.complexity.features.frequency import zipf_of
from lexbeam.transforms.complexity.features.norms import languages_of, looked_up
from lexbeam.transforms.complexity.features.wordnet import RESOURCE
from lexbeam.transforms.lexicon.letters import syllables


def _columns(setting: FeatureSetting) -> Sequence[Feature]:
    wordfreq = "wordfreq (Speer 2022)"
    columns = [
        Feature("phrase_words", "words of the expression", "1 and up", "words"),
        Feature("phrase_length", "characters of the expression", "1 and up", "code points"),
        Feature("phrase_syllables", "syllables of its words, as hyphenated", "1 and up", "syllables", "pyphen"),
        Feature(
            "phrase_zipf",
            "frequency that wordfreq derives from those of its words, 1/f = 1/f1 + 1/f2; no count of the expression",
            "0 to 9",
            "Zipf",
            wordfreq,
        ),
        Feature("phrase_zipf_min", "frequency of the rarer of its first and last word", "0 to 9", "Zipf", wordfreq),
        Feature("phrase_zipf_step", "frequency of its last word above that of its first", "-9 to 9", "Zipf", wordfreq),
        Feature("phrase_hyphens", "hyphens in the expression", "0 and up", "hyphens"),
    ]
    if "wordnet" in setting.use:
        columns.append(
            Feature(
                "phrase_in_wordnet",
                "whether WordNet lists it as a noun",
                "0 or 1",
                FLAG,
                "WordNet (Fellbaum 1998)",
                languages=("en",),
            )
        )
    if "norms" in setting.use:
        for name in setting.lists:
            languages = languages_of(setting, name)
            of_list = ("as the list", UNIT_OF_LIST, f"word list {name}")
            columns.append(
                Feature(
                    f"phrase_{name}_min",
                    f"the lesser value in the list {name} of its first and last word",
                    *of_list,
                    languages=languages,
                )
            )
            columns.append(Feature(f"phrase_{name}_max", "the greater of them", *of_list, languages=languages))
    return columns


def _of_instances(batch: InstanceBatch, setting: FeatureSetting) -> Values:
    rows = batch.rows
    tokens = rows["token"].combine_chunks().cast(pa.large_string())
    tags = [known_tag(tag) for tag in rows["language"].to_pylist()]
    texts = tokens.to_pylist()
    zipf = _pair(
        batch, spread(batch.words, lambda words: {"zipf": zipf_of(words.forms, words.language, setting)})["zipf"]
    )
    columns: dict[str, np.ndarray] = {
        "phrase_words": np.array([len(text.split()) for text in texts], float),
        "phrase_length": numbers(pc.utf8_length(tokens)),
        "phrase_syllables": np.array(
            [sum(syllables(word, tag) for word in text.split()) for text, tag in zip(texts, tags, strict=True)], float
        ),
        "phrase_zipf_min": np.minimum(*zipf),
        "phrase_zipf_step": zipf[1] - zipf[0],
        "phrase_hyphens": np.array([text.count("-") for text in texts], float),
    }
    whole = np.full(len(texts), np.nan)
    for tag in sorted({tag for tag in tags if tag}):
        of_tag = np.flatnonzero([other == tag for other in tags] & batch.mwe)
        whole[of_tag] = zipf_of(tokens.take(pa.array(of_tag)), tag, setting)
    columns["phrase_zipf"] = whole
    if "wordnet" in setting.use:
        columns["phrase_in_wordnet"] = _listed(batch, tokens, tags, setting)
    if "norms" in setting.use:
        for name in setting.lists:
            first, last = _pair(batch, _of_list(batch.words, name, setting))
            columns[f"phrase_{name}_min"] = np.fmin(first, last)
            columns[f"phrase_{name}_max"] = np.fmax(first, last)
    return {name: np.where(batch.mwe, values, np.nan) for name, values in columns.items()}


def _pair(batch: InstanceBatch, values: Floats) -> tuple[Floats, Floats]:
    return values[batch.first], values[batch.last]


def _of_list(words: Sequence[DistinctWordForms], name: str, setting: FeatureSetting) -> Floats:
    columns = []
    for of_language in words:
        table, there = looked_up(of_language, name, setting)
        columns.append(np.full(len(there), np.nan) if table is None else numbers(table["value"]))
    return np.concatenate(columns) if columns else np.empty(0)


def _listed(batch: InstanceBatch, tokens: pa.Array, tags: Sequence[str | None], setting: FeatureSetting) -> Floats:
    known: Any = setting.lexicon.find(RESOURCE, "en")
    listed = pc.is_valid(known.morphy(tokens, "n")).to_numpy(zero_copy_only=False).astype(float)
    english = np.array([tag == "en" for tag in tags], bool)
    return np.where(english, listed, np.nan)


MWE = FeatureGroup(_columns, of_instances=_of_instances, doc="a multi-word expression as a whole")
