"""Table `cloze/answers`: what reading systems answer to cloze questions."""

import pyarrow as pa

from lexbeam.schemas.cloze.pairs import KINDS, QUESTION_KEY
from lexbeam.schemas.columns import Table, column

# Why a question is put to no reading system.
ASKED_REASONS = {
    "not_kept": "it is no question, see table cloze/questions",
    "no_place": "the word of the target does not stand where it should",
    "not_five": "it has more or fewer than five options",
    "repeated": "another target of the kind has the same place in the summary, and comes first",
}

ANSWERS = Table(
    name="cloze/answers",
    row="what a reading system answers to a question",
    key=("question_id", "kind", "system", "trained_on"),
    columns=[
        *QUESTION_KEY,
        column("system", pa.string(), "the reading system"),
        column(
            "trained_on",
            pa.string(),
            "kind of questions that the system was trained on; null where it came trained",
            range=", ".join(KINDS),
            nullable=True,
        ),
        column(
            "fold",
            pa.int32(),
            "the fold in which the question was held out; null without folds",
            range="0 and up",
            nullable=True,
        ),
        column(
            "probabilities",
            pa.list_(pa.float64()),
            "probabilities of the five options, in order; null where the question is too long for the system",
            range="0 to 1",
            nullable=True,
        ),
        column(
            "chosen",
            pa.int32(),
            "the most probable option; of equally probable ones the first",
            range="0 to 4",
            nullable=True,
        ),
    ],
)
