"""Every rule of published questions looked at anew, from published tables and WordNet alone.

No module of ours is used: files are read with pyarrow, WordNet as text, hashes as they are defined.
"""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from hashlib import blake2b
from pathlib import Path

import pyarrow.parquet as pq
from wordnet_read import PlainWordNet

TAGS = {
    "imperceptibility": {"NOUN", "VERB", "ADJ", "ADV"},
    "nonspecificity": {"NOUN", "PROPN", "VERB"},
    "intersection": {"NOUN", "VERB"},
}
SCORES = {
    "imperceptibility": ("concreteness",),
    "nonspecificity": ("depth",),
    "intersection": ("concreteness", "depth"),
}
MASK = (1 << 64) - 1


def read(out, name):
    """Return the rows of a published table, in the order of its parts."""
    paths = sorted((Path(out) / "cloze" / name).glob("*.parquet"))
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


def mixed(value):
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
    return value ^ value >> 31


def hashed(*parts):
    digest = None
    for part in parts:
        part_digest = int.from_bytes(blake2b(str(part).encode(), digest_size=8).digest(), "big")
        digest = part_digest if digest is None else (mixed(digest + 0x9E3779B97F4A7C15 & MASK) + part_digest) & MASK
    return digest


def drawn(value, seed, label):
    halves = blake2b(f"{seed}:{label}".encode(), digest_size=16).digest()
    first, second = (int.from_bytes(half, "big") for half in (halves[:8], halves[8:]))
    return mixed(mixed(value ^ first) + second + 0x9E3779B97F4A7C15 & MASK)


def words_of(text):
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def stands_in(phrase, forms):
    parts = phrase.lower().split("_")
    return any(forms[at : at + len(parts)] == parts for at in range(len(forms)))


def stems(form):
    """Return what a verb's form may be made of, by morphy(7WN)."""
    ends = [("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")]
    return {form.removesuffix(end) + other for end, other in ends if form.endswith(end)}


def check_word(row, candidate, pair, wordnet, below):
    """Check what makes the answer one, against the passage and the summary."""
    lower = {
        side: {name: [(one or "").casefold() for one in pair[f"{side}_{name}"] or ()] for name in ("forms", "lemmas")}
        for side in ("summary", "passage")
    }
    form, lemma = row["answer"].casefold(), candidate["lemma"].casefold()
    assert form not in lower["passage"]["forms"]
    assert lemma not in lower["passage"]["lemmas"]
    others = [
        one
        for name in ("forms", "lemmas")
        for at, one in enumerate(lower["summary"][name])
        if at != candidate["token"] and one in ({form} if name == "forms" else {lemma})
    ]
    assert not others
    assert row["upos"] == candidate["upos"]
    if row["upos"] == "ADJ" and row["kind"] != "imperceptibility":  # a participle
        assert any(
            (base, "v") in wordnet.senses for base in stems(form) | wordnet.exceptions("v", form) if base != form
        )
    else:
        assert row["upos"] in TAGS[row["kind"]]
    for score in SCORES[row["kind"]]:
        assert row[score] < below[score]
    for score in {"concreteness", "depth"} - set(SCORES[row["kind"]]):
        assert row[score] is None
    if row["depth"] is not None:
        key = wordnet.sense(candidate["nonspecificity_match"])
        assert wordnet.depth(key) == row["depth"]
    if wordnet.synsets(lemma):  # other words come to their base form by morphy
        for other in wordnet.synonyms(lemma) | wordnet.antonyms(lemma):
            if other not in (form, lemma):
                assert not stands_in(other, lower["passage"]["forms"]), (row["answer"], other)


def check_options(row, rows, lemmas, wordnet, seed):
    """Check that the five are what was chosen, in the order of hashes, and that they differ."""
    kept = sorted((one for one in rows if one["kept"]), key=lambda one: one["place"])
    assert len(kept) == 5
    assert kept[0]["word"] == row["answer"]
    key = row["question_id"], row["kind"]
    order = sorted(range(5), key=lambda place: drawn(hashed(*key, place), seed, "cloze/option order"))
    assert row["options"] == [kept[place]["word"] for place in order]
    assert row["options"][row["label"]] == row["answer"]
    assert len({word.casefold() for word in row["options"]}) == 5
    own = [lemmas[one["named"].lower()] for one in kept]
    assert len({one for one in own if one}) == sum(map(bool, own))
    answer = own[0] or row["answer"].lower()
    for one in kept[1:]:
        assert one["word"].lower() not in wordnet.synonyms(answer)
    assert row["origin"] == kept[1]["origin"]


