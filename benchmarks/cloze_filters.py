"""Filters of cloze candidates: similarity of whole passages, and pairs per second of all of them.

    python -m benchmarks cloze_filters

Texts are examples of WordNet's synsets, put together at random to passages of 400 words and
summaries of 20, the size of XSum's, with lemmas and parts of speech by WordNet; vectors are random,
300 numbers for each word. The loop looks up two vectors at a time and divides their product by
their lengths; it must find the same cosines. Pairs per second are those of two processes that each
make the artefact of a part, from the Parquet file to the Parquet file, with all filters but
contextual similarity; 226,000 pairs in 20 minutes are 189 a second.
"""

import math
import multiprocessing
import statistics
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.cloze_lesk import asked_of
from benchmarks.measure import BenchmarkRow, Skipped, timed
from lexbeam.schemas.cloze import PAIRS
from lexbeam.transforms.cloze.filters.candidate_options import CandidateOptions, filter_request
from lexbeam.transforms.cloze.filters.candidates import CandidateTask, JudgeWords
from lexbeam.transforms.cloze.filters.cloze_filter import COLUMNS, FilterSetting, batch_of
from lexbeam.transforms.cloze.filters.similarity import static
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.tables import Part, write_part
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import DEBIAN

PAIRS_EACH = 640
LOOPED = 64
DIM = 300
REPEATS = 3
BOUND_LOOP, BOUND_PAIRS = 50.0, 189.0


def pairs_of(wordnet: Any, count: int) -> pa.Table:
    """Return annotated pairs of WordNet's examples."""
    asked = asked_of(wordnet, count)
    columns: dict[str, list[Any]] = {}
    for side, texts in (("summary", asked.summaries), ("passage", asked.passages)):
        flat = pa.array([word.strip(".,;:!?") or "-" for text in texts for word in text])
        sizes = np.cumsum([0, *map(len, texts)])
        lemmas = pc.coalesce(wordnet.morphy(flat), pc.utf8_lower(flat).cast(pa.large_string()))
        tags = pa.array(["DET"] * len(flat))
        for letter, tag in (("r", "ADV"), ("a", "ADJ"), ("v", "VERB"), ("n", "NOUN")):
            tags = pc.if_else(pc.is_valid(wordnet.morphy(flat, letter)), tag, tags)
        lengths = np.asarray(pc.utf8_length(flat)) + 1
        ends = [np.cumsum(lengths[a:b]) - 1 for a, b in pairwise(sizes)]
        for name, values in (("forms", flat), ("lemmas", lemmas), ("upos", tags)):
            listed = values.to_pylist()
            columns[f"{side}_{name}"] = [listed[a:b] for a, b in pairwise(sizes)]
        columns[side] = [" ".join(words) for words in columns[f"{side}_forms"]]
        columns[f"{side}_ends"] = [places.tolist() for places in ends]
        columns[f"{side}_starts"] = [[0, *(places[:-1] + 1).tolist()] for places in ends]
        columns[f"{side}_sentences"] = [[*range(0, len(places), 20)] for places in ends]
    ids = [f"{number:032x}" for number in range(count)]
    same = {
        "language": "en",
        "genre": None,
        "targets": [],
        "source": "made",
        "position": "1",
        "source_id": None,
        "rows": 1,
        "flags": [],
    }
    columns |= {"pair_id": ids, "article_id": ids}
    columns |= {name: [value] * count for name, value in same.items()}
    return pa.table({name: columns[name] for name in PAIRS.schema().names}, PAIRS.schema())


def write_vectors(path: Path, table: pa.Table) -> None:
    """Write random vectors of all words."""
    flat = [pc.list_flatten(table[f"{side}_forms"]) for side in ("summary", "passage")]
    words = sorted({word.lower() for part in flat for word in part.unique().to_pylist()})
    numbers = np.random.default_rng(1).normal(size=(len(words), DIM)).round(3)
    with path.open("w", encoding="utf-8") as stream:
        stream.write(f"{len(words)} {DIM}\n")
        for word, row in zip(words, numbers, strict=True):
            stream.write(f"{word} {' '.join(map(str, row.tolist()))}\n")


