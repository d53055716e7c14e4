"""`lexbeam complexity features` on published instances: tables, sameness, errors."""

import itertools
import math

import numpy as np
import pytest
from featured import instance, instances
from making import put
from retrained import Retrained, words_of
from small_encoders import trained
from small_runs import call, make_out, manifest

from lexbeam.pipelines.frame.registry import load
from lexbeam.schemas.complexity import INSTANCES, LABELS
from lexbeam.transforms.common.publish.sections import Made
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import Part, write_part
from lexbeam.transforms.embeddings.published import as_trained

pytestmark = pytest.mark.slow

ROWS = [
    instance("sea", "The ship sails over the sea.", genre="bible"),
    instance("gene expression", "Of the gene expression in mice.", genre="biomed"),
    instance("null", "It is null.", genre="biomed"),
    instance("Donaudampfschiff", "Das Donaudampfschiff fährt.", language="de", genre=None),
    instance("información", "La información llega.", language="es", genre=None),
]


def publish(out, rows=ROWS, parts=2, complexity=0.5):
    """Publish instances and labels as `lexbeam complexity load` does."""
    table = instances(*rows).sort_by("instance_id")
    cuts = [len(table) * place // parts for place in range(parts + 1)]
    made = [
        Part.of(
            INSTANCES.name,
            n,
            write_part(Artefact(f"{out}-i{n}"), INSTANCES.schema(), [table[a:b]], sort_keys=INSTANCES.key),
        )
        for n, (a, b) in enumerate(itertools.pairwise(cuts))
    ]
    labels = [{"instance_id": name, "group": "", "complexity": complexity} for name in table["instance_id"].to_pylist()]
    schema = LABELS.schema()
    written = write_part(
        Artefact(f"{out}-l"), schema, [schema.empty_table().from_pylist(labels, schema)], sort_keys=LABELS.key
    )
    section = (*made, Part.of(LABELS.name, 0, written))
    put(out, Made(name="complexity.load", parts=section, entry={"options": {}, "inputs": []}))
    return out


def features(out, *words):
    return call("complexity", "features", out, "--languages", "de", *words)


def digests(out):
    tables = manifest(out)["tables"]
    return {name: tables[name] for name in ("complexity/features", "complexity/coverage")}


@pytest.fixture(autouse=True)
def cache(wordfreq_cache, monkeypatch):
    """One cache of word frequencies for all of these tests."""
    monkeypatch.setenv("LEXBEAM_CACHE", wordfreq_cache)


@pytest.fixture
def norms(tmp_path):
    path = tmp_path / "norms.csv"
    path.write_text("word,age\nsea,3.5\ngene,12\nnull,9\n")
    return f"age={path}:word=word,value=age,language=en"


def test_tables_coverage_and_summary(tmp_path, norms, capsys):
    out = publish(tmp_path / "out")
    assert features(out, "--wordlist", norms) == 0
    told = capsys.readouterr().out
    assert "features of 5 instances" in told
    assert "  norms: 6" in told
    snapshot = open_snapshot(str(out))
    rows = {row["instance_id"]: row for row in snapshot.read("complexity/features").to_pylist()}
    assert list(rows) == sorted(rows)
    own = {one["token"]: rows[one["instance_id"]] for one in ROWS}
    assert [own[name]["age"] for name in ("sea", "gene expression", "null")] == [3.5, 12, 9]
    assert own["Donaudampfschiff"]["age_known"] is False
    assert own["información"]["zipf"] > 4
    assert own["Donaudampfschiff"]["syllables"] == 4
    coverage = {
        (row["feature"], row["kind"], row["genre"]): (row["instances"], row["known"])
        for row in snapshot.read("complexity/coverage").to_pylist()
    }
    assert coverage["age", "single", None] == (2, 0)
    assert coverage["age_known", "single", "bible"] == (1, 1)
    assert coverage["age_last", "mwe", "biomed"] == (1, 0)
    assert ("age_last", "single", "biomed") not in coverage
    (panel,) = load("complexity features").report(snapshot)
    age = [row for row in panel.rows.to_pylist() if row["feature"] == "age"]
    assert [(row["kind"], row["biomed"]) for row in age] == [("mwe", 100), ("single", 100)]
    groups = {field.metadata[b"group"] for field in list(snapshot.read("complexity/features").schema)[4:]}
    assert groups == {b"form", b"frequency", b"norms", b"context", b"syntax", b"mwe"}


def test_the_same_whatever_the_labels_and_the_parts(tmp_path, norms, made_once):
    one = publish(tmp_path / "one", complexity=0.1)
    two = publish(tmp_path / "two", complexity=0.9)
    made = made_once("small_out", make_out)
    words = ["--use", "form,frequency,norms,context,syntax,mwe,corpus,surprisal,vectors,encoder"]
    words += ["--wordlist", norms, "--corpus", made, "--vectors", f"{made}:slice=1850-1900"]
    words += ["--encoder", made_once("encoder-bert", lambda folder: trained(folder, "bert")), "--encoder-device", "cpu"]
    assert features(one, *words) == 0
    assert features(two, *words) == 0
    assert digests(one) == digests(two)
    # How the instances are dealt out to parts changes no row.
    three = publish(tmp_path / "three", parts=1)
    assert features(three, *words) == 0
    rows = [open_snapshot(str(out)).read("complexity/features").to_pylist() for out in (one, three)]
    assert rows[0] == rows[1]


def test_groups_that_are_named(tmp_path, norms):
    out = publish(tmp_path / "out")
    assert features(out, "--use", "norms", "--wordlist", norms) == 0
    names = open_snapshot(str(out)).read("complexity/features").column_names
    assert names[4:] == [f"age{sd}{end}" for sd in ("", "_known") for end in ("", "_first", "_last")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--use", "norms"], "the group norms, which needs --wordlist"),
        (["--use", "wordnet"], "the group wordnet, which needs --wordnet"),
        (["--use", "forms"], "did you mean 'form'"),
        (["--languages", "eu"], "wordfreq has no language 'eu'"),
        (["--wordlist", "a=wordnet"], "'a' is no word list: give it as --wordnet"),
        (["--wordlist", "zipf={norms}"], "two columns would be called 'zipf'"),
        (["--wordlist", "a_sd={norms}"], "cannot be called 'a_sd'"),
        (["--wordlist", "a=nowhere.csv:word=1,value=2"], "no file or folder is at"),
        (["--wordnet", "nowhere"], "no file or folder is at"),
    ],
)
def test_errors_name_the_remedy(tmp_path, capsys, norms, words, message):
    out = publish(tmp_path / "out")
    spec = norms.partition("=")[2]
    filled = [word.format(norms=spec) for word in words]
    assert call("complexity", "features", out, *filled) == 2
    assert message in capsys.readouterr().err
    assert "complexity.features" not in open_snapshot(str(out)).sections


