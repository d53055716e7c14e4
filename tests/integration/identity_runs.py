"""Small runs of all tasks, in this process, and what every stage was asked for in them."""

import itertools
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1] / "cloze"))
sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
sys.path.insert(0, str(Path(__file__).parents[1] / "complexity"))
sys.path.insert(0, str(Path(__file__).parents[1] / "lexicon"))
sys.path.insert(0, str(Path(__file__).parents[1] / "simplification"))

from asked import SYNSETS
from choosing_model import keep_choosing_model
from generated import write_world
from questions_making import write_inputs
from scored import publish, tables
from small_runs import SMALL, call, corpus, write_texts
from streaming import drop, make_world, streams_end
from wordnet_making import write_wordnet

from lexbeam.transforms.common.store import artefacts, ptransforms
from lexbeam.transforms.common.store.artefacts import Step, Workspace, name_of
from lexbeam.transforms.formats.ingest import cut_files
from lexbeam.transforms.formats.ingest import ptransforms as ingest
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare

KEEP = ("--keep-snapshots", "99")
MOST = 5  # cases of a stage


class Case(NamedTuple):
    """What a step was asked for."""

    task: Any
    step: Step


def do(*words: Any) -> int:
    """Run a command that keeps all snapshots, whose parts are in tasks."""
    return call(*words, *KEEP)


@contextmanager
def _noted(found: dict[str, dict[str, Case]]) -> Iterator[None]:
    """Note what steps are asked for: of each the first cases that differ."""
    made = artefacts.make_all

    def make_all(workspace: Any, step: Step, tasks: Any, **more: Any) -> Any:
        receipts = made(workspace, step, tasks, **more)
        cases = found.setdefault(step.name, {})
        for task in tasks:
            if len(cases) < MOST:
                cases.setdefault(name_of(step, task), Case(task, step))
        return receipts

    artefacts.make_all = ptransforms.make_all = make_all
    try:
        yield
    finally:
        artefacts.make_all = ptransforms.make_all = made


def change(folder: Path) -> None:
    """Corpus and change: three slices, downsampled, with nulls, a series, targets; a corpus of which some is kept."""
    texts = write_texts(folder / "texts")
    (texts / "1890.txt").write_text((texts / "1870.txt").read_text().replace("sea", "lake"))
    (folder / "targets.txt").write_text("sea\nland\n")
    out = folder / "out"
    assert corpus(texts, out, *KEEP, "--parts", "3") == 0  # no power of two: staged files are gathered
    slices = ("--slices", "1800-1849,1850-1875,1876-1900", "--targets", folder / "targets.txt")
    more = ("--series", "--null", "3", "--seeds", "1", "--max-tokens", "400", "--rank-min-count", "1")
    assert do("change", "--out", out, *slices, *SMALL, *more) == 0
    together = ("--alignment", "compass,tr,vi,op", "--align-to", "1850-1875", "--overwrite")
    assert do("change", "--out", out, *slices, *SMALL, *more, *together) == 0
    sharded = ("--slices", "1800-1849,1850-1900", "--shards", "2", "--rounds", "2")
    with mock.patch.object(ptransforms, "free_files"):  # so that averages can be made again
        assert do("change", "--out", out, *sharded, *SMALL, "--overwrite") == 0
    systems = ("--system", "freq,cs2020", "--ensemble", "mean-rank,mean-z")
    dealt = ("--null", "3", "--null-by", "sentence", "--seeds", "1", "--rank-min-count", "1")
    counted = ("--slices", "1800-1849,1850-1900", "--representation", "svd", *systems, *dealt, "--overwrite")
    with mock.patch.object(ptransforms, "free_files"):
        assert do("change", "--out", out, *counted, "--dim", "5", "--min-count", "1", "--min-sentence", "1") == 0
    (texts / "1890.txt").unlink()
    assert corpus(texts, folder / "kept", "--keep-missing", out) == 0


def large(folder: Path) -> None:
    """A corpus of a file that is cut."""
    texts = folder / "texts"
    texts.mkdir()
    rows = [json.dumps({"text": f"The ship of the year {year} sails over the sea."}) for year in range(1800, 1830)]
    (texts / "a.jsonl").write_text("\n".join(rows))
    sizes = cut_files.CUT_BYTES, cut_files.PIECE_BYTES, ingest.UNIT_BYTES
    cut_files.CUT_BYTES = cut_files.PIECE_BYTES = ingest.UNIT_BYTES = 1000
    try:
        assert do("corpus", texts, "--out", folder / "out", "--engine", "builtin:en") == 0
    finally:
        cut_files.CUT_BYTES, cut_files.PIECE_BYTES, ingest.UNIT_BYTES = sizes


