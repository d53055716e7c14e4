"""Filters of cloze candidates, each alone: what they say of chosen words, and of other words.

    python -m benchmarks.cloze_trial --recam $D/recam --texts $D/bbc \\
        --ratings $D/norms/mrc.csv:word=WORD,value=CONC --engine spacy:$M/en_ud --out trial

Pairs are rebuilt from ReCAM's tasks 1 and 2 (`lexbeam cloze pairs`). Their targets are the words
that the authors chose; the others are all other words of the summaries that do not stand in the
passage by form or lemma. Of each filter, asked alone, the shares of both that it lets through are
told: a filter that lets all through is none. Vectors are those of gensim's FastText over the
passages, without their summaries, and the files of `--texts`: of so small a corpus SGNS makes
nothing similar that is not frequent, and FastText finds inflected forms. They serve `lexbeam cloze
abstractness`, too.

Violations are planted for the filter of static similarity: to the passages of targets that it lets
through one word is added, which is an inflected form of the target, a synonym by its first sense,
or any word of the vectors. How often the filter then rejects is told of each.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.measure import lexbeam
from lexbeam.schemas.cloze import CRITERIA
from lexbeam.transforms.cloze.filters.abstract_words import DEPTHS, SENSES
from lexbeam.transforms.cloze.filters.cloze_filters import FILTERS
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import DEBIAN

KINDS = ("imperceptibility", "nonspecificity")
TASKS = ("Task_1", "Task_2")
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
OPEN = ("ADJ", "ADV", "NOUN", "PROPN", "VERB")
LETTERS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}


@dataclass(frozen=True)
class FilterTrial:
    """Where the trial works, and with what.

    Attributes:
        out: the folder with pairs, candidates, vectors and the model.
        wordnet: folder of WordNet's files.
        vectors: static vectors, as `--vectors` has them.
        threshold: of static similarity.
    """

    out: Path
    wordnet: str
    vectors: str
    threshold: str

    def candidates(self, *words: str) -> pa.Table:
        """Return the candidates that `lexbeam cloze candidates` finds with these words."""
        lexbeam(
            "cloze", "candidates", str(self.out), "--wordnet", self.wordnet, "--evaluate", "all", "--overwrite", *words
        )
        return pq.read_table(self.out / "current" / "cloze" / "candidates")

    @property
    def thresholds(self) -> dict[str, float]:
        """Those of the candidates that were found last."""
        manifest = json.loads((self.out / "manifest.json").read_text("utf-8"))
        cosines: dict[str, float] = manifest["cloze.candidates"]["thresholds"]
        return cosines


# Vectors.


class Sentences:
    """Sentences as lists of words in lower case, as often as they are asked for."""

    def __init__(self, pairs: Path, texts: Sequence[Path]) -> None:
        self._pairs, self._texts = pairs, texts

    def __iter__(self) -> Iterator[list[str]]:
        for text in self._all():
            for sentence in SENTENCE.split(text):
                words = [word.lower() for word in WORD.findall(sentence)]
                if len(words) > 1:
                    yield words

    def _all(self) -> Iterator[str]:
        yield from pq.read_table(self._pairs, columns=["passage"])["passage"].to_pylist()
        for folder in self._texts:
            for path in sorted(folder.rglob("*.txt")):
                yield path.read_text("utf-8", "replace")


def write_vectors(sentences: Sentences, path: Path) -> None:
    """Train them: 100 numbers, skip-gram, 5 words on either side, 3 uses at least, 10 epochs."""
    from gensim.models import FastText  # type: ignore[import-untyped]

    options = {"vector_size": 100, "sg": 1, "window": 5, "min_count": 3, "epochs": 10}
    FastText(sentences, workers=1, seed=1, **options).wv.save_word2vec_format(str(path))


# Shares.


def passed(rows: pa.Table, name: str) -> float:
    """Return the share of rows that a filter lets through: all that it does not reject."""
    rejected = pc.sum(pc.equal(rows[f"{name}_passed"], False)).as_py() or 0
    return 1 - rejected / rows.num_rows if rows.num_rows else float("nan")


def sides_of(rows: pa.Table, kind: str) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Return targets, other unseen words, and those of them that are of an open class."""
    of_kind = rows.filter(pc.equal(rows["kind"], kind))
    unseen = pc.and_(pc.invert(of_kind["target"]), pc.fill_null(of_kind["lemma_passed"], True))
    others = of_kind.filter(unseen)
    return (of_kind.filter(of_kind["target"]), others, others.filter(pc.is_in(others["upos"], pa.array(OPEN))))


