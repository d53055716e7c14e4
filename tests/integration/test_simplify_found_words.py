"""`lexbeam simplify instances` where nothing names the words: found in corpora and in texts, against plain loops."""

import math
import random

import pytest
from small_runs import call, manifest
from wordfreq import zipf_frequency

from lexbeam.schemas.simplification import CHOSEN_BY
from lexbeam.transforms.common.publish.snapshots import open_snapshot

TAGS = {
    "NOUN": ["ordinance", "dog", "Council", "well-being", "CO2", "km"],
    "VERB": ["promulgated", "runs"],
    "ADJ": ["inscrutable", "big"],
    "ADV": ["hitherto"],
    "DET": ["the", "The"],
    "PROPN": ["Paris"],
    "NUM": ["12"],
    "_": ["hm"],
}
TEXT = (
    "The committee promulgated an inscrutable ordinance.\n\nAn arduous negotiation followed in 1999; the well-known "
    "magistrate\n convened the delegates of NATO. The Habeas Corpus court slept."
)
GLOSSARY = "habeas corpus\nDelegate\n\n"


def found(out, *words):
    return call("simplify", "instances", *words, "--out", out)


def read(out, table="simplification/instances"):
    return open_snapshot(str(out)).read(table).to_pylist()


def parts(out):
    return [path.read_bytes() for path in sorted((out / "simplification" / "instances").glob("*.parquet"))]


def write_file(path, seed):
    """Write three documents; every fifth sentence has no parts of speech."""
    draw = random.Random(seed)
    lines = []
    for number in range(3):
        lines.append(f"# newdoc id = {path.stem}{number}")
        for sentence in range(8):
            for place in range(1, draw.randint(3, 6)):
                tag = draw.choice(list(TAGS))
                form = draw.choice(TAGS[tag])
                feats = "Number=Sing" if tag == "NOUN" else "_"
                tag = "_" if sentence % 5 == 4 else tag
                lines.append("\t".join([str(place), form, f"{form}L", tag, "_", feats, *["_"] * 4]))
            lines.append("")
    path.write_text("\n".join(lines) + "\n", "utf-8")


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """Two corpora that share a file, in different parts; and one of all files."""
    folder = tmp_path_factory.mktemp("found")
    files = [folder / f"{name}.conllu" for name in "abc"]
    for seed, path in enumerate(files):
        write_file(path, seed)
    for name, inputs, number in (("first", files[:2], 2), ("second", files[1:], 3), ("all", files, 1)):
        words = ("--format", "conllu", "--layers", "feats", "--language", "en", "--parts", number)
        assert call("corpus", *inputs, "--out", folder / name, *words) == 0
    return folder


def content(folder):
    """Return the content words of a corpus: sentence, start, target and what the corpus says of it."""
    rows = set()
    for row in read(folder, "sentences"):
        text = " ".join(row["forms"])
        start = 0
        for place, form in enumerate(row["forms"]):
            tag = row["upos"][place] if row["upos"] else None
            name = form == "Council" and any(c.isalnum() for c in text[:start])
            if tag in ("NOUN", "VERB", "ADJ", "ADV") and form != "CO2" and not name:
                feats = row["feats"][place] if row["feats"] else None
                rows.add((text, start, form, f"{form}L".lower(), tag, feats))
            start += len(form) + 1
    return rows


def test_content_words_of_corpora(corpora, tmp_path, capsys):
    assert found(tmp_path / "one", corpora / "all", "--targets", "content", "--parts", 3) == 0
    told = capsys.readouterr().out
    rows = read(tmp_path / "one")
    made = {tuple(row[name] for name in ("sentence", "start", "target", "lemma", "upos", "feats")) for row in rows}
    assert made == content(corpora / "all")
    assert {(row["chosen_by"], row["chosen_value"], row["language"]) for row in rows} == {("content", None, "en")}
    section = manifest(tmp_path / "one")["simplify.instances"]
    assert section["records"] == 9  # documents
    assert section["found"]["sentences"] == len(read(corpora / "all", "sentences"))
    assert section["found"]["name"] > 0
    assert section["found"]["words"] == sum(row["records"] for row in rows)
    assert f"chosen of {section['found']['words']} content words" in told
    # A document of two corpora counts once, and parts decide nothing.
    several = (corpora / "second", corpora / "first", "--targets", "content", "--parts", 3)
    assert found(tmp_path / "two", *several) == 0
    assert parts(tmp_path / "one") == parts(tmp_path / "two")


