"""The networks of readers in torch, as plain functions.

This module needs torch, and is imported when a reader is trained or predicts: the entries of `READERS` and
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

The gradient of a GRU is written out (`bidirectional`): on a CPU some four times as fast as torch's. The state is that
of Cho et al. (2014) as torch has it, with the reset gate behind the product:

    r = sigmoid(W_r x + b_r + U_r h + c_r), z likewise, n = tanh(W_n x + b_n + r (U_n h + c_n))
    h' = (1 - z) n + z h

Both directions are computed in one loop, the second over the tokens from the last to the first;
behind a text's end its state stays as it is. The gradient of U is one product after the loop, where
torch adds up one a token.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


def bidirectional(gru: nn.Module, inputs: Tensor, lengths: Tensor) -> Tensor:
    """Return the states of both directions at each token.

    Args:
        gru: a `torch.nn.GRU` of one layer, bidirectional, whose weights are used.
        inputs: shape (texts, longest, features).
        lengths: tokens of each text, from 1 on.

    Returns:
        Shape (texts, longest, 2 * hidden), zeros behind the ends; gradients flow to weights and
        inputs.
    """
    weights = dict(gru.named_parameters())
    there = (torch.arange(inputs.shape[1])[:, None] < lengths).to(inputs.dtype)
    mask = torch.stack([there, there.flip(0)], 1)[..., None]
    along = inputs.transpose(0, 1)
    gates = torch.stack(
        [
            nn.functional.linear(x, weights[f"weight_ih_l0{end}"], weights[f"bias_ih_l0{end}"])
            for end, x in (("", along), ("_reverse", along.flip(0)))
        ],
        1,
    )
    recurrent = torch.stack([weights["weight_hh_l0"], weights["weight_hh_l0_reverse"]])
    bias = torch.stack([weights["bias_hh_l0"], weights["bias_hh_l0_reverse"]])
    states: Tensor = _Scan.apply(gates, mask, recurrent, bias)
    both = torch.cat([states[:, 0], states[:, 1].flip(0)], 2)
    return (both * there[..., None]).transpose(0, 1)


class _Scan(torch.autograd.Function):
    """States over time from gates' inputs, shapes (time, 2, texts, 3 * hidden) and so on."""

    @staticmethod
    def forward(ctx: Any, gates: Tensor, mask: Tensor, recurrent: Tensor, bias: Tensor) -> Tensor:
        steps, ways, texts, _ = gates.shape
        size = recurrent.shape[2]
        turned, bias = recurrent.transpose(1, 2), bias[:, None]
        states = gates.new_zeros(steps + 1, ways, texts, size)
        opened = gates.new_empty(steps, ways, texts, 3 * size)  # r, z and n
        inner = gates.new_empty(steps, ways, texts, size)  # U_n h + c_n
        for step in range(steps):
            before = states[step]
            products = torch.baddbmm(bias, before, turned)
            both = opened[step, ..., : 2 * size]
            torch.add(gates[step, ..., : 2 * size], products[..., : 2 * size], out=both).sigmoid_()
            inner[step] = products[..., 2 * size :]
            new = opened[step, ..., 2 * size :]
            torch.addcmul(gates[step, ..., 2 * size :], opened[step, ..., :size], inner[step], out=new)
            new.tanh_()
            share = (1 - opened[step, ..., size : 2 * size]).mul_(mask[step])
            torch.addcmul(before, share, new - before, out=states[step + 1])
        ctx.save_for_backward(mask, recurrent, states, opened, inner)
        return states[1:]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, Tensor, Tensor]:
        (on_states,) = grads
        mask, recurrent, states, opened, inner = ctx.saved_tensors
        steps, ways, texts, size = inner.shape
        on_gates = opened.new_empty(opened.shape)
        on_products = opened.new_empty(opened.shape)
        left = opened.new_zeros(ways, texts, size)
        for step in range(steps - 1, -1, -1):
            r, z, n = opened[step].split(size, 2)
            total = left + on_states[step]
            new = total * mask[step]
            on_new = new * (1 - z) * (1 - n * n)
            grad = on_gates[step]
            grad[..., :size] = on_new * inner[step] * r * (1 - r)
            grad[..., size : 2 * size] = new * (states[step] - n) * z * (1 - z)
            grad[..., 2 * size :] = on_new
            product = on_products[step]
            product[..., : 2 * size] = grad[..., : 2 * size]
            torch.mul(on_new, r, out=product[..., 2 * size :])
            left = torch.baddbmm(total - new * (1 - z), product, recurrent)
        flat = on_products.transpose(0, 1).reshape(ways, -1, 3 * size)
        before = states[:-1].transpose(0, 1).reshape(ways, -1, size)
        return on_gates, None, torch.bmm(flat.transpose(1, 2), before), flat.sum(1)


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
