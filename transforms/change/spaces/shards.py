"""A slice trained as shards: what each reads, how fast it learns, and how often shards are averaged.

A slice's sentences lie in the order of their keys, which are hashes. Shard k of K has the k-th of K equal spans of
keys, and each epoch goes through it in R rounds, equal spans again: so a piece is neither counted nor sorted for, and
what a shard reads follows one another on disk. A step is one round of one epoch: all shards start from common weights,
each trains on its piece, and their weights are averaged.
"""

from dataclasses import dataclass, replace

from lexbeam.transforms.change.view.feeds import KeySpan
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.embeddings.sgns import SgnsOptions

MOST_STEPS = 50  # each is a dozen transforms in the graph, for real slices and for null ones
MOST_SHARDS = 256  # each is a file that averaging holds open


@dataclass(frozen=True, kw_only=True)
class ShardOptions:
    """Into how many pieces a training is cut.

    Attributes:
        shards: parts of a slice that are trained side by side.
        rounds: how often in an epoch they are averaged.
    """

    shards: int = option(
        1,
        help="parts of a slice that are trained side by side, on as many workers, and averaged",
        least=1,
        most=MOST_SHARDS,
    )
    rounds: int = option(
        1, help="how often in an epoch the shards are averaged, if they are several", least=1, most=MOST_STEPS
    )

    def __post_init__(self) -> None:
        """Refuse averages of one."""
        if self.rounds > 1 and self.shards == 1:
            raise UsageError(
                f"`rounds` {self.rounds}: one shard has nothing to be averaged with; give `shards` of 2 or more, or "
                "leave `rounds` out"
            )


def steps_of(options: ShardOptions, epochs: int) -> int:
    """Return the number of steps of a training, each a level of the graph; 0: it is not cut."""
    return epochs * options.rounds if options.shards > 1 else 0


def check_steps(options: ShardOptions, epochs: int) -> None:
    """Refuse more steps than a graph should have levels.

    Raises:
        UsageError: there are more.
    """
    if steps_of(options, epochs) > MOST_STEPS:
        raise UsageError(
            f"`epochs` {epochs} with `rounds` {options.rounds}: shards would be averaged "
            f"{steps_of(options, epochs)} times, each a level of the graph, and {MOST_STEPS} are the most: lower "
            "`rounds` or `epochs`, or leave `shards` out"
        )


def span_of(shard: int, number: int, options: ShardOptions) -> KeySpan:
    """Return what a shard reads in a round; shards and rounds count from 0.

    >>> span_of(0, 0, ShardOptions(shards=2)).last == 2**63 - 1
    True
    """
    pieces = options.shards * options.rounds
    place = shard * options.rounds + number
    return KeySpan((place << 64) // pieces, (place + 1 << 64) // pieces - 1)


def options_of_step(options: SgnsOptions, step: int, steps: int) -> SgnsOptions:
    """Return the hyperparameters of a step, one pass in which the learning rate falls as it does in the whole.

    >>> some = options_of_step(SgnsOptions(alpha=0.5, min_alpha=0.1), 2, 4)
    >>> some.epochs, round(some.alpha, 6), round(some.min_alpha, 6)
    (1, 0.3, 0.2)
    """

    def rate(done: int) -> float:
        return options.alpha - (options.alpha - options.min_alpha) * done / steps

    return replace(options, epochs=1, alpha=rate(step), min_alpha=rate(step + 1))
