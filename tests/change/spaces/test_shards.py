import itertools
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from space_making import COMPARISONS, DIM, ready

from lexbeam.transforms.change.graph.comparisons import train_tasks
from lexbeam.transforms.change.spaces.shards import (
    MOST_STEPS,
    AverageLast,
    AverageStep,
    AverageTask,
    ShardOptions,
    ShardTask,
    TrainShard,
    check_steps,
    options_of_step,
    span_of,
    steps_of,
)
from lexbeam.transforms.change.spaces.training import Train
from lexbeam.transforms.change.view.feeds import Held, read_counts, read_feed
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make, name_of
from lexbeam.transforms.common.store.batches import BatchWriter
from lexbeam.transforms.embeddings.sgns import Jobs, SgnsOptions, derive_seed, training_memory
from lexbeam.transforms.embeddings.starts import Start
from lexbeam.transforms.embeddings.trainers import TRAINERS, train_space


@given(st.integers(2, 12), st.integers(1, 6), st.integers(0, 2**64 - 1))
def test_every_sentence_is_in_one_round_of_one_shard(shards, rounds, key):
    options = ShardOptions(shards=shards, rounds=rounds)
    spans = [span_of(shard, number, options) for shard in range(shards) for number in range(rounds)]
    assert [span for span in spans if span.first <= key <= span.last] == [spans[key * shards * rounds >> 64]]
    assert spans[0].first == 0
    assert spans[-1].last == 2**64 - 1
    assert all(before.last + 1 == after.first for before, after in itertools.pairwise(spans))


def test_the_learning_rate_falls_over_the_whole_training():
    options = SgnsOptions(epochs=3, alpha=0.05, min_alpha=0.001)
    sharding = ShardOptions(shards=2, rounds=2)
    steps = steps_of(sharding, options.epochs)
    assert steps == 6
    cut = [options_of_step(options, step, steps) for step in range(steps)]
    assert {some.epochs for some in cut} == {1}
    assert [some.min_alpha for some in cut[:-1]] == [some.alpha for some in cut[1:]]
    # Of a slice of 100 sentences each shard has 25 in a round: its first rate is that of as many rounds in one shard.
    whole = Jobs(alpha=0.05, min_alpha=0.001, epochs=3, sentences=2)
    rates = []
    for epoch in range(3):
        whole.begin(epoch)
        rates += [rate for _, _, rate in whole.cut([20_000, 20_000])]
    assert [some.alpha for some in cut] == pytest.approx(rates)
    assert cut[-1].min_alpha == pytest.approx(0.001)


def test_one_shard_is_no_step():
    assert steps_of(ShardOptions(), 5) == 0
    check_steps(ShardOptions(), 10_000)


def test_rounds_of_one_shard_are_refused():
    with pytest.raises(UsageError, match="`rounds` 3: one shard has nothing to be averaged with; give `shards`"):
        ShardOptions(rounds=3)