def word_by_word(table: pa.Table, vectors: Any) -> list[float]:
    """Return the greatest cosine of each word, vector by vector."""
    forms = sorted(
        {form for side in ("summary", "passage") for text in table[f"{side}_forms"].to_pylist() for form in text}
    )
    matrix, has_vector = vectors.vectors(pa.array(forms))
    known = {form: row for form, row, there in zip(forms, matrix, has_vector, strict=True) if there}
    greatest = []
    pairs = zip(table["summary_forms"].to_pylist(), table["passage_forms"].to_pylist(), strict=True)
    for summary, passage in pairs:
        for form in summary:
            best = math.nan
            for other in passage:
                if form in known and other in known:
                    a, b = known[form], known[other]
                    cosine = float(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b)))
                    if not best >= cosine:
                        best = cosine
            greatest.append(best)
    return greatest


def _work(part: Part, rules: JudgeWords, folder: str) -> None:
    make(Workspace(folder), rules, CandidateTask(part))


def _seconds(parts: list[Part], rules: JudgeWords, folder: Path) -> float:
    """Return how long two processes take; they have imported and opened what they need."""
    context = multiprocessing.get_context("fork")
    workers = [
        context.Process(target=_work, args=(part, rules, str(folder / str(number))))
        for number, part in enumerate(parts)
    ]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if any(worker.exitcode for worker in workers):
        raise RuntimeError("a process failed")
    return time.perf_counter() - start


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the rows; none where WordNet's files are not there."""
    if not Path(DEBIAN, "index.sense").exists():
        raise Skipped(f"needs {DEBIAN} (wordnet-base, wordnet-sense-index)")
    cache = str(folder / "cache")
    wordnet: Any = prepare(LexiconOptions(resources=("w=wordnet",), cache=cache)).held[0].open()
    table = pairs_of(wordnet, 2 * PAIRS_EACH)
    write_vectors(folder / "some.vec", table)
    vectors = f"vectors_=vectors:{folder / 'some.vec'}"
    options = CandidateOptions(kind=("nonspecificity",), wordnet="wordnet_=wordnet", cache=cache, vectors=vectors)
    rules = filter_request(options).candidates
    return [*_beside_loop(table, rules.setting), *_all_filters(table, rules, folder)]


def _beside_loop(table: pa.Table, setting: FilterSetting) -> list[BenchmarkRow]:
    rows = table.slice(0, LOOPED).select(list(COLUMNS)).combine_chunks()
    vectors: Any = setting.lexicon.get("vectors_")
    pairs = batch_of(rows)
    ours = static(pairs, pairs.asked, setting)
    ratios = []
    for _ in range(REPEATS):
        mine = timed(lambda: static(pairs, pairs.asked, setting), time.process_time)
        theirs: list[float] = []
        there = timed(lambda: theirs.extend(word_by_word(rows, vectors)), time.process_time)  # noqa: B023
        ratios.append(there / mine)
    their_cosines = np.array(theirs)[pairs.asked]
    same = np.allclose(ours.values, their_cosines, atol=1e-5, equal_nan=True)
    note = ", ".join(f"{value:.0f}" for value in ratios)
    return [
        BenchmarkRow(
            "static similarity word by word over ours",
            statistics.median(ratios),
            BOUND_LOOP,
            False,
            "x",
            f"all runs: {note}",
        ),
        BenchmarkRow("  and the cosines are the same", float(same), 1, False, ""),
    ]


def _all_filters(table: pa.Table, rules: JudgeWords, folder: Path) -> list[BenchmarkRow]:
    parts = []
    for number in range(2):
        artefact = Artefact(str(folder / f"pairs{number}"))
        rows = table.slice(number * PAIRS_EACH, PAIRS_EACH)
        parts.append(Part.of(PAIRS.name, number, write_part(artefact, PAIRS.schema(), [rows])))
    # Resources are opened before the processes part, as workers of long runs have them open.
    few = write_part(Artefact(str(folder / "few")), PAIRS.schema(), [table.slice(0, 64)])
    _work(Part.of(PAIRS.name, 2, few), rules, str(folder / "warm"))
    runs = [_seconds(parts, rules, folder / f"run{number}") for number in range(REPEATS)]
    speeds = [2 * PAIRS_EACH / seconds for seconds in runs]
    note = ", ".join(f"{value:.0f}" for value in speeds)
    return [
        BenchmarkRow(
            "pairs of 420 words, all filters but contextual, 2 processes",
            statistics.median(speeds),
            BOUND_PAIRS,
            False,
            "pairs/s",
            f"all runs: {note}",
        )
    ]


if __name__ == "__main__":
    sys.exit("run it by `python -m benchmarks cloze_filters`")
