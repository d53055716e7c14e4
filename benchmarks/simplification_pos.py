"""Filter pos of `lexbeam simplify select` beside the bare tagger, in taggings per second.

    python -m benchmarks simplification_pos

Instances and candidates are ALEXSIS's sentences with what people gave in the target's place, where
LEXBEAM_DATA has them, and the trained Spanish pipeline beside it. Ours is the step `SelectCandidates` with
filter pos alone, from Parquet to Parquet; the bare loop is `nlp.pipe` over the same sentences,
each once, by a pipeline as `spacy.load` gives it, and a second one by a pipeline without what tags
need not, such as lemmas, which filter pos leaves out, too. One BLAS thread each, CPU time.
"""

import shutil
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import BenchmarkRow, Skipped, data_folder, lexbeam, timed
from lexbeam.schemas.simplification import CANDIDATES, INSTANCES
from lexbeam.transforms.annotation.engines.known_engines import load_tagger
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.simplification.records import JoinTask, instances_of, tasks_of
from lexbeam.transforms.simplification.selection.candidate_filter import SelectionOptions, replaced
from lexbeam.transforms.simplification.selection.candidate_selection import (
    SelectCandidates,
    Selected,
    Selection,
    SelectionFiles,
    selection_of,
)

REPEATS = 5
BOUND, BOUND_ALONE = 2.0, 1.75


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the rows; none where data or the pipeline are not there."""
    data = data_folder()
    texts = data and data / "alexsis" / "ALEXSIS_first190.tsv"
    model = data and data.parent / "models" / "es_cess"
    if not texts or not model or not texts.is_file() or not model.is_dir():
        raise Skipped("needs alexsis/ALEXSIS_first190.tsv in LEXBEAM_DATA, models/es_cess beside it")
    out, spec = str(folder / "es"), f"spacy:{model}"
    lexbeam(
        "simplify", "instances", str(texts), "--layout", "alexsis", "--language", "es", "--out", out, "--parts", "1"
    )
    lexbeam("simplify", "generate", out, "--generators", "gold", "--k", "100")
    shot = open_snapshot(out)
    tables = {CANDIDATES.name: shot.parts(CANDIDATES.name)}
    [(_, task)] = tasks_of(shot.parts(INSTANCES.name), tables)
    places = places_of(task)
    return _beside_bare(folder, task, places, spec)


Place = tuple[str, int, int]  # a sentence, and where in it the word stands that is asked about
Key = tuple[str, str]  # an instance and a form; of the target itself, an empty one


def places_of(task: JoinTask) -> dict[Key, Place]:
    """Return what is to be tagged."""
    places: dict[Key, Place] = {}
    instances = {}
    for instance in instances_of(read_rows([task.instances.path])):
        instances[instance.instance_id] = instance
        places[instance.instance_id, ""] = (instance.sentence, instance.start, instance.end)
    for rows in read_rows([task.tables[CANDIDATES.name].path]):
        for row in rows.to_pylist():
            if row["reason"] is None and " " not in row["form"]:
                of, form = instances[row["instance_id"]], row["shown"] or row["form"]
                sentence, start = replaced(of, form, row["before"])
                place = (sentence, start, start + len(form))
                places[row["instance_id"], row["form"]] = place
    return places


def bare(texts: Sequence[str], model: str, exclude: Sequence[str] = ()) -> Callable[[], list[Any]]:
    """Return the bare loop over sentences, its pipeline loaded."""
    import spacy

    nlp = spacy.load(model, exclude=list(exclude))

    def loop() -> list[Any]:
        with one_thread():
            return list(nlp.pipe(texts, batch_size=64))

    return loop


def _beside_bare(folder: Path, task: JoinTask, places: dict[Key, Place], spec: str) -> list[BenchmarkRow]:
    model = spec.partition(":")[2]
    texts = list(dict.fromkeys(place[0] for place in places.values()))
    setting = SelectionOptions(filters=("pos",))
    selection = selection_of({"default": setting}, SelectionFiles(cache=str(folder)), spec)
    load_tagger(spec)
    space = Workspace(str(folder / "work"))

    def ours() -> Selected:
        shutil.rmtree(space.stage(SelectCandidates.name), ignore_errors=True)
        return make(space, SelectCandidates(selection), task)

    loops = {"": bare(texts, model), ", tags alone": bare(texts, model, _UNUSED)}
    docs, made = loops[""](), ours()  # caches are warm now
    loops[", tags alone"]()
    speeds: dict[str, list[float]] = {name: [] for name in ("ours", *loops)}
    for number in range(REPEATS):
        # Who goes first changes, for a machine that is shared drifts.
        actions = [("ours", ours), *loops.items()]
        for name, action in actions if number % 2 else reversed(actions):
            speeds[name].append(len(texts) / timed(action, time.process_time))
    rows = []
    for name in loops:
        ratios = [a / b for a, b in zip(speeds["ours"], speeds[name], strict=True)]
        note = (
            f"{statistics.median(speeds['ours']):.0f} over {statistics.median(speeds[name]):.0f} "
            f"taggings/s; all runs: {', '.join(f'{ratio:.3f}' for ratio in ratios)}"
        )
        bound = BOUND_ALONE if name else BOUND
        title = f"filter pos over a bare nlp.pipe loop{name}"
        rows.append(BenchmarkRow(title, statistics.median(ratios), bound, False, "x", note))
    return [*rows, _same(docs, made, selection, places, texts)]


# What tags do not need of a pipeline.
_UNUSED = ("trainable_lemmatizer", "lemmatizer", "senter", "parser", "ner")


def _same(
    docs: Sequence[Any], made: Selected, selection: Selection, places: dict[Key, Place], texts: Sequence[str]
) -> BenchmarkRow:
    """Return whether candidates have the tags, and the fate, that the bare loop's tags give."""
    by_text = dict(zip(texts, docs, strict=True))

    def tag(place: Place) -> str:
        sentence = by_text[place[0]]
        return next(t.pos_ for t in sentence if t.idx < place[2] and t.idx + len(t) > place[1])

    taken = {"AUX": "VERB", "PROPN": "NOUN"}
    rows = [row for batch in read_rows([made.part.file.path]) for row in batch.to_pylist()]
    wrong = compared = 0
    for row in rows:
        if " " in row["form"]:
            wrong += row["upos"] is not None or not row["kept"]
            continue
        compared += 1
        target, candidate = (tag(places[row["instance_id"], ""]), tag(places[row["instance_id"], row["form"]]))
        fits = taken.get(candidate, candidate) == taken.get(target, target)
        wrong += row["upos"] != candidate or row["kept"] != fits
    note = f"{compared} candidates and {len(places) - compared} targets in {len(texts)} sentences"
    return BenchmarkRow("  and the tags are the same", float(not wrong and compared > 0), 1, False, "", note)


if __name__ == "__main__":
    sys.exit("run it by `python -m benchmarks simplification_pos`")
