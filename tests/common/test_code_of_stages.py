"""The identity of our own code: what stages reach, and that it is found fast and everywhere."""

import io
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lexbeam.transforms.change.spaces.training import Train
from lexbeam.transforms.cloze.pairs.loaded_pairs import ReadCorpusPairs
from lexbeam.transforms.cloze.readers.reading_in_folds import FitReader
from lexbeam.transforms.common.code.code_identity import code_identity
from lexbeam.transforms.common.code.walk import PACKAGES, PLUMBING, Walk
from lexbeam.transforms.complexity.features.groups import ComputeFeatures
from lexbeam.transforms.formats.readers.registry import read_file

ROOT = Path(__file__).resolve().parents[2]
ROOMS = tuple(
    f"lexbeam.transforms.{room}" for room in ("common", "formats", "change", "embeddings")
)  # those of the suite


def test_training_reaches_what_trains_and_no_other_stage():
    names = code_identity(Train, Train.receipt).names
    assert "lexbeam.transforms.embeddings.sgns:train" in names
    foreign = (
        "lexbeam.transforms.annotation.",
        "lexbeam.transforms.change.scores.measures:",
        "lexbeam.transforms.formats.",
    )
    assert not [name for name in names if name.startswith(foreign)]
    assert not [name for name in names if name.partition(":")[0] in PLUMBING]
    packages = dict(code_identity(Train).packages)
    assert {"gensim", "numpy", "pyarrow"} <= packages.keys()
    assert not {"apache-beam", "spacy", "tqdm"} & packages.keys()


@pytest.mark.parametrize(
    ("stage", "chosen", "foreign"),
    [
        (ComputeFeatures, {"complexity.features.groups:GROUPS": ["form"]}, ":ENCODERS"),
        (FitReader, {"cloze.readers.options:READERS": ["ga"]}, ".wordnet.morphy:"),
        (ReadCorpusPairs, {}, ":LAYERS"),
    ],
)
def test_annotations_make_a_stage_count_no_resource_that_is_not_chosen(stage, chosen, foreign):
    entries = {f"lexbeam.transforms.{registry}": names for registry, names in chosen.items()}
    names = code_identity(
        getattr(stage, "build", stage), chosen={**entries, "lexbeam.transforms.lexicon.resource_cache:KINDS": []}
    ).names
    assert [name for name in names if foreign in name] == []


def test_whatever_runs_has_been_reached():
    ran = set()

    def note(frame, event, argument):
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith(PACKAGES) and module not in PLUMBING:
            ran.add(f"{module}:{frame.f_code.co_qualname.partition('.')[0]}")

    page = b"<?xml version='1.0'?><TEI><text><p>One<lb break='no'/>two three.</p></text></TEI>"
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        found = list(read_file("a.tei", "a.tei", format="tei", open=lambda: io.BytesIO(page)))
    finally:
        sys.setprofile(before)
    names = code_identity(read_file, chosen={"lexbeam.transforms.formats.readers.registry:READERS": ["tei"]}).names
    assert len(found) == 1
    assert len(ran) > 10
    # Lambdas and what dataclasses write lie within definitions.
    assert not {name for name in ran - {*names} if not name.endswith((">", ":__create_fn__"))}


@pytest.mark.slow
@pytest.mark.parametrize("tops", [ROOMS, pytest.param(PACKAGES, marks=pytest.mark.soak)], ids=["rooms", "all"])
def test_all_of_our_code_is_walked_with_each_statement_followed_once(tops, monkeypatch):
    paths = [path for top in tops for path in sorted(ROOT.joinpath(*top.split(".")).rglob("*.py"))]
    modules = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    followed = []

    def follow(walk, source, references, true=Walk.follow):
        followed.append(references)
        return true(walk, source, references)

    monkeypatch.setattr(Walk, "follow", follow)
    walk = Walk(())
    for module in modules:
        walk.module(module.removesuffix(".__init__"), ())
    walk.finish()
    assert len(followed) == len(set(map(id, followed))) > 400


def test_the_interface_is_no_code_of_a_stage_though_it_holds_the_packages():
    names = code_identity(Train, Train.receipt).names
    assert not [name for name in names if not name.startswith(PACKAGES)]
    assert not [name for name in names if name.startswith("lexbeam.pipelines")]


def test_a_change_in_the_interface_or_the_commands_makes_no_stage_anew(tmp_path):
    shutil.copytree(ROOT / "lexbeam", tmp_path / "lexbeam", ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "import lexbeam\n"
        "from lexbeam.transforms.common.code.code_identity import code_identity\n"
        "from lexbeam.transforms.change.spaces.training import Train\n"
        "print(lexbeam.__file__, code_identity(Train, Train.receipt).digest)"
    )

    def identity():
        here = {"PYTHONPATH": str(tmp_path)}
        words = [sys.executable, "-B", "-c", code]
        done = subprocess.run(words, cwd=tmp_path, env=here, capture_output=True, text=True, check=True)
        place, digest = done.stdout.split()
        assert place.startswith(str(tmp_path))
        return digest

    before = identity()
    for name in ("__init__.py", "_groups.py", "pipelines/__init__.py", "pipelines/frame/registry.py"):
        with open(tmp_path / "lexbeam" / name, "a") as stream:
            stream.write("\nprint(end='')\n")
    assert identity() == before
    with open(tmp_path / "lexbeam" / "transforms" / "__init__.py", "a") as stream:
        stream.write("\nprint(end='')\n")
    assert identity() != before


@pytest.mark.parametrize("seed", ["77"])
def test_the_identity_is_the_same_in_another_process(seed):
    code = (
        "from lexbeam.transforms.common.code.code_identity import code_identity\n"
        "from lexbeam.transforms.change.spaces.training import Train\n"
        "print(code_identity(Train, Train.receipt).digest)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [code_identity(Train, Train.receipt).digest]
