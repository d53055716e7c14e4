"""`lexbeam simplify generate` by masked language models from disk, and by WordNet in English."""

import json
import shutil

import pytest
from instances_made import instance, publish
from small_runs import call, manifest
from wordnet_making import Synset, both_ways, write_wordnet

from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.lexicon.encoders.loading_encoders import load_encoder
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions
from lexbeam.transforms.simplification.generation.generator import MaskedOptions
from lexbeam.transforms.simplification.generation.masked_words import masked_proposals
from lexbeam.transforms.simplification.records import INSTANCE_COLUMNS, Instance

pytestmark = pytest.mark.slow

TABLE = "simplification/candidates"
SPANISH = [
    instance("El gato duerme en el [[parque]]."),
    instance("El niño estaba [[contento]]."),
    instance("[[Cansado]] estaba el perro en el jardín."),
    instance("Un padre alegre duerme en el [[jardin]] este año."),
]


def rows(out):
    return open_snapshot(str(out)).read(TABLE).to_pylist()


def digests(out):
    return [part["sha256"] for part in manifest(out)["tables"][TABLE]["parts"]]


@pytest.fixture(scope="module")
def models(spanish_bert, spanish_roberta):
    """The folders of two models that were trained on Spanish sentences."""
    return [spanish_bert, spanish_roberta]


def proposals(folder, top=80):
    """What a model gives for each instance: kept scores, and reasons."""
    encoder = load_encoder(folder, device="cpu")
    asked = [Instance(*(row[name] for name in INSTANCE_COLUMNS)) for row in SPANISH]
    options = MaskedOptions(masked_top=top)
    found = masked_proposals([(encoder, EncoderOptions(device="cpu"))], asked, options)[0]
    return {row["instance_id"]: own for row, own in zip(SPANISH, found, strict=True)}


def test_a_model_from_disk(models, tmp_path, capsys):
    out = publish(tmp_path / "out", SPANISH)
    given = ("--generators", "masked-lm", "--model", models[0], "--model-device", "cpu")
    assert call("simplify", "generate", out, *given) == 0
    assert "default: 4 of 4 instances have candidates" in capsys.readouterr().out
    expected = {(key, p.text): (p.score, p.reason) for key, own in proposals(models[0]).items() for p in own}
    found = {(row["instance_id"], row["form"]): (row["masked_lm_score"], row["reason"]) for row in rows(out)}
    assert set(found) == set(expected)
    for key, (score, reason) in expected.items():
        assert found[key][0] == pytest.approx(score)
        assert found[key][1] == (reason or (None if any(map(str.isalpha, key[1])) else "not_a_word"))
    assert {"subword", "too_short", "is_target", "accent_variant"} <= {reason for _, reason in found.values()}
    shown = {row["form"]: row["shown"] for row in rows(out) if row["instance_id"] == SPANISH[2]["instance_id"]}
    assert shown["alegre"] == "Alegre"
    first = digests(out)
    assert call("simplify", "generate", out, *given, "--overwrite", "--fresh") == 0
    assert digests(out) == first
    alone = publish(tmp_path / "alone", SPANISH, parts=1)
    assert call("simplify", "generate", alone, *given) == 0
    key = ("instance_id", "setting", "form")
    ordered = sorted(rows(out), key=lambda row: [row[name] for name in key])
    assert rows(alone) == ordered
    assert "transformers:" in json.dumps(manifest(out))


@pytest.mark.parametrize("combine", ["union", "intersection"])
def test_two_models_are_united_or_cut(models, tmp_path, combine):
    out = publish(tmp_path / "out", SPANISH)
    assert (
        call(
            "simplify",
            "generate",
            out,
            "--generators",
            "masked-lm",
            "--combine",
            combine,
            "--model",
            *models,
            "--model-device",
            "cpu",
            "--masked-top",
            "25",
        )
        == 0
    )
    found = rows(out)
    kept = {(row["instance_id"], row["form"]): row for row in found if row["reason"] is None}
    own = [
        {
            (key, p.text): p.score
            for key, some in proposals(folder, 25).items()
            for p in some
            if p.reason is None and p.text.isalpha()
        }
        for folder in models
    ]
    # Spellings that models agree on may be another than that of one alone.
    shared = set(own[0]) & set(own[1])
    assert len(shared) > 8
    for key in shared & set(kept):
        assert kept[key]["score"] >= max(own[0][key], own[1][key])
        assert kept[key]["generators"] == 2
    assert len(shared & set(kept)) > 8
    single = [row for row in kept.values() if row["generators"] == 1]
    assert bool(single) == (combine == "union")
    assert any(row["reason"] == "one_generator" for row in found) == (combine == "intersection")


def test_a_model_that_is_named_twice_is_one(models, tmp_path):
    made = []
    for number, given in enumerate(([models[0]], [models[0], models[0]])):
        out = publish(tmp_path / f"out{number}", SPANISH)
        assert (
            call("simplify", "generate", out, "--generators", "masked-lm", "--model", *given, "--model-device", "cpu")
            == 0
        )
        made.append(rows(out))
    assert made[0] == made[1]
    assert {row["generators"] for row in made[1]} == {1}


