"""A model of transformers at work: texts cut into pieces by its fast tokenizer, batches run through it.

Tokenizers mark borders of words in one of four ways: a mark before pieces that continue a word
(WordPiece, `##ing`), before those that begin one (`Ġcat`, bytes; `▁cat`, SentencePiece), after
those that end one (`cat</w>`), or not at all. By the marks a person reads pieces of the vocabulary.

A model runs with float32, one thread, no dropout, no gradients. This module is imported when a model is loaded; no
other module here imports torch.
"""

import functools
import inspect
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch
import transformers
from safetensors import SafetensorError
from transformers.modeling_outputs import BaseModelOutput

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.lexicon.encoders.encoder_batches import (
    Encoder,
    EncoderBatch,
    EncoderInfo,
    Floats,
    Frame,
    Ints,
    Masked,
    MaskedLM,
    Piece,
    Pieces,
)

_BEGINNINGS = ("Ġ", "▁")
_SHARE = 0.02  # of the vocabulary: less is chance


class Marks(NamedTuple):
    """How a vocabulary marks word borders; empty for marks that it does not use."""

    continues: str = ""
    begins: str = ""
    ends: str = ""


def marks_of(model: Any, vocabulary: Mapping[str, int]) -> Marks:
    """Return the marks of a model of the library tokenizers and its vocabulary."""
    kind = type(model).__name__
    if kind == "WordPiece":
        return Marks(continues=model.continuing_subword_prefix)
    if kind == "BPE" and model.end_of_word_suffix:
        return Marks(ends=model.end_of_word_suffix)
    counts = {mark: sum(map(_begins(mark), vocabulary)) for mark in _BEGINNINGS}
    mark = max(_BEGINNINGS, key=counts.__getitem__)
    return Marks(begins=mark if counts[mark] > _SHARE * len(vocabulary) else "")


def _begins(mark: str) -> Callable[[str], bool]:
    def begins(piece: str) -> bool:
        return piece.startswith(mark)

    return begins


def piece_reader(
    marks: Marks, piece_of: Callable[[int], str], decode: Callable[[str], str]
) -> Callable[[int, bool], Piece]:
    """Return a function from the id of a piece, and whether words in its place begin with a mark, to the piece.

    Where words begin without a mark (after an opening bracket, say) nothing distinguishes a word from
    a piece that continues one: no piece is then said to continue a word.

    Args:
        marks: the vocabulary's.
        piece_of: a piece as the vocabulary has it, by id.
        decode: the text of such a piece, if its letters are not always characters.
    """

    @functools.cache
    def read(piece: int, marked: bool) -> Piece:
        raw = piece_of(piece)
        if marks.continues and raw.startswith(marks.continues):
            return Piece(raw.removeprefix(marks.continues), True)
        if marks.ends:
            return Piece(raw.removesuffix(marks.ends), not raw.endswith(marks.ends))
        if marks.begins:
            continues = marked and not raw.startswith(marks.begins)
            return Piece(decode(raw).strip(), continues)
        return Piece(raw, False)

    return read


class Cutter:
    """A tokenizer of the library tokenizers, used by one thread at a time."""

    def __init__(self, tokenizer: Any, lock: AbstractContextManager[object]) -> None:
        self.tokenizer = tokenizer
        self.backend = tokenizer.backend_tokenizer
        self._lock = lock
        self.backend.no_truncation()
        self.backend.no_padding()
        self.marks = marks_of(self.backend.model, self.backend.get_vocab())
        special = sorted(set(tokenizer.all_special_tokens), key=len, reverse=True)
        self._special = re.compile("|".join(map(re.escape, special)) or r"(?!)")

    def split(self, texts: Sequence[str]) -> list[Pieces]:
        """Return texts as pieces; what looks like a special piece is text."""
        with self._lock:
            self.backend.encode_special_tokens = True
            encodings = self.backend.encode_batch(list(texts), add_special_tokens=False)
        offsets = (encoding.offsets for encoding in encodings)
        return [
            Pieces(encoding.ids, [start for start, _ in pairs], [end for _, end in pairs])
            for encoding, pairs in zip(encodings, offsets, strict=True)
        ]

    def split_masked(self, texts: Sequence[str], starts: Sequence[int], ends: Sequence[int]) -> list[Masked]:
        """Return texts as pieces, each with a mask in place of a span."""
        mask = self.tokenizer.mask_token
        # A text that looks like a special piece loses its first letter.
        lefts = [self._plain(text[:start]) for text, start in zip(texts, starts, strict=True)]
        if self.marks.begins:  # the space before a word is its first piece's
            lefts = [left.rstrip() for left in lefts]
        rights = [self._plain(text[end:]) for text, end in zip(texts, ends, strict=True)]
        whole = [left + mask + right for left, right in zip(lefts, rights, strict=True)]
        with self._lock:
            self.backend.encode_special_tokens = False
            encodings = self.backend.encode_batch(whole, add_special_tokens=False)
        mask_id = self.tokenizer.mask_token_id
        return [Masked(encoding.ids, encoding.ids.index(mask_id)) for encoding in encodings]

    def _plain(self, text: str) -> str:
        return self._special.sub(_without_first, text)


