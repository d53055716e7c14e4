"""Published tables of four texts, made through the Python interface, once for all tests."""

import pytest
from python_runs import CORPUS, SLICES, SMALL
from small_runs import write_texts

import lexbeam


@pytest.fixture
def texts(tmp_path):
    """A folder of four dated texts."""
    return write_texts(tmp_path / "texts")


@pytest.fixture(scope="session")
def published(made_once):
    """A folder with a corpus, and change between three slices of it; tests only read there."""

    def make(folder):
        out = folder / "out"
        lexbeam.corpus(write_texts(folder / "texts"), out=out, **CORPUS)
        lexbeam.change(out, slices=SLICES, **SMALL)
        return out

    return made_once("python_out", make)


@pytest.fixture(scope="session")
def sample(made_once):
    """The folder of a small sample corpus."""

    def make(folder):
        lexbeam.sample(out=folder / "sample", tokens=30_000, seed=7)
        return folder / "sample"

    return made_once("python_sample", make)


@pytest.fixture(scope="session")
def results(published):
    """What is published there."""
    return lexbeam.open(published)
