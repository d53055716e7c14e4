"""A refresh goes by what the configuration names now, by content: other files, options, models, corpora."""

import json
import shutil
from pathlib import Path

import pytest
import yaml
from small_runs import SMALL, call, published

from lexbeam.pipelines.commands.folder import run as refresh_module
from lexbeam.pipelines.frame import publishing
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.snapshots import open_snapshot

WORDS = ("ship", "sea", "sail", "wind")
DATED = {"engine": "none", "format": "conllu", "dates": "name:^(\\d{4})_", "language": "en"}
SMALL_CHANGE = dict(zip((word.removeprefix("--") for word in SMALL[::2]), SMALL[1::2], strict=True))


def write_conllu(folder, words):
    """Two dated documents of sentences of a few words; as long, whatever the words of four letters."""
    folder.mkdir(parents=True)
    for year in (1800, 1900):
        lines = [f"# newdoc id = {year}"]
        for word in words:
            lines += [f"{n}\t{form}\t{form}\tNOUN" + "\t_" * 6 for n, form in enumerate((word, *WORDS), start=1)]
            lines.append("")
        (folder / f"{year}_a.conllu").write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def things(tmp_path_factory):
    """Files of every kind twice, which differ; and two corpora."""
    top = tmp_path_factory.mktemp("things")
    for name, words in (("a", ("king", "gold")), ("b", ("news", "gold"))):
        write_conllu(top / name / "texts", words)
        (top / name / "rules.tsv").write_text(f"level\tfrom\tto\nlemma\tship\t{name}hip\n")
        (top / name / "list.tsv").write_text(f"word\tvalue\nship\t{len(name) + (name == 'b')}\n")
        (top / name / "words.txt").write_text("ship\n" if name == "a" else "wind\n")
        (top / name / "cut").mkdir()
        (top / name / "cut" / "1800_a.txt").write_text("A sh-\nip and a wi-\nnd sail.")
        (top / name / "lab").mkdir()
        rows = f"token\tcomplexity\tsentence\n{'ship' if name == 'a' else 'wind'}\t.2\tA ship and wind.\n"
        (top / name / "lab" / f"{name}.tsv").write_text(rows)
        words = [f"--{option}={value}" for option, value in DATED.items()]
        assert call("corpus", top / name / "texts", "--out", top / name / "out", "--parts", 1, *words) == 0
    return top


CORPUS = {"corpus": {"inputs": ["a/texts"], **DATED}}
LOAD = {"complexity": {"load": {"inputs": ["a/lab"], "layout": "tsv", "language": "en"}}}
CUT = {"inputs": ["a/cut"], "engine": "builtin:en", "hyphens": "join", "hyphen_words": "a/words.txt"}
LIST = "n={}/list.tsv:word=word,value=value"
FEATURES = {"complexity": {**LOAD["complexity"], "features": {"use": ["norms"], "wordlist": [LIST.format("a")]}}}
CHANGE = {"change": {"corpora": ["a/out"], "slices": "1800,1900", **SMALL_CHANGE, "targets": "a/words.txt"}}
CHANGED = {
    "files of the same names": (CORPUS, "corpus", {"inputs": ["b/texts"]}),
    "exclude": (CORPUS, "corpus", {"exclude": ["1800*"]}),
    "about": (CORPUS, "corpus", {"about": "Letters of captains."}),
    "rules": ({"corpus": {**CORPUS["corpus"], "normalise": "a/rules.tsv"}}, "corpus", {"normalise": "b/rules.tsv"}),
    "words of hyphens": ({"corpus": CUT}, "corpus", {"hyphen_words": "b/words.txt"}),
    "a folder more": (LOAD, "complexity.load", {"inputs": ["a/lab", "b/lab"]}),
    "a word list": (FEATURES, "complexity.features", {"wordlist": [LIST.format("b")]}),
    "targets": (CHANGE, "change", {"targets": "b/words.txt"}),
    "targets that are left out": (CHANGE, "change", {"targets": None}),
    "a corpus": (CHANGE, "change", {"corpora": ["b/out"]}),
}

