"""A refresh takes up what has changed, and publishes what a new run of everything would, byte for byte."""

import json
import random
import re
import shutil
import zipfile
from collections import Counter

import pytest
import yaml
from small_runs import SMALL, call, published
from wordnet_making import Synset, write_wordnet

from transforms.common.publish.history import read_history
from transforms.common.publish.layout import RUN_LOG, snapshot_name
from transforms.common.publish.snapshots import open_snapshot
from transforms.formats.ingest import units

ANY = ("--max-change", "1")  # a slice that was empty for some steps is behind by more than one
OPTIONS = [  # of a configuration, each with two values
    ("corpus", "about", ("Ships.", "Ships and the sea.")),
    ("corpus", "exclude", ([], ["1801_*"])),
    ("corpus", "duplicates", ("reject", "keep")),
    ("change", "neighbours", (10, 3)),
    ("change", "dim", (5, 6)),
    ("change", "seeds", (1, 2)),
]
MORE = (["configured"] * 2, ["configured"] * 2 + ["corrected"] * 2)  # without a table of dates, and with one
REFUSED = ("has no document", "no document has a year", "table cloze/candidates is asked for")
WORDS = "ship sea captain sail wind harbour gold letter news king war".split()  # noqa: SIM905


def text_of(random_):
    """A document of some sentences of few words."""
    return "\n\n".join(
        " ".join(random_.choices(WORDS, k=random_.randint(3, 9))).capitalize() + "."
        for _ in range(random_.randint(1, 4))
    )


def name_of(random_):
    return f"{random_.choice((1800, 1801, 1900, 1901))}_{random_.randrange(10**6)}.txt"


@pytest.fixture
def world(tmp_path):
    """A folder of texts, and a configuration that makes a corpus and change of it."""
    return make_world(tmp_path)


