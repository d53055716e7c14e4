"""The corpus of many formats, and runs of it on every runner that is there, each made once."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mixed import write_mixed_corpus
from mixed_runs import REFERENCE, VARIANTS, Run, make_reference, make_run, skip_without


@pytest.fixture(scope="session")
def mixed_config(made_once: Callable[..., Any]) -> Path:
    """The configuration of the corpus of many formats."""
    return made_once("mixed", write_mixed_corpus)


@pytest.fixture(scope="session")
def run_variant(
    request: pytest.FixtureRequest, mixed_config: Path, made_once: Callable[..., Any]
) -> Callable[[str], Run]:
    """A function that runs a variant by its name, once however often it is asked."""
    found: dict[str, Run] = {}

    def run(name: str) -> Run:
        if name not in found:
            variant = VARIANTS[name]
            skip_without(variant.config)
            if variant.config == "flink_cluster":
                cluster = request.getfixturevalue("cluster")
                variant = variant._replace(environment=tuple(cluster.environment.items()))
            make = make_reference if name == REFERENCE else partial(make_run, variant=variant)
            found[name] = made_once(name.replace(" ", "_"), lambda folder: make(mixed_config, folder))
        return found[name]

    return run
