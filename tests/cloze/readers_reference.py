"""Readers computed one question and token at a time in numpy, from the notes' equations."""

import numpy as np


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def _direction(weights, name, suffix, inputs):
    """Cho et al. 2014, with the reset gate behind the product, as torch has it."""
    w, u = weights[f"{name}.weight_ih_l0{suffix}"], weights[f"{name}.weight_hh_l0{suffix}"]
    b, c = weights[f"{name}.bias_ih_l0{suffix}"], weights[f"{name}.bias_hh_l0{suffix}"]
    size = u.shape[1]
    h = np.zeros(size)
    states = []
    for x in inputs:
        i, s = w @ x + b, u @ h + c
        r = _sigmoid(i[:size] + s[:size])
        z = _sigmoid(i[size : 2 * size] + s[size : 2 * size])
        n = np.tanh(i[2 * size :] + r * s[2 * size :])
        h = (1 - z) * n + z * h
        states.append(h)
    return states


def gru(weights, name, inputs):
    forward = _direction(weights, name, "", inputs)
    backward = _direction(weights, name, "_reverse", inputs[::-1])[::-1]
    return [np.concatenate(pair) for pair in zip(forward, backward, strict=True)]


def _query(weights, states, query):
    alpha = _softmax(np.array([h @ weights["attend.weight"] @ query for h in states]))
    p = sum(a * h for a, h in zip(alpha, states, strict=True))
    return np.concatenate([p, query])


def _asked(kind, weights, passage, summary, place, hops):
    """Return s, the passage as the query attends to it, and the query."""
    embed = weights["embed_words.weight"]
    x, y = [embed[w] for w in passage], [embed[w] for w in summary]
    if kind.startswith("ga"):
        for hop in range(hops):
            states = gru(weights, f"passage_{hop}", x)
            asked = gru(weights, f"summary_{hop}", y)
            if hop + 1 < hops:
                x = []
                for d in states:
                    alpha = _softmax(np.array([q @ d for q in asked]))
                    x.append(d * sum(a * q for a, q in zip(alpha, asked, strict=True)))
    else:
        states, asked = gru(weights, "passage", x), gru(weights, "summary", y)
    return _query(weights, states, asked[place])


def option_scores(weights, passage, summary, place, options, hops):
    """Return the score of each option, a number of a word, for one question of `ga5`."""
    by_word = weights["answer.weight"] @ _asked("ga5", weights, passage, summary, place, hops)
    return np.array([by_word @ weights["embed_words.weight"][o] for o in options])


def scores(kind, weights, passage, summary, place, glosses, hops):
    """Return the score of each candidate, for one question."""
    s = _asked(kind, weights, passage, summary, place, hops)
    by_word = weights["answer.weight"] @ s
    results = []
    for c, e in enumerate(weights["embed_candidates.weight"]):
        score = by_word @ e + weights["prior.weight"][c, 0]
        if kind == "ar-gloss":
            answers = gru(weights, "gloss", [weights["embed_glosses.weight"][w] for w in glosses[c]])
            asked_gloss = weights["attend_gloss.weight"] @ s
            beta = _softmax(np.array([g @ asked_gloss for g in answers]))
            g = sum(b * h for b, h in zip(beta, answers, strict=True))
            score += (weights["answer_gloss.weight"] @ s) @ g
        results.append(score)
    return np.array(results)
