"""The GRU with its gradient written out against torch's own."""

import pytest

torch = pytest.importorskip("torch")

from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402

from transforms.cloze.readers.gru import bidirectional  # noqa: E402


@pytest.mark.parametrize(("texts", "longest", "features", "hidden"), [(5, 9, 4, 3), (1, 1, 2, 5)])
def test_states_and_gradients_are_those_of_torch(texts, longest, features, hidden):
    torch.manual_seed(1)
    gru = torch.nn.GRU(features, hidden, batch_first=True, bidirectional=True).double()
    lengths = torch.randint(1, longest + 1, (texts,))
    lengths[0] = longest
    inputs = torch.randn(texts, longest, features, dtype=torch.double)
    weights = torch.randn(texts, longest, 2 * hidden, dtype=torch.double)
    found = []
    for own in (False, True):
        given = inputs.clone().requires_grad_()
        gru.zero_grad()
        if own:
            states = bidirectional(gru, given, lengths)
        else:
            packed = pack_padded_sequence(given, lengths, batch_first=True, enforce_sorted=False)
            states, _ = pad_packed_sequence(gru(packed)[0], batch_first=True)
        (states * weights).sum().backward()
        found.append([states, given.grad, *(one.grad.clone() for one in gru.parameters())])
    for ours, wanted in zip(found[1], found[0], strict=True):
        torch.testing.assert_close(ours, wanted)
