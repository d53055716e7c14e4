"""What is the same for every command: inputs found, an action's tables published."""

import hashlib
import os
import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pytest
from making import made_section, put

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.frame import registry, sections
from lexbeam.pipelines.frame.command import Command, Inputs, Job, PublishOptions, TableSource
from lexbeam.pipelines.frame.running import run_jobs
from lexbeam.pipelines.frame.staleness import stale_sections
from lexbeam.schemas.columns import Table, column
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.snapshots import View, open_snapshot

METRICS = Table(
    name="toy/metrics",
    row="a metric",
    key=("metric",),
    columns=[column("metric", pa.string(), "its name"), column("value", pa.int64(), "its value")],
)


@dataclass(frozen=True, kw_only=True)
class Options(PublishOptions):
    folder: str | None = option(None, help="f", positional=True, path="place", published=False)
    factor: int = option(1, help="factor")


@dataclass(frozen=True, kw_only=True)
class Best:
    best: int = option(1, help="the best")


class Evaluate(Command[Options, None]):
    options = Options
    tables = (METRICS,)

    def reads(self, options):
        return [TableSource("documents", options.folder), TableSource("neighbours", None, optional=True)]

    def action(self, options, action):
        """A table of two metrics, in an order that is not its own."""
        rows = sum(part.rows for part in action.inputs.only("documents").parts)
        seen = len(action.inputs.of("neighbours"))
        action.tell(f"{rows} rows")
        return {"toy/metrics": pa.table({"metric": ["rows", "other"], "value": [rows * options.factor, seen]})}


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    entry = registry.CommandEntry(f"{__name__}:Evaluate", doc="toy")
    monkeypatch.setitem(registry.COMMANDS, "toy evaluate", entry)
    caches = (registry.load, registry.all_tables)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.fixture
def corpus(tmp_path):
    put(tmp_path / "c", made_section(tmp_path / "w", "corpus", {"documents": [["a", "b"], ["c"]]}))
    return tmp_path / "c"


def test_the_tables_of_an_action_are_published_as_a_section(corpus, tmp_path, capsys):
    out = tmp_path / "out"
    words = ["toy", "evaluate", str(corpus), "--out", str(out)]
    assert main(words) == 0
    output = capsys.readouterr().out
    assert "3 rows" in output
    assert "toy/metrics" in output
    snapshot = open_snapshot(str(out))
    assert snapshot.read("toy/metrics").to_pylist() == [{"metric": "other", "value": 0}, {"metric": "rows", "value": 3}]
    section = snapshot.section("toy.evaluate")
    assert section["options"] == {"factor": 1}
    assert [read["section"] for read in section["reads"]] == [None]
    assert main([*words, "--factor", "2"]) == 2
    assert "give --overwrite" in capsys.readouterr().err
    assert main([*words, "--resume"]) == 0
    assert "published already" in capsys.readouterr().out


def test_what_is_read_of_the_same_folder_is_noted_with_its_section(corpus, capsys):
    assert main(["toy", "evaluate", "--out", str(corpus)]) == 0
    section = open_snapshot(str(corpus)).section("toy.evaluate")
    assert [read["section"] for read in section["reads"]] == ["corpus"]
    assert main(["toy", "evaluate", "--out", str(corpus), "--overwrite", "--drop", "corpus"]) == 2
    assert "toy.evaluate is made from it" in capsys.readouterr().err


def test_other_code_of_an_action_makes_its_section_stale(corpus, monkeypatch, capsys):
    assert main(["toy", "evaluate", "--out", str(corpus)]) == 0
    assert main(["status", str(corpus)]) == 0
    assert "stale" not in capsys.readouterr().out
    manifest = open_snapshot(str(corpus)).section("toy.evaluate")
    assert sorted(manifest["stages"]) == ["toy/action", "toy/tables"]

    def other(self, options, action):
        return {}

    monkeypatch.setattr(Evaluate, "action", other)
    registry.load.cache_clear()
    assert main(["status", str(corpus)]) == 0
    assert "stale: tables are made anew because their code has changed" in capsys.readouterr().out


