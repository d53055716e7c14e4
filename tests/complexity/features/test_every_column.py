"""Every column of the groups that need no counts, against its doc, by plain code for each of 200 made rows.

Groups `wordnet`, `corpus`, `surprisal` and `encoder` have such tests of their own.
"""

import math
import random
import statistics
import unicodedata

import numpy as np
import pyarrow as pa
import pytest
from featured import instances

from lexbeam.transforms.common.draws.by_content import hash_of
from lexbeam.transforms.complexity.features.base import FeatureSetting
from lexbeam.transforms.complexity.features.groups import columns_of, features_of
from lexbeam.transforms.complexity.features.vectors import centroids_of
from lexbeam.transforms.complexity.features.word_forms import PREFIXES, SUFFIXES
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare

pytestmark = pytest.mark.slow

# As it stands, lemma, part of speech.
TAGGED = """The/the/DET the/the/DET whales/whale/NOUN harpooners/harpooner/NOUN sea/sea/NOUN Ahab/Ahab/PROPN
    sailed/sail/VERB over/over/ADP unhelpfulness/unhelpfulness/NOUN twenty-first/twenty-first/ADJ 1,851/1851/NUM
    COVID-19/COVID-19/PROPN cafés/café/NOUN Élan/élan/NOUN shipyard/shipyard/NOUN mitochondria/mitochondrion/NOUN
    are/be/AUX rhythm/rhythm/NOUN committee/committee/NOUN aa/aa/NOUN xqzvb/xqzvb/NOUN of/of/ADP B2B/B2B/NOUN
    internationalization/internationalization/NOUN swiftly/swiftly/ADV TV/TV/NOUN"""
BANK = [tuple(cell.split("/")) for cell in TAGGED.split()]
MARKS = [(mark, mark, "PUNCT") for mark in (",", ";", "-", "(", ".", "...")]
AOA = {"whale": (5.5, 1.25), "sea": (3.0, 0.5), "shipyard": (9.0, 2.0), "Ahab": (14.0, 3.5), "committee": (9.5, 1.0)}
TRIGRAMS = {"__s": -1.0, "_se": -0.5, "sea": -0.25, "__t": -0.75, "he_": -0.125}
OTHER = "de"
ROLES = {
    "subject": {"nsubj", "csubj", "nsubjpass", "csubjpass"},
    "object": {"obj", "dobj", "iobj", "dative"},
    "oblique": {"obl", "pobj"},
    "modifier": {"amod", "compound", "nmod", "appos", "poss"},
    "root": {"root", "ROOT"},
}
USE = ("form", "frequency", "norms", "vectors", "context", "syntax", "mwe")


