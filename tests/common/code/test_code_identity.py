"""What the identity of code takes in: definitions that are reached, and nothing else."""

import functools
import importlib.metadata
import sys
import unicodedata

import pytest

from lexbeam.transforms.common.code.code_identity import code_identity
from lexbeam.transforms.common.code.walk import distributions
from lexbeam.transforms.common.errors import LexbeamError

STAGE = '''
"""A stage."""

import math

from PKG import tools
from PKG.middle import Model, blend

RATE = 2


def run(x, times=3):
    """Run it."""
    def inner(y):
        return tools.scale(y) * RATE  # why
    return blend(inner(x)) ** times + math.sqrt(x) + Model().size()


def other(x):
    return x + 1
'''
MIDDLE = '''
from PKG.deep import Base, marked
from PKG.reexport import third


@marked("a")
def blend(x):
    return third(x)


class Model(Base):
    """A model."""

    width: int = 4

    def size(self):
        return self.width


class Unused:
    pass
'''
DEEP = """
OFFSET = 5
TABLE = {}
(FIRST, SECOND), LAST = (1, 2), 3


def helper(x):
    return x + OFFSET + FIRST


def marked(text):
    def decorate(function):
        return function
    return decorate


class Base:
    def area(self):
        return 1


TABLE["a"] = 1
"""
PROJECT = {
    "stage": STAGE,
    "middle": MIDDLE,
    "deep": DEEP,
    "tools": "def scale(x):\n    return 3 * x\n\n\ndef unused(x):\n    return 4 * x\n",
    "reexport/__init__": "from .third import third\nfrom .third import spare\n",
    "reexport/third": (
        "def third(x):\n    from ..deep import helper\n    return helper(x)\ndef spare(x):\n    return x\n"
    ),
    "elsewhere": "def lonely(x):\n    return x\n",
}


def edited(module, old, new):
    assert old in PROJECT[module]
    return {**PROJECT, module: PROJECT[module].replace(old, new)}


def test_names_are_what_is_reached(project):
    assert project(PROJECT).names == (
        "PKG.deep:Base",
        "PKG.deep:FIRST",
        "PKG.deep:LAST",
        "PKG.deep:OFFSET",
        "PKG.deep:SECOND",
        "PKG.deep:TABLE",
        "PKG.deep:helper",
        "PKG.deep:marked",
        "PKG.middle:Model",
        "PKG.middle:blend",
        "PKG.reexport.third:third",
        "PKG.stage:RATE",
        "PKG.stage:run",
        "PKG.tools:scale",
    )


@pytest.mark.parametrize(
    "modules",
    [
        pytest.param(edited("stage", '"""Run it."""', '"""Run it again."""'), id="docstring"),
        pytest.param(edited("stage", '    """Run it."""\n', ""), id="no docstring"),
        pytest.param(edited("stage", '"""A stage."""', ""), id="docstring of a module"),
        pytest.param(edited("middle", "width: int = 4", 'width: int = 4\n    "Width."'), id="text"),
        pytest.param(edited("stage", "# why", "# because"), id="comment"),
        pytest.param(edited("stage", "blend(inner(x))", "(blend(\n inner( x ) ))"), id="layout"),
        pytest.param(edited("deep", "\n\n", "\n\n\n"), id="blank lines"),
        pytest.param(edited("stage", "x + 1", "x + 2"), id="neighbour"),
        pytest.param(edited("stage", "RATE = 2", "MORE = 9\nRATE = 2"), id="new neighbour"),
        pytest.param(edited("stage", "import math", "import math, json"), id="another import"),
        pytest.param(edited("stage", "def other", "@staticmethod\ndef other"), id="builtin"),
        pytest.param(edited("middle", "    pass", "    more = 1"), id="neighbour deep below"),
        pytest.param(edited("tools", "4 * x", "5 * x"), id="neighbour of what is used"),
        pytest.param(edited("reexport/third", "return x", "return -x"), id="handed on, not used"),
        pytest.param(edited("elsewhere", "return x", "return -x"), id="another module"),
        pytest.param({**PROJECT, "new": "import numpy\nprint('hi')\n"}, id="new module"),
        pytest.param(edited("stage", "RATE = 2", "__all__ = ['run']\nRATE = 2"), id="__all__"),
        pytest.param(
            edited("tools", "def unused", "__all__ = []\n__all__ += ['x']\ndef unused"), id="added to __all__"
        ),
        pytest.param(
            edited("tools", "def unused", "if __name__ == '__main__':\n    scale(1)\ndef unused"), id="script"
        ),
    ],
)
def test_what_computes_nothing_changes_nothing(project, modules):
    assert project(PROJECT) == project(modules)


