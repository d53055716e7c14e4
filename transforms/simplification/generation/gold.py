"""Generator `gold`: people's substitutes, so that rankers can be evaluated alone, as in ALEXSIS.

What it gives is the answer: figures of a setting that has it are of its rankers, and of nothing
else. All have the same score, so that no later stage is told how many people gave one.
"""

from collections.abc import Sequence

from transforms.simplification.generation.generator import Context, Source
from transforms.simplification.records import Instance, Proposal

__all__ = ["propose_gold"]


def propose_gold(instances: Sequence[Instance], context: Context) -> Sequence[Source]:
    """Return the substitutes of targets but the target itself: one source."""
    return [[[Proposal(text, 1.0, False) for text in context.gold.get(one.instance_id, ())] for one in instances]]
