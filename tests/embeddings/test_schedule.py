"""Jobs and learning rates, against gensim's own producer of jobs."""

from queue import Queue

import numpy as np
import pytest
from gensim.models import Word2Vec
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.embeddings.sgns import Jobs

EPOCHS = 3
LENGTHS = st.one_of(st.integers(0, 4_000), st.sampled_from([1, 5_000, 9_999, 10_000, 10_001, 15_000, 25_000]))


def of_gensim(model, lengths, epoch):
    """The learning rate of each sentence of an epoch."""
    queue = Queue()
    model._job_producer((["w"] * length for length in lengths), queue, cur_epoch=epoch, total_examples=len(lengths))
    return [rate for job in iter(queue.get, None) for rate in [job[1]] * len(job[0])]


@settings(max_examples=40)
@given(lengths=st.lists(LENGTHS, min_size=1, max_size=12), cuts=st.lists(st.integers(0, 12), max_size=3))
def test_each_sentence_has_the_learning_rate_of_gensim(lengths, cuts):
    model = Word2Vec(alpha=0.4, min_alpha=0.1, epochs=EPOCHS, workers=1)
    jobs = Jobs(alpha=0.4, min_alpha=0.1, epochs=EPOCHS, sentences=len(lengths))
    for epoch in range(EPOCHS):
        jobs.begin(epoch)
        rates = []
        for some in np.split(np.array(lengths), sorted(min(cut, len(lengths)) for cut in cuts)):
            found = list(jobs.cut(some))
            assert [first for first, _, _ in found] + [len(some)] == [0] + [last for _, last, _ in found]
            rates += [rate for first, last, rate in found for _ in range(first, last)]
        assert rates == pytest.approx(of_gensim(model, lengths, epoch), rel=1e-12)
        assert jobs.sentences_done() == len(lengths)
