"""What progress says, from given counts and clocks.

The time left, from given counts and clocks, and which estimates are shown in simulated runs.
"""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lexbeam.pipelines.monitoring.estimates import (
    ASIDE,
    REACH,
    Estimates,
    Foreseen,
    ProjectedEnd,
    StageCount,
    in_one_line,
    line_of,
    remaining,
    settled,
    steady,
    time_left,
)

TRAIN = Foreseen("toy/train", "embeddings", 6.0)
READ = Foreseen("toy/read", "batches", 2.0)
ODD = Foreseen("toy/odd", "pairs")  # of which no weight is known


def test_a_stage_shows_from_its_start():
    line = line_of(StageCount(TRAIN, 6, begun=10.0, last=10.0), 12.5)
    assert line == ("toy/train", 0.0, "0 of 6 embeddings, 2 s")


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (StageCount(TRAIN, 6, 2, 0, 10, 70), "2 of 6 embeddings, 1 min 30 s"),
        (StageCount(TRAIN, 6, 2, 3, 10, 70), "5 of 6 embeddings (3 there already), 1 min 30 s"),
        (StageCount(TRAIN, 6, 6, 0, 10, 70), "6 of 6 embeddings in 1 min 00 s"),
        (StageCount(TRAIN, 6, 3, 3, 10, 70), "6 of 6 embeddings (3 there already) in 1 min 00 s"),
        (StageCount(TRAIN, 6, 0, 6, 10, 10.1), "6 of 6 embeddings (all there already)"),
        (StageCount(TRAIN, 6, 9, 0, 10, 70), "6 of 6 embeddings in 1 min 00 s"),
        (StageCount(TRAIN, None, 9, 0, 10, 70), "9 embeddings, 1 min 30 s"),
        (StageCount(TRAIN, None, 9, 0, 10, 70, ended=True), "9 embeddings in 1 min 00 s"),
        (StageCount(TRAIN, 6, 5, 0, 10, 70, ended=True), "5 embeddings in 1 min 00 s"),
        (StageCount(TRAIN, 1, 1, 0, 10, 10.9), "1 of 1 embedding in under 1 s"),
        (StageCount(TRAIN, 2, 2, 0, 0, 3723), "2 of 2 embeddings in 1 h 02 min"),
    ],
)
def test_what_a_line_says(count, words):
    assert line_of(count, 100.0).words == words


def test_a_finished_line_stays_as_it_is():
    count = StageCount(TRAIN, 6, 4, 2, 10, 70)
    assert line_of(count, 71.0) == line_of(count, 7100.0)


def test_one_line_tells_what_is_at_work():
    read = StageCount(READ, 5, 5, begun=0.0, last=10.0)
    train = StageCount(TRAIN, 6, 2, begun=10.0, last=20.0)
    assert in_one_line([StageCount(READ), StageCount(TRAIN)], 30.0) == "starting"
    assert in_one_line([read, train], 20.0, "about 2 min left") == (
        "toy/train: 2 of 6 embeddings, 10 s; about 2 min left"
    )
    assert in_one_line([read, StageCount(ODD)], 20.0) == "toy/read: 5 of 5 batches in 10 s"


WAITS = {"toy/dealt": ["toy/sizes"], "toy/count": ["toy/dealt"]}


def chain(counts):
    return [(count.stage.name, count.is_finished) for count in settled(counts, WAITS)]


def test_a_stage_without_a_total_is_over_when_one_that_waits_for_it_is():
    sizes = StageCount(Foreseen("toy/sizes", "parts of slices"), None, 24, begun=0.0, last=9.0)
    dealt = StageCount(Foreseen("toy/dealt", "parts"), 48, 40, begun=9.0, last=20.0)
    count = StageCount(Foreseen("toy/count", "slices"), 2, 1, begun=1.0, last=21.0)
    assert chain([sizes, dealt, count]) == [("toy/sizes", False), ("toy/dealt", False), ("toy/count", False)]
    over = [sizes, dealt, count._replace(made=2)]
    assert [finished for _, finished in chain(over)] == [True, True, True]
    assert [line_of(c, 99.0).words for c in settled(over, WAITS)] == [
        "24 parts of slices in 9 s",
        "40 parts in 11 s",
        "2 of 2 slices in 20 s",
    ]
    train = StageCount(TRAIN, 6, 2, begun=20.0, last=50.0)
    assert in_one_line([*settled(over, WAITS), train], 90.0).startswith("toy/train: 2 of 6 embeddings,")


def test_one_thing_is_told_in_the_singular():
    assert line_of(StageCount(ODD, None, 1, begun=0.0, last=1.0), 5.0).words == "1 pair, 5 s"
    assert line_of(StageCount(READ, 1, 0, begun=0.0, last=0.0), 5.0).words == "0 of 1 batch, 5 s"
    assert line_of(StageCount(READ, 2, 1, begun=0.0, last=0.0), 5.0).words == "1 of 2 batches, 5 s"


INGEST, ANNOTATE, MERGE = (
    Foreseen(f"toy/{name}", "parts", weight) for name, weight in (("ingest", 1.0), ("annotate", 30.0), ("merge", 2.6))
)