FEW = ("files of the same names", "a word list", "a corpus")  # one of each kind
MORE = [pytest.param(what, marks=pytest.mark.soak) for what in CHANGED if what not in FEW]


def with_options(config, section, options):
    """Return a configuration with some options of a section replaced; None leaves one out."""
    outer, _, inner = section.partition(".")
    before = config[outer][inner] if inner else config[outer]
    after = {name: value for name, value in {**before, **options}.items() if value is not None}
    return {**config, outer: {**config[outer], inner: after} if inner else after}


def write_config(things, config):
    (things / "c.yaml").write_text(yaml.safe_dump(config))
    return things / "c.yaml"


@pytest.mark.slow
@pytest.mark.parametrize("what", [*FEW, *MORE])
def test_a_refresh_makes_what_the_configuration_names_now(things, what, tmp_path, capsys):
    config, section, options = CHANGED[what]
    path = write_config(things, config)
    out, full = tmp_path / "out", tmp_path / "full"
    assert call("run", path, "--out", out) == 0
    assert call("refresh", path, "--out", out, "--exit-code") == 3
    assert call("status", out, "--exit-code") == 0
    path = write_config(things, with_options(config, section, options))
    assert call("status", out, "--exit-code") == 4
    capsys.readouterr()
    assert call("refresh", path, "--out", out, "--exit-code", "--max-change", 1) == 0
    heard = capsys.readouterr().out
    assert f"\n{section}: " in f"\n{heard}"
    assert f"{section}: stays as it is" not in heard
    assert "INPUT" not in heard, "inputs are called as a configuration has them"
    assert call("run", path, "--out", full) == 0
    assert published(out) == published(full)
    assert call("refresh", path, "--out", out, "--exit-code") == 3


@pytest.mark.slow
def test_folders_that_change_places_change_their_files(things, tmp_path):
    for number, name in enumerate("ab"):
        shutil.copytree(things / name / "texts", tmp_path / "texts" / str(number))
    path = tmp_path / "c.yaml"
    path.write_text(yaml.safe_dump({"corpus": {"inputs": ["texts"], **DATED}}))
    for number in range(2):  # documents of the same id
        for file in (tmp_path / "texts" / str(number)).iterdir():
            file.write_text(file.read_text().replace("newdoc id = ", f"newdoc id = {number}"))
    out = tmp_path / "out"
    assert call("run", path, "--out", out) == 0
    assert call("refresh", path, "--out", out, "--exit-code") == 3
    for before, after in (("0", "2"), ("1", "0"), ("2", "1")):
        (tmp_path / "texts" / before).rename(tmp_path / "texts" / after)
    assert call("refresh", path, "--out", out, "--exit-code", "--max-change", 1) == 0
    assert call("run", path, "--out", tmp_path / "full") == 0
    assert published(out) == published(tmp_path / "full")
    assert call("refresh", path, "--out", out, "--exit-code") == 3


@pytest.mark.slow
def test_a_model_that_is_replaced_in_its_place_is_another_one(tmp_path, capsys):
    spacy = pytest.importorskip("spacy")

    def write_model(ends):
        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer", config={"punct_chars": [ends]})
        nlp.to_disk(tmp_path / "model")

    write_model("!")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "1800_a.txt").write_text("Ships sail! The sea is calm. The wind is not.")
    path = tmp_path / "c.yaml"
    corpus = {"inputs": ["texts"], "engine": "spacy:model", "dates": DATED["dates"], "language": "en"}
    path.write_text(yaml.safe_dump({"corpus": corpus}))
    out = tmp_path / "out"
    assert call("run", path, "--out", out) == 0
    assert call("refresh", path, "--out", out, "--exit-code") == 3
    write_model(".")
    capsys.readouterr()
    assert call("refresh", path, "--out", out, "--exit-code") == 0
    assert "corpus: resource: engine has changed\n" in capsys.readouterr().out
    assert call("run", path, "--out", tmp_path / "full") == 0
    assert published(out) == published(tmp_path / "full")


