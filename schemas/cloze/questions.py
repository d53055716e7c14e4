"""Tables of cloze questions: questions, answers of people, answers of reading systems."""

import pyarrow as pa

from lexbeam.schemas.cloze.pairs import ARTICLE_ID, PAIR_ID, QUESTION_KEY
from lexbeam.schemas.columns import Table, column, language, reason, share
from lexbeam.schemas.common_tables import ANSWER_REASONS, REASONS, REJECT_KEY, reject_columns

# Why a candidate is no question, in the order in which reasons are given.
QUESTION_REASONS = {
    "not_asked": "options were made for other words: targets of the files",
    "not_passed": "options were made for it as a target of the files, but a filter rejects it",
    "placeholder": "`@placeholder` stands in the summary or the passage already",
    "part_of_word": "it is a part of a longer word of the summary, or not its text as it stands",
    "doubled_options": "two of the five options are equal, or differ only by case",
    "too_few_options": "readers give fewer than four options that may stand beside the answer",
    "not_best": "the summary has a better candidate, and one question a summary is asked for",
}

QUESTIONS = Table(
    name="cloze/questions",
    row="a question, or a candidate that passed and is none",
    key=("question_id", "kind"),
    texts=("article", "question", "options", "answer"),
    columns=[
        *QUESTION_KEY,
        PAIR_ID,
        ARTICLE_ID,
        language(),
        column("article", pa.string(), "the passage", nullable=True),
        column("question", pa.string(), "the summary with @placeholder", nullable=True),
        column("options", pa.list_(pa.string()), "the five options in their order", nullable=True),
        column("label", pa.int32(), "which of them is the answer", range="0 to 4", nullable=True),
        column("answer", pa.string(), "the answer"),
        column("upos", pa.string(), "its part of speech", nullable=True),
        share("concreteness", "how concrete it is, where the kind depends on it", nullable=True),
        column(
            "depth",
            pa.float64(),
            "depth of its sense in WordNet, where the kind depends on it",
            unit="edges",
            nullable=True,
        ),
        column("origin", pa.string(), "where its options come from", range="readers, frequency", nullable=True),
        column("split", pa.string(), "train, dev or test, or as `shares` names them", nullable=True),
        column("kept", pa.bool_(), "whether it is a question"),
        reason("why it is no question", QUESTION_REASONS),
    ],
)

ANNOTATION_REASONS = {
    "low_approval": "the annotator's approval rate is too low",
    "no_approval": "nobody says the annotator's approval rate, and such answers are dropped",
    "low_accuracy": "the annotator answers too few questions rightly",
    "no_evidence": "it does not quote both passage and summary, and answers must, one by one",
    "easy_but_wrong": "it calls the question easy and is wrong, and such answers are dropped",
}

ANNOTATIONS = Table(
    name="cloze/annotations",
    row="a person's answer to a question",
    key=("question_id", "kind", "annotator_id"),
    texts=("span_passage", "span_summary", "explained"),
    columns=[
        *QUESTION_KEY,
        column("annotator_id", pa.string(), "who answered"),
        column(
            "answer",
            pa.int32(),
            "the option chosen; null where the annotator could not decide",
            range="0 to 4",
            nullable=True,
        ),
        column("correct", pa.bool_(), "whether the option chosen is the answer"),
        column("difficulty", pa.string(), "how hard it was", nullable=True),
        column("span_passage", pa.string(), "evidence in the passage", nullable=True),
        column("span_summary", pa.string(), "evidence in the summary", nullable=True),
        column("explained", pa.string(), "the annotator's own explanation", nullable=True),
        share("approval_rate", "approval rate of the annotator", nullable=True),
        column("kept", pa.bool_(), "whether it counts"),
        reason("why it does not count", ANNOTATION_REASONS),
        column("source", pa.string(), "the file"),
        column("position", pa.string(), "its line; empty for a sheet, where ids name the row"),
    ],
)

# Why a question is dropped, in the order in which reasons are given.
VERDICT_REASONS = {
    "not_annotated": "nobody answered it",
    "too_few": "too few answers count",
    "low_accuracy": "too few of the answers that count are right",
    "no_evidence": "too few answers quote evidence in both passage and summary",
    "easy_but_wrong": "somebody calls it easy and answers it wrongly",
}

VERDICTS = Table(
    name="cloze/verdicts",
    row="what people's answers say of a question",
    key=("question_id", "kind"),
    columns=[
        *QUESTION_KEY,
        column("answers", pa.int32(), "answers that count", range="0 and up"),
        column("right", pa.int32(), "right answers among them", range="0 and up"),
        share("accuracy", "share of right answers among them", nullable=True),
        column("evidence", pa.int32(), "answers among them that quote both passage and summary", range="0 and up"),
        column("easy", pa.int32(), "answers among them that call it easy", range="0 and up"),
        column("easy_wrong", pa.int32(), "wrong answers among these", range="0 and up"),
        column(
            "majority",
            pa.int32(),
            "the option chosen most often; null where there is none, or a tie",
            range="0 to 4",
            nullable=True,
        ),
        share("majority_share", "share of the most frequent answer", nullable=True),
        column("kept", pa.bool_(), "whether the question is kept"),
        reason("why the question is not kept", VERDICT_REASONS),
    ],
)

ANNOTATION_REJECT_REASONS = {
    **ANSWER_REASONS,
    **{name: REASONS[name] for name in ("missing_field", "malformed")},
    "several_kinds": "the word is a question for several kinds, and nothing says which is meant",
}

ANNOTATION_REJECTS = Table(
    name="cloze/annotation_rejects",
    row="a row of a file of annotations that gave none",
    key=REJECT_KEY,
    texts=("detail",),
    columns=reject_columns("answers", ANNOTATION_REJECT_REASONS),
)
