"""A submission evaluated against a file of gold: its lists, and its first words as a pipeline."""

from collections.abc import Mapping

import numpy as np

from lexbeam.transforms.simplification.evaluation.funnel import Funnel
from lexbeam.transforms.simplification.evaluation.lists import GoldInstances, Listing, folded
from lexbeam.transforms.simplification.evaluation.measures import (
    PIPELINE,
    RANKING,
    PipelineChoices,
    list_figures,
    pipeline_figures,
    random_order,
    ranker_figures,
)
from lexbeam.transforms.simplification.evaluation.settings import RANDOM
from lexbeam.transforms.simplification.evaluation.submissions import Prediction
from lexbeam.transforms.simplification.evaluation.tables import EvaluatedSettings, SimplificationMeasureOptions


def evaluate_rows(
    gold: GoldInstances, rows: Mapping[str, Prediction], system: str, options: SimplificationMeasureOptions
) -> EvaluatedSettings:
    """Evaluate the rows of a submission: subset `ranking`, and `pipeline` of their first words.

    The first word may be the target, which then stays. With `tsar_scorer` instances without a row are
    left out; one whose row has no substitute is a miss, as for the public scorer.

    Args:
        gold: the instances; with `tsar_scorer`, of words as they are written.
        rows: by instance.
        system: name of the submission.
        options: how it is measured.
    """
    as_compared = str.strip if options.tsar_scorer else folded
    listing = Listing(gold, as_written=options.tsar_scorer)
    chosen = PipelineChoices(gold, as_compared)
    funnel = Funnel()
    without = np.ones(len(gold.ids), bool)
    for instance, identifier in enumerate(gold.ids):
        row = rows.get(identifier)
        words = () if row is None else row.words
        without[instance] = row is None
        listing.add(instance, [(word, place) for place, word in enumerate(words, 1)])
        if words:
            chosen.add(instance, words[0])
        target = gold.targets[instance]
        forms = dict.fromkeys(form for form in map(as_compared, words) if form != target)
        left = funnel.add((system, None, RANKING), set(gold.ranks[instance]), set(forms), [])
        inserted = [as_compared(word) for word in words[:1] if as_compared(word) != target]
        reason = "not_chosen" if inserted else "keep_target"
        dropped = [(form, reason) for form in forms if form not in inserted]
        funnel.add((system, None, PIPELINE), left, inserted, dropped)
    candidates, answered = listing.candidates(), listing.answered()
    free = without if options.tsar_scorer else None
    figures = [
        *list_figures(system, RANKING, candidates, options.k, free),
        *ranker_figures(system, candidates, answered),
        *pipeline_figures(system, chosen.values()),
    ]
    chance = f"{system} {RANDOM}"
    return EvaluatedSettings(figures, list(random_order(chance, candidates, answered)), {system: chance}, funnel)
