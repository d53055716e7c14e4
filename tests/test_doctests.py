"""Examples in docstrings run, wherever they stand."""

import doctest
import importlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_examples_in_docstrings_run():
    paths = sorted(path for top in ("schemas", "transforms", "pipelines") for path in (ROOT / top).rglob("*.py"))
    names = [
        ".".join(("lexbeam", *path.relative_to(ROOT).with_suffix("").parts))
        for path in paths
        if ">>> " in path.read_text("utf-8")
    ]
    results = {name: doctest.testmod(importlib.import_module(name)) for name in names}
    assert not {name: result for name, result in results.items() if result.failed}
    assert sum(result.attempted for result in results.values()) > 200
