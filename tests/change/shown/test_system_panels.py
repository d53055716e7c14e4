"""Panels of systems by name: what they show is what the tables hold."""

import numpy as np
import pyarrow as pa
import pytest
from panel_making import snapshot_of
from published import scores
from scipy.stats import spearmanr

from lexbeam.schemas.change.scores import SUMMARY, SYSTEM_SCORES
from lexbeam.transforms.change.scores.system_ensembles import control_rows
from lexbeam.transforms.change.shown.panels import system_panels

WORDS = [f"w{number:02d}" for number in range(20)]
RANKED, TARGETS = WORDS[:14], WORDS[12:]
TAGS = {word: "PROPN" if word == "w03" else "NOUN" for word in WORDS}


def system(name, values, *, slices=("old", "new")):
    """Rows of `change/systems`; without values those of a system without scores."""
    return [
        {"system": name, "word": word, "slice_from": slices[0], "slice_to": slices[1], "target": word in TARGETS}
        | {"ranked": word in RANKED, "measure": None if values is None else "cosine", "changed": values is not None}
        | {"score": None if values is None or np.isnan(values[place]) else float(values[place])}
        | {"reason": "no_score" if values is None else None, "count_from": 100 - place, "count_to": 50 + place}
        | {"relative_from": (100 - place) / 1e3, "relative_to": (50 + place) / 1e3}
        for place, word in enumerate(WORDS)
    ]


@pytest.fixture
def made(tmp_path):
    def of(systems, nulls=(), own=0.5):
        parts = [rows for one in systems for rows in one]
        tables = [pa.Table.from_pylist(rows, SYSTEM_SCORES.schema()) for rows in (parts, [r for n in nulls for r in n])]
        rows = [scores(word, own, ranked=word in RANKED, target=word in TARGETS) for word in WORDS]
        kept = set(SUMMARY.schema().names)
        summary = [
            {name: value for name, value in row.items() if name in kept} | {"upos": TAGS[row["word"]], "score_op": own}
            for row in rows
        ]
        more = {"change/systems": [parts], "change/controls": [control_rows(*tables).to_pylist()]}
        more["change/summary"] = [summary]
        options = {"rank-pos": ["NOUN"], "alignment": ["op"], "measure": ["cosine"]}
        snapshot = snapshot_of(tmp_path, rows, more, options=options)
        found = system_panels(snapshot)
        return {panel.title: panel for panel in found}

    return of


def test_a_system_has_its_first_words_its_classes_and_its_controls(made):
    draw = np.random.default_rng(5)
    uwb, freq = draw.random(20), draw.integers(0, 3, 20).astype(float)
    uwb[3], uwb[5] = 9.0, np.nan  # the first word of all is a name, and not shown
    nulls = [system("uwb", uwb, slices=(f"null {number}", "new")) for number in (1, 2)]
    for row in nulls[1]:
        row["changed"] = False
    found = made([system("uwb", uwb), system("freq", freq), system("majority", None)], nulls)
    rows = {(row["of"], row["system"]): row for row in found["Systems"].rows.to_pylist()}
    assert set(rows) == {(of, name) for of in ("ranked words", "targets") for name in ("uwb", "freq", "majority")}
    for of, words in (("ranked words", [word for word in RANKED if word != "w03"]), ("targets", TARGETS)):
        scored = [word for word in words if word != "w05"]
        order = sorted(scored, key=lambda word: -uwb[WORDS.index(word)])
        row = rows[of, "uwb"]
        assert row["compared"] == "old to new"
        assert row["first words"] == ", ".join(order[:10])
        assert (row["changed"], row["share"], row["share by chance"]) == (row["classed"], 100.0, 50.0)
        places = [WORDS.index(word) for word in (RANKED if of == "ranked words" else TARGETS) if word != "w05"]
        assert row["rho earlier"] == pytest.approx(spearmanr(uwb[places], -np.array(places)).statistic)
        assert rows[of, "majority"]["first words"] is rows[of, "majority"]["rho later"] is None
        assert rows[of, "majority"]["no rho since"] == "the system has no scores"
        (both,) = (one for one in found["Agreement of systems"].rows.to_pylist() if one["of"] == of)
        assert (both["system"], both["other"], both["both score"]) == ("freq", "uwb", len(scored))
        places = [WORDS.index(word) for word in scored]
        assert both["rho"] == pytest.approx(spearmanr(uwb[places], freq[places]).statistic)


def test_words_that_the_runs_own_measure_does_not_score_are_shown_all_the_same(made):
    """As where the run's own alignment has no map between the slices."""
    found = made([system("uwb", np.arange(20.0)), system("freq", np.arange(20.0))], own=None)
    rows = [row for row in found["Systems"].rows.to_pylist() if row["of"] == "ranked words"]
    expected = [word for word in RANKED[::-1] if word != "w03"][:10]
    assert [row["first words"] for row in rows] == [", ".join(expected)] * 2
    (both,) = (row for row in found["Agreement of systems"].rows.to_pylist() if row["of"] == "ranked words")
    assert (both["both score"], both["rho"]) == (13, pytest.approx(1.0))


def test_a_system_without_classes_says_why(made):
    """Where seeds vote there is no single threshold, and words have classes all the same."""
    stated = {
        "equal": ("mean", "all_equal", None),
        "mine": (None, None, None),
        "votes": ("mean", "votes", True),
        "uwb": ("mean", None, True),
    }
    systems = [system("majority", None)]
    for name, (threshold, reason, changed) in stated.items():
        more = {"threshold": threshold, "threshold_reason": reason, "changed": changed}
        systems.append([row | more for row in system(name, np.arange(20.0))])
    for row in systems[0]:
        row["changed"] = False
    found = {row["system"]: row["no class since"] for row in made(systems)["Systems"].rows.to_pylist()}
    assert found == {
        "equal": "all scores are equal",
        "majority": None,
        "mine": "the system has no threshold",
        "uwb": None,
        "votes": None,
    }


def test_one_system_agrees_with_none_and_without_systems_there_is_no_panel(made, tmp_path):
    found = made([system("uwb", np.ones(20))])
    assert {row["no rho since"] for row in found["Systems"].rows.to_pylist()} == {"all scores are equal"}
    assert "Agreement of systems" not in found


def test_where_scores_do_not_vary_or_no_word_has_both_there_is_no_agreement_and_without_systems_no_panel(
    made, tmp_path
):
    lone = np.where(np.arange(20) == 3, 1.0, np.nan)  # of a name alone, which rankings do not show
    found = made([system("uwb", np.ones(20)), system("freq", np.arange(20.0)), system("lone", lone)])
    rows = found["Agreement of systems"].rows.to_pylist()
    assert {(row["system"], row["other"]) for row in rows} == {("freq", "uwb")}
    assert {row["rho"] for row in rows} == {None}
    assert not system_panels(snapshot_of(tmp_path / "none", [scores("a", 0.5)]))
