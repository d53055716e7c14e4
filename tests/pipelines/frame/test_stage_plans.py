"""What will likely be made again, by hand and by brute force over graphs of artefacts.

How long a run would take, by hand; what it would make is tested with whole runs (test_refresh.py).
"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.pipelines.frame.stage_plans import StageChange, StagePlan, estimated, forecast, touched, used_artefacts
from lexbeam.transforms.common.publish.run_log import RunLine
from lexbeam.transforms.common.store.receipts import Envelope, FileName, source_of


def sha(name):
    return f"{name:0<64}"


def receipt(name, made_of=(), entries=()):
    sources = [source_of(sha(other)) for other in made_of] + [source_of(sha(other), entries=True) for other in entries]
    return Envelope((FileName(name, 10, sha(name)),), b"{}", frozenset(sources))


# Two batches are annotated, merged into four parts, each split into two slices, which are counted.
CORPUS = [
    *(("ingest", f"i{n}", receipt(f"i{n}")) for n in "12"),
    *(("annotate", f"a{n}", receipt(f"a{n}", [f"i{n}"])) for n in "12"),
    *(("merge", f"m{n}", receipt(f"m{n}", entries=["a1", "a2"])) for n in "1234"),
    *(("view", f"{n}{s}", receipt(f"{n}{s}", [f"m{n}"])) for n in "1234" for s in "xy"),
    *(("count", f"c{s}", receipt(f"c{s}", [f"{n}{s}" for n in "1234"])) for s in "xy"),
    ("score", "s", receipt("s", ["cx", "cy"])),
    ("merge", "m9", receipt("m9", entries=["a1"])),  # of an earlier run
]
STAGES = ("ingest", "annotate", "merge", "view", "count", "score")


def likely(documents=math.inf, whole=(), superseded=("i1",)):
    used = used_artefacts(CORPUS, [sha("s"), *(sha(f"m{n}") for n in "1234")])
    changes = [
        StageChange(stage, superseded if stage == "ingest" else (), stage in whole, stage == "view") for stage in STAGES
    ]
    found = forecast(changes, used, documents, lambda artefact: ord(artefact.name[-1]))
    return {stage: [artefact.name for artefact in made] for stage, made in found.items()}


def test_what_is_published_comes_from_what_was_used():
    used = used_artefacts(CORPUS, [sha("m1")])
    assert {stage: [artefact.name for artefact in found] for stage, found in used.items()} == {
        "merge": ["m1"],
        "annotate": ["a1", "a2"],
        "ingest": ["i1", "i2"],
    }


def test_one_document_touches_its_batch_its_part_and_its_slice():
    made = likely(documents=1)
    assert made == {
        "ingest": ["i1"],
        "annotate": ["a1"],
        "merge": ["m1"],
        "view": ["1x", "1y"],
        "count": ["cx"],
        "score": ["s"],
    }


def test_what_two_versions_have_made_alike_counts_once_as_the_first_has_it():
    other = ("count", "cz", next(made for _, name, made in CORPUS if name == "cx"))
    for receipts, name in (([*CORPUS, other], "cx"), ([other, *CORPUS], "cz")):
        assert name in {artefact.name for artefact in used_artefacts(receipts, [sha("s")])["count"]}
        assert len(used_artefacts(receipts, [sha("s")])["count"]) == 2


def test_many_documents_touch_all_that_their_batch_is_in():
    made = likely()
    assert made["annotate"] == ["a1"]
    assert [len(made[stage]) for stage in STAGES[2:]] == [4, 8, 2, 1]


def test_what_has_other_code_is_made_again_and_may_come_out_the_same():
    made = likely(whole=("count",), superseded=())
    assert {stage: len(found) for stage, found in made.items() if found} == {"count": 2}


def test_nothing_follows_where_nothing_is_superseded():
    assert not any(likely(superseded=()).values())


@given(st.integers(1, 30), st.integers(0, 60))
def test_how_many_are_touched_is_the_mean_over_all_ways_to_draw(number, documents):
    """By recursion over documents: each touches another artefact with the share of those that are not touched yet."""
    mean = 0.0
    for _ in range(documents):
        mean += (number - mean) / number
    assert touched(number, documents) == pytest.approx(mean)


def line(stage, worker, seconds, elements, there=0, size=0, at="2020-01-01T00:00:09Z"):
    return RunLine(stage=stage, worker=worker, at=at, seconds=seconds, elements=elements, there=there, bytes=size)


LOG = [
    line("c/a", "one", 6.0, 2),
    line("c/a", "two", 2.0, 2, there=4),
    line("c/b", "one", 5.0, 1, size=1000),
    line("c/old", "one", 100.0, 10, at="2019-12-31T00:00:00Z"),
    line("c", "driver", 9.0, 9),
]


def plan(stage, kept, made, **more):
    return StagePlan("c", stage, "parts", kept, made, **more)


def test_work_is_by_artefact_and_by_bytes_where_these_are_known():
    work = estimated([plan("c/a", 5, 3), plan("c/b", 1, 0), plan("c/new", 0, 0)], LOG).work
    assert work == 6.0  # 2 s each
    follows = [plan("c/a", None, None, after=("c/x",)), plan("c/b", None, None, likely=7, bytes=2000)]
    assert estimated(follows, LOG).work == 16.0 + 10.0  # all eight; twice the bytes, whatever their number
    assert estimated([plan("c/a", 7, None, likely=0)], LOG).work == 0


def test_what_never_took_any_time_is_named():
    assert estimated([plan("c/new", 0, 1)], LOG).unknown == ("c/new",)
    assert estimated([plan("c/a", 0, 1)], []) == (0.0, 0.0, ("c/a",))


def test_the_clock_runs_for_what_no_stage_does_too():
    """Nine seconds for thirteen of work by two workers: two and a half for what is no work of theirs."""
    found = estimated([plan("c/a", 8, 0), plan("c/b", 1, 0), plan("c/old", 10, 0)], LOG)
    assert found == (0.0, 2.5, ())
    assert estimated([plan("c/a", 4, 4)], LOG[:2] + LOG[-1:]).clock == pytest.approx(8 / 2 + (9 - 8 / 2))
