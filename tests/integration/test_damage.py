"""Artefacts damaged at random: what is published is the undisturbed, or nothing.

`python -m benchmarks.damage --resumes 200` does more of the same, see docs/reliability.md.
"""

import pytest

from benchmarks.damage import DAMAGES, damaged_resume, flipped_resume, make_run


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("whole") / "run")


@pytest.mark.slow
@pytest.mark.parametrize(
    "stage",
    [
        "corpus/merge-sentences",
        "change/train",
        *(
            pytest.param(stage, marks=pytest.mark.soak)
            for stage in (
                "corpus/ingest",
                "corpus/annotate",
                "corpus/merge-documents",
                "change/view",
                "change/align",
                "change/score",
                "change/combine",
                "change/summarise",
                "change/neighbours",
                "change/slices",
            )
        ),
    ],
)
def test_a_flipped_bit_in_any_stage_is_made_good(stage, whole, tmp_path):
    assert flipped_resume(*whole, stage, tmp_path) == "first"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "kind"),
    [
        pytest.param(seed, kind, marks=[pytest.mark.soak] * (seed > 0 or kind in ("emptied", "one bit flipped")))
        for seed in (0, 1)
        for kind in DAMAGES
    ],
)
def test_a_damaged_run_publishes_the_undisturbed_bytes(kind, seed, whole, tmp_path):
    assert damaged_resume(*whole, kind, seed, tmp_path) in ("first", "second")
