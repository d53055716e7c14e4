"""The networks of readers in torch, as plain functions.

This module and `gru` need torch, and are imported when a reader is trained or predicts: the entries of `READERS` and
`SYSTEMS` name their networks by functions that do so. A network is a `ModuleDict` of torch's own layers, and a
function from it and a batch to scores. The equations are those of the paper's appendices B and C as far as its
text gives them. E are embeddings, h states of bidirectional GRUs (Cho et al. 2014), [;] a concatenation, q the place
of the placeholder, c a candidate word:

    ar        H = GRU(E passage), Q = GRU(E summary), h_q = Q[q]
              a = softmax(H W_a h_q), p = sum a_i H_i, s = dropout([p; h_q])
              score_c = s W e_c + b_c
    ar-gloss  G_c = GRU(E' gloss of c), b = softmax(G_c W_g s), g_c = sum b_i G_ci
              score_c = s W [g_c; e_c] + b_c
    ga        X_1 = E passage; at hop k: H = GRU_k(X_k), Q = GRU'_k(E summary); before the last
              X_{k+1} = H * (softmax(H Q^T) Q) (Dhingra et al. 2017); then as `ar` with the last
              H and Q
    ga5       s as `ga`; score_o = s W e_o for each of a question's options o, E of texts; the
              softmax is over them

Inputs of all GRUs and s are dropped out in training.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from lexbeam.transforms.cloze.readers.gru import bidirectional


class Sizes(NamedTuple):
    """How large a network is.

    Attributes:
        words: rows of the embeddings of passages and summaries; row 0 is padding.
        candidates: candidate words.
        gloss_words: rows of the embeddings of glosses; row 0 is padding.
        dim: length of an embedding.
        hidden: length of a GRU's state, of each direction.
        hops: times that `ga` reads the passage.
    """

    words: int
    candidates: int
    gloss_words: int
    dim: int
    hidden: int
    hops: int


class PaddedTexts(NamedTuple):
    """Texts side by side: int64 of shape (texts, longest), 0 behind their ends, and lengths."""

    words: Tensor
    lengths: Tensor


class QuestionBatch(NamedTuple):
    """Questions: their passages and summaries, the place of the placeholder in each summary.

    `options` are numbers of words, int64 of shape (questions, options), where questions have them.
    """

    passages: PaddedTexts
    summaries: PaddedTexts
    places: Tensor
    options: Tensor | None = None


class Network(NamedTuple):
    """A network.

    Attributes:
        layers: from sizes, its layers by name.
        scores: from its layers, a batch, the glosses of candidates, if it reads any, and dropout,
            scores of shape (questions, candidates), or (questions, options).
    """

    layers: Callable[[Sizes], dict[str, nn.Module]]
    scores: Callable[[nn.ModuleDict, QuestionBatch, PaddedTexts | None, "Drop"], Tensor]


Drop = Callable[[Tensor], Tensor]


def limit_threads() -> None:
    """Limit torch to one thread in this process: the order of a sum depends on the threads."""
    if torch.get_num_threads() != 1:
        torch.set_num_threads(1)


def draw_layers(network: Network, sizes: Sizes, seed: int) -> nn.ModuleDict:
    """Return the layers of a network, drawn from a generator of its own.

    Embeddings are normal with deviation .1, b is 0, others uniform within 1 / sqrt(their inputs),
    biases within 1 / sqrt(hidden), as torch draws GRUs.
    """
    layers = nn.ModuleDict(network.layers(sizes))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, values in sorted(layers.named_parameters()):
            if name.startswith("embed_"):
                values.normal_(0.0, 0.1, generator=generator)
                if name.removesuffix(".weight") != "embed_candidates":
                    values[0] = 0
            elif name.startswith("prior"):
                values.zero_()
            else:
                bound = 1 / math.sqrt(values.shape[-1] if name.endswith("weight") else sizes.hidden)
                values.uniform_(-bound, bound, generator=generator)
    return layers


def _gru(inputs: int, sizes: Sizes) -> nn.GRU:
    return nn.GRU(inputs, sizes.hidden, batch_first=True, bidirectional=True)


def _shared(sizes: Sizes) -> dict[str, nn.Module]:
    return {
        "embed_words": nn.Embedding(sizes.words, sizes.dim),
        "embed_candidates": nn.Embedding(sizes.candidates, sizes.dim),
        "prior": nn.Embedding(sizes.candidates, 1),
        "attend": nn.Linear(2 * sizes.hidden, 2 * sizes.hidden, bias=False),
    }


def _ar_layers(sizes: Sizes) -> dict[str, nn.Module]:
    return {
        **_shared(sizes),
        "passage": _gru(sizes.dim, sizes),
        "summary": _gru(sizes.dim, sizes),
        "answer": nn.Linear(4 * sizes.hidden, sizes.dim, bias=False),
    }


def _gloss_layers(sizes: Sizes) -> dict[str, nn.Module]:
    return {
        **_ar_layers(sizes),
        "embed_glosses": nn.Embedding(sizes.gloss_words, sizes.dim),
        "gloss": _gru(sizes.dim, sizes),
        "attend_gloss": nn.Linear(4 * sizes.hidden, 2 * sizes.hidden, bias=False),
        "answer_gloss": nn.Linear(4 * sizes.hidden, 2 * sizes.hidden, bias=False),
    }


def _ga_layers(sizes: Sizes) -> dict[str, nn.Module]:
    layers = _shared(sizes)
    for hop in range(sizes.hops):
        layers[f"passage_{hop}"] = _gru(2 * sizes.hidden if hop else sizes.dim, sizes)
        layers[f"summary_{hop}"] = _gru(sizes.dim, sizes)
    layers["answer"] = nn.Linear(4 * sizes.hidden, sizes.dim, bias=False)
    return layers


def _ga5_layers(sizes: Sizes) -> dict[str, nn.Module]:
    layers = _ga_layers(sizes)
    del layers["embed_candidates"], layers["prior"]
    return layers


def _there(texts: PaddedTexts) -> Tensor:
    return torch.arange(texts.words.shape[1]) < texts.lengths[:, None]


def _at(states: Tensor, places: Tensor) -> Tensor:
    return states[torch.arange(len(places)), places]


def _summed_up(layers: nn.ModuleDict, states: Tensor, passages: PaddedTexts, query: Tensor, drop: Drop) -> Tensor:
    """Return s: the passage as the query attends to it, and the query."""
    scores = torch.einsum("bth,bh->bt", states, layers["attend"](query))
    weights = scores.masked_fill(~_there(passages), -math.inf).softmax(1)
    return drop(torch.cat([torch.einsum("bt,bth->bh", weights, states), query], 1))


def _attended(layers: nn.ModuleDict, batch: QuestionBatch, drop: Drop) -> Tensor:
    embed = layers["embed_words"]
    passages, summaries = batch.passages, batch.summaries
    states = bidirectional(layers["passage"], drop(embed(passages.words)), passages.lengths)
    queries = bidirectional(layers["summary"], drop(embed(summaries.words)), summaries.lengths)
    return _summed_up(layers, states, passages, _at(queries, batch.places), drop)


def _by_word(layers: nn.ModuleDict, summed: Tensor) -> Tensor:
    """Return s W e_c + b_c."""
    scores: Tensor = layers["answer"](summed) @ layers["embed_candidates"].weight.T
    return scores + layers["prior"].weight[:, 0]


def _ar(layers: nn.ModuleDict, batch: QuestionBatch, _: PaddedTexts | None, drop: Drop) -> Tensor:
    return _by_word(layers, _attended(layers, batch, drop))


def _ar_gloss(layers: nn.ModuleDict, batch: QuestionBatch, glosses: PaddedTexts | None, drop: Drop) -> Tensor:
    if glosses is None:
        raise ValueError("the reader needs the glosses of candidates")
    summed = _attended(layers, batch, drop)
    inputs = drop(layers["embed_glosses"](glosses.words))
    states = bidirectional(layers["gloss"], inputs, glosses.lengths)
    scores = torch.einsum("bh,cth->bct", layers["attend_gloss"](summed), states)
    weights = scores.masked_fill(~_there(glosses), -math.inf).softmax(2)
    # s W g_c, without g_c of each question.
    answers = torch.einsum("bh,cth->bct", layers["answer_gloss"](summed), states)
    return (weights * answers).sum(2) + _by_word(layers, summed)


def _gated(layers: nn.ModuleDict, batch: QuestionBatch, drop: Drop) -> Tensor:
    """Return s of the gated-attention reader."""
    passages, summaries = batch.passages, batch.summaries
    words = layers["embed_words"](summaries.words)
    inputs = layers["embed_words"](passages.words)
    hops = sum(name.startswith("passage_") for name in layers)
    for hop in range(hops):
        states = bidirectional(layers[f"passage_{hop}"], drop(inputs), passages.lengths)
        queries = bidirectional(layers[f"summary_{hop}"], drop(words), summaries.lengths)
        if hop + 1 < hops:
            scores = torch.einsum("bth,bqh->btq", states, queries)
            weights = scores.masked_fill(~_there(summaries)[:, None], -math.inf).softmax(2)
            inputs = states * torch.einsum("btq,bqh->bth", weights, queries)
    return _summed_up(layers, states, passages, _at(queries, batch.places), drop)


def _ga(layers: nn.ModuleDict, batch: QuestionBatch, _: PaddedTexts | None, drop: Drop) -> Tensor:
    return _by_word(layers, _gated(layers, batch, drop))


def _ga5(layers: nn.ModuleDict, batch: QuestionBatch, _: PaddedTexts | None, drop: Drop) -> Tensor:
    if batch.options is None:
        raise ValueError("the reader needs the options of questions")
    answer: Tensor = layers["answer"](_gated(layers, batch, drop))
    return (layers["embed_words"](batch.options) * answer[:, None]).sum(2)


GATED_ATTENTION = Network(_ga_layers, _ga)
FIVE_WAY_GATED_ATTENTION = Network(_ga5_layers, _ga5)
ATTENTIVE = Network(_ar_layers, _ar)
ATTENTIVE_WITH_GLOSSES = Network(_gloss_layers, _ar_gloss)
