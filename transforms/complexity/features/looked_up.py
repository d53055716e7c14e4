"""Features of what is looked up: word lists, WordNet (Fellbaum 1998), and those of a multi-word expression as a whole.

Of a list it is the value for the word, or else for its lemma. Missing values stay missing: a scorer fills them in from
its training data.

In WordNet words are looked up by their base forms, those of annotated lemmas first. Values of words that WordNet lacks
are null, except for the number of senses, which is 0.

Columns of expressions are null for single words. Values of an expression's first and last word are in the columns of
the other groups, with the suffixes `_first` and `_last`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
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
    ratio,
    spread,
    sums,
)
from lexbeam.transforms.complexity.features.word_forms import zipf_of
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING
from lexbeam.transforms.lexicon.letters import syllables
from lexbeam.transforms.lexicon.resource_cache import parse_spec
from lexbeam.transforms.lexicon.resources import CacheOptions, ResourceAlias, check_resources, check_specs, path_within
from lexbeam.transforms.lexicon.wordnet.ragged import LEXNAMES, PARTS, RELATIONS, first_of_each

RESOURCE = "wordnet_"
_SOURCE = "WordNet (Fellbaum 1998)"
_PARTS = dict(zip(PARTS, ("nouns", "verbs", "adjectives", "adverbs"), strict=True))
# The classes of nouns, of which the first sense has one.
_CLASSES = tuple(name for name in LEXNAMES if name.startswith("noun."))


def _wordnet_columns(setting: FeatureSetting) -> Sequence[Feature]:
    columns: list[Feature] = []

    def add(name: str, doc: str, unit: str, range: str = "0 and up", whole: str = "mean") -> None:
        columns.append(Feature(f"wordnet_{name}", doc, range, unit, _SOURCE, whole, languages=("en",)))

    add("senses", "senses of all parts of speech", "senses")
    for name in _PARTS.values():
        add(f"senses_{name}", f"senses as {name}", "senses")
    add("count", "log10 of one more than how often its senses are tagged in WordNet's texts", "log10")
    add("entropy", "entropy of its senses, by how often each is tagged, and once more", "bits")
    add("depth_min", "mean over its senses of the shortest way to a root", "steps", "0 to 20")
    add("depth_max", "mean over its senses of the longest way to a root", "steps", "0 to 20")
    add("first_depth", "shortest way of the first sense to a root", "steps", "0 to 20")
    add("hypernyms", "hypernyms of all senses", "synsets")
    add("hyponyms", "hyponyms of all senses", "synsets")
    add("first_hyponyms", "hyponyms of the first sense", "synsets")
    add("synonyms", "other words of its synsets", "words")
    add("related", "pointers of any kind from its synsets and their words, by the number of synsets", "pointers")
    add("classes", "different lexicographer classes among its senses", "classes")
    add("definition", "characters of the first sense's definition", "code points")
    add(
        "class",
        "lexicographer class of the first sense, a code: its number in WordNet's lexnames",
        "code",
        "0 to 44",
        "last",
    )
    for name in _CLASSES:
        short = name.partition(".")[2].lower()
        add(f"in_{short}", f"share of its senses as a noun in class {name}", "share", "0 to 1")
    return columns


def _wordnet_of_words(words: DistinctWordForms, setting: FeatureSetting) -> Values:
    known: Any = setting.lexicon.find(RESOURCE, "en") if words.language == "en" else None
    if known is None:
        return {}
    base = _base_forms(words, known)
    count = len(base)
    senses = known.senses_of(base)
    owners = senses.owners()
    synsets = known.synset_of(senses.values)
    number = senses.lengths().astype(float)
    nothing = number == 0
    first_synset = np.full(count, MISSING)
    first_synset[~nothing] = synsets[senses.offsets[:-1][~nothing]]
    types = known.types(synsets)
    tagged = np.maximum(known.counts(senses.values), 0)
    hypernyms, hyponyms = known.hypernyms(synsets).lengths(), known.hyponyms(synsets).lengths()
    classes = _codes(known.lexnames(synsets))
    columns = {
        "senses": number,
        "count": np.log10(1 + sums(owners, count, tagged)),
        "entropy": _entropy(owners, tagged + 1.0, count),
        "depth_min": ratio(sums(owners, count, known.depth_min(synsets)), number),
        "depth_max": ratio(sums(owners, count, known.depth_max(synsets)), number),
        "first_depth": np.where(nothing, np.nan, known.depth_min(first_synset)),
        "hypernyms": sums(owners, count, hypernyms),
        "hyponyms": sums(owners, count, hyponyms),
        "first_hyponyms": known.hyponyms(first_synset).lengths().astype(float),
        "synonyms": pc.list_value_length(known.synonyms(base)).to_numpy(zero_copy_only=False).astype(float),
        "related": ratio(sums(owners, count, known.related(synsets, tuple(RELATIONS)).lengths()), number),
        "classes": sums(owners[first_of_each(owners, classes)], count),
        "definition": pc.utf8_length(known.definitions(first_synset))
        .fill_null(0)
        .to_numpy(zero_copy_only=False)
        .astype(float),
        "class": _codes(known.lexnames(first_synset)).astype(float),
    }
    for letter, name in _PARTS.items():
        # A satellite is an adjective, too.
        of_part = pc.is_in(types, pa.array([letter, "s"] if letter == "a" else [letter], types.type))
        columns[f"senses_{name}"] = sums(owners[of_part.to_numpy(zero_copy_only=False)], count)
    of_nouns = columns["senses_nouns"]
    for name in _CLASSES:
        inside = sums(owners, count, (classes == LEXNAMES.index(name)).astype(float))
        columns[f"in_{name.partition('.')[2].lower()}"] = ratio(inside, of_nouns)
    always = {"senses", *(f"senses_{name}" for name in _PARTS.values())}
    return {
        f"wordnet_{name}": values if name in always else np.where(nothing, np.nan, values)
        for name, values in columns.items()
    }


def _base_forms(words: DistinctWordForms, known: Any) -> pa.Array:
    """Return each word's base form in WordNet: its lemma's as its part of speech, else the form's, else as any.

    A lemma counts if it is annotated: *saw*, a verb whose lemma is *see*, is no saw.
    """
    annotated = pc.if_else(pc.is_valid(words.upos), words.lemmas, pa.scalar(None, words.lemmas.type))
    base = known.morphy(annotated, words.upos)
    left = pc.is_null(base)
    base = pc.replace_with_mask(base, left, known.morphy(words.forms.filter(left), words.upos.filter(left)))
    left = pc.is_null(base)
    other = pc.coalesce(known.morphy(words.forms.filter(left)), words.lower.filter(left))
    return pc.replace_with_mask(base, left, other)


def _codes(names: pa.Array) -> npt.NDArray[np.int64]:
    codes = pc.index_in(names, value_set=pa.array(LEXNAMES, names.type))
    return np.asarray(codes.fill_null(len(LEXNAMES)).to_numpy(zero_copy_only=False), np.int64)


def _entropy(owners: np.ndarray, weights: Floats, count: int) -> Floats:
    """Return the entropy of the weights of each owner, in bits."""
    total = sums(owners, count, weights)
    share = weights / total[owners]
    return sums(owners, count, -share * np.log2(share))


WORDNET = FeatureGroup(
    _wordnet_columns,
    of_words=_wordnet_of_words,
    needs="wordnet",
    doc="WordNet's senses, depth, relations and classes; English",
)


_WORDNET = ResourceAlias(RESOURCE, "wordnet")


def _check_lists(texts: Sequence[str]) -> None:
    check_resources(texts)
    for text in texts:
        spec = parse_spec(text)
        if spec.kind in ("vectors", "wordnet"):
            raise UsageError(f"{spec.name!r} is no word list: give it as `{spec.kind}`")
        if spec.name.endswith("_") or spec.name.endswith(("_first", "_last", "_known", "_sd")):
            raise UsageError(f"a word list cannot be called {spec.name!r}: give another name")


@dataclass(frozen=True, kw_only=True)
class FeatureLists(CacheOptions):
    """What words are looked up in."""

    wordlist: tuple[str, ...] = option(
        (),
        help="word lists, each NAME=FILE:word=COLUMN,value=COLUMN, "
        "see docs/reference/resources.md; the columns are called NAME",
        metavar="NAME=SPEC",
        split=False,
        path="resource",
        data="wordlist",
        within=path_within,
        check=_check_lists,
        group="resources",
    )
    wordnet: str | None = option(
        None,
        help="folder of the database files of WordNet, see docs/reference/wordnet.md",
        metavar="PATH",
        path="resource",
        within=_WORDNET.within,
        stands_for=_WORDNET.spec,
        check=check_specs,
        group="resources",
    )


def languages_of(setting: FeatureSetting, name: str) -> tuple[str, ...] | None:
    """Return the languages that a list is for, sorted; None: every language."""
    tags = {resource.language for resource in setting.lexicon.held if resource.name == name}
    return None if None in tags else tuple(sorted(str(tag) for tag in tags))


def _list_columns(setting: FeatureSetting) -> Sequence[Feature]:
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


def _list_values(words: DistinctWordForms, setting: FeatureSetting) -> Values:
    values = {}
    for name in setting.lists:
        listed, there = looked_up(words, name, setting)
        nothing = np.full(len(there), np.nan)
        values[name] = nothing if listed is None else numbers(listed["value"])
        values[f"{name}_known"] = there
        values[f"{name}_sd"] = nothing if listed is None else numbers(listed["sd"])
    return values


NORMS = FeatureGroup(
    _list_columns,
    of_words=_list_values,
    needs="wordlist",
    doc="values of word lists: norms, frequencies, whatever is given",
)


def _mwe_columns(setting: FeatureSetting) -> Sequence[Feature]:
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


MWE = FeatureGroup(_mwe_columns, of_instances=_of_instances, doc="a multi-word expression as a whole")