def show_shares(title: str, rows: pa.Table, kind: str, names: Sequence[str]) -> None:
    """Print a line for each filter."""
    sides = sides_of(rows, kind)
    for name in names:
        shares = " | ".join(f"{passed(side, name):.3f}" for side in sides)
        print(f"| {kind} | {name}{title} | {shares} |")


# Planted violations.


def planted(trial: FilterTrial, rows: pa.Table, threshold: float) -> dict[str, tuple[int, float]]:
    """Return by violation how many targets it was planted for, and how often it is rejected."""
    options = LexiconOptions(
        resources=(f"vectors=vectors:{trial.vectors}", f"wordnet=wordnet:{trial.wordnet}"),
        cache=str(trial.out / "cache"),
    )
    held: Any = {held_resource.name: held_resource.open() for held_resource in prepare(options).held}
    vectors, wordnet = held["vectors"], held["wordnet"]
    targets = rows.filter(pc.and_(rows["target"], pc.fill_null(rows["static_passed"], False)))
    random = np.random.default_rng(1)
    vocabulary = vectors.words.cast(pa.string()).to_pylist()
    forms = _forms(vocabulary, wordnet)
    by_change: dict[str, list[tuple[str, str]]] = {"inflected": [], "synonym": [], "random": []}
    for form, upos in zip(targets["form"].to_pylist(), targets["upos"].to_pylist(), strict=True):
        letter, word = LETTERS.get(upos, "n"), form.lower()
        base = wordnet.morphy(pa.array([word]), letter)[0].as_py()
        others = [other for other in forms.get((base, letter), []) if other != word]
        if others:
            by_change["inflected"].append((word, others[int(random.integers(len(others)))]))
        sense = wordnet.first_sense(pa.array([base], pa.large_string()), letter)
        same = wordnet.senses_in(wordnet.synset_of(sense)).values if sense[0] >= 0 else []
        names = [name.lower() for name in wordnet.written(np.asarray(same, np.int64)).to_pylist()]
        synonyms = [name for name in names if name not in (base, word) and "_" not in name]
        if synonyms:
            by_change["synonym"].append((word, synonyms[int(random.integers(len(synonyms)))]))
        by_change["random"].append((word, vocabulary[int(random.integers(len(vocabulary)))]))
    shares = {}
    for name, pairs in by_change.items():
        first, second = (pa.array(side) for side in zip(*pairs, strict=True))
        cosine = vectors.cosine(first, second).drop_null().to_numpy()
        shares[name] = len(cosine), float((cosine >= threshold).mean())
    return shares


def _forms(words: Sequence[str], wordnet: Any) -> dict[tuple[str, str], list[str]]:
    """Return the words by their base forms."""
    forms: dict[tuple[str, str], list[str]] = {}
    for letter in sorted(set(LETTERS.values())):
        bases = wordnet.morphy(pa.array(words), letter).to_pylist()
        for word, base in zip(words, bases, strict=True):
            if base is not None:
                forms.setdefault((base, letter), []).append(word)
    return forms


# The trial.


def show_filters(trial: FilterTrial, model: Path) -> None:
    """Print the shares of every filter, and those of its variants."""
    print("| kind | filter | targets | other unseen words | of them content words |")
    print("|---|---|---|---|---|")
    rows = trial.candidates(
        "--kind",
        ",".join(KINDS),
        "--abstractness",
        str(model),
        "--vectors",
        trial.vectors,
        "--static-threshold",
        trial.threshold,
    )
    thresholds = trial.thresholds
    for kind in KINDS:
        asked = [name for name in FILTERS if name in CRITERIA[kind] or name in _optional(rows)]
        show_shares("", rows, kind, asked)
    _variants(trial, model)
    print(f"\nthresholds: {thresholds}")
    print("\n| planted | targets | rejected |\n|---|---|---|")
    for name, (count, share) in planted(trial, rows, thresholds["static"]).items():
        print(f"| {name} | {count} | {share:.3f} |")
    show_funnel(rows)


