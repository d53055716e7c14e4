"""Tables `cloze/pairs` and `cloze/rejects`: passages with summaries of them, and kinds of questions.

Everything that is made of pairs is keyed by hashes of content, and sorted by them.
"""

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, language, upos
from lexbeam.schemas.common_tables import REASONS, REJECT_KEY, inputs_table, reject_columns

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

# Columns by which tables of questions refer to what they are made of.
PAIR_ID = column("pair_id", pa.string(), "the pair, see table cloze/pairs")
ARTICLE_ID = column("article_id", pa.string(), "the passage, see table cloze/pairs")
KIND = column("kind", pa.string(), "what makes the answer abstract", range=", ".join(KINDS))
QUESTION_KEY = (column("question_id", pa.string(), "the summary's word, see table cloze/candidates"), KIND)


def _text(name: str) -> list[pa.Field]:
    return [
        column(name, pa.string(), f"the {name}"),
        column(f"{name}_forms", pa.list_(pa.string()), "its word forms"),
        column(f"{name}_lemmas", pa.list_(pa.string()), "their lemmas; null without annotation", nullable=True),
        upos(f"{name}_upos", "their parts of speech; null without annotation", of_tokens=True),
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
    texts=(
        "genre",
        "summary",
        "summary_forms",
        "summary_lemmas",
        "passage",
        "passage_forms",
        "passage_lemmas",
        "targets",
    ),
    columns=[
        column(
            "pair_id",
            pa.string(),
            "16 hexadecimal digits of the passage's hash, as article_id begins, and 16 of the summary's",
        ),
        column(
            "article_id", pa.string(), "hash of the passage, by which folds and splits are drawn; 32 hexadecimal digits"
        ),
        language(),
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
        column("flags", pa.list_(pa.string()), "what is odd about the pair", range=", ".join(FLAGS)),
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
            "script",
            "unsegmented",
            "forgotten",
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

PAIR_REJECTS = Table(
    name="cloze/rejects",
    row="a record of the input that gave no pair",
    key=REJECT_KEY,
    texts=("detail",),
    columns=reject_columns("pairs", PAIR_REASONS),
)

PAIR_INPUTS = inputs_table("cloze/inputs", ("taken", "its records that gave a pair"), PAIR_REJECTS.name)
