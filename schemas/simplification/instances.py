"""Tables of lexical simplification: `simplification/instances` and what is made of them.

An instance is a word in its sentence. People's substitutes of it are gold; candidates are what
generators give, a row for each form and setting, and each later stage has a row for each of them.
Everything is keyed by hashes of content, and sorted by them.
"""

import pyarrow as pa

from schemas.columns import Table, column, entries_of
from schemas.metrics import metrics_table
from schemas.rejects import REASONS as READING_REASONS
from schemas.rejects import REJECT_KEY, reject_columns

__all__ = [
    "BY_RULE",
    "CANDIDATES",
    "FLAGS",
    "FUNNEL",
    "INSTANCES",
    "INSTANCE_REASONS",
    "INSTANCE_REJECTS",
    "JUDGMENTS",
    "LOSSES",
    "RANKINGS",
    "REASONS",
    "SELECTIONS",
    "SIMPLIFICATIONS",
    "SIMPLIFICATION_METRICS",
    "STAGES",
    "SUBSTITUTES",
    "column_of",
]

INSTANCE_ID = "the instance, see table simplification/instances"
SETTING = "name of the setting: which generators, filters and rankers are used, and how"
FORM = "the candidate as it would stand in the target's place, in lower case, NFC"

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

# What people say of an instance together.
JUDGMENTS = {
    "simplifiable": "all who judged it say that it can be simplified, or they agreed on it",
    "not_simplifiable": "all say that it cannot be, or they agreed on it",
    "dubious": "they disagree, or one of them has doubts, or they agreed that it is dubious",
}

