import pytest

from pipelines.frame.registry import COMMANDS, load
from schemas.change.summary import SummedKind
from schemas.rejects import NOT_COUNTED, REASONS, RejectRow

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


def test_a_reject_is_a_row_of_its_table():
    assert list(RejectRow._fields) == TABLES["rejects"].schema().names


def test_what_does_not_count_is_a_reason():
    assert set(REASONS) >= NOT_COUNTED
