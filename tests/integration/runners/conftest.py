"""The corpus of many formats, and runs of it on every runner that is there, each made once."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from mixed import write_mixed_corpus
from mixed_runs import VARIANTS, Run, make_run, skip_without


@pytest.fixture(scope="session")
def mixed_config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The configuration of the corpus of many formats."""
    return write_mixed_corpus(tmp_path_factory.mktemp("mixed"))


@pytest.fixture(scope="session")
def run_variant(
    mixed_config: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Run]:
    """A function that runs a variant by its name, once however often it is asked."""
    found: dict[str, Run] = {}

    def run(name: str) -> Run:
        if name not in found:
            skip_without(VARIANTS[name].config)
            found[name] = make_run(
                mixed_config, tmp_path_factory.mktemp(name.partition(" ")[0]), VARIANTS[name]
            )
        return found[name]

    return run
