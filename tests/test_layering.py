"""The layering of docs/architecture.md, read off the imports."""

import ast
import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

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


def packages(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imports(path, nested=True)}


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_only_ptransforms_knows_beam():
    # files.py reaches remote paths through Beam's file systems, imported only for such a path.
    lazy = ROOT / "transforms/common/files.py"
    wrong = {named(path) for path in PURE if knows_beam(imports(path, nested=path != lazy))}
    assert not wrong


def knows_beam(names: set[str]) -> bool:
    return any(name.startswith("apache_beam") for name in names)


def test_transforms_do_not_know_pipelines():
    assert not {named(path) for path in MODULES if "pipelines" in packages(path)}


def test_nothing_knows_the_python_interface():
    assert not {named(path) for path in [*MODULES, *PIPELINES] if "lexbeam" in packages(path)}


def test_the_python_interface_knows_no_beam():
    assert not {named(path) for path in (ROOT / "lexbeam").glob("*.py") if "apache_beam" in packages(path)}


def test_corpora_know_no_task():
    wrong = {}
    for path in sorted((ROOT / "transforms/corpora").glob("*.py")):
        own = {name.split(".")[1] for name in imports(path, nested=True) if name.startswith("transforms.")}
        wrong[named(path)] = own - {"common", "corpora", "report"}
    assert not {path: others for path, others in wrong.items() if others}


def test_schemas_know_only_schemas():
    wrong = {named(path): packages(path) & {"transforms", "pipelines"} for path in (ROOT / "schemas").glob("*.py")}
    assert not {path: others for path, others in wrong.items() if others}


def test_a_module_is_read_in_one_sitting():
    assert not {named(path): source_of(path).lines for path in ALL if source_of(path).lines > 400}


def test_every_module_says_what_it_is():
    assert not {named(path) for path in ALL if not source_of(path).docstring}


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


def test_what_serves_all_commands_names_none():
    tables = {table for words in COMMANDS for table in load(words).table_names}
    makers = {words for words in COMMANDS if load(words).tables}
    modules = {COMMANDS[words].where.partition(":")[0] for words in makers}
    wrong = {}
    for path in (ROOT / "pipelines" / f"{name}.py" for name in FRAME):
        wrong[named(path)] = ({*source_of(path).texts} & (tables | makers)) | (imports(path, nested=True) & modules)
    assert not {path: names for path, names in wrong.items() if names}


def test_messages_name_options_as_python_has_them():
    flags = {named(path): [text for text in source_of(path).texts if FLAG.search(text)] for path in MODULES}
    assert not {path: texts for path, texts in flags.items() if texts and path not in DETAILS}
    assert not {path for path in DETAILS if not flags[path]}, "they name no flag (any more): take them off the list"
    details = [text for path in DETAILS for text in flags[path]]
    assert not [text for text in details if "see --" not in text]
