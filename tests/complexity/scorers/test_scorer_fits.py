"""The stages of scoring: what decides an artefact, leaks, order, kept models."""

from dataclasses import asdict, replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scored import tables

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make, name_of
from lexbeam.transforms.common.store.tables import Part, write_part
from lexbeam.transforms.complexity.scorers.design import DesignColumn, columns_of, folds_of, rows_of
from lexbeam.transforms.complexity.scorers.holding_out import ALL, SAVED, SPLIT, Case, HoldOptions
from lexbeam.transforms.complexity.scorers.scorer_fits import (
    FOLDER,
    CaseScoring,
    DesignFolder,
    DesignTask,
    FitCase,
    FitTask,
    HeldCase,
    PredictCase,
    PredictCaseTask,
    fit_tasks,
    predict_task,
    with_members,
)
from lexbeam.transforms.complexity.scorers.scorer_metrics import (
    CaseDone,
    EvaluateSystem,
    EvaluateTask,
    ScorerMeasureOptions,
)
from lexbeam.transforms.complexity.scorers.scorer_models import merged, opened
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.learning.crossfitting import Asked
from lexbeam.transforms.learning.models.keeping import keep_model, load_model
from lexbeam.transforms.learning.scorer import ScorerOptions
from lexbeam.transforms.learning.scorers import SCORERS, used_options

SMALL = ScorerOptions(trees=5, rounds=10, leaves=8, boosting_leaves=4, inner_folds=2)
HOLD = HoldOptions(folds=3)
PLAIN = ScorerMeasureOptions(bootstrap=BootstrapOptions(resamples=0))


class Folder:
    """Tables as parts, and the stages run on them."""

    def __init__(self, place, made):
        self.place, self.workspace = place, Workspace(str(place / "work"))
        parts = {}
        for name, rows in made.items():
            file = write_part(Artefact(str(place / name)), rows.schema, [rows])
            parts[name] = (Part.of(f"complexity/{name}", 0, file),)
        self.task = DesignTask(parts["features"], parts["instances"], parts.get("labels"), parts.get("splits"))
        self.design = make(self.workspace, DesignFolder(), self.task)

    def held(self, case, hold=HOLD, other=None):
        return HeldCase(case, self.design.part.file, other, hold)

    def fit(self, case, other=None):
        return make(self.workspace, FitCase(), FitTask(self.held(case, other=other), SMALL))

    def ask(self, case, hold=HOLD, other=None, model=None):
        model = self.fit(case, other).model if model is None else model
        task = PredictCaseTask(self.held(case, hold, other), with_members([case.scorer], SMALL))
        return make(self.workspace, PredictCase(), Asked(task, model))

    def predictions(self, case, **more):
        rows = pq.read_table(self.ask(case, **more).predictions.path)
        return dict(zip(*rows.select(["instance_id", "prediction"]).to_pydict().values(), strict=True))


@pytest.fixture
def folder(tmp_path):
    def of(made=None, name="folder", **how):
        place = tmp_path / name
        place.mkdir()
        return Folder(place, tables(**how) if made is None else made)

    return of


def relabelled(made, ids):
    """Return tables with other labels of some instances, and features that are the same."""
    rows = made["labels"].to_pylist()
    for row in rows:
        if row["instance_id"] in ids:
            row["complexity"] = (row["complexity"] * 7) % 1
    return {**made, "labels": pa.Table.from_pylist(rows, made["labels"].schema)}


@pytest.mark.slow
@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize(("kind", "mode"), [("single", ""), ("mwe", "pooled"), ("mwe", "words")])
def test_no_label_of_what_is_held_out_is_seen(folder, scorer, kind, mode):
    made = tables()
    first = folder(made)
    rows = rows_of(pq.read_table(first.design.part.file.path))
    own = rows.kinds == kind
    fold = folds_of(rows.at(own), 3, seed=0, by="token")
    held = set(rows.ids[own][fold == 1].tolist())
    assert held
    second = folder(relabelled(made, held), "other")
    case = Case(scorer, kind, mode, "token", "1")
    found = first.predictions(case)
    assert found.keys() == held
    assert found == second.predictions(case)
    # It is the labels that count elsewhere.
    assert first.predictions(case._replace(held="0")) != second.predictions(case._replace(held="0"))