def _optional(rows: pa.Table) -> list[str]:
    criteria = {name for names in CRITERIA.values() for name in names}
    there = [name for name in FILTERS if rows[f"{name}_passed"].null_count < rows.num_rows]
    return [name for name in there if name not in criteria]


def _variants(trial: FilterTrial, model: Path) -> None:
    kind = "nonspecificity"
    for sense in SENSES:
        for depth in DEPTHS:
            words = ("--filters", "lemma", "--sense", sense, "--depth", depth)
            rows = trial.candidates("--kind", kind, *words)
            show_shares(f", {sense}, depth {depth}", rows, kind, [kind])
    for match in ("surface", "lemma"):
        for senses in ("all", "tag"):
            rows = trial.candidates(
                "--kind",
                ",".join(KINDS),
                "--abstractness",
                str(model),
                "--filters",
                "lemma,synonym,antonym",
                "--relation-match",
                match,
                "--relation-senses",
                senses,
            )
            for kind in KINDS:
                show_shares(f", {match}, senses {senses}", rows, kind, ["synonym", "antonym"])


def show_funnel(rows: pa.Table) -> None:
    """Print what each kind yields of 1,000 pairs, and what rejects first."""
    pairs = pc.count_distinct(rows["pair_id"]).as_py()
    for kind in KINDS:
        of_kind = rows.filter(pc.equal(rows["kind"], kind))
        count = pc.sum(of_kind["passed"]).as_py()
        reasons = of_kind["reason"].value_counts().to_pylist()
        first = {entry["values"]: entry["counts"] for entry in reasons if entry["values"]}
        listing = ", ".join(f"{name} {first[name]}" for name in FILTERS if name in first)
        print(f"\n{kind}: {1000 * count / pairs:.0f} candidates of 1,000 pairs; {listing}")


def main() -> None:
    """Run the trial."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recam", type=Path, required=True, help="folder of ReCAM's files")
    parser.add_argument("--ratings", required=True, help="see `lexbeam cloze abstractness --help`")
    parser.add_argument("--texts", type=Path, nargs="*", default=[], help="folders of .txt files")
    parser.add_argument("--engine", default="builtin:en")
    parser.add_argument("--wordnet", default=DEBIAN)
    parser.add_argument("--vectors", help="a file, where none are to be trained")
    parser.add_argument("--static-threshold", default="quantile:0.9995")
    parser.add_argument("--remove", type=int, default=3, help="components of vectors that are removed")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    files = [str(path) for task in TASKS for path in sorted(arguments.recam.glob(f"{task}*.jsonl"))]
    lexbeam(
        "cloze",
        "pairs",
        *files,
        "--layout",
        "recam",
        "--engine",
        arguments.engine,
        "--overwrite",
        "--out",
        str(arguments.out),
    )
    vectors = arguments.vectors
    if vectors is None:
        path = arguments.out.with_name(f"{arguments.out.name}.vec")
        write_vectors(Sentences(arguments.out / "current" / "cloze" / "pairs", arguments.texts), path)
        vectors = str(path)
    model = arguments.out.with_name(f"{arguments.out.name}-concreteness")
    lexbeam(
        "cloze",
        "abstractness",
        "--ratings",
        arguments.ratings,
        "--vectors",
        f"{vectors}:unit=yes",
        "--wordnet",
        arguments.wordnet,
        "--out",
        str(model),
        "--overwrite",
    )
    vectors_used = f"{vectors}:remove={arguments.remove}"
    show_filters(FilterTrial(arguments.out, arguments.wordnet, vectors_used, arguments.static_threshold), model)


if __name__ == "__main__":
    main()
