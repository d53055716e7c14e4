"""Tables of words to simplify: `simplification/instances`, `substitutes` and `rejects`.

An instance is a word in its sentence. People's substitutes of it are gold. Everything that is made of
instances is keyed by hashes of content, and sorted by them.
"""

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, language, share, upos
from lexbeam.schemas.common_tables import REASONS, REJECT_KEY, ROW_REASONS, inputs_table, reject_columns

INSTANCE_ID = column("instance_id", pa.string(), "the instance, see table simplification/instances")

# What is odd about an instance, or about a record that gave it. All are kept.
FLAGS = {
    "several": "the target stands there more than once, and nothing says which one is meant",
    "within_word": "the target stands there only as part of a longer word",
    "other_case": "the record has the target with other capitals than the sentence",
    "wrong_place": "the place that the record gives is not the target's; found anew",
    "empty_cell": "a cell without a substitute",
    "target_in_gold": "annotators gave the target itself",
    "ranks_dropped": "some records have ranks alone and others count annotators: ranks are by "
    "annotators, one for each record with a rank",
    "several_tokens": "the annotation has no token that covers the target, but several: it has no "
    "lemma, part of speech and features",
    "within_token": "the annotation has a longer token there, whose lemma it is",
}

# Why a word is an instance.
CHOSEN_BY = {
    "marked": "the input names it",
    "complexity": "the input says how complex it is, and that is enough",
    "content": "it is a content word",
    "zipf": "it is rarer than `zipf_below`",
    "scorer": "a scorer finds it hard",
}

# What people say of an instance together.
JUDGMENTS = {
    "simplifiable": "all who judged it say that it can be simplified, or they agreed on it",
    "not_simplifiable": "all say that it cannot be, or they agreed on it",
    "dubious": "they disagree, or one of them has doubts, or they agreed that it is dubious",
}

# Why a record gives no instance, or a judgment none.
INSTANCE_REASONS = {
    **ROW_REASONS,
    "no_target": "nothing marks a target",
    "no_sentence": "a word of a list, without a sentence",
    "not_in_sentence": "the target does not stand in its sentence",
    "no_language": "nothing says its language",
    "several": "the target stands there more than once, and such records are left out",
    "annotated": "a document that comes with annotation, which only a corpus takes in",
    "long_sentence": "a sentence of a text that is too long for so many words; the rest of its text is kept",
    "no_text": "a corpus without the document's text, where words are to be put into it",
    "not_editable": "a file in a format whose words cannot be replaced",
    "engine_error": REASONS["engine_error"],
    "changed_while_read": REASONS["changed_while_read"],
    "missing_field": REASONS["missing_field"],
    "phrase": "the target is a phrase, and only words are asked for",
    "capital": "the target has a capital letter, and only words without are asked for",
    "below_native": "too few native annotators marked it as complex",
    "below_complexity": "its complexity is below the threshold",
    "no_complexity": "nothing says its complexity, and there is a threshold",
    "not_judged": "nobody judged it, and only what is simplifiable is asked for",
    "not_simplifiable": "people find that it is not simplifiable",
    "dubious": "people find it dubious, and only what is simplifiable is asked for",
    "unknown": "a judgment of what is no instance here",
    "wrong_answer": "a judgment that is none",
}

# Left out by rule, not by fault: they do not count towards `max_reject_share`.
BY_RULE = frozenset(
    {
        "forgotten",
        "long_sentence",
        "several",
        "phrase",
        "capital",
        "below_native",
        "below_complexity",
        "no_complexity",
        "not_judged",
        "not_simplifiable",
        "dubious",
    }
)

INSTANCES = Table(
    name="simplification/instances",
    row="a word to simplify, in its sentence",
    key=("instance_id",),
    version="2",
    texts=("sentence", "target", "lemma"),
    columns=[
        column(
            "instance_id",
            pa.string(),
            "hash of sentence, target and start; 32 hexadecimal "
            "digits, of which the first 20 are those of sentence and target",
        ),
        language(nullable=False),
        column("sentence", pa.string(), "the sentence, NFC"),
        column("target", pa.string(), "the word as it stands"),
        column("start", pa.int32(), "where it starts", unit="code points"),
        column("end", pa.int32(), "where it ends (exclusive)", unit="code points"),
        column("lemma", pa.string(), "its lemma, in lower case; null without annotation", nullable=True),
        upos("upos", "its part of speech; null without annotation"),
        column(
            "feats",
            pa.string(),
            "its features, where the annotation has them",
            range="FEATS of Universal Dependencies 2",
            nullable=True,
        ),
        column(
            "source", pa.string(), "the file of the first record that has it, or the corpus' source of the document"
        ),
        column(
            "position",
            pa.string(),
            "line of that record; of a word that was found the number of its sentence, from 0, after the document's id "
            "in a corpus, or its place in the file",
        ),
        column("source_id", pa.string(), "the id that it has there", nullable=True),
        column("records", pa.int32(), "records of the input that give it", range="1 and up"),
        share(
            "complexity",
            "its complexity as a file labels it or a scorer predicts it, from the first record that has one",
            nullable=True,
        ),
        column("chosen_by", pa.string(), "why it is an instance, by that record", range=", ".join(CHOSEN_BY)),
        column(
            "chosen_value",
            pa.float64(),
            "the value that decided it: a complexity, or of zipf the frequency; null where none did",
            nullable=True,
        ),
        column(
            "judgment",
            pa.string(),
            "whether people find it simplifiable, all judgments taken together; null without judgments",
            range=", ".join(JUDGMENTS),
            nullable=True,
        ),
        column(
            "judges",
            pa.int32(),
            "annotators who judged it, a joint verdict left out; null without judgments",
            range="0 and up",
            nullable=True,
        ),
        column("flags", pa.list_(pa.string()), "what is odd about the word or its records", range=", ".join(FLAGS)),
    ],
)

INSTANCE_REJECTS = Table(
    name="simplification/rejects",
    row="a record that gave no instance, or a judgment of none",
    key=REJECT_KEY,
    texts=("detail",),
    columns=reject_columns("load, judge", INSTANCE_REASONS),
)

INSTANCE_INPUTS = inputs_table(
    "simplification/inputs", ("taken", "its records that gave instances, or documents"), INSTANCE_REJECTS.name
)

SUBSTITUTES = Table(
    name="simplification/substitutes",
    row="what people gave in place of a word",
    key=("instance_id", "substitute"),
    texts=("substitute",),
    columns=[
        INSTANCE_ID,
        column(
            "substitute",
            pa.string(),
            "the substitute as written, NFC; of spellings that differ only by capitals the first by code points",
        ),
        column(
            "annotators",
            pa.int32(),
            "annotators who gave it, over all records of the instance; null where the file has only ranks",
            range="1 and up",
            nullable=True,
        ),
        column(
            "gold_rank",
            pa.int32(),
            "dense rank: 1 for the most annotators, or for the least rank of the file; null for the target itself",
            range="1 and up",
            nullable=True,
        ),
        column("is_target", pa.bool_(), "whether it is the target, capitals apart"),
    ],
)