@pytest.mark.parametrize("scorer", SCORERS)
def test_the_order_of_rows_does_not_count(folder, scorer):
    case = Case(scorer, "mwe", "own", "token", "0")
    first, second = folder(), folder(name="shuffled", shuffle=5)
    assert first.design.part.file.sha256 == second.design.part.file.sha256
    assert first.predictions(case) == second.predictions(case)


def test_an_artefact_is_decided_by_what_it_uses(folder):
    own, case = folder(), Case("ridge", "single", "", "token", "0")

    def name(case=case, seed=0, **changed):
        scorer = used_options(case.scorer, replace(SMALL, **changed))
        return name_of(FitCase(), FitTask(own.held(case)._replace(seed=seed), scorer))

    assert name(trees=99, svr_c=3.0, members=("ridge",)) == name()
    assert name(ridge_alpha=3.0) != name()
    assert name(seed=3) != name()  # of the folds
    assert name(case._replace(held="1")) != name()
    forest = Case("random-forest", "single", "", ALL, "")
    assert name(forest, trees=99) != name(forest)
    assert name(forest, ridge_alpha=9.0) == name(forest)


def test_only_what_a_case_uses_is_in_its_tasks(folder):
    designs = {FOLDER: folder().design}
    every = replace(HOLD, curve=True, ablation=True, leave_genre_out=True, importance=True)
    one = dict(fit_tasks("ridge", designs, CaseScoring(every, replace(SMALL, seed=4, trees=7), True, None)))
    other = dict(fit_tasks("ridge", designs, CaseScoring(every, replace(SMALL, seed=4, trees=9), True, None)))
    assert one == other
    assert {case.way: task.held.seed for case, task in one.items()} == {"all": 0, "token": 4, "genre": 0}
    assert {case.way: task.options.seed for case, task in one.items()} == {"all": 4, "token": 0, "genre": 0}
    asked = {case: predict_task(task, importance=True).held.hold.importance for case, task in one.items()}
    whole = {case for case in asked if (case.way, case.without, case.share) == ("token", "", 1.0)}
    assert {case for case, measured in asked.items() if measured} == whole


def evaluated(own, cases, hold=HOLD, other=None, measures=PLAIN):
    done = tuple(CaseDone(case, own.ask(case, hold, other)) for case in cases)
    task = EvaluateTask("ridge", own.design.part.file, other, done)
    found = make(own.workspace, EvaluateSystem(measures), task)
    return {name: pq.read_table(part["file"]["path"]) for name, part in asdict(found).items()}


def folds(scorer, kind, mode="", **more):
    return [Case(scorer, kind, mode, "token", str(fold), **more) for fold in range(3)]


def test_pooled_predictions_are_measured(folder):
    own = folder(unlabelled=(4,))
    found = evaluated(own, [*folds("ridge", "single"), *folds("ridge", "mwe", "own")])
    rows = found["predictions"].to_pylist()
    assert len(rows) == len({row["instance_id"] for row in rows}) == 180
    assert sum(row["complexity"] is None for row in rows) == 1
    single = [row for row in rows if row["kind"] == "single" and row["complexity"] is not None]
    truth, said = (np.array([row[name] for row in single]) for name in ("complexity", "prediction"))
    metrics = {(m["subset"], m["metric"]): m for m in found["metrics"].to_pylist()}
    assert metrics["single", "pearson"]["value"] == pytest.approx(np.corrcoef(truth, said)[0, 1])
    assert metrics["single", "pearson"]["n"] == 119
    assert metrics["single", "pearson"]["value"] > 0.8
    assert metrics["mwe", "pearson"]["value"] > 0.5
    known = metrics["single/aoa known", "mae"]["n"], metrics["single/aoa not known", "mae"]["n"]
    assert sum(known) == 119
    assert min(known) > 0
    assert {"single/bible", "single/split trial"} <= {subset for subset, _ in metrics}


