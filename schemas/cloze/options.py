"""Tables `cloze/predictions` and `cloze/options`: words that readers name, and options among them."""

import pyarrow as pa

from lexbeam.schemas.cloze.pairs import QUESTION_KEY
from lexbeam.schemas.columns import Table, column, reason

PREDICTIONS = Table(
    name="cloze/predictions",
    row="a word that a reader puts in the place of a candidate",
    key=("question_id", "kind", "reader", "rank"),
    texts=("word",),
    columns=[
        *QUESTION_KEY,
        column("reader", pa.string(), "the reader"),
        column("fold", pa.int32(), "the fold that it was held out in", range="0 and up"),
        column("rank", pa.int32(), "place among the reader's words", range="1 and up"),
        column("word", pa.string(), "the word"),
        column("log_prob", pa.float64(), "natural logarithm of its probability", range="0 and below"),
    ],
)

# Why a word that a reader named is no option.
OPTION_REASONS = {
    "answer": "it is the answer, or has its form or lemma",
    "synonym": "it is a synonym of the answer in some sense",
    "similar": "its vector is too similar to that of the answer or of a synonym",
    "in_passage": "it stands in the passage, and `options_in_passage` is `reject`",
    "same": "another option has its form or lemma, and comes first",
    "form": "it has no form like the answer's",
    "surplus": "there are enough options before it",
}

OPTIONS = Table(
    name="cloze/options",
    row="a word that was considered as an option of a question",
    key=("question_id", "kind", "place"),
    texts=("word", "named"),
    columns=[
        *QUESTION_KEY,
        column(
            "place", pa.int32(), "0 for the answer; the others in the order in which they are chosen", range="0 and up"
        ),
        column("word", pa.string(), "the option, inflected like the answer if that was asked for"),
        column("named", pa.string(), "the word as readers named it"),
        column("origin", pa.string(), "where it comes from", range="answer, readers, frequency"),
        column("readers", pa.list_(pa.string()), "readers that name it, sorted"),
        column("ranks", pa.list_(pa.int32()), "its rank with each of them", range="1 and up"),
        column("score", pa.float64(), "sum of reciprocal ranks", range="0 and up"),
        column("list_size", pa.int32(), "length of the readers' lists that it was found in", nullable=True),
        column("kept", pa.bool_(), "whether the question has it"),
        reason("why the question does not have it", OPTION_REASONS),
    ],
)