def stream(folder: Path) -> None:
    """A stream, and the corpus that takes up what has landed."""
    config = make_world(folder, "texts")
    drop(folder / "texts", "a.txt", b"A ship sails.\n\nIt came late.")
    drop(folder / "texts", "b.txt", b"\xff\xfe\xfd")
    with streams_end():
        assert call("stream", config, "--window", "1s", "--every", "1s") == 0
    assert do("run", config) == 0


def complexity(folder: Path) -> None:
    """Files and targets of a corpus to instances, features and scores."""
    texts = write_texts(folder / "texts")
    (texts / "1880.txt").write_text("The ship lies at anchor.")  # or the parts of the corpus would have the same counts
    corpus(texts, folder / "corpus")
    (folder / "norms.csv").write_text("word,age\nsea,3.5\nship,12\n")
    rows = ["id\tsentence\ttoken\tcomplexity"]
    rows += [f"{n}\tThe ship {n} sails.\tship\t{n / 10}" for n in range(6)] + ["x\tThe ship.\tocean\t.9"]
    (folder / "own.tsv").write_text("\n".join(rows))
    loaded = folder / "loaded"
    own = ("--layout", "tsv", "--language", "en", "--engine", "builtin:en", "--max-reject-share", ".5", "--parts", "3")
    assert do("complexity", "load", folder / "own.tsv", *own, "--out", loaded) == 0
    lists = (f"age={folder / 'norms.csv'}:word=word,value=age,language=en", "--cache", folder / "cache")
    use = ("--use", "form,norms,corpus,surprisal", "--corpus", folder / "corpus", "--wordlist", *lists)
    assert do("complexity", "features", loaded, *use) == 0
    carried = prepare(LexiconOptions(resources=lists[:1], cache=str(folder / "cache")))
    carried.carried(Workspace(str(folder / "carried")))  # as for workers on other machines
    quota = ("--quota", "single=4", "--contexts", "2", "--parts", "3", "--language", "en")
    assert do("complexity", "select", folder / "corpus", "--out", folder / "selected", *quota) == 0
    scored = publish(folder / "scored", tables(singles=24, expressions=12))
    small = ("--folds", "2", "--resamples", "10", "--trees", "5", "--rounds", "5", "--inner-folds", "2")
    systems = ("--scorer", "ridge,extra-trees", "--importance", "--mwe", "words")
    assert do("complexity", "score", scored, *small, *systems) == 0


def cloze(folder: Path) -> None:
    """Files and documents to pairs, candidates, options, questions."""
    write_inputs(folder)
    texts = folder / "texts"
    texts.mkdir()
    for n in range(3):
        (texts / f"180{n}.txt").write_text(f"Title {n}\n\nThe {n} old ships sailed.\n\nThey came back.", "utf-8")
    assert corpus(texts, folder / "corpus") == 0
    cut_files = ("--layout", "corpus", "--skip-paragraphs", "1", "--max-reject-share", "0.95")
    assert do("cloze", "pairs", folder / "corpus", *cut_files, "--out", folder / "documents") == 0
    ratings = f"{folder / 'rated.csv'}:word=WORD,value=CONC"
    learned = ("--inputs", "ngrams", "--estimator", "ridge", "--resamples", "0", "--out", folder / "model")
    assert call("cloze", "abstractness", "--ratings", ratings, *learned) == 0
    words = [word for a, b in itertools.product("bcdf", "aeiou") for word in (f"{a}{b}ness", f"{a}{b}ock")]
    lines = [f"{word} {n % 7} {n % 5} 1" for n, word in enumerate(words)]
    (folder / "some.vec").write_text(f"{len(lines)} 3\n" + "\n".join(lines) + "\n")
    out, own = folder / "out", ("--wordnet", folder / "wordnet", "--cache", folder / "cache")
    read = ("--layout", "jsonl", "--engine", "builtin:en", "--language", "en", "--parts", "2")
    assert do("cloze", "pairs", folder / "pairs.jsonl", *read, "--out", out) == 0
    filters = ("--sense", "first", "--filters", "lemma,static", "--static-threshold", "quantile:0.99")
    kinds = ("--kind", "imperceptibility,nonspecificity", "--abstractness", folder / "model")
    assert do("cloze", "candidates", out, *kinds, *filters, "--vectors", folder / "some.vec", *own) == 0
    small = ("--folds", "2", "--hidden", "16", "--dim", "5", "--hops", "2", "--epochs", "1", "--batch", "8")
    assert do("cloze", "options", out, "--readers", "ga,ar", *small, *own) == 0
    assert do("cloze", "options", out, "--readers", "frequency", *own, "--overwrite") == 0
    assert do("cloze", "questions", out) == 0


