"""Annotations of transforms and DoFns that Beam understands: it warns of others in the log of every run."""

import importlib
import logging
from pathlib import Path

import apache_beam as beam
import pytest

ROOT = Path(__file__).resolve().parent.parent


def transforms() -> list[type[beam.PTransform | beam.DoFn]]:
    paths = sorted(path for top in ("transforms", "pipelines") for path in (ROOT / top).rglob("*ptransforms.py"))
    modules = [
        importlib.import_module(".".join(("lexbeam", *path.relative_to(ROOT).with_suffix("").parts))) for path in paths
    ]
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, (beam.PTransform, beam.DoFn))
        and value.__module__ == module.__name__
    ]


def test_beam_ignores_no_annotation_of_a_transform(caplog: pytest.LogCaptureFixture) -> None:
    warned = []
    checked = transforms()
    for transform in checked:
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            object.__new__(transform).default_type_hints()
        warned += [f"{transform.__module__}.{transform.__name__}: {text}" for text in caplog.messages]
    assert len(checked) >= 40
    assert not warned
