"""The layering that docs/architecture.md states in its table, read off the imports."""

import ast
import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lexbeam.pipelines.frame.registry import COMMANDS, load

ROOT = Path(__file__).resolve().parent.parent
TOPS = ("schemas", "transforms", "pipelines", "lexbeam")
MODULES = {
    ".".join(("lexbeam", *path.with_suffix("").relative_to(ROOT).parts[top == "lexbeam" :])): path
    for top in TOPS
    for path in sorted((ROOT / top).rglob("*.py"))
}
FILES_A_FOLDER = 20

# A flag of the command line, not a CSS variable.
OF_OTHERS = re.compile("--(?:editable|force|python|convert-to|porcelain)")  # flags of pip, uv, soffice and git
FLAG = re.compile(r"(?:^|[\s`]|(?<!var)\()--[a-z]")
# Details of rejects are data of the table `rejects`, and name flags.
DETAILS = {
    f"lexbeam.transforms.formats.{name}"
    for name in (
        "readers.conllu",
        "readers.delimited",
        "readers.html",
        "readers.json_records",
        "readers.registry",
        "readers.tei",
        "ingest.date_rules",
        "sources.streams",
        "records.text_cleaning",
        "records.vertical_layout",
    )
}


@dataclass(frozen=True)
class Source:
    """What the tests ask of a module: each is parsed once."""

    imported: frozenset[str]
    at_the_top: frozenset[str]
    for_types: frozenset[str]
    docstring: str | None
    texts: tuple[str, ...]
    classes: tuple[str, ...]


def imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.If):
            yield from imported(node.body)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_for_types(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@functools.cache
def source_of(module: str) -> Source:
    text = MODULES[module].read_text("utf-8")
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    docs = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    ]
    return Source(
        frozenset(imported(nodes)),
        frozenset(imported(node for node in tree.body if not isinstance(node, ast.If))),
        frozenset(imported(node for node in nodes if isinstance(node, ast.If) and is_for_types(node))),
        ast.get_docstring(tree),
        tuple(texts),
        tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef) and node.name[0] != "_"),
    )


def own_imports(module: str) -> set[str]:
    """Return the modules of ours that a module imports, wherever it does."""
    return {name for name in source_of(module).imported if name in MODULES}


@dataclass(frozen=True)
class Place:
    """A row of the table: a folder, its rooms from the bottom up, and the folders that it stands on."""

    rooms: tuple[str, ...]
    stands_on: frozenset[str]


