"""`lexbeam cloze abstractness`, whole: from ratings and vectors to a model that is asked."""

import json

import numpy as np
import pyarrow as pa
import pytest
from wordnet_making import Synset, both_ways, write_wordnet

from lexbeam.pipelines.cli import main
from lexbeam.transforms.cloze.abstractness.concreteness_model import concreteness, is_listed, open_concreteness
from lexbeam.transforms.cloze.filters.candidate_options import predictor_of

pytestmark = pytest.mark.slow
pytest.importorskip("sklearn")

THINGS = [f"{a}{b}ock" for a in "bcdfgklmprst" for b in "aeiou"]
IDEAS = [f"{a}{b}ness" for a in "bcdfgklmprst" for b in "aeiou"]
SYNSETS = both_ways(
    [
        Synset("entity", "n", ["entity"], "what is there"),
        Synset("thing", "n", ["thing"], "made of stone", pointers=[("@", "entity", 0, 0)]),
        Synset("idea", "n", ["idea"], "made of thought", pointers=[("@", "entity", 0, 0)]),
        *(Synset(word, "n", [word], "hard stone", pointers=[("@", "thing", 0, 0)]) for word in THINGS[:40]),
        *(Synset(word, "n", [word], "deep thought", pointers=[("@", "idea", 0, 0)]) for word in IDEAS[:40]),
    ]
)
SMALL = ("--components", "12", "--ngram-dim", "10", "--gloss-dim", "4", "--gloss-least", "1")


@pytest.fixture
def given(tmp_path):
    draw = np.random.default_rng(1)
    rows = [(w, 5.5 + draw.normal() / 3) for w in THINGS[5:]]
    rows += [(w, 2.5 + draw.normal() / 3) for w in IDEAS[5:]]
    (tmp_path / "mrc.csv").write_text("WORD,CONC\n" + "".join(f"{word},{value:.2f}\n" for word, value in rows))
    lines = [f"{word} 1 {draw.normal():.3f}" for word in THINGS[10:]]
    lines += [f"{word} -1 {draw.normal():.3f}" for word in [*IDEAS[10:], "freeness"]]
    (tmp_path / "own.vec").write_text(f"{len(lines)} 2\n" + "\n".join(lines) + "\n")
    write_wordnet(tmp_path / "wordnet", SYNSETS, index_sense=False)
    return tmp_path


def run(given, *more, out="model", ratings="mrc.csv:word=WORD,value=CONC"):
    words = ["--ratings", f"{given}/{ratings}", "--out", given / out, "--cache", given / "cache"]
    return main(["cloze", "abstractness", *map(str, (*words, *SMALL, *more))])


def all_of(given):
    return ("--wordnet", given / "wordnet", "--vectors", given / "own.vec")


def test_files_to_a_model_that_is_asked(given, capsys):
    assert run(given, *all_of(given)) == 0
    told = capsys.readouterr().out
    assert "110 rated words, known to ngrams 110, wordnet 70, glosses 70, vectors 100" in told
    model = open_concreteness(str(given / "model"))
    asked = pa.array(["Bock", "bock", "baness", "freeness", "thing", "ÿÿÿ", None])
    found = concreteness(model, asked, "predict")
    assert is_listed(model, asked).tolist() == [False, False, True, True, True, False, False]
    assert found[0] == found[1] > 0.35 > found[2]  # bock by its n-grams, baness by WordNet
    assert found[3] < 0.35
    assert np.isnan(found[5:]).all()
    about = json.loads((given / "model" / "model.json").read_text())
    assert about["metrics"]["pearson"] > 0.9
    assert set(about["resources"]) == {"ratings_0", "wordnet", "vectors_0"}
    assert 0.3 < about["metrics"]["threshold"] < 0.7
    assert str(given) not in json.dumps(about)
    predictor = predictor_of(str(given / "model"), None)
    assert predictor.below == 0.35
    lemmas, upos = pa.array(["baness", "unheard"]), pa.array(["NOUN", "NOUN"])
    scores = predictor.scores(pa.array(["banesses", "thing"]), lemmas, upos)
    np.testing.assert_allclose(scores, concreteness(model, pa.array(["baness", "thing"])))
    assert predictor_of(str(given / "model"), 0.2).below == 0.2


def test_rated_words_have_their_ratings_unless_they_are_predicted(given):
    assert run(given, "--inputs", "ngrams") == 0
    rows = (given / "mrc.csv").read_text().splitlines()[1:]
    values = {word: float(value) for word, value in (row.split(",") for row in rows)}
    low, high = min(values.values()), max(values.values())
    model = open_concreteness(str(given / "model"))
    found = concreteness(model, pa.array(list(values)))
    np.testing.assert_allclose(found, (np.array(list(values.values())) - low) / (high - low))
    assert run(given, "--inputs", "ngrams", "--rated", "predict", out="other") == 0
    other = concreteness(open_concreteness(str(given / "other")), pa.array(list(values)))
    assert other.tobytes() == concreteness(model, pa.array(list(values)), "predict").tobytes()
    assert not np.allclose(other, found)


def test_the_same_bytes_whatever_the_order_of_ratings(given):
    assert run(given, *all_of(given)) == 0
    head, *rows = (given / "mrc.csv").read_text().splitlines()
    (given / "turned.csv").write_text("\n".join([head, *reversed(rows)]) + "\n")
    assert run(given, *all_of(given), out="again") == 0
    made = [{path.name: path.read_bytes() for path in (given / name).iterdir()} for name in ("model", "again")]
    assert made[0] == made[1]
    turned = "turned.csv:word=WORD,value=CONC"
    assert run(given, *all_of(given), out="turned", ratings=turned) == 0
    weights = next((given / "turned").glob("weights-*")).name
    assert weights in made[0]


def test_what_is_wrong_is_said_with_its_remedy(given, capsys):
    def said(*more, **how):
        assert run(given, *more, **how) != 0
        return capsys.readouterr().err

    column = said("--inputs", "ngrams", ratings="mrc.csv:word=WORD,value=conc")
    assert "mrc.csv" in column
    assert "did you mean 'CONC'" in column
    scale = said("--inputs", "ngrams", ratings="mrc.csv:word=WORD,value=CONC,scale=1-5")
    assert "outside the scale 1-5" in scale
    assert "scale=read" in scale
    (given / "other.vec").write_text("2 2\nun 1 0\ndeux 0 1\n")
    nothing = said("--inputs", "ngrams,vectors", "--vectors", str(given / "other.vec"))
    assert "other.vec has none of the 110 rated words" in nothing
    assert "leave vectors out of" in nothing
    assert "which needs" in said("--inputs", "vectors")
    assert not (given / "model").exists()
    assert run(given, "--inputs", "ngrams") == 0
    assert "holds another model" in said("--inputs", "ngrams", "--estimator", "ridge")
    assert run(given, "--inputs", "ngrams", "--estimator", "ridge", "--overwrite") == 0
