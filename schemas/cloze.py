"""Tables of abstract-meaning cloze questions: `cloze/pairs` and what is made of them.

A pair is a passage and a summary of it. A candidate is a word of a summary that may become the
answer of a question of some kind; each filter's verdict on it is a column. Everything is keyed by
hashes of content, and sorted by them.
"""

from collections.abc import Iterable

import pyarrow as pa

from schemas.answers import REASONS as ANSWER_REASONS
from schemas.columns import Table, column
from schemas.metrics import metrics_table
from schemas.rejects import REASONS

__all__ = [
    "ANNOTATIONS", "ANNOTATION_REASONS", "ANNOTATION_REJECTS", "ANNOTATION_REJECT_REASONS",
    "CANDIDATES", "CLOZE_METRICS", "CRITERIA", "FILTERS", "FLAGS",
    "KINDS", "OPTIONS",
    "OPTION_REASONS", "PAIRS", "PAIR_REASONS", "PAIR_REJECTS", "PREDICTIONS", "QUESTIONS",
    "QUESTION_REASONS", "VERDICTS", "VERDICT_REASONS",
]  # fmt: skip

KINDS = ("imperceptibility", "nonspecificity", "intersection")

# What makes a word abstract, by kind; the intersection needs both.
CRITERIA = {"imperceptibility": ("abstractness",), "nonspecificity": ("nonspecificity",),
            "intersection": ("abstractness", "nonspecificity")}  # fmt: skip

# All that a candidate is asked, in the order in which reasons are given.
FILTERS = {
    "pos": "its part of speech is one of the kind's",
    "abstractness": "its concreteness, as it is rated or predicted, is below the threshold",
    "nonspecificity": "its sense is less deep in WordNet than the threshold",
    "repeated": "its lemma stands in the summary once",
    "lemma": "no word of the passage has its form or its lemma",
    "synonym": "no synonym of it stands in the passage",
    "antonym": "no antonym of it stands in the passage",
    "static": "no word of the passage is as similar to it, by static vectors, as the threshold",
    "contextual": "no word of the passage is as similar to it in its context as the threshold",
}

FLAGS = {
    "several_targets": "the files have several targets for the pair",
    "target_not_found": "the word of a target does not stand where it should",
    "doubled_options": "two options of a target are equal, or differ only by case",
    "mis_decoded": "the text looks as if it had been decoded by the wrong encoding",
    "repeated": "several records of the input give the pair",
    "not_annotated": "the engine failed on the text: it has word forms alone",
}

PAIR_ID = "the pair, see table cloze/pairs"
QUESTION_ID = "the summary's word, see table cloze/candidates"
KIND_DOC = "what makes the answer abstract"
KIND_RANGE = ", ".join(KINDS)


def _text(name: str) -> list[pa.Field]:
    return [
        column(name, pa.string(), f"the {name}"),
        column(f"{name}_forms", pa.list_(pa.string()), "its word forms"),
        column(
            f"{name}_lemmas", pa.list_(pa.string()), "their lemmas; null without annotation",
            nullable=True,
        ),
        column(
            f"{name}_upos", pa.list_(pa.string()), "their parts of speech; null without annotation",
            range="UPOS of Universal Dependencies 2", nullable=True,
        ),
        column(f"{name}_starts", pa.list_(pa.int32()), "where they start", unit="code points"),
        column(f"{name}_ends", pa.list_(pa.int32()), "where they end", unit="code points"),
        column(
            f"{name}_sentences", pa.list_(pa.int32()), "the first token of each sentence",
            range="0 and up",
        ),
    ]  # fmt: skip


TARGET = pa.struct(
    [
        ("kind", pa.string()), ("token", pa.int32()), ("form", pa.string()),
        ("options", pa.list_(pa.string())), ("label", pa.int32()), ("source", pa.string()),
        ("position", pa.string()), ("source_id", pa.string()),
    ]
)  # fmt: skip

PAIRS = Table(
    name="cloze/pairs",
    row="a passage and its summary",
    key=("pair_id",),
    columns=[
        column(
            "pair_id", pa.string(), "16 hexadecimal digits of the passage's hash, as article_id "
            "begins, and 16 of the summary's",
        ),
        column(
            "article_id", pa.string(), "hash of the passage, by which folds and splits are drawn; "
            "32 hexadecimal digits",
        ),
        column("language", pa.string(), "language", range="ISO 639", nullable=True),
        column("genre", pa.string(), "genre", nullable=True),
        *_text("summary"),
        *_text("passage"),
        column(
            "targets", pa.list_(TARGET), "targets that the files have: kind, place among the "
            "summary's tokens (null where it is not found), the word, the options, which of them "
            "is right, and where they come from",
        ),
        column("source", pa.string(), "the file of the first row that has the pair, or the "
               "corpus' source of the document"),
        column("position", pa.string(), "line of that row; place of the document in its source"),
        column("source_id", pa.string(), "the id that it has there", nullable=True),
        column("rows", pa.int32(), "records of the input that give the pair", range="1 and up"),
        column("flags", pa.list_(pa.string()), "what is odd", range=", ".join(FLAGS)),
    ],
)  # fmt: skip

