"""Systems by name: what they set, what they say of words, and their page."""

from dataclasses import replace
from inspect import signature
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.commands.change.options import ChangeOptions
from lexbeam.pipelines.commands.change.plan import systems_beside
from lexbeam.pipelines.commands.change.systems_page import page
from lexbeam.schemas.change.scores import SCORES, SYSTEM_SCORES
from lexbeam.transforms.change.scores.gold import named_systems_in
from lexbeam.transforms.change.scores.measures import MEASURES
from lexbeam.transforms.change.scores.named_systems import (
    SYSTEMS,
    NamedSystem,
    as_texts,
    options_beside,
    parsed,
    presets,
    system_of,
    system_rows,
)
from lexbeam.transforms.change.scores.thresholds import THRESHOLDS
from lexbeam.transforms.common.errors import UsageError
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


def test_the_first_system_decides_for_the_run_and_others_are_noted():
    found = presets(["uwb", "freq", "circe", "cs2020"], {})
    assert found == {
        "alignment": ("cca",),
        "measure": ("cosine", "frequency"),
        "threshold": ("mean",),
        "representation": "sgns",
        "dim": 100,
        "window": 5,
        "epochs": 5,
        "min_count": (5,),
        "systems": (
            *("circe:dim=300", "circe:epochs=", "circe:min_count=5", "circe:negative=1", "circe:representation=sgns"),
            *("circe:window=10", "cs2020:dim=", "cs2020:epochs=", "cs2020:min_count=", "cs2020:representation=sgns"),
            "cs2020:window=",
        ),
    }
    assert options_beside("circe", found["systems"])["min_count"] == "5"
    assert options_beside("cs2020", found["systems"])["dim"] is None
    assert options_beside("uwb", found["systems"]) == options_beside("freq", found["systems"]) == {}


def test_what_is_given_holds_for_all_systems_and_those_that_agree_share_their_spaces():
    given = {"dim": 50, "window": 5, "negative": 2, "epochs": 1, "min_count": (1,)}
    found = presets(["uwb", "circe", "rpi-trust"], given)
    assert "systems" not in found
    assert found["alignment"] == ("cca", "op")
    assert found["measure"] == ("cosine", "euclidean", "ecdf-ranked")
    assert presets(["uwb", "freq", "count-ci-cd"], given)["systems"] == ("count-ci-cd:representation=count",)
    assert presets(["freq", "count-ci-cd"], {})["representation"] == "count"
    assert presets(["freq"], {"measure": ("lnd",)}) == {"measure": ("lnd", "frequency"), "threshold": ("mean",)}


def test_systems_that_state_what_a_threshold_has_by_default_share_their_spaces():
    names = ("temporalteller", "cs2020", "rpi-trust", "dcc")
    for order in (names, names[::-1]):
        found = presets(order, {})
        assert "systems" not in found
        assert set(found["alignment"]) == {"tr", "op"}
    own = presets(names, {"systems": ("temporalteller:threshold_quantile=0.9",)})["systems"]
    assert options_beside("temporalteller", own) == {"threshold_quantile": "0.9"}
    given = from_mapping(ChangeOptions, {**GIVEN, "system": "temporalteller", "threshold_quantile": 0.9})
    assert value_of(given, "threshold_quantile") == 0.9
    for name, threshold in THRESHOLDS.items():
        parameters = signature(threshold.of).parameters
        for option in threshold.uses:
            assert parameters[option].default == options_of(ChangeOptions)[option].default, name


def test_a_system_of_ones_own_is_a_mapping_in_a_file_and_texts_elsewhere():
    own = {"mine": {"measure": "cosine", "alignment": "op", "threshold": "gamma", "min-count": [1, 6], "gamma": 0.5}}
    texts = as_texts(own)
    assert texts == [
        *("mine:measure=cosine", "mine:alignment=op", "mine:threshold=gamma", "mine:min-count=1|6", "mine:gamma=0.5")
    ]
    assert as_texts("a:b=c") == "a:b=c"
    system = system_of("mine", parsed(texts))
    assert (system.measure, system.alignment, system.threshold, system.representation) == (
        "cosine",
        "op",
        "gamma",
        "sgns",
    )
    for stated in (own, texts, ",".join(texts)):
        options = from_mapping(ChangeOptions, {**GIVEN, "system": "mine,uwb", "systems": stated})
        assert value_of(options, "min_count") == (1, 6)
        assert value_of(options, "gamma") == 0.5
        assert value_of(options, "alignment") == ("op",)
        assert options_beside("uwb", value_of(options, "systems"))["window"] == "5"
        assert set(options.score.named) == {"mine", "uwb"}