def test_importance_and_learning(folder):
    own = folder()
    measured = evaluated(own, folds("ridge", "single"), replace(HOLD, importance=True))["importance"].to_pylist()
    cases = folds("ridge", "single")
    for group in ("frequency", "context"):
        cases += folds("ridge", "single", without=group)
    cases += folds("ridge", "single", share=0.2)
    found = evaluated(own, cases)
    drop = {
        (row["measure"], row["what"], row["of"]): row["value"] for row in [*measured, *found["importance"].to_pylist()]
    }
    assert drop["permutation", "feature", "zipf"] > 0.1
    assert drop["permutation", "group", "frequency"] > 0.1
    assert abs(drop["permutation", "feature", "sentence_length"]) < 0.02
    assert abs(drop["ablation", "group", "context"]) < 0.02
    assert drop["ablation", "group", "frequency"] > drop["ablation", "group", "context"]
    less, whole = found["learning"].to_pylist()
    assert (less["share"], whole["share"]) == (0.2, 1.0)
    assert less["trained"] < whole["trained"] == pytest.approx(80)
    assert less["pearson"] < whole["pearson"]
    # Each table has the rows that its key says, in order.
    for name in ("predictions", "metrics", "importance", "learning"):
        key = found[name].schema.metadata[b"lexbeam.key"].decode().split(",")
        rows = found[name].select([k for k in key if k != "k"]).to_pylist()
        assert [tuple(row.values()) for row in rows] == sorted(tuple(r.values()) for r in rows)


@pytest.mark.slow
@pytest.mark.parametrize("scorer", SCORERS)
def test_a_kept_model_says_the_same(folder, tmp_path, scorer):
    own, other = folder(), folder(name="other", seed=2)
    models, said = [], {}
    for kind, mode in (("single", ""), ("mwe", "average")):
        case = Case(scorer, kind, mode, ALL, "")
        receipt = own.fit(case, other.design.part.file)
        models.append(load_model(receipt.model))
        said[kind] = own.predictions(case, other=other.design.part.file)
    place = str(tmp_path / "model")
    digest = keep_model(place, merged(models))
    columns = columns_of(tables()["features"].schema)
    kept = opened(place, columns)
    assert (kept.digest, kept.scorer) == (digest, scorer)
    assert kept.modes == {"single": "", "mwe": "average"}
    for kind, mode in kept.modes.items():
        assert other.predictions(Case(scorer, kind, mode, SAVED, ""), model=kept) == said[kind]
    # The folder itself makes the same bytes again.
    assert keep_model(place, merged(models[::-1])) == digest
    # One whose arrays are not those of its scorer is refused, whatever its digests say.
    content = dict(merged(models).content)
    gone = sorted(name for name in content if name.startswith("single/") and "genres" not in name)
    for name in gone:
        less = {key: array for key, array in content.items() if key != name}
        keep_model(place, replace(merged(models), content=less), overwrite=True)
        with pytest.raises(LexbeamError, match=f"does not hold what scorer {scorer} does"):
            other.predictions(Case(scorer, "single", "", SAVED, ""), model=opened(place, columns))
    with pytest.raises(LexbeamError, match="reads column 'zipf', which is not here"):
        opened(place, columns[1:])
    with pytest.raises(LexbeamError, match="does not know column 'more'"):
        opened(place, [*columns, DesignColumn("more", "double", "form")])


def test_new_and_seen_targets_are_measured_apart(folder):
    own = folder()
    case = Case("ridge", "single", "", SPLIT, "trial")
    found = evaluated(own, [case])
    rows = rows_of(pq.read_table(own.design.part.file.path))
    said = {row["instance_id"]: row["prediction"] for row in found["predictions"].to_pylist()}
    single, trial = rows.kinds == "single", rows.splits == "trial"
    trained = set(rows.groups[single & ~trial].tolist())
    value = {(m["subset"], m["metric"]): m["value"] for m in found["metrics"].to_pylist()}
    counted = {m["subset"]: m["n"] for m in found["metrics"].to_pylist()}
    for subset, seen in (("single/new target", False), ("single/seen target", True)):
        which = [place for place in np.flatnonzero(single & trial) if (rows.groups[place] in trained) == seen]
        assert counted[subset] == len(which) > 0
        errors = [abs(said[rows.ids[place]] - rows.labels[place]) for place in which]
        assert value[subset, "mae"] == pytest.approx(np.mean(errors))
    # Folds share no target, and so have no such subsets.
    by_folds = evaluated(own, folds("ridge", "single"))["metrics"].to_pylist()
    assert not [m for m in by_folds if "target" in m["subset"]]
