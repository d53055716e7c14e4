"""Encoders against bare loops of transformers over the same batches, in one process.

    python -m benchmarks encoders

needs the extra `transformers`; without it the module says so and measures nothing. The rows, by CPU
time, one thread each: vectors of spans (one word of each sentence, mean over its pieces, last
layer) over a loop that cuts, pads, runs and averages a batch; and the 80 most probable words of a
masked place over a loop that runs a batch and takes `topk` of the softmax. The batches are those
that ours makes: 64 sentences of a document, sorted by length, 32 at once. The model is BERT with
random weights, 4 layers of 256, and a WordPiece vocabulary of the sample corpus, from which the
sentences are.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import BenchmarkRow, Skipped, lexbeam, ratios

REPEATS = 7
SENTENCES = 512  # some 18 words each
DOCUMENT = 64
BATCH = 32
TOP = 80
LIMIT = 128

Spans = tuple[list[str], list[int], list[int]]


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the rows."""
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise Skipped(f"needs the extra `transformers` ({error}): pip install 'lexbeam[transformers]'") from error
    from lexbeam.transforms.lexicon.encoders.loading_encoders import load_encoder
    from lexbeam.transforms.lexicon.encoders.model_heads import fill_mask
    from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions, span_vectors

    sentences = _sentences(folder)
    model = _make_model(folder / "model", sentences)
    documents = [_spans(sentences[start : start + DOCUMENT]) for start in range(0, SENTENCES, DOCUMENT)]
    encoder = load_encoder(model, device="cpu")
    options = EncoderOptions(batch_size=BATCH)
    bare = _Bare(model)

    def vectors() -> list[Any]:
        return [span_vectors(encoder, *spans, options=options).vectors for spans in documents]

    def fills() -> list[Any]:
        return [fill_mask(encoder, *spans, TOP, options=options).probabilities for spans in documents]

    batches = [list(_batches(bare.tokenizer, spans)) for spans in documents]
    rows = []
    for name, ours, theirs in (
        ("vectors of spans", vectors, bare.vectors),
        ("words for masked places", fills, bare.fills),
    ):
        _check(ours(), theirs(batches), batches)  # which warms both up, too
        value, runs = ratios(lambda theirs=theirs: theirs(batches), ours, REPEATS, clock=time.process_time)
        note = f"all runs: {', '.join(f'{ratio:.3f}' for ratio in runs)}"
        rows.append(BenchmarkRow(f"{name} over a bare transformers loop", value, 0.9, False, "x", note))
    return rows


def _sentences(folder: Path) -> list[str]:
    lexbeam("sample", "--out", str(folder / "sample"), "--tokens", "60000", "--seed", "1")
    texts = (path.read_text("utf-8") for path in sorted((folder / "sample").glob("corpus/*.txt")))
    sentences = [
        f"{sentence.strip()}."
        for text in texts
        for sentence in " ".join(text.split()).split(".")
        if sentence.count(" ") > 3
    ]
    return sentences[:SENTENCES]


def _spans(sentences: list[str]) -> Spans:
    """Return each sentence with the place of its middle word."""
    starts = [sentence.index(" ", len(sentence) // 3) + 1 for sentence in sentences]
    ends = [start + len(text[start:].split()[0]) for text, start in zip(sentences, starts)]  # noqa: B905
    return sentences, starts, ends


def _make_model(folder: Path, sentences: list[str]) -> str:
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from tokenizers.trainers import WordPieceTrainer

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = WordPieceTrainer(vocab_size=8000, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(sentences, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = ("pad", "unk", "cls", "sep", "mask")
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=LIMIT,
        **{f"{name}_token": text for name, text in zip(names, special, strict=True)},
    )
    torch.manual_seed(0)
    shape = {"hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4}
    config = transformers.BertConfig(
        vocab_size=len(fast), intermediate_size=1024, max_position_embeddings=LIMIT, **shape
    )
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return str(folder)


def _batches(tokenizer: Any, spans: Spans) -> Iterator[list[tuple[int, str, int, int]]]:
    texts, starts, ends = spans
    lengths = [len(ids) for ids in tokenizer(texts)["input_ids"]]
    order = sorted(range(len(texts)), key=lengths.__getitem__)
    for begin in range(0, len(order), BATCH):
        yield [(n, texts[n], starts[n], ends[n]) for n in order[begin : begin + BATCH]]


class _Bare:
    """What a user would write without Lexbeam."""

    def __init__(self, folder: str) -> None:
        import torch
        import transformers

        self.torch = torch
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()

    def vectors(self, documents: list[Any]) -> list[list[Any]]:
        """Return the vectors, batch by batch."""
        results = []
        for batch in (batch for batches in documents for batch in batches):
            inputs = self.tokenizer(
                [text for _, text, _, _ in batch],
                padding=True,
                truncation=True,
                return_offsets_mapping=True,
                return_tensors="pt",
            )
            offsets = inputs.pop("offset_mapping").numpy()
            with self.torch.inference_mode():
                states = self.model.base_model(**inputs).last_hidden_state.numpy()
            results.append(
                [
                    states[row][(place[:, 0] < end) & (place[:, 1] > start)].mean(axis=0)
                    for row, (place, (_, _, start, end)) in enumerate(zip(offsets, batch, strict=True))
                ]
            )
        return results

    def fills(self, documents: list[Any]) -> list[Any]:
        """Return the probabilities, batch by batch."""
        results = []
        for batch in (batch for batches in documents for batch in batches):
            texts = [text[:start] + "[MASK]" + text[end:] for _, text, start, end in batch]
            inputs = self.tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
            with self.torch.inference_mode():
                logits = self.model(**inputs).logits
                chosen = logits[inputs["input_ids"] == self.tokenizer.mask_token_id]
                scores = chosen.softmax(-1)
                scores[:, self.tokenizer.all_special_ids] = 0
                best = scores.topk(TOP)
            [self.tokenizer.convert_ids_to_tokens(row) for row in best.indices.tolist()]
            results.append(best.values.numpy())
        return results


def _check(ours: list[Any], theirs: list[Any], documents: list[Any]) -> None:
    """Check that both do the same."""
    import numpy as np

    rows = iter(theirs)
    for document, batches in zip(ours, documents, strict=True):
        for batch in batches:
            expected = np.asarray(next(rows))
            numbers = [number for number, *_ in batch]
            if not np.allclose(document[numbers], expected, rtol=1e-3, atol=1e-4):
                raise RuntimeError("the bare loop and the encoder do not do the same")