def test_no_language_is_told(tmp_path, caplog):
    rows = [instance("sea", "The ship sails over the sea.", language=None)]
    assert features(publish(tmp_path / "out", rows, parts=1), "--use", "frequency") == 0
    assert "some instances have no language" in caplog.text
    caplog.clear()
    assert features(publish(tmp_path / "known"), "--use", "frequency") == 0
    assert "no language" not in caplog.text


def test_a_reference_corpus(tmp_path, made_once):
    reference = made_once("small_out", make_out)
    rows = [*ROWS, instance("sea and", "The ship sails over the sea and the land.")]
    out = publish(tmp_path / "out", rows)
    assert features(out, "--use", "corpus", "--corpus", reference) == 0
    made = open_snapshot(str(out)).read("complexity/features").to_pylist()
    found = {row["instance_id"]: row for row in made}
    sea, pair = found[ROWS[0]["instance_id"]], found[rows[-1]["instance_id"]]
    # Four documents of ten sentences each, `the ship sails over the sea and ... number N.`
    assert sea["corpus_documents"] == 1
    assert sea["corpus_dispersion"] == pytest.approx(0, abs=0.01)
    assert pair["corpus_zipf_first"] == sea["corpus_zipf"]
    sentences = open_snapshot(str(reference)).read("sentences")["forms"].to_pylist()
    tokens = sum(map(len, sentences))
    assert sea["corpus_zipf"] == pytest.approx(math.log10(40 / tokens) + 9)
    assert pair["phrase_pmi"] == pytest.approx(math.log2(tokens / 40))


