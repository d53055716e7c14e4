"""Readers of cloze questions on ReCAM files, beside naive Bayes and the frequency of answers.

    python -m benchmarks.cloze_readers --data FOLDER --work FOLDER --readers ar,ga,ar-gloss,context --more PAIRS

reads all ReCAM files (`Task_*.jsonl`) of a folder and asks readers with their default options, and
both baselines, for the authors' own answers, in folds by article. For each kind it prints the mean
reciprocal rank, over seeds that draw folds and weights, the same with every answer for a miss that no
question of the other folds has, and the seconds of CPU that training takes, a fold. `--more` are
folders of `lexbeam cloze pairs` whose texts readers learn from, too; those of this benchmark are in
the working folder. What is made is kept there, and a run that was broken off goes on where it was.

Naive Bayes is multinomial: log P(c) over the questions of the other folds; for each of the words up
to three places to the left and right of the placeholder log P(w | c, place) - log P(w | place); for
each word of the summary, and of the passage, likewise, times a weight. P(w | c) is shrunk to P(w):
(n(w, c) + a P(w)) / (n(c) + a), with a of `Smoothing.uses` for places, 5 and 50 times that for
summaries and passages.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.pipelines.cli import main as lexbeam
from lexbeam.pipelines.commands.cloze.options import GLOSS_TOKENS
from lexbeam.schemas.cloze import CANDIDATES
from lexbeam.transforms.cloze.filters.candidates import question_id
from lexbeam.transforms.cloze.readers.data import Encoded, EncodeOptions, GroupTask, QuestionGroup, questions
from lexbeam.transforms.cloze.readers.encoding import EncodeGroup
from lexbeam.transforms.cloze.readers.options import READERS, Questions, ReaderNetworkOptions
from lexbeam.transforms.cloze.readers.reading_in_folds import (
    FitReader,
    NameWords,
    ReadSettings,
    ReadTask,
    folds_of,
    tally_of,
)
from lexbeam.transforms.cloze.readers.words import BandOptions
from lexbeam.transforms.cloze.word_resources import VECTORS, WORDNET
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.tables import Part, write_part
from lexbeam.transforms.learning.crossfitting import Asked
from lexbeam.transforms.lexicon.resources import Lexicon, LexiconOptions, prepare

BASELINES = ("frequency", "naive Bayes")
PLACES = (-3, -2, -1, 1, 2, 3)

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Smoothing(NamedTuple):
    """Of naive Bayes: uses of the background for each place, weights of summary and passage."""

    uses: float = 100.0
    summary: float = 0.1
    passage: float = 0.03


def log_priors(answers: Ints, candidates: int) -> Floats:
    """Return the logarithm of how often each candidate is an answer; -inf: never."""
    with np.errstate(divide="ignore"):
        return np.log(np.bincount(answers, minlength=candidates).astype(np.float64))


def naive_bayes(asked: Questions, rows: Ints, others: Ints, candidates: int, smoothing: Smoothing) -> Floats:
    """Return scores of candidates for questions `rows`, learnt from questions `others`."""
    answers = asked.answers[others]
    words = 1 + int(max(words_of_pair.values.max(initial=0) for words_of_pair in (asked.passages, asked.summaries)))
    scores = np.repeat(log_priors(answers, candidates)[None], len(rows), 0)
    views: list[tuple[list[Ints], list[Ints], float, float]] = []
    for place in PLACES:
        near = [_near(asked, row, place) for row in [*others.tolist(), *rows.tolist()]]
        views.append((near[: len(others)], near[len(others) :], smoothing.uses, 1.0))
    for name, factor, weight in (("summaries", 5, smoothing.summary), ("passages", 50, smoothing.passage)):
        bags = [_bag(asked, row, name) for row in [*others.tolist(), *rows.tolist()]]
        views.append((bags[: len(others)], bags[len(others) :], factor * smoothing.uses, weight))
    for known, wanted, uses, weight in views:
        counts = np.zeros((candidates, words))
        for answer, words_of_pair in zip(answers.tolist(), known, strict=True):
            counts[answer, words_of_pair] += 1
        base = (counts.sum(0) + 0.5) / (counts.sum() + 0.5 * words)
        ratio = (counts / base + uses) / (counts.sum(1, keepdims=True) + uses)
        logs = weight * np.log(ratio)
        for row, words_of_pair in enumerate(wanted):
            scores[row] += logs[:, words_of_pair].sum(1)
    return scores


def _near(asked: Questions, row: int, place: int) -> Ints:
    start, stop = asked.summaries.bounds[row : row + 2]
    at = start + asked.places[row] + place
    inside = start <= at < stop
    return np.array([asked.summaries.values[at] if inside else 0], np.int64)


def _bag(asked: Questions, row: int, name: str) -> Ints:
    lists = getattr(asked, name)
    at = row if name == "summaries" else asked.passage[row]
    return np.unique(lists.values[lists.bounds[at] : lists.bounds[at + 1]]).astype(np.int64)


def encoded_files(data: Path, work: Path, more: Sequence[str] = ()) -> Iterator[tuple[QuestionGroup, Encoded]]:
    """Yield each kind's questions: the targets that the files of a folder have."""
    further = tuple(part for folder in more for part in open_snapshot(folder).parts("cloze/pairs"))
    for path in sorted(data.glob("Task_*.jsonl")):
        out = work / path.stem
        if not (out / "current").exists():
            words = ["cloze", "pairs", str(path), "--layout", "recam", "--engine", "builtin:en", "--out", str(out)]
            if lexbeam(words):
                raise RuntimeError(f"no pairs of {path}")
        snapshot = open_snapshot(str(out))
        pairs = snapshot.read("cloze/pairs")
        rows = list(_targets(pairs))
        kind, language = rows[0]["kind"], pairs["language"][0].as_py() or ""
        table = pa.Table.from_pylist(rows, CANDIDATES.schema()).sort_by("question_id")
        written = write_part(Artefact(str(out / "targets")), CANDIDATES.schema(), [table], sort_keys=CANDIDATES.key)
        task = GroupTask(
            QuestionGroup(kind, language),
            tuple(snapshot.parts("cloze/pairs")),
            (Part.of(CANDIDATES.name, 0, written),),
            further,
        )
        options = EncodeOptions(asked="targets")
        yield task.group, make(Workspace(str(work / "made")), EncodeGroup(options), task)


