"""What refresh, status and history say where another Lexbeam made a folder: earlier, later, with other options."""

import json
import shutil

import pytest
import yaml
from refreshed import make_world, refresh, told
from small_runs import call

from lexbeam.pipelines.frame import staleness
from lexbeam.pipelines.frame.registry import COMMANDS, command_of, load, section_of
from lexbeam.pipelines.frame.staleness import changes_outside, section_logs
from lexbeam.transforms.common.code import fingerprints
from lexbeam.transforms.common.code.version import Build, own_build
from lexbeam.transforms.common.publish.layout import MANIFEST, SNAPSHOTS, snapshot_name
from lexbeam.transforms.common.publish.snapshots import MANIFEST_VERSION, open_snapshot

HERE = str(own_build())


@pytest.fixture(scope="module")
def begun(made_once):
    """A world with what was made of it."""

    def make(folder):
        world = make_world(folder, "change")
        assert refresh(world) == 0
        return world

    return made_once("refreshed to be upgraded", make)


@pytest.fixture
def world(begun, tmp_path):
    """A copy of it."""
    return shutil.copytree(begun, tmp_path / "world", symlinks=True)


def made_otherwise(world, version="0.1.9", code=(), without=(), more=None, packages=None, form=2):
    """Let the published sections be made by another version: with other code of stages, and other options."""
    out = world / "out"
    name = snapshot_name(str(out))
    manifest = json.loads((out / "manifest.json").read_text())
    for section, entry in manifest.items():
        for stage in {*code} & {*entry.get("stages", ())}:
            entry["stages"][stage] |= {"code": "0" * 32, "identity": "0" * 32}
        if "options" in entry and section == "corpus":
            entry["options"] = {k: v for k, v in entry["options"].items() if k not in without} | (more or {})
    (environment,) = manifest["environments"].values()
    environment |= {"lexbeam": version, "packages": environment["packages"] | (packages or {})}
    environment.pop("commit", None)
    manifest["environments"] = {"e1": environment}
    for section in ("corpus", "change"):
        manifest[section]["environment"] = "e1"
    manifest["lexbeam"]["manifest_version"] = form
    other = fingerprints.digest(manifest)
    shutil.copytree(out / SNAPSHOTS / name, out / SNAPSHOTS / other)
    (out / SNAPSHOTS / other / MANIFEST).write_text(json.dumps(manifest))
    log = json.loads((out / SNAPSHOTS / f"{name}.log.json").read_text())
    (out / SNAPSHOTS / f"{other}.log.json").write_text(json.dumps(log | {"manifest": manifest}))
    (out / "current").unlink()
    (out / "current").symlink_to(f"{SNAPSHOTS}/{other}")


def plan(world, capsys):
    """Return what a refresh would say of each section."""
    lines = told(capsys, "refresh", world / "config.yaml", "--out", world / "out", "--dry-run").splitlines()
    return dict(line.split(": ", 1) for line in lines if line.startswith(("corpus: ", "change: ")))


def test_a_version_with_the_same_code_and_new_options_makes_nothing_anew(world, capsys):
    known = [*open_snapshot(str(world / "out")).section("corpus")["options"]]
    kept = ("inputs", "engine", "dates", "language", "parts")  # what the configuration gives
    made_otherwise(world, without=[name for name in known if name not in kept], more={"speed": 3})
    name = snapshot_name(str(world / "out"))
    assert plan(world, capsys) == {"corpus": "stays as it is", "change": "stays as it is"}
    assert "stale" not in told(capsys, "status", world / "out")
    assert "nothing has changed since" in told(capsys, "refresh", world / "config.yaml", "--out", world / "out")
    assert snapshot_name(str(world / "out")) == name
    assert open_snapshot(str(world / "out")).made_by("corpus") == Build("0.1.9")


def test_an_upgrade_is_told_as_such(world, capsys):
    made_otherwise(world, code=["corpus/annotate"], without=["layers", "duplicates"], more={"speed": 3, "age": None})
    words = (
        f"made by 0.1.9, this is {HERE}: annotation is made anew because its code has changed; options that are new "
        "have their defaults (--duplicates, --layers); options that are gone: `age`, `speed`"
    )
    assert plan(world, capsys) == {"corpus": words, "change": "follows corpus"}
    assert f"  stale: {words}\n" in told(capsys, "status", world / "out")
    section = json.loads(told(capsys, "status", world / "out", "--json"))["published"]["sections"]["corpus"]
    assert section["made_by"] == {"version": "0.1.9", "commit": ""}
    (reason,) = section["stale"]
    assert reason.replace("`duplicates`, `layers`", "--duplicates, --layers") == words
    assert section["stages_of_other_code"] == ["corpus/annotate"]
    # A new option that somebody has set since is a change, and told as one.
    config = yaml.safe_load((world / "config.yaml").read_text())
    config["corpus"]["duplicates"] = "keep"
    (world / "config.yaml").write_text(yaml.safe_dump(config))
    assert plan(world, capsys)["corpus"] == words.replace("--duplicates, ", "") + "; --duplicates None to keep"
    config["corpus"].pop("duplicates")
    (world / "config.yaml").write_text(yaml.safe_dump(config))
    before = open_snapshot(str(world / "out"))
    assert refresh(world) == 0
    after = open_snapshot(str(world / "out"))
    assert after.made_by("corpus") == own_build()
    assert after.made_by("change") == Build("0.1.9")  # it came out the same
    assert [part.sha256 for part in after.parts("sentences")] == [part.sha256 for part in before.parts("sentences")]
    history = told(capsys, "history", world / "out", "--last", "1")
    assert f"  corpus remade: other code of corpus/annotate; versions: lexbeam 0.1.9 to {HERE}\n" in history
    assert "change" not in history