def make_world(folder):
    texts = folder / "texts"
    texts.mkdir()
    for year in (1800, 1801, 1900, 1901):
        (texts / f"{year}_0.txt").write_text(text_of(random.Random(year)))
    training = dict(zip((word.removeprefix("--") for word in SMALL[::2]), SMALL[1::2], strict=True))
    config = {
        "parts": 2,
        "corpus": {"inputs": "texts", "engine": "builtin:en", "dates": "name:^(\\d{4})_", "language": "en"},
        "change": {"slices": "1800-1801,1900-1901", **training, "min-sentence": 1, "alignment": "op"},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    return folder


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """Two such folders with what was made of them in units of three files: dates in names, and dates in a table."""
    worlds = [make_world(tmp_path_factory.mktemp(name)) for name in ("names", "table")]
    date_by_table(worlds[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(units, "UNIT_FILES", 3)
        for world in worlds:
            assert refresh(world) == 0
    return worlds


def date_by_table(world):
    tell_dates(random.Random(1), world / "texts")
    config = yaml.safe_load((world / "config.yaml").read_text())
    config |= {"max-reject-share": 1}
    config["corpus"]["dates"] = "table:dates.csv:key=name,date=date"
    (world / "config.yaml").write_text(yaml.safe_dump(config))


def refresh(world, *words):
    return call("refresh", world / "config.yaml", "--out", world / "out", *words)


def rebuilt(world):
    """What a run of everything in an empty folder publishes now; None if it is an error."""
    shutil.rmtree(world / "full", ignore_errors=True)
    done = call("run", world / "config.yaml", "--out", world / "full") == 0
    return published(world / "full") if done else None


def step(random_, texts, more=()):
    """Change the folder of texts in one of the ways in which folders change, or in one more."""
    names = sorted(path.name for path in texts.iterdir())
    one = texts / random_.choice(names)
    ways = ["added", "copied", "changed", "touched", "renamed", "dated anew", *["removed"] * (len(names) > 4), *more]
    way = random_.choice(ways)
    if way == "added":
        (texts / name_of(random_)).write_text(text_of(random_))
    elif way == "copied":  # a duplicate, which may sort before the document that it is one of
        shutil.copyfile(one, texts / name_of(random_))
    elif way == "changed":
        one.write_text(text_of(random_))
    elif way == "touched":
        one.touch()
    elif way == "renamed":
        one.rename(texts / name_of(random_))
    elif way == "dated anew":
        one.rename(texts / f"{random_.choice((1800, 1900))}_{one.name.partition('_')[2]}")
    elif sum(name[:2] == one.name[:2] for name in names) > 1:  # a slice without documents is an error
        one.unlink()
    elif way == "configured":
        configure(random_, texts.parent / "config.yaml")
    elif way == "corrected":
        tell_dates(random_, texts, one.name)
    return way


def configure(random_, path):
    """Change an option of one of the sections."""
    config = yaml.safe_load(path.read_text())
    section, option, values = random_.choice(OPTIONS)
    config[section][option] = values[config[section].get(option, values[0]) == values[0]]
    path.write_text(yaml.safe_dump(config))


def tell_dates(random_, texts, corrected=None):
    """Tell the dates of all files in a table, as their names have them but for some; correct that of one."""
    rows = {path.name: path.name.partition("_")[0] for path in texts.iterdir()}
    path = texts.parent / "dates.csv"
    if path.exists():
        rows |= dict(line.split(",") for line in path.read_text().split()[1:])
    if corrected:
        rows[corrected] = str(random_.choice((1800, 1801, 1900, 1901)))
    path.write_text("\n".join(["name,date", *(",".join(row) for row in sorted(rows.items()))]) + "\n")


def receipts(out):
    """The artefacts of a folder, each with its stage."""
    return {str(path.relative_to(out / "_artefacts")) for path in out.glob("_artefacts/*/*/*.json")}


def planned(world, capsys, *words):
    """What the plan says of each stage: how many artefacts it makes; None: that follows from others."""
    lines = told(capsys, "refresh", world / "config.yaml", "--out", world / "out", "--dry-run", *words).splitlines()
    stages = [line.split(None, 1) for line in lines if re.match(r"  [a-z.]+/", line)]
    told_ = {stage: re.match(r"(makes (\d+)|keeps all|makes what)", said) for stage, said in stages}
    return {stage: None if said[1] == "makes what" else int(said[2] or 0) for stage, said in told_.items()}


def check_plan(plan, before, after):
    """Check a plan against what has been made since."""
    made = Counter(name.rpartition("/")[0] for name in after - before)
    assert made.keys() <= plan.keys() or not plan
    assert {stage: made[stage] for stage, number in plan.items() if number is not None} == {
        stage: number for stage, number in plan.items() if number is not None
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_step_is_a_rebuild(begun, tmp_path, seed, capsys, monkeypatch):
    monkeypatch.setattr(units, "UNIT_FILES", 3)
    world = shutil.copytree(begun[seed % 2], tmp_path / "world", symlinks=True)
    check_steps(world, seed, 1, capsys, MORE[seed % 2])


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 201))
def test_a_refresh_is_a_rebuild(world, seed, capsys, monkeypatch):
    """With odd seeds a table tells the dates; files are dealt out into units of three, and duplicates into several."""
    monkeypatch.setattr(units, "UNIT_FILES", 3)
    if seed % 2:
        date_by_table(world)
    check_steps(world, seed, 10, capsys, MORE[seed % 2])


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
def test_a_refresh_of_every_task_is_a_rebuild(world, seed, capsys):
    things = [Synset("entity", "n", ["entity"], "what is")]
    things += [Synset(word, "n", [word], "a thing", pointers=[("@", "entity", 0, 0)]) for word in WORDS]
    write_wordnet(world / "wordnet", things)
    others = [f"{word}|1\n-|{WORDS[n - 1]}|{WORDS[n - 2]}" for n, word in enumerate(WORDS)]
    (world / "th.dat").write_text("\n".join(["UTF-8", *others, ""]))
    files = {"wordnet": "wordnet", "cache": str(world / "cache")}
    config = yaml.safe_load((world / "config.yaml").read_text())
    config |= {
        "max-reject-share": 1,
        "complexity": {
            "select": {"quota": ["single=4"], "contexts": 2, "language": "en"},
            "features": {"use": ["form"]},
        },
        "cloze": {
            "pairs": {"layout": "corpus"},
            "candidates": {"kind": ["nonspecificity"], "sense": "first", **files},
            "options": {"readers": ["frequency"], **files},
            "questions": {},
        },
        "simplify": {
            "instances": {"targets": "content", "layout": "corpus"},
            "generate": {"generators": ["thesaurus"], "thesaurus": ["th.dat"]},
            "rank": {"ranker": ["senses"], "cache": files["cache"]},
        },
    }
    (world / "config.yaml").write_text(yaml.safe_dump(config))
    check_steps(world, seed, 10, capsys)
    made = published(world / "out")
    for table in ("complexity/features", "cloze/questions", "simplification/rankings"):
        assert any(name.startswith(f"{table}/") for name in made)


def check_steps(world, seed, steps, capsys, more=()):
    """Take random steps, each with its plan, a refresh, and a run of everything to compare with."""
    random_ = random.Random(seed)
    for number in range(steps):
        way = step(random_, world / "texts", more)
        if (world / "dates.csv").exists() and random_.random() < 0.8:  # else new files wait for a row of the table
            tell_dates(random_, world / "texts")
        keep, name = ("all", "used")[number % 2], snapshot_name(str(world / "out"))
        capsys.readouterr()
        if (full := rebuilt(world)) is None:  # a slice has lost its last document, or cloze its last candidate
            refused = errors(capsys)
            assert any(reason in refused for reason in REFUSED), refused
            assert refresh(world, *ANY) == 1
            assert errors(capsys) == refused
            assert snapshot_name(str(world / "out")) == name
            continue
        plan, before = planned(world, capsys, *ANY), receipts(world / "out")
        assert refresh(world, "--keep", keep, *ANY) == 0, way
        check_plan(plan, before, receipts(world / "out"))
        assert published(world / "out") == full, way
        if keep == "used" and snapshot_name(str(world / "out")) != name:
            # How many units there are is kept from run to run, as long as it is about right.
            dealt_out = ("corpus/ingest/", "corpus/annotate/") if more else ()
            kept, whole = receipts(world / "out"), receipts(world / "full")
            assert all(name.startswith(dealt_out) for name in kept ^ whole), way


def errors(capsys):
    return "\n".join(line for line in capsys.readouterr().err.splitlines() if line.startswith("lexbeam: "))


def times(out):
    """When each file was written; the log of the run says by that when all was found to be well."""
    return {path: path.stat().st_mtime_ns for path in out.rglob("*") if not path.name.endswith(RUN_LOG)}


def test_nothing_changed_publishes_nothing(world, capsys):
    assert refresh(world, "--dry-run") == 0
    heard = capsys.readouterr().out
    assert heard.startswith(
        "corpus: new\nchange: new\nnothing is published yet: each stage makes what is not there\n  corpus: corpus/cut, "
    )
    assert "corpus/keep" not in heard, "nothing is to be kept"
    assert re.search(r"\n  change: change/.*, change/train, ", heard)
    assert heard.endswith("\nno time can be estimated: no log says what these stages took before\n")
    assert not (world / "out" / "current").exists()
    assert refresh(world) == 0
    name = snapshot_name(str(world / "out"))
    before = times(world / "out")
    capsys.readouterr()
    assert refresh(world) == 0
    time = read_history(str(world / "out")).publications[-1].time
    heard = capsys.readouterr().out
    assert heard == (
        f"corpus: stays as it is\nchange: stays as it is\nnothing has changed since {time}: nothing is published\n"
    )
    assert refresh(world, "--exit-code") == 3
    assert times(world / "out") == before
    # A text that was only touched is the same.
    (world / "texts" / "1800_0.txt").touch()
    assert refresh(world, "--exit-code") == 3
    # An option of the later section leaves the first as it is.
    config = yaml.safe_load((world / "config.yaml").read_text())
    config["change"]["neighbours"] = 3
    (world / "config.yaml").write_text(yaml.safe_dump(config))
    heard = told(capsys, "refresh", world / "config.yaml", "--out", world / "out", "--dry-run")
    assert heard.startswith("corpus: stays as it is\nchange: --neighbours 10 to 3\n  stage ")
    assert re.search(r"\nwork by the log of the last run, on one worker: \d+ seconds?\n$", heard)
    plan, artefacts = planned(world, capsys), receipts(world / "out")
    assert {stage: number for stage, number in plan.items() if number} == {"change/neighbours": 2}
    assert refresh(world) == 0
    check_plan(plan, artefacts, receipts(world / "out"))
    entries = json.loads(told(capsys, "history", world / "out", "--json"))
    assert [entry["snapshot"] for entry in entries] == [name, snapshot_name(str(world / "out"))]
    assert entries[-1]["sections"].keys() == {"change"}


def told(capsys, *words):
    capsys.readouterr()
    assert call(*words) == 0
    return capsys.readouterr().out


def test_a_folder_that_was_not_mounted_empties_nothing(world, capsys):
    assert refresh(world) == 0
    name = snapshot_name(str(world / "out"))
    texts = world / "texts"
    away = texts.rename(world / "away")
    assert refresh(world) == 1
    texts.mkdir()
    assert refresh(world) == 1  # it is there, and empty
    for path in sorted(away.iterdir())[::2]:
        shutil.copy2(path, texts)
    (texts / "1900_1.txt").write_text("New ships.")
    capsys.readouterr()
    assert refresh(world, "--max-change", ".4") == 1
    assert "corpus: 2 of 4 input files have gone or have other content, more than --max-change 0.4" in (
        capsys.readouterr().err
    )
    assert refresh(world, "--dry-run", "--max-change", ".4") == 1
    assert snapshot_name(str(world / "out")) == name
    assert refresh(world) == 0
    assert published(world / "out") == rebuilt(world)


def write_labelled(folder, random_):
    """Write a file of labelled instances, a few of them of words that other files have, too."""
    rows = []
    for _ in range(random_.randint(3, 8)):
        token = random_.choice(WORDS) + random_.choice(["", "s"])
        rows.append(f"{token}\t{random_.random():.2f}\t{token} {' '.join(random_.sample(WORDS, 5))}")
    name = f"{random_.randrange(10**6)}.tsv"
    (folder / name).write_text("\n".join(["token\tcomplexity\tsentence", *rows]) + "\n")


@pytest.fixture
def kept_world(world):
    """Texts and labelled files, and a configuration that takes them in and splits the instances."""
    (world / "labelled").mkdir()
    for seed in range(3):
        write_labelled(world / "labelled", random.Random(seed))
    config = yaml.safe_load((world / "config.yaml").read_text())
    del config["change"]
    config["complexity"] = {
        "load": {"inputs": "labelled", "layout": "tsv", "language": "en"},
        "split": {"shares": ["train=.6", "test=.4"]},
    }
    (world / "config.yaml").write_text(yaml.safe_dump(config))
    return world


def rebuilt_given(world, snapshot):
    """What a run of everything in an empty folder publishes, given what was published before."""
    config = yaml.safe_load((world / "config.yaml").read_text())
    config["corpus"]["keep-missing"] = config["complexity"]["split"]["splits-from"] = str(snapshot)
    (world / "given.yaml").write_text(yaml.safe_dump(config))
    shutil.rmtree(world / "full", ignore_errors=True)
    assert call("run", world / "given.yaml", "--out", world / "full") == 0
    return published(world / "full")


def names_and_splits(out):
    """The input files of a corpus, its documents with their texts, and the splits of instances."""
    snapshot = open_snapshot(str(out))
    inputs = set(snapshot.read("corpus/inputs", ["name"])["name"].to_pylist())
    documents = snapshot.read("documents", ["document_id", "text"])
    splits = snapshot.read("complexity/splits", ["instance_id", "split"])
    return (
        inputs,
        dict(zip(*documents.to_pydict().values(), strict=True)),
        dict(zip(*splits.to_pydict().values(), strict=True)),
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 51))])
def test_what_stays_follows_from_the_snapshot_before(kept_world, seed, capsys):
    random_ = random.Random(seed)
    texts, out = kept_world / "texts", kept_world / "out"
    assert refresh(kept_world) == 0
    for number in range(1 if seed == 0 else 10):
        before = (out / "current").resolve()
        inputs, documents, splits = names_and_splits(before)
        way = step(random_, texts) if number % 2 else "removed and added"
        if way == "removed and added":
            min(texts.iterdir()).unlink()
            (texts / name_of(random_)).write_text(text_of(random_))
            write_labelled(kept_world / "labelled", random_)
        there = {path.name for path in texts.iterdir()}
        gone = inputs - there
        assert refresh(kept_world, "--keep-missing", "--freeze-splits", "--max-change", "1") == 0, way
        if (out / "current").resolve() == before:  # nothing has changed but what is kept
            assert there <= inputs, way
            continue
        after, texts_after, splits_after = names_and_splits(out)
        assert after == there | gone, way
        assert published(out) == rebuilt_given(kept_world, before), way
        if way not in ("changed", "dated anew"):  # which may put it in the place of another
            assert documents.items() <= texts_after.items(), way
        assert {name: splits_after[name] for name in splits} == splits, way
    # Without the option splits are those of the rule again.
    words = ("refresh", kept_world / "config.yaml", "--out", out, "--dry-run", "--max-change", "1")
    assert "\ncomplexity.split: its splits were frozen, and are not any more\n" in told(capsys, *words)


