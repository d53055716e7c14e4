"""Tables `simplification/candidates` and `simplification/selections`: words that may replace a target.

A candidate is a row for each form and setting; each later stage has a row for each that goes on.
"""

from collections.abc import Collection
from typing import Any

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, entries_of, reason, registered
from lexbeam.schemas.simplification.instances import INSTANCE_ID

SETTING = column("setting", pa.string(), "name of the setting: which generators, filters and rankers are used, and how")

FORM = "the candidate as it would stand in the target's place, in lower case, NFC"

_GENERATORS = "lexbeam.transforms.simplification.generation.generators:GENERATORS"
_FILTERS = "lexbeam.transforms.simplification.selection.filters:FILTERS"

# Why a generated candidate does not go on, whichever generator gives it.
_OF_ALL = {
    "not_a_word": "it has no letter",
    "is_target": "it is the target",
    "spelling_variant": "it is the target in another spelling",
    "no_form": "there is no form of it that has the target's features",
    "barred": "it is on a list of barred words, or an antonym of the target",
    "one_generator": "not all generators give it, and the setting asks for their intersection",
    "low_score": "each generator scores it with less than the least share of its highest score",
    "unlisted": "the first word list does not have it, and the setting drops such candidates",
    "beyond_k": "others have a higher score, and only so many are kept",
}


def generation_reasons() -> dict[str, str]:
    """Return why a generated candidate does not go on: what generators say, then what holds for all of them."""
    generators = registered(_GENERATORS).values()
    return {name: doc for generator in generators for name, doc in generator.reasons.items()} | _OF_ALL


def selection_reasons(filters: Collection[str] | None = None) -> dict[str, str]:
    """Return why filters drop candidates, as they say it; None: all that there are."""
    return {name: doc for entry in _filters(filters) for name, doc in entry.reasons.items()}


def drop_reasons() -> list[str]:
    """Return all reasons, stage by stage; one that both stages give is among those of selection."""
    selection = selection_reasons()
    return [*(name for name in generation_reasons() if name not in selection), *selection]


def _filters(names: Collection[str] | None) -> list[Any]:
    return [entry for name, entry in registered(_FILTERS).items() if names is None or name in names]


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
    column("relation", pa.string(), "synonym, hypernym or similar, where a generator says it", nullable=True),
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
)


def _candidates() -> list[pa.Field]:
    """Return the columns: a score for each generator stands between those of all."""
    generators = entries_of(_GENERATORS)
    scores = (
        column(f"{column_of(name)}_score", pa.float64(), f"{doc}; null where it does not give it", nullable=True)
        for name, doc in generators.items()
    )
    return [*_SCORED, *scores, *_EVIDENCE, reason("why it does not go on", generation_reasons())]


CANDIDATES = Table(
    name="simplification/candidates",
    row="a form that generators of a setting give for an instance",
    key=("instance_id", "setting", "form"),
    texts=("form", "lemma", "shown", "before"),
    columns=_candidates,
)


def _selections(filters: Collection[str] | None = None) -> list[pa.Field]:
    """Return the columns; reasons and notes are those of the filters that are used."""
    notes = [name for entry in _filters(filters) for name in entry.notes]
    return [
        INSTANCE_ID,
        SETTING,
        column("form", pa.string(), FORM),
        column("lemma", pa.string(), "its lemma, in lower case; null where nothing says it", nullable=True),
        column("kept", pa.bool_(), "whether it goes on"),
        reason("why it does not go on", selection_reasons(filters)),
        column("note", pa.string(), "a remark on a candidate that is kept", range=", ".join(notes), nullable=True),
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
        column(
            "context",
            pa.float64(),
            "cosine to the target by an encoder, each in the sentence; null where it was not computed or is not known",
            range="-1 to 1",
            nullable=True,
        ),
    ]


SELECTIONS = Table(
    name="simplification/selections",
    row="a candidate that was generated, after the filters of its setting",
    key=("instance_id", "setting", "form"),
    texts=("form", "lemma", "merged_into"),
    columns=_selections,
)