@pytest.fixture(scope="module")
def begun(things, tmp_path_factory):
    """Two texts of their own, their configuration, and what is made of them."""
    folder = tmp_path_factory.mktemp("begun")
    shutil.copytree(things / "a" / "texts", folder / "texts")
    configure(folder)
    assert call("run", folder / "c.yaml", "--out", folder / "out") == 0
    return folder


@pytest.fixture
def folder(begun, tmp_path):
    """A copy of these: a folder may have moved with all that it was made from."""
    return shutil.copytree(begun, tmp_path, symlinks=True, dirs_exist_ok=True)


def configure(folder, **options):
    config = {"corpus": {"inputs": ["texts"], **DATED, **options}}
    (folder / "c.yaml").write_text(yaml.safe_dump(config))


def refresh(folder, *words):
    return call("refresh", folder / "c.yaml", "--out", folder / "out", "--exit-code", *words)


def is_a_rebuild(folder):
    shutil.rmtree(folder / "full", ignore_errors=True)
    assert call("run", folder / "c.yaml", "--out", folder / "full") == 0
    return published(folder / "out") == published(folder / "full")


def state(folder, capsys):
    capsys.readouterr()
    assert call("status", folder / "out", "--json") == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_a_file_that_was_kept_and_is_back_is_taken_in_again(folder, capsys):
    (folder / "texts" / "1900_a.conllu").rename(folder / "away")
    assert refresh(folder, "--keep-missing") == 3
    configure(folder, genre="letters")
    assert refresh(folder, "--keep-missing") == 0
    assert refresh(folder, "--keep-missing") == 3
    genres = open_snapshot(str(folder / "out")).read("documents", ["genre"])["genre"].to_pylist()
    assert genres == ["letters", None]
    (folder / "away").rename(folder / "texts" / "1900_a.conllu")
    (folder / "texts" / "1800_a.conllu").rename(folder / "away")  # as many are gone as before
    assert state(folder, capsys)["published"]["sections"]["corpus"]["stale"] == [
        "input: 1 gone (1800_a.conllu)",
        "input: 1 there again, of what had gone and was kept (1900_a.conllu)",
    ]
    assert refresh(folder, "--keep-missing") == 0
    assert refresh(folder, "--keep-missing") == 3
    (folder / "away").rename(folder / "texts" / "1800_a.conllu")
    capsys.readouterr()
    assert refresh(folder, "--keep-missing") == 0
    assert "input: 1 there again, of what had gone and was kept (1800_a.conllu)\n" in capsys.readouterr().out
    assert refresh(folder, "--keep-missing") == 3
    assert refresh(folder) == 0
    assert "corpus: what has gone was kept, and is not any more\n" in capsys.readouterr().out
    assert call("history", folder / "out", "--last", "1") == 0
    assert "documents no longer kept" in capsys.readouterr().out
    assert is_a_rebuild(folder)
    assert refresh(folder) == 3


@pytest.mark.slow
def test_a_run_keeps_of_its_own_folder_what_has_gone_since_the_run_before(folder, capsys):
    def run():
        assert call("run", folder / "c.yaml", "--out", folder / "out", "--overwrite") == 0
        return open_snapshot(str(folder / "out")).read("documents", ["source"])["source"].to_pylist()

    configure(folder, **{"keep-missing": "out"})
    shutil.rmtree(folder / "out")
    assert call("run", folder / "c.yaml", "--out", folder / "elsewhere") == 1
    assert f"nothing is published at '{folder / 'out'}'" in capsys.readouterr().err
    both = run()
    assert both == ["1800_a.conllu", "1900_a.conllu"], "nothing to keep before the first run"
    (folder / "texts" / "1900_a.conllu").rename(folder / "away")
    assert [run(), run()] == [both, both]
    kept = (folder / "out" / "current").resolve()
    (folder / "out" / "current").unlink()
    capsys.readouterr()
    for command in (("run", folder / "c.yaml", "--overwrite"), ("refresh", folder / "c.yaml", "--keep-missing")):
        assert call(*command, "--out", folder / "out") == 1
        assert f"name a snapshot in its place, {kept}, or keep nothing" in capsys.readouterr().err
    configure(folder, **{"keep-missing": str(kept)})
    assert run() == both
    configure(folder, **{"keep-missing": "out"})
    assert run() == both
    assert refresh(folder) == 3
    (folder / "away").rename(folder / "texts" / "1900_a.conllu")
    assert refresh(folder) == 0
    assert refresh(folder) == 3