def test_nothing_is_foretold_without_a_basis():
    assert remaining([], 0.0) is None
    assert remaining([StageCount(TRAIN)], 100.0) is None
    assert remaining([StageCount(TRAIN, 6, begun=0, last=0)], 100.0) is None
    assert remaining([StageCount(TRAIN, 6, 1, begun=0, last=1.0)], 1.0) is None  # too short a time
    assert remaining([StageCount(ODD, 10, 1, begun=0, last=10.0)], 10.0) is None  # too few


def test_a_stage_predicts_its_own_time():
    count = StageCount(ODD, 10, 4, begun=100.0, last=140.0)
    assert remaining([count], 140.0) == pytest.approx(60)
    assert remaining([count], 145.0) == pytest.approx(55)
    assert remaining([count], 990.0) == pytest.approx(50)  # one is late; no more is known
    assert remaining([StageCount(ODD, 5, 4, begun=100.0, last=140.0)], 990.0) == 0


def test_workers_finish_by_turns():
    # Of four workers each has made two artefacts of ten seconds; a ninth takes as long as one more of each would.
    count = StageCount(ODD, 9, 8, begun=0.0, last=20.0, first=10.0)
    assert remaining([count], 20.0) == pytest.approx(10)
    assert remaining([count], 26.0) == pytest.approx(4)
    assert remaining([count._replace(planned=13)], 26.0) == pytest.approx(14)
    assert remaining([count._replace(first=1.0)], 20.0) == pytest.approx(2.5)  # one was short


def test_what_was_there_is_no_speed():
    count = StageCount(ODD, 10, 2, 5, begun=100.0, last=120.0)
    assert remaining([count], 120.0) == pytest.approx(30)
    taken_up = StageCount(READ, 1000, 0, 1000, begun=0.0, last=1.0)
    assert remaining([taken_up, StageCount(TRAIN)], 5.0) is None


def test_stages_ahead_are_told_by_their_weights():
    read = StageCount(READ, 5, 5, begun=0.0, last=10.0)
    assert remaining([read, StageCount(TRAIN)], 10.0) == pytest.approx(30)
    half_there = StageCount(READ, 10, 5, 5, begun=0.0, last=10.0)  # half its work took ten seconds
    assert remaining([half_there, StageCount(READ)], 10.0) == pytest.approx(20)


def test_weights_tell_no_more_than_they_can_bear():
    read = StageCount(READ, 5, 5, begun=0.0, last=10.0)
    ahead = StageCount(Foreseen("toy/long", "pairs", 2 * REACH + 1))
    assert remaining([read, ahead], 10.0) is None
    assert remaining([read, ahead, StageCount(ODD)], 10.0) is None
    # Beside a stage that is known to take long the error does not matter.
    odd = StageCount(ODD, 1000, 10, begun=10.0, last=110.0)
    own = 10 * 990.0
    assert ASIDE * own > 10 * (REACH + 1)
    odd = odd._replace(made=100, last=1010.0)
    assert remaining([read, odd, ahead], 1010.0) == pytest.approx(9000 + 5 * (2 * REACH + 1))


def test_a_stage_of_no_weight_must_tell_by_itself():
    read = StageCount(READ, 5, 5, begun=0.0, last=10.0)
    assert remaining([read, StageCount(ODD)], 10.0) is None
    assert remaining([read, StageCount(ODD, 10, 5, begun=10.0, last=20.0)], 20.0) == pytest.approx(10)
    assert remaining([read, StageCount(ODD, ended=True)], 10.0) is None  # nothing is left


def test_stages_that_work_by_turns_count_once():
    turns = [StageCount(READ, 10, 5, begun=0.0, last=10.0), StageCount(TRAIN, 10, 5, begun=0.0, last=9.0)]
    assert remaining(turns, 10.0) == pytest.approx(10)
    # Weights 1 + 3 were done in ten seconds, so that 4 more take ten.
    ahead = StageCount(Foreseen("toy/more", "pairs", 4.0))
    assert remaining([*turns, ahead], 10.0) == pytest.approx(20)


@given(
    stages=st.lists(st.tuples(st.floats(0.5, 8), st.integers(1, 40), st.integers(0, 20)), min_size=1, max_size=6),
    pace=st.floats(0.01, 100),
    at=st.floats(0, 0.999),
)
def test_a_steady_run_is_foretold_but_for_one_artefact(stages, pace, at):
    """Stages one after the other, of true weights, at a constant pace; some were there before."""
    now = at * sum(weight * pace * n / (n + there) for weight, n, there in stages)
    clock, counts, each, left = 0.0, [], 0.0, 0.0
    for number, (weight, n, there) in enumerate(stages):
        one = weight * pace / (n + there)
        end = clock + n * one
        seen = Foreseen(f"toy/{number}", "pairs", weight)
        if now < clock:
            counts.append(StageCount(seen))
            # That some of it is there already is not known before.
            left += weight * pace
        else:
            made = min(n, int((now - clock) / one + 1e-9))
            last = clock + (made * one)
            counts.append(StageCount(seen, n + there, made, there, clock, last))
            left += max(0.0, end - now)
            each = one
        clock = end
    output = remaining(counts, now)
    assume(output is not None)
    assert output == pytest.approx(left, abs=each + 1e-6, rel=1e-6)


