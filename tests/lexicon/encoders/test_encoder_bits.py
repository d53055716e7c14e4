"""The same list gives the same bits, whatever a process has done before, and in another one."""

import hashlib
import subprocess
import sys
import threading

import pytest

from lexbeam.transforms.lexicon.encoders.encoder_batches import Spans
from lexbeam.transforms.lexicon.encoders.loading_encoders import load_encoder
from lexbeam.transforms.lexicon.encoders.model_heads import fill_mask, word_log_probs
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions, span_vectors

ANIMALS = ("cat", "dog", "bird", "horse")
TEXTS = [f"The {word} was tired" + " and hungry" * n + "." for n in range(5) for word in ANIMALS]
OPTIONS = EncoderOptions(batch_size=4, layers="-2..-1")


def bits(encoder, texts=TEXTS):
    """Return a digest of all that the operations give."""
    starts, ends = [4] * len(texts), [text.index(" ", 4) for text in texts]
    spans = Spans(texts, starts, ends)
    words = [["dog", "kitchens", "xyz"]] * len(texts)
    vectors = span_vectors(encoder, *spans, options=OPTIONS)
    fills = fill_mask(encoder, *spans, 20, first=spans, options=OPTIONS)
    scores = word_log_probs(encoder, *spans, words, scoring="left_to_right", options=OPTIONS)
    whole = hashlib.sha256(vectors.vectors.tobytes() + fills.probabilities.tobytes())
    for row in [fills.ids, *scores.log_probs]:
        whole.update(row.tobytes())
    return whole.hexdigest()


def test_what_was_done_before_changes_nothing(encoder):
    import torch

    expected = bits(encoder)
    for other in (TEXTS[:3], TEXTS[::-1], ["The cat was tired." + " So it slept." * 40] * 7):
        bits(encoder, other)
        assert bits(encoder) == expected
    torch.set_num_threads(2)  # whoever else it is that uses torch
    assert bits(encoder) == expected
    assert torch.get_num_threads() == 1


def test_threads_of_a_process_do_not_disturb_each_other(encoder):
    expected, other = bits(encoder), bits(encoder, TEXTS[::2])
    found = []

    def ask(texts):
        found.extend((len(texts), bits(encoder, texts)) for _ in range(3))

    threads = [threading.Thread(target=ask, args=(texts,)) for texts in (TEXTS, TEXTS[::2])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(set(found)) == [(10, other), (20, expected)]
    assert len(found) == 6


def test_the_order_of_a_list_is_kept(encoder):
    """Vectors are given back by place, however they were sorted for the batches."""
    starts, ends = [4] * len(TEXTS), [text.index(" ", 4) for text in TEXTS]
    found = span_vectors(encoder, TEXTS, starts, ends, options=OPTIONS).vectors
    for number, spans in enumerate(zip(TEXTS, starts, ends, strict=True)):
        alone = span_vectors(encoder, *([one] for one in spans), options=OPTIONS).vectors[0]
        assert found[number] == pytest.approx(alone, abs=1e-5)


@pytest.mark.slow
def test_another_process_gives_the_same_bits(bert):
    program = (
        "import sys, runpy; run = runpy.run_path(sys.argv[1])\n"
        "encoder = run['load_encoder'](sys.argv[2], device='cpu')\n"
        "run['bits'](encoder, run['TEXTS'][:7])\n"
        "print(run['bits'](encoder))"
    )
    words = [sys.executable, "-c", program, __file__, bert]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == bits(load_encoder(bert, device="cpu"))