PAIR_REASONS = {
    **{name: REASONS[name] for name in (
        "undecodable", "malformed", "unsafe", "empty", "unreadable", "too_large", "too_many_marks",
        "control", "changed_while_read", "html", "pdf", "image", "office", "executable", "binary",
    )},
    "missing_field": "a field that must be there is not",
    "empty_summary": "the summary is empty",
    "empty_passage": "the passage is empty",
    "short_summary": "the summary has fewer words than asked for",
    "long_summary": "the summary has more words than asked for",
    "short_passage": "the passage has fewer words than asked for",
    "long_passage": "the passage has more words than asked for",
    "placeholder": "the text has `@placeholder` already, or a question has none or several",
    "bad_label": "the label names none of the options, or an empty one",
    "annotated": "the document comes annotated: a corpus can be made of it, and pairs of that",
    "no_text": "the corpus has the annotation of the document without its text",
}  # fmt: skip


def _rejects(stage: str, reasons: Iterable[str]) -> list[pa.Field]:
    return [
        column("source", pa.string(), "the file, `archive!member` within archives"),
        column("position", pa.string(), "line number; empty where it is the whole file"),
        column("stage", pa.string(), "where it was left out", range=stage),
        column("reason", pa.string(), "why, from a fixed list", range=", ".join(reasons)),
        column("detail", pa.string(), "what exactly was wrong, for a person"),
    ]


PAIR_REJECTS = Table(
    name="cloze/rejects",
    row="a record of the input that gave no pair",
    key=("source", "position", "stage", "reason", "detail"),
    columns=_rejects("pairs", PAIR_REASONS),
)


def _verdicts() -> Iterable[pa.Field]:
    for name, doc in FILTERS.items():
        yield column(
            f"{name}_value", pa.float64(), f"{name}: what is compared with the threshold, or how "
            "many words offend; null where it is not evaluated or abstains", nullable=True,
        )  # fmt: skip
        yield column(
            f"{name}_match",
            pa.string(),
            f"{name}: the sense, the part of speech, or the first word that offends",
            nullable=True,
        )
        yield column(
            f"{name}_passed", pa.bool_(), f"{name}: whether {doc}; null where it is not evaluated "
            "or abstains", nullable=True,
        )  # fmt: skip


CANDIDATES = Table(
    name="cloze/candidates",
    row="a word of a summary, asked for a kind",
    key=("question_id", "kind"),
    columns=[
        column(
            "question_id", pa.string(), "16 hexadecimal digits of the passage's hash, as "
            "article_id begins, and 16 of that of pair and token",
        ),
        column("kind", pa.string(), KIND_DOC, range=KIND_RANGE),
        column("pair_id", pa.string(), PAIR_ID),
        column("article_id", pa.string(), "the passage, see table cloze/pairs"),
        column("sentence", pa.int32(), "sentence of the summary", range="0 and up"),
        column("token", pa.int32(), "place among the summary's tokens", range="0 and up"),
        column("form", pa.string(), "the word as it stands"),
        column("lemma", pa.string(), "its lemma", nullable=True),
        column("upos", pa.string(), "its part of speech", nullable=True),
        column("target", pa.bool_(), "whether the files have it as a target of this kind"),
        *_verdicts(),
        column("passed", pa.bool_(), "whether all filters that were evaluated let it through"),
        column(
            "reason", pa.string(), "the first filter, in their order, that did not",
            range=", ".join(FILTERS), nullable=True,
        ),
    ],
)  # fmt: skip

PREDICTIONS = Table(
    name="cloze/predictions",
    row="a word that a reader puts in the place of a candidate",
    key=("question_id", "kind", "reader", "rank"),
    columns=[
        column("question_id", pa.string(), QUESTION_ID),
        column("kind", pa.string(), KIND_DOC, range=KIND_RANGE),
        column("reader", pa.string(), "the reader"),
        column("fold", pa.int32(), "the fold that it was held out in", range="0 and up"),
        column("rank", pa.int32(), "place among the reader's words", range="1 and up"),
        column("word", pa.string(), "the word"),
        column(
            "log_prob", pa.float64(), "natural logarithm of its probability", range="0 and below",
        ),
    ],
)  # fmt: skip

# Why a word that a reader named is no option.
OPTION_REASONS = {
    "answer": "it is the answer, or has its form or lemma",
    "synonym": "it is a synonym of the answer in some sense",
    "similar": "its vector is too similar to that of the answer or of a synonym",
    "in_passage": "it stands in the passage, and `options_in_passage` is `reject`",
    "same": "another option has its form or lemma, and comes first",
    "surplus": "there are enough options before it",
}