def test_many_stages_are_told_in_words_and_all_of_a_section_as_such(world, capsys):
    stages = [stage.name for name in ("corpus", "change") for stage in command_of(name).stages_of(name)]
    made_otherwise(world, code=[stage for stage in stages if stage not in ("corpus/cut", "corpus/ingest")])
    found = plan(world, capsys)
    start = f"made by 0.1.9, this is {HERE}: "
    assert found["corpus"] == f"{start}annotation and tables are made anew because their code has changed"
    assert found["change"] == f"{start}all of it is made anew because its code has changed; follows corpus"


def test_packages_of_other_versions_are_named(world):
    made_otherwise(world, packages={"gensim": "4.3.9"})
    snapshot = open_snapshot(str(world / "out"))
    for stage in ("change/train", "change/neighbours"):
        snapshot.section("change")["stages"][stage]["identity"] = "0" * 32
    outside = changes_outside(snapshot, "change", section_logs(snapshot)["change"])
    now = fingerprints.version_of("gensim")
    assert outside.reasons == [
        f"made by 0.1.9, this is {HERE}: embeddings and neighbours are made anew because their packages have changed: "
        f"gensim 4.3.9 to {now}"
    ]
    assert outside.stages == ()


def test_a_downgrade_is_told_as_such(world, capsys):
    made_otherwise(world, "99.0.0", code=["corpus/annotate", "corpus/later"], more={"later": 1})
    assert plan(world, capsys)["corpus"] == (
        f"made by 99.0.0, and this is {HERE}, which is older: annotation is made anew because its code has changed; "
        "options that are gone: `later`"
    )


def test_code_that_is_another_at_the_same_commit_is_told_without_a_version(world, capsys, monkeypatch):
    made_otherwise(world, code=["change/align"])
    monkeypatch.setattr(staleness, "own_build", lambda: Build("0.1.9"))
    assert plan(world, capsys)["change"] == "alignments are made anew because their code has changed"


def test_a_section_of_a_command_that_only_a_later_version_has_is_left(world, capsys):
    out = world / "out"
    made_otherwise(world, "99.0.0")
    snapshot = open_snapshot(str(out))
    snapshot.manifest["corpus.later"] = snapshot.section("corpus")
    outside = changes_outside(snapshot, "corpus.later", {})
    wanted = f"no command is called 'corpus later': made by 99.0.0, and this is {HERE}, which is older"
    assert outside.reasons[0] == wanted


@pytest.mark.parametrize("words", [("run",), ("run", "--overwrite"), ("refresh",)])
def test_a_manifest_of_a_later_form_is_refused_and_nothing_is_replaced(world, words, capsys):
    out = world / "out"
    made_otherwise(world, form=MANIFEST_VERSION + 1)
    name, files = snapshot_name(str(out)), {path: path.lstat().st_mtime_ns for path in (out / SNAPSHOTS).rglob("*")}
    (world / "texts" / "1901_9.txt").write_text("More news of the king.")
    capsys.readouterr()
    assert call(words[0], world / "config.yaml", "--out", out, *words[1:]) == 1
    told = f"is of form {MANIFEST_VERSION + 1}, and Lexbeam {HERE} reads {MANIFEST_VERSION}"
    assert told in capsys.readouterr().err
    assert snapshot_name(str(out)) == name
    assert {path: path.lstat().st_mtime_ns for path in (out / SNAPSHOTS).rglob("*")} == files


def test_every_stage_is_told_by_a_noun():
    """A stage without one is told by its name, which is a noun, too."""
    names = {"neighbours", "series", "slices", "systems", "tables"}
    without = {
        stage.name
        for words in COMMANDS.ours()
        for stage in load(words).stages_of(section_of(words))
        if not stage.noun and stage.name.rpartition("/")[2] not in names
    }
    assert without == {"corpus/land"}  # of a stream, which makes no section
