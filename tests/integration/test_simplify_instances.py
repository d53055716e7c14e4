"""`lexbeam simplify instances`: from files in to published tables out."""

import itertools
import statistics

import pytest
from scored import publish, tables
from small_runs import call, manifest

from lexbeam.schemas.simplification import FLAGS, INSTANCE_REASONS, INSTANCES, SUBSTITUTES
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store import artefacts

TABLES = ("instances", "substitutes", "rejects")
VAST = 'The "old sea was vast, very vast.'
GOLD = (
    f"{VAST}\tvast\tbig\thuge\tBig\t\tvast\tvery big\n"
    "A ship sails on.\tsails\tgoes\tmoves\tgoes\n"
    "A ship sails on.\tship\tboat\tboat\n"
    "No target here.\tsails\tgoes\n"
    "\tsails\tgoes\n"
)
MORE = "A ship sails on.\tship\tboat\tvessel\tBOAT\n"
CWI = (
    "".join(
        f"{n}\tLa licuefacción de un gas {n}.\t{at}\t10\t0\t{marks}\t0\t1\t.{marks}\n"
        for n, (at, marks) in enumerate(
            [
                ("3\t15\tlicuefacción", 7),
                ("3\t15\tlicuefacción", 4),
                ("0\t2\tLa", 9),
                ("3\t18\tlicuefacción de", 9),
                ("22\t25\tgas", 5),
            ]
        )
    )
    + "0\tLa licuefacción de un gas 0.\t3\t15\tlicuefacción\t10\t0\t6\t0\t1\t.6\n"
)


