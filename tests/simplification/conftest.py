"""Small Spanish masked language models, each made once for all tests."""

import pytest
from small_encoders import spanish, trained

SHAPE = {"more": 90, "pairs": True, "steps": 400}


@pytest.fixture(scope="session")
def bert(made_once):
    """The folder of one with WordPiece, cased."""
    return made_once("spanish-bert", lambda folder: trained(folder, "bert", spanish(300), cased=True, **SHAPE))


@pytest.fixture(scope="session")
def roberta(made_once):
    """The folder of one with BPE of bytes."""
    return made_once("spanish-roberta", lambda folder: trained(folder, "roberta", spanish(300, 1), seed=1, **SHAPE))
