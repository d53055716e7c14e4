"""A bidirectional GRU whose gradient is written out: on a CPU some four times as fast as torch's.

The state is that of Cho et al. (2014) as torch has it, with the reset gate behind the product:

    r = sigmoid(W_r x + b_r + U_r h + c_r), z likewise, n = tanh(W_n x + b_n + r (U_n h + c_n))
    h' = (1 - z) n + z h

Both directions are computed in one loop, the second over the tokens from the last to the first;
behind a text's end its state stays as it is. The gradient of U is one product after the loop, where
torch adds up one a token.
"""

from typing import Any

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
