"""The GRU with its gradient written out against torch's own."""

import pytest

torch = pytest.importorskip("torch")

from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402

from lexbeam.transforms.cloze.readers.networks import bidirectional  # noqa: E402


@pytest.mark.parametrize(("texts", "longest", "features", "hidden"), [(5, 9, 4, 3), (1, 1, 2, 5)])
def test_states_and_gradients_are_those_of_torch(texts, longest, features, hidden):
    torch.manual_seed(1)
    gru = torch.nn.GRU(features, hidden, batch_first=True, bidirectional=True).double()
    lengths = torch.randint(1, longest + 1, (texts,))
    lengths[0] = longest
    inputs = torch.randn(texts, longest, features, dtype=torch.double)
    weights = torch.randn(texts, longest, 2 * hidden, dtype=torch.double)
    results = []
    for written_out in (False, True):
        leaf = inputs.clone().requires_grad_()
        gru.zero_grad()
        if written_out:
            states = bidirectional(gru, leaf, lengths)
        else:
            packed = pack_padded_sequence(leaf, lengths, batch_first=True, enforce_sorted=False)
            states, _ = pad_packed_sequence(gru(packed)[0], batch_first=True)
        (states * weights).sum().backward()
        results.append([states, leaf.grad, *(weights_of_gate.grad.clone() for weights_of_gate in gru.parameters())])
    for ours, wanted in zip(results[1], results[0], strict=True):
        torch.testing.assert_close(ours, wanted)
