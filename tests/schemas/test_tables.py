import fnmatch

import pyarrow as pa
import pytest

from lexbeam.pipelines.frame.registry import COMMANDS, load
from lexbeam.schemas.change.scores import SummedKind
from lexbeam.schemas.columns import TEXTS
from lexbeam.schemas.common_tables import NOT_COUNTED, REASONS, RejectRow

TABLES = {table.name: table for words in COMMANDS for table in load(words).tables}

# The contract of docs/reference/tables.md: columns may be added, not renamed.
CONTRACT = {
    "documents": "document_id source position language year year_to date genre author title text",
    "rejects": "source position stage reason detail",
    "sentences": "document_id sentence year genre language forms lemmas upos starts ends",
    "slices": "slice from to documents sentences tokens types vocabulary min_count largest_document_share",
    "vectors": "slice seed word count documents proper_nouns upos upos_share vector",
    "alignments": "slice_from slice_to seed alignment side mean matrix fit_words residual",
    "scores": "word target slice_from slice_to seed alignment measure score score_sd seeds reason "
    "threshold changed count_from count_to relative_from relative_to documents_from documents_to",
    "neighbours": "word slice seed rank neighbour cosine",
    "change/summary": "word slice_from slice_to target ranked upos upos_share count_from count_to "
    "relative_from relative_to relative_change documents_from documents_to score_op score_sd_op "
    "rank_op top50_op null_mean_op null_sd_op null_high_op excess_op p_value_op q_value_op p_relative_op "
    "q_relative_op significant_op changed_op reason_op score_cca_reversed rank_cca_reversed",
    "change/metrics": "system subset metric k value low high n numerator denominator reason",
}

# What columns depend on.
KINDS = [SummedKind(name, "cosine", name.replace("-", "_"), "", "") for name in ("op", "cca-reversed")]
OPTIONS = {"vectors": {"dim": 3}, "change/summary": {"kinds": KINDS}}


def schema_of(name):
    return TABLES[name].schema(**OPTIONS.get(name, {}))


@pytest.mark.parametrize("name", CONTRACT)
def test_the_columns_of_the_contract_are_there(name):
    assert set(CONTRACT[name].split()) <= set(schema_of(name).names)


@pytest.mark.parametrize("name", TABLES)
def test_every_column_is_documented_in_its_metadata(name):
    schema = schema_of(name)
    assert all(field.metadata[b"doc"] for field in schema)
    assert schema.metadata[b"lexbeam.table"] == name.encode()


@pytest.mark.parametrize("name", TABLES)
def test_the_key_is_among_the_columns(name):
    assert set(TABLES[name].key) <= set(schema_of(name).names)


# Strings that are no words of texts and say nothing of one: what a place, an id, an option or this code is called.
_NO_TEXT = """
document_id instance_id question_id pair_id article_id annotator_id source_id sense_id duplicate_of document
source position name sha256 notes annotator group split published_split farthest
slice slice_from slice_to point_from point_to alignment measure variant system subset metric threshold
setting ranker scorer reader readers method of feature feature_group kind difficulty
upos relation inflected feats article_change agreement refused
"""
NO_TEXT = frozenset(_NO_TEXT.split())


def _has_strings(kind):
    inner = [kind.field(place).type for place in range(kind.num_fields)]
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or any(map(_has_strings, inner))


@pytest.mark.parametrize("name", TABLES)
def test_every_column_with_words_of_texts_is_declared_so(name):
    """A column of strings has a fixed range, or is declared, or is called as one that can hold no text."""
    schema = schema_of(name)
    declared = schema.metadata[TEXTS.encode()].decode()
    texts = set(filter(None, declared.split(",")))
    assert all(fnmatch.filter(texts, of) for of in TABLES[name].texts)
    strings = {field.name for field in schema if _has_strings(field.type) and b"range" not in field.metadata}
    undeclared = strings - texts - NO_TEXT
    if name == "rejects":
        undeclared -= {"detail"}  # tests/formats/fuzz_checking.py
    assert not {column for column in undeclared if not column.startswith("reason_")}  # which each kind of space has


def test_a_reject_is_a_row_of_its_table():
    assert list(RejectRow._fields) == TABLES["rejects"].schema().names


def test_what_does_not_count_is_a_reason():
    assert set(REASONS) >= NOT_COUNTED