@pytest.fixture
def text(tmp_path):
    (tmp_path / "own.txt").write_text(TEXT)
    (tmp_path / "glossary.txt").write_text(GLOSSARY)
    return tmp_path / "own.txt"


def test_rare_words_of_texts_and_of_their_corpus(text, tmp_path):
    words = ("--targets", "complex", "--zipf-below", 4, "--protect", tmp_path / "glossary.txt")
    assert found(tmp_path / "text", text, *words, "--engine", "builtin:en") == 0
    rows = read(tmp_path / "text")
    expected = {"promulgated", "inscrutable", "ordinance", "arduous", "negotiation", "magistrate", "convened"}
    assert {row["target"] for row in rows} == expected
    for row in rows:
        zipf = max(zipf_frequency(row["target"], "en"), zipf_frequency(row["lemma"], "en"))
        assert (row["chosen_by"], row["chosen_value"]) == ("zipf", zipf)
        assert zipf < 4
        assert row["sentence"][row["start"] : row["end"]] == row["target"]
    assert {row["sentence"] for row in rows if row["target"] == "convened"} == {
        "An arduous negotiation followed in 1999; the well-known magistrate  convened the delegates of NATO."
    }
    assert manifest(tmp_path / "text")["simplify.instances"]["found"]["word"] == 2  # delegates, Corpus
    assert call("corpus", text, "--out", tmp_path / "corpus", "--engine", "builtin:en") == 0
    assert found(tmp_path / "of_corpus", tmp_path / "corpus", *words) == 0
    kept = ("sentence", "start", "target", "lemma", "upos", "language", "source", "chosen_value")
    assert [[row[name] for name in kept] for row in read(tmp_path / "of_corpus")] == [
        [row[name] for name in kept] for row in rows
    ]
    # A list of one's own says another frequency, and words that it lacks are rare.
    (tmp_path / "list.tsv").write_text("word\tvalue\ncommittee\t1\nmagistrate\t9\n")
    mine = f"frequency={tmp_path / 'list.tsv'}:word=word,value=value"
    assert found(tmp_path / "mine", tmp_path / "corpus", *words, "--wordlist", mine) == 0
    values = {row["target"]: row["chosen_value"] for row in read(tmp_path / "mine")}
    assert values["committee"] == 1
    assert values["convened"] == 0
    assert "magistrate" not in values


def test_nothing_is_hard_in_an_easy_text(text, tmp_path):
    words = ("--targets", "complex", "--zipf-below", 0, "--engine", "builtin:en")
    assert found(tmp_path / "easy", text, *words) == 0
    assert read(tmp_path / "easy") == []


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """A scorer that was saved, and what it says of the words of some sentences."""
    folder = tmp_path_factory.mktemp("scored")
    nouns = ["ordinance", "dog", "magistrate", "tax", "negotiation", "sea", "delegate", "word"]
    sentences = [f"The {noun} was {adjective}." for noun in nouns for adjective in ("arduous", "big", "inscrutable")]
    lines = ["id\tsentence\ttoken\tcomplexity"]
    for number, sentence in enumerate(sentences):
        for word in (sentence.split()[1], sentence.split()[3].strip(".")):
            lines.append(f"{number}{word}\t{sentence}\t{word}\t{min(len(word), 10) / 10}")
    (folder / "own.tsv").write_text("\n".join(lines))
    (folder / "own.txt").write_text("\n\n".join(sentences[:12]))
    (folder / "more.txt").write_text("\n\n".join(sentences[12:]))
    load = ("complexity", "load", folder / "own.tsv", "--layout", "tsv", "--language", "en", "--engine", "builtin:en")
    assert call(*load, "--out", folder / "train") == 0
    assert call("complexity", "features", folder / "train", "--use", "form,frequency,context") == 0
    score = ("complexity", "score", folder / "train", "--resamples", 10)
    assert call(*score, "--scorer", "ridge", "--save", folder / "model") == 0
    assert call(*score, "--model", folder / "model", "--overwrite") == 0
    instances = {row["instance_id"]: row for row in read(folder / "train", "complexity/instances")}
    said = {}
    for row in read(folder / "train", "complexity/predictions"):
        instance = instances[row["instance_id"]]
        said[instance["sentence"], instance["token"]] = row["prediction"]
    return folder, said


