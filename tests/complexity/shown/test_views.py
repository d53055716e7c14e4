"""Questions to tables of complexity, against plain loops over their rows."""

import pyarrow as pa
import pytest
from making import put
from scored import publish, tables

import lexbeam
from lexbeam.pipelines.cli import main
from lexbeam.schemas.complexity import PREDICTIONS
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.publish.sections import Made
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import Part, write_part
from lexbeam.transforms.complexity.features.groups import group_of_target

MADE = tables(singles=40, expressions=20, unlabelled=(3, 45))
INSTANCES = {row["instance_id"]: row for row in MADE["instances"].to_pylist()}
_TOKENS = [INSTANCES[name]["token"] for name in MADE["features"]["instance_id"].to_pylist()]
MADE["features"] = MADE["features"].set_column(
    3, MADE["features"].schema.field("group"), pa.array(map(group_of_target, _TOKENS))
)
LABELS = {row["instance_id"]: row["complexity"] for row in MADE["labels"].to_pylist() if row["group"] == ""}


def predictions(labelled=True):
    rows = [
        {
            "instance_id": name,
            "scorer": scorer,
            "kind": row["kind"],
            "fold": 0,
            "prediction": (place * (7 if scorer == "svr" else 11) % 60) / 60,
            "complexity": LABELS.get(name) if labelled else None,
        }
        for place, (name, row) in enumerate(sorted(INSTANCES.items()))
        for scorer in ("ridge", "svr")
    ]
    return pa.Table.from_pylist(rows, PREDICTIONS.schema())


def predicted():
    return predictions().to_pylist()


def put_predictions(out, rows):
    part = Part.of(PREDICTIONS.name, 0, write_part(Artefact(f"{out}-predictions"), PREDICTIONS.schema(), [rows]))
    put(out, Made(name="complexity.score", parts=(part,), entry={"options": {}, "inputs": []}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("views") / "made"
    publish(out, MADE)
    put_predictions(out, predictions())
    return out


@pytest.fixture(scope="module")
def unlabelled(tmp_path_factory):
    out = tmp_path_factory.mktemp("views") / "unlabelled"
    publish(out, {name: rows for name, rows in MADE.items() if name != "labels"})
    put_predictions(out, predictions(False))
    return out


@pytest.fixture(scope="module")
def results(folder):
    return lexbeam.open(folder)


def kept(kind, genre):
    return {name for name, row in INSTANCES.items() if kind in (None, row["kind"]) and genre in (None, row["genre"])}


@pytest.mark.parametrize(("kind", "genre"), [(None, None), ("mwe", None), (None, "biomed"), ("single", "bible")])
def test_the_hardest_come_first_with_their_sentences(results, kind, genre):
    own = [name for name in kept(kind, genre) if name in LABELS]
    expected = sorted(own, key=lambda name: (-LABELS[name], name))[:9]
    rows = results.hardest(9, kind=kind, genre=genre).to_pylist()
    assert [row["instance_id"] for row in rows] == expected
    for row in rows:
        instance = INSTANCES[row["instance_id"]]
        assert row["complexity"] == LABELS[row["instance_id"]]
        for name in ("kind", "genre", "token", "sentence", "start", "end"):
            assert row[name] == instance[name]
    assert results.hardest(1000).num_rows == len(LABELS)


@pytest.mark.parametrize("scorer", ["ridge", "svr"])
def test_the_worst_are_the_farthest_from_their_labels(results, scorer):
    said = {row["instance_id"]: row["prediction"] for row in predictions().to_pylist() if row["scorer"] == scorer}
    expected = sorted(LABELS, key=lambda name: (-abs(said[name] - LABELS[name]), name))[:7]
    rows = results.worst(7, scorer=scorer).to_pylist()
    assert [row["instance_id"] for row in rows] == expected
    for row in rows:
        name = row["instance_id"]
        assert row["error"] == pytest.approx(said[name] - LABELS[name])
        assert (row["scorer"], row["token"]) == (scorer, INSTANCES[name]["token"])
    assert results.worst(7).to_pylist()[0]["scorer"] == "ridge"


def test_features_of_a_target_whatever_its_capitals_and_of_an_instance(results):
    features = {row["instance_id"]: row for row in MADE["features"].to_pylist()}
    word = next(row["token"] for row in INSTANCES.values() if row["kind"] == "single")
    own = sorted(name for name, row in INSTANCES.items() if row["token"].casefold() == word.casefold())
    rows = results.features([word.upper()]).to_pylist()
    assert list(dict.fromkeys(row["instance_id"] for row in rows)) == own
    for row in rows:
        assert row["target"] == word.upper()
        value = features[row["instance_id"]][row["feature"]]
        assert row["value"] == (None if value is None else float(value))
        assert not row["feature"].endswith(("_first", "_last"))
    expression = next(name for name, row in INSTANCES.items() if row["kind"] == "mwe")
    rows = results.features([expression], groups=["form"]).to_pylist()
    assert [row["feature"] for row in rows] == ["length", "length_first", "length_last"]
    assert {row["group"] for row in rows} == {"form"}


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda one: one.hardest(3, genre="bibel"), "no instance is of genre 'bibel'.*'bible'"),
        (lambda one: one.worst(3, scorer="srv"), "no predictions of 'srv'.*'svr'"),
        (lambda one: one.features(["nowhere"]), "no instance has the target or the id 'nowhere'"),
        (lambda one: one.features([next(iter(INSTANCES))], groups=["frm"]), "no group 'frm'.*form"),
    ],
)
def test_what_is_not_there_is_told_with_what_may_be_meant(results, ask, told):
    with pytest.raises(UsageError, match=told):
        ask(results)