# Why a record gives no instance, or a judgment none.
INSTANCE_REASONS = {
    **{
        name: READING_REASONS[name]
        for name in (
            "undecodable",
            "malformed",
            "unsafe",
            "empty",
            "unreadable",
            "too_large",
            "too_many_marks",
            "control",
            "pdf",
            "image",
            "office",
            "executable",
            "binary",
            "html",
        )
    },
    "no_target": "nothing marks a target",
    "no_sentence": "a word of a list, without a sentence",
    "not_in_sentence": "the target does not stand in its sentence",
    "no_language": "nothing says its language",
    "several": "the target stands there more than once, and such records are left out",
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

# Why a candidate does not go on to the next stage.
REASONS = {
    "placeholder": "it is no word of the language, but stands for a translation that is missing",
    "subword": "it is a piece of a word",
    "too_short": "it is too short",
    "not_a_word": "it has no letter",
    "prefix_of_target": "the target begins with it",
    "accent_variant": "it is the target but for accents or capitals",
    "same_stem": "it has the target's stem",
    "is_target": "it is the target",
    "no_form": "there is no form of it that has the target's features",
    "barred": "it is on a list of barred words, or an antonym of the target",
    "one_generator": "not all generators give it, and the setting asks for their intersection",
    "beyond_k": "others have a higher score, and only so many are kept",
    "target_inflection": "it is another form of the target's lemma",
    "merged": "another form of its lemma, or its other spelling, has a higher score, and takes its score over",
    "pos_mismatch": "it has another part of speech than the target, tagged in its place",
    "below_similarity": "it is less similar to the target than the threshold",
    "below_ngram": "it fits its neighbours less than the threshold",
}

# What is said of a candidate that goes on.
NOTES = {"pos_unchecked": "a phrase, of which the filter by part of speech says nothing"}

INSTANCES = Table(
    name="simplification/instances",
    row="a word to simplify, in its sentence",
    key=("instance_id",),
    columns=[
        column(
            "instance_id",
            pa.string(),
            "hash of sentence, target and start; 32 hexadecimal "
            "digits, of which the first 20 are those of sentence and target",
        ),
        column("language", pa.string(), "language", range="ISO 639"),
        column("sentence", pa.string(), "the sentence, NFC"),
        column("target", pa.string(), "the word as it stands"),
        column("start", pa.int32(), "where it starts", unit="code points"),
        column("end", pa.int32(), "where it ends (exclusive)", unit="code points"),
        column("lemma", pa.string(), "its lemma, in lower case; null without annotation", nullable=True),
        column(
            "upos",
            pa.string(),
            "its part of speech; null without annotation",
            range="UPOS of Universal Dependencies 2",
            nullable=True,
        ),
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
        column("position", pa.string(), "line of that record"),
        column("source_id", pa.string(), "the id that it has there", nullable=True),
        column("records", pa.int32(), "records of the input that give it", range="1 and up"),
        column(
            "complexity",
            pa.float64(),
            "its complexity as a file labels it or a scorer predicts it, of the first record that has one",
            range="0 to 1",
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
        column("flags", pa.list_(pa.string()), "what is odd", range=", ".join(FLAGS)),
    ],
)

INSTANCE_REJECTS = Table(
    name="simplification/rejects",
    row="a record that gave no instance, or a judgment of none",
    key=REJECT_KEY,
    columns=reject_columns("load, judge", INSTANCE_REASONS),
)

SUBSTITUTES = Table(
    name="simplification/substitutes",
    row="what people gave in place of a word",
    key=("instance_id", "substitute"),
    columns=[
        column("instance_id", pa.string(), INSTANCE_ID),
        column(
            "substitute",
            pa.string(),
            "as it is written, NFC; of several spellings that differ by capitals the first one by code points",
        ),
        column(
            "annotators",
            pa.int32(),
            "how many gave it, in all records of the instance; null where the file has ranks alone",
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


def column_of(generator: str) -> str:
    """Return the name that a generator has in tables: `masked-lm` is `masked_lm`."""
    return generator.replace("-", "_")


def _candidates() -> list[pa.Field]:
    generators = entries_of("transforms.simplification.generation.generators:GENERATORS")
    return [
        column("instance_id", pa.string(), INSTANCE_ID),
        column("setting", pa.string(), SETTING),
        column("form", pa.string(), f"{FORM}; of one that has no form, its lemma"),
        column("lemma", pa.string(), "its lemma, in lower case; null where nothing says it", nullable=True),
        column("shown", pa.string(), "the form with the target's capitals; null where it has none", nullable=True),
        column(
            "rank",
            pa.int32(),
            "rank by score, then number of generators, frequency and code points; null for a reason",
            range="1 and up",
            nullable=True,
        ),
        column(
            "score",
            pa.float64(),
            "the score that all generators give it together; null where it was dropped before",
            nullable=True,
        ),
        *(
            column(f"{column_of(name)}_score", pa.float64(), f"{doc}; null where it does not give it", nullable=True)
            for name, doc in generators.items()
        ),
        column(
            "generators", pa.int32(), "how many generators give it; each masked language model counts", range="1 and up"
        ),
        column(
            "votes",
            pa.int32(),
            "senses that have it, of those looked up; null where no generator has senses",
            range="1 and up",
            nullable=True,
        ),
        column("sense_id", pa.string(), "the first sense that has it", nullable=True),
        column("relation", pa.string(), "synonym or hypernym, where a generator says it", nullable=True),
        column(
            "frequency",
            pa.float64(),
            "frequency of the form, by which ties are settled; null without a list",
            unit="as the list has it",
            nullable=True,
        ),
        column(
            "inflected",
            pa.string(),
            "what its form rests on: dictionary, rules, lemma; null where it was given as it is",
            nullable=True,
        ),
        column("feats", pa.string(), "the features that it was given", nullable=True),
        column("before", pa.string(), "what the word before it becomes; null if that stays", nullable=True),
        column("reason", pa.string(), "why it does not go on", range=", ".join(REASONS), nullable=True),
    ]


CANDIDATES = Table(
    name="simplification/candidates",
    row="a form that generators of a setting give for an instance",
    key=("instance_id", "setting", "form"),
    columns=_candidates,
)

SELECTIONS = Table(
    name="simplification/selections",
    row="a candidate that was generated, after the filters of its setting",
    key=("instance_id", "setting", "form"),
    columns=[
        column("instance_id", pa.string(), INSTANCE_ID),
        column("setting", pa.string(), SETTING),
        column("form", pa.string(), FORM),
        column("lemma", pa.string(), "its lemma, in lower case; null where nothing says it", nullable=True),
        column("kept", pa.bool_(), "whether it goes on"),
        column("reason", pa.string(), "why not", range=", ".join(REASONS), nullable=True),
        column("note", pa.string(), "what is to be said of one that is kept", range=", ".join(NOTES), nullable=True),
        column("merged_into", pa.string(), "the form that takes its score over", nullable=True),
        column("score", pa.float64(), "its score, with those of forms merged into it"),
        column("votes", pa.int32(), "its votes, with those of forms merged into it", range="1 and up", nullable=True),
        column(
            "upos",
            pa.string(),
            "its part of speech, tagged in the target's place; null where it was not asked",
            nullable=True,
        ),
        column(
            "similarity",
            pa.float64(),
            "cosine to the target; null where it was not asked, or is not known",
            nullable=True,
        ),
        column("ngram", pa.float64(), "how well it fits its neighbours; null where it was not asked", nullable=True),
    ],
)

RANKER = "the ranker"

RANKINGS = Table(
    name="simplification/rankings",
    row="a candidate that was kept, as a ranker of its setting ranks it; and the target beside them",
    key=("instance_id", "setting", "ranker", "form"),
    columns=[
        column("instance_id", pa.string(), INSTANCE_ID),
        column("setting", pa.string(), SETTING),
        column("ranker", pa.string(), RANKER),
        column("form", pa.string(), f"{FORM}; of the target likewise"),
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
            "whether the ranker knows the form; of a candidate that it does not, the score is its least",
        ),
        column("chosen", pa.bool_(), "whether it is what stands in the sentence in the end"),
    ],
)

SIMPLIFICATIONS = Table(
    name="simplification/simplifications",
    row="an instance with the word that a setting and a ranker choose",
    key=("instance_id", "setting", "ranker"),
    columns=[
        column("instance_id", pa.string(), INSTANCE_ID),
        column("setting", pa.string(), SETTING),
        column("ranker", pa.string(), RANKER),
        column("chosen", pa.string(), "the form that is put in, with the target's capitals; the target where it stays"),
        column("form", pa.string(), "the candidate of place 1; null without candidates", nullable=True),
        column("changed", pa.bool_(), "whether it is not the target"),
        column("reason", pa.string(), "why the target stays", range="no_candidate, keep_target", nullable=True),
        column("score", pa.float64(), "the score of place 1", nullable=True),
        column("target_score", pa.float64(), "the ranker's score of the target; null where it has none", nullable=True),
        column(
            "article_change",
            pa.string(),
            "the word before, and what it becomes, with a space: `la el`; null if it stays",
            nullable=True,
        ),
        column("sentence_out", pa.string(), "the sentence with it"),
    ],
)

SIMPLIFICATION_METRICS = metrics_table("simplification")

# The stages of which there are lists of candidates, and what comes of them.
STAGES = ("generation", "selection", "ranking", "pipeline")

# Why gold is lost where no candidate was dropped.
LOSSES = {
    "not_generated": "no generator of the setting gives it in this form",
    "no_rows": "the stage has no row for it",
    "not_chosen": "another candidate was chosen",
    "keep_target": "the target stays, though there are candidates",
}

FUNNEL = Table(
    name="simplification/funnel",
    row="what becomes of the candidates of instances with gold at a stage, for one reason",
    key=("setting", "ranker", "stage", "reason"),
    columns=[
        column("setting", pa.string(), SETTING),
        column("ranker", pa.string(), "the ranker, from ranking on; before it, null", nullable=True),
        column("stage", pa.string(), "the stage", range=", ".join(STAGES)),
        column(
            "reason",
            pa.string(),
            "why they go no further; null for those that do",
            range=", ".join((*REASONS, *LOSSES)),
            nullable=True,
        ),
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
    ],
)
