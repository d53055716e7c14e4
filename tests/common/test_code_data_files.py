"""Data files count for the identity of code where code that is reached reads them."""

import ast
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from lexbeam.transforms.common.code.walk import PACKAGES
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.models import packaged_text

ROOT = Path(__file__).resolve().parents[2]
PROJECT = {
    "stage": (
        "from lexbeam.transforms.common.store.models import packaged_text\n"
        "def run():\n    return packaged_text('PKG', 'words.txt').split()\n"
        "def other():\n    return 1\n"
    ),
    "words.txt": "one two",
}
OTHERWISE = {**PROJECT, "words.txt": "one three"}


def test_a_data_file_that_is_read_counts(project):
    before = project(PROJECT)
    assert "PKG:words.txt" in before.names
    assert before == project(PROJECT)
    assert before.code != project(OTHERWISE).code
    assert project(PROJECT, "stage:other") == project(OTHERWISE, "stage:other")


@pytest.mark.parametrize(
    "stage",
    [
        "import lexbeam.transforms.common.store.models\n"
        "def run():\n    return lexbeam.transforms.common.store.models.packaged_text('PKG', 'words.txt')\n",
        "from lexbeam.transforms.common.store import models as r\nTEXT = r.packaged_text('PKG', 'words.txt')\n"
        "def run():\n    return TEXT\n",
        "def run():\n    from lexbeam.transforms.common.store.models import packaged_text as read\n"
        "    return [read('PKG', 'words.txt')]\n",
    ],
)
def test_however_the_reader_is_called(project, stage):
    first, second = (project({**modules, "stage": stage}) for modules in (PROJECT, OTHERWISE))
    assert first.code != second.code


@pytest.mark.parametrize(
    "use", ["packaged_text(__name__, 'words.txt')", "map(packaged_text, [])", "packaged_text('x')"]
)
def test_a_file_that_source_does_not_tell_is_refused(project, use):
    stage = f"from lexbeam.transforms.common.store.models import packaged_text\ndef run():\n    return {use}\n"
    with pytest.raises(LexbeamError, match=r"stage'.*packaged_text.*as literals"):
        project({**PROJECT, "stage": stage})


def test_a_missing_file_is_named(project):
    stage = PROJECT["stage"].replace("words.txt", "none.txt")
    with pytest.raises(LexbeamError, match=r"no data file 'none\.txt'"):
        project({**PROJECT, "stage": stage})
    with pytest.raises(LexbeamError, match=r"none\.txt of package lexbeam\.transforms cannot be read"):
        packaged_text("lexbeam.transforms", "none.txt")


@pytest.mark.slow
def test_the_stylesheet_counts_for_what_reads_tei_and_for_nothing_else(tmp_path):
    shutil.copytree(ROOT / "lexbeam", tmp_path / "lexbeam", ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "import lexbeam.transforms\n"
        "from lexbeam.transforms.common.code.code_identity import code_identity\n"
        "from lexbeam.transforms.formats.ingest.ingestion import Ingest\n"
        "print(lexbeam.transforms.__file__)\n"
        "for format in ('tei', 'jsonl'):\n"
        "    chosen = {'lexbeam.transforms.formats.readers.registry:READERS': [format]}\n"
        "    print(code_identity(Ingest, chosen=chosen).digest)\n"
    )

    def identities():
        place, *found = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        assert place.startswith(str(tmp_path))
        return found

    before = identities()
    stylesheet = tmp_path / "lexbeam" / "transforms" / "formats" / "readers" / "marks.xsl"
    stylesheet.write_text(stylesheet.read_text("utf-8").replace("figDesc | ", ""), "utf-8")
    after = identities()
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, True]


def test_every_data_file_is_installed():
    (call,) = (
        node
        for node in ast.walk(ast.parse((ROOT / "setup.py").read_text("utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "setup"
    )
    (data,) = (ast.literal_eval(word.value) for word in call.keywords if word.arg == "package_data")
    for package in (*PACKAGES, "lexbeam.runner_configs"):
        for path in ROOT.joinpath(*package.split(".")).rglob("*.*"):
            if path.suffix in (".py", ".pyc", ".md", ".so") or not path.is_file():
                continue
            folder = next(p for p in path.parents if (p / "__init__.py").exists())
            patterns = data.get(".".join(folder.relative_to(ROOT).parts), [])
            name = str(path.relative_to(folder))
            assert [pattern for pattern in patterns if fnmatch(name, pattern)], name