def test_rules_are_options(models, tmp_path):
    out = publish(tmp_path / "out", SPANISH)
    assert (
        call(
            "simplify",
            "generate",
            out,
            "--generators",
            "masked-lm",
            "--model",
            models[0],
            "--model-device",
            "cpu",
            "--masked-rules",
            "subword,is_target",
            "--masked-merge",
            "capitals",
            "--masked-input",
            "single",
        )
        == 0
    )
    reasons = {row["reason"] for row in rows(out)}
    assert reasons <= {None, "subword", "is_target", "not_a_word", "beyond_k"}
    kept = {row["form"] for row in rows(out) if row["reason"] is None}
    assert {"el", "en"} & kept


def test_what_is_missing_is_said(models, tmp_path, capsys):
    out = publish(tmp_path / "out", SPANISH)
    assert call("simplify", "generate", out, "--generators", "masked-lm") == 2
    assert "--model" in capsys.readouterr().err
    assert call("simplify", "generate", out, "--generators", "masked-lm", "--model", tmp_path / "nowhere") == 2
    assert "nowhere" in capsys.readouterr().err
    assert (
        call(
            "simplify",
            "generate",
            out,
            "--generators",
            "masked-lm",
            "--model",
            models[0],
            "--masked-rules",
            "same_stem",
        )
        == 2
    )
    assert "--inflector" in capsys.readouterr().err
    plain = tmp_path / "plain"
    shutil.copytree(models[0], plain)
    config = json.loads((plain / "config.json").read_text())
    config["architectures"] = ["BertModel"]
    (plain / "config.json").write_text(json.dumps(config))
    assert call("simplify", "generate", out, "--generators", "masked-lm", "--model", plain) != 0
    assert "masked language model" in capsys.readouterr().err


ENGLISH = [
    instance("He paid an [[abode]] tax.", "abode", "NOUN", language="en", feats="Number=Sing"),
    instance("Two [[abodes]] burned.", "abode", "NOUN", language="en", feats="Number=Plur"),
    instance("They [[relocated]] it.", "relocate", "VERB", language="en", feats="Mood=Ind|Tense=Past|VerbForm=Fin"),
    instance("She has [[relocated]].", "relocate", "VERB", language="en", feats="Tense=Past|VerbForm=Part"),
    instance("A [[trickier]] one.", "tricky", "ADJ", language="en", feats="Degree=Cmp"),
    instance("He [[relocates]].", None, None, language="en"),
]
SYNSETS = both_ways(
    [
        Synset("place", "n", ["place", "area_of_living"]),
        Synset("abode", "n", ["abode", "home", "office"], pointers=[("@", "place", 0, 0)]),
        Synset("relocate", "v", ["relocate", "move", "go", "take_away"]),
        Synset("tricky", "a", ["tricky", "hard", "difficult", "awkward"]),
    ]
)


def test_english_by_wordnet_and_lemminflect(tmp_path):
    pytest.importorskip("lemminflect")
    out = publish(tmp_path / "out", ENGLISH)
    write_wordnet(tmp_path / "wn", SYNSETS)
    assert (
        call(
            "simplify",
            "generate",
            out,
            "--generators",
            "wordnet",
            "--wordnet",
            tmp_path / "wn",
            "--inflector",
            "lemminflect",
        )
        == 0
    )
    found = {}
    for row in rows(out):
        found.setdefault(row["instance_id"], {})[row["form"]] = row
    own = [found[row["instance_id"]] for row in ENGLISH]
    assert set(own[0]) == {"home", "office", "place", "area of living"}
    assert {form: row["before"] for form, row in own[0].items()} == {
        "home": "a",
        "office": None,
        "place": "a",
        "area of living": None,
    }
    assert set(own[1]) == {"homes", "offices", "places", "areas of living"}
    assert set(own[2]) == {"moved", "went", "took away"}
    assert set(own[3]) == {"moved", "gone", "taken away"}
    assert {form: row["before"] for form, row in own[4].items()} == {
        "harder": None,
        "more difficult": None,
        "more awkward": None,
    }
    assert set(own[5]) == {"moves", "goes", "takes away"}
    place = own[0]["place"]
    assert (place["relation"], place["votes"], place["wordnet_score"]) == ("hypernym", 1, 1.0)
    assert {row["inflected"] for row in own[2].values()} == {"dictionary"}
    assert json.dumps(manifest(out)).count("lemminflect 0.") >= 1
    assert (
        call(
            "simplify",
            "generate",
            out,
            "--generators",
            "wordnet",
            "--wordnet",
            tmp_path / "wn",
            "--inflector",
            "lemminflect",
            "--wordnet-relations",
            "synonym",
            "--overwrite",
        )
        == 0
    )
    assert "places" not in {row["form"] for row in rows(out)}
