"""Tables `simplification/candidates` and `simplification/selections`: words that may replace a target.

A candidate is a row for each form and setting; each later stage has a row for each that goes on.
"""

import pyarrow as pa

from schemas.columns import Table, column, entries_of, reason
from schemas.simplification.instances import INSTANCE_ID

__all__ = ["CANDIDATES", "FORM", "NOTES", "REASONS", "SELECTIONS", "SETTING", "column_of"]

SETTING = column("setting", pa.string(), "name of the setting: which generators, filters and rankers are used, and how")

FORM = "the candidate as it would stand in the target's place, in lower case, NFC"

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
    "antonym": "it is the target's opposite",
    "hyponym": "it is narrower than the target",
}

# What is said of a candidate that goes on.
NOTES = {"pos_unchecked": "a phrase, of which the filter by part of speech says nothing"}


def column_of(generator: str) -> str:
    """Return the name that a generator has in tables: `masked-lm` is `masked_lm`."""
    return generator.replace("-", "_")


_SCORED = (
    INSTANCE_ID,
    SETTING,
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
)
_EVIDENCE = (
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
    reason("why it does not go on", REASONS),
)


def _candidates() -> list[pa.Field]:
    """Return the columns: a score for each generator stands between those of all."""
    generators = entries_of("transforms.simplification.generation.generators:GENERATORS")
    scores = (
        column(f"{column_of(name)}_score", pa.float64(), f"{doc}; null where it does not give it", nullable=True)
        for name, doc in generators.items()
    )
    return [*_SCORED, *scores, *_EVIDENCE]


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
        INSTANCE_ID,
        SETTING,
        column("form", pa.string(), FORM),
        column("lemma", pa.string(), "its lemma, in lower case; null where nothing says it", nullable=True),
        column("kept", pa.bool_(), "whether it goes on"),
        reason("why it does not go on", REASONS),
        column("note", pa.string(), "a remark on a candidate that is kept", range=", ".join(NOTES), nullable=True),
        column("merged_into", pa.string(), "the form that takes its score over", nullable=True),
        column("score", pa.float64(), "its score, with those of forms merged into it"),
        column("votes", pa.int32(), "its votes, with those of forms merged into it", range="1 and up", nullable=True),
        column(
            "upos",
            pa.string(),
            "its part of speech, tagged in the target's place; null where it was not tagged",
            nullable=True,
        ),
        column(
            "similarity",
            pa.float64(),
            "cosine to the target; null where it was not computed or is not known",
            nullable=True,
        ),
        column("ngram", pa.float64(), "how well it fits its neighbours; null where it was not computed", nullable=True),
    ],
)
