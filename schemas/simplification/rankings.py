"""Tables `simplification/rankings`, `simplifications` and `funnel`: what is chosen, and what is lost."""

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, reason
from lexbeam.schemas.simplification.candidates import FORM, SETTING, drop_reasons
from lexbeam.schemas.simplification.instances import INSTANCE_ID

RANKER = column("ranker", pa.string(), "the ranker")

RANKINGS = Table(
    name="simplification/rankings",
    row="a candidate that was kept, as a ranker of its setting ranks it; and the target beside them",
    key=("instance_id", "setting", "ranker", "form"),
    texts=("form",),
    columns=[
        INSTANCE_ID,
        SETTING,
        RANKER,
        column("form", pa.string(), f"{FORM}; or the target in the same form"),
        column("is_target", pa.bool_(), "whether it is the target, which has no rank"),
        column(
            "rank",
            pa.int32(),
            "dense rank by score: ties share one; 1 is the simplest",
            range="1 and up",
            nullable=True,
        ),
        column("place", pa.int32(), "place in the list: by rank, ties by code points", range="1 and up", nullable=True),
        column(
            "score",
            pa.float64(),
            "the higher, the simpler, in the ranker's unit; null for a target that the ranker cannot score",
            nullable=True,
        ),
        column(
            "known",
            pa.bool_(),
            "whether the ranker knows the form; a candidate that it does not know gets the lowest score",
        ),
        column("allowed", pa.bool_(), "whether `keep_target` and `min_simpler` let it stand in the sentence"),
        column("chosen", pa.bool_(), "whether it is to stand in the sentence"),
    ],
)

SIMPLIFICATIONS = Table(
    name="simplification/simplifications",
    row="an instance with the word that a setting and a ranker choose",
    key=("instance_id", "setting", "ranker"),
    texts=("chosen", "form", "sentence_out"),
    columns=[
        INSTANCE_ID,
        SETTING,
        RANKER,
        column("chosen", pa.string(), "the form that is put in, with the target's capitals; the target where it stays"),
        column(
            "form",
            pa.string(),
            "the candidate that is put in, else that of place 1; null without candidates",
            nullable=True,
        ),
        column("changed", pa.bool_(), "whether it is not the target"),
        column(
            "reason",
            pa.string(),
            "why the target stays: no_agreement and other_sex of the first candidate, if the sentence lets none stand",
            range="no_candidate, keep_target, no_agreement, other_sex",
            nullable=True,
        ),
        column("score", pa.float64(), "score of that candidate", nullable=True),
        column("target_score", pa.float64(), "the ranker's score of the target; null where it has none", nullable=True),
        column(
            "article_change",
            pa.string(),
            "the word before, and what it becomes, with a space: `la el`; null if it stays",
            nullable=True,
        ),
        column("sentence_out", pa.string(), "the sentence with the chosen form"),
        column(
            "agreement",
            pa.list_(pa.string()),
            "further words around it that agree with it, each as it was and as it is, with ` > `: `antigua > antiguo`",
        ),
        column(
            "refused",
            pa.list_(pa.string()),
            "candidates that were tried before it and refused, each with its reason: `ciudad no_agreement`",
        ),
    ],
)

# The stages of which there are lists of candidates, and what comes of them.
STAGES = ("generation", "selection", "ranking", "pipeline")

# Why gold is lost where no candidate was dropped.
LOSSES = {
    "not_generated": "no generator of the setting gives it in this form",
    "no_rows": "the stage has no row for it",
    "not_chosen": "another candidate was chosen",
    "keep_target": "the target stays, though there are candidates",
}


def _funnel() -> list[pa.Field]:
    return [
        SETTING,
        column("ranker", pa.string(), "the ranker, from ranking on; before it, null", nullable=True),
        column("stage", pa.string(), "the stage", range=", ".join(STAGES)),
        reason("why they go no further; null for those that do", (*drop_reasons(), *LOSSES)),
        column("candidates", pa.int64(), "candidates; of not_generated: none", range="0 and up"),
        column(
            "gold_candidates",
            pa.int64(),
            "those of them that are gold; of not_generated: gold substitutes that are no candidates",
            range="0 and up",
        ),
        column(
            "instances_lost",
            pa.int64(),
            "instances whose last gold candidate is lost there, "
            "each for one reason: that of its gold candidates which comes last in the list of "
            "reasons; null for those that go on",
            range="0 and up",
            nullable=True,
        ),
        column(
            "instances_left",
            pa.int64(),
            "instances that still have a gold candidate; null for a reason",
            range="0 and up",
            nullable=True,
        ),
    ]


FUNNEL = Table(
    name="simplification/funnel",
    row="what becomes of the candidates of instances with gold at a stage, for one reason",
    key=("setting", "ranker", "stage", "reason"),
    columns=_funnel,
)