@pytest.fixture
def gold(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.tsv").write_text(GOLD, "utf-8")
    (tmp_path / "in" / "b.tsv").write_text(MORE, "utf-8")
    return [tmp_path / "in" / "a.tsv", tmp_path / "in" / "b.tsv"]


def instances(out, *words):
    return call("simplify", "instances", *words, "--out", out)


def read(out, table):
    return open_snapshot(str(out)).read(f"simplification/{table}").to_pylist()


def rejected(out):
    return [(row["source"], row["position"], row["reason"]) for row in read(out, "rejects")]


def parts(out):
    folder = out / "simplification"
    return {table: [path.read_bytes() for path in sorted((folder / table).glob("*.parquet"))] for table in TABLES}


def test_a_fresh_run_takes_nothing_up(gold, tmp_path, monkeypatch):
    words = ("--layout", "tsar", "--language", "en", "--max-reject-share", ".5", "--overwrite")
    made = []
    write_receipt = artefacts.write_receipt

    def noted(path, *others):
        made.append(path)
        write_receipt(path, *others)

    monkeypatch.setattr(artefacts, "write_receipt", noted)
    assert instances(tmp_path / "one", *gold, *words) == 0
    first, made[:] = sorted(made), []
    assert instances(tmp_path / "one", *gold, *words) == 0
    assert made == []
    assert instances(tmp_path / "one", *gold, *words, "--fresh") == 0
    assert sorted(made) == first != []


def test_files_of_substitutes(gold, tmp_path, capsys):
    words = ("--layout", "tsar", "--language", "en", "--max-reject-share", ".5", "--parts", 3)
    assert instances(tmp_path / "one", *gold, *words) == 0
    told = capsys.readouterr().out
    assert "3 instances of 4 records (tsar), 3 with substitutes, 8 in all; 2 rejected" in told
    assert "warning: no lemmas" in told
    rows = {row["target"]: row for row in read(tmp_path / "one", "instances")}
    assert set(rows) == {"vast", "sails", "ship"}
    for row in rows.values():
        assert row["sentence"][row["start"] : row["end"]] == row["target"]
        assert (row["lemma"], row["judgment"]) == (None, None)
    assert rows["vast"]["sentence"] == VAST
    assert (rows["vast"]["start"], rows["vast"]["position"]) == (17, "1")
    assert rows["vast"]["flags"] == ["several", "empty_cell", "target_in_gold"]
    assert (rows["ship"]["source"], rows["ship"]["records"]) == ("a.tsv", 2)
    found = {name: [] for name in rows}
    by_id = {row["instance_id"]: name for name, row in rows.items()}
    for row in read(tmp_path / "one", "substitutes"):
        found[by_id[row.pop("instance_id")]].append(tuple(row.values()))
    assert found == {
        "vast": [("Big", 2, 1, False), ("huge", 1, 2, False), ("vast", 1, None, True), ("very big", 1, 2, False)],
        "sails": [("goes", 2, 1, False), ("moves", 1, 2, False)],
        "ship": [("BOAT", 4, 1, False), ("vessel", 1, 2, False)],
    }
    assert rejected(tmp_path / "one") == [("a.tsv", "4", "not_in_sentence"), ("a.tsv", "5", "malformed")]
    # Whatever the order of files; and told, the layout is the same.
    auto = ("--language", "en", "--max-reject-share", ".5", "--parts", 3)
    assert instances(tmp_path / "two", *gold[::-1], *auto) == 0
    assert parts(tmp_path / "one") == parts(tmp_path / "two")
    capsys.readouterr()
    assert call("show", tmp_path / "one", "--instances", 5, "--of", "SHIP") == 0
    assert "A [ship] sails on.  BOAT 4, vessel 1" in capsys.readouterr().out
    assert call("show", tmp_path / "one", "--instances", 5, "--of", "shop") != 0
    assert "'ship'" in capsys.readouterr().err
    assert call("report", tmp_path / "one") == 0
    # Tables say what may stand in them.
    snapshot = open_snapshot(str(tmp_path / "one"))
    for table in (INSTANCES, SUBSTITUTES):
        stored = snapshot.read(table.name)
        assert stored.schema.names == table.schema().names
        keys = list(zip(*(stored[name].to_pylist() for name in table.key), strict=True))
        assert keys == sorted(set(keys))
    flags = itertools.chain(*snapshot.read(INSTANCES.name)["flags"].to_pylist())
    assert set(flags) <= set(FLAGS)
    assert {row["reason"] for row in read(tmp_path / "one", "rejects")} <= set(INSTANCE_REASONS)


def test_occurrences_all_and_none(gold, tmp_path):
    words = ("--layout", "alexsis", "--language", "en", "--max-reject-share", "1")
    assert instances(tmp_path / "all", gold[0], *words, "--occurrences", "all") == 0
    starts = [row["start"] for row in read(tmp_path / "all", "instances") if "several" in row["flags"]]
    assert sorted(starts) == [17, 28]
    assert instances(tmp_path / "none", gold[0], *words, "--occurrences", "reject") == 0
    assert manifest(tmp_path / "none")["simplify.instances"]["rejects"] == {
        "malformed": 1,
        "not_in_sentence": 1,
        "several": 1,
    }
    assert manifest(tmp_path / "none")["simplify.instances"]["left_out"] == 1


def test_marked_sentences_are_annotated(tmp_path, capsys):
    path = tmp_path / "own.txt"
    path.write_text("The old [[men]] were [[walking]] home.\nNo mark.\nA [[can't-say]] case.\n")
    out = tmp_path / "out"
    words = ("--layout", "text", "--engine", "builtin:en", "--max-reject-share", ".5")
    assert instances(out, path, *words) == 0
    told = capsys.readouterr().out
    assert "warning: no lemmas" not in told
    assert "warning: no features" in told
    rows = {row["target"]: row for row in read(out, "instances")}
    assert (rows["men"]["lemma"], rows["men"]["upos"], rows["men"]["feats"]) == ("man", "NOUN", None)
    assert (rows["walking"]["lemma"], rows["walking"]["upos"]) == ("walk", "VERB")
    assert {row["language"] for row in rows.values()} == {"en"}
    assert read(out, "substitutes") == []
    assert [row["reason"] for row in read(out, "rejects")] == ["no_target"]


def test_tables_of_other_separators_and_encodings(tmp_path, capsys):
    easier = tmp_path / "SGSS.csv"
    easier.write_bytes(
        "1;1;licuefacción;La licuefacción; lenta, de un gas.;fusión, paso a líquido\n".encode()
        + "1;2;sílaba;Una sílaba átona.;parte\n".encode("cp1252")
    )
    own = tmp_path / "own.csv"
    own.write_text("n;Frase;Palabra\n1;El mar.;mar\n")
    words = (easier, "--language", "es", "--encoding", "utf-8,cp1252")
    assert instances(tmp_path / "easier", *words) == 0
    assert "2 instances of 2 records (easier), 2 with substitutes, 3 in all" in capsys.readouterr().out
    assert sorted(row["substitute"] for row in read(tmp_path / "easier", "substitutes")) == [
        "fusión",
        "parte",
        "paso a líquido",
    ]
    words = (own, "--language", "es", "--delimiter", ";", "--columns", "sentence=frase,target=palabra")
    assert instances(tmp_path / "own", *words) == 0
    assert "1 instance of 1 record (text with a header)" in capsys.readouterr().out


def test_words_of_cwi_2018_and_what_people_say_of_them(tmp_path, capsys):
    path = tmp_path / "Spanish_Train.tsv"
    path.write_text(CWI, "utf-8")
    assert instances(tmp_path / "cwi", path, "--layout", "cwi2018", "--language", "es") == 0
    section = manifest(tmp_path / "cwi")["simplify.instances"]
    assert (section["records"], section["instances"]) == (3, 2)
    assert section["rejects"] == {"below_native": 1, "capital": 1, "phrase": 1}
    first, second = sorted(read(tmp_path / "cwi", "instances"), key=lambda row: row["target"])
    assert (second["target"], second["records"], second["complexity"]) == ("licuefacción", 2, 0.7)
    judged = tmp_path / "judged.tsv"
    judged.write_text(
        "instance_id\tsentence\ttarget\tannotator\tjudgment\n"
        f"{first['instance_id']}\t\t\tana\tsimplifiable\n"
        f"\t{first['sentence']}\tgas\tbob\tsimplifiable\n"
        f"{second['instance_id']}\t\t\tana\tnot\n"
        f"{second['instance_id']}\t\t\tbob\tdubious\n"
        f"{'0' * 32}\t\t\tbob\tdubious\n"
        f"{second['instance_id']}\t\t\tbob\tmaybe\n"
    )
    words = (path, "--language", "es", "--judgments", judged)
    capsys.readouterr()
    assert instances(tmp_path / "judged", *words) == 0
    assert "4 of 5 judgments are of instances, 0 joint, by 2 annotators" in capsys.readouterr().out
    rows = read(tmp_path / "judged", "instances")
    found = {row["target"]: (row["judgment"], row["judges"]) for row in rows}
    assert found == {"gas": ("simplifiable", 2), "licuefacción": ("dubious", 2)}
    assert instances(tmp_path / "kept", *words, "--only-simplifiable") == 0
    assert [row["target"] for row in read(tmp_path / "kept", "instances")] == ["gas"]
    rejects = rejected(tmp_path / "kept")
    # A reject for each record of what is left out.
    assert set(rejects) >= {
        ("Spanish_Train.tsv", "1", "dubious"),
        ("Spanish_Train.tsv", "6", "dubious"),
        ("judged.tsv", "6", "unknown"),
        ("judged.tsv", "7", "wrong_answer"),
    }
    assert len(rejects) == 3 + 4
    with judged.open("a") as file:
        file.write(f"{second['instance_id']}\t\t\tjoint\tsimplifiable\n")
    assert call("status", tmp_path / "kept") == 0
    assert "judged.tsv" in capsys.readouterr().out
    assert instances(tmp_path / "kept", *words, "--only-simplifiable", "--overwrite") == 0
    assert len(read(tmp_path / "kept", "instances")) == 2


def test_complex_words_of_the_complexity_task(tmp_path, capsys):
    rows = ["id\tsentence\ttoken\tcomplexity"]
    rows += [f"{n}\tThe ship {n} sails.\tship\t{n / 10}" for n in range(11)]
    rows += ["x\tThe ship\tocean\t.9", "y\t\tword\t.9", "z\tThe sea.\tsea\t"]
    (tmp_path / "own.tsv").write_text("\n".join(rows))
    lcp = tmp_path / "lcp"
    load = ("complexity", "load", tmp_path / "own.tsv", "--layout", "tsv", "--language", "en")
    assert call(*load, "--engine", "builtin:en", "--out", lcp) == 0
    out = tmp_path / "out"
    assert instances(out, lcp, "--layout", "complexity", "--min-complexity", ".75") == 1
    assert "max-reject-share" in capsys.readouterr().err
    words = ("--min-complexity", ".75", "--max-reject-share", ".5")
    assert instances(out, lcp, *words) == 0
    found = read(out, "instances")
    assert sorted(row["complexity"] for row in found) == [0.8, 0.9, 1.0]
    assert {(row["lemma"], row["upos"], row["language"]) for row in found} == {("ship", "NOUN", "en")}
    assert {row["source"] for row in found} == {"own.tsv"}
    section = manifest(out)["simplify.instances"]
    assert section["rejects"] == {"below_complexity": 8, "no_complexity": 1, "no_sentence": 1, "not_in_sentence": 1}
    capsys.readouterr()
    assert call("status", out) == 0
    assert "stale" not in capsys.readouterr().out
    assert instances(tmp_path / "x", lcp, "--scorer", "ridge") == 2
    assert "no predictions of 'ridge'" in capsys.readouterr().err


def test_predictions_of_a_scorer_decide(tmp_path):
    publish(tmp_path / "scored", tables(singles=24, expressions=0))
    path = str(tmp_path / "scored")
    score = ("complexity", "score", path, "--scorer", "ridge", "--resamples", 10)
    assert call(*score, "--overwrite") == 0
    snapshot = open_snapshot(path)
    predicted = {
        row["instance_id"]: row["prediction"]
        for row in snapshot.read("complexity/predictions").to_pylist()
        if row["scorer"] == "ridge"
    }
    out = tmp_path / "out"
    words = (path, "--scorer", "ridge", "--language", "en", "--max-reject-share", "1")
    least = statistics.median(predicted.values())
    assert instances(out, *words, "--min-complexity", least) == 0
    kept = [value for value in predicted.values() if value >= least]
    assert 0 < len(kept) < len(predicted)
    section = manifest(out)["simplify.instances"]
    assert section["rejects"] == {"below_complexity": len(predicted) - len(kept)}
    assert section["records"] == len(kept)
    assert {row["complexity"] for row in read(out, "instances")} <= set(kept)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--layout", "alexsis"], "give --language"),
        (["--layout", "tsar", "--language", "en", "--min-native", 3], "--min-native is of layout"),
        (["--layout", "cwi2018", "--quoting"], "--quoting is of layout text"),
        (["--layout", "tsar", "--columns", "sentence=a"], "--columns is of layout text"),
        (["--layout", "tsar", "--delimiter", ";"], "--delimiter is of layout text"),
        (["--language", "en", "--only-simplifiable"], "needs --judgments"),
        (["--language", "e n"], "write a code such as en"),
        (["--layout", "text", "--language", "en", "--scorer", "x"], "--scorer is of layout"),
    ],
)
def test_options_that_do_not_fit(words, told, gold, tmp_path, capsys):
    assert instances(tmp_path / "out", gold[0], *words) == 2
    assert told in capsys.readouterr().err