def test_an_option_for_one_system_alone_goes_before_that_for_all_and_is_for_no_other():
    found = presets(["uwb", "cs2020"], {"dim": 50, "systems": ("cs2020:dim=20", "cs2020:window=5")})
    assert found["window"] == 5
    assert "dim" not in found
    assert options_beside("cs2020", found["systems"])["dim"] == "20"
    found = presets(["uwb", "cs2020"], {"dim": 50, "systems": ("uwb:dim=20",)})
    assert "dim" not in options_beside("cs2020", found["systems"])


def test_a_system_of_ones_own_may_wait_for_a_run_that_names_it():
    waiting = {"mine": {"measure": "euclidean", "dim": 7}}
    options = from_mapping(ChangeOptions, {**GIVEN, "system": "uwb", "systems": waiting})
    assert set(options.score.named) == {"uwb"}
    alone = from_mapping(ChangeOptions, {**GIVEN, "system": "uwb"})
    assert [value_of(options, name) for name in ("measure", "dim")] == [
        value_of(alone, name) for name in ("measure", "dim")
    ]


@pytest.mark.parametrize(
    "asked",
    [
        {"system": "uwb,circe,cs2020,freq,count-ci-cd"},
        {"system": "uwb,cs2020", "dim": 50},
        {"system": "mine,uwb", "systems": "mine:measure=lnd,mine:window=5,mine:epochs=5,mine:min_count=5,mine:dim=100"},
        {"system": "mine,cs2020", "systems": "mine:measure=cosine,mine:alignment=op-,mine:dim=100"},
        {"system": "uwb,mine", "systems": {"mine": {"measure": "euclidean", "alignment": "op", "dim": 7}}},
        {"system": "mine,freq", "systems": "mine:measure=cosine", "representation": "count"},
    ],
)
def test_options_that_a_run_has_noted_are_taken_up_as_they_are(asked):
    options = from_mapping(ChangeOptions, {**GIVEN, **asked})
    noted = {name: value_of(options, name) for name in options_of(ChangeOptions)}
    assert from_mapping(ChangeOptions, noted) == options


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"system": "uwbb"}, "`system`: there is no 'uwbb'; did you mean 'uwb'"),
        ({"system": "uwb", "systems": "uwb=3"}, "'uwb=3' is not NAME:OPTION=VALUE"),
        ({"system": "mine", "systems": {"mine": "op"}}, "`systems`: 'mine' needs options by name"),
        ({"system": "mine", "systems": "mine:measure=cosin"}, "cosin"),
        ({"system": "mine", "systems": "mine:measure=cosine,mine:alignment=opp"}, "`systems`: alignment of mine: no "),
        ({"system": "mine", "systems": "mine:measure=lnd,mine:alignment=vi"}, "takes no aligned vectors"),
        ({"system": "uwb,cs2020", "systems": "cs2020:min-sentence=2"}, "cs2020: `min_sentence` holds for all systems"),
        ({"system": "uwb", "systems": "uwb:unit=lemma"}, "uwb: `unit` holds for all systems of a run: set it for the"),
        ({"system": "uwb,cs2020", "systems": "cs2020:neighbour-words=9"}, "`neighbour_words` holds for all systems"),
        ({"system": "uwb", "systems": "uwb:windw=3"}, "`systems`: uwb: unknown option windw; did you mean 'window'"),
        ({"system": "uwb,cs2020", "systems": "cs2020:windw=3"}, "cs2020: unknown option windw; did you mean 'window'"),
        ({"system": "freq", "systems": "freq:windw=3"}, "freq: unknown option windw; did you mean 'window'"),
        ({"system": "freq", "systems": "freq:window=3"}, "freq: `window` says nothing of a system without vectors"),
        ({"system": "majority", "systems": "majority:threshold=mean"}, "measure of majority"),
        ({"system": "uwb", "systems": "circ:dim=3"}, "`systems`: circ: no system of that name is run"),
        ({"system": "uwb", "systems": "cs2020:dim=3"}, "`systems`: cs2020: no system of that name is run"),
        ({"systems": "mine:measure=cosin"}, "`systems`: measure of mine"),
        ({"system": "mean-rank", "systems": "mean-rank:measure=cosine"}, "an ensemble has that name"),
        ({"system": "a/b", "systems": "a/b:measure=cosine"}, "names of systems have no /"),
    ],
)
def test_what_is_no_system_is_an_error(given, message):
    with pytest.raises(UsageError) as error:
        from_mapping(ChangeOptions, {**GIVEN, **given})
    assert message in str(error.value)