OPTIONS = Table(
    name="cloze/options",
    row="a word that was considered as an option of a question",
    key=("question_id", "kind", "place"),
    columns=[
        column("question_id", pa.string(), QUESTION_ID),
        column("kind", pa.string(), KIND_DOC, range=KIND_RANGE),
        column("place", pa.int32(), "0: the answer; others in the order in which they are chosen",
               range="0 and up"),
        column("word", pa.string(), "the option, inflected as the answer is if asked for"),
        column("named", pa.string(), "the word as readers named it"),
        column("origin", pa.string(), "where it comes from", range="answer, readers, frequency"),
        column("readers", pa.list_(pa.string()), "readers that name it, sorted"),
        column("ranks", pa.list_(pa.int32()), "its rank with each of them", range="1 and up"),
        column("score", pa.float64(), "sum of reciprocal ranks", range="0 and up"),
        column("list_size", pa.int32(), "length of the readers' lists that it was found in",
               nullable=True),
        column("kept", pa.bool_(), "whether the question has it"),
        column(
            "reason", pa.string(), "why not", range=", ".join(OPTION_REASONS), nullable=True,
        ),
    ],
)  # fmt: skip

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
    columns=[
        column("question_id", pa.string(), QUESTION_ID),
        column("kind", pa.string(), KIND_DOC, range=KIND_RANGE),
        column("pair_id", pa.string(), PAIR_ID),
        column("article_id", pa.string(), "the passage, see table cloze/pairs"),
        column("language", pa.string(), "language", range="ISO 639", nullable=True),
        column("article", pa.string(), "the passage", nullable=True),
        column("question", pa.string(), "the summary with @placeholder", nullable=True),
        column("options", pa.list_(pa.string()), "the five options in their order", nullable=True),
        column("label", pa.int32(), "which of them is the answer", range="0 to 4", nullable=True),
        column("answer", pa.string(), "the answer"),
        column("upos", pa.string(), "its part of speech", nullable=True),
        column(
            "concreteness", pa.float64(), "how concrete it is, where the kind asks for that",
            range="0 to 1", nullable=True,
        ),
        column(
            "depth", pa.float64(), "how deep its sense lies in WordNet, where the kind asks for "
            "that", unit="edges", nullable=True,
        ),
        column("origin", pa.string(), "where its options come from", range="readers, frequency",
               nullable=True),
        column("split", pa.string(), "train, dev or test, or as `shares` names them",
               nullable=True),
        column("kept", pa.bool_(), "whether it is a question"),
        column("reason", pa.string(), "why not", range=", ".join(QUESTION_REASONS), nullable=True),
    ],
)  # fmt: skip

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
    columns=[
        column("question_id", pa.string(), QUESTION_ID),
        column("kind", pa.string(), KIND_DOC, range=KIND_RANGE),
        column("annotator_id", pa.string(), "who answered"),
        column("answer", pa.int32(), "the option chosen; null: could not decide", range="0 to 4",
               nullable=True),
        column("correct", pa.bool_(), "whether it is the answer"),
        column("difficulty", pa.string(), "how hard it was", nullable=True),
        column("span_passage", pa.string(), "evidence in the passage", nullable=True),
        column("span_summary", pa.string(), "evidence in the summary", nullable=True),
        column("explained", pa.string(), "what the annotator says of it", nullable=True),
        column("approval_rate", pa.float64(), "of the annotator", range="0 to 1", nullable=True),
        column("kept", pa.bool_(), "whether it counts"),
        column("reason", pa.string(), "why not", range=", ".join(ANNOTATION_REASONS),
               nullable=True),
        column("source", pa.string(), "the file"),
        column("position", pa.string(), "its line; empty of a sheet, where ids name the row"),
    ],
)  # fmt: skip

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
        column("question_id", pa.string(), QUESTION_ID),
        column("kind", pa.string(), KIND_DOC, range=KIND_RANGE),
        column("answers", pa.int32(), "answers that count", range="0 and up"),
        column("right", pa.int32(), "of them, right ones", range="0 and up"),
        column("accuracy", pa.float64(), "share of them that are right", range="0 to 1",
               nullable=True),
        column("evidence", pa.int32(), "of them, those that quote both passage and summary",
               range="0 and up"),
        column("easy", pa.int32(), "of them, those that call it easy", range="0 and up"),
        column("easy_wrong", pa.int32(), "of these, wrong ones", range="0 and up"),
        column("majority", pa.int32(), "the option that most chose; null: none, or several alike",
               range="0 to 4", nullable=True),
        column("majority_share", pa.float64(), "share of the answers that are the most frequent",
               range="0 to 1", nullable=True),
        column("kept", pa.bool_(), "whether the question is kept"),
        column("reason", pa.string(), "why not", range=", ".join(VERDICT_REASONS), nullable=True),
    ],
)  # fmt: skip

ANNOTATION_REJECT_REASONS = {
    **ANSWER_REASONS,
    **{name: REASONS[name] for name in ("missing_field", "malformed")},
    "several_kinds": "the word is a question for several kinds, and nothing says which is meant",
}

ANNOTATION_REJECTS = Table(
    name="cloze/annotation_rejects",
    row="a row of a file of annotations that gave none",
    key=("source", "position", "stage", "reason", "detail"),
    columns=_rejects("answers", ANNOTATION_REJECT_REASONS),
)

CLOZE_METRICS = metrics_table("cloze")
