"""What progress says, from given counts and clocks."""

import pytest

from lexbeam.pipelines.monitoring.estimates import Foreseen, StageCount, in_one_line, line_of, settled

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


def chain(counts):
    return [(count.stage.name, count.is_finished) for count in settled(counts)]


def test_a_stage_without_a_total_is_over_when_one_that_waits_for_it_is():
    sizes = StageCount(Foreseen("toy/sizes", "parts of slices"), None, 24, begun=0.0, last=9.0)
    dealt = StageCount(Foreseen("toy/dealt", "parts", waits=("toy/sizes",)), 48, 40, begun=9.0, last=20.0)
    count = StageCount(Foreseen("toy/count", "slices", waits=("toy/dealt",)), 2, 1, begun=1.0, last=21.0)
    assert chain([sizes, dealt, count]) == [("toy/sizes", False), ("toy/dealt", False), ("toy/count", False)]
    over = [sizes, dealt, count._replace(made=2)]
    assert [finished for _, finished in chain(over)] == [True, True, True]
    assert [line_of(c, 99.0).words for c in settled(over)] == [
        "24 parts of slices in 9 s",
        "40 parts in 11 s",
        "2 of 2 slices in 20 s",
    ]
    train = StageCount(TRAIN, 6, 2, begun=20.0, last=50.0)
    assert in_one_line([*settled(over), train], 90.0).startswith("toy/train: 2 of 6 embeddings,")


def test_one_thing_is_told_in_the_singular():
    assert line_of(StageCount(ODD, None, 1, begun=0.0, last=1.0), 5.0).words == "1 pair, 5 s"
    assert line_of(StageCount(READ, 1, 0, begun=0.0, last=0.0), 5.0).words == "0 of 1 batch, 5 s"
    assert line_of(StageCount(READ, 2, 1, begun=0.0, last=0.0), 5.0).words == "1 of 2 batches, 5 s"
