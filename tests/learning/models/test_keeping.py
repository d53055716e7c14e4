import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from model_making import columns, estimator, model_of
from object_store import STORE

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Step, Workspace, files_of, make
from lexbeam.transforms.common.store.receipts import Damaged
from lexbeam.transforms.learning.models import keeping
from lexbeam.transforms.learning.models.formats import FORMATS
from lexbeam.transforms.learning.models.keeping import SavedModel, keep_model, load_model, save_model
from lexbeam.transforms.learning.models.lightgbm_text import predict_lightgbm

HERE = Path(__file__).parent
# skops imports all of scikit-learn when it writes, which takes seconds.
SLOW = pytest.param("skops", marks=pytest.mark.slow)
NAMES = [SLOW if name == "skops" else name for name in FORMATS]


@pytest.fixture(scope="module")
def models():
    return {name: model_of(name) for name in FORMATS}


@pytest.fixture
def kept(tmp_path, models):
    folder = tmp_path / "model"
    keep_model(str(folder), models["safetensors"])
    return folder


def weights_of(folder):
    return next(Path(folder).glob("weights-*"))


def content_of(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def answers(model):
    """Return what a model's content is or predicts, as arrays."""
    x, _ = columns()
    if model.format in ("safetensors", "npz"):
        return model.content
    if model.format == "lightgbm":
        return {"predicted": predict_lightgbm(model.content, x)}
    return {"predicted": model.content.predict(x)}


@pytest.mark.parametrize("name", NAMES)
def test_a_model_comes_back_as_it_was(name, models, tmp_path):
    digest = keep_model(str(tmp_path / "a"), models[name])
    loaded = load_model(str(tmp_path / "a"))
    assert loaded == replace(models[name], options={"rounds": 3, "layers": [1, 2], "rate": 0.1})
    assert loaded.digest == digest
    assert set(loaded.packages) == set(FORMATS[name].packages)
    before, after = answers(models[name]), answers(loaded)
    assert before.keys() == after.keys()
    for key, array in before.items():
        assert array.shape == after[key].shape
        assert np.array_equal(array, after[key])
    assert keep_model(str(tmp_path / "b"), loaded) == digest
    assert content_of(tmp_path / "b") == content_of(tmp_path / "a")


def test_what_stands_beside_the_weights(kept):
    text = (kept / "model.json").read_bytes()
    record = json.loads(text)
    weights = weights_of(kept)
    assert record["weights"] == {
        "name": weights.name,
        "bytes": weights.stat().st_size,
        "sha256": hashlib.sha256(weights.read_bytes()).hexdigest(),
    }
    assert record["features"][0] == ["zipf", "float64"]
    assert record["metrics"] == {"pearson": 0.5, "r2": None}
    assert str(kept).encode() not in text
    rest = {key: value for key, value in record.items() if key != "digest"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert record["digest"] == hashlib.sha256(canonical.encode()).hexdigest()


def test_another_seed_is_another_model(models, tmp_path):
    one = keep_model(str(tmp_path / "a"), models["safetensors"])
    other = keep_model(str(tmp_path / "b"), replace(models["safetensors"], seed=2))
    assert one != other
    assert weights_of(tmp_path / "a").name == weights_of(tmp_path / "b").name


# Artefacts


@dataclass(frozen=True)
class Trained:
    scorer: SavedModel
    words: SavedModel


@dataclass(frozen=True)
class TrainToy(Step[int, Trained]):
    name = "toy/train"

    def make(self, artefact, task):
        models = [replace(model_of(name), seed=task) for name in ("lightgbm", "safetensors")]
        return Trained(save_model(artefact, models[0]), save_model(artefact, models[1], "words"))


def test_a_stage_keeps_models_among_its_artefacts(tmp_path):
    space = Workspace(str(tmp_path / "work"))
    made = make(space, TrainToy(), 3)
    assert make(space, TrainToy(), 3) == made
    assert len(list(files_of(made))) == 4
    loaded = load_model(made.scorer)
    assert (loaded.seed, loaded.digest) == (3, made.scorer.digest)
    assert load_model(made.words).format == "safetensors"
    keep_model(str(tmp_path / "mine"), loaded)
    assert (tmp_path / "mine" / "model.json").read_bytes() == Path(made.scorer.record.path).read_bytes()


@pytest.mark.parametrize("which", ["record", "weights"])
def test_a_damaged_artefact_is_discarded_and_made_anew(which, tmp_path):
    space = Workspace(str(tmp_path / "work"))
    made = make(space, TrainToy(), 3)
    path = Path(getattr(made.scorer, which).path)
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"?")
    with pytest.raises(Damaged, match="discarded"):
        load_model(made.scorer)
    assert make(space, TrainToy(), 3) == made
    assert path.read_bytes() == content
    load_model(made.scorer)


# A folder of its own


def test_the_same_again_changes_nothing(kept, models):
    before = {path: path.stat().st_mtime_ns for path in kept.iterdir()}
    keep_model(str(kept), models["safetensors"])
    assert {path: path.stat().st_mtime_ns for path in kept.iterdir()} == before


def test_another_model_takes_its_place_only_when_asked(kept, models):
    before = content_of(kept)
    with pytest.raises(LexbeamError, match=r"holds another model.*`overwrite`"):
        keep_model(str(kept), models["lightgbm"])
    assert content_of(kept) == before
    digest = keep_model(str(kept), models["lightgbm"], overwrite=True)
    assert sorted(content_of(kept)) == sorted(["model.json", weights_of(kept).name])
    assert load_model(str(kept)).digest == digest


FOREIGN = {
    "a file": lambda folder: (folder / "notes.txt").write_text("mine"),
    "a hidden file": lambda folder: (folder / ".git").write_text("mine"),
    "a folder": lambda folder: (folder / "data").mkdir(),
    "a link": lambda folder: (folder / f"weights-{'0' * 16}.txt").symlink_to("/etc/hostname"),
    "a broken link": lambda folder: (folder / "x").symlink_to("nowhere"),
    "a folder called as the record": lambda folder: (folder / "model.json").mkdir(),
    "another program's record": lambda folder: (folder / "model.json").write_text('{"a": 1}'),
    "a record of who knows whom": lambda folder: (folder / "model.json").write_text("{"),
}


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("case", FOREIGN)
def test_nothing_foreign_is_touched(case, overwrite, tmp_path, models):
    FOREIGN[case](tmp_path)
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(LexbeamError, match=r"not part of a model|not of a sound model"):
        keep_model(str(tmp_path), models["safetensors"], overwrite=overwrite)
    assert sorted(os.listdir(tmp_path)) == before


def test_a_file_is_no_folder(tmp_path, models):
    (tmp_path / "x").write_text("mine")
    with pytest.raises(LexbeamError, match="is a file"):
        keep_model(str(tmp_path / "x"), models["safetensors"], overwrite=True)
    assert (tmp_path / "x").read_text() == "mine"


class _Killed(BaseException):
    pass


@pytest.mark.parametrize("old", [False, True])
def test_killed_at_any_step_it_is_the_old_model_or_the_new_one(old, tmp_path, models, monkeypatch):
    new = replace(models["lightgbm"], seed=9)
    names = ("make_folder", "write_bytes", "sync_folder", "remove")
    step = 0
    while True:
        folder = str(tmp_path / f"{old}{step}")
        before = keep_model(folder, models["safetensors"]) if old else None
        left = [step]

        def until(action, left=left):
            def run(*args, **options):
                if not left[0]:
                    raise _Killed
                left[0] -= 1
                return action(*args, **options)

            return run

        with monkeypatch.context() as patched:
            for name in names:
                patched.setattr(keeping.files, name, until(getattr(keeping.files, name)))
            try:
                digest = keep_model(folder, new, overwrite=True)
            except _Killed:
                digest = None
        if digest is not None:
            break
        if before is None and not os.path.exists(f"{folder}/model.json"):
            with pytest.raises(LexbeamError, match="there is no model"):
                load_model(folder)
        else:
            assert load_model(folder).seed in (9, 1)
        assert load_model_after(folder, new) == 9
        step += 1
    assert step >= 5


def load_model_after(folder, model):
    """Return the seed of the model after it was kept once more."""
    keep_model(folder, model, overwrite=True)
    assert len(os.listdir(folder)) == 2
    return load_model(folder).seed


def test_a_folder_on_an_object_store(models, store):
    keep_model(f"{STORE}/model", models["lightgbm"])
    assert len(store) == 2
    assert load_model(f"{STORE}/model").seed == 1
    with pytest.raises(LexbeamError, match="holds another model"):
        keep_model(f"{STORE}/model", models["safetensors"])
    keep_model(f"{STORE}/model", models["safetensors"], overwrite=True)
    assert len(store) == 2
    with pytest.raises(LexbeamError, match="there is no model"):
        load_model(f"{STORE}/other")


# What is not loaded


def _with(change):
    """Return a damage that changes the record and gives it a fitting digest."""

    def damage(folder):
        record = json.loads((folder / "model.json").read_text())
        del record["digest"]
        change(record)
        text = json.dumps(record, sort_keys=True, separators=(",", ":"))
        record["digest"] = hashlib.sha256(text.encode()).hexdigest()
        (folder / "model.json").write_text(json.dumps(record))

    return damage


def _flipped(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


DAMAGES = {
    "no record": (lambda f: (f / "model.json").unlink(), "there is no model in"),
    "a cut record": (lambda f: os.truncate(f / "model.json", 50), "damaged or changed"),
    "a flipped bit of the record": (lambda f: _flipped(f / "model.json"), "damaged or changed"),
    "no weights": (lambda f: weights_of(f).unlink(), "is not there"),
    "cut weights": (lambda f: os.truncate(weights_of(f), 50), "has 50 bytes instead of"),
    "a flipped bit of the weights": (lambda f: _flipped(weights_of(f)), "not have the SHA-256"),
    "a later version": (_with(lambda r: r.update(lexbeam_model=2)), "a later Lexbeam"),
    "a later format": (_with(lambda r: r.update(format_version=2)), "a later Lexbeam"),
    "an unknown format": (_with(lambda r: r.update(format="pickle")), "'pickle', which is unknown"),
    "weights elsewhere": (_with(lambda r: r["weights"].update(name="../../etc/passwd")), "names the weights"),
    "an unknown entry": (_with(lambda r: r.update(code="import os")), "cannot be read"),
    "a wrong type": (_with(lambda r: r.update(seed="1")), "cannot be read"),
    "deep nesting": (lambda f: (f / "model.json").write_text('{"lexbeam_model":' + "[" * 100_000), "cannot be"),
    "another program's": (lambda f: (f / "model.json").write_text("[]"), "not a model of Lexbeam's"),
}


@pytest.mark.parametrize("case", DAMAGES)
def test_what_is_damaged_is_not_loaded(case, kept):
    damage, message = DAMAGES[case]
    damage(kept)
    with pytest.raises(LexbeamError) as error:
        load_model(str(kept))
    assert message in str(error.value)
    assert str(kept) in str(error.value)


def test_a_record_that_is_too_large_is_not_read(kept):
    os.truncate(kept / "model.json", 1 << 30)  # a sparse file
    with pytest.raises(LexbeamError, match="1,073,741,824 bytes"):
        load_model(str(kept))


@pytest.mark.slow
def test_an_estimator_of_another_scikit_learn_is_not_loaded(tmp_path):
    keep_model(str(tmp_path), model_of("skops"))
    _with(lambda r: r["packages"].update({"scikit-learn": "1.2.3"}))(tmp_path)
    with pytest.raises(LexbeamError, match=r"made with scikit-learn 1\.2\.3, and .* is installed"):
        load_model(str(tmp_path))


@pytest.mark.parametrize(
    ("format", "package"),
    [
        ("safetensors", "safetensors"),
        ("lightgbm", "lightgbm"),
        pytest.param("skops", "sklearn", marks=pytest.mark.slow),
    ],
)
def test_a_missing_package_is_named_with_its_extra(format, package, tmp_path, monkeypatch, models):
    keep_model(str(tmp_path), models[format])
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    for action in (lambda: load_model(str(tmp_path)), lambda: keep_model("x", models[format])):
        with pytest.raises(LexbeamError, match=rf"package {package}: .*\bmodels\b"):
            action()


# What is not kept


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"options": {"x": float("inf")}}, "options of a model must be plain, finite"),
        ({"options": {"x": object()}}, "options of a model must be plain, finite"),
        ({"metrics": {"x": float("nan")}}, "metrics of a model must be plain, finite"),
        ({"made_with": ("no-such-package",)}, "needs the Python package no-such-package"),
        ({"format": "pickle"}, "format 'pickle', which is unknown"),
        ({"format": "skop"}, "did you mean 'skops'"),
        ({"content": {}}, "cannot be kept as safetensors: its content must be arrays by name"),
        ({"content": {"x": np.array(["a"])}}, "array 'x' is of type <U1"),
        ({"content": {"x": np.array([None])}}, "array 'x' is of type object"),
        ({"format": "lightgbm"}, "must be a lightgbm.Booster"),
        pytest.param({"format": "skops"}, "cannot be kept as skops", marks=pytest.mark.slow),
    ],
)
def test_what_cannot_be_kept_leaves_nothing(change, message, tmp_path, models):
    with pytest.raises(LexbeamError) as error:
        keep_model(str(tmp_path / "x"), replace(models["safetensors"], **change))
    assert message in str(error.value)
    assert not (tmp_path / "x").exists()


def test_packages_that_it_was_made_with_are_noted(tmp_path, models):
    keep_model(str(tmp_path), replace(models["safetensors"], made_with=("scipy",)))
    assert "scipy" in load_model(str(tmp_path)).packages


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from model_making import model_of
from lexbeam.transforms.learning.models.keeping import keep_model
for name in sys.argv[3:]:
    keep_model(f"{sys.argv[2]}/{name}", model_of(name))
"""


@pytest.mark.slow
def test_trained_in_two_processes_models_have_the_same_bytes(tmp_path):
    for name in FORMATS:
        keep_model(str(tmp_path / "here" / name), model_of(name))
    environment = {"PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", SCRIPT, str(HERE), str(tmp_path / "there"), *FORMATS]
    subprocess.run(command, env={**os.environ, **environment}, check=True)
    for name in FORMATS:
        assert content_of(tmp_path / "here" / name) == content_of(tmp_path / "there" / name)


@pytest.mark.slow
def test_an_estimator_that_was_used_is_the_same_model(tmp_path):
    x, _ = columns()
    before = keep_model(str(tmp_path / "a"), model_of("skops"))
    estimator().predict(x)
    assert keep_model(str(tmp_path / "b"), model_of("skops")) == before