def _without_first(match: re.Match[str]) -> str:
    return " " + match[0][1:]


def frame_of(tokenizer: Any, *, pair: bool) -> Frame:
    """Return the special pieces that the tokenizer puts around one text or two, read off an example."""
    backend = tokenizer.backend_tokenizer
    backend.encode_special_tokens = True
    encoding = backend.encode("a", "a") if pair else backend.encode("a")
    segments, ids, types = encoding.sequence_ids, encoding.ids, encoding.type_ids
    last_number = 1 if pair else 0
    first = segments.index(0)
    end = len(segments) - segments[::-1].index(0)
    after = len(segments) - segments[::-1].index(last_number)
    begin = segments.index(last_number) if pair else end
    return Frame(
        before=tuple(ids[:first]),
        between=tuple(ids[end:begin]),
        after=tuple(ids[after:]),
        types=(types[0], types[first], types[min(end, len(types) - 1)], types[begin] if pair else 0, types[-1]),
    )


def load_model(folder: str, info: EncoderInfo, device: str) -> Encoder:
    """Load a model from a folder on this machine.

    Raises:
        UsageError: there is no such device, or the tokenizer does not say where pieces are.
        LexbeamError: the model cannot be loaded, or lacks weights; the tokenizer knows no word.
    """
    place = _device(device)
    # Tokenizers are fast enough in one thread, and a worker must have no more.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    _one_thread()
    with _quiet():
        tokenizer, model = _tokenizer(folder, info), _model(folder, info)
    model = model.eval().float().to(place)
    lock = threading.RLock()
    run = _Run(model, place, lock)
    cut = Cutter(tokenizer, lock)
    return Encoder(
        info=info,
        device=place,
        split=cut.split,
        states=run.states,
        single=frame_of(tokenizer, pair=False),
        pair=frame_of(tokenizer, pair=True),
        padding=tokenizer.pad_token_id or 0,
        masked_lm=_masked_lm(cut, run) if info.masked else None,
        choices=run.choices if info.choices else None,
    )


def _device(name: str) -> str:
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        raise UsageError("`encoder_device` is cuda, but torch finds no CUDA device: choose auto or cpu")
    return "cuda" if available and name != "cpu" else "cpu"


