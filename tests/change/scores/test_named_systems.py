"""Systems by name: what they set, what they say of words, and their page."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.commands.change.options import ChangeOptions
from lexbeam.pipelines.commands.change.systems_page import page
from lexbeam.schemas.change.scores import SCORES, SYSTEM_SCORES
from lexbeam.transforms.change.scores.gold import named_systems_in
from lexbeam.transforms.change.scores.measures import MEASURES
from lexbeam.transforms.change.scores.named_systems import SYSTEMS, system_rows
from lexbeam.transforms.change.scores.thresholds import THRESHOLDS
from lexbeam.transforms.common.options.fields import from_mapping, options_of, value_of
from lexbeam.transforms.embeddings.alignment import ALIGNMENTS

GIVEN = {"slices": "a=1800..1850,b=1900..1950", "out": "out"}


def test_a_system_sets_options_of_change_that_are_not_given():
    for name, system in SYSTEMS.items():
        options = from_mapping(ChangeOptions, {**GIVEN, "system": name})
        for option, value in system.sets.items():
            assert value_of(options, option) == value
            assert type(value_of(options, option)) is type(options_of(ChangeOptions)[option].default)
        if system.measure:
            assert value_of(options, "measure") == (system.measure,)
            assert system.measure in MEASURES
            assert system.alignment in ALIGNMENTS
        assert not system.threshold or value_of(options, "threshold") == (system.threshold,)
        assert not system.threshold or system.threshold in THRESHOLDS
    options = from_mapping(
        ChangeOptions, {**GIVEN, "system": "uwb", "dim": 20, "measure": "lnd", "alignment": "op,cca"}
    )
    assert [value_of(options, name) for name in ("dim", "window", "measure", "alignment", "threshold")] == [
        20,
        5,
        ("lnd", "cosine"),
        ("op", "cca"),
        ("mean",),
    ]


def test_what_descriptions_state_is_what_systems_take():
    """As the paper of the task, section 5 and appendix B, and the descriptions of UWB and CIRCE have it."""
    kinds = {name: (system.representation, system.alignment, system.measure) for name, system in SYSTEMS.items()}
    assert kinds["freq"][2] == "frequency"
    assert (kinds["majority"][2], SYSTEMS["majority"].threshold) == ("", "")
    assert kinds["count-ci-cd"] == ("count", "column-intersection", "cosine")
    assert kinds["uwb"] == ("sgns", "cca", "cosine")
    assert kinds["circe"] == ("sgns", "op", "euclidean")
    assert kinds["cs2020"] == kinds["discovery"] == ("sgns", "op", "cosine")
    assert kinds["temporalteller"] == ("sgns", "tr", "cosine")
    assert kinds["rpi-trust"][:2] == ("sgns", "op")
    assert MEASURES[kinds["rpi-trust"][2]].parts == ("cosine", "mapped-neighbours", "frequency-log2")
    assert kinds["rijp"] == ("sgns", "vi", "gaussian")
    assert kinds["ucd"][::2] == ("ppmi", "resistance")
    assert kinds["random"] == ("ri", "none", "cosine")
    stated = {
        "uwb": {"dim": 100, "window": 5, "epochs": 5, "min_count": (5,), "threshold": ("mean",)},
        "circe": {"dim": 300, "window": 10, "negative": 1},
        "temporalteller": {"threshold": ("gamma",), "threshold_quantile": 0.75},
        "random": {"threshold": ("mixture",)},
    }
    for name, wanted in stated.items():
        options = from_mapping(ChangeOptions, {**GIVEN, "system": name})
        assert {option: value_of(options, option) for option in wanted} == wanted


def test_what_systems_need_follows_from_measure_threshold_and_representation():
    takes = {name: system.takes for name, system in SYSTEMS.items()}
    assert takes["freq"] == "counts; targets, for classes"
    assert takes["uwb"] == "vectors; targets, for classes"
    assert takes["temporalteller"] == "vectors, of targets alone; targets, for classes"
    assert takes["entity"] == "vectors; a compiled loop; targets, for classes"
    assert takes["rijp"] == "vectors; counts; targets, for classes"
    assert takes["rpi-trust"] == "vectors; counts; ranked words, for scores and classes"
    assert replace(SYSTEMS["rpi-trust"], measure="ecdf").takes == (
        "vectors; counts; targets, for scores; ranked words, for classes"
    )


def scores(*rows):
    shared = {"slice_from": "a", "slice_to": "b", "target": True, "ranked": False, "seeds": 1}
    shared |= {name: 1 for name in SCORES.schema().names if name.startswith(("count", "documents", "relative"))}
    schema = SCORES.schema(thresholds=("mean", "gamma"))
    names = ("word", "alignment", "measure", "seed", "score", "changed", "changed_gamma", "reason")
    rows = [dict.fromkeys(schema.names) | shared | dict(zip(names, row, strict=True)) for row in rows]
    return pa.Table.from_pylist(rows, schema)


def test_rows_are_those_of_the_system_with_the_classes_of_its_threshold():
    rows = scores(
        ("w", "cca", "cosine", 1, 0.9, None, None, None),
        ("w", "cca", "cosine", None, 0.5, True, False, None),
        ("v", "cca", "cosine", None, None, None, None, "absent_to"),
        ("w", "tr", "cosine", None, 0.4, True, False, None),
        ("v", "tr", "cosine", None, None, None, None, "absent_to"),
        ("w", "none", "frequency", None, 0.1, False, False, None),
        ("v", "none", "frequency", None, 0.2, True, True, None),
    )
    named = ("uwb", "freq", "majority", "temporalteller")
    found = system_rows(rows, {name: SYSTEMS[name] for name in named}, ("mean", "gamma"))
    assert found.schema == SYSTEM_SCORES.schema()
    keys = ("system", "word", "score", "changed", "reason", "measure")
    assert [tuple(row[key] for key in keys) for row in found.to_pylist()] == [
        ("freq", "v", 0.2, True, None, "frequency"),
        ("freq", "w", 0.1, False, None, "frequency"),
        ("majority", "v", None, False, "no_score", None),
        ("majority", "w", None, False, "no_score", None),
        ("temporalteller", "v", None, None, "absent_to", "cosine"),
        ("temporalteller", "w", 0.4, False, None, "cosine"),
        ("uwb", "v", None, None, "absent_to", "cosine"),
        ("uwb", "w", 0.5, True, None, "cosine"),
    ]
    unclassed = system_rows(rows, {"mine": replace(SYSTEMS["uwb"], threshold="")}, ("mean", "gamma"))
    assert unclassed["changed"].to_pylist() == [None, None]
    assert unclassed["score"].to_pylist() == [None, 0.5]
    uwb = list(named_systems_in(found, ["w", "x"]))[-1]
    assert (uwb.name, uwb.changed, uwb.missing) == ("a:b/uwb/mean", (True, None), {"x": "not_scored"})
    np.testing.assert_array_equal(uwb.scores, [0.5, np.nan])


def test_the_list_has_a_line_for_each_system_and_ends(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["change", "--list-systems"])
    assert ended.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == list(SYSTEMS)
    assert "majority: Schlechtweg et al. 2020, baseline of the task. Needs nothing" in lines


def test_the_page_is_that_of_the_registry():
    root = Path(__file__).parents[3]
    assert (root / "docs/systems.md").read_text("utf-8") == page()
