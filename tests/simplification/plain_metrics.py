"""The metrics of simplification once more, in plain Python, from their definitions alone.

Gold is a mapping of substitutes to annotators, a list a sequence of words; both as they are given.
"""

from fractions import Fraction


def clean(words, target):
    """Return distinct words in any case, without the target, in order."""
    cleaned = []
    for word in words:
        word = word.casefold()
        if word != target.casefold() and word not in cleaned:
            cleaned.append(word)
    return cleaned


def counted(gold, target):
    """Return annotators by substitute, in any case, without the target."""
    counts = {}
    for word, times in gold.items():
        if word.casefold() != target.casefold():
            counts[word.casefold()] = counts.get(word.casefold(), 0) + times
    return counts


def rank_of(word, gold):
    """Return a word's dense rank: one more than there are higher numbers of annotators."""
    return None if word not in gold else 1 + len({n for n in gold.values() if n > gold[word]})


def of_lists(rows, k):
    """Return numerator and denominator by metric, of rows (target, gold, list)."""
    rows = [(counted(gold, target), clean(words, target)) for target, gold, words in rows]
    rows = [(gold, words) for gold, words in rows if gold]
    hits = sum(word in gold for gold, words in rows for word in words[:k])
    generated = sum(len(words[:k]) for _, words in rows)
    golden = sum(len(gold) for gold, _ in rows)
    maps = Fraction(0)
    for gold, words in rows:
        for place in range(1, k + 1):
            if place <= len(words) and words[place - 1] in gold:
                right = sum(word in gold for word in words[:place])
                maps += Fraction(right, place) / k
    return {
        "potential_at_k": (sum(any(w in gold for w in words[:k]) for gold, words in rows), len(rows)),
        "precision_at_k": (hits, generated),
        "recall_at_k": (hits, golden),
        "f1_at_k": (2 * hits, generated + golden),
        "map_at_k": (maps, len(rows)),
        "accuracy_at_k_top1": (sum(any(rank_of(w, gold) == 1 for w in words[:k]) for gold, words in rows), len(rows)),
    }


def of_ranker(rows, n):
    """Return numerator and denominator of TRank-at-n, of rows (target, gold, {word: rank}).

    Of those that share the best rank the share counts whose gold rank is n or better.
    """
    total, defined = Fraction(0), 0
    for target, gold, ranks in rows:
        gold = counted(gold, target)
        ranks = {w.casefold(): r for w, r in ranks.items() if w.casefold() != target.casefold()}
        if not gold or not ranks:
            continue
        defined += 1
        first = [word for word, rank in ranks.items() if rank == min(ranks.values())]
        good = [word for word in first if word in gold and rank_of(word, gold) <= n]
        total += Fraction(len(good), len(first))
    return total, defined


def public_scorer(rows, k):
    """Return Potential, MAP and Accuracy@k@top1 by the public scorer's formulas.

    Args:
        rows: (target, substitutes of annotators, list, or None where the file has no row).
        k: how many count.
    """
    potential = accuracy = total = 0
    maps = 0.0
    for target, substitutes, words in rows:
        if words is None:
            continue
        total += 1
        counts = {}
        for word in substitutes:
            if word != target:
                counts[word] = counts.get(word, 0) + 1
        labels = []
        for word in words:
            if word != target and word not in labels:
                labels.append(word)
        best = [word for word in counts if counts[word] == max(counts.values())]
        potential += any(word in counts for word in labels[:k])
        accuracy += any(word in best for word in labels[:k])
        seen = 0
        for place, word in enumerate(labels[:k], 1):
            if word in counts:
                seen += 1
                maps += seen / place / k
    return {"potential_at_k": potential / total, "map_at_k": maps / total, "accuracy_at_k_top1": accuracy / total}