@pytest.mark.slow
def test_a_published_part_that_is_missing_is_made_again(folder, capsys):
    before = published(folder / "out")
    for table in ("corpus/inputs", "documents"):
        for number, path in enumerate(open_snapshot(str(folder / "out")).paths(table)):
            content = Path(path).read_bytes()
            Path(path).unlink()
            if number:
                Path(path).write_bytes(content[: len(content) // 2])
        assert call("status", folder / "out", "--exit-code") == 4
        capsys.readouterr()
        assert refresh(folder) == 0
        assert f"missing or of another size ({table} part 0, " in capsys.readouterr().out
        assert published(folder / "out") == before
        assert refresh(folder) == 3


@pytest.mark.slow
def test_with_nothing_to_do_a_damaged_history_is_warned_of(folder, caplog, capsys):
    (folder / "out" / "_snapshots" / ".history").write_bytes(b"x")
    assert refresh(folder) == 3
    assert ".history is damaged" in caplog.text
    assert capsys.readouterr().out == "corpus: stays as it is\nnothing has changed\n"


@pytest.mark.slow
def test_work_that_fails_of_an_interrupt_has_not_failed(folder, capsys, monkeypatch):
    def failing(*_, **__):
        raise LexbeamError("a worker has ended")

    configure(folder, about="Letters.")
    with monkeypatch.context() as patch:
        patch.setattr(publishing, "publish", failing)
        for module in (publishing, refresh_module):
            patch.setattr(module, "was_interrupted", lambda: True)
        assert refresh(folder) == 1
    found = state(folder, capsys)
    assert (found["failed"], found["held_back"], found["unfinished"]) == (False, [], ["corpus"])
    assert refresh(folder) == 0
    assert state(folder, capsys)["unfinished"] == []


@pytest.mark.slow
def test_a_refresh_that_is_refused_is_seen_by_who_watches_the_folder(folder, capsys):
    assert state(folder, capsys)["failed"] is False
    configure(folder, exclude=["1800*"])
    assert refresh(folder, "--max-change", 0.4, "--dry-run") == 1
    assert state(folder, capsys)["failed"] is False
    assert refresh(folder, "--max-change", 0.4) == 1
    found = state(folder, capsys)
    assert found["failed"] is True
    assert found["held_back"] == ["corpus: 1 of 2 input files have gone or have other content"]
    (folder / "texts").rename(folder / "away")  # not mounted
    assert refresh(folder) == 1
    found = state(folder, capsys)
    assert (found["failed"], found["unfinished"]) == (True, ["corpus"])
    assert str(folder / "texts") in found["held_back"][0]
    (folder / "away").rename(folder / "texts")
    configure(folder, normalise="gone.tsv")
    assert refresh(folder) == 2
    assert state(folder, capsys)["held_back"] == [
        f"corpus: `normalise`: no file is at '{folder / 'gone.tsv'}': check the path"
    ]
    config = {"corpus": {"inputs": ["texts"], **DATED}, "complexity": {"load": {"inputs": "gone", "layout": "tsv"}}}
    write_config(folder, config)
    assert refresh(folder) == 1
    assert state(folder, capsys)["unfinished"] == ["complexity.load", "corpus"]
    configure(folder)
    assert refresh(folder) == 3
    assert state(folder, capsys)["failed"] is False
    for wrong in (("--runner-config", "tpyo"), ("--detach",)):
        assert refresh(folder, *wrong) == 2
        assert state(folder, capsys)["failed"] is False, "a command line that is wrong refuses nothing of the folder"
    configure(folder, about="Letters.")
    assert refresh(folder, "--on-publish", "false") == 1
    assert state(folder, capsys)["failed"] is False, "it was published"
    assert refresh(folder) == 3
    configure(folder, about="Letters.", check="content")
    assert refresh(folder) == 3, "how files are looked at decides nothing"
