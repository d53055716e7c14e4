"""Tables of lexical simplification: instances, candidates, selections, rankings, rewritten sentences, whole texts.

An instance is a word in its sentence. People's substitutes of it are gold. Everything that is made of
instances is keyed by hashes of content, and sorted by them. A candidate is a row for each form and setting; each later
stage has a row for each that goes on. A text is what a reader sees of a document: of a file its text without markup, of
a corpus the text that is stored.
"""

from collections.abc import Collection
from typing import Any

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, entries_of, language, reason, registered, share, upos
from lexbeam.schemas.inputs import inputs_table
from lexbeam.schemas.rejects import REASONS, REJECT_KEY, ROW_REASONS, reject_columns

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


RANKER = column("ranker", pa.string(), "the ranker")

RANKINGS = Table(
    name="simplification/rankings",
    row="a candidate that was kept, as a ranker of its setting ranks it; and the target beside them",
    key=("instance_id", "setting", "ranker", "form"),
    texts=("form",),
    columns=[
        INSTANCE_ID,
        SETTING,
        RANKER,
        column("form", pa.string(), f"{FORM}; or the target in the same form"),
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
            "whether the ranker knows the form; a candidate that it does not know gets the lowest score",
        ),
        column("allowed", pa.bool_(), "whether `keep_target` and `min_simpler` let it stand in the sentence"),
        column("chosen", pa.bool_(), "whether it is to stand in the sentence"),
    ],
)

SIMPLIFICATIONS = Table(
    name="simplification/simplifications",
    row="an instance with the word that a setting and a ranker choose",
    key=("instance_id", "setting", "ranker"),
    texts=("chosen", "form", "sentence_out"),
    columns=[
        INSTANCE_ID,
        SETTING,
        RANKER,
        column("chosen", pa.string(), "the form that is put in, with the target's capitals; the target where it stays"),
        column(
            "form",
            pa.string(),
            "the candidate that is put in, else that of place 1; null without candidates",
            nullable=True,
        ),
        column("changed", pa.bool_(), "whether it is not the target"),
        column(
            "reason",
            pa.string(),
            "why the target stays: no_agreement and other_sex of the first candidate, if the sentence lets none stand",
            range="no_candidate, keep_target, no_agreement, other_sex",
            nullable=True,
        ),
        column("score", pa.float64(), "score of that candidate", nullable=True),
        column("target_score", pa.float64(), "the ranker's score of the target; null where it has none", nullable=True),
        column(
            "article_change",
            pa.string(),
            "the word before, and what it becomes, with a space: `la el`; null if it stays",
            nullable=True,
        ),
        column("sentence_out", pa.string(), "the sentence with the chosen form"),
        column(
            "agreement",
            pa.list_(pa.string()),
            "further words around it that agree with it, each as it was and as it is, with ` > `: `antigua > antiguo`",
        ),
        column(
            "refused",
            pa.list_(pa.string()),
            "candidates that were tried before it and refused, each with its reason: `ciudad no_agreement`",
        ),
    ],
)

# The stages of which there are lists of candidates, and what comes of them.
STAGES = ("generation", "selection", "ranking", "pipeline")

# Why gold is lost where no candidate was dropped.
LOSSES = {
    "not_generated": "no generator of the setting gives it in this form",
    "no_rows": "the stage has no row for it",
    "not_chosen": "another candidate was chosen",
    "keep_target": "the target stays, though there are candidates",
}


def _funnel() -> list[pa.Field]:
    return [
        SETTING,
        column("ranker", pa.string(), "the ranker, from ranking on; before it, null", nullable=True),
        column("stage", pa.string(), "the stage", range=", ".join(STAGES)),
        reason("why they go no further; null for those that do", (*drop_reasons(), *LOSSES)),
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
    ]


FUNNEL = Table(
    name="simplification/funnel",
    row="what becomes of the candidates of instances with gold at a stage, for one reason",
    key=("setting", "ranker", "stage", "reason"),
    columns=_funnel,
)


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