def test_without_labels_and_predictions_the_remedies_are_named(tmp_path):
    made = {name: rows for name, rows in MADE.items() if name != "labels"}
    publish(tmp_path / "bare", made)
    with pytest.raises(UsageError, match=r"neither labels nor predictions.*complexity load.*aggregate.*`model`"):
        lexbeam.open(tmp_path / "bare").hardest(3)


@pytest.mark.parametrize(("scorer", "genre"), [(None, None), ("svr", None), ("svr", "biomed")])
def test_without_labels_the_hardest_are_those_predicted_hardest(unlabelled, scorer, genre):
    said = {row["instance_id"]: row["prediction"] for row in predicted() if row["scorer"] == (scorer or "ridge")}
    expected = sorted(kept(None, genre), key=lambda name: (-said[name], name))[:9]
    rows = lexbeam.open(unlabelled).hardest(9, scorer=scorer, genre=genre).to_pylist()
    assert [row["instance_id"] for row in rows] == expected
    for row in rows:
        name = row["instance_id"]
        assert (row["prediction"], row["complexity"], row["scorer"]) == (said[name], None, scorer or "ridge")
        assert (row["token"], row["sentence"]) == (INSTANCES[name]["token"], INSTANCES[name]["sentence"])


def test_a_scorer_that_is_named_counts_before_labels(results):
    said = {row["instance_id"]: row["prediction"] for row in predicted() if row["scorer"] == "svr"}
    expected = sorted(INSTANCES, key=lambda name: (-said[name], name))[:60]
    rows = results.hardest(60, scorer="svr").to_pylist()
    assert [row["instance_id"] for row in rows] == expected
    assert [row["complexity"] for row in rows] == [LABELS.get(name) for name in expected]
    with pytest.raises(UsageError, match=r"no predictions of 'srv'.*'svr'"):
        results.hardest(3, scorer="srv")
    assert {row["prediction"] for row in results.hardest(60).to_pylist()} == {None}
    assert results.hardest(60).schema.names == results.hardest(60, scorer="svr").schema.names


def test_the_worst_without_labels_are_refused_with_what_can_be_asked(unlabelled):
    with pytest.raises(UsageError, match=r"no instance has both a label and a prediction.*`hardest`.*aggregate"):
        lexbeam.open(unlabelled).worst(3)


def test_a_person_sees_predictions_in_context_and_that_there_are_no_labels(unlabelled, capsys):
    assert main(["show", str(unlabelled), "--hardest", "2"]) == 0
    told = capsys.readouterr().out
    first = max((row for row in predicted() if row["scorer"] == "ridge"), key=lambda row: row["prediction"])
    assert "ridge: the 2 instances predicted hardest" in told
    assert "no labels to compare with" in told
    assert f"[{INSTANCES[first['instance_id']]['token']}]" in told
    assert f"{first['prediction']:.3f}, {INSTANCES[first['instance_id']]['genre']}" in told


def test_predictions_that_lie_apart_from_their_instances_are_shown_by_ids(tmp_path, capsys):
    put_predictions(tmp_path / "apart", predictions(False))
    assert main(["show", str(tmp_path / "apart"), "--hardest", "2"]) == 0
    told = capsys.readouterr().out
    assert max(predicted(), key=lambda row: (row["scorer"] == "ridge", row["prediction"]))["instance_id"] in told
    assert "in the folder that has table complexity/instances" in told


def test_a_person_sees_targets_in_their_sentences_and_features_by_group(folder, capsys):
    assert main(["show", str(folder), "--hardest", "2", "--kind", "mwe"]) == 0
    told = capsys.readouterr().out
    first = max((n for n in LABELS if INSTANCES[n]["kind"] == "mwe"), key=LABELS.get)
    assert f"[{INSTANCES[first]['token']}]" in told
    assert f"{LABELS[first]:.3f}, {INSTANCES[first]['genre']}" in told
    assert main(["show", str(folder), "--worst", "2", "--scorer", "svr"]) == 0
    assert "svr: the 2 worst predicted" in capsys.readouterr().out
    assert main(["show", str(folder), "--features", first]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split()[:1] == ["form"] for line in lines)
    row = next(row for row in MADE["features"].to_pylist() if row["instance_id"] == first)
    (length,) = [line.split() for line in lines if line.split()[:1] == ["length"]]
    assert [float(value) for value in length[1:4]] == pytest.approx(
        [row["length"], row["length_first"], row["length_last"]], rel=1e-3
    )
    assert main(["show", str(folder), "--hardest", "2", "--tsv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
