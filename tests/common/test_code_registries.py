"""Of a registry, what is chosen counts for the identity of code."""

import importlib

import pytest

from lexbeam.transforms.common.errors import LexbeamError

REGISTRY = {
    "stage": "from PKG.registry import READERS\ndef run(name):\n    return READERS[name]()\n",
    "registry": (
        "import numpy\nimport yaml\nfrom PKG import second\nfrom PKG.first import read\n"
        "READERS: dict[str, object] = {\n"
        "    'one': read,\n    'two': second.read,\n    'three': numpy.zeros,\n}\n"
        "VIEW = {**READERS}\nLATER = yaml.load\n"
    ),
    "first": "def read():\n    return 1\n",
    "second": "def read():\n    return 2\n",
    "toys": "def toy():\n    return HELP\nHELP = 'x'\n",
}
ONE = {"registry:READERS": ["one"]}


def test_of_a_registry_the_chosen_entries_count(project):
    found = project(REGISTRY, chosen=ONE)
    assert found.names == ("PKG.first:read", "PKG.registry:READERS['one']", "PKG.stage:run")
    assert found.packages == ()
    assert found == project({**REGISTRY, "second": "def read():\n    return 3\n"}, chosen=ONE)
    more = REGISTRY["registry"].replace("'two': second.read", "'two': print, 'four': yaml.load")
    assert found == project({**REGISTRY, "registry": more}, chosen=ONE)
    assert found.code != project({**REGISTRY, "first": "def read(): 0"}, chosen=ONE).code
    other = REGISTRY["registry"].replace("'one': read", "'one': print")
    assert found.code != project({**REGISTRY, "registry": other}, chosen=ONE).code
    three = project(REGISTRY, chosen={"registry:READERS": ["three", "one"]})
    assert {*found.names} < {*three.names}
    assert "numpy" in dict(three.packages)


def test_a_registry_without_choice_counts_whole(project):
    found = project(REGISTRY)
    assert {"PKG.first:read", "PKG.second:read", "PKG.registry:READERS"} <= {*found.names}
    assert "numpy" in dict(found.packages)
    assert "pyyaml" not in dict(found.packages)


@pytest.mark.parametrize("use", ["registry.READERS", "registry", "registry.VIEW"])
def test_a_choice_holds_on_every_way_to_the_registry(project, use):
    stage = f"from PKG import registry\ndef run(name):\n    return {use}\n"
    names = project({**REGISTRY, "stage": stage}, chosen=ONE).names
    assert "PKG.first:read" in names
    assert "PKG.second:read" not in names


def test_a_chosen_registry_counts_even_if_nothing_reaches_it(project):
    modules = {**REGISTRY, "stage": "def run():\n    return 1\n"}
    assert "PKG.first:read" in project(modules, chosen=ONE).names
    with pytest.raises(LexbeamError, match="has no 'oen'; did you mean 'one'"):
        project(modules, chosen={"registry:READERS": ["oen"]})
    with pytest.raises(LexbeamError, match="not a registry"):
        project(modules, chosen={"registry:read": ["one"]})


def test_what_another_dictionary_brings_into_a_registry_counts(project):
    modules = {
        "stage": "from PKG.used import read\nMORE = {'b': read}\nALL = {'a': 1, **MORE}\nrun = len",
        "used": "def read():\n    return 1\n",
    }
    names = project(modules, "used:read", chosen={"stage:ALL": ["a"]}).names
    assert {"PKG.stage:MORE", "PKG.stage:ALL['a']"} <= {*names}


def test_entries_added_and_replaced_at_run_time_are_followed(project):
    def entry(name):
        def then(run):
            toys = importlib.import_module(run.__module__.replace("stage", "toys"))
            run.__globals__["READERS"][name] = toys.toy
            return run

        return then

    toy = {"registry:READERS": ["toy"]}
    added = project(REGISTRY, chosen=toy, then=entry("toy"))
    assert {"PKG.toys:toy", "PKG.toys:HELP", "PKG.registry:READERS['toy']"} <= {*added.names}
    changed = {**REGISTRY, "toys": REGISTRY["toys"].replace("'x'", "'y'")}
    assert added.code != project(changed, chosen=toy, then=entry("toy")).code
    assert "PKG.toys:HELP" in project(REGISTRY, chosen=ONE, then=entry("one")).names
    assert "PKG.toys:HELP" not in project(REGISTRY, chosen=ONE, then=entry("toy")).names


def test_a_run_time_entry_of_an_installed_package_counts_by_version(project):
    import numpy

    def then(run):
        run.__globals__["READERS"]["median"] = numpy.median
        return run

    found = project(REGISTRY, chosen={"registry:READERS": ["median"]}, then=then)
    assert "numpy" in dict(found.packages)
    assert not any(name.startswith("numpy") for name in found.names)


def test_in_a_registry_of_entries_doc_lines_and_neighbours_count_for_nothing(project):
    head = "from PKG import first, second\nfrom lexbeam.transforms.common.code.registry import Entry, Registry\n"
    literal = "{'one': Entry(doc='a', needs='x'), 'two': second.read, 'three': THREE}"
    registry = f"{head}THREE = Entry(doc='third', needs='y')\nREADERS = Registry({literal}, what='reader')\n"

    def code(text, *entries):
        modules = {**REGISTRY, "registry": text}
        return project(modules, chosen={"registry:READERS": entries or ["one"]}).code

    assert code(registry) == code(registry.replace("'a'", "'better words'"))
    assert code(registry) == code(registry.replace("second.read", "first.read"))
    assert code(registry) != code(registry.replace("'x'", "'z'"))
    assert code(registry, "three") == code(registry.replace("'third'", "'last'"), "three")
    assert code(registry, "three") != code(registry.replace("'y'", "'z'"), "three")
    assert code(registry) != code(registry, "two")