def test_what_is_of_no_layout_is_an_error_that_names_the_file(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("Just a sentence.\n")
    assert instances(tmp_path / "out", tmp_path / "a.txt", "--language", "en") == 1
    assert "a.txt: its layout is not recognised" in capsys.readouterr().err


@pytest.mark.data
def test_alexsis_benchls_and_cwi_2018_as_they_are(data, tmp_path):
    wanted = {"alexsis/ALEXSIS_first190.tsv": ("es", 190), "lexsub/BenchLS.txt": ("en", 929), "cwi2018-es": ("es", 510)}
    for name, (language, number) in wanted.items():
        if not (data / name).exists():
            pytest.skip(f"needs {name}")
        out = tmp_path / name.replace("/", "-")
        assert instances(out, data / name, "--language", language) == 0
        section = manifest(out)["simplify.instances"]
        assert section["instances"] == number
        assert section["rejected"] == section["left_out"]
        assert section["records"] == {510: 520}.get(number, number)


@pytest.mark.data
def test_features_of_the_token_where_the_engine_has_them(models, tmp_path, capsys):
    for name, language in (("en_ud", "en"), ("es_cess", "es")):
        if not (models / name).exists():
            pytest.skip(f"needs {name}")
        text = "The [[dogs]] ran." if language == "en" else "Los [[perros]] corren."
        (tmp_path / f"{name}.txt").write_text(text)
        out = tmp_path / name
        assert instances(out, tmp_path / f"{name}.txt", "--engine", f"spacy:{models / name}") == 0
        (row,) = read(out, "instances")
        assert (row["upos"], row["language"]) == ("NOUN", language)
        assert row["lemma"] == {"en": "dog", "es": "perro"}[language]
        assert row["feats"] == {"en": "Number=Plur", "es": None}[language]
        told = capsys.readouterr().out
        assert ("warning: no features" in told) == (language == "es")