def table() -> dict[str, Place]:
    """Return the table of docs/architecture.md; `.` among the rooms is the folder's own modules."""
    places: dict[str, Place] = {}
    for line in (ROOT / "docs/architecture.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[0].startswith("`") and cells[0].strip("`/").partition("/")[0] in TOPS:
            rooms, below = (tuple(re.findall(r"`([^`]+)`", cell)) for cell in cells[2:])
            places[cells[0].strip("`/").replace("/", ".")] = Place(rooms or (".",), frozenset(below))
    return places


PLACES = table()


def place_of(module: str) -> str:
    head, second = [*MODULES[module].relative_to(ROOT).with_suffix("").parts, ""][:2]
    return f"{head}.{second}" if head == "transforms" and second and f"{head}.{second}" in PLACES else head


def room_of(module: str) -> str:
    """Return the room of a module within its place; a folder's `__init__` belongs to the folder."""
    inside = MODULES[module].relative_to(ROOT / place_of(module).replace(".", "/")).parent
    return inside.as_posix()


def names_of(places: Iterable[str]) -> set[str]:
    return {place.removeprefix("transforms.") for place in places}


def test_each_folder_is_a_row_of_the_table():
    assert {place_of(module) for module in MODULES} - {"transforms"} == set(PLACES)


def test_a_place_stands_on_what_the_table_says_and_on_nothing_else():
    found = defaultdict(set)
    for module in MODULES:
        found[place_of(module)] |= {place_of(name) for name in own_imports(module)} - {place_of(module)}
    assert {place: names_of(found[place]) for place in PLACES} == {
        place: set(row.stands_on) for place, row in PLACES.items()
    }


def test_places_stand_on_those_above_them_in_the_table():
    order = [place.removeprefix("transforms.") for place in PLACES]
    wrong = {place: row.stands_on - set(order[:at]) for at, (place, row) in enumerate(PLACES.items())}
    assert not {place: others for place, others in wrong.items() if others}


def test_rooms_stand_on_those_before_them():
    wrong = []
    for module in MODULES:
        place, rooms = place_of(module), PLACES.get(place_of(module), Place((".",), frozenset())).rooms
        for name in own_imports(module):
            if place_of(name) == place and rooms.index(room_of(name)) > rooms.index(room_of(module)):
                wrong.append((module, name))
    assert not wrong


def test_no_modules_import_each_other_in_a_circle():
    state: dict[str, int] = {}
    circles = []

    def visit(module: str, path: tuple[str, ...]) -> None:
        state[module] = 1
        for name in sorted(own_imports(module) - source_of(module).for_types):
            if state.get(name) == 1:
                circles.append([*path[path.index(name) :], name] if name in path else [module, name])
            elif name not in state:
                visit(name, (*path, name))
        state[module] = 2

    for module in MODULES:
        if module not in state:
            visit(module, (module,))
    assert not circles


def test_a_folder_is_seen_at_a_glance():
    sizes = defaultdict(int)
    for path in MODULES.values():
        sizes[path.parent.relative_to(ROOT).as_posix()] += 1
    assert not {folder: files for folder, files in sizes.items() if files > FILES_A_FOLDER}


def test_no_two_public_classes_have_one_name():
    modules = defaultdict(list)
    for module in MODULES:
        for name in source_of(module).classes:
            modules[name].append(module)
    assert not {name: places for name, places in modules.items() if len(places) > 1}


def test_every_module_and_room_says_what_it_is():
    assert not {module for module in MODULES if not source_of(module).docstring}


def test_a_room_says_what_comes_in_and_goes_out_and_how_to_read_it():
    asked = re.compile(r"(?s)(?=.*\bIn:\s)(?=.*\bOut:\s)(?=.*\bRead\s)(?=.*(?:\b[Cc]hanges?\b|\bkept between runs))")
    rooms = [module for module in MODULES if re.fullmatch(r"lexbeam\.transforms\..+\.__init__", module)]
    assert len(rooms) > 50
    assert not {module for module in rooms if not asked.match(source_of(module).docstring or "")}


def test_every_step_has_a_label():
    wrong = set()
    steps = 0
    for module in MODULES:
        if not (module.endswith("ptransforms") or module.startswith("lexbeam.pipelines.commands")):
            continue
        for node in ast.walk(ast.parse(MODULES[module].read_text("utf-8"))):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
                steps += isinstance(node.right, ast.BinOp) and isinstance(node.right.op, ast.RShift)
                if isinstance(node.right, ast.Call) and is_a_transform(node.right.func):
                    wrong.add((module, node.lineno))
    assert steps > 100
    assert not wrong


def is_a_transform(function: ast.expr) -> bool:
    """Return whether a call makes a step: `beam.Map(...)`, or a class such as `MakeParts(...)`."""
    name = ast.unparse(function)
    return name.startswith("beam.") or name.rpartition(".")[2][0].isupper()


# Rooms whose tests stand elsewhere, as docs/architecture.md says.
ELSEWHERE = {f"schemas/{room}" for room in ("change",)}


def test_folders_of_tests_mirror_those_of_the_source():
    folders = {path.parent.relative_to(ROOT).as_posix().removeprefix("transforms/") for path in MODULES.values()}
    tests = ROOT / "tests"
    found = {path.parent.relative_to(tests).as_posix() for path in tests.rglob("test_*.py")} - {"."}
    ours = {name for name in found if not name.startswith("integration")}
    assert ours <= folders
    parents = {name.rpartition("/")[0] for name in folders}
    assert folders - found - parents - {"transforms"} == ELSEWHERE


def test_only_glue_knows_beam():
    # They reach remote paths through Beam's file systems, imported only for such a path.
    lazy = ("lexbeam.transforms.common.spared_imports", "lexbeam.transforms.common.store.remote")
    wrong = set()
    for module in MODULES:
        if place_of(module).startswith(("schemas", "transforms")) and not module.endswith("ptransforms"):
            source = source_of(module)
            names = source.at_the_top if module in lazy else source.imported
            wrong |= {module for name in names if name.startswith("apache_beam")}
    assert not wrong


def test_the_python_interface_and_the_top_of_commands_know_no_beam():
    wrong = set()
    for module in MODULES:
        source = source_of(module)
        ours = place_of(module) == "lexbeam"
        names = source.imported if ours else source.at_the_top
        if ours or module.startswith(("lexbeam.pipelines.commands", "lexbeam.pipelines.frame")):
            wrong |= {module for name in names if name.startswith("apache_beam")}
    assert not wrong


def test_what_serves_all_commands_names_none():
    tables = {table for words in COMMANDS for table in load(words).table_names}
    makers = {words for words in COMMANDS if load(words).tables}
    modules = {COMMANDS[words].where.partition(":")[0] for words in makers}
    wrong = {}
    for module in MODULES:
        if (
            re.match(r"lexbeam\.pipelines\.(cli|frame|monitoring|progress|runners|shown)\b", module)
            and module != "lexbeam.pipelines.frame.registry"
        ):
            source = source_of(module)
            wrong[module] = ({*source.texts} & {*tables, *makers}) | (source.imported & modules)
    assert not {module: names for module, names in wrong.items() if names}


def test_messages_name_options_as_python_has_them():
    wrong = set()
    for module in MODULES:
        if place_of(module).startswith(("schemas", "transforms")):
            found = [text for text in source_of(module).texts if FLAG.search(OF_OTHERS.sub("", text))]
            if module in DETAILS:
                assert found, f"{module} names no flag (any more): take it off the list"
                wrong |= {module} if not all("see --" in text for text in found) else set()
            elif found:
                wrong.add(module)
    assert not wrong