@pytest.mark.parametrize(
    "modules",
    [
        pytest.param(edited("stage", "math.sqrt", "math.exp"), id="formula"),
        pytest.param(edited("stage", "RATE = 2", "RATE = 3"), id="constant"),
        pytest.param(edited("stage", "times=3", "times=4"), id="default"),
        pytest.param(edited("stage", "import math", "import cmath as math"), id="import"),
        pytest.param(edited("tools", "3 * x", "2 * x"), id="attribute of a module"),
        pytest.param(edited("middle", '@marked("a")', '@marked("b")'), id="decorator argument"),
        pytest.param(edited("middle", "return self.width", "return -self.width"), id="method"),
        pytest.param(edited("middle", "width: int = 4", "width: int = 5"), id="field"),
        pytest.param(edited("deep", "return 1", "return 2"), id="base class"),
        pytest.param(edited("deep", "x + OFFSET", "x - OFFSET"), id="nested import, third module"),
        pytest.param(edited("deep", "OFFSET = 5", "OFFSET = 6"), id="constant of a helper"),
        pytest.param(edited("deep", "(1, 2), 3", "(7, 2), 3"), id="tuple of constants"),
        pytest.param(edited("deep", "return function", "return str"), id="decorator"),
        pytest.param(edited("deep", '["a"] = 1', '["a"] = 2'), id="statement at import"),
        pytest.param(edited("deep", "OFFSET = 5", "OFFSET = 5\nprint(1)"), id="new statement"),
        pytest.param(edited("deep", "OFFSET = 5", "OFFSET = 5\nOFFSET += 1"), id="added to"),
        pytest.param(edited("deep", "OFFSET = 5", "OFFSET = 5\nOFFSET = 4"), id="bound twice"),
        pytest.param(
            edited("stage", "def other", "from PKG import elsewhere as el\n@el.lonely\ndef other"),
            id="registered by a decorator",
        ),
        pytest.param(
            edited("reexport/__init__", "third import third", "third import spare as third"),
            id="handed on under another name",
        ),
        pytest.param({**PROJECT, "reexport/__init__": PROJECT["reexport/third"]}, id="moved"),
        pytest.param({**PROJECT, "__init__": "import sys\nsys.flag = 1\n"}, id="parent package"),
    ],
)
def test_what_can_compute_something_changes_it(project, modules):
    before, after = project(PROJECT), project(modules)
    assert before.code != after.code
    assert before.digest != after.digest


def test_the_order_of_definitions_does_not_matter_but_that_of_statements_does(project):
    first, second = "def one():\n    return 1\n", "def two():\n    return 2\n"
    run = "def run():\n    return one(), two(), TABLE\nTABLE = {}\n"
    ordered = {"stage": f"{first}{second}{run}"}
    assert project(ordered) == project({"stage": f"{second}{run}{first}"})
    set_one, set_two = "TABLE['a'] = 1\n", "TABLE['a'] = 2\n"
    texts = [ordered["stage"] + set_one + set_two, ordered["stage"] + set_two + set_one]
    one, two = (project({"stage": text}).code for text in texts)
    assert one != two


def changes(project, before, after, **others):
    """Return whether a module `used` with one text or the other makes a difference."""
    first, second = (project({"used": text, **others}).code for text in (before, after))
    return first != second


