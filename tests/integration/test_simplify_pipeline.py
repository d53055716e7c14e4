"""From a benchmark's file to rewritten sentences and figures, all in one and step by step."""

import shutil

import pytest
import yaml
from dataflow_jobs import check_jobs
from generated import write_world
from mixed_runs import S3_RUNNERS, compared_runners
from s3_server import published_bytes
from small_runs import call, manifest

import lexbeam
from lexbeam.transforms.common.publish.snapshots import open_snapshot

pytestmark = pytest.mark.slow

GOLD = (
    "Vio los perros de su vecino.\tperros\tcanes\tcanes\tsabuesos\tperros\n"
    "Hola, perros!\tperros\tchuchos\tamigos\n"
    "La cansó mucho.\tcansó\tagotó\tagotó\tmolestó\n"
    "Nada de xyz hay.\txyz\talgo\n"
)
SETTINGS = """\
a: {filters: none, ranker: "senses,frequency"}
b: {filters: morphology, ranker: frequency, keep_target: if-more-frequent}
"""
TABLES = ("selections", "rankings", "simplifications", "metrics", "funnel")


@pytest.fixture
def world(tmp_path):
    return make_world(tmp_path)


def make_world(folder):
    write_world(folder)
    (folder / "gold.tsv").write_text(GOLD)
    (folder / "settings.yaml").write_text(SETTINGS)
    listed = f"frequency={folder / 'freq.tsv'}:word=word,value=value"
    shared = {"settings": "settings.yaml", "cache": "cache"}
    config = {
        "parts": 3,
        "simplify": {
            "instances": {"inputs": "gold.tsv", "layout": "alexsis", "language": "es"},
            "generate": {**shared, "thesaurus": ["th.dat", "spa.tab"], "wordlist": listed, "inflector": "es.inflector"},
            "select": {**shared, "inflector": "es.inflector"},
            "rank": {**shared, "wordlist": listed},
            "rewrite": {"inflector": "es.inflector"},
        },
        "evaluate": {"simplify": {"k": [3], "resamples": 20}},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    return folder


def digests(out):
    return {
        name: [part["sha256"] for part in manifest(out)["tables"][f"simplification/{name}"]["parts"]] for name in TABLES
    }


def rows(out, table):
    return open_snapshot(str(out)).read(f"simplification/{table}").to_pylist()


@pytest.mark.soak
@pytest.mark.parametrize("runner", S3_RUNNERS)
def test_every_table_has_the_same_bytes_on_s3(runner, ready, bucket, world):
    ready(runner)
    assert call("run", world / "config.yaml", "--out", world / "one") == 0
    assert call("run", world / "config.yaml", "--out", bucket, "--runner-config", runner) == 0
    assert published_bytes(bucket) == published_bytes(world / "one")


@pytest.mark.parametrize("runner", compared_runners())
def test_the_same_on_every_runner(runner, ready, world):
    ready(runner)
    one, two = world / "one", world / "two"
    assert call("run", world / "config.yaml", "--out", one) == 0
    assert call("run", world / "config.yaml", "--out", two, "--runner-config", runner) == 0
    assert digests(one) == digests(two)


@pytest.mark.parametrize("runner", compared_runners())
def test_texts_are_the_same_on_every_runner(runner, ready, tmp_path):
    ready(runner)
    (tmp_path / "th.dat").write_text("UTF-8\narduous|1\n-|hard|tough\nordinance|1\n-|law\n")
    (tmp_path / "plain.yaml").write_text("plain: {ranker: senses}\n")
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(6):
        (texts / f"{number}.txt").write_text(f"An arduous ordinance.\r\n\r\nThe ordinance of {number} cats.")
    made = []
    for name in ("direct", runner):
        options = ("--language", "en", "--settings", tmp_path / "plain.yaml", "--setting", "plain", "--parts", 3)
        files = ("--thesaurus", tmp_path / "th.dat", "--cache", tmp_path / "cache", "--out", tmp_path / name)
        assert call("simplify", "text", texts, *options, *files, "--runner-config", name) == 0
        tables = manifest(tmp_path / name)["tables"]
        made.append({table: [part["sha256"] for part in tables[table]["parts"]] for table in sorted(tables)})
    assert made[0] == made[1]
    text = open_snapshot(str(tmp_path / runner)).read("simplification/documents").to_pylist()[2]["content"]
    assert text == b"A hard law.\r\n\r\nThe law of 2 cats."


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The world with all in one, which is copied where it is changed."""
    folder = make_world(tmp_path_factory.mktemp("run"))
    assert call("run", folder / "config.yaml", "--out", folder / "one") == 0
    return folder


def test_all_in_one(run):
    world, one = run, run / "one"
    steps = {f"simplify.{step}" for step in ("instances", "generate", "select", "rank", "rewrite")}
    assert check_jobs(world / "config.yaml", one, world) == steps
    made = rows(one, "simplifications")
    sentences = {(r["setting"], r["ranker"], r["sentence_out"]) for r in made}
    assert ("a", "senses", "Vio los canes de su vecino.") in sentences
    # `perros` is more frequent than whatever might take its place.
    assert ("b", "frequency", "Vio los perros de su vecino.") in sentences
    assert ("a", "frequency", "Vio los amigos de su vecino.") in sentences
    assert {s for _, _, s in sentences if "xyz" in s} == {"Nada de xyz hay."}
    outcomes = {(r["setting"], r["ranker"], r["reason"]) for r in made}
    assert ("b", "frequency", "keep_target") in outcomes
    assert ("a", "senses", "no_candidate") in outcomes

    # Every candidate that goes on is in selections, and every one that is kept is ranked.
    generated = {(r["instance_id"], r["setting"], r["form"]) for r in rows(one, "candidates") if r["reason"] is None}
    selected = {(r["instance_id"], r["setting"], r["form"]): r["kept"] for r in rows(one, "selections")}
    assert selected.keys() == generated
    ranked = [r for r in rows(one, "rankings") if not r["is_target"]]
    assert {(r["instance_id"], r["setting"], r["form"]) for r in ranked} == {
        key for key, kept in selected.items() if kept
    }
    chosen = [r for r in rows(one, "rankings") if r["chosen"]]
    assert len(chosen) == 4 * 3  # an instance, a setting and a ranker each

    metrics = {(r["system"], r["subset"], r["metric"], r["k"]): r for r in rows(one, "metrics")}
    changed = metrics["a senses", "pipeline", "changed", None]
    assert (changed["numerator"], changed["denominator"]) == (3, 4)


def test_later_steps_anew_keep_what_was_before(run, tmp_path, capsys):
    world = shutil.copytree(run, tmp_path / "world", symlinks=True)
    out = world / "one"
    before = manifest(out)["tables"]
    words = ["--wordlist", f"f={world / 'freq.tsv'}:word=word,value=value", "--cache", world / "cache"]
    assert call("simplify", "rank", out, "--ranker", "generation", *words, "--overwrite") == 0
    after = manifest(out)["tables"]
    assert after["simplification/selections"] == before["simplification/selections"]
    # What was made from the rankings is dropped, and said.
    assert "simplification/simplifications" not in after
    assert "dropped: evaluate.simplify, simplify.rewrite" in capsys.readouterr().out
    assert call("simplify", "rewrite", out) == 0
    assert {r["ranker"] for r in rows(out, "simplifications")} == {"generation"}


def test_rankers_need_what_they_need(run, capsys):
    out = run / "one"
    for words, told in (
        (["rank", "--ranker", "frequency"], "wordlist"),
        (["rank", "--ranker", "senses", "--keep-target", "if-gain:1"], "no score of the target"),
        (["rank", "--ranker", "similarity"], "vectors"),
        (["select", "--filters", "pos"], "engine"),
        (["select", "--filters", "similarity"], "vectors"),
        (["select", "--same-pos", "VERB=AUXX"], "two parts of speech, VERB=AUX, of ADJ, ADP"),
        (["select", "--same-pos", "VERB"], "two parts of speech"),
    ):
        capsys.readouterr()
        command, *rest = words
        assert call("simplify", command, out, *rest, "--overwrite") == 2
        assert told in capsys.readouterr().err


def test_sentences_of_ones_own_without_gold(world, capsys):
    """Every stage is told though nobody gave substitutes; a word without candidates, and a name, too."""
    (world / "own.txt").write_text("Vio los [[perros]] de su vecino.\nNada de [[xyz]] hay.\nVio a [[Perros]] ayer.\n")
    settings = yaml.safe_load((world / "config.yaml").read_text())
    settings["simplify"]["instances"] |= {"inputs": "own.txt", "layout": "text"}
    del settings["evaluate"]
    (world / "config.yaml").write_text(yaml.safe_dump(settings))
    out = world / "own"
    assert call("run", world / "config.yaml", "--out", out) == 0
    capsys.readouterr()
    assert call("show", out, "--stages", "perros,xyz", "--stages-setting", "b") == 0
    told = capsys.readouterr().out
    assert told.count("b: no candidates, since no generator gives any or the word is protected") == 2
    reasons = {row["form"]: (row["selected"], row["reason"]) for row in lexbeam.open(out).stages("perros").to_pylist()}
    # All are rarer than the target.
    assert ("canes", (True, "keep_target")) in reasons.items()
    assert "keep_target" in told
    assert "gold" not in told
    assert call("show", out, "--candidates", "xyz") == 0
    assert "Nada de [xyz] hay.  a: no candidates" in capsys.readouterr().out
    assert call("show", out, "--instances", "3") == 0
    assert "nobody gave substitutes" in capsys.readouterr().out
    assert call("report", out, "--out", world / "page.html") == 0
    page = (world / "page.html").read_text()
    assert "Candidates stage by stage" in page
    assert "there is no gold" in page
    assert call("evaluate", "simplify", out) == 0
    assert "evaluate.simplify is empty: no substitutes: table simplification/substitutes has no rows" in (
        capsys.readouterr().out
    )