def check_text(row, candidate, pair):
    assert row["question"].count("@placeholder") == 1
    start = row["question"].index("@placeholder")
    assert start == pair["summary_starts"][candidate["token"]]
    assert row["question"].replace("@placeholder", row["answer"]) == pair["summary"]
    assert row["article"] == pair["passage"]
    around = row["question"][:start][-1:], row["question"][start + len("@placeholder") :][:1]
    assert not any(letter.isalpha() and letter.isascii() for letter in around)


def check_splits(questions, splits):
    """Check that what shares a text is in one split, and that the manifest tells the shares."""
    parent = {}

    def root(one):
        while parent.setdefault(one, one) != one:
            one = parent[one]
        return one

    for row in questions:
        summary = row["question"].replace("@placeholder", row["answer"])
        texts = {"passage": row["article"], "question": row["question"], "summary": summary}
        keys = [("article", row["article_id"])]
        keys += [(name, words_of(text)) for name, text in texts.items()]
        for key in keys[1:]:
            parent[root(key)] = root(keys[0])
    splits_of = defaultdict(set)
    for row in questions:
        splits_of[root(("article", row["article_id"]))].add(row["split"])
    assert all(len(own) == 1 for own in splits_of.values())
    assert splits["groups"] == len(splits_of)
    for one in splits["strata"]:
        own = [row for row in questions if one["kind"] in ("", row["kind"]) and one["upos"] in ("", row["upos"])]
        count = sum(row["split"] == one["split"] for row in own)
        assert (one["questions"], one["share"]) == (count, count / len(own))
        apart = abs(count - one["wanted"] * len(own))
        assert one["off"] == (apart > max(1, splits["tolerance"] * len(own)))


def check_questions(out, wordnet_folder, *, seed=1, per_summary="all"):
    """Check all that is published of questions; return those that are kept."""
    manifest = json.loads((Path(out) / "manifest.json").read_text("utf-8"))
    wordnet = PlainWordNet(wordnet_folder)
    thresholds = manifest["cloze.candidates"]["thresholds"]
    below = {"concreteness": thresholds.get("abstractness"), "depth": thresholds.get("nonspecificity")}
    pairs = {row["pair_id"]: row for row in read(out, "pairs")}
    candidates = {(row["question_id"], row["kind"]): row for row in read(out, "candidates")}
    options = defaultdict(list)
    for row in read(out, "options"):
        options[row["question_id"], row["kind"]].append(row)
    spelled = defaultdict(Counter)
    for row in candidates.values():
        if row["passed"]:
            spelled[row["form"].lower()][row["lemma"].lower()] += 1
    lemmas = {form: counts.most_common(1)[0][0] if len(counts) == 1 else None for form, counts in spelled.items()}
    rows = read(out, "questions")
    keys = [(row["question_id"], row["kind"]) for row in rows]
    assert keys == sorted(keys)
    assert set(keys) == {key for key, row in candidates.items() if row["passed"]}
    kept = []
    for key, row in zip(keys, rows, strict=True):
        assert row["kept"] == (row["reason"] is None) == (row["question"] is not None)
        assert row["kept"] == (row["split"] is not None) == (row["options"] is not None)
        assert row["answer"] == candidates[key]["form"]
        few = sum(one["kept"] for one in options[key]) < 5
        assert few == (row["reason"] == "too_few_options")
        if not row["kept"]:
            continue
        kept.append(row)
        pair = pairs[row["pair_id"]]
        check_word(row, candidates[key], pair, wordnet, below)
        check_options(row, options[key], lemmas, wordnet, seed)
        check_text(row, candidates[key], pair)
    check_splits(kept, manifest["cloze.questions"]["splits"])
    best = Counter((row["pair_id"], row["kind"]) for row in kept)
    dropped = {(row["pair_id"], row["kind"]) for row in rows if row["reason"] == "not_best"}
    if per_summary == "best":
        assert set(best.values()) <= {1}
        assert dropped <= set(best)
    else:
        assert not dropped
    return kept
