"""Which words change their sense in the sample corpus, how far, and what they are compared with.

A sense is a topic: a use in that sense stands in a sentence of that topic. Planted words keep
their frequency from the early slice to the late one, whatever happens to their senses:

- `gained`: all uses have one sense, then a share of them has a second;
- `lost`: the reverse;
- `shifted`: a share goes from a second sense to a third, the rest stays with the first.

That share, `changed`, runs from 30 to 100 % (shifted) and from 50 to 90 % (gained, lost: with 40 %
of 150 uses, a sense beside one that stays could fall below the noise of the controls under CCA).

Controls change no sense, and each is as frequent as the planted word that it is matched to:

- `control_stable`: one sense;
- `control_two_senses`: two senses in fixed shares;
- `control_frequency`: one sense, fourfold as frequent in one slice as in the other (twice and
  half the uses of its planted word).

Whoever scores by frequency therefore finds controls first. All counts are exact: the corpus
holds these uses and no others.

    >>> from random import Random
    >>> truth = plant_words([f"w{i}" for i in range(60)], ["sea", "law", "war"], Random(1), 300_000)
    >>> [(p.kind, p.changed, p.early, p.late) for p in truth][:2]
    [('shifted', 0.3, 175, 175), ('shifted', 0.44, 205, 205)]
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

GAINED, LOST, SHIFTED = 6, 6, 6
CONTROLS = 14  # of each kind
PLANTED_WORDS = GAINED + LOST + SHIFTED + 3 * CONTROLS

# Uses among 150,000 words (a slice of the smallest corpus that keeps all promises).
REFERENCE = 150_000
MOST, LEAST = 240, 140

TRUTH_COLUMNS = [
    "word",
    "kind",
    "matched_to",
    "changed",
    "count_early",
    "count_late",
    *(
        f"{column}_{i}{side}"
        for i in (1, 2, 3)
        for column, side in (("sense", ""), ("share", "_early"), ("share", "_late"))
    ),
]


class PlantedSense(NamedTuple):
    """A sense of a word: its topic, and its uses in either slice."""

    topic: str
    early: int
    late: int


class PlantedWord(NamedTuple):
    """A planted word or control.

    `changed` is the share of uses that change their sense; `matched_to` is, for a control, the
    planted word that it is compared with.
    """

    word: str
    kind: str
    matched_to: str
    changed: float
    senses: tuple[PlantedSense, ...]

    @property
    def early(self) -> int:
        """Uses in the early slice."""
        return sum(sense.early for sense in self.senses)

    @property
    def late(self) -> int:
        """Uses in the late slice."""
        return sum(sense.late for sense in self.senses)


def _spread(low: float, high: float, n: int) -> list[float]:
    return [round(low + (high - low) * i / (n - 1), 3) for i in range(n)]


def _shares() -> list[tuple[str, float]]:
    """Kinds with their changed shares, the least changed first."""
    kinds = [
        *(("gained", share) for share in _spread(0.5, 0.9, GAINED)),
        *(("lost", share) for share in _spread(0.5, 0.9, LOST)),
        *(("shifted", share) for share in _spread(0.3, 1.0, SHIFTED)),
    ]
    return sorted(kinds, key=lambda kind: (kind[1], kind[0]))


def _deal(topics: Sequence[str], random: Random) -> Iterator[str]:
    """Topics without end, each equally often."""
    while True:
        yield from random.sample(topics, len(topics))


def _split(uses: int, shares: Sequence[float]) -> list[int]:
    """Whole uses in these shares, adding up to `uses`."""
    counts = [round(uses * share) for share in shares[1:]]
    return [uses - sum(counts), *counts]


def plant_words(words: Sequence[str], topics: Sequence[str], random: Random, tokens: int) -> list[PlantedWord]:
    """Return the truth: 18 planted words, least changed first, then 42 controls.

    `words` are at least `PLANTED_WORDS` candidates, taken from the front; `tokens` is the size of
    the corpus, to which all counts are in proportion.
    """
    names = iter(words)
    topic = _deal(topics, random)

    def senses(early: Sequence[float], late: Sequence[float], n: int, m: int) -> tuple[PlantedSense, ...]:
        drawn: list[str] = []
        while len(drawn) < len(early):
            following = next(topic)
            if following not in drawn:
                drawn.append(following)
        return tuple(map(PlantedSense, drawn, _split(n, early), _split(m, late)))

    shares = _shares()
    step = (LEAST / MOST) ** (1 / (len(shares) - 1))
    uses = [round(MOST * step**i * tokens / 2 / REFERENCE) for i in range(len(shares))]
    random.shuffle(uses)
    truth = []
    for n, (kind, share) in zip(uses, shares, strict=True):
        early, late = {
            "gained": ((1.0, 0.0), (1 - share, share)),
            "lost": ((1 - share, share), (1.0, 0.0)),
            "shifted": ((1 - share, share, 0.0), (1 - share, 0.0, share)),
        }[kind]
        truth.append(PlantedWord(next(names), kind, "", share, senses(early, late, n, n)))

    planted = tuple(truth)
    for i in range(CONTROLS):
        # Each kind is matched to planted words all over the list, in turn.
        stable, double, frequency = (planted[(5 * i + 7 * j) % len(planted)] for j in range(3))
        n = stable.early
        single = senses((1.0,), (1.0,), n, n)
        truth.append(PlantedWord(next(names), "control_stable", stable.word, 0.0, single))
        n, share = double.early, _spread(0.3, 0.5, CONTROLS)[i]
        double_senses = senses((1 - share, share), (1 - share, share), n, n)
        truth.append(PlantedWord(next(names), "control_two_senses", double.word, 0.0, double_senses))
        n, m = 2 * frequency.early, round(frequency.early / 2)
        single = senses((1.0,), (1.0,), *((n, m) if i % 2 else (m, n)))
        truth.append(PlantedWord(next(names), "control_frequency", frequency.word, 0.0, single))
    return truth


def truth_row(planted: PlantedWord) -> list[str]:
    """Return the cells of the word's row in `truth.tsv`, in the order of `TRUTH_COLUMNS`.

    Shares have four decimals; a sense that the word does not have is empty.
    """
    row = [planted.word, planted.kind, planted.matched_to, f"{planted.changed:.3f}"]
    row += [str(planted.early), str(planted.late)]
    for i in range(3):
        if i < len(planted.senses):
            sense = planted.senses[i]
            row += [sense.topic, f"{sense.early / planted.early:.4f}", f"{sense.late / planted.late:.4f}"]
        else:
            row += ["", "", ""]
    return row