def test_a_system_of_another_package_sets_options_that_there_are(monkeypatch):
    monkeypatch.setitem(SYSTEMS, "own", NamedSystem("nobody", "cosine", "mean", "op", {"windw": 3}, doc="its own"))
    with pytest.raises(UsageError, match="`system`: own sets an unknown option windw; did you mean 'window'"):
        from_mapping(ChangeOptions, {**GIVEN, "system": "own"})


def test_all_systems_that_there_are_can_be_named_at_once():
    options = from_mapping(ChangeOptions, {**GIVEN, "system": list(SYSTEMS)})
    assert list(options.score.named) == list(SYSTEMS)


def test_what_is_stated_of_measure_alignment_and_threshold_holds_for_a_system_of_the_registry():
    stated = {
        "uwb": {"threshold": "gamma", "alignment": "op-"},
        "cs2020": {"measure": "euclidean"},
        "freq": {"measure": "frequency-log2"},
        "life-language": {"measure": "cosine"},
        "discovery": {"representation": "count"},
    }
    options = from_mapping(ChangeOptions, {**GIVEN, "system": list(stated), "systems": stated})
    found = {name: (one.measure, one.alignment, one.threshold) for name, one in options.score.named.items()}
    assert found == {
        "uwb": ("cosine", "op-", "gamma"),
        "cs2020": ("euclidean", "op", "mean"),
        "freq": ("frequency-log2", "none", "mean"),
        "life-language": ("cosine", "op", "mean"),
        "discovery": ("cosine", "column-intersection", "mean"),
    }
    assert value_of(options, "threshold") == ("gamma", "mean")
    assert value_of(options, "alignment") == ("op-",)


@pytest.mark.parametrize(
    ("representation", "alignment"), [("sgns", "op"), ("count", "column-intersection"), ("ri", "none")]
)
def test_a_system_of_ones_own_is_aligned_as_its_representation_or_else_that_of_the_run_is(representation, alignment):
    own = {"mine": {"measure": "cosine", "representation": representation}}
    assert system_of("mine", parsed(as_texts(own))).alignment == alignment
    asked = {"system": "mine,plain", "systems": "mine:measure=cosine,plain:measure=frequency"}
    options = from_mapping(ChangeOptions, {**GIVEN, **asked, "representation": representation})
    assert options.score.named["mine"].alignment == alignment
    assert options.representation.representation == representation


@pytest.mark.parametrize(
    ("systems", "representation", "alignment"),
    [
        ("mine:measure=topics,mine:representation=count", "count", ("column-intersection",)),
        ("mine:measure=lnd,mine:representation=ri", "ri", ("none",)),
    ],
)
def test_a_first_system_without_aligned_vectors_leaves_the_run_the_alignment_of_its_representation(
    systems, representation, alignment
):
    options = from_mapping(ChangeOptions, {**GIVEN, "system": "mine", "systems": systems})
    assert options.representation.representation == representation
    assert options.score.alignments == alignment
    assert not systems_beside(options)


@pytest.mark.parametrize("seeds", ["3", "5,9"])
@pytest.mark.parametrize("system", ["uwb,count-ci-cd", "count-ci-cd,uwb", "uob", list(SYSTEMS)])
def test_seeds_are_for_systems_that_chance_has_a_part_in_whatever_their_order(system, seeds):
    options = from_mapping(ChangeOptions, {**GIVEN, "system": system, "seeds": seeds})
    assert options.has_chance == (not isinstance(system, str) or not system.startswith("count")) or system[0] == "freq"


@pytest.mark.parametrize("system", ["count-ci-cd", "count-ci-cd,freq,ucd"])
def test_seeds_are_refused_where_chance_has_no_part(system):
    with pytest.raises(UsageError, match="there is no chance in `representation` count"):
        from_mapping(ChangeOptions, {**GIVEN, "system": system, "seeds": "3"})
