"""`lexbeam simplify generate`: from files and instances to published candidates."""

import json

import pytest
from generated import keep_inflector, write_world
from instances_made import instance, publish, substitutes
from small_runs import call, manifest

from lexbeam.transforms.common.publish.snapshots import open_snapshot

pytestmark = pytest.mark.slow

TABLE = "simplification/candidates"
ROWS = [
    instance("Vio los [[perros]] de su vecino.", "perro", "NOUN"),
    instance("Hola, [[perros]]!", "perro", "NOUN"),
    instance("Está [[cansada]] hoy.", "cansada", "ADJ"),
    instance("La [[cansó]] mucho.", "cansar", "VERB"),
    instance("Nada de [[xyz]] hay.", "xyz", "NOUN"),
    instance("Vive en [[Roma]].", "roma", "PROPN"),
]


@pytest.fixture
def world(tmp_path):
    """A folder with instances and their gold, and the words for resources."""
    words = write_world(tmp_path)
    gold = substitutes(ROWS[0], canes=5, gatos=2, perros=3) + substitutes(ROWS[3], agotó=1)
    return publish(tmp_path / "out", ROWS, gold), words, tmp_path


def rows(out):
    return open_snapshot(str(out)).read(TABLE).to_pylist()


def digests(out):
    return [part["sha256"] for part in manifest(out)["tables"][TABLE]["parts"]]


def test_instances_to_candidates(world, capsys):
    out, words, _ = world
    assert (
        call("simplify", "generate", out, "--generators", "thesaurus,vectors", "--combine", "union", *words, "--k", "4")
        == 0
    )
    said = capsys.readouterr().out
    assert "default: 4 of 6 instances have candidates; 1 protected (name)" in said
    found = rows(out)
    keys = [(row["instance_id"], row["setting"], row["form"]) for row in found]
    assert sorted(keys) == sorted(set(keys))
    by_instance = {}
    for row in found:
        by_instance.setdefault(row["instance_id"], []).append(row)
    assert set(by_instance) == {row["instance_id"] for row in ROWS[:4]}
    for own in by_instance.values():
        assert sorted(row["rank"] for row in own if row["rank"]) == list(
            range(1, 1 + sum(row["reason"] is None for row in own))
        )
        assert sum(row["reason"] is None for row in own) <= 4
    section = open_snapshot(str(out)).section("simplify.generate")
    counts = {(one["generator"], one["reason"]): one["candidates"] for one in section["counts"]}
    for reason in {row["reason"] for row in found}:
        own = [row for row in found if row["reason"] == reason]
        assert counts["all", reason or "kept"] == len(own)
        for name in ("thesaurus", "vectors"):
            number = sum(row[f"{name}_score"] is not None for row in own)
            assert counts.get((name, reason or "kept"), 0) == number
    assert section["instances"] == 6
    assert section["settings"][0]["protected"] == {"name": 1}
    entry = manifest(out)["sections"]["simplify.generate"] if "sections" in manifest(out) else {}
    assert str(out) not in json.dumps(entry)


def test_bytes_are_the_same_anew_and_in_one_part(world, tmp_path):
    out, words, _ = world
    begin = ("simplify", "generate")
    end = ("--generators", "thesaurus,vectors", *words)
    assert call(*begin, out, *end) == 0
    first, found = digests(out), rows(out)
    assert call(*begin, out, *end, "--overwrite", "--fresh") == 0
    assert digests(out) == first
    alone = publish(tmp_path / "alone", ROWS, parts=1)
    assert call(*begin, alone, *end) == 0
    order = ("instance_id", "setting", "form")
    assert rows(alone) == sorted(found, key=lambda row: [row[name] for name in order])


def test_another_thesaurus_is_made_anew_and_nothing_else(world, capsys):
    out, words, folder = world
    assert call("simplify", "generate", out, *words) == 0
    first = digests(out)
    with (folder / "th.dat").open("a", encoding="utf-8") as file:
        file.write("nunca|1\n-|jamás\n")
    assert call("simplify", "generate", out, *words, "--overwrite") == 0
    assert digests(out) == first  # nobody asked for the new word
    with (folder / "th.dat").open("a", encoding="utf-8") as file:
        file.write("xyz|1\n-|perro\n")
    assert call("simplify", "generate", out, *words, "--overwrite") == 0
    assert digests(out) != first