def test_the_estimate_is_no_finer_than_it_is_good_for():
    assert time_left(0.0) == "under a minute left"
    assert time_left(59.0) == "under a minute left"
    assert time_left(61.0) == "about 1 min left"
    assert time_left(8 * 60 + 20) == "about 8 min left"
    assert time_left(11 * 60) == "about 10 min left"
    assert time_left(80 * 60) == "about 80 min left"
    assert time_left(100 * 60) == "about 2 h left"


def annotation(units, workers, seconds, delays):
    """Simulate an annotation whose units take equal time, of workers that begin with delays.

    Returns the counts at a time, and the time at which all is over.
    """
    made = sorted(delays[place % workers] + seconds * (place // workers + 1) for place in range(units))
    begun = made[-1] / ANNOTATE.weight
    over = begun + made[-1]
    merged = over + begun * MERGE.weight

    def counts(now):
        done = [begun + end for end in made if begun + end <= now]
        yield StageCount(INGEST, 1, int(now >= begun), begun=0.0, last=begun if now >= begun else 0.0)
        if now < begun:
            yield StageCount(ANNOTATE)
        else:
            yield StageCount(
                ANNOTATE,
                units,
                len(done),
                begun=begun,
                last=done[-1] if done else begun,
                first=done[0] if done else None,
            )
        yield StageCount(MERGE, 1, begun=over, last=over) if now >= over else StageCount(MERGE, 1)

    return counts, merged


def told(counts, over, looks=400):
    """Return what is estimated at each look of a run and what is shown, in seconds, with what is really left."""
    estimates = Estimates()
    for look in range(looks):
        now = over * look / looks
        at = list(counts(now))
        yield over - now, remaining(at, now), estimates.left(at, now)


def wrong(left, seconds):
    """Return whether words for so many seconds mislead by more than a factor of two."""
    said = max(seconds, 60.0)  # "under a minute" is right for any less
    return left > 2 * said or (seconds >= 60 and left < seconds / 2)


def test_two_hours_are_not_left_at_the_end_of_an_annotation():
    """Three workers with a unit each, which take an hour: the first to finish said that two hours were left."""
    counts, over = annotation(3, 3, 3600.0, [0.0, 60.0, 120.0])
    near = [each for each in told(counts, over, 2000) if each[0] < 600]
    assert "about 2 h left" in {time_left(seconds) for _, seconds, _ in near if seconds is not None}
    assert not [each for each in near if each[2] is not None and wrong(each[0], each[2])]


@given(
    units=st.integers(1, 200),
    workers=st.integers(1, 40),
    seconds=st.sampled_from([5.0, 60.0, 900.0, 3600.0]),
    spread=st.floats(0, 0.1),
)
def test_no_estimate_that_is_shown_near_the_end_is_wrong_by_more_than_a_factor_of_two(units, workers, seconds, spread):
    delays = [spread * seconds * place / workers for place in range(workers)]
    counts, over = annotation(units, workers, seconds, delays)
    shown = [(left, at) for left, _, at in told(counts, over) if at is not None and left < over / 3]
    assert not [each for each in shown if wrong(*each)]


@pytest.mark.parametrize(("units", "workers"), [(40, 1), (100, 4), (200, 8)])
def test_a_steady_annotation_is_foretold_most_of_the_time(units, workers):
    counts, over = annotation(units, workers, 60.0, [0.0] * workers)
    shown = [at is not None for left, _, at in told(counts, over, 4000) if left < over / 2]
    assert sum(shown) > 0.8 * len(shown)


def test_an_estimate_is_shown_if_earlier_ones_agree():
    said = [(-100, 9000.0), (0, 1000.0), (110, 1010.0), (190, 1000.0)]
    ends = [ProjectedEnd(at, end, (at,)) for at, end in said]
    assert steady(ends, 800.0, 200.0)
    assert not steady(ends[:2], 800.0, 200.0)  # of the last two one differs
    assert not steady(ends[1:2], 800.0, 200.0)  # one has none beside it
    assert not steady(ends[2:], 800.0, 200.0)  # they have not held for long
    assert not steady(ends, 1300.0, 200.0)  # the end recedes
    assert not steady([ends[0]._replace(at=39), *ends[2:]], 800.0, 200.0)  # in force 160 seconds ago
    assert steady(ends, 30.0, 985.0)  # "under a minute", whatever of it


def test_what_is_told_on_another_basis_begins_anew():
    estimates = Estimates()
    counts = [StageCount(ODD, 10, made, begun=0.0, last=10.0 * made) for made in (2, 3, 4)]
    assert [estimates.left([count], 10.0 * count.made) for count in counts] == [None, None, pytest.approx(60)]
    assert estimates.left([*counts, StageCount(ODD)], 41.0) is None
    assert estimates.left(counts[2:], 42.0) is None
