"""Ensembles of systems, beside pandas and scipy."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

from lexbeam.schemas.change.scores import SYSTEM_SCORES
from lexbeam.transforms.change.scores.seed_scores import ChangeScoreOptions
from lexbeam.transforms.change.scores.system_ensembles import ENSEMBLES, CompareSystems, SystemsTask, ensemble_rows
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.tables import read_table, write_part

WORDS = [f"w{place}" for place in range(9)]


def system(name, scores, changed=None, measure="cosine", words=WORDS):
    rows = [
        dict.fromkeys(SYSTEM_SCORES.schema().names)
        | {"system": name, "word": word, "slice_from": "a", "slice_to": "b", "measure": measure, "score": score}
        | {"target": place % 2 == 0, "ranked": place > 2, "reason": None if score is not None else f"no {name}"}
        | {"changed": None if changed is None else changed[place]}
        | {"count_from": 9, "count_to": place, "relative_from": 0.09, "relative_to": place / 100}
        for place, (word, score) in enumerate(zip(words, scores, strict=True))
    ]
    return pa.Table.from_pylist(rows, SYSTEM_SCORES.schema())


@pytest.fixture
def three():
    random = np.random.default_rng(2)
    classes = random.integers(0, 2, (3, 9)).astype(bool).tolist()
    classes[0][4] = classes[1][4] = classes[2][4] = classes[0][5] = None
    scores = [random.integers(0, 5, 9).astype(float).tolist() for _ in range(3)]
    scores[1][8] = scores[2][8] = None
    named = list(zip(("x", "y", "z"), scores, classes, strict=True))
    nobody = system("majority", [None] * 9, [False] * 9, measure=None)
    return named, pa.concat_tables([nobody, *(system(*one) for one in named)])


def test_ensembles_are_means_of_places_and_votes(three):
    named, rows = three
    found = ensemble_rows(rows, list(ENSEMBLES)).to_pandas()
    assert list(dict.fromkeys(found.system)) == sorted(ENSEMBLES)
    table = pd.DataFrame({name: scores for name, scores, _ in named}, index=WORDS, dtype=float)
    whole = table.dropna()
    for name, over in (("mean-rank", range(0, 9, 2)), ("mean-z-ranked", range(3, 9))):
        among = whole.loc[[WORDS[place] for place in over if WORDS[place] in whole.index]]
        got = found[found.system == name].set_index("word")
        for word in whole.index:
            if name == "mean-rank":
                wanted = [stats.percentileofscore(among[one], whole.loc[word, one], kind="mean") / 100 for one in among]
            else:
                wanted = (whole.loc[word] - among.mean()) / among.std(ddof=1)
            assert got.score[word] == pytest.approx(np.mean(wanted))
        assert got.reason.dropna().to_dict() == {"w8": "no y"}
        assert got.q_value.isna().all()  # a place among the words of a pair does not compare with those of null pairs
    votes = pd.DataFrame({name: classes for name, _, classes in named}, index=WORDS)
    got = found[found.system == "mean-rank"].set_index("word").changed
    for word in WORDS:
        given = votes.loc[word].dropna().astype(bool)
        assert got[word] == (2 * given.sum() > len(given) if len(given) else None)


def test_systems_of_several_runs_have_the_words_that_all_have(tmp_path):
    one, other = system("x", range(9)), system("y", range(8), words=WORDS[1:])
    parts = [
        write_part(Artefact(str(tmp_path / str(n))), SYSTEM_SCORES.schema(), [rows]).file
        for n, rows in enumerate((other, one))
    ]
    made = make(Workspace(str(tmp_path / "work")), CompareSystems(("mean-rank",)), SystemsTask(tuple(parts)))
    rows = read_table([made.part.file.path])
    assert rows.schema.names == SYSTEM_SCORES.schema().names
    keys = list(zip(rows["system"].to_pylist(), rows["word"].to_pylist(), strict=True))
    assert keys == sorted(keys)
    assert [word for name, word in keys if name == "mean-rank"] == WORDS[1:]


def test_without_reference_words_there_is_a_reason(three):
    _, rows = three
    bare = rows.set_column(rows.schema.get_field_index("target"), rows.schema.field("target"), pa.array([False] * 36))
    found = ensemble_rows(bare, ["mean-rank"]).to_pylist()
    assert {row["score"] for row in found} == {None}
    assert {row["reason"] for row in found} == {"no_reference", "no y"}
    assert ensemble_rows(rows.slice(0, 9), ["mean-rank"]).num_rows == 0


def test_an_ensemble_needs_two_systems_that_score():
    ChangeScoreOptions(systems=("uwb", "freq"), ensembles=("mean-z",))
    with pytest.raises(UsageError, match="`ensemble` mean-z: it is of systems that score words, two or more"):
        ChangeScoreOptions(systems=("uwb", "majority"), ensembles=("mean-z",))