def made_rows(draw):
    """Return rows of instances with a sentence of words and marks, a third of them without annotation."""
    rows = []
    for number in range(200):
        tokens = [draw.choice(BANK if draw.random() < 0.7 else MARKS) for _ in range(draw.randint(3, 14))]
        mwe = number % 3 == 0
        places = [at for at in range(len(tokens) - mwe) if all(one in BANK for one in tokens[at : at + 1 + mwe])]
        if not places:
            tokens, places = [*tokens, *draw.sample(BANK, 2)], [len(tokens)]
        at, size = draw.choice(places), 1 + mwe
        forms = [form for form, _, _ in tokens]
        start = sum(len(form) + 1 for form in forms[:at])
        token = " ".join(forms[at : at + size])
        known = number % 3 < 2
        heads = [draw.randint(0, len(tokens)) for _ in tokens]
        rows.append(
            {
                "instance_id": format(hash_of((number, token)), "032x"),
                "kind": "mwe" if mwe else "single",
                "token": token,
                "genre": draw.choice(["novel", "news"]),
                "language": "en",
                "sentence": " ".join(forms),
                "start": start,
                "end": start + len(token),
                "forms": forms,
                "lemmas": [lemma for _, lemma, _ in tokens] if known else None,
                "upos": [tag for _, _, tag in tokens] if known else None,
                "position": at,
                "tokens": size,
                "source": "made",
                "flags": [],
                "heads": heads,
                "deprels": [draw.choice(["nsubj:pass", "obj", "obl", "amod", "root", "punct"]) for _ in tokens],
                "entities": [draw.choice(["O", "O", "B-LOC", "I-LOC"]) for _ in tokens],
            }
        )
    return rows


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Rows, their features, and vectors."""
    for name in ("wordfreq", "pyphen"):
        pytest.importorskip(name)
    folder = tmp_path_factory.mktemp("columns")
    draw = random.Random(7)
    rows = made_rows(draw)
    words = sorted({form for form, _, _ in BANK if form.islower()} - {"xqzvb"})
    vectors = {word: [round(draw.uniform(-1, 1), 3) for _ in range(4)] for word in words}
    lines = [" ".join([word, *map(str, vector)]) for word, vector in vectors.items()]
    (folder / "v.txt").write_text("\n".join([f"{len(lines)} 4", *lines]) + "\n", "utf-8")
    listed = "\n".join(f"{word}\t{value}\t{sd}" for word, (value, sd) in AOA.items())
    (folder / "aoa.tsv").write_text(f"word\tvalue\tsd\n{listed}\n", "utf-8")
    trigrams = "\n".join(f"{word}\t{value}" for word, value in TRIGRAMS.items())
    (folder / "trigrams.tsv").write_text(f"word\tvalue\n{trigrams}\n", "utf-8")
    resources = (
        "zipf_=wordfreq:en",
        f"zipf_=wordfreq:{OTHER}",
        f"trigrams_={folder}/trigrams.tsv:word=word,value=value,language=en",
        f"aoa={folder}/aoa.tsv:word=word,value=value,sd=sd,language=en",
        f"vectors_=vectors:{folder}/v.txt",
    )
    lexicon = prepare(LexiconOptions(resources=resources, cache=str(folder / "cache")))
    centroids = centroids_of([(row["genre"], row["token"]) for row in rows], lexicon)
    setting = FeatureSetting(USE, lexicon, ("aoa",), (OTHER,), centroids)
    table = instances(*rows)
    for name, kind in (("heads", pa.list_(pa.int32())), ("deprels", None), ("entities", None)):
        table = table.append_column(name, pa.array([row[name] for row in rows], kind))
    return rows, features_of(table, setting).to_pylist(), vectors, columns_of(setting)


def test_every_column_is_what_its_doc_says(made):
    rows, found, vectors, columns = made
    centroids = centroids_by_hand(rows, vectors)
    wrong = {}
    for row, got in zip(rows, found, strict=True):
        wanted = expected(row, vectors, centroids)
        assert {column.name for column in columns} == wanted.keys()
        for name, value in wanted.items():
            if not same(got[name], value):
                wrong.setdefault(name, []).append((row["token"], row["sentence"], got[name], value))
    assert {name: (len(cases), cases[0]) for name, cases in wrong.items()} == {}


def same(got, value):
    if value is None or isinstance(value, bool) or got is None or isinstance(got, bool):
        return got is value
    if isinstance(value, list):
        return np.allclose(got, value, atol=1e-6)
    return math.isclose(got, value, rel_tol=1e-9, abs_tol=1e-7)


def mean(values):
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def zipf(text, language="en"):
    import wordfreq

    return wordfreq.zipf_frequency(text, language) or None


def hyphenated(word):
    import pyphen

    return len(pyphen.Pyphen(lang=pyphen.language_fallback("en")).positions(word.lower())) + 1


def expected(row, vectors, centroids):
    """Return what the docs of all columns say of a row."""
    words = row["token"].split()
    annotated = row["lemmas"] is not None
    of_words = [
        of_word(word, row["lemmas"][row["position"] + at] if annotated else None, vectors)
        for at, word in enumerate(words)
    ]
    mwe = row["kind"] == "mwe"
    values = {}
    for name in of_words[0]:
        first, last = of_words[0][name], of_words[-1][name]
        both = (first and last) if isinstance(first, bool) else mean([first, last])
        values |= {name: both, f"{name}_first": first if mwe else None, f"{name}_last": last if mwe else None}
    values |= {**of_sentence(row), **of_syntax(row), **of_vectors(row, vectors, centroids)}
    return values | {f"phrase_{name}": value if mwe else None for name, value in of_phrase(row).items()}


def of_word(word, lemma, vectors):
    low = word.lower()
    plain = "".join(c for c in unicodedata.normalize("NFD", low) if not unicodedata.combining(c))
    letters, capitals = [c for c in word if c.isalpha()], [c for c in word if c.isupper()]
    vowels = [c for c in plain if c in "aeiouy"]
    consonants = "".join(c if c.isalpha() and c not in "aeiouy" else " " for c in plain).split()
    marked = f"__{low}_"
    trigrams = [TRIGRAMS.get(marked[at : at + 3], min(TRIGRAMS.values())) for at in range(len(marked) - 2)]
    lemma = lemma or dictionary_lemma(word)
    listed = AOA.get(word) or AOA.get(low) or AOA.get(lemma) or AOA.get(lemma.lower())
    cuts = range(4, len(word)) if word.isalpha() else ()
    elsewhere = zipf(word, OTHER)
    near = neighbours(vectors, low)
    return {
        "length": len(word),
        "syllables": hyphenated(word),
        "vowel_groups": len("".join(c if c in "aeiouy" else " " for c in plain).split()),
        "vowel_share": len(vowels) / len(letters) if letters else 0,
        "consonant_run": max(map(len, consonants), default=0),
        "distinct_letters": len(set(low)) / len(low),
        "doubled_letters": sum(low[at] == low[at + 1] for at in range(len(low) - 1)),
        "capitals": len(capitals),
        "capital_share": len(capitals) / len(letters) if letters else 0,
        "capital_initial": word[0].isupper(),
        "capital_all": bool(letters) and len(capitals) == len(letters),
        "digits": sum(c in "0123456789" for c in word),
        "hyphens": word.count("-"),
        "not_ascii": sum(c > "\x7f" for c in word),
        "affixes": affixes(low),
        "trigram_mean": mean(trigrams),
        "trigram_min": min(trigrams),
        "zipf": zipf(word),
        "zipf_lemma": zipf(lemma),
        "zipf_prefix": max(filter(None, [zipf(low[:cut]) for cut in cuts]), default=None),
        "zipf_suffix": max(filter(None, [zipf(low[-cut:]) for cut in cuts]), default=None),
        f"zipf_{OTHER}": elsewhere,
        "zipf_elsewhere": elsewhere or 0,
        "languages": int(elsewhere is not None),
        "aoa": listed and listed[0],
        "aoa_known": listed is not None,
        "aoa_sd": listed and listed[1],
        "vector_known": low in vectors,
        "vector_norm": math.hypot(*vectors[low]) if low in vectors else None,
        "vector_near": mean([cosine for cosine, _ in near]),
        "vector_near_zipf": mean([zipf(other) for _, other in near]),
    }


def dictionary_lemma(word):
    import simplemma

    for form in (word, word.lower()):
        if simplemma.is_known(form, lang="en"):
            return simplemma.lemmatize(form, lang="en")
    return word.lower()


def affixes(word):
    taken = 0
    while ends := [end for end in SUFFIXES if word.endswith(end) and len(word) - len(end) >= 3]:
        word, taken = word[: -len(max(ends, key=len))], taken + 1
    while begins := [begin for begin in PREFIXES if word.startswith(begin) and len(word) - len(begin) > 3]:
        word, taken = word[len(max(begins, key=len)) :], taken + 1
    return taken


def unit(vector):
    return np.array(vector) / np.linalg.norm(vector)


def neighbours(vectors, word):
    """Return cosine and word of the ten nearest of the others."""
    if word not in vectors:
        return []
    cosines = [(float(unit(vectors[word]) @ unit(vectors[other])), other) for other in vectors if other != word]
    return sorted(cosines, reverse=True)[:10]


def centroids_by_hand(rows, vectors):
    """Return by genre the mean of the unit vectors of distinct words of targets, zeros for unknown ones."""
    words = {(row["genre"], word) for row in rows for word in row["token"].lower().split()}
    by_genre = {}
    for genre, word in words:
        by_genre.setdefault(genre, []).append(unit(vectors[word]) if word in vectors else np.zeros(4))
    return {genre: np.mean(some, axis=0) for genre, some in by_genre.items()}


def distance(first, second):
    length = np.linalg.norm(first) * np.linalg.norm(second)
    return 1 - float(first @ second) / length if length > 0 else None


def of_vectors(row, vectors, centroids):
    def of(word):
        return unit(vectors[word.lower()]) if word.lower() in vectors else np.zeros(4)

    words = [of(word) for word in row["token"].split()]
    target = np.mean(words, axis=0)
    begin, end = row["position"], row["position"] + row["tokens"]
    others = [of(form) for at, form in enumerate(row["forms"]) if not begin <= at < end]
    known = [vectors[word.lower()] for word in row["token"].split() if word.lower() in vectors]
    parts = [vectors.get(word.lower()) for word in row["token"].split()] if row["kind"] == "mwe" else [None, None]
    return {
        "vector": np.mean(known, axis=0).tolist() if known else None,
        "vector_first": parts[0],
        "vector_last": parts[-1],
        "vector_genre": distance(target, centroids[row["genre"]]),
        "vector_sentence": distance(target, np.sum(others, axis=0) if others else np.zeros(4)),
        "vector_words": distance(words[0], words[-1]) if row["kind"] == "mwe" else None,
    }


def is_word(form):
    return any(map(str.isalpha, form))


def of_sentence(row):
    forms, text = row["forms"], row["sentence"]
    begin, end = row["position"], row["position"] + row["tokens"]
    words = [form for form in forms if is_word(form)]
    before, behind = forms[:begin], forms[end:]
    other = [form for form in before + behind if is_word(form)]
    known = [value for value in map(zipf, other) if value is not None]
    near = [form for form in before if is_word(form)][-2:] + [form for form in behind if is_word(form)][:2]
    syllables = mean([hyphenated(word) for word in words])
    tags = None
    if row["upos"] is not None:
        tags = [tag for at, tag in enumerate(row["upos"]) if not begin <= at < end and is_word(forms[at])]
    return {
        "sentence_tokens": len(forms),
        "sentence_words": len(words),
        "sentence_length": len(text),
        "sentence_commas": text.count(",") + text.count(";"),
        "sentence_word_length": mean([len(word) for word in other]),
        "sentence_syllables": syllables,
        "sentence_ease": 206.835 - 1.015 * len(words) - 84.6 * syllables if words else None,
        "sentence_lix": len(words) + 100 * mean([float(len(word) > 6) for word in words]) if words else None,
        "sentence_grade": 4.71 * mean(map(len, words)) + 0.5 * len(words) - 21.43 if words else None,
        "sentence_fog": 0.4 * (len(words) + 100 * mean([float(hyphenated(word) > 2) for word in words]))
        if words
        else None,
        "sentence_zipf": mean(known),
        "sentence_zipf_min": min(known, default=None),
        "sentence_rare": mean([float((zipf(word) or 0) < 3) for word in other]),
        "near_zipf": mean([zipf(word) for word in near]),
        "sentence_variety": len({word.lower() for word in words}) / len(words) if words else None,
        "sentence_capitals": mean([float(word[0].isupper()) for word in other]),
        "sentence_digits": sum(any(map(str.isdecimal, form)) for form in forms),
        "sentence_nouns": None if tags is None else mean([float(tag in ("NOUN", "PROPN")) for tag in tags]),
        "sentence_verbs": None if tags is None else mean([float(tag in ("VERB", "AUX")) for tag in tags]),
        "target_place": begin / len(forms),
        "target_in_sentence": True,
        "target_repeated": sum(form.lower() == forms[end - 1].lower() for form in before + behind),
        "target_proper": None if tags is None else row["upos"][end - 1] == "PROPN",
    }


def of_syntax(row):
    last = row["position"] + row["tokens"] - 1
    role, depth, at = row["deprels"][last].partition(":")[0], 0, last
    while row["heads"][at] and depth < len(row["forms"]):  # a circle ends there
        at, depth = row["heads"][at] - 1, depth + 1
    return {
        **{f"target_{name}": role in names for name, names in ROLES.items()},
        "target_depth": depth,
        "target_dependents": row["heads"].count(last + 1),
        "target_entity": row["entities"][last] != "O",
        "sentence_entities": sum(label.startswith("B-") for label in row["entities"]),
    }


def of_phrase(row):
    words = row["token"].split()
    first, last = zipf(words[0]), zipf(words[-1])
    lemmas = row["lemmas"][row["position"] :] if row["lemmas"] else [dictionary_lemma(word) for word in words]
    listed = [
        AOA.get(word) or AOA.get(word.lower()) or AOA.get(lemma) for word, lemma in zip(words, lemmas, strict=False)
    ]
    values = [value for value, _ in filter(None, listed)]
    return {
        "words": len(words),
        "length": len(row["token"]),
        "syllables": sum(map(hyphenated, words)),
        "zipf": zipf(row["token"]),
        "zipf_min": None if None in (first, last) else min(first, last),
        "zipf_step": None if None in (first, last) else last - first,
        "hyphens": row["token"].count("-"),
        "aoa_min": min(values, default=None),
        "aoa_max": max(values, default=None),
    }