def test_a_scorer_says_what_is_hard(scored, tmp_path):
    folder, said = scored
    texts = (folder / "own.txt", folder / "more.txt", "--engine", "builtin:en", "--targets", "complex")
    model = ("--complexity-scorer", folder / "model")
    least = sorted(said.values())[len(said) // 2]
    assert found(tmp_path / "above", *texts, *model, "--above", least) == 0
    rows = read(tmp_path / "above")
    made = {(row["sentence"], row["target"]): row["chosen_value"] for row in rows}
    assert made == {key: value for key, value in said.items() if value > least}
    assert all(row["chosen_by"] == "scorer" and row["complexity"] == row["chosen_value"] for row in rows)
    assert set(CHOSEN_BY) > {"scorer"}
    # The hardest tenth of each text, with those as hard as the last of them.
    assert found(tmp_path / "share", *texts, *model, "--share", 0.1) == 0
    expected = set()
    for name in ("own.txt", "more.txt"):
        sentences = (folder / name).read_text().split("\n\n")
        values = {key: value for key, value in said.items() if key[0] in sentences}
        bound = sorted(values.values(), reverse=True)[math.ceil(0.1 * len(values)) - 1]
        expected |= {key for key, value in values.items() if value >= bound}
    assert {(row["sentence"], row["target"]) for row in read(tmp_path / "share")} == expected
    assert 0 < len(expected) < len(said) / 2


def test_a_scorer_that_reads_what_texts_lack(scored, tmp_path, capsys):
    folder, _ = scored
    texts = (folder / "own.txt", "--engine", "builtin:en", "--targets", "complex", "--above", 0.5)
    for groups, told in (("form,syntax", "needs layer deprels"), ("form,surprisal", "of group surprisal, which needs")):
        model = tmp_path / groups
        assert call("complexity", "features", folder / "train", "--use", groups, "--overwrite") == 0
        score = ("complexity", "score", folder / "train", "--resamples", 10, "--overwrite")
        assert call(*score, "--scorer", "ridge", "--save", model) == 0
        capsys.readouterr()
        assert found(tmp_path / "out", *texts, "--complexity-scorer", model) == 2
        assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--targets", "content", "--layout", "text"], "--layout text names them"),
        (["--layout", "corpus"], "names no words: find them by --targets"),
        (["--targets", "content"], "give an --engine"),
        (["--targets", "complex", "--engine", "builtin:en"], "goes by --complexity-scorer or by --zipf-below"),
        (["--targets", "complex", "--complexity-scorer", "m"], "needs --above or --share"),
        (["--targets", "complex", "--zipf-below", 4, "--above", 0.5], "--above is of --complexity-scorer"),
        (["--zipf-below", 4], "--zipf-below is of --targets complex"),
        (["--targets", "complex", "--share", 2], "--share"),
        (["--protect", __file__], "--protect is of --targets content and complex"),
        (["--format", "html"], "--format is of --layout documents"),
        (
            ["--targets", "complex", "--zipf-below", 4, "--engine", "builtin:en", "--wordlist", "aoa=wordfreq:en"],
            "name it so",
        ),
    ],
)
def test_options_of_targets_that_do_not_fit(words, told, text, tmp_path, capsys):
    assert found(tmp_path / "out", text, *words) == 2
    assert told in capsys.readouterr().err


def test_from_a_text_to_rewritten_sentences(text, tmp_path):
    (tmp_path / "th.dat").write_text("UTF-8\nordinance|1\n-|rule|law\nconvene|1\n-|call|gather\n")
    out = tmp_path / "out"
    words = ("--targets", "complex", "--zipf-below", 4, "--engine", "builtin:en")
    assert found(out, text, *words) == 0
    assert call("simplify", "generate", out, "--thesaurus", tmp_path / "th.dat") == 0
    assert call("simplify", "select", out, "--filters", "none") == 0
    assert call("simplify", "rank", out, "--ranker", "frequency", "--wordlist", "frequency=wordfreq:en") == 0
    assert call("simplify", "rewrite", out) == 0
    targets = {row["instance_id"]: row["target"] for row in read(out)}
    rows = {targets[row["instance_id"]]: row for row in read(out, "simplification/simplifications")}
    assert set(rows) == set(targets.values())
    assert rows["ordinance"]["sentence_out"] == "The committee promulgated an inscrutable law."