def test_of_several_tables_read_elsewhere_one_that_changes_makes_a_section_stale(tmp_path, monkeypatch):
    def reads(self, options):
        return [TableSource(table, options.folder) for table in ("documents", "sentences")]

    def evaluate(self, options, action):
        return {"toy/metrics": pa.table({"metric": ["a"], "value": [1]})}

    monkeypatch.setattr(Evaluate, "reads", reads)
    monkeypatch.setattr(Evaluate, "action", evaluate)
    there, out = tmp_path / "c", tmp_path / "out"
    put(there, made_section(tmp_path / "w", "corpus", {"documents": [["a"]], "sentences": [["x"]], "rejects": [[]]}))
    assert main(["toy", "evaluate", str(there), "--out", str(out)]) == 0
    assert stale_sections(open_snapshot(str(out))) == {}
    first = open_snapshot(str(there)).folder
    assert main(["toy", "evaluate", first, "--out", str(tmp_path / "pinned")]) == 0
    # What was not read may change.
    put(there, made_section(tmp_path / "v", "corpus", {"documents": [["a"]], "sentences": [["x"]], "rejects": [["r"]]}))
    assert stale_sections(open_snapshot(str(out))) == {}
    put(there, made_section(tmp_path / "u", "corpus", {"documents": [["a"]], "sentences": [["y"]], "rejects": [[]]}))
    told = f"input: sentences at {there} have other content now"
    assert stale_sections(open_snapshot(str(out))) == {"toy.evaluate": [told]}
    put(there, made_section(tmp_path / "t", "corpus", {"documents": [["a"]], "rejects": [[]]}))
    assert stale_sections(open_snapshot(str(out))) == {"toy.evaluate": [told]}


def test_who_has_stopped_to_listen_stops_no_run_and_the_hook_hears_of_it(corpus, tmp_path, monkeypatch):
    def broken(self, snapshot):
        raise LexbeamError("no summary")

    told, out = tmp_path / "told", tmp_path / "out"
    hook = shlex.join([sys.executable, "-c", f"open({str(told)!r}, 'a').write('told ')"])
    words = ["toy", "evaluate", str(corpus), "--out", str(out), "--on-publish", hook]
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w") as nobody, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", nobody)
        assert main(words) == 0
    assert open_snapshot(str(out)).tables
    assert told.read_text() == "told "
    monkeypatch.setattr(Evaluate, "summary", broken)
    registry.load.cache_clear()
    assert main([*words, "--overwrite", "--factor", "2"]) == 1
    assert told.read_text() == "told told "


def test_the_hook_hears_of_what_is_published_beside_damaged_sections(corpus, tmp_path, capsys):
    told, out = tmp_path / "told", tmp_path / "out"
    put(out, made_section(tmp_path / "x", "other", {"documents": [["b"]]}))
    (part,) = open_snapshot(str(out)).parts("documents")
    Path(part.path).write_bytes(b"broken")
    hook = shlex.join(
        [sys.executable, "-c", f"import os; open({str(told)!r}, 'a').write(os.environ['LEXBEAM_SNAPSHOT'])"]
    )
    words = ["toy", "evaluate", str(corpus), "--out", str(out), "--overwrite", "--on-publish", hook]
    assert main(words) == 1
    assert "there are still damaged parts in other sections" in capsys.readouterr().err
    assert told.read_text() == open_snapshot(str(out)).name


def test_what_is_kept_of_a_snapshot_needs_that_it_is_still_published(corpus):
    options = Options(out=str(corpus))
    job = Job("toy.evaluate", Evaluate(), options)
    name = open_snapshot(str(corpus)).name
    run_jobs([job], options, tell=str, after=name)
    with pytest.raises(LexbeamError, match=r"another run has published at .* meanwhile"):
        run_jobs([job], replace(options, overwrite=True), tell=str, after=name)


def test_a_table_that_an_action_has_not_made_is_named(corpus, monkeypatch, capsys):
    monkeypatch.setattr(Evaluate, "action", lambda self, options, action: {})
    assert main(["toy", "evaluate", "--out", str(corpus)]) == 1
    assert "has not made its table toy/metrics" in capsys.readouterr().err


def test_a_run_that_was_asked_for_wrongly_leaves_no_word_of_itself(tmp_path, capsys):
    out = tmp_path / "new"
    assert main(["toy", "evaluate", "--out", str(out)]) == 2
    assert main(["status", str(out)]) in (0, 1)
    assert "was to make" not in capsys.readouterr().out