@pytest.mark.parametrize(
    ("stage", "counts"),
    [
        ("import PKG.used\ndef run():\n    return PKG.used.here()\n", True),
        ("import PKG.used\ndef run():\n    return PKG.used.there()\n", False),
        ("import PKG.used as u\ndef run():\n    return u.here()\n", True),
        ("import PKG.used as u\ndef run():\n    return u.there()\n", False),
        ("from . import used\ndef run():\n    return used.here()\n", True),
        ("from .used import here as there\ndef run():\n    return there()\n", True),
        ("from PKG.used import *\ndef run():\n    return there()\n", True),
        ("from PKG import used\ndef run(name):\n    return getattr(used, name)()\n", True),
        ("from PKG import used\nALL = [used]\ndef run():\n    return ALL\n", True),
        ("from PKG import used\ndef run():\n    return used.elsewhere()\n", True),
        ("def run():\n    from PKG import used\n    return used.here()\n", True),
        ("def run():\n    from PKG import used\n    return used.there()\n", False),
        ("def run():\n    import PKG.used as u\n    return lambda: u.here\n", True),
        ("import PKG\ndef run():\n    return [PKG.used.here for _ in 'ab']\n", True),
        ("from PKG.used import here\ndef run() -> 'here':\n    pass\n", True),
        ("from PKG.used import here\ndef run(x: 'list[here]'):\n    pass\n", True),
        ("from PKG.used import here\ndef run():\n    x: dict['str', 'here'] = {}\n", True),
        (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from PKG.used import here\n"
            "def run() -> 'here':\n    pass\n",
            True,
        ),
        (
            "try:\n    from PKG.used import here as h\nexcept ImportError:\n    h = None\ndef run():\n    return h()\n",
            True,
        ),
        ("from PKG.used import here\ndef run():\n    return eval('here()')\n", True),
        ("from PKG.used import here\nclass run:\n    def go(self, f=here):\n        pass\n", True),
        ("from PKG.used import here\nother = here\nrun = lambda: other()\n", True),
        ("from PKG.used import here\ndef run():\n    return 1\ndef other():\n    here()\n", False),
        ("from PKG import used\ndef run():\n    return 1\ndef other():\n    used.here\n", False),
    ],
)
def test_every_way_to_use_another_module_is_followed(project, stage, counts):
    text = "def here():\n    return {}\ndef there():\n    return 0\n"
    assert changes(project, text.format(1), text.format(2), stage=stage) is counts


def test_what_an_import_for_its_effect_does_counts(project):
    stage = "import PKG.used\ndef run():\n    return 1\n"
    assert changes(project, "print(1)\n", "print(2)\n", stage=stage)
    assert not changes(project, "X = 1\n", "X = 2\n", stage=stage)
    package = {"stage": "def run():\n    return 1\n", "__init__": "from . import used\n"}
    assert changes(project, "print(1)\n", "print(2)\n", **package)
    nested = "def run():\n    import PKG.used\n"
    assert changes(project, "print(1)\n", "print(2)\n", stage=nested)


def test_cycles_end(project):
    modules = {
        "stage": "from PKG.used import back\ndef run(n):\n    return back(n)\n",
        "used": "from PKG import stage\nfrom PKG import used\ndef back(n):\n    stage.run(n)",
    }
    assert project(modules).names == ("PKG.stage:run", "PKG.used:back")


def test_methods_classes_and_what_is_wrapped_are_found(project):
    modules = {
        "stage": (
            "import functools\nfrom PKG.used import deco\nclass Kind:\n"
            "    def method(self):\n        return 1\n"
            "@functools.cache\ndef cached():\n    return 2\n"
            "@deco\ndef decorated():\n    return 3\n"
        ),
        "used": (
            "import functools\ndef deco(f):\n    @functools.wraps(f)\n    def inner():\n"
            "        return f()\n    return inner\n"
        ),
    }
    kind = project(modules, "stage:Kind")
    assert project(modules, "stage:Kind", then=lambda kind: kind.method).code == kind.code
    assert "PKG.stage:Kind" in kind.names
    assert "PKG.stage:cached" in project(modules, "stage:cached").names
    assert {"PKG.stage:decorated", "PKG.used:deco"} <= {*project(modules, "stage:decorated").names}


BASE = """
class Base:
    times = 2
    def make(self):
        return self.read() * self.times
    def read(self):
        return 1
    def shown(self):
        return "one"
"""
KIND = """
from PKG.base import Base
from PKG.used import help
class Kind(Base):
    tables = (1,)
    def read(self):
        return help()
    def report(self):
        return self.tables
    read_as = staticmethod(help)
"""
USED = "def help():\n    return 1\n"


