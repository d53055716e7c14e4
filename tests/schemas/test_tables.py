import pytest

from schemas import TABLES
from schemas.rejects import NOT_COUNTED, REASONS, RejectRow

# The contract of docs/tables.md: columns may be added, not renamed.
CONTRACT = {
    "documents": "document_id source position language year year_to date genre author title text",
    "rejects": "source position stage reason detail",
    "sentences": "document_id sentence year genre language forms lemmas upos starts ends",
    "slices": "slice from to documents sentences tokens types vocabulary min_count "
    "largest_document_share",
    "vectors": "slice seed word count documents vector",
    "alignments": "slice_from slice_to seed alignment side mean matrix fit_words residual",
    "scores": "word target slice_from slice_to seed alignment measure score score_sd seeds reason "
    "threshold changed count_from count_to relative_from relative_to documents_from documents_to",
    "neighbours": "word slice seed rank neighbour cosine",
    "change/metrics": "system subset metric k value low high n numerator denominator reason",
}


@pytest.mark.parametrize("name", CONTRACT)
def test_the_columns_of_the_contract_are_there(name):
    assert set(CONTRACT[name].split()) <= set(TABLES[name].schema(dim=3).names)


@pytest.mark.parametrize("name", TABLES)
def test_every_column_is_documented_in_its_metadata(name):
    schema = TABLES[name].schema(dim=3)
    assert all(field.metadata[b"doc"] for field in schema)
    assert schema.metadata[b"lexbeam.table"] == name.encode()


@pytest.mark.parametrize("name", TABLES)
def test_the_key_is_among_the_columns(name):
    assert set(TABLES[name].key) <= set(TABLES[name].schema(dim=3).names)


def test_a_reject_is_a_row_of_its_table():
    assert list(RejectRow._fields) == TABLES["rejects"].schema().names


def test_what_does_not_count_is_a_reason():
    assert set(REASONS) >= NOT_COUNTED
