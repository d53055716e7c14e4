"""What libraries would do in the place of modules of ours: the figures of docs/inside/decisions.md.

    python -m benchmarks.kept_by_figures splits [FILE.tsv ...]
    python -m benchmarks.kept_by_figures hanta [--tokens N]
    python -m benchmarks.kept_by_figures skops
    python -m benchmarks.kept_by_figures code
    python -m benchmarks.kept_by_figures commits [--commits N]

splits   Kolmogorov-Smirnov distances of balanced splits: ours, and StratifiedGroupKFold of
         scikit-learn over quantile bands of the values; of drawn instances, and of files with the
         columns of CompLex. Medians of three seeds
hanta    tokens a second of CPU on sentences of words drawn by their frequency: ours, ours with
         HanTa's search over morphemes, HanTa's `tag_sent`
skops    what `skops.io.loads` makes of the hostile files of tests/learning/models, each in a process
         of its own, with 20 seconds of CPU
code     of edits of one definition each, whichever of our definitions: how many stages they make
         anew where code is followed definition by definition, and where whole modules count
commits  of the last commits that changed source, likewise: by definitions, by the modules that hold
         the definitions which a stage reaches, and by all modules that it imports
"""

import argparse
import ast
import csv
import itertools
import os
import resource
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lexbeam.pipelines.frame.registry import COMMANDS, load
from lexbeam.transforms.common.code.walk import PACKAGES, PLUMBING
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.draws.splits import bands_of, deal_alike, distances, parse_shares

SHARES = parse_shares(["train=.85", "trial=.05", "test=.10"])
BANDS = (5, 10, 20, 50)
FOLDS = 20  # 1 for trial, 2 for test, the others for train
SEEDS = (1, 2, 3)
ROOT = Path(__file__).resolve().parent.parent
SOURCE = ("transforms", "pipelines", "schemas")
TESTS = ROOT / "tests" / "lexicon" / "models"

Ints = npt.NDArray[np.int64]
Instances = tuple[Ints, Ints, npt.NDArray[np.float64]]  # token, genre, value


def drawn(rows: int) -> Instances:
    """Return instances of tokens, 2.3 of each, in three genres: values are near those of the token."""
    draw = np.random.default_rng(0)
    token = np.unique(draw.integers(int(rows / 2.3), size=rows), return_inverse=True)[1]
    level = draw.beta(2, 5, size=token.max() + 1)
    return token, draw.integers(3, size=rows), np.clip(level[token] + draw.normal(0, 0.08, rows), 0, 1)


def of_files(paths: list[str]) -> Instances:
    """Return the instances of files of CompLex: id, subcorpus, sentence, token, complexity."""
    rows: list[list[str]] = []
    for path in paths:
        with open(path, encoding="utf-8", newline="") as stream:
            rows += itertools.islice(csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE), 1, None)
    token, genre = (np.unique([row[place].lower() for row in rows], return_inverse=True)[1] for place in (3, 1))
    return token, genre, np.array([float(row[4]) for row in rows])


def ours(instances: Instances, seed: int) -> Ints:
    """Return splits by `deal_alike`."""
    token, genre, values = instances
    names = content_hashes(list(range(token.max() + 1)))
    place = np.argsort(np.argsort(names))
    return deal_alike(np.sort(names), place[token], genre, values, SHARES, bands=256, seed=seed).split[place[token]]


def stratified(instances: Instances, seed: int, bands: int) -> Ints:
    """Return splits by StratifiedGroupKFold, whose classes are bands within genres."""
    from sklearn.model_selection import StratifiedGroupKFold

    token, genre, values = instances
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed)
    split = np.zeros(len(values), np.int64)
    of = genre * bands + bands_of(values, bands)
    for place, (_, rows) in enumerate(itertools.islice(folds.split(values, of, token), 3)):
        split[rows] = 1 if place == 0 else 2
    return split