def test_surprisal_without_the_sentence(tmp_path):
    rows = [
        *ROWS[:4],
        instance("ship", ROWS[0]["sentence"]),
        instance("gene expression", "The ship over gene expression."),
    ]
    out = publish(tmp_path / "out", rows, parts=3)
    assert features(out, "--use", "surprisal") == 0
    found = told(out)
    # Distinct sentences of the language; that of two instances counts once, whatever its part.
    sentences = {tuple(words_of(row["forms"])) for row in rows if row["language"] == "en"}
    for row, place in ((rows[0], 5), (rows[4], 1)):
        words = words_of(row["forms"])
        model = Retrained([list(other) for other in sentences if list(other) != words])
        base = 10 ** (word_frequency(words[place]) - 9)
        assert found[row["instance_id"]]["surprisal"] == pytest.approx(model.bits(words, place, base))
    one = publish(tmp_path / "one", rows, parts=1)
    assert features(one, "--use", "surprisal") == 0
    assert told(one) == found


def test_surprisal_in_a_reference_corpus(tmp_path, made_once):
    reference = made_once("small_out", make_out)
    sentences = open_snapshot(str(reference)).read("sentences")["forms"].to_pylist()
    own = " ".join(sentences[3])
    rows = [instance("sea", own), instance("sea", "Over the sea.")]
    out = publish(tmp_path / "out", rows)
    words = ["--use", "surprisal,corpus", "--corpus", reference]
    assert features(out, *words) == 0
    found = told(out)
    for row in rows:
        forms = words_of(row["forms"])
        left = [other for other in map(words_of, sentences) if other != forms]
        assert row is rows[1] or len(left) < len(sentences)
        place = forms.index("sea")
        expected = Retrained(left).bits(forms, place, 10 ** (word_frequency("sea") - 9))
        assert found[row["instance_id"]]["surprisal"] == pytest.approx(expected)


def test_vectors_of_a_run_of_change(tmp_path, made_once):
    folder = made_once("small_out", make_out)
    rows = [*ROWS[:2], instance("ship", "The ship sings.")]
    out = publish(tmp_path / "out", rows)
    words = ["--use", "vectors", "--vectors", f"{folder}:slice=1850-1900"]
    assert features(out, *words) == 0
    ship = told(out)[rows[2]["instance_id"]]
    early, late = (norm_of(folder, name, "ship") for name in ("1800-1849", "1850-1900"))
    assert ship["vector_norm"] == pytest.approx(late, rel=1e-5)
    assert late != pytest.approx(early, rel=1e-5)
    assert -1 <= ship["vector_near"] <= 1
    assert ship["vector_near_zipf"] > 4


def test_a_slice_that_is_not_there(tmp_path, made_once, capsys):
    folder = made_once("small_out", make_out)
    out = publish(tmp_path / "out")
    assert features(out, "--vectors", f"{folder}:slice=1850") == 1
    assert "no slice '1850'" in capsys.readouterr().err


def test_an_encoder(tmp_path, made_once):
    folder = made_once("encoder-bert", lambda folder: trained(folder, "bert"))
    out = publish(tmp_path / "out")
    words = ["--use", "encoder", "--encoder", folder, "--encoder-device", "cpu"]
    assert features(out, *words) == 0
    sea = told(out)[ROWS[0]["instance_id"]]
    assert sea["encoder_pieces"] >= 1
    assert sea["encoder_surprisal"] > 0
    assert open_snapshot(str(out)).section("complexity.features")["resources"]["encoder"]["digest"]


def told(out):
    rows = open_snapshot(str(out)).read("complexity/features").to_pylist()
    return {row["instance_id"]: row for row in rows}


def word_frequency(word):
    from wordfreq import zipf_frequency

    return zipf_frequency(word, "en")


def norm_of(folder, slice, word):
    snapshot = open_snapshot(str(folder))
    made = as_trained(snapshot, slice, snapshot.section("change")["seeds"][0])
    return float(np.linalg.norm(made.vectors[list(made.words).index(word)].astype(float)))
