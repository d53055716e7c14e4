"""The layering of docs/architecture.md, read off the imports."""

import ast
import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipelines.registry import COMMANDS, load

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted(path for top in ("transforms", "schemas") for path in (ROOT / top).rglob("*.py"))
PURE = [path for path in MODULES if not path.name.endswith("ptransforms.py")]
PIPELINES = sorted((ROOT / "pipelines").glob("*.py"))
PYTHON = sorted((ROOT / "lexbeam").glob("*.py"))
ALL = [*MODULES, *PIPELINES, *PYTHON]

# A flag of the command line, not a CSS variable.
FLAG = re.compile(r"(?:^|[\s`]|(?<!var)\()--[a-z]")
# Details of rejects are data of the table `rejects`, and name flags.
DETAILS = {
    f"transforms/formats/{name}.py"
    for name in (
        "compression",
        "conllu",
        "dates",
        "delimited",
        "html",
        "html_tree",
        "json_array",
        "registry",
        "streams",
        "tei",
        "text_cleaning",
    )
}


@dataclass(frozen=True)
class Source:
    """What the tests ask of a module: each is parsed once."""

    imported: set[str]
    at_the_top: set[str]
    docstring: str | None
    texts: list[str]
    lines: int


def imported(nodes: Iterable[ast.AST]) -> set[str]:
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@functools.cache
def source_of(path: Path) -> Source:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    docs = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    ]
    lines = len(text.splitlines())
    return Source(imported(nodes), imported(tree.body), ast.get_docstring(tree), texts, lines)


def imports(path: Path, *, nested: bool) -> set[str]:
    return source_of(path).imported if nested else source_of(path).at_the_top


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", PURE, ids=named)
def test_only_ptransforms_knows_beam(path):
    # files.py reaches remote paths through Beam's file systems, imported only for such a path.
    nested = named(path) != "transforms/common/files.py"
    assert not {name for name in imports(path, nested=nested) if name.startswith("apache_beam")}


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_transforms_do_not_know_pipelines(path):
    assert not {name for name in imports(path, nested=True) if name.startswith("pipelines")}


@pytest.mark.parametrize("path", [*MODULES, *PIPELINES], ids=named)
def test_nothing_knows_the_python_interface(path):
    own = {name.partition(".")[0] for name in imports(path, nested=True)}
    assert "lexbeam" not in own


@pytest.mark.parametrize("path", sorted((ROOT / "lexbeam").glob("*.py")), ids=named)
def test_the_python_interface_knows_no_beam(path):
    own = {name.partition(".")[0] for name in imports(path, nested=True)}
    assert "apache_beam" not in own


@pytest.mark.parametrize("path", sorted((ROOT / "transforms/corpora").glob("*.py")), ids=named)
def test_corpora_know_no_task(path):
    own = {name for name in imports(path, nested=True) if name.startswith("transforms.")}
    assert {name.split(".")[1] for name in own} <= {"common", "corpora", "report"}


@pytest.mark.parametrize("path", sorted((ROOT / "schemas").glob("*.py")), ids=named)
def test_schemas_know_only_schemas(path):
    own = {"transforms", "pipelines"}
    assert not {name for name in imports(path, nested=True) if name.partition(".")[0] in own}


@pytest.mark.parametrize("path", ALL, ids=named)
def test_a_module_is_read_in_one_sitting(path):
    assert source_of(path).lines <= 400


@pytest.mark.parametrize("path", ALL, ids=named)
def test_every_module_says_what_it_is(path):
    assert source_of(path).docstring


# What is the same for every command; the rest of pipelines/ is the commands themselves.
FRAME = (
    "cli",
    "command",
    "common_options",
    "configuration",
    "options",
    "overview",
    "progress",
    "progress_counts",
    "progress_lines",
    "progress_terminal",
    "publishing",
    "results",
    "rows_shown",
    "run",
    "run_log",
    "runners",
    "running",
    "show",
    "staleness",
    "status",
    "tables_shown",
    "worker",
)


@pytest.mark.parametrize("name", FRAME)
def test_what_serves_all_commands_names_none(name):
    path = ROOT / "pipelines" / f"{name}.py"
    tables = {table for words in COMMANDS for table in load(words).table_names}
    makers = {words for words in COMMANDS if load(words).tables}
    assert not {*source_of(path).texts} & {*tables, *makers}
    modules = {COMMANDS[words].where.partition(":")[0] for words in makers}
    assert not imports(path, nested=True) & modules


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_messages_name_options_as_python_has_them(path):
    found = [text for text in source_of(path).texts if FLAG.search(text)]
    if named(path) in DETAILS:
        assert found, "it names no flag (any more): take it off the list"
        assert all("see --" in text for text in found)
    else:
        assert not found