def test_what_a_section_took_in_itself_is_not_kept_and_that_is_told(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    for name in ("a.txt", "b.txt"):
        (tmp_path / "in" / name).write_text(f"{name[0]}word\n")
    load = {"inputs": ["in"], "layout": "tsv", "language": "de"}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({"out": "out", "complexity": {"load": load}}))
    assert call("refresh", tmp_path / "config.yaml", "--keep-missing") == 0
    before = snapshot_name(str(tmp_path / "out"))
    assert call("refresh", tmp_path / "config.yaml", "--keep-missing", "--exit-code") == 3
    (tmp_path / "in" / "b.txt").unlink()
    capsys.readouterr()
    assert call("refresh", tmp_path / "config.yaml", "--keep-missing") == 1
    told_ = capsys.readouterr().err
    assert "complexity.load: input files have gone (1), and --keep-missing keeps documents of " in told_
    assert snapshot_name(str(tmp_path / "out")) == before


def test_what_is_kept_must_fit(kept_world, capsys):
    assert refresh(kept_world) == 0
    kept = ("--keep-missing", "--freeze-splits", "--exit-code")
    min((kept_world / "texts").iterdir()).unlink()
    assert refresh(kept_world, *kept) == 3  # it is kept, so nothing has changed
    config = yaml.safe_load((kept_world / "config.yaml").read_text())
    config["complexity"]["split"]["shares"] = ["train=.6", "held=.4"]
    (kept_world / "config.yaml").write_text(yaml.safe_dump(config))
    capsys.readouterr()
    assert refresh(kept_world, *kept) == 1
    assert "instances are in split test, which --shares does not have" in capsys.readouterr().err
    config["corpus"]["duplicates"] = "keep"
    (kept_world / "config.yaml").write_text(yaml.safe_dump(config))
    assert refresh(kept_world, *kept) == 2
    assert "with --duplicates keep, equal documents of files that have gone cannot be told" in capsys.readouterr().err