def splits(paths: list[str]) -> Iterator[tuple[object, ...]]:
    """Yield a row for each set of instances and method."""
    warnings.filterwarnings("ignore", message="The least populated class")
    sets: dict[str, Instances] = {f"{rows} drawn": drawn(rows) for rows in (2_000, 10_000)}
    if paths:
        sets["files"] = of_files(paths)
    methods: dict[str, Callable[[Instances, int], Ints]] = {"ours": ours}
    for bands in BANDS:
        methods[f"StratifiedGroupKFold, {bands} bands"] = lambda data, seed, bands=bands: stratified(data, seed, bands)
    yield "instances", "method", "KS", "worst genre", "size", "seconds"
    for (which, data), (name, method) in itertools.product(sets.items(), methods.items()):
        rows = []
        for seed in SEEDS:
            start = time.process_time()
            split = method(data, seed)
            seconds = time.process_time() - start
            masks = [data[1] >= 0, *(data[1] == genre for genre in np.unique(data[1]))]
            whole, *of_genres = (np.nanmax(distances(data[2][mask], split[mask], 3)) for mask in masks)
            size = np.abs(np.bincount(split, minlength=3) / len(split) - SHARES.values).max()
            rows.append((whole, max(of_genres), 100 * size, seconds))
        ks, worst, size, seconds = np.median(rows, axis=0)
        yield which, name, f"{ks:.4f}", f"{worst:.4f}", f"{size:.2f}", f"{seconds:.1f}"


class _Theirs:
    """HanTa's own search over morphemes, in the place of `MorphemeSearch`."""

    def __init__(self, model: Any) -> None:
        self.analyze_forward, self.analyze_viterbi = model.analyze_forward, model.analyze_viterbi