def test_views_of_one_name_are_told_apart_by_section(corpus, monkeypatch, capsys):
    def best(name):
        def table(snapshot, options):
            return pa.table({"section": [name], "best": [options.best]})

        return Registry({"best": View(Best, table, doc="the best")}, what="view")

    class Other(Evaluate):
        tables = (replace(METRICS, name="toy/others"),)
        views = best("two")

        def action(self, options, action):
            return {"toy/others": pa.table({"metric": ["a"], "value": [1]})}

    other = registry.CommandEntry(f"{__name__}:Other", doc="toy")
    monkeypatch.setitem(registry.COMMANDS, "toy other", other)
    monkeypatch.setattr(Evaluate, "views", best("one"))
    monkeypatch.setattr(sys.modules[__name__], "Other", Other, raising=False)
    monkeypatch.delitem(sys.modules, "lexbeam.pipelines.commands.folder.show", raising=False)
    show = ["show", str(corpus), "--best", "3", "--tsv"]
    assert main(["toy", "other", "--out", str(corpus)]) == 0
    capsys.readouterr()
    assert main(show) == 0
    assert capsys.readouterr().out == "section\tbest\ntwo\t3\n"
    assert main(["toy", "evaluate", "--out", str(corpus)]) == 0
    assert main(show) == 2
    assert "answered by toy.evaluate, toy.other: name one by --section" in capsys.readouterr().err
    assert main([*show, "--section", "toy.evaluate"]) == 0
    assert "one\t3" in capsys.readouterr().out
    assert main([*show, "--section", "toy.evalate"]) == 2
    assert "did you mean 'toy.evaluate'" in capsys.readouterr().err
    sys.modules.pop("lexbeam.pipelines.commands.folder.show")  # it has flags of these toys


def test_a_table_that_is_nowhere_is_named_with_the_command_that_makes_it(tmp_path, capsys):
    assert main(["toy", "evaluate", "--out", str(tmp_path / "new")]) == 2
    assert "name a folder made by `lexbeam corpus`" in capsys.readouterr().err
    put(tmp_path / "o", made_section(tmp_path / "w", "change", {"neighbours": [["a"]]}))
    assert main(["toy", "evaluate", str(tmp_path / "o"), "--out", str(tmp_path / "new")]) == 1
    assert "run `lexbeam corpus` first" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["--out", "positional"])
def test_a_folder_that_holds_no_tables_is_left_as_it_is(tmp_path, capsys, given):
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("A text.", "utf-8")
    words = [str(folder)] if given == "positional" else []
    assert main(["toy", "evaluate", *words, "--out", str(folder)]) != 0
    assert f"published at {str(folder)!r}" in capsys.readouterr().err
    assert os.listdir(folder) == ["a.txt"]
    assert main(["toy", "evaluate", "--out", str(tmp_path / "typo")]) != 0
    assert not (tmp_path / "typo").exists()


def test_beam_options_are_refused_where_no_pipeline_runs(corpus, capsys):
    assert main(["toy", "evaluate", "--out", str(corpus), "--", "--runner=DirectRunner"]) == 2
    assert "takes no Beam options" in capsys.readouterr().err


@dataclass(frozen=True, kw_only=True)
class Listing(PublishOptions):
    words: str = option(help="a file", path="file")


class Changing(Command[Listing, str]):
    """Its plan reads the file, after which somebody changes it."""

    options = Listing

    def __init__(self, *changes):
        self.changes = [*changes]

    def plan(self, options, _):
        content = Path(options.words).read_text()
        if self.changes:
            Path(options.words).write_text(self.changes.pop(0))
        return content


@pytest.mark.parametrize("changes", [[], ["two"], ["two", "six"]])
def test_the_digest_noted_of_an_options_file_is_that_of_what_was_read(tmp_path, changes):
    path = tmp_path / "words.tsv"
    path.write_text("one")
    options = Listing(out=str(tmp_path / "out"), words=str(path))
    job = Job("toy", Changing(*changes), options)
    plan, noted = sections._plan_with_digests(job, Inputs(()))
    assert plan == (["one", *changes])[-1]
    assert noted == {str(path): hashlib.sha256(plan.encode()).hexdigest()}


def test_an_options_file_that_always_changes_is_an_error(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text("one")
    options = Listing(out=str(tmp_path / "out"), words=str(path))
    changing = Changing("two", "six", "ten", "old")
    with pytest.raises(LexbeamError, match=r"words.tsv changed while it was read, 3 times"):
        sections._plan_with_digests(Job("toy", changing, options), Inputs(()))


def test_an_output_folder_whose_name_is_not_utf8_is_refused(corpus, tmp_path, capsys):
    out = tmp_path / os.fsdecode(b"out\xff")
    assert main(["toy", "evaluate", str(corpus), "--out", str(out)]) != 0
    assert "is not UTF-8; give one that is" in capsys.readouterr().err
    assert not out.exists()