def _targets(pairs: pa.Table) -> Iterator[dict[str, Any]]:
    for pair in pairs.to_pylist():
        places = {(target["token"], target["kind"]) for target in pair["targets"]}
        for token, kind in sorted((t, kind) for t, kind in places if t is not None):
            yield {
                "question_id": question_id(pair["pair_id"], token),
                "kind": kind,
                "pair_id": pair["pair_id"],
                "article_id": pair["article_id"],
                "sentence": 0,
                "token": token,
                "form": pair["summary_forms"][token],
                "lemma": pair["summary_lemmas"][token],
                "upos": pair["summary_upos"][token],
                "target": True,
                "passed": True,
            }


class FoldFigures(NamedTuple):
    """Sums over the questions of a fold: how many, unseen answers, reciprocal ranks, of seen ones; seconds."""

    questions: int
    unseen: int
    reciprocal: float
    reciprocal_seen: float
    seconds: float


def baseline(name: str, encoded: Encoded, fold: int, folds: int, seed: int, smoothing: Smoothing) -> FoldFigures:
    """Return how good a baseline is on a fold."""
    asked = questions(encoded)
    of = folds_of(asked.articles, folds, seed)
    rows, others = np.flatnonzero(of == fold), np.flatnonzero(of != fold)
    start = time.process_time()
    if name == "frequency":
        priors = log_priors(asked.answers[others], encoded.named)
        scores = np.repeat(priors[None], len(rows), 0)
    else:
        scores = naive_bayes(asked, rows, others, encoded.named, smoothing)
    seen = np.isin(np.arange(encoded.named), asked.answers[others])
    tally = tally_of(scores, asked.answers[rows], seen)
    seconds = time.process_time() - start
    return FoldFigures(tally.questions, tally.unseen, tally.reciprocal, tally.reciprocal_seen, seconds)