def hanta(tokens: int) -> Iterator[tuple[object, ...]]:
    """Yield a row for each language; the three taggers agree on every token, or this stops."""
    import wordfreq
    from HanTa.HanoverTagger import HanoverTagger

    from lexbeam.transforms.annotation.engines import hanta as tagging

    yield "language", "ours", "HanTa's morphemes", "HanTa"
    for language in ("en", "de", "nl"):
        words = wordfreq.top_n_list(language, 60_000, wordlist="best")
        shares = np.array([wordfreq.word_frequency(word, language) for word in words])
        places = np.random.default_rng(1).choice(len(words), size=(tokens // 20, 20), p=shares / shares.sum())
        sentences = [[words[place] for place in row] for row in places]
        speeds, tagged = [], []
        ours, theirs = tagging.MorphemeSearch, HanoverTagger(tagging.model_file(language))
        for search in (ours, _Theirs, None):
            tagging.MorphemeSearch = search or ours  # type: ignore[assignment, misc]
            tag = tagging.load_tagger(language).tag if search else theirs.tag_sent
            start = time.process_time()
            tagged.append([tag(sentence) for sentence in sentences])
            speeds.append(tokens / (time.process_time() - start))
        tagging.MorphemeSearch = ours  # type: ignore[misc]
        plain = [[(lemma, name) for _, lemma, name in sentence] for sentence in tagged[2]]
        if not tagged[0] == tagged[1] == plain:
            raise SystemExit(f"{language}: the taggers do not agree")
        yield language, *(f"{speed:.0f}" for speed in speeds)


def outcome(content: bytes) -> str:
    """Return what skops makes of a file, in a process of its own."""
    import skops.io
    from skops.io.exceptions import UntrustedTypesFoundException

    if child := os.fork():
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return {0: "loaded", 1: "refused by its types", 2: "another error"}.get(code, "process dead")
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    code = 2
    try:
        skops.io.loads(content, trusted=["numpy.dtype"])
        code = 0
    except UntrustedTypesFoundException:
        code = 1
    except BaseException:  # whatever it is
        pass
    os._exit(code)


def skops_of_hostile() -> Iterator[tuple[object, ...]]:
    """Yield how many hostile files have which outcome, and which were loaded."""
    sys.path.insert(0, str(TESTS))
    import test_skops_file as cases

    hostile = {name: cases.packed(cases.ridge(x=node), cases.COEFFICIENTS) for name, (node, _) in cases.TYPES.items()}
    hostile |= {name: content for name, (content, _) in cases.FILES.items()}
    outcomes = {name: outcome(content) for name, content in hostile.items()}
    yield "outcome", "files"
    yield from Counter(outcomes.values()).most_common()
    yield "loaded", ", ".join(name for name, outcome in outcomes.items() if outcome == "loaded")


def _reached(module: str, seen: set[str]) -> set[str]:
    """Return the modules of ours that a module imports, and what these do, but for those that decide nothing."""
    path = ROOT / (module.replace(".", "/") + ".py")
    if module in seen or module in PLUMBING or not module.startswith(PACKAGES) or not path.exists():
        return seen
    seen.add(module)
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in modules:
            _reached(name, seen)
    return seen


def _stages() -> dict[str, tuple[frozenset[str], set[str]]]:
    """Return, by stage, the definitions that it reaches, as `module:definition`, and the modules that it imports."""
    found = {}
    for stage in (stage for words in COMMANDS for stage in load(words).stages):
        names = frozenset(name.partition("[")[0] for name in stage.code().names)
        module = (stage if isinstance(stage, type) else getattr(stage, "build", type(stage))).__module__
        found[stage.name] = names, _reached(module, set())
    return found


def code() -> Iterator[tuple[object, ...]]:
    """Yield the shares of stages that an edit of one definition makes anew."""
    stages = _stages()
    by_definition = Counter(name for names, _ in stages.values() for name in names)
    by_module = Counter(name for _, modules in stages.values() for name in modules)
    edits = []
    for path in itertools.chain(*(ROOT.joinpath(*name.split(".")).rglob("*.py") for name in PACKAGES)):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and module not in PLUMBING:
                edits.append((by_definition[f"{module}:{node.name}"], by_module[module]))
    yield "stages", "edits", "definitions, mean", "modules, mean", "edits that make none anew", "by module"
    means, none = np.mean(edits, axis=0), np.mean(np.array(edits) == 0, axis=0)
    yield len(stages), len(edits), *(f"{mean:.2f}" for mean in means), *(f"{share:.2f}" for share in none)


def _definitions(revision: str, name: str) -> dict[str, str]:
    """Return the definitions at the top of a module at a revision of git, as syntax trees without docstrings."""
    shown = subprocess.run(["git", "show", f"{revision}:{name}"], cwd=ROOT, capture_output=True, text=True)
    found: dict[str, str] = {}
    for node in ast.parse(shown.stdout).body if shown.returncode == 0 else ():
        for inner in ast.walk(node):
            if ast.get_docstring(inner) if isinstance(inner, ast.FunctionDef | ast.ClassDef) else None:
                inner.body = inner.body[1:] or [ast.Pass()]  # type: ignore[attr-defined]
        targets = [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)][:1]
        for bound in [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else targets:
            found[bound] = found.get(bound, "") + ast.dump(node)
    return found


def commits(number: int) -> Iterator[tuple[object, ...]]:
    """Yield how many stages each of the last commits of source made anew, by what stages reach now."""
    stages = _stages()
    log = ["git", "log", "--no-merges", f"--max-count={number}", "--format=%h", "--", *SOURCE]
    counts = []
    for commit in subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split():
        diff = ["git", "diff", "--name-only", f"{commit}^", commit, "--", *SOURCE]
        changed = set()
        for name in subprocess.run(diff, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split():
            if name.endswith(".py"):
                before, after = (_definitions(revision, name) for revision in (f"{commit}^", commit))
                module = "lexbeam." + name.removesuffix(".py").replace("/", ".")
                changed |= {(module, bound) for bound in {*before, *after} if before.get(bound) != after.get(bound)}
        definitions, modules = {":".join(pair) for pair in changed}, {module for module, _ in changed}
        by_name = sum(not definitions.isdisjoint(names) for names, _ in stages.values())
        holding = sum(not modules.isdisjoint(n.partition(":")[0] for n in names) for names, _ in stages.values())
        counts.append((by_name, holding, sum(not modules.isdisjoint(reached) for _, reached in stages.values())))
    yield "stages", "commits", "definitions, mean", "modules that hold them, mean", "modules imported, mean"
    yield len(stages), len(counts), *(f"{mean:.2f}" for mean in np.mean(counts, axis=0))


def main() -> None:
    """Print the rows of what is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=("splits", "hanta", "skops", "code", "commits"))
    parser.add_argument("files", nargs="*")
    parser.add_argument("--tokens", type=int, default=100_000)
    parser.add_argument("--commits", type=int, default=200)
    arguments = parser.parse_args()
    benchmarks: dict[str, Callable[[], Iterator[tuple[object, ...]]]] = {
        "splits": lambda: splits(arguments.files),
        "hanta": lambda: hanta(arguments.tokens),
        "skops": skops_of_hostile,
        "code": code,
        "commits": lambda: commits(arguments.commits),
    }
    for row in benchmarks[arguments.which]():
        print(" | ".join(map(str, row)), flush=True)


if __name__ == "__main__":
    main()