CONLLU = "# newdoc id = {0}\n1\tShips\tship\tNOUN\t_\t_\t0\troot\t_\t_\n2\tsail\tsail\tVERB\t_\t_\t1\tdep\t_\t_\n\n"


def tables_of(out):
    """The parts of all tables, without the manifest, which names what is kept."""
    return {name: content for name, content in published(out).items() if name != "manifest.json"}


def test_what_has_gone_is_published_as_it_was(tmp_path):
    texts = tmp_path / "texts"
    texts.mkdir()
    long = "".join(CONLLU.format(0).partition("\n")[2] for _ in range(4100))  # blocks of a document
    (texts / "a.conllu").write_text("# newdoc id = long\n" + long + "".join(map(CONLLU.format, range(3))))
    (texts / "b.conllu").write_text("1\tbroken\n\n" + CONLLU.format("b"))
    (texts / "left.conllu").write_text(CONLLU.format("left"))
    with zipfile.ZipFile(texts / "c!.zip", "w") as archive:
        archive.writestr("in/one.conllu", CONLLU.format("one"))
        archive.writestr("two.conllu", CONLLU.format("two"))
    words = ("--engine", "none", "--format", "conllu", "--parts", "2", "--max-reject-share", "1")
    assert call("corpus", texts, "--out", tmp_path / "out", *words) == 0
    before = tables_of(tmp_path / "out")
    for name in ("a.conllu", "b.conllu", "c!.zip"):
        (texts / name).unlink()
    kept = ("--keep-missing", tmp_path / "out")
    assert call("corpus", texts, "--out", tmp_path / "kept", *words, *kept) == 0
    assert tables_of(tmp_path / "kept") == before
    # And once more, from what was kept.
    again = ("--keep-missing", tmp_path / "kept")
    assert call("corpus", texts, "--out", tmp_path / "again", *words, *again) == 0
    assert tables_of(tmp_path / "again") == before
    # But not what this folder has forgotten, though another one keeps it.
    assert call("forget", tmp_path / "again", "b.conllu") == 0
    assert call("corpus", texts, "--out", tmp_path / "again", *words, *kept, "--overwrite") == 0
    snapshot = open_snapshot(str(tmp_path / "again"))
    assert "b.conllu" not in snapshot.read("documents")["source"].to_pylist()
    rejects = snapshot.read("rejects").to_pylist()
    assert {row["reason"] for row in rejects if row["source"] == "b.conllu"} == {"forgotten"}
    counts = {row["name"]: row for row in snapshot.read("corpus/inputs").to_pylist()}["b.conllu"]
    assert (counts["records"], counts["documents"]) == (counts["rejects"], 0)