def test_settings_of_a_file(world):
    out, words, folder = world
    settings = folder / "settings.yaml"
    assert call("simplify", "generate", out, *words, "--settings", settings, "--k", "3") == 0
    found = rows(out)
    assert {row["setting"] for row in found} == {"one", "two"}
    kept = [row for row in found if row["rank"]]
    assert max(row["rank"] for row in kept if row["setting"] == "two") == 2
    assert max(row["rank"] for row in kept if row["setting"] == "one") == 3
    assert {row["vectors_score"] for row in found if row["setting"] == "one"} == {None}
    assert call("simplify", "generate", out, *words, "--setting", "no name") == 2


def test_gold_for_the_evaluation_of_rankers(world):
    out, _, folder = world
    assert (
        call(
            "simplify",
            "generate",
            out,
            "--generators",
            "gold",
            "--setting",
            "gold",
            "--inflector",
            folder / "es.inflector",
        )
        == 0
    )
    kept = {(row["instance_id"], row["form"]) for row in rows(out) if row["reason"] is None}
    assert kept == {
        (ROWS[0]["instance_id"], "canes"),
        (ROWS[0]["instance_id"], "gatos"),
        (ROWS[3]["instance_id"], "agotó"),
    }
    # How many people gave one is nowhere among the candidates.
    assert {row["gold_score"] for row in rows(out)} == {1.0}
    assert {row["score"] for row in rows(out)} == {1.0}


def test_candidates_are_shown(world, capsys):
    out, words, _ = world
    assert call("simplify", "generate", out, *words) == 0
    capsys.readouterr()
    assert call("show", out, "--candidates", "Cansada") == 0
    said = capsys.readouterr().out
    assert "[cansada]" in said
    assert "agotada" in said
    assert call("show", out, "--candidates", ROWS[0]["instance_id"], "--kept", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    shown = shown if isinstance(shown, list) else shown["rows"]
    assert {row["target"] for row in shown} == {"perros"}
    assert [row["rank"] for row in shown] == list(range(1, len(shown) + 1))
    assert call("show", out, "--candidates", "cansads") == 2
    assert "cansada" in capsys.readouterr().err
    assert call("show", out, "--candidates", "perros", "--of-setting", "x") == 2


def test_from_a_benchmark_to_the_report(world):
    _, words, folder = world
    file, out = folder / "rows.tsv", folder / "from_file"
    file.write_text("Vio los perros.\tperros\tcanes\tcanes\tgatos\nSe cansó.\tcansó\tagotó\n")
    assert call("simplify", "instances", file, "--layout", "alexsis", "--language", "es", "--out", out) == 0
    assert call("simplify", "generate", out, *words) == 0
    # Nothing is annotated: the form dictionary says what the targets are.
    assert {"canes", "amigos", "agotó"} <= {row["form"] for row in rows(out) if row["rank"]}
    assert call("report", out, "--out", folder / "page.html") == 0
    page = (folder / "page.html").read_text("utf-8")
    assert "Instances with candidates" in page
    assert "is_target" in page


def test_what_is_missing_is_said(world, capsys):
    out, words, folder = world
    assert call("simplify", "generate", out) == 2
    assert "--thesaurus" in capsys.readouterr().err
    assert call("simplify", "generate", out, *words, "--senses", "worst") == 2
    assert "--senses" in capsys.readouterr().err
    assert call("simplify", "generate", out, "--thesaurus", folder / "nowhere.dat") in (1, 2)
    assert "nowhere.dat" in capsys.readouterr().err
    others = words[: words.index("--inflector")]
    assert call("simplify", "generate", out, *others, "--inflector", folder / "th.dat") == 1
    assert "th.dat" in capsys.readouterr().err


def test_an_inflector_of_another_language_is_told(tmp_path, caplog):
    words = write_world(tmp_path)
    out, english = tmp_path / "made", tmp_path / "en.inflector"
    (tmp_path / "own.txt").write_text("Vio los [[perros]].\n", "utf-8")
    assert call("simplify", "instances", tmp_path / "own.txt", "--language", "es", "--out", out) == 0
    keep_inflector(english, [("dog", "NOUN", "Number=Plur", "dogs")], "en")
    given = [*words[: words.index("--inflector")], "--inflector", english]
    for command in (("generate", *given), ("select", "--filters", "none", "--inflector", english)):
        caplog.clear()
        assert call("simplify", command[0], out, *command[1:]) == 0
        assert "of language en, but the instances are of es" in caplog.text
    caplog.clear()
    assert call("simplify", "generate", out, *words, "--overwrite") == 0
    assert "of language" not in caplog.text