def reader(
    name: str, group: QuestionGroup, encoded: Encoded, fold: int, options: ReadSettings, work: Path
) -> FoldFigures:
    """Return how good a reader is on a fold, and the CPU time of its training."""
    task = ReadTask(group, name, fold, encoded.numbered, options.of(name))
    place = Workspace(str(work / "made"))
    start = time.process_time()
    trained = make(place, FitReader(options.folds, options.seed), task)
    seconds = time.process_time() - start
    note = work / "seconds" / f"{trained.model.digest}.json"
    note.parent.mkdir(exist_ok=True)
    if not note.exists():  # else the model is taken up
        note.write_text(json.dumps(seconds), "utf-8")
    predicted = make(place, NameWords(options.folds, options.seed), Asked(task, trained.model))
    tally = predicted.tally
    if tally is None:
        raise RuntimeError(f"{name} has no figures")
    seconds = json.loads(note.read_text("utf-8"))
    return FoldFigures(tally.questions, tally.unseen, tally.reciprocal, tally.reciprocal_seen, seconds)


def main(words: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, help="kept from run to run")
    parser.add_argument("--readers", default=",".join(name for name, entry in READERS.items() if not entry.draws))
    parser.add_argument("--more", default="", help="folders of pairs, with commas between")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--wordnet", default="wordnet", help="for glosses, see docs/reference/wordnet.md")
    options = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="lexbeam-bench-") as folder:
        work = options.work or Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        _measure(options, work)
    return 0


def _measure(options: Any, work: Path) -> None:
    readers = [name for name in options.readers.split(",") if name]
    lexicon = Lexicon(())
    if "ar-gloss" in readers:
        lexicon = prepare(LexiconOptions(resources=(f"wordnet_={options.wordnet}",), cache=str(work / "cache")))
    seeds = [int(seed) for seed in options.seeds.split(",")]
    groups = list(encoded_files(options.data, work, [folder for folder in options.more.split(",") if folder]))
    print(f"{'kind':18} {'row':12} {'unseen':>6} {'MRR':>6} {'by seed':20} {'misses':>6} seconds", flush=True)
    for name in (*BASELINES, *readers):
        for group, encoded in groups:
            by_seed, with_misses, unseen, seconds = [], [], [], []
            for seed in seeds:
                how = ReadSettings(
                    options.folds,
                    seed,
                    ReaderNetworkOptions(),
                    BandOptions(),
                    GLOSS_TOKENS,
                    lexicon.only(VECTORS),
                    lexicon.only(WORDNET),
                )
                figures = [
                    reader(name, group, encoded, fold, how, work)
                    if name not in BASELINES
                    else baseline(name, encoded, fold, options.folds, seed, Smoothing())
                    for fold in range(options.folds)
                ]
                asked = sum(fold_figures.questions for fold_figures in figures)
                by_seed.append(sum(fold_figures.reciprocal for fold_figures in figures) / asked)
                with_misses.append(sum(fold_figures.reciprocal_seen for fold_figures in figures) / asked)
                unseen.append(sum(fold_figures.unseen for fold_figures in figures))
                seconds += [fold_figures.seconds for fold_figures in figures]
            shown = " ".join(f"{value:.3f}" for value in by_seed)
            print(
                f"{group.kind:18} {name:12} {np.mean(unseen):6.0f} {np.mean(by_seed):6.3f} "
                f"{shown:20} {np.mean(with_misses):6.3f} {np.mean(seconds):.1f}",
                flush=True,
            )


if __name__ == "__main__":
    sys.exit(main())