def test_more_averages_than_a_graph_should_have_levels_are_refused():
    check_steps(ShardOptions(shards=2, rounds=MOST_STEPS // 5), 5)
    with pytest.raises(UsageError, match=f"`epochs` 5 with `rounds` 11: .* 55 times.* {MOST_STEPS} are the most"):
        check_steps(ShardOptions(shards=2, rounds=11), 5)


SGNS = SgnsOptions(dim=DIM, epochs=2, window=3, alpha=0.05, min_count=1)
CUT = ShardOptions(shards=3, rounds=2)
KEYS = np.sort(np.random.default_rng(0).integers(0, 2**64, 200, np.uint64))
MIN_COUNT = 4


@pytest.fixture
def task(tmp_path):
    slice_ready = ready(tmp_path, 0, vocabulary=60, keys=KEYS)
    return next(train_tasks(slice_ready, COMPARISONS._replace(min_counts=(MIN_COUNT, 3))))[1]


def sharded(space, task, sgns=SGNS, cut=CUT):
    """Train a slice in shards by its stages, one behind the other."""
    common = None
    for step in range(sgns.epochs * cut.rounds):
        tasks = [ShardTask(task, step, shard, cut, common) for shard in range(cut.shards)]
        average = AverageTask(task, step, common, tuple(make(space, TrainShard(sgns), one).weights for one in tasks))
        if step < sgns.epochs * cut.rounds - 1:
            common = make(space, AverageStep(sgns.dim), average)
    return pq.read_table(make(space, AverageLast(sgns.dim), average).file.path)


def by_hand(task, texts, keys, sgns=SGNS, cut=CUT):
    """The vectors of words, by word."""
    counts = dict(zip(*(read_counts(task.counts)[name].to_pylist() for name in ("word", "count")), strict=True))
    words = sorted(word for word, count in counts.items() if count >= task.min_count)
    steps = sgns.epochs * cut.rounds
    size = {"sentences": 1, "tokens": 1, "keep_contexts": True}
    options = {"dim": DIM, "window": 3, "min_count": task.min_count, "trainer": sgns.trainer}
    # What is trained on nothing is what training starts from.
    unknown = [pa.array([["?"]], pa.list_(pa.string()))]
    start = train_space(
        lambda: unknown, counts, SgnsOptions(**options), seed=derive_seed(task.slice, task.seed), **size
    )
    common = {word: (start.vectors[row], start.contexts[row]) for row, word in enumerate(start.words)}
    assert sorted(common) == words
    for step in range(steps):
        found = {word: [] for word in words}
        for shard in range(cut.shards):
            piece = shard * cut.rounds + step % cut.rounds
            pieces = [int(key) * cut.shards * cut.rounds >> 64 for key in keys]
            own = [text for text, place in zip(texts, pieces, strict=True) if place == piece]
            rates = [0.05 - (0.05 - 0.0001) * done / steps for done in (step, step + 1)]
            weights = train_space(
                lambda own=own: [pa.array(own, pa.list_(pa.string()))],
                counts,
                SgnsOptions(epochs=1, alpha=rates[0], min_alpha=rates[1], **options),
                seed=derive_seed(f"{task.slice} step {step} shard {shard}", task.seed),
                sentences=len(own),
                tokens=sum(map(len, own)),
                start=Start(
                    words=words,
                    vectors=np.array([common[word][0] for word in words]),
                    contexts=np.array([common[word][1] for word in words]),
                ),
                keep_contexts=True,
            )
            for row, word in enumerate(weights.words):
                uses = sum(text.count(word) for text in own)
                if uses:
                    found[word].append((uses, weights.vectors[row], weights.contexts[row]))
        for word, trained in found.items():
            if trained:
                total = sum(uses for uses, *_ in trained)
                common[word] = tuple(
                    (sum(uses * weights[which].astype(float) for uses, *weights in trained) / total).astype(np.float32)
                    for which in range(2)
                )
    return {word: vector.tolist() for word, (vector, _) in common.items()}


def vectors_of(table):
    return dict(zip(table["word"].to_pylist(), table["vector"].to_pylist(), strict=True))


def test_a_slice_in_shards_is_trained_and_averaged_step_by_step(task, tmp_path):
    table = sharded(Workspace(str(tmp_path / "w")), task)
    texts = [text for lists in read_feed(task.feeds[0]) for text in lists.to_pylist()]
    wanted = by_hand(task, texts, KEYS)
    assert table["word"].to_pylist() == sorted(wanted)
    assert vectors_of(table) == wanted
    plain = pq.read_table(make(Workspace(str(tmp_path / "w")), Train(SGNS), task).file.path)
    assert table.drop(["vector"]).equals(plain.drop(["vector"]))
    assert table.schema.equals(plain.schema, check_metadata=True)
    assert not table["vector"].equals(plain["vector"])


def test_a_null_slice_in_shards_is_that_of_its_documents(task, tmp_path):
    """Beside the same with all sentences of other documents left out of the files; a document is a sentence here."""
    some = np.random.default_rng(1).random(200) < 0.5
    artefact = Artefact(str(tmp_path / "dealt"))
    batch = Held("document", np.sort(KEYS[some])).batch
    with artefact.writing(".arrow") as stream, BatchWriter(stream, batch.schema) as writer:
        writer.write(batch)
    null = task._replace(documents=artefact.file(".arrow"))
    texts = [text for lists in read_feed(task.feeds[0]) for text in lists.to_pylist()]
    wanted = by_hand(task, [text for text, own in zip(texts, some, strict=True) if own], KEYS[some])
    table = sharded(Workspace(str(tmp_path / "w")), null)
    assert vectors_of(table) == wanted


def test_words_and_rounds_that_are_in_no_shard_keep_their_weights(tmp_path):
    """All sentences lie in the first span of keys: nothing is trained in every second step."""
    task = next(train_tasks(ready(tmp_path, 0), COMPARISONS))[1]
    space = Workspace(str(tmp_path / "w"))
    empty = make(space, TrainShard(SGNS), ShardTask(task, 1, 0, CUT, None))
    assert empty.tokens == 0
    first = [make(space, TrainShard(SGNS), ShardTask(task, 0, shard, CUT, None)) for shard in range(CUT.shards)]
    assert [shard.tokens for shard in first] == [2400, 0, 0]
    averages = [
        make(space, AverageStep(DIM), AverageTask(task, 0, None, tuple(shard.weights for shard in shards)))
        for shards in (first, [empty] * 3)
    ]
    again = make(space, AverageStep(DIM), AverageTask(task, 1, averages[0], (empty.weights,) * 3))
    assert again.sha256 == averages[0].sha256 != averages[1].sha256


def test_a_word_that_stands_alone_has_zeros_in_shards_and_without_them(tmp_path):
    """Word 99, in several shards; 98 has company once, in one of them."""
    draw = np.random.default_rng(3)
    texts = [[f"w{number}" for number in draw.integers(0, 9, 8)] for _ in range(120)]
    for place in range(0, 120, 5):
        texts[place] = ["w99"]
    texts[7], texts[101] = ["w98", "w1"], ["w98"]
    task = next(train_tasks(ready(tmp_path, 0, keys=np.sort(KEYS[:120]), sentences=texts), COMPARISONS))[1]
    task = task._replace(sentences=120, tokens=sum(map(len, texts)), min_count=1)
    space = Workspace(str(tmp_path / "w"))
    for table in (sharded(space, task), pq.read_table(make(space, Train(SGNS), task).file.path)):
        assert [word for word, vector in vectors_of(table).items() if not any(vector)] == ["w99"]


@pytest.mark.parametrize("trainer", list(TRAINERS))
def test_a_shard_takes_the_memory_that_is_stated(trainer, tmp_path):
    """At the first step, which starts by chance, and at later ones, which start from a file."""
    try:
        TRAINERS[trainer].check()
    except UsageError as error:
        pytest.skip(str(error))
    words, dim, space = 5_000, 200, Workspace(str(tmp_path / "w"))
    texts = np.array([f"w{number}" for number in range(words)]).reshape(-1, 20).tolist()
    keys = np.arange(len(texts), dtype=np.uint64) * np.uint64(2**64 // len(texts))
    large = next(train_tasks(ready(tmp_path, 0, keys=keys, sentences=texts), COMPARISONS))[1]
    large = large._replace(sentences=len(texts), tokens=words, min_count=1)
    sgns, cut = SgnsOptions(dim=dim, epochs=2, window=1, negative=1, trainer=trainer), ShardOptions(shards=2)
    common = None
    for step in range(2):
        tasks = [ShardTask(large, step, shard, cut, common) for shard in range(2)]
        weights = [make(space, TrainShard(sgns), tasks[0]).weights]
        tracemalloc.start()
        weights.append(make(space, TrainShard(sgns), tasks[1]).weights)
        peak = tracemalloc.get_traced_memory()[1] / training_memory(words, dim, keep_contexts=True)
        tracemalloc.stop()
        assert 0.75 < peak < 1
        common = make(space, AverageStep(dim), AverageTask(large, step, common, tuple(weights)))


def test_a_slice_without_sentences_is_named(task, tmp_path):
    with pytest.raises(LexbeamError, match="'early' has no sentence left"):
        make(Workspace(str(tmp_path / "w")), TrainShard(SGNS), ShardTask(task._replace(sentences=0), 0, 0, CUT, None))


def test_shards_rounds_and_trainer_name_what_is_trained(task):
    one = ShardTask(task, 0, 0, CUT, None)
    names = {
        name_of(TrainShard(SgnsOptions(trainer=trainer)), other)
        for trainer in ("gensim", "fast")
        for other in (one, one._replace(step=1), one._replace(shard=1), one._replace(sharding=ShardOptions(shards=3)))
    }
    assert len(names) == 8
    average = AverageTask(task, 0, None, ())
    others = (average, average._replace(shards=(task.counts,)), average._replace(step=1))
    assert len({name_of(AverageStep(5), other) for other in others}) == 3
