"""A command looks words up in a resource, on workers of this machine and of others."""

import atexit
import shutil
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from small_runs import call, corpus, manifest, write_texts

from lexbeam.pipelines.frame import registry
from lexbeam.pipelines.frame.command import Command, Graph, RunnerOptions, TableSource
from lexbeam.schemas.columns import Table, column
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store.artefacts import Step
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import Part, PartFile, read_rows, write_part
from lexbeam.transforms.lexicon import resources
from lexbeam.transforms.lexicon.resources import Lexicon, LexiconOptions, prepare

pytestmark = pytest.mark.slow

VALUES = Table(
    name="toy/values",
    row="a lemma",
    key=("lemma",),
    columns=[column("lemma", pa.string(), "the lemma"), column("value", pa.float64(), "of the list")],
)
LISTED = {"ship": 4.5, "sea": 3.25, "sailor": 2.0}


@dataclass(frozen=True, kw_only=True)
class Options(RunnerOptions):
    folder: str | None = option(None, help="a corpus", positional=True, path="place", fills="out")
    lexicon: LexiconOptions = embedded(LexiconOptions)


class Task(NamedTuple):
    parts: tuple[Part, ...]
    lexicon: Lexicon


@dataclass(frozen=True)
class LookUpValues(Step[Task, PartFile]):
    name = "toy/value"

    def chosen(self, task):
        return task.lexicon.chosen()

    def make(self, artefact, task):
        seen = Counter()
        for rows in read_rows([checked(part) for part in task.parts], ["lemmas"]):
            seen.update(pc.list_flatten(rows["lemmas"]).to_pylist())
        lemmas = pa.array(sorted(seen))
        values = task.lexicon.get("age", "en").look_up(lemmas)["value"]
        rows = pa.table({"lemma": lemmas, "value": values}).filter(pc.is_valid(values))
        return write_part(artefact, VALUES.schema(), [rows], sort_keys=VALUES.key)


class Values(Command[Options, Task]):
    options = Options
    tables = (VALUES,)
    stages = (LookUpValues,)

    def reads(self, options):
        return [TableSource("sentences", options.folder)]

    def plan(self, options, inputs):
        return Task(inputs.only("sentences").parts, prepare(options.lexicon))

    def build(self, pipeline, task, graph):
        import apache_beam as beam

        from lexbeam.transforms.common.store.ptransforms import MakeArtefact, NameParts

        task = task._replace(lexicon=graph.carry(task.lexicon))
        made = (
            pipeline
            | "Task" >> beam.Create([(0, task)])
            | "Value" >> beam.ParDo(MakeArtefact(graph.workspace, LookUpValues(), task.lexicon.chosen()))
        )
        return {"parts": made | "Name" >> beam.ParDo(NameParts("toy/values"))}


@pytest.fixture(autouse=True)
def registered(monkeypatch, tmp_path):
    entry = registry.CommandEntry(f"{__name__}:Values", doc="toy")
    monkeypatch.setitem(registry.COMMANDS, "toy values", entry)
    monkeypatch.setitem(sys.modules, __name__, sys.modules[LookUpValues.__module__])
    monkeypatch.setattr(resources, "_OPENED", {})
    monkeypatch.setenv("LEXBEAM_CACHE", str(tmp_path / "cache"))
    caches = (registry.load, registry.all_tables)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small corpus."""
    folder = tmp_path_factory.mktemp("corpus")
    assert corpus(write_texts(folder / "texts"), folder / "out") == 0
    return folder / "out"


@pytest.fixture
def folder(tmp_path, made):
    """A corpus of its own, and a list of words."""
    shutil.copytree(made, tmp_path / "out", symlinks=True)
    write_list(tmp_path, LISTED)
    return tmp_path


def write_list(folder, values):
    rows = "".join(f"{word},{value}\n" for word, value in values.items())
    (folder / "age.csv").write_text(f"Word,Rating\n{rows}other,1\n")


def run(folder, *words):
    spec = f"age={folder / 'age.csv'}:word=Word,value=Rating,language=en"
    return call("toy", "values", folder / "out", "--resources", spec, *words)


def test_it_is_looked_up_and_noted_and_what_changes_is_stale(folder, capsys):
    assert run(folder) == 0
    read = open_snapshot(str(folder / "out")).read("toy/values")
    assert {row["lemma"]: row["value"] for row in read.to_pylist()} == LISTED
    section = manifest(folder / "out")["toy.values"]
    noted = section["resources"]["age:en"]
    assert (noted["kind"], len(noted["source"][0])) == ("words", 64)
    assert str(folder) not in str(section)
    assert section["options"]["resources"] == ["age=age.csv:word=Word,value=Rating,language=en"]
    assert not list((folder / "out").glob("_artefacts/lexicon/*"))

    capsys.readouterr()
    assert call("status", folder / "out") == 0
    assert "stale" not in capsys.readouterr().out
    write_list(folder, {"ship": 1.5})
    capsys.readouterr()
    assert call("status", folder / "out") == 0
    told = capsys.readouterr().out
    assert f"resource: age={folder / 'age.csv'}:word=Word,value=Rating,language=en has" in told
    assert run(folder, "--overwrite") == 0
    read = open_snapshot(str(folder / "out")).read("toy/values")
    assert read.to_pylist() == [{"lemma": "ship", "value": 1.5}]


def test_workers_of_another_machine_copy_it(folder, monkeypatch):
    assert run(folder) == 0
    before = manifest(folder / "out")["tables"]["toy/values"]

    def lose(graph, lexicon):
        carried = lexicon.carried(graph.workspace)
        (folder / "cache").rename(folder / "of another machine")
        monkeypatch.setenv("LEXBEAM_CACHE", str(folder / "own cache"))
        resources._OPENED.clear()
        return carried

    monkeypatch.setattr(Graph, "carry", lose)
    assert run(folder, "--overwrite", "--fresh") == 0
    assert manifest(folder / "out")["tables"]["toy/values"] == before
    assert list((folder / "own cache").glob("_artefacts/lexicon/carry/*.arrow"))


@pytest.fixture
def ended(monkeypatch):
    """What is to be done when this process exits is done when the test ends: Beam stops Prism."""
    registered = []
    monkeypatch.setattr(atexit, "register", lambda *call, **more: registered.append((call, more)))
    yield
    for (function, *arguments), more in reversed(registered):
        function(*arguments, **more)


@pytest.mark.usefixtures("ended")
def test_on_portable_runners_it_travels(folder):
    prism = Path(__file__).parents[2] / "build" / "prism" / "prism"
    if not prism.exists():
        pytest.skip("needs `make prism`")
    assert run(folder) == 0
    before = manifest(folder / "out")["tables"]["toy/values"]
    assert run(folder, "--overwrite", "--fresh", "--runner-config", "prism") == 0
    assert manifest(folder / "out")["tables"]["toy/values"] == before
    assert list((folder / "out").glob("_artefacts/lexicon/carry/*.json"))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("age=nowhere.csv:word=a,value=b", "no file or folder is at"),
        ("age=age.csv:word=Word,value=Ratng", "did you mean 'Rating'"),
        ("age=age.csv:word=Word", "which column has the value"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_made(folder, monkeypatch, capsys, spec, message):
    monkeypatch.chdir(folder)
    before = manifest(folder / "out")
    assert call("toy", "values", "out", "--resources", spec) != 0
    assert message in capsys.readouterr().err
    assert manifest(folder / "out") == before
    assert not (folder / "out" / "_artefacts" / "toy").exists()
