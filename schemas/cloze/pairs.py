"""Tables of abstract-meaning cloze questions: `cloze/pairs` and what is made of them.

A pair is a passage and a summary of it. A candidate is a word of a summary that may become the
answer of a question of some kind; each filter's verdict on it is a column. Everything is keyed by
hashes of content, and sorted by them.
"""

from collections.abc import Iterable, Mapping

import pyarrow as pa

from schemas.columns import Table, column, entries_of
from schemas.metrics import metrics_table
from schemas.rejects import REASONS

__all__ = [
    "CANDIDATES",
    "CLOZE_METRICS",
    "CRITERIA",
    "FLAGS",
    "KINDS",
    "OPTIONS",
    "OPTION_REASONS",
    "PAIRS",
    "PAIR_REASONS",
    "PAIR_REJECTS",
    "PREDICTIONS",
    "rejects_columns",
]

KINDS = ("imperceptibility", "nonspecificity", "intersection")

# What makes a word abstract, by kind; the intersection needs both.
CRITERIA = {
    "imperceptibility": ("abstractness",),
    "nonspecificity": ("nonspecificity",),
    "intersection": ("abstractness", "nonspecificity"),
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
        column(f"{name}_lemmas", pa.list_(pa.string()), "their lemmas; null without annotation", nullable=True),
        column(
            f"{name}_upos",
            pa.list_(pa.string()),
            "their parts of speech; null without annotation",
            range="UPOS of Universal Dependencies 2",
            nullable=True,
        ),
        column(f"{name}_starts", pa.list_(pa.int32()), "where they start", unit="code points"),
        column(f"{name}_ends", pa.list_(pa.int32()), "where they end", unit="code points"),
        column(f"{name}_sentences", pa.list_(pa.int32()), "the first token of each sentence", range="0 and up"),
    ]


TARGET = pa.struct(
    [
        ("kind", pa.string()),
        ("token", pa.int32()),
        ("form", pa.string()),
        ("options", pa.list_(pa.string())),
        ("label", pa.int32()),
        ("source", pa.string()),
        ("position", pa.string()),
        ("source_id", pa.string()),
    ]
)

PAIRS = Table(
    name="cloze/pairs",
    row="a passage and its summary",
    key=("pair_id",),
    columns=[
        column(
            "pair_id",
            pa.string(),
            "16 hexadecimal digits of the passage's hash, as article_id begins, and 16 of the summary's",
        ),
        column(
            "article_id", pa.string(), "hash of the passage, by which folds and splits are drawn; 32 hexadecimal digits"
        ),
        column("language", pa.string(), "language", range="ISO 639", nullable=True),
        column("genre", pa.string(), "genre", nullable=True),
        *_text("summary"),
        *_text("passage"),
        column(
            "targets",
            pa.list_(TARGET),
            "targets that the files have: kind, place among the "
            "summary's tokens (null where it is not found), the word, the options, which of them "
            "is right, and where they come from",
        ),
        column(
            "source", pa.string(), "the file of the first row that has the pair, or the corpus' source of the document"
        ),
        column("position", pa.string(), "line of that row; place of the document in its source"),
        column("source_id", pa.string(), "the id that it has there", nullable=True),
        column("rows", pa.int32(), "records of the input that give the pair", range="1 and up"),
        column("flags", pa.list_(pa.string()), "what is odd", range=", ".join(FLAGS)),
    ],
)

PAIR_REASONS = {
    **{
        name: REASONS[name]
        for name in (
            "undecodable",
            "malformed",
            "unsafe",
            "empty",
            "unreadable",
            "too_large",
            "too_many_marks",
            "control",
            "changed_while_read",
            "html",
            "pdf",
            "image",
            "office",
            "executable",
            "binary",
        )
    },
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
}


def rejects_columns(stage: str, reasons: Iterable[str]) -> list[pa.Field]:
    """Return the columns of a table of what a stage left out, for one of these reasons."""
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
    columns=rejects_columns("pairs", PAIR_REASONS),
)


def _verdicts(filters: Mapping[str, str]) -> Iterable[pa.Field]:
    for name, doc in filters.items():
        yield column(
            f"{name}_value",
            pa.float64(),
            f"{name}: what is compared with the threshold, or how "
            "many words offend; null where it is not evaluated or abstains",
            nullable=True,
        )
        yield column(
            f"{name}_match",
            pa.string(),
            f"{name}: the sense, the part of speech, or the first word that offends",
            nullable=True,
        )
        yield column(
            f"{name}_passed",
            pa.bool_(),
            f"{name}: whether {doc}; null where it is not evaluated or abstains",
            nullable=True,
        )


def _candidates() -> list[pa.Field]:
    filters = entries_of("transforms.cloze.filters.registry:FILTERS")
    return [
        column(
            "question_id",
            pa.string(),
            "16 hexadecimal digits of the passage's hash, as article_id begins, and 16 of that of pair and token",
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
        *_verdicts(filters),
        column("passed", pa.bool_(), "whether all filters that were evaluated let it through"),
        column(
            "reason",
            pa.string(),
            "the first filter, in their order, that did not",
            range=", ".join(filters),
            nullable=True,
        ),
    ]


CANDIDATES = Table(
    name="cloze/candidates",
    row="a word of a summary, asked for a kind",
    key=("question_id", "kind"),
    columns=_candidates,
)

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
    "surplus": "there are enough options before it",
}

OPTIONS = Table(
    name="cloze/options",
    row="a word that was considered as an option of a question",
    key=("question_id", "kind", "place"),
    columns=[
        column("question_id", pa.string(), QUESTION_ID),
        column("kind", pa.string(), KIND_DOC, range=KIND_RANGE),
        column("place", pa.int32(), "0: the answer; others in the order in which they are chosen", range="0 and up"),
        column("word", pa.string(), "the option, inflected as the answer is if asked for"),
        column("named", pa.string(), "the word as readers named it"),
        column("origin", pa.string(), "where it comes from", range="answer, readers, frequency"),
        column("readers", pa.list_(pa.string()), "readers that name it, sorted"),
        column("ranks", pa.list_(pa.int32()), "its rank with each of them", range="1 and up"),
        column("score", pa.float64(), "sum of reciprocal ranks", range="0 and up"),
        column("list_size", pa.int32(), "length of the readers' lists that it was found in", nullable=True),
        column("kept", pa.bool_(), "whether the question has it"),
        column("reason", pa.string(), "why not", range=", ".join(OPTION_REASONS), nullable=True),
    ],
)

CLOZE_METRICS = metrics_table("cloze")