@pytest.mark.parametrize(
    ("module", "old", "new", "counts"),
    [
        ("base", "self.read() *", "self.read() +", True),
        ("base", "times = 2", "times = 3", True),
        ("base", '"one"', '"two"', False),
        ("base", "return 1", "return 2", False),  # a class has its own `read`
        ("stage", "return help()", "return help() + 1", True),
        ("stage", "return self.tables", "return ()", False),
        ("stage", "(1,)", "(2,)", False),
        ("used", "return 1", "return 2", True),
        ("base", "self.read()", "self.read_as()", True),
    ],
)
def test_of_an_object_without_state_a_method_counts_with_what_it_uses(project, module, old, new, counts):
    modules = {"base": BASE, "stage": KIND, "used": USED}
    assert old in modules[module]
    edited = {**modules, module: modules[module].replace(old, new)}
    before, after = (project(m, "stage:Kind", then=lambda kind: kind().make) for m in (modules, edited))
    assert (before.code != after.code) == counts
    assert {"PKG.base:Base.make", "PKG.base:Base.times", "PKG.stage:Kind.read", "PKG.used:help"} <= {*before.names}


def test_a_method_that_gives_itself_away_or_has_a_state_counts_with_its_class(project):
    for make in ("return help(self)", "return super().read()", "return getattr(self, 'read')()"):
        modules = {"base": BASE, "stage": KIND + f"    def make(self):\n        {make}\n", "used": USED}
        names = project(modules, "stage:Kind", then=lambda kind: kind().make).names
        assert {"PKG.stage:Kind", "PKG.base:Base"} <= {*names}
    held = KIND + "    def __init__(self):\n        self.held = 1\n"
    names = project({"base": BASE, "stage": held, "used": USED}, "stage:Kind", then=lambda kind: kind().make).names
    assert {"PKG.stage:Kind", "PKG.base:Base"} <= {*names}


def test_arguments_of_a_partial_and_of_a_closure_count(project):
    modules = {
        "stage": (
            "def run(x, y=0):\n    return x\n"
            "def make(n, f=None):\n    def made(x):\n        return n + x\n    return made\n"
        )
    }
    run = project(modules)
    one, two = (project(modules, then=lambda f, n=n: functools.partial(f, y=n)) for n in (1, 2))
    assert one.names == two.names == run.names
    assert len({one.code, two.code, run.code}) == 3
    assert one == project(modules, then=lambda f: functools.partial(f, y=1))
    made = [project(modules, "stage:make", then=lambda make, n=n: make(n)) for n in (1, 2, 1)]
    assert made[0].code != made[1].code
    assert made[0] == made[2]


def test_python_and_its_unicode_tables_are_in_the_digest(monkeypatch):
    before = code_identity(edited)
    digest = before.digest
    monkeypatch.setattr(unicodedata, "unidata_version", "99")
    assert before.digest != digest
    monkeypatch.undo()
    monkeypatch.setattr(sys, "version_info", (3, 99, 0))
    assert before.digest != digest


def test_a_module_without_source_is_named(monkeypatch):
    space = {"__name__": "shell_of_toys"}
    exec("def run(): pass", space)
    monkeypatch.setitem(sys.modules, "shell_of_toys", type(sys)("shell_of_toys"))
    with pytest.raises(LexbeamError, match=r"'shell_of_toys' cannot be read.*\.py file"):
        code_identity(space["run"])
    with pytest.raises(LexbeamError, match="no module"):
        code_identity(chosen={"lexbeam.transforms.nowhere:READERS": ["a"]})


def test_functions_of_tests_can_be_roots():
    assert f"{__name__}:edited" in code_identity(edited).names
    assert f"{__name__}:PROJECT" in code_identity(edited).names


def test_distributions_are_those_that_python_finds(tmp_path, monkeypatch):
    made = {
        "a-1.dist-info": {"METADATA": "Name: a\n\nName: b\n", "RECORD": 'a/x.py,,\n"q,r.py",,\nb.so,,\na-1.data/c,,\n'},
        "both-1.dist-info": {"METADATA": "Version: 1\nName:  Both_of.them\n", "top_level.txt": "left\nright\n"},
        "old.egg-info": {"PKG-INFO": "Name: old\n", "SOURCES.txt": "old/__init__.py\nsetup.py\n"},
    }
    for folder, files in made.items():
        (tmp_path / folder).mkdir()
        for name, text in files.items():
            (tmp_path / folder / name).write_text(text)
    for name in ("old/__init__.py", "setup.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    found = distributions.__wrapped__()
    assert {"a", "q,r", "left", "right", "old"} <= found.keys()
    assert found == importlib.metadata.packages_distributions()