def _one_thread() -> None:
    # The order of a sum, and so its last bits, depend on the number of threads.
    if torch.get_num_threads() != 1:
        torch.set_num_threads(1)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the library from drawing progress bars and reporting what is checked here."""
    log: Any = transformers.utils.logging  # its functions have no types
    verbosity, bar = log.get_verbosity(), log.is_progress_bar_enabled()
    log.set_verbosity(log.CRITICAL)
    log.disable_progress_bar()
    try:
        yield
    finally:
        log.set_verbosity(verbosity)
        if bar:
            log.enable_progress_bar()


def _tokenizer(folder: str, info: EncoderInfo) -> Any:
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise LexbeamError(f"the tokenizer of encoder {info.name!r} cannot be loaded: {error}") from error
    if not tokenizer.is_fast:
        raise UsageError(
            f"encoder {info.name!r} has a slow tokenizer, which does not say where pieces are: "
            "take a model with a tokenizer.json"
        )
    vocabulary = tokenizer.backend_tokenizer.get_vocab()
    if set(vocabulary.values()) <= set(tokenizer.all_special_ids):
        raise LexbeamError(
            f"the tokenizer of encoder {info.name!r} knows no word: its vocabulary has {len(vocabulary)} pieces, all "
            "special; its files are empty or of another model: write them anew with tokenizer.save_pretrained(FOLDER)"
        )
    if info.masked and tokenizer.mask_token_id is None:
        raise UsageError(f"the tokenizer of encoder {info.name!r} has no mask: it cannot be filled")
    return tokenizer


def _model(folder: str, info: EncoderInfo) -> Any:
    kind: Any = transformers.AutoModelForMaskedLM if info.masked else transformers.AutoModel
    if info.choices:
        kind = transformers.AutoModelForMultipleChoice
    try:
        model, report = kind.from_pretrained(
            folder, output_loading_info=True, local_files_only=True, use_safetensors=True
        )
    except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
        raise LexbeamError(
            f"encoder {info.name!r} cannot be loaded: {error}. It may need another version of "
            f"transformers than {transformers.__version__}"
        ) from error
    # A pooler belongs to the prediction of next sentences, and to choices; nothing else uses it.
    missing = sorted(key for key in report["missing_keys"] if info.choices or "pooler" not in key)
    if missing or report["mismatched_keys"]:
        raise LexbeamError(
            f"encoder {info.name!r} lacks weights ({missing or 'of other shapes'}): what "
            "is missing would be random; its files are not of one model, or config.json names "
            "another architecture than that of the weights"
        )
    return model


def _masked_lm(cut: Cutter, run: "_Run") -> MaskedLM:
    backend, begins = cut.backend, cut.marks.begins

    def decode(piece: str) -> str:
        return str(backend.decoder.decode([piece])) if backend.decoder else piece

    # Many models have more rows than their tokenizer has pieces: they were never trained.
    size = run.vocabulary
    words = set(backend.get_vocab().values()) - set(cut.tokenizer.all_special_ids)
    return MaskedLM(
        split=cut.split_masked,
        log_probs=run.log_probs,
        piece=piece_reader(cut.marks, backend.id_to_token, decode),
        marks_first=bool(begins) and backend.encode("a").tokens[-1].startswith(begins),
        special=frozenset(range(size)) - words,
    )


class _Run:
    """A model, run by one thread at a time."""

    def __init__(self, model: Any, device: str, lock: AbstractContextManager[object]) -> None:
        self._model = model
        self._device = device
        self.vocabulary = int(model.config.vocab_size)
        self._lock = lock
        parameters = inspect.signature(model.base_model.forward).parameters
        self._types = "token_type_ids" in parameters and model.config.to_dict().get("type_vocab_size", 0)

    def states(self, batch: EncoderBatch, layers: tuple[int, ...], rows: Ints, columns: Ints) -> Floats:
        """Return the mean over layers of the vectors at places."""
        with self._lock, torch.inference_mode():
            _one_thread()
            places = self._on_device(rows), self._on_device(columns)
            last = self._model.config.num_hidden_layers
            several = layers != (last,)
            output = self._model.base_model(**self._inputs(batch), output_hidden_states=several)
            total: Any = 0
            for layer in layers:
                # The last state may have been normalised once more.
                states = output.last_hidden_state if layer == last else output.hidden_states[layer]
                total = total + states[places]
            return np.asarray((total / len(layers)).cpu().numpy(), np.float32)

    def log_probs(self, batch: EncoderBatch, rows: Ints, columns: Ints) -> Floats:
        """Return the log-probabilities of the vocabulary at places."""
        with self._lock, torch.inference_mode():
            _one_thread()
            places = self._on_device(rows), self._on_device(columns)
            # The head sees these places alone: they are a twentieth of most texts, and the
            # vocabulary is the largest matrix of a model.
            with _only(self._model.base_model, places):
                logits = self._model(**self._inputs(batch)).logits[0]
            return np.asarray(torch.log_softmax(logits, dim=-1).cpu().numpy(), np.float32)

    def choices(self, batch: EncoderBatch) -> Floats:
        with self._lock, torch.inference_mode():
            _one_thread()
            inputs = {name: values[None] for name, values in self._inputs(batch).items()}
            scores = self._model(**inputs).logits[0]
            return np.asarray(scores.cpu().numpy(), np.float32)

    def _inputs(self, batch: EncoderBatch) -> dict[str, torch.Tensor]:
        inputs = {"input_ids": batch.ids, "attention_mask": batch.attention}
        if self._types and batch.types.any():
            inputs["token_type_ids"] = batch.types
        return {name: self._on_device(array) for name, array in inputs.items()}

    def _on_device(self, array: Ints) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self._device)


@contextmanager
def _only(module: torch.nn.Module, places: tuple[torch.Tensor, torch.Tensor]) -> Iterator[None]:
    """Have a module return its states at some places only, as one sequence."""

    def pick(_module: object, _arguments: object, output: tuple[torch.Tensor, ...]) -> BaseModelOutput:
        return BaseModelOutput(last_hidden_state=output[0][places][None])

    handle: Callable[[], None] = module.register_forward_hook(pick).remove
    try:
        yield
    finally:
        handle()
