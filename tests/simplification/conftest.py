"""Small Spanish masked language models, each made once for all tests."""

import pytest


@pytest.fixture(scope="session")
def bert(spanish_bert):
    """The folder of one with WordPiece, cased."""
    return spanish_bert


@pytest.fixture(scope="session")
def roberta(spanish_roberta):
    """The folder of one with BPE of bytes."""
    return spanish_roberta
