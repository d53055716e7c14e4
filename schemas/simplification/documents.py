"""Tables `simplification/documents` and `changes`: whole texts with the chosen words in their places.

A text is what a reader sees of a document: of a file its text without markup, of a corpus the text that is stored.
"""

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, language
from lexbeam.schemas.simplification.instances import CHOSEN_BY, INSTANCE_ID

# What a row of `changes` is about.
KINDS = {
    "word": "a word that was found complex",
    "beside": "what changes with one: an article, an adjective that agrees, a full stop",
}

# Why a word that was found complex stands as it was.
KEPT = {
    "no_candidate": "no candidate is left for it",
    "keep_target": "no candidate is enough simpler than it",
    "no_agreement": "words around it would have to agree with what was chosen, and must or can not",
    "other_sex": "what was chosen is of another gender, and one of both denotes a person",
    "overlaps": "it overlaps another word that was found",
    "refused": "its place in the file cannot be replaced",
}

DOCUMENTS = Table(
    name="simplification/documents",
    row="a text with the chosen words in their places",
    key=("document",),
    texts=("text",),
    columns=[
        column("document", pa.string(), "the file's name, or the document's id in a corpus"),
        column("source", pa.string(), "the file, or the corpus' source of the document"),
        language(),
        column("text", pa.large_string(), "the text with the chosen words"),
        column(
            "content",
            pa.large_binary(),
            "the file's bytes, of which only changed words differ; null for a document of a corpus",
            nullable=True,
        ),
        column("sentences", pa.int32(), "its sentences", range="0 and up"),
        column("words", pa.int32(), "its content words but names, numbers and what is protected", range="0 and up"),
        column("chosen", pa.int32(), "those found complex", range="0 and up"),
        column("changed", pa.int32(), "those with another word in their place", range="0 and up"),
    ],
)

CHANGES = Table(
    name="simplification/changes",
    row="a word of a text that was found complex, or what changes beside one",
    key=("document", "start"),
    texts=("target", "chosen", "detail"),
    columns=[
        column("document", pa.string(), "the text, see table simplification/documents"),
        column("start", pa.int64(), "where it starts in the text as it was", unit="code points"),
        column("end", pa.int64(), "where it ends there (exclusive)", unit="code points"),
        column("kind", pa.string(), "what it is", range=", ".join(KINDS)),
        INSTANCE_ID,
        column("sentence", pa.int32(), "its sentence, in the order of the text", range="0 and up"),
        column("target", pa.string(), "the word as it stood"),
        column("chosen", pa.string(), "what stands there now; empty where nothing does"),
        column("changed", pa.bool_(), "whether it is another"),
        column("reason", pa.string(), "why the word stays", range=", ".join(KEPT), nullable=True),
        column("detail", pa.string(), "of refused: what keeps its place", nullable=True),
        column("start_out", pa.int64(), "where that starts in the text as it is now", unit="code points"),
        column("end_out", pa.int64(), "where it ends there (exclusive)", unit="code points"),
        column("sentence_start", pa.int64(), "where its sentence starts there", unit="code points"),
        column("sentence_end", pa.int64(), "where that ends (exclusive)", unit="code points"),
        column("chosen_by", pa.string(), "why the word was found complex", range=", ".join(CHOSEN_BY)),
        column("chosen_value", pa.float64(), "the value that decided it, as in instances", nullable=True),
        column("place", pa.int32(), "place of what was chosen among its candidates", range="1 and up", nullable=True),
        column("candidates", pa.int32(), "how many candidates were ranked", range="0 and up"),
        column("score", pa.float64(), "the ranker's score of what was chosen", nullable=True),
        column("target_score", pa.float64(), "its score of the word; null where it has none", nullable=True),
    ],
)