def answers(folder: Path) -> None:
    """Systems that answer questions, trained here, and a model from elsewhere."""
    write_wordnet(folder / "wordnet", SYNSETS, index_sense=False)
    words = ("trust", "faith", "doubt", "fear", "hope")
    rows = [
        {
            "article": f"Here is number {place}.",
            "label": place % 5,
            "question": f"The @placeholder of case {place} is here.",
            **{f"option_{n}": words[(n + place) % 5] for n in range(5)},
        }
        for place in range(12)
    ]
    path = folder / "Task_2_Nonspecificity.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    out = folder / "out"
    read = ("--layout", "recam", "--engine", "builtin:en", "--parts", "3")
    assert do("cloze", "pairs", path, *read, "--out", out) == 0
    keep_choosing_model(folder / "small", [row["article"] for row in rows], words)
    small = ("--folds", "2", "--hidden", "16", "--dim", "5", "--hops", "2", "--epochs", "1", "--own-epochs", "1")
    systems = ("--asked", "targets", "--systems", f"multiple-choice:{folder / 'small'},ga5")
    assert do("cloze", "answer", out, *systems, *small, "--resamples", "10") == 0


def simplify(folder: Path) -> None:
    """Files and complex words to instances, candidates, rankings and sentences."""
    world = write_world(folder)
    gold = "Vio los perros de su vecino.\tperros\tcanes\tsabuesos\nHola, perros!\tperros\tchuchos\n"
    (folder / "gold.tsv").write_text(gold + "Nada de xyz hay.\txyz\talgo\n", "utf-8")
    out = folder / "out"
    read = ("--layout", "alexsis", "--language", "es", "--parts", "3")
    assert do("simplify", "instances", folder / "gold.tsv", *read, "--out", out) == 0
    assert do("simplify", "generate", out, *world, "--generators", "thesaurus,vectors") == 0
    chosen = ("--filters", "morphology,similarity", "--inflector", folder / "es.inflector")
    vectors, cache = ("--vectors", folder / "es.vec"), ("--cache", folder / "cache")
    assert do("simplify", "select", out, *chosen, *vectors, *cache) == 0
    rows = ["token\tsentence\tcomplexity"]
    for n, word in enumerate(a + b + c for a, b, c in itertools.product(("ba", "do", "li"), "mnrstp", "aeo")):
        rows.append(f"{word}\tVi una {word} ayer.\t{n / 54:.3f}")
    (folder / "own.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    words = folder / "words"
    load = ("complexity", "load", folder / "own.tsv", "--layout", "tsv", "--language", "es")
    assert do(*load, "--out", words) == 0
    listed = ("--wordlist", f"frequency={folder / 'freq.tsv'}:word=word,value=value", *cache)
    assert do("simplify", "rank", out, "--ranker", "frequency,regressor", "--complexity", words, *listed) == 0
    assert do("simplify", "rewrite", out) == 0
    hard = ("--layout", "complexity", "--min-complexity", ".75", "--max-reject-share", ".9")
    assert do("simplify", "instances", words, *hard, "--out", folder / "complex") == 0
    texts = write_texts(folder / "texts")
    found = ("simplify", "instances", "--targets")
    assert do(*found, "content", texts, "--engine", "builtin:en", "--out", folder / "of_texts") == 0
    corpus(texts, folder / "corpus")
    rare = ("--zipf-below", "5", "--cache", folder / "cache", "--out", folder / "of_corpus")
    assert do(*found, "complex", folder / "corpus", *rare) == 0
    (folder / "en.dat").write_text("UTF-8\nship|1\n-|boat\n", "utf-8")
    (folder / "plain.yaml").write_text("plain: {ranker: senses}\n", "utf-8")
    plain = ("--settings", folder / "plain.yaml", "--setting", "plain", "--thesaurus", folder / "en.dat")
    for number, inputs in enumerate((texts, folder / "corpus")):
        kept = ("--zipf-below", "5", "--cache", folder / "cache", "--out", folder / f"simple{number}")
        assert do("simplify", "text", inputs, "--language", "en", *plain, *kept) == 0


RUNS = {run.__name__: run for run in (change, large, stream, complexity, cloze, answers, simplify)}


def cases_of(run: str, folder: Path) -> list[Case]:
    """Return the cases of a run, whose files lie in a folder."""
    found: dict[str, dict[str, Case]] = {}
    with _noted(found):
        RUNS[run](folder)
    return [case for cases in found.values() for case in cases.values()]
